//! Turns of which a program tells its terminal little more than that they are over.

use super::script::{Script, at_rest, busy, prompt, start, stop, waiting};
use crate::gate;
use crate::id::ProcessId;
use crate::observation::{Fact, Level, PROMPTED, ProcessFact, SessionStart};
use crate::source::Source;
use crate::status::{Attach, Exit, Headline};

fn said(script: &mut Script, level: Level) {
    script.said(Source::ProgramStatus, Fact::Level(level));
}

/// A program that has told of no session, and at first of this.
fn told(first: Option<Level>) -> Script {
    let mut script = Script::new();
    script.session = None;
    if let Some(level) = first {
        said(&mut script, level);
    }
    script
}

#[test]
fn a_first_turn_that_is_too_short_to_be_believed_is_told_with_its_end() {
    let failed = Level::Failed { code: "oops".into() };
    for first in [None, Some(at_rest())] {
        for (end, headline, outcome) in [
            (Level::Done, Headline::Done, "completed"),
            (failed.clone(), Headline::Failed, "failed"),
        ] {
            let mut script = told(first.clone());
            said(&mut script, busy());
            assert_eq!(script.count("turn.started"), 0);
            script.published.clear();
            said(&mut script, end.clone());
            assert_eq!((script.headline(), script.outcome()), (headline, Some(outcome)));
            said(&mut script, end);
            script.tick(300);
            let once = ["turn.started", "turn.completed", "agent.status_changed"];
            assert_eq!(script.published, once, "{first:?}");
        }
    }
}

#[test]
fn a_word_that_nobody_knows_between_work_and_its_end_takes_no_turn_away() {
    let mut script = told(Some(at_rest()));
    said(&mut script, busy());
    let strange = Fact::NotUnderstood { why: "unknown state".to_owned() };
    script.said(Source::ProgramStatus, strange);
    said(&mut script, Level::Done);
    assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Done, 1));
}

/// As `headsup report done` says it.
#[test]
fn whoever_says_no_more_than_that_it_is_done_has_completed_a_turn() {
    for first in [None, Some(at_rest()), Some(waiting())] {
        let mut script = told(first.clone());
        script.after(5_000);
        said(&mut script, Level::Done);
        assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
        for again in [Level::Done, at_rest()] {
            said(&mut script, again);
            script.silent();
        }
        let turns =
            |script: &Script| (script.count("turn.started"), script.count("turn.completed"));
        assert_eq!(turns(&script), (1, 1), "{first:?}");
        // It has been at rest since.
        said(&mut script, Level::Done);
        assert_eq!(turns(&script), (2, 2), "{first:?}");
    }
}

/// Its newest word counts.
#[test]
fn whoever_says_at_last_that_it_is_done_is_done() {
    let failed = || Level::Failed { code: "oops".into() };
    for before in [&[failed()][..], &[busy(), failed()], &[busy(), at_rest()]] {
        for seen in [false, true] {
            let mut script = told(None);
            for level in before {
                said(&mut script, level.clone());
                script.tick(2_000);
            }
            if seen {
                gate::mark_seen(&mut script.seat, script.now);
            }
            script.published.clear();
            said(&mut script, Level::Done);
            assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
            said(&mut script, Level::Done);
            script.silent();
            assert_eq!(script.published, ["agent.status_changed"], "{before:?}");
            assert_eq!(script.seat.turn.seq, 1);
        }
    }
}

#[test]
fn a_turn_in_which_a_program_asks_at_once_has_begun() {
    let mut script = told(None);
    script.process = Some(ProcessId::new(5, 50));
    let running = ProcessFact::Running { attach: Attach::Interactive, restored: false };
    script.said(Source::Process, Fact::Process(running));
    said(&mut script, busy());
    assert_eq!((script.headline(), script.count("turn.started")), (Headline::Unknown, 0));
    said(&mut script, waiting());
    assert_eq!((script.headline(), script.count("turn.started")), (Headline::Blocked, 1));
    let exit = Exit::from_wait(Some(1), None, false);
    script.said(Source::Process, Fact::Process(ProcessFact::Exited(exit)));
    assert_eq!((script.headline(), script.outcome()), (Headline::Crashed, Some("aborted")));
}

