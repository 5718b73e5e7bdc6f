//! What Gemini CLI's title says.
//!
//! | title | so |
//! |---|---|
//! | `◇  Ready (FOLDER)` | idle |
//! | `✦  Working… (FOLDER)` | working; a setting puts what it thinks of in the place of the word (read) |
//! | `⏲  Working… (FOLDER)` | working, and silent for long (read) |
//! | `✋  Action Required (FOLDER)` | blocked, or silent for 30 s |
//!
//! When the hand is shown (0.61.0, read: `computeTerminalTitle`, `useShellInactivityStatus`):
//!
//! | cause | its hook |
//! |---|---|
//! | a call waits for its approval, a helper's as well; also `ask_user`, `exit_plan_mode`, more rights in the sandbox | `Notification`, which is over before the call waits |
//! | a command of the agent's that runs on its terminal, has printed something, redirects nothing and is not typed to prints nothing for 30 s (measured); a person's own (`!`), too | none |
//! | a person saves the conversation (`/resume save`) under a tag that is there, which no turn lets them do | none |
//!
//! So in a turn of which hooks tell, a hand that they have not told of is the second, once it may be
//! (`SILENT_MS`): work. At rest, in a command of a person's own, and where no hooks are heard (a folder that is not trusted, hooks
//! that are switched off) it is blocked, as it says; and so it is behind a hook that nobody can read.
//!
//! No other dialog shows the hand: a loop that was found, a quota that is used up, an account that is to be
//! verified leave `Working…` or `Ready`, and so do the trust of a folder, the choice of an account, the consent to an
//! extension and the shell commands in a command file (0.61.0, read). Of these the screen tells, as far as its rules go.
//!
//! With the setting `dynamicWindowTitle` off it says nothing (read). It is left as it was by whoever
//! kills the program (measured).

use crate::terminal::blocked;
use headsup_core::observation::Level;
use headsup_core::status::BlockedReason;

/// So long it has shown work when its title shows the hand for its silence: 30 s, less what a title may be seen
/// late. Milliseconds.
pub(crate) const SILENT_MS: u16 = 25_000;

pub(crate) fn title(title: &str) -> Option<Level> {
    let (mark, rest) = title.split_once(' ')?;
    if !rest.trim_end().ends_with(')') {
        return None;
    }
    match mark {
        "\u{25c7}" => Some(Level::Idle { shells: 0 }),
        "\u{2726}" | "\u{23f2}" => Some(Level::Working { reason: None }),
        "\u{270b}" => Some(blocked(BlockedReason::Other, "")),
        _ => None,
    }
}
