//! The one door for text out of a payload: bounded, without hidden characters, without keys.
//!
//! Payloads hold prompts, commands and file contents. What leaves this crate of them is short,
//! shows what it says (no control, direction or invisible characters), and carries no
//! credential that has a known shape or a telling name.

mod accounts;
mod assign;
mod clean;
mod command;
mod encoded;
mod escapes;
mod handed;
#[cfg(test)]
mod looks;
mod names;
mod programs;
mod redact;
mod said;
mod shapes;
mod words;

use crate::digest;
use headsup_core::words::text::is_hidden;
pub use redact::{REDACTED, redact};

/// Caps, in characters.
pub const TITLE: usize = 200;
pub const BODY: usize = 4_000;
pub const DETAIL: usize = 300;
pub const ACTION: usize = 120;
pub(crate) const EVENT: usize = 64;
pub const NAME: usize = 100;

const ID: usize = 200;
const PATH: usize = 4_096;

/// One line of at most `cap` characters, ready to be shown; `…` marks a cut.
pub fn line(text: &str, cap: usize) -> String {
    capped(&redact(&clean::line(text)), cap)
}

/// The same with its line breaks kept.
pub fn block(text: &str, cap: usize) -> String {
    capped(&redact(&clean::block(text)), cap)
}

/// A vendor's id as it is; `None` for what is no id: empty, long, or with white space or
/// control characters.
pub(crate) fn id(text: &str) -> Option<String> {
    let legal = |c: char| !c.is_whitespace() && !is_hidden(c);
    let is_legal = text.bytes().all(|b| b.is_ascii_graphic()) || text.chars().all(legal);
    (!text.is_empty() && text.len() <= ID && is_legal).then(|| text.to_owned())
}

/// The id of a conversation: as it is, or where [`id`] takes it for none a digest of it, so that two
/// conversations are two, however they are called. `None` only for an empty one.
pub(crate) fn session(text: &str) -> Option<String> {
    let digested = || format!("digest-{:016x}", digest::of_text(text));
    (!text.is_empty()).then(|| id(text).unwrap_or_else(digested))
}

/// A path as it is; `None` for an empty or long one and for one with control characters.
pub fn path(text: &str) -> Option<String> {
    let legal = !text.chars().any(char::is_control);
    (!text.is_empty() && text.len() <= PATH && legal).then(|| text.to_owned())
}

/// The path of a folder that an agent works in, from the root on: whoever hears of a relative one does not know to what.
pub fn folder(text: &str) -> Option<String> {
    path(text).filter(|path| path.starts_with('/'))
}

fn capped(text: &str, cap: usize) -> String {
    let mut marks = text.char_indices().skip(cap.saturating_sub(1));
    match (marks.next(), marks.next()) {
        (Some((cut, _)), Some(_)) => format!("{}…", &text[..cut]),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_at_its_cap_with_a_mark() {
        assert_eq!(line("héllo", 5), "héllo");
        assert_eq!(line("héllo!", 5), "héll…");
        assert_eq!(line("", 5), "");
        for cap in 1..20 {
            assert!(line(&"ü".repeat(50), cap).chars().count() <= cap, "{cap}");
        }
    }

    #[test]
    fn a_folder_is_told_from_the_root_on() {
        for text in ["/", "/home/dev/a b", "/../x"] {
            assert_eq!(folder(text).as_deref(), Some(text));
        }
        for text in ["", ".", "proj", "./proj", "../proj", "~/proj", "file:///proj", "/a\nb"] {
            assert_eq!(folder(text), None, "{text}");
        }
    }

    #[test]
    fn a_key_is_redacted_before_the_cut() {
        let key = format!("token {}{}", "ghp_", "a1B2".repeat(10));
        for cap in 8..60 {
            assert!(!line(&key, cap).contains("a1B2"), "{cap}");
        }
    }

    #[test]
    fn an_id_is_taken_as_it_is_or_not_at_all() {
        assert_eq!(id("86c3ffa8-aff0").as_deref(), Some("86c3ffa8-aff0"));
        for bad in ["", "a b", "a\nb", "a\u{202e}b", &"x".repeat(201)] {
            assert_eq!(id(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_conversation_whose_id_is_none_is_no_other_one() {
        let long = |last: char| format!("{}{last}", "x".repeat(10_000));
        let all = [long('a'), long('b'), "a b".into(), "a\u{202e}b".into()].map(|id| session(&id));
        for (index, one) in all.iter().enumerate() {
            assert_eq!(one.as_deref().and_then(id), *one, "it is an id");
            assert!(one.is_some() && !all[..index].contains(one), "{one:?}");
        }
        assert_eq!(session(&long('a')), all[0], "the same again");
        assert_eq!((session("s-1").as_deref(), session("")), (Some("s-1"), None));
    }

    #[test]
    fn a_path_is_taken_as_it_is_or_not_at_all() {
        assert_eq!(path("/home/dev/my api").as_deref(), Some("/home/dev/my api"));
        assert_eq!(path("/home\n"), None);
    }
}
