//! A conversation beside the one in the seat, which goes on meanwhile: what it does is a helper's. So is what one does that
//! a person has left in mid-turn ([`beside`]). The terminal shows one of them, and what it tells is of that one alone.

use super::{
    Effect, Refusal, Rule, SETTLE_MS, Step, beside, prompts, refuse, repeats, tools, turn,
};
use crate::observation::{Fact, Level, Observation, SessionStart};
use crate::prompt::Actor;
use crate::seat::{Claim, Held, HeldFact, HeldLevel, Seat, Session};
use crate::source::{Source, Tier};
use crate::status::{OutcomeKind, Turn};

/// Nobody has so many: of the first one no more is told.
const MOST: usize = 16;

const OF_ANOTHER: &str = "its terminal may show another conversation than the one that works";

/// Is it of a conversation beside the one in the seat? Its start makes it one.
pub(super) fn is_heard(step: &mut Step<'_>, observation: &Observation) -> bool {
    if is_left(step, observation) {
        return true;
    }
    let said = observation.session.as_deref();
    let begins = matches!(observation.fact, Fact::SessionStarted { how: SessionStart::Side, .. });
    let runs = step.seat.process.state.is_running();
    let Some((said, own)) = said.zip(step.seat.session.as_mut()) else { return false };
    if own.sides.iter().any(|side| side == said) {
        return true;
    }
    if !begins || !runs || own.id == said {
        return false;
    }
    if own.sides.len() == MOST {
        own.sides.remove(0);
    }
    own.sides.push(said.to_owned());
    step.changed = true;
    true
}

fn is_one(seat: &Seat, session: &str) -> bool {
    let own = seat.session.as_ref();
    own.is_some_and(|own| own.id != session && own.sides.iter().any(|side| side == session))
}

/// Is it what one does that was left in mid-turn, and that still goes on? Its prompts and its ends are told of elsewhere.
fn is_left(step: &Step<'_>, observation: &Observation) -> bool {
    let does = matches!(
        observation.fact,
        Fact::ToolStarted { .. }
            | Fact::ToolsEnded { .. }
            | Fact::PromptOpened { .. }
            | Fact::SubagentStarted { .. }
            | Fact::RunStarted { .. }
            | Fact::SubagentEnded { .. }
            | Fact::RunEnded { .. }
            | Fact::SessionEnded { .. }
            | Fact::CompactionStarted
            | Fact::CompactionBegun { .. }
            | Fact::CompactionEnded { .. }
            | Fact::Nothing
    );
    let own = step.seat.session.as_ref().map(|own| own.id.as_str());
    let said = observation.session.as_deref();
    does && step.seat.shows_one
        && own != said
        && said.is_some_and(|said| beside::is_one(step, said))
}

/// Does it go on beside the seat's own conversation?
pub fn is_beside(seat: &Seat, session: &str) -> bool {
    let is_left = || seat.turn.beside.iter().any(|beside| beside.session == session);
    let own = seat.session.as_ref().map(|own| own.id.as_str());
    seat.shows_one && own != Some(session) && (is_one(seat, session) || is_left())
}

/// All of them that may ask something: a person who types to the seat's own has answered none of that.
pub(super) fn others(step: &Step<'_>) -> Vec<String> {
    let seat = &*step.seat;
    if !seat.shows_one {
        return Vec::new();
    }
    let sides = seat.session.iter().flat_map(|own| &own.sides);
    let left = seat.turn.beside.iter().map(|beside| &beside.session);
    sides.chain(left).filter(|id| is_beside(seat, id)).cloned().collect()
}

/// Those that work now.
pub(super) fn running(seat: &Seat) -> Vec<String> {
    seat.subagents.iter().filter(|id| is_one(seat, id)).cloned().collect()
}

/// What is told of one of them; `None`: it is of none.
pub(super) fn told(
    step: &mut Step<'_>,
    observation: &Observation,
) -> Option<Result<Effect, Refusal>> {
    let side = observation.session.as_deref()?;
    let is_left = is_left(step, observation);
    if !is_left && !is_one(step.seat, side) {
        return None;
    }
    let actor = |said: &Actor| match said {
        Actor::Main => Actor::Sub(side.to_owned()),
        Actor::Sub(_) => said.clone(),
    };
    Some(match &observation.fact {
        Fact::PromptSubmitted { .. } | Fact::PromptTold => tools::subagent_started(step, side),
        Fact::ToolStarted { actor: said, tool, .. } => {
            tools::started(step, &actor(said), tool, None)
        }
        Fact::ToolsEnded { actor: said, tools, .. } => {
            tools::ended(step, &actor(said), tools, false, None)
        }
        Fact::PromptOpened { actor: said, prompt, settle_ms, .. } => {
            let asks = actor(said);
            prompts::belongs(step, &asks, prompt, None)
                .and_then(|()| prompts::opened(step, &observation.name, &asks, prompt, *settle_ms))
        }
        Fact::SubagentStarted { id } => tools::subagent_started(step, id),
        Fact::RunStarted { id, run } => repeats::run_started(step, id, run),
        Fact::SubagentEnded { id } => tools::subagent_ended(step, id),
        Fact::RunEnded { id, run } => repeats::end_of_run(step, id, run),
        Fact::TurnEnded { .. } => over(step, side, OutcomeKind::Completed, None),
        Fact::TurnInterrupted { .. } => over(step, side, OutcomeKind::Interrupted, None),
        Fact::TurnFailed { code, .. } => over(step, side, OutcomeKind::Failed, Some(code)),
        Fact::SessionEnded { .. } if is_left => {
            Ok(beside::gone(step, side).unwrap_or(Effect::Confirms))
        }
        Fact::SessionEnded { .. } => {
            let effect = over(step, side, OutcomeKind::Interrupted, None);
            if let Some(own) = &mut step.seat.session {
                own.sides.retain(|other| other != side);
            }
            effect
        }
        _ => Ok(Effect::Confirms),
    })
}

