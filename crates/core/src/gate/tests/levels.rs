//! Levels and edges together: one change told by both is one change.

use super::script::{
    Script, at_rest, busy, fail, permission, prompt, start, stop, stop_without_a_name, tool,
    tool_end, waiting,
};
use crate::observation::{Fact, Level, ProcessFact, SessionStart, Submitter};
use crate::prompt::{Actor, NewPrompt, ToolRef};
use crate::source::Source;
use crate::status::{Attach, BlockedReason, Headline};

/// A call of a program that gives its calls no ids.
fn call(input: u64) -> ToolRef {
    ToolRef { name: "shell".to_owned(), id: None, input: Some(input) }
}

fn started(input: u64) -> Fact {
    Fact::ToolStarted { actor: Actor::Main, tool: call(input), turn_ref: None }
}

fn dialog() -> Fact {
    let prompt = NewPrompt::plain(BlockedReason::Permission, Some("May I?"));
    Fact::DialogShown { actor: Actor::Main, prompt }
}

/// The program has no turn ids, names no call in its notice, and writes a title as it goes.
fn titled() -> Script {
    let mut script = Script::idle();
    script.said(Source::Title, Fact::Level(at_rest()));
    script.hook(Fact::PromptSubmitted { by: Submitter::Person, turn_ref: None });
    script.said(Source::Title, Fact::Level(busy()));
    script.hook(started(7));
    script.hook(dialog());
    assert_eq!(script.headline(), Headline::Blocked);
    script.published.clear();
    script
}

#[test]
fn a_title_that_changes_tells_a_grant_and_a_denial_that_no_hook_tells() {
    let mut script = titled();
    script.said(Source::Title, Fact::Level(waiting()));
    script.silent();
    script.said(Source::Title, Fact::Level(busy()));
    assert_eq!(script.phrase(), "working(tool)");
    let mut script = titled();
    script.said(Source::Title, Fact::Level(waiting()));
    script.said(Source::Title, Fact::Level(at_rest()));
    assert_eq!(script.headline(), Headline::Blocked);
    script.tick(300);
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
}

#[test]
fn a_title_that_stood_before_the_last_hook_or_is_followed_by_one_says_nothing() {
    let mut script = titled();
    script.said(Source::Title, Fact::Level(busy()));
    assert_eq!(script.headline(), Headline::Blocked);
    let mut script = titled();
    script.said(Source::Title, Fact::Level(at_rest()));
    script.hook(started(8));
    script.tick(300);
    assert_eq!(script.headline(), Headline::Blocked);
}

#[test]
fn a_prompt_whose_hook_comes_late_began_the_turn_that_a_title_has_shown() {
    let mut script = Script::idle();
    script.said(Source::Title, Fact::Level(at_rest()));
    script.said(Source::Title, Fact::Level(busy()));
    script.tick(300);
    assert_eq!(script.headline(), Headline::Working);
    script.hook(prompt("t1"));
    script.hook(stop("t1"));
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
    assert_eq!(script.count("turn.started"), 1);
}

#[test]
fn a_dialog_is_about_the_call_that_was_started_last() {
    let mut script = titled();
    let ended = Fact::ToolsEnded {
        actor: Actor::Main,
        tools: vec![call(7)],
        interrupted: false,
        turn_ref: None,
    };
    script.hook(ended);
    assert_eq!(script.headline(), Headline::Working);
    // A title has shown it first, without its words.
    script.hook(started(8));
    script.said(Source::Title, Fact::Level(waiting()));
    script.tick(300);
    script.hook(dialog());
    let asked: Vec<_> = script.seat.own_prompts().map(|open| open.ask.tool.clone()).collect();
    assert_eq!(asked, [Some(call(8))]);
}

#[test]
fn a_call_that_starts_after_its_approval_ends_what_asked_about_it_and_nothing_else() {
    let mut script = Script::working();
    script.hook(permission(&Actor::Main, 7));
    script.hook(permission(&Actor::Main, 8));
    let granted = |input| {
        let tool = ToolRef { name: "Bash".to_owned(), id: Some("c1".into()), input: Some(input) };
        Fact::ToolGranted { actor: Actor::Main, tool, turn_ref: None }
    };
    script.hook(granted(7));
    assert_eq!(script.headline(), Headline::Blocked);
    script.hook(granted(8));
    assert_eq!(script.phrase(), "working(tool)");
}

