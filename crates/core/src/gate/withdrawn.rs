//! What a program takes back of what it has said of itself at its terminal: from then on that counts no more. Most that
//! do so leave in that moment, and their end tells more. Of one that stays nobody knows what it does, unless others
//! tell; how its last turn has ended stays.

use super::{Effect, Refusal, Step, parts, prompts, screen};
use crate::prompt::{Actor, NewPrompt};
use crate::seat::{Claim, Held, HeldFact, HeldLevel, Seat};
use crate::source::Source;
use crate::status::{IdleReason, Turn};
use crate::time::UnixMs;

/// A program that takes back its status as it leaves is gone within a tenth of this (measured). Milliseconds.
const LEAVES_MS: i64 = 1_000;

pub(super) fn said(step: &mut Step<'_>, name: &str, source: Source) -> Result<Effect, Refusal> {
    screen::check_title(step.seat, source)?;
    // Of its parts it says nothing any more, either, and what waits of it is not believed, but how a turn has ended.
    prompts::withdraw(step, |asked| parts::asks(asked.source, asked.actor));
    let stays = |held: &Held| match &held.what {
        HeldFact::Level(level) => matches!(level, HeldLevel::Done | HeldLevel::Failed { .. }),
        what => *what == HeldFact::TakenBack,
    };
    let waiting = step.seat.held.len();
    step.seat.held.retain(|held| held.source != source || stays(held));
    step.changed |= step.seat.held.len() != waiting;
    let said = step.seat.claims.len();
    step.seat.claims.retain(|claim| claim.source != source);
    if step.seat.claims.len() != said {
        let (until, name, what) = (step.now.plus(LEAVES_MS), name.to_owned(), HeldFact::TakenBack);
        step.seat.held.retain(|held| held.what != HeldFact::TakenBack);
        step.seat.held.push(Held { until, source, name, what });
        step.changed = true;
    }
    Ok(Effect::Confirms)
}

/// It has not left since. True if anything is over with that.
pub(super) fn is_over(step: &mut Step<'_>, held: &Held) -> bool {
    let asks = |claim: &Claim| claim.source == held.source && claim.word == "blocked";
    let asks_anew = step.seat.claims.iter().any(asks);
    let has_asked = !asks_anew && forget_asked(step, held.until.plus(-LEAVES_MS));
    let seat = &*step.seat;
    let is_told = seat.has_edge_witness() || seat.about.log_path.is_some();
    let shows = matches!(seat.turn.base, Turn::Working(_) | Turn::Idle(IdleReason::Ready));
    let is_unknown = shows && !is_told && seat.claims.is_empty();
    if is_unknown {
        step.set_base(Turn::Unknown, None);
    }
    has_asked || is_unknown
}

/// Withdraws what a program has asked up to this time and has taken back. True if there was anything.
pub(super) fn forget_asked(step: &mut Step<'_>, until: UnixMs) -> bool {
    prompts::withdraw(step, |asked| {
        let is_older = asked.since.is_some_and(|since| since <= until);
        is_older && is_its(asked.source, asked.actor, asked.ask)
    })
}

/// Does a program say nothing of itself at its terminal, or nothing any more?
pub(super) fn says_nothing(seat: &Seat) -> bool {
    let is_its = |claim: &Claim| claim.source == Source::ProgramStatus;
    !seat.claims.iter().any(is_its)
}

/// Is it asked by the program as a whole, by its own status at its terminal alone? Of what hooks have told as well they
/// tell the end.
pub(super) fn is_its(source: Source, actor: &Actor, ask: &NewPrompt) -> bool {
    source == Source::ProgramStatus && actor.is_main() && ask.tool.is_none()
}
