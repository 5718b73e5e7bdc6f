//! What a program's own status says of its parts (G4, G6).

use super::script::{Script, at_rest, busy, permission, sub, waiting};
use crate::gate;
use crate::observation::{Fact, Level};
use crate::prompt::Actor;
use crate::source::Source;
use crate::status::{BlockedReason, Headline};

fn said(script: &mut Script, level: Level) {
    script.said(Source::ProgramStatus, Fact::Level(level));
}

fn part_said(script: &mut Script, id: &str, level: Option<Level>) {
    script.said(Source::ProgramStatus, Fact::PartStatus { id: id.into(), level });
}

fn asks(script: &mut Script, id: &str, detail: &str) {
    let (reason, detail) = (BlockedReason::Permission, Some(detail.to_owned()));
    part_said(script, id, Some(Level::Blocked { reason, detail }));
}

/// A program of which its own status tells alone, at work.
fn works() -> Script {
    let mut script = Script::new();
    script.session = None;
    said(&mut script, busy());
    script.tick(300);
    assert_eq!(script.headline(), Headline::Working);
    script.published.clear();
    script
}

fn open(script: &Script) -> Vec<(&Actor, &str)> {
    script.seat.prompts.iter().map(|open| (&open.actor, &*open.ask.title)).collect()
}

#[test]
fn g6_what_a_part_asks_blocks_the_program_and_names_the_part() {
    let mut script = works();
    asks(&mut script, "one", "go?");
    assert_eq!(script.headline(), Headline::Blocked);
    assert_eq!(open(&script), [(&sub("one"), "go?")]);
    assert_eq!(script.published, ["prompt.opened", "agent.status_changed"]);
    // Neither the same again nor the program's work, which stands, is an answer.
    asks(&mut script, "one", "go?");
    script.silent();
    said(&mut script, busy());
    script.silent();
    asks(&mut script, "one", "and now?");
    assert_eq!(open(&script), [(&sub("one"), "and now?")]);
    asks(&mut script, "two", "go?");
    part_said(&mut script, "one", Some(busy()));
    assert_eq!(open(&script), [(&sub("two"), "go?")]);
    assert_eq!(script.headline(), Headline::Blocked);
    part_said(&mut script, "two", None);
    assert_eq!(script.headline(), Headline::Working);
}

#[test]
fn g6_whatever_a_part_does_else_is_an_answer_and_no_end_of_the_turn() {
    let failed = Level::Failed { code: "oops".into() };
    for level in [Some(busy()), Some(at_rest()), Some(Level::Done), Some(failed), None] {
        let mut script = works();
        part_said(&mut script, "one", level.clone());
        script.silent();
        asks(&mut script, "one", "go?");
        part_said(&mut script, "one", level.clone());
        assert_eq!((script.headline(), script.outcome()), (Headline::Working, None), "{level:?}");
        assert_eq!(script.count("turn.completed"), 0, "{level:?}");
    }
}

#[test]
fn a_part_that_is_cleared_takes_along_those_below_it() {
    let mut script = works();
    for id in ["a/b", "ab"] {
        asks(&mut script, id, "go?");
    }
    part_said(&mut script, "a", Some(busy()));
    assert_eq!(script.seat.prompts.len(), 2);
    part_said(&mut script, "a", None);
    assert_eq!(open(&script), [(&sub("ab"), "go?")]);
    script.said(Source::ProgramStatus, Fact::Withdrawn);
    assert_eq!(script.headline(), Headline::Working);
}

#[test]
fn what_the_program_asks_itself_is_beside_it() {
    for part_first in [true, false] {
        let mut script = works();
        if part_first {
            asks(&mut script, "one", "go?");
        }
        said(&mut script, waiting());
        asks(&mut script, "one", "go?");
        assert_eq!(script.seat.prompts.len(), 2, "{part_first}");
        said(&mut script, waiting());
        script.silent();
        said(&mut script, busy());
        assert_eq!(open(&script), [(&sub("one"), "go?")]);
        part_said(&mut script, "one", Some(busy()));
        assert_eq!(script.headline(), Headline::Working);
    }
}

/// G4: an authoritative idle clears all; what is asked behind it stands.
#[test]
fn g4_a_program_that_comes_to_rest_asks_nothing_any_more() {
    let mut script = works();
    asks(&mut script, "one", "go?");
    said(&mut script, at_rest());
    assert_eq!((script.headline(), script.seat.prompts.len()), (Headline::Idle, 0));
    asks(&mut script, "one", "go?");
    said(&mut script, at_rest());
    script.silent();
    assert_eq!(script.headline(), Headline::Blocked);
    part_said(&mut script, "one", Some(busy()));
    assert_eq!(script.headline(), Headline::Idle);
}

#[test]
fn g6_what_a_part_asks_behind_a_turn_begins_none_and_leaves_its_outcome_as_it_was() {
    let failed = Level::Failed { code: "oops".into() };
    for (end, outcome) in
        [(Level::Done, "completed"), (failed, "failed"), (at_rest(), "interrupted")]
    {
        for (answer, seen) in [(Some(busy()), false), (Some(Level::Done), true), (None, false)] {
            let mut script = works();
            said(&mut script, end.clone());
            if seen {
                gate::mark_seen(&mut script.seat, script.now);
            }
            let before = (script.headline(), script.phrase());
            script.published.clear();
            for id in ["one", "two"] {
                asks(&mut script, id, "go?");
            }
            part_said(&mut script, "one", answer.clone());
            assert_eq!(script.headline(), Headline::Blocked);
            part_said(&mut script, "two", answer.clone());
            assert_eq!((script.headline(), script.phrase()), before, "{end:?} {answer:?}");
            assert_eq!((script.outcome(), script.seat.seen()), (Some(outcome), seen));
            let told = [
                "prompt.opened",
                "agent.status_changed",
                "prompt.opened",
                "prompt.resolved",
                "prompt.resolved",
                "agent.status_changed",
            ];
            assert_eq!(script.published, told);
            // It still rests.
            said(&mut script, end.clone());
            script.silent();
        }
    }
}

#[test]
fn what_the_program_does_while_a_part_asks_is_told_once_that_has_its_answer() {
    let mut script = works();
    said(&mut script, Level::Done);
    asks(&mut script, "one", "go?");
    said(&mut script, busy());
    assert_eq!((script.headline(), script.count("turn.started")), (Headline::Blocked, 1));
    part_said(&mut script, "one", None);
    assert_eq!(script.phrase(), "working(model)");
    // Of this one nobody tells anything else.
    let mut script = Script::new();
    script.session = None;
    asks(&mut script, "one", "go?");
    assert_eq!((script.headline(), script.count("turn.started")), (Headline::Blocked, 0));
    part_said(&mut script, "one", None);
    assert_eq!(script.headline(), Headline::Unknown);
}

#[test]
fn what_a_hook_has_told_of_a_helper_is_not_told_twice() {
    let mut script = Script::working();
    script.hook(permission(&sub("h"), 9));
    asks(&mut script, "h", "go?");
    script.silent();
    part_said(&mut script, "h", Some(busy()));
    script.silent();
    assert_eq!((script.headline(), script.seat.prompts.len()), (Headline::Blocked, 1));
}
