//! A bounded wait for a prompt's end. Clients cut calls after a minute or a few, so a wait is never one
//! long call: what is asked is kept by the hub, whoever waits for it.

use super::failure::Failure;
use super::hub::{Call, Hub, PATIENCE};
use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::Peer;
use serde_json::Value;
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep_until};

/// Between two signs of life to whoever waits.
const PULSE: Duration = Duration::from_secs(5);
/// Between two tries to reach a hub that has gone away.
const AGAIN: Duration = Duration::from_millis(250);

/// Whom to tell that the wait goes on.
pub(crate) struct Pulse {
    pub(crate) peer: Peer<RoleServer>,
    pub(crate) token: Option<ProgressToken>,
}

impl Pulse {
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
    tokio::pin!(waited);
    loop {
        tokio::select! {
            prompt = &mut waited => return prompt,
            _ = beats.tick() => pulse.beat(began.elapsed(), whole).await,
        }
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
