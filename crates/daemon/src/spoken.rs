//! What an agent has said to its terminal: told over HTTP, or left in the spool where the hub was away.
//!
//! What it means is its adapter's to say.

use crate::job::Sight;
use headsup_adapters::terminal;
use headsup_core::gate;
use headsup_core::id::{AgentId, ProcessId};
use headsup_core::observation::{Delivery, Fact};
use headsup_core::seat::Seat;
use headsup_core::source::Source;
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

/// What a process has said to its terminal: the bodies of its sequences, as they are.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TerminalBody {
    pid: u32,
    /// Clock ticks since the machine started, as the kernel counts them.
    start_ticks: u64,
    /// The inode of its pid namespace.
    #[serde(default)]
    pid_namespace: Option<u64>,
    /// A status report: what stands behind `7501;` in OSC 7501.
    #[serde(default)]
    pub(crate) status: Option<String>,
    /// The status is not said anew: it still stands.
    #[serde(default)]
    pub(crate) again: bool,
    /// What stands behind `0;` or `2;`.
    #[serde(default)]
    pub(crate) title: Option<String>,
    /// What stands behind `9;`, from `4;` on.
    #[serde(default)]
    pub(crate) progress: Option<String>,
}

/// Where it is told of this agent.
pub(crate) fn path(agent: &AgentId) -> String {
    format!("/api/v1/agents/{agent}/terminal")
}

impl TerminalBody {
    /// Who has said it.
    pub(crate) fn process(&self) -> ProcessId {
        let mut process = ProcessId::new(self.pid, self.start_ticks);
        process.pid_namespace = self.pid_namespace;
        process
    }
}

/// A status report of an agent of this kind: what the writer is to be told, and how it is kept as evidence.
pub(crate) fn report(agent: &AgentId, kind: &str, body: &str) -> (Sight, Value) {
    let said = terminal::program_status(kind, body);
    let row = json!({"src": "osc", "osc": 7501, "body": body});
    (sight(agent, Source::ProgramStatus, &said.name, said.fact), row)
}

/// Whether a report has told something else since this was said first. What comes of that the gate says.
pub(crate) fn is_overtaken(seat: &Seat, sight: &Sight) -> bool {
    matches!(&sight.fact, Fact::Level(level) if gate::has_told_since(seat, sight.source, level))
}

/// What is seen of it there.
pub(crate) fn sight(agent: &AgentId, source: Source, name: &str, fact: Fact) -> Sight {
    Sight {
        agent: agent.clone(),
        source,
        name: name.to_owned(),
        session: None,
        // What was launched need not be what sits in the seat: it may have started it.
        process: None,
        made_at: None,
        delivery: Delivery::Live,
        fact,
    }
}
