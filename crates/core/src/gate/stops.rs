//! Stops that are none yet: a hook of somebody else's may make the agent go on, and a helper's end may wake it.

use super::{
    Effect, Refusal, Rule, STALE_MS, Step, anew, compaction, level, outlived, prompts, refuse,
    shown, side, tools, turn,
};
use crate::observation::Background;
use crate::seat::{Claim, Held, HeldFact, HeldLevel, TurnFacts};
use crate::source::{Source, Tier};
use crate::status::{OutcomeKind, Turn, WorkingReason};
use crate::time::UnixMs;

/// A program that rests says so in its status file within a tenth of this (measured). Milliseconds.
const RESTS_MS: i64 = 1_000;

/// The same where its log has told that the turn is over, on a machine that is busy. Milliseconds.
const LATE_MS: i64 = 5_000;

/// By this name work is held that its status file goes on showing behind an end.
pub(super) const GOES_ON: &str = "it goes on";

/// A program that is woken by the end of a helper says so within a fifth of this (measured). Milliseconds.
const WAKES_MS: i64 = 1_000;

/// Does its status file show that it works? What it tells its terminal later may say the same, or that it rests.
pub(super) fn shows_work(step: &Step<'_>) -> bool {
    let earliest = step.now.plus(-STALE_MS);
    let is_fresh = |claim: &Claim| claim.confirmed_at >= earliest && claim.word == "working";
    let is_filed = |claim: &Claim| claim.source == Source::Registry && is_fresh(claim);
    let own = step.seat.fresh_claim(Tier::Own, earliest);
    own.is_some_and(|own| own.word == "working") && step.seat.claims.iter().any(is_filed)
}

/// Has it told elsewhere, as on its terminal, that it rests since its status file showed this work? That file is written
/// later.
pub(super) fn is_undone(step: &Step<'_>, held: &Held) -> bool {
    let claims = &step.seat.claims;
    let filed = claims.iter().find(|claim| claim.source == Source::Registry);
    let rests = |claim: &Claim| {
        let is_rest = matches!(claim.word.as_str(), "idle" | "done" | "failed");
        let is_later = filed.is_some_and(|filed| filed.since < claim.since);
        claim.source.tier() == Tier::Own && is_rest && is_later
    };
    is_filed_work(held) && claims.iter().any(rests)
}

fn is_filed_work(held: &Held) -> bool {
    held.source == Source::Registry && held.what == HeldFact::Level(HeldLevel::Working)
}

/// A program tells its terminal in a third of this that its turn is over, and begins with what was typed into that in two
/// thirds of it (measured). Milliseconds.
const SHOWN_MS: i64 = 100;

/// Why a stop is held while the terminal shows work.
const SHOWN: &str = "its terminal goes on showing work";

/// What a log tells behind it in one go is read within this. Milliseconds.
const READ_MS: i64 = 20;

/// Why a stop is held that what waits in the program's own queue may follow.
const QUEUED: &str = "a prompt of its own waits for it";

/// The same of what a helper has found, of which no prompt has told yet.
const OWED: &str = "what a helper has found is still to be told";

/// A stop whose other hooks still run is no rest before the program's own status, or its log, says so. Where one had to
/// wait for the hub, they have run: work that is still shown goes on.
pub(super) fn waits(step: &mut Step<'_>, background: &Background) -> Option<Effect> {
    let is_old = step.has_waited && !step.seat.process.headless && shows_work(step);
    let may_go_on = background.unsettled || step.seat.turn.stop.is_late || is_old;
    let is_told_later = background.logged || shows_work(step);
    if !may_go_on || !is_told_later {
        return None;
    }
    step.seat.turn.stop.is_told = true;
    step.changed = true;
    Some(Effect::Outranked(match background.logged {
        true => "other hooks of it may still run: its log tells when",
        false => "other hooks of it may still run: its own status tells when",
    }))
}

/// The log tells that another hook has undone the stop of this turn, which may have been believed.
pub(super) fn undone(
    step: &mut Step<'_>,
    reference: &str,
    made_at: Option<UnixMs>,
) -> Result<Effect, Refusal> {
    let turn = &step.seat.turn;
    let ended = turn.ended.as_ref().and_then(|ended| ended.reference.as_deref());
    let outcome = step.seat.outcome.as_ref().map(|outcome| outcome.kind);
    let is_open = turn.is_open_as(reference);
    let was_believed =
        !turn.open && ended == Some(reference) && outcome == Some(OutcomeKind::Completed);
    if !is_open && !was_believed {
        return refuse(Rule::G10, "of another turn than the last one");
    }
    if was_made_before_the_stop(step, made_at) {
        return refuse(Rule::G10, "it is of a stop before the one that was told last");
    }
    if was_believed {
        turn::start(step, Some(reference));
    }
    goes_on(step, false);
    let turn = &mut step.seat.turn;
    (turn.main_stopped, turn.awaits_helpers) = (false, false);
    // From now on its stops are not believed at once.
    step.seat.turn.stop.is_late = true;
    step.set_base(Turn::Working(WorkingReason::Model), None);
    step.changed = true;
    Ok(tools::decides_unless_blocked(step))
}

