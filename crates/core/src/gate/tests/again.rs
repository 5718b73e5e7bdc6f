//! What a program still shows when a report has told something else.

use super::script::{Script, at_rest, busy, waiting};
use crate::gate::{self, Rule};
use crate::observation::{Delivery, Fact, Level, Reported, ReportedTurn};
use crate::source::Source;
use crate::status::{BlockedReason, Headline, OutcomeKind, WorkingReason};

const SOURCE: Source = Source::ProgramStatus;
const WORKS: ReportedTurn = ReportedTurn::Working(WorkingReason::Model);
const ASKS: ReportedTurn = ReportedTurn::Blocked(BlockedReason::Question);

fn own(script: &mut Script, level: &Level) {
    script.said(SOURCE, Fact::Level(level.clone()));
    script.tick(1_000);
}

fn stands(script: &mut Script, level: &Level) {
    script.delivery = Delivery::Standing;
    script.said(SOURCE, Fact::Level(level.clone()));
    script.delivery = Delivery::Live;
}

fn reported(script: &mut Script, turn: ReportedTurn, outcome: Option<OutcomeKind>) {
    let outcome = outcome.map(|kind| (kind, None));
    let reported = Reported { turn: Some(turn), detail: None, outcome, process: None };
    script.said(Source::Report, Fact::Reported(reported));
}

fn told(level: &Level) -> Script {
    let mut script = Script::new();
    script.session = None;
    own(&mut script, level);
    script
}

#[test]
fn a_report_has_told_since_what_stands_since_before_it() {
    for (level, turn, outcome, headline) in [
        (busy(), ReportedTurn::Idle, Some(OutcomeKind::Completed), Headline::Done),
        (busy(), ReportedTurn::Idle, Some(OutcomeKind::Failed), Headline::Failed),
        (busy(), ASKS, None, Headline::Blocked),
        (at_rest(), WORKS, None, Headline::Working),
        (waiting(), ReportedTurn::Idle, None, Headline::Idle),
    ] {
        let mut script = told(&level);
        assert!(!gate::has_told_since(&script.seat, SOURCE, &level), "nothing was reported");
        reported(&mut script, turn, outcome);
        assert_eq!(script.headline(), headline, "{level:?}");
        assert!(gate::has_told_since(&script.seat, SOURCE, &level), "{level:?}");
        stands(&mut script, &level);
        script.refused(Rule::G10);
        let rejected = script.explained().rejected.len();
        stands(&mut script, &level);
        script.refused(Rule::G10);
        assert_eq!(script.explained().rejected.len(), rejected, "it pushes out nothing");
        script.tick(1_000);
        assert_eq!(script.headline(), headline, "{level:?}");
        // Said anew it is news.
        own(&mut script, &level);
        assert_ne!(script.headline(), headline, "{level:?}");
        assert!(!gate::has_told_since(&script.seat, SOURCE, &level), "{level:?}");
    }
}

#[test]
fn what_agrees_or_was_said_later_confirms() {
    let mut script = told(&busy());
    reported(&mut script, WORKS, None);
    assert!(!gate::has_told_since(&script.seat, SOURCE, &busy()));
    stands(&mut script, &busy());
    assert_eq!(script.last.refused, None);
    let mut script = told(&Level::Done);
    reported(&mut script, WORKS, None);
    assert!(gate::has_told_since(&script.seat, SOURCE, &Level::Done));
    reported(&mut script, ReportedTurn::Idle, Some(OutcomeKind::Completed));
    assert!(!gate::has_told_since(&script.seat, SOURCE, &Level::Done), "that is so again");
    own(&mut script, &busy());
    assert!(!gate::has_told_since(&script.seat, SOURCE, &busy()), "it is newer");
}

#[test]
fn a_report_explains_the_work_that_was_shown_just_before_it() {
    for (turn, outcome, headline) in [
        (ReportedTurn::Idle, Some(OutcomeKind::Completed), Headline::Done),
        (ReportedTurn::Idle, Some(OutcomeKind::Failed), Headline::Failed),
        (ReportedTurn::Idle, None, Headline::Idle),
        (ASKS, None, Headline::Blocked),
    ] {
        let mut script = Script::new();
        script.session = None;
        script.said(SOURCE, Fact::Level(busy()));
        reported(&mut script, turn, outcome);
        assert_eq!(script.headline(), headline);
        script.tick(1_000);
        script.silent();
        assert_eq!(script.headline(), headline);
    }
}
