//! Memory, start and listing with many agents, and a start over long logs: M1, S1, L1, T2.

use crate::Outcome;
use crate::all::Bench;
use crate::load;
use crate::promise::Limit::AtMost;
use crate::promise::{Line, Promise, Unit};
use crate::spawn::{Case, race, resident_mb};
use crate::stats::{Times, figure, median, millis};
use headsup_testkit::crowd::{Crowd, cursor};
use headsup_testkit::home::Home;
use headsup_testkit::hub::Hub;
use headsup_testkit::{http, wait};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const M1: Promise =
    Promise::new("M1", "resident, empty", Unit::Megabytes, AtMost(12.0)).stretch(8.0);
const M1_FILLED: Promise = Promise::new(
    "M1",
    "resident, 10,000 agents reported one after another",
    Unit::Megabytes,
    AtMost(45.0),
)
.stretch(30.0);
const M1_STARTED: Promise =
    Promise::new("M1", "resident, 10,000 agents, after a start", Unit::Megabytes, AtMost(45.0))
        .stretch(30.0);
const S1: Promise =
    Promise::new("S1", "start to first answer, empty", Unit::Ms, AtMost(10.0)).stretch(3.0);
const S1_FULL: Promise =
    Promise::new("S1", "start to first answer, 10,000 agents", Unit::Ms, AtMost(40.0))
        .stretch(20.0);
const L1: Promise =
    Promise::new("L1", "`ls` with 10,000 agents, p50", Unit::Ms, AtMost(25.0)).stretch(15.0);
const L1_JSON: Promise =
    Promise::new("L1", "`ls --json` with 10,000 agents, p50", Unit::Ms, AtMost(25.0)).stretch(12.0);
const L1_FEW: Promise =
    Promise::new("L1", "`ls` with 100 agents, p50", Unit::Ms, AtMost(2.0)).stretch(1.0);
const T2: Promise =
    Promise::new("T2", "start over 1,000 logs of 5 MB, all watched", Unit::Ms, AtMost(100.0))
        .stretch(20.0);
const T2_EVENTS: Promise = Promise::new("T2", "events that this makes", Unit::Count, AtMost(0.0));

const MANY: usize = 10_000;
const FEW: usize = 100;
/// Behind a load, until chores and caches are done with.
const REST: Duration = Duration::from_secs(3);

pub(crate) fn measure(bench: &Bench) -> Outcome<Vec<Line>> {
    let (empty, few, many) = (bench.home(), bench.home(), bench.home());
    let starts = bench.pick(20, 7);
    bench.say("an empty hub")?;
    let floor = bench.rounds(|| bare_starts(empty.path(), starts))?;
    let floor = median(floor.iter().map(Times::p50));
    let calm = start_times(&empty, starts)?;
    let hub = Hub::start(&empty);
    std::thread::park_timeout(Duration::from_secs(1));
    let mut lines = vec![
        M1.is(resident_mb(hub.pid())?, ""),
        S1.is(calm.p50(), format!("p99 {:.1} ms; bare axum {floor:.1} ms", calm.p99())),
    ];
    hub.kill();
    bench.say("10,000 agents report")?;
    let hub = Hub::start(&many);
    load::fill(&many.socket(), MANY)?;
    std::thread::park_timeout(REST);
    lines.push(M1_FILLED.is(resident_mb(hub.pid())?, "two turns each"));
    many.run(["down"]);
    drop(hub);
    bench.say("starts with 10,000 agents")?;
    let full = start_times(&many, starts)?;
    lines.push(S1_FULL.is(full.p50(), format!("p99 {:.1} ms", full.p99())));
    let hub = Hub::start(&many);
    std::thread::park_timeout(REST);
    lines.push(M1_STARTED.is(resident_mb(hub.pid())?, ""));
    bench.say("listing")?;
    let few_hub = Hub::start(&few);
    load::fill(&few.socket(), FEW)?;
    lines.extend(listing(bench, &few, &many)?);
    drop((hub, few_hub));
    Ok(lines)
}

fn listing(bench: &Bench, few: &Home, many: &Home) -> Outcome<Vec<Line>> {
    let table = || many.command(["ls"]);
    let json = || many.command(["ls", "--json"]);
    let short = || few.command(["ls"]);
    let version = || few.command(["--version"]);
    let cases = [
        Case::new(b"", table),
        Case::new(b"", json),
        Case::new(b"", short),
        Case::new(b"", version),
    ];
    let rounds = bench.pick(40, 12);
    let runs = bench.rounds(|| race(&cases, rounds))?;
    let p50 = |case: usize| median(runs.iter().map(|times: &Vec<Times>| times[case].p50()));
    let raw = bench.rounds(|| {
        let times = (0..rounds).map(|_| {
            let start = Instant::now();
            http::get(&many.socket(), "/api/v1/agents").map(|(_, body)| (start.elapsed(), body))
        });
        let times = times.collect::<Result<Vec<_>, _>>()?;
        let bytes = times.first().map_or(0, |(_, body)| body.len());
        Ok((Times::new(times.into_iter().map(|(time, _)| time)), bytes))
    })?;
    let bytes = figure(raw[0].1) / 1e6;
    let raw = median(raw.iter().map(|(times, _)| times.p50()));
    let start = p50(3);
    Ok(vec![
        L1.is(p50(0), format!("the hub's part {raw:.1} ms, {bytes:.1} MB")),
        L1_JSON.is(p50(1), ""),
        L1_FEW.is(p50(2), format!("`--version` {start:.2} ms")),
    ])
}

