//! What only a level has shown: work that was no turn of the agent's, and a title that says of one that works that it
//! asks. And what only a log has.

use super::{Effect, Refusal, SETTLE_MS, Step, level, turn};
use crate::arbitrate;
use crate::observation::{Level, Observation, Submitter};
use crate::seat::{Claim, Held, HeldFact, HeldLevel, Seat, Statement};
use crate::source::{Source, Tier};
use crate::status::{IdleReason, Turn, WorkingReason};
use crate::time::UnixMs;

/// What a title shows that would say that somebody is asked, of a program that has only been silent.
pub(super) const SILENT: &str = "silent";

/// So long work that a status file shows waits for its hook where the log has the prompt of it: two tell the same then, and
/// the hook comes beside them (8 to 30 ms behind both, measured) unless it was lost or is late. Milliseconds.
const LOGGED_MS: i64 = 60;

/// So long before its work is shown a prompt may stand in the log. Milliseconds.
const LOGGED_BEFORE_MS: i64 = 2_000;

/// So long after something is asked its title may still show the work before. One was measured that is drawn 0.7 s later,
/// and it is looked at twice a second. Milliseconds.
const DRAWN_MS: i64 = 2_000;

/// So long after it was made a request may be refused once more, and the log tell of it. Milliseconds.
const REFUSED_MS: i64 = 1_000;

const RETRYING: Turn = Turn::Working(WorkingReason::Retrying);
const RETRIES: Level = Level::Working { reason: Some(WorkingReason::Retrying) };

/// Until when a title that shows work may be the one from before what hooks say is asked: the dialog that it has shown last
/// was another one, perhaps of another turn, or nobody has looked while it showed this one.
pub(super) fn drawn_at(step: &Step<'_>, source: Source, level: &Level) -> Option<UnixMs> {
    let works = source.tier() == Tier::Title && matches!(level, Level::Working { .. });
    let told = step.seat.own_prompts().filter(|open| works && open.source.tier() == Tier::Edge);
    let asked_at = told.map(|open| open.opened_at).max()?;
    if arbitrate::is_told_late(step.seat) {
        return Some(step.seat.spooled_until.plus(DRAWN_MS));
    }
    // It may be a little faster than the hook.
    let since = asked_at.plus(-SETTLE_MS);
    let shows_another = |claim: &Claim| {
        claim.source == source && claim.word == "blocked" && claim.confirmed_at < since
    };
    step.seat.claims.iter().any(shows_another).then(|| asked_at.plus(DRAWN_MS))
}

/// So long after its start is told a program may take until it begins with the prompt that it was started with (up to 3 s on a
/// busy machine, measured). Milliseconds.
const ASKED_MS: i64 = 5_000;

/// By this name what it shows meanwhile is held.
const ASKED: &str = "rest before its first prompt";

/// It was started with a prompt: rest that its own status shows is that of a program that comes up, unless the prompt does
/// not come.
pub(super) fn awaits_prompt(step: &mut Step<'_>) {
    let until = step.now.plus(ASKED_MS);
    for source in [Source::Registry, Source::ProgramStatus] {
        let what = HeldFact::Level(HeldLevel::Idle { shells: 0 });
        step.seat.held.push(Held { until, source, name: ASKED.to_owned(), what });
    }
    step.changed = true;
}

/// It has begun.
pub(super) fn has_begun(step: &mut Step<'_>) {
    step.seat.held.retain(|held| held.name != ASKED);
}

/// Has the open turn only been seen, by a level, and not been told of? A prompt that comes late is
/// the one it began with.
pub(super) fn is_only_shown(step: &Step<'_>) -> bool {
    let turn = &step.seat.turn;
    let seen = matches!(turn.evidence.source.tier(), Tier::Own | Tier::Title);
    let is_new = turn.open && !turn.main_stopped && turn.reference.is_none();
    seen && is_new && turn.base == Turn::Working(WorkingReason::Model)
}

