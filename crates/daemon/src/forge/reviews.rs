//! What reviewers say of a pull request: written down with the commit that they saw, told where the pull
//! request is kept, and taken for the answer where they are asked about a merge of that commit.

use super::{Approval, ForgeError, NO, Pulls, YES};
use crate::effects::key_of;
use crate::job::{Given, Key, PullAct, Work};
use headsup_adapters::text;
use headsup_core::prompt::Via;
use headsup_core::prompt::answer::Said;
use headsup_core::time::UnixMs;
use headsup_core::wire::PullDoc;
use headsup_core::work::pull::PullState;
use headsup_core::work::review::{Opinion, Review};

/// What somebody says of a pull request.
#[derive(Clone, Debug)]
pub(crate) struct NewReview {
    /// A person's name, or an agent's id.
    pub(crate) who: String,
    pub(crate) is_agent: bool,
    pub(crate) opinion: Opinion,
    pub(crate) says: Option<String>,
    /// The commit that was looked at, where somebody says so.
    pub(crate) expected: Option<String>,
    pub(crate) received: UnixMs,
}

impl Pulls {
    /// What reviewers have said through the hub.
    pub(crate) async fn reviews(&self, id: &str) -> Result<Vec<Review>, ForgeError> {
        Ok(self.row(id).await?.reviews)
    }

    pub(crate) async fn review(
        &self,
        id: &str,
        new: NewReview,
        key: Option<Key>,
    ) -> Result<PullDoc, ForgeError> {
        let row = self.row(id).await?;
        let pull = row.doc;
        match pull.state {
            PullState::Merged => return Err(ForgeError::NotOpen("merged")),
            PullState::Closed => return Err(ForgeError::NotOpen("closed")),
            PullState::Open => {}
        }
        let NewReview { who, is_agent, opinion, says, expected, received } = new;
        if let Some(expected) = expected.filter(|expected| *expected != pull.head_sha) {
            let (branch, is) = (pull.head_branch, pull.head_sha);
            return Err(ForgeError::HeadMoved { branch, expected, is });
        }
        if opinion == Opinion::Approved && pull.remote.is_none() {
            // What was seen is approved, and nothing that is not there any more.
            let now = self.refresh(&pull.id).await?;
            if now.head_sha != pull.head_sha {
                let (branch, expected, is) = (pull.head_branch, pull.head_sha, now.head_sha);
                return Err(ForgeError::HeadMoved { branch, expected, is });
            }
        }
        let sha = pull.head_sha.clone();
        let review = Review { who: who.clone(), is_agent, opinion, says, sha, at: received };
        let forge = self.forges().of(&pull.provider)?;
        forge.review(&pull, &review, &key_of(key.as_ref(), "review")).await?;
        let tells = (!is_agent).then(|| told(&review));
        let id = pull.id.clone();
        self.act(PullAct::Reviewed { id, review, tells }, key).await?;
        if !is_agent {
            let asked = row.approvals.into_iter().filter(|asked| asked.sha == pull.head_sha);
            self.answer(asked, opinion, &who, received).await;
        }
        match self.refresh(&pull.id).await {
            Ok(pull) => Ok(pull),
            Err(error) => {
                // It is said, and that is what counts.
                tracing::warn!(%error, "a pull request cannot be looked at after its review");
                self.get(&pull.id).await
            }
        }
    }

    /// Whoever is asked whether this very commit may be merged has said it by a review.
    async fn answer(
        &self,
        asked: impl Iterator<Item = Approval>,
        opinion: Opinion,
        who: &str,
        received: UnixMs,
    ) {
        let said = match opinion {
            Opinion::Approved => YES,
            Opinion::ChangesRequested => NO,
            Opinion::Commented | Opinion::Dismissed => return,
        };
        for Approval { agent, prompt, .. } in asked {
            let (said, actor) = (Said::Text(said.to_owned()), Some(who.to_owned()));
            let given =
                Given { agent, prompt, said, via: Via::Api, actor, received, is_verified: true };
            // One that was answered before stays as it is.
            self.inbox().submit(Work::Answer(Box::new(given)), None).await.ok();
        }
    }
}

/// The review in a line, for the workflow of whoever waits for it.
fn told(review: &Review) -> String {
    let Review { who, says, .. } = review;
    let has = match review.opinion {
        Opinion::Approved => "has approved it",
        Opinion::ChangesRequested => "wants changes",
        Opinion::Commented | Opinion::Dismissed => "has commented",
    };
    let says = says.as_ref().map(|says| format!(": {says}")).unwrap_or_default();
    text::line(&format!("{who} {has}{says}"), text::DETAIL)
}
