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

use headsup_core::observation::Level;
use std::path::{Path, PathBuf};

/// Where tool servers are listed: below its own folder, and below that in which it works (read).
const OWN_LIST: &str = "mcp-config.json";
const LISTS: [&str; 2] = [".mcp.json", ".github/mcp.json"];
/// Where it lists the folders that its person trusts, with comments above (measured).
const TRUSTED: &str = "config.json";

const READY: &str = "GitHub Copilot";

pub(crate) fn server_lists(home: Option<&str>, cwd: Option<&str>) -> Vec<PathBuf> {
    let own = home.map(|home| own(home).join(OWN_LIST));
    let there = cwd.map(|cwd| LISTS.map(|list| Path::new(cwd).join(list)));
    own.into_iter().chain(there.into_iter().flatten()).collect()
}

pub(crate) fn trust_list(home: &str) -> PathBuf {
    own(home).join(TRUSTED)
}

fn own(home: &str) -> PathBuf {
    PathBuf::from(format!("{home}{}", super::CONFIG))
}

pub(crate) fn title(title: &str) -> Option<Level> {
    (title == READY).then_some(Level::Idle { shells: 0 })
}
