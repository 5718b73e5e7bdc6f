//! Everything the writer can be asked to do: the table of contents of what changes the hub.

mod effect;
mod heard;
mod key;
mod lifecycle;
mod prompts;
mod pull;
mod task;

pub(crate) use effect::EffectAct;
pub(crate) use heard::{CommentThere, Heard, TaskThere, Told};
pub(crate) use key::Key;
pub(crate) use lifecycle::LifecycleAct;
pub(crate) use prompts::{Asked, Given, Moved, Noticed, TakenBack};
pub(crate) use pull::PullAct;
pub(crate) use task::TaskAct;

use crate::limits::PROMPTS;
use crate::sighting::HookReport;
use crate::store::StoreError;
use headsup_adapters::RegistryRecord;
use headsup_core::compat::boocode::Meaning;
use headsup_core::compat::panopticon::Activity;
use headsup_core::gate::{Container, Description, Unfit};
use headsup_core::id::{AgentId, ProcessId};
use headsup_core::observation::{Delivery, Fact, ProcessFact, Reported};
use headsup_core::prompt::answer::BadAnswer;
use headsup_core::prompt::input::MOST_OF_AGENT;
use headsup_core::seat::Seat;
use headsup_core::source::Source;
use headsup_core::time::UnixMs;
use headsup_core::verdict::Verdict;
use headsup_core::wire::{HeardDoc, PromptDoc};
use headsup_core::workflow::{By, Stage};
use tokio::sync::oneshot;

/// One job on its way to the writer.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) work: Work,
    pub(crate) key: Option<Key>,
    pub(crate) answer: oneshot::Sender<Answer>,
}

#[derive(Debug)]
pub(crate) enum Work {
    /// A vendor's event.
    Hook(Box<HookReport>),
    /// An agent's or a person's own word.
    Report(OwnReport),
    /// BooCode's word on an agent in a chat.
    Chat(Box<ChatReport>),
    /// Panopticon's word on what an agent does.
    Heartbeat(Box<Heartbeat>),
    /// What an agent found of a task.
    Verdict(Box<VerdictOn>),
    /// A question for a person.
    Ask(Box<Asked>),
    /// A person's answer to one.
    Answer(Box<Given>),
    /// One that is taken back.
    TakeBack(Box<TakenBack>),
    /// One that a person has got, or looked at.
    Notice(Box<Noticed>),
    /// The agent has been told how its own one has ended.
    Brought { agent: AgentId, prompt: String },
    /// Deadlines of questions of this seat have passed.
    Expire { agent: AgentId },
    /// The wall clock was set by so many milliseconds, forward or back (negative).
    ShiftDeadlines { by_ms: i64 },
    /// A workflow moves.
    Stage(Box<Moved>),
    /// A person wants to hear nothing of this seat before then.
    Snooze { agent: AgentId, until: Option<UnixMs> },
    /// What becomes of a task of the hub's own tracker, or of an agent's link to one.
    Task(Box<TaskAct>),
    /// What becomes of a pull request's record.
    Pull(Box<PullAct>),
    /// What a web hook has told.
    Heard(Box<Heard>),
    /// What becomes of something that is to be done at another system.
    Effect(Box<EffectAct>),
    /// A person has an agent put away, taken up again, or ended.
    Lifecycle(Box<LifecycleAct>),
    /// A launcher takes a seat.
    Register(Box<Registration>),
    /// A launcher tells of the process that it has started.
    Launched(Box<Launched>),
    /// A name, a role, labels, a place.
    Describe { agent: AgentId, about: Box<Description> },
    /// Something that the hub saw for itself.
    Witnessed(Witnessed),
    /// Hooks have spooled something.
    Spooled,
    /// A person has seen the outcomes of these seats.
    Seen { agents: Vec<AgentId> },
    /// A person was led to a seat, and nothing more.
    LedTo { agent: AgentId },
    /// A person takes a seat out of the roster.
    Forget { agent: AgentId, force: bool },
    /// Nothing: the writer's thread looks what there is to do.
    Look,
    /// Nothing but an answer, once everything before it is done and flushed.
    Settle,
    /// The same, and the writer's end.
    Shutdown,
    /// A defect, or a look inside.
    #[cfg(test)]
    Probe(Probe),
}

#[cfg(test)]
pub(crate) struct Probe(pub(crate) Box<dyn Fn(&crate::store::Store) + Send>);

#[cfg(test)]
impl std::fmt::Debug for Probe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Probe")
    }
}

#[derive(Debug)]
pub(crate) struct OwnReport {
    pub(crate) agent: AgentId,
    /// Whoever makes it shows the token of the agent's launch.
    pub(crate) of_launch: bool,
    pub(crate) reported: Reported,
    pub(crate) spooled: Option<UnixMs>,
}

/// An event of an agent in a chat.
#[derive(Debug)]
pub(crate) struct ChatReport {
    pub(crate) chat_id: String,
    /// What it is called in the chat.
    pub(crate) name: String,
    /// The event's name, for `explain`.
    pub(crate) event: String,
    pub(crate) meaning: Meaning,
}

