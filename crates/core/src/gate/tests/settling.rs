//! G12 beside the program's own status: a dialog that both tell of is one prompt.

use super::script::{
    Script, at_rest, busy, prompt, settling_permission, sub, tool, tool_end, waiting,
};
use crate::observation::{Fact, Level};
use crate::prompt::Actor;
use crate::source::Source;
use crate::status::{BlockedReason, Headline};

/// An agent of which nobody knows whether somebody sits at it runs these calls.
fn running(inputs: &[u64]) -> Script {
    let mut script = Script::working();
    script.registry(busy());
    for input in inputs {
        script.hook(tool(&Actor::Main, &format!("c{input}"), *input));
    }
    script.published.clear();
    script
}

fn asks(script: &mut Script, input: u64) {
    script.hook(settling_permission(&Actor::Main, input, 1_000));
}

fn titles(script: &Script) -> Vec<&str> {
    script.seat.own_prompts().map(|open| open.ask.title.as_str()).collect()
}

#[test]
fn g12_a_request_that_the_programs_status_shows_has_settled() {
    let mut script = running(&[7]);
    asks(&mut script, 7);
    script.silent();
    script.registry(waiting());
    assert_eq!((script.headline(), titles(&script)), (Headline::Blocked, vec!["Bash: input 7"]));
    script.tick(5_000);
    script.silent();
    script.registry(busy());
    assert_eq!(script.headline(), Headline::Working);
    assert_eq!((script.count("prompt.opened"), script.count("prompt.resolved")), (1, 1));
}

#[test]
fn g12_a_request_behind_the_status_that_shows_it_has_settled() {
    let mut script = running(&[7]);
    script.registry(waiting());
    script.silent();
    asks(&mut script, 7);
    assert_eq!((script.headline(), titles(&script)), (Headline::Blocked, vec!["Bash: input 7"]));
    script.tick(5_000);
    assert_eq!(script.count("prompt.opened"), 1);
}

#[test]
fn g12_of_two_requests_one_is_shown() {
    let mut script = running(&[7, 8]);
    asks(&mut script, 7);
    asks(&mut script, 8);
    script.registry(waiting());
    assert_eq!(titles(&script), ["Bash: input 7"]);
    script.tick(1_000);
    assert_eq!(titles(&script), ["Bash: input 7", "Bash: input 8"]);
}

/// Another hook has granted it, and its call takes long.
#[test]
fn g12_a_request_behind_which_the_terminal_goes_on_showing_work_is_asked_of_nobody() {
    let shows = |script: &mut Script, level: Level| {
        script.said(Source::ProgramStatus, Fact::Level(level));
    };
    let asked = || {
        let mut script = Script::working();
        shows(&mut script, busy());
        script.hook(tool(&Actor::Main, "c7", 7));
        asks(&mut script, 7);
        for _ in 0..10 {
            script.tick(10_000);
            shows(&mut script, busy());
            assert_eq!(script.headline(), Headline::Working);
        }
        script
    };
    let mut script = asked();
    script.hook(tool_end(&Actor::Main, "c7", 7));
    script.tick(20_000);
    assert_eq!((script.headline(), script.count("prompt.opened")), (Headline::Working, 0));
    // The hook took its time, and has not answered.
    let mut script = asked();
    shows(&mut script, waiting());
    assert_eq!((script.headline(), titles(&script)), (Headline::Blocked, vec!["Bash: input 7"]));
    // Nothing is heard from there any more.
    let mut script = asked();
    script.tick(61_000);
    assert_eq!((script.headline(), titles(&script)), (Headline::Blocked, vec!["Bash: input 7"]));
    // It may show another conversation than the one that asks.
    let mut script = Script::working();
    shows(&mut script, busy());
    script.hook(Fact::SubagentStarted { id: "h".into() });
    script.hook(settling_permission(&sub("h"), 7, 1_000));
    script.tick(1_000);
    assert_eq!(script.headline(), Headline::Blocked);
}

/// It may be one that the person has opened; if not, it is the request's own.
#[test]
fn g12_a_request_behind_a_dialog_of_another_kind_settles_and_is_no_second_one() {
    let mut script = running(&[7]);
    asks(&mut script, 7);
    let detail = Some("dialog open".to_owned());
    script.registry(Level::Blocked { reason: BlockedReason::Other, detail });
    script.silent();
    script.tick(300);
    assert_eq!(titles(&script), ["dialog open"]);
    script.tick(1_000);
    assert_eq!(titles(&script), ["Bash: input 7"]);
    assert_eq!((script.count("prompt.opened"), script.count("agent.updated")), (1, 1));
}

/// What is asked in a turn is not over with that turn's beginning, which its program's own account has passed.
#[test]
fn a_late_hook_of_a_prompt_hides_nothing_that_is_asked_in_its_turn() {
    for late in [0, 400] {
        let mut script = Script::idle();
        for level in [at_rest(), busy(), waiting()] {
            script.said(Source::EventStream, Fact::Level(level));
        }
        script.tick(late);
        script.hook(prompt("t1"));
        script.hook(tool(&Actor::Main, "c1", 7));
        script.tick(300);
        assert_eq!(script.headline(), Headline::Blocked, "{late}");
        asks(&mut script, 7);
        script.tick(5_000);
        assert_eq!(titles(&script), ["Bash: input 7"]);
        script.said(Source::EventStream, Fact::Level(busy()));
        assert_eq!(script.phrase(), "working(tool)");
        let told = ["turn.started", "prompt.opened", "prompt.resolved"];
        assert_eq!(told.map(|kind| script.count(kind)), [1, 1, 1]);
    }
}

/// Once it shows something else there is nothing that could be kept.
#[test]
fn a_prompt_behind_a_dialog_that_was_left_finds_none() {
    for left in [busy(), at_rest()] {
        let mut script = Script::idle();
        for level in [at_rest(), busy(), waiting()] {
            script.said(Source::EventStream, Fact::Level(level));
        }
        script.tick(400);
        assert_eq!(script.headline(), Headline::Blocked);
        script.said(Source::EventStream, Fact::Level(left));
        script.hook(prompt("t1"));
        script.tick(400);
        assert!(titles(&script).is_empty());
    }
}
