//! A prompt that only the log tells of: its hook was lost.

use super::script::{Script, at_rest, busy, prompt, stop, stop_without_a_name};
use crate::observation::Fact;
use crate::status::Headline;

fn logged(turn: &str) -> Fact {
    Fact::PromptLogged { turn_ref: turn.to_owned() }
}

/// It has just been written down.
fn log(script: &mut Script, turn: &str) {
    script.made_at = Some(script.now.plus(5));
    script.log(logged(turn));
    script.made_at = None;
}

fn turns(script: &Script) -> (usize, usize) {
    (script.count("turn.started"), script.count("turn.completed"))
}

#[test]
fn a_prompt_whose_hook_was_lost_begins_a_turn() {
    let mut script = Script::idle();
    log(&mut script, "t1");
    assert_eq!(script.phrase(), "working(prompt)");
    // It was only late.
    script.hook(prompt("t1"));
    script.silent();
    script.hook(stop("t1"));
    assert_eq!((script.headline(), turns(&script)), (Headline::Done, (1, 1)));
    // The log is read late.
    log(&mut script, "t1");
    script.silent();
    assert_eq!(script.headline(), Headline::Done);
}

/// No hook is there any more.
#[test]
fn a_turn_of_which_the_log_alone_tells_ends_with_what_that_says() {
    let mut script = Script::idle();
    log(&mut script, "t1");
    script.log(stop_without_a_name());
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
    // One that hooks tell of ends with theirs.
    let mut script = Script::idle();
    log(&mut script, "t1");
    script.hook(Fact::Nothing);
    script.log(stop_without_a_name());
    assert_eq!(script.headline(), Headline::Working);
    script.hook(stop("t1"));
    assert_eq!((script.headline(), turns(&script)), (Headline::Done, (1, 1)));
}

#[test]
fn a_logged_prompt_begins_nothing_where_something_better_tells_of_prompts() {
    // Hooks are there since.
    let mut script = Script::idle();
    let made_at = script.now.plus(5);
    script.hook(Fact::Nothing);
    script.made_at = Some(made_at);
    script.log(logged("t1"));
    assert_eq!((script.headline(), turns(&script)), (Headline::Idle, (0, 0)));
    // When it was written nobody knows.
    let mut script = Script::idle();
    script.log(logged("t1"));
    assert_eq!(script.headline(), Headline::Idle);
    // A status file.
    let mut script = Script::idle();
    script.registry(at_rest());
    log(&mut script, "t1");
    assert_eq!(script.headline(), Headline::Idle);
    // Another turn is open.
    let mut script = Script::working();
    log(&mut script, "t2");
    script.silent();
    script.hook(stop("t1"));
    assert_eq!((script.headline(), turns(&script)), (Headline::Done, (0, 1)));
}

/// At its prompt for a while, as its status file shows.
fn rested() -> Script {
    let mut script = Script::idle();
    script.registry(at_rest());
    script.tick(2_000);
    script.published.clear();
    script
}

#[test]
fn work_that_a_status_file_shows_is_believed_sooner_behind_a_logged_prompt() {
    for log_first in [true, false] {
        let mut script = rested();
        if log_first {
            log(&mut script, "t1");
        }
        script.registry(busy());
        if !log_first {
            log(&mut script, "t1");
        }
        script.tick(40);
        assert_eq!(script.headline(), Headline::Idle, "its hook may still come");
        script.tick(30);
        assert_eq!(script.headline(), Headline::Working);
        // The turn is over before anybody has told of its prompt, which comes late.
        script.hook(stop("t1"));
        script.hook(prompt("t1"));
        script.registry(at_rest());
        script.tick(300);
        let told = (script.headline(), script.outcome(), turns(&script));
        assert_eq!(told, (Headline::Done, Some("completed"), (1, 1)));
        assert_eq!(script.count("agent.status_changed"), 2);
    }
}

#[test]
fn the_work_of_a_logged_prompt_is_its_hooks_where_that_comes_in_time() {
    let mut script = rested();
    log(&mut script, "t1");
    script.registry(busy());
    script.hook(prompt("t1"));
    script.tick(300);
    assert_eq!((script.phrase().as_str(), turns(&script)), ("working(prompt)", (1, 0)));
    assert_eq!(script.count("agent.status_changed"), 1);
}

#[test]
fn work_waits_as_ever_without_a_logged_prompt_or_long_behind_one() {
    let mut script = rested();
    script.registry(busy());
    script.tick(200);
    assert_eq!(script.headline(), Headline::Idle);
    let mut script = rested();
    log(&mut script, "t1");
    script.after(3_000).registry(busy());
    script.tick(200);
    assert_eq!(script.headline(), Headline::Idle);
}
