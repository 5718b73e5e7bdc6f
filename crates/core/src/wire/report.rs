//! A normalized report, from an agent without an adapter or from a person.

use crate::observation::{ProcessFact, Reported, ReportedTurn};
use crate::status::{
    Attach, BlockedReason, Exit, ExitKind, IdleReason, OutcomeKind, WorkingReason,
};
use crate::time::UnixMs;
use serde::{Deserialize, Serialize};

/// The body of `POST /api/v1/agents/{id}/reports`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ReportBody {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<String>,
    /// When the reporter says it happened: data, never the order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<UnixMs>,
}

/// The body of `POST /api/v1/agents/{id}/verdicts`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct VerdictBody {
    pub task: String,
    /// `in_progress`, `passed`, `blocked` or `failed`.
    pub verdict: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
}

/// A word that a report does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadReport {
    #[error("{field} {word:?} is not one of {allowed}")]
    Word { field: &'static str, word: String, allowed: String },
    #[error("a reason needs turn working, blocked or idle")]
    LoneReason,
    #[error("an outcome ends a turn: it goes with turn idle")]
    OutcomeWithoutIdle,
    #[error("{turn} is outcome {outcome}: another one goes with turn idle")]
    OtherOutcome { turn: &'static str, outcome: &'static str },
    #[error("a report says something of turn or process")]
    Empty,
}

fn bad(field: &'static str, word: &str, allowed: &[&str]) -> BadReport {
    BadReport::Word { field, word: word.to_owned(), allowed: allowed.join(", ") }
}

