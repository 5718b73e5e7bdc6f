//! What a program has said of itself at its terminal and the hub has not been told of yet.
//!
//! It is bounded, and all of it are levels: the last one of each sort counts. Of titles and of
//! progress only that is kept. Statuses come in order; where too many wait, only the last one on
//! the program as a whole, which is never lost, and on each of its parts.

use super::scan::Finding;
use std::collections::VecDeque;
use termstate::{Id, Message, parse_body};

/// Statuses that wait in order.
const MOST: usize = 256;
/// Parts of a program that are remembered where only what stands is kept.
const PARTS: usize = 64;

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) statuses: VecDeque<Vec<u8>>,
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
            Finding::Status(body) => self.push(body),
            Finding::Title(title) => self.title = Some(title),
            Finding::Progress(progress) => self.progress = Some(progress),
        }
    }

    /// What was found after all this.
    pub(crate) fn append(&mut self, later: Self) {
        for body in later.statuses {
            self.push(body);
        }
        self.title = later.title.or(self.title.take());
        self.progress = later.progress.or(self.progress.take());
    }

    fn push(&mut self, body: Vec<u8>) {
        if self.statuses.back() == Some(&body) {
            return;
        }
        if self.statuses.len() >= MOST {
            self.keep_what_stands();
        }
        self.statuses.push_back(body);
    }

    /// The last word on the program, and on each of its parts.
    pub(crate) fn keep_what_stands(&mut self) {
        let (mut known, mut kept) = (Vec::new(), VecDeque::new());
        for body in std::mem::take(&mut self.statuses).into_iter().rev() {
            let Some((part, stands)) = record(&body) else { continue };
            if part.is_none() && !stands {
                // With that it has taken back all that it had said.
                kept.push_front(body);
                break;
            }
            if known.contains(&part) || part.is_some() && known.len() >= PARTS {
                continue;
            }
            kept.push_front(body);
            known.push(part);
        }
        self.statuses = kept;
    }
}

/// Whether it is about the program as a whole, and a status rather than the end of one.
pub(crate) fn root(body: &[u8]) -> Option<bool> {
    record(body).and_then(|(part, stands)| part.is_none().then_some(stands))
}

/// The part of the program that it is about, `None` for the whole; and whether it is a status rather than the end
/// of one.
fn record(body: &[u8]) -> Option<(Option<String>, bool)> {
    let part = |id: Option<Id<'_>>| id.map(|id| id.as_str().to_owned());
    match parse_body(body) {
        Ok(Message::Report(report)) => Some((part(report.id), true)),
        Ok(Message::Clear { id }) => Some((part(id), false)),
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
        found.statuses.iter().map(|body| std::str::from_utf8(body).unwrap()).collect()
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
}
