//! Colours. Every colour stands beside a word that says the same.

use anstyle::{AnsiColor, Style};
use headsup_core::status::Headline;

pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
pub(crate) const HINT: Style = AnsiColor::Cyan.on_default().bold();
pub(crate) const STRONG: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
const RED: Style = AnsiColor::Red.on_default().bold();
const YELLOW: Style = AnsiColor::Yellow.on_default().bold();
const GREEN: Style = AnsiColor::Green.on_default().bold();
const BLUE: Style = AnsiColor::Blue.on_default();
const MAGENTA: Style = AnsiColor::Magenta.on_default();

pub(crate) fn style(headline: Headline) -> Style {
    match headline {
        Headline::Blocked => YELLOW,
        Headline::Crashed | Headline::Failed => RED,
        Headline::Review | Headline::Unknown => MAGENTA,
        Headline::Done => GREEN,
        Headline::Working | Headline::Starting | Headline::Stopping => BLUE,
        Headline::Idle => Style::new(),
        Headline::Suspended | Headline::Ended | Headline::Absent => DIM,
    }
}
