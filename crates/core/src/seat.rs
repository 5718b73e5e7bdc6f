//! A seat in the roster: everything the hub knows of one agent.
//!
//! Only [`crate::gate`] changes what a seat says of its status.

mod behind;
mod calls;
mod claim;
mod ended;
pub mod held;
pub mod history;
mod launch;
mod links;
mod names;
mod process;
mod repeats;
mod rest;
mod session;
mod stop;
pub mod view;

pub use behind::{Behind, Failure};
pub use calls::OpenTool;
pub use claim::Claim;
pub use ended::{EndedCall, EndedHelper, EndedTurn, Made, MadeEnd};
pub use held::{Held, HeldFact, HeldLevel};
pub use history::{History, Rejection, Statement};
pub use launch::{Launch, LaunchWords, Leaving};
pub use links::{HandIn, Links};
pub use process::{Launched, LaunchedEnd, ProcessFacts};
pub use repeats::{AskedOnce, Compaction, Doubted, HelperRun, Named, Repeats};
pub use session::{Beside, LeftSession, Session};
pub use stop::Stop;
pub use view::StatusKey;

use crate::id::AgentId;
use crate::observation::BackgroundShells;
use crate::prompt::{OpenPrompt, PromptKind};
use crate::source::{Evidence, Source};
use crate::status::{
    Headline, HeadlineFacts, IdleReason, InboxFacts, Outcome, Process, Returns, Turn,
};
use crate::time::{UnixMs, stored};
use crate::timeline::Entry;
use crate::wire::{CountersDoc, LocationDoc, VerdictDoc};
use crate::word::Word;
use crate::workflow::StageStatus;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use thin_vec::ThinVec;