impl ReportBody {
    /// What it may say of the turn.
    pub const TURNS: [&'static str; 6] =
        ["unknown", "idle", "working", "blocked", "done", "failed"];
    /// What it may say of the process.
    pub const PROCESSES: [&'static str; 4] = ["running", "stopping", "suspended", "exited"];

    /// Reads the words. `done` is idle + completed, `failed` is idle + failed.
    pub fn parse(&self) -> Result<Reported, BadReport> {
        let mut outcome = self.outcome()?;
        let reason = self.reason.as_deref();
        let turn = match self.turn.as_deref() {
            None if reason.is_some() => return Err(BadReport::LoneReason),
            None => None,
            Some("unknown") => Some(ReportedTurn::Unknown),
            Some("idle") => {
                if let Some(word) = reason {
                    let known = IdleReason::parse(word);
                    known.ok_or_else(|| {
                        bad("reason", word, &words(IdleReason::ALL, |r| r.word()))
                    })?;
                }
                Some(ReportedTurn::Idle)
            }
            Some("done") => {
                outcome = same(outcome, "done", OutcomeKind::Completed, None)?;
                Some(ReportedTurn::Idle)
            }
            Some("failed") => {
                let code = reason.map(str::to_owned);
                outcome = same(outcome, "failed", OutcomeKind::Failed, code)?;
                Some(ReportedTurn::Idle)
            }
            Some("working") => {
                let words = words(WorkingReason::ALL, |r| r.word());
                let known = WorkingReason::parse(reason.unwrap_or("model"));
                Some(ReportedTurn::Working(
                    known.ok_or_else(|| bad("reason", reason.unwrap_or_default(), &words))?,
                ))
            }
            Some("blocked") => {
                let words = words(BlockedReason::ALL, |r| r.word());
                let known = BlockedReason::parse(reason.unwrap_or("other"));
                Some(ReportedTurn::Blocked(
                    known.ok_or_else(|| bad("reason", reason.unwrap_or_default(), &words))?,
                ))
            }
            Some(word) => return Err(bad("turn", word, &Self::TURNS)),
        };
        if outcome.is_some() && turn != Some(ReportedTurn::Idle) {
            return Err(BadReport::OutcomeWithoutIdle);
        }
        let process = self.process()?;
        if turn.is_none() && process.is_none() {
            return Err(BadReport::Empty);
        }
        Ok(Reported { turn, detail: self.told_in_words(), outcome, process })
    }

    /// A reason that the turn has no place for stands before the detail: whoever told it is not unheard.
    fn told_in_words(&self) -> Option<String> {
        let spare = self.reason.as_deref().filter(|word| match self.turn.as_deref() {
            Some("done") => IdleReason::parse(word).is_none(),
            // Its reason is its code, unless an outcome stands beside it.
            Some("failed") => self.outcome.is_some(),
            Some("unknown") => true,
            _ => false,
        });
        match (spare, self.detail.as_deref()) {
            (Some(reason), Some(detail)) => Some(format!("{reason}: {detail}")),
            (spare, detail) => spare.or(detail).map(str::to_owned),
        }
    }

    fn outcome(&self) -> Result<Option<(OutcomeKind, Option<String>)>, BadReport> {
        let Some(word) = self.outcome.as_deref() else {
            return Ok(None);
        };
        // `failed:code` carries the vendor's or the script's own word for the failure.
        let (kind, code) = match word.split_once(':') {
            Some((kind, code)) => (kind, Some(code.to_owned())),
            None => (word, None),
        };
        let known = OutcomeKind::parse(kind);
        let known =
            known.ok_or_else(|| bad("outcome", word, &words(OutcomeKind::ALL, |o| o.word())))?;
        Ok(Some((known, code)))
    }

    fn process(&self) -> Result<Option<ProcessFact>, BadReport> {
        let attach = Attach::Interactive;
        Ok(match self.process.as_deref() {
            None => None,
            Some("running") => Some(ProcessFact::Running { attach, restored: false }),
            Some("stopping") => Some(ProcessFact::Stopping),
            Some("suspended") => Some(ProcessFact::Suspended),
            Some("exited") => Some(ProcessFact::Exited(Exit::of(ExitKind::Unspecified))),
            Some(word) => return Err(bad("process", word, &Self::PROCESSES)),
        })
    }
}

/// The outcome that a turn has by its word; one that is told beside it must be of that kind.
fn same(
    told: Option<(OutcomeKind, Option<String>)>,
    turn: &'static str,
    kind: OutcomeKind,
    code: Option<String>,
) -> Result<Option<(OutcomeKind, Option<String>)>, BadReport> {
    match told {
        None => Ok(Some((kind, code))),
        Some((other, _)) if other != kind => {
            Err(BadReport::OtherOutcome { turn, outcome: kind.word() })
        }
        told => Ok(told),
    }
}

fn words<T: Copy>(all: &[T], word: impl Fn(&T) -> &'static str) -> Vec<&'static str> {
    all.iter().map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(turn: &str, reason: Option<&str>, outcome: Option<&str>) -> ReportBody {
        let own = |word: Option<&str>| word.map(str::to_owned);
        let (turn, reason, outcome) = (own(Some(turn)), own(reason), own(outcome));
        ReportBody { turn, reason, outcome, ..ReportBody::default() }
    }

    #[test]
    fn done_and_failed_are_idle_with_an_outcome() {
        let done = report("done", None, None).parse().unwrap();
        assert_eq!(done.turn, Some(ReportedTurn::Idle));
        assert_eq!(done.outcome, Some((OutcomeKind::Completed, None)));
        let failed = report("idle", None, Some("failed:tests")).parse().unwrap();
        assert_eq!(failed.outcome, Some((OutcomeKind::Failed, Some("tests".into()))));
    }

    #[test]
    fn done_and_failed_take_no_other_outcome() {
        let parse = |turn: &str, outcome: &str| report(turn, None, Some(outcome)).parse();
        for (turn, other) in [
            ("done", "failed"),
            ("done", "interrupted"),
            ("failed", "completed"),
            ("failed", "aborted"),
        ] {
            let error = parse(turn, other).unwrap_err();
            assert!(matches!(error, BadReport::OtherOutcome { .. }), "{turn} {other}: {error}");
            assert!(parse("idle", other).is_ok());
        }
        let outcome = |turn: &str, outcome: &str| parse(turn, outcome).unwrap().outcome;
        assert_eq!(outcome("done", "completed"), Some((OutcomeKind::Completed, None)));
        assert_eq!(outcome("failed", "failed"), Some((OutcomeKind::Failed, None)));
        assert_eq!(outcome("failed", "failed:x"), Some((OutcomeKind::Failed, Some("x".into()))));
    }

    #[test]
    fn a_reason_that_has_no_place_is_a_detail() {
        let detail = |turn: &str, reason: &str, outcome: Option<&str>, detail: Option<&str>| {
            let detail = detail.map(str::to_owned);
            let body = ReportBody { detail, ..report(turn, Some(reason), outcome) };
            body.parse().unwrap().detail
        };
        assert_eq!(detail("done", "zz", None, None).as_deref(), Some("zz"));
        assert_eq!(detail("done", "zz", None, Some("all")).as_deref(), Some("zz: all"));
        assert_eq!(detail("done", "turn_ended", None, Some("all")).as_deref(), Some("all"));
        assert_eq!(detail("unknown", "zz", None, None).as_deref(), Some("zz"));
        assert_eq!(detail("failed", "zz", None, None), None, "it is the code");
        assert_eq!(detail("failed", "zz", Some("failed:x"), None).as_deref(), Some("zz"));
        assert_eq!(detail("working", "tool", None, None), None);
    }

    #[test]
    fn a_wrong_word_is_refused_with_the_allowed_ones() {
        let error = report("WORKING", None, None).parse().unwrap_err().to_string();
        assert!(error.contains("unknown, idle, working, blocked, done, failed"), "{error}");
        let error = report("blocked", Some("bored"), None).parse().unwrap_err().to_string();
        assert!(error.contains("permission"), "{error}");
        assert_eq!(
            report("working", None, Some("completed")).parse(),
            Err(BadReport::OutcomeWithoutIdle)
        );
        assert_eq!(ReportBody::default().parse(), Err(BadReport::Empty));
    }
}
