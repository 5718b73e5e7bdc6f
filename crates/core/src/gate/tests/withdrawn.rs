//! A program takes back what it has said of itself at its terminal (`state=clear`).

use super::script::{Script, at_rest, busy, start, waiting};
use crate::id::ProcessId;
use crate::observation::{Fact, Level, ProcessFact, SessionStart};
use crate::source::Source;
use crate::status::{Attach, BlockedReason, Exit, Headline, StartPhase};

/// A program of which its own status tells alone.
fn running() -> Script {
    let mut script = Script::new();
    script.session = None;
    script.process = Some(ProcessId::new(5, 50));
    let running = ProcessFact::Running { attach: Attach::Interactive, restored: false };
    script.said(Source::Process, Fact::Process(running));
    assert_eq!(script.headline(), Headline::Unknown);
    script.published.clear();
    script
}

/// The same, behind these words of its own, all of which are believed.
fn told(levels: &[Level]) -> Script {
    let mut script = running();
    for level in levels {
        own(&mut script, level.clone());
        script.tick(500);
    }
    script
}

fn own(script: &mut Script, level: Level) {
    script.said(Source::ProgramStatus, Fact::Level(level));
}

fn asks(detail: &str) -> Level {
    Level::Blocked { reason: BlockedReason::Question, detail: Some(detail.to_owned()) }
}

fn takes_back(script: &mut Script) {
    script.said(Source::ProgramStatus, Fact::Withdrawn);
}

fn leaves(script: &mut Script, code: i32) {
    let exit = Exit::from_wait(Some(code), None, false);
    script.said(Source::Process, Fact::Process(ProcessFact::Exited(exit)));
}

fn open(script: &Script) -> Vec<&str> {
    script.seat.prompts.iter().map(|open| &*open.ask.title).collect()
}

#[test]
fn what_a_program_that_stays_was_doing_nobody_knows_any_more() {
    for levels in [
        &[waiting()][..],
        &[asks("go?")][..],
        &[busy()][..],
        &[busy(), waiting()][..],
        &[at_rest()][..],
        &[at_rest(), busy()][..],
        &[at_rest(), busy(), asks("go?")][..],
        &[Level::Done, busy()][..],
    ] {
        let mut script = told(levels);
        let before = script.headline();
        assert_ne!(before, Headline::Unknown, "{levels:?}");
        takes_back(&mut script);
        assert_eq!(script.headline(), before, "it may be about to leave");
        // Said twice it is said once.
        takes_back(&mut script);
        script.published.clear();
        script.tick(1_000);
        assert_eq!(script.headline(), Headline::Unknown, "{levels:?}");
        assert!(script.seat.prompts.is_empty() && script.seat.claims.is_empty());
        assert_eq!(script.count("agent.status_changed"), 1, "{levels:?}");
        script.tick(60_000);
        script.silent();
    }
}

#[test]
fn how_its_turn_has_ended_stays() {
    let failed = Level::Failed { code: "oops".into() };
    for (end, headline, outcome) in
        [(Level::Done, Headline::Done, "completed"), (failed, Headline::Failed, "failed")]
    {
        let mut script = told(&[busy(), end]);
        takes_back(&mut script);
        script.tick(1_000);
        assert_eq!((script.headline(), script.outcome()), (headline, Some(outcome)));
        leaves(&mut script, 0);
        assert_eq!((script.headline(), script.outcome()), (Headline::Ended, Some(outcome)));
    }
}

#[test]
fn whoever_leaves_in_that_moment_was_what_it_had_said() {
    let mut script = told(&[waiting()]);
    takes_back(&mut script);
    leaves(&mut script, 1);
    assert_eq!(script.headline(), Headline::Ended, "a person has refused");
    let mut script = told(&[busy()]);
    takes_back(&mut script);
    script.published.clear();
    leaves(&mut script, 1);
    assert_eq!((script.headline(), script.outcome()), (Headline::Crashed, Some("aborted")));
    assert_eq!(script.count("agent.status_changed"), 1);
    // Its hooks would have told that it is done, and were late.
    let mut script = Script::working();
    own(&mut script, Level::Done);
    takes_back(&mut script);
    leaves(&mut script, 0);
    assert_eq!(script.outcome(), Some("completed"));
}

#[test]
fn whoever_says_something_else_is_that() {
    for (levels, next, headline) in [
        (&[busy()][..], busy(), Headline::Working),
        (&[waiting()][..], busy(), Headline::Working),
        (&[busy(), waiting()][..], busy(), Headline::Working),
        (&[waiting()][..], at_rest(), Headline::Idle),
        (&[busy()][..], Level::Done, Headline::Done),
        (&[busy()][..], waiting(), Headline::Blocked),
    ] {
        let mut script = told(levels);
        takes_back(&mut script);
        own(&mut script, next.clone());
        for _ in 0..3 {
            script.tick(500);
            assert_eq!(script.headline(), headline, "{levels:?}, {next:?}");
        }
        assert!(script.count("turn.started") <= 1, "{levels:?}, {next:?}");
    }
}

#[test]
fn what_it_asks_next_is_another_question() {
    let mut script = told(&[asks("one?")]);
    takes_back(&mut script);
    script.published.clear();
    own(&mut script, asks("two?"));
    assert_eq!(open(&script), ["two?"]);
    assert_eq!(script.published, ["prompt.resolved", "prompt.opened"]);
    script.tick(1_000);
    assert_eq!((script.headline(), open(&script)), (Headline::Blocked, vec!["two?"]));
    // In the same words, too.
    takes_back(&mut script);
    own(&mut script, asks("two?"));
    assert_eq!((script.count("prompt.resolved"), script.count("prompt.opened")), (2, 2));
    script.tick(1_000);
    assert_eq!(open(&script), ["two?"]);
}

#[test]
fn a_start_goes_on_where_no_screen_tells_what_follows_its_dialog() {
    let mut script = Script::new();
    script.session = None;
    script.process = Some(ProcessId::new(5, 50));
    let starting = ProcessFact::Starting(StartPhase::Booting);
    script.said(Source::Process, Fact::Process(starting));
    own(&mut script, asks("trust?"));
    assert_eq!(script.headline(), Headline::Blocked);
    takes_back(&mut script);
    script.tick(1_000);
    assert_eq!(script.headline(), Headline::Starting);
}

#[test]
fn where_others_tell_it_is_what_they_say() {
    // Its hooks.
    let mut script = Script::working();
    own(&mut script, busy());
    takes_back(&mut script);
    script.tick(1_000);
    assert_eq!(script.headline(), Headline::Working);
    // What its own status alone had asked is over.
    own(&mut script, asks("go?"));
    script.tick(300);
    assert_eq!(script.headline(), Headline::Blocked);
    takes_back(&mut script);
    script.tick(1_000);
    assert_eq!(script.headline(), Headline::Working);
    let mut script = Script::idle();
    own(&mut script, at_rest());
    takes_back(&mut script);
    script.tick(1_000);
    assert_eq!(script.headline(), Headline::Idle);
    // Its status file.
    let mut script = told(&[busy()]);
    script.registry(busy());
    takes_back(&mut script);
    script.tick(1_000);
    assert_eq!(script.headline(), Headline::Working);
    // Whatever has told of its session since.
    let mut script = told(&[waiting()]);
    takes_back(&mut script);
    script.session = Some("s1".into());
    script.hook(start(SessionStart::Startup));
    script.tick(1_000);
    assert_eq!(script.headline(), Headline::Idle);
}
