//! OpenCode and its fork Kilo: what the plugin of ours in them says.
//!
//! Facts about the programs are of OpenCode 1.18.33 and Kilo 7.7.9: *measured* ones were seen in
//! recordings (`fixtures/opencode/1.18.33`, `fixtures/kilo/7.7.9`) or at the programs themselves,
//! *read* ones stand in them and were not provoked.
//!
//! The plugin (`plugin.js`, with `words.js` before it) sits in the program's own process and hears its whole bus, in every mode
//! (measured). It knows what one event alone does not tell: which session is whose child, which turn
//! is open, and whether an error was the turn's last word. What it tells has the members that hooks
//! of other programs have.

mod activity;
pub(crate) mod bus;
mod inject;
mod normalize;
mod payload;
pub(crate) mod stream;

use crate::{HookContext, Sighting, json, text};
use headsup_core::observation::Fact;
pub(crate) use inject::{KILO_RECIPE, RECIPE};
use payload::Payload;

pub(crate) const KIND: &str = "opencode";
pub(crate) const KILO: &str = "kilo";

/// The names of its process: its own (from npm that of a hard link, in some versions), or that of the runtime it was
/// started with.
pub(crate) const PROGRAMS: &[&str] =
    &["opencode", ".opencode", "opencode.exe", "kilo", ".kilo", "bun", "node", "MainThread"];

/// So long it may take from its plugins' `dispose` to its end. With a port it has a server to stop, for which it waits up to
/// 5 s (1.18.33, read; 5.6 and 6.5 s in all on a busy machine, measured). Milliseconds.
pub(crate) const LEAVES_MS: u16 = 8_000;

/// How the title of a conversation begins that has none yet (measured).
const UNTITLED: [&str; 2] = ["New session - ", "Child session - "];

pub(crate) fn hook(event: Option<&str>, body: &[u8], context: &HookContext) -> Sighting {
    let body = json::decode(body);
    let (payload, broken): (Payload<'_>, _) = crate::payload::read(&body);
    let fact = |event: &str| normalize::fact(event, &payload);
    let mut seen = crate::payload::sighting(event, payload.hook_event_name, broken, fact);
    crate::payload::place(&mut seen, [payload.session_id, payload.cwd], context, PROGRAMS);
    seen.model = payload.model.text().map(|model| text::line(&model, text::NAME));
    seen.title = title(&payload);
    seen.shares_process = payload.is_shared.is_true();
    // Before it has a conversation, and behind its last one, there is none to name.
    let is_nobodys = matches!(seen.event.as_str(), "plugin.init" | "dispose");
    let session = [("session_id", payload.session_id)];
    let missing = || crate::payload::missing(&session).filter(|_| !is_nobodys);
    seen.strange = normalize::strange(&seen.event, &payload).or_else(missing);
    let is_known = seen.strange.is_none() || seen.fact != Fact::Nothing;
    seen.activity = activity::of(&seen.event, &payload).filter(|_| is_known);
    seen
}

fn title(payload: &Payload<'_>) -> Option<String> {
    let title = payload.title.text()?;
    let is_none = is_untitled(&title);
    let title = text::line(&title, text::TITLE);
    (!is_none && !title.is_empty()).then_some(title)
}

fn is_untitled(title: &str) -> bool {
    UNTITLED.iter().any(|beginning| title.starts_with(beginning))
}

#[cfg(test)]
mod tests;
