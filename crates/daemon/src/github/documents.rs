//! What the host says, as far as it is read here.

use headsup_core::time::UnixMs;
use serde::{Deserialize, Deserializer};

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Issue {
    pub(super) number: u64,
    #[serde(default)]
    pub(super) title: String,
    pub(super) body: Option<String>,
    pub(super) state: String,
    pub(super) state_reason: Option<String>,
    #[serde(default)]
    pub(super) labels: Vec<Label>,
    pub(super) html_url: Option<String>,
    pub(super) created_at: UnixMs,
    pub(super) updated_at: UnixMs,
    /// It is there in issues that are pull requests.
    pub(super) pull_request: Option<serde::de::IgnoredAny>,
}

/// An object, or its bare name.
#[derive(Clone, Debug)]
pub(super) struct Label(pub(super) String);

impl<'de> Deserialize<'de> for Label {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Name(String),
            Object { name: Option<String> },
        }
        Ok(Self(match Form::deserialize(deserializer)? {
            Form::Name(name) => name,
            Form::Object { name } => name.unwrap_or_default(),
        }))
    }
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Comment {
    pub(super) id: u64,
    pub(super) body: Option<String>,
    pub(super) html_url: Option<String>,
    pub(super) user: Option<User>,
    pub(super) created_at: UnixMs,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct User {
    pub(super) login: String,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Pull {
    pub(super) number: u64,
    #[serde(default)]
    pub(super) title: String,
    pub(super) body: Option<String>,
    pub(super) state: String,
    #[serde(default)]
    pub(super) draft: bool,
    /// Not in lists.
    #[serde(default)]
    pub(super) merged: bool,
    pub(super) created_at: Option<UnixMs>,
    pub(super) merged_at: Option<UnixMs>,
    pub(super) merge_commit_sha: Option<String>,
    /// Nothing: it is being worked out.
    pub(super) mergeable: Option<bool>,
    pub(super) mergeable_state: Option<String>,
    pub(super) head: End,
    pub(super) base: End,
    #[serde(default)]
    pub(super) additions: u64,
    #[serde(default)]
    pub(super) deletions: u64,
    #[serde(default)]
    pub(super) changed_files: u64,
    pub(super) html_url: String,
}

impl Pull {
    pub(super) fn is_merged(&self) -> bool {
        self.merged || self.merged_at.is_some()
    }
}

/// One of its branches.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct End {
    #[serde(rename = "ref")]
    pub(super) name: String,
    pub(super) sha: String,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Branch {
    pub(super) name: String,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Repo {
    pub(super) default_branch: String,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct File {
    pub(super) filename: String,
    #[serde(default)]
    pub(super) additions: u64,
    #[serde(default)]
    pub(super) deletions: u64,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct CheckRuns {
    #[serde(default)]
    pub(super) check_runs: Vec<CheckRun>,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct CheckRun {
    pub(super) name: String,
    pub(super) status: String,
    pub(super) conclusion: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Statuses {
    #[serde(default)]
    pub(super) statuses: Vec<Status>,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Status {
    pub(super) context: String,
    pub(super) state: String,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Review {
    pub(super) user: Option<User>,
    pub(super) state: String,
    pub(super) body: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Merged {
    pub(super) sha: Option<String>,
    #[serde(default)]
    pub(super) merged: bool,
}
