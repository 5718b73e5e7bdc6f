//! What stands between an agent and its terminal: is every byte the same, and what does a key cost.

use crate::bars::Bars;
use crate::progress::{Progress, note};
use crate::stats::Times;
use crate::{Outcome, row, say};
use headsup_testkit::home::Home;
use headsup_testkit::hub::Hub;
use headsup_testkit::pty::Pty;
use headsup_testkit::traffic::{for_the_program, for_the_terminal, looped, made_up, recorded};
use std::fs::{self, File};
use std::io::Read as _;
use std::process::Command;
use std::time::{Duration, Instant};

/// What we ask our terminal comes first.
const QUERY: &[u8] = b"\x1b]7501;?\x1b\\";

/// Typed between two words about it.
const PIECE: usize = 256 << 10;

/// What we may add to the p99 of a key's way to its echo.
const ADDED_MS: f64 = 1.0;

pub(crate) fn measure(home: &Home, rounds: usize, size: usize) -> Outcome<()> {
    let _hub = Hub::start(home);
    note(&format!("making {} MB of random bytes", size / 1_000_000));
    let mut bytes = vec![0; size];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    let mut bars = Bars::default();
    through(home, &mut bars, "random", &bytes, &bytes)?;
    bytes = made_up(size);
    through(home, &mut bars, "made-up terminal traffic", &bytes, &bytes)?;
    let (mut said, mut typed) = (Vec::new(), Vec::new());
    for recording in recorded()? {
        let heard = for_the_terminal(&recording.said);
        typed.extend_from_slice(&recording.typed);
        // As somebody pastes it.
        typed.extend_from_slice(&heard);
        said.extend_from_slice(&heard);
    }
    bytes = looped(&said, size);
    through(home, &mut bars, "recorded terminal traffic", &bytes, &looped(&typed, size))?;
    drop(bytes);
    // By turns, so that both see the same machine.
    let (mut bare, mut ours) = (Vec::new(), Vec::new());
    let mut without = echo(home, false)?;
    let mut with = echo(home, true)?;
    let mut progress = Progress::new("keys on two terminals", rounds);
    for round in 0..rounds {
        progress.at(round);
        bare.push(key(&mut without)?);
        ours.push(key(&mut with)?);
    }
    let p99 = |times: &[Duration]| Times::new(times.iter().copied()).p99();
    let added = p99(&ours) - p99(&bare);
    row("key and echo, bare terminal", bare)?;
    row("key and echo, with us", ours)?;
    bars.at_most("added to a key and its echo, p99", added, ADDED_MS, " ms")?;
    bars.judge()
}

/// Both ways.
fn through(home: &Home, bars: &mut Bars, name: &str, said: &[u8], typed: &[u8]) -> Outcome<()> {
    let same = outward(home, name, said)?;
    bars.holds(&format!("{name} to the terminal, every byte"), same)?;
    let same = inward(home, name, typed)?;
    bars.holds(&format!("{name} to the agent, every byte"), same)
}

fn command(home: &Home, words: &[&str], with: bool) -> Command {
    let own = ["run", "--here", "--id", "api", "--"];
    if with {
        return home.command(own.iter().chain(words));
    }
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).env("PATH", "/usr/bin:/bin").current_dir(home.path());
    command
}

fn outward(home: &Home, name: &str, bytes: &[u8]) -> Outcome<bool> {
    fs::write(home.path().join("out"), bytes)?;
    let mut pty = Pty::start(&command(home, &["sh", "-c", "stty raw; cat out"], true))?;
    let start = Instant::now();
    let mut progress = Progress::new(format!("{name}, bytes to the terminal"), bytes.len());
    pty.ended_within(Duration::from_secs(600), |heard| progress.at(heard));
    told(name, "to the terminal", pty.said.strip_prefix(QUERY) == Some(bytes), bytes, start)
}

fn inward(home: &Home, name: &str, bytes: &[u8]) -> Outcome<bool> {
    let typed = for_the_program(bytes.to_vec());
    let script = format!("stty raw -echo; printf READY; head -c {} > in", typed.len());
    let mut pty = Pty::start(&command(home, &["sh", "-c", &script], true))?;
    pty.shows("READY");
    let start = Instant::now();
    let mut progress = Progress::new(format!("{name}, bytes to the agent"), typed.len());
    for (number, piece) in typed.chunks(PIECE).enumerate() {
        progress.at(number * PIECE);
        pty.type_in(piece)?;
    }
    pty.ended_within(Duration::from_secs(600), |_| {});
    told(name, "to the agent", fs::read(home.path().join("in"))? == typed, &typed, start)
}

fn told(name: &str, way: &str, same: bool, bytes: &[u8], start: Instant) -> Outcome<bool> {
    let (size, seconds) = (bytes.len() / 1_000_000, start.elapsed().as_secs_f64());
    let verdict = if same { "identical" } else { "NOT THE SAME" };
    say(&format!("{name}, {size} MB {way}: {verdict}, {seconds:.1} s"))?;
    Ok(same)
}

/// A program that says again what it is told.
fn echo(home: &Home, with: bool) -> Outcome<Pty> {
    let script = "stty raw -echo; printf READY; exec cat";
    let mut pty = Pty::start(&command(home, &["sh", "-c", script], with))?;
    pty.shows("READY");
    Ok(pty)
}

/// From a key to its echo.
fn key(pty: &mut Pty) -> Outcome<Duration> {
    pty.said.clear();
    let start = Instant::now();
    pty.type_in(b"x")?;
    pty.until("the echo", |said| !said.is_empty());
    Ok(start.elapsed())
}
