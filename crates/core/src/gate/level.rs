//! Levels: what a source shows that something is, rather than that it happened.
//!
//! A level that agrees confirms. One that contradicts a fresh edge waits for the settling time,
//! because both sources may be telling the same change; then it is believed if it still stands.

use super::notice::unanswered;
use super::{
    Effect, Refusal, Rule, SETTLE_MS, STALE_MS, Step, beside, broken, elsewhere, late, notice,
    outlived, parts, prompts, refuse, screen, shown, side, stops, turn, withdrawn,
};
use crate::arbitrate::{self, Standing};
use crate::observation::{BackgroundShells, Delivery, JUST_FAILED, Level, Observation, PROMPTED};
use crate::prompt::{Actor, NewPrompt, OpenPrompt};
use crate::seat::{Claim, Held, HeldFact, HeldLevel};
use crate::source::{Source, Tier};
use crate::status::{IdleReason, Outcome, OutcomeKind, Turn, WorkingReason};
use crate::time::UnixMs;

/// A program that has shown rest for so long has come up. Milliseconds.
const START_MS: i64 = 1_000;

/// So long after the end of a turn its title may still come, on a busy machine. Milliseconds.
const DRAWN_MS: i64 = 4_000;

/// So long a screen is looked for that tells what a program asks while its first title calls it
/// ready. Milliseconds.
pub(super) const LOOK_MS: i64 = 3_000;

