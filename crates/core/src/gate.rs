//! The gate: the only code that turns an observation into a change of a seat.
//!
//! `admit` is synchronous and total: every observation is accepted, or refused with the rule that refused it. The
//! rules G1 to G12 are told in ARCHITECTURE.md, each with its test in `gate/tests/`.

#![expect(clippy::unnecessary_wraps, reason = "every kind of fact has one signature")]

mod acts;
mod alike;
mod anew;
mod beside;
mod broken;
mod compaction;
mod dialog;
mod elsewhere;
mod guard;
mod implied;
mod inputs;
mod late;
mod launched;
mod level;
mod lifecycle;
mod lost_stop;
mod notice;
mod outlived;
mod overtaken;
mod parts;
mod process;
mod prompts;
mod repeats;
mod report;
mod screen;
mod session;
mod shown;
mod side;
mod stops;
mod tick;
mod tools;
mod turn;
mod withdrawn;

#[cfg(test)]
mod tests;

pub use acts::{
    Container, Description, Said, append_activity, describe, link_pr, link_task, look, mark_seen,
    name_kind, report_verdict, set_stage, snooze,
};
pub use inputs::{
    Ask, cancel_prompts, input, mark_input, mark_told, next_expiry, open_input, resolve_input,
    shift_deadlines, time_out, waits_for,
};
pub use launched::whose_end;
pub use lifecycle::{
    CANNOT_RUN, Unfit, is_free, may_resume, may_stop, may_suspend, part, resume, resume_with_words,
    start_over, stop, succeed, suspend, vacate,
};
pub use report::{has_other_witness, has_told_since};
pub use screen::{has_spoken, may_ask_unheard};
pub use shown::is_silent;
pub use side::is_beside;
pub use tick::{next_deadline, restore, tick};

use crate::event::EventBody;
use crate::observation::{Delivery, Fact, Observation, ProcessFact, Submitter};
use crate::prompt::Actor;
use crate::seat::{Rejection, Seat, Statement, StatusKey};
use crate::source::{Confidence, Evidence, Tier};
use crate::status::{Attach, Process, Turn};
use crate::time::UnixMs;

/// So long an end's stragglers are told apart from a new life. Milliseconds.
pub const STRAGGLERS_MS: i64 = 30_000;
/// Within this time two sources may tell the same change in any order. Milliseconds.
pub const SETTLE_MS: i64 = 300;
/// Working without confirmation for this long is stale. Milliseconds.
pub const STALE_MS: i64 = 60_000;
/// Stale working that no witness confirms for this long in all is unknown. Milliseconds.
pub const UNKNOWN_MS: i64 = 120_000;

/// What became of an observation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decision {
    /// What is to be stored and published, in order.
    pub events: Vec<EventBody>,
    /// The seat differs in something that must survive a restart.
    pub changed: bool,
    /// Why nothing came of it.
    pub refused: Option<Refusal>,
    /// The evidence has aged: other witnesses should be asked.
    pub ask_witnesses: bool,
    /// A hook has told that its agent rests, and not how that came about.
    pub only_rests: bool,
}

/// A refused observation: the rule, and the reason in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub rule: Rule,
    pub why: String,
}

/// The gate's rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Incarnation and session must match.
    G1,
    /// Old logs are metadata only.
    G2,
    /// The same again is no event.
    G3,
    /// Blocked is a set.
    G4,
    /// A stop with helpers running is no end.
    G5,
    /// Helpers touch counters only.
    G6,
    /// Nothing is idle during compaction.
    G7,
    /// No time-out authors idle or done.
    G8,
    /// Process facts beat everything.
    G9,
    /// Receive order is the order.
    G10,
    /// What is not understood changes nothing.
    G11,
    /// Self-approved requests settle first.
    G12,
    /// A weaker witness does not override a fresh stronger one.
    Rank,
    /// The move is not in the state model.
    Illegal,
}

impl Rule {
    pub fn word(self) -> &'static str {
        match self {
            Self::G1 => "G1",
            Self::G2 => "G2",
            Self::G3 => "G3",
            Self::G4 => "G4",
            Self::G5 => "G5",
            Self::G6 => "G6",
            Self::G7 => "G7",
            Self::G8 => "G8",
            Self::G9 => "G9",
            Self::G10 => "G10",
            Self::G11 => "G11",
            Self::G12 => "G12",
            Self::Rank => "rank",
            Self::Illegal => "illegal",
        }
    }
}

pub(crate) fn refuse<T>(rule: Rule, why: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal { rule, why: why.into() })
}

/// What an accepted fact did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// It says what the turn is now.
    Decides,
    /// It says the same again, or nothing of the turn.
    Confirms,
    /// Accepted, but something else decides; in words for `explain`.
    Outranked(&'static str),
}

