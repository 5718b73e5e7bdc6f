//! What is known of the process in a seat.

use crate::id::ProcessId;
use crate::source::Evidence;
use crate::status::{Attach, Exit, Process};
use crate::time::{UnixMs, stored};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProcessFacts {
    pub state: Process,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<ProcessId>,
    #[serde(with = "stored")]
    pub since: UnixMs,
    pub evidence: Evidence,
    /// It has crashed, and no person has looked since.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unseen: bool,
    /// Nobody could type to it when it was last in sight; of one that only starts: nobody will.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub headless: bool,
    /// What was launched, as long as it has not spoken as the agent itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launched: Option<Box<Launched>>,
    /// The process whose terminal is gone while it goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orphan: Option<Box<ProcessId>>,
}

/// The process that was launched for a seat. It may have started the agent, and wait for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Launched {
    pub id: ProcessId,
    /// How it has ended, where that was told while the agent was there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<LaunchedEnd>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaunchedEnd {
    pub exit: Exit,
    #[serde(with = "stored")]
    pub at: UnixMs,
}

impl Launched {
    pub(crate) fn new(id: ProcessId) -> Self {
        Self { id, end: None }
    }
}

impl ProcessFacts {
    fn launched(&self) -> Option<&ProcessId> {
        self.launched.as_ref().map(|launched| &launched.id)
    }

    /// What was launched for the seat, where the agent in it is another process, which that has started.
    pub fn outer(&self) -> Option<&ProcessId> {
        let is_other = |launched: &&ProcessId| self.id.as_ref().is_some_and(|id| id != *launched);
        self.launched().filter(is_other)
    }

    /// Does the process in the seat go on without its terminal?
    pub fn is_orphan(&self) -> bool {
        self.orphan.is_some() && self.orphan.as_deref() == self.id.as_ref() && !self.state.is_over()
    }

    /// Is the process in the seat what was launched, and has nobody but its launcher told of it?
    pub(crate) fn is_unheard(&self) -> bool {
        self.id.is_some() && self.launched() == self.id.as_ref()
    }

    /// It goes on, in one state or another.
    pub(crate) fn become_state(&mut self, state: Process) {
        // A seat that was stored by an older version has the word in its state alone.
        let was = matches!(self.state, Process::Running { attach: Attach::Headless });
        self.headless = match state {
            Process::Running { attach } => attach == Attach::Headless,
            // It may go on as it was; and of one that is gone nobody can have seen how its turn ended.
            Process::Unknown | Process::Stopping | Process::Exited(_) => was || self.headless,
            Process::Starting { .. } | Process::Suspended | Process::Absent => false,
        };
        self.state = state;
    }

    /// How a person reaches one that is in sight again, or comes into sight.
    pub(crate) fn attach(&self) -> Attach {
        if self.headless { Attach::Headless } else { Attach::Interactive }
    }
}
