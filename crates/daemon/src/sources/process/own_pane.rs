//! The tmux pane that a process was started in: where it stays behind it (`remain-on-exit`), it knows how it has ended.

use crate::sources::pane::{self, Place};
use headsup_core::id::ProcessId;
use headsup_core::status::Exit;
use std::time::Duration;

/// So often its environment is read: one that has been started a moment ago may still become another program.
const LOOKS: u8 = 2;
/// How long after its end its pane may take to know of it.
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
        let told = async {
            loop {
                match pane::end_of(place, pid).await {
                    pane::End::Told { code, signal } => {
                        return Some(Exit::from_wait(code, signal, false));
                    }
                    pane::End::Untold => return None,
                    pane::End::ToCome => tokio::time::sleep(AGAIN).await,
                }
            }
        };
        tokio::time::timeout(LATE, told).await.ok().flatten()
    }
}
