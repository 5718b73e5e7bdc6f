//! One batch: staged in memory, written in one transaction, then shown, published and answered.

use super::staging::{self, Staging};
use super::{
    Found, Item, Writer, chat, effect, forget, heard, heartbeat, hook, lifecycle, prompts, pull,
    report, seat, seen, stage,
};
use super::{task, verdict, witnessed};
use crate::evidence::Moment;
use crate::flaws;
use crate::flusher::Waiting;
use crate::frame::Frame;
use crate::job::{Answer, Key, Refusal, Reply, Witnessed, Work};
use crate::limits::{BATCH_EVENTS, DEADLINE_GRACE_MS};
use crate::sources;
use crate::store::effects::EffectRow;
use crate::store::pulls::PullRow;
use crate::store::tasks::{CommentRow, TaskRow};
use crate::store::webhooks::Told;
use crate::store::{self, Changes, PromptKey, StoredId};
use headsup_core::gate;
use headsup_core::id::AgentId;
use headsup_core::observation::Fact;
use headsup_core::seat::Seat;
use headsup_core::time::UnixMs;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

/// After a failed commit, or after a look that changed nothing: when to look at a seat again.
const AGAIN_MS: i64 = 1_000;

/// So long a report is looked through for what is wrong with it once it is stored. Bytes.
const LOOKED_AT: usize = 64 << 10;

/// A batch as it is to be written.
struct Staged {
    seats: Vec<(AgentId, staging::Staged)>,
    frames: Vec<Arc<Frame>>,
    ids: Vec<staging::StagedId>,
    /// What prompts were opened under: keys, prompts, and where the log stood behind it.
    prompt_keys: Vec<(String, (String, u64))>,
    tasks: Vec<TaskRow>,
    comments: Vec<CommentRow>,
    pulls: Vec<PullRow>,
    webhooks: Told,
    effects: Vec<EffectRow>,
    /// Files of launches that no seat names once it is written.
    released: Vec<String>,
    head: u64,
}

/// Where a batch stands: what is to be blamed for a panic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Position {
    Due(usize),
    Item(usize),
}

impl Writer {
    /// Does all of it, in as many commits as it takes. An error means that something was refused
    /// by the disk; whoever waited for it has been told.
    pub(super) fn process(
        &mut self,
        mut items: Vec<Item>,
        mut due: Vec<AgentId>,
    ) -> Result<(), Refusal> {
        let mut result = Ok(());
        while !items.is_empty() || !due.is_empty() {
            let (staged, mut answers) = self.stage(&items, &due);
            let rest = items.split_off(answers.len());
            let mut committed = self.commit(staged);
            let refused = answers.iter_mut().filter_map(|answer| answer.as_mut().err());
            let refused = refused.chain(committed.as_mut().err());
            self.doubt(refused.filter(|refusal| **refusal == Refusal::StorageDamaged).collect());
            match committed {
                Ok(()) => {
                    // Nobody waits for what came out of the spool: its file must stay.
                    let mut unheard = items.iter().zip(&answers);
                    if let Some(refusal) = unheard.find_map(|(item, answer)| lost(item, answer)) {
                        result = Err(refusal);
                    }
                    self.answer(items, answers);
                }
                Err(refusal) => {
                    let again = self.now().plus(AGAIN_MS);
                    for id in &due {
                        self.deadlines.set(id, again);
                    }
                    if self.alone.is_hasty && refusal == Refusal::StorageLocked {
                        let job = items.into_iter().find_map(Item::into_job);
                        self.alone.put_off = job.or(self.alone.put_off.take());
                    } else {
                        let answers = items.iter().map(|_| Err(refusal)).collect();
                        self.answer(items, answers);
                    }
                    result = Err(refusal);
                }
            }
            items = rest;
            due.clear();
        }
        result
    }

    /// What is met here the next start may not meet: it is told. Where the disk has only given nothing, these are
    /// refused for that.
    fn doubt(&mut self, damaged: Vec<&mut Refusal>) {
        if damaged.is_empty() || store::is_doubted(self.store.path()) {
            return;
        }
        if !self.store.is_damaged() {
            self.metrics.unread.inc();
            for refusal in damaged {
                *refusal = Refusal::StorageFailed;
            }
            return;
        }
        self.metrics.damage.inc();
        tracing::error!(
            "the database is damaged: the next start keeps it aside and goes on with what can be read of it"
        );
        if let Err(error) = store::doubt(self.store.path()) {
            tracing::error!(%error, "that cannot be noted for the next start");
        }
        self.metrics.damaged.notify_one();
    }

