//! What time alone does: settle, and age (G8, G12). By itself it never ends a turn: an end that was told,
//! or logged, may settle.

use super::notice::unanswered;
use super::{
    Decision, STALE_MS, Step, UNKNOWN_MS, anew, beside, dialog, level, lifecycle, lost_stop,
    notice, prompts, screen, session, shown, side, stops, withdrawn,
};
use crate::arbitrate::{Standing, standing};
use crate::event::EventBody;
use crate::seat::{Claim, Held, HeldFact, HeldLevel, Seat, Statement};
use crate::source::{Evidence, Source};
use crate::status::Turn;
use crate::time::UnixMs;
use thin_vec::ThinVec;

/// What is said of a program that lives and of which nobody tells anything.
const MUTE: &str = "no hook has fired since its start, and nothing else has told what it does,";

/// So long a request waits on that its program goes on without a dialog. Milliseconds.
const UNSHOWN_MS: i64 = 15_000;

/// Lets time pass: facts whose settling is over are believed, working without evidence ages.
pub fn tick(seat: &mut Seat, now: UnixMs) -> Decision {
    let before = seat.status_key();
    let evidence = Evidence::new(Source::Quiet, now);
    let mut step = Step::new(seat, evidence, now);
    let (due, waiting) =
        std::mem::take(&mut step.seat.held).into_iter().partition(|held| held.until <= now);
    step.seat.held = waiting;
    let mut due: ThinVec<Held> = due;
    // Of one that has left nothing settles any more: what it had said before comes first.
    due.sort_by_key(|held| held.what == HeldFact::Parted);
    for held in due {
        step.changed = true;
        settle(&mut step, held);
    }
    let ask_witnesses = age(&mut step);
    let mut decision = step.finish(&before);
    decision.ask_witnesses = ask_witnesses;
    decision
}

fn settle(step: &mut Step<'_>, held: Held) {
    if is_unshown(step, &held) {
        let until = step.now.plus(UNSHOWN_MS);
        step.seat.held.push(Held { until, ..held });
        return;
    }
    step.evidence = Evidence::new(held.source, step.now);
    let value = match &held.what {
        HeldFact::Prompt { actor, prompt, by_notice } => {
            if !prompts::is_open(step, actor, prompt) {
                match by_notice {
                    true => dialog::open_shown(step, actor, prompt),
                    false => prompts::open(step, actor, prompt),
                }
            }
            Turn::Blocked(prompt.reason).phrase()
        }
        HeldFact::Over if stops::is_doubted(step) => {
            stops::stands(step);
            step.seat.turn().phrase()
        }
        HeldFact::Over => {
            // With work behind it, or in a compaction, it goes on; and whoever is still to be woken rests, should that
            // not come, by the word of its status file.
            let wakes = step.seat.turn.stop.wakes && stops::shows_work(step);
            if !step.seat.turn.open || wakes || notice::rests_at_last(step).is_err() {
                return;
            }
            step.seat.turn().phrase()
        }
        HeldFact::Unanswered => {
            if !unanswered::is_over(step) {
                return;
            }
            step.seat.turn().phrase()
        }
        HeldFact::Broken { code, detail } => {
            if !anew::is_over(step, code.as_deref(), detail.as_deref()) {
                return;
            }
            step.seat.turn().phrase()
        }
        HeldFact::Logged => {
            if !lost_stop::is_over(step) {
                return;
            }
            step.seat.turn().phrase()
        }
        // It goes on.
        HeldFact::Goodbye => return,
        HeldFact::AsksAgain => return shown::has_asked_again(step, &held.name),
        HeldFact::Answered => {
            if !prompts::is_answered(step, &held) {
                return;
            }
            step.seat.turn().phrase()
        }
        HeldFact::TakenBack => {
            if !withdrawn::is_over(step, &held) {
                return;
            }
            step.seat.turn().phrase()
        }
        HeldFact::Left => {
            session::stays(step);
            step.seat.turn().phrase()
        }
        HeldFact::Parted => {
            session::part(step, false);
            step.seat.turn().phrase()
        }
        HeldFact::Level(level) => {
            let earliest = step.now.plus(-STALE_MS);
            let outranked = standing(step.seat, held.source, earliest) != Standing::Heard;
            let rests = matches!(level, HeldLevel::Idle { .. } | HeldLevel::Done);
            let asks =
                rests && held.source == Source::Title && screen::is_at_first_dialog(step.seat);
            let says_nothing = outranked
                || asks
                || screen::check_title(step.seat, held.source).is_err()
                || level::is_believed(step, level)
                || stops::is_undone(step, &held)
                || level::is_main_agents_rest(step, held.source, level)
                || !level::still_shows(step, &held, level)
                || side::takes(step, held.source, level);
            if says_nothing {
                return;
            }
            let went_on = stops::went_on(step, &held);
            level::believe(step, level);
            step.seat.turn.stop.was_believed |= went_on;
            step.seat.turn().phrase()
        }
    };
    let history = step.seat.history();
    history.supersede(&format!("superseded by the later {}", held.name).into());
    step.seat.turn.evidence = step.evidence.clone();
    let (source, event, at) = (held.source, held.name.into(), step.now);
    let value = value.into();
    step.seat.history().remember(Statement { source, event, value, at, lost: None });
}

