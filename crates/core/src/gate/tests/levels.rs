//! Levels and edges together: one change told by both is one change.

use super::script::{
    Script, at_rest, busy, fail, permission, prompt, stop, stop_without_a_name, tool, tool_end,
    waiting,
};
use crate::prompt::Actor;
use crate::status::Headline;

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
