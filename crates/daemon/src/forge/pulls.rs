//! Pull requests: the records of the hub, and the forge that their branches are on.

use super::turns::Turns;
use super::{Approval, Branches, Change, ForgeError, Forges, Found, Looked};
use crate::effects::key_of;
use crate::inbox::Inbox;
use crate::job::{Key, PullAct, Refusal, Reply, TakenBack, Work};
use crate::store::pulls::PullRow;
use crate::store::{Reader, StoreError};
use headsup_core::id::AgentId;
use headsup_core::prompt::Via;
use headsup_core::time::UnixMs;
use headsup_core::wire::PullDoc;
use headsup_core::work::pull::{MergeMethod, PullState};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::Notify;

/// So often at most a merge is worked out while its base moves.
const MERGE_TRIES: u32 = 3;

/// What a new pull request says of itself.
#[derive(Clone, Debug)]
pub(crate) struct NewPull {
    pub(crate) title: String,
    pub(crate) body: Option<String>,
    pub(crate) head: String,
    pub(crate) base: Option<String>,
    pub(crate) draft: bool,
    pub(crate) folder: PathBuf,
    pub(crate) agent: Option<AgentId>,
    pub(crate) task: Option<String>,
}

#[derive(Debug)]
pub(crate) struct Pulls {
    inbox: Inbox,
    reader: Arc<Reader>,
    forges: Forges,
    /// Merges of a repository come one after the other: each begins where the last one ended.
    merging: Turns,
    /// So do new ones at other systems: each is looked for before it is made.
    opening: Turns,
    /// Something that was agreed to is to be tried again.
    agreed: Notify,
}

impl Pulls {
    pub(crate) fn new(inbox: Inbox, reader: Arc<Reader>, forges: Forges) -> Self {
        let (merging, opening, agreed) = (Turns::default(), Turns::default(), Notify::new());
        Self { inbox, reader, forges, merging, opening, agreed }
    }

    /// Ends once somebody has said that an agreed merge is to be tried again.
    pub(super) async fn agreed(&self) {
        self.agreed.notified().await;
    }

    pub(crate) fn try_again(&self) {
        self.agreed.notify_one();
    }

    /// All; or of an agent those that it has opened, and those of these ids.
    pub(crate) async fn list(
        &self,
        state: Option<PullState>,
        agent: Option<(AgentId, Vec<String>)>,
        most: u32,
    ) -> Result<Vec<PullDoc>, ForgeError> {
        self.read(move |reader| {
            let of = agent.as_ref().map(|(agent, linked)| (agent.as_str(), linked.as_slice()));
            reader.pulls(state, of, most)
        })
        .await
    }

    pub(crate) async fn get(&self, id: &str) -> Result<PullDoc, ForgeError> {
        Ok(self.row(id).await?.doc)
    }

    /// True: it was there already.
    pub(crate) async fn create(
        &self,
        new: NewPull,
        key: Option<Key>,
    ) -> Result<(PullDoc, bool), ForgeError> {
        let NewPull { title, body, head, base, draft, folder, agent, task } = new;
        let branches = Branches { folder, head: head.clone(), base };
        let forge = self.forges.at(&branches.folder)?;
        let Found { repo, base, remote } = forge.find(branches).await?;
        let mut doc = PullDoc {
            url: String::new(),
            id: uuid::Uuid::now_v7().to_string(),
            provider: forge.name().to_owned(),
            repo,
            remote: remote.map(|remote| remote.to_string()),
            number: None,
            title,
            body: body.filter(|body| !body.is_empty()),
            state: PullState::Open,
            draft,
            head_branch: head,
            base_branch: base,
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
            agent_id: agent,
            task,
            merge_sha: None,
            created_at: UnixMs(0),
            updated_at: UnixMs(0),
            refreshed_at: UnixMs(0),
            merged_at: None,
        };
        let there = doc.remote.is_some();
        let _turn = if there { Some(self.opening.take(place(&doc)).await?) } else { None };
        let opened = forge.open(&doc, &key_of(key.as_ref(), "pull_request")).await?;
        (doc.url, doc.number) = (opened.url, opened.number);
        let looked = forge.look(&doc, None).await?;
        looked.put_into(&mut doc);
        let (pull, existing) = self.record(doc, key).await?;
        if there && existing {
            // What we had written down of it may be old.
            return Ok((self.refresh(&pull.id).await?, true));
        }
        Ok((pull, existing || opened.existing))
    }

    pub(crate) fn forges(&self) -> &Forges {
        &self.forges
    }

    pub(super) fn inbox(&self) -> &Inbox {
        &self.inbox
    }