pub(super) fn said(
    step: &mut Step<'_>,
    name: &str,
    source: Source,
    level: &Level,
) -> Result<Effect, Refusal> {
    elsewhere::check(step, source)?;
    screen::check_title(step.seat, source)?;
    if let Level::MayBeUnready { why } = level {
        return refuse(Rule::Rank, why.as_str());
    }
    let has_rested = has_rested(step, source);
    let ends_untold = ends_untold_work(step, source, level);
    let begins_untold = begins_untold_work(step, source, level);
    let is_done_after_all = is_done_after_all(step, source, level);
    let is_silence = shown::is_silence(step, source, level);
    let word = if is_silence { shown::SILENT } else { level.word() };
    let drawn_at = shown::drawn_at(step, source, level);
    let before = claim(step, source, word);
    if is_silence {
        return Ok(match before.as_deref() {
            Some(shown::SILENT) => Effect::Confirms,
            _ => Effect::Outranked("it has been silent for long: what it asks its hooks tell"),
        });
    }
    if *level == Level::Elsewhere {
        return Ok(elsewhere::moved(step));
    }
    if *level == Level::Done && before.as_deref() == Some("idle") && step.seat.shells > 0 {
        // It has told of them itself, and they are over.
        step.seat.shells = 0;
        step.changed = true;
    }
    if let Level::Idle { shells } = level {
        // A source may only know that there are some; an exact count came with the stop.
        let is_exact = matches!(source, Source::Acp | Source::EventStream);
        let shells = match *shells {
            some @ 1.. if !is_exact => step.seat.shells.max(some),
            exact => exact,
        };
        if step.seat.shells != shells {
            step.seat.shells = shells;
            step.changed = true;
        }
    }
    let stands = before.as_deref() == Some(level.word());
    if stands && !matches!(level, Level::Blocked { .. }) && parts::ask_alone(step) {
        // Said again of the whole it is no answer to what a part asks.
        return Ok(Effect::Confirms);
    }
    let draws_work = source.tier() == Tier::Title && matches!(level, Level::Working { .. });
    if stands && draws_work && screen::is_at_dialog(step.seat) {
        // Nor is it to a dialog that the title knows nothing of: the screen tells when that is gone.
        return Ok(Effect::Confirms);
    }
    let asks = source == Source::ProgramStatus && matches!(level, Level::Blocked { .. });
    if asks && before.is_none() {
        // It asks anew behind what it has taken back.
        withdrawn::forget_asked(step, step.now);
    }
    let held = HeldLevel::from(level);
    if asks_something_else(step, source, level) {
        // It asks one thing after another: the one before was answered.
        step.seat.held.retain(|held| !is_level_of(held, source));
        prompts::withdraw(step, |asked| {
            asked.source == source && !parts::asks(asked.source, asked.actor)
        });
        believe(step, &held);
        return Ok(Effect::Decides);
    }
    if let Some(code) = fails_in_another_way(step, source, level).filter(|_| !ends_untold) {
        step.seat.held.retain(|held| !is_level_of(held, source));
        broken::fails_again(step, code);
        return Ok(Effect::Decides);
    }
    if is_done_after_all {
        step.seat.held.retain(|held| !is_level_of(held, source));
        broken::ends_otherwise(step, OutcomeKind::Completed, None);
        return Ok(Effect::Decides);
    }
    if !ends_untold && is_believed(step, &held) {
        step.seat.held.retain(|held| !is_level_of(held, source));
        return Ok(shown::works_otherwise(step, level));
    }
    if source.tier() == Tier::Title && rests_at(level) && unanswered::stands(step.seat) {
        return Ok(Effect::Outranked("it rests, and how its turn has ended nobody has told"));
    }
    let earliest = step.now.plus(-STALE_MS);
    if let Standing::Outranked { by } = arbitrate::standing(step.seat, source, earliest) {
        return refuse(Rule::Rank, format!("a fresh {} says otherwise", by.word()));
    }
    let before = before.as_deref();
    let is_first =
        source.tier() == Tier::Title && rests_at(level) && !screen::has_spoken(step.seat);
    if is_first && screen::is_at_first_dialog(step.seat) {
        return refuse(Rule::Rank, "a dialog before its first event is to be seen");
    }
    let waits =
        |other: &Held| other.source == source && other.what == HeldFact::Level(held.clone());
    let waits = step.seat.held.iter().any(waits);
    // One that shows work throughout a compaction, and then rest, tells its end. A title does of one that is
    // a turn of its own.
    let alone = source.tier() == Tier::Title && step.seat.turn.compacts_alone;
    let may_tell = source.tier() == Tier::Own || alone;
    let tells_end = may_tell && (before == Some("working") || waits);
    if step.seat.turn.compacting && rests_at(level) && !tells_end {
        return refuse(Rule::G7, "a compaction is under way");
    }
    if is_main_agents_rest(step, source, &held) {
        let on_terminal = matches!(source, Source::ProgramStatus | Source::Title);
        if on_terminal && before == Some("blocked") {
            return Ok(prompts::hold_answer(step, name));
        }
        return refuse(Rule::G5, "helpers go on, of which it says nothing");
    }
    if let Some(effect) = side::hears(step, source, level, before)? {
        return Ok(effect);
    }
    // Behind a dialog that has ended the turn a title may be drawn once more as if it worked; and behind one
    // that a person has opened no turn goes on.
    let at_rest = matches!(step.seat.turn.base, Turn::Idle(_));
    let over = !step.seat.turn.open && (source.tier() == Tier::Title || at_rest);
    let resumed = matches!(level, Level::Working { .. }) && before == Some("blocked") && !over;
    // A status file is written once all is decided; a terminal is told of every step, and behind a
    // dialog that was refused something goes on for a moment, too.
    let may_be_refused = resumed
        && match source {
            Source::ProgramStatus => step.seat.has_edge_witness(),
            Source::Title => prompts::is_told_by_hooks(step),
            _ => false,
        };
    let at_once = match resumed {
        true => !may_be_refused,
        false if prompts::has_settled(step, &held) => true,
        false if rests_at(level) && stops::ends_as_told(step, source) => true,
        false => {
            !(is_first
                || explained(step, level)
                || (!has_rested && may_be_a_start(step, source, level)))
        }
    };
    if at_once {
        step.seat.held.retain(|held| !is_level_of(held, source));
        if ends_untold || begins_untold {
            believe(step, &HeldLevel::Working);
        }
        believe(step, &held);
        return Ok(Effect::Decides);
    }
    if !waits {
        step.seat.held.retain(|held| !is_level_of(held, source));
        let settled = step.now.plus(match (is_first, alone && rests_at(level)) {
            (true, _) => LOOK_MS,
            (false, true) => notice::COMPACTED_MS,
            (false, false) if !has_rested && before != Some("blocked") => {
                start_ms(step, source, level)
            }
            (false, false) => shown::settle_ms(step, source, level),
        });
        let drawn_at = after_the_end(step, source, level).max(drawn_at);
        let until = drawn_at.map_or(settled, |at| settled.max(at));
        let what = HeldFact::Level(held);
        step.seat.held.push(Held { until, source, name: name.to_owned(), what });
        step.changed = true;
    }
    Ok(Effect::Outranked("it waits a moment for the event that explains it"))
}

