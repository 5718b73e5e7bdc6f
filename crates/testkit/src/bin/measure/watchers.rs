//! From a report to those who watch: W1, W2, W4 and E1.

use crate::all::Bench;
use crate::crowd_of_watchers::Watchers;
use crate::load::{self, Line as Open};
use crate::promise::Limit::{self, AtMost};
use crate::promise::{Line, Promise, Unit};
use crate::stats::{Times, figure, median, millis};
use crate::{Outcome, floor, spawn};
use headsup_testkit::home::Home;
use headsup_testkit::hub::Hub;
use headsup_testkit::instructions::answer_all;
use std::io::Write as _;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

const W1: Promise = Promise::new("W1", "report to one watcher, p50", Unit::Ms, AtMost(0.15));
const W1_P99: Promise = Promise::new("W1", "report to one watcher, p99", Unit::Ms, AtMost(1.0));
const W1_CALM: Promise =
    Promise::new("W1", "the same behind 55 ms without a report, p50", Unit::Ms, Limit::None);
const W2: Promise = Promise::new(
    "W2",
    "1,000 watchers, the last one's p99 over a TCP write loop",
    Unit::Times,
    AtMost(1.5),
)
.stretch(1.0);
const W4: Promise =
    Promise::new("W4", "1,000 watchers, 1,000 reports/s: processor", Unit::Cores, AtMost(0.3));
const W4_BEHIND: Promise =
    Promise::new("W4", "1,000 watchers, 1,000 reports/s: furthest behind", Unit::Ms, AtMost(150.0));
const E1: Promise = Promise::new("E1", "hook start to web socket, p50", Unit::Ms, AtMost(1.0));
const E1_P99: Promise = Promise::new("E1", "hook start to web socket, p99", Unit::Ms, AtMost(5.0));

const CROWD: usize = 1_000;
const AGENTS: usize = 100;
/// So long nothing happens before what is measured on its own.
const CALM: Duration = Duration::from_millis(55);
/// 20 events a second: so often each of many watchers is written to.
const PACE: Duration = Duration::from_millis(50);

pub(crate) fn measure(bench: &Bench) -> Outcome<Vec<Line>> {
    let home = bench.home();
    let hub = Hub::start(&home);
    bench.say("one watcher")?;
    let rounds = bench.pick(200, 50);
    let one = bench.rounds(|| one_watcher(&home, rounds))?;
    let relayed = bench.rounds(|| one_relayed(&home, rounds))?;
    let calm = bench.rounds(|| one_at_rest(&home, rounds))?;
    let of = |times: &[Times], of: fn(&Times) -> f64| median(times.iter().map(of));
    let beside = format!("a TCP write loop {:.3} ms, behind a rest", of(&relayed, Times::p50));
    let mut lines = vec![
        W1.is(of(&one, Times::p50), beside.clone()),
        W1_P99.is(of(&one, Times::p99), format!("the loop {:.3} ms", of(&relayed, Times::p99))),
        W1_CALM.is(of(&calm, Times::p50), beside),
    ];
    bench.say("hook to web socket")?;
    let end_to_end = bench.rounds(|| hook_to_socket(&home, rounds))?;
    let client = floor::client(home.path())?;
    let paced = bench.rounds(|| paced_floor(&home, &client, rounds))?;
    let beside = format!(
        "from before the fork to the frame; F from start to end at this pace {:.3} ms",
        of(&paced, Times::p50)
    );
    lines.push(E1.is(of(&end_to_end, Times::p50), beside));
    lines.push(E1_P99.is(of(&end_to_end, Times::p99), ""));
    bench.say("1,000 watchers")?;
    let events = bench.pick(200, 60);
    let both = bench.rounds(|| Ok([last_of_many(&home, events)?, last_relayed(&home, events)?]))?;
    let ratio = median(both.iter().map(|[ours, floor]| ours.p99() / floor.p99()));
    let of = |which: usize| median(both.iter().map(|round| round[which].p99()));
    lines.push(W2.is(ratio, format!("{:.1} ms over {:.1} ms", of(0), of(1))));
    bench.say("1,000 watchers, 1,000 reports/s")?;
    let (cores, behind) = flood(&home, &hub, Duration::from_secs(bench.pick(10, 4)))?;
    lines.push(W4.is(cores, "all threads of the hub, taking the reports too"));
    lines.push(W4_BEHIND.is(behind, ""));
    Ok(lines)
}

