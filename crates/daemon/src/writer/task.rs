//! Tasks: made, changed, commented, linked, completed.

use super::batch::done;
use super::staging::Staging;
use crate::effects::{Effect, key_of};
use crate::job::{Answer, Key, Refusal, Reply, TaskAct};
use crate::store::StoreError;
use crate::store::tasks::{self, CommentRow, TaskRow};
use crate::tracker::LOCAL;
use headsup_core::gate::{self, Decision, Said};
use headsup_core::id::AgentId;
use headsup_core::seat::HandIn;
use headsup_core::wire::{CommentDoc, TaskDoc};
use headsup_core::work::effect::EffectKind;
use headsup_core::work::task::{Keeper, TaskId, TaskStatus};
use headsup_core::workflow::{self, By, Stage};

pub(super) fn perform(staging: &mut Staging<'_>, act: &TaskAct, key: Option<&Key>) -> Answer {
    match act {
        TaskAct::Create { prefix, title, body, status } => {
            create(staging, prefix, title, body.as_deref(), *status, key)
        }
        TaskAct::Change { id, title, body, status } => {
            change(staging, id, |task| {
                let before = task.clone();
                task.title.clone_from(title.as_ref().unwrap_or(&before.title));
                if let Some(body) = body {
                    task.body = Some(body.clone()).filter(|body| !body.is_empty());
                }
                task.status = status.unwrap_or(before.status);
                *task != before
            })?;
            Ok(Reply::Done { agent: None, cursor: staging.head })
        }
        TaskAct::Comment { id, body, author } => {
            let id = comment(staging, id, body, author.as_ref(), key)?;
            Ok(Reply::Made { id })
        }
        TaskAct::Link { agent, task } => {
            let now = staging.now;
            let name = match Keeper::of(task).ok_or(Refusal::NoSuchTask)? {
                Keeper::Here(id) => {
                    known(staging, &id)?.ok_or(Refusal::NoSuchTask)?;
                    id.to_string()
                }
                Keeper::There { .. } => task.clone(),
            };
            at(staging, agent, |seat| gate::link_task(seat, Some(&name), now))
        }
        TaskAct::Complete { agent, comment, pr_url, mark_done } => {
            let says = (comment.as_str(), None);
            let status = mark_done.then_some(TaskStatus::Done);
            hand_in(staging, agent, Stage::Completed, says, pr_url.as_deref(), status, key)
        }
        TaskAct::Review { agent, comment, summary, pr_url } => {
            let says = (comment.as_str(), Some(summary.as_str()));
            let status = Some(TaskStatus::InReview);
            hand_in(staging, agent, Stage::AwaitingReview, says, Some(pr_url), status, key)
        }
    }
}

fn create(
    staging: &mut Staging<'_>,
    prefix: &str,
    title: &str,
    body: Option<&str>,
    status: TaskStatus,
    key: Option<&Key>,
) -> Answer {
    let staged = staging.tasks.keys().filter(|id| id.prefix == prefix);
    let staged = staged.map(|id| id.number).max().unwrap_or(0);
    let stored = tasks::last_number(staging.store.connection(), prefix).map_err(unreadable)?;
    let number = staged.max(stored).checked_add(1).ok_or(Refusal::Defect)?;
    let id = TaskId { prefix: prefix.to_owned(), number };
    let doc = TaskDoc {
        identifier: id.to_string(),
        title: title.to_owned(),
        status,
        url: None,
        body: body.map(str::to_owned),
        unmapped_status: None,
        comments: None,
        effects: Vec::new(),
        note: None,
        provider: LOCAL.to_owned(),
        created_at: staging.now,
        updated_at: staging.now,
    };
    let (name, request) = (doc.identifier.clone(), key.map(|key| key.id.clone()));
    staging.tasks.insert(id.clone(), TaskRow { id, request, doc });
    staging.writes += 1;
    Ok(Reply::Made { id: name })
}

/// Writes the task again if `change` says so.
fn change(
    staging: &mut Staging<'_>,
    id: &TaskId,
    change: impl FnOnce(&mut TaskDoc) -> bool,
) -> Result<(), Refusal> {
    let mut doc = known(staging, id)?.ok_or(Refusal::NoSuchTask)?;
    if change(&mut doc) {
        doc.updated_at = staging.now;
        // Whoever made it in this very batch is still to be written down.
        let request = staging.tasks.get(id).and_then(|row| row.request.clone());
        staging.tasks.insert(id.clone(), TaskRow { id: id.clone(), request, doc });
        staging.writes += 1;
    }
    Ok(())
}

/// Returns the comment's id.
fn comment(
    staging: &mut Staging<'_>,
    id: &TaskId,
    body: &str,
    author: Option<&AgentId>,
    key: Option<&Key>,
) -> Result<String, Refusal> {
    change(staging, id, |_| true)?;
    let task = id.to_string();
    let staged = staging.comments.iter().filter(|row| row.task == task).map(|row| row.number).max();
    let stored = tasks::last_comment(staging.store.connection(), &task).map_err(unreadable)?;
    let number = staged.unwrap_or(0).max(stored).checked_add(1).ok_or(Refusal::Defect)?;
    let doc = CommentDoc {
        id: format!("{task}/{number}"),
        body: body.to_owned(),
        author: author.map(|author| author.as_str().to_owned()),
        created_at: staging.now,
    };
    let (name, request) = (doc.id.clone(), key.map(|key| key.id.clone()));
    staging.comments.push(CommentRow { task, number, request, doc });
    staging.writes += 1;
    Ok(name)
}