/// A log may be read late. Was this line of it made before the last stop was told?
fn was_made_before_the_stop(step: &Step<'_>, made_at: Option<UnixMs>) -> bool {
    let turn = &step.seat.turn;
    // A hub that has been started since knows it no more.
    let otherwise = match turn.open {
        true => step.seat.last_edge_at,
        false => turn.ended.as_ref().map(|ended| ended.at),
    };
    let told_at = turn.stop.told_at.or(otherwise);
    made_at.zip(told_at).is_some_and(|(made_at, told_at)| made_at < told_at)
}

/// The log says that the turn ended as it should.
pub(super) fn end_logged(
    step: &mut Step<'_>,
    background: &Background,
    reference: Option<&str>,
    made_at: Option<UnixMs>,
) -> Result<Effect, Refusal> {
    confirm_end(step, made_at);
    let named = reference.filter(|_| background.logged);
    if is_doubted(step) && named.is_some_and(|name| step.seat.turn.is_open_as(name)) {
        step.changed |= !step.seat.turn.stop.is_logged;
        step.seat.turn.stop.is_logged = true;
        return Ok(Effect::Confirms);
    }
    let compacted = named.is_some_and(|name| compaction::has_lost_its_end(step, name));
    let result = end_as_logged(step, background, reference, compacted);
    if let Some(ended) = &mut step.seat.turn.ended
        && named.is_some()
        && ended.reference.as_deref() == named
    {
        step.changed |= !ended.logged;
        ended.logged = true;
    }
    result
}

/// A hook tells that better; without hooks the program's own status tells when, and the log tells how.
fn end_as_logged(
    step: &mut Step<'_>,
    background: &Background,
    reference: Option<&str>,
    compacted: bool,
) -> Result<Effect, Refusal> {
    if !step.seat.turn.open || compaction::is_under_way(step) {
        return Ok(Effect::Confirms);
    }
    // A log that names its turns may be ahead of the hook.
    let is_by_log = !background.logged && shown::is_by_log(step);
    let is_unhooked = is_by_log || shown::is_unhooked(step);
    if step.seat.has_edge_witness() && !is_unhooked {
        let own = step.seat.turn.reference.as_deref();
        let is_its = reference.is_some() && reference == own || compacted && own.is_none();
        // All hooks of it are over by then: the stop was waited for, or none was told, as of what a hook has refused.
        if is_its && background.logged && !step.seat.turn.main_stopped {
            return turn::ended(step, &Background::unlisted(), reference);
        }
        // Should the hook never come, a level that stands will end the turn, and this is how; but
        // an end without a name may be one after which a hook has made the agent go on.
        if is_its && !outlived::has_failed(step) {
            step.changed |= !step.seat.turn.end_logged;
            step.seat.turn.end_logged = true;
            side::end_is_logged(step);
        }
        return Ok(Effect::Confirms);
    }
    let own = step.seat.fresh_claim(Tier::Own, step.now.plus(-STALE_MS));
    if own.is_some_and(|claim| claim.word != "idle") {
        step.seat.turn.end_logged = true;
        step.changed = true;
        return Ok(Effect::Outranked("the program's own status tells when"));
    }
    prompts::withdraw_all(step);
    turn::rest(step, OutcomeKind::Completed, None);
    Ok(Effect::Decides)
}

/// Does its terminal show work behind a stop that is told? What a person has typed into the turn is told to no hook before
/// it begins: then the terminal shows work throughout, and else it tells the end in a moment.
pub(super) fn doubts_at_terminal(step: &mut Step<'_>, background: &Background) -> Option<Effect> {
    let mut claims = step.seat.claims.iter();
    let works = claims.any(|it| it.source == Source::ProgramStatus && it.word == "working");
    // Another program's log may tell the next prompt too late for that.
    let is_named = background.logged && step.seat.turn.reference.is_some();
    if !works || !is_named || step.evidence.source != Source::Hook {
        return None;
    }
    let stop = &mut step.seat.turn.stop;
    (stop.is_told, stop.is_doubted) = (true, true);
    hold(step, SHOWN, SHOWN_MS);
    Some(Effect::Outranked("its terminal tells in a moment whether a prompt has waited for it"))
}

