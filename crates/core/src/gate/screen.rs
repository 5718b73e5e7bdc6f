//! What is visible in a terminal: the weakest witness, which overrides others in one direction only.

use super::{
    Effect, Refusal, Rule, SETTLE_MS, STALE_MS, Step, late, level, prompts, refuse, withdrawn,
};
use crate::prompt::{Actor, NewPrompt, OpenPrompt};
use crate::seat::{Claim, Held, HeldFact, HeldLevel, Seat, Session};
use crate::source::{Confidence, Source, Tier};
use crate::status::{BlockedReason, Exit, ExitKind, OutcomeKind, Process, Turn};
use crate::time::UnixMs;

/// Has the program in this seat told anything of itself yet? Before that a screen is the only witness.
/// A title is none: a program may call itself ready while it asks whether to trust the folder.
pub fn has_spoken(seat: &Seat) -> bool {
    let starting = matches!(seat.process.state, Process::Starting { .. });
    let says = |claim: &Claim| claim.source.tier() != Tier::Title;
    let edges = seat.session.is_some() || seat.last_edge_at.is_some() || seat.turn.seq > 0;
    !starting && (edges || seat.claims.iter().any(says))
}

/// How long a program that has told its start early may take to show what it asks first. Milliseconds.
const ASKS_FIRST_MS: i64 = 3_000;

/// Is its screen the only witness of what it asks? Before it has told anything, or while what was seen
/// then still stands, or, where its start is told early, for a while after that.
pub fn may_ask_unheard(seat: &Seat, now: UnixMs) -> bool {
    let comes_up = |session: &Session| now.since(session.since) < ASKS_FIRST_MS;
    !has_spoken(seat)
        || early_start(seat).is_some_and(|session| comes_up(session) || is_at_dialog(seat))
}

/// The session of a program that has told nothing but its early start.
pub(super) fn early_start(seat: &Seat) -> Option<&Session> {
    let session = seat.session.as_ref().filter(|session| session.is_early && !seat.turn.open)?;
    let ended = seat.turn.ended.as_ref().is_some_and(|ended| ended.at >= session.since);
    (!ended).then_some(session)
}

/// Is a dialog open that only the screen shows?
pub(super) fn is_at_dialog(seat: &Seat) -> bool {
    seat.own_prompts().any(|open| is_screens(seat, open))
}

/// Does nothing but the screen tell whether what was asked still stands? So it is with what the program has taken
/// back, too.
fn is_screens(seat: &Seat, open: &OpenPrompt) -> bool {
    let is_its = || withdrawn::is_its(open.source, &open.actor, &open.ask);
    open.source == Source::Screen || withdrawn::says_nothing(seat) && is_its()
}

/// Withdraws what only the screen shows. True if there was anything.
fn withdraw_shown(step: &mut Step<'_>) -> bool {
    let says_nothing = withdrawn::says_nothing(step.seat);
    prompts::withdraw(step, |asked| {
        let is_its = || withdrawn::is_its(asked.source, asked.actor, asked.ask);
        asked.source == Source::Screen || says_nothing && is_its()
    })
}

/// Is a dialog to be seen that comes before the program's first event?
pub(super) fn is_at_first_dialog(seat: &Seat) -> bool {
    !has_spoken(seat) && is_at_dialog(seat)
}

/// A program that shows by its title no more than that its prompt box is open shows the same title while it
/// works: once it has told anything of itself, that says nothing.
pub(super) fn check_title(seat: &Seat, source: Source) -> Result<(), Refusal> {
    if source.tier() == Tier::Title && seat.titles_its_start && has_spoken(seat) {
        return refuse(Rule::Rank, "its title tells of its start alone");
    }
    Ok(())
}

/// Behind a dialog that opens a program its title may have called it ready all the while.
fn look_behind(step: &mut Step<'_>) {
    let rests = |claim: &Claim| claim.source == Source::Title && claim.word == "idle";
    let is_ready = step.seat.claims.iter().any(rests);
    if !is_ready || !step.seat.titles_its_start || has_spoken(step.seat) {
        return;
    }
    // Another dialog may follow.
    let (until, source) = (step.now.plus(level::LOOK_MS), Source::Title);
    let what = HeldFact::Level(HeldLevel::Idle { shells: 0 });
    step.seat.held.push(Held { until, source, name: "title".to_owned(), what });
    step.changed = true;
}

/// Has this life of the program had a prompt yet?
fn was_prompted(seat: &Seat) -> bool {
    seat.turn.open || seat.turn.ended.is_some()
}

/// Has a program told nothing yet but what it asks now, and by its own status alone? That comes before its first
/// turn.
pub(super) fn asks_first(step: &Step<'_>) -> bool {
    let seat = &step.seat;
    let is_own = step.evidence.source == Source::ProgramStatus;
    let rests = matches!(seat.turn.base, Turn::Idle(_));
    is_own && !rests && !was_prompted(seat) && seat.session.is_none() && !seat.has_edge_witness()
}