/// Has the program's own status alone told of the open turn, and no hook said anything since? They may be there no more.
pub(super) fn is_unhooked(step: &Step<'_>) -> bool {
    let turn = &step.seat.turn;
    let is_own = turn.evidence.source.tier() == Tier::Own && is_only_shown(step);
    is_own && step.seat.last_edge_at.is_none_or(|at| at < turn.since)
}

/// The log has a prompt. It begins a turn if the hook that tells of it was lost: none has told anything since
/// that was written down. A program's own status tells that better, and is believed sooner for it.
pub(super) fn prompt_logged(
    step: &mut Step<'_>,
    by: Submitter,
    reference: &str,
    made_at: Option<UnixMs>,
) -> Result<Effect, Refusal> {
    let told = step.seat.last_edge_at;
    let is_lost = made_at.is_some_and(|made_at| told.is_none_or(|told| told < made_at));
    if step.seat.turn.open || !is_lost || !turn::is_unheard(step, reference) {
        return Ok(Effect::Confirms);
    }
    if has_own_status(step.seat) {
        step.seat.made.get_or_insert_default().logged = Some((reference.into(), step.now));
        hasten_work(step);
        return Ok(Effect::Confirms);
    }
    turn::prompted(step, by, Some(reference))
}

/// Work that a status file has shown waits no longer than if the log had told of its prompt before.
fn hasten_work(step: &mut Step<'_>) {
    let until = step.now.plus(LOGGED_MS);
    let is_filed_work = |held: &&mut Held| {
        held.source == Source::Registry && held.what == HeldFact::Level(HeldLevel::Working)
    };
    for held in step.seat.held.iter_mut().filter(is_filed_work) {
        held.until = held.until.min(until);
        step.changed = true;
    }
}

/// How long a level waits for what explains it.
pub(super) fn settle_ms(step: &Step<'_>, source: Source, level: &Level) -> i64 {
    let works = source == Source::Registry && matches!(level, Level::Working { .. });
    let logged = step.seat.made.as_deref().and_then(|made| made.logged.as_ref());
    let is_logged = logged.is_some_and(|(reference, at)| {
        step.now.since(*at) < LOGGED_BEFORE_MS && turn::is_unheard(step, reference)
    });
    match works && is_logged && !step.seat.turn.open {
        true => LOGGED_MS,
        false => SETTLE_MS,
    }
}

fn has_own_status(seat: &Seat) -> bool {
    seat.claims.iter().any(|claim| claim.source.tier() == Tier::Own)
}

/// Rest that a status file shows has ended a turn, and what was queued behind that is to begin. If the file goes on
/// showing rest, that was stopped as well, or taken back: it says so no second time.
pub(super) fn doubt_queued(step: &mut Step<'_>, level: &HeldLevel) {
    let is_filed = step.evidence.source == Source::Registry;
    if !(is_filed && step.seat.turn.open && matches!(level, HeldLevel::Idle { .. })) {
        return;
    }
    let (until, source) = (step.now.plus(SETTLE_MS), Source::Registry);
    let (name, what) = ("it rests".to_owned(), HeldFact::Level(level.clone()));
    step.seat.held.push(Held { until, source, name, what });
    step.changed = true;
}

/// It works, as is known. Some sources tell for what reason: that counts while nothing but the model's answer is waited
/// for, in a turn that was told of.
pub(super) fn works_otherwise(step: &mut Step<'_>, level: &Level) -> Effect {
    let turn = &step.seat.turn;
    let awaits_model =
        matches!(turn.base, Turn::Working(WorkingReason::Prompt | WorkingReason::Model));
    match level {
        Level::Working { reason: Some(reason) }
            if awaits_model && turn.is_answering() && turn.reference.is_some() =>
        {
            step.set_base(Turn::Working(*reason), None);
            Effect::Decides
        }
        _ => Effect::Confirms,
    }
}