/// Was the open turn's stop told while the terminal shows work?
pub(super) fn is_doubted(step: &Step<'_>) -> bool {
    step.seat.turn.open && step.seat.turn.stop.is_doubted
}

/// Does a hook tell of something in that turn behind the stop? It is late: a program that goes on after all says so in its
/// log first.
pub(super) fn check_doubted(step: &Step<'_>, reference: &str) -> Result<(), Refusal> {
    let is_edge = step.evidence.source.tier() == Tier::Edge;
    match is_edge && is_doubted(step) && step.seat.turn.is_open_as(reference) {
        true => refuse(Rule::G10, "told after the stop of its turn"),
        false => Ok(()),
    }
}

/// Does rest in a program's own status tell of the end that a stop has told of before, or that helpers were stopped
/// with their main agent?
pub(super) fn ends_as_told(step: &Step<'_>, source: Source) -> bool {
    let turn = &step.seat.turn;
    let is_its = match source {
        Source::Registry => true,
        Source::ProgramStatus => is_doubted(step),
        _ => false,
    };
    let is_cut = turn.stop.is_cut && !step.seat.subagents.is_empty();
    is_its && turn.stop.is_told && !may_be_woken(turn) || source == Source::Registry && is_cut
}

/// Nothing has followed the stop: it was the end.
pub(super) fn stands(step: &mut Step<'_>) {
    let reference = step.seat.turn.reference.clone();
    step.seat.turn.stop.is_doubted = false;
    let told_at = step.seat.turn.stop.told_at;
    // What refuses it has ended the turn, or goes on in it.
    turn::ended(step, &Background::unlisted(), reference.as_deref()).ok();
    step.seat.turn.stop.told_at = told_at;
}

/// Something is told of the next turn: the stop was the end of this one.
pub(super) fn give_way(step: &mut Step<'_>, next: Option<&str>) {
    if is_doubted(step) && next.is_none_or(|next| !step.seat.turn.is_open_as(next)) {
        turn::close(step, OutcomeKind::Completed, None);
        step.seat.drop_calls(|open| open.actor.is_main());
    }
}

/// Behind a stop that is believed its own status has a moment to say the same.
pub(super) fn doubt(step: &mut Step<'_>) {
    if step.seat.turn.open || !shows_work(step) || step.seat.process.headless {
        return;
    }
    let (until, source) = (step.now.plus(RESTS_MS), Source::Registry);
    let (name, what) = (GOES_ON.to_owned(), HeldFact::Level(HeldLevel::Working));
    step.seat.held.push(Held { until, source, name, what });
    step.changed = true;
}

/// The main agent works, whatever was told of its stop. `was_stopped`: that was believed, and something behind it has
/// woken the agent.
pub(super) fn goes_on(step: &mut Step<'_>, was_stopped: bool) {
    let wakes = was_stopped || step.seat.turn.stop.wakes;
    // A goodbye in mid-turn was none.
    let is_doubted = step.seat.turn.stop.is_doubted;
    step.seat.held.retain(|held| match held.what {
        HeldFact::Over => !wakes && !is_doubted,
        HeldFact::Parted | HeldFact::Goodbye => false,
        _ => true,
    });
    let stop = &mut step.seat.turn.stop;
    // What is found beside a call is told with what that returns.
    (stop.is_told, stop.wakes, stop.is_cut, stop.owed) = (false, false, false, 0);
    (stop.is_doubted, stop.is_logged) = (false, false);
}

/// Its status file has shown work throughout, also behind the stop: something has made it go on. True if so.
pub(super) fn went_on(step: &mut Step<'_>, held: &Held) -> bool {
    let ended = step.seat.turn.ended.as_ref().map(|ended| ended.at);
    let is_of_it = |claim: &&Claim| claim.source == held.source && Some(claim.since) < ended;
    let is_it = is_filed_work(held);
    let outcome = step.seat.outcome.as_ref().map(|outcome| outcome.kind);
    let is_it = is_it && outcome == Some(OutcomeKind::Completed);
    let goes_on =
        is_it && !step.seat.turn.open && step.seat.claims.iter().any(|claim| is_of_it(&claim));
    step.seat.turn.stop.is_late |= goes_on;
    goes_on
}

/// Was the open turn begun by nothing but a status file that went on showing work behind a stop, and has nothing been
/// heard in it? Then that file was late.
pub(super) fn was_the_end(step: &Step<'_>) -> bool {
    step.seat.turn.stop.was_believed && shown::is_unhooked(step)
}

