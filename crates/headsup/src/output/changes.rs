//! What an update of an agent changed: an event carries only how it is now.

use crate::output::event;
use crate::output::line::Line;
use headsup_core::event::{Event, EventBody};
use headsup_core::id::AgentId;
use headsup_core::wire::AgentDoc;
use std::collections::HashMap;

/// What is told of agents apart from their status, as it was last.
#[derive(Debug, Default)]
pub(crate) struct Known {
    agents: HashMap<AgentId, Vec<Fact>>,
}

/// A label and a value; an empty one is none.
type Fact = (&'static str, String);

impl Known {
    /// This is how it is.
    pub(crate) fn note(&mut self, agent: &AgentDoc) {
        self.agents.insert(agent.id.clone(), facts(agent));
    }

    /// The line for `event`. An update names what differs from what was known; where nothing was,
    /// all that there is.
    pub(crate) fn line(&mut self, event: &Event) -> Line {
        let (EventBody::Updated { agent } | EventBody::Registered { agent }) = &event.body else {
            return event::line(event);
        };
        let now = facts(agent);
        let before = self.agents.insert(agent.id.clone(), now.clone());
        let changes = match (&event.body, before) {
            (EventBody::Registered { .. }, _) => Vec::new(),
            (_, None) => now.into_iter().filter(|(_, value)| !value.is_empty()).collect(),
            (_, Some(before)) => {
                let pairs = now.into_iter().zip(before);
                pairs.filter(|(now, before)| now != before).map(|(now, _)| now).collect()
            }
        };
        match changes.as_slice() {
            [] => event::line(event),
            changes => {
                let words: Vec<_> = changes.iter().map(told).collect();
                event::saying(event, Line::plain(words.join(", ")))
            }
        }
    }
}

fn told((label, value): &Fact) -> String {
    match value.as_str() {
        "" => format!("no {label}"),
        YES => (*label).to_owned(),
        value => format!("{label} {value}"),
    }
}

/// The value of what has none but that it is so.
const YES: &str = "yes";

/// The same labels in the same order for every agent.
fn facts(agent: &AgentDoc) -> Vec<Fact> {
    let text = |value: Option<&str>| value.unwrap_or_default().to_owned();
    let labels = agent.labels.iter().map(|(key, value)| format!("{key}={value}"));
    let name = Some(&*agent.name).filter(|name| *name != agent.id.as_str());
    let until = agent.snoozed_until.map(|until| until.to_string());
    // Where there is nothing to be seen it is no news.
    let has_seen = agent.seen && (agent.outcome.is_some() || agent.process.kind.is_some());
    vec![
        ("name", text(name)),
        ("role", text(agent.role.as_deref())),
        ("labels", labels.collect::<Vec<_>>().join(" ")),
        ("title", text(agent.title.as_deref())),
        ("model", text(agent.model.as_deref())),
        ("task", text(agent.task.as_deref())),
        ("pull requests", agent.prs.join(" ")),
        ("folder", text(agent.cwd.as_deref())),
        ("pane", text(agent.location.tmux.as_deref())),
        ("container", text(agent.location.container.as_deref())),
        ("put off until", until.unwrap_or_default()),
        ("seen", if has_seen { YES.to_owned() } else { String::new() }),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::fixture::{agent_with, event};
    use serde_json::{Value, json};

    #[test]
    fn an_update_says_what_it_changed() {
        let mut known = Known::default();
        let mut told = |kind: &str, fields: Value| {
            let event =
                event(1, "api", json!({"type": kind, "agent": agent_with("api", "idle", fields)}));
            let line = known.line(&event).render(false);
            line.split_once(&format!("{kind}  ")).map(|(_, what)| what.to_owned()).unwrap()
        };
        let steps = [
            told("agent.registered", json!({})),
            told("agent.updated", json!({"name": "front", "task": "APP-1"})),
            told("agent.updated", json!({"name": "front", "labels": {"team": "core"}})),
            told("agent.updated", json!({"name": "front", "labels": {"team": "core"}})),
        ];
        let wanted = [
            "custom in /home/ada/work",
            "name front, task APP-1",
            "labels team=core, no task",
            "custom in /home/ada/work",
        ];
        assert_eq!(steps, wanted);
        let mut unknown = Known::default();
        let agent = agent_with("api", "idle", json!({"name": "front"}));
        let update = event(1, "api", json!({"type": "agent.updated", "agent": agent}));
        assert!(unknown.line(&update).render(false).ends_with("name front, folder /home/ada/work"));
    }
}
