//! The words that programs are known to say, one by one: whatever else a member says that holds such
//! words is somebody's text.

use crate::{kinds, mapped};
use std::collections::HashSet;
use std::sync::LazyLock;

/// Events, types, tools, modes, causes.
const WORDS: &str = include_str!("words.txt");

/// Those with a blank or a bracket.
const OTHERS: &[&str] = &[
    "permission prompt",
    "sandbox request",
    "worker request",
    "input needed",
    "goal proposal",
    "auto-mode scan",
    "cloud session",
    "MCP task",
    "memory save",
    "<synthetic>",
];

/// How words begin whose beginning tells what they are, a longer one before a shorter one.
const FAMILIES: &[&str] = &[
    "quota_auto_resume_",
    "session.next.",
    "permission.v2.",
    "question.v2.",
    "permission.",
    "question.",
    "session.",
    "api-request",
    "waitingOn",
    "monitor",
    "aborted",
    "error",
    "_",
];

/// Stands for a kind with a name that nobody else may know.
pub(super) const SOMEBODYS: &str = "acp:agent";

/// What the names of models are made of that everybody may use.
const MODELS: &[&str] = &[
    "claude", "opus", "sonnet", "haiku", "gpt", "codex", "mini", "nano", "pro", "max", "sol",
    "gemini", "flash", "lite", "qwen", "coder", "plus", "turbo", "deepseek", "chat", "reasoner",
    "grok", "fast", "code", "glm", "kimi", "llama", "mistral", "large", "medium", "small",
    "latest", "preview", "exp", "thinking", "instruct",
];

static KNOWN: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let mut known: HashSet<&str> = WORDS.split_ascii_whitespace().collect();
    known.extend(OTHERS);
    for map in mapped::maps() {
        for event in &map.events {
            known.insert(&event.name);
            known.extend(event.when.iter().flat_map(|when| &when.is).map(String::as_str));
        }
        for must in &map.musts {
            known.extend(must.events.iter().chain(&must.is).map(String::as_str));
        }
    }
    known
});

/// Whether a member that holds a program's word holds one that is known.
pub(super) fn says(member: &str, text: &str) -> bool {
    match member {
        "version" => is_version(text),
        "procStart" => text.len() <= 20 && is_number(text),
        "timestamp" => is_moment(text),
        "model" | "from_model" | "to_model" => is_model(text) || is_known(text),
        _ => is_known(text),
    }
}

/// Whether a program is known to say this word, alone or as parts of a name; a number may stand
/// behind it.
pub(super) fn is_known(text: &str) -> bool {
    let is_own =
        |text: &str| KNOWN.contains(text) || text.split('/').all(|part| KNOWN.contains(part));
    let numbered = text.rsplit_once('.').filter(|(_, end)| end.len() <= 2 && is_number(end));
    is_own(text) || numbered.is_some_and(|(word, _)| is_own(word))
}

/// The beginning of a word that is not known, where that alone tells what it is.
pub(super) fn family(text: &str) -> Option<&'static str> {
    FAMILIES.iter().find(|begins| text.starts_with(**begins)).copied()
}

/// A kind without the name that a person may have given it.
pub(super) fn kind(kind: &str) -> String {
    let Some(name) = kind.strip_prefix("acp:") else { return kind.to_owned() };
    let runs = || crate::inject::recipes().iter().any(|recipe| recipe.programs.contains(&name));
    match kinds::kinds().contains(&name) || runs() {
        true => kind.to_owned(),
        false => SOMEBODYS.to_owned(),
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Up to three numbers: four are the address of a machine.
fn is_version(text: &str) -> bool {
    text.len() <= 24 && text.split('.').count() <= 3 && text.split('.').all(is_number)
}

/// `2026-11-21T21:32:14.367Z`
fn is_moment(text: &str) -> bool {
    let fits = |(at, byte): (usize, u8)| match at {
        4 | 7 => byte == b'-',
        10 => byte == b'T',
        13 | 16 => byte == b':',
        0..19 => byte.is_ascii_digit(),
        _ => byte.is_ascii_digit() || b".+-:Z".contains(&byte),
    };
    (19..=35).contains(&text.len()) && text.bytes().enumerate().all(fits)
}

/// A family's name, then words, short numbers and dates.
fn is_model(text: &str) -> bool {
    let is_short = |part: &str| {
        let digits = part.trim_matches(|c: char| c.is_ascii_lowercase());
        let is_date = part.len() == 8 && part.starts_with("20");
        is_number(digits) && (is_date || (digits.len() <= 3 && part.len() <= digits.len() + 1))
    };
    let mut parts = text.split(['-', '.']);
    parts.next().is_some_and(|family| MODELS.contains(&family))
        && parts.all(|part| MODELS.contains(&part) || is_short(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_words_stay() {
        for word in ["Stop", "item/started", "session.updated.1", "permission prompt", "rate_limit"]
        {
            assert!(says("reason", word), "{word}");
        }
        for word in ["acme", "Stop acme", "item/acme", "Stop.acme", "a@b.example", ""] {
            assert!(!says("reason", word), "{word}");
        }
        assert_eq!(family("quota_auto_resume_acme"), Some("quota_auto_resume_"));
        assert_eq!(family("acme"), None);
    }

    #[test]
    fn every_word_of_a_map_is_known() {
        for event in mapped::maps().iter().flat_map(|map| &map.events) {
            assert!(is_known(&event.name), "{}", event.name);
        }
    }

    #[test]
    fn numbers_have_the_shape_of_their_member() {
        assert!(says("version", "2.1.330") && !says("version", "10.20.30.40"));
        assert!(says("procStart", "457814") && !says("procStart", "acme"));
        assert!(says("timestamp", "2026-11-21T21:32:14.367Z"));
        assert!(says("timestamp", "2026-11-21T21:32:14+01:00"));
        assert!(!says("timestamp", "10.20.30.40") && !says("timestamp", "2026-11-21 by somebody"));
    }

    #[test]
    fn of_models_only_names_that_everybody_may_use_stay() {
        for model in [
            "claude-sonnet-4-5-20250929",
            "gpt-6.1-sol",
            "gpt-4o-mini",
            "gemini-2.5-flash",
            "llama-3-70b",
            "<synthetic>",
        ] {
            assert!(says("model", model), "{model}");
        }
        for model in ["acme-merger", "claude-acme", "gpt-49170123", "arn:aws:bedrock:1", "10.20"] {
            assert!(!says("model", model), "{model}");
        }
    }

    #[test]
    fn a_kind_has_no_name_of_a_persons() {
        assert_eq!(kind("codex"), "codex");
        assert_eq!(kind("acp:gemini"), "acp:gemini");
        assert_eq!(kind("acp:jdoesmith"), "acp:agent");
    }
}
