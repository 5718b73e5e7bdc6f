//! A seat whose agent rests takes no more memory than what it says: there may be ten thousand.

use super::Seat;

impl Seat {
    /// What was said of it lately leaves memory, where the store has that, and so does room in which nothing lies any
    /// more. What the seat says stays as it is.
    pub fn put_away(&mut self) {
        self.history.take_if(|history| !history.unsaved);
        self.left_sessions.shrink_to_fit();
        self.verdicts.shrink_to_fit();
        self.untold.shrink_to_fit();
        self.prompts.shrink_to_fit();
        self.subagents.shrink_to_fit();
        self.open_tools.shrink_to_fit();
        self.ended_calls.shrink_to_fit();
        self.ended_helpers.shrink_to_fit();
        self.claims.shrink_to_fit();
        self.held.shrink_to_fit();
        let turn = &mut self.turn;
        for names in [&mut turn.queued, &mut turn.woken, &mut turn.former] {
            names.shrink_to_fit();
        }
        turn.beside.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::super::{EndedCall, History, Seat};
    use crate::id::AgentId;
    use crate::source::Source;
    use crate::time::UnixMs;

    #[test]
    fn a_seat_at_rest_keeps_what_it_says_and_no_room_beside_it() {
        let id = AgentId::new("api").unwrap();
        let mut seat = Seat::new(id, "custom", Source::Report, UnixMs(0));
        seat.history = Some(Box::new(History::default()));
        seat.subagents.push("helper".to_owned());
        seat.subagents.clear();
        seat.ended_calls.push(EndedCall { id: "call".to_owned(), started: true });
        seat.open_tools.reserve(4);
        let before = Seat { history: None, ..seat.clone() };
        seat.put_away();
        assert_eq!(seat, before);
        let room =
            [seat.subagents.capacity(), seat.open_tools.capacity(), seat.ended_calls.capacity()];
        assert_eq!(room, [0, 0, 1]);
        let unsaved = History { unsaved: true, ..History::default() };
        seat.history = Some(Box::new(unsaved));
        seat.put_away();
        assert!(seat.history.is_some(), "it is nowhere else");
    }
}