/// The state of one seat. What is stored of it must load for ever: new fields get a default. What
/// is at its default is not written: ten thousand seats are read at a start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Seat {
    pub id: AgentId,
    pub name: String,
    pub kind: Word,
    /// The program in it has told its kind itself; what was launched or announced for the seat had none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub kind_told: bool,
    #[serde(default)]
    pub about: About,
    pub incarnation: u32,
    #[serde(with = "stored")]
    pub registered_at: UnixMs,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<Session>,
    /// Sessions this seat has left, newest last.
    #[serde(default, skip_serializing_if = "ThinVec::is_empty")]
    pub left_sessions: ThinVec<LeftSession>,
    pub process: ProcessFacts,
    pub turn: TurnFacts,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Up to which turn a person has seen the outcome.
    #[serde(default, skip_serializing_if = "is_default")]
    pub seen_turn_seq: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<Box<StageStatus>>,
    /// With what this workflow was completed, where that told of it at the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handed_in: Option<Box<HandIn>>,
    /// Workflows that came before this one.
    #[serde(default, skip_serializing_if = "is_default")]
    pub runs: u32,
    /// A person wants to hear nothing of it before.
    #[serde(default, with = "stored::option", skip_serializing_if = "Option::is_none")]
    pub snoozed_until: Option<UnixMs>,
    /// When a person was last led to it, or has said that it was seen.
    #[serde(default, with = "stored::option", skip_serializing_if = "Option::is_none")]
    pub looked_at: Option<UnixMs>,
    #[serde(default, skip_serializing_if = "ThinVec::is_empty")]
    pub verdicts: ThinVec<VerdictDoc>,
    /// What it works on; most have none, and there are thousands of seats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub links: Option<Box<Links>>,
    /// A person has it ended, or had it ended last. It stays until somebody sits here again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leaving: Option<Leaving>,
    /// The life before this one was put away.
    #[serde(default, skip_serializing_if = "is_default")]
    pub was_away: bool,
    /// How it was started last, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launch: Option<Box<Launch>>,
    /// A question that nobody has answered in time, and that must not be gone on without, while others are waited for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unanswered: Option<String>,
    /// Input requests that a person has answered, and of which the agent has not been told; newest last.
    #[serde(default, skip_serializing_if = "ThinVec::is_empty")]
    pub untold: ThinVec<String>,
    /// Open prompts, oldest first: the blocked set, plus parked input requests.
    #[serde(default, skip_serializing_if = "ThinVec::is_empty")]
    pub prompts: ThinVec<OpenPrompt>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub prompts_opened: u64,
    #[serde(default, skip_serializing_if = "ThinVec::is_empty")]
    pub subagents: ThinVec<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub shells: u32,
    /// Tool calls that started and have not ended.
    #[serde(default, skip_serializing_if = "ThinVec::is_empty")]
    pub open_tools: ThinVec<OpenTool>,
    /// Calls of the open turn that ended lately, newest last.
    #[serde(default, skip_serializing_if = "ThinVec::is_empty")]
    pub ended_calls: ThinVec<EndedCall>,
    /// Helpers that ended lately, newest last.
    #[serde(default, skip_serializing_if = "ThinVec::is_empty")]
    pub ended_helpers: ThinVec<EndedHelper>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub counters: CountersDoc,
    /// When the headline's state began.
    #[serde(with = "stored")]
    pub headline_since: UnixMs,
    #[serde(default, with = "stored::option", skip_serializing_if = "Option::is_none")]
    pub last_status_at: Option<UnixMs>,
    /// Receive time of the last accepted live edge, by the wall clock; an older spooled one is history.
    #[serde(default, with = "stored::option", skip_serializing_if = "Option::is_none")]
    pub last_live_at: Option<UnixMs>,
    /// When the last accepted edge was reported that waited for a hub, in the spool or in a log.
    #[serde(default, with = "stored", skip_serializing_if = "is_default")]
    pub spooled_until: UnixMs,
    /// Receive time of the last accepted edge: a hook, a plugin's event, a report.
    #[serde(default, with = "stored::option", skip_serializing_if = "Option::is_none")]
    pub last_edge_at: Option<UnixMs>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_activity: Option<Entry>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
    /// What each source of levels says now.
    #[serde(default, skip_serializing_if = "ThinVec::is_empty")]
    pub claims: ThinVec<Claim>,
    /// Facts that wait for a settling time.
    #[serde(default, skip_serializing_if = "ThinVec::is_empty")]
    pub held: ThinVec<Held>,
    /// What was said lately. `None`: it lies in the store, beside the seat, until it is wanted.
    #[serde(skip)]
    pub history: Option<Box<History>>,
    /// Ageing counts from here at the earliest: a hub that was away says nothing of an agent.
    #[serde(skip)]
    pub ageing_from: UnixMs,
    /// Consecutive sightings of a quiet prompt box while hooks say working.
    #[serde(skip)]
    pub quiet_prompts: u8,
    /// What ended last, by the word of a program that tells when it says so, and what may be told once more.
    #[serde(skip)]
    pub made: Option<Box<Made>>,
    /// A setting of the hub, which lends it to each seat that it changes.
    #[serde(skip)]
    pub background_shells: BackgroundShells,
    /// A program of this kind says goodbye also after a run that nobody can type to. Lent likewise.
    #[serde(skip)]
    pub parts_with_a_word: bool,
    /// Its title says that it asks also once it was silent for so many milliseconds; hooks tell that first. Lent likewise.
    #[serde(skip)]
    pub silent_title_ms: Option<u16>,
    /// In a program of this kind a conversation goes on when a person turns to another one. Lent likewise.
    #[serde(skip)]
    pub goes_on_beside: bool,
    /// What the exit code of a run of this kind tells. Lent likewise.
    #[serde(skip)]
    pub returns: Returns,
    /// So long it may show work while it comes up, before anybody has asked for anything. In milliseconds. Lent likewise.
    #[serde(skip)]
    pub starts_at_work_ms: Option<u16>,
    /// Its title tells that its prompt box is open, before its first prompt, and nothing behind that. Lent likewise.
    #[serde(skip)]
    pub titles_its_start: bool,
    /// So long it may take to leave behind what may be its goodbye, where that is long. In milliseconds. Lent likewise.
    #[serde(skip)]
    pub leaves_within_ms: Option<u16>,
    /// The same at rest. Lent likewise.
    #[serde(skip)]
    pub parts_within_ms: Option<u16>,
    /// So long behind an end in its log it may ask its model once more about what a call has brought. In ms. Lent likewise.
    #[serde(skip)]
    pub asks_again_ms: Option<u16>,
    /// Its terminal tells of the conversation that is shown there, which need not be the one that works. Lent likewise.
    #[serde(skip)]
    pub shows_one: bool,
}

