//! What people do, and what merely describes.

use super::{Decision, Step};
use crate::event::EventBody;
use crate::id::AgentId;
use crate::seat::{Launch, Links, Seat};
use crate::source::{Evidence, Source};
use crate::status::Process;
use crate::time::UnixMs;
use crate::timeline::Entry;
use crate::verdict::Verdict;
use crate::wire::VerdictDoc;
use crate::word::Word;
use crate::workflow::{self, By, IllegalStage, Stage, StageStatus};
use std::collections::BTreeMap;

/// A person has seen the outcome, or the crash.
pub fn mark_seen(seat: &mut Seat, now: UnixMs) -> Decision {
    let before = seat.status_key();
    let mut step = act(seat, now);
    if !step.seat.seen() {
        step.seat.seen_turn_seq = step.seat.turn.seq;
        step.seat.process.unseen = false;
        step.changed = true;
        if step.seat.status_key() == before {
            // Seen without another headline, as after an interruption.
            let agent = Box::new(step.seat.doc());
            step.emit(EventBody::Updated { agent });
        }
    }
    note_look(&mut step);
    step.finish(&before)
}

/// A person was led to it. That is no event, and nothing counts as seen by it.
pub fn look(seat: &mut Seat, now: UnixMs) -> Decision {
    let before = seat.status_key();
    let mut step = act(seat, now);
    note_look(&mut step);
    step.finish(&before)
}

fn note_look(step: &mut Step<'_>) {
    if step.seat.looked_at != Some(step.now) {
        step.seat.looked_at = Some(step.now);
        step.changed = true;
    }
}

pub(super) fn act(seat: &mut Seat, now: UnixMs) -> Step<'_> {
    let evidence = Evidence::new(Source::Report, now);
    Step::new(seat, evidence, now)
}

/// Descriptive facts to be taken over; `None` leaves what is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description {
    pub name: Option<String>,
    pub role: Option<String>,
    pub labels: BTreeMap<String, String>,
    pub parent: Option<AgentId>,
    pub adopted: Option<bool>,
    pub host: Option<String>,
    pub cwd: Option<String>,
    pub model: Option<String>,
    pub title: Option<String>,
    pub log_path: Option<String>,
    pub tmux: Option<String>,
    /// The name of that pane's server; empty for the usual one.
    pub tmux_server: Option<String>,
    pub container: Container,
    /// Its launcher starts it where nobody can type to it.
    pub headless: bool,
    /// A digest of the token by which its calls are known.
    pub token: Option<String>,
    /// How it is started. No document shows it.
    pub launch: Option<Box<Launch>>,
}

/// What is known of the container that an agent is in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Container {
    #[default]
    Unsaid,
    /// It is in none.
    Outside,
    /// The short id of the one it is in.
    Inside(String),
}

/// Puts a text that was said in its place. True if it is another one.
fn take<T: AsRef<str> + for<'a> From<&'a str>>(slot: &mut Option<T>, said: Option<&str>) -> bool {
    let Some(said) = said.filter(|said| slot.as_ref().map(AsRef::as_ref) != Some(*said)) else {
        return false;
    };
    *slot = Some(said.into());
    true
}

