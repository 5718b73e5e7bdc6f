//! Parts of the hub beside the least that does the same. `inside store SECONDS FOLDER` prints
//! how many reports a second the store takes from 16 reporters, and how many bare `SQLite` takes that
//! writes the same rows, in that empty folder; `inside fill EVENTS FOLDER` fills the log of the hub whose
//! state folder that is, and says on standard error how far it is; `inside check FOLDER` prints what `SQLite`'s
//! integrity check says of the database there; `inside callers AGENTS TIMES` looks up so often who asks, among so many
//! agents (under `valgrind --tool=callgrind`: the difference of two TIMES is what one costs); `inside transcript MB` prints the GB/s at which logs are read, and at which a
//! typed `serde_json` reads the same members. For `measure`.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a program for a person to run"
)]

use headsup_daemon::measure::{self, Callers, Log, Row};
use rusqlite::{Connection, params};
use serde::Deserialize;
use std::borrow::Cow;
use std::path::Path;
use std::sync::mpsc::{SyncSender, channel, sync_channel};
use std::time::{Duration, Instant};

const REPORTERS: usize = 16;
/// In one commit, at most.
const GROUP: usize = 512;
/// Pages of the write-ahead log between two checkpoints.
const CHECKPOINT: u32 = 4_000;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words[..] {
        ["store", seconds, folder] => {
            let time = Duration::from_secs(seconds.parse().unwrap());
            println!("{} {}", store(time, folder.as_ref()), bare(time, folder.as_ref()));
        }
        ["fill", events, folder] => fill(events.parse().unwrap(), folder.as_ref()),
        ["check", folder] => println!("{}", check(folder.as_ref())),
        ["callers", agents, times] => {
            let callers = Callers::new(agents.parse().unwrap());
            let found = (0..times.parse().unwrap()).filter_map(|_: u32| callers.ask()).count();
            println!("{found} found");
        }
        ["transcript", megabytes] => {
            let lines = lines(megabytes.parse().unwrap());
            println!("{} {}", scan(&lines, ours), scan(&lines, typed));
        }
        _ => println!("see the top of bin/inside.rs"),
    }
}

fn fill(events: u64, folder: &Path) {
    let start = Instant::now();
    let mut said = start;
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let say = |now: u64| eprintln!("{now} of {events} events in {} s", start.elapsed().as_secs());
    let filled = runtime.block_on(measure::fill(folder, events, |now| {
        if said.elapsed() >= Duration::from_secs(2) {
            said = Instant::now();
            say(now);
        }
    }));
    say(filled.unwrap());
}

/// All of it, with what the write-ahead log of a killed hub holds: `ok`, or what is wrong.
fn check(folder: &Path) -> String {
    let connection = Connection::open(folder.join("headsup.db")).unwrap();
    let mut check = connection.prepare("PRAGMA integrity_check").unwrap();
    let rows = check.query_map([], |row| row.get(0)).unwrap();
    rows.map(Result::unwrap).collect::<Vec<String>>().join("; ")
}

fn store(time: Duration, folder: &Path) -> f64 {
    let mut log = Log::open(folder, REPORTERS, CHECKPOINT).unwrap();
    rate(time, |group| log.commit(group).unwrap())
}

/// The same rows, of bytes that are there already.
fn bare(time: Duration, folder: &Path) -> f64 {
    let mut connection = Connection::open(folder.join("bare.db")).unwrap();
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(())).unwrap();
    connection.pragma_update(None, "synchronous", "NORMAL").unwrap();
    connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT).unwrap();
    connection.pragma_update(None, "cache_size", -4_096).unwrap();
    let tables = include_str!("../store/migrations/0001_log_and_seats.sql");
    connection.execute_batch(tables).unwrap();
    let mut seq = 0_i64;
    let (sample, mut turns) = (Row::sample(), [false; REPORTERS]);
    rate(time, |group| {
        let transaction = connection.transaction().unwrap();
        let mut event = transaction
            .prepare_cached(
                "INSERT INTO events (seq, at, agent, type, body) VALUES (?, ?, ?, ?, ?)",
            )
            .unwrap();
        let mut seat = transaction
            .prepare_cached(
                "INSERT INTO seats (id, state) VALUES (?1, ?2)
                 ON CONFLICT (id) DO UPDATE SET state = excluded.state",
            )
            .unwrap();
        let mut id = transaction
            .prepare_cached("INSERT OR IGNORE INTO report_ids (id, seq, digest) VALUES (?, ?, ?)")
            .unwrap();
        for reporter in group {
            seq += 1;
            let agent = Row::agent(*reporter);
            event.execute(params![seq, 7, agent, sample.kind, sample.event]).unwrap();
            let turn = &mut turns[*reporter];
            *turn = !*turn;
            seat.execute(params![agent, sample.seats[usize::from(*turn)]]).unwrap();
            id.execute(params![Row::id(seq.cast_unsigned()), seq, 7]).unwrap();
        }
        drop((event, seat, id));
        transaction.commit().unwrap();
    })
}

