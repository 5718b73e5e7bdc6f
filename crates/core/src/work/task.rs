//! A task: what it is called, and where it stands.

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
