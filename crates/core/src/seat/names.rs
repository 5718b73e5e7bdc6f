//! The names of turns: those that wait, and those of the open one.

use super::TurnFacts;
use thin_vec::ThinVec;

/// Nobody has more of them.
const MOST: usize = 64;

impl TurnFacts {
    pub(crate) fn queue(&mut self, reference: &str) {
        push(&mut self.queued, reference);
    }

    /// The program has prompted itself, mostly with what a helper has found: this is a name of the open turn.
    pub(crate) fn wake(&mut self, reference: &str) {
        self.stop.owed = self.stop.owed.saturating_sub(1);
        push(&mut self.woken, reference);
    }

    /// What goes on behind the main agent has woken it: the same turn goes on by another name.
    pub(crate) fn go_on_as(&mut self, reference: Option<&str>) {
        self.main_stopped = false;
        self.awaits_helpers = false;
        (self.stop.is_awaited, self.stop.waiting, self.stop.is_cut) = (false, 0, false);
        let names = self.reference.take().into_iter().chain(std::mem::take(&mut self.woken));
        for name in names.filter(|name| Some(name.as_str()) != reference) {
            if !self.former.contains(&name) {
                push(&mut self.former, &name);
            }
        }
        self.reference = reference.map(str::to_owned);
    }

    /// Did the open turn bear this name before it stopped and was woken?
    pub(crate) fn has_stopped_as(&self, reference: &str) -> bool {
        self.open && self.former.iter().any(|name| name == reference)
    }

    /// Of a turn that ends: its name, and the others that it had.
    pub(crate) fn take_names(&mut self) -> (Option<String>, Vec<String>) {
        let mut names = std::mem::take(&mut self.former);
        names.append(&mut self.woken);
        (self.reference.take(), names.into_iter().collect())
    }

    /// Has the program gone on by itself by the name that the turn bears now?
    pub(crate) fn is_woken(&self) -> bool {
        self.reference.as_ref().is_some_and(|own| self.woken.contains(own))
    }

    /// Is it a name of the open turn?
    pub(crate) fn is_open_as(&self, reference: &str) -> bool {
        let mut names = self.reference.iter().chain(&self.woken);
        self.open && names.any(|name| name == reference)
    }
}

fn push(names: &mut ThinVec<String>, name: &str) {
    if names.len() == MOST {
        names.remove(0);
    }
    names.push(name.to_owned());
}
