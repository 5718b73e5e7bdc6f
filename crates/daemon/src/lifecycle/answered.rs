//! Agents that were put away while a person had a question of theirs: the answer takes them up again.

use super::{By, resume};
use crate::api::App;
use crate::job::Key;
use headsup_core::prompt::{PromptKind, ResolvedBy};
use headsup_core::status::Process;
use headsup_core::wire::PromptDoc;
use std::sync::Arc;
use tokio::sync::broadcast::error::RecvError;

/// Listens for answers until the hub stops.
pub(crate) async fn follow(app: Arc<App>) {
    let Some(mut frames) = app.bus.subscribe_to_resolved() else { return };
    loop {
        match frames.recv().await {
            Ok(frame) => {
                let prompt = frame.resolved.clone().filter(|_| {
                    let seat = app.board.seat(&frame.agent);
                    seat.is_some_and(|seat| seat.process.state == Process::Suspended)
                });
                if let Some(prompt) = prompt {
                    // Others need not wait for its start.
                    tokio::spawn(take_up(Arc::clone(&app), prompt.into_string()));
                }
            }
            Err(RecvError::Lagged(missed)) => {
                tracing::warn!(missed, "answers may have taken up nobody");
            }
            Err(RecvError::Closed) => return,
        }
    }
}

async fn take_up(app: Arc<App>, id: String) {
    let read = id.clone();
    let prompt = match app.reader.run(move |reader| reader.resolved(&read)).await {
        Ok(prompt) => prompt,
        Err(error) => return tracing::error!(%error, "a prompt cannot be read"),
    };
    let Some((prompt, said)) = prompt.and_then(|prompt| told(&prompt).map(|said| (prompt, said)))
    else {
        return;
    };
    // Once, whatever happens.
    let key = || Key::new(&format!("answer-{id}"), "resume", said.as_bytes());
    let agent = prompt.agent_id;
    let told = resume(&app, agent.clone(), Some(&said), By::Hub, key()).await;
    let taken_up = match told {
        // Some programs take no words; it finds the answer where it has asked.
        Err(refused) if refused.said().0 == "no_way_back" => {
            resume(&app, agent.clone(), None, By::Hub, key()).await
        }
        other => other,
    };
    if let Err(refused) = taken_up {
        let (code, why) = refused.said();
        tracing::warn!(%agent, code, why, "an answer could not take its agent up again");
    }
}

/// What an agent is told of a person's answer to its question.
fn told(prompt: &PromptDoc) -> Option<String> {
    let resolution = prompt.resolution.as_ref()?;
    if prompt.kind != PromptKind::Input || resolution.by != ResolvedBy::Human {
        return None;
    }
    let (question, id) = (&prompt.title, &prompt.id);
    let answer = resolution.value.as_deref().unwrap_or_default();
    Some(format!("The answer to your question {question:?} ({id}): {answer}"))
}
