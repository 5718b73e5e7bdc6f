//! What Codex says to its terminal.
//!
//! Its status reports (OSC 7501) come unasked and say what they mean (measured): idle, working,
//! blocked with `kind=permission` or `question`, done, error, and clear when it leaves; no text and
//! no helper's id. Two seconds after done or error they say idle. While it comes up it says that it works,
//! and so does its title, for as long as it waits for its tool servers (MCP), then idle again (0.169.0, measured);
//! without any for up to 40 ms.
//!
//! | title | so |
//! |---|---|
//! | `⠋ …`, a sign in braille | it works (measured) |
//! | `[ ! ] Action Required`, `[ . ] …` in turn | a dialog is open (measured) |
//! | all others | nothing: a person may have chosen a title without the sign (read) |

use crate::terminal::blocked;
use headsup_core::observation::Level;
use headsup_core::status::BlockedReason;

/// A tool server is given 10 s to start unless `startup_timeout_sec` says otherwise (read). Milliseconds.
pub(crate) const START_MS: i64 = 12_000;

const DIALOG: [&str; 2] = ["[ ! ] Action Required", "[ . ] Action Required"];

pub(crate) fn title(title: &str) -> Option<Level> {
    if DIALOG.iter().any(|beginning| title.starts_with(beginning)) {
        return Some(blocked(BlockedReason::Other, ""));
    }
    let sign = title.split(' ').next().filter(|sign| !sign.is_empty())?;
    let spins = sign.chars().all(|c| ('\u{2801}'..='\u{28ff}').contains(&c));
    spins.then_some(Level::Working { reason: None })
}
