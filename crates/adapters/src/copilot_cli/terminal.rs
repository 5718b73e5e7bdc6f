//! What Copilot CLI's title says.
//!
//! | title | so |
//! |---|---|
//! | `GitHub Copilot` | its prompt box is open and nobody has asked for anything yet: idle |
//! | `PROMPT - GitHub Copilot` | a conversation has begun, or goes on (`--continue`); whether it works it does not say |
//!
//! Measured (1.0.102). It has the first one again behind `/clear`, where hooks have told more. With
//! `updateTerminalTitle` off in its settings it writes none, and nothing tells before the first prompt.
//!
//! Below the same title it asks whether to trust a folder that is not on its list (measured): the screen tells of that,
//! where there is one to be looked at.
//!
//! A first prompt waits for the tool servers (MCP) that are still to answer, up to a minute, and neither title nor hook
//! tells of that (measured). In both places the title is not passed on.

use crate::terminal::Ready;
use headsup_core::observation::Level;
use std::path::{Path, PathBuf};

/// Where tool servers are listed: below its own folder, and below that in which it works (read).
const OWN_LIST: &str = "mcp-config.json";
const LISTS: [&str; 2] = [".mcp.json", ".github/mcp.json"];
/// Where it lists the folders that its person trusts, with comments above (measured).
const TRUSTED: &str = "config.json";

const READY: &str = "GitHub Copilot";

/// It begins with a prompt that follows one of these (read).
const PROMPTS: &[&str] = &["-i", "--interactive", "-p", "--prompt"];

/// Where what stands in the way of a prompt is to be looked for. `home` and `moved`: its home folder, and that of
/// its configuration, as its own environment has them.
pub(crate) fn ready(home: Option<&str>, moved: Option<&str>, cwd: &str) -> Option<Ready> {
    let own = moved.map(PathBuf::from);
    let own = own.or_else(|| Some(PathBuf::from(format!("{}{}", home?, super::CONFIG))))?;
    let there = LISTS.map(|list| Path::new(cwd).join(list));
    let servers = [own.join(OWN_LIST)].into_iter().chain(there).collect();
    Some(Ready { servers, trusted: own.join(TRUSTED), prompts: PROMPTS })
}

pub(crate) fn title(title: &str) -> Option<Level> {
    (title == READY).then_some(Level::Idle { shells: 0 })
}