/// One observation on its way through the gate.
pub(crate) struct Step<'a> {
    pub(crate) seat: &'a mut Seat,
    pub(crate) now: UnixMs,
    pub(crate) evidence: Evidence,
    pub(crate) events: Vec<EventBody>,
    pub(crate) changed: bool,
    /// The seat has taken on the observation's session in this very step.
    pub(crate) entered: bool,
    /// Something that readers see has changed, whether or not the status does.
    pub(crate) announce: bool,
    /// What is told had to wait for the hub.
    pub(crate) has_waited: bool,
}

/// Admits one observation. `observation.at` is now.
pub fn admit(seat: &mut Seat, observation: &Observation) -> Decision {
    let before = seat.status_key();
    let now = observation.at;
    let mut step = Step::new(seat, Evidence::new(observation.source, now), now);
    step.has_waited = matches!(observation.delivery, Delivery::Spooled { .. });
    let result = guard::check(&mut step, observation)
        .and_then(|()| overtaken::check(&step, observation))
        .and_then(|()| apply(&mut step, observation));
    match result {
        Ok(effect) => {
            overtaken::note(&mut step, observation);
            if observation.source.tier() == Tier::Edge {
                // What says nothing takes no news from a title that waits: it may not be drawn again for long.
                if observation.fact != Fact::Nothing || !shown::title_waits(step.seat) {
                    step.seat.last_edge_at = Some(now);
                }
                // A level that was seen meanwhile says nothing of edges that had to wait.
                match observation.delivery {
                    Delivery::Live => step.seat.last_live_at = Some(now),
                    Delivery::Spooled { reported_at } => {
                        // By a clock that has been put back since, it would hide all that comes.
                        let told = reported_at.min(now);
                        step.seat.spooled_until = step.seat.spooled_until.max(told);
                        let stop = &mut step.seat.turn.stop;
                        stop.told_at = stop.told_at.map(|at| if at == now { told } else { at });
                    }
                    Delivery::Standing | Delivery::Replayed => {}
                }
            }
            // That a terminal is gone says nothing of what goes on.
            if observation.fact != Fact::Process(ProcessFact::Orphaned) {
                step.confirm();
            }
            let only_rests = effect == Effect::Decides && notice::tells_of_rest_alone(observation);
            step.record(observation, effect, &before);
            Decision { only_rests, ..step.finish(&before) }
        }
        Err(refusal) => {
            step.record_refusal(observation, &refusal);
            Decision { refused: Some(refusal), ..step.finish(&before) }
        }
    }
}

fn apply(step: &mut Step<'_>, observation: &Observation) -> Result<Effect, Refusal> {
    let result = take(step, observation);
    if result.is_ok() {
        lost_stop::heard(step, observation);
    }
    result
}

