//! A reply as a stream of server-sent events, whatever the protocol.

use super::reply::{Part, Reply};
use super::request::Request;
use super::stream::{Step, word};
use super::tools::{self, Call};
use serde_json::Value;

/// How one protocol writes the pieces of an answer. What has been written is remembered.
pub(super) trait Wire {
    /// What comes before everything else.
    fn begin(&mut self) -> String;
    fn text(&mut self, piece: &str) -> String;
    fn thinking(&mut self, text: &str) -> String;
    fn call(&mut self, call: Call) -> String;
    /// What says that the server is still there.
    fn ping(&self) -> String;
    /// A failure in mid-stream.
    fn error(&self, kind: &str) -> String;
    /// The end of a whole message.
    fn end(&mut self, reply: &Reply) -> String;
    /// All that was written, as one document.
    fn document(&mut self, reply: &Reply) -> Value;
}

/// The answer to a request that wants a stream.
pub(super) fn steps(mut wire: impl Wire, reply: &Reply, request: &Request) -> Vec<Step> {
    let mut steps = vec![Step::Send(wire.begin())];
    for (index, part) in reply.parts.iter().enumerate() {
        match part {
            Part::Text(text) => {
                let pieces = text.split_inclusive(' ');
                steps.extend(pieces.map(|piece| Step::Send(wire.text(piece))));
            }
            Part::Thinking(text) => steps.push(Step::Send(wire.thinking(text))),
            Part::Slow(words, each) => {
                for number in 0..*words {
                    steps.push(Step::Wait(*each));
                    steps.push(Step::Send(wire.text(&word(number))));
                }
            }
            Part::Tool(tool) => {
                let call = tools::call(tool, request, index);
                steps.extend(call.map(|call| Step::Send(wire.call(call))));
            }
            Part::Hold(name) => steps.push(Step::Hold(name.clone())),
            Part::Ping => steps.push(Step::Send(wire.ping())),
            Part::Error(kind) => {
                steps.push(Step::Fail { kind: kind.clone(), event: wire.error(kind) });
                return steps;
            }
            Part::Cut => {
                steps.push(Step::Cut);
                return steps;
            }
        }
    }
    steps.push(Step::Finish(wire.end(reply)));
    steps
}

/// The same at once.
pub(super) fn document(mut wire: impl Wire, reply: &Reply, request: &Request) -> Value {
    for (index, part) in reply.parts.iter().enumerate() {
        match part {
            Part::Text(text) => drop(wire.text(text)),
            Part::Thinking(text) => drop(wire.thinking(text)),
            Part::Slow(words, _) => drop(wire.text(&(0..*words).map(word).collect::<String>())),
            Part::Tool(tool) => {
                if let Some(call) = tools::call(tool, request, index) {
                    drop(wire.call(call));
                }
            }
            Part::Hold(_) | Part::Ping | Part::Error(_) | Part::Cut => {}
        }
    }
    wire.document(reply)
}

/// The tokens of an answer: taken in, and given out.
pub(super) fn tokens(reply: &Reply) -> (u64, u64) {
    (reply.taken.unwrap_or(1_200), 20)
}