    /// Works out as many items as fit one commit. One that panics is left out: the others are
    /// worked out again without it.
    fn stage(&mut self, items: &[Item], due: &[AgentId]) -> (Staged, Vec<Answer>) {
        let mut poisoned = HashSet::new();
        loop {
            let mut position = Position::Due(0);
            let mut answers = Vec::with_capacity(items.len());
            let (clock, time) = (&*self.clock, &mut self.time);
            let (board, store, recent) = (&self.board, &self.store, &self.recent);
            let shells = self.background_shells;
            let unsigned = self.unsigned;
            let mut staging =
                Staging::new(board, store, &mut self.roster, recent, shells, unsigned);
            let done = catch_unwind(AssertUnwindSafe(|| {
                for (index, id) in due.iter().enumerate() {
                    position = Position::Due(index);
                    if !poisoned.contains(&position) {
                        (staging.now, staging.wall) = (time.now(clock), clock.wall());
                        tick(&mut staging, id);
                    }
                }
                for (index, item) in items.iter().enumerate() {
                    position = Position::Item(index);
                    answers.push(if poisoned.contains(&position) {
                        Err(Refusal::Defect)
                    } else {
                        (staging.now, staging.wall) = (time.now(clock), clock.wall());
                        work(&mut staging, item)
                    });
                    if staging.frames.len() >= BATCH_EVENTS {
                        break;
                    }
                }
            }));
            if done.is_ok() {
                // Nothing that is shown is of a time that is still to come.
                board.set_time(staging.now);
                let Staging { seats, frames, ids, prompt_keys, tasks, comments, .. } = staging;
                let Staging { pulls, webhooks, effects, released, head, unsigned, .. } = staging;
                self.unsigned = unsigned;
                let (seats, ids) = (seats.into_iter().collect(), ids.into_values().collect());
                let prompt_keys = prompt_keys.into_iter().collect();
                let (tasks, pulls) = (tasks.into_values().collect(), pulls.into_values().collect());
                let staged = Staged {
                    seats,
                    frames,
                    ids,
                    prompt_keys,
                    tasks,
                    comments,
                    pulls,
                    webhooks,
                    effects,
                    released,
                    head,
                };
                return (staged, answers);
            }
            tracing::error!(?position, "a defect: one job panicked and is left out");
            self.metrics.panic("writer");
            staging.roll_back();
            poisoned.insert(position);
        }
    }

    /// Writes, shows, publishes.
    fn commit(&mut self, staged: Staged) -> Result<(), Refusal> {
        let Staged {
            seats,
            frames,
            ids,
            prompt_keys,
            tasks,
            comments,
            pulls,
            webhooks,
            effects,
            released,
            head,
        } = staged;
        let dirty = seats.iter().filter(|(_, staged)| staged.dirty);
        let stored = ids.iter().filter(|id| id.stored);
        let changes = Changes {
            frames: &frames,
            seats: dirty.map(|(id, staged)| (id, staged.seat.as_deref())).collect(),
            ids: stored.map(|id| StoredId { key: &id.key, seq: id.seq }).collect(),
            prompt_keys: prompt_keys
                .iter()
                .map(|(key, (prompt, seq))| PromptKey { key, prompt, seq: *seq })
                .collect(),
            tasks: tasks.iter().collect(),
            comments: &comments,
            pulls: pulls.iter().collect(),
            webhooks: (!webhooks.is_empty()).then_some(&webhooks),
            effects: &effects,
        };
        if !changes.is_empty() {
            let start = Instant::now();
            let written = self.store.commit(&changes);
            self.metrics.commit.observe(start.elapsed().as_secs_f64());
            let is_put_off =
                self.alone.is_hasty && matches!(written, Err(store::StoreError::Locked(_)));
            if !is_put_off {
                self.board.set_storage_ok(written.is_ok());
            }
            if let Err(error) = written {
                if !is_put_off {
                    self.metrics.commit_failures.inc();
                    tracing::error!(%error, "a batch could not be stored and is refused");
                }
                staging::restore(&mut self.roster, &self.board, seats.iter().map(|(id, _)| id));
                return Err(Refusal::from(&error));
            }
        }
        for name in released {
            self.launches.remove(&name);
        }
        for id in ids {
            self.recent.remember(id.key);
        }
        let now = self.now();
        for (id, staged) in &seats {
            if let Some(at) = staged.seat.as_deref().and_then(gate::next_deadline) {
                self.deadlines.set(id, if at > now { at } else { now.plus(AGAIN_MS) });
            }
            if let Some(at) = staged.seat.as_deref().and_then(gate::next_expiry) {
                self.expiries.set(id, at.plus(DEADLINE_GRACE_MS));
            }
        }
        let mut stored = Vec::new();
        let seats: Vec<_> = seats
            .into_iter()
            .map(|(id, mut staged)| {
                if let (true, Some(seat)) = (staged.dirty, &mut staged.seat) {
                    saved(seat);
                    stored.extend((!seat.turn.open).then(|| id.clone()));
                }
                (id, staged.seat)
            })
            .collect();
        let moved = self.moved(&seats);
        self.board.apply(seats, head);
        for frame in &frames {
            self.metrics.event(frame.kind);
        }
        // Whoever watches comes first: the sources may have much to look at.
        self.bus.publish(frames);
        self.resting.add(stored, &self.board);
        for seat in moved {
            // Without sources nobody listens.
            self.sources.send(seat).ok();
        }
        if !effects.is_empty() {
            self.effects.send_modify(|changes| *changes = changes.wrapping_add(1));
        }
        Ok(())
    }