/// The log tells that the turn is over behind the stop that was believed: its status file has more time to say so,
/// unless something waits for that.
fn confirm_end(step: &mut Step<'_>, made_at: Option<UnixMs>) {
    let turn = &step.seat.turn;
    let follows = turn.stop.is_followed || turn.stop.is_awaited;
    let outcome = step.seat.outcome.as_ref().map(|outcome| outcome.kind);
    let is_over = !turn.open && outcome == Some(OutcomeKind::Completed);
    if !is_over || follows || was_made_before_the_stop(step, made_at) {
        return;
    }
    let until = step.now.plus(LATE_MS);
    for held in step.seat.held.iter_mut().filter(|held| is_filed_work(held)) {
        if held.name == GOES_ON && held.until < until {
            held.until = until;
            step.changed = true;
        }
    }
}

/// Whoever leaves has ended as it has told last.
pub(super) fn believe_last(step: &mut Step<'_>) {
    anew::is_over_now(step);
    let is_told = |held: &Held| {
        let ends = matches!(held.what, HeldFact::Level(HeldLevel::Done | HeldLevel::Failed { .. }));
        ends && held.source.tier() == Tier::Own
    };
    // It counts once, however often this is asked.
    let told = step.seat.held.iter().position(is_told).map(|at| step.seat.held.remove(at).what);
    if let Some(HeldFact::Level(level)) = told {
        // A hook may have told the same since.
        if step.seat.turn.open || !level::is_believed(step, &level) {
            level::believe(step, &level);
        }
    } else if step.seat.turn.open && (has_stopped(step) || is_logged_alone(step)) {
        let kind = step.seat.turn.stopped_as();
        turn::rest(step, kind, None);
    }
}

/// Without hooks: has the log told the end of the open turn, and does nothing go on behind it?
fn is_logged_alone(step: &Step<'_>) -> bool {
    let is_alone = step.seat.turn.end_logged && !step.seat.has_edge_witness();
    is_alone && !turn::goes_on_behind(step)
}

/// Was the open turn's stop told, and has nothing gone on behind it?
fn has_stopped(step: &Step<'_>) -> bool {
    let turn = &step.seat.turn;
    let was_to_wake = turn.main_stopped && turn.stop.wakes && !turn::goes_on_behind(step);
    turn.stop.is_told || was_to_wake
}

/// Was a prompt of the program's own the last that was heard of the open turn?
pub(super) fn has_just_woken(step: &Step<'_>) -> bool {
    let turn = &step.seat.turn;
    let is_last = turn.reference.is_some() && turn.woken.last() == turn.reference.as_ref();
    is_last && turn.base == Turn::Working(WorkingReason::Prompt)
}

/// A prompt of the program's own waits for the stop, or something was taken out of its queue: perhaps that one.
pub(super) fn queued(step: &mut Step<'_>, waits: bool, made_at: Option<UnixMs>) -> Effect {
    let stop = &mut step.seat.turn.stop;
    let waiting = if waits { stop.waiting.saturating_add(1) } else { 0 };
    step.changed |= stop.is_awaited != waits || stop.waiting != waiting;
    (stop.is_awaited, stop.waiting) = (waits, waiting);
    if waits && is_held_for_queue(step) {
        // Another one than the one that was absorbed.
        step.seat.turn.stop.wakes = true;
        hold(step, QUEUED, WAKES_MS);
    }
    match !waits && begins_next(step, made_at) {
        true => Effect::Decides,
        false => Effect::Confirms,
    }
}

/// The open turn is one towards a goal: behind its stop the program wakes the main agent at once, unless its log has told
/// that the goal is over.
pub(super) fn pursue(step: &mut Step<'_>, has_goal: bool) {
    if has_goal {
        let turn = &mut step.seat.turn;
        (turn.stop.is_awaited, turn.end_logged) = (true, false);
        step.changed = true;
    }
}

/// A prompt of a person's waits for the stop.
pub(super) fn followed(step: &mut Step<'_>) -> Effect {
    step.changed |= !step.seat.turn.stop.is_followed;
    step.seat.turn.stop.is_followed = true;
    Effect::Confirms
}

