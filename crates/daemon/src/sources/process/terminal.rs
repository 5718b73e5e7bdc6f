//! Terminals that go away while what was started in them goes on.
//!
//! The kernel takes a terminal that was hung up from every process that had it, whichever program has shown it.

use crate::sources::pane::{self, Place};
use headsup_core::id::ProcessId;

/// What has been seen of the terminal of a process.
#[derive(Debug)]
pub(super) struct Terminal {
    had_one: bool,
    was_seen: bool,
}

impl Terminal {
    /// `had_pane`: it is known to have had one, which may be gone by now.
    pub(super) fn new(had_pane: bool) -> Self {
        Self { had_one: had_pane, was_seen: false }
    }

    /// What a look says: true once, when it is gone. A program may also part with it; then its pane, where it has
    /// one, is still there.
    pub(super) async fn is_gone(&mut self, has_one: bool, process: &ProcessId) -> bool {
        let had_one = std::mem::replace(&mut self.had_one, has_one);
        self.was_seen |= has_one;
        if has_one || !had_one {
            return false;
        }
        let place = Place::of(process);
        match &place {
            Some(place) => !pane::is_there(place).await,
            None => self.was_seen,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_terminal_that_is_gone_is_told_once() {
        // Nobody has this pid, and so no variables.
        let process = ProcessId::new(u32::MAX, 1);
        let mut terminal = Terminal::new(false);
        let mut told = Vec::new();
        for has_one in [false, true, true, false, false] {
            told.push(terminal.is_gone(has_one, &process).await);
        }
        assert_eq!(told, [false, false, false, true, false]);
        assert!(!Terminal::new(true).is_gone(false, &process).await, "nothing tells of its pane");
    }
}
