//! What Gemini CLI's title says.
//!
//! | title | so |
//! |---|---|
//! | `◇  Ready (FOLDER)` | idle |
//! | `✦  Working… (FOLDER)` | working; a setting puts what it thinks of in the place of the word (read) |
//! | `⏲  Working… (FOLDER)` | working, and silent for long (read) |
//! | `✋  Action Required (FOLDER)` | blocked; also while a command that has printed something is silent for 30 s (measured), which no title tells apart |
//!
//! With the setting `dynamicWindowTitle` off it says nothing (read). It is left as it was by whoever
//! kills the program (measured).

use crate::terminal::blocked;
use headsup_core::observation::Level;
use headsup_core::status::BlockedReason;

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