    /// Writes a new one down. True: it was there already.
    pub(super) async fn record(
        &self,
        doc: PullDoc,
        key: Option<Key>,
    ) -> Result<(PullDoc, bool), ForgeError> {
        let (own, request) = (doc.id.clone(), key.as_ref().map(|key| key.id.clone()));
        let made = self.act(PullAct::Create(Box::new(doc)), key).await?;
        let row = match (made, request.clone()) {
            (Reply::Made { id }, _) => self.row(&id).await?,
            (_, Some(request)) => {
                let found = self.read(move |reader| reader.pull_of(&request)).await?;
                // The same request found one that was there.
                found.ok_or(ForgeError::AnotherRequest)?
            }
            _ => return Err(ForgeError::AnotherRequest),
        };
        let existing = row.doc.id != own && (request.is_none() || row.request != request);
        Ok((row.doc, existing))
    }

    pub(crate) async fn change(
        &self,
        id: &str,
        title: Option<String>,
        body: Option<String>,
        state: Option<PullState>,
        draft: Option<bool>,
        key: Option<Key>,
    ) -> Result<PullDoc, ForgeError> {
        let PullRow { approvals, doc, .. } = self.row(id).await?;
        if doc.state != PullState::Merged {
            let (title, body) = (title.clone(), body.clone());
            self.forges
                .of(&doc.provider)?
                .change(&doc, &Change { title, body, state, draft })
                .await?;
        }
        let change = PullAct::Change { id: doc.id.clone(), title, body, state, draft };
        self.act(change, key).await?;
        if state == Some(PullState::Closed) {
            self.take_back(approvals).await;
        }
        if state == Some(PullState::Open) && doc.state == PullState::Closed {
            // Whether it can be merged is another question now. It is open, whatever comes of the look.
            return match self.refresh(id).await {
                Ok(pull) => Ok(pull),
                Err(_) => self.get(id).await,
            };
        }
        self.get(id).await
    }

    /// Looks at the branches again.
    pub(crate) async fn refresh(&self, id: &str) -> Result<PullDoc, ForgeError> {
        let row = self.row(id).await?;
        if row.doc.state == PullState::Merged {
            return Ok(row.doc);
        }
        let forge = self.forges.of(&row.doc.provider)?;
        let looked = match forge.look(&row.doc, row.intended.as_deref()).await {
            Ok(looked) => looked,
            // It is told where the pull request is shown, too.
            Err(
                error @ (ForgeError::NoBranch { .. }
                | ForgeError::BranchGone { .. }
                | ForgeError::RepositoryGone(_)
                | ForgeError::NothingNew { .. }),
            ) => {
                let obstacle = Some(error.to_string());
                let PullDoc { head_sha, base_sha, files, .. } = row.doc.clone();
                let (additions, deletions) = (row.doc.additions, row.doc.deletions);
                let changed_files = row.doc.changed_files;
                let (merged_as, there) = (None, None);
                Looked {
                    head_sha,
                    base_sha,
                    additions,
                    deletions,
                    changed_files,
                    files,
                    obstacle,
                    merged_as,
                    there,
                }
            }
            Err(error) => return Err(error),
        };
        let (id, looked) = (&row.doc.id, Box::new(looked));
        self.act(PullAct::Looked { id: id.clone(), looked }, None).await?;
        let pull = self.get(id).await?;
        // It was merged or closed there; or there is more than what somebody was asked about.
        let is_past = |of: &Approval| pull.state != PullState::Open || of.sha != pull.head_sha;
        self.take_back(row.approvals.into_iter().filter(is_past).collect()).await;
        Ok(pull)
    }

    /// Merges the very commit that was seen last. True: it was merged before.
    ///
    /// Where the base moves meanwhile it is worked out anew: what a hub before this one had begun may have
    /// landed just then.
    pub(crate) async fn merge(
        &self,
        id: &str,
        method: MergeMethod,
        expected: Option<String>,
    ) -> Result<(PullDoc, bool), ForgeError> {
        for _ in 1..MERGE_TRIES {
            match self.merge_once(id, method, expected.clone()).await {
                Err(ForgeError::BaseMoved { .. }) => self.refresh(id).await.map(drop)?,
                other => return other,
            }
        }
        self.merge_once(id, method, expected).await
    }

