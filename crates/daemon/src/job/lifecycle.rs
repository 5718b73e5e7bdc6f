//! What people have done with an agent's process.

use headsup_core::id::{AgentId, ProcessId};
use headsup_core::seat::{Launch, Leaving};

#[derive(Debug)]
pub(crate) enum LifecycleAct {
    /// It is to be ended.
    Leave {
        agent: AgentId,
        leaving: Leaving,
        /// The process that can be ended; nothing where none can.
        ready: Option<ProcessId>,
        /// How it was started, where only its process tells.
        launch: Option<Box<Launch>>,
    },
    /// It is to be started again.
    Resume {
        agent: AgentId,
        /// A digest of its new token.
        token: String,
        /// It is known how.
        is_ready: bool,
        /// It is told what to do next.
        with_words: bool,
    },
}
