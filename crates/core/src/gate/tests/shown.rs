//! Dialogs and work that are none of the agent's: once they are over, all is as it was.

use super::script::{Script, at_rest, busy, fail, prompt, stop};
use crate::gate;
use crate::observation::{Fact, Level, Submitter};
use crate::source::Source;
use crate::status::{BlockedReason, Headline};

/// As the status file of Claude Code shows what `/model` opens.
fn dialog() -> Level {
    Level::Blocked { reason: BlockedReason::Other, detail: Some("dialog open".to_owned()) }
}

fn title(script: &mut Script, level: Level) {
    script.said(Source::Title, Fact::Level(level));
}

/// Its title has shown the first turn, which is done.
fn done() -> Script {
    let mut script = Script::working();
    title(&mut script, busy());
    script.hook(stop("t1"));
    title(&mut script, at_rest());
    assert_eq!(script.headline(), Headline::Done);
    script.after(60_000);
    script.published.clear();
    script
}

#[test]
fn a_dialog_that_a_person_opens_at_rest_leaves_the_outcome_as_it_was() {
    let ends = [
        (stop("t1"), Headline::Done, "completed"),
        (fail("t1", "overloaded"), Headline::Failed, "failed"),
        (Fact::TurnInterrupted { turn_ref: None }, Headline::Idle, "interrupted"),
    ];
    for (end, headline, outcome) in ends {
        let mut script = Script::working();
        script.registry(busy());
        script.hook(end);
        script.registry(at_rest());
        script.after(5_000);
        script.published.clear();
        script.registry(dialog());
        script.tick(300);
        assert_eq!(script.headline(), Headline::Blocked);
        script.registry(at_rest());
        script.tick(300);
        assert_eq!((script.headline(), script.outcome()), (headline, Some(outcome)));
        assert!(!script.seat.seen());
        let opened = ["prompt.opened", "agent.status_changed"];
        let left = ["prompt.resolved", "agent.status_changed"];
        assert_eq!(script.published, [opened, left].concat());
    }
}

#[test]
fn a_dialog_before_the_first_turn_is_no_turn() {
    let mut script = Script::idle();
    script.registry(at_rest());
    script.registry(dialog());
    script.tick(300);
    assert_eq!(script.headline(), Headline::Blocked);
    script.registry(at_rest());
    script.tick(300);
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, None));
    assert_eq!(script.count("turn.started"), 0);
}

#[test]
fn work_behind_a_dialog_that_was_opened_at_rest_is_a_turn_if_it_stands() {
    let mut script = Script::idle();
    script.registry(at_rest());
    script.registry(dialog());
    script.tick(300);
    // It is drawn anew as it is left.
    script.registry(busy());
    script.silent();
    script.registry(at_rest());
    script.tick(300);
    assert_eq!((script.headline(), script.count("turn.started")), (Headline::Idle, 0));
    script.registry(dialog());
    script.tick(300);
    script.registry(busy());
    script.tick(300);
    assert_eq!((script.headline(), script.count("turn.started")), (Headline::Working, 1));
}

#[test]
fn a_dialog_within_a_turn_is_the_turns_and_work_goes_on_behind_it_at_once() {
    let mut script = Script::working();
    script.registry(busy());
    script.registry(dialog());
    script.tick(300);
    assert_eq!(script.headline(), Headline::Blocked);
    script.registry(busy());
    assert_eq!(script.headline(), Headline::Working);
    script.hook(stop("t1"));
    assert_eq!(script.headline(), Headline::Done);
}

/// Gemini CLI and Qwen Code, `!sleep 4`: no hook tells of it but, with Qwen Code, that the program rests again.
#[test]
fn a_persons_command_that_a_title_alone_shows_leaves_the_outcome_as_it_was() {
    for with_notice in [false, true] {
        let mut script = done();
        title(&mut script, busy());
        script.tick(300);
        assert_eq!((script.headline(), script.outcome()), (Headline::Working, None));
        script.after(4_000);
        title(&mut script, at_rest());
        if with_notice {
            script.hook(Fact::TurnOver);
        }
        script.tick(300);
        assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
        let began = ["turn.started", "agent.status_changed"];
        let ended = ["turn.completed", "agent.status_changed"];
        assert_eq!(script.published, [began, ended].concat());
    }
}

#[test]
fn what_a_person_has_seen_before_a_command_of_their_own_is_not_new_after_it() {
    let mut script = done();
    gate::mark_seen(&mut script.seat, script.now);
    title(&mut script, busy());
    script.tick(300);
    script.after(4_000);
    title(&mut script, at_rest());
    script.tick(300);
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("completed")));
    assert!(script.seat.seen());
}

#[test]
fn a_turn_of_a_prompt_that_ends_in_silence_was_interrupted_whoever_showed_it_first() {
    for title_first in [false, true] {
        let mut script = done();
        if title_first {
            title(&mut script, busy());
            script.tick(300);
        }
        script.hook(Fact::PromptSubmitted { by: Submitter::Person, turn_ref: None });
        title(&mut script, busy());
        script.after(1_000);
        title(&mut script, at_rest());
        script.tick(300);
        assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
    }
    let mut script = done();
    script.hook(prompt("t2"));
    title(&mut script, busy());
    title(&mut script, at_rest());
    script.tick(300);
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
}
