//! Reviews that are told to the host: each once, of the commit that was seen.

use super::client::PAGE;
use super::documents::Review as There;
use super::forge::{Hosted, numbered};
use super::pull_path;
use crate::forge::ForgeError;
use crate::outgoing::RemoteError;
use headsup_core::wire::PullDoc;
use headsup_core::work::comment::{mark, marked};
use headsup_core::work::remote::Numbered;
use headsup_core::work::review::{Opinion, Review};
use hyper::Method;
use serde_json::json;

/// Pages of reviews looked through.
const PAGES: u32 = 10;
/// Neither an approval nor a refusal.
const REMARK: &str = "COMMENT";
/// What the host says of an approval, or of wanted changes, of one's own pull request (API version 2022-11-28).
const OWN: &str = "own pull request";

impl Hosted {
    pub(super) async fn reviewed(
        &self,
        pull: &PullDoc,
        review: &Review,
        key: &str,
    ) -> Result<(), ForgeError> {
        let of = numbered(pull)?;
        self.forget(&of);
        let mark = mark(key);
        // The same request may have been made before, by a hub that died behind it.
        if self.has_review(&of, &mark).await? {
            return Ok(());
        }
        let event = match review.opinion {
            Opinion::Approved => "APPROVE",
            Opinion::ChangesRequested => "REQUEST_CHANGES",
            Opinion::Commented | Opinion::Dismissed => REMARK,
        };
        match self.tell(&of, review, event, key).await {
            // Who has opened it reviews it as well: the host takes a remark alone of them.
            Err(RemoteError::Refused { says, .. }) if event != REMARK && says.contains(OWN) => {
                Ok(self.tell(&of, review, REMARK, key).await?)
            }
            Err(error) if error.may_have_happened() => match self.has_review(&of, &mark).await {
                Ok(true) => Ok(()),
                Ok(false) | Err(_) => Err(error.into()),
            },
            told => Ok(told?),
        }
    }

    async fn tell(
        &self,
        of: &Numbered,
        review: &Review,
        event: &str,
        key: &str,
    ) -> Result<(), RemoteError> {
        let (who, says) = (&review.who, review.says.as_deref().unwrap_or_default());
        // It is told in the name of the person whose token it is, and as what it is.
        let says = match (review.is_agent, review.opinion) {
            (true, _) => format!("**{who} has looked at this:**\n\n{says}"),
            (_, Opinion::Approved) if event == REMARK => {
                format!("**{who} has approved this.**\n\n{says}")
            }
            (_, Opinion::ChangesRequested) if event == REMARK => {
                format!("**{who} wants changes:**\n\n{says}")
            }
            _ => says.to_owned(),
        };
        let body = json!({ "commit_id": review.sha, "event": event, "body": marked(&says, key) });
        let (path, what) = (pull_path(of, "/reviews"), format!("pull request {of}"));
        self.client().send::<There>(Method::POST, &path, &body, &what).await.map(drop)
    }

    async fn has_review(&self, of: &Numbered, mark: &str) -> Result<bool, RemoteError> {
        let what = format!("pull request {of}");
        for page in 1..=PAGES {
            let path = pull_path(of, &format!("/reviews?per_page={PAGE}&page={page}"));
            let some: Vec<There> = self.client().get(&path, &what).await?;
            if some
                .iter()
                .any(|there| there.body.as_deref().is_some_and(|body| body.contains(mark)))
            {
                return Ok(true);
            }
            if some.len() < PAGE as usize {
                break;
            }
        }
        Ok(false)
    }
}
