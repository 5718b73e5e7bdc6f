//! The closed vocabulary of facts that sources may report.

use crate::id::ProcessId;
use crate::prompt::{Actor, NewPrompt, Resolution, ToolRef};
use crate::source::Source;
use crate::status::{Attach, BlockedReason, Exit, OutcomeKind, StartPhase, WorkingReason};
use crate::time::UnixMs;
use serde::{Deserialize, Serialize};

/// One normalized fact from one source, at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// When the hub received it: the hub's receive order is the order.
    pub at: UnixMs,
    pub delivery: Delivery,
    pub source: Source,
    /// The vendor's conversation id, where the fact carries one.
    pub session: Option<String>,
    /// The process the fact speaks of, where it is known.
    pub process: Option<ProcessId>,
    /// When its program says that it made it, where that tells. No more than a hint: it is compared with
    /// what the same program says of its other facts, and with no other clock.
    pub made_at: Option<UnixMs>,
    /// What the source called it, for `explain`.
    pub name: String,
    pub fact: Fact,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// It has just happened.
    Live,
    /// It waited in the spool while the hub was down; it still makes its events.
    Spooled { reported_at: UnixMs },
    /// It is not said anew: it was said before, and still stands.
    Standing,
    /// It was read from an old log or a restored store: never an edge.
    Replayed,
}

