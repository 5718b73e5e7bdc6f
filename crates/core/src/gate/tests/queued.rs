//! Turns run in the order in which they were asked for: what is queued, and what was stopped in silence.

use super::script::{Script, fail, prompt, stop, tool_of};
use crate::gate::Rule;
use crate::observation::Fact;
use crate::status::Headline;

/// Three prompts, one after the other: they are queued, or those before the last one ended and nothing has told of it.
fn asked() -> Script {
    let mut script = Script::working();
    script.hook(prompt("t2"));
    script.hook(prompt("t3"));
    assert_eq!(script.phrase(), "working(prompt)");
    script.published.clear();
    script
}

fn interrupt(turn: &str) -> Fact {
    Fact::TurnInterrupted { turn_ref: Some(turn.to_owned()) }
}

#[test]
fn the_end_of_the_newest_turn_leaves_none_before_it_that_would_begin() {
    for (end, headline, outcome) in [
        (stop("t3"), Headline::Done, "completed"),
        (fail("t3", "overloaded"), Headline::Failed, "failed"),
        (interrupt("t3"), Headline::Idle, "interrupted"),
    ] {
        let mut script = asked();
        script.hook(end);
        assert_eq!((script.headline(), script.outcome()), (headline, Some(outcome)));
        // That of the second one was told by nothing at all.
        assert_eq!((script.count("turn.started"), script.count("turn.completed")), (1, 2));
        // What it did is told late.
        for late in [tool_of("t2", "c2"), stop("t2"), prompt("t2")] {
            script.after(5_000).hook(late);
            script.refused(Rule::G10);
        }
        script.hook(prompt("t4"));
        assert_eq!(script.headline(), Headline::Working);
        script.hook(stop("t4"));
        assert_eq!(script.headline(), Headline::Done);
    }
}

#[test]
fn an_interrupted_turn_that_was_taken_for_queued_has_ended() {
    let mut script = Script::working();
    script.hook(prompt("t2"));
    script.hook(interrupt("t2"));
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
    // Of one that nobody has asked for it says nothing.
    let mut script = asked();
    script.hook(interrupt("t9"));
    script.refused(Rule::G10);
    assert_eq!(script.headline(), Headline::Working);
}

#[test]
fn what_is_queued_begins_one_after_the_other() {
    let mut script = asked();
    for (ends, begins) in [("t1", "t2"), ("t2", "t3")] {
        script.hook(stop(ends));
        assert_eq!(script.phrase(), "working(prompt)");
        assert_eq!(script.seat.turn.reference.as_deref(), Some(begins));
    }
    script.hook(stop("t3"));
    assert_eq!(script.headline(), Headline::Done);
    assert_eq!((script.count("turn.started"), script.count("turn.completed")), (2, 3));
}

#[test]
fn a_queued_turn_that_is_heard_of_leaves_what_was_asked_for_after_it() {
    let mut script = asked();
    script.hook(tool_of("t2", "c2"));
    assert_eq!(script.phrase(), "working(tool)");
    script.hook(stop("t2"));
    assert_eq!(script.phrase(), "working(prompt)");
    assert_eq!(script.seat.turn.reference.as_deref(), Some("t3"));
    script.hook(stop("t3"));
    assert_eq!(script.headline(), Headline::Done);
}

#[test]
fn a_notice_of_a_queued_turn_leads_to_what_was_asked_for_after_it() {
    let notice = |turn: &str| Fact::IdleNotice { turn_ref: Some(turn.to_owned()) };
    for (named, next) in [("t1", "t2"), ("t2", "t3")] {
        let mut script = asked();
        script.after(60_000).hook(notice(named));
        assert_eq!(script.phrase(), "working(prompt)");
        assert_eq!(script.seat.turn.reference.as_deref(), Some(next));
    }
    let mut script = asked();
    script.after(60_000).hook(notice("t3"));
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
}
