//! Other hooks of an agent's stop, which may make it go on.

use crate::claude_code;
use std::path::Path;

/// Does the configuration of an agent of this kind have hooks of somebody else's that its stop calls as well? `log` is
/// its conversation's, `folder` where it works; `read` gives what a file says that is there. Of a kind that says nowhere
/// else when it rests this is not looked for.
pub fn has_other_stop_hooks(
    kind: &str,
    log: Option<&str>,
    folder: Option<&str>,
    read: impl Fn(&Path) -> Option<String>,
) -> bool {
    kind == claude_code::KIND && claude_code::stop_hooks::has_others(log, folder, read)
}
