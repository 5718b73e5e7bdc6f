//! What a watcher wants to hear of.

use crate::api::Refused;
use crate::api::query::Query;
use headsup_core::event::EventBody;
use headsup_core::id::AgentId;

#[derive(Clone, Debug)]
pub(super) struct Filter {
    /// Empty: all.
    agents: Vec<AgentId>,
    kinds: Vec<&'static str>,
}

impl Filter {
    pub(super) fn new(query: &Query) -> Result<Self, Refused> {
        let agents = query.all("agent").map(AgentId::new).collect::<Result<_, _>>();
        let agents =
            agents.map_err(|error| Refused::new(400, "bad_agent_id", error.to_string()))?;
        let kinds = query.all("type").map(|word| {
            EventBody::KINDS.into_iter().find(|kind| *kind == word).ok_or_else(|| {
                let detail =
                    format!("{word:?} is no event; there are {}", EventBody::KINDS.join(", "));
                Refused::new(400, "bad_event_type", detail)
            })
        });
        Ok(Self { agents, kinds: kinds.collect::<Result<_, _>>()? })
    }

    pub(super) fn wants_all(&self) -> bool {
        self.agents.is_empty() && self.kinds.is_empty()
    }

    pub(super) fn wants_agent(&self, id: &str) -> bool {
        self.agents.is_empty() || self.agents.iter().any(|agent| agent.as_str() == id)
    }

    pub(super) fn wants(&self, agent: &str, kind: &str) -> bool {
        let wants_kind = self.kinds.is_empty() || self.kinds.contains(&kind);
        self.wants_all() || wants_kind && self.wants_agent(agent)
    }
}
