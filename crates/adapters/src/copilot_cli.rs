//! Copilot CLI: what its hooks and the log of its sessions say.
//!
//! Facts about the program are of version 1.0.102: *measured* ones were seen in recordings of the
//! program (`fixtures/copilot-cli/1.0.102`) or at the program itself, *read* ones stand in its manual
//! and were not provoked. It says nothing before the first prompt. That a turn was stopped (Esc, twice) its log tells; one
//! recording of a stop in mid-stream has no word of it.

mod activity;
mod inject;
pub(crate) mod lines;
mod normalize;
mod payload;
pub(crate) mod ready;
pub(crate) mod rewound;
pub(crate) mod terminal;
pub(crate) mod transcript;

use crate::json::{self, Raw};
use crate::{HookContext, Sighting, text};
pub(crate) use inject::RECIPE;
use payload::Payload;

/// What its screen shows before its first event.
pub(crate) const SCREENS: &str = include_str!("copilot_cli/screens.toml");

pub(crate) const KIND: &str = "copilot-cli";

/// Its process has the name of its runtime's thread (measured).
pub(crate) const PROGRAMS: &[&str] = &["MainThread", "copilot", "node"];

/// `CONFIG/hooks`, where its hooks lie; beside it are its sessions.
const HOOK_FOLDER: &str = "COPILOT_HOOK_DIR";
/// The folder of its configuration, below the home folder and where a variable names it.
const CONFIG: &str = "/.copilot";
const MOVED: &str = "COPILOT_HOME";
/// The same, as an environment begins it.
pub(crate) const MOVED_TO: &[u8] = b"COPILOT_HOME=";

pub(crate) fn hook(event: Option<&str>, body: &[u8], context: &HookContext) -> Sighting {
    let body = json::decode(body);
    let (payload, broken): (Payload<'_>, _) = crate::payload::read(&body);
    // Most payloads name no event, and one names it in another spelling (measured).
    let named = payload.hook_name.text().or_else(|| payload.hook_event_name.text());
    let (event, none) = (event.or(named.as_deref()), Raw::default());
    let fact = |event: &str| normalize::fact(event, &payload);
    let mut seen = crate::payload::sighting(event, none, broken, fact);
    crate::payload::place(&mut seen, [payload.session_id, payload.cwd], context, PROGRAMS);
    seen.session = payload.session();
    seen.made_at = payload.made_at();
    seen.log_path = log_path(&payload, seen.session.as_deref(), context);
    let place = [("sessionId", payload.session_id), ("cwd", payload.cwd)];
    let strange = normalize::strange(&seen.event, &payload);
    seen.strange = strange.or_else(|| crate::payload::missing(&place));
    seen.activity = activity::of(&seen.event, &payload);
    seen
}

/// Only the end of a turn tells it: till then it is found beside the hooks (measured), or, where those
/// are a launch's own, in the folder of its configuration.
fn log_path(payload: &Payload<'_>, session: Option<&str>, context: &HookContext) -> Option<String> {
    if let Some(told) = payload.transcript_path.text() {
        return text::path(&told);
    }
    let is_plain = |id: &&str| id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let beside = context.variable(HOOK_FOLDER)?.strip_suffix("/hooks")?;
    let own = || {
        let moved = context.variable(MOVED).map(str::to_owned);
        moved.or_else(|| Some(format!("{}{CONFIG}", context.variable("HOME")?)))
    };
    let config = if beside.ends_with(CONFIG) { beside.to_owned() } else { own()? };
    let session = session.filter(is_plain)?;
    text::path(&format!("{config}/session-state/{session}/events.jsonl"))
}

#[cfg(test)]
mod tests;
