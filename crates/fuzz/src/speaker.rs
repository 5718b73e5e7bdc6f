//! What an agent and its client say in the Agent Client Protocol, what headless runs say line by line,
//! and what is told of it.

use headsup_adapters::HookContext;
use headsup_adapters::acp::{Said, Side, Traffic};
use headsup_adapters::stream::{self, Stream};
use headsup_core::observation::Fact;

/// More than is told of any message.
const LONGEST: usize = 64 << 10;

/// What begins with `>` is the client's. It does not depend on the pieces in which it comes, and what
/// is told of it can be understood.
pub(crate) fn traffic(bytes: &[u8]) {
    let whole = told(bytes, bytes.len().max(1));
    assert_eq!(told(bytes, 1), whole);
    for said in whole {
        let body = said.body();
        assert!(body.len() <= LONGEST, "{}", body.len());
        let event = Some(said.event.word());
        let seen = headsup_adapters::hook("acp:some", event, &body, &HookContext::default());
        // What is strange is told under its own name.
        let is_named =
            |name: &str| name == said.event.word() || said.strange.is_some() && !name.is_empty();
        assert!(seen.is_ok_and(|seen| is_named(&seen.event)));
    }
    // Whatever else is told under that kind.
    headsup_adapters::hook("acp:some", None, bytes, &HookContext::default()).ok();
}

fn told(bytes: &[u8], size: usize) -> Vec<Said> {
    let (mut traffic, mut told) = (Traffic::new("t"), Vec::new());
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let (side, line) = match line.strip_prefix(b">") {
            Some(line) => (Side::Client, line),
            None => (Side::Agent, line),
        };
        for piece in line.chunks(size) {
            traffic.feed(side, piece, |said| told.push(said));
        }
    }
    for side in [Side::Client, Side::Agent] {
        traffic.finish(side, |said| told.push(said));
    }
    told.extend(traffic.stands());
    told
}

/// A headless run of each kind. What is told of it does not depend on the pieces in which it comes,
/// is small, and can be understood.
pub(crate) fn headless(bytes: &[u8]) {
    let kinds = headsup_adapters::kinds().iter().filter(|kind| stream::is_known(kind));
    for kind in kinds {
        let whole = shown(kind, bytes, bytes.len().max(1));
        assert_eq!(shown(kind, bytes, 1), whole);
        for body in whole {
            assert!(body.len() <= LONGEST, "{}", body.len());
            let context = HookContext::default();
            let seen = headsup_adapters::hook(kind, Some(stream::EVENT), &body, &context);
            let is_read = seen.is_ok_and(|seen| !matches!(seen.fact, Fact::NotUnderstood { .. }));
            assert!(is_read, "{}", String::from_utf8_lossy(&body));
        }
        headsup_adapters::hook(kind, Some(stream::EVENT), bytes, &HookContext::default()).ok();
    }
}

fn shown(kind: &str, bytes: &[u8], size: usize) -> Vec<Vec<u8>> {
    let (mut stream, mut shown) = (Stream::new(kind), Vec::new());
    for piece in bytes.chunks(size) {
        stream.feed(piece, |body| shown.push(body));
    }
    stream.finish(|body| shown.push(body));
    shown.extend(stream.stands());
    shown
}
