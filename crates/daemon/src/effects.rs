//! What is to be done at other systems, exactly once: the outbox.
//!
//! An act writes its effects in its own transaction (`writer/effect.rs`); a task of the hub
//! ([`dispatch`]) has couriers do them, for each target in order. Each has a key that it is known by
//! there as well, so that after a lost answer or a restart the courier looks before it does it again.

mod courier;
mod dispatch;

pub(crate) use courier::{Courier, Delivered, DeliveryError, Looked, Sent};
pub(crate) use dispatch::{Pauses, run};

use crate::inbox::Inbox;
use crate::job::{EffectAct, Key, Refusal, Work};
use crate::store::effects::EffectRow;
use crate::store::{Reader, StoreError};
use headsup_core::wire::EffectDoc;
use headsup_core::work::effect::{EffectKind, EffectState};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// Something that is to be done at another system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Effect {
    /// The system: `github`.
    pub(crate) provider: String,
    /// What it is done to there: `owner/repo#12`. Effects of one target happen in order.
    pub(crate) target: String,
    pub(crate) kind: EffectKind,
    /// What is said or set; its form is the kind's.
    pub(crate) body: String,
    /// What it is known by, here and there: [`key_of`].
    pub(crate) key: String,
}

/// Where an effect stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub(crate) enum Standing {
    /// It is done in its turn. `why`: the last try failed.
    Queued {
        why: Option<String>,
    },
    Done {
        id: String,
        url: Option<String>,
    },
    Skipped {
        reason: String,
    },
    Failed {
        reason: String,
        retryable: bool,
    },
}

/// The key of an effect of this request; `part` tells several of one request apart. Without a request a
/// new one. It may stand in a comment that nobody sees.
pub(crate) fn key_of(request: Option<&Key>, part: &str) -> String {
    let Some(request) = request else { return uuid::Uuid::now_v7().simple().to_string() };
    let digest = Sha256::new().chain_update(&request.id).chain_update([0]).chain_update(part);
    let mut first = [0; 16];
    first.copy_from_slice(&digest.finalize()[..16]);
    format!("{:032x}", u128::from_be_bytes(first))
}

/// How many effects of one kind of answer are shown.
const SHOWN: u32 = 1_000;

/// The outbox as everybody else sees it.
#[derive(Debug)]
pub(crate) struct Effects {
    inbox: Inbox,
    reader: Arc<Reader>,
    couriers: Vec<Arc<dyn Courier>>,
    /// Counts what has changed.
    news: watch::Receiver<u64>,
    pauses: Pauses,
    /// The last one that an earlier hub has made, where that could be read before anybody makes a new one.
    inherited: Option<i64>,
    /// What is not tried now: until when, and why.
    later: watch::Sender<Later>,
}

/// By system and target.
type Later = HashMap<(String, String), (Instant, Option<String>)>;

impl Effects {
    /// The pause before anything at another system is tried again.
    pub(crate) fn first_pause(&self) -> Duration {
        self.pauses.first
    }

    pub(crate) fn new(
        inbox: Inbox,
        reader: Arc<Reader>,
        couriers: Vec<Arc<dyn Courier>>,
        news: watch::Receiver<u64>,
        pauses: Pauses,
    ) -> Self {
        let inherited = reader.last_effect().ok();
        let later = watch::Sender::default();
        Self { inbox, reader, couriers, news, pauses, inherited, later }
    }

    /// Sends one, and waits for what comes of it, but no longer than this. The same request again is the
    /// same effect; with another body it is refused.
    pub(crate) async fn send(
        &self,
        effect: Effect,
        request: Option<&Key>,
        patience: Duration,
    ) -> Result<EffectRow, Refusal> {
        let key = effect.key.clone();
        // One request may have several effects: each is a part of it.
        let part = request.map(|request| Key { id: key.clone(), digest: request.digest });
        self.inbox.submit(Work::Effect(Box::new(EffectAct::Send(effect))), part).await?;
        self.outcome(&key, patience).await?.ok_or(Refusal::Defect)
    }

    /// How it stands once it is over, or after this time; at once, where it is not tried before then. `None`:
    /// there is none of this key.
    pub(crate) async fn outcome(
        &self,
        key: &str,
        patience: Duration,
    ) -> Result<Option<EffectRow>, Refusal> {
        self.once(key, patience, |standing| !matches!(standing, Standing::Queued { .. })).await
    }

