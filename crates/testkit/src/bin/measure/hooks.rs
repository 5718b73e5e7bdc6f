//! What a hook costs its agent: H1 to H9.

use crate::all::Bench;
use crate::promise::Limit::{AtMost, None as Shown};
use crate::promise::{Line, Promise, Unit};
use crate::spawn::{Case, peak_mib, race};
use crate::stats::{Times, median};
use crate::{Outcome, floor};
use headsup_testkit::hub::Hub;
use headsup_testkit::instructions::{self, answer_all, hook, payload};
use rustix::process::Signal;
use std::process::{Command, Stdio};

const H1: Promise =
    Promise::new("H1", "hook, hub committing: p50 over F", Unit::Times, AtMost(4.5)).stretch(2.5);
const H2: Promise =
    Promise::new("H2", "the same through `sh -c`, over F so", Unit::Times, AtMost(1.8))
        .stretch(1.1);
const H3: Promise = Promise::new(
    "H3",
    "hook instructions, user part (target with kernel)",
    Unit::Kilo,
    AtMost(700.0),
)
.stretch(150.0);
const H3_PEAK: Promise = Promise::new("H3", "hook, peak memory", Unit::MiB, AtMost(3.0));
const H5: Promise =
    Promise::new("H5", "hook, 100 KB payload over own 1 KB", Unit::Times, AtMost(1.8));
const H9_ABSENT: Promise =
    Promise::new("H9", "hook, hub absent: p50 over F", Unit::Times, AtMost(4.5));
const H9_STUCK: Promise =
    Promise::new("H9", "hook, hub stuck: p50", Unit::Ms, AtMost(50.0)).stretch(20.0);
const H9_MOST: Promise = Promise::new("H9", "hook, hub stuck: longest", Unit::Ms, AtMost(150.0));
const START: Promise = Promise::new(
    "H4",
    "a static program that does nothing, with the system's library: p50 over F",
    Unit::Times,
    Shown,
);

/// As an installed entry runs it.
const ENTRY: &str = "[ -f \"$0\" ] && [ -x \"$0\" ] && \"$0\" \"$@\" >/dev/null 2>&1; exit 0";

fn through_shell(command: &Command) -> Command {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", ENTRY]).arg(command.get_program()).args(command.get_args());
    shell.env_clear();
    shell.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell
}

pub(crate) fn measure(bench: &Bench) -> Outcome<Vec<Line>> {
    let home = bench.home();
    let socket = home.path().join("floor.sock");
    let floor = floor::client(home.path())?;
    answer_all(&socket)?;
    let f = || {
        let mut command = Command::new(&floor);
        command.arg(&socket).env_clear();
        command
    };
    let nothing = floor::nothing(home.path()).ok_or("cc cannot link statically")?;
    let nothing = || {
        let mut command = Command::new(&nothing);
        command.env_clear();
        command
    };
    let (small, large) = (payload(850), payload(100 << 10));
    let rounds = bench.pick(400, 100);
    let hub = Hub::start(&home);
    let cases = [
        Case::new(&small, f),
        Case::new(&small, || hook(&home)),
        Case::new(&small, || through_shell(&f())),
        Case::new(&small, || through_shell(&hook(&home))),
        Case::new(&large, || hook(&home)),
        Case::new(&small, nothing),
    ];
    bench.say("hub committing")?;
    let runs = bench.rounds(|| race(&cases, rounds))?;
    let p50 = |case: usize| median(runs.iter().map(|times| times[case].p50()));
    let ratio = |case: usize, to: usize| {
        median(runs.iter().map(|times| times[case].p50() / times[to].p50()))
    };
    let beside = |case: usize, to: usize| format!("{:.3} ms over {:.3} ms", p50(case), p50(to));
    let mut lines = vec![
        H1.is(ratio(1, 0), beside(1, 0)),
        H2.is(ratio(3, 2), beside(3, 2)),
        START.is(ratio(5, 0), beside(5, 0)),
        H5.is(ratio(4, 1), beside(4, 1)),
    ];
    bench.say("hub stuck")?;
    hub.signal(Signal::STOP);
    let stuck = race(&cases[1..2], bench.pick(100, 20))?;
    hub.signal(Signal::CONT);
    hub.kill();
    let stuck = &stuck[0];
    bench.say("hub absent")?;
    let absent = bench.rounds(|| race(&cases[..2], rounds))?;
    let over = median(absent.iter().map(|times| times[1].p50() / times[0].p50()));
    let own = median(absent.iter().map(|times| times[1].p50()));
    lines.push(H9_ABSENT.is(over, format!("{own:.3} ms; it writes to the spool")));
    lines.push(H9_STUCK.is(stuck.p50(), "it gives up and writes to the spool"));
    lines.push(H9_MOST.is(stuck.max(), format!("p99 {:.1} ms", Times::p99(stuck))));
    bench.say("instructions")?;
    let (fresh, small) = (bench.home(), &small);
    std::fs::create_dir_all(fresh.state())?;
    let peak = peak_mib(hook(&fresh), small, &fresh.socket())?;
    let other = fresh.path().join("f.sock");
    let mut bare = Command::new(&floor);
    bare.arg(&other).stdout(Stdio::null());
    let beside = format!("F {:.1} MiB", peak_mib(bare, small, &other)?);
    match instructions::of_hook(&bench.binary)? {
        Some(count) => {
            lines.push(H3.is(f64::from(count) / 1_000.0, "callgrind, eight processes above it"));
        }
        None => bench.say("valgrind is missing: `apt-get install valgrind`")?,
    }
    lines.push(H3_PEAK.is(peak, beside));
    Ok(lines)
}
