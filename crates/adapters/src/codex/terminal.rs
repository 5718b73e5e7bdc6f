//! What Codex says to its terminal.
//!
//! Its status reports (OSC 7501) come unasked and say what they mean (measured): idle, working,
//! blocked with `kind=permission` or `question`, done, error, and clear when it leaves; no text and
//! no helper's id. Two seconds after done or error they say idle. In its first moments it may say
//! that it works, for up to 40 ms (measured).
//!
//! | title | so |
//! |---|---|
//! | `⠋ …`, a sign in braille | it works (measured) |
//! | `[ ! ] Action Required`, `[ . ] …` in turn | a dialog is open (measured) |
//! | all others | nothing: a person may have chosen a title without the sign (read) |

use crate::terminal::blocked;
use headsup_core::observation::Level;
use headsup_core::status::BlockedReason;

const DIALOG: [&str; 2] = ["[ ! ] Action Required", "[ . ] Action Required"];

pub(crate) fn title(title: &str) -> Option<Level> {
    if DIALOG.iter().any(|beginning| title.starts_with(beginning)) {
        return Some(blocked(BlockedReason::Other, ""));
    }
    let sign = title.split(' ').next().filter(|sign| !sign.is_empty())?;
    let spins = sign.chars().all(|c| ('\u{2801}'..='\u{28ff}').contains(&c));
    spins.then_some(Level::Working { reason: None })
}
