//! Which sessions are remembered: all that go on, and of those that rest the ones that were heard of last; and of which
//! nobody knows where they are.

use super::{DEEPEST, Follower, SESSIONS, Session};
use std::collections::BTreeSet;

impl Follower {
    pub(super) fn session(&mut self, id: &str) -> &mut Session {
        if self.sessions.len() >= SESSIONS && !self.sessions.contains_key(id) {
            self.forget();
        }
        self.latest += 1;
        let session = self.sessions.entry(id.to_owned()).or_default();
        session.heard_at = self.latest;
        session
    }

    /// The oldest goes, of those that rest and have started nothing that goes on; not the one that is shown.
    fn forget(&mut self) {
        let runs = |of: &Session| of.is_busy || !of.open.is_empty();
        let mut kept: BTreeSet<&str> = self.current.iter().map(String::as_str).collect();
        for (id, _) in self.sessions.iter().filter(|(_, of)| runs(of)) {
            let mut top = Some(id.as_str());
            for _ in 0..DEEPEST {
                let Some(at) = top else { break };
                kept.insert(at);
                top = self.sessions.get(at).and_then(|session| session.parent.as_deref());
            }
        }
        let rests = self.sessions.iter().filter(|(id, _)| !kept.contains(id.as_str()));
        let oldest = rests.min_by_key(|(_, of)| of.heard_at).map(|(id, _)| id.clone());
        if let Some(oldest) = oldest {
            self.sessions.remove(&oldest);
        }
    }

    /// The program does not know the session that it was asked for so: it is nowhere else, either.
    pub fn learn_absent(&mut self, path: &str) {
        self.unplaced.remove(asked_of(path));
    }

    /// The program does not say where the session is that it was asked for so. The lists of a folder say nothing of one
    /// that may be in another.
    pub fn learn_nothing(&mut self, path: &str) {
        if self.unplaced.len() < SESSIONS {
            self.unplaced.insert(asked_of(path).to_owned());
        }
    }
}

fn asked_of(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, id)| id)
}
