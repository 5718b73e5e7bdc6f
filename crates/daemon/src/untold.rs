//! Answers that have not reached whoever asked: the agent's wait for them was cut off, by its program's limit for
//! calls or by its end. Asked again, such a question is answered with what the person has said already.
//!
//! Kept in memory: after a restart of the hub such a question is asked once more.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The last ones are kept.
const MOST: usize = 1_024;

/// Ids of prompts.
#[derive(Debug, Default)]
pub(crate) struct Untold(Mutex<VecDeque<String>>);

impl Untold {
    /// The agent's wait for this one has been cut off while it was open.
    pub(crate) fn cut_off(&self, prompt: &str) {
        let mut prompts = self.lock();
        prompts.retain(|id| id != prompt);
        prompts.push_back(prompt.to_owned());
        if prompts.len() > MOST {
            prompts.pop_front();
        }
    }

    pub(crate) fn has(&self, prompt: &str) -> bool {
        self.lock().iter().any(|id| id == prompt)
    }

    /// The agent knows how this one has ended.
    pub(crate) fn told(&self, prompt: &str) {
        self.lock().retain(|id| id != prompt);
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_off_is_kept_until_it_is_told_and_not_for_ever() {
        let untold = Untold::default();
        for _ in 0..2 {
            untold.cut_off("a");
        }
        assert!(untold.has("a"));
        untold.told("a");
        assert!(!untold.has("a"));
        for number in 0..=MOST {
            untold.cut_off(&number.to_string());
        }
        assert!(!untold.has("0") && untold.has("1"));
    }
}
