//! A launcher's word on its agent's process: told over HTTP, or left in the spool where the hub was away.

use crate::job::Launched;
use crate::namespaces::{Namespaces, Peer};
use headsup_core::id::{AgentId, ProcessId};
use headsup_core::observation::ProcessFact;
use headsup_core::status::{Attach, Exit, ExitKind, StartPhase};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

/// A process of a launcher's, by pid and start time.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProcessBody {
    pid: u32,
    /// Clock ticks since the machine started, as the kernel counts them.
    start_ticks: u64,
    /// The inode of its pid namespace.
    #[serde(default)]
    pid_namespace: Option<u64>,
    state: Phase,
    #[serde(default)]
    attach: Option<Attach>,
    #[serde(default)]
    code: Option<i32>,
    #[serde(default)]
    signal: Option<i32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum Phase {
    /// It will speak for itself.
    Starting,
    /// It has nothing to speak with, so its being there is all there is.
    Running,
    Exited,
}

/// A code or a signal belongs to an end alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a code or a signal goes with exited")]
pub(crate) struct NoEnd;

/// Where it is told of this agent.
pub(crate) fn path(agent: &AgentId) -> String {
    format!("/api/v1/agents/{agent}/process")
}

impl ProcessBody {
    /// What the writer is to be told. `has_struck`: whether the want of memory has ended such a process.
    ///
    /// # Errors
    /// It contradicts itself.
    pub(crate) fn settle(
        &self,
        agent: AgentId,
        peer: Peer,
        namespaces: &Namespaces,
        has_struck: impl Fn(&ProcessId) -> bool,
    ) -> Result<Launched, NoEnd> {
        let mut process = ProcessId::new(self.pid, self.start_ticks);
        process.pid_namespace = self.pid_namespace;
        let container = namespaces.settle(&mut process, peer);
        let ends = self.code.is_some() || self.signal.is_some();
        let fact = match self.state {
            Phase::Exited => {
                let exit = Exit::from_wait(self.code, self.signal, false);
                let starved = may_be_starved(&exit) && has_struck(&process);
                let kind = if starved { ExitKind::OomKilled } else { exit.kind };
                ProcessFact::Exited(Exit { kind, ..exit })
            }
            _ if ends => return Err(NoEnd),
            Phase::Starting => ProcessFact::Starting(StartPhase::Booting),
            Phase::Running => {
                let attach = self.attach.unwrap_or(Attach::Interactive);
                ProcessFact::Running { attach, restored: false }
            }
        };
        let headless = self.state == Phase::Starting && self.attach == Some(Attach::Headless);
        Ok(Launched { agent, process, container, fact, headless, spooled: None })
    }

    /// As it is kept as evidence.
    pub(crate) fn row(&self) -> Value {
        json!({
            "src": "process", "pid": self.pid, "state": self.state, "attach": self.attach,
            "code": self.code, "signal": self.signal,
        })
    }
}

/// Was it killed itself, or did it leave with an error because what it had launched was?
fn may_be_starved(exit: &Exit) -> bool {
    exit.was_killed() || (exit.kind == ExitKind::Crashed && exit.signal.is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launcher_whose_program_was_killed_leaves_with_an_error() {
        let left = |code, signal| may_be_starved(&Exit::from_wait(code, signal, false));
        assert!(left(None, Some(9)) && left(Some(137), None) && left(Some(1), None));
        assert!(!left(Some(0), None) && !left(None, Some(11)) && !left(None, Some(15)));
    }
}
