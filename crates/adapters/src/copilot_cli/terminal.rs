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
//! Below the same title it may ask whether to trust its folder, wait for tool servers, or work (`ready.rs`): then the
//! title is told with the reason for that doubt. Where there is a screen to be looked at, that tells of the question.

use headsup_core::observation::Level;

const READY: &str = "GitHub Copilot";

pub(crate) fn title(title: &str) -> Option<Level> {
    (title == READY).then_some(Level::Idle { shells: 0 })
}
