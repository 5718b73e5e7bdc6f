//! Ids of requests that changed nothing: not worth a write, and a retry follows soon or never.

use crate::job::Key;
use crate::limits::RECENT_IDS;
use std::collections::{HashMap, VecDeque};

#[derive(Debug, Default)]
pub(super) struct RecentIds {
    digests: HashMap<String, u64>,
    order: VecDeque<String>,
}

impl RecentIds {
    pub(super) fn digest_of(&self, id: &str) -> Option<u64> {
        self.digests.get(id).copied()
    }

    pub(super) fn remember(&mut self, key: Key) {
        if self.digests.insert(key.id.clone(), key.digest).is_some() {
            return;
        }
        self.order.push_back(key.id);
        if self.order.len() > RECENT_IDS
            && let Some(oldest) = self.order.pop_front()
        {
            self.digests.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_is_forgotten() {
        let mut recent = RecentIds::default();
        for n in 0..=RECENT_IDS as u64 {
            recent.remember(Key { id: n.to_string(), digest: n });
        }
        assert_eq!(recent.digest_of("0"), None);
        assert_eq!(recent.digest_of("1"), Some(1));
        assert_eq!(recent.order.len(), RECENT_IDS);
    }
}
