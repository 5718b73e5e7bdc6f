//! Other hooks of an agent's stop, which may make it go on, or of what it asks, which may answer that.

use crate::{claude_code, codex};
use serde_json::Value;
use std::path::Path;

/// An agent may have gone into a folder below the one that it was started in, but hardly so deep.
pub(crate) const ABOVE: usize = 8;

/// Does the configuration of an agent of this kind have hooks of somebody else's that its stop calls as well? `log` is
/// its conversation's, `folder` where it works; `read` gives what a file says that is there. Of a kind that says nowhere
/// else when it rests this is not looked for.
pub fn has_other_stop_hooks(
    kind: &str,
    log: Option<&str>,
    folder: Option<&str>,
    read: impl Fn(&Path) -> Option<String>,
) -> bool {
    match kind {
        claude_code::KIND => claude_code::stop_hooks::has_others(log, folder, read),
        codex::KIND => codex::stop_hooks::has_others(STOP, log, folder, read),
        _ => false,
    }
}

/// The same of the hooks of what it asks. Of a kind that shows its dialog beside them this is not looked for.
pub fn has_other_request_hooks(
    kind: &str,
    log: Option<&str>,
    folder: Option<&str>,
    read: impl Fn(&Path) -> Option<String>,
) -> bool {
    kind == codex::KIND && codex::stop_hooks::has_others(REQUEST, log, folder, read)
}

/// The event of a program's stop.
pub(crate) const STOP: &str = "Stop";
/// The event of what it asks.
pub(crate) const REQUEST: &str = "PermissionRequest";

/// Settings of this form are several programs'.
pub(crate) fn lists_another(settings: &Value, kind: &str) -> bool {
    lists_another_of(STOP, settings, kind)
}

/// The same of another event.
pub(crate) fn lists_another_of(event: &str, settings: &Value, kind: &str) -> bool {
    let groups = settings["hooks"][event].as_array().into_iter().flatten();
    let mut hooks = groups.flat_map(|group| group["hooks"].as_array().into_iter().flatten());
    hooks.any(|hook| !is_ours(hook, event, kind))
}

/// Whatever it reports to, it says nothing to the agent. Some kinds of hooks have no command.
fn is_ours(hook: &Value, event: &str, kind: &str) -> bool {
    let command = hook["command"].as_str().unwrap_or_default();
    command.contains("headsup") && command.contains(&format!("hook {kind} {event}"))
}