fn take(step: &mut Step<'_>, observation: &Observation) -> Result<Effect, Refusal> {
    let aside = side::told(step, observation).or_else(|| anew::told(step, observation).map(Ok));
    let aside = aside.or_else(|| beside::told(step, observation).map(Ok));
    if let Some(result) = aside.or_else(|| broken::logged_late(step, observation).map(Ok)) {
        return result;
    }
    match &observation.fact {
        Fact::SessionStarted { how, attach } => session::started(step, *how, *attach, observation),
        Fact::SessionEnded { how } => session::ended(step, *how, observation),
        Fact::PromptSubmitted { by, turn_ref } => turn::prompted(step, *by, turn_ref.as_deref()),
        // The turn that is open began with it.
        Fact::PromptTold if step.seat.turn.is_answering() => Ok(Effect::Confirms),
        Fact::PromptTold => turn::prompted(step, Submitter::Person, None),
        Fact::ToolStarted { actor, tool, turn_ref } => {
            tools::started(step, actor, tool, turn_ref.as_deref())
        }
        Fact::ToolGranted { actor, tool, turn_ref } => {
            prompts::granted(step, actor, tool);
            tools::started(step, actor, tool, turn_ref.as_deref())
        }
        Fact::ToolsEnded { actor, tools, interrupted, turn_ref } => {
            tools::ended(step, actor, tools, *interrupted, turn_ref.as_deref())
        }
        Fact::PromptOpened { actor, prompt, settle_ms, turn_ref } => {
            if let Err(refusal) = prompts::belongs(step, actor, prompt, turn_ref.as_deref()) {
                repeats::doubt(step, &observation.name, actor, prompt, *settle_ms);
                return Err(refusal);
            }
            prompts::opened(step, &observation.name, actor, prompt, *settle_ms)
        }
        Fact::DialogShown { actor, prompt } => {
            dialog::shown(step, &observation.name, actor, prompt)
        }
        Fact::PromptResolved { actor, reason, key, resolution } => {
            prompts::resolved(step, actor, *reason, key.as_deref(), resolution)
        }
        Fact::PromptRefused { reason, key, resolution, turn_ref } => {
            prompts::settled(step, &Actor::Main, *reason, key.as_deref(), resolution);
            broken::at_its_dialog(step, turn_ref.as_deref(), observation)
        }
        Fact::CallRefused { call, resolution } => tools::refused(step, call, resolution),
        Fact::WakeQueued(waits) => Ok(stops::queued(step, *waits, observation.made_at)),
        Fact::PromptLogged { by, turn_ref } => {
            shown::prompt_logged(step, *by, turn_ref, observation.made_at)
        }
        Fact::PromptQueued => Ok(stops::followed(step)),
        Fact::StopUndone { turn_ref } => stops::undone(step, turn_ref, observation.made_at),
        Fact::WakeAbsorbed => Ok(stops::absorbed(step)),
        Fact::CommandRan => Ok(shown::command_ran(step)),
        Fact::Answered => prompts::answered(step),
        Fact::PromptConfirmed => prompts::confirmed(step),
        Fact::TurnEnded { background, turn_ref }
            if observation.source.tier() == Tier::Transcript =>
        {
            stops::end_logged(step, background, turn_ref.as_deref(), observation.made_at)
        }
        Fact::TurnEnded { background, turn_ref } => {
            turn::ended(step, background, turn_ref.as_deref())
        }
        Fact::TurnFailed { code, detail, turn_ref } => {
            broken::failed(step, code, detail.as_deref(), turn_ref.as_deref())
        }
        Fact::TurnInterrupted { turn_ref } => broken::told(step, turn_ref.as_deref(), observation),
        Fact::MainInterrupted => broken::main_interrupted(step, observation),
        Fact::SubagentStarted { id } => tools::subagent_started(step, id),
        Fact::RunStarted { id, run } => repeats::run_started(step, id, run),
        Fact::SubagentEnded { id } => tools::subagent_ended(step, id),
        Fact::RunEnded { id, run } => repeats::end_of_run(step, id, run),
        Fact::NamesakeStarted { name } => tools::namesake_started(step, name),
        Fact::NamesakeEnded { name } => tools::namesake_ended(step, name),
        Fact::HelperWorks => tools::some_helper_works(step),
        Fact::SomeoneStopped { failed } => tools::someone_stopped(step, failed.as_ref()),
        Fact::CompactionStarted => compaction::started(step),
        Fact::CompactionBegun { turn_ref } => repeats::compaction_started(step, turn_ref),
        Fact::CompactionEnded { manual } => compaction::ended(step, *manual),
        Fact::IdleNotice { turn_ref } => notice::idle_notice(step, turn_ref.as_deref()),
        Fact::IdleForLong { turn_ref } => notice::idle_for_long(step, turn_ref.as_deref()),
        Fact::TurnOver | Fact::TurnUnanswered => notice::over(step, observation),
        Fact::AsksAgain { wait_ms } => shown::asks_again(step, observation, *wait_ms),
        Fact::Level(said) => level::said(step, &observation.name, observation.source, said),
        Fact::ScreenDialog { reason, detail, first, opening } => {
            screen::check(step, *first, *opening)?;
            screen::dialog(step, *reason, detail.as_deref())
        }
        Fact::ScreenCleared => Ok(screen::cleared(step)),
        Fact::Withdrawn => withdrawn::said(step, &observation.name, observation.source),
        Fact::PartStatus { id, level } => {
            elsewhere::check(step, observation.source)?;
            Ok(parts::said(step, id, level.as_ref()))
        }
        Fact::ScreenPrompt { quiet } => screen::prompt(step, *quiet),
        Fact::Process(fact) => process::said(step, *fact, observation.process.as_ref()),
        Fact::Reported(reported) => report::said(step, reported),
        Fact::History(history) => session::history(step, history),
        Fact::AnswerLogged => Ok(lost_stop::answered(step, observation)),
        Fact::AnswerBegun | Fact::Nothing => Ok(Effect::Confirms),
        Fact::NotUnderstood { why } => refuse(Rule::G11, why.clone()),
    }
}

impl<'a> Step<'a> {
    pub(crate) fn new(seat: &'a mut Seat, evidence: Evidence, now: UnixMs) -> Self {
        let (changed, entered, announce, has_waited) = (false, false, false, false);
        Self { seat, now, evidence, events: Vec::new(), changed, entered, announce, has_waited }
    }

    /// The evidence has been heard again: it is not stale.
    fn confirm(&mut self) {
        self.seat.turn.evidence.confirmed_at = self.now;
        if self.seat.process.state.is_running() {
            self.seat.process.evidence.confirmed_at = self.now;
        }
        if self.seat.stale {
            self.seat.stale = false;
            self.changed = true;
        }
    }

