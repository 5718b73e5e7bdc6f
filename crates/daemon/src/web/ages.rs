//! Ages. The browser keeps them running by itself.

use headsup_core::time::UnixMs;
use headsup_core::words::age;
use maud::{Markup, html};

/// How the ages of a rendering are written.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ages {
    /// As of this moment: for a page that may be read without its script.
    AsOf(UnixMs),
    /// Empty, for the script to fill: the same agent is then the same text at any time.
    Open,
}

impl Ages {
    /// How long there is until `moment`.
    pub(super) fn until(self, moment: UnixMs) -> Markup {
        let text = match self {
            Self::AsOf(now) => age::short(moment.since(now)),
            Self::Open => String::new(),
        };
        html! { time.left datetime=(moment) data-until=(moment.0) { (text) } }
    }

    /// How long ago `moment` was.
    pub(super) fn since(self, moment: UnixMs) -> Markup {
        let text = match self {
            Self::AsOf(now) => age::since(moment, now),
            Self::Open => String::new(),
        };
        html! { time.age datetime=(moment) data-since=(moment.0) { (text) } }
    }
}
