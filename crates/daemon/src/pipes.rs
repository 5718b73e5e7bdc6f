//! Which agents are heard through a pipe of their pane, and by whom. tmux starts the readers of such pipes, not we:
//! nothing but a key that only the hub and the reader know tells them from others.

use crate::caller::digest;
use axum::http::HeaderMap;
use headsup_core::id::AgentId;
use headsup_core::source::Source;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How an agent is heard at its pane, or why it is not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Pipe {
    /// By a reader of ours, with this key (a digest).
    Ours { pane: String, key: String },
    /// It has a pipe of its person's.
    Anothers { pane: String },
}

/// The pipes of all agents.
#[derive(Debug, Default)]
pub(crate) struct Pipes {
    known: Mutex<HashMap<AgentId, Pipe>>,
}

impl Pipes {
    pub(crate) fn set(&self, agent: &AgentId, pipe: Pipe) {
        self.lock().insert(agent.clone(), pipe);
    }

    pub(crate) fn forget(&self, agent: &AgentId) {
        self.lock().remove(agent);
    }

    /// How many are heard.
    pub(crate) fn heard(&self) -> usize {
        self.lock().values().filter(|pipe| matches!(pipe, Pipe::Ours { .. })).count()
    }

    /// Is it heard by a reader of ours, as far as is known?
    pub(crate) fn is_ours(&self, agent: &AgentId) -> bool {
        matches!(self.lock().get(agent), Some(Pipe::Ours { .. }))
    }

    /// Does the request come from the reader of this agent's pipe?
    pub(crate) fn is_reader(&self, agent: &AgentId, headers: &HeaderMap) -> bool {
        let token = headers.get("x-headsup-agent-token").and_then(|token| token.to_str().ok());
        let Some(said) = token.filter(|token| !token.is_empty()).map(digest) else { return false };
        matches!(self.lock().get(agent), Some(Pipe::Ours { key, .. }) if *key == said)
    }

    /// In words, for `explain` of what this source says of it.
    pub(crate) fn note(&self, agent: &AgentId, source: Source) -> Option<String> {
        match self.lock().get(agent)? {
            // Where that was replaced nothing of it counts any more.
            Pipe::Ours { pane, .. } => (source == Source::ProgramStatus)
                .then(|| format!("heard through a pipe of its tmux pane {pane}")),
            Pipe::Anothers { pane } => {
                let why = "its status reports are not heard: its tmux pane";
                Some(format!("{why} {pane} has a pipe of its person's"))
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<AgentId, Pipe>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_is_known_by_its_key_and_for_its_agent_alone() {
        let (pipes, [api, other]) =
            (Pipes::default(), ["api", "other"].map(|id| AgentId::new(id).unwrap()));
        let headers = |token: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("x-headsup-agent-token", token.parse().unwrap());
            headers
        };
        let ours = |key: &str| Pipe::Ours { pane: "%5".into(), key: digest(key) };
        pipes.set(&api, ours("k1"));
        assert!(pipes.is_reader(&api, &headers("k1")));
        for (agent, key) in [(&other, "k1"), (&api, "k2"), (&api, "")] {
            assert!(!pipes.is_reader(agent, &headers(key)), "{agent} {key}");
        }
        assert!(!pipes.is_reader(&api, &HeaderMap::new()));
        pipes.set(&other, Pipe::Anothers { pane: "%6".into() });
        assert!(!pipes.is_reader(&other, &headers("")));
        assert_eq!(pipes.heard(), 1);
        assert_eq!([&api, &other].map(|agent| pipes.is_ours(agent)), [true, false]);
        pipes.forget(&api);
        assert!(!pipes.is_reader(&api, &headers("k1")));
        assert_eq!(pipes.note(&api, Source::ProgramStatus), None);
        assert!(pipes.note(&other, Source::Hook).unwrap().contains("%6"));
    }
}
