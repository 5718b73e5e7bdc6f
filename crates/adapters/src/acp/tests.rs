mod closed;
mod limits;
mod protocol;
mod random;
mod recorded;
mod several;
mod strange;
mod turns;

use super::{Event, Said, Side, Traffic};
use crate::{HookContext, Sighting};
use headsup_core::gate;
use headsup_core::id::AgentId;
use headsup_core::observation::{Delivery, Observation, ProcessFact};
use headsup_core::seat::Seat;
use headsup_core::source::Source;
use headsup_core::status::StartPhase;
use headsup_core::time::UnixMs;
use headsup_core::{event::EventBody, observation::Fact};
use serde_json::{Value, json};

/// A connection, and the seat that is told of it.
struct Rig {
    traffic: Traffic,
    seat: Seat,
    now: UnixMs,
    said: Vec<Said>,
    events: Vec<EventBody>,
}

impl Rig {
    fn new() -> Self {
        let mut rig = Self {
            traffic: Traffic::new("7"),
            seat: Seat::new(AgentId::new("a").unwrap(), "acp:some", Source::Report, UnixMs(0)),
            now: UnixMs(1_000),
            said: Vec::new(),
            events: Vec::new(),
        };
        rig.admit(
            Source::Process,
            "run",
            Fact::Process(ProcessFact::Starting(StartPhase::Booting)),
        );
        rig
    }

    /// One that has a session `s`.
    fn with_session() -> Self {
        let mut rig = Self::new();
        rig.client(&json!({"id": 0, "method": "initialize", "params": {"protocolVersion": 1}}));
        rig.agent(&json!({"id": 0, "result": {"protocolVersion": 1}}));
        rig.client(&json!({"id": 1, "method": "session/new", "params": {"cwd": "/home/dev"}}));
        rig.agent(&json!({"id": 1, "result": {"sessionId": "s"}}));
        rig
    }

    fn client(&mut self, message: &Value) -> String {
        self.line(Side::Client, &message.to_string())
    }

    fn agent(&mut self, message: &Value) -> String {
        self.line(Side::Agent, &message.to_string())
    }

    fn prompt(&mut self, id: u32, session: &str) -> String {
        let params = json!({"sessionId": session, "prompt": [{"type": "text", "text": "go"}]});
        self.client(&json!({"id": id, "method": "session/prompt", "params": params}))
    }

    fn stop(&mut self, id: u32, reason: &str) -> String {
        self.agent(&json!({"id": id, "result": {"stopReason": reason}}))
    }

    fn ask(&mut self, id: u32, session: &str) -> String {
        let options = json!([{"optionId": "yes", "name": "Allow", "kind": "allow_once"}]);
        let call = json!({"toolCallId": "c", "title": "touch x", "kind": "execute"});
        let params = json!({"sessionId": session, "options": options, "toolCall": call});
        self.agent(&json!({"id": id, "method": "session/request_permission", "params": params}))
    }

    fn answer(&mut self, id: u32) -> String {
        let outcome = json!({"outcome": {"outcome": "selected", "optionId": "yes"}});
        self.client(&json!({"id": id, "result": outcome}))
    }

    fn update(&mut self, session: &str, update: &Value) -> String {
        let params = json!({"sessionId": session, "update": update});
        self.agent(&json!({"method": "session/update", "params": params}))
    }

    /// One line; returns what people read then.
    fn line(&mut self, side: Side, line: &str) -> String {
        let mut told = Vec::new();
        self.traffic.feed(side, line.as_bytes(), |said| told.push(said));
        self.traffic.feed(side, b"\n", |said| told.push(said));
        for said in told {
            self.tell(said);
        }
        self.headline()
    }

    /// What nothing explains.
    fn settle(&mut self) -> String {
        let mut told = Vec::new();
        self.traffic.settle(|said| told.push(said));
        for said in told {
            self.tell(said);
        }
        self.headline()
    }

    fn tell(&mut self, said: Said) {
        let seen = seen(&said);
        let observation = Observation {
            at: self.now,
            delivery: Delivery::Live,
            source: seen.source,
            session: seen.session.clone(),
            process: None,
            made_at: None,
            name: seen.event.clone(),
            fact: seen.fact,
        };
        self.now = self.now.plus(10);
        let decision = gate::admit(&mut self.seat, &observation);
        self.events.extend(decision.events);
        self.said.push(said);
    }

    fn admit(&mut self, source: Source, name: &str, fact: Fact) {
        let name = name.to_owned();
        let (at, delivery, made_at) = (self.now, Delivery::Live, None);
        let (session, process) = (None, None);
        let observation =
            Observation { at, delivery, source, session, process, made_at, name, fact };
        self.events.extend(gate::admit(&mut self.seat, &observation).events);
    }

    /// Time alone.
    fn tick(&mut self) {
        let decision = gate::tick(&mut self.seat, self.now);
        self.events.extend(decision.events);
    }

    fn headline(&self) -> String {
        self.seat.headline().word().to_owned()
    }

