//! How the agents are, for a watcher who does not ask how they came there: of each only the latest.
//!
//! What is kept for such a watcher is a list of agents, and what is told of one is looked up when
//! the watcher takes it. However slowly it reads, it is never behind by more than that list.

use crate::api::query::{Query, bad};
use crate::api::{App, Refused};
use crate::frame::{Frame, Message};
use headsup_core::event::{Event, EventBody};
use headsup_core::id::AgentId;
use headsup_core::wire::SCHEMA;
use std::collections::{HashSet, VecDeque};

/// What a stream tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::api) enum View {
    /// Every event.
    #[default]
    Events,
    /// How each agent is now.
    State,
}

impl View {
    pub(in crate::api) const ALL: [(&'static str, Self); 2] =
        [("events", Self::Events), ("state", Self::State)];

    pub(super) fn of(query: &Query) -> Result<Self, Refused> {
        let Some(word) = query.one("view")? else { return Ok(Self::default()) };
        let known = Self::ALL.into_iter().find(|(known, _)| *known == word);
        known
            .map(|(_, view)| view)
            .ok_or_else(|| bad("view is events or state").allowed(Self::ALL.map(|(word, _)| word)))
    }
}

/// The agents that have changed since the watcher was told of them, each once.
#[derive(Debug, Default)]
pub(super) struct Changed {
    order: VecDeque<AgentId>,
    known: HashSet<AgentId>,
    /// Up to here nothing is missing: whoever comes back with this cursor misses nothing.
    told: u64,
}

impl Changed {
    /// Everything up to `told` is known to the watcher, or has no meaning to it.
    pub(super) fn start(&mut self, told: u64) {
        *self = Self { told, ..Self::default() };
    }

    pub(super) fn extend(&mut self, agents: impl IntoIterator<Item = AgentId>) {
        for agent in agents {
            if self.known.insert(agent.clone()) {
                self.order.push_back(agent);
            }
        }
    }

    /// How the next one is now, in the words of an event. `position`: up to there all were listed.
    pub(super) fn next(&mut self, app: &App, position: u64) -> Option<Message> {
        let agent_id = self.order.pop_front()?;
        self.known.remove(&agent_id);
        if self.order.is_empty() {
            self.told = position;
        }
        let body = match app.board.seat(&agent_id) {
            Some(seat) => EventBody::Updated { agent: Box::new(seat.doc()) },
            None => EventBody::Forgotten,
        };
        let (schema, cursor, at) = (SCHEMA, self.told.to_string(), app.time());
        let event = Event { schema, cursor, at, agent_id, spooled: false, reported_at: None, body };
        // Nothing of it can fail to be written.
        Frame::new(self.told, &event).ok().map(|frame| frame.message())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_is_listed_once_however_often_it_changes() {
        let mut changed = Changed::default();
        for n in 0..1_000 {
            changed.extend([AgentId::new(format!("a{}", n % 3)).unwrap()]);
        }
        assert_eq!(changed.order.len(), 3);
        changed.start(7);
        assert_eq!((changed.order.len(), changed.known.len(), changed.told), (0, 0, 7));
    }

    #[test]
    fn a_view_that_is_none_is_refused_with_those_that_are() {
        let view = |text| View::of(&Query::parse(Some(text), &["view"]).unwrap());
        assert_eq!(view("").unwrap(), View::Events);
        assert_eq!(view("view=events").unwrap(), View::Events);
        assert_eq!(view("view=state").unwrap(), View::State);
        for text in ["view=", "view=State", "view=rows"] {
            let refused = view(text).unwrap_err();
            assert_eq!(refused.code(), "bad_parameter", "{text}");
            assert_eq!(refused.problem().allowed, ["events", "state"], "{text}");
        }
        assert_eq!(view("view=state&view=state").unwrap_err().code(), "bad_parameter");
    }
}
