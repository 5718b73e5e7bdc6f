//! Agents at rest: what was said of them lately leaves memory, where ten thousand of them would be
//! a third of everything. The store has it.

use crate::board::Board;
use headsup_core::id::AgentId;
use std::collections::VecDeque;

/// So many that have come to rest are kept as they are: they may go on at once.
const AWAKE: usize = 256;

#[derive(Debug, Default)]
pub(super) struct Resting {
    /// The last one to come to rest is the last. One may be here several times.
    seats: VecDeque<AgentId>,
}

impl Resting {
    /// These are at rest, have just been stored, and are on the board.
    pub(super) fn add(&mut self, seats: Vec<AgentId>, board: &Board) {
        self.seats.extend(seats);
        let too_many = self.seats.len().saturating_sub(AWAKE);
        if too_many > 0 {
            board.put_away(self.seats.drain(..too_many));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use headsup_core::seat::Seat;
    use headsup_core::source::Source;
    use headsup_core::time::UnixMs;
    use std::sync::Arc;

    fn id(n: usize) -> AgentId {
        AgentId::new(format!("a{n}")).unwrap()
    }

    #[test]
    fn only_what_is_stored_and_at_rest_leaves_memory_and_the_latest_stay() {
        let seat = |n: usize| {
            let mut seat = Seat::new(id(n), "custom", Source::Report, UnixMs(0));
            seat.turn.open = n == 0;
            seat.history.as_deref_mut().unwrap().unsaved = n == 1;
            Arc::new(seat)
        };
        let board = Board::new((0..AWAKE + 4).map(seat).collect(), 0, 1);
        let mut resting = Resting::default();
        for n in 0..AWAKE + 3 {
            resting.add(vec![id(n)], &board);
        }
        let is_here = |n: usize| board.seat(&id(n)).unwrap().history.is_some();
        assert_eq!([0, 1, 2, 3].map(is_here), [true, true, false, true]);
        // Somebody reads it now.
        let read = board.seat(&id(3));
        resting.add(vec![id(AWAKE + 3)], &board);
        assert!(read.is_some_and(|seat| seat.history.is_some()) && is_here(3));
    }
}
