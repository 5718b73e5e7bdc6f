//! What ends a `watch`.

use headsup_core::event::{Event, EventBody};
use headsup_core::select::HeadlineSet;

/// `status:SET`, `event:TYPE` or `delivery:STATE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Until {
    Status(HeadlineSet),
    Event(&'static str),
    Delivery(&'static str),
}

impl Until {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (what, word) = text.split_once(':').unwrap_or((text, ""));
        match what {
            "status" => {
                HeadlineSet::parse(word).map(Self::Status).map_err(|error| error.to_string())
            }
            "event" => EventBody::KINDS
                .into_iter()
                .find(|kind| *kind == word)
                .map(Self::Event)
                .ok_or_else(|| format!("events are {}", EventBody::KINDS.join(", "))),
            "delivery" => EventBody::DELIVERIES
                .into_iter()
                .find(|state| *state == word)
                .map(Self::Delivery)
                .ok_or_else(|| format!("deliveries are {}", EventBody::DELIVERIES.join(", "))),
            _ => Err("a condition is status:SET, event:TYPE or delivery:STATE".to_owned()),
        }
    }

    pub(crate) fn is_met_by(&self, event: &Event) -> bool {
        match (self, &event.body) {
            (Self::Status(set), EventBody::StatusChanged(change)) => set.is_met_by(change.to),
            (Self::Delivery(wanted), EventBody::MessageDelivered { state, .. }) => *wanted == state,
            (Self::Event(kind), body) => body.kind() == *kind,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(body: &str) -> Event {
        let head = r#""schema":1,"cursor":"4","at":"2026-11-21T21:29:57.200Z","agent_id":"api""#;
        serde_json::from_str(&format!("{{{head},{body}}}")).unwrap()
    }

    #[test]
    fn a_condition_is_met_by_its_event_alone() {
        let delivered = event(r#""type":"message.delivered","message_id":"m","state":"sent""#);
        let started = event(r#""type":"turn.started","turn_seq":1"#);
        let table = [
            ("event:turn.started", false, true),
            ("event:message.delivered", true, false),
            ("delivery:sent", true, false),
            ("delivery:failed", false, false),
            ("status:working", false, false),
        ];
        for (text, by_delivery, by_turn) in table {
            let until = Until::parse(text).unwrap();
            assert_eq!(until.is_met_by(&delivered), by_delivery, "{text}");
            assert_eq!(until.is_met_by(&started), by_turn, "{text}");
        }
    }

    #[test]
    fn a_condition_that_can_never_be_met_is_refused() {
        for text in
            ["status:finished", "event:turn.ended", "delivery:", "delivery:bogus", "done", ""]
        {
            assert!(Until::parse(text).is_err(), "{text}");
        }
    }
}
