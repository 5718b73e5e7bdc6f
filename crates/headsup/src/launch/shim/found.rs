//! What a program has said of itself at its terminal and the hub has not been told of yet.
//!
//! It is bounded, and all of it are levels: the last one of each sort counts. Of titles and of
//! progress only that is kept. Statuses come in order; where too many wait, only the last one on
//! the program as a whole, which is never lost, and on each of its parts. While the hub is away, the
//! turns that have come to their end are kept as well.

use super::scan::Finding;
use crate::hook::deliver::Mark;
use std::collections::VecDeque;
use termstate::{Id, Message, State, parse_body};

/// Statuses that wait in order.
const MOST: usize = 256;
/// Parts of a program that are remembered where only what stands is kept.
const PARTS: usize = 64;

/// A status, and which one it is, however often it is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Status {
    pub(crate) body: Vec<u8>,
    pub(crate) mark: Mark,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) statuses: VecDeque<Status>,
    pub(crate) title: Option<Vec<u8>>,
    pub(crate) progress: Option<Vec<u8>>,
}

impl Found {
    pub(crate) fn is_empty(&self) -> bool {
        self.statuses.is_empty() && self.title.is_none() && self.progress.is_none()
    }

    pub(crate) fn take(&mut self, finding: Finding) {
        match finding {
            Finding::Query => {}
            Finding::Status(body) => self.push(Status { body, mark: Mark::now() }),
            Finding::Title(title) => self.title = Some(title),
            Finding::Progress(progress) => self.progress = Some(progress),
        }
    }

    /// What was found after all this.
    pub(crate) fn append(&mut self, later: Self) {
        for status in later.statuses {
            self.push(status);
        }
        self.title = later.title.or(self.title.take());
        self.progress = later.progress.or(self.progress.take());
    }

    fn push(&mut self, status: Status) {
        if self.statuses.back().is_some_and(|last| last.body == status.body) {
            return;
        }
        if self.statuses.len() >= MOST {
            self.keep_what_stands();
        }
        self.statuses.push_back(status);
    }

    /// The last word on the program, and on each of its parts.
    fn keep_what_stands(&mut self) {
        self.keep(false);
    }

    /// Where they are told late: the same, and of the program as a whole each turn that it has begun or ended
    /// before. What it asked then is answered.
    pub(crate) fn keep_turns(&mut self) {
        self.keep(true);
    }

    fn keep(&mut self, with_turns: bool) {
        let (mut known, mut kept) = (Vec::new(), VecDeque::new());
        // Of the program as a whole: the one that comes behind, `None` within where it takes back what it has said.
        let (mut later, mut is_taken_back) = (None, false);
        for status in std::mem::take(&mut self.statuses).into_iter().rev() {
            let Some((part, state)) = record(&status.body) else { continue };
            if let Some(part) = part {
                // With its own the program has taken back those of its parts.
                if !is_taken_back && !known.contains(&part) && known.len() < PARTS {
                    known.push(part);
                    kept.push_front(status);
                }
                continue;
            }
            let takes_back = state.is_none() && !is_taken_back;
            let is_turn = later != Some(state) && state != Some(State::Blocked);
            if later.is_none() || takes_back || with_turns && is_turn {
                later = Some(state);
                kept.push_front(status);
            }
            is_taken_back |= takes_back;
        }
        self.statuses = kept;
    }
}

/// Whether it is about the program as a whole, and a status rather than the end of one.
pub(crate) fn root(body: &[u8]) -> Option<bool> {
    record(body).and_then(|(part, state)| part.is_none().then_some(state.is_some()))
}

/// Whether what it says holds until something else is said, which rest does not. `None`: it says nothing of that.
pub(crate) fn stands(body: &[u8]) -> Option<bool> {
    match record(body)? {
        (None, state) => Some(state.is_some_and(|state| state != State::Idle)),
        (Some(_), state) => (state == Some(State::Blocked)).then_some(true),
    }
}