/// Until when a title that shows work may be the one of the turn that a hook has ended.
fn after_the_end(step: &Step<'_>, source: Source, level: &Level) -> Option<UnixMs> {
    let works = source.tier() == Tier::Title && matches!(level, Level::Working { .. });
    let ended = step.seat.turn.ended.as_ref().filter(|_| works && !step.seat.turn.open);
    ended.map(|ended| ended.at.plus(DRAWN_MS))
}

/// Does a program tell its terminal of the end of work that was too short to be believed, or, where it says that it is
/// done, was not told at all? Hooks tell that better, and so does whatever has told of such an end since.
fn ends_untold_work(step: &Step<'_>, source: Source, level: &Level) -> bool {
    let turn = &step.seat.turn;
    let mut claims = step.seat.claims.iter();
    let claim = claims.find(|claim| claim.source == source);
    let is_news = match (level, claim.map(|claim| &*claim.word)) {
        (Level::Done, None | Some("idle" | "working"))
        | (Level::Failed { .. }, Some("working")) => true,
        // A dialog that a person has opened at rest is none of the agent's.
        (Level::Done, Some("blocked")) => !matches!(turn.base, Turn::Idle(_)),
        _ => false,
    };
    let since = claim.map_or(step.seat.process.since, |claim| claim.since);
    let ended = turn.ended.as_ref().is_some_and(|ended| ended.at >= since);
    let is_told = turn.open || ended || step.seat.has_edge_witness();
    source == Source::ProgramStatus && is_news && !is_told
}

/// Does a program that has told its terminal of work ask something there before that is believed? Then its turn has
/// begun, unless it may have shown work because it comes up.
fn begins_untold_work(step: &Step<'_>, source: Source, level: &Level) -> bool {
    let asks = source == Source::ProgramStatus && matches!(level, Level::Blocked { .. });
    let is_told = step.seat.turn.open || step.seat.has_edge_witness();
    let is_up = step.seat.process.state.is_running() && step.seat.starts_at_work_ms.is_none();
    asks && is_up && !is_told && work_waits(step, source)
}

/// Does a program whose turn has ended by its own word on its terminal, which was a failure or no more than rest, say
/// there that it is done? Its newest word counts.
fn is_done_after_all(step: &Step<'_>, source: Source, level: &Level) -> bool {
    let (seat, turn) = (&step.seat, &step.seat.turn);
    let claim = seat.claims.iter().find(|claim| claim.source == source);
    let said = match seat.outcome.as_ref().map(|outcome| outcome.kind) {
        Some(OutcomeKind::Failed) => "failed",
        Some(OutcomeKind::Interrupted) => "idle",
        _ => return false,
    };
    let ended = turn.ended.as_ref().map(|ended| ended.at);
    let has_ended_it = claim.is_some_and(|c| c.word == said && ended >= Some(c.since));
    let is_its_own = source == Source::ProgramStatus && turn.evidence.source == source;
    let rests = !turn.open && matches!(seat.turn(), Turn::Idle(_));
    *level == Level::Done && is_its_own && rests && has_ended_it && !seat.has_edge_witness()
}

