//! The headline: the one word people read. Derived, never stored.

use crate::status::turn::words;
use crate::status::{OutcomeKind, Process, Turn};
use crate::workflow::Stage;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Headline {
    Blocked,
    Crashed,
    Failed,
    Review,
    Done,
    Working,
    Starting,
    Stopping,
    Unknown,
    Idle,
    Suspended,
    Ended,
    Absent,
}

words!(Headline {
    Blocked = "blocked", Crashed = "crashed", Failed = "failed", Review = "review", Done = "done",
    Working = "working", Starting = "starting", Stopping = "stopping", Unknown = "unknown",
    Idle = "idle", Suspended = "suspended", Ended = "ended", Absent = "absent",
});

/// What a headline is derived from.
#[derive(Clone, Copy, Debug)]
pub struct HeadlineFacts {
    pub process: Process,
    pub turn: Turn,
    pub outcome: Option<OutcomeKind>,
    pub seen: bool,
    pub stage: Option<Stage>,
    /// A prompt to a person is open, whatever the process does.
    pub open_prompt: bool,
}

/// What decides, beside its headline, whether an agent waits for a person.
#[derive(Clone, Copy, Debug, Default)]
pub struct InboxFacts {
    /// A person has seen how its last turn ended, and its crash.
    pub seen: bool,
    /// It asks something, which has a place of its own in an inbox.
    pub asks: bool,
    pub stage: Option<Stage>,
    /// How its last turn ended.
    pub outcome: Option<OutcomeKind>,
    /// Nobody could type to its process.
    pub headless: bool,
}

impl InboxFacts {
    /// Of an agent that has [ended](Headline::Ended): how its last turn ended, where its person has still to
    /// hear of that. Whoever leaves an agent behind a turn that was completed has seen it; an agent that
    /// nobody could type to has left by itself.
    pub fn left_unseen(self) -> Option<OutcomeKind> {
        let is_news = |kind: &OutcomeKind| match kind {
            OutcomeKind::Failed => true,
            OutcomeKind::Completed => self.headless,
            OutcomeKind::Interrupted | OutcomeKind::Aborted => false,
        };
        self.outcome.filter(is_news).filter(|_| !self.seen)
    }
}

impl Headline {
    /// First match wins; the order is the meaning.
    pub fn derive(facts: HeadlineFacts) -> Self {
        let HeadlineFacts { process, turn, outcome, seen, stage, open_prompt } = facts;
        if let Process::Exited(exit) = process {
            return if exit.is_crash() { Self::Crashed } else { Self::Ended };
        }
        let waits = matches!(stage, Some(Stage::AwaitingInput | Stage::Blocked));
        if matches!(turn, Turn::Blocked(_)) || open_prompt || waits {
            return Self::Blocked;
        }
        match process {
            Process::Suspended => return Self::Suspended,
            Process::Absent => return Self::Absent,
            Process::Stopping => return Self::Stopping,
            // It has been there for long, and nobody tells what it does.
            Process::Starting { .. } if turn == Turn::Unknown => return Self::Unknown,
            Process::Starting { .. } => return Self::Starting,
            Process::Unknown => return Self::Unknown,
            Process::Running { .. } | Process::Exited(_) => {}
        }
        match turn {
            Turn::None | Turn::Unknown => return Self::Unknown,
            Turn::Working(_) => return Self::Working,
            Turn::Idle(_) | Turn::Blocked(_) => {}
        }
        let unseen = |kind| outcome == Some(kind) && !seen;
        match stage {
            Some(Stage::AwaitingReview) => Self::Review,
            Some(Stage::Failed) => Self::Failed,
            _ if unseen(OutcomeKind::Failed) => Self::Failed,
            _ if unseen(OutcomeKind::Completed) => Self::Done,
            _ => Self::Idle,
        }
    }

    /// Rank in the roster: 0 wants a person most.
    pub fn attention(self) -> u8 {
        match self {
            Self::Blocked => 0,
            Self::Crashed => 1,
            Self::Failed => 2,
            Self::Review => 3,
            Self::Done => 4,
            Self::Working => 5,
            Self::Starting | Self::Stopping => 6,
            Self::Unknown => 7,
            Self::Idle => 8,
            Self::Suspended | Self::Ended | Self::Absent => 9,
        }
    }

    /// Does it want a person: blocked, crashed, failed, review, done?
    pub fn wants_attention(self) -> bool {
        self.attention() <= 4
    }

    /// Is it something for a person to look at? What has crashed, or has ended with a turn's end that is news,
    /// until one has seen it; what else wants attention, as long as it does.
    pub fn waits_for_person(self, facts: InboxFacts) -> bool {
        match self {
            Self::Crashed => !facts.seen,
            Self::Ended => facts.left_unseen().is_some(),
            other => other.wants_attention(),
        }
    }

    /// Does it stand in an inbox in a line of its own? What asks stands there with what it asks. Work that waits
    /// for a review stands there also where nobody knows what its agent does meanwhile.
    pub fn is_in_inbox(self, facts: InboxFacts) -> bool {
        let is_review = self == Self::Unknown && facts.stage == Some(Stage::AwaitingReview);
        is_review || self.waits_for_person(facts) && !(facts.asks && self == Self::Blocked)
    }

