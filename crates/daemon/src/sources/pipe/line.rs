//! The line to the reader of a pane's pipe, which tmux starts: a pipe of our own that says what to do, and whose end
//! says that it is over. The reader finds it among our files, so that nothing of it stands on a command line, and
//! whatever ends the hub ends it.

use super::super::pane::Place;
use headsup_core::id::{AgentId, ProcessId};
use rustix::pipe::{PipeFlags, pipe_with};
use serde::{Deserialize, Serialize};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::Path;

/// The first word of such a reader's command line; the second is where it finds its order.
pub const READ_PANE: &str = "__read-pane";
/// So much is written to a pipe at once, or not at all (`PIPE_BUF`). Bytes.
const LONGEST: usize = 4_096;

/// What a reader is to know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReaderOrder {
    /// The state folder of the hub.
    pub home: String,
    pub agent: AgentId,
    /// By which the hub knows the reader.
    pub key: String,
    /// The agent's process.
    pub pid: u32,
    /// Clock ticks from boot to its start.
    pub start_ticks: u64,
    /// The socket of the tmux server.
    pub server: String,
    /// `%5`.
    pub pane: String,
}

/// The hub's end.
#[derive(Debug)]
pub(super) struct Line {
    /// The reader opens this one anew.
    reads: OwnedFd,
    _writes: OwnedFd,
}

impl Line {
    /// A line with an order on it, and the reader's key. `None`: there is no descriptor for it, or a path that is no
    /// text or too long.
    pub(super) fn new(
        home: &Path,
        agent: &AgentId,
        process: &ProcessId,
        place: &Place,
    ) -> Option<(Self, String)> {
        let mut random = [0_u8; 16];
        getrandom::fill(&mut random).ok()?;
        let key = format!("{:032x}", u128::from_ne_bytes(random));
        let order = ReaderOrder {
            home: home.to_str()?.to_owned(),
            agent: agent.clone(),
            key: key.clone(),
            pid: process.pid,
            start_ticks: process.start_ticks,
            server: place.socket().to_str()?.to_owned(),
            pane: place.name().to_owned(),
        };
        let mut bytes = serde_json::to_vec(&order).ok()?;
        bytes.push(b'\n');
        if bytes.len() > LONGEST {
            return None;
        }
        let (reads, writes) = pipe_with(PipeFlags::CLOEXEC).ok()?;
        let written = rustix::io::write(&writes, &bytes).ok()?;
        (written == bytes.len()).then_some((Self { reads, _writes: writes }, key))
    }

    /// What tmux gives to a shell: numbers and words of ours alone. An update may have taken our file away; what runs
    /// can still be run.
    pub(super) fn command(&self) -> String {
        let (pid, file) = (std::process::id(), self.reads.as_raw_fd());
        format!("exec /proc/{pid}/exe {READ_PANE} /proc/{pid}/fd/{file}")
    }
}
