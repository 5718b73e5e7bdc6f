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
    /// At the last look it was not there any more.
    is_missed: bool,
}

impl Terminal {
    /// `had_pane`: it is known to have had one, which may be gone by now.
    pub(super) fn new(had_pane: bool) -> Self {
        Self { had_one: had_pane, was_seen: false, is_missed: false }
    }

    /// What a look says: true once, when it is gone. A program may also part with it; then its pane, where it has
    /// one, is still there. One that ends with it is not there at the second look.
    pub(super) async fn is_gone(&mut self, has_one: bool, process: &ProcessId) -> bool {
        self.was_seen |= has_one;
        self.had_one |= has_one;
        let is_missed = self.had_one && !has_one;
        let was_missed = std::mem::replace(&mut self.is_missed, is_missed);
        if !is_missed || !was_missed {
            return false;
        }
        let is_there = match Place::of(process) {
            Some(place) => pane::is_there(&place).await,
            None => Some(!self.was_seen),
        };
        // Where its server does not answer, the next look asks again.
        self.had_one = is_there.is_none();
        is_there == Some(false)
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
        for has_one in [false, true, false, true, false, false, false] {
            told.push(terminal.is_gone(has_one, &process).await);
        }
        assert_eq!(told, [false, false, false, false, false, true, false]);
        let mut unseen = Terminal::new(true);
        for _ in 0..3 {
            assert!(!unseen.is_gone(false, &process).await, "nothing tells of its pane");
        }
    }
}
