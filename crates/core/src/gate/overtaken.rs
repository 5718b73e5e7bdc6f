//! What was overtaken on its way (G10). The order of receipt is the order; but where a program says when it made
//! each of its reports, one that it made before an end, and that comes just behind it, begins nothing anew, and an end that
//! it made, or wrote into its log, before the prompt of the turn that is open is not the end of that one.

use super::{Refusal, Rule, Step, late, refuse, repeats};
use crate::observation::{Fact, Level, Observation, Submitter};
use crate::seat::MadeEnd;
use crate::source::{Source, Tier};

/// So long after an end a report may come that was made before it. Milliseconds. A clock that is set back says
/// nothing for longer than that.
const LATE_MS: i64 = 5_000;

/// No report is on its way for as long: what was made so long before an end was made behind it, by a clock that was set
/// back meanwhile. Milliseconds.
const SET_BACK_MS: i64 = 60_000;

pub(super) fn check(step: &Step<'_>, observation: &Observation) -> Result<(), Refusal> {
    if is_of_the_turn_before(step, observation) {
        return refuse(Rule::G10, "written before the turn before this one was known to be over");
    }
    if let (Fact::DialogShown { actor, prompt }, None) = (&observation.fact, observation.made_at) {
        late::check_notice(step, actor)?;
        return repeats::check_notice(step, actor, prompt);
    }
    if observation.made_at.is_none() && is_nameless_prompt(&observation.fact) {
        return repeats::check_prompt(step);
    }
    let (Some(made_at), Some(made)) = (observation.made_at, step.seat.made.as_deref()) else {
        return Ok(());
    };
    let is_before = |end: Option<&MadeEnd>| {
        end.is_some_and(|end| {
            let is_late = (1..SET_BACK_MS).contains(&end.made_at.since(made_at));
            is_late && step.now.since(end.at) < LATE_MS && end.session == observation.session
        })
    };
    let same = |told: &MadeEnd| told.made_at == made_at && told.session == observation.session;
    let (is_edge, prompt) = (observation.source.tier() == Tier::Edge, made.prompt.as_ref());
    if is_edge && is_prompt(&observation.fact) && prompt.is_some_and(same) {
        return refuse(Rule::G3, "this prompt has been told before");
    }
    // What its helper's end wakes meanwhile is not over by it.
    let is_stopped = step.seat.turn.open && step.seat.turn.main_stopped;
    if is_edge && is_stopped && is_end(&observation.fact) && made.turn.as_ref().is_some_and(same) {
        return refuse(Rule::G3, "this end has been told before");
    }
    // However late it comes, the last end told again is none of a turn that was begun behind it.
    let is_told_again =
        |prompt: &MadeEnd| made_at < prompt.made_at && made.turn.as_ref().is_some_and(same);
    let is_of_another = is_before(prompt) || prompt.is_some_and(is_told_again);
    let is_others_end = is_edge && is_end(&observation.fact) && is_of_another
        || is_logged_before(step, observation, prompt);
    if step.seat.turn.open && is_others_end {
        return refuse(Rule::G10, "made before the prompt of the turn that is open");
    }
    let is_overtaken = match &observation.fact {
        fact if is_prompt(fact) => is_edge && is_before(made.turn.as_ref()),
        Fact::ToolStarted { actor, .. } => actor.is_main() && is_before(made.turn.as_ref()),
        Fact::SubagentStarted { id } => {
            let ended = made.helper.as_ref().filter(|(ended, _)| ended == id);
            is_before(ended.map(|(_, end)| end))
        }
        // Where a call is open it is about that one.
        Fact::DialogShown { actor, .. } if step.seat.open_tools.is_empty() => {
            actor.is_main() && (is_before(made.turn.as_ref()) || is_before(made.call.as_ref()))
        }
        _ => false,
    };
    if is_overtaken {
        return refuse(Rule::G10, "made before an end that was told first");
    }
    Ok(())
}

fn is_nameless_prompt(fact: &Fact) -> bool {
    matches!(fact, Fact::PromptSubmitted { by: Submitter::Person, turn_ref: None })
}

