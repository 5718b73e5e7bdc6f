//! Other hooks of an agent's stop, which may make it go on.

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
        codex::KIND => codex::stop_hooks::has_others(log, folder, read),
        _ => false,
    }
}

/// Settings of this form are several programs'.
pub(crate) fn lists_another(settings: &Value, kind: &str) -> bool {
    let groups = settings["hooks"]["Stop"].as_array().into_iter().flatten();
    let mut hooks = groups.flat_map(|group| group["hooks"].as_array().into_iter().flatten());
    hooks.any(|hook| !is_ours(hook, kind))
}

/// Whatever it reports to, it says nothing to the agent. Some kinds of hooks have no command.
fn is_ours(hook: &Value, kind: &str) -> bool {
    let command = hook["command"].as_str().unwrap_or_default();
    command.contains("headsup") && command.contains(&format!("hook {kind} Stop"))
}
