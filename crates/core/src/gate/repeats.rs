//! What is told once more behind its end, where nothing says when it was made (G10). Two hooks of one event run side by
//! side where a program has our entry twice, and one of them may be late. It is known where another one of its kind would
//! have a call, or a name, of its own.

use super::{
    Effect, Refusal, Rule, SETTLE_MS, Step, broken, compaction, dialog, prompts, refuse, shown,
    stops, tools, turn,
};
use crate::observation::Submitter;
use crate::prompt::{Actor, NewPrompt, PromptKind, ToolRef};
use crate::seat::{AskedOnce, Compaction, Doubted, HelperRun, Named};
use crate::source::{Source, Tier};
use crate::status::{Turn, WorkingReason};
use crate::time::UnixMs;

/// So long after it was told a request may come once more. Milliseconds.
const AGAIN_MS: i64 = 3_000;
/// So long behind a request its call may be told. Milliseconds.
const BEHIND_MS: i64 = 2_000;
/// So long after the end of a compaction its start may. Milliseconds.
const LATE_MS: i64 = 2_000;

/// Is a request over? It may be told after the end of its call, of which no start was told; and where one was, another
/// request would be about another call: it has begun by then.
pub(super) fn check_request(
    step: &Step<'_>,
    actor: &Actor,
    request: &NewPrompt,
) -> Result<(), Refusal> {
    let may_be_late = step.evidence.source.tier() == Tier::Edge;
    if may_be_late && is_answered(step, actor, request) {
        return refuse(Rule::G10, "told after its own answer");
    }
    let Some(tool) = request.tool.as_ref().filter(|_| may_be_late) else { return Ok(()) };
    let has_ended = tool.id.as_deref().is_some_and(|id| step.seat.has_ended_unheard(id));
    if has_ended || seems_told(step, actor, request, tool) {
        return refuse(Rule::G10, tools::TOLD_AFTER_CALL);
    }
    Ok(())
}

/// Has its answer been told a moment ago, by its name?
fn is_answered(step: &Step<'_>, actor: &Actor, request: &NewPrompt) -> bool {
    let named = request.key.as_deref().and_then(|key| named(step, actor, key));
    let answered = named.and_then(|named| named.answered);
    answered.is_some_and(|at| step.now.since(at) < AGAIN_MS)
}

fn named<'a>(step: &'a Step<'_>, actor: &Actor, key: &str) -> Option<&'a Named> {
    let made = step.seat.made.as_deref()?;
    made.repeats.named.iter().find(|one| one.actor == *actor && one.key == key)
}

/// Keeps that a hook has told of an answer to what nobody has told of yet: two hooks run side by side, and that of the
/// request may be the slower one. Where the request was told before, the answer is told once more, or too late: the same
/// call may ask for more.
pub(super) fn note_answer(step: &mut Step<'_>, actor: &Actor, key: Option<&str>) {
    let is_edge = step.evidence.source.tier() == Tier::Edge;
    let Some(key) = key.filter(|_| is_edge) else { return };
    if named(step, actor, key).is_none_or(|named| named.answered.is_some()) {
        name(step, actor, key, Some(step.now));
    }
}

fn name(step: &mut Step<'_>, actor: &Actor, key: &str, answered: Option<UnixMs>) {
    let named = Named { actor: actor.clone(), key: key.to_owned(), answered };
    step.seat.made.get_or_insert_default().repeats.name(named);
}

/// Was a request like this one told a moment ago, and is no call open that it could be about?
fn seems_told(step: &Step<'_>, actor: &Actor, request: &NewPrompt, tool: &ToolRef) -> bool {
    let is_again = |asked: &AskedOnce| {
        let has_its_name = asked.key == request.key;
        *actor == asked.actor && has_its_name && may_be_one(&asked.tool, tool)
    };
    !has_begun(step, actor, tool) && was_told(step, request.kind, is_again)
}

/// A request is refused. Where it names no call, that may be told only behind it, by a hook that is not waited for.
pub(super) fn doubt(
    step: &mut Step<'_>,
    name: &str,
    actor: &Actor,
    request: &NewPrompt,
    settle_ms: u32,
) {
    let is_edge = step.evidence.source.tier() == Tier::Edge;
    let tool = request.tool.as_ref().filter(|tool| is_edge && tool.id.is_none());
    let Some(tool) = tool else { return };
    if !seems_told(step, actor, request, tool) {
        return;
    }
    let (actor, prompt, name) = (actor.clone(), request.clone(), name.to_owned());
    let doubted = Doubted { actor, prompt, settle_ms, name, at: step.now };
    step.seat.made.get_or_insert_default().repeats.doubt(doubted);
}