#[test]
fn a_level_that_agrees_only_confirms() {
    let mut script = Script::working();
    script.registry(busy());
    script.silent();
    script.hook(stop("t1"));
    script.registry(at_rest());
    script.silent();
    assert_eq!(script.headline(), Headline::Done);
}

#[test]
fn a_level_ahead_of_its_hook_waits_for_it() {
    let mut script = Script::working();
    script.registry(busy());
    script.registry(at_rest());
    script.silent();
    script.hook(stop("t1"));
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
    script.tick(1_000);
    script.silent();
    assert_eq!(script.count("turn.completed"), 1);

    let mut script = Script::working();
    script.registry(busy());
    script.registry(at_rest());
    script.hook(fail("t1", "overloaded"));
    script.tick(1_000);
    assert_eq!(script.headline(), Headline::Failed);
    assert_eq!(script.count("turn.completed"), 1);
}

#[test]
fn an_interruption_that_no_hook_tells_is_told_by_the_level() {
    let mut script = Script::working();
    script.registry(busy());
    script.registry(at_rest());
    script.tick(299);
    assert_eq!(script.headline(), Headline::Working);
    script.tick(1);
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
    assert_eq!(script.published, ["turn.completed", "agent.status_changed"]);
}

#[test]
fn a_grant_that_no_hook_tells_is_told_at_once() {
    let mut script = Script::blocked();
    script.registry(waiting());
    script.silent();
    script.registry(busy());
    assert_eq!(script.phrase(), "working(tool)");
    script.hook(tool_end(&Actor::Main, "c1", 7));
    assert_eq!(script.count("prompt.resolved"), 1);
}

/// A terminal is told of every step: of a refused dialog, too, that something goes on behind it.
#[test]
fn work_behind_a_refused_dialog_is_not_told() {
    let mut script = Script::blocked();
    script.said(Source::ProgramStatus, Fact::Level(waiting()));
    script.said(Source::ProgramStatus, Fact::Level(busy()));
    script.silent();
    script.tick(50);
    script.hook(Fact::TurnInterrupted { turn_ref: None });
    script.said(Source::ProgramStatus, Fact::Level(at_rest()));
    script.tick(1_000);
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
    assert_eq!(script.count("agent.status_changed"), 1);
}

#[test]
fn a_grant_on_the_terminal_is_told_when_no_refusal_came() {
    let mut script = Script::blocked();
    script.said(Source::ProgramStatus, Fact::Level(waiting()));
    script.said(Source::ProgramStatus, Fact::Level(busy()));
    script.tick(299);
    assert_eq!(script.headline(), Headline::Blocked);
    script.tick(1);
    assert_eq!(script.headline(), Headline::Working);
    assert_eq!(script.count("prompt.resolved"), 1);
}

#[test]
fn a_late_look_at_an_earlier_level_does_not_clear_a_prompt() {
    let mut script = Script::working();
    script.hook(tool(&Actor::Main, "c1", 7));
    script.hook(permission(&Actor::Main, 7));
    script.registry(busy());
    assert_eq!(script.headline(), Headline::Blocked);
    script.registry(waiting());
    script.tick(1_000);
    assert_eq!(script.headline(), Headline::Blocked);
}

#[test]
fn a_dialog_that_no_hook_tells_is_told_by_the_level_after_a_moment() {
    let mut script = Script::working();
    script.registry(busy());
    script.registry(waiting());
    script.tick(300);
    assert_eq!(script.headline(), Headline::Blocked);
    script.hook(permission(&Actor::Main, 7));
    assert_eq!(script.count("prompt.opened"), 1);
    assert_eq!(script.seat.prompts[0].ask.title, "Bash: input 7");
}

#[test]
fn a_turn_that_no_hook_starts_is_started_by_the_level() {
    let mut script = Script::idle();
    script.registry(at_rest());
    script.registry(busy());
    script.tick(300);
    assert_eq!(script.headline(), Headline::Working);
    script.hook(stop("unannounced"));
    assert_eq!(script.headline(), Headline::Done);
    assert_eq!(script.count("turn.started"), 1);
}

#[test]
fn a_glimpse_of_idle_between_two_turns_is_no_end() {
    let mut script = Script::working();
    script.registry(busy());
    script.hook(prompt("t2"));
    script.registry(at_rest());
    script.after(20).registry(busy());
    script.tick(1_000);
    assert_eq!(script.headline(), Headline::Working);
    assert_eq!(script.count("turn.completed"), 0);
}

