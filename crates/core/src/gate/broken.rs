//! Turns that end otherwise than they should: they fail, or a person stops them.

use super::notice::unanswered;
use super::turn::{ends_shown_work, follow, is_queued, is_repeated, refuse_if_a_helpers};
use super::{
    Effect, Refusal, Rule, SETTLE_MS, STALE_MS, Step, compaction, late, level, notice, outlived,
    overtaken, prompts, refuse, stops, turn,
};
use crate::observation::{Fact, JUST_FAILED, Observation};
use crate::seat::{Held, HeldFact, HeldLevel, Seat, Statement};
use crate::source::{Evidence, Source, Tier};
use crate::status::{
    Exit, ExitKind, IdleReason, Outcome, OutcomeKind, Process, Returns, Turn, WorkingReason,
};

/// How long after a silent end its failure may be told. Milliseconds.
pub(super) const LATE_FAILURE_MS: i64 = 2_000;

const WORKS_SINCE: &str = "the program's own status shows work since then";

pub(super) fn failed(
    step: &mut Step<'_>,
    code: &str,
    detail: Option<&str>,
    reference: Option<&str>,
) -> Result<Effect, Refusal> {
    let result = fails(step, code, detail, reference);
    note_logged(step, reference);
    result
}

/// The log has told of the end of a turn by its name, which nothing bears again: what else is told of it is late. Where a
/// program keeps a status file, its log may name another one.
fn note_logged(step: &mut Step<'_>, reference: Option<&str>) {
    let is_filed = step.seat.claims.iter().any(|claim| claim.source == Source::Registry);
    let is_logged = step.evidence.source == Source::Transcript && !is_filed;
    let Some(reference) = reference.filter(|_| is_logged) else { return };
    if step.seat.turn.is_open_as(reference) {
        return;
    }
    if let Some(ended) = &mut step.seat.turn.ended
        && ended.reference.as_deref() == Some(reference)
    {
        step.changed |= !ended.logged;
        ended.logged = true;
    }
}

fn fails(
    step: &mut Step<'_>,
    code: &str,
    detail: Option<&str>,
    reference: Option<&str>,
) -> Result<Effect, Refusal> {
    if unanswered::is_untold(step.seat, reference) {
        unanswered::told(step, OutcomeKind::Failed, Some(code), detail);
        return Ok(Effect::Decides);
    }
    if is_repeated(step, reference) {
        // A source without errors may have told the end first; the error still counts.
        if ended_without_errors(step) && is_told_in_time(step) {
            let outcome =
                Outcome { kind: OutcomeKind::Failed, code: Some(code.to_owned()), at: step.now };
            step.seat.outcome = Some(outcome);
            mark_unseen(step);
            return Ok(Effect::Decides);
        }
        if was_told_in_words(step, code) && is_told_in_time(step) {
            take_code(step, code, detail);
            return Ok(Effect::Decides);
        }
        return Ok(Effect::Confirms);
    }
    let own = goes_on_as(step, reference);
    let reference = own.as_deref().or(reference);
    refuse_if_a_helpers(step, reference)?;
    follow(step, reference)?;
    level::explain_work(step);
    step.seat.turn.compacting = false;
    prompts::withdraw(step, |asked| asked.actor.is_main());
    outlived::fail(step, code, detail);
    if !step.seat.turn.open && !step.seat.subagents.is_empty() && stops::shows_work(step) {
        doubt_rest(step);
    }
    Ok(Effect::Decides)
}

/// Was the end of the last turn told by who knows of no errors? It seemed interrupted, or is done by no more than the
/// program's own status.
fn ended_without_errors(step: &Step<'_>) -> bool {
    let is_levels = step.seat.turn.evidence.source.tier() == Tier::Own;
    match step.seat.outcome.as_ref().map(|outcome| outcome.kind) {
        Some(OutcomeKind::Interrupted) => true,
        Some(OutcomeKind::Completed) => is_levels && step.evidence.source == Source::Transcript,
        _ => false,
    }
}

/// Has the program told its terminal of the failure that is told here? There it has no code for it, only words.
fn was_told_in_words(step: &Step<'_>, code: &str) -> bool {
    let seat = &*step.seat;
    let by = [seat.turn.evidence.source, step.evidence.source];
    let is_in_words = by[0] == Source::ProgramStatus && by[1] != Source::ProgramStatus;
    let last = seat.outcome.as_ref().filter(|last| last.kind == OutcomeKind::Failed);
    let has_words_alone = |last: &Outcome| {
        last.code.as_deref() != Some(code) && last.code.as_deref() == seat.turn.detail.as_deref()
    };
    is_in_words && last.is_some_and(has_words_alone)
}

