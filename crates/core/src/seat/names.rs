//! The names of turns: those that wait, and those of the open one.

use super::TurnFacts;

/// Nobody has more of them.
const MOST: usize = 64;

impl TurnFacts {
    pub(crate) fn queue(&mut self, reference: &str) {
        push(&mut self.queued, reference);
    }

    /// The program has prompted itself: this is a name of the open turn.
    pub(crate) fn wake(&mut self, reference: &str) {
        push(&mut self.woken, reference);
    }

    /// Is it a name of the open turn?
    pub(crate) fn is_open_as(&self, reference: &str) -> bool {
        let mut names = self.reference.iter().chain(&self.woken);
        self.open && names.any(|name| name == reference)
    }
}

fn push(names: &mut Vec<String>, name: &str) {
    if names.len() == MOST {
        names.remove(0);
    }
    names.push(name.to_owned());
}
