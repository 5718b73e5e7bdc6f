//! Records of pull requests: made, changed, looked at, merged.

use super::staging::Staging;
use crate::forge::Looked;
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
        PullAct::Change { id, title, body, state } => change(staging, id, |row| {
            let doc = &mut row.doc;
            if doc.state == PullState::Merged {
                return Err(Refusal::PullFinal);
            }
            doc.title.clone_from(title.as_ref().unwrap_or(&doc.title.clone()));
            if let Some(body) = body {
                doc.body = Some(body.clone()).filter(|body| !body.is_empty());
            }
            doc.state = state.unwrap_or(doc.state);
            if doc.state == PullState::Closed {
                // What was agreed to was of the open one.
                row.approvals.clear();
            }
            Ok(())
        }),
        PullAct::Looked { id, looked } => change(staging, id, |row| {
            take(&mut row.doc, looked, now);
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
        PullAct::Ended { id, merged: true } => change(staging, id, |row| {
            let sha = row.intended.clone().ok_or(Refusal::Defect)?;
            merged(row, sha, now);
            Ok(())
        }),
        PullAct::Ended { id, merged: false } => change(staging, id, |row| {
            row.intended = None;
            Ok(())
        }),
    }?;
    Ok(Reply::Done { agent: None, cursor: staging.head })
}

fn create(staging: &mut Staging<'_>, doc: &PullDoc, key: Option<&Key>) -> Answer {
    let same = |row: &&PullRow| {
        let is = |of: &PullDoc| (of.repo.clone(), of.head_branch.clone(), of.base_branch.clone());
        row.doc.state == PullState::Open && is(&row.doc) == is(doc)
    };
    let staged = staging.pulls.values().find(same).map(|row| row.doc.id.clone());
    let branches = (doc.repo.as_str(), doc.head_branch.as_str(), doc.base_branch.as_str());
    let there = match staged {
        Some(id) => Some(id),
        None => pulls::open(staging.store.connection(), branches).map_err(unreadable)?,
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

fn take(doc: &mut PullDoc, looked: &Looked, now: UnixMs) {
    doc.head_sha.clone_from(&looked.head_sha);
    doc.base_sha.clone_from(&looked.base_sha);
    doc.files.clone_from(&looked.files);
    (doc.additions, doc.deletions) = (looked.additions, looked.deletions);
    doc.changed_files = looked.changed_files;
    doc.mergeable = looked.obstacle.is_none();
    doc.mergeable_reason.clone_from(&looked.obstacle);
    doc.refreshed_at = now;
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
