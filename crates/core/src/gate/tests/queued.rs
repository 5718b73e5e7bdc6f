//! Turns run in the order in which they were asked for: what is queued, and what was stopped in silence.

use super::script::{Script, fail, prompt, stop, tool_of, wake};
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

/// Both are told in one turn, behind the one of the person's.
fn told_at_once() -> Script {
    let mut script = Script::working();
    script.hook(stop("t1"));
    script.published.clear();
    script.hook(wake("w1"));
    script.hook(wake("w2"));
    assert_eq!(script.phrase(), "working(prompt)");
    script
}

#[test]
fn prompts_of_the_programs_own_in_a_row_are_one_turn_whichever_name_its_end_bears() {
    for (end, headline, outcome) in [
        (stop("w1"), Headline::Done, "completed"),
        (stop("w2"), Headline::Done, "completed"),
        (fail("w1", "overloaded"), Headline::Failed, "failed"),
        (interrupt("w1"), Headline::Idle, "interrupted"),
        (interrupt("w2"), Headline::Idle, "interrupted"),
    ] {
        let mut script = told_at_once();
        script.hook(tool_of("w1", "c1"));
        script.hook(tool_of("w2", "c2"));
        script.hook(end);
        assert_eq!((script.headline(), script.outcome()), (headline, Some(outcome)));
        assert_eq!((script.count("turn.started"), script.count("turn.completed")), (1, 1));
        for late in [wake("w1"), wake("w2"), tool_of("w1", "c3"), stop("w1")] {
            script.hook(late);
            script.refused(Rule::G10);
        }
        script.hook(prompt("t2"));
        script.hook(stop("t2"));
        assert_eq!(script.headline(), Headline::Done);
        assert_eq!((script.count("turn.started"), script.count("turn.completed")), (2, 2));
    }
}

#[test]
fn a_prompt_of_the_programs_own_behind_work_is_queued_as_any_other() {
    let mut script = told_at_once();
    script.hook(tool_of("w2", "c1"));
    script.hook(wake("w3"));
    script.hook(stop("w2"));
    assert_eq!(script.phrase(), "working(prompt)");
    script.hook(stop("w3"));
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
    assert_eq!((script.count("turn.started"), script.count("turn.completed")), (2, 2));
}
