//! Whether those who are watched can still meet what ends the `watch`.

use super::until::Until;
use crate::cli::wait::condition::{Condition, OVER, Rule, Verdict};
use crate::cli::wait::{self, NO_STATE};
use crate::client::stream::Message;
use crate::error::CommandError;
use headsup_core::select::HeadlineSet;
use headsup_core::wire::AgentDoc;

/// What comes of an agent itself, and of none that has left. The rest is what people and the hub do with a
/// seat.
const OF_AN_AGENT: [&str; 5] = [
    "agent.registered",
    "agent.status_changed",
    "turn.started",
    "turn.completed",
    "activity.appended",
];

/// Follows named agents by the rule that `wait` has for them.
pub(crate) struct Chance<'a> {
    until: &'a Until,
    agents: Condition,
}

impl<'a> Chance<'a> {
    /// `agents` are as they were at `cursor`, or came to be so after it. `None` where nobody is named:
    /// whoever comes next may meet it.
    pub(crate) fn new(until: &'a Until, agents: &[AgentDoc], cursor: &str) -> Option<Self> {
        let rule = until.rule().filter(|_| !agents.is_empty())?;
        Some(Self { until, agents: Condition::since(rule, agents, cursor) })
    }

    /// The next message of the log.
    pub(crate) fn hear(&mut self, message: &Message) {
        match message {
            Message::Snapshot(doc) => self.agents.snapshot(&doc.cursor, &doc.agents),
            Message::Event(event) => self.agents.event(event),
            Message::Lagged(_) | Message::Expired(_) | Message::Other => {}
        }
    }

    /// Why there is none, as far as the log was heard.
    pub(crate) fn lost(&self) -> Option<CommandError> {
        match self.agents.verdict() {
            Verdict::Ended { id, how } => Some(wait::ended(&id, how, &self.until.missed())),
            Verdict::Pending | Verdict::Met(_) => None,
        }
    }
}

impl Until {
    /// When it can no longer be, by what `wait` knows of its agents: the states in the rule's set are those
    /// in which an agent may still meet it, though it has left. Nobody can say so of a delivery.
    fn rule(&self) -> Option<Rule> {
        let set = match self {
            Self::Status(set) => set.clone(),
            Self::Event(kind) if OF_AN_AGENT.contains(kind) => HeadlineSet::from_iter([]),
            Self::Event(_) => HeadlineSet::from_iter(OVER),
            Self::Delivery(_) => return None,
        };
        Some(Rule { set, any: true, next: false, lasting: true })
    }

    /// What will not be, once nobody is left who could meet it.
    fn missed(&self) -> String {
        match self {
            Self::Status(_) => NO_STATE.to_owned(),
            Self::Event(word) | Self::Delivery(word) => format!("no {word} will come of it"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::fixture::{agent, changed, event};
    use headsup_core::event::{Event, EventBody};
    use serde_json::json;

    #[test]
    fn every_event_of_an_agent_is_one() {
        assert!(OF_AN_AGENT.iter().all(|kind| EventBody::KINDS.contains(kind)));
    }

    /// What is said of these agents once all of this has happened.
    fn says(until: &str, agents: &[(&str, &str)], log: Vec<Event>) -> Option<String> {
        let until = Until::parse(until).unwrap();
        let agents: Vec<AgentDoc<'static>> =
            agents.iter().map(|(id, word)| agent(id, word)).collect();
        let mut chance = Chance::new(&until, &agents, "10")?;
        for event in log {
            chance.hear(&Message::Event(Box::new(event)));
        }
        chance.lost().map(|error| error.to_string())
    }

    #[test]
    fn who_has_left_comes_to_no_other_state_and_does_nothing() {
        for how in ["ended", "crashed", "absent"] {
            for until in ["status:done", "event:turn.completed", "event:agent.status_changed"] {
                let lost = says(until, &[("a", how)], Vec::new());
                assert!(lost.is_some_and(|lost| lost.contains(how)), "{until} {how}");
                let left = vec![changed(11, "a", "working", how)];
                assert!(says(until, &[("a", "working")], left).is_some(), "{until} {how}");
            }
        }
        let lost = says("event:turn.started", &[("a", "crashed")], Vec::new());
        assert_eq!(lost.as_deref(), Some("a has crashed; no turn.started will come of it"));
    }

    #[test]
    fn all_of_them_must_have_left() {
        let two = [("a", "crashed"), ("b", "working")];
        assert_eq!(says("status:done", &two, Vec::new()), None);
        assert!(says("status:done", &two, vec![changed(11, "b", "working", "ended")]).is_some());
    }

    #[test]
    fn who_is_put_away_or_comes_back_may_still_meet_it() {
        assert_eq!(says("status:done", &[("a", "suspended")], Vec::new()), None);
        let back = vec![changed(11, "a", "ended", "starting")];
        assert_eq!(says("status:done", &[("a", "ended")], back), None);
    }

    #[test]
    fn what_is_waited_for_is_no_loss() {
        assert_eq!(says("status:crashed", &[("a", "crashed")], Vec::new()), None);
        let left = vec![changed(11, "a", "working", "crashed")];
        assert_eq!(says("status:done,crashed", &[("a", "working")], left), None);
        // A turn that nobody saw working leaves the word behind that was there, and then it leaves.
        let outcome = json!({"kind": "completed", "at": crate::output::fixture::AT});
        let turn = json!({"type": "turn.completed", "turn_seq": 2, "outcome": outcome});
        let log = vec![event(11, "a", turn), changed(12, "a", "done", "ended")];
        assert!(says("status:done", &[("a", "done")], log).is_some());
    }

    #[test]
    fn what_others_do_with_its_seat_comes_until_it_is_forgotten() {
        let forgotten = || event(11, "a", json!({"type": "agent.forgotten"}));
        for kind in ["agent.updated", "prompt.resolved", "stage.changed", "verdict.reported"] {
            let until = format!("event:{kind}");
            assert_eq!(says(&until, &[("a", "crashed")], Vec::new()), None, "{kind}");
            let lost = says(&until, &[("a", "crashed")], vec![forgotten()]);
            assert!(lost.is_some_and(|lost| lost.contains("was forgotten")), "{kind}");
        }
        assert_eq!(says("delivery:sent", &[("a", "crashed")], vec![forgotten()]), None);
        assert_eq!(says("status:done", &[], Vec::new()), None, "nobody is named");
    }
}
