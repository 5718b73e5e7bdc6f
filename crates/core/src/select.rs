//! Sets of headlines as people type them.

use crate::status::Headline;

/// What `--until` and `--status` take: any headlines, and `attention`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeadlineSet(Vec<Headline>);

/// A word that names no headline.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a status; use attention or any of {all}", all = all())]
pub struct UnknownHeadline(pub String);

fn all() -> String {
    Headline::ALL.iter().map(|h| h.word()).collect::<Vec<_>>().join(", ")
}

impl HeadlineSet {
    /// Reads `blocked,done`. `attention` is blocked, crashed, failed, review and done.
    pub fn parse(text: &str) -> Result<Self, UnknownHeadline> {
        let mut set = Vec::new();
        for word in text.split(',').map(str::trim) {
            match Headline::parse(word) {
                Some(headline) => set.push(headline),
                None if word == "attention" => {
                    set.extend(Headline::ALL.iter().filter(|h| h.wants_attention()));
                }
                None => return Err(UnknownHeadline(word.to_owned())),
            }
        }
        Ok(Self(set))
    }

    /// Literal membership, for filters.
    pub fn contains(&self, headline: Headline) -> bool {
        self.0.contains(&headline)
    }

    /// Membership for waiting: `idle` also matches `done`, which is idle that nobody has seen.
    pub fn is_met_by(&self, headline: Headline) -> bool {
        let done_is_idle = headline == Headline::Done && self.contains(Headline::Idle);
        self.contains(headline) || done_is_idle
    }
}

impl FromIterator<Headline> for HeadlineSet {
    fn from_iter<I: IntoIterator<Item = Headline>>(headlines: I) -> Self {
        Self(headlines.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_read_and_an_unknown_word_is_named() {
        let set = HeadlineSet::parse("idle, attention").unwrap();
        for headline in ["idle", "done", "blocked", "crashed", "failed", "review"] {
            assert!(set.is_met_by(Headline::parse(headline).unwrap()), "{headline}");
        }
        assert!(!set.is_met_by(Headline::Working));
        assert!(HeadlineSet::parse("idle").unwrap().is_met_by(Headline::Done));
        assert!(!HeadlineSet::parse("done").unwrap().is_met_by(Headline::Idle));
        let error = HeadlineSet::parse("finished").unwrap_err().to_string();
        assert!(error.contains("finished") && error.contains("working"), "{error}");
    }
}
