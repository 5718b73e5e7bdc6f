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
    /// Its terminal was closed a moment before it ended.
    #[serde(default)]
    hung_up: bool,
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

/// A code, a signal or a closed terminal belongs to an end alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a code, a signal or hung_up goes with exited")]
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
        let ends = self.code.is_some() || self.signal.is_some() || self.hung_up;
        let fact = match self.state {
            Phase::Exited => {
                let exit = Exit::from_wait(self.code, self.signal, false);
                let kind = match may_be_starved(&exit) && has_struck(&process) {
                    true => ExitKind::OomKilled,
                    false if self.hung_up && may_be_hung_up(&exit) => ExitKind::Killed,
                    false => exit.kind,
                };
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
        let mut row = json!({
            "src": "process", "pid": self.pid, "state": self.state, "attach": self.attach,
            "code": self.code, "signal": self.signal,
        });
        if self.hung_up {
            row["hung_up"] = true.into();
        }
        row
    }
}

/// Was it killed itself, or did it leave with an error because what it had launched was?
fn may_be_starved(exit: &Exit) -> bool {
    exit.was_killed() || (exit.kind == ExitKind::Crashed && exit.signal.is_none())
}

/// Did it leave by itself, with whatever code? Of what a signal says somebody else has killed it.
fn may_be_hung_up(exit: &Exit) -> bool {
    exit.code == Some(0) || exit.is_error()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As it is told, at a machine that has not been short of memory.
    fn ended(told: &Value) -> ExitKind {
        let mut body = json!({"pid": 5, "start_ticks": 50, "state": "exited"});
        for (name, value) in told.as_object().unwrap() {
            body[name] = value.clone();
        }
        let body: ProcessBody = serde_json::from_value(body).unwrap();
        let agent = AgentId::new("api").unwrap();
        let namespaces = Namespaces::new();
        let launched = body.settle(agent, Peer::Unseen, &namespaces, |_| false).unwrap();
        let ProcessFact::Exited(exit) = launched.fact else { panic!("{:?}", launched.fact) };
        exit.kind
    }

    #[test]
    fn a_program_that_leaves_as_its_terminal_is_closed_has_not_crashed_whatever_it_returns() {
        for code in [0, 1, 5] {
            assert_eq!(ended(&json!({"code": code, "hung_up": true})), ExitKind::Killed, "{code}");
        }
        assert_eq!(ended(&json!({"code": 1})), ExitKind::Crashed);
        // Somebody has killed it meanwhile.
        for mut told in [json!({"code": 137}), json!({"code": 139}), json!({"signal": 9})] {
            told["hung_up"] = true.into();
            assert_eq!(ended(&told), ExitKind::Crashed, "{told}");
        }
        assert_eq!(ended(&json!({"signal": 1, "hung_up": true})), ExitKind::Killed);
    }

    #[test]
    fn a_launcher_whose_program_was_killed_leaves_with_an_error() {
        let left = |code, signal| may_be_starved(&Exit::from_wait(code, signal, false));
        assert!(left(None, Some(9)) && left(Some(137), None) && left(Some(1), None));
        assert!(!left(Some(0), None) && !left(None, Some(11)) && !left(None, Some(15)));
    }
}
