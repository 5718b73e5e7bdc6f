//! Ids of the last requests, in memory.
//!
//! Two uses: an id of a request that changed nothing is kept only here, because it is not worth a
//! write; and an id that is neither here nor, by its order, among the older ones need not be
//! looked up in the store. Hooks' ids begin with the time, so that is nearly all of them.

use crate::job::Key;
use crate::limits::RECENT_IDS;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

#[derive(Debug)]
pub(super) struct RecentIds {
    digests: HashMap<Arc<str>, u64>,
    order: VecDeque<Arc<str>>,
    /// No stored id that is not here comes behind this one.
    floor: String,
}

/// What memory knows of an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// It came, with a body of this digest.
    With(u64),
    /// It never came.
    Never,
    /// The store must be asked.
    Perhaps,
}

impl RecentIds {
    /// `last` is the last id, by order, that is stored.
    pub(super) fn new(last: Option<String>) -> Self {
        let floor = last.unwrap_or_default();
        Self { digests: HashMap::new(), order: VecDeque::new(), floor }
    }

    pub(super) fn find(&self, id: &str) -> Known {
        match self.digests.get(id) {
            Some(digest) => Known::With(*digest),
            None if id > self.floor.as_str() => Known::Never,
            None => Known::Perhaps,
        }
    }

    pub(super) fn remember(&mut self, key: Key) {
        let id: Arc<str> = key.id.into();
        if self.digests.insert(Arc::clone(&id), key.digest).is_some() {
            return;
        }
        self.order.push_back(id);
        if self.order.len() > RECENT_IDS
            && let Some(oldest) = self.order.pop_front()
        {
            self.digests.remove(&oldest);
            if *oldest > *self.floor {
                (*oldest).clone_into(&mut self.floor);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(n: usize) -> Key {
        Key { id: format!("{n:08}"), digest: n as u64 }
    }

    #[test]
    fn what_has_left_memory_must_be_asked_for() {
        let mut recent = RecentIds::new(None);
        for n in 1..=RECENT_IDS + 1 {
            assert_eq!(recent.find(&key(n).id), Known::Never);
            recent.remember(key(n));
        }
        assert_eq!(recent.order.len(), RECENT_IDS);
        assert_eq!(recent.find(&key(1).id), Known::Perhaps);
        assert_eq!(recent.find(&key(0).id), Known::Perhaps);
        assert_eq!(recent.find(&key(2).id), Known::With(2));
    }

    #[test]
    fn over_a_restart_all_older_ids_must_be_asked_for() {
        let recent = RecentIds::new(Some(key(7).id));
        assert_eq!(recent.find(&key(7).id), Known::Perhaps);
        assert_eq!(recent.find(&key(8).id), Known::Never);
    }
}
