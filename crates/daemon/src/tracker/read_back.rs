//! What is told where another system has taken something and cannot be asked how it is now: what is known.
//! Whoever were told of a failure would do it again.

use super::{Creation, TaskChange, TrackerError};
use crate::effects::Standing;
use crate::store::effects::EffectRow;
use headsup_core::wire::{EffectDoc, TaskDoc};
use headsup_core::work::task::TaskStatus;

/// What was asked for of a task.
#[derive(Debug)]
pub(crate) struct Known {
    identifier: String,
    title: Option<String>,
    body: Option<String>,
    status: Option<TaskStatus>,
    provider: &'static str,
}

impl Known {
    pub(crate) fn made(identifier: String, new: Creation, provider: &'static str) -> Self {
        let Creation { title, body, status } = new;
        let (title, body, status) = (Some(title), Some(body), Some(status));
        Self { identifier, title, body, status, provider }
    }

    pub(crate) fn changed(identifier: String, change: TaskChange, provider: &'static str) -> Self {
        let TaskChange { title, body, status } = change;
        Self { identifier, title, body, status, provider }
    }

    /// The task as it is known from these acts, after `error` where it was to be read.
    ///
    /// # Errors
    /// `error`: none of them is done or on its way.
    pub(crate) fn told(
        self,
        acts: Vec<EffectRow>,
        error: TrackerError,
    ) -> Result<TaskDoc, TrackerError> {
        let Self { identifier, title, body, status, provider } = self;
        let will_not = |row: &&EffectRow| {
            matches!(row.standing, Standing::Skipped { .. } | Standing::Failed { .. })
        };
        if let Some(row) = acts.iter().rfind(will_not) {
            return Err(TrackerError::of_undone(row.standing.clone()).unwrap_or(error));
        }
        let Some(last) = acts.last() else { return Err(error) };
        let (at, url) = (last.made_at, url(&acts));
        let undone = acts.into_iter().filter(|row| !matches!(row.standing, Standing::Done { .. }));
        let effects: Vec<EffectDoc> = undone.map(EffectDoc::from).collect();
        let note = if effects.is_empty() {
            unread(&error)
        } else {
            format!("it waits to be done, and the task could not be read: {error}")
        };
        Ok(TaskDoc {
            title: title.unwrap_or_else(|| identifier.clone()),
            identifier,
            status: status.unwrap_or(TaskStatus::Todo),
            unmapped_status: status.is_none().then(|| "unknown".to_owned()),
            url,
            body: body.filter(|body| !body.is_empty()),
            comments: None,
            effects,
            note: Some(note),
            provider: provider.to_owned(),
            created_at: at,
            updated_at: at,
        })
    }
}

/// Says that something is done and could not be looked at.
pub(crate) fn unread(error: &TrackerError) -> String {
    format!("it is done, and could not be read back: {error}")
}

fn url(acts: &[EffectRow]) -> Option<String> {
    acts.iter().find_map(|row| match &row.standing {
        Standing::Done { url, .. } => url.clone(),
        _ => None,
    })
}
