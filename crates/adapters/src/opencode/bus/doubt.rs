//! Sessions of which something was said that nobody could read: it changes nothing, but may have been their end. So what
//! stands of them is not said again, and grows old, until something of them can be read.

use super::{Follower, anew, is_up};
use crate::json::Raw;
use crate::text;

impl Follower {
    /// `member`: by which an event says what nobody knows. Whose it is may be just that.
    pub(super) fn doubt(&mut self, kind: &str, member: &str, session: Raw<'_>) {
        let id = session.text().and_then(|id| text::id(&id));
        let is_of_none = member == "type" && kind != anew::UNNAMED && id.is_none();
        if is_of_none || matches!(kind, "session.created" | "session.updated") {
            return;
        }
        let may_end = member == "type" && anew::may_end(kind);
        let is_error = may_end || kind == "session.error" && id.is_none();
        for (one, of) in &mut self.sessions {
            if id.as_ref().is_none_or(|id| id == one) {
                of.is_doubted = true;
                of.is_unclear |= is_error && of.is_busy;
            }
        }
    }

    /// This one could be read. Was there a doubt?
    pub(super) fn believe(&mut self, kind: &str, id: &str) -> bool {
        // An error is not yet an end.
        kind != "session.error" && std::mem::take(&mut self.session(id).is_doubted)
    }

    /// Does it rest, and nobody knows how it came to that? Then whatever is told of it next is news.
    pub(super) fn is_unclear(&mut self, id: &str) -> bool {
        let of = self.sessions.get_mut(id).filter(|of| of.is_unclear && !of.is_busy);
        of.map(|of| of.is_doubted = true).is_some()
    }

    /// What stands, to be said again: whatever does not rest.
    pub fn stands(&self) -> Vec<Vec<u8>> {
        let name = "server.heartbeat";
        match self.is_shared {
            true => self.sessions.keys().filter_map(|id| self.standing(id, name)).collect(),
            false => self.standing("", name).into_iter().collect(),
        }
    }

    /// The same of one that is nobody's child; in a terminal, of all.
    pub(super) fn standing(&self, root: &str, name: &str) -> Option<Vec<u8>> {
        let (id, level) = match self.is_shared {
            true => (Some(root), self.sessions.get(root)?.told.as_ref()?),
            false => self.told.as_ref().map(|(id, level)| (id.as_deref(), level))?,
        };
        let is_its = |id: &str| !self.is_shared || self.root(id) == root;
        let is_sure = is_up(level)
            && self.sessions.iter().any(|(id, of)| {
                (of.is_busy || !of.open.is_empty()) && !of.is_doubted && is_its(id)
            });
        is_sure.then(|| self.body(name, id, level.clone()))
    }
}
