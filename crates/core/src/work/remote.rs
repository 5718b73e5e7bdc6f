//! What tasks and pull requests are called at other systems.

use std::fmt;

/// `owner/name`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RepoName {
    pub owner: String,
    pub name: String,
}

/// Bytes of an owner's or a repository's name at most.
const LONGEST: usize = 100;

impl RepoName {
    /// `None` for what is no such name.
    pub fn parse(text: &str) -> Option<Self> {
        let (owner, name) = text.split_once('/')?;
        let is_name = |part: &str| {
            let fits = (1..=LONGEST).contains(&part.len()) && part.bytes().any(|b| b != b'.');
            fits && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
        };
        let fits = is_name(owner) && is_name(name);
        fits.then(|| Self { owner: owner.to_owned(), name: name.to_owned() })
    }

    /// Names of repositories are the same in any case.
    pub fn is(&self, other: &Self) -> bool {
        self.owner.eq_ignore_ascii_case(&other.owner) && self.name.eq_ignore_ascii_case(&other.name)
    }
}

impl fmt::Display for RepoName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.owner, self.name)
    }
}

/// `owner/name#12`: an issue or a pull request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Numbered {
    pub repo: RepoName,
    pub number: u64,
}

impl Numbered {
    /// Reads `owner/name#12`; `None` for what is no such name.
    pub fn parse(text: &str) -> Option<Self> {
        let (repo, number) = text.split_once('#')?;
        Some(Self { repo: RepoName::parse(repo)?, number: number_of(number)? })
    }
}

impl fmt::Display for Numbered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.repo, self.number)
    }
}

/// What people type for an issue or a pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Typed {
    /// `#12`: of the repository at hand.
    Number(u64),
    Whole(Numbered),
    /// `https://host/owner/name/issues/12`.
    Url {
        host: String,
        of: Numbered,
    },
}

impl Typed {
    /// `None` for what is none of these.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some(number) = text.strip_prefix('#') {
            return number_of(number).map(Self::Number);
        }
        let rest = ["https://", "http://"].iter().find_map(|scheme| text.strip_prefix(scheme));
        let Some(rest) = rest else { return Numbered::parse(text).map(Self::Whole) };
        let rest = rest.split(['?', '#']).next()?;
        let mut parts = rest.split('/');
        let host = parts.next().filter(|host| !host.is_empty())?.to_ascii_lowercase();
        let (owner, name) = (parts.next()?, parts.next()?);
        let kind = parts.next().filter(|kind| ["issues", "pull", "pulls"].contains(kind));
        let number = number_of(kind.and(parts.next())?)?;
        let repo = RepoName::parse(&format!("{owner}/{name}"))?;
        Some(Self::Url { host, of: Numbered { repo, number } })
    }
}

fn number_of(text: &str) -> Option<u64> {
    let digits = text.bytes().all(|b| b.is_ascii_digit()) && !text.starts_with('0');
    text.parse().ok().filter(|_| digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issue_is_named_whole_by_its_number_or_by_its_address() {
        let of = Numbered { repo: RepoName::parse("ada/my.app").unwrap(), number: 12 };
        assert_eq!(Typed::parse("ada/my.app#12"), Some(Typed::Whole(of.clone())));
        assert_eq!(of.to_string(), "ada/my.app#12");
        assert_eq!(Typed::parse(" #12 "), Some(Typed::Number(12)));
        for url in [
            "https://GitHub.com/ada/my.app/issues/12",
            "https://github.com/ada/my.app/pull/12/files#x",
            "http://github.com/ada/my.app/pulls/12?y=1",
        ] {
            let whole = Typed::Url { host: "github.com".to_owned(), of: of.clone() };
            assert_eq!(Typed::parse(url), Some(whole), "{url}");
        }
        for bad in [
            "",
            "12",
            "#",
            "#0",
            "#x",
            "#+1",
            "a#1",
            "a/b",
            "a/b#",
            "a/b#01",
            "../b#1",
            "a/..#1",
            "a/b/c#1",
            "a b/c#1",
            "https://",
            "https://h/a/b/issues",
            "https://h/a/b/wiki/1",
            "ftp://h/a/b/issues/1",
            "APP-12",
        ] {
            assert_eq!(Typed::parse(bad), None, "{bad}");
        }
        assert!(RepoName::parse("a/b").unwrap().is(&RepoName::parse("A/B").unwrap()));
    }
}
