//! Merges that a person is asked about: an agent calls for one, and it happens once a person has
//! said so in a prompt, whoever listens then.

use super::ForgeError;
use crate::api::App;
use headsup_core::id::AgentId;
use headsup_core::prompt::ResolvedBy;
use headsup_core::wire::PromptDoc;
use headsup_core::work::pull::MergeMethod;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, sleep_until};

/// The answer that merges.
pub(crate) const YES: &str = "yes";
pub(crate) const NO: &str = "no";

/// What a person was asked: this commit, in this way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Approval {
    /// Whose prompt it is.
    pub(crate) agent: AgentId,
    pub(crate) prompt: String,
    pub(crate) sha: String,
    pub(crate) method: MergeMethod,
}

impl Approval {
    pub(crate) fn is_of(&self, sha: &str, method: MergeMethod) -> bool {
        self.sha == sha && self.method == method
    }
}

/// Whether a resolved prompt says that a person wants it. A deadline never does.
pub(crate) fn is_given(prompt: &PromptDoc) -> bool {
    let resolution = prompt.resolution.as_ref();
    resolution.is_some_and(|resolution| {
        resolution.by == ResolvedBy::Human && resolution.value.as_deref() == Some(YES)
    })
}

/// The pause before a merge that was agreed to is tried again doubles up to this.
const LONGEST_PAUSE: Duration = Duration::from_secs(300);

/// Merges what people agree to, until the hub stops. They have answered once: what cannot be done now, for a host
/// that cannot be reached, is tried again as long as it is the same commit.
pub(crate) async fn follow(app: Arc<App>) {
    let Some(mut frames) = app.bus.subscribe_to_resolved() else { return };
    // As all that waits for other systems.
    let first = app.effects.first_pause();
    let mut pause = first;
    // What was said while no hub was here.
    let mut again = settle(&app, None).await.then(|| Instant::now() + pause);
    loop {
        let waits = tokio::select! {
            frame = frames.recv() => match frame {
                Ok(frame) => match &frame.resolved {
                    Some(prompt) => settle(&app, Some(prompt)).await,
                    None => false,
                },
                Err(RecvError::Lagged(_)) => settle(&app, None).await,
                Err(RecvError::Closed) => return,
            },
            () = app.pulls.agreed() => true,
            () = sleep_until(again.unwrap_or_else(Instant::now)), if again.is_some() => {
                again = None;
                let waits = settle(&app, None).await;
                pause = if waits { LONGEST_PAUSE.min(pause * 2) } else { first };
                waits
            }
        };
        if waits && again.is_none() {
            again = Some(Instant::now() + pause);
        }
    }
}

/// Looks at what was asked in this prompt, or in any, and merges what was agreed to. True: something of that
/// is to be tried again.
pub(crate) async fn settle(app: &App, prompt: Option<&str>) -> bool {
    let mut waits = false;
    let asked = match app.pulls.asked().await {
        Ok(asked) => asked,
        Err(error) => {
            tracing::error!(%error, "nobody sees which merges were agreed to");
            return true;
        }
    };
    for (pull, approval) in asked {
        if prompt.is_some_and(|prompt| prompt != approval.prompt) {
            continue;
        }
        let id = approval.prompt.clone();
        let resolved = match app.reader.run(move |reader| reader.resolved(&id)).await {
            Ok(resolved) => resolved,
            Err(error) => {
                tracing::error!(%error, "a prompt cannot be read");
                return true;
            }
        };
        if !resolved.as_ref().is_some_and(is_given) {
            continue;
        }
        let merged = app.pulls.merge(&pull, approval.method, Some(approval.sha.clone())).await;
        match merged {
            Ok(_) => {}
            Err(error) if error.may_go_well_later() => {
                tracing::info!(%error, pull, "a merge that was agreed to is tried again");
                waits = true;
                put_off(app, &pull, &error).await;
            }
            Err(error) => {
                tracing::warn!(%error, pull, "a merge that was agreed to is not possible any more");
                // Whoever looks at it is told why; who wants it asks again.
                app.pulls.not_merged(&pull, Some(approval.prompt), error.to_string()).await.ok();
            }
        }
    }
    waits
}

/// Whoever looks at the pull request is told what it waits for, once.
async fn put_off(app: &App, pull: &str, error: &ForgeError) {
    let why = format!("{error}; the merge is agreed to and is tried again");
    let known = app.pulls.get(pull).await;
    if known.is_ok_and(|known| known.mergeable_reason.as_deref() != Some(&why)) {
        app.pulls.not_merged(pull, None, why).await.ok();
    }
}
