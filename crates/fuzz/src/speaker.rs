//! What an agent and its client say in the Agent Client Protocol, what headless runs say line by line,
//! and what is told of it.

use headsup_adapters::acp::{Said, Side, Traffic};
use headsup_adapters::bus::{self, Follower, Served};
use headsup_adapters::stream::{self, Stream};
use headsup_adapters::{HookContext, resume};
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

/// What a program's own server says, a message a line. What is told of it is small and can be understood; the same
/// program, asked again, stands as it stood.
pub(crate) fn followed(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let kinds = headsup_adapters::kinds().iter().filter(|kind| bus::is_known(kind));
    for (kind, is_shared) in kinds.flat_map(|kind| [(kind, false), (kind, true)]) {
        let mut follower = Follower::new(Served { port: None, is_shared });
        let mut told = Vec::new();
        for line in text.lines() {
            follower.unknown(line);
            told.extend(follower.heard(line));
        }
        told.extend(follower.stands());
        let mut lines = text.lines().chain([""; 3]);
        let lists = [(); 3].map(|()| lines.next().unwrap_or_default());
        follower.unknown_in(lists);
        told.extend(follower.snapshot("/home/ada", lists, &[]));
        told.extend(lists.iter().filter_map(|line| follower.learn(line)));
        assert_eq!(follower.stands(), follower.stands());
        for body in told {
            assert!(body.len() <= LONGEST, "{}", body.len());
            let context = HookContext::default();
            let seen = headsup_adapters::hook(kind, Some(stream::EVENT), &body, &context);
            let is_read = seen.is_ok_and(|seen| !matches!(seen.fact, Fact::NotUnderstood { .. }));
            assert!(is_read, "{}", String::from_utf8_lossy(&body));
        }
    }
}

/// The words that a program was started with, a line each: what is kept of them stood there, in that order, and
/// answers as all of them do.
pub(crate) fn words(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let words: Vec<String> = text.lines().map(str::to_owned).collect();
    for kind in headsup_adapters::kinds() {
        if let Some(served) = bus::served(kind, &words) {
            assert_ne!(served.port, Some(0));
        }
        let place = resume::place_of(kind, &words);
        assert!(place.is_none_or(|place| place < words.len()));
        headsup_adapters::is_service(kind, &words);
        headsup_adapters::serves_terminals(kind, &words);
        let Some(kept) = resume::kept(kind, &words) else { continue };
        // An option that forbids it is kept without its value.
        let is = |of: &String, word: &str| {
            of.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
        };
        let mut rest = words.iter();
        assert!(kept.iter().all(|word| rest.any(|of| is(of, word))), "{kept:?} of {words:?}");
        let again = |first: &[String]| resume::arguments(kind, first, "s-1", None);
        assert_eq!(again(&kept), again(&words));
    }
    if let Some(typed) = resume::typed(&words, "/state/headsup/") {
        assert!(!typed.iter().any(|word| word.contains("/state/headsup/")), "{typed:?}");
    }
}