/// A process that is killed when it goes out of scope.
struct Started(Child);

impl Drop for Started {
    fn drop(&mut self) {
        let _gone = self.0.kill();
        let _reaped = self.0.wait();
    }
}

/// From before the fork to the first answer.
fn first_answer(mut command: Command, socket: &Path) -> Outcome<(Started, Duration)> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    let started = Started(command.spawn()?);
    while start.elapsed() < Duration::from_secs(60) {
        if UnixStream::connect(socket).is_ok()
            && http::get(socket, "/healthz").is_ok_and(|(status, _)| status == 200)
        {
            return Ok((started, start.elapsed()));
        }
        std::thread::park_timeout(Duration::from_micros(200));
    }
    Err("it does not answer".into())
}

/// Starts behind a stop in good order.
fn start_times(home: &Home, rounds: usize) -> Outcome<Times> {
    let mut times = Vec::new();
    for _ in 0..rounds {
        let up = home.command(["up", "--foreground"]);
        let (mut hub, took) = first_answer(up, &home.socket())?;
        times.push(took);
        home.run(["down"]);
        wait::until("the hub to end", || hub.0.try_wait().ok().flatten());
    }
    Ok(Times::new(times))
}

fn bare_starts(folder: &Path, rounds: usize) -> Outcome<Times> {
    let socket = folder.join("bare.sock");
    let mut times = Vec::new();
    for _ in 0..rounds {
        let mut bare = Command::new(std::env::current_exe()?);
        bare.arg("bare").arg(&socket);
        let (server, took) = first_answer(bare, &socket)?;
        times.push(took);
        drop::<Started>(server);
        std::fs::remove_file(&socket)?;
    }
    Ok(Times::new(times))
}

/// A tenth of the agents have a process; half of them are in a turn.
pub(crate) fn long_logs(bench: &Bench) -> Outcome<Vec<Line>> {
    let (logs, bytes) = (bench.pick(1_000, 200), bench.pick(5_000_000, 1_000_000));
    let home = bench.home();
    bench.say(&format!("{logs} logs of {} MB are written", bytes / 1_000_000))?;
    let hub = Hub::start(&home);
    let crowd = Crowd::gather(&home, logs, bytes, logs / 10)?;
    let before = cursor(&home)?;
    let look = |log: &std::path::PathBuf| std::fs::metadata(log).map(|log| log.len());
    let start = Instant::now();
    let total: u64 = crowd.logs.iter().map(look).sum::<Result<_, _>>()?;
    let floor = millis(start.elapsed());
    let (mut hub, mut answers, mut watched) = (Some(hub), Vec::new(), Vec::new());
    bench.say("starts")?;
    for _ in 0..bench.pick(20, 5) {
        drop(hub.take());
        let (started, restart) = crowd.restart(&home)?;
        answers.push(restart.first_answer);
        watched.push(restart.all_watched);
        hub = Some(started);
    }
    // What settles or ages late must not be missed.
    std::thread::park_timeout(Duration::from_secs(5));
    let events = cursor(&home)? - before;
    drop(hub);
    let (answers, watched) = (Times::new(answers), Times::new(watched));
    let beside = format!(
        "{logs} logs, {} MB; answers after {:.1} ms; a look at each file {floor:.1} ms",
        total / 1_000_000,
        answers.p50()
    );
    Ok(vec![
        T2.is(watched.p50(), beside),
        T2_EVENTS.is(figure(usize::try_from(events)?), "over all of these starts"),
    ])
}

/// What the hub's own parts do, measured from inside: I1 and T1.
pub(crate) fn inside(bench: &Bench) -> Outcome<Vec<Line>> {
    use crate::promise::Limit::AtLeast;
    const I1: Promise = Promise::new(
        "I1",
        "store layer, 16 reporters, over bare SQLite",
        Unit::Times,
        AtLeast(0.8),
    )
    .stretch(0.95);
    const T1: Promise =
        Promise::new("T1", "transcript scan over typed serde_json", Unit::Times, AtLeast(1.0))
            .stretch(1.4);
    let run = |words: &[&str]| -> Outcome<[f64; 2]> {
        let done = Command::new(&bench.inside).args(words).stderr(Stdio::inherit()).output()?;
        let said = String::from_utf8(done.stdout)?;
        let figures = said.split_whitespace().map(str::parse).collect::<Result<Vec<f64>, _>>()?;
        <[f64; 2]>::try_from(figures).map_err(|_| format!("it said {said:?}").into())
    };
    let seconds = bench.pick("3", "1");
    bench.say("the store")?;
    let store = bench.rounds(|| {
        let home = bench.home();
        run(&["store", seconds, &home.path().to_string_lossy()])
    })?;
    bench.say("the transcript scan")?;
    let scan = bench.rounds(|| run(&["transcript", bench.pick("200", "50")]))?;
    let ratio = |runs: &[[f64; 2]]| median(runs.iter().map(|[ours, floor]| ours / floor));
    let of = |runs: &[[f64; 2]], which: usize| median(runs.iter().map(|run| run[which]));
    let (ours, bare) = (of(&store, 0), of(&store, 1));
    let (own, typed) = (of(&scan, 0), of(&scan, 1));
    Ok(vec![
        I1.is(ratio(&store), format!("{ours:.0}/s over {bare:.0}/s")),
        T1.is(ratio(&scan), format!("{own:.2} GB/s over {typed:.2} GB/s")),
    ])
}