/// The failure has this code, and the words for it stay beside it.
fn take_code(step: &mut Step<'_>, code: &str, detail: Option<&str>) {
    let Some(outcome) = &mut step.seat.outcome else { return };
    let words = outcome.code.replace(code.to_owned()).filter(|words| words != JUST_FAILED);
    step.set_base(Turn::Idle(IdleReason::TurnEnded), words.as_deref().or(detail).or(Some(code)));
    step.changed = true;
}

/// May how the last turn has ended still be told? A log is written when the program comes to it, and a hook may be slow.
pub(super) fn is_told_in_time(step: &Step<'_>) -> bool {
    let ended = step.seat.turn.ended.as_ref();
    ended.is_some_and(|ended| step.now.since(ended.at) < LATE_FAILURE_MS)
}

/// A run that nobody can type to, and that leaves in mid-turn with an error of its own, has failed, if its kind
/// returns such errors. Where 1 is also what whoever waits for it makes of a kill, its goodbye alone tells. The error
/// may be known only after the end.
pub(super) fn fails_with(step: &mut Step<'_>, target: Process) {
    let Process::Exited(exit) = target else { return };
    let facts = &step.seat.process;
    // Whoever parts with a word says it before an error of its own.
    let is_missed = step.seat.parts_with_a_word
        && step.seat.session.as_ref().is_some_and(|session| session.start_seen);
    let is_told_by_another =
        facts.outer().is_some() && (step.seat.returns != Returns::ItsOwn || is_missed);
    let says_little = exit.kind != ExitKind::Clean && exit.code == Some(1);
    let tells = facts.headless && step.seat.returns != Returns::Anything;
    if !tells || !exit.is_error() || says_little && is_told_by_another {
        return;
    }
    if fails_unheard(step, exit) && !step.seat.turn.open && step.seat.outcome.is_none() {
        // It was started for one turn, of which nobody has told.
        turn::start(step, None);
    }
    if step.seat.turn.open {
        prompts::withdraw_all(step);
        turn::close(step, OutcomeKind::Failed, Some(JUST_FAILED));
        return;
    }
    if unanswered::is_untold(step.seat, None) {
        unanswered::told(step, OutcomeKind::Failed, Some(JUST_FAILED), None);
        return;
    }
    let seat = &mut *step.seat;
    let ended = seat.turn.ended.as_ref().map(|ended| ended.at);
    let is_it =
        |outcome: &&mut Outcome| outcome.kind == OutcomeKind::Aborted && ended == Some(outcome.at);
    let has_ended = matches!(seat.process.state, Process::Exited(_));
    if let Some(outcome) = seat.outcome.as_mut().filter(is_it).filter(|_| has_ended) {
        (outcome.kind, outcome.code) = (OutcomeKind::Failed, Some(JUST_FAILED.to_owned()));
        step.changed = true;
    }
}

/// Does a run that nobody can type to leave with an error of its own, of which nobody but its launcher has told, and what
/// it writes? Its hooks are not heard: that there was no goodbye says nothing.
pub(super) fn fails_unheard(step: &Step<'_>, exit: Exit) -> bool {
    let facts = &step.seat.process;
    let is_unheard = facts.is_unheard() && !facts.state.is_over();
    is_unheard && facts.headless && step.seat.returns == Returns::ItsOwn && exit.is_error()
}

/// Does a launcher still tell what a run returns that has just said goodbye in mid-turn, and so how that has ended?
pub(super) fn may_tell_by_its_code(seat: &Seat) -> bool {
    let is_heard = seat.launch.is_some() || seat.process.outer().is_some();
    let tells = seat.process.headless && seat.returns != Returns::Anything;
    seat.turn.open && tells && is_heard
}

/// Behind the turn that has failed something else fails, which nobody has seen yet.
pub(super) fn fails_again(step: &mut Step<'_>, code: &str) {
    ends_otherwise(step, OutcomeKind::Failed, Some(code));
}

