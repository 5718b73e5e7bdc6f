//! Copilot CLI: what its hooks and the log of its sessions say.
//!
//! Facts about the program are of version 1.0.102: *measured* ones were seen in recordings of the
//! program (`fixtures/copilot-cli/1.0.102`) or at the program itself, *read* ones stand in its manual
//! and were not provoked. It says nothing before the first prompt, and nowhere that Esc was pressed
//! while it streamed.

mod activity;
mod inject;
mod normalize;
mod payload;
pub(crate) mod transcript;

use crate::{FactExt, HookContext, Sighting, json, text};
use headsup_core::observation::Fact;
pub(crate) use inject::RECIPE;
use payload::Payload;

pub(crate) const KIND: &str = "copilot-cli";

/// Its process has the name of its runtime's thread (measured).
pub(crate) const PROGRAMS: &[&str] = &["MainThread", "copilot", "node"];

/// `CONFIG/hooks`, where its hooks lie; beside it are its sessions.
const HOOK_FOLDER: &str = "COPILOT_HOOK_DIR";

pub(crate) fn hook(event: Option<&str>, body: &[u8], context: &HookContext) -> Sighting {
    let body = json::decode(body);
    let read = json::payload::<Payload<'_>>(json::trim(&body));
    let payload = read.as_ref().copied().unwrap_or_default();
    // Most payloads name no event, and one names it in another spelling (measured).
    let named = payload.hook_name.text().or_else(|| payload.hook_event_name.text());
    let mut seen = Sighting::new(event.or(named.as_deref()), None, Fact::Nothing);
    seen.fact = match read {
        Err(why) => Fact::not_understood(why),
        Ok(payload) => normalize::fact(&seen.event, &payload),
    };
    seen.session = payload.session();
    seen.cwd = payload.cwd.text().and_then(|path| text::path(&path));
    seen.log_path = log_path(&payload, seen.session.as_deref(), context);
    seen.tmux_pane = context.tmux_pane();
    seen.process = context.process(None, PROGRAMS);
    seen.activity = activity::of(&seen.event, &payload);
    seen
}

/// Only the end of a turn tells it: till then it is found beside the hooks (measured).
fn log_path(payload: &Payload<'_>, session: Option<&str>, context: &HookContext) -> Option<String> {
    if let Some(told) = payload.transcript_path.text() {
        return text::path(&told);
    }
    let is_plain = |id: &&str| id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let config = context.variable(HOOK_FOLDER)?.strip_suffix("/hooks")?;
    let session = session.filter(is_plain)?;
    let log = format!("{config}/session-state/{session}/events.jsonl");
    config.ends_with("/.copilot").then(|| text::path(&log)).flatten()
}

#[cfg(test)]
mod tests;