fn is_prompt(fact: &Fact) -> bool {
    matches!(fact, Fact::PromptSubmitted { .. } | Fact::PromptTold)
}

fn is_end(fact: &Fact) -> bool {
    matches!(
        fact,
        Fact::TurnEnded { .. }
            | Fact::TurnFailed { .. }
            | Fact::TurnInterrupted { .. }
            | Fact::MainInterrupted
            | Fact::TurnUnanswered
    )
}

/// A line of the log may be read behind the hook of what follows it: a prompt that waited begins as soon as a person has
/// stopped the turn before. The log names no turn then, and is of the seat's own conversation.
fn is_logged_before(step: &Step<'_>, observation: &Observation, prompt: Option<&MadeEnd>) -> bool {
    let turn_ref = match &observation.fact {
        Fact::TurnFailed { turn_ref, .. }
        | Fact::TurnInterrupted { turn_ref }
        | Fact::PromptRefused { turn_ref, .. } => turn_ref.as_ref(),
        Fact::MainInterrupted => None,
        _ => return false,
    };
    let is_unnamed = observation.source == Source::Transcript && turn_ref.is_none();
    let times = observation.made_at.zip(prompt.filter(|_| is_unnamed));
    times.is_some_and(|(made_at, prompt)| {
        let is_before = (1..SET_BACK_MS).contains(&prompt.made_at.since(made_at));
        is_before && step.now.since(prompt.at) < LATE_MS
    })
}

/// An interruption may stand in the log by the name of the prompt that was sent in place of what was stopped, and a
/// failure without any. Was it written before the turn before this one was known to be over? A log's times are by the
/// clock of the machine that it is read on.
fn is_of_the_turn_before(step: &Step<'_>, observation: &Observation) -> bool {
    let turn = &step.seat.turn;
    let may_be_its = match &observation.fact {
        Fact::TurnInterrupted { turn_ref: Some(said) } => turn.is_open_as(said),
        // It bears no name.
        Fact::TurnFailed { turn_ref: None, .. } => turn.open,
        _ => false,
    };
    let ended = turn.ended.as_ref().filter(|_| observation.source == Source::Transcript);
    let times = observation.made_at.zip(ended.map(|ended| ended.at));
    let is_late = times.is_some_and(|(made_at, ended)| {
        (1..LATE_MS).contains(&ended.since(made_at)) && step.now.since(ended) < LATE_MS
    });
    // A program without a status file names turns exactly, where it names them.
    let is_filed = step.seat.claims.iter().any(|claim| claim.source == Source::Registry);
    let is_nameless = matches!(observation.fact, Fact::TurnFailed { .. });
    (is_filed || is_nameless) && may_be_its && is_late
}

/// Has the program's own status begun to show work after it wrote this down?
pub(super) fn works_since(step: &Step<'_>, observation: &Observation) -> bool {
    let works = step.seat.made.as_deref().and_then(|made| made.works);
    let times = observation.made_at.zip(works);
    times.is_some_and(|(made_at, works)| (1..LATE_MS).contains(&works.since(made_at)))
}

/// Keeps when a prompt or an end was made that has been accepted, and since when work is shown.
pub(super) fn note(step: &mut Step<'_>, observation: &Observation) {
    let Some(made_at) = observation.made_at else { return };
    if let (Tier::Own, Fact::Level(level)) = (observation.source.tier(), &observation.fact) {
        let works = matches!(level, Level::Working { .. }).then_some(made_at);
        step.seat.made.get_or_insert_default().works = works;
    }
    if observation.source.tier() != Tier::Edge {
        return;
    }
    let told = MadeEnd { session: observation.session.clone(), made_at, at: step.now };
    match &observation.fact {
        fact if is_prompt(fact) => step.seat.made.get_or_insert_default().prompt = Some(told),
        fact if is_end(fact) => step.seat.made.get_or_insert_default().turn = Some(told),
        Fact::ToolsEnded { actor, .. } if actor.is_main() => {
            step.seat.made.get_or_insert_default().call = Some(told);
        }
        Fact::SubagentEnded { id } => {
            step.seat.made.get_or_insert_default().helper = Some((id.clone(), told));
        }
        _ => {}
    }
}