fn rests_at(level: &Level) -> bool {
    matches!(level, Level::Idle { .. } | Level::Done)
}

/// Will another source tell what a level is about? Hooks do; without them the log tells how a turn
/// has ended.
fn explained(step: &Step<'_>, level: &Level) -> bool {
    let turn = &step.seat.turn;
    let ends = matches!(level, Level::Idle { .. } | Level::Done) && turn.open && !turn.end_logged;
    step.seat.has_edge_witness() || (ends && step.seat.about.log_path.is_some())
}

/// A program that comes up, however long that takes it, may show work on its terminal for a moment, before
/// its first prompt.
fn may_be_a_start(step: &Step<'_>, source: Source, level: &Level) -> bool {
    let on_terminal = matches!(source, Source::ProgramStatus | Source::Title);
    let (turn, since) = (&step.seat.turn, step.seat.process.since);
    let is_new = !turn.open && turn.ended.as_ref().is_none_or(|ended| ended.at < since);
    on_terminal && is_new && matches!(level, Level::Working { .. })
}

/// How long work waits that may be the start of a program: of some it is for long, and hooks tell of a prompt before,
/// or it was started with one.
fn start_ms(step: &Step<'_>, source: Source, level: &Level) -> i64 {
    let is_asked = *level == PROMPTED || step.seat.has_edge_witness();
    let is_start = may_be_a_start(step, source, level) && !is_asked;
    step.seat.starts_at_work_ms.filter(|_| is_start).map_or(SETTLE_MS, i64::from)
}

/// Has a source shown rest for so long that the program has come up?
fn has_rested(step: &Step<'_>, source: Source) -> bool {
    let rests = |claim: &&Claim| claim.source == source && claim.word == "idle";
    let mut claims = step.seat.claims.iter().filter(rests);
    claims.any(|claim| step.now.since(claim.since) >= START_MS)
}

fn is_level_of(held: &Held, source: Source) -> bool {
    held.source == source && matches!(held.what, HeldFact::Level(_))
}

fn is_work(held: &Held) -> bool {
    matches!(held.what, HeldFact::Level(HeldLevel::Working))
}

/// Does work that a source shows wait for what explains it?
pub(super) fn work_waits(step: &Step<'_>, source: Source) -> bool {
    step.seat.held.iter().any(|held| held.source == source && is_work(held))
}

/// An end explains what waits: the work that was shown before it is over, and so is what hooks that tell it have shown
/// to be asked.
pub(super) fn explain_work(step: &mut Step<'_>) {
    let by_hook = step.evidence.source == Source::Hook;
    let asks = |held: &Held| matches!(held.what, HeldFact::Level(HeldLevel::Blocked { .. }));
    forget(step, |held| is_work(held) || by_hook && held.source == Source::Hook && asks(held));
}

/// So does a report that it rests or asks, of work that its program has shown at its terminal.
pub(super) fn explain_own_work(step: &mut Step<'_>) {
    forget(step, |held| held.source == Source::ProgramStatus && is_work(held));
}

/// A compaction begins: rest that was shown before it is not its end.
pub(super) fn forget_rest(step: &mut Step<'_>) {
    forget(step, |held| {
        matches!(held.what, HeldFact::Level(HeldLevel::Idle { .. } | HeldLevel::Done))
    });
}

/// A source has said something newer that nobody can read: what waits of it may not hold any more. Hooks tell of much
/// beside a level, by other names.
pub(super) fn void(step: &mut Step<'_>, observation: &Observation) {
    let Observation { source, name, delivery, .. } = observation;
    let is_of_it = |held: &Held| source.tier() != Tier::Edge || held.name == *name;
    if matches!(delivery, Delivery::Live | Delivery::Standing) {
        forget(step, |held| is_level_of(held, *source) && is_of_it(held));
        if *source == Source::Hook {
            shown::doubt_silence(step);
        }
    }
}