/// Reports a second: each reporter waits for its commit before it comes again.
fn rate(time: Duration, mut commit: impl FnMut(&[usize])) -> f64 {
    let (sender, jobs) = channel::<(usize, SyncSender<()>)>();
    let start = Instant::now();
    let mut done = 0_u32;
    std::thread::scope(|scope| {
        for reporter in 0..REPORTERS {
            let sender = sender.clone();
            scope.spawn(move || {
                let (answer, answered) = sync_channel(1);
                while start.elapsed() < time {
                    sender.send((reporter, answer.clone())).unwrap();
                    answered.recv().unwrap();
                }
            });
        }
        drop(sender);
        while let Ok(first) = jobs.recv() {
            let group: Vec<_> =
                std::iter::once(first).chain(jobs.try_iter().take(GROUP - 1)).collect();
            let reporters: Vec<usize> = group.iter().map(|(reporter, _)| *reporter).collect();
            commit(&reporters);
            for (_, answer) in group {
                answer.send(()).unwrap();
                done += 1;
            }
        }
    });
    f64::from(done) / start.elapsed().as_secs_f64()
}

/// Recorded lines, again and again.
fn lines(megabytes: usize) -> Vec<Vec<u8>> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../adapters/fixtures");
    let mut recorded = Vec::new();
    collect(&fixtures, &mut recorded);
    let wanted = megabytes * 1_000_000;
    let (mut lines, mut bytes) = (Vec::new(), 0);
    while bytes < wanted {
        lines.extend(recorded.iter().cloned());
        bytes += recorded.iter().map(Vec::len).sum::<usize>();
    }
    lines
}

fn collect(folder: &Path, into: &mut Vec<Vec<u8>>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let is_log = path.extension().is_some_and(|ending| ending == "jsonl");
        if path.is_dir() {
            collect(&path, into);
        } else if is_log && name.starts_with("transcript") {
            let text = std::fs::read(&path).unwrap();
            into.extend(text.split(|byte| *byte == b'\n').skip(1).map(<[u8]>::to_vec));
        }
    }
}

fn scan(lines: &[Vec<u8>], read: fn(&[u8]) -> bool) -> f64 {
    let bytes: usize = lines.iter().map(Vec::len).sum();
    let start = Instant::now();
    let known = lines.iter().filter(|line| read(line)).count();
    let took = start.elapsed();
    assert!(known > lines.len() / 2, "{known} of {} lines", lines.len());
    f64::from(u32::try_from(bytes).unwrap()) / took.as_secs_f64() / 1e9
}

fn ours(line: &[u8]) -> bool {
    headsup_adapters::log_line(headsup_adapters::kinds()[0], line).is_some()
}

/// The members that decide, and nothing else.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "it is read, and that is all")]
struct Typed<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    subtype: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    session_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    prompt_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    timestamp: Option<Cow<'a, str>>,
    #[serde(default)]
    is_sidechain: bool,
    #[serde(default)]
    is_meta: bool,
    #[serde(default)]
    is_api_error_message: bool,
    #[serde(borrow, default)]
    message: Option<Message<'a>>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "it is read, and that is all")]
struct Message<'a> {
    #[serde(borrow, default)]
    model: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    content: Option<Content<'a>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
#[expect(dead_code, reason = "it is read, and that is all")]
enum Content<'a> {
    Text(#[serde(borrow)] Cow<'a, str>),
    Parts(#[serde(borrow)] Vec<Part<'a>>),
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "it is read, and that is all")]
struct Part<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    text: Option<Cow<'a, str>>,
}

fn typed(line: &[u8]) -> bool {
    serde_json::from_slice::<Typed<'_>>(line).is_ok()
}
