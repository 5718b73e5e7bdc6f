//! Merges that a person is asked about: an agent calls for one, and it happens once a person has
//! said so in a prompt, whoever listens then.

use crate::api::App;
use headsup_core::id::AgentId;
use headsup_core::prompt::ResolvedBy;
use headsup_core::wire::PromptDoc;
use headsup_core::work::pull::MergeMethod;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tokio::sync::broadcast::error::RecvError;

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

/// Merges what people agree to, until the hub stops.
pub(crate) async fn follow(app: Arc<App>) {
    let Some(mut frames) = app.bus.subscribe() else { return };
    // What was said while no hub was here.
    settle(&app, None).await;
    loop {
        match frames.recv().await {
            Ok(frame) => {
                if let Some(prompt) = &frame.resolved {
                    settle(&app, Some(prompt)).await;
                }
            }
            Err(RecvError::Lagged(_)) => settle(&app, None).await,
            Err(RecvError::Closed) => return,
        }
    }
}

/// Looks at what was asked in this prompt, or in any, and merges what was agreed to.
pub(crate) async fn settle(app: &App, prompt: Option<&str>) {
    let asked = match app.pulls.asked().await {
        Ok(asked) => asked,
        Err(error) => return tracing::error!(%error, "nobody sees which merges were agreed to"),
    };
    for (pull, approval) in asked {
        if prompt.is_some_and(|prompt| prompt != approval.prompt) {
            continue;
        }
        let id = approval.prompt.clone();
        let resolved = match app.reader.run(move |reader| reader.resolved(&id)).await {
            Ok(resolved) => resolved,
            Err(error) => return tracing::error!(%error, "a prompt cannot be read"),
        };
        if !resolved.as_ref().is_some_and(is_given) {
            continue;
        }
        let merged = app.pulls.merge(&pull, approval.method, Some(approval.sha.clone())).await;
        if let Err(error) = merged {
            tracing::warn!(%error, pull, "a merge that was agreed to is not possible any more");
            // Whoever looks at it is told why; who wants it asks again.
            app.pulls.not_merged(&pull, Some(approval.prompt), error.to_string()).await.ok();
        }
    }
}
