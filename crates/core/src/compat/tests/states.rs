//! Every state of ours has a word in every vocabulary, and nothing is called idle by guess.

use crate::compat::{
    Scale, State, Vocabulary, bob, boocode, jackin, multicode, overdeck, panopticon, superset,
    wardian,
};
use crate::gate;
use crate::id::AgentId;
use crate::observation::{Delivery, Fact, Observation};
use crate::seat::Seat;
use crate::source::Source;
use crate::status::{
    Attach, BlockedReason, Exit, ExitKind, Headline, IdleReason, OutcomeKind, Process, StartPhase,
    Turn, WorkingReason,
};
use crate::time::UnixMs;
use crate::wire::ReportBody;
use crate::workflow::Stage;
use proptest::prelude::*;

/// Every combination, those that cannot be included.
fn all() -> impl Iterator<Item = State> {
    let mut processes = vec![Process::Absent, Process::Stopping, Process::Suspended];
    processes.push(Process::Unknown);
    let attaches = [Attach::Interactive, Attach::Headless];
    processes.extend(attaches.map(|attach| Process::Running { attach }));
    let phases = [StartPhase::Queued, StartPhase::Booting, StartPhase::Restoring];
    processes.extend(phases.map(|phase| Process::Starting { phase }));
    processes.extend(ExitKind::ALL.iter().map(|kind| Process::Exited(Exit::of(*kind))));
    let mut turns = vec![Turn::None, Turn::Unknown];
    turns.extend(IdleReason::ALL.iter().map(|reason| Turn::Idle(*reason)));
    turns.extend(WorkingReason::ALL.iter().map(|reason| Turn::Working(*reason)));
    turns.extend(BlockedReason::ALL.iter().take(2).map(|reason| Turn::Blocked(*reason)));
    let outcomes: Vec<_> = OutcomeKind::ALL.iter().copied().map(Some).chain([None]).collect();
    let stages: Vec<_> = Stage::ALL.iter().copied().map(Some).chain([None]).collect();
    let flags = 0..8_u8;
    processes.into_iter().flat_map(move |process| {
        let (outcomes, stages, flags) = (outcomes.clone(), stages.clone(), flags.clone());
        turns.clone().into_iter().flat_map(move |turn| {
            let (stages, flags) = (stages.clone(), flags.clone());
            outcomes.clone().into_iter().flat_map(move |outcome| {
                let flags = flags.clone();
                stages.clone().into_iter().flat_map(move |stage| {
                    flags.clone().map(move |flags| State {
                        process,
                        turn,
                        outcome,
                        stage,
                        seen: flags & 1 > 0,
                        asked: flags & 2 > 0,
                        stale: flags & 4 > 0,
                        ..State::idle()
                    })
                })
            })
        })
    })
}

/// The words that others act upon. Every scale must have one for this state.
fn is_called_idle(state: &State) -> [bool; 9] {
    fn is<S: Scale>(state: &State, idle: S) -> bool {
        let word = S::of(state).unwrap_or_else(|| panic!("{} has no word for {state:?}", S::NAME));
        word == idle
    }
    [
        is(state, boocode::Status::Idle),
        is(state, wardian::Status::Idle),
        is(state, wardian::Input::Ready),
        is(state, bob::Session::Idle),
        is(state, panopticon::Activity::Idle),
        is(state, jackin::Status::Idle),
        is(state, multicode::Session::Idle),
        is(state, overdeck::Activity::Idle),
        is(state, superset::Status::Idle),
    ]
}

#[test]
fn every_state_has_its_words_and_what_is_not_idle_is_never_called_so() {
    let mut count = 0;
    for state in all() {
        let at_work = matches!(
            state.headline(),
            Headline::Working | Headline::Unknown | Headline::Starting | Headline::Stopping
        );
        let idle = is_called_idle(&state);
        assert!(!at_work || idle == [false; 9], "{idle:?}: {state:?}");
        // Whether a program takes input is another question than whether a person is asked.
        let waits = state.headline() == Headline::Blocked;
        let others = idle.iter().enumerate().any(|(index, idle)| *idle && index != 2);
        assert!(!waits || !others, "{idle:?}: {state:?}");
        count += 1;
    }
    assert!(count > 50_000, "{count}");
}