/// What an agent does, and a line for its log.
#[derive(Debug)]
pub(crate) struct Heartbeat {
    pub(crate) agent: AgentId,
    /// Whoever sends it shows the token of the agent's launch.
    pub(crate) of_launch: bool,
    pub(crate) activity: Activity,
    pub(crate) tool: Option<String>,
    pub(crate) action: Option<String>,
    /// When the reporter says it happened.
    pub(crate) at: Option<UnixMs>,
}

/// What an agent found of a task.
#[derive(Debug)]
pub(crate) struct VerdictOn {
    pub(crate) agent: AgentId,
    pub(crate) task: String,
    pub(crate) verdict: Verdict,
    pub(crate) notes: Option<String>,
    /// An agent that is not known is registered by it.
    pub(crate) registers: bool,
}

/// A seat for an agent that is about to start.
#[derive(Debug)]
pub(crate) struct Registration {
    pub(crate) agent: AgentId,
    pub(crate) kind: String,
    pub(crate) about: Description,
    /// It goes on with the conversation that is in the seat.
    pub(crate) takes_up: bool,
}

/// A process that was started for a seat.
#[derive(Debug)]
pub(crate) struct Launched {
    pub(crate) agent: AgentId,
    pub(crate) process: ProcessId,
    pub(crate) container: Container,
    pub(crate) fact: ProcessFact,
    /// It only starts, and nobody will be able to type to it.
    pub(crate) headless: bool,
    /// What waited in the spool.
    pub(crate) spooled: Option<Spooled>,
}

/// Of a word that waited in the spool: nobody has asked its caller anything.
#[derive(Debug)]
pub(crate) struct Spooled {
    pub(crate) reported_at: UnixMs,
    /// A digest of the token of the launch that it is about, where that has one.
    pub(crate) token: Option<String>,
}

impl Spooled {
    /// Whether it is about another launch than the one that this seat, as far as it is there, was taken for.
    pub(crate) fn is_of_another(&self, seat: Option<&Seat>) -> bool {
        let taken = seat.and_then(|seat| seat.about.token.as_deref());
        self.token.as_deref().zip(taken).is_some_and(|(said, taken)| said != taken)
    }
}

/// What a source saw.
#[derive(Debug)]
pub(crate) enum Witnessed {
    /// A fact about whoever sits in a known seat.
    Seat(Box<Sight>),
    /// The same of one that was launched: its launcher has left it in the spool.
    Left(Box<Left>),
    /// A status file that a program keeps about itself.
    Status(Box<StatusFile>),
    /// A program that nobody has told of.
    Found(Box<Found>),
}

/// An agent program that was found in a pane.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) kind: &'static str,
    pub(crate) process: ProcessId,
    pub(crate) cwd: Option<String>,
    /// The seat that it was started for.
    pub(crate) claimed: Option<AgentId>,
    /// Pid and start ticks of the processes above it, the nearest first.
    pub(crate) ancestors: Vec<(u32, u64)>,
    /// `%5`.
    pub(crate) pane: String,
}

/// A fact about a known seat.
#[derive(Clone, Debug)]
pub(crate) struct Sight {
    pub(crate) agent: AgentId,
    pub(crate) source: Source,
    /// What the source calls it, for `explain`.
    pub(crate) name: String,
    /// It counts only while the seat is in this session.
    pub(crate) session: Option<String>,
    pub(crate) process: Option<ProcessId>,
    /// When its program says that it made it.
    pub(crate) made_at: Option<UnixMs>,
    /// Whether it has just happened, only stands still, or was read from the past.
    pub(crate) delivery: Delivery,
    pub(crate) fact: Fact,
}

/// What a launcher has seen and could not tell.
#[derive(Debug)]
pub(crate) struct Left {
    pub(crate) sight: Sight,
    pub(crate) spooled: Spooled,
}

/// A status file that was read.
#[derive(Debug)]
pub(crate) struct StatusFile {
    pub(crate) kind: &'static str,
    pub(crate) record: RegistryRecord,
    /// Where the log of its conversation would be.
    pub(crate) log_path: Option<String>,
    pub(crate) container: Container,
    /// The seat that its process was started for.
    pub(crate) claimed: Option<AgentId>,
    /// Pid and start ticks of the processes above it, below a service that runs agents.
    pub(crate) ancestors: Vec<(u32, u64)>,
    /// The process whose conversation it goes on with, as that one's file says.
    pub(crate) asked_by: Option<ProcessId>,
    /// It was there when the hub started.
    pub(crate) first: bool,
}

impl Work {
    /// An act is a person's: it is acknowledged only when it would survive a power cut.
    pub(crate) fn is_act(&self) -> bool {
        match self {
            Self::Register(_) | Self::Describe { .. } | Self::Seen { .. } => true,
            Self::Verdict(_) | Self::Task(_) | Self::Pull(_) | Self::Stage(_) => true,
            Self::Effect(_) | Self::Lifecycle(_) => true,
            Self::Ask(_) | Self::Answer(_) | Self::TakeBack(_) | Self::Notice(_) => true,
            Self::Snooze { .. } => true,
            Self::Heard(heard) => heard.signed,
            Self::Expire { .. } | Self::ShiftDeadlines { .. } | Self::Brought { .. } => false,
            Self::Forget { .. } | Self::Settle | Self::Shutdown => true,
            Self::Hook(_) | Self::Report(_) | Self::Chat(_) | Self::Launched(_) => false,
            Self::Heartbeat(_) => false,
            Self::Witnessed(_) | Self::Spooled | Self::Look | Self::LedTo { .. } => false,
            #[cfg(test)]
            Self::Probe(_) => false,
        }
    }

