//! The line to the reader of a pane's pipe, which tmux starts: a pipe of our own that says what to do, and whose end
//! says that it is over. The reader finds it among our files, so that nothing of it stands on a command line, and
//! whatever ends the hub ends it.

use headsup_core::id::{AgentId, ProcessId};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
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
    /// The reader opens this one anew, and takes what is on it. Then the reader's is the only one.
    reads: Option<OwnedFd>,
    writes: OwnedFd,
}

/// At once.
const NOW: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };

impl Line {
    /// A line with an order on it, and the reader's key. `None`: there is no descriptor for it, or a path that is no
    /// text or too long. `server` is its socket, `pane` as it calls it.
    pub(super) fn new(
        home: &Path,
        agent: &AgentId,
        process: &ProcessId,
        (server, pane): (&Path, &str),
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
            server: server.to_str()?.to_owned(),
            pane: pane.to_owned(),
        };
        let mut bytes = serde_json::to_vec(&order).ok()?;
        bytes.push(b'\n');
        if bytes.len() > LONGEST {
            return None;
        }
        let (reads, writes) = pipe_with(PipeFlags::CLOEXEC).ok()?;
        let written = rustix::io::write(&writes, &bytes).ok()?;
        (written == bytes.len()).then_some((Self { reads: Some(reads), writes }, key))
    }

    /// What tmux gives to a shell: numbers and words of ours alone. An update may have taken our file away; what runs
    /// can still be run. `None`: the reader has its order already.
    pub(super) fn command(&self) -> Option<String> {
        let (pid, file) = (std::process::id(), self.reads.as_ref()?.as_raw_fd());
        Some(format!("exec /proc/{pid}/exe {READ_PANE} /proc/{pid}/fd/{file}"))
    }

    /// Whether a reader has taken its order and is not there any more, whatever ended it.
    pub(super) fn is_left(&mut self) -> bool {
        if let Some(reads) = &self.reads {
            if has(reads, PollFlags::IN) {
                // Nobody has come yet.
                return false;
            }
            self.reads = None;
        }
        // Of a pipe that nobody can read.
        has(&self.writes, PollFlags::ERR)
    }
}

/// Whether the system tells this of it now.
fn has(file: &OwnedFd, what: PollFlags) -> bool {
    let mut fds = [PollFd::new(file, what)];
    poll(&mut fds, Some(&NOW)).is_ok() && fds[0].revents().contains(what)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::Read as _;

    #[test]
    fn a_reader_that_has_left_is_told_from_one_that_has_not_come_and_from_one_that_listens() {
        let agent = AgentId::new("api").unwrap();
        let (process, pane) = (ProcessId::new(1, 2), (Path::new("/s"), "%5"));
        let (mut line, key) = Line::new(Path::new("/h"), &agent, &process, pane).unwrap();
        assert!(!line.is_left());
        let command = line.command().unwrap();
        let mut reader = File::open(command.split(' ').next_back().unwrap()).unwrap();
        let mut order = [0; LONGEST];
        let count = reader.read(&mut order).unwrap();
        let order: ReaderOrder = serde_json::from_slice(&order[..count]).unwrap();
        assert_eq!((order.key, order.pane.as_str()), (key, "%5"));
        assert!(!line.is_left());
        assert!(line.command().is_none(), "one reader");
        drop(reader);
        assert!(line.is_left());
    }
}