/// A log tells that a request to the model has failed, and how long the program waits until it makes it once more.
pub(super) fn asks_again(
    step: &mut Step<'_>,
    observation: &Observation,
    wait_ms: u32,
) -> Result<Effect, Refusal> {
    let (name, source) = (&observation.name, observation.source);
    let effect = level::said(step, name, source, &RETRIES)?;
    if step.seat.turn.base == RETRYING {
        step.seat.held.retain(|held| held.what != HeldFact::AsksAgain);
        let until = step.now.plus(i64::from(wait_ms) + REFUSED_MS);
        let (name, what) = (name.clone(), HeldFact::AsksAgain);
        step.seat.held.push(Held { until, source, name, what });
        step.changed = true;
    }
    Ok(effect)
}

/// That wait is over, and the request was not refused at once: its answer is waited for, however long that is. Nothing
/// has confirmed that it works.
pub(super) fn has_asked_again(step: &mut Step<'_>, name: &str) {
    if step.seat.turn.base != RETRYING {
        return;
    }
    let model = Turn::Working(WorkingReason::Model);
    step.set_base(model, None);
    let (source, at, event) = (step.evidence.source, step.now, name.into());
    let history = step.seat.history();
    history.supersede(&"the wait before another try is over".into());
    let value = model.phrase().into();
    history.remember(Statement { source, event, value, at, lost: None });
}

/// Is it the name of the last turn, and has the program's status file shown rest since that ended? Whatever undoes a
/// stop does so before: what is told by this name now is late.
pub(super) fn rests_behind(step: &Step<'_>, reference: &str) -> bool {
    let seat = &*step.seat;
    let ended = seat.turn.ended.as_ref().filter(|_| !seat.turn.open);
    let ended = ended.filter(|ended| ended.reference.as_deref() == Some(reference));
    let rests = |claim: &Claim| claim.source == Source::Registry && claim.word == "idle";
    ended.is_some_and(|ended| {
        let since = ended.at.plus(-SETTLE_MS);
        seat.claims.iter().any(|claim| rests(claim) && claim.confirmed_at >= since)
    })
}

/// Has the log alone told of the open turn, and no hook said anything since? That it tries again alone a log tells of
/// turns that hooks have begun, too.
pub(super) fn is_by_log(step: &Step<'_>) -> bool {
    let turn = &step.seat.turn;
    let is_marked = turn.base == RETRYING || is_named_by_a_hook(step.seat);
    let is_its = turn.open && !is_marked && turn.evidence.source.tier() == Tier::Transcript;
    let is_silent = step.seat.last_edge_at.is_none_or(|at| at < turn.since);
    is_its && is_silent && !has_own_status(step.seat)
}

/// Behind another try nothing but the name of its prompt says that a hook has begun it.
fn is_named_by_a_hook(seat: &Seat) -> bool {
    let prompted = seat.session.as_ref().and_then(|own| own.prompted.as_deref());
    prompted.is_some() && prompted == seat.turn.reference.as_deref()
}

/// The open turn is over in silence. True if it was none of the agent's: then how the turn before it ended, and
/// whether a person has seen that, is as it was.
pub(super) fn leave(step: &mut Step<'_>) -> bool {
    if step.evidence.source.tier() == Tier::Own || !(is_a_persons_command(step) || is_vain(step)) {
        return false;
    }
    leave_as_it_was(step);
    true
}

/// A log tells of a command of a person's own. Work that the program's own status has shown, and no hook told of, was that.
pub(super) fn command_ran(step: &mut Step<'_>) -> Effect {
    if !(step.seat.has_edge_witness() && is_unhooked(step)) {
        return Effect::Confirms;
    }
    leave_as_it_was(step);
    Effect::Decides
}

/// So long a command of a person's own may show work until the conversation has ended by it: `/exit` and `/clear` of a busy
/// machine took 3 s at most (measured). Milliseconds.
const COMMAND_MS: i64 = 5_000;

/// A hook tells that the conversation ends. Work that the program's own status has shown a moment ago, and of which no hook
/// told, was the command that ends it. Of a run that nobody can type to it was the run.
pub(super) fn ends_by_command(step: &mut Step<'_>) {
    let is_new = step.now.since(step.seat.turn.since) < COMMAND_MS;
    let by_hook = step.evidence.source == Source::Hook && step.seat.has_edge_witness();
    let is_a_persons = by_hook && !step.seat.process.headless;
    if is_a_persons && is_new && is_unhooked(step) {
        leave_as_it_was(step);
    }
}