/// What an agent says at the end of a stretch of work, to its workflow first: what that refuses has
/// no effect at all. Without a task the workflow alone moves.
fn hand_in(
    staging: &mut Staging<'_>,
    agent: &AgentId,
    stage: Stage,
    (says, message): (&str, Option<&str>),
    pr_url: Option<&str>,
    status: Option<TaskStatus>,
    key: Option<&Key>,
) -> Answer {
    let seat = staging.seat(agent).ok_or(Refusal::NoSuchAgent)?;
    let from = seat.stage.as_ref().map(|status| status.stage);
    let by = By::Agent;
    workflow::path(from, stage, by).map_err(|refused| Refusal::IllegalStage {
        from: refused.from,
        to: refused.to,
        by,
    })?;
    if from == Some(stage) && stage == Stage::Completed && seat.handed_in.is_some() {
        // It is told, and stands.
        return Ok(done(staging, agent));
    }
    let linked = seat.links.as_ref().and_then(|links| links.task.as_deref());
    match linked.and_then(Keeper::of) {
        // A task that is not there any more holds nobody up.
        Some(Keeper::Here(task)) if known(staging, &task)?.is_none() => {}
        Some(Keeper::Here(task)) => {
            comment(staging, &task, says, Some(agent), key)?;
            change(staging, &task, |doc| {
                let before = doc.status;
                doc.status = status.unwrap_or(before);
                doc.status != before
            })?;
        }
        Some(Keeper::There { provider, target }) => {
            tell(staging, (provider, target), says, status, key)?;
        }
        None => {}
    }
    let now = staging.now;
    if let Some(url) = pr_url {
        staging.change(agent, None, |seat| gate::link_pr(seat, url, now))?;
    }
    // The summary is said; the move needs no words of its own.
    staging.tells_itself = true;
    let (request, moves_task) = (key.map(|key| key.id.clone()), status.is_some());
    let answer = at(staging, agent, |seat| {
        if stage == Stage::Completed {
            seat.handed_in = request.map(|request| Box::new(HandIn { request, moves_task }));
        }
        let moved = gate::set_stage(seat, stage, by, &Said { message, ..Said::default() }, now);
        // It was asked before.
        moved.unwrap_or_default()
    });
    staging.tells_itself = false;
    answer
}

/// A comment of the hub's own, in an agent's name. A task that is not there any more holds nobody up.
pub(super) fn say(
    staging: &mut Staging<'_>,
    id: &TaskId,
    body: &str,
    agent: &AgentId,
) -> Result<(), Refusal> {
    if known(staging, id)?.is_some() {
        comment(staging, id, body, Some(agent), None)?;
    }
    Ok(())
}

/// Takes over what another tracker says of a task that is kept here as well.
pub(super) fn refresh(
    staging: &mut Staging<'_>,
    id: &TaskId,
    title: &str,
    status: Option<TaskStatus>,
) -> Result<(), Refusal> {
    if known(staging, id)?.is_none() {
        return Ok(());
    }
    change(staging, id, |task| {
        let before = task.clone();
        title.clone_into(&mut task.title);
        task.status = status.unwrap_or(before.status);
        *task != before
    })
}

/// The same of a task that another system keeps: it is told.
fn tell(
    staging: &mut Staging<'_>,
    (provider, target): (&str, &str),
    says: &str,
    status: Option<TaskStatus>,
    key: Option<&Key>,
) -> Result<(), Refusal> {
    let comment = Some((EffectKind::Comment, says));
    let status = status.map(|status| (EffectKind::TaskStatus, status.word()));
    for (kind, body) in comment.into_iter().chain(status) {
        staging.send(Effect {
            provider: provider.to_owned(),
            target: target.to_owned(),
            kind,
            body: body.to_owned(),
            key: key_of(key, kind.word()),
        })?;
    }
    Ok(())
}

fn at(
    staging: &mut Staging<'_>,
    agent: &AgentId,
    change: impl FnOnce(&mut headsup_core::seat::Seat) -> Decision,
) -> Answer {
    match staging.change(agent, None, change)? {
        true => Ok(done(staging, agent)),
        false => Err(Refusal::NoSuchAgent),
    }
}

/// The task as the jobs before have left it, without comments.
fn known(staging: &Staging<'_>, id: &TaskId) -> Result<Option<TaskDoc>, Refusal> {
    match staging.tasks.get(id) {
        Some(row) => Ok(Some(row.doc.clone())),
        None => tasks::task(staging.store.connection(), id).map_err(unreadable),
    }
}

fn unreadable(error: StoreError) -> Refusal {
    tracing::error!(%error, "the tasks cannot be read");
    Refusal::from(&error)
}
