//! A pull request: where it stands, how it is merged, and what its branches may be called.

use crate::status::turn::words;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum PullState {
    Open,
    Closed,
    Merged,
}

words!(PullState { Open = "open", Closed = "closed", Merged = "merged" });

/// How commits come into the base.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum MergeMethod {
    /// A commit with two parents.
    #[default]
    Merge,
    /// One new commit with all of it.
    Squash,
    /// Each commit again, on top of the base.
    Rebase,
}

words!(MergeMethod { Merge = "merge", Squash = "squash", Rebase = "rebase" });

/// Who decides whether an agent's pull request is merged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MergePolicy {
    /// A person is asked each time.
    #[default]
    Ask,
    /// Whoever calls for it.
    Allow,
}

/// Bytes of a branch's name at most.
const LONGEST_BRANCH: usize = 200;

/// Whether a branch may be called this: what git allows (`git check-ref-format --branch`), in printable
/// characters, and nothing that could be read as an option or as an expression.
pub fn is_branch(name: &str) -> bool {
    let forbidden = |c: char| c.is_control() || c.is_whitespace() || " ~^:?*[\\".contains(c);
    let part = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && !part.ends_with('.')
            && !std::path::Path::new(part)
                .extension()
                .is_some_and(|e| e.eq_ignore_ascii_case("lock"))
    };
    name.len() <= LONGEST_BRANCH
        && !name.starts_with('-')
        && !name.contains("..")
        && !name.contains("@{")
        && name != "@"
        && name != "HEAD"
        && !name.chars().any(forbidden)
        && name.split('/').all(part)
}

/// Whether this is the full name of a commit.
pub fn is_commit(name: &str) -> bool {
    let hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    matches!(name.len(), 40 | 64) && name.bytes().all(hex)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_is_called_what_git_allows() {
        for good in ["main", "feature/login", "fix-1", "ada/über", "a.b", "x@y", "release/1.2"] {
            assert!(is_branch(good), "{good}");
        }
        let bad = [
            "",
            "-x",
            "--upload-pack=x",
            "a..b",
            "a b",
            "a~1",
            "a^",
            "a:b",
            "a?",
            "a*",
            "a[",
            "a\\b",
            "/a",
            "a/",
            "a//b",
            ".a",
            "a/.b",
            "a.",
            "a.lock",
            "a.lock/b",
            "@",
            "HEAD",
            "a@{1}",
            "a\nb",
            "a\u{7f}",
        ];
        for bad in bad {
            assert!(!is_branch(bad), "{bad:?}");
        }
        assert!(!is_branch(&"x".repeat(201)));
    }

    #[test]
    fn a_commit_is_named_in_full() {
        assert!(is_commit(&"0a".repeat(20)) && is_commit(&"0a".repeat(32)));
        for bad in ["", "main", &"0A".repeat(20), &"0".repeat(39), "--help"] {
            assert!(!is_commit(bad), "{bad}");
        }
    }
}
