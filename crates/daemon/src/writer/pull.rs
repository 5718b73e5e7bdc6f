//! Records of pull requests: made, changed, looked at, merged.

use super::staging::Staging;
use crate::job::{Answer, Key, PullAct, Refusal, Reply};
use crate::store::StoreError;
use crate::store::pulls::{self, PullRow};
use headsup_core::gate;
use headsup_core::time::UnixMs;
use headsup_core::wire::PullDoc;
use headsup_core::work::pull::PullState;

/// What people were asked of one pull request; the oldest goes first.
const MOST_APPROVALS: usize = 32;

pub(super) fn perform(staging: &mut Staging<'_>, act: &PullAct, key: Option<&Key>) -> Answer {
    let now = staging.now;
    match act {
        PullAct::Create(doc) => return create(staging, doc, key),
        PullAct::Change { id, title, body, state, draft } => change(staging, id, |row| {
            let doc = &mut row.doc;
            if doc.state == PullState::Merged {
                return Err(Refusal::PullFinal);
            }
            doc.title.clone_from(title.as_ref().unwrap_or(&doc.title.clone()));
            if let Some(body) = body {
                doc.body = Some(body.clone()).filter(|body| !body.is_empty());
            }
            doc.state = state.unwrap_or(doc.state);
            doc.draft = draft.unwrap_or(doc.draft);
            if doc.state == PullState::Closed {
                // What was agreed to was of the open one.
                row.approvals.clear();
            }
            Ok(())
        }),
        PullAct::Looked { id, looked } => change(staging, id, |row| {
            looked.put_into(&mut row.doc);
            row.doc.refreshed_at = now;
            if row.doc.state == PullState::Closed {
                row.approvals.clear();
            }
            if let Some(sha) = &looked.merged_as {
                merged(row, sha.clone(), now);
            }
            Ok(())
        }),
        PullAct::Asked { id, approval } => change(staging, id, |row| {
            row.approvals.retain(|asked| !asked.is_of(&approval.sha, approval.method));
            row.approvals.push(approval.clone());
            if row.approvals.len() > MOST_APPROVALS {
                row.approvals.remove(0);
            }
            Ok(())
        }),
        PullAct::NotMerged { id, prompt, why } => change(staging, id, |row| {
            row.approvals.retain(|asked| asked.prompt != *prompt);
            (row.doc.mergeable, row.doc.mergeable_reason) = (false, Some(why.clone()));
            Ok(())
        }),
        PullAct::Intends { id, sha } => change(staging, id, |row| {
            row.intended = Some(sha.clone());
            Ok(())
        }),
        PullAct::Ended { id, merged_as: Some(sha) } => change(staging, id, |row| {
            merged(row, sha.clone(), now);
            Ok(())
        }),
        PullAct::Ended { id, merged_as: None } => change(staging, id, |row| {
            row.intended = None;
            Ok(())
        }),
    }?;
    Ok(Reply::Done { agent: None, cursor: staging.head })
}

fn create(staging: &mut Staging<'_>, doc: &PullDoc, key: Option<&Key>) -> Answer {
    let same = |row: &&PullRow| {
        let is = |of: &PullDoc| (of.repo.clone(), of.head_branch.clone(), of.base_branch.clone());
        let there = |of: &PullDoc| (of.provider.clone(), of.remote.clone(), of.number);
        match doc.number {
            Some(_) => there(&row.doc) == there(doc),
            None => {
                row.doc.state == PullState::Open
                    && row.doc.number.is_none()
                    && is(&row.doc) == is(doc)
            }
        }
    };
    let staged = staging.pulls.values().find(same).map(|row| row.doc.id.clone());
    let there = match staged {
        Some(id) => Some(id),
        None => pulls::same(staging.store.connection(), doc).map_err(unreadable)?,
    };
    let id = if let Some(id) = there {
        id
    } else {
        let now = staging.now;
        let mut doc = doc.clone();
        (doc.created_at, doc.updated_at, doc.refreshed_at) = (now, now, now);
        let (id, request) = (doc.id.clone(), key.map(|key| key.id.clone()));
        let row = PullRow { request, intended: None, approvals: Vec::new(), doc };
        staging.pulls.insert(id.clone(), row);
        staging.writes += 1;
        id
    };
    if let Some(agent) = &doc.agent_id {
        let now = staging.now;
        staging.change(agent, None, |seat| gate::link_pr(seat, &id, now))?;
    }
    Ok(Reply::Made { id })
}

fn change(
    staging: &mut Staging<'_>,
    id: &str,
    change: impl FnOnce(&mut PullRow) -> Result<(), Refusal>,
) -> Result<(), Refusal> {
    let staged = staging.pulls.get(id).cloned();
    let row = match staged {
        Some(row) => Some(row),
        None => pulls::pull(staging.store.connection(), id).map_err(unreadable)?,
    };
    let mut row = row.ok_or(Refusal::NoSuchPull)?;
    change(&mut row)?;
    row.doc.updated_at = staging.now;
    staging.pulls.insert(id.to_owned(), row);
    staging.writes += 1;
    Ok(())
}

fn merged(row: &mut PullRow, sha: String, now: UnixMs) {
    row.intended = None;
    row.approvals.clear();
    row.doc.state = PullState::Merged;
    row.doc.merge_sha = Some(sha);
    row.doc.merged_at = Some(now);
    (row.doc.mergeable, row.doc.mergeable_reason) = (false, Some("it is merged".to_owned()));
}

fn unreadable(error: StoreError) -> Refusal {
    tracing::error!(%error, "the pull requests cannot be read");
    Refusal::StorageFailed
}
