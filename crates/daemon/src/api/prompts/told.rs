//! Why an act on a prompt came to nothing, with all that its caller can use.

use super::super::prompt_path::PromptPath;
use super::super::{App, Refused};
use super::look;
use crate::job::Refusal;
use headsup_adapters::acp;
use headsup_core::prompt::answer::BadAnswer;
use headsup_core::words;

/// The refusal, told with the prompt as it is.
pub(crate) async fn refused(app: &App, path: &PromptPath, refusal: Refusal) -> Refused {
    let plain = Refused::from(refusal);
    match refusal {
        Refusal::AlreadyResolved => {
            let Ok(prompt) = look(app, path).await else { return plain };
            let detail = format!("{}: {}", path.id, words::resolution(&prompt));
            Refused::new(409, "already_resolved", detail).with(|problem| {
                problem.resolution = prompt.resolution.map(Box::new);
            })
        }
        Refusal::IdConflict => {
            let detail = "this X-Headsup-Id came before with something else";
            let resolution = look(app, path).await.ok().and_then(|prompt| prompt.resolution);
            Refused::new(422, "idempotency_mismatch", detail)
                .hint("take a new id for a new answer")
                .with(|problem| problem.resolution = resolution.map(Box::new))
        }
        Refusal::BadAnswer(BadAnswer::Empty) => plain,
        Refusal::BadAnswer(why) => {
            let options = look(app, path).await.map(|prompt| prompt.options).unwrap_or_default();
            let labels: Vec<_> = (1..)
                .zip(&options)
                .map(|(place, option)| format!("{place}. {}", option.label))
                .collect();
            let detail = match labels.as_slice() {
                [] => why.to_string(),
                labels => format!("{why}; there are: {}", labels.join(", ")),
            };
            Refused::new(422, "invalid_option", detail).with(|problem| {
                problem.allowed = options.iter().map(|option| option.value.clone()).collect();
                problem.options = options;
            })
        }
        Refusal::TerminalOnly => {
            let agent = app.board.seat(&path.agent).map(|seat| seat.doc());
            let place = agent.as_ref().map(|agent| words::location(agent, app.person.as_deref()));
            let place = place
                .filter(|place| place != "-")
                .map(|place| format!(" ({place})"))
                .unwrap_or_default();
            // Who drives it by a protocol has its own window for that, and the agent no terminal.
            let is_driven = agent.as_ref().is_some_and(|agent| acp::is_kind(&agent.kind));
            let taker = if is_driven {
                "in the client that drives its agent"
            } else {
                "in its agent's own terminal"
            };
            let detail = format!("{} is answered {taker}{place}", path.id);
            Refused::new(409, "terminal_only", detail)
                .hint("go there; headsup sees when it is answered")
                .with(|problem| problem.location = agent.map(|agent| Box::new(agent.location)))
        }
        _ => plain,
    }
}
