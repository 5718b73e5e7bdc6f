//! What Qwen Code's title says.
//!
//! | title | so |
//! |---|---|
//! | `Qwen - FOLDER` | idle |
//! | `◐ Qwen - FOLDER` | working |
//! | `✳ Qwen - FOLDER` | blocked |
//!
//! Behind its mark stands a variation selector (measured). It is left as it was by whoever kills
//! the program.

use crate::terminal::blocked;
use headsup_core::observation::Level;
use headsup_core::status::BlockedReason;

pub(crate) fn title(title: &str) -> Option<Level> {
    let (mark, rest) = match title.split_once("Qwen - ") {
        Some((before, rest)) => (before.trim_end_matches(['\u{fe0e}', '\u{fe0f}', ' ']), rest),
        None => return None,
    };
    match mark {
        _ if rest.is_empty() => None,
        "" => Some(Level::Idle { shells: 0 }),
        "\u{25d0}" => Some(Level::Working { reason: None }),
        "\u{2733}" => Some(blocked(BlockedReason::Other, "")),
        _ => None,
    }
}