/// A call begins. A request like it that has just been taken for one told once more was about this call.
pub(super) fn asks_behind(step: &mut Step<'_>, actor: &Actor, call: &ToolRef) {
    let now = step.now;
    let Some(made) = step.seat.made.as_deref_mut() else { return };
    let doubted = &mut made.repeats.doubted;
    doubted.retain(|one| now.since(one.at) < BEHIND_MS);
    let is_its = |one: &Doubted| {
        let asked = one.prompt.tool.as_ref();
        one.actor == *actor && asked.is_some_and(|asked| asked.is_like(call))
    };
    let found = doubted.iter().position(is_its).and_then(|at| doubted.remove(at));
    let Some(Doubted { prompt, settle_ms, name, .. }) = found else { return };
    let source = step.evidence.source;
    let effect = prompts::opened(step, &name, actor, &prompt, settle_ms);
    if effect == Ok(Effect::Decides) {
        broken::is_told_by(step, source, &name);
    }
}

/// The same of a notice that names no call. One of another request is about a call of which nobody has asked yet.
pub(super) fn check_notice(
    step: &Step<'_>,
    actor: &Actor,
    notice: &NewPrompt,
) -> Result<(), Refusal> {
    let is_its = notice.kind == PromptKind::Permission && notice.tool.is_none();
    let reads_so = |title: &str| title == notice.title;
    let mut shown = step.seat.own_prompts();
    let is_shown = shown.any(|open| open.ask.kind == notice.kind && reads_so(&open.ask.title));
    if !is_its || is_shown || dialog::free_call(step, actor).is_some() {
        return Ok(());
    }
    let is_again = |asked: &AskedOnce| {
        let is_actors = actor.is_main() || *actor == asked.actor;
        is_actors && reads_so(&asked.title)
    };
    match was_told(step, notice.kind, is_again) {
        true => refuse(Rule::G10, tools::TOLD_AFTER_CALL),
        false => Ok(()),
    }
}

/// A prompt without a name that comes once more just behind itself, with nothing in between: no person types so fast.
pub(super) fn check_prompt(step: &Step<'_>) -> Result<(), Refusal> {
    let facts = &step.seat.turn;
    let by_hook = [step.evidence.source, facts.evidence.source] == [Source::Hook; 2];
    let at_once = step.now.since(facts.evidence.observed_at) < SETTLE_MS;
    let is_prompted = step.seat.turn() == Turn::Working(WorkingReason::Prompt);
    if by_hook && at_once && is_prompted && facts.open && facts.reference.is_none() {
        return refuse(Rule::G3, "this prompt has been told before");
    }
    Ok(())
}

/// Has a hook told of this very prompt before, or does it tell of it too late? Keeps the name of a person's last one. Some
/// programs call what is typed behind a stop as the turn that goes on with it: without a status file nobody would tell that.
pub(super) fn prompt_again(step: &mut Step<'_>, by: Submitter, reference: Option<&str>) -> bool {
    let is_behind = is_behind_its_turn(step, by, reference);
    let is_a_persons = by == Submitter::Person && step.evidence.source == Source::Hook;
    let session = step.seat.session.as_mut().filter(|_| is_a_persons);
    let Some(session) = session else { return is_behind };
    if session.prompted.as_deref() == reference {
        return is_behind || reference.is_some() && session.is_filed;
    }
    session.prompted = reference.map(Box::from);
    step.changed = true;
    is_behind
}

/// So long behind the end of its turn the hook of a prompt may come. Milliseconds.
const PROMPT_LATE_MS: i64 = 3_000;

/// Does a hook tell of the prompt of the last turn while the status file shows rest behind that? Other hooks have told of
/// the turn by its name. A person's prompt may bear the name of what the program has done by itself just before; by that
/// name the program does nothing more.
fn is_behind_its_turn(step: &Step<'_>, by: Submitter, reference: Option<&str>) -> bool {
    let ended = step.seat.turn.ended.as_ref();
    let ended = ended.filter(|_| step.evidence.source == Source::Hook);
    ended.zip(reference).is_some_and(|(ended, name)| {
        let is_late = match ended.woken {
            true => by == Submitter::Program && ended.reference.as_deref() == Some(name),
            false => shown::rests_behind(step, name),
        };
        is_late && step.now.since(ended.at) < PROMPT_LATE_MS
    })
}

/// Keeps that a hook has told of a request, if that has a name, or if it has told before that its call has begun.
pub(super) fn note(step: &mut Step<'_>, actor: &Actor, request: &NewPrompt) {
    let key = request.key.as_deref().filter(|_| step.evidence.source.tier() == Tier::Edge);
    if let Some(key) = key {
        name(step, actor, key, None);
    }
    let is_hook = step.evidence.source == Source::Hook;
    let asks_first = step.seat.made.as_deref().is_some_and(|made| made.repeats.asks_first);
    let Some(tool) = request.tool.clone().filter(|_| is_hook && !asks_first) else { return };
    // Of calls that nothing tells apart any may be another one.
    let is_told = tool.id.is_some() || tool.input.is_some();
    if !is_told || !has_begun(step, actor, &tool) {
        return;
    }
    let (actor, kind, key) = (actor.clone(), request.kind, request.key.clone());
    let asked = AskedOnce { actor, kind, key, tool, title: request.title.clone(), at: step.now };
    step.seat.made.get_or_insert_default().repeats.ask(asked);
}

