//! Cycles of kill -9 under four reporters, who keep their own ledger.

use crate::bars::Bars;
use crate::progress::{Progress, note};
use crate::stats::{figure, millis};
use crate::{Outcome, row, say};
use headsup_testkit::home::Home;
use headsup_testkit::hub::Hub;
use headsup_testkit::reporter::{REPORTERS, lost_and_doubled, report};
use headsup_testkit::{crowd, program, wait};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How long a hub lives, and how much it must have taken in by then.
const LIFE: Duration = Duration::from_millis(100);
const REPORTS: usize = 200;
/// Within this time a hub answers again.
const RESTART_MS: f64 = 500.0;
/// Reports a second that it takes meanwhile.
const RATE: f64 = 2_000.0;

/// `cycles` deaths of a hub that has `events` in its log. Ends with an error if anything that was
/// acknowledged is lost or doubled, if a restart or the reports take too long, or if the database is
/// not whole at the end.
pub(crate) fn measure(home: &Home, cycles: usize, events: u64) -> Outcome<()> {
    let folder = home.path().join(".config/headsup");
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("config.toml"), "[retention]\nevents = 1_000_000_000\n")?;
    if events > 0 {
        fill(home, events)?;
    }
    let mut hub = Some(Hub::start(home));
    let begin = crowd::cursor(home)?;
    let (stop, done) = (AtomicBool::new(false), AtomicUsize::new(0));
    let (mut restarts, mut alive, mut taken) = (Vec::new(), Duration::ZERO, 0);
    let ledgers: Vec<_> = std::thread::scope(|scope| {
        let reporters: Vec<_> = (0..REPORTERS)
            .map(|name| {
                let (stop, done) = (&stop, &done);
                scope.spawn(move || report(home, name, stop, done))
            })
            .collect();
        let mut progress = Progress::new("lives of a hub", cycles);
        for cycle in 0..cycles {
            let told = done.load(Ordering::Relaxed);
            progress.with(cycle, &format!("{told} reports acknowledged"));
            let (before, start) = (done.load(Ordering::Relaxed), Instant::now());
            wait::until("some reports", || {
                let enough = done.load(Ordering::Relaxed) >= before + REPORTS;
                (enough && start.elapsed() >= LIFE).then_some(())
            });
            alive += start.elapsed();
            // What comes between two lives is in no time that is counted.
            taken += done.load(Ordering::Relaxed) - before;
            if let Some(hub) = hub.take() {
                hub.kill();
            }
            let start = Instant::now();
            hub = Some(Hub::start(home));
            restarts.push(start.elapsed());
        }
        stop.store(true, Ordering::Relaxed);
        reporters.into_iter().filter_map(|reporter| reporter.join().ok()).collect()
    });
    note(&format!("reading back what the log tells since event {begin}"));
    let since = begin.to_string();
    let told = home.run(["watch", "--since", &since, "--no-follow", "--json", "--no-start"]);
    let told: Vec<serde_json::Value> =
        told.ok().stdout.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let (mut acknowledged, mut lost, mut doubled) = (0, 0, 0);
    for (name, ledger) in ledgers.iter().enumerate() {
        let (gone, twice) = lost_and_doubled(name, ledger, &told);
        acknowledged += ledger.acknowledged.len();
        lost += gone;
        doubled += twice;
    }
    let longest = restarts.iter().copied().max().map_or(0.0, millis);
    row("restart to first answer", restarts)?;
    let rate = figure(taken) / alive.as_secs_f64();
    say(&format!(
        "{cycles} cycles over {begin} events at {rate:.0} reports/s, {acknowledged} acknowledged, \
         {lost} lost, {doubled} doubled"
    ))?;
    if let Some(hub) = hub.take() {
        hub.kill();
    }
    note("checking all of the database");
    let found = check(home)?;
    let mut bars = Bars::default();
    bars.none("acknowledged and lost", lost)?;
    bars.none("acknowledged and doubled", doubled)?;
    bars.at_most("longest restart", longest, RESTART_MS, " ms")?;
    bars.at_least("reports a second", rate, RATE, "")?;
    bars.holds(&format!("integrity check of the database: {found}"), found == "ok")?;
    bars.judge()
}

/// What `SQLite` says of the database that the last hub has left: `ok`, or what is wrong.
fn check(home: &Home) -> Outcome<String> {
    let mut inside = Command::new(program::built_inside()?);
    let done =
        inside.arg("check").arg(home.state()).env_clear().stderr(Stdio::inherit()).output()?;
    let said = String::from_utf8_lossy(&done.stdout).trim().to_owned();
    if done.status.success() { Ok(said) } else { Err(format!("no check: {}", done.status).into()) }
}

/// Has the log of a hub that is not there filled with so many events: by the hub's own writer, in
/// large batches.
fn fill(home: &Home, events: u64) -> Outcome<()> {
    note(&format!("filling the log with {events} events"));
    let mut inside = Command::new(program::built_inside()?);
    inside.arg("fill").arg(events.to_string()).arg(home.state()).env_clear();
    let status = inside.stdin(Stdio::null()).stdout(Stdio::null()).status()?;
    if status.success() { Ok(()) } else { Err(format!("the log was not filled: {status}").into()) }
}