    /// Seats that sources must look at in another way. Call it while the board shows the old ones.
    fn moved(&self, seats: &[(AgentId, Option<Arc<Seat>>)]) -> Vec<Arc<Seat>> {
        let now = seats.iter().filter_map(|(_, seat)| seat.as_ref());
        let concerned =
            now.filter(|seat| sources::concerns(self.board.seat(&seat.id).as_deref(), seat));
        concerned.cloned().collect()
    }

    /// Reports are answered at once, acts behind a flush.
    fn answer(&self, items: Vec<Item>, answers: Vec<Answer>) {
        let mut acts = Waiting::new();
        for (item, answer) in items.into_iter().zip(answers) {
            if let Some(result) = result_of(&item.work, &answer) {
                self.metrics.report(result);
            }
            self.count_unknown(&item.work, &answer);
            if let (Some((moment, found)), Ok(Reply::Done { agent: Some(agent), .. })) =
                (item.spooled, &answer)
            {
                self.note_flaws(&item.work, agent, moment, &found);
                match found {
                    Found::Hook(hook) => self.evidence.keep_spooled(agent, moment, hook),
                    Found::Row(row) => self.evidence.keep(agent, moment, &row),
                }
            }
            let Some(to) = item.answer else { continue };
            if item.work.is_act() && answer.is_ok() {
                acts.push((to, answer));
            } else {
                // Whoever asked may be gone.
                to.send(answer).ok();
            }
        }
        if !acts.is_empty() {
            self.flusher.flush(acts);
        }
    }

    /// What was wrong with what had waited in the spool.
    fn note_flaws(&self, work: &Work, agent: &AgentId, moment: Moment, found: &Found) {
        let made_at = match work {
            Work::Hook(report) => report.spooled,
            Work::Report(report) => report.spooled,
            _ => None,
        };
        let mut wrong = match found {
            // A long one would keep those who report now waiting.
            Found::Hook(hook) if hook.payload.len() <= LOOKED_AT => flaws::of_text(&hook.payload),
            Found::Hook(_) | Found::Row(_) => Vec::new(),
        };
        wrong.extend(flaws::of_time(made_at, moment.at, true));
        self.metrics.flaws.note(Some(agent), &wrong);
    }

    /// Counts which event of which kind was not understood, or what in it was not.
    fn count_unknown(&self, work: &Work, answer: &Answer) {
        if !matches!(answer, Ok(Reply::Done { .. })) {
            return;
        }
        match work {
            Work::Hook(report) => {
                let event = report.sighting.event.as_str();
                if is_not_understood(&report.sighting.fact) {
                    self.metrics.not_understood(&report.kind, event);
                } else if let Some(member) = report.sighting.strange {
                    self.metrics.not_understood(&report.kind, &format!("{event}.{member}"));
                }
            }
            Work::Witnessed(Witnessed::Status(file)) => {
                if let Some(member) = file.record.strange {
                    self.metrics.not_understood(file.kind, &format!("registry.{member}"));
                }
            }
            Work::Witnessed(Witnessed::Seat(sight)) if is_not_understood(&sight.fact) => {
                if let Some(seat) = self.board.seat(&sight.agent) {
                    self.metrics.not_understood(&seat.kind, &sight.name);
                }
            }
            _ => {}
        }
    }

    /// Seats whose time has come. One that was heard of meanwhile only gets a later date.
    pub(super) fn due(&mut self, now: UnixMs) -> Vec<AgentId> {
        let mut due = self.deadlines.take_due(now);
        due.retain(|id| {
            let deadline = self.board.seat(id).as_deref().and_then(gate::next_deadline);
            match deadline {
                Some(at) if at > now => self.deadlines.set(id, at),
                Some(_) => return true,
                None => {}
            }
            false
        });
        due
    }
}

/// All that was said of it is in the store.
fn saved(seat: &mut Arc<Seat>) {
    if let Some(history) = Arc::make_mut(seat).history.as_deref_mut() {
        history.unsaved = false;
    }
}

