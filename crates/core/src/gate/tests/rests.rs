//! A word from beside the agent that it rests. Whoever tells of its turn tells better when that ends.

use super::script::{
    Script, busy, permission, settling_permission, stop, stop_with, stop_without_a_name, sub, tool,
    tool_end,
};
use crate::gate::{self, Rule, UNKNOWN_MS};
use crate::observation::{Fact, ProcessFact, Reported, ReportedTurn, Submitter};
use crate::prompt::Actor;
use crate::source::Source;
use crate::status::{BlockedReason, Headline, OutcomeKind, StartPhase, WorkingReason};

fn reported(turn: ReportedTurn) -> Fact {
    Fact::Reported(Reported { turn: Some(turn), detail: None, outcome: None, process: None })
}

/// What is told from beside it names no session.
fn beside(script: &mut Script, turn: ReportedTurn) {
    let session = script.session.take();
    script.said(Source::Report, reported(turn));
    script.session = session;
}

#[track_caller]
fn is_not_believed(script: &mut Script, headline: Headline) {
    let confirmed_at = script.seat.turn.evidence.confirmed_at;
    beside(script, ReportedTurn::Rests);
    script.refused(Rule::Rank);
    assert_eq!(script.headline(), headline);
    assert_eq!(script.seat.turn.evidence.confirmed_at, confirmed_at, "it confirms nothing either");
}

#[test]
fn a_turn_that_hooks_tell_of_ends_with_their_word_and_is_done() {
    let mut script = Script::working();
    is_not_believed(&mut script, Headline::Working);
    script.hook(stop("t1"));
    assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Done, 1));
    // Behind that it is no news.
    beside(&mut script, ReportedTurn::Rests);
    script.silent();
    assert_eq!(script.headline(), Headline::Done);
}

#[test]
fn nor_does_one_without_a_name_end_by_it() {
    let mut script = Script::idle();
    script.hook(Fact::PromptSubmitted { by: Submitter::Person, turn_ref: None });
    is_not_believed(&mut script, Headline::Working);
    // A word from beside it came first, of the very tool.
    beside(&mut script, ReportedTurn::Working(WorkingReason::Tool));
    script.hook(tool(&Actor::Main, "c1", 7));
    is_not_believed(&mut script, Headline::Working);
    script.hook(tool_end(&Actor::Main, "c1", 7));
    is_not_believed(&mut script, Headline::Working);
    script.hook(stop_without_a_name());
    assert_eq!(script.headline(), Headline::Done);
}

#[test]
fn helpers_go_on_behind_it() {
    let mut script = Script::working();
    script.hook(stop_with("t1", &["h"], 0));
    is_not_believed(&mut script, Headline::Working);
    assert_eq!(script.phrase(), "working(background)");
    assert_eq!(script.seat.subagents, ["h"]);
}

#[test]
fn what_hooks_have_told_of_stays_open() {
    let mut script = Script::blocked();
    is_not_believed(&mut script, Headline::Blocked);
    let mut script = Script::working();
    script.hook(permission(&sub("h"), 7));
    is_not_believed(&mut script, Headline::Blocked);
    // Also what is held for a moment.
    let mut script = Script::working();
    script.hook(tool(&Actor::Main, "c1", 7));
    script.hook(settling_permission(&Actor::Main, 7, 1_000));
    is_not_believed(&mut script, Headline::Working);
    script.tick(1_000);
    assert_eq!(script.headline(), Headline::Blocked);
}

#[test]
fn nor_does_it_end_what_the_programs_own_status_shows() {
    let mut script = Script::idle();
    beside(&mut script, ReportedTurn::Working(WorkingReason::Model));
    script.registry(busy());
    is_not_believed(&mut script, Headline::Working);
}

#[test]
fn whoever_is_told_of_by_reports_alone_rests_by_them() {
    let mut script = Script::idle();
    beside(&mut script, ReportedTurn::Working(WorkingReason::Tool));
    assert!(!gate::has_other_witness(&script.seat, script.now));
    beside(&mut script, ReportedTurn::Rests);
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
    beside(&mut script, ReportedTurn::Blocked(BlockedReason::Question));
    assert_eq!(script.headline(), Headline::Blocked);
    beside(&mut script, ReportedTurn::Rests);
    assert_eq!(script.headline(), Headline::Idle);
}

/// Its stop may have been lost.
#[test]
fn it_is_believed_of_one_of_which_nobody_has_told_for_long() {
    let mut script = Script::working();
    assert!(gate::has_other_witness(&script.seat, script.now));
    script.tick(UNKNOWN_MS);
    assert_eq!(script.headline(), Headline::Unknown);
    beside(&mut script, ReportedTurn::Rests);
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
}

/// A program whose hooks nobody hears has no other word for it.
#[test]
fn whoever_rests_has_come_up() {
    for turn in [ReportedTurn::Idle, ReportedTurn::Rests] {
        let mut script = Script::new();
        script.session = None;
        let starting = ProcessFact::Starting(StartPhase::Booting);
        script.said(Source::Process, Fact::Process(starting));
        assert_eq!(script.headline(), Headline::Starting);
        beside(&mut script, turn);
        assert_eq!((script.headline(), script.phrase().as_str()), (Headline::Idle, "idle(ready)"));
        assert!(script.seat.process.state.is_running(), "{turn:?}");
        assert_eq!(script.count("turn.started"), 0, "no turn was told of");
    }
}

/// A script that reports nothing but how it has ended may fail in one way after another.
#[test]
fn another_failure_after_a_reported_one_is_told_also_to_whoever_has_seen_the_first() {
    let fails = |script: &mut Script, code: Option<&str>| {
        let outcome = Some((OutcomeKind::Failed, code.map(str::to_owned)));
        let turn = Some(ReportedTurn::Idle);
        let fact = Fact::Reported(Reported { turn, detail: None, outcome, process: None });
        script.after(1_000);
        script.said(Source::Report, fact);
        let headline = script.headline();
        gate::mark_seen(&mut script.seat, script.now);
        headline
    };
    let mut script = Script::new();
    script.session = None;
    let codes = [None, Some("tests"), Some("tests"), None, Some("lint")];
    let told = codes.map(|code| fails(&mut script, code));
    let (failed, same) = (Headline::Failed, Headline::Idle);
    assert_eq!(told, [failed, failed, same, same, failed]);
}
