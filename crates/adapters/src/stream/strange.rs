//! Lines that say what nobody knows: the hub is told of each kind of them once, and counts it.

use super::{Shown, told};
use std::collections::BTreeSet;

/// Kinds that are told of one stream.
const MOST: usize = 64;

/// What is news in a line: its own name, or a word in it.
const MEMBERS: [&str; 9] =
    ["type", "subtype", "method", "status", "activeFlags", "state", "reason", "tasks", "is_error"];

#[derive(Debug, Default)]
pub(super) struct Strange {
    told: BTreeSet<(String, &'static str)>,
}

impl Strange {
    /// What is to be told of a line beside what it shows. It is of whoever was told of last.
    pub(super) fn take(&mut self, read: &Shown, shown: &Shown) -> Option<Vec<u8>> {
        let Shown { name, strange, .. } = read;
        let member = (*strange)?;
        if self.told.len() >= MOST || !self.told.insert((name.clone(), member)) {
            return None;
        }
        let (name, session) = (name.clone(), shown.session.clone());
        let mut told = told(&Shown { name, session, ..Shown::default() });
        told["strange"] = member.into();
        Some(told.to_string().into_bytes())
    }
}

pub(super) fn member(word: &str) -> Option<&'static str> {
    MEMBERS.into_iter().find(|member| *member == word)
}

/// A line that is JSON, and does not say what it is.
pub(crate) fn nameless() -> Shown {
    Shown { name: "line".to_owned(), strange: Some("type"), ..Shown::default() }
}
