//! `headsup hook KIND [EVENT]`: what coding agents run at their events, payload on stdin.
//!
//! Nothing here may delay or break the agent. Every wait has a deadline, every failure is silent,
//! the exit code is 0 by construction, and stdout carries only the body of a 200 answer, a JSON object. Std and
//! rustix alone: no runtime, no logger, no configuration file; a hub behind TLS is left to the
//! client's means. What the hub does not take at once goes to the spool, from which the hub
//! fetches it.
//!
//! A usual hook does not come here: `crates/front` has told the hub before the C library started, and
//! says what it has done (`before`) where the rest is for us.

#[path = "../../front/src/answer.rs"]
mod answer;
mod args;
mod before;
mod connect;
mod context;
mod deadline;
pub(crate) mod deliver;
mod exchange;
mod handover;
#[path = "../../front/src/json.rs"]
mod json;
mod lock;
#[path = "../../front/src/number.rs"]
mod number;
mod overflow;
mod payload;
mod print;
pub(crate) mod process;
mod queue;
mod request;
mod shrink;
mod skimmed;

use crate::place::{Place, Url};
use args::Invocation;
use deadline::Deadline;
use headsup_core::spool::{Record, Report};
use headsup_core::time::UnixMs;
use std::path::Path;
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A stdin that is not closed is given up at this age of the process.
const STDIN: Duration = Duration::from_millis(350);
/// From the end of stdin: connecting, writing, reading the answer.
const EXCHANGE: Duration = Duration::from_millis(45);
/// The same behind TLS, where name, keys and a longer way are to be paid for.
const EXCHANGE_TLS: Duration = Duration::from_millis(90);
/// From the end of that: waiting for the spool's lock.
const LOCK: Duration = Duration::from_millis(40);
/// From the end of stdin: everything. What is left to 150 ms (with an unclosed stdin to 500 ms)
/// is for starting and ending the process.
const TOTAL: Duration = Duration::from_millis(140);

/// Whether the command line asks for the hook. A question for help is left to the real parser.
pub(crate) fn is_wanted() -> bool {
    args::is_wanted(std::env::args_os())
}

/// Reports the event and succeeds, whatever happens.
pub(crate) fn run() -> ExitCode {
    let start = Instant::now();
    std::panic::set_hook(Box::new(|_| {}));
    // A panic is a lost report; the agent must not notice.
    std::panic::catch_unwind(|| report(start)).unwrap_or_default();
    ExitCode::SUCCESS
}

fn report(start: Instant) {
    let Some(Invocation { kind, event }) = args::parse(std::env::args_os()) else { return };
    let place = Place::from_env();
    let Some(url) = place.url else { return };

    let before = before::left(std::env::args_os());
    let start = before.started.unwrap_or(start);
    let body = match before.read_at {
        Some(_) => before.body,
        None => payload::read(before.body, Deadline::at(start + STDIN)),
    };
    let now = before.read_at.unwrap_or_else(Instant::now);
    if body.trim_ascii().is_empty() {
        return;
    }
    let body = payload::fit(body);
    let named = event.as_deref().or_else(|| payload::event_name(&body));
    let report = Report {
        context: Some(context::gather(&kind, named)),
        id: before.id.unwrap_or_else(request::unique_id),
        // What was heard while the hub was asked in vain is newer.
        reported_at: wall_clock(now),
        agent: request::agent_id(),
        agent_token: request::header_value("HEADSUP_AGENT_TOKEN"),
        kind,
        event,
        is_transition: false,
        body,
    };

    let is_tls = matches!(url, Url::Https(_));
    let end = now + if is_tls { EXCHANGE_TLS } else { EXCHANGE };
    let outcome = match &url {
        _ if before.is_tried => exchange::Outcome::Undelivered,
        Url::Https(authority) => handover::post(&url, authority, &report, Deadline::at(end)),
        Url::Unix(_) | Url::Http(_) | Url::Other(_) => {
            exchange::post(&url, &report, Deadline::at(end))
        }
    };
    match outcome {
        exchange::Outcome::Final => {}
        exchange::Outcome::Answer(body) => print::stdout(&body, Deadline::at(now + TOTAL)),
        exchange::Outcome::Undelivered => {
            if let Some(home) = place.home {
                spool(&home, report, Deadline::at(end + LOCK), now + TOTAL);
            }
        }
    }
}

/// `lock` is for the spool's lock, `end` for everything.
fn spool(home: &Path, mut report: Report, lock: Deadline, end: Instant) {
    let event = report.event.as_deref().or_else(|| payload::event_name(&report.body));
    report.is_transition =
        event.is_some_and(|event| headsup_adapters::is_transition(&report.kind, event));
    end_at(end);
    queue::append(home, &Record::Report(report), lock).ok();
}

/// Ends the process at `moment` if it still runs: no deadline of ours reaches into a disk that
/// hangs. Where no thread can be started the disk is trusted.
fn end_at(moment: Instant) {
    #[expect(clippy::exit, reason = "the other thread cannot be asked to stop")]
    let watch = move || {
        while !Deadline::at(moment).has_passed() {
            thread::park_timeout(moment.saturating_duration_since(Instant::now()));
        }
        std::process::exit(0)
    };
    thread::Builder::new().stack_size(64 << 10).spawn(watch).ok();
}

fn wall_clock(moment: Instant) -> UnixMs {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let since_epoch = since_epoch.saturating_sub(moment.elapsed());
    UnixMs(i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX))
}
