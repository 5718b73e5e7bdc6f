//! Payloads of hooks, as far as several programs write them alike.

use crate::json::Raw;
use crate::text;
use headsup_core::observation::SessionStart;
use headsup_core::prompt::Actor;

/// Whose event it is, where a helper's events alone carry its id. Whatever stands there, it is not
/// the main agent.
pub(crate) fn actor(helper: Raw<'_>) -> Actor {
    match helper.json() {
        None | Some("\"\"") => Actor::Main,
        Some(json) => {
            let id = helper.text().and_then(|id| text::id(&id));
            Actor::Sub(id.unwrap_or_else(|| text::line(json, text::NAME)))
        }
    }
}

/// How a session started, by the words that programs agree on.
pub(crate) fn session_start(source: Raw<'_>) -> SessionStart {
    match source.text().as_deref() {
        Some("resume") => SessionStart::Resume,
        Some("clear") => SessionStart::Clear,
        Some("compact") => SessionStart::Compact,
        Some("fork") => SessionStart::Fork,
        _ => SessionStart::Startup,
    }
}