    /// A sign beside the word, one column wide in every terminal.
    pub fn glyph(self) -> &'static str {
        match self {
            Self::Blocked => "▲",
            Self::Crashed => "✗",
            Self::Failed => "×",
            Self::Review => "◆",
            Self::Done => "✓",
            Self::Working => "●",
            Self::Starting | Self::Stopping => "◌",
            Self::Unknown => "?",
            Self::Idle => "○",
            Self::Suspended => "‖",
            Self::Ended | Self::Absent => "·",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::{
        Attach, BlockedReason, Exit, ExitKind, IdleReason, StartPhase, WorkingReason,
    };

    fn idle() -> HeadlineFacts {
        HeadlineFacts {
            process: Process::Running { attach: Attach::Interactive },
            turn: Turn::Idle(IdleReason::TurnEnded),
            outcome: None,
            seen: false,
            stage: None,
            open_prompt: false,
        }
    }

    #[test]
    fn the_first_match_wins() {
        use Headline as H;
        let working = Turn::Working(WorkingReason::Tool);
        let blocked = Turn::Blocked(BlockedReason::Permission);
        let exited = |kind| Process::Exited(Exit::of(kind));
        let completed = Some(OutcomeKind::Completed);
        let failed = Some(OutcomeKind::Failed);
        let interrupted = Some(OutcomeKind::Interrupted);
        let starting = Process::Starting { phase: StartPhase::Booting };
        let table: Vec<(&str, HeadlineFacts, Headline)> = vec![
            ("idle", idle(), H::Idle),
            ("done", HeadlineFacts { outcome: completed, ..idle() }, H::Done),
            ("seen", HeadlineFacts { outcome: completed, seen: true, ..idle() }, H::Idle),
            ("failed", HeadlineFacts { outcome: failed, ..idle() }, H::Failed),
            ("interrupted", HeadlineFacts { outcome: interrupted, ..idle() }, H::Idle),
            ("working", HeadlineFacts { turn: working, ..idle() }, H::Working),
            ("blocked", HeadlineFacts { turn: blocked, ..idle() }, H::Blocked),
            (
                "crash beats an open prompt",
                HeadlineFacts { process: exited(ExitKind::Crashed), open_prompt: true, ..idle() },
                H::Crashed,
            ),
            ("ended", HeadlineFacts { process: exited(ExitKind::Killed), ..idle() }, H::Ended),
            ("oom", HeadlineFacts { process: exited(ExitKind::OomKilled), ..idle() }, H::Crashed),
            (
                "a parked question shows through suspension",
                HeadlineFacts { process: Process::Suspended, open_prompt: true, ..idle() },
                H::Blocked,
            ),
            (
                "stage awaits input while the turn works",
                HeadlineFacts { turn: working, stage: Some(Stage::AwaitingInput), ..idle() },
                H::Blocked,
            ),
            (
                "review",
                HeadlineFacts { stage: Some(Stage::AwaitingReview), outcome: completed, ..idle() },
                H::Review,
            ),
            (
                "trust dialog while starting",
                HeadlineFacts { process: starting, turn: blocked, ..idle() },
                H::Blocked,
            ),
            (
                "starting",
                HeadlineFacts { process: starting, turn: Turn::None, ..idle() },
                H::Starting,
            ),
            (
                "started long ago, and silent",
                HeadlineFacts { process: starting, turn: Turn::Unknown, ..idle() },
                H::Unknown,
            ),
            ("no turn known", HeadlineFacts { turn: Turn::None, ..idle() }, H::Unknown),
            ("unprobed", HeadlineFacts { process: Process::Unknown, ..idle() }, H::Unknown),
        ];
        for (name, facts, expected) in table {
            assert_eq!(Headline::derive(facts), expected, "{name}");
        }
    }

    #[test]
    fn words_and_attention_follow_the_listed_order() {
        let ranks: Vec<u8> = Headline::ALL.iter().map(|h| h.attention()).collect();
        assert!(ranks.is_sorted());
        for headline in Headline::ALL {
            assert_eq!(Headline::parse(headline.word()), Some(*headline));
        }
    }

    #[test]
    fn an_inbox_has_what_wants_a_person_but_a_crash_that_was_seen_and_what_asks_itself() {
        let in_inbox = |seen, asks| {
            let facts = InboxFacts { seen, asks, ..InboxFacts::default() };
            let is_there = |headline: &&Headline| headline.is_in_inbox(facts);
            Headline::ALL
                .iter()
                .filter(is_there)
                .map(|headline| headline.word())
                .collect::<Vec<_>>()
        };
        let all = ["blocked", "crashed", "failed", "review", "done"];
        assert_eq!(in_inbox(false, false), all);
        assert_eq!(in_inbox(true, false), ["blocked", "failed", "review", "done"]);
        assert_eq!(in_inbox(false, true), ["crashed", "failed", "review", "done"]);
        let stage = Some(Stage::AwaitingReview);
        let for_review = |headline: Headline| {
            headline.is_in_inbox(InboxFacts { seen: true, stage, ..InboxFacts::default() })
        };
        assert!(for_review(Headline::Unknown), "what its agent does meanwhile is another question");
        assert!(!for_review(Headline::Working));
    }

    /// To leave an agent that has done its work is a person's act; a failure is news however it went.
    #[test]
    fn an_end_is_in_an_inbox_with_a_failure_and_where_nobody_could_type_with_what_was_done() {
        use OutcomeKind::{Aborted, Completed, Failed, Interrupted};
        for (outcome, headless, expected) in [
            (Some(Failed), false, true),
            (Some(Failed), true, true),
            (Some(Completed), false, false),
            (Some(Completed), true, true),
            (Some(Interrupted), true, false),
            (Some(Aborted), true, false),
            (None, true, false),
        ] {
            let facts = InboxFacts { outcome, headless, ..InboxFacts::default() };
            let seen = InboxFacts { seen: true, ..facts };
            let said = format!("{outcome:?} {headless}");
            assert_eq!(Headline::Ended.is_in_inbox(facts), expected, "{said}");
            assert!(!Headline::Ended.is_in_inbox(seen), "{said}");
            for other in [Headline::Idle, Headline::Suspended, Headline::Absent] {
                assert!(!other.is_in_inbox(facts), "{said}");
            }
        }
    }
}