/// Takes over a description; one `agent.updated` if it says anything new.
pub fn describe(seat: &mut Seat, description: &Description, now: UnixMs) -> Decision {
    let before = seat.status_key();
    let mut changed = false;
    let about = &mut seat.about;
    changed |= take(&mut about.role, description.role.as_deref());
    changed |= take(&mut about.host, description.host.as_deref());
    changed |= take(&mut about.cwd, description.cwd.as_deref());
    changed |= take(&mut about.model, description.model.as_deref());
    changed |= take(&mut about.title, description.title.as_deref());
    changed |= take(&mut about.log_path, description.log_path.as_deref());
    // What it was started with names its pane also once that is gone.
    let pane = description.tmux.as_deref().filter(|_| !seat.process.is_orphan());
    let is_another = take(&mut about.location.tmux, pane);
    changed |= is_another;
    // A number says nothing without its server.
    let server = match &description.tmux_server {
        Some(server) if pane.is_some() => Some(server.as_str()),
        _ => is_another.then_some(""),
    };
    if let Some(server) = server {
        let server = Some(server).filter(|server| !server.is_empty());
        if about.location.tmux_server.as_deref() != server {
            about.location.tmux_server = server.map(str::to_owned);
            changed = true;
        }
    }
    changed |= take(&mut about.token, description.token.as_deref());
    match &description.container {
        Container::Unsaid => {}
        Container::Inside(id) => changed |= take(&mut about.location.container, Some(id)),
        Container::Outside => changed |= about.location.container.take().is_some(),
    }
    for (key, value) in &description.labels {
        if about.labels.get(key) != Some(value) {
            about.labels.insert(key.clone(), value.clone());
            changed = true;
        }
    }
    if description.parent.is_some() && about.parent != description.parent {
        about.parent.clone_from(&description.parent);
        changed = true;
    }
    if let Some(adopted) = description.adopted
        && about.adopted != adopted
    {
        about.adopted = adopted;
        changed = true;
    }
    if description.launch.is_some() && seat.launch != description.launch {
        seat.launch.clone_from(&description.launch);
        changed = true;
    }
    if let Some(name) = &description.name
        && seat.name != *name
    {
        seat.name.clone_from(name);
        changed = true;
    }
    let starts = matches!(seat.process.state, Process::Starting { .. });
    let is_news = description.headless && starts && !seat.process.headless;
    seat.process.headless |= is_news;
    let mut step = act(seat, now);
    // Nobody is shown it before it runs.
    step.changed |= is_news;
    if changed {
        let agent = Box::new(step.seat.doc());
        step.emit(EventBody::Updated { agent });
    }
    step.finish(&before)
}

/// Takes over of what kind the agent is. `told`: its program has told that itself.
pub fn name_kind(seat: &mut Seat, kind: &str, told: bool, now: UnixMs) -> Decision {
    let before = seat.status_key();
    let mut step = act(seat, now);
    if step.seat.kind_told != told {
        step.seat.kind_told = told;
        step.changed = true;
    }
    if step.seat.kind != kind {
        step.seat.kind = kind.into();
        let agent = Box::new(step.seat.doc());
        step.emit(EventBody::Updated { agent });
    }
    step.finish(&before)
}

/// Notes what the agent did.
pub fn append_activity(
    seat: &mut Seat,
    tool: Option<String>,
    action: Option<String>,
    now: UnixMs,
) -> EventBody {
    let state = match seat.process.state {
        Process::Suspended => "suspended",
        _ => seat.turn().word(),
    };
    let entry = Entry { ts: now, tool: tool.map(Word::from), action, state: state.into() };
    seat.last_activity = Some(entry.clone());
    EventBody::ActivityAppended { entry }
}

/// Verdicts kept of a seat, one for each task; the oldest goes first.
const MOST_VERDICTS: usize = 64;

/// Notes what the agent found of a task. The same again is no news, and no status changes by it.
pub fn report_verdict(
    seat: &mut Seat,
    task: &str,
    verdict: Verdict,
    notes: Option<&str>,
    now: UnixMs,
) -> Decision {
    let before = seat.status_key();
    let mut step = act(seat, now);
    let known = step.seat.verdicts.iter().position(|known| known.task == task);
    let same = known
        .and_then(|index| step.seat.verdicts.get(index))
        .is_some_and(|known| known.verdict == verdict && known.notes.as_deref() == notes);
    if !same {
        let verdicts = &mut step.seat.verdicts;
        if let Some(index) = known {
            verdicts.remove(index);
        } else if verdicts.len() == MOST_VERDICTS {
            verdicts.remove(0);
        }
        let notes = notes.map(str::to_owned);
        let said = VerdictDoc { task: task.to_owned(), verdict, notes, at: now };
        verdicts.push(said.clone());
        step.emit(EventBody::VerdictReported { verdict: said });
    }
    step.finish(&before)
}

