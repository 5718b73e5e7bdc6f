//! Pull requests that somebody names by their address.

use super::{ForgeError, Pulls};
use crate::github::GITHUB;
use headsup_core::id::AgentId;
use headsup_core::time::UnixMs;
use headsup_core::wire::PullDoc;
use headsup_core::work::pull::PullState;
use headsup_core::work::remote::{Numbered, Typed};
use std::path::Path;

impl Pulls {
    /// Whether this is the address of a pull request: of one that is known here, or at a host of the settings.
    pub(crate) async fn is_address(&self, url: &str) -> Result<bool, ForgeError> {
        if self.forges().is_pull(url) {
            return Ok(true);
        }
        let at = url.to_owned();
        Ok(self.read(move |reader| reader.pull_at(&at)).await?.is_some())
    }

    /// What the pull request at this address is called here. One of a repository in the settings is
    /// looked at and written down; of any other the address is its name.
    pub(crate) async fn named(&self, url: &str, agent: &AgentId, folder: Option<&Path>) -> String {
        match self.adopted(url, agent, folder).await {
            Ok(Some(id)) => id,
            Ok(None) => url.to_owned(),
            Err(error) => {
                // What is reported of it counts all the same.
                tracing::warn!(%error, url, "a pull request cannot be looked at");
                url.to_owned()
            }
        }
    }

    async fn adopted(
        &self,
        url: &str,
        agent: &AgentId,
        folder: Option<&Path>,
    ) -> Result<Option<String>, ForgeError> {
        let at = url.to_owned();
        if let Some(row) = self.read(move |reader| reader.pull_at(&at)).await? {
            return Ok(Some(row.doc.id));
        }
        let Some(Typed::Url { host, of }) = Typed::parse(url) else { return Ok(None) };
        let is_ours = self.forges().web() == Some(host);
        let Some(repo) = self.forges().known(&of.repo).filter(|_| is_ours) else { return Ok(None) };
        let of = Numbered { repo, ..of };
        let mut doc = blank(&of, url, agent, folder);
        let looked = self.forges().of(GITHUB)?.look(&doc, None).await?;
        looked.put_into(&mut doc);
        doc.merge_sha = looked.merged_as;
        Ok(Some(self.record(doc, None).await?.0.id))
    }
}

fn blank(of: &Numbered, url: &str, agent: &AgentId, folder: Option<&Path>) -> PullDoc {
    PullDoc {
        id: uuid::Uuid::now_v7().to_string(),
        provider: GITHUB.to_owned(),
        url: url.to_owned(),
        repo: folder.map(|folder| folder.display().to_string()).unwrap_or_default(),
        remote: Some(of.repo.to_string()),
        number: Some(of.number),
        title: String::new(),
        body: None,
        state: PullState::Open,
        draft: false,
        head_branch: String::new(),
        base_branch: String::new(),
        head_sha: String::new(),
        base_sha: String::new(),
        additions: 0,
        deletions: 0,
        changed_files: 0,
        files: Vec::new(),
        mergeable: false,
        mergeable_reason: None,
        checks: Vec::new(),
        reviews: Vec::new(),
        agent_id: Some(agent.clone()),
        task: None,
        merge_sha: None,
        created_at: UnixMs(0),
        updated_at: UnixMs(0),
        refreshed_at: UnixMs(0),
        merged_at: None,
    }
}