/// An event stream that has caught up; its head has been read.
fn stream(home: &Home, query: &str) -> Outcome<UnixStream> {
    let mut stream = UnixStream::connect(home.socket())?;
    let head = format!("GET /api/v1/events?{query} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    stream.write_all(head.as_bytes())?;
    until(&mut stream, b": up to date\n\n")?;
    Ok(stream)
}

/// Reads until the bytes have come; little comes at a time here.
fn until(stream: &mut impl std::io::Read, mark: &[u8]) -> Outcome<()> {
    let (mut seen, mut piece) = (Vec::new(), [0; 16 << 10]);
    while !seen.windows(mark.len()).any(|window| window == mark) {
        match stream.read(&mut piece)? {
            0 => return Err("the stream ended".into()),
            more => seen.extend_from_slice(&piece[..more]),
        }
    }
    Ok(())
}

/// From before a report is written to its event being read, on connections that are open. Reports follow one another.
pub(crate) fn one_watcher(home: &Home, rounds: usize) -> Outcome<Times> {
    each_prompt(home, 9_999, rounds, |watcher, reporter, prompt| {
        let heard = std::thread::scope(|scope| {
            // Its start and its way to the read are in the time.
            let heard = scope.spawn(|| {
                let heard = until(watcher, b"turn.started").is_ok();
                (heard, Instant::now())
            });
            let start = Instant::now();
            reporter.post(prompt).map(|()| (start, heard.join()))
        })?;
        let (start, heard) = heard;
        let (true, heard) = heard.map_err(|_| "the watcher died")? else {
            return Err("the stream ended".into());
        };
        Ok(heard.saturating_duration_since(start))
    })
}

/// The same of turns that begin when nothing has happened for a while.
fn one_at_rest(home: &Home, rounds: usize) -> Outcome<Times> {
    each_prompt(home, 9_998, rounds, |watcher, reporter, prompt| {
        pause(Instant::now(), CALM);
        let start = Instant::now();
        reporter.send(prompt)?;
        until(watcher, b"turn.started")?;
        let took = start.elapsed();
        reporter.accepted()?;
        Ok(took)
    })
}

/// Whole turns of one session, of which `time` tells the beginning and how long a watcher waits to hear of it.
fn each_prompt(
    home: &Home,
    session: usize,
    rounds: usize,
    mut time: impl FnMut(&mut UnixStream, &mut Open, &str) -> Outcome<Duration>,
) -> Outcome<Times> {
    let mut watcher = stream(home, "since=now&type=turn.started")?;
    let mut reporter = Open::open(&home.socket())?;
    let mut times = Vec::new();
    for round in 0..rounds * 4 {
        let request = load::request(session, round, false);
        match round % 4 {
            0 => times.push(time(&mut watcher, &mut reporter, &request)?),
            _ => reporter.post(&request)?,
        }
    }
    Ok(Times::new(times))
}

fn one_relayed(home: &Home, rounds: usize) -> Outcome<Times> {
    let mut relay = floor::relay(home.path(), 1)?;
    let mut times = Vec::new();
    for _ in 0..rounds {
        pause(Instant::now(), CALM);
        let start = Instant::now();
        relay.teller.write_all(&frame())?;
        until(&mut relay.watchers[0], b"\n\n")?;
        times.push(start.elapsed());
    }
    Ok(Times::new(times))
}

/// As long as a usual event.
fn frame() -> Vec<u8> {
    let mut frame = vec![b'x'; 211];
    frame.push(b'\n');
    frame
}

pub(crate) fn hook_to_socket(home: &Home, rounds: usize) -> Outcome<Times> {
    let mut socket = UnixStream::connect(home.socket())?;
    let head = "GET /api/v1/ws?since=now&type=turn.started HTTP/1.1\r\nHost: localhost\r\n\
                Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    socket.write_all(head.as_bytes())?;
    until(&mut socket, b"\r\n\r\n")?;
    let mut times = Vec::new();
    for _ in 0..rounds {
        for (event, is_told) in [("UserPromptSubmit", true), ("Stop", false)] {
            let payload = format!(
                "{{\"hook_event_name\":\"{event}\",\"session_id\":\"s\",\"prompt\":\"go\",\
                 \"background_tasks\":[]}}"
            );
            let mut command = home.command(["hook", load::KIND, event]);
            command.env("HEADSUP_AGENT_ID", "end-to-end");
            let start = Instant::now();
            let mut child = spawn::start_fed(command, payload.as_bytes())?;
            if is_told {
                until(&mut socket, b"turn.started")?;
                times.push(start.elapsed());
            }
            child.wait()?;
        }
        pause(Instant::now(), CALM);
    }
    Ok(Times::new(times))
}

/// What a start costs a program that has not run for as long as the hooks here.
fn paced_floor(home: &Home, client: &Path, rounds: usize) -> Outcome<Times> {
    let socket = home.path().join("paced.sock");
    answer_all(&socket)?;
    let payload = b"{}";
    let mut times = Vec::new();
    for _ in 0..rounds {
        pause(Instant::now(), CALM);
        let mut command = Command::new(client);
        command.arg(&socket).env_clear();
        times.push(spawn::time(command, payload)?);
    }
    std::fs::remove_file(&socket)?;
    Ok(Times::new(times))
}

/// For each event: from before its report to the last watcher having it.
fn last_of_many(home: &Home, events: usize) -> Outcome<Times> {
    let streams = (0..CROWD).map(|_| stream(home, "since=now&type=turn.started"));
    let mut watchers = Watchers::new(streams.collect::<Outcome<Vec<_>>>()?)?;
    let mut reporter = Open::open(&home.socket())?;
    let mut times = Vec::new();
    for event in 0..events * 4 {
        let request = load::request(9_998, event, false);
        let start = Instant::now();
        reporter.post(&request)?;
        if event % 4 == 0 {
            watchers.until_all_have_one()?;
            times.push(start.elapsed());
            pause(start, PACE);
        }
    }
    Ok(Times::new(times))
}

fn last_relayed(home: &Home, events: usize) -> Outcome<Times> {
    let relay = floor::relay(home.path(), CROWD)?;
    let mut teller = relay.teller;
    let mut watchers = Watchers::new(relay.watchers)?;
    let mut times = Vec::new();
    for _ in 0..events {
        let start = Instant::now();
        teller.write_all(&frame())?;
        watchers.until_all_have_one()?;
        times.push(start.elapsed());
        pause(start, PACE);
    }
    Ok(Times::new(times))
}

/// Until so much time has passed since then, whatever else may wake this thread.
fn pause(since: Instant, rest: Duration) {
    let next = since + rest;
    while let Some(left) = next.checked_duration_since(Instant::now()) {
        std::thread::park_timeout(left);
    }
}

/// Cores that the hub uses, and how far the last watcher was behind at worst, in milliseconds.
fn flood(home: &Home, hub: &Hub, time: Duration) -> Outcome<(f64, f64)> {
    let streams = (0..CROWD).map(|_| stream(home, "since=now"));
    let mut watchers = Watchers::new(streams.collect::<Outcome<Vec<_>>>()?)?;
    let socket = home.socket();
    let (start, before) = (Instant::now(), spawn::cpu(hub.pid())?);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let Ok(mut line) = Open::open(&socket) else { return };
            for n in 0_u32.. {
                let due = start + Duration::from_millis(n.into());
                if due > start + time {
                    return;
                }
                if let Some(wait) = due.checked_duration_since(Instant::now()) {
                    std::thread::park_timeout(wait);
                }
                let (n, agents) = (usize::try_from(n).unwrap_or(0), AGENTS);
                let _refused = line.post(&load::request(n % agents, n / agents, false));
            }
        });
        watchers.read_for(time)
    })?;
    let used = spawn::cpu(hub.pid())?.saturating_sub(before);
    Ok((millis(used) / millis(start.elapsed()), figure(watchers.behind_ms)))
}
