//! What trackers of other systems have in common: what is changed there goes through the outbox.

use super::{NewTask, TaskChange, TrackerError};
use crate::effects::{Effect, Effects, Standing, key_of};
use crate::job::{Key, Refusal};
use crate::outgoing::left_for_acts;
use crate::store::effects::EffectRow;
use headsup_core::wire::EffectDoc;
use headsup_core::work::effect::EffectKind;
use headsup_core::work::task::TaskStatus;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The body of [`EffectKind::TaskCreate`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Creation {
    pub(crate) title: String,
    pub(crate) body: String,
    pub(crate) status: TaskStatus,
}

/// The body of [`EffectKind::TaskChange`]: what is left out stays.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Change {
    pub(crate) title: Option<String>,
    pub(crate) body: Option<String>,
}

/// The way to one system.
#[derive(Clone, Debug)]
pub(crate) struct Outbox {
    effects: Arc<Effects>,
    provider: &'static str,
}

impl Outbox {
    pub(crate) fn new(effects: Arc<Effects>, provider: &'static str) -> Self {
        Self { effects, provider }
    }

    /// What is still to be done to `target`.
    pub(crate) async fn undone(&self, target: &str) -> Result<Vec<EffectDoc>, TrackerError> {
        let undone = self.effects.undone(self.provider, target).await;
        let undone = undone.map_err(TrackerError::Refused)?;
        Ok(undone.into_iter().map(EffectDoc::from).collect())
    }

    /// Has it done, and waits for that. The same request again is the same effect.
    pub(crate) async fn send(
        &self,
        target: String,
        kind: EffectKind,
        body: String,
        request: Option<&Key>,
    ) -> Result<EffectRow, TrackerError> {
        let key = key_of(request, kind.word());
        let effect = Effect { provider: self.provider.to_owned(), target, kind, body, key };
        let sent = self.effects.send(effect, request, left_for_acts()).await;
        let row = sent.map_err(|refusal| match refusal {
            Refusal::IdConflict => TrackerError::AnotherRequest,
            other => TrackerError::Refused(other),
        })?;
        match row.standing {
            Standing::Failed { reason, .. } => Err(TrackerError::Failed(reason)),
            _ => Ok(row),
        }
    }

    /// Has a task made at `target`; what was asked for, and the id that it got there.
    ///
    /// # Errors
    /// Also where it waits to be made, or is not to be.
    pub(crate) async fn create(
        &self,
        target: String,
        new: NewTask,
        request: Option<&Key>,
    ) -> Result<(Creation, EffectRow, String), TrackerError> {
        let NewTask { title, body, status, .. } = new;
        let new = Creation { title, body: body.unwrap_or_default(), status };
        let row = self.send(target, EffectKind::TaskCreate, json(&new)?, request).await?;
        match row.standing.clone() {
            Standing::Done { id, .. } => Ok((new, row, id)),
            undone => Err(TrackerError::of_undone(undone).unwrap_or(TrackerError::Unreadable)),
        }
    }

    /// Has a task changed: its texts, then its status.
    pub(crate) async fn change(
        &self,
        target: &str,
        change: &TaskChange,
        request: Option<&Key>,
    ) -> Result<Vec<EffectRow>, TrackerError> {
        let TaskChange { title, body, status } = change;
        let mut acts = Vec::new();
        if title.is_some() || body.is_some() {
            let texts = json(&Change { title: title.clone(), body: body.clone() })?;
            acts.push(self.send(target.to_owned(), EffectKind::TaskChange, texts, request).await?);
        }
        if let Some(status) = status {
            let (word, kind) = (status.word().to_owned(), EffectKind::TaskStatus);
            acts.push(self.send(target.to_owned(), kind, word, request).await?);
        }
        Ok(acts)
    }
}

fn json(value: &impl Serialize) -> Result<String, TrackerError> {
    serde_json::to_string(value).map_err(|_| TrackerError::Unreadable)
}
