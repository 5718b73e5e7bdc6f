//! The agent document and its parts. Its longer texts are borrowed where a large roster is written down.

use super::PromptDoc;
use crate::compat::VocabularyDoc;
use crate::id::AgentId;
use crate::source::{Confidence, Evidence, Source};
use crate::status::{Attach, Headline, InboxFacts, Outcome, OutcomeKind, Process, Turn};
use crate::time::UnixMs;
use crate::timeline::Entry;
use crate::verdict::Verdict;
use crate::workflow::StageStatus;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The roster: every agent in attention order, and the cursor it is true at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RosterDoc {
    pub schema: u32,
    pub cursor: String,
    pub agents: Vec<AgentDoc<'static>>,
}

/// One agent, whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AgentDoc<'a> {
    pub schema: u32,
    pub id: AgentId,
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub name: Cow<'a, str>,
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub kind: Cow<'a, str>,
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>))]
    pub role: Option<Cow<'a, str>>,
    #[cfg_attr(feature = "schema", schema(value_type = BTreeMap<String, String>))]
    pub labels: Cow<'a, BTreeMap<String, String>>,
    /// The seat this one is nested in.
    pub parent: Option<AgentId>,
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>))]
    pub host: Option<Cow<'a, str>>,
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>))]
    pub cwd: Option<Cow<'a, str>>,
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>))]
    pub repo: Option<Cow<'a, str>>,
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>))]
    pub branch: Option<Cow<'a, str>>,
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>))]
    pub worktree: Option<Cow<'a, str>>,
    pub location: LocationDoc,
    pub incarnation: u32,
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>))]
    pub session_id: Option<Cow<'a, str>>,
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>))]
    pub model: Option<Cow<'a, str>>,
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>))]
    pub title: Option<Cow<'a, str>>,
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>))]
    pub log_path: Option<Cow<'a, str>>,
    pub started_at: Option<UnixMs>,
    pub last_status_at: Option<UnixMs>,
    pub suspended_at: Option<UnixMs>,
    pub resumed_at: Option<UnixMs>,
    pub headline: Headline,
    /// The evidence has aged without confirmation.
    pub stale: bool,
    /// When the headline's state began.
    pub since: UnixMs,
    pub process: ProcessDoc,
    pub turn: TurnDoc,
    pub outcome: Option<Outcome>,
    pub seen: bool,
    pub stage: Option<StageDoc>,
    /// A person wants to hear nothing of it before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub snoozed_until: Option<UnixMs>,
    /// When a person was last led to it (`next`), or has said that it was seen (`ack`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub looked_at: Option<UnixMs>,
    pub verdicts: Vec<VerdictDoc>,
    pub background: BackgroundDoc,
    /// Ids of the helpers that run now.
    pub subagents: Vec<String>,
    pub prompts: Vec<PromptDoc>,
    pub task: Option<String>,
    pub prs: Vec<String>,
    #[cfg_attr(feature = "schema", schema(value_type = Option<Entry>))]
    pub last_activity: Option<Cow<'a, Entry>>,
    pub counters: CountersDoc,
    pub evidence: EvidenceDoc,
    /// The status in another system's words, where they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub vocabulary: Option<Box<VocabularyDoc>>,
}

impl AgentDoc<'_> {
    fn inbox_facts(&self) -> InboxFacts {
        InboxFacts {
            seen: self.seen,
            asks: !self.prompts.is_empty(),
            stage: self.stage.as_ref().map(|stage| stage.stage),
            outcome: self.outcome.as_ref().map(|outcome| outcome.kind),
            headless: self.process.attach == Some(Attach::Headless),
        }
    }

    /// Does it stand in an inbox in a line of its own? See [`Headline::is_in_inbox`].
    pub fn is_in_inbox(&self) -> bool {
        self.headline.is_in_inbox(self.inbox_facts())
    }

    /// Of one that has ended: how its last turn ended, where its person has still to hear of that. See
    /// [`InboxFacts::left_unseen`].
    pub fn left_unseen(&self) -> Option<OutcomeKind> {
        let has_ended = self.headline == Headline::Ended;
        self.inbox_facts().left_unseen().filter(|_| has_ended)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct LocationDoc {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub tmux: Option<String>,
    // The socket's name of a server that is not the usual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub tmux_server: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub pid: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub container: Option<String>,
}

/// Process state on the wire: `{state, attach?, kind?, code?, signal?, phase?, pid?}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ProcessDoc {
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub state: Cow<'static, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub attach: Option<Attach>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub kind: Option<crate::status::ExitKind>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub code: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub signal: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub phase: Option<crate::status::StartPhase>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub pid: Option<u32>,
}

impl ProcessDoc {
    pub fn new(process: Process, pid: Option<u32>) -> Self {
        let state = process.word().into();
        let mut doc =
            Self { state, attach: None, kind: None, code: None, signal: None, phase: None, pid };
        match process {
            Process::Running { attach } => doc.attach = Some(attach),
            Process::Starting { phase } => doc.phase = Some(phase),
            Process::Exited(exit) => {
                doc.kind = Some(exit.kind);
                doc.code = exit.code;
                doc.signal = exit.signal;
            }
            _ => {}
        }
        doc
    }
}

/// Turn state on the wire: `{state, reason, detail, since, turn_seq}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TurnDoc {
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub state: Cow<'static, str>,
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>))]
    pub reason: Option<Cow<'static, str>>,
    pub detail: Option<String>,
    pub since: UnixMs,
    pub turn_seq: u64,
}

impl TurnDoc {
    pub fn new(turn: Turn, detail: Option<String>, since: UnixMs, turn_seq: u64) -> Self {
        let state = turn.word().into();
        let reason = turn.reason().map(Cow::from);
        Self { state, reason, detail, since, turn_seq }
    }
}

/// Stage on the wire: `{state, message, phase, progress, since}`.
pub type StageDoc = StageStatus;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct VerdictDoc {
    pub task: String,
    pub verdict: Verdict,
    pub notes: Option<String>,
    pub at: UnixMs,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct BackgroundDoc {
    pub subagents: u32,
    pub shells: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CountersDoc {
    pub prompts: u64,
    pub turns: u64,
    pub tools: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct EvidenceDoc {
    pub source: Source,
    pub confidence: Confidence,
    pub observed_at: UnixMs,
    pub confirmed_at: UnixMs,
}

impl From<&Evidence> for EvidenceDoc {
    fn from(evidence: &Evidence) -> Self {
        Self {
            source: evidence.source,
            confidence: evidence.confidence,
            observed_at: evidence.observed_at,
            confirmed_at: evidence.confirmed_at,
        }
    }
}
