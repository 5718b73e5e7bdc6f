//! What `headsup hook` does before anything else is there: no C library, no allocator, no runtime.
//!
//! Most of a hook's life is its start: the C library asks the processor some forty questions, which
//! a hypervisor answers slowly, and the runtime looks at its own stack. So the release's entry point
//! is ours (`entry.rs`). A hook of the usual kind, in the usual place, that the hub takes at once, or for which it
//! is not there and the spool is (`spool.rs`), is over before all that. Everything else is left to the program that
//! follows, which starts as if we had not been there: options, odd bytes, TCP, a hub that is slow, a full disk.
//! What was read from standard input by then, and whether the hub may have it already, is handed over
//! (`handover.rs`), so that nothing is lost and nothing told twice.
//!
//! This crate is no dependency of anything (the program has three files of it, `answer.rs`, `json.rs` and `number.rs`, by
//! their path). `headsup/build.rs` compiles it to one object file, by the
//! compiler alone, and links that. So it needs nothing but `core`, calls nothing that stands outside of
//! the object (`entry.rs` has the functions that the compiler expects of a C library), and does not
//! panic. What it tells the hub is byte for byte what `headsup/src/hook` would tell: a test in
//! `headsup/tests/hook` holds the two against each other.

#![cfg_attr(not(test), no_std)]
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

#[path = "../../adapters/src/hook_table/events.rs"]
mod events;
#[path = "../../core/src/spool/format.rs"]
mod format;
#[path = "../../adapters/src/hook_table/told.rs"]
mod told;

mod answer;
mod context;
mod entry;
mod handover;
mod json;
mod number;
mod payload;
mod process;
mod report;
mod spool;
mod surroundings;
mod system;
mod text;

use events::Events;
use handover::Handover;
use payload::Input;
use report::Outcome;
use surroundings::Surroundings;
use system::{Fd, Kind, MONOTONIC, Stack};

/// As in `headsup/src/hook.rs`: a standard input that is not closed is given up at this age.
const STDIN_NS: u64 = 350_000_000;
/// From the end of standard input: connecting, writing, reading the answer.
const EXCHANGE_NS: u64 = 45_000_000;
/// From there: everything.
const TOTAL_NS: u64 = 140_000_000;
/// A longer payload is shrunk first, which is not for us.
const MAX_BODY: usize = 256 << 10;
/// A longer body of a 200 is not printed, nor is one that is no JSON object.
const MAX_ANSWER: usize = 1 << 20;

/// Where everything is written: zero pages of the program, of which only those that are used exist.
pub(crate) struct Room {
    context: [u8; 4096],
    head: [u8; 12 << 10],
    body: [u8; MAX_BODY + 1],
    answer: [u8; MAX_ANSWER + (16 << 10)],
    /// Each byte of a body may take two.
    words: [u8; 2 * MAX_BODY + 256],
    /// When all of it ends.
    time: [u64; 2],
}

/// Does what there is to do, and ends the process; or returns, and the program starts.
fn run(stack: &mut Stack, room: &'static mut Room) -> Option<()> {
    let around = Surroundings::of(stack)?;
    let start = system::now(MONOTONIC)?;
    // A closed one would become ours.
    Fd::STDERR.kind()?;
    // A file may have a limit, which the program looks at.
    (Fd::STDOUT.kind()? != Kind::File).then_some(())?;
    let input = payload::input(Fd::STDIN)?;
    // The hub wakes, and takes the connection, while we look around.
    let mut hub = system::connect(&around.socket).ok();
    let is_done = tell(stack, room, &around, &input, start, &mut hub);
    if let Some(hub) = hub {
        hub.close();
    }
    is_done
}

/// The report, to the hub that was reached, or else to one that has come meanwhile, or to the spool.
fn tell(
    stack: &mut Stack,
    room: &'static mut Room,
    around: &Surroundings,
    input: &Input,
    start: u64,
    hub: &mut Option<Fd>,
) -> Option<()> {
    // Without hub and spool there is nothing to do in a hurry, and nothing of the input is touched.
    let is_asked = hub.is_some() || around.socket.is_there();
    (is_asked || system::is_there(&around.spool)).then_some(())?;
    let context = context::gather(around, &mut room.context)?;
    let id = report::unique_id()?;

    let Room { body, answer, head, words, time, .. } = room;
    let read = payload::read(input, body, start.saturating_add(STDIN_NS));
    let mut handover = Handover { start, read_at: 0, id, is_tried: false };
    let body = body.get(..read.length)?;
    if !read.is_whole {
        return handover.leave(stack, words, body);
    }
    // What was read is lost where we leave without handing it over.
    let Some(now) = system::now(MONOTONIC) else { return handover.leave(stack, words, body) };
    if body.iter().all(u8::is_ascii_whitespace) {
        system::exit();
    }
    handover.read_at = now;
    let Some(head) = report::head(around, &handover.id, context, body.len(), head) else {
        return handover.leave(stack, words, body);
    };
    let end = now.saturating_add(TOTAL_NS);
    let hub = match hub.take() {
        Some(hub) => Ok(hub),
        // One may have come while we read.
        None if is_asked || around.socket.is_there() => report::reach(&around.socket),
        None => Err(Outcome::Absent),
    };
    let outcome = match hub {
        Ok(hub) => report::post(hub, head, body, answer, now.saturating_add(EXCHANGE_NS)),
        Err(outcome) => outcome,
    };
    match outcome {
        Outcome::Final => system::exit(),
        Outcome::Answer(text) => {
            report::print(text, end);
            system::exit()
        }
        Outcome::Absent => {}
        Outcome::Untold => return handover.leave(stack, words, body),
        Outcome::Undelivered => handover.is_tried = true,
    }
    if let Some(events) = Events::of(around.kind) {
        system::end_at(end, time);
        let is_transition = events.change(around.event);
        let report = spool::Report { around, id: &handover.id, is_transition, context, body };
        if spool::keep(&report, now, answer).is_some() {
            system::exit();
        }
    }
    handover.leave(stack, words, body)
}
