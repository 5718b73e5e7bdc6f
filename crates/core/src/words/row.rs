//! One agent in a list.

use super::{brief, location, marks};
use crate::wire::{AgentDoc, RowDoc};

/// What a list shows of an agent. The place is as it is: `~` is the business of whoever knows
/// whose home it is.
pub fn row<'a>(agent: &'a AgentDoc<'_>) -> RowDoc<'a> {
    let named = !agent.name.is_empty() && &*agent.name != agent.id.as_str();
    RowDoc {
        id: agent.id.as_str().into(),
        name: named.then(|| (&*agent.name).into()),
        kind: (&*agent.kind).into(),
        headline: agent.headline,
        since: agent.since,
        place: location(agent, None),
        marks: marks(agent),
        brief: brief(agent),
        vocabulary: agent.vocabulary.clone(),
    }
}