/// The last turn has another end than was told, which nobody has seen yet.
pub(super) fn ends_otherwise(step: &mut Step<'_>, kind: OutcomeKind, code: Option<&str>) {
    let at = step.now;
    step.seat.outcome = Some(Outcome { kind, code: code.map(str::to_owned), at });
    mark_unseen(step);
    step.set_base(Turn::Idle(IdleReason::TurnEnded), code);
}

/// Whoever has seen the last turn at rest has not seen how it has ended.
fn mark_unseen(step: &mut Step<'_>) {
    let before = step.seat.turn.seq.saturating_sub(1);
    step.seat.seen_turn_seq = step.seat.seen_turn_seq.min(before);
    step.changed = true;
}

/// The log tells how the last turn has ended, of which a hook was told first that knows of no errors and of no Esc. By the
/// program's own times it is of that very turn: written in it, where both had to wait for the hub, or a failure just
/// behind its end.
pub(super) fn logged_late(step: &mut Step<'_>, observation: &Observation) -> Option<Effect> {
    let (kind, code, detail) = match &observation.fact {
        Fact::TurnInterrupted { turn_ref: None } => (OutcomeKind::Interrupted, None, None),
        Fact::TurnFailed { code, detail, turn_ref: None } => {
            (OutcomeKind::Failed, Some(code.as_str()), detail.as_deref())
        }
        _ => return None,
    };
    let (turn, outcome) = (&step.seat.turn, step.seat.outcome.as_ref());
    let is_done = outcome.is_some_and(|outcome| outcome.kind == OutcomeKind::Completed);
    let rests = !turn.open && matches!(turn.base, Turn::Idle(_));
    if observation.source != Source::Transcript {
        return None;
    }
    let written = observation.made_at?;
    let unheard = step.seat.ended_unheard().filter(|_| step.has_waited);
    // The main agent has gone on behind the end that had to wait: what was written at that end is no end of this.
    let goes_on = turn.is_answering() && !turn.stop.is_told && !unanswered::stands(step.seat);
    let is_of_that_end = unheard.is_some_and(|(_, ended)| {
        written.since(ended) < LATE_FAILURE_MS && written < step.seat.spooled_until
    });
    if goes_on && is_of_that_end {
        return Some(Effect::Confirms);
    }
    if !is_done || !rests {
        return None;
    }
    // Whoever has had an answer from a call, or from a helper, behind a failure has gone on behind it.
    let made = step.seat.made.as_deref();
    let went_on = kind == OutcomeKind::Failed
        && made.is_some_and(|made| {
            let helper = made.helper.as_ref().map(|(_, end)| end);
            made.call.iter().chain(helper).any(|end| written < end.made_at)
        });
    let is_in =
        unheard.is_some_and(|(begun, ended)| !went_on && begun < written && written <= ended);
    let end = step.seat.made.as_deref().and_then(|made| made.turn.as_ref());
    let behind = end.map(|end| written.since(end.made_at));
    let is_behind = behind.is_some_and(|ms| (0..LATE_FAILURE_MS).contains(&ms));
    if !(is_in || is_behind && kind == OutcomeKind::Failed) {
        return None;
    }
    ends_otherwise(step, kind, code);
    if detail.is_some() {
        step.set_base(Turn::Idle(IdleReason::TurnEnded), detail);
    }
    Some(Effect::Decides)
}

pub(super) fn interrupted(step: &mut Step<'_>, reference: Option<&str>) -> Result<Effect, Refusal> {
    if unanswered::is_untold(step.seat, reference) {
        unanswered::told(step, OutcomeKind::Interrupted, None, None);
        return Ok(Effect::Decides);
    }
    let own = goes_on_as(step, reference);
    let reference = own.as_deref().or(reference);
    let turn = &step.seat.turn;
    // Nothing was heard of it before, or no more than that it works.
    let is_first = turn.base == Turn::Unknown && turn.ended.is_none();
    let has_begun = is_first || ends_shown_work(step, reference);
    if !turn.open && !has_begun {
        unanswered::is_told(step);
        late::is_told(step);
        return Ok(Effect::Confirms);
    }
    let is_queued = is_queued(step, reference);
    let is_named = turn.open && turn.reference.is_some();
    if is_named && !is_queued && reference.is_some_and(|said| !turn.is_open_as(said)) {
        return refuse(Rule::G10, "of another turn than the open one");
    }
    // A log may call what was stopped by the name of a turn before it.
    let is_told = step.evidence.source.tier() == Tier::Edge;
    if is_told && reference.is_some_and(|said| compaction::is_behind(step, said)) {
        return refuse(Rule::G7, "of a turn that ended before the compaction");
    }
    if !turn.open || is_queued {
        follow(step, reference)?;
    }
    level::explain_work(step);
    step.seat.turn.compacting = false;
    prompts::withdraw(step, |asked| asked.actor.is_main());
    outlived::interrupt(step);
    Ok(Effect::Decides)
}