/// What happened, in nobody's own words.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    SessionStarted {
        how: SessionStart,
        attach: Option<Attach>,
    },
    SessionEnded {
        how: SessionEnd,
    },
    /// A prompt was handed to the agent. `turn_ref` is the vendor's id of the turn it starts.
    PromptSubmitted {
        by: Submitter,
        turn_ref: Option<String>,
    },
    /// A person's prompt of which several events tell: it ends no turn that is open.
    PromptTold,
    ToolStarted {
        actor: Actor,
        tool: ToolRef,
        turn_ref: Option<String>,
    },
    /// A call starts after its approval: whatever asked about this very call was granted.
    ToolGranted {
        actor: Actor,
        tool: ToolRef,
        turn_ref: Option<String>,
    },
    /// One or several calls ended (those of one step at once).
    ToolsEnded {
        actor: Actor,
        tools: Vec<ToolRef>,
        /// A person stopped it, and with it the turn.
        interrupted: bool,
        turn_ref: Option<String>,
    },
    PromptOpened {
        actor: Actor,
        prompt: NewPrompt,
        /// How long it is held before it is published, because the agent may approve it by
        /// itself. Milliseconds; 0 = at once.
        settle_ms: u32,
        turn_ref: Option<String>,
    },
    /// A dialog is shown, and its notice does not name the call: it is about the one that was
    /// started last and that nobody has asked about.
    DialogShown {
        actor: Actor,
        prompt: NewPrompt,
    },
    PromptResolved {
        actor: Actor,
        reason: BlockedReason,
        key: Option<String>,
        resolution: Resolution,
    },
    /// A person has refused what the main agent asked, and the turn ends with that; where its log tells that, once its
    /// helpers have ended.
    PromptRefused {
        reason: BlockedReason,
        key: Option<String>,
        resolution: Resolution,
        turn_ref: Option<String>,
    },
    /// A person has refused this call, or has answered what it asks, and the turn goes on.
    CallRefused {
        call: String,
        resolution: Resolution,
    },
    /// A person has answered whatever the agent asked, which is not named, and it goes on.
    Answered,
    /// A late notice that a prompt still waits. It confirms, it never triggers.
    PromptConfirmed,
    /// The program has a prompt of its own that waits for the end of the main agent's answer; `false`: it has
    /// taken something out of its queue.
    WakeQueued(bool),
    /// A prompt of a person's, or of the program's own, stands in the log. Hooks tell that first; one may have been lost.
    PromptLogged {
        by: Submitter,
        turn_ref: String,
    },
    /// A prompt of a person's waits for the end of the main agent's answer; that it was taken out of the queue is told as of
    /// the program's own.
    PromptQueued,
    /// Another hook of the main agent's stop has made it go on, in the same turn.
    StopUndone {
        turn_ref: String,
    },
    /// The program has told a prompt of its own, which waited, to the main agent in mid-turn: nobody is woken by it.
    WakeAbsorbed,
    /// A person has had the program itself do something, which is no turn of the agent's.
    CommandRan,
    /// The main agent came to the end of what it had to say.
    TurnEnded {
        background: Background,
        turn_ref: Option<String>,
    },
    TurnFailed {
        code: String,
        detail: Option<String>,
        turn_ref: Option<String>,
    },
    TurnInterrupted {
        turn_ref: Option<String>,
    },
    /// A person has stopped the main agent. Helpers of which no end is told go on behind it.
    MainInterrupted,
    SubagentStarted {
        id: String,
    },
    /// The same of one whose runs have names, none of which begins twice.
    RunStarted {
        id: String,
        run: String,
    },
    SubagentEnded {
        id: String,
    },
    /// The same of one run alone: a log may be read behind the start of the next one.
    RunEnded {
        id: String,
        run: String,
    },
    /// A helper that is known by a name that others may have as well: each start is one more of them.
    NamesakeStarted {
        name: String,
    },
    NamesakeEnded {
        name: String,
    },
    /// A helper begins a call, and nothing tells which helper it is.
    HelperWorks,
    /// A turn has failed, with its code and in words, or was interrupted; nothing tells whether it was the
    /// main agent's or a helper's.
    SomeoneStopped {
        failed: Option<(String, Option<String>)>,
    },
    CompactionStarted,
    /// The same with the name of its turn: one that a person has asked for has a name of its own.
    CompactionBegun {
        turn_ref: String,
    },
    CompactionEnded {
        /// A person asked for it, so the turn ends with it. `None`: nothing tells by whose wish it was.
        manual: Option<bool>,
    },
    /// The program says that it sits at its prompt and waits, since the turn `turn_ref`.
    IdleNotice {
        turn_ref: Option<String>,
    },
    /// The program says that it has sat at its prompt for long, since the turn `turn_ref`: it may say so late.
    IdleForLong {
        turn_ref: Option<String>,
    },
    /// The turn is over, and another source tells within a moment how: that it failed, or was
    /// interrupted. Where none does it was interrupted.
    TurnOver,
    /// The turn is over without an answer: it failed or was interrupted, and another source tells within a moment
    /// which. Where none does nobody knows.
    TurnUnanswered,
    /// An answer of the main agent's that calls nothing stands in the log: its turn ends with that, unless something goes on.
    /// A hook tells, but it may have been lost.
    AnswerLogged,
    /// The main agent goes on, as its log tells: behind such an answer, too.
    AnswerBegun,
    /// A request to the model has failed, and is made once more after this wait. Milliseconds.
    AsksAgain {
        wait_ms: u32,
    },
    /// The program's own live status, or a weaker source's reading of it: a level, not an edge.
    Level(Level),
    Process(ProcessFact),
    /// The agent's or a person's own word.
    Reported(Reported),
    /// What a log said of the past: metadata alone.
    History(History),
    /// A visible dialog. `first`: seen before the session's first event, of which it says nothing.
    /// `opening`: of those that come before the program's first prompt alone.
    ScreenDialog {
        reason: BlockedReason,
        detail: Option<String>,
        first: bool,
        opening: bool,
    },
    /// No dialog is visible any more.
    ScreenCleared,
    /// A visible prompt box. `quiet`: the CPU is quiet too.
    ScreenPrompt {
        quiet: bool,
    },
    /// The program takes back what it has said of its status, and says nothing in its place.
    Withdrawn,
    /// What the program's own status says of one of its parts, mostly a helper. `None`: it takes that back, and
    /// what it has said of the parts below it (`ID/...`).
    PartStatus {
        id: String,
        level: Option<Level>,
    },
    /// Known and without meaning for the status.
    Nothing,
    /// Not understood: it changes nothing and is kept for `explain`.
    NotUnderstood {
        why: String,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionStart {
    Startup,
    /// The same of a program that tells it before its prompt box is open: it may still ask something
    /// first, which nothing but its screen shows.
    Early,
    /// The same of a run that nobody can type to and that was started with its prompt, which it takes at once.
    Prompted,
    /// The same of a program at a terminal that was started with a prompt, which it takes once it has come up. Until then
    /// its own status shows rest.
    Asked,
    Resume,
    /// The same of a program that tells it before its prompt box is open.
    EarlyResume,
    /// The same of a run that nobody can type to and that was started with its prompt.
    PromptedResume,
    Clear,
    Compact,
    Fork,
    /// Of a conversation beside the one in the seat, which goes on: a question by the way, of which nothing is kept.
    Side,
}

impl SessionStart {
    pub(crate) fn is_resume(self) -> bool {
        matches!(self, Self::Resume | Self::EarlyResume | Self::PromptedResume)
    }

    /// Does it take the prompt that it was started with?
    pub(crate) fn is_prompted(self) -> bool {
        matches!(self, Self::Prompted | Self::PromptedResume)
    }

    /// Is it told before the prompt box is open?
    pub fn is_early(self) -> bool {
        matches!(self, Self::Early | Self::EarlyResume)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionEnd {
    /// The program leaves.
    Exit,
    /// It leaves because the turn that is open has failed.
    Failed,
    /// Only the conversation ends; the process goes on.
    Clear,
    /// The conversation ends, and it is not said whether the program leaves with it.
    Either,
    /// The same, and with it ends the turn that is open.
    Closed,
    /// Nobody knows what is meant: nothing changes, but for a program that is gone in a moment it was its
    /// goodbye.
    Unclear,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Submitter {
    Person,
    /// The program woke itself, for a finished background task.
    Program,
    /// The program goes on towards a goal by itself, and will do so behind each stop until that is over.
    Goal,
}

/// What shells in the background say of a turn whose agent has finished its answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BackgroundShells {
    /// Nothing: they are shown beside it.
    #[default]
    Idle,
    /// It goes on, as it does with helpers.
    Working,
}

/// Work that goes on behind the main agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Background {
    pub subagents: Vec<String>,
    pub shells: u32,
    /// The agent's stop does not list its helpers, and its own status is the main agent's alone:
    /// a helper runs until its own end is told.
    pub unlisted: bool,
    /// It lists none as none outlives it: whoever is heard of behind it has begun there.
    pub leaves_none: bool,
    /// Nothing tells whose stop it is: while helpers run it may be one of theirs.
    pub anyones: bool,
    /// The list that the agent's stop should have is not there: helpers that are known to run do so
    /// still.
    pub unclear: bool,
    /// Other hooks of it still run, or are known to be called, which may make the agent go on.
    pub unsettled: bool,
    /// The end of the last helper that it leaves behind wakes the main agent.
    pub wakes: bool,
    /// The agent's log tells the end of the turn by its name, once no hook can make it go on: of a stop, that this follows;
    /// of what a log tells, that this is it.
    pub logged: bool,
}

impl Background {
    /// What a stop says that lists nothing of what it leaves behind.
    pub fn unlisted() -> Self {
        Self { unlisted: true, ..Self::default() }
    }

    /// What a stop says whose list is not there.
    pub fn unclear() -> Self {
        Self { unclear: true, ..Self::default() }
    }

    /// What a stop says that may also be a helper's own.
    pub fn anyones() -> Self {
        Self { anyones: true, ..Self::unlisted() }
    }
}

/// The code of a failure of which nothing more is said.
pub const JUST_FAILED: &str = "error";

/// Work that a program shows on its terminal which was started with its first prompt.
pub const PROMPTED: Level = Level::Working { reason: Some(WorkingReason::Prompt) };

/// What a source shows whose conversation goes on in another process.
pub(crate) const ELSEWHERE: &str = "elsewhere";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Level {
    Idle {
        shells: u32,
    },
    /// It calls itself ready, and need not be: why, in words for `explain`.
    MayBeUnready {
        why: String,
    },
    /// Idle, and the last turn came to its end.
    Done,
    Working {
        reason: Option<WorkingReason>,
    },
    Blocked {
        reason: BlockedReason,
        detail: Option<String>,
    },
    Failed {
        code: String,
    },
    /// The conversation goes on in another process, which has a seat of its own.
    Elsewhere,
}

impl Level {
    pub fn word(&self) -> &'static str {
        match self {
            Self::Idle { .. } | Self::MayBeUnready { .. } => "idle",
            Self::Done => "done",
            Self::Working { .. } => "working",
            Self::Blocked { .. } => "blocked",
            Self::Failed { .. } => "failed",
            Self::Elsewhere => ELSEWHERE,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessFact {
    Starting(StartPhase),
    /// It runs; `restored`: found running, not seen starting.
    Running {
        attach: Attach,
        restored: bool,
    },
    /// Probed again and still the same process.
    Alive,
    /// It goes on, and its terminal is gone.
    Orphaned,
    Stopping,
    Suspended,
    Exited(Exit),
    Unprobeable,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Reported {
    pub turn: Option<ReportedTurn>,
    pub detail: Option<String>,
    pub outcome: Option<(OutcomeKind, Option<String>)>,
    pub process: Option<ProcessFact>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportedTurn {
    Unknown,
    Idle,
    /// It rests, as seen from beside it: whoever else tells of its turn tells of its end, and how that came about.
    Rests,
    Working(WorkingReason),
    Blocked(BlockedReason),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    pub prompts: u64,
    pub started_at: Option<UnixMs>,
    pub log_path: Option<String>,
    pub model: Option<String>,
    pub title: Option<String>,
}
