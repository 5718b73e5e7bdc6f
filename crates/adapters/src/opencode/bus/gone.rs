//! Sessions that are deleted: whatever they have started goes with them, and what is still said of any of
//! them is told to nobody.

use super::{Follower, IDLE, Info, SESSIONS, is_up};
use std::collections::VecDeque;

/// The latest ones.
#[derive(Debug, Default)]
pub(super) struct Gone(VecDeque<String>);

impl Gone {
    pub(super) fn has(&self, id: &str) -> bool {
        self.0.iter().any(|gone| gone == id)
    }

    /// It is there again.
    pub(super) fn lift(&mut self, id: &str) {
        self.0.retain(|gone| gone != id);
    }

    fn bury(&mut self, id: String) {
        if self.has(&id) {
            return;
        }
        if self.0.len() == SESSIONS {
            self.0.pop_front();
        }
        self.0.push_back(id);
    }
}

impl Follower {
    /// A session whose parent is gone goes, too: whose child it is may be said only now. Hands out what is to
    /// be told.
    pub(super) fn goes(&mut self, id: &str, info: &Info<'_>) -> Option<Vec<u8>> {
        let parent = info.parent.text()?;
        if !self.gone.has(&parent) {
            return None;
        }
        if self.sessions.contains_key(id) {
            return self.deleted(id, "session.deleted");
        }
        self.gone.bury(id.to_owned());
        None
    }

    /// A session ends, and all below it. Hands out what is to be told.
    pub(super) fn deleted(&mut self, id: &str, kind: &str) -> Option<Vec<u8>> {
        let root = self.root(id);
        let told = match self.is_shared {
            true => self.sessions.get(id).and_then(|session| session.told.as_ref()),
            false => self.told.as_ref().map(|(_, level)| level),
        };
        let stood = told.is_some_and(is_up);
        let below = self.sessions.keys().filter(|other| self.is_below(other, id));
        let below: Vec<String> = below.cloned().collect();
        for one in below {
            self.sessions.remove(&one);
            if self.current.as_ref() == Some(&one) {
                self.current = None;
            }
            self.gone.bury(one);
        }
        self.gone.bury(id.to_owned());
        self.unplaced.retain(|id| !self.gone.has(id));
        let is_root = root == id;
        match self.is_shared {
            _ if is_root && !stood => None,
            // What stood of it nobody else takes back.
            true if is_root => Some(self.body(kind, Some(id), IDLE)),
            true if !self.sessions.contains_key(&root) => None,
            // Its turn may have waited for this helper alone.
            true => self.tell(&root, kind),
            false => self.tell_of_terminal(kind),
        }
    }
}