/// A seat without hooks, in a turn that its status file shows.
fn unhooked() -> Script {
    let mut script = Script::new();
    script.registry(at_rest());
    script.seat.about.log_path = Some("/home/dev/s1.jsonl".into());
    script.registry(busy());
    assert_eq!(script.headline(), Headline::Working);
    script.published.clear();
    script
}

#[test]
fn without_hooks_the_log_tells_how_a_turn_ended_and_the_level_when() {
    let mut script = unhooked();
    script.log(stop_without_a_name());
    assert_eq!(script.headline(), Headline::Working);
    script.registry(at_rest());
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));

    let mut script = unhooked();
    script.registry(at_rest());
    script.silent();
    script.log(stop_without_a_name());
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
    script.tick(1_000);
    assert_eq!(script.published, ["turn.completed", "agent.status_changed"]);
}

#[test]
fn without_hooks_a_turn_whose_end_the_log_does_not_tell_was_interrupted() {
    let mut script = unhooked();
    script.log(stop_without_a_name());
    script.registry(at_rest());
    script.registry(busy());
    script.registry(at_rest());
    script.tick(300);
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
}

#[test]
fn beside_hooks_the_log_ends_no_turn() {
    let mut script = Script::working();
    script.registry(busy());
    script.log(stop_without_a_name());
    script.registry(at_rest());
    script.tick(300);
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
}

/// An agent on a terminal of ours, which has told of no session.
fn on_a_terminal(levels: &[Level]) -> Script {
    let mut script = Script::new();
    script.session = None;
    for level in levels {
        script.said(Source::ProgramStatus, Fact::Level(level.clone()));
    }
    script
}

#[test]
fn work_that_a_program_shows_while_it_comes_up_is_no_turn() {
    let mut script = on_a_terminal(&[at_rest(), busy(), at_rest()]);
    script.tick(300);
    assert_eq!(script.headline(), Headline::Idle);
    assert_eq!((script.count("turn.started"), script.outcome()), (0, None));
    // Later it is one, and at once.
    script.after(1_000).said(Source::ProgramStatus, Fact::Level(busy()));
    assert_eq!(script.headline(), Headline::Working);
}

#[test]
fn a_program_may_take_long_to_come_up() {
    let mut script = on_a_terminal(&[]);
    let running = ProcessFact::Running { attach: Attach::Interactive, restored: false };
    script.said(Source::Report, Fact::Process(running));
    script.after(5_000);
    for level in [busy(), at_rest(), busy(), at_rest()] {
        script.said(Source::ProgramStatus, Fact::Level(level));
    }
    script.tick(300);
    assert_eq!((script.headline(), script.count("turn.started")), (Headline::Idle, 0));
}

#[test]
fn what_a_weaker_witness_showed_meanwhile_is_not_believed_against_a_fresh_stronger_one() {
    let mut script = on_a_terminal(&[]);
    script.said(Source::Title, Fact::Level(busy()));
    script.said(Source::ProgramStatus, Fact::Level(at_rest()));
    script.tick(300);
    assert_eq!(script.headline(), Headline::Idle);
    assert_eq!(script.count("turn.started"), 0);
}

#[test]
fn a_start_that_is_told_with_the_first_prompt_does_not_interrupt_the_work_that_is_shown() {
    let mut script = on_a_terminal(&[at_rest()]);
    script.after(1_000).said(Source::ProgramStatus, Fact::Level(busy()));
    assert_eq!(script.headline(), Headline::Working);
    script.published.clear();
    script.session = Some("s1".into());
    script.hook(start(SessionStart::Startup));
    script.hook(prompt("t1"));
    assert_eq!(script.headline(), Headline::Working);
    script.hook(stop("t1"));
    assert_eq!(script.headline(), Headline::Done);
    assert_eq!(script.count("turn.completed"), 1);
}

#[test]
fn a_turn_whose_hook_never_comes_ended_as_the_log_says() {
    for (logged, outcome) in [(true, "completed"), (false, "interrupted")] {
        let mut script = Script::idle();
        script.hook(prompt("t1"));
        script.said(Source::AppServer, Fact::Level(busy()));
        if logged {
            script.log(stop("t1"));
            assert_eq!(
                script.headline(),
                Headline::Working,
                "a log alone ends nothing beside hooks"
            );
        }
        script.said(Source::AppServer, Fact::Level(at_rest()));
        script.tick(300);
        assert_eq!(script.outcome(), Some(outcome));
        // It was about that turn alone.
        script.hook(prompt("t2"));
        script.said(Source::AppServer, Fact::Level(busy()));
        script.said(Source::AppServer, Fact::Level(at_rest()));
        script.tick(300);
        assert_eq!(script.outcome(), Some("interrupted"));
    }
}

