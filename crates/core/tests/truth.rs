//! One real transition is one event, and the end state is the truth's: over random
//! interleavings of hook, registry, server, transcript and process evidence with duplicates,
//! reordering, restart and replay.

#![expect(clippy::unwrap_used, clippy::unnecessary_wraps, reason = "a test may fail")]

#[path = "truth/reference.rs"]
mod reference;
#[path = "truth/witnesses.rs"]
mod witnesses;

use headsup_core::event::EventBody;
use headsup_core::fold::{self, Folded};
use headsup_core::gate;
use headsup_core::id::AgentId;
use headsup_core::observation::{Delivery, Observation};
use headsup_core::seat::Seat;
use headsup_core::source::Source;
use headsup_core::time::UnixMs;
use proptest::prelude::*;
use reference::{Real, Truth};
use std::collections::BTreeMap;
use witnesses::{Chance, Present};

/// The seat under test, and what a reader of its events alone has made of them.
struct Run {
    seat: Seat,
    events: Vec<EventBody>,
    folded: BTreeMap<AgentId, Folded>,
    told: Vec<Observation>,
}

impl Run {
    fn new() -> Self {
        let id = AgentId::new("a").unwrap();
        let seat = Seat::new(id.clone(), "agent", Source::Hook, UnixMs(0));
        let folded = BTreeMap::from([(id, Folded::from(&seat.doc()))]);
        Self { seat, events: Vec::new(), folded, told: Vec::new() }
    }

    fn take(&mut self, events: Vec<EventBody>) {
        for event in &events {
            fold::apply_body(&mut self.folded, &self.seat.id, event);
        }
        self.events.extend(events);
    }

    /// Lets time pass up to `until`, with every deadline met on the way.
    fn pass(&mut self, until: UnixMs) {
        while let Some(due) = gate::next_deadline(&self.seat).filter(|due| *due <= until) {
            let decision = gate::tick(&mut self.seat, due);
            self.take(decision.events);
        }
    }

    fn tell(&mut self, observation: Observation) {
        self.pass(observation.at);
        let decision = gate::admit(&mut self.seat, &observation);
        self.take(decision.events);
        self.told.push(observation);
    }

    /// The hub dies and comes back: the store's copy, and every old log read again.
    fn restart(&mut self, now: UnixMs) {
        let before = self.events.len();
        let text = serde_json::to_string(&self.seat).unwrap();
        self.seat = serde_json::from_str(&text).unwrap();
        gate::restore(&mut self.seat, now);
        for mut old in self.told.clone() {
            old.at = now;
            old.delivery = Delivery::Replayed;
            let decision = gate::admit(&mut self.seat, &old);
            self.take(decision.events);
        }
        assert_eq!(self.events.len(), before, "a restart and a replay emit nothing");
    }

    fn count(&self, from: usize, kind: &str) -> usize {
        self.events[from..].iter().filter(|event| event.kind() == kind).count()
    }

    fn headline_changes(&self, from: usize) -> usize {
        let changed = |event: &&EventBody| match event {
            EventBody::StatusChanged(change) => change.from != change.to,
            _ => false,
        };
        self.events[from..].iter().filter(changed).count()
    }
}

fn check(present: Present, steps: &[(u8, Chance)]) -> Result<(), TestCaseError> {
    let mut run = Run::new();
    let mut truth = Truth::default();
    let mut now = UnixMs(10_000);
    let mut late: Vec<Observation> = Vec::new();
    for (choice, chance) in steps {
        let possible = truth.possible(present.own_status());
        let real = possible[usize::from(*choice) % possible.len()];
        let from = run.events.len();
        let before = truth.clone();
        truth.apply(real);
        let mut told = witnesses::of(real, &before, &truth, present, chance, now);
        let held = match real {
            Real::ToolStart if chance.late => std::mem::take(&mut told),
            _ => Vec::new(),
        };
        for held in std::mem::replace(&mut late, held) {
            let delay = if real.is_the_programs() { 120 } else { 0 };
            told.insert(0, Observation { at: now.plus(delay), ..held });
        }
        told.sort_by_key(|observation| observation.at);
        for observation in told {
            run.tell(observation);
        }
        now = now.plus(2_000);
        run.pass(now);
        let context = format!("{real:?} after {before:?}; {:#?}", &run.events[from..]);
        prop_assert_eq!(run.seat.headline(), truth.headline(), "{}", context);
        let outcome = run.seat.outcome.as_ref().map(|outcome| outcome.kind);
        prop_assert_eq!(outcome, truth.outcome, "{}", context);
        let expected = usize::from(before.headline() != truth.headline());
        prop_assert_eq!(run.headline_changes(from), expected, "{}", context);
        prop_assert_eq!(run.count(from, "turn.started"), usize::from(real.starts_turn()));
        let ended = usize::from(before.turn_open && !truth.turn_open);
        prop_assert_eq!(run.count(from, "turn.completed"), ended, "{}", context);
        let opened = usize::from(real == Real::Ask || real == Real::HelperAsks);
        prop_assert_eq!(run.count(from, "prompt.opened"), opened, "{}", context);
        let folded = &run.folded[&run.seat.id];
        prop_assert_eq!(folded.headline, run.seat.headline());
        prop_assert_eq!(&folded.process, &run.seat.process_doc());
        prop_assert_eq!(&folded.outcome, &run.seat.outcome);
        prop_assert_eq!(&folded.prompts, &Folded::from(&run.seat.doc()).prompts);
        if chance.restart {
            now = now.plus(500);
            run.restart(now);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn one_real_transition_is_one_event_and_the_end_state_is_true(
        present in witnesses::present(),
        steps in prop::collection::vec((any::<u8>(), witnesses::chance()), 1..25),
    ) {
        check(present, &steps)?;
    }
}