/// Does a program that shows each of its dialogs go on showing work behind a request that hooks have told? Then something
/// else has answered that, or is still to. A terminal shows one conversation alone, and may show another one.
fn is_unshown(step: &Step<'_>, held: &Held) -> bool {
    let seat = &*step.seat;
    let asks = match &held.what {
        HeldFact::Prompt { actor, by_notice: false, .. } => actor.is_main(),
        _ => false,
    };
    let is_alone = seat.subagents.is_empty() && !beside::goes_on(step);
    let earliest = step.now.plus(-STALE_MS);
    let shows_work = |claim: &Claim| {
        let shows_all = matches!(claim.source, Source::ProgramStatus | Source::AppServer);
        shows_all && claim.word == "working" && claim.confirmed_at >= earliest
    };
    asks && held.source == Source::Hook && is_alone && seat.claims.iter().any(shows_work)
}

/// Working that nobody confirms grows stale, and at last unknown, and so does a program that has been started and says
/// nothing; a start of which nothing is heard grows stale. True: ask the witnesses.
fn age(step: &mut Step<'_>) -> bool {
    let Some(since) = unconfirmed_since(step.seat) else {
        return false;
    };
    let silent = step.now.since(since);
    if silent >= UNKNOWN_MS && is_lost(step.seat) {
        let seconds = silent / 1_000;
        let note = match lifecycle::is_mute(step.seat) {
            true => format!("{MUTE} for {seconds} s"),
            false => format!("no witness for {seconds} s"),
        };
        let evidence = Evidence::new(Source::Quiet, step.now).note(note.clone());
        step.seat.history().supersede(&format!("{note} (G8)").into());
        step.seat.turn.evidence = evidence;
        step.set_base(Turn::Unknown, None);
        return true;
    }
    if silent >= STALE_MS && !step.seat.stale {
        step.seat.stale = true;
        let agent = Box::new(step.seat.doc());
        step.emit(EventBody::Updated { agent });
        return true;
    }
    false
}

/// Since when what ages has had no confirmation; `None` where nothing does.
fn unconfirmed_since(seat: &Seat) -> Option<UnixMs> {
    let ages = is_lost(seat) || lifecycle::is_unheard_start(seat);
    let confirmed_at = seat.turn.evidence.confirmed_at.max(seat.process.since);
    ages.then(|| confirmed_at.max(seat.ageing_from))
}

/// Is it unknown once it has been silent for long?
fn is_lost(seat: &Seat) -> bool {
    works(seat) || lifecycle::is_mute(seat) || lifecycle::awaits_its_prompt(seat)
}

fn works(seat: &Seat) -> bool {
    matches!(seat.turn(), Turn::Working(_)) && seat.process.state.is_running()
}

/// When `tick` is to be called next, unless something is admitted before.
pub fn next_deadline(seat: &Seat) -> Option<UnixMs> {
    let settling = seat.held.iter().map(|held| held.until).min();
    let ageing = unconfirmed_since(seat).and_then(|since| match seat.stale {
        false => Some(since.plus(STALE_MS)),
        true => is_lost(seat).then(|| since.plus(UNKNOWN_MS)),
    });
    match (settling, ageing) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// After loading from the store: no edge. Ageing starts anew, because the hub's absence says
/// nothing of an agent; and whether a program has left behind its goodbye is still to be seen.
pub fn restore(seat: &mut Seat, now: UnixMs) {
    seat.ageing_from = now;
    seat.quiet_prompts = 0;
    let parts_within = session::parts_within(seat);
    for held in &mut seat.held {
        let within = match held.what {
            HeldFact::Left | HeldFact::Parted => session::LEAVE_MS,
            HeldFact::Goodbye => parts_within,
            _ => continue,
        };
        held.until = held.until.max(now.plus(within));
    }
}
