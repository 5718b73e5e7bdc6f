//! `measure`: what this machine gives.

mod acp;
mod all;
mod bars;
mod board;
mod crowd_of_watchers;
mod floor;
mod hook;
mod hooks;
mod ingest;
mod kill;
mod layout;
mod load;
mod progress;
mod promise;
mod races;
mod shim;
mod spawn;
mod state;
mod stats;
mod steel;
mod watchers;

use bars::Bars;
use clap::{Parser, Subcommand};
use headsup_testkit::crowd::{Crowd, cursor};
use headsup_testkit::home::Home;
use headsup_testkit::hub::Hub;
use headsup_testkit::{http, program, wait};
use progress::{Progress, note};
use stats::Times;
use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Measure what this machine gives. The `headsup` that is measured is built first.
///
/// What has a bar ends with 1 if it is missed: `all`, `hook`, `kill`, `restart`, `slow`, `flood`, `disk`,
/// `races` and `shim`. The others show what they find.
#[derive(Debug, Parser)]
#[command(name = "measure", disable_help_subcommand = true)]
struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Every promise of speed, each with its floor in the same run.
    All {
        /// Less of everything, for a first look.
        #[arg(long)]
        quick: bool,
        /// These parts alone, of hook, inside, ingest, watch, state and logs.
        #[arg(long, value_name = "PART,…")]
        only: Option<String>,
        /// Write the page there; all parts together write `docs/performance.md`.
        #[arg(long, value_name = "FILE")]
        page: Option<String>,
    },
    /// Write anew which functions a release lays out side by side.
    Layout,
    /// How long after a hook a waiting script wakes.
    Wait(Rounds<100>),
    /// What a hook costs in each condition of the hub.
    Hook(Rounds<200>),
    /// How many acknowledged reports kill -9 loses or doubles.
    Kill {
        #[command(flatten)]
        rounds: Rounds<100>,
        /// Events in the log before it begins.
        #[arg(long, value_name = "N", default_value_t = 0)]
        events: u64,
    },
    /// How long a start over long logs takes.
    Restart {
        #[command(flatten)]
        rounds: Rounds<20>,
        /// So many logs.
        #[arg(long, value_name = "N", default_value_t = 1_000)]
        transcripts: usize,
        /// Each so long.
        #[arg(long, value_name = "N[MB]", default_value = "5MB", value_parser = megabytes)]
        size: usize,
    },
    /// How long after its hook a change is on the page.
    Board(Rounds<200>),
    /// What subscribers do that do not read.
    Slow(Rounds<5>),
    /// What more requests do than anybody sends.
    Flood(Rounds<100_000>),
    /// What a disk does that fails.
    Disk(Rounds<50>),
    /// Who wins when 64 answer at once, and what a deadline does around a kill -9.
    Races(Rounds<1_000>),
    /// What a message costs that goes through `headsup acp`.
    Acp(Rounds<5_000>),
    /// Whether `headsup run` passes everything on, and what a key costs.
    Shim {
        #[command(flatten)]
        rounds: Rounds<2_000>,
        /// So many bytes each way.
        #[arg(long, value_name = "N[MB]", default_value = "100MB", value_parser = megabytes)]
        size: usize,
    },
}

#[derive(Debug, clap::Args)]
struct Rounds<const USUAL: usize> {
    /// How often; else as often as is usual for it.
    // A default of clap's would be that of the first `USUAL` for all of them: it is kept in one static.
    #[arg(long, value_name = "N")]
    rounds: Option<usize>,
}

impl<const USUAL: usize> Rounds<USUAL> {
    fn number(&self) -> usize {
        self.rounds.unwrap_or(USUAL)
    }
}

fn megabytes(text: &str) -> Result<usize, std::num::ParseIntError> {
    text.trim_end_matches("MB").parse::<usize>().map(|size| size * 1_000_000)
}