fn forget(step: &mut Step<'_>, is_over: impl Fn(&Held) -> bool) {
    let waiting = step.seat.held.len();
    step.seat.held.retain(|held| !is_over(held));
    step.changed |= step.seat.held.len() != waiting;
}

/// Notes what a source shows; returns what it showed before.
fn claim(step: &mut Step<'_>, source: Source, word: &str) -> Option<String> {
    let now = step.now;
    if let Some(claim) = step.seat.claims.iter_mut().find(|claim| claim.source == source) {
        claim.confirmed_at = now;
        if claim.word == word {
            return Some(word.to_owned());
        }
        claim.since = now;
        step.changed = true;
        return Some(std::mem::replace(&mut claim.word, word.to_owned()));
    }
    let word = word.to_owned();
    // Since when the first title has stood is not known: it is no news.
    let edge = step.seat.last_edge_at.filter(|_| source.tier() == Tier::Title);
    let since = edge.unwrap_or(now);
    step.seat.claims.push(Claim { source, word, since, confirmed_at: now });
    step.changed = true;
    None
}

/// Does a source that has shown a prompt show another one in its place? In the same words, or in none, it is
/// the same.
fn asks_something_else(step: &Step<'_>, source: Source, level: &Level) -> bool {
    let Level::Blocked { reason, detail } = level else { return false };
    let another = NewPrompt::plain(*reason, detail.as_deref());
    let is_its = |open: &&OpenPrompt| open.source == source && !parts::asks(source, &open.actor);
    let mut own = step.seat.own_prompts().filter(is_its);
    own.next().is_some_and(|open| {
        let is_other = detail.is_some() && open.ask.title != another.title;
        open.ask.tool.is_none() && (is_other || open.ask.reason != *reason)
    })
}

/// What a terminal says that has told of a failure before, if that is another one now. In no words it is the same.
/// Of all others the levels say little of a failure, and something else tells more.
fn fails_in_another_way<'a>(step: &Step<'_>, source: Source, level: &'a Level) -> Option<&'a str> {
    let Level::Failed { code } = level else { return None };
    let seat = &step.seat;
    let is_its_own = source == Source::ProgramStatus && seat.turn.evidence.source == source;
    let rests = matches!(seat.turn(), Turn::Idle(_));
    let last = seat.outcome.as_ref().filter(|last| last.kind == OutcomeKind::Failed)?;
    // A log may have told the code beside its words.
    let told = [last.code.as_deref(), seat.turn.detail.as_deref()];
    let is_same = told.into_iter().flatten().any(|told| say_the_same(told, code));
    let is_other = code != JUST_FAILED && !is_same;
    (is_its_own && rests && is_other).then_some(code.as_str())
}

/// The same words, whatever numbers are in them: a program may count down to its next try.
fn say_the_same(one: &str, other: &str) -> bool {
    without_numbers(one).eq(without_numbers(other))
}

fn without_numbers(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|c| !c.is_ascii_digit())
}

/// Does the seat say so already?
pub(super) fn is_believed(step: &Step<'_>, level: &HeldLevel) -> bool {
    let failed = step.seat.outcome.as_ref().map(|o| o.kind) == Some(OutcomeKind::Failed);
    match (level, step.seat.turn()) {
        (HeldLevel::Idle { shells: 1.. }, Turn::Working(WorkingReason::Background)) => {
            step.seat.background_shells == BackgroundShells::Working
        }
        (HeldLevel::Idle { .. } | HeldLevel::Done, Turn::Idle(_))
        | (HeldLevel::Working, Turn::Working(_)) => true,
        (HeldLevel::Blocked { .. }, Turn::Blocked(_)) => !parts::ask_alone(step),
        (HeldLevel::Failed { .. }, Turn::Idle(_)) => failed,
        _ => false,
    }
}

