//! Input requests: prompts that an agent, a script or a person opens, and that end by answer,
//! deadline or cancel alone.

use super::acts::{Said, act, walk};
use super::{Decision, Step};
use crate::event::EventBody;
use crate::prompt::{
    Actor, Input, Mark, NewPrompt, OnTimeout, OpenPrompt, PromptKind, Resolution, ResolvedBy, Via,
};
use crate::seat::Seat;
use crate::source::Source;
use crate::time::UnixMs;
use crate::wire::PromptDoc;
use crate::workflow::{self, By, IllegalStage, Stage, StageStatus};

/// Answers that an agent may not have been told of; the last ones are kept.
const UNTOLD: usize = 64;

/// A question that is about to be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    /// It names this prompt and no other of this hub.
    pub id: String,
    pub ask: NewPrompt,
    pub input: Input,
}

/// Opens an input request. `input.moved_stage` asks for the workflow to wait for it: an agent's
/// must be able to, a person's does so if it can.
///
/// # Errors
/// The stage that an agent is at does not lead to `awaiting_input`; nothing is opened.
pub fn open_input(
    seat: &mut Seat,
    asked: Ask,
    by: By,
    now: UnixMs,
) -> Result<Decision, IllegalStage> {
    let Ask { id, ask, mut input } = asked;
    let current = seat.stage.as_ref().map(|status| status.stage);
    let path = match (input.moved_stage, way_to_wait(current)) {
        (true, Ok(path)) => path,
        (true, Err(illegal)) if by == By::Agent => return Err(illegal),
        _ => {
            input.moved_stage = false;
            Vec::new()
        }
    };
    let before = seat.status_key();
    let mut step = act(seat, now);
    step.seat.prompts_opened += 1;
    let (source, title) = (Source::Report, ask.title.clone());
    let input = Some(Box::new(input));
    let (actor, by_notice, logged) = (Actor::Main, false, None);
    let open = OpenPrompt { id, actor, opened_at: now, source, ask, input, by_notice, logged };
    let doc = Box::new(PromptDoc::new(&step.seat.id, &open, None));
    step.seat.prompts.push(open);
    step.emit(EventBody::PromptOpened { prompt: doc });
    walk(&mut step, &path, &Said { message: Some(&title), ..Said::default() });
    Ok(step.finish(&before))
}

/// The stages to `awaiting_input`; none where the workflow is there already.
fn way_to_wait(current: Option<Stage>) -> Result<Vec<Stage>, IllegalStage> {
    match current {
        Some(Stage::AwaitingInput) => Ok(Vec::new()),
        // Whoever asks has begun to work.
        Some(Stage::Started) => Ok(vec![Stage::Working, Stage::AwaitingInput]),
        current => workflow::path(current, Stage::AwaitingInput, By::Agent),
    }
}

/// The open input request of this id.
pub fn input<'a>(seat: &'a Seat, id: &str) -> Option<&'a OpenPrompt> {
    seat.inputs().find(|open| open.id == id)
}

/// An input request that the workflow waits for, if there is one: an agent cannot pass it by.
pub fn waits_for(seat: &Seat) -> Option<&OpenPrompt> {
    let waits = |open: &&OpenPrompt| open.input.as_ref().is_some_and(|input| input.moved_stage);
    seat.inputs().find(waits)
}

/// Ends an input request; nothing happens where none of this id is open. With the last one that
/// the workflow waits for it goes on, unless nobody has answered one that must not go on by itself.
pub fn resolve_input(seat: &mut Seat, id: &str, resolution: Resolution, now: UnixMs) -> Decision {
    let before = seat.status_key();
    let mut step = act(seat, now);
    let is_it = |open: &OpenPrompt| open.id == id && open.ask.kind == PromptKind::Input;
    let Some(at) = step.seat.prompts.iter().position(is_it) else { return Decision::default() };
    let open = step.seat.prompts.remove(at);
    let timed_out = resolution.by == ResolvedBy::Timeout;
    let title = open.ask.title.clone();
    // What was said in the agent's own program, that program has heard.
    if resolution.by == ResolvedBy::Human && resolution.via != Some(Via::AgentClient) {
        step.seat.untold.push(open.id.clone());
        let more = step.seat.untold.len().saturating_sub(UNTOLD);
        step.seat.untold.drain(..more);
    }
    let doc = PromptDoc::new(&step.seat.id, &open, Some(resolution));
    step.emit(EventBody::PromptResolved { prompt: Box::new(doc) });
    let blocks = |input: &Input| timed_out && input.on_timeout == OnTimeout::Block;
    if open.input.as_deref().is_some_and(blocks) {
        step.seat.unanswered = Some(open.ask.title.clone());
    }
    if waits_for(step.seat).is_some() {
        name_what_waits(&mut step, &title);
    } else {
        go_on(&mut step);
    }
    step.finish(&before)
}

/// The agent has been told how this input request has ended.
pub fn mark_told(seat: &mut Seat, id: &str) -> Decision {
    let before = seat.untold.len();
    seat.untold.retain(|untold| untold != id);
    Decision { changed: seat.untold.len() < before, ..Decision::default() }
}

