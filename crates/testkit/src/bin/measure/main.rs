//! What this machine gives. `measure all [--quick] [--only hook,inside,ingest,watch,state,logs]
//! [--page FILE]` measures every promise of speed with its floor in the same run and writes
//! `docs/performance.md`; `measure gate` fails if a hook takes more instructions than it may.
//! `measure wait|hook|kill|restart|board|slow|flood|disk|shim [--rounds N] [--transcripts N] [--size 5MB]
//! [--events N]` looks at one
//! thing and judges nothing.
//!
//! The `headsup` that it measures is built first.

mod all;
mod board;
mod crowd_of_watchers;
mod floor;
mod hook;
mod hooks;
mod ingest;
mod instructions;
mod kill;
mod load;
mod promise;
mod shim;
mod spawn;
mod state;
mod stats;
mod steel;
mod watchers;

use headsup_testkit::crowd::{Crowd, cursor};
use headsup_testkit::home::Home;
use headsup_testkit::hub::Hub;
use headsup_testkit::{http, program, wait};
use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

const USAGE: &str = "usage: measure all [--quick] [--only hook,inside,ingest,watch,state,logs] \
                     [--page FILE]
       measure gate
       measure wait|hook|kill|restart|board|slow|flood|disk|shim [--rounds N] [--transcripts N] \
                     [--size 5MB] [--events N]";

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let what = args.first().cloned().unwrap_or_default();
    let option = |name: &str| {
        let at = args.iter().position(|arg| arg == name)?;
        args.get(at + 1).map(String::as_str)
    };
    let number = |name: &str| option(name).and_then(|n| n.parse().ok());
    let rounds = number("--rounds");
    let events = option("--events").and_then(|n| n.parse().ok()).unwrap_or(0);
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words[..] {
        ["bare", socket] => return floor::run_bare(socket),
        ["relay", file, count] => return floor::run_relay(file, count.parse()?),
        ["nested", levels, ..] => return instructions::run_nested(levels.parse()?, &args[2..]),
        ["all", ..] => {
            return all::run(words.contains(&"--quick"), option("--only"), option("--page"));
        }
        [
            "gate" | "wait" | "hook" | "kill" | "board" | "restart" | "slow" | "flood" | "disk"
            | "shim",
            ..,
        ] => {}
        _ => return Err(USAGE.into()),
    }
    let binary = program::built()?;
    let home = Home::new(&binary.to_string_lossy());
    match what.as_str() {
        "gate" => instructions::gate(&binary),
        "wait" => measure_wait(&home, rounds.unwrap_or(100)),
        "hook" => hook::measure(&home, rounds.unwrap_or(200)),
        "kill" => kill::measure(&home, rounds.unwrap_or(100), events),
        "slow" => steel::slow(&home, rounds.unwrap_or(5)),
        "flood" => steel::flood(&home, rounds.unwrap_or(100_000)),
        "disk" => steel::disk(&home, rounds.unwrap_or(50)),
        "board" => board::measure(&home, rounds.unwrap_or(200)),
        "shim" => {
            let size = option("--size").unwrap_or("100MB").trim_end_matches("MB").parse::<usize>();
            shim::measure(&home, rounds.unwrap_or(2_000), size? * 1_000_000)
        }
        "restart" => {
            let size = option("--size").unwrap_or("5MB").trim_end_matches("MB").parse::<u64>();
            let transcripts = number("--transcripts").unwrap_or(1_000);
            measure_restart(&home, rounds.unwrap_or(20), transcripts, size? * 1_000_000)
        }
        _ => Err(USAGE.into()),
    }
}

fn say(line: &str) -> Outcome<()> {
    writeln!(std::io::stdout(), "{line}")?;
    Ok(())
}

fn row(name: &str, mut times: Vec<Duration>) -> Outcome<()> {
    times.sort_unstable();
    let at = |share: usize| times[(times.len() - 1) * share / 100].as_secs_f64() * 1_000.0;
    let (p50, p99, max) = (at(50), at(99), at(100));
    let n = times.len();
    say(&format!("{name:<28} p50 {p50:8.2} ms   p99 {p99:8.2} ms   max {max:8.2} ms   n {n}"))
}

/// From the start of the hook's process to the end of the waiting one.
fn measure_wait(home: &Home, rounds: usize) -> Outcome<()> {
    let _hub = Hub::start(home);
    let env = [("HEADSUP_AGENT_ID", "api")];
    let event = |name: &str, prompt: usize| {
        let payload = format!(
            "{{\"hook_event_name\":\"{name}\",\"session_id\":\"s\",\"prompt_id\":\"p{prompt}\",\
             \"prompt\":\"go\",\"source\":\"startup\",\"background_tasks\":[]}}"
        );
        home.hook("claude-code", &payload, &env)
    };
    event("SessionStart", 0);
    let mut from_start = Vec::new();
    let mut from_end = Vec::new();
    for round in 1..=rounds {
        let mut command = home.command(["wait", "api", "--until", "working", "--next"]);
        let waiting = command.stdout(Stdio::null()).spawn()?;
        wait::until("the stream to be open", || (subscribers(home)? > 0).then_some(()));
        let start = Instant::now();
        let hook = std::thread::scope(|scope| {
            let hook = scope.spawn(|| {
                event("UserPromptSubmit", round);
                Instant::now()
            });
            waiting.wait_with_output().map(|_| (Instant::now(), hook.join()))
        })?;
        let (woken, hook) = hook;
        let hook = hook.map_err(|_| "the hook's thread died")?;
        from_start.push(woken - start);
        from_end.push(woken.saturating_duration_since(hook));
        event("Stop", round);
        wait::until("the stream to be closed", || (subscribers(home)? == 0).then_some(()));
    }
    row("hook start to wait's exit", from_start)?;
    row("hook end to wait's exit", from_end)
}

fn subscribers(home: &Home) -> Option<u64> {
    let (_, body) = http::get(&home.socket(), "/metrics").ok()?;
    let text = String::from_utf8(body).ok()?;
    let line = text.lines().find(|line| line.starts_with("headsup_subscribers "))?;
    line.split(' ').nth(1)?.parse().ok()
}

/// A tenth of the agents have a process; half of them are in a turn.
fn measure_restart(home: &Home, rounds: usize, transcripts: usize, bytes: u64) -> Outcome<()> {
    let hub = Hub::start(home);
    let crowd = Crowd::gather(home, transcripts, bytes, transcripts / 10)?;
    let before = cursor(home)?;
    let (mut hub, mut answers, mut watched, mut cpu) = (Some(hub), vec![], vec![], vec![]);
    let (mut memory_kib, mut descriptors) = (0, 0);
    for _ in 0..rounds {
        if let Some(hub) = hub.take() {
            hub.kill();
        }
        let (started, restart) = crowd.restart(home)?;
        answers.push(restart.first_answer);
        watched.push(restart.all_watched);
        cpu.push(restart.cpu);
        memory_kib = restart.memory_kib.max(memory_kib);
        descriptors = restart.descriptors.max(descriptors);
        hub = Some(started);
    }
    // What settles or ages late must not be missed.
    std::thread::park_timeout(Duration::from_secs(5));
    let events = cursor(home)? - before;
    row("start to first answer", answers)?;
    row("start to all logs watched", watched)?;
    row("processor time until then", cpu)?;
    say(&format!(
        "{transcripts} transcripts of {bytes} bytes, {rounds} restarts: {events} events, at most \
         {memory_kib} KiB resident, {descriptors} descriptors"
    ))
}
