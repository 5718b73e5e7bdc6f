//! The conversations of a program that has several, all of them in one seat.

use super::Shown;
use headsup_core::observation::Level;
use std::collections::BTreeMap;

/// Conversations that are told apart.
const MOST: usize = 256;

/// What each of them shows.
#[derive(Debug, Default)]
pub(super) struct Threads {
    levels: BTreeMap<String, Level>,
    /// Which one names the seat.
    first: Option<String>,
    /// What is at rest and has still to say how it came to that.
    unexplained: BTreeMap<String, Shown>,
    /// Those that have failed since any of them has been at work, the first one first.
    failed: Vec<(String, Level)>,
}

impl Threads {
    /// What all of them show, with this line of one; `None` where it waits for the next one.
    pub(super) fn take(&mut self, read: Shown) -> Option<Shown> {
        let Some(id) = read.session.clone().filter(|_| read.is_one_of_many) else {
            return Some(read);
        };
        if read.is_unexplained {
            // Of one that was not at work it is no news.
            if self.levels.get(&id).is_some_and(is_busy) {
                self.unexplained.insert(id, read);
            }
            return None;
        }
        let rest = self.unexplained.remove(&id).and_then(|rest| rest.level);
        Some(self.together(id, read, rest))
    }

    pub(super) fn are_unsettled(&self) -> bool {
        !self.unexplained.is_empty()
    }

    /// Nothing says how those at rest came to that.
    pub(super) fn settle(&mut self) -> Vec<Shown> {
        let resting = std::mem::take(&mut self.unexplained);
        resting.into_iter().map(|(id, read)| self.together(id, read, None)).collect()
    }

    /// What waits comes before what works, and that before all else. The first one names the seat.
    /// `rest` is how it came to rest, if nothing has said more of that.
    fn together(&mut self, id: String, mut read: Shown, rest: Option<Level>) -> Shown {
        let rested = !self.levels.values().any(is_busy);
        let gone = match read.level.clone() {
            Some(level) => {
                self.remembers(&id, &level, rested);
                if self.levels.len() >= MOST && !self.levels.contains_key(&id) {
                    self.levels.retain(|_, level| is_busy(level));
                }
                if self.levels.len() < MOST || self.levels.contains_key(&id) {
                    self.levels.insert(id.clone(), level);
                }
                None
            }
            None => self.levels.remove(&id).filter(is_busy),
        };
        if let (Some(_), Some(rest)) = (&gone, &rest) {
            self.remembers(&id, rest, rested);
        }
        let shows =
            |wanted: fn(&Level) -> bool| self.levels.values().find(|level| wanted(level)).cloned();
        let waits = shows(|level| matches!(level, Level::Blocked { .. }));
        let works = || shows(|level| matches!(level, Level::Working { .. }));
        // Whoever goes in the middle of its work has stopped it.
        let stops = || gone.map(|_| rest.unwrap_or(Level::Idle { shells: 0 }));
        let level = waits.or_else(works).or(read.level).or_else(stops);
        // What has failed is no success because others went on longer.
        let failed = || self.failed.first().map(|(_, failed)| failed.clone());
        read.level = match level {
            Some(Level::Done) => failed().or(Some(Level::Done)),
            level => level,
        };
        read.session = Some(self.first.get_or_insert(id).clone());
        read
    }

    /// How one of them has ended, which may be before others have: a failure counts until it completes something, or
    /// all of them have rested and one is at work again.
    fn remembers(&mut self, id: &str, level: &Level, rested: bool) {
        match level {
            Level::Done => self.failed.retain(|(of, _)| of != id),
            Level::Failed { .. } if self.failed.len() < MOST => {
                self.failed.push((id.to_owned(), level.clone()));
            }
            level if rested && is_busy(level) => self.failed.clear(),
            _ => {}
        }
    }
}

fn is_busy(level: &Level) -> bool {
    matches!(level, Level::Working { .. } | Level::Blocked { .. })
}