/// Is it the rest of a main agent whose helpers nobody but themselves tells of?
/// The stream of a run ends with each answer of its main agent, and a stop may have told of more.
pub(super) fn is_main_agents_rest(step: &Step<'_>, source: Source, level: &HeldLevel) -> bool {
    let rests = outlived::shows_rest(step, level);
    let streams = source == Source::EventStream && step.seat.turn.main_stopped;
    // A title is redrawn for the main agent alone.
    let is_drawn = source.tier() == Tier::Title && step.seat.turn.main_stopped;
    let is_blind = streams || is_drawn;
    rests && (turn::awaits_helpers(step) || is_blind && turn::goes_on_behind(step))
}

/// Does a source still show what was held of it?
pub(super) fn still_shows(step: &Step<'_>, held: &Held, level: &HeldLevel) -> bool {
    let word = match level {
        HeldLevel::Idle { .. } => "idle",
        HeldLevel::Done => "done",
        HeldLevel::Working => "working",
        HeldLevel::Blocked { .. } => "blocked",
        HeldLevel::Failed { .. } => "failed",
    };
    let mut claims = step.seat.claims.iter();
    claims.any(|claim| claim.source == held.source && claim.word == word)
}

/// A level that stands is believed.
pub(super) fn believe(step: &mut Step<'_>, level: &HeldLevel) {
    match level {
        HeldLevel::Working => {
            let is_unclear = side::several_ask(step);
            prompts::withdraw(step, |asked| !is_unclear && !parts::asks(asked.source, asked.actor));
            step.ensure_running(None);
            if !(step.seat.turn.open || step.seat.shows_one && beside::goes_on(step)) {
                turn::start(step, None);
            }
            if !matches!(step.seat.turn.base, Turn::Working(_)) {
                let is_filed = step.evidence.source == Source::Registry;
                let reason = match is_filed && !step.seat.subagents.is_empty() {
                    true => WorkingReason::Background,
                    false => WorkingReason::Model,
                };
                step.set_base(Turn::Working(reason), None);
            }
        }
        HeldLevel::Idle { .. } | HeldLevel::Done => {
            prompts::withdraw_all(step);
            step.seat.subagents.clear();
            beside::all_over(step, None);
            step.seat.turn.compacting = false;
            step.ensure_running(None);
            if shown::leave(step) {
                return;
            }
            if let Some(Outcome { code, .. }) = broken::failed_before(step) {
                turn::rest(step, OutcomeKind::Failed, code.as_deref());
            } else if step.seat.turn.open {
                // Whoever ends a turn properly says so; this one ended in silence.
                let turn = &step.seat.turn;
                let source = step.evidence.source;
                let streams = source == Source::EventStream
                    && matches!(level, HeldLevel::Idle { shells: 1.. });
                let said = *level == HeldLevel::Done || streams;
                let has_stopped = turn.main_stopped && !turn.stop.is_cut;
                let is_told = has_stopped || turn.end_logged || turn.stop.is_told;
                let is_told = is_told || stops::was_the_end(step);
                let kind = match said || is_told {
                    true => OutcomeKind::Completed,
                    false => OutcomeKind::Interrupted,
                };
                late::rest_as_shown(step, kind);
                shown::doubt_queued(step, level);
            } else if !matches!(step.seat.turn.base, Turn::Idle(_)) {
                step.set_base(Turn::Idle(IdleReason::Ready), None);
            }
        }
        HeldLevel::Blocked { .. } if prompts::has_settled(step, level) => {
            prompts::publish_held(step);
        }
        HeldLevel::Blocked { reason, detail } => {
            prompts::open(step, &Actor::Main, &NewPrompt::plain(*reason, detail.as_deref()));
        }
        HeldLevel::Failed { code } => {
            prompts::withdraw(step, |asked| asked.actor.is_main());
            beside::all_over(step, None);
            if !step.seat.turn.open {
                // Its work was too short for anybody to be believed.
                turn::start(step, None);
            }
            outlived::fail(step, code, None);
        }
    }
}