/// What a person's prompt has waited for was told, and that is taken out of the queue: it begins the next turn, and no hook
/// need tell of it.
fn begins_next(step: &mut Step<'_>, made_at: Option<UnixMs>) -> bool {
    let turn = &mut step.seat.turn;
    let is_followed = std::mem::take(&mut turn.stop.is_followed);
    step.changed |= is_followed;
    let (is_open, is_told) = (turn.open, turn.stop.is_told);
    let outcome = step.seat.outcome.as_ref().map(|outcome| outcome.kind);
    let has_stopped = if is_open { is_told } else { outcome == Some(OutcomeKind::Completed) };
    // What was taken out before the stop is what the turn before it has begun with.
    let is_next = is_followed && !was_made_before_the_stop(step, made_at);
    if !has_stopped || !is_next || !shows_work(step) {
        return false;
    }
    if is_open {
        turn::close(step, OutcomeKind::Completed, None);
    }
    turn::start(step, None);
    step.set_base(Turn::Working(WorkingReason::Prompt), None);
    true
}

/// So long after the log has told that a prompt is taken out of the queue its hook may come, where there is one: without a
/// terminal a program tells of each (20 to 200 ms, measured). Milliseconds.
const NAMED_MS: i64 = 1_000;

/// Has what was taken out of the queue just begun the open turn, so that a prompt of whose name nothing was heard is its own?
pub(super) fn has_just_begun_next(step: &Step<'_>) -> bool {
    let turn = &step.seat.turn;
    let is_nameless = turn.open && !turn.main_stopped && turn.reference.is_none();
    let has_begun = turn.base == Turn::Working(WorkingReason::Prompt);
    is_nameless && has_begun && step.now.since(turn.since) < NAMED_MS
}

/// What waited was told in mid-turn: a stop that came before word of that stands, unless something else waits.
pub(super) fn absorbed(step: &mut Step<'_>) -> Effect {
    let stop = &mut step.seat.turn.stop;
    let before = *stop;
    stop.is_followed = false;
    stop.waiting = stop.waiting.saturating_sub(1);
    stop.is_awaited = stop.waiting > 0;
    step.changed |= *stop != before;
    if !stop.is_awaited && is_held_for_queue(step) {
        step.seat.turn.stop.wakes = false;
        hold(step, QUEUED, READ_MS);
    }
    Effect::Confirms
}

/// A helper ends. What it has found the program tells by a prompt of its own, unless the main agent waits for it in a call.
pub(super) fn owe(step: &mut Step<'_>, id: &str) {
    let seat = &mut *step.seat;
    let has_run = seat.subagents.iter().any(|known| known == id);
    let is_called = seat.open_tools.iter().any(|open| open.actor.is_main());
    if seat.turn.open && has_run && !is_called {
        seat.turn.stop.owed = seat.turn.stop.owed.saturating_add(1);
    }
}

/// Has one helper's end woken the main agent, and does what another one has found still wait to be told?
fn owes(turn: &TurnFacts) -> bool {
    turn.stop.owed > 0 && !turn.woken.is_empty()
}

/// Is rest behind the stop of this turn perhaps none, because something of the program's own wakes it at once?
fn may_be_woken(turn: &TurnFacts) -> bool {
    turn.stop.is_awaited || owes(turn)
}

fn is_held_for_queue(step: &Step<'_>) -> bool {
    step.seat.held.iter().any(|held| held.what == HeldFact::Over && held.name == QUEUED)
}

/// The main agent has stopped, and is woken at once if something of the program's own has waited for that: one turn.
pub(super) fn wakes_at_once(step: &mut Step<'_>) -> Option<Effect> {
    let name = match step.seat.turn.stop.is_awaited {
        true => QUEUED,
        // Its log may be slower than its hooks; a status file tells when it rests.
        false if owes(&step.seat.turn) && shows_work(step) => OWED,
        false => return None,
    };
    step.seat.turn.main_stopped = true;
    (step.seat.turn.stop.wakes, step.seat.turn.stop.is_cut) = (true, false);
    step.seat.drop_calls(|open| open.actor.is_main());
    step.set_base(Turn::Working(WorkingReason::Background), None);
    hold(step, name, WAKES_MS);
    Some(Effect::Outranked("a prompt of the program's own waits for it"))
}

/// The last helper behind a stop has ended, and with it the turn, unless the main agent is woken by that.
pub(super) fn may_wake(step: &mut Step<'_>) -> bool {
    let wakes = step.seat.turn.stop.wakes;
    if wakes {
        hold(step, "the end of a helper", WAKES_MS);
    }
    wakes
}

/// The turn is over in this time, unless the main agent is woken meanwhile.
pub(super) fn hold(step: &mut Step<'_>, name: &str, for_ms: i64) {
    let (until, source) = (step.now.plus(for_ms), step.evidence.source);
    let (name, what) = (name.to_owned(), HeldFact::Over);
    step.seat.held.retain(|held| held.what != what);
    step.seat.held.push(Held { until, source, name, what });
    step.changed = true;
}
