//! What the hub says by itself on the task that an agent works on: in the transaction of what it tells of,
//! so that it is said once.

use super::staging::Staging;
use super::task;
use crate::effects::Effect;
use crate::job::Refusal;
use headsup_core::event::EventBody;
use headsup_core::id::AgentId;
use headsup_core::work::comment::marked;
use headsup_core::work::effect::EffectKind;
use headsup_core::work::posted::{self, Before, Post};
use headsup_core::work::task::Keeper;
use headsup_core::workflow::{Stage, StageStatus};

/// What is to be said of these events, which come behind `head` in the log.
pub(super) fn posts(
    agent: &AgentId,
    task: Option<&str>,
    mut stage: Option<StageStatus>,
    events: &[EventBody],
    head: u64,
) -> Vec<Post> {
    if task.is_none() {
        return Vec::new();
    }
    let asks = events.iter().any(|event| matches!(event, EventBody::PromptOpened { .. }));
    let mut posts = Vec::new();
    for (place, event) in (head + 1..).zip(events) {
        let EventBody::StageChanged { stage: now } = event else {
            let before = Before { agent, stage: stage.as_ref() };
            posts.extend(posted::post(before, event, place));
            continue;
        };
        // The question itself says that it is waited for.
        if !(asks && now.stage == Stage::AwaitingInput) {
            let before = Before { agent, stage: stage.as_ref() };
            posts.extend(posted::post(before, event, place));
        }
        stage = Some(now.clone());
    }
    posts
}

/// Says it on the task. A task that is not there any more holds nobody up.
pub(super) fn post(
    staging: &mut Staging<'_>,
    agent: &AgentId,
    task: &str,
    posts: Vec<Post>,
) -> Result<(), Refusal> {
    if staging.tells_itself {
        return Ok(());
    }
    match Keeper::of(task) {
        Some(Keeper::Here(id)) => posts.into_iter().try_for_each(|Post { key, body }| {
            task::say(staging, &id, &marked(&body, &key), agent)
        }),
        Some(Keeper::There { provider, target }) => {
            posts.into_iter().try_for_each(|Post { key, body }| {
                let (provider, target) = (provider.to_owned(), target.to_owned());
                staging.send(Effect { provider, target, kind: EffectKind::Comment, body, key })
            })
        }
        None => Ok(()),
    }
}