/// What one of them does is over. Where the agent does nothing else it rests, and that is how its turn has ended.
fn over(
    step: &mut Step<'_>,
    side: &str,
    kind: OutcomeKind,
    code: Option<&str>,
) -> Result<Effect, Refusal> {
    let turn = &step.seat.turn;
    let is_alone = turn.open && turn.main_stopped && step.seat.subagents == [side];
    if !is_alone || kind == OutcomeKind::Completed {
        return tools::subagent_ended(step, side);
    }
    end(step, side);
    turn::rest(step, kind, code);
    Ok(Effect::Decides)
}

fn end(step: &mut Step<'_>, side: &str) {
    step.seat.end_helper(side, step.now);
    step.changed = true;
    let actor = Actor::Sub(side.to_owned());
    step.seat.drop_calls(|open| open.actor == actor);
    prompts::withdraw(step, |asked| *asked.actor == actor);
}

/// Does one of them begin to work while the agent rests?
pub(super) fn wakes(step: &Step<'_>, id: &str) -> bool {
    let turn = &step.seat.turn;
    !turn.open && matches!(turn.base, Turn::Idle(_)) && is_one(step.seat, id)
}

/// Does the terminal show one that rests or has failed, while the seat's own conversation works? The log names each end
/// of that one's turns, and tells of none. What has failed then is what works beside it: nothing else tells that.
pub(super) fn takes(step: &mut Step<'_>, source: Source, level: &HeldLevel) -> bool {
    let is_failure = matches!(level, HeldLevel::Failed { .. });
    let rests = matches!(level, HeldLevel::Idle { .. } | HeldLevel::Done);
    if !(shows_one(step.seat, source) && (rests || is_failure)) {
        return false;
    }
    let sides = running(step.seat);
    let turn = &step.seat.turn;
    let is_named = turn.open && !turn.main_stopped && turn.reference.is_some();
    let log = step.seat.about.log_path.as_ref();
    let is_read = |own: &Session| own.logged.is_some() && own.logged.as_ref() == log;
    let is_logged = step.seat.session.as_ref().is_some_and(is_read);
    let works = is_named && is_logged && !turn.end_logged;
    let is_beside = beside::goes_on(step);
    let is_its = works && (rests || !sides.is_empty()) || is_beside && (rests || works);
    if is_failure {
        for side in sides {
            end(step, &side);
        }
    }
    is_its
}

fn shows_one(seat: &Seat, source: Source) -> bool {
    seat.shows_one && matches!(source, Source::ProgramStatus | Source::Title)
}

/// Is what the terminal shows another one's? Rest says nothing where only those go on that it does not show, and work
/// answers no dialog of which hooks alone have told, and which it has not shown.
pub(super) fn hears(
    step: &Step<'_>,
    source: Source,
    level: &Level,
    before: Option<&str>,
) -> Result<Option<Effect>, Refusal> {
    let goes_on = beside::goes_on(step);
    if !shows_one(step.seat, source) || !goes_on && running(step.seat).is_empty() {
        return Ok(None);
    }
    let is_hidden = before != Some("blocked") && prompts::is_told_by_hooks(step);
    match level {
        Level::Idle { .. } | Level::Done if goes_on && !step.seat.turn.open => {
            refuse(Rule::Rank, OF_ANOTHER)
        }
        Level::Working { .. } if is_hidden => Ok(Some(Effect::Outranked(OF_ANOTHER))),
        _ => Ok(None),
    }
}

/// Do several of the conversations ask something? Which one has been answered their hooks tell.
pub(super) fn several_ask(step: &Step<'_>) -> bool {
    let others = others(step);
    let asks = |actor: &Actor| matches!(actor, Actor::Sub(id) if others.contains(id));
    let beside = step.seat.own_prompts().filter(|open| asks(&open.actor)).count();
    beside > 0 && step.seat.own_prompts().count() > beside
}

/// The log has told the end of the open turn, after its terminal has shown rest: that was no other conversation's.
pub(super) fn end_is_logged(step: &mut Step<'_>) {
    let seat = &mut *step.seat;
    let rests = |word: &str| match word {
        "idle" => Some(HeldLevel::Idle { shells: 0 }),
        "done" => Some(HeldLevel::Done),
        _ => None,
    };
    let is_its = |claim: &&Claim| claim.source == Source::ProgramStatus;
    let level = seat.claims.iter().find(is_its).and_then(|claim| rests(&claim.word));
    let Some(level) = level.filter(|_| seat.shows_one) else { return };
    let (until, source) = (step.now.plus(SETTLE_MS), Source::ProgramStatus);
    let (name, what) = ("program_status".to_owned(), HeldFact::Level(level));
    seat.held.retain(|held| held.source != source || !matches!(held.what, HeldFact::Level(_)));
    seat.held.push(Held { until, source, name, what });
    step.changed = true;
}

/// Keeps that the log of the seat's own conversation is read.
pub(super) fn note_log(step: &mut Step<'_>, observation: &Observation) {
    if observation.source.tier() != Tier::Transcript {
        return;
    }
    let log = step.seat.about.log_path.clone();
    let Some(own) = &mut step.seat.session else { return };
    let is_its = observation.session.as_ref().is_none_or(|said| *said == own.id);
    if is_its && own.logged != log {
        own.logged = log;
        step.changed = true;
    }
}