fn is_not_understood(fact: &Fact) -> bool {
    matches!(fact, Fact::NotUnderstood { .. })
}

/// The word under which a report is counted.
fn result_of(work: &Work, answer: &Answer) -> Option<&'static str> {
    let not_understood = match work {
        Work::Hook(report) => is_not_understood(&report.sighting.fact),
        Work::Report(_) | Work::Chat(_) | Work::Heartbeat(_) => false,
        _ => return None,
    };
    Some(match answer {
        Ok(Reply::Done { .. }) if not_understood => "not_understood",
        Ok(Reply::Done { .. } | Reply::Prompt { .. } | Reply::Made { .. } | Reply::Heard(_)) => {
            "accepted"
        }
        Ok(Reply::Duplicate) => "duplicate",
        Err(_) => "refused",
    })
}

/// A report of the spool that the disk refused.
fn lost(item: &Item, answer: &Answer) -> Option<Refusal> {
    match answer {
        Err(refusal) if refusal.is_of_the_disk() && item.answer.is_none() => Some(*refusal),
        _ => None,
    }
}

fn tick(staging: &mut Staging<'_>, id: &AgentId) {
    let now = staging.now;
    // A defect here is a panic's business; a seat that is gone needs no tick.
    staging.change(id, None, |seat: &mut Seat| gate::tick(seat, now)).ok();
}

/// One item, unless its id has come before.
fn work(staging: &mut Staging<'_>, item: &Item) -> Answer {
    let Some(key) = &item.key else { return perform(staging, &item.work, None) };
    match staging.digest_of(&key.id) {
        Ok(None) => {}
        Ok(Some(digest)) if digest == key.digest => return Ok(Reply::Duplicate),
        Ok(Some(_)) => return Err(Refusal::IdConflict),
        Err(error) => {
            tracing::error!(%error, "the ids of earlier reports cannot be read");
            return Err(Refusal::from(&error));
        }
    }
    let writes_before = staging.writes;
    let answer = perform(staging, &item.work, Some(key))?;
    // What only the spool holds must be known to have been read even if it changed nothing.
    let stored = staging.writes != writes_before || item.answer.is_none();
    staging.remember(key, stored);
    Ok(answer)
}

fn perform(staging: &mut Staging<'_>, work: &Work, key: Option<&Key>) -> Answer {
    match work {
        Work::Hook(report) => hook::admit(staging, report),
        Work::Report(report) => report::admit(staging, report),
        Work::Chat(report) => chat::admit(staging, report),
        Work::Heartbeat(heartbeat) => heartbeat::admit(staging, heartbeat),
        Work::Verdict(on) => verdict::report(staging, on),
        Work::Ask(asked) => prompts::ask(staging, asked),
        Work::Answer(given) => prompts::answer(staging, given),
        Work::TakeBack(back) => prompts::cancel(staging, back),
        Work::Notice(noticed) => prompts::notice(staging, noticed),
        Work::Expire { agent } => prompts::expire(staging, agent),
        Work::Brought { agent, prompt } => prompts::brought(staging, agent, prompt),
        Work::ShiftDeadlines { by_ms } => prompts::shift(staging, *by_ms),
        Work::Stage(moved) => stage::set(staging, moved),
        Work::Snooze { agent, until } => stage::snooze(staging, agent, *until),
        Work::Task(act) => task::perform(staging, act, key),
        Work::Pull(act) => pull::perform(staging, act, key),
        Work::Heard(heard) => heard::hear(staging, heard),
        Work::Effect(act) => effect::perform(staging, act),
        Work::Lifecycle(act) => lifecycle::perform(staging, act),
        Work::Register(registration) => seat::register(staging, registration),
        Work::Launched(launched) => seat::launched(staging, launched),
        Work::Describe { agent, about } => seat::describe(staging, agent, about),
        Work::Witnessed(witnessed) => witnessed::admit(staging, witnessed),
        Work::Seen { agents } => seen::mark(staging, agents),
        Work::LedTo { agent } => seen::led_to(staging, agent),
        Work::Forget { agent, force } => forget::forget(staging, agent, *force),
        Work::Look | Work::Settle | Work::Shutdown | Work::Spooled => {
            Ok(Reply::Done { agent: None, cursor: staging.head })
        }
        #[cfg(test)]
        Work::Probe(probe) => {
            (probe.0)(staging.store);
            Ok(Reply::Done { agent: None, cursor: staging.head })
        }
    }
}

/// A [`Reply::Done`] for one agent.
pub(super) fn done(staging: &Staging<'_>, agent: &AgentId) -> Reply {
    Reply::Done { agent: Some(agent.clone()), cursor: staging.head }
}
