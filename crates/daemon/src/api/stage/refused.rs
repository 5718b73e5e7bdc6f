//! The refusal of a move: why, and what would really work now.

use super::super::{App, Refused};
use crate::job::Refusal;
use headsup_core::gate;
use headsup_core::id::AgentId;
use headsup_core::workflow::{self, By, Stage};

/// What ends a question, for whoever has asked it.
const END_IT: &str = "wait for the answer (wait_for_input), or take the question back (cancel_input, `headsup prompt cancel`): \
                      then the workflow goes on at working";
const PAUSED: &str =
    "a person has paused it, and a person lets it go on: `headsup stage AGENT working`";
const OVER: &str = "this work is over, and nothing more is to be reported of it: with the agent's next prompt or next start a new workflow \
                    begins by itself, and update_status(working) is taken again";
/// A prompt is not seen of every agent.
const COMPLETED: &str = "this work is over, and nothing more is to be reported of it: with the agent's next prompt, next start or next task \
                         (link_task, `headsup task link`) a new workflow begins by itself, and update_status(working) is taken again";

/// With the moves that there are.
pub(in super::super) fn refused(app: &App, agent: &AgentId, refusal: Refusal) -> Refused {
    let (from, to, by) = match refusal {
        Refusal::IllegalStage { from, to, by } => (from, to, by),
        Refusal::OpenQuestion => {
            let seat = app.board.seat(agent);
            let stage = seat.and_then(|seat| seat.stage.as_ref().map(|status| status.stage));
            (stage, Stage::Working, By::Agent)
        }
        other => return other.into(),
    };
    let open = match by {
        By::Agent => open_question(app, agent),
        // A person may pass it by.
        By::Person => None,
    };
    let mut legal = workflow::legal(from, by);
    legal.retain(|to| open.is_none() || *to != Stage::Working);
    let legal = words(&legal);
    let at = from.map_or("none", Stage::word);
    let (code, detail) = match (refusal, &open) {
        (Refusal::OpenQuestion, Some(id)) => {
            ("open_question", format!("{agent} waits for an answer to {id}"))
        }
        (Refusal::OpenQuestion, None) => ("open_question", refusal.to_string()),
        (_, Some(id)) => {
            let (to, then) = (to.word(), words(&workflow::legal(from, by)).join(", "));
            let now =
                format!("a workflow at {at} cannot go to {to} while {id} waits for an answer");
            ("illegal_stage", format!("{now}; once that has ended it can go to {then}"))
        }
        (_, None) => {
            let illegal = workflow::path(from, to, by).err();
            (
                "illegal_stage",
                illegal.map_or_else(|| refusal.to_string(), |illegal| illegal.to_string()),
            )
        }
    };
    let hint = match (&open, from) {
        (Some(_), _) => Some(END_IT),
        (None, Some(Stage::Paused)) if by == By::Agent => Some(PAUSED),
        (None, Some(Stage::Completed)) => Some(COMPLETED),
        (None, Some(stage)) if stage.is_terminal() => Some(OVER),
        _ => None,
    };
    let refused = Refused::new(409, code, detail).with(|problem| {
        problem.from = Some(at.to_owned());
        problem.allowed.clone_from(&legal);
        problem.legal = Some(legal);
        problem.prompt_id = open;
    });
    match hint {
        Some(hint) => refused.hint(hint),
        None => refused,
    }
}

fn words(stages: &[Stage]) -> Vec<String> {
    stages.iter().map(|stage| stage.word().to_owned()).collect()
}

/// The question that the workflow waits for.
fn open_question(app: &App, agent: &AgentId) -> Option<String> {
    let seat = app.board.seat(agent)?;
    gate::waits_for(&seat).map(|open| open.id.clone())
}
