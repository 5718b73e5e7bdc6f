//! Pull requests as clients see them, and what they say of them.

use super::SCHEMA;
use crate::id::AgentId;
use crate::time::UnixMs;
use crate::work::pull::PullState;
use serde::{Deserialize, Serialize};

/// One pull request, by whatever forge keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PullDoc {
    /// A UUID.
    pub id: String,
    /// The forge: `local` is the hub's own, on the repository itself.
    pub provider: String,
    pub url: String,
    /// The repository: a folder of this machine.
    pub repo: String,
    /// What the repository is called at another system: `owner/name`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub remote: Option<String>,
    /// Its number there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub number: Option<u64>,
    pub title: String,
    pub body: Option<String>,
    pub state: PullState,
    pub draft: bool,
    pub head_branch: String,
    pub base_branch: String,
    /// The commit that was seen last, and that alone is merged.
    pub head_sha: String,
    pub base_sha: String,
    pub additions: u64,
    pub deletions: u64,
    pub changed_files: u64,
    /// The first 300.
    pub files: Vec<FileDoc>,
    /// Can it be merged as it is?
    pub mergeable: bool,
    /// Why not, in words.
    pub mergeable_reason: Option<String>,
    /// What programs have found. The hub's own forge runs none.
    pub checks: Vec<String>,
    /// What reviewers have found, the last word of each: `WHO: OPINION` or `WHO: OPINION: WORDS`.
    pub reviews: Vec<String>,
    /// Whose it is; nothing: a person's.
    pub agent_id: Option<AgentId>,
    pub task: Option<String>,
    /// The commit that it has led to in the base.
    pub merge_sha: Option<String>,
    pub created_at: UnixMs,
    pub updated_at: UnixMs,
    pub refreshed_at: UnixMs,
    pub merged_at: Option<UnixMs>,
}

/// A file that a pull request changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct FileDoc {
    pub path: String,
    /// Lines; 0 of a binary file.
    pub additions: u64,
    pub deletions: u64,
}

/// Pull requests, the last changed first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PullsDoc {
    pub schema: u32,
    pub prs: Vec<PullDoc>,
}

/// One pull request as a document of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct OnePullDoc {
    pub schema: u32,
    /// It was there already: open, of the same branches.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub existing: bool,
    #[serde(flatten)]
    pub pr: PullDoc,
}

impl From<PullDoc> for OnePullDoc {
    fn from(pr: PullDoc) -> Self {
        Self { schema: SCHEMA, existing: false, pr }
    }
}

/// The answer to a merge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct MergedDoc {
    pub schema: u32,
    /// It was merged before; nothing was done now.
    pub already_merged: bool,
    #[serde(flatten)]
    pub pr: PullDoc,
}

/// The answer to a merge that a person is asked about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PendingMergeDoc {
    pub schema: u32,
    /// `pending`: it is merged once the prompt is answered with `yes`.
    pub state: String,
    pub prompt_id: String,
    /// As it was asked about.
    pub pr: PullDoc,
}

/// The body of `POST /api/v1/prs` and of `POST /api/v1/agents/{id}/prs`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewPullBody {
    pub title: String,
    pub head_branch: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The repository's default, else `main`, else `master`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_branch: Option<String>,
    #[serde(default)]
    pub draft: bool,
    /// A folder of the repository: an absolute path. An agent's is where it works.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
}

/// The body of `PATCH /api/v1/prs/{pr}`: what is left out stays.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct PullChangeBody {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// `open` or `closed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// False: it is ready to be merged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draft: Option<bool>,
}

/// The body of `POST /api/v1/prs/{pr}/reviews`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct PullReviewBody {
    /// `approved`, `changes_requested` or `commented`.
    pub state: String,
    /// Markdown; it may be missing where it is approved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The commit that was looked at; another one is not reviewed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_head_sha: Option<String>,
}

/// The body of `POST /api/v1/prs/{pr}/merge`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct MergeBody {
    /// `merge`, `squash` or `rebase`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merge_method: Option<String>,
    /// The commit that was looked at; another one is not merged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_head_sha: Option<String>,
}