/// What is said with a stage.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Said<'a> {
    pub message: Option<&'a str>,
    pub phase: Option<&'a str>,
    pub progress: Option<f64>,
    pub blockers: &'a [String],
}

/// Pull requests kept of a seat; the oldest goes first.
const MOST_PRS: usize = 64;

/// The task that the agent works on from now on, or none. After `completed` a task is the next thing that it
/// is given, and its workflow begins anew: not every agent's prompts are seen. What a person has ended, no task begins
/// again.
pub fn link_task(seat: &mut Seat, task: Option<&str>, now: UnixMs) -> Decision {
    let is_next = task.is_some()
        && seat.stage.as_ref().is_some_and(|status| status.stage == Stage::Completed);
    link(seat, now, is_next, |links| {
        let changes = links.task.as_deref() != task;
        links.task = task.map(str::to_owned);
        changes
    })
}

/// One more pull request of the agent's, by its id or its URL.
pub fn link_pr(seat: &mut Seat, pr: &str, now: UnixMs) -> Decision {
    link(seat, now, false, |links| {
        if links.prs.iter().any(|known| known == pr) {
            return false;
        }
        if links.prs.len() == MOST_PRS {
            links.prs.remove(0);
        }
        links.prs.push(pr.to_owned());
        true
    })
}

/// The same again is no news, unless the workflow begins anew with it.
fn link(
    seat: &mut Seat,
    now: UnixMs,
    begins: bool,
    change: impl FnOnce(&mut Links) -> bool,
) -> Decision {
    let before = seat.status_key();
    let mut links = seat.links.as_deref().cloned().unwrap_or_default();
    let changes = change(&mut links);
    let mut step = act(seat, now);
    if begins {
        new_run(&mut step);
    }
    if changes {
        step.seat.links = (links != Links::default()).then(|| Box::new(links));
        let agent = Box::new(step.seat.doc());
        step.emit(EventBody::Updated { agent });
    }
    step.finish(&before)
}

/// Moves the workflow. The stages passed through on the way are told one by one; the same again
/// is no news.
///
/// # Errors
/// The workflow has no such move; nothing changes.
pub fn set_stage(
    seat: &mut Seat,
    stage: Stage,
    by: By,
    said: &Said<'_>,
    now: UnixMs,
) -> Result<Decision, IllegalStage> {
    let current = seat.stage.as_ref().map(|status| status.stage);
    let path = workflow::path(current, stage, by)?;
    let before = seat.status_key();
    let mut step = act(seat, now);
    walk(&mut step, &path, said);
    Ok(step.finish(&before))
}

/// Goes through these stages; what is said goes with the last one.
pub(super) fn walk(step: &mut Step<'_>, path: &[Stage], said: &Said<'_>) {
    for (place, passed) in path.iter().enumerate() {
        let said = if place + 1 == path.len() { *said } else { Said::default() };
        let status = StageStatus {
            stage: *passed,
            message: said.message.map(str::to_owned),
            phase: said.phase.map(str::to_owned),
            progress: said.progress,
            blockers: said.blockers.to_vec(),
            since: match &step.seat.stage {
                Some(status) if status.stage == *passed => status.since,
                _ => step.now,
            },
        };
        if step.seat.stage.as_deref() != Some(&status) {
            step.seat.stage = Some(Box::new(status.clone()));
            step.emit(EventBody::StageChanged { stage: status });
        }
    }
}

/// Whoever sits here begins something new: its workflow begins anew with it.
pub(super) fn new_run(step: &mut Step<'_>) {
    step.seat.handed_in = None;
    if step.seat.stage.take().is_some() {
        step.seat.runs += 1;
        step.changed = true;
    }
}

/// What waits here is nothing to a person until then. Nothing ends it but time, or another word.
pub fn snooze(seat: &mut Seat, until: Option<UnixMs>, now: UnixMs) -> Decision {
    let before = seat.status_key();
    let mut step = act(seat, now);
    if step.seat.snoozed_until != until {
        step.seat.snoozed_until = until;
        step.changed = true;
        step.announce = true;
    }
    step.finish(&before)
}
