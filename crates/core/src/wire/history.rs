//! How long an agent was in which state, and what its process took meanwhile.

use super::SCHEMA;
use crate::event::{Event, EventBody};
use crate::id::AgentId;
use crate::status::Headline;
use crate::time::UnixMs;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct HistoryDoc {
    pub schema: u32,
    pub agent_id: AgentId,
    /// Without gaps, oldest first; they begin where the log does.
    pub intervals: Vec<IntervalDoc>,
    /// What its process has taken, oldest first: every 30 s of the last hour, every 5 min of the last day, every
    /// hour before that, as long as events are kept.
    pub samples: Vec<SampleDoc>,
}

/// A time in one state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct IntervalDoc {
    pub from: UnixMs,
    pub to: UnixMs,
    pub headline: Headline,
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub turn: Cow<'static, str>,
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>))]
    pub reason: Option<Cow<'static, str>>,
}

/// What a process has taken by one moment, and what its agent did then.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SampleDoc {
    pub at: UnixMs,
    pub headline: Headline,
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub turn: Cow<'static, str>,
    /// The turn it was in or after: turns are counted.
    pub turn_seq: u64,
    /// Milliseconds of processor time since the process began, with those of its children that have ended.
    pub cpu_ms: u64,
    /// Bytes in memory, of the process alone.
    pub memory_bytes: u64,
}

impl HistoryDoc {
    /// Folds an agent's events, oldest first, up to `now`; what lies outside of `from` and `to` is left out.
    pub fn of(agent_id: AgentId, events: &[Event], from: UnixMs, to: UnixMs, now: UnixMs) -> Self {
        let to = to.min(now);
        let mut intervals: Vec<IntervalDoc> = Vec::new();
        for event in events {
            let (headline, turn) = match &event.body {
                EventBody::Registered { agent } => (agent.headline, &agent.turn),
                EventBody::StatusChanged(change) => (change.to, &change.turn),
                _ => continue,
            };
            let (turn, reason) = (turn.state.clone(), turn.reason.clone());
            if let Some(last) = intervals.last_mut() {
                if (last.headline, &last.turn, &last.reason) == (headline, &turn, &reason) {
                    continue;
                }
                last.to = event.at;
            }
            intervals.push(IntervalDoc { from: event.at, to: now, headline, turn, reason });
        }
        intervals.retain_mut(|interval| {
            (interval.from, interval.to) = (interval.from.max(from), interval.to.min(to));
            interval.from < interval.to
        });
        Self { schema: SCHEMA, agent_id, intervals, samples: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observation::{Fact, Observation, Submitter};
    use crate::seat::Seat;
    use crate::source::Source;

    fn told(seat: &Seat, at: i64, body: EventBody) -> Event {
        Event {
            schema: SCHEMA,
            cursor: at.to_string(),
            at: UnixMs(at),
            agent_id: seat.id.clone(),
            spooled: false,
            reported_at: None,
            body,
        }
    }

    #[test]
    fn a_history_is_the_time_between_the_changes() {
        let mut seat = Seat::new(AgentId::slug("a"), "agent", Source::Hook, UnixMs(100));
        let agent = Box::new(seat.doc());
        let mut events = vec![told(&seat, 100, EventBody::Registered { agent })];
        let prompted = Fact::PromptSubmitted { by: Submitter::Person, turn_ref: None };
        let ended = Fact::TurnEnded {
            background: crate::observation::Background::default(),
            turn_ref: None,
        };
        for (at, fact) in [(200, prompted), (500, ended)] {
            let observation = Observation {
                at: UnixMs(at),
                delivery: crate::observation::Delivery::Live,
                source: Source::Hook,
                session: None,
                process: None,
                made_at: None,
                name: "event".into(),
                fact,
            };
            let decision = crate::gate::admit(&mut seat, &observation);
            events.extend(decision.events.into_iter().map(|body| told(&seat, at, body)));
        }
        let of = |from, to| {
            let doc =
                HistoryDoc::of(seat.id.clone(), &events, UnixMs(from), UnixMs(to), UnixMs(900));
            let row =
                |interval: IntervalDoc| (interval.from.0, interval.to.0, interval.headline.word());
            doc.intervals.into_iter().map(row).collect::<Vec<_>>()
        };
        let all = [(100, 200, "absent"), (200, 500, "working"), (500, 900, "done")];
        assert_eq!(of(0, 9_999), all);
        assert_eq!(of(300, 600), [(300, 500, "working"), (500, 600, "done")]);
        assert_eq!(of(900, 9_999), []);
    }
}
