//! One event as clients get it: serialized once, then only shared.

use bytes::Bytes;
use headsup_core::event::{Event, EventBody};
use headsup_core::id::AgentId;
use headsup_core::time::UnixMs;
use std::fmt::Write as _;
use std::ops::Range;
use std::time::Instant;

/// An event with its bytes.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) seq: u64,
    pub(crate) at: UnixMs,
    /// By a clock that is never set.
    pub(crate) made: Instant,
    pub(crate) agent: AgentId,
    pub(crate) kind: &'static str,
    /// The id of the prompt that has ended by it.
    pub(crate) resolved: Option<Box<str>>,
    message: Message,
}

/// One message for a watcher. Cloning it copies nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    /// As an event stream has it; the JSON is a part of it.
    whole: Bytes,
    json: Range<usize>,
}

impl Frame {
    pub(crate) fn new(seq: u64, event: &Event) -> serde_json::Result<Self> {
        let kind = event.body.kind();
        let mut message = String::with_capacity(1_024);
        // Writing to a string cannot fail.
        write!(message, "id: {seq}\nevent: {kind}\ndata: ").ok();
        let mut message = message.into_bytes();
        let start = message.len();
        serde_json::to_writer(&mut message, event)?;
        let json = start..message.len();
        message.extend_from_slice(b"\n\n");
        let (at, agent) = (event.at, event.agent_id.clone());
        let message = Message { whole: Bytes::from(message), json };
        let resolved = match &event.body {
            EventBody::PromptResolved { prompt } => Some(prompt.id.as_str().into()),
            _ => None,
        };
        Ok(Self { seq, at, made: Instant::now(), agent, kind, resolved, message })
    }

    /// The event's JSON. The same bytes are stored.
    pub(crate) fn json(&self) -> &[u8] {
        &self.message.whole[self.message.json.clone()]
    }

    /// As an event stream has it.
    pub(crate) fn whole(&self) -> &Bytes {
        &self.message.whole
    }

    pub(crate) fn message(&self) -> Message {
        self.message.clone()
    }
}

impl Message {
    /// `id` (absent where the message is no place in the log), type and one line of JSON.
    pub(crate) fn new(id: Option<u64>, kind: &str, json: &[u8]) -> Self {
        let mut message = Vec::with_capacity(json.len() + kind.len() + 48);
        if let Some(id) = id {
            message.extend_from_slice(format!("id: {id}\n").as_bytes());
        }
        for part in [b"event: ", kind.as_bytes(), b"\ndata: "] {
            message.extend_from_slice(part);
        }
        let start = message.len();
        message.extend_from_slice(json);
        let json = start..message.len();
        message.extend_from_slice(b"\n\n");
        Self { whole: Bytes::from(message), json }
    }

    /// For an event stream.
    pub(crate) fn whole(&self) -> &Bytes {
        &self.whole
    }

    /// For a web socket: the JSON names its type and its cursor itself.
    pub(crate) fn json(&self) -> Bytes {
        self.whole.slice(self.json.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stored_bytes_are_the_sent_bytes() {
        let event = Event {
            schema: 1,
            cursor: "7".into(),
            at: UnixMs(0),
            agent_id: AgentId::new("api").unwrap(),
            spooled: false,
            reported_at: None,
            body: EventBody::TurnStarted { turn_seq: 2 },
        };
        let frame = Frame::new(7, &event).unwrap();
        assert_eq!(serde_json::from_slice::<Event>(frame.json()).unwrap(), event);
        assert_eq!(frame.message(), Message::new(Some(7), "turn.started", frame.json()));
        assert_eq!(frame.message().json(), frame.json());
    }
}