/// The open turn was none: how the one before it ended stands.
pub(super) fn leave_as_it_was(step: &mut Step<'_>) {
    let (seq, seen_seq) = (step.seat.turn.seq, step.seat.seen_turn_seq);
    let before = step.seat.turn.before.take();
    turn::close_with(step, None);
    if seen_seq.saturating_add(1) >= seq {
        step.seat.seen_turn_seq = seq;
    }
    let reason = match before {
        Some(_) => IdleReason::TurnEnded,
        None => IdleReason::Ready,
    };
    let detail = before.as_ref().and_then(|outcome| outcome.code.clone());
    step.seat.outcome = before.map(|outcome| *outcome);
    step.set_base(Turn::Idle(reason), detail.as_deref());
}

/// Has a title shown the open turn, and nothing else told of it?
pub(super) fn is_by_title(step: &Step<'_>) -> bool {
    step.seat.turn.by_title && is_only_shown(step)
}

/// Does what a title shows wait to be believed?
pub(super) fn title_waits(seat: &Seat) -> bool {
    let is_its =
        |held: &Held| held.source.tier() == Tier::Title && matches!(held.what, HeldFact::Level(_));
    seat.held.iter().any(is_its)
}

/// Does a title say that somebody is asked only because nothing has been written for long? A program of such a kind
/// tells by a hook what it asks, before its title does. So where hooks have told of the open turn, nothing is open, and it has
/// shown work for as long as that takes, it works.
pub(super) fn is_silence(step: &Step<'_>, source: Source, level: &Level) -> bool {
    let seat = &*step.seat;
    let asks = source == Source::Title && matches!(level, Level::Blocked { .. });
    let Some(after) = seat.silent_title_ms.filter(|_| asks) else { return false };
    let works_on = |claim: &Claim| match claim.word.as_str() {
        "working" => step.now.since(claim.since) >= i64::from(after),
        word => word == SILENT,
    };
    let mut claims = seat.claims.iter().filter(|claim| claim.source == source);
    is_told_to_work(step) && claims.any(works_on)
}

/// Have hooks told of the open turn, and is nothing asked in it?
fn is_told_to_work(step: &Step<'_>) -> bool {
    let seat = &*step.seat;
    let ended = seat.turn.ended.as_ref().map(|ended| ended.at);
    let is_told = seat.turn.open && seat.last_edge_at > ended && !is_by_title(step);
    is_told && seat.own_prompts().next().is_none()
}

/// A hook has said something that nobody can read: it may have told what is asked. So how long the title has shown work
/// says nothing any more of what it shows next, nor of what it has just begun to show.
pub(super) fn doubt_silence(step: &mut Step<'_>) {
    if step.seat.silent_title_ms.is_none() || !is_told_to_work(step) {
        return;
    }
    let now = step.now;
    let is_new = |claim: &Claim| claim.word == SILENT && now.since(claim.since) < SETTLE_MS;
    let shown = step.seat.claims.len();
    step.seat.claims.retain(|claim| claim.source != Source::Title || !is_new(claim));
    step.changed |= step.seat.claims.len() != shown;
    let is_work = |claim: &&mut Claim| claim.source == Source::Title && claim.word == "working";
    if let Some(claim) = step.seat.claims.iter_mut().find(is_work) {
        // It is shown all the same: another word behind it is news.
        claim.since = now;
        step.changed = true;
    }
}

/// Does its title say that somebody is asked, and is that not believed, because it has only been silent?
pub fn is_silent(seat: &Seat) -> bool {
    seat.claims.iter().any(|claim| claim.source == Source::Title && claim.word == SILENT)
}

/// Where hooks tell of every prompt, work that a title alone shows is a command of the person's own.
fn is_a_persons_command(step: &Step<'_>) -> bool {
    step.seat.has_edge_witness() && is_by_title(step)
}

/// A compaction that nobody has told the end of came to nothing.
fn is_vain(step: &Step<'_>) -> bool {
    let turn = &step.seat.turn;
    turn.open && turn.compacts_alone
}
