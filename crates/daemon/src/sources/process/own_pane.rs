//! The tmux pane that a process was started in: where it stays behind it (`remain-on-exit`), it knows how it has ended.

use super::ending::uncollected_end;
use crate::sources::pane::{self, Place};
use headsup_core::id::ProcessId;
use headsup_core::status::Exit;
use std::os::unix::process::ExitStatusExt as _;
use std::time::Duration;
use tokio::time::Instant;

/// So often its environment is read: one that has been started a moment ago may still become another program.
const LOOKS: u8 = 2;
/// How long its pane may take to know of its end, from the first answer on.
const LATE: Duration = Duration::from_millis(400);
/// How often it is asked meanwhile.
const AGAIN: Duration = Duration::from_millis(50);

/// Read while the process lives: its environment goes with it.
#[derive(Debug, Default)]
pub(super) struct OwnPane {
    place: Option<Place>,
    looks: u8,
}

impl OwnPane {
    pub(super) fn look(&mut self, process: &ProcessId) {
        if self.looks < LOOKS {
            self.looks += 1;
            self.place = Place::of(process);
        }
    }

    /// How the process has ended, as its pane tells: where it was the pane's own, and not a shell's in it.
    pub(super) async fn end_of(&self, process: &ProcessId) -> Option<Exit> {
        let (place, pid) = (self.place.as_ref()?, process.pid_here()?);
        let mut end = pane::end_of(place, pid).await;
        // How busy the server is says nothing of when the pane knows: that counts from the first answer on.
        let late = Instant::now() + LATE;
        while end == pane::End::ToCome && Instant::now() < late {
            // tmux 3.3a can miss the signal of its child, and collects it with the next one that ends, which may be never.
            if let Some(end) = uncollected_end(process) {
                return Some(Exit::from_wait(end.code(), end.signal(), false));
            }
            tokio::time::sleep(AGAIN).await;
            end = pane::end_of(place, pid).await;
        }
        match end {
            pane::End::Told { code, signal } => Some(Exit::from_wait(code, signal, false)),
            pane::End::ToCome | pane::End::Untold => None,
        }
    }
}
