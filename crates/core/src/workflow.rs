//! Dimension *stage*: the workflow an agent or a person reports. Never inferred.

use crate::status::turn::words;
use crate::time::UnixMs;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    Started,
    Working,
    AwaitingInput,
    Blocked,
    AwaitingReview,
    Completed,
    Paused,
    Failed,
    Cancelled,
}

words!(Stage {
    Started = "started", Working = "working", AwaitingInput = "awaiting_input",
    Blocked = "blocked", AwaitingReview = "awaiting_review", Completed = "completed",
    Paused = "paused", Failed = "failed", Cancelled = "cancelled",
});

/// Who asks for a stage: some moves belong to people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    Agent,
    Person,
}

/// Where a seat's workflow stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct StageStatus {
    #[serde(rename = "state")]
    pub stage: Stage,
    pub message: Option<String>,
    pub phase: Option<String>,
    pub progress: Option<f64>,
    pub since: UnixMs,
    /// What stands in the way, where it is blocked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blockers: Vec<String>,
}

/// A move that the workflow does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a workflow at {} cannot go to {}; {}", word_of(*from), to.word(), ways(*from, legal))]
pub struct IllegalStage {
    pub from: Option<Stage>,
    pub to: Stage,
    pub legal: Vec<Stage>,
}

fn word_of(stage: Option<Stage>) -> &'static str {
    stage.map_or("none", Stage::word)
}

fn ways(from: Option<Stage>, stages: &[Stage]) -> String {
    match stages {
        [] if from.is_some_and(Stage::is_terminal) => "it is over".to_owned(),
        [] => "only a person moves it".to_owned(),
        stages => {
            let words: Vec<_> = stages.iter().map(|stage| stage.word()).collect();
            format!("it can go to {}", words.join(", "))
        }
    }
}

impl Stage {
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }

    /// The stages that `by` may move to from here, apart from staying.
    pub fn targets(self, by: By) -> Vec<Self> {
        let agent: &[Self] = match self {
            Self::Started | Self::AwaitingInput | Self::Blocked => &[Self::Working],
            Self::Working => {
                &[Self::AwaitingInput, Self::Blocked, Self::AwaitingReview, Self::Completed]
            }
            Self::AwaitingReview => &[Self::Working, Self::Completed],
            Self::Completed | Self::Failed | Self::Cancelled | Self::Paused => &[],
        };
        let mut targets = agent.to_vec();
        if by == By::Person && !self.is_terminal() {
            match self {
                Self::Paused => targets.push(Self::Working),
                _ => targets.push(Self::Paused),
            }
            targets.extend([Self::Failed, Self::Cancelled]);
        }
        targets
    }
}

/// The stages that `by` may move to, apart from staying; a first call passes through the first two.
pub fn legal(from: Option<Stage>, by: By) -> Vec<Stage> {
    match from {
        Some(from) => from.targets(by),
        None => [vec![Stage::Started, Stage::Working], Stage::Working.targets(by)].concat(),
    }
}

/// The stages passed through to get from `from` to `to`, the last one being `to`.
///
/// A run's first call sets none, started, working before it is applied. The same stage again is
/// legal and only refreshes its message.
pub fn path(from: Option<Stage>, to: Stage, by: By) -> Result<Vec<Stage>, IllegalStage> {
    let Some(current) = from else {
        return match to {
            Stage::Started => Ok(vec![Stage::Started]),
            Stage::Working => Ok(vec![Stage::Started, Stage::Working]),
            _ => {
                let mut steps = vec![Stage::Started, Stage::Working];
                let more = path(Some(Stage::Working), to, by);
                // It is at none, whatever it would have gone through.
                let none = |_| IllegalStage { from, to, legal: legal(from, by) };
                steps.extend(more.map_err(none)?);
                Ok(steps)
            }
        };
    };
    let legal = current.targets(by);
    // What a person alone may say, a person alone says again.
    let stays =
        current == to && (by == By::Person || !matches!(to, Stage::Failed | Stage::Cancelled));
    if stays || legal.contains(&to) { Ok(vec![to]) } else { Err(IllegalStage { from, to, legal }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Stage::{AwaitingInput, AwaitingReview, Blocked, Cancelled, Completed, Failed, Paused};
    use Stage::{Started, Working};

    #[test]
    fn an_agent_moves_only_along_the_designed_edges() {
        let edges: &[(Stage, &[Stage])] = &[
            (Started, &[Working]),
            (Working, &[AwaitingInput, Blocked, AwaitingReview, Completed]),
            (AwaitingInput, &[Working]),
            (Blocked, &[Working]),
            (AwaitingReview, &[Working, Completed]),
            (Completed, &[]),
            (Paused, &[]),
            (Failed, &[]),
            (Cancelled, &[]),
        ];
        for (from, targets) in edges {
            for to in Stage::ALL {
                let stays = from == to && !matches!(from, Failed | Cancelled);
                let legal = stays || targets.contains(to);
                assert_eq!(path(Some(*from), *to, By::Agent).is_ok(), legal, "{from:?} {to:?}");
            }
        }
    }

    #[test]
    fn the_page_has_every_move_and_no_other() {
        let page = include_str!("../../../docs/workflow.md");
        let mut rows = 0;
        for row in page.lines().filter(|line| line.starts_with("| ")).skip(1) {
            let [_, from, agent, person, _] = row.split('|').collect::<Vec<_>>()[..] else {
                panic!("{row}")
            };
            let listed = |cell: &str| -> Vec<String> {
                cell.split(',')
                    .map(|word| word.trim().to_owned())
                    .filter(|word| !word.is_empty())
                    .collect()
            };
            let from = Stage::parse(from.trim());
            let goes = |by: By| -> Vec<String> {
                let others = Stage::ALL.iter().filter(|to| from != Some(**to));
                others
                    .filter(|to| path(from, **to, by).is_ok())
                    .map(|to| to.word().to_owned())
                    .collect()
            };
            let (agents, mut persons) = (listed(agent), listed(agent));
            persons.extend(listed(person));
            assert_eq!(sorted(goes(By::Agent)), sorted(agents), "{row}");
            assert_eq!(sorted(goes(By::Person)), sorted(persons), "{row}");
            rows += 1;
        }
        assert_eq!(rows, Stage::ALL.len() + 1);
    }

    fn sorted(mut words: Vec<String>) -> Vec<String> {
        words.sort();
        words
    }

    #[test]
    fn people_alone_pause_fail_and_cancel() {
        for from in [Started, Working, AwaitingInput, Blocked, AwaitingReview, Paused] {
            for to in [Failed, Cancelled] {
                assert!(path(Some(from), to, By::Person).is_ok(), "{from:?} {to:?}");
                assert!(path(Some(from), to, By::Agent).is_err(), "{from:?} {to:?}");
            }
        }
        assert_eq!(path(Some(Paused), Working, By::Person), Ok(vec![Working]));
        assert!(path(Some(Completed), Failed, By::Person).is_err());
        for over in [Failed, Cancelled, Completed] {
            assert_eq!(path(Some(over), over, By::Person), Ok(vec![over]));
        }
    }

    #[test]
    fn a_first_call_passes_through_started_and_working() {
        assert_eq!(path(None, Blocked, By::Agent), Ok(vec![Started, Working, Blocked]));
        let error = path(None, Paused, By::Agent).unwrap_err();
        assert_eq!((error.from, error.legal), (None, legal(None, By::Agent)));
        let error = path(Some(Completed), Working, By::Agent).unwrap_err();
        assert_eq!(error.to_string(), "a workflow at completed cannot go to working; it is over");
    }
}