    /// Whether what waits in the spool comes before it: it may be the same agent's earlier word, or say how
    /// the process has ended that is found gone.
    pub(crate) fn comes_behind_the_spool(&self) -> bool {
        match self {
            Self::Hook(_) | Self::Launched(_) | Self::Spooled => true,
            Self::Witnessed(Witnessed::Seat(sight)) => {
                matches!(sight.fact, Fact::Process(ProcessFact::Exited(_)))
            }
            _ => false,
        }
    }

    /// What somebody tells of one agent: it is soon written, and nobody's disk is waited for.
    pub(crate) fn is_report(&self) -> bool {
        matches!(
            self,
            Self::Hook(_)
                | Self::Report(_)
                | Self::Chat(_)
                | Self::Heartbeat(_)
                | Self::Witnessed(_)
        )
    }
}

pub(crate) type Answer = Result<Reply, Refusal>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    /// Done; the log stands at `cursor`. Without an agent the report was not understood and
    /// belongs to nobody.
    Done { agent: Option<AgentId>, cursor: u64 },
    /// The same, of a prompt: as it is now. `is_new`: it was not found, but opened or ended now.
    Prompt { prompt: Box<PromptDoc>, is_new: bool, cursor: u64 },
    /// Something new has been stored, and is called this.
    Made { id: String },
    /// What came of what a web hook told.
    Heard(Box<HeardDoc>),
    /// This id was seen before: nothing was done now.
    Duplicate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("no agent has this id")]
    NoSuchAgent,
    #[error("no prompt has this id")]
    NoSuchPrompt,
    #[error("the prompt was resolved before")]
    AlreadyResolved,
    #[error("it is answered in the agent's own terminal")]
    TerminalOnly,
    #[error("{0}")]
    BadAnswer(BadAnswer),
    #[error(
        "too many questions are open already: at most {} of one agent, and {} in all",
        MOST_OF_AGENT,
        PROMPTS
    )]
    TooManyPrompts,
    #[error("a question of this agent is open")]
    OpenQuestion,
    #[error("no task has this identifier")]
    NoSuchTask,
    #[error("no pull request has this id")]
    NoSuchPull,
    #[error("nothing that is to be done elsewhere has this key")]
    NoSuchEffect,
    #[error("it is done, or will be: only what was skipped or failed is tried again")]
    EffectNotOver,
    #[error("the pull request is merged")]
    PullFinal,
    #[error("the agent has no task")]
    NoTask,
    #[error(
        "the workflow is at {}, which does not lead to {}", from.map_or("none", Stage::word), to.word()
    )]
    IllegalStage { from: Option<Stage>, to: Stage, by: By },
    #[error("{0}")]
    Unfit(Unfit),
    #[error("what was looked at before is not so any more")]
    NotReady,
    #[error("the agent is running")]
    Running,
    #[error("an agent with this id is there and has not ended")]
    Taken,
    #[error("the agent with this id was put away, and its conversation is kept")]
    PutAway,
    #[error("another agent is called this")]
    NameTaken,
    #[error("this id came before with another body")]
    IdConflict,
    #[error("the disk is full; nothing was stored")]
    StorageFull,
    #[error("the disk does not take it; nothing was stored")]
    StorageFailed,
    #[error("another program keeps the hub's database locked; nothing was stored")]
    StorageLocked,
    /// One row, in which this is kept.
    #[error("what is kept of it cannot be read; nothing was stored")]
    Unreadable,
    /// As long as this hub runs: the next one mends it.
    #[error("the database is damaged; nothing was stored")]
    StorageDamaged,
    /// Of an act alone: the commit was before. What was to follow it may not have been done.
    #[error(
        "it is stored, but the disk did not confirm it: it may be in effect, and gone after a power cut"
    )]
    Unflushed,
    #[error("the hub is stopping")]
    Stopping,
    #[error("a defect in the hub; nothing was stored")]
    Defect,
}

impl Refusal {
    /// What was refused may be taken another time, as it is.
    pub(crate) fn is_of_the_disk(self) -> bool {
        matches!(
            self,
            Self::StorageFull | Self::StorageFailed | Self::StorageLocked | Self::StorageDamaged
        )
    }
}

impl From<&StoreError> for Refusal {
    fn from(error: &StoreError) -> Self {
        match error {
            StoreError::Full(_) => Self::StorageFull,
            StoreError::Damaged(_) => Self::StorageDamaged,
            StoreError::Locked(_) => Self::StorageLocked,
            StoreError::Row { .. } => Self::Unreadable,
            _ => Self::StorageFailed,
        }
    }
}