    /// The same once it is over, or a try has failed.
    pub(crate) async fn first_try(
        &self,
        key: &str,
        patience: Duration,
    ) -> Result<Option<EffectRow>, Refusal> {
        self.once(key, patience, |standing| !matches!(standing, Standing::Queued { why: None }))
            .await
    }

    async fn once(
        &self,
        key: &str,
        patience: Duration,
        is_enough: fn(&Standing) -> bool,
    ) -> Result<Option<EffectRow>, Refusal> {
        let (mut news, mut later) = (self.news.clone(), self.later.subscribe());
        let give_up = Instant::now() + patience;
        loop {
            news.mark_unchanged();
            later.mark_unchanged();
            let id = key.to_owned();
            let found = self.reader.run(move |reader| reader.effect(&id)).await;
            let mut found = found.map_err(|error| unreadable(&error))?;
            let Some(row) = &mut found else { return Ok(None) };
            if is_enough(&row.standing) {
                return Ok(found);
            }
            let Standing::Queued { why } = &mut row.standing else { return Ok(found) };
            let target = (row.effect.provider.clone(), row.effect.target.clone());
            if let Some((until, because)) = later.borrow().get(&target)
                && *until > give_up
            {
                *why = why.take().or_else(|| because.clone());
                return Ok(found);
            }
            let changed = async {
                tokio::select! {
                    changed = news.changed() => changed,
                    changed = later.changed() => changed,
                }
            };
            match tokio::time::timeout_at(give_up, changed).await {
                Ok(Ok(())) => {}
                // It is too late, or the hub stops.
                _ => return Ok(found),
            }
        }
    }

    /// Those in this state, or all; oldest first.
    pub(crate) async fn list(&self, state: Option<EffectState>) -> Result<Vec<EffectRow>, Refusal> {
        let rows = self.reader.run(move |reader| reader.effects(state, SHOWN)).await;
        rows.map_err(|error| unreadable(&error))
    }

    /// Those of a target that are not done: they wait, were skipped or failed. The last ones.
    pub(crate) async fn undone(
        &self,
        provider: &str,
        target: &str,
    ) -> Result<Vec<EffectRow>, Refusal> {
        let (provider, target) = (provider.to_owned(), target.to_owned());
        let rows = self.reader.run(move |reader| reader.undone(&provider, &target)).await;
        rows.map_err(|error| unreadable(&error))
    }

    /// Tries one again that was skipped or failed.
    pub(crate) async fn again(&self, key: &str) -> Result<(), Refusal> {
        let act = EffectAct::Again { key: key.to_owned() };
        self.inbox.submit(Work::Effect(Box::new(act)), None).await.map(drop)
    }

    fn courier(&self, provider: &str) -> Option<Arc<dyn Courier>> {
        self.couriers.iter().find(|courier| courier.provider() == provider).cloned()
    }
}

impl Standing {
    pub(crate) fn state(&self) -> EffectState {
        match self {
            Self::Queued { .. } => EffectState::Queued,
            Self::Done { .. } => EffectState::Done,
            Self::Skipped { .. } => EffectState::Skipped,
            Self::Failed { .. } => EffectState::Failed,
        }
    }
}

impl From<EffectRow> for EffectDoc {
    fn from(row: EffectRow) -> Self {
        let EffectRow { effect, made_at, tries, standing, .. } = row;
        let Effect { provider, target, kind, key, .. } = effect;
        let state = standing.state();
        let (mut reason, mut retryable, mut remote_id, mut url) = (None, false, None, None);
        match standing {
            Standing::Queued { why } => reason = why,
            Standing::Done { id, url: at } => (remote_id, url) = (Some(id), at),
            Standing::Skipped { reason: why } => reason = Some(why),
            Standing::Failed { reason: why, retryable: may } => {
                (reason, retryable) = (Some(why), may);
            }
        }
        Self {
            key,
            provider,
            target,
            kind,
            state,
            reason,
            retryable,
            remote_id,
            url,
            tries,
            created_at: made_at,
        }
    }
}

fn unreadable(error: &StoreError) -> Refusal {
    tracing::error!(%error, "what is to be done elsewhere cannot be read");
    Refusal::from(error)
}