    /// Sets the turn apart from prompts. The caller has checked that it may.
    pub(crate) fn set_base(&mut self, base: Turn, detail: Option<&str>) {
        let turn = &mut self.seat.turn;
        if turn.base != base || turn.detail.as_deref() != detail {
            turn.base = base;
            turn.detail = detail.map(str::to_owned);
            self.changed = true;
        }
    }

    pub(crate) fn emit(&mut self, event: EventBody) {
        self.events.push(event);
        self.changed = true;
    }

    /// A seat that speaks is running: absent becomes running, without a new incarnation.
    pub(crate) fn ensure_running(&mut self, attach: Option<Attach>) {
        let state = match (self.seat.process.state, attach) {
            (Process::Running { attach: old }, None) => Process::Running { attach: old },
            (Process::Unknown | Process::Starting { .. }, None) => {
                Process::Running { attach: self.seat.process.attach() }
            }
            (_, attach) => Process::Running { attach: attach.unwrap_or(Attach::Interactive) },
        };
        if self.seat.process.state.is_over() {
            self.seat.is_taken_by_hand();
        }
        if self.seat.process.state != state {
            // A program that merely speaks is only hinted at; a probe says it surely.
            let hint = self.evidence.clone().at_most(Confidence::Weak);
            let process = &mut self.seat.process;
            process.evidence = hint;
            process.become_state(state);
            process.since = self.now;
            self.changed = true;
        }
    }

    fn record(&mut self, observation: &Observation, effect: Effect, before: &StatusKey) {
        let Some(value) = observation.fact.implies(self.seat.background_shells) else {
            return;
        };
        let lost = match effect {
            Effect::Decides => None,
            Effect::Confirms => return,
            Effect::Outranked(why) => Some(why.into()),
        };
        if lost.is_none() {
            let blocked = matches!(self.seat.turn(), Turn::Blocked(_));
            let same = self.seat.turn() == before.turn;
            // What a source says of the whole takes the place of what it has said of that before.
            let says_all = matches!(observation.fact, Fact::Reported(_) | Fact::Level(_));
            self.seat.history().supersede_each(|said| {
                let is_its_own = says_all && said.source == observation.source;
                if blocked && !same && !is_its_own {
                    "an open prompt outranks it (G4)".into()
                } else {
                    format!("superseded by the later {}", observation.name).into()
                }
            });
            // A new value brings new evidence; the same value only confirms.
            if !same || self.evidence.source.tier() > self.seat.turn.evidence.source.tier() {
                self.seat.turn.evidence = self.evidence.clone();
            }
        }
        self.seat.history().remember(Statement {
            source: observation.source,
            event: observation.name.as_str().into(),
            value: value.into(),
            at: observation.at,
            lost,
        });
    }

    fn record_refusal(&mut self, observation: &Observation, refusal: &Refusal) {
        let (at, source) = (observation.at, observation.source);
        let (event, rule) = (observation.name.as_str(), refusal.rule.word());
        let why = refusal.why.as_str().into();
        let rejection = Rejection { at, source, event: event.into(), rule: rule.into(), why };
        let stands = observation.delivery == Delivery::Standing;
        // What stands is said every few seconds, and is to push out nothing else.
        if stands && self.seat.history().still_rejects(&rejection) {
            return;
        }
        self.seat.history().reject(rejection);
        if let Some(value) = observation.fact.implies(self.seat.background_shells) {
            let lost = Some(format!("{} ({rule})", refusal.why).into());
            let (event, value) = (event.into(), value.into());
            self.seat.history().remember(Statement { source, event, value, at, lost });
        }
    }

    /// Compares before and after: one change of status is one event (G3).
    pub(crate) fn finish(mut self, before: &StatusKey) -> Decision {
        let after = self.seat.status_key();
        // What cannot be probed has left nothing: a paused process goes on where it was.
        let running = after.process.is_running() || after.process == Process::Unknown;
        debug_assert!(before.turn.may_become(after.turn, running), "{before:?} to {after:?}");
        if after.turn != before.turn {
            self.seat.turn.since = self.now;
        }
        if after != *before {
            if after.headline != before.headline {
                self.seat.headline_since = self.now;
            }
            self.seat.last_status_at = Some(self.now);
            // A move of the workflow that changes nothing else has an event of its own.
            let moved = |event: &EventBody| matches!(event, EventBody::StageChanged { .. });
            let only_moved = StatusKey { stage: before.stage, ..after } == *before;
            if !(only_moved && self.events.iter().any(moved)) {
                let change = Box::new(self.seat.change_from(before.headline));
                self.emit(EventBody::StatusChanged(change));
            }
        }
        if self.announce {
            let agent = Box::new(self.seat.doc());
            self.emit(EventBody::Updated { agent });
        }
        let Step { events, changed, .. } = self;
        Decision { events, changed, ..Decision::default() }
    }
}
