//! What can become of a pull request's record.

use crate::forge::{Approval, Looked};
use headsup_core::wire::PullDoc;
use headsup_core::work::pull::PullState;
use headsup_core::work::review::Review;

/// An act on a pull request's record, not on its branches.
#[derive(Debug)]
pub(crate) enum PullAct {
    /// A new one, unless an open one of the same branches is there.
    Create(Box<PullDoc>),
    /// What is left out stays.
    Change {
        id: String,
        title: Option<String>,
        body: Option<String>,
        state: Option<PullState>,
        draft: Option<bool>,
    },
    /// How it stands now.
    Looked { id: String, looked: Box<Looked> },
    /// A person is asked whether it may be merged.
    Asked { id: String, approval: Approval },
    /// A merge is not possible any more, and why; `prompt`: a person had agreed to it there.
    NotMerged { id: String, prompt: Option<String>, why: String },
    /// A reviewer has said something. Of what a person says the owner's workflow is told in these words.
    Reviewed { id: String, review: Review, tells: Option<String> },
    /// A merge is about to lead to this commit.
    Intends { id: String, sha: String },
    /// The merge that was intended has happened, as this commit, or will not.
    Ended { id: String, merged_as: Option<String> },
}