    async fn merge_once(
        &self,
        id: &str,
        method: MergeMethod,
        expected: Option<String>,
    ) -> Result<(PullDoc, bool), ForgeError> {
        let _turn = self.merging.take(place(&self.row(id).await?.doc)).await?;
        let mut row = self.row(id).await?;
        let id = &row.doc.id.clone();
        if row.intended.is_some() {
            // One broke off: did it happen?
            row = PullRow { doc: self.refresh(id).await?, intended: None, ..row };
        }
        let pull = row.doc;
        match pull.state {
            PullState::Merged => return Ok((pull, true)),
            PullState::Closed => return Err(ForgeError::NotOpen("closed")),
            PullState::Open if pull.draft => return Err(ForgeError::Draft),
            PullState::Open => {}
        }
        if let Some(expected) = expected.filter(|expected| *expected != pull.head_sha) {
            let (branch, is) = (pull.head_branch, pull.head_sha);
            return Err(ForgeError::HeadMoved { branch, expected, is });
        }
        let forge = self.forges.of(&pull.provider)?;
        let prepared = match forge.prepare(&pull, method).await {
            Ok(prepared) => prepared,
            // Somebody has merged it there.
            Err(ForgeError::Merged(sha)) => {
                if pull.remote.is_some() {
                    // It knows when, too.
                    self.refresh(id).await.ok();
                }
                if self.get(id).await?.state != PullState::Merged {
                    self.ended(id, Some(sha)).await?;
                }
                self.take_back(row.approvals).await;
                return Ok((self.get(id).await?, true));
            }
            Err(error) => {
                if error.is_of_branches() {
                    // Whoever looks at it next is told the same.
                    self.not_merged(id, None, error.to_string()).await.ok();
                }
                return Err(error);
            }
        };
        let sha = prepared.sha.clone();
        self.act(PullAct::Intends { id: id.to_owned(), sha }, None).await?;
        match forge.land(&pull, prepared).await {
            Ok(sha) => self.ended(id, Some(sha)).await?,
            // The next look tells.
            Err(error) if error.may_have_happened() => return Err(error),
            Err(error) => {
                self.ended(id, None).await?;
                return Err(error);
            }
        }
        self.take_back(row.approvals).await;
        Ok((self.get(id).await?, false))
    }

    /// Whether a merge of it would be possible now; nothing happens. One that is under way ends first: then what
    /// has become of it is told.
    pub(crate) async fn check(
        &self,
        pull: &PullDoc,
        method: MergeMethod,
    ) -> Result<PullState, ForgeError> {
        let _turn = self.merging.take(place(pull)).await?;
        let state = self.get(&pull.id).await?.state;
        if state != PullState::Open {
            return Ok(state);
        }
        if pull.draft {
            return Err(ForgeError::Draft);
        }
        self.forges.of(&pull.provider)?.prepare(pull, method).await?;
        Ok(state)
    }

    /// What people were asked of it.
    pub(crate) async fn approvals(&self, id: &str) -> Result<Vec<Approval>, ForgeError> {
        Ok(self.row(id).await?.approvals)
    }

    /// What people were asked, of all that are open.
    pub(crate) async fn asked(&self) -> Result<Vec<(String, Approval)>, ForgeError> {
        let rows = self.read(Reader::asked_pulls).await?;
        let asked = |row: PullRow| {
            let id = row.doc.id;
            row.approvals.into_iter().map(move |approval| (id.clone(), approval))
        };
        Ok(rows.into_iter().flat_map(asked).collect())
    }

    pub(crate) async fn ask(&self, id: &str, approval: Approval) -> Result<(), ForgeError> {
        self.act(PullAct::Asked { id: id.to_owned(), approval }, None).await.map(drop)
    }

    pub(crate) async fn not_merged(
        &self,
        id: &str,
        prompt: Option<String>,
        why: String,
    ) -> Result<(), ForgeError> {
        self.act(PullAct::NotMerged { id: id.to_owned(), prompt, why }, None).await.map(drop)
    }

    /// The merge has happened, as this commit, or it will not.
    async fn ended(&self, id: &str, merged_as: Option<String>) -> Result<(), ForgeError> {
        let act = PullAct::Ended { id: id.to_owned(), merged_as };
        self.act(act, None).await.map(drop)
    }

    /// It is merged or closed: nobody is to be asked any more.
    async fn take_back(&self, asked: Vec<Approval>) {
        for Approval { agent, prompt, .. } in asked {
            let back = TakenBack { agent, prompt, via: Via::Api, actor: None };
            // One that has ended cannot be taken back, and need not be.
            self.inbox.submit(Work::TakeBack(Box::new(back)), None).await.ok();
        }
    }

    pub(super) async fn row(&self, id: &str) -> Result<PullRow, ForgeError> {
        let unknown = || ForgeError::NoSuchPull(id.chars().take(100).collect());
        // A UUID is the same in any case.
        let id = id.to_ascii_lowercase();
        self.read(move |reader| reader.pull(&id)).await?.ok_or_else(unknown)
    }

    pub(super) async fn act(&self, act: PullAct, key: Option<Key>) -> Result<Reply, ForgeError> {
        let done = self.inbox.submit(Work::Pull(Box::new(act)), key).await;
        done.map_err(|refusal| match refusal {
            Refusal::IdConflict => ForgeError::AnotherRequest,
            other => ForgeError::Refused(other),
        })
    }

    pub(super) async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Reader) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, ForgeError> {
        self.reader.run(read).await.map_err(|error| {
            tracing::error!(%error, "the pull requests cannot be read");
            match error {
                StoreError::Row { .. } => ForgeError::Broken(error.to_string()),
                _ => ForgeError::Unreadable,
            }
        })
    }
}

/// The repository, as whoever merges there knows it.
fn place(pull: &PullDoc) -> &str {
    pull.remote.as_deref().unwrap_or(&pull.repo)
}