/// May a dialog be there at all? What opens a program, and what was seen before it has spoken, is over
/// by then: whatever looks like it is a text that shows it.
pub(super) fn check(step: &mut Step<'_>, first: bool, opening: bool) -> Result<(), Refusal> {
    step.seat.quiet_prompts = 0;
    if first && has_spoken(step.seat) && early_start(step.seat).is_none() {
        return refuse(Rule::Rank, "it was seen before the first event, which has come since");
    }
    if opening && was_prompted(step.seat) {
        return refuse(Rule::Rank, "such a dialog comes before the first prompt, which has come");
    }
    Ok(())
}

/// A strongly visible dialog may override hooks, in this direction only.
pub(super) fn dialog(
    step: &mut Step<'_>,
    reason: BlockedReason,
    detail: Option<&str>,
) -> Result<Effect, Refusal> {
    let ask = NewPrompt::plain(reason, detail);
    let seat = &*step.seat;
    let stays = |open: &OpenPrompt| !is_screens(seat, open) || open.ask == ask;
    let others = seat.own_prompts().any(stays);
    if others && matches!(step.seat.turn(), Turn::Blocked(_)) {
        return Ok(Effect::Confirms);
    }
    refuse_if_own_is_fresh(step)?;
    step.evidence = step.evidence.clone().at_most(Confidence::Weak);
    // One dialog follows another: the one before was answered.
    withdraw_shown(step);
    prompts::open(step, &Actor::Main, &ask);
    Ok(Effect::Decides)
}

/// The dialog went away: it was answered where we could not see it.
pub(super) fn cleared(step: &mut Step<'_>) -> Effect {
    if step.seat.held.iter().any(|held| held.what == HeldFact::Left) {
        // It has said goodbye, and its process tells in a moment whether it has left.
        return Effect::Outranked("its process tells in a moment whether it has left");
    }
    // What a title has shown may have been told by others; what they have just told is still to be drawn.
    let before = step.now.plus(-SETTLE_MS);
    let gone = match step.evidence.source {
        Source::Title => prompts::withdraw_older(step, before),
        _ => withdraw_shown(step),
    };
    if !gone {
        return Effect::Confirms;
    }
    look_behind(step);
    Effect::Decides
}

/// Was it left at a dialog that came before its first event? Then whatever it returns, a person
/// has refused to go on, and nothing has crashed.
pub(super) fn was_refused(step: &Step<'_>, exit: &Exit) -> bool {
    let seat = &step.seat;
    let starting = matches!(seat.process.state, Process::Starting { .. });
    let is_known = seat.session.is_some() || seat.has_edge_witness() || was_prompted(seat);
    let begun = !starting && is_known || has_rested(seat);
    let at_dialog = seat.own_prompts().next().is_some() && !begun;
    at_dialog && exit.kind == ExitKind::Crashed && exit.code.is_some() && exit.signal.is_none()
}

/// Has a program told by its own status that it rests before it told what it asks now? Then that opens nothing.
fn has_rested(seat: &Seat) -> bool {
    let is_own = |open: &OpenPrompt| open.source == Source::ProgramStatus;
    matches!(seat.turn.base, Turn::Idle(_)) && seat.own_prompts().any(is_own)
}

/// How often a quiet prompt box must be seen before it ends a turn.
const QUIET_SIGHTINGS: u8 = 3;

/// A strongly visible prompt box while hooks say working, three times with a quiet CPU: the
/// turn was stopped in silence. Weak, and never a completion.
pub(super) fn prompt(step: &mut Step<'_>, quiet: bool) -> Result<Effect, Refusal> {
    refuse_if_own_is_fresh(step)?;
    if !quiet || !matches!(step.seat.turn(), Turn::Working(_)) || step.seat.turn.compacting {
        step.seat.quiet_prompts = 0;
        return refuse(Rule::Rank, "a screen only tells of a quiet prompt box in a working turn");
    }
    step.seat.quiet_prompts = step.seat.quiet_prompts.saturating_add(1);
    if step.seat.quiet_prompts < QUIET_SIGHTINGS {
        return Ok(Effect::Outranked("a screen is believed when seen three times"));
    }
    step.seat.quiet_prompts = 0;
    step.evidence = step.evidence.clone().at_most(Confidence::Weak);
    late::rest_as_shown(step, OutcomeKind::Interrupted);
    Ok(Effect::Decides)
}

fn refuse_if_own_is_fresh(step: &Step<'_>) -> Result<(), Refusal> {
    let earliest = step.now.plus(-STALE_MS);
    match step.seat.fresh_claim(Tier::Own, earliest) {
        Some(claim) => {
            refuse(Rule::Rank, format!("a fresh {} says otherwise", claim.source.word()))
        }
        None => Ok(()),
    }
}