/// Where the workflow said that it waits for what has ended, it says what it still waits for.
fn name_what_waits(step: &mut Step<'_>, ended: &str) {
    let said = |status: &&StageStatus| status.message.as_deref() == Some(ended);
    let status = step.seat.stage.as_deref().filter(said).cloned();
    let next = waits_for(step.seat).map(|open| open.ask.title.clone());
    if let (Some(status), Some(next)) = (status, next)
        && status.stage == Stage::AwaitingInput
    {
        let StageStatus { stage, phase, progress, blockers, .. } = &status;
        let (message, phase) = (Some(next.as_str()), phase.as_deref());
        walk(step, &[*stage], &Said { message, phase, progress: *progress, blockers });
    }
}

/// The workflow goes on once nothing holds it up; a question that must not go unanswered, and did,
/// blocks it then.
fn go_on(step: &mut Step<'_>) {
    if waits_for(step.seat).is_some() {
        return;
    }
    let unanswered = step.seat.unanswered.take();
    let stage = step.seat.stage.as_ref().map(|status| status.stage);
    if stage != Some(Stage::AwaitingInput) {
        return;
    }
    match unanswered {
        None => walk(step, &[Stage::Working], &Said::default()),
        Some(title) => {
            let message = format!("nobody answered: {title}");
            let said = Said { message: Some(&message), ..Said::default() };
            walk(step, &[Stage::Working, Stage::Blocked], &said);
        }
    }
}

/// Ends every input request whose moment has come on the wall clock. Each takes its default, blocks
/// or fails, once; none is refused. What was put off until then is put off no more.
pub fn time_out(seat: &mut Seat, wall: UnixMs, now: UnixMs) -> Vec<Decision> {
    let is_over = |input: &Input| input.expires_at <= wall;
    let over = seat.inputs().filter(|open| open.input.as_deref().is_some_and(is_over));
    let over: Vec<(String, Resolution)> =
        over.map(|open| (open.id.clone(), timed_out(open, now))).collect();
    let over = over.into_iter().map(|(id, resolution)| resolve_input(seat, &id, resolution, now));
    let mut decisions: Vec<Decision> = over.collect();
    if seat.snoozed_until.is_some_and(|until| until <= wall) {
        decisions.push(super::snooze(seat, None, now));
    }
    decisions
}

fn timed_out(open: &OpenPrompt, now: UnixMs) -> Resolution {
    let mut resolution = Resolution::of(ResolvedBy::Timeout, now);
    if let Some(input) = &open.input {
        if input.on_timeout == OnTimeout::Default {
            resolution.value = Some(input.default_action.clone());
            resolution.default_used = true;
        }
        resolution.nobody_saw_it = input.nobody_saw_it();
    }
    resolution
}

/// Nobody will answer any more: the seat leaves the roster, with whatever is asked there. Nothing goes on for that,
/// so no other change is told.
pub fn cancel_prompts(seat: &mut Seat, now: UnixMs) -> Decision {
    let mut step = act(seat, now);
    for open in std::mem::take(&mut step.seat.prompts) {
        let doc = PromptDoc::new(&step.seat.id, &open, Some(Resolution::cancelled(now)));
        step.emit(EventBody::PromptResolved { prompt: Box::new(doc) });
    }
    let key = step.seat.status_key();
    step.finish(&key)
}

/// When the next deadline of a seat is, on the wall clock.
pub fn next_expiry(seat: &Seat) -> Option<UnixMs> {
    let asked = seat.inputs().filter_map(|open| Some(open.input.as_ref()?.expires_at));
    asked.chain(seat.snoozed_until).min()
}

/// The wall clock was set: what was to be waited for stays as long as it was, and so does what was put off.
pub fn shift_deadlines(seat: &mut Seat, by_ms: i64, now: UnixMs) -> Decision {
    let before = seat.status_key();
    let mut step = act(seat, now);
    let inputs = step.seat.prompts.iter_mut().filter_map(|open| open.input.as_mut());
    let asked = inputs.map(|input| &mut input.expires_at);
    for moment in asked.chain(step.seat.snoozed_until.as_mut()) {
        *moment = moment.plus(by_ms);
        step.changed = true;
        step.announce = true;
    }
    step.finish(&before)
}

/// A channel has brought an input request to a person, or a person has looked at it there.
pub fn mark_input(seat: &mut Seat, id: &str, via: Via, seen: bool, now: UnixMs) -> Decision {
    let before = seat.status_key();
    let mut step = act(seat, now);
    let open = step.seat.prompts.iter_mut().find(|open| open.id == id);
    let Some(input) = open.and_then(|open| open.input.as_mut()) else {
        return Decision::default();
    };
    let marks = if seen { &mut input.seen } else { &mut input.delivered };
    if marks.iter().all(|mark| mark.via != via) {
        marks.push(Mark { via, at: now });
        step.changed = true;
        step.announce = true;
    }
    step.finish(&before)
}