#[test]
fn a_turn_that_fails_at_once_has_failed_once() {
    let mut script = Script::idle();
    script.said(Source::AppServer, Fact::Level(busy()));
    script.tick(90);
    let failed = Level::Failed { code: "system_error".to_owned() };
    for _ in 0..3 {
        script.said(Source::AppServer, Fact::Level(failed.clone()));
        script.tick(300);
    }
    assert_eq!((script.headline(), script.outcome()), (Headline::Failed, Some("failed")));
    assert_eq!((script.count("turn.started"), script.count("turn.completed")), (1, 1));
}

fn log_fails(script: &mut Script) {
    let fact = Fact::TurnFailed { code: "x".into(), detail: None, turn_ref: None };
    script.said(Source::Transcript, fact);
}

#[test]
fn a_title_that_stood_before_the_log_told_a_failure_does_not_bring_work_back() {
    let mut script = Script::idle();
    script.said(Source::Title, Fact::Level(at_rest()));
    script.hook(Fact::PromptSubmitted { by: Submitter::Person, turn_ref: None });
    script.said(Source::Title, Fact::Level(busy()));
    log_fails(&mut script);
    assert_eq!(script.headline(), Headline::Failed);
    script.published.clear();
    script.said(Source::Title, Fact::Level(busy()));
    script.tick(300);
    script.silent();
    script.said(Source::Title, Fact::Level(at_rest()));
    // Soon after it, it may be the turn's own, and late.
    script.said(Source::Title, Fact::Level(busy()));
    script.tick(300);
    assert_eq!(script.headline(), Headline::Failed);
    // Work that begins after it is news: a person's own command, which no hook tells.
    script.tick(3_700);
    assert_eq!(script.headline(), Headline::Working);
    script.said(Source::Title, Fact::Level(at_rest()));
    script.tick(300);
    script.after(5_000).said(Source::Title, Fact::Level(busy()));
    script.tick(300);
    assert_eq!(script.headline(), Headline::Working);
}

#[test]
fn a_turn_that_is_over_waits_a_moment_for_the_log_that_tells_how() {
    let mut script = Script::working();
    script.hook(Fact::TurnOver);
    script.silent();
    log_fails(&mut script);
    assert_eq!(script.headline(), Headline::Failed);
    assert_eq!(script.count("turn.completed"), 1);
    script.tick(300);
    assert_eq!(script.headline(), Headline::Failed);
    // Nobody tells: it was stopped before it had said a word.
    let mut script = Script::working();
    script.hook(Fact::TurnOver);
    script.tick(300);
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
    // A log that is late still tells how.
    script.after(1_000);
    log_fails(&mut script);
    assert_eq!(script.headline(), Headline::Failed);
    // One of a turn of its own does not end the next one.
    let mut script = Script::working();
    script.hook(Fact::TurnOver);
    script.hook(prompt("t2"));
    script.tick(300);
    assert_eq!(script.headline(), Headline::Working);
}

#[test]
fn a_title_behind_a_dialog_of_which_hooks_tell_the_answer_waits_for_it() {
    let asked = || {
        let mut script = Script::working();
        script.said(Source::Title, Fact::Level(busy()));
        script.hook(permission(&Actor::Main, 7));
        script.said(Source::Title, Fact::Level(waiting()));
        script.said(Source::Title, Fact::Level(busy()));
        assert_eq!(script.headline(), Headline::Blocked);
        script
    };
    // Refused: it was drawn once more before its hook has said so.
    let mut script = asked();
    let ended = Fact::ToolsEnded {
        actor: Actor::Main,
        tools: Vec::new(),
        interrupted: true,
        turn_ref: Some("t1".to_owned()),
    };
    script.hook(ended);
    script.tick(300);
    assert_eq!(script.headline(), Headline::Idle);
    // And once more after that.
    script.said(Source::Title, Fact::Level(waiting()));
    script.said(Source::Title, Fact::Level(busy()));
    script.tick(3_000);
    assert_eq!((script.headline(), script.count("turn.started")), (Headline::Idle, 0));
    // Granted, and its hook was lost.
    let mut script = asked();
    script.tick(300);
    assert_eq!(script.headline(), Headline::Working);
}
