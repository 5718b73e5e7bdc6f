//! Gemini CLI: what its hooks, its title and its log say.
//!
//! Facts about the program are of version 0.61.0: *measured* ones were seen in recordings of the
//! program (`fixtures/gemini-cli/0.61.0`) or at the program itself, *read* ones stand in it and were
//! not provoked. They need each other: no hook tells of an approval or of a denial, no title of an
//! exit, and the log alone of Esc and of a failure of the model's server.

mod activity;
mod inject;
pub(crate) mod lines;
mod normalize;
mod payload;
pub(crate) mod stream;
pub(crate) mod terminal;
pub(crate) mod transcript;

use crate::{HookContext, Sighting, json, text};
use headsup_core::observation::Fact;
pub(crate) use inject::RECIPE;
use payload::Payload;

/// What its screen shows before its first event, and where it cannot have its model or has found a loop.
pub(crate) const SCREENS: &str = include_str!("gemini_cli/screens.toml");

pub(crate) const KIND: &str = "gemini-cli";

/// The name of its process is that of the runtime, `MainThread` from Node 24 on. It starts itself
/// anew once (measured): the inner one runs the hooks.
pub(crate) const PROGRAMS: &[&str] = &["node", "MainThread", "bun", "gemini"];

const SESSION: &str = "GEMINI_SESSION_ID";

/// It asks its model once more by itself, twice a turn at most, where that has said nothing behind a call, also because it
/// failed or a person has stopped it (0.61.0, read: `autoNudgeAttemptCountRef`). Its hook for that came 280 ms behind the line in
/// its log at the latest, mostly 130 ms (measured).
pub(crate) const ASKS_AGAIN_MS: u16 = 700;

pub(crate) fn hook(event: Option<&str>, body: &[u8], context: &HookContext) -> Sighting {
    let body = json::decode(body);
    let (payload, broken): (Payload<'_>, _) = crate::payload::read(&body);
    let fact = |event: &str| normalize::fact(event, &payload);
    let mut seen = crate::payload::sighting(event, payload.hook_event_name, broken, fact);
    crate::payload::place(&mut seen, [payload.session_id, payload.cwd], context, PROGRAMS);
    seen.session = seen.session.or_else(|| context.variable(SESSION).and_then(text::session));
    seen.made_at = payload.made_at();
    seen.log_path = payload.transcript_path.text().and_then(|path| text::path(&path));
    seen.needs_log = seen.fact == Fact::CompactionStarted;
    let place = [("session_id", payload.session_id), ("cwd", payload.cwd)];
    let strange = normalize::strange(&seen.event, &payload);
    seen.strange = strange.or_else(|| crate::payload::missing(&place));
    seen.activity = activity::of(&seen.event, &payload);
    seen
}

#[cfg(test)]
mod tests;