/// A call begins behind the answer to what was asked about it.
pub(super) fn begins_granted(step: &mut Step<'_>) {
    step.seat.made.get_or_insert_default().repeats.asks_first = true;
}

fn was_told(step: &Step<'_>, kind: PromptKind, is_it: impl Fn(&AskedOnce) -> bool) -> bool {
    let Some(made) = step.seat.made.as_deref() else { return false };
    let is_fresh = |asked: &AskedOnce| step.now.since(asked.at) < AGAIN_MS;
    made.repeats.asked.iter().any(|asked| asked.kind == kind && is_fresh(asked) && is_it(asked))
}

/// Is a call open that a request may be about?
fn has_begun(step: &Step<'_>, actor: &Actor, tool: &ToolRef) -> bool {
    let mut calls = step.seat.open_tools.iter();
    calls.any(|open| open.actor == *actor && may_be_one(&open.tool, tool))
}

fn may_be_one(call: &ToolRef, tool: &ToolRef) -> bool {
    match (&call.id, &tool.id) {
        (Some(call), Some(tool)) => call == tool,
        _ => call.is_like(tool),
    }
}

/// A helper begins a run. None begins twice.
pub(super) fn run_started(step: &mut Step<'_>, id: &str, run: &str) -> Result<Effect, Refusal> {
    let is_it = |known: &HelperRun| known.is_over && known.id == id && known.run == run;
    if step.seat.made.as_deref().is_some_and(|made| made.repeats.runs.iter().any(is_it)) {
        return refuse(Rule::G10, tools::TOLD_LATE);
    }
    let result = tools::subagent_started(step, id);
    // Where its end came first it is over.
    let (id, run, is_over) = (id.to_owned(), run.to_owned(), result.is_err());
    step.seat.made.get_or_insert_default().repeats.run(HelperRun { id, run, is_over });
    result
}

/// A run of a helper is over, and with it the helper, unless another run of it has begun since.
pub(super) fn end_of_run(step: &mut Step<'_>, id: &str, run: &str) -> Result<Effect, Refusal> {
    let goes_on = |known: &HelperRun| known.id == id && known.run != run && !known.is_over;
    if step.seat.made.as_deref().is_some_and(|made| made.repeats.runs.iter().any(goes_on)) {
        return refuse(Rule::G10, "told after the start of its next run");
    }
    if step.seat.subagents.iter().any(|known| known == id) {
        // Its start may still be told, of a helper that was heard of by something else.
        let (id, run, is_over) = (id.to_owned(), run.to_owned(), true);
        step.seat.made.get_or_insert_default().repeats.run(HelperRun { id, run, is_over });
    }
    tools::subagent_ended(step, id)
}

/// A helper has ended, and with it its run.
pub(super) fn run_ended(step: &mut Step<'_>, id: &str) {
    let Some(made) = step.seat.made.as_deref_mut() else { return };
    for known in made.repeats.runs.iter_mut().filter(|known| known.id == id) {
        known.is_over = true;
    }
}

/// A compaction of this name begins. In one turn there may be several, but none just behind the end of the one before.
pub(super) fn compaction_started(step: &mut Step<'_>, name: &str) -> Result<Effect, Refusal> {
    let turn = &step.seat.turn;
    let last = step.seat.made.as_deref().and_then(|made| made.repeats.compaction.as_ref());
    let last = last.filter(|last| last.name == name && !turn.compacting);
    // One that was stopped has ended with its turn.
    let rest = turn.ended.as_ref().filter(|_| !turn.open).map(|ended| ended.at);
    let ended = last.and_then(|last| last.ended.or(rest));
    let is_late = ended.is_some_and(|ended| step.now.since(ended) < LATE_MS);
    if is_late || turn::is_logged_end(step, name) || shown::rests_behind(step, name) {
        return refuse(Rule::G10, "told after the end of its compaction");
    }
    stops::check_doubted(step, name)?;
    stops::give_way(step, Some(name));
    let effect = compaction::started(step)?;
    let compaction = Compaction { name: name.to_owned(), ended: None };
    step.seat.made.get_or_insert_default().repeats.compaction = Some(compaction);
    Ok(effect)
}

/// Is the compaction of this name under way in a turn that has no name yet?
pub(super) fn compacts_as(step: &Step<'_>, name: &str) -> bool {
    let turn = &step.seat.turn;
    turn.open && turn.reference.is_none() && compaction_under_way(step) == Some(name)
}

/// The name of the one that is under way, if it is known.
pub(super) fn compaction_under_way<'a>(step: &'a Step<'_>) -> Option<&'a str> {
    let last = step.seat.made.as_deref().and_then(|made| made.repeats.compaction.as_ref());
    let last = last.filter(|last| step.seat.turn.compacting && last.ended.is_none());
    last.map(|last| last.name.as_str())
}

pub(super) fn compaction_ended(step: &mut Step<'_>) {
    let now = step.now;
    if let Some(made) = step.seat.made.as_deref_mut()
        && let Some(last) = &mut made.repeats.compaction
    {
        last.ended = Some(now);
    }
}
