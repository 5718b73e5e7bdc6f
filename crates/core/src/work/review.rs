//! What reviewers say of a pull request, and what of that counts for its merge.

use crate::status::turn::words;
use crate::time::UnixMs;
use serde::{Deserialize, Serialize};

/// What a review comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Opinion {
    Approved,
    ChangesRequested,
    Commented,
    /// It was an approval of a pull request that was closed since.
    Dismissed,
}

words!(Opinion {
    Approved = "approved", ChangesRequested = "changes_requested", Commented = "commented",
    Dismissed = "dismissed",
});

impl Opinion {
    /// Those that a reviewer may have.
    pub const GIVEN: [Self; 3] = [Self::Approved, Self::ChangesRequested, Self::Commented];
}

/// One review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    /// A person's name, or an agent's id.
    pub who: String,
    pub is_agent: bool,
    pub opinion: Opinion,
    pub says: Option<String>,
    /// The commit that was looked at.
    pub sha: String,
    pub at: UnixMs,
}

impl Review {
    /// `WHO: OPINION: WORDS`, as one line for people.
    pub fn line(&self, words: impl Fn(&str) -> String) -> String {
        let opinion = self.opinion.word().replace('_', " ");
        match &self.says {
            Some(says) => format!("{}: {opinion}: {}", self.who, words(says)),
            None => format!("{}: {opinion}", self.who),
        }
    }

    fn is_remark(&self) -> bool {
        self.opinion == Opinion::Commented
    }

    fn is_of(&self, other: &Self) -> bool {
        (&self.who, self.is_agent) == (&other.who, other.is_agent)
    }
}

/// The last opinion of each reviewer, in the order in which they came. A remark takes no opinion back.
pub fn standing(reviews: &[Review]) -> Vec<&Review> {
    let mut standing: Vec<&Review> = Vec::new();
    for review in reviews {
        if review.is_remark() && standing.iter().any(|of| of.is_of(review) && !of.is_remark()) {
            continue;
        }
        standing.retain(|of| !of.is_of(review));
        standing.push(review);
    }
    standing
}

/// What people have said of this very commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict<'a> {
    Nothing,
    Approved(&'a Review),
    /// One who wants changes outweighs whoever approves.
    Refused(&'a Review),
}

/// What people, and not agents, have said of the commit `sha`.
pub fn verdict<'a>(reviews: &'a [Review], sha: &str) -> Verdict<'a> {
    let standing = standing(reviews);
    let mut of_it = standing.into_iter().filter(|review| review.sha == sha && !review.is_agent);
    let with = |opinion: Opinion| move |review: &&Review| review.opinion == opinion;
    if let Some(refused) = of_it.clone().find(with(Opinion::ChangesRequested)) {
        return Verdict::Refused(refused);
    }
    of_it.find(with(Opinion::Approved)).map_or(Verdict::Nothing, Verdict::Approved)
}

/// Approvals do not count any more.
pub fn dismiss(reviews: &mut [Review]) {
    for review in reviews.iter_mut().filter(|review| review.opinion == Opinion::Approved) {
        review.opinion = Opinion::Dismissed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Opinion::{Approved, ChangesRequested, Commented};

    fn of(who: &str, opinion: Opinion, sha: &str) -> Review {
        let (who, says, sha) = (who.to_owned(), None, sha.to_owned());
        Review { who, is_agent: false, opinion, says, sha, at: UnixMs(0) }
    }

    #[test]
    fn the_last_opinion_of_each_reviewer_stands_and_a_remark_is_none() {
        let mut reviews = vec![
            of("ada", ChangesRequested, "a"),
            of("bob", Commented, "a"),
            of("ada", Commented, "a"),
            of("bob", Approved, "a"),
        ];
        reviews[0].says = Some("name it".to_owned());
        let lines: Vec<_> =
            standing(&reviews).iter().map(|of| of.line(str::to_uppercase)).collect();
        assert_eq!(lines, ["ada: changes requested: NAME IT", "bob: approved"]);
        assert_eq!(verdict(&reviews, "a"), Verdict::Refused(&reviews[0]));
        reviews.push(of("ada", Approved, "a"));
        assert_eq!(verdict(&reviews, "a"), Verdict::Approved(&reviews[3]));
    }

    #[test]
    fn what_counts_is_what_people_said_of_this_very_commit() {
        let agents = Review { is_agent: true, ..of("ada", ChangesRequested, "a") };
        let mut reviews = vec![of("ada", Approved, "a"), agents];
        assert_eq!(verdict(&reviews, "a"), Verdict::Approved(&reviews[0]));
        assert_eq!(verdict(&reviews, "b"), Verdict::Nothing);
        dismiss(&mut reviews);
        assert_eq!(verdict(&reviews, "a"), Verdict::Nothing);
        assert_eq!(reviews[0].opinion, Opinion::Dismissed);
    }
}