    fn outcome(&self) -> Option<&'static str> {
        self.seat.outcome.as_ref().map(|outcome| outcome.kind.word())
    }
}

fn seen(said: &Said) -> Sighting {
    let event = Some(said.event.word());
    crate::hook("acp:some", event, &said.body(), &HookContext::default()).unwrap()
}

#[test]
fn every_event_has_a_word_that_is_read_back() {
    for said in [Said::exited(Some(3), None), Said::lost(4)] {
        assert_eq!(Event::named(said.event.word()), Some(said.event));
        let sent: Value = serde_json::from_slice(&said.body()).unwrap();
        assert_eq!(sent["event"], said.event.word());
    }
}

/// The hub was away.
#[test]
fn one_of_which_nothing_was_heard_before_its_end_has_ended() {
    for (code, headline) in [(3, "crashed"), (0, "ended")] {
        let mut rig = Rig::new();
        rig.seat = Seat::new(AgentId::new("a").unwrap(), "acp:some", Source::Acp, UnixMs(0));
        rig.tell(Said::exited(Some(code), None));
        assert_eq!(rig.headline(), headline);
    }
}

#[test]
fn an_agent_that_closes_its_output_in_a_turn_and_lives_on_is_gone() {
    let mut rig = Rig::with_session();
    rig.prompt(2, "s");
    assert!(!rig.traffic.is_unsettled());
    rig.traffic.finish(Side::Agent, |_| ());
    assert!(rig.traffic.is_unsettled());
    let mut told = Vec::new();
    rig.traffic.settle(|said| told.push(said.event));
    assert_eq!(told, [Event::Unclear]);
    assert!(!rig.traffic.is_unsettled() && rig.traffic.stands().is_none());
    // What its client says to it now nothing can answer.
    let line = b"{\"id\":3,\"method\":\"session/prompt\",\"params\":{\"sessionId\":\"s\"}}\n";
    rig.traffic.feed(Side::Client, line, |said| told.push(said.event));
    assert_eq!(told.len(), 1);
    // At rest nothing ends with it.
    let mut rig = Rig::with_session();
    rig.traffic.finish(Side::Agent, |_| ());
    rig.traffic.settle(|said| panic!("{said:?}"));
}

#[test]
fn what_is_asked_of_an_agent_that_has_closed_its_output_at_rest_nobody_knows() {
    let mut rig = Rig::with_session();
    rig.prompt(2, "s");
    assert_eq!(rig.stop(2, "end_turn"), "done");
    rig.traffic.finish(Side::Agent, |_| ());
    assert_eq!(rig.settle(), "done");
    let cancel = json!({"method": "session/cancel", "params": {"sessionId": "s"}});
    assert_eq!(rig.client(&cancel), "done");
    let told = rig.said.len();
    assert_eq!(rig.prompt(3, "s"), "unknown");
    assert_eq!(rig.prompt(4, "s"), "unknown");
    assert_eq!(rig.said.len(), told + 1, "it is told once");
    assert!(!rig.traffic.is_unsettled() && rig.traffic.stands().is_none());
}

#[test]
fn what_an_agent_asks_of_a_client_that_is_gone_waits_for_nobody() {
    let left = || {
        let mut rig = Rig::with_session();
        rig.prompt(2, "s");
        assert_eq!(rig.ask(7, "s"), "blocked");
        rig.traffic.finish(Side::Client, |_| ());
        assert!(rig.traffic.is_unsettled());
        assert_eq!(rig.settle(), "unknown");
        assert!(rig.seat.prompts.is_empty());
        assert!(!rig.traffic.is_unsettled() && rig.traffic.stands().is_none());
        rig
    };
    // It goes on, and asks once more.
    let mut rig = left();
    let chunk = json!({"sessionUpdate": "agent_message_chunk", "content": {"text": "hi"}});
    assert_eq!(rig.update("s", &chunk), "working");
    assert_eq!(rig.ask(8, "s"), "blocked");
    assert!(rig.traffic.is_unsettled());
    assert_eq!(rig.settle(), "unknown");
    assert_eq!(rig.stop(2, "end_turn"), "done");
    assert_eq!(rig.outcome(), Some("completed"));
    // It gives up.
    assert_eq!(left().stop(2, "cancelled"), "idle");
    // Another session works.
    let mut rig = Rig::with_session();
    rig.prompt(2, "s");
    rig.prompt(3, "other");
    rig.ask(7, "s");
    rig.traffic.finish(Side::Client, |_| ());
    assert_eq!(rig.settle(), "working");
    // What is asked in no turn.
    let mut rig = Rig::with_session();
    assert_eq!(rig.ask(7, "s"), "blocked");
    rig.traffic.finish(Side::Client, |_| ());
    assert_eq!(rig.settle(), "idle");
    // Whoever waits for nobody goes on as before.
    let mut rig = Rig::with_session();
    rig.prompt(2, "s");
    rig.traffic.finish(Side::Client, |_| ());
    assert!(!rig.traffic.is_unsettled());
    assert_eq!(rig.settle(), "working");
}