/// A turn was interrupted.
pub(super) fn told(
    step: &mut Step<'_>,
    reference: Option<&str>,
    observation: &Observation,
) -> Result<Effect, Refusal> {
    match observation.source {
        Source::Transcript => {
            let result = logged(step, reference, observation);
            note_logged(step, reference);
            result
        }
        _ => interrupted(step, reference),
    }
}

/// The main agent was interrupted. The end of the last helper that goes on behind it may wake it.
pub(super) fn main_interrupted(
    step: &mut Step<'_>,
    observation: &Observation,
) -> Result<Effect, Refusal> {
    let turn = &step.seat.turn;
    let goes_on = turn.open && !step.seat.subagents.is_empty();
    if goes_on && turn.main_stopped && turn.stop.is_cut {
        return Ok(Effect::Confirms);
    }
    if !goes_on || turn.main_stopped {
        return told(step, None, observation);
    }
    level::explain_work(step);
    step.seat.turn.compacting = false;
    notice::cut(step);
    (step.seat.turn.awaits_helpers, step.seat.turn.stop.wakes) = (true, true);
    Ok(Effect::Decides)
}

/// A person has stopped the main agent at what it asked. A log that tells that tells also of each helper that was stopped
/// with it: the others go on.
pub(super) fn at_its_dialog(
    step: &mut Step<'_>,
    reference: Option<&str>,
    observation: &Observation,
) -> Result<Effect, Refusal> {
    let is_logged = observation.source == Source::Transcript;
    match is_logged && step.seat.turn.open && !step.seat.subagents.is_empty() {
        true => main_interrupted(step, observation),
        false => interrupted(step, reference),
    }
}

/// An interruption of which the log tells. What the program's status file shows to go on then is something else: a prompt
/// that was queued, or helpers.
fn logged(
    step: &mut Step<'_>,
    reference: Option<&str>,
    observation: &Observation,
) -> Result<Effect, Refusal> {
    let works_since = stops::shows_work(step) && overtaken::works_since(step, observation);
    if works_since && is_queued(step, reference) || is_sent_unheard(step, reference) {
        // It bears the name of the prompt that was sent in place of what was stopped.
        if stops::shows_work(step) {
            prompts::withdraw(step, |asked| asked.actor.is_main());
        }
        level::explain_work(step);
        step.seat.turn.compacting = false;
        follow(step, reference)?;
        step.set_base(Turn::Working(WorkingReason::Prompt), None);
        is_told_by(step, Source::Transcript, &observation.name);
        return Ok(Effect::Confirms);
    }
    if !works_since && leaves_helpers(step, reference) {
        level::explain_work(step);
        notice::cut(step);
        return Ok(Effect::Decides);
    }
    let effect = interrupted(step, reference)?;
    // What works behind a turn that is known to be over was told, or is told, by others.
    if effect == Effect::Confirms || step.seat.turn.open || !stops::shows_work(step) {
        return Ok(effect);
    }
    if works_since {
        turn::start(step, None);
        step.set_base(Turn::Working(WorkingReason::Model), None);
        is_told_by(step, Source::Registry, "working");
        return Ok(Effect::Outranked(WORKS_SINCE));
    }
    doubt_rest(step);
    Ok(effect)
}

/// Is it the open turn that was stopped beside helpers that run, while its status file shows work? That tells when they
/// rest, too.
fn leaves_helpers(step: &Step<'_>, reference: Option<&str>) -> bool {
    let turn = &step.seat.turn;
    let is_its = reference.is_none_or(|said| turn.is_open_as(said));
    let runs = turn.is_answering() && !turn.compacting && !step.seat.subagents.is_empty();
    is_its && runs && stops::shows_work(step)
}

/// Behind an end that was no completion its status file has a moment to say that all rests; else something goes on.
fn doubt_rest(step: &mut Step<'_>) {
    if level::work_waits(step, Source::Registry) {
        return;
    }
    let (until, source) = (step.now.plus(SETTLE_MS), Source::Registry);
    let (name, what) = (stops::GOES_ON.to_owned(), HeldFact::Level(HeldLevel::Working));
    step.seat.held.push(Held { until, source, name, what });
    step.changed = true;
}