/// A person who is wanted is wanted in every vocabulary that has a word for that.
#[test]
fn whoever_is_blocked_is_so_in_every_vocabulary() {
    for state in all().filter(|state| state.headline() == Headline::Blocked) {
        assert_eq!(boocode::Status::of(&state), Some(boocode::Status::Blocked));
        assert_eq!(wardian::Status::of(&state), Some(wardian::Status::ActionNeeded));
        assert_eq!(jackin::Status::of(&state), Some(jackin::Status::Question));
        assert_eq!(jackin::Public::of(&state), Some(jackin::Public::Blocked));
        assert_eq!(multicode::Session::of(&state), Some(multicode::Session::Question));
        assert_eq!(multicode::Automation::of(&state), Some(multicode::Automation::Question));
        assert_eq!(overdeck::Activity::of(&state), Some(overdeck::Activity::Waiting));
        assert_eq!(overdeck::Resolution::of(&state), Some(overdeck::Resolution::NeedsInput));
        assert_eq!(superset::Status::of(&state), Some(superset::Status::Permission));
    }
}

fn reports() -> impl Strategy<Value = Vec<(ReportBody, i64, bool)>> {
    let turns: &[&str] = &["unknown", "idle", "working", "blocked", "done", "failed"];
    let processes: &[&str] = &["running", "stopping", "suspended", "exited"];
    let turn = proptest::option::of(proptest::sample::select(turns));
    let process = proptest::option::weighted(0.2, proptest::sample::select(processes));
    let report = (turn, process, 1..200_000_i64, any::<bool>());
    let report = report.prop_filter_map("says something", |(turn, process, ms, seen)| {
        let own = |word: &str| word.to_owned();
        let (turn, process) = (turn.map(own), process.map(own));
        let body = ReportBody { turn, process, ..ReportBody::default() };
        body.parse().is_ok().then_some((body, ms, seen))
    });
    proptest::collection::vec(report, 1..20)
}

proptest! {
    /// Whatever a seat has come to, every vocabulary has a word for it, and the same one again.
    #[test]
    fn every_state_that_the_gate_reaches_has_a_word(reports in reports()) {
        let mut now = UnixMs(1_795_296_597_200);
        let mut seat = Seat::new(AgentId::slug("api"), "custom", Source::Report, now);
        for (report, ms, seen) in reports {
            now = now.plus(ms);
            gate::tick(&mut seat, now);
            let fact = Fact::Reported(report.parse().unwrap());
            let (delivery, source, name) = (Delivery::Live, Source::Report, "report".to_owned());
            let observation = Observation {
                at: now, delivery, source, session: None, process: None, made_at: None, name, fact,
            };
            gate::admit(&mut seat, &observation);
            if seen {
                gate::mark_seen(&mut seat, now);
            }
            let state = State::of(&seat, now);
            prop_assert_eq!(state.headline(), seat.headline());
            let change = seat.change_from(seat.headline());
            let told = boocode::Status::with_reason(&state);
            prop_assert_eq!(boocode::Status::of_change(&change), told);
            for vocabulary in Vocabulary::ALL {
                let said = vocabulary.say(&state);
                prop_assert!(!said.word.is_empty(), "{} {:?}", vocabulary.word(), state);
                prop_assert_eq!(&said, &vocabulary.say(&state));
                let json = serde_json::to_string(&said).unwrap();
                prop_assert_eq!(serde_json::from_str::<crate::compat::VocabularyDoc>(&json).unwrap(), said);
            }
        }
    }
}