/// What is not written because it is read as this anyway.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Descriptive facts: they change no status.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct About {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Box<str>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<AgentId>,
    /// Found by its first report, not launched by us.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub adopted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<Box<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<Box<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<Box<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<Box<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worktree: Option<Box<str>>,
    #[serde(skip_serializing_if = "is_default")]
    pub location: LocationDoc,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<Box<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<Box<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_path: Option<Box<str>>,
    #[serde(with = "stored::option", skip_serializing_if = "Option::is_none")]
    pub started_at: Option<UnixMs>,
    #[serde(with = "stored::option", skip_serializing_if = "Option::is_none")]
    pub suspended_at: Option<UnixMs>,
    #[serde(with = "stored::option", skip_serializing_if = "Option::is_none")]
    pub resumed_at: Option<UnixMs>,
    /// A digest of the token by which its calls are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<Box<str>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnFacts {
    /// The turn apart from open prompts: never `Blocked`.
    pub base: Turn,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    #[serde(with = "stored")]
    pub since: UnixMs,
    pub seq: u64,
    /// A turn has started and not ended.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub open: bool,
    /// The vendor's id of the open turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Prompts handed over while the turn was open.
    #[serde(default, skip_serializing_if = "ThinVec::is_empty")]
    pub queued: ThinVec<String>,
    /// Names of the prompts of the program's own with which the open turn has begun, or gone on: all are its own.
    #[serde(default, skip_serializing_if = "ThinVec::is_empty")]
    pub woken: ThinVec<String>,
    /// Names that it had before it stopped and was woken.
    #[serde(default, skip_serializing_if = "ThinVec::is_empty")]
    pub former: ThinVec<String>,
    /// Turns that go on behind the conversation that is shown, the latest last.
    #[serde(default, skip_serializing_if = "ThinVec::is_empty")]
    pub beside: ThinVec<Beside>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<EndedTurn>,
    /// The main agent has stopped; helpers go on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub main_stopped: bool,
    /// Only their own ends tell when those helpers have ended.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub awaits_helpers: bool,
    /// A person has prompted since any of them was heard of.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub helpers_unheard: bool,
    /// Without hooks: the log says that the turn ended as it should.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub end_logged: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub compacting: bool,
    /// The compaction's summary is in; only its end is still to be told.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub summarized: bool,
    /// The open turn is nothing but a compaction, which a person has asked for at the prompt.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub compacts_alone: bool,
    /// A title has shown the open turn's beginning, and no prompt was told.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_title: bool,
    /// While a turn is open: how the one before it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Box<Outcome>>,
    /// How the agent rested when it said goodbye: whoever has not left after all does so still.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rested: Option<IdleReason>,
    #[serde(default, skip_serializing_if = "Stop::is_plain")]
    pub stop: Stop,
    /// Helpers that have outlived a stop, or a turn, of their main agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub behind: Option<Box<Behind>>,
    pub evidence: Evidence,
}