/// How the turn before the open one has failed, where the open one is nothing but helpers that went on behind that.
pub(super) fn failed_before(step: &Step<'_>) -> Option<Outcome> {
    let turn = &step.seat.turn;
    let is_behind = turn.open && turn.reference.is_none() && !turn.main_stopped;
    let is_behind = is_behind && turn.base == Turn::Working(WorkingReason::Background);
    let before = turn.before.as_deref().filter(|_| is_behind);
    before.filter(|before| before.kind == OutcomeKind::Failed).cloned()
}

/// Is it, beside the open turn, the name of one that nobody has heard of? No hook tells of a prompt that is sent in place
/// of what was stopped. Should that have been stopped as well, the status file shows it.
fn is_sent_unheard(step: &Step<'_>, reference: Option<&str>) -> bool {
    let own = step.seat.fresh_claim(Tier::Own, step.now.plus(-STALE_MS));
    let is_filed = own.is_some_and(|own| own.source == Source::Registry);
    let turn = &step.seat.turn;
    // One that the program has woken has had other names.
    let is_named =
        turn.open && !turn.main_stopped && turn.woken.is_empty() && turn.reference.is_some();
    is_filed && is_named && reference.is_some_and(|said| turn::is_unheard(step, said))
}

/// What the agent does now it does by the word of this source.
pub(super) fn is_told_by(step: &mut Step<'_>, source: Source, event: &str) {
    let at = step.now;
    step.seat.turn.evidence = Evidence::new(source, at);
    let value = step.seat.turn().phrase().into();
    let history = step.seat.history();
    history.supersede(&format!("superseded by the later {event}").into());
    history.remember(Statement { source, event: event.into(), value, at, lost: None });
}

/// Was it told that the turn of this name was stopped, and does the program's status file show work since then? It was the
/// one before.
pub(super) fn is_of_the_one_before(step: &Step<'_>, reference: Option<&str>) -> bool {
    let ended = step.seat.turn.ended.as_ref().and_then(|ended| ended.reference.as_deref());
    let outcome = step.seat.outcome.as_ref().map(|outcome| outcome.kind);
    let is_last = reference.is_some() && reference == ended && !step.seat.turn.open;
    let is_stopped = is_last && outcome == Some(OutcomeKind::Interrupted);
    is_stopped && level::work_waits(step, Source::Registry)
}

/// Something is told of the turn of this name while another one is open, which has ended in silence: it was not completed,
/// unless its main agent has stopped by itself, also where its own status was still to say so. Where nobody has asked for
/// that other turn, both may be one.
pub(super) fn close_in_silence(step: &mut Step<'_>, reference: &str) {
    if step.seat.turn.main_stopped || step.seat.turn.stop.is_told {
        let kind = step.seat.turn.stopped_as();
        turn::close(step, kind, None);
        return;
    }
    let may_be_one = step.evidence.source.tier() == Tier::Edge && !is_queued(step, Some(reference));
    let first = step.seat.turn.ended.as_mut().and_then(|ended| ended.presumed.take());
    turn::close(step, OutcomeKind::Interrupted, None);
    if let Some(ended) = step.seat.turn.ended.as_mut().filter(|_| may_be_one) {
        ended.presumed = first.or_else(|| ended.reference.clone());
    }
}

/// The name of the open turn, if hooks tell of it by the name of the one before as well, of which nothing else has told that
/// it was over: what seemed to be two turns is one.
pub(super) fn goes_on_as(step: &Step<'_>, reference: Option<&str>) -> Option<String> {
    let turn = &step.seat.turn;
    let is_edge = step.evidence.source.tier() == Tier::Edge;
    let ended = turn.ended.as_ref().filter(|_| turn.open && is_edge)?;
    let is_it = reference.is_some() && ended.presumed.as_deref() == reference;
    turn.reference.clone().filter(|_| is_it)
}

/// A prompt of this name is told. If the open turn bears it, that is a turn of its own.
pub(super) fn is_asked_for(step: &mut Step<'_>, reference: &str) {
    let turn = &mut step.seat.turn;
    if turn.reference.as_deref() == Some(reference)
        && let Some(ended) = &mut turn.ended
    {
        step.changed |= ended.presumed.take().is_some();
    }
}
