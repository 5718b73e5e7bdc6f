//! Levels that wait for what explains them: an end does, and a word that nobody can read voids them.

use super::script::{Script, at_rest, busy, fail, prompt, stop, stop_without_a_name, waiting};
use crate::gate::{Rule, SETTLE_MS};
use crate::observation::Fact;
use crate::source::Source;
use crate::status::Headline;

fn interrupt(turn: Option<&str>) -> Fact {
    Fact::TurnInterrupted { turn_ref: turn.map(str::to_owned) }
}

/// A plugin tells its program's state beside the ends of its turns. That they begin is told in words that are new.
#[test]
fn an_end_explains_the_work_that_was_shown_before_it() {
    for (end, headline, outcome) in [
        (stop("t1"), Headline::Done, "completed"),
        (stop_without_a_name(), Headline::Done, "completed"),
        (fail("t1", "overloaded"), Headline::Failed, "failed"),
        (interrupt(Some("t1")), Headline::Idle, "interrupted"),
        (interrupt(None), Headline::Idle, "interrupted"),
    ] {
        let mut script = Script::idle();
        script.hook(Fact::Level(busy()));
        script.silent();
        script.hook(end);
        assert_eq!((script.headline(), script.outcome()), (headline, Some(outcome)));
        script.tick(SETTLE_MS);
        script.silent();
        script.hook(Fact::Level(at_rest()));
        script.tick(SETTLE_MS);
        assert_eq!((script.headline(), script.outcome()), (headline, Some(outcome)));
        assert_eq!((script.count("turn.started"), script.count("turn.completed")), (1, 1));
    }
}

#[test]
fn an_end_without_a_name_is_another_one_where_its_source_has_shown_work_since() {
    let mut script = Script::idle();
    for turns in 1..4 {
        script.hook(Fact::Level(busy()));
        script.hook(stop_without_a_name());
        // Told twice it is one.
        script.hook(stop_without_a_name());
        script.hook(Fact::Level(at_rest()));
        script.tick(SETTLE_MS);
        assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Done, turns));
    }
    // What another source shows may be of the next one.
    script.registry(busy());
    script.hook(stop_without_a_name());
    script.silent();
    script.tick(SETTLE_MS);
    assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Working, 3));
}

/// A person who cancels at once, or a rule that answers.
#[test]
fn an_end_explains_what_its_own_source_has_shown_to_be_asked_before_it() {
    for (end, headline) in [
        (stop("t1"), Headline::Done),
        (fail("t1", "overloaded"), Headline::Failed),
        (interrupt(Some("t1")), Headline::Idle),
    ] {
        let mut script = Script::idle();
        script.hook(prompt("t1"));
        script.hook(Fact::Level(waiting()));
        assert_eq!(script.headline(), Headline::Working);
        script.hook(end);
        script.tick(SETTLE_MS);
        assert_eq!((script.headline(), script.count("prompt.opened")), (headline, 0));
    }
    // What it asks behind that is another thing.
    let mut script = Script::idle();
    script.hook(prompt("t1"));
    script.hook(stop("t1"));
    script.hook(Fact::Level(waiting()));
    script.tick(SETTLE_MS);
    assert_eq!(script.headline(), Headline::Blocked);
}

fn strange() -> Fact {
    Fact::NotUnderstood { why: "unknown state".to_owned() }
}

#[test]
fn g11_a_state_that_nobody_knows_is_not_the_one_before_it() {
    let mut script = Script::new();
    script.session = None;
    let own = Source::ProgramStatus;
    for fact in [Fact::Level(at_rest()), Fact::Level(busy()), strange()] {
        script.said(own, fact);
    }
    script.refused(Rule::G11);
    script.tick(SETTLE_MS);
    assert_eq!((script.headline(), script.count("turn.started")), (Headline::Idle, 0));
    script.said(own, Fact::Level(busy()));
    script.tick(SETTLE_MS);
    assert_eq!(script.headline(), Headline::Working);
    // What is believed stays.
    script.said(own, strange());
    script.tick(SETTLE_MS);
    assert_eq!(script.headline(), Headline::Working);
    // And so does what another source has shown.
    let mut script = Script::idle();
    script.registry(busy());
    script.said(own, strange());
    script.hook(strange());
    script.tick(SETTLE_MS);
    assert_eq!(script.headline(), Headline::Working);
}

/// Hooks tell of much beside a level: an event that is new need not be about it.
#[test]
fn g11_a_hook_voids_what_was_shown_by_its_own_name_alone() {
    for (name, headline) in [("test", Headline::Idle), ("another event", Headline::Working)] {
        let mut script = Script::idle();
        script.hook(Fact::Level(busy()));
        name.clone_into(&mut script.seat.held[0].name);
        script.hook(strange());
        script.refused(Rule::G11);
        script.tick(SETTLE_MS);
        assert_eq!(script.headline(), headline, "{name}");
    }
}
