//! Terminals that are closed above a program which another one runs there that is no shell with jobs, as a launcher that
//! is a pane's own command.
//!
//! A program that ends by itself is followed by such a launcher, and that by their terminal. Where a terminal is closed it
//! is the other way round: the kernel takes it away first, and hangs both up. Where nobody was fast enough to see which it
//! was, the launcher's own end tells, which is that of its program.

use super::ending::Awaited;
use super::{GRACE, HUNG_UP};
use crate::process::{is_alive, leader_of, number_of_terminal, terminal};
use headsup_core::id::ProcessId;
use headsup_core::status::{Exit, ExitKind};
use std::future::pending;
use std::path::{Path, PathBuf};
use tokio::time::{Instant, timeout};

/// The major number of terminals that programs make (`Documentation/admin-guide/devices.txt` of Linux).
const MADE: i64 = 136;

/// Whoever leads the session of a process, and has not put it into a group of its own.
#[derive(Debug, Default)]
pub(super) struct Leader {
    process: Option<ProcessId>,
    /// Where their terminal is to be seen.
    terminal: Option<PathBuf>,
    /// When it has ended before its program.
    left: Option<Instant>,
    has_ended: bool,
    /// Held from when it is first waited for.
    awaited: Option<Awaited>,
    /// How it has ended, where that is to be seen.
    end: Option<Exit>,
}

impl Leader {
    pub(super) fn of(process: &ProcessId) -> Self {
        let leader = leader_of(process);
        let terminal = leader.as_ref().and_then(|_| path_of(terminal(process)?));
        Self::at(leader, terminal)
    }

    pub(super) fn at(process: Option<ProcessId>, terminal: Option<PathBuf>) -> Self {
        Self { process, terminal, ..Self::default() }
    }

    /// Comes back once, when it has ended; may be given up and asked for again. `waits`: else it is looked at.
    pub(super) async fn ends(&mut self, program: &ProcessId, waits: bool) {
        let Some(process) = self.process.as_ref().filter(|_| !self.has_ended) else {
            return pending().await;
        };
        let awaited = self.awaited.get_or_insert_with(|| Awaited::new(process, waits));
        awaited.gone().await;
        self.end = awaited.cause();
        self.awaited = None;
        self.has_ended = true;
        self.left = is_alive(program).then(Instant::now);
    }

    /// Whether the terminal was closed above its program, which has ended in this moment.
    pub(super) fn is_hung_up(&self) -> bool {
        if let Some(left) = self.left {
            return left.elapsed() < HUNG_UP;
        }
        // In this order: with its leader a terminal may go that nobody has closed.
        let is_gone = self.terminal.as_deref().is_some_and(|terminal| !terminal.exists());
        is_gone && self.process.as_ref().is_some_and(is_alive)
    }

    /// How it was stopped in the same moment as its program, which has ended. What else ends it says little: with it the
    /// kernel hangs its program up.
    pub(super) async fn stopped(&mut self, program: &ProcessId, waits: bool) -> Option<Exit> {
        if self.process.is_some() && !self.has_ended {
            timeout(GRACE, self.ends(program, waits)).await.ok();
        }
        self.end.filter(|end| end.kind == ExitKind::Killed && self.left.is_none())
    }
}

/// Where the terminal of this number is to be seen, if it is one that goes with whoever shows it.
fn path_of(number: i64) -> Option<PathBuf> {
    let (major, minor) = ((number >> 8) & 0xfff, (number & 0xff) | ((number >> 12) & 0xfff_ff00));
    let path = Path::new("/dev/pts").join(minor.to_string());
    (major == MADE && number_of_terminal(&path) == Some(number)).then_some(path)
}
