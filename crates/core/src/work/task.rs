//! A task: what it is called, and where it stands.

use super::remote::Numbered;
use crate::status::turn::words;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Where a task stands. The words of other trackers are mapped onto these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    Todo,
    InProgress,
    InReview,
    Done,
}

words!(TaskStatus {
    Todo = "todo", InProgress = "in_progress", InReview = "in_review", Done = "done",
});

/// The prefix of tasks that no folder gives a name to.
pub const NAMELESS: &str = "TASK";

/// Characters of a prefix at most.
const LONGEST_PREFIX: usize = 10;

/// The id of a task of the hub's own tracker: `APP-12`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TaskId {
    pub prefix: String,
    /// Counts from 1 within the prefix.
    pub number: u32,
}

impl TaskId {
    /// Reads an id as people type it, in any case; `None` for what is none.
    pub fn parse(text: &str) -> Option<Self> {
        let (prefix, number) = text.rsplit_once('-')?;
        let prefix = prefix.to_ascii_uppercase();
        let digits = number.bytes().all(|b| b.is_ascii_digit()) && !number.starts_with('0');
        let number = number.parse().ok().filter(|_| digits)?;
        is_prefix(&prefix).then_some(Self { prefix, number })
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.prefix, self.number)
    }
}

/// Who keeps a task, by its identifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keeper<'a> {
    /// The hub's own tracker.
    Here(TaskId),
    /// Another system, and what it is called there.
    There { provider: &'a str, target: &'a str },
}

impl<'a> Keeper<'a> {
    /// `APP-12` is ours, `owner/name#12` an issue, `provider:ID` anybody else's; `None` for what is no
    /// identifier.
    pub fn of(identifier: &'a str) -> Option<Self> {
        if let Some(id) = TaskId::parse(identifier) {
            return Some(Self::Here(id));
        }
        if Numbered::parse(identifier).is_some() {
            return Some(Self::There { provider: ISSUES, target: identifier });
        }
        let (provider, target) = identifier.split_once(':')?;
        let is_word = |b: u8| b.is_ascii_lowercase() || b == b'_';
        let known = !provider.is_empty() && provider.bytes().all(is_word) && !target.is_empty();
        let plain = target.bytes().all(|b| b.is_ascii_graphic()) && !target.starts_with('/');
        (known && plain).then_some(Self::There { provider, target })
    }
}

/// Who keeps what is called `owner/name#12`.
pub const ISSUES: &str = "github";

/// A letter, then up to nine letters or digits, all of them capital.
pub fn is_prefix(text: &str) -> bool {
    let mut bytes = text.bytes();
    let first = bytes.next().is_some_and(|b| b.is_ascii_uppercase());
    first
        && text.len() <= LONGEST_PREFIX
        && bytes.all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
}

/// The prefix that a repository's or folder's name gives its tasks: `my-app` has `MYAPP`.
pub fn prefix_of(name: &str) -> String {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    let letters = letters.skip_while(char::is_ascii_digit).take(LONGEST_PREFIX);
    let prefix: String = letters.map(|c| c.to_ascii_uppercase()).collect();
    if prefix.is_empty() { NAMELESS.to_owned() } else { prefix }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_read_in_any_case_and_written_in_one() {
        for text in ["APP-12", "app-12", "App-12"] {
            assert_eq!(TaskId::parse(text).unwrap().to_string(), "APP-12");
        }
        for bad in ["", "APP", "APP-", "-1", "APP-0", "APP-01", "APP-x", "A P-1", "1A-1", "APP-+1"]
        {
            assert_eq!(TaskId::parse(bad), None, "{bad}");
        }
        assert_eq!(TaskId::parse("APP-99999999999"), None);
    }

    #[test]
    fn an_identifier_says_who_keeps_the_task() {
        let here = TaskId::parse("APP-1").map(Keeper::Here);
        assert_eq!(Keeper::of("app-1"), here);
        let there = |provider, target| Some(Keeper::There { provider, target });
        assert_eq!(Keeper::of("ada/app#1"), there("github", "ada/app#1"));
        assert_eq!(Keeper::of("other:APP-1"), there("other", "APP-1"));
        for bad in ["", "app", ":x", "x:", "https://h/a", "A:1", "x:a b"] {
            assert_eq!(Keeper::of(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_folder_names_its_tasks() {
        for (name, prefix) in [
            ("app", "APP"),
            ("my-app", "MYAPP"),
            ("2048", "TASK"),
            ("2048game", "GAME"),
            ("größe", "GRE"),
            ("日本", "TASK"),
            ("a-very-long-repository-name", "AVERYLONGR"),
            ("", "TASK"),
        ] {
            assert_eq!(prefix_of(name), prefix, "{name}");
            assert!(is_prefix(&prefix_of(name)), "{name}");
        }
        for bad in ["", "app", "1A", "A-B", "ABCDEFGHIJK"] {
            assert!(!is_prefix(bad), "{bad}");
        }
    }
}
