//! A bounded wait for a prompt's end. Clients cut calls after a minute or a few, so a wait is never one
//! long call: what is asked is kept by the hub, whoever waits for it.

use super::failure::Failure;
use super::hub::{Call, Hub, PATIENCE};
use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::Peer;
use serde_json::Value;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep_until, timeout};

/// Between two signs of life to whoever waits.
const PULSE: Duration = Duration::from_secs(5);
/// Between two tries to reach a hub that has gone away.
const AGAIN: Duration = Duration::from_millis(250);
/// A hub that is there answers at once.
const LAST_LOOK: Duration = Duration::from_secs(1);

/// Whom to tell that the wait goes on.
pub(crate) struct Pulse {
    pub(crate) peer: Peer<RoleServer>,
    pub(crate) token: Option<ProgressToken>,
    /// Closed once nobody waits any more.
    pub(crate) line: Option<watch::Receiver<()>>,
}

impl Pulse {
    /// Ends with whoever waits.
    async fn is_cut(&self) {
        match self.line.clone() {
            Some(mut line) => while line.changed().await.is_ok() {},
            None => std::future::pending().await,
        }
    }

    /// Whether that has been.
    pub(crate) fn was_cut(&self) -> bool {
        self.line.as_ref().is_some_and(|line| line.has_changed().is_err())
    }

    pub(super) async fn beat(&self, waited: Duration, whole: Duration) {
        let Some(token) = self.token.clone() else { return };
        let progress = ProgressNotificationParam::new(token, waited.as_secs_f64())
            .with_total(whole.as_secs_f64())
            .with_message("waiting for a person");
        // Who does not listen any more is told nothing.
        self.peer.notify_progress(progress).await.ok();
    }
}

/// The prompt: as soon as it is resolved, else as it is after `seconds`.
pub(crate) async fn until_resolved<H: Hub>(
    hub: &H,
    prompt_id: &str,
    seconds: u64,
    pulse: &Pulse,
) -> Result<Value, Failure> {
    let (began, whole) = (Instant::now(), Duration::from_secs(seconds));
    let mut beats = interval_at(began + PULSE, PULSE);
    beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let waited = waited(hub, prompt_id, began + whole);
    let cut = pulse.is_cut();
    tokio::pin!(waited, cut);
    loop {
        tokio::select! {
            prompt = &mut waited => return prompt,
            () = &mut cut => return at_last(hub, prompt_id).await,
            _ = beats.tick() => pulse.beat(began.elapsed(), whole).await,
        }
    }
}

/// How it stands as the line ends: whoever has written all that is to be said may still read.
async fn at_last<H: Hub>(hub: &H, prompt_id: &str) -> Result<Value, Failure> {
    let look = hub.call(Call::get(format!("/api/v1/prompts/{prompt_id}")));
    match timeout(LAST_LOOK, look).await {
        Ok(Ok(reply)) if reply.status < 300 => Ok(reply.body),
        _ => Err(Failure::new("cancelled", "the line was closed; what was asked stays asked")),
    }
}

/// Goes on where a hub is restarted meanwhile: the prompt survives that.
async fn waited<H: Hub>(hub: &H, prompt_id: &str, end: Instant) -> Result<Value, Failure> {
    loop {
        let left = end.saturating_duration_since(Instant::now());
        // A part of a second is waited for as a whole one.
        let seconds = left.as_millis().div_ceil(1_000);
        let path = format!("/api/v1/prompts/{prompt_id}?wait_seconds={seconds}");
        let call = Call { patience: left + PATIENCE, ..Call::get(path) };
        let is_over = |at: Instant| at >= end;
        match hub.call(call).await {
            Ok(reply) if reply.status >= 300 => {
                let refused = Failure::refused(&reply);
                if !refused.retryable || is_over(Instant::now()) {
                    return Err(refused);
                }
            }
            Ok(reply) if is_open(&reply.body) && !is_over(Instant::now()) => {}
            Ok(reply) => return Ok(reply.body),
            Err(gone) if is_over(Instant::now()) => {
                let kept = format!("the question is kept: call wait_for_input with {prompt_id:?}");
                return Err(Failure::from(gone).hint(kept));
            }
            Err(_) => {}
        }
        sleep_until((Instant::now() + AGAIN).min(end)).await;
    }
}

/// Whether nobody has answered yet.
pub(crate) fn is_open(prompt: &Value) -> bool {
    prompt.get("state").and_then(Value::as_str) != Some("resolved")
}