#[test]
fn what_another_witness_has_told_is_told_once() {
    // Its hooks come first, or last.
    for late in [false, true] {
        let mut script = Script::idle();
        said(&mut script, at_rest());
        if late {
            said(&mut script, busy());
            said(&mut script, Level::Done);
            script.silent();
        }
        script.hook(prompt("t1"));
        script.hook(stop("t1"));
        said(&mut script, Level::Done);
        script.silent();
        assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Done, 1));
    }
    let mut script = told(Some(at_rest()));
    said(&mut script, busy());
    script.registry(busy());
    script.registry(at_rest());
    said(&mut script, Level::Done);
    script.silent();
    assert_eq!((script.count("turn.started"), script.count("turn.completed")), (1, 1));
}

/// As Codex does while it waits for a tool server. It has shown that for 9 s.
fn comes_up() -> Script {
    let mut script = told(Some(at_rest()));
    script.seat.starts_at_work_ms = Some(12_000);
    script.published.clear();
    said(&mut script, busy());
    script.tick(9_000);
    assert_eq!((script.headline(), script.published.len()), (Headline::Idle, 0));
    script
}

#[test]
fn work_that_a_program_shows_while_it_comes_up_is_no_turn_of_anybodys() {
    let mut script = comes_up();
    said(&mut script, at_rest());
    script.tick(60_000);
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, None));
    assert!(script.published.is_empty(), "{:?}", script.published);
    // What is asked behind that is told at once.
    said(&mut script, busy());
    assert_eq!(script.headline(), Headline::Working);
}

#[test]
fn work_of_a_program_that_was_started_with_a_prompt_waits_no_longer_than_any() {
    let mut script = told(Some(at_rest()));
    script.seat.starts_at_work_ms = Some(12_000);
    script.published.clear();
    // It may yet show for a moment that it comes up.
    said(&mut script, PROMPTED);
    said(&mut script, at_rest());
    script.tick(500);
    assert_eq!((script.headline(), script.published.len()), (Headline::Idle, 0));
    let mut script = told(Some(at_rest()));
    script.seat.starts_at_work_ms = Some(12_000);
    said(&mut script, PROMPTED);
    script.tick(300);
    assert_eq!((script.headline(), script.count("turn.started")), (Headline::Working, 1));
    said(&mut script, Level::Done);
    assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Done, 1));
}

#[test]
fn a_turn_that_begins_as_its_program_comes_up_is_told_by_whatever_tells_of_more() {
    let turns = |script: &Script| (script.count("turn.started"), script.count("turn.completed"));
    let mut script = comes_up();
    said(&mut script, Level::Done);
    assert_eq!((script.headline(), turns(&script)), (Headline::Done, (1, 1)));
    let mut script = comes_up();
    script.tick(3_000);
    assert_eq!((script.headline(), turns(&script)), (Headline::Working, (1, 0)));
    let mut script = comes_up();
    said(&mut script, waiting());
    assert_eq!(script.headline(), Headline::Blocked);
    said(&mut script, busy());
    script.tick(300);
    assert_eq!(script.headline(), Headline::Working);
    // Its hooks are heard, and it still waits for the server when that turn is over.
    for starts in [true, false] {
        let mut script = comes_up();
        script.session = Some("s1".into());
        if starts {
            script.hook(start(SessionStart::Startup));
        }
        script.hook(prompt("t1"));
        assert_eq!(script.headline(), Headline::Working);
        script.hook(stop("t1"));
        script.tick(30_000);
        assert_eq!((script.headline(), turns(&script)), (Headline::Done, (1, 1)), "{starts}");
    }
}