impl Seat {
    /// An empty seat: no process, no turn.
    pub fn new(id: AgentId, kind: impl Into<Word>, source: Source, now: UnixMs) -> Self {
        let evidence = Evidence::new(source, now);
        Self {
            name: id.as_str().to_owned(),
            id,
            kind: kind.into(),
            kind_told: false,
            about: About::default(),
            incarnation: 1,
            registered_at: now,
            session: None,
            left_sessions: ThinVec::new(),
            process: ProcessFacts {
                state: Process::Absent,
                id: None,
                since: now,
                evidence: evidence.clone(),
                unseen: false,
                headless: false,
                launched: None,
                orphan: None,
            },
            turn: TurnFacts {
                base: Turn::None,
                detail: None,
                since: now,
                seq: 0,
                open: false,
                reference: None,
                queued: ThinVec::new(),
                woken: ThinVec::new(),
                former: ThinVec::new(),
                beside: ThinVec::new(),
                ended: None,
                main_stopped: false,
                awaits_helpers: false,
                helpers_unheard: false,
                end_logged: false,
                compacting: false,
                summarized: false,
                compacts_alone: false,
                by_title: false,
                before: None,
                rested: None,
                stop: Stop::default(),
                behind: None,
                evidence,
            },
            outcome: None,
            seen_turn_seq: 0,
            stage: None,
            handed_in: None,
            runs: 0,
            snoozed_until: None,
            looked_at: None,
            verdicts: ThinVec::new(),
            links: None,
            leaving: None,
            was_away: false,
            launch: None,
            unanswered: None,
            untold: ThinVec::new(),
            prompts: ThinVec::new(),
            prompts_opened: 0,
            subagents: ThinVec::new(),
            shells: 0,
            open_tools: ThinVec::new(),
            ended_calls: ThinVec::new(),
            ended_helpers: ThinVec::new(),
            counters: CountersDoc::default(),
            headline_since: now,
            last_status_at: None,
            last_live_at: None,
            spooled_until: UnixMs::default(),
            last_edge_at: None,
            last_activity: None,
            stale: false,
            claims: ThinVec::new(),
            held: ThinVec::new(),
            history: Some(Box::default()),
            ageing_from: now,
            quiet_prompts: 0,
            made: None,
            background_shells: BackgroundShells::Idle,
            parts_with_a_word: false,
            silent_title_ms: None,
            goes_on_beside: false,
            returns: Returns::Anything,
            starts_at_work_ms: None,
            titles_its_start: false,
            leaves_within_ms: None,
            parts_within_ms: None,
            asks_again_ms: None,
            shows_one: false,
        }
    }

    /// The turn as it is shown: blocked while an own prompt is open.
    pub fn turn(&self) -> Turn {
        match self.own_prompts().next() {
            Some(open) if self.process.state != Process::Suspended => {
                Turn::Blocked(open.ask.reason)
            }
            _ => self.turn.base,
        }
    }

    /// The agents' own open prompts: all but parked input requests.
    pub fn own_prompts(&self) -> impl Iterator<Item = &OpenPrompt> {
        self.prompts.iter().filter(|open| open.ask.kind != PromptKind::Input)
    }

    /// The open input requests, oldest first.
    pub fn inputs(&self) -> impl Iterator<Item = &OpenPrompt> {
        self.prompts.iter().filter(|open| open.ask.kind == PromptKind::Input)
    }

    /// Whether a person has seen how its last turn ended, and its crash.
    pub fn seen(&self) -> bool {
        let has_crashed = matches!(self.process.state, Process::Exited(exit) if exit.is_crash());
        let turn = self.outcome.is_none() || self.seen_turn_seq >= self.turn.seq;
        turn && !(has_crashed && self.process.unseen)
    }

    pub fn headline(&self) -> Headline {
        Headline::derive(HeadlineFacts {
            process: self.process.state,
            turn: self.turn(),
            outcome: self.outcome.as_ref().map(|outcome| outcome.kind),
            seen: self.seen(),
            stage: self.stage.as_ref().map(|stage| stage.stage),
            open_prompt: !self.prompts.is_empty(),
        })
    }

    /// Does it stand in an inbox in a line of its own? See [`Headline::is_in_inbox`].
    pub fn is_in_inbox(&self) -> bool {
        self.headline().is_in_inbox(InboxFacts {
            seen: self.seen(),
            asks: !self.prompts.is_empty(),
            stage: self.stage.as_ref().map(|stage| stage.stage),
            outcome: self.outcome.as_ref().map(|outcome| outcome.kind),
            headless: self.process.headless,
        })
    }

    /// What makes two statuses different to a reader; evidence, detail and counts do not.
    /// Whether an outcome was seen shows in the headline.
    pub fn status_key(&self) -> StatusKey {
        StatusKey {
            headline: self.headline(),
            process: self.process.state.in_short(),
            turn: self.turn(),
            outcome: self.outcome.as_ref().map(|outcome| (outcome.kind, outcome.code.clone())),
            stage: self.stage.as_ref().map(|stage| stage.stage),
        }
    }

    /// Somebody has started a process here that nobody has launched for this seat.
    pub(crate) fn is_taken_by_hand(&mut self) {
        self.leaving = None;
        self.launch = None;
    }

    /// What was said lately, to be added to.
    pub(crate) fn history(&mut self) -> &mut History {
        self.history.get_or_insert_default()
    }
}

#[cfg(test)]
mod tests;
