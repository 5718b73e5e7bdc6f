//! When which seat wants to be looked at again.

use headsup_core::id::AgentId;
use headsup_core::time::UnixMs;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// At most one entry counts for each seat, the earliest. It may be too early, because the seat has
/// been heard of since: whoever takes it out asks the seat again. So hearing of a seat costs
/// nothing here.
#[derive(Debug, Default)]
pub(super) struct Deadlines {
    queue: BinaryHeap<Reverse<(UnixMs, AgentId)>>,
    queued: HashMap<AgentId, UnixMs>,
}

impl Deadlines {
    /// Look at the seat at `at`, or before.
    pub(super) fn set(&mut self, id: &AgentId, at: UnixMs) {
        match self.queued.get_mut(id) {
            Some(queued) if *queued <= at => return,
            Some(queued) => *queued = at,
            None => {
                self.queued.insert(id.clone(), at);
            }
        }
        self.queue.push(Reverse((at, id.clone())));
    }

    pub(super) fn next(&self) -> Option<UnixMs> {
        self.queue.peek().map(|Reverse((at, _))| *at)
    }

    /// Takes out every seat whose time has come.
    pub(super) fn take_due(&mut self, now: UnixMs) -> Vec<AgentId> {
        let mut due = Vec::new();
        while self.next().is_some_and(|at| at <= now) {
            let Some(Reverse((at, id))) = self.queue.pop() else { break };
            if self.queued.get(&id) == Some(&at) {
                self.queued.remove(&id);
                due.push(id);
            }
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_seat_is_due_once_at_its_earliest_time() {
        let id = |text: &str| AgentId::new(text).unwrap();
        let mut deadlines = Deadlines::default();
        deadlines.set(&id("a"), UnixMs(50));
        deadlines.set(&id("b"), UnixMs(20));
        deadlines.set(&id("a"), UnixMs(10));
        deadlines.set(&id("a"), UnixMs(90));
        assert_eq!(deadlines.next(), Some(UnixMs(10)));
        assert_eq!(deadlines.take_due(UnixMs(20)), [id("a"), id("b")]);
        assert_eq!(deadlines.take_due(UnixMs(99)), []);
        deadlines.set(&id("a"), UnixMs(95));
        assert_eq!(deadlines.take_due(UnixMs(99)), [id("a")]);
        assert_eq!(deadlines.next(), None);
    }
}