/// The part of the program that it is about, `None` for the whole; and its status, `None` where that is taken back.
fn record(body: &[u8]) -> Option<(Option<String>, Option<State>)> {
    let part = |id: Option<Id<'_>>| id.map(|id| id.as_str().to_owned());
    match parse_body(body) {
        Ok(Message::Report(report)) => Some((part(report.id), Some(report.state))),
        Ok(Message::Clear { id }) => Some((part(id), None)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn say(found: &mut Found, body: &str) {
        found.take(Finding::Status(body.as_bytes().to_vec()));
    }

    fn said(found: &Found) -> Vec<&str> {
        let bodies = found.statuses.iter().map(|status| status.body.as_slice());
        bodies.map(|body| std::str::from_utf8(body).unwrap()).collect()
    }

    #[test]
    fn a_status_outlives_any_number_of_titles() {
        let mut found = Found::default();
        say(&mut found, "state=blocked");
        for number in 0..10 * MOST {
            found.take(Finding::Title(number.to_string().into_bytes()));
            found.take(Finding::Progress(format!("4;1;{number}").into_bytes()));
            found.take(Finding::Query);
        }
        assert_eq!(said(&found), ["state=blocked"]);
        let last = 10 * MOST - 1;
        assert_eq!(found.title, Some(last.to_string().into_bytes()));
        assert_eq!(found.progress, Some(format!("4;1;{last}").into_bytes()));
    }

    #[test]
    fn the_programs_own_status_outlives_any_number_of_its_parts() {
        let mut found = Found::default();
        say(&mut found, "state=blocked");
        for number in 0..10 * MOST {
            say(&mut found, &format!("state=working:id=p{number}"));
            assert!(found.statuses.len() <= MOST, "{}", found.statuses.len());
        }
        let said = said(&found);
        assert_eq!(said.first(), Some(&"state=blocked"));
        let last = format!("state=working:id=p{}", 10 * MOST - 1);
        assert_eq!(said.last(), Some(&last.as_str()));
    }

    #[test]
    fn of_too_many_the_last_one_of_each_counts_in_order() {
        let mut found = Found::default();
        for _ in 0..MOST / 2 {
            say(&mut found, "state=working:id=x");
            say(&mut found, "state=blocked:id=y");
        }
        assert_eq!(found.statuses.len(), MOST, "nothing is lost before");
        say(&mut found, "state=done");
        assert_eq!(said(&found), ["state=working:id=x", "state=blocked:id=y", "state=done"]);
        // What came later stands behind it.
        let mut later = Found::default();
        say(&mut later, "state=done");
        say(&mut later, "state=clear:id=y");
        found.append(later);
        found.keep_what_stands();
        assert_eq!(said(&found), ["state=working:id=x", "state=done", "state=clear:id=y"]);
    }
    #[test]
    fn what_is_told_late_are_the_turns_and_what_stands() {
        let mut found = Found::default();
        let words = [
            "working",
            "working:id=x",
            "blocked",
            "working:progress=5",
            "working:progress=9",
            "done",
            "working",
            "blocked",
            "done",
            "clear:id=x",
            "idle",
            "working",
            "blocked:id=y",
            "blocked",
        ];
        for word in words {
            say(&mut found, &format!("state={word}"));
        }
        let marks: Vec<Mark> = found.statuses.iter().map(|status| status.mark.clone()).collect();
        found.keep_turns();
        let kept = [
            "working:progress=9",
            "done",
            "working",
            "done",
            "clear:id=x",
            "idle",
            "working",
            "blocked:id=y",
            "blocked",
        ];
        assert_eq!(said(&found), kept.map(|word| format!("state={word}")));
        let places = [4, 5, 6, 8, 9, 10, 11, 12, 13];
        assert!(found.statuses.iter().zip(places).all(|(status, at)| status.mark == marks[at]));
        found.keep_turns();
        assert_eq!(found.statuses.len(), kept.len());
        // A program that takes back what it has said as it leaves has done what it did.
        say(&mut found, "state=done");
        say(&mut found, "state=clear");
        found.keep_turns();
        assert_eq!(said(&found)[4..], ["state=idle", "state=working", "state=done", "state=clear"],);
    }
}