fn main() -> Outcome<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let Some(done) = run_part(&words) {
        return done;
    }
    let Args { what } = Args::parse();
    if let What::All { quick, only, page } = what {
        return all::run(quick, only.as_deref(), page.as_deref());
    }
    if let What::Layout = what {
        return layout::write();
    }
    let binary = program::built()?;
    let home = &Home::new(&binary.to_string_lossy());
    match what {
        What::All { .. } | What::Layout => Ok(()),
        What::Wait(rounds) => measure_wait(home, rounds.number()),
        What::Hook(rounds) => hook::measure(home, rounds.number()),
        What::Kill { rounds, events } => kill::measure(home, rounds.number(), events),
        What::Restart { rounds, transcripts, size } => {
            measure_restart(home, rounds.number(), transcripts, size as u64)
        }
        What::Board(rounds) => board::measure(home, rounds.number()),
        What::Slow(rounds) => steel::slow(home, rounds.number()),
        What::Flood(rounds) => steel::flood(home, rounds.number()),
        What::Disk(rounds) => steel::disk(home, rounds.number()),
        What::Races(rounds) => races::measure(home, rounds.number()),
        What::Acp(rounds) => acp::measure(home, rounds.number()),
        What::Shim { rounds, size } => shim::measure(home, rounds.number(), size),
    }
}

/// A process that a measurement has started. Some of them are measured: nothing comes before.
fn run_part(words: &[String]) -> Option<Outcome<()>> {
    let number = |word: &str| word.parse().map_err(Into::into);
    match words {
        [part, socket] if part == "bare" => Some(floor::run_bare(socket)),
        [part, file, count] if part == "relay" => {
            Some(number(count).and_then(|count| floor::run_relay(file, count)))
        }
        _ => None,
    }
}

fn say(line: &str) -> Outcome<()> {
    writeln!(std::io::stdout(), "{line}")?;
    Ok(())
}

fn row(name: &str, times: Vec<Duration>) -> Outcome<()> {
    let n = times.len();
    let times = Times::new(times);
    let (p50, p99, max) = (times.p50(), times.p99(), times.max());
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
    let mut progress = Progress::new("waits", rounds);
    for round in 1..=rounds {
        progress.at(round - 1);
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

/// A tenth of the agents have a process; half of them are in a turn. Ends with an error if a restart is told
/// as an event.
fn measure_restart(home: &Home, rounds: usize, transcripts: usize, bytes: u64) -> Outcome<()> {
    let hub = Hub::start(home);
    let mb = transcripts as u64 * bytes / 1_000_000;
    note(&format!("writing {transcripts} logs, {mb} MB, and telling the hub of their agents"));
    let mut progress = Progress::new("agents", transcripts);
    let crowd = Crowd::gather_with(home, transcripts, bytes, transcripts / 10, |n| progress.at(n))?;
    let before = cursor(home)?;
    let (mut hub, mut answers, mut watched, mut cpu) = (Some(hub), vec![], vec![], vec![]);
    let (mut memory_kib, mut descriptors) = (0, 0);
    let mut progress = Progress::new("restarts", rounds);
    for round in 0..rounds {
        progress.at(round);
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
    note("5 s more for what comes late");
    std::thread::park_timeout(Duration::from_secs(5));
    let events = cursor(home)? - before;
    row("start to first answer", answers)?;
    row("start to all logs watched", watched)?;
    row("processor time until then", cpu)?;
    say(&format!(
        "{transcripts} transcripts of {bytes} bytes, {rounds} restarts: {events} events, at most \
         {memory_kib} KiB resident, {descriptors} descriptors"
    ))?;
    let mut bars = Bars::default();
    bars.none("events that restarts made", usize::try_from(events)?)?;
    bars.judge()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_has_a_usual_number_of_rounds_of_its_own() {
        let what =
            |words: &[&str]| Args::try_parse_from([&["measure"], words].concat()).unwrap().what;
        let What::Hook(hooks) = what(&["hook"]) else { panic!("another form") };
        let What::Flood(reports) = what(&["flood"]) else { panic!("another form") };
        let What::Slow(turns) = what(&["slow", "--rounds", "3"]) else { panic!("another form") };
        assert_eq!([hooks.number(), reports.number(), turns.number()], [200, 100_000, 3]);
    }
}
