//! Agents that a service of their program runs in the background: who has asked for them, neither the environment
//! nor the processes above that service tell.

use crate::process;
use headsup_adapters::{has_service, is_service};
use headsup_core::id::AgentId;

/// What is told of where an agent runs.
#[derive(Debug)]
pub(crate) struct Surroundings<'a> {
    pub(crate) kind: &'a str,
    /// The seat that its environment names.
    pub(crate) claimed: &'a mut Option<AgentId>,
    /// Pid and start ticks of the processes above it, the nearest first.
    pub(crate) ancestors: &'a mut Vec<(u32, u64)>,
}

impl Surroundings<'_> {
    /// Leaves out what is the service's own, and returns how many processes stand below it; `None`: there is no
    /// service above. `may_be`: which of the processes are looked at.
    pub(crate) fn without_service(self, may_be: impl Fn(usize) -> bool) -> Option<usize> {
        if !has_service(self.kind) {
            return None;
        }
        let is_one = |place: (u32, u64)| {
            let words = process::command_line(place.0);
            words.is_some_and(|words| is_service(self.kind, &words))
                && process::identity(place.0) == Some(place)
        };
        let mut places = self.ancestors.iter().enumerate();
        let (below, service) = places.find(|(at, place)| may_be(*at) && is_one(**place))?;
        // Somebody below the service may have been launched for a seat all the same.
        if self.claimed.is_some() && *self.claimed == process::claimed_seat(service.0) {
            *self.claimed = None;
        }
        self.ancestors.truncate(below);
        Some(below)
    }
}
