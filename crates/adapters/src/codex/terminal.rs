//! What Codex says to its terminal.
//!
//! Its status reports (OSC 7501) come unasked and say what they mean (measured): idle, working,
//! blocked with `kind=permission` or `question`, done, error, and clear when it leaves; no text and
//! no helper's id. Two seconds after done or error they say idle. While it comes up it says that it works,
//! and so does its title, for as long as it waits for its tool servers (MCP), then idle again (0.169.0, measured);
//! without any for up to 40 ms. With a prompt on its command line no rest follows that; it may stand before it, for some
//! 400 ms.
//!
//! | title | so |
//! |---|---|
//! | `⠋ …`, a sign in braille | it works (measured) |
//! | `[ ! ] Action Required`, `[ . ] …` in turn | a dialog is open (measured) |
//! | all others | nothing: a person may have chosen a title without the sign (read) |

use super::{KIND, PROGRAMS};
use crate::resume;
use crate::terminal::blocked;
use headsup_core::observation::Level;
use headsup_core::status::BlockedReason;

/// A tool server is given 10 s to start unless `startup_timeout_sec` says otherwise (read). Milliseconds.
pub(crate) const START_MS: u16 = 12_000;

/// Words of a command line that runs something else than its screen (`codex --help` of 0.169.0, read): nothing is
/// reported there.
const ELSEWHERE: [&str; 16] = [
    "exec",
    "e",
    "review",
    "login",
    "logout",
    "mcp",
    "mcp-server",
    "app-server",
    "exec-server",
    "completion",
    "sandbox",
    "debug",
    "apply",
    "cloud",
    "features",
    "help",
];

/// Whether a command line of it opens its screen.
pub(crate) fn opens_screen(words: &[String]) -> bool {
    let said = words.iter().skip(1).take_while(|word| *word != "--");
    !said.into_iter().any(|word| ELSEWHERE.contains(&word.as_str()))
}

/// Whether its first prompt stands on its command line, surely: then the work that it shows from its start on is
/// somebody's, also while it waits for tool servers, and no rest comes between (0.169.0, measured). Of `resume` and `fork`
/// the conversation is named before it, if it is not the last one. One word alone may be a command.
pub(crate) fn is_prompted(line: &[&str]) -> bool {
    // On Node its script stands before them.
    let Some(place) = line.iter().take(2).position(|word| is_its(word)) else { return false };
    let mut parts = line[place + 1..].splitn(2, |word| *word == "--");
    let mut own = parts.next().unwrap_or_default();
    let mut plain = Vec::new();
    while let Some(word) = resume::surely(KIND, own) {
        let Some(at) = own.iter().position(|other| std::ptr::eq(*other, word)) else { break };
        own = &own[at + 1..];
        plain.push(word);
    }
    plain.extend(parts.next().unwrap_or_default());
    let said = match plain.first() {
        Some(&("resume" | "fork")) => plain.get(if line.contains(&"--last") { 1 } else { 2 }),
        first => first,
    };
    said.is_some_and(|said| {
        let said = said.trim();
        said.contains(char::is_whitespace) && !said.starts_with(['/', '!'])
    })
}

fn is_its(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or_default();
    PROGRAMS.contains(&name.strip_suffix(".js").unwrap_or(name))
}

/// So many characters of a conversation's id tell more than when it began (version 7: 48 bits of time, then chance).
const TELLING: usize = 24;

/// Whether a title names this conversation: its id may stand in it, cut short with dots behind, where its person has
/// put `thread-id` into `tui.terminal_title` (0.169.0, measured).
pub(crate) fn names(title: &str, session: &str) -> bool {
    let words = title.split([' ', '|']).map(|word| word.trim_end_matches(['.', '\u{2026}']));
    let mut words = words.filter(|word| word.len() >= TELLING);
    words.any(|word| session.starts_with(word))
}

const DIALOG: [&str; 2] = ["[ ! ] Action Required", "[ . ] Action Required"];

pub(crate) fn title(title: &str) -> Option<Level> {
    if DIALOG.iter().any(|beginning| title.starts_with(beginning)) {
        return Some(blocked(BlockedReason::Other, ""));
    }
    let sign = title.split(' ').next().filter(|sign| !sign.is_empty())?;
    let spins = sign.chars().all(|c| ('\u{2801}'..='\u{28ff}').contains(&c));
    spins.then_some(Level::Working { reason: None })
}
