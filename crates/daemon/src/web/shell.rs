//! What stands around the parts of every page.

use super::assets::{self, url};
use headsup_core::time::UnixMs;
use maud::{DOCTYPE, Markup, html};

/// A page that is kept live by the stream at `events`.
pub(super) fn live(
    title: &str,
    events: &str,
    now: UnixMs,
    summary: Markup,
    main: Markup,
) -> Markup {
    html! {
        (DOCTYPE)
        // Nothing is claimed before the stream has said it.
        html lang="en" data-link="connecting" data-events=(events) data-build=(assets::version())
            data-now=(now.0)
        {
            (head(title))
            body {
                a.skip href="#main" { "Skip to the agents" }
                header.top {
                    a.brand href="/" { span.logo aria-hidden="true" {} "headsup" }
                    a.nav #to-inbox href="/inbox" { "Inbox" }
                    (summary)
                    // For how long runs every second, and is not read aloud each time.
                    p #link role="status" {
                        span.lamp aria-hidden="true" {}
                        span {
                            span #link-text { "Connecting" }
                            span #link-for aria-hidden="true" {}
                        }
                    }
                }
                noscript {
                    p.banner { "Without scripts this page shows how things were at " (now) ". Reload it to see more." }
                }
                p #banner .banner role="alert" hidden {}
                main #main tabindex="-1" { (main) }
                p #said .unseen role="status" aria-live="polite" {}
            }
        }
    }
}

/// A page that only says something.
pub(super) fn plain(title: &str, main: Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            (head(title))
            body {
                header.top { a.brand href="/" { span.logo aria-hidden="true" {} "headsup" } }
                main #main { (main) }
            }
        }
    }
}

/// A page without any file of ours, for who may not have them.
pub(super) fn bare(title: &str, main: Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
            }
            body { main { (main) } }
        }
    }
}

fn head(title: &str) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            title { (title) }
            link #icon rel="icon" type="image/svg+xml" href=(url("icon.svg"))
                data-calm=(url("icon.svg")) data-wanted=(url("icon-wanted.svg"));
            link rel="stylesheet" href=(url("board.css"));
            script type="module" src=(url("board.js")) {}
            script type="module" src=(url("answer.js")) {}
        }
    }
}
