//! Records of pull requests: made, changed, looked at, merged.

mod undone;

use super::staging::Staging;
use crate::job::{Answer, Key, PullAct, Refusal, Reply};
use crate::store::StoreError;
use crate::store::pulls::{self, PullRow};
use headsup_adapters::text;
use headsup_core::gate::{self, Said};
use headsup_core::id::AgentId;
use headsup_core::time::UnixMs;
use headsup_core::wire::PullDoc;
use headsup_core::work::pull::PullState;
use headsup_core::work::review::{self, Opinion, Review, Verdict};
use headsup_core::workflow::{By, Stage};

/// What people were asked of one pull request; the oldest goes first.
const MOST_APPROVALS: usize = 32;
/// Reviews of one pull request; the oldest goes first.
const MOST_REVIEWS: usize = 200;
/// Why a closed one is not merged.
const CLOSED: &str = "it is closed";

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
                review::dismiss(&mut row.reviews);
                (doc.mergeable, doc.mergeable_reason) = (false, Some(CLOSED.to_owned()));
            }
            judge(row);
            Ok(())
        })
        .and_then(|()| undone::over(staging, id)),
        PullAct::Looked { id, looked } => change(staging, id, |row| {
            if row.doc.state == PullState::Merged {
                // Whoever looked did so before.
                return Ok(());
            }
            looked.put_into(&mut row.doc);
            row.doc.refreshed_at = now;
            if row.doc.state == PullState::Closed {
                row.approvals.clear();
                review::dismiss(&mut row.reviews);
            }
            judge(row);
            if let Some(sha) = &looked.merged_as {
                let at = looked.there.as_ref().and_then(|there| there.merged_at);
                merged(row, sha.clone(), at.unwrap_or(now));
            }
            Ok(())
        })
        .and_then(|()| undone::over(staging, id)),
        PullAct::Asked { id, approval } => change(staging, id, |row| {
            row.approvals.retain(|asked| !asked.is_of(&approval.sha, approval.method));
            row.approvals.push(approval.clone());
            if row.approvals.len() > MOST_APPROVALS {
                row.approvals.remove(0);
            }
            Ok(())
        }),
        PullAct::NotMerged { id, prompt, why } => {
            let (mut whose, mut what) = (None, String::new());
            change(staging, id, |row| {
                let asked =
                    row.approvals.iter().position(|asked| Some(&asked.prompt) == prompt.as_ref());
                whose = asked.map(|place| row.approvals.remove(place).agent);
                let PullDoc { head_branch, base_branch, .. } = &row.doc;
                what = format!("the merge of {head_branch} into {base_branch}");
                (row.doc.mergeable, row.doc.mergeable_reason) = (false, Some(why.clone()));
                Ok(())
            })?;
            match whose {
                Some(agent) => undone::tell(staging, id, &agent, &what, why),
                None => Ok(()),
            }
        }
        PullAct::Reviewed { id, review, tells } => {
            let mut owner = None;
            change(staging, id, |row| {
                if row.doc.state != PullState::Open {
                    return Err(Refusal::PullFinal);
                }
                row.reviews.push(Review { at: now, ..review.clone() });
                if row.reviews.len() > MOST_REVIEWS {
                    row.reviews.remove(0);
                }
                judge(row);
                owner.clone_from(&row.doc.agent_id);
                Ok(())
            })?;
            if let (Some(owner), Some(tells)) = (owner, tells) {
                tell(staging, &owner, review.opinion, tells)?;
            }
            Ok(())
        }
        PullAct::Intends { id, sha } => change(staging, id, |row| {
            row.intended = Some(sha.clone());
            Ok(())
        }),
        PullAct::Ended { id, merged_as: Some(sha) } => change(staging, id, |row| {
            merged(row, sha.clone(), now);
            Ok(())
        })
        .and_then(|()| undone::over(staging, id)),
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
        (doc.updated_at, doc.refreshed_at) = (now, now);
        if doc.created_at == UnixMs(0) {
            doc.created_at = now;
        }
        let (id, request) = (doc.id.clone(), key.map(|key| key.id.clone()));
        let (approvals, reviews, blocks) = (Vec::new(), Vec::new(), Vec::new());
        let row = PullRow { request, intended: None, approvals, reviews, blocks, doc };
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

/// What reviewers say stands in the record of the hub's own; another system's record says it for itself.
fn judge(row: &mut PullRow) {
    if row.doc.remote.is_some() {
        return;
    }
    let words = |says: &str| text::block(says, text::BODY);
    let standing = review::standing(&row.reviews);
    row.doc.reviews = standing.into_iter().map(|review| review.line(words)).collect();
    if row.doc.state == PullState::Closed {
        (row.doc.mergeable, row.doc.mergeable_reason) = (false, Some(CLOSED.to_owned()));
    }
    if let (true, Verdict::Refused(by)) =
        (row.doc.mergeable, review::verdict(&row.reviews, &row.doc.head_sha))
    {
        (row.doc.mergeable, row.doc.mergeable_reason) =
            (false, Some(format!("{} wants changes", by.who)));
    }
}

/// A person's review moves the work that waits for one: wanted changes are work again. An approval leaves
/// the next step to its agent.
fn tell(
    staging: &mut Staging<'_>,
    owner: &AgentId,
    opinion: Opinion,
    tells: &str,
) -> Result<(), Refusal> {
    let stage = match opinion {
        Opinion::ChangesRequested => Stage::Working,
        Opinion::Approved => Stage::AwaitingReview,
        Opinion::Commented | Opinion::Dismissed => return Ok(()),
    };
    let waits = staging.seat(owner).and_then(|seat| seat.stage.as_ref().map(|at| at.stage));
    if waits != Some(Stage::AwaitingReview) {
        return Ok(());
    }
    let (now, said) = (staging.now, Said { message: Some(tells), ..Said::default() });
    staging
        .change(owner, None, |seat| {
            // It was looked at right before.
            gate::set_stage(seat, stage, By::Person, &said, now).unwrap_or_default()
        })
        .map(drop)
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
    Refusal::from(&error)
}
