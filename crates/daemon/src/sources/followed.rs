//! The logs that are followed, by whose they are.

use headsup_core::id::AgentId;
use std::collections::HashMap;

/// An agent, or a helper of it.
pub(super) type Owner = (AgentId, Option<String>);

/// Helpers are kept apart: they are few, and of agents there may be ten thousand. Boxed: a table of so many has room
/// for six thousand more.
pub(super) struct Followed<L> {
    own: HashMap<AgentId, Box<L>>,
    of_helpers: HashMap<Owner, Box<L>>,
}

impl<L> Followed<L> {
    pub(super) fn new() -> Self {
        Self { own: HashMap::new(), of_helpers: HashMap::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.own.is_empty() && self.of_helpers.is_empty()
    }

    pub(super) fn get(&self, owner: &Owner) -> Option<&L> {
        let found = match &owner.1 {
            None => self.own.get(&owner.0),
            Some(_) => self.of_helpers.get(owner),
        };
        found.map(|log| &**log)
    }

    pub(super) fn get_mut(&mut self, owner: &Owner) -> Option<&mut L> {
        let found = match &owner.1 {
            None => self.own.get_mut(&owner.0),
            Some(_) => self.of_helpers.get_mut(owner),
        };
        found.map(|log| &mut **log)
    }

    pub(super) fn insert(&mut self, owner: Owner, log: L) {
        match owner {
            (agent, None) => self.own.insert(agent, Box::new(log)),
            owner => self.of_helpers.insert(owner, Box::new(log)),
        };
    }

    pub(super) fn remove(&mut self, owner: &Owner) -> Option<Box<L>> {
        match &owner.1 {
            None => self.own.remove(&owner.0),
            Some(_) => self.of_helpers.remove(owner),
        }
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &L> {
        self.own.values().chain(self.of_helpers.values()).map(|log| &**log)
    }

    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = &mut L> {
        self.own.values_mut().chain(self.of_helpers.values_mut()).map(|log| &mut **log)
    }

    /// Those whose log is picked now.
    pub(super) fn those<F: FnMut(&L) -> bool>(
        &self,
        mut which: F,
    ) -> impl Iterator<Item = Owner> + use<L, F> {
        let own = self.own.iter().filter(|(_, log)| which(log));
        let own: Vec<AgentId> = own.map(|(agent, _)| agent.clone()).collect();
        let helpers = self.of_helpers.iter().filter(|(_, log)| which(log));
        let helpers: Vec<Owner> = helpers.map(|(owner, _)| owner.clone()).collect();
        own.into_iter().map(|agent| (agent, None)).chain(helpers)
    }
}
