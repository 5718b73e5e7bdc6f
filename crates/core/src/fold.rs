//! The snapshot is a pure fold of the log: what a reader of events alone must arrive at.

use crate::event::{Event, EventBody};
use crate::id::AgentId;
use crate::status::{Headline, Outcome};
use crate::wire::{AgentDoc, ProcessDoc, StageDoc, TurnDoc};
use std::collections::BTreeMap;

/// The status of one seat as its events tell it.
#[derive(Clone, Debug, PartialEq)]
pub struct Folded {
    pub headline: Headline,
    pub process: ProcessDoc,
    pub turn: TurnDoc,
    pub outcome: Option<Outcome>,
    pub stage: Option<StageDoc>,
    /// The open prompts: id and title.
    pub prompts: BTreeMap<String, String>,
}

impl From<&AgentDoc<'_>> for Folded {
    fn from(doc: &AgentDoc<'_>) -> Self {
        Self {
            headline: doc.headline,
            process: doc.process.clone(),
            turn: doc.turn.clone(),
            outcome: doc.outcome.clone(),
            stage: doc.stage.clone(),
            prompts: doc.prompts.iter().map(|p| (p.id.clone(), p.title.clone())).collect(),
        }
    }
}

/// Applies one event to the roster of folded seats.
pub fn apply(roster: &mut BTreeMap<AgentId, Folded>, event: &Event) {
    apply_body(roster, &event.agent_id, &event.body);
}

/// The same, for an event that has no cursor yet.
pub fn apply_body(roster: &mut BTreeMap<AgentId, Folded>, agent_id: &AgentId, body: &EventBody) {
    match body {
        EventBody::Registered { agent } | EventBody::Updated { agent } => {
            roster.insert(agent_id.clone(), Folded::from(agent.as_ref()));
            return;
        }
        EventBody::Forgotten => {
            roster.remove(agent_id);
            return;
        }
        _ => {}
    }
    let Some(seat) = roster.get_mut(agent_id) else {
        return;
    };
    match body {
        EventBody::StatusChanged(change) => {
            seat.headline = change.to;
            seat.process = change.process.clone();
            seat.turn = change.turn.clone();
            seat.outcome.clone_from(&change.outcome);
            seat.stage.clone_from(&change.stage);
        }
        EventBody::TurnStarted { turn_seq } => {
            seat.turn.turn_seq = *turn_seq;
            seat.outcome = None;
        }
        // One that went on behind another conversation may end while a later one is open.
        EventBody::TurnCompleted { turn_seq, outcome } if *turn_seq == seat.turn.turn_seq => {
            seat.outcome.clone_from(outcome);
        }
        EventBody::PromptOpened { prompt } => {
            seat.prompts.insert(prompt.id.clone(), prompt.title.clone());
        }
        EventBody::PromptResolved { prompt } => {
            seat.prompts.remove(&prompt.id);
        }
        EventBody::StageChanged { stage } => seat.stage = Some(stage.clone()),
        _ => {}
    }
}
