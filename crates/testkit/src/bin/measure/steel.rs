//! Subscribers that do not read, floods, and a disk that fails again and again.

use crate::bars::Bars;
use crate::progress::{Progress, note};
use crate::stats::{Times, median};
use crate::{Outcome, row, say};
use headsup_testkit::faults::{EIO, ENOSPC, Faults};
use headsup_testkit::flood::{self, Flood, chance};
use headsup_testkit::home::Home;
use headsup_testkit::http::{self, Line};
use headsup_testkit::hub::Hub;
use headsup_testkit::{crowd, subscribers};
use std::collections::HashSet;
use std::time::{Duration, Instant};

const SUBSCRIBERS: usize = 100;
/// Reports a second, sent when they are due whatever became of the last one.
const RATE: u32 = 1_000;
const REPORTS: u32 = 3_000;
/// How far the p99 of reports may be moved by subscribers that do not read: 10 %.
const MOVED: f64 = 1.1;
/// Three of four sorts of faults refuse every report; after so many one was refused, or none of
/// them arrives.
const SEEN_BY: usize = 20;

/// What half of 100 subscribers cost the reporters when they stop reading: both ways in turn. Ends with
/// an error if that moves the p99 by more than a tenth. The p99 of the middle turn is shown beside it, which a
/// machine that pauses in one of them does not move.
pub(crate) fn slow(home: &Home, rounds: usize) -> Outcome<()> {
    let _hub = Hub::start(home);
    let (mut all_read, mut half_read) = (Vec::new(), Vec::new());
    let (mut before, mut beside) = (Vec::new(), Vec::new());
    let mut progress = Progress::new("turns of 3,000 reports to 100 subscribers", rounds * 2);
    for round in 0..rounds * 2 {
        progress.at(round);
        let sleepers = if round % 2 == 0 { 0 } else { SUBSCRIBERS / 2 };
        let readers = SUBSCRIBERS - sleepers;
        let socket = home.socket();
        let crowd = subscribers::Crowd::gather(&socket, readers, sleepers)?;
        let times = paced(home, round)?;
        let head = crowd::cursor(home)?;
        for heard in crowd.catch_up(head)? {
            if !heard.cursors.iter().copied().eq(1..=head) {
                return Err("a subscriber missed an event, or heard one twice".into());
            }
        }
        let (p99s, all) = match sleepers {
            0 => (&mut before, &mut all_read),
            _ => (&mut beside, &mut half_read),
        };
        p99s.push(p99(&times));
        all.extend(times);
    }
    let ratio = p99(&half_read) / p99(&all_read);
    row("report, 100 read", all_read)?;
    row("report, 50 of 100 do not read", half_read)?;
    say("all caught up, no gap, no repeat")?;
    let (before, beside) = (median(before), median(beside));
    say(&format!(
        "p99 of a turn, middle of {rounds}: {before:.2} ms, beside 50 that do not read {beside:.2} ms"
    ))?;
    let mut bars = Bars::default();
    bars.at_most("p99 of the second over the first", ratio, MOVED, "")?;
    bars.judge()
}

fn p99(times: &[Duration]) -> f64 {
    Times::new(times.iter().copied()).p99()
}

/// From when each report was due to its answer.
fn paced(home: &Home, round: usize) -> Outcome<Vec<Duration>> {
    let mut line = Line::open(&home.socket())?;
    let target = format!("/api/v1/agents/round-{round}/reports");
    let detail = "x".repeat(300);
    let start = Instant::now();
    let mut times = Vec::new();
    for n in 0..REPORTS {
        let due = start + Duration::from_secs(1) * n / RATE;
        while Instant::now() < due {
            std::thread::park_timeout(due.saturating_duration_since(Instant::now()));
        }
        let body = match n % 2 {
            0 => format!("{{\"turn\":\"blocked\",\"detail\":\"{n}{detail}\"}}"),
            _ => "{\"turn\":\"working\"}".to_owned(),
        };
        let (status, _) = line.post(&target, body.as_bytes())?;
        if status != 202 {
            return Err(format!("a report was answered {status}").into());
        }
        times.push(due.elapsed());
    }
    Ok(times)
}

/// Nonsense, and then a tenth as many agents.
pub(crate) fn flood(home: &Home, requests: usize) -> Outcome<()> {
    let hub = Hub::start(home);
    let socket = home.socket();
    let flood = Flood { connections: 16, each: requests / 16 };
    note(&format!("{requests} hooks of nonsense on {} connections", flood.connections));
    let start = Instant::now();
    let answers = flood::nonsense(&socket, flood)?;
    let seconds = start.elapsed().as_secs_f64();
    let head = crowd::cursor(home)?;
    say(&format!("{requests} hooks of nonsense in {seconds:.1} s: {answers:?}, {head} events"))?;
    note(&format!("{} agents on {} connections", requests / 10, flood.connections));
    let start = Instant::now();
    let answers = flood::agents(&socket, Flood { each: requests / 160, ..flood })?;
    let seconds = start.elapsed().as_secs_f64();
    say(&format!("{} agents in {seconds:.1} s: {answers:?}", requests / 10))?;
    let start = Instant::now();
    let (_, roster) = http::get(&socket, "/api/v1/agents?all=true")?;
    let (ms, size) = (start.elapsed().as_millis(), roster.len());
    let memory = std::fs::read_to_string(format!("/proc/{}/status", hub.pid()))?;
    let resident = memory.lines().find(|line| line.starts_with("VmRSS")).unwrap_or("VmRSS: ?");
    say(&format!("a roster of {size} bytes in {ms} ms; {resident}"))?;
    if head == 0 { Ok(()) } else { Err("nonsense has made events".into()) }
}

/// A disk that refuses and recovers by chance, under reports with a ledger; at the end a kill -9.
pub(crate) fn disk(home: &Home, rounds: usize) -> Outcome<()> {
    let faults = Faults::new(home.path())?;
    let mut command = home.command(["up", "--foreground"]);
    faults.preload(&mut command);
    let hub = Hub::start_as(command, &home.socket());
    let mut line = Line::open(&home.socket())?;
    let mut chance = chance(1);
    let (mut acknowledged, mut refused, mut number) = (HashSet::new(), 0, 0);
    let mut recovered = Vec::new();
    let mut progress = Progress::new("faults of the disk", rounds);
    for round in 0..rounds {
        let (taken, not) = (acknowledged.len(), refused);
        progress.with(round, &format!("{taken} acknowledged, {not} refused"));
        if round == rounds.min(SEEN_BY) {
            faults_arrive(refused)?;
        }
        match chance.next().unwrap_or(0) % 4 {
            0 => faults.writes_fail(ENOSPC),
            1 => faults.writes_fail(EIO),
            2 => faults.everything_fails(EIO),
            _ => faults.flushes_fail(EIO),
        }
        for end in [false, true] {
            let start = Instant::now();
            if end {
                faults.end();
            }
            for n in 0..chance.next().unwrap_or(0) % 60 + 20 {
                number += 1;
                let target = format!("/api/v1/agents/agent-{number}/reports");
                match line.post(&target, b"{\"turn\":\"working\"}")? {
                    (202, _) => {
                        acknowledged.insert(format!("agent-{number}"));
                        if end && n == 0 {
                            recovered.push(start.elapsed());
                        }
                    }
                    (507, _) if !end => refused += 1,
                    (status, body) => {
                        let body = String::from_utf8_lossy(&body).into_owned();
                        return Err(format!("answered {status} (healthy: {end}): {body}").into());
                    }
                }
            }
        }
    }
    faults_arrive(refused)?;
    hub.kill();
    let _healthy = Hub::start(home);
    let (_, roster) = http::get(&home.socket(), "/api/v1/agents?all=true")?;
    let roster: serde_json::Value = serde_json::from_slice(&roster)?;
    let there: HashSet<String> = roster["agents"]
        .as_array()
        .ok_or("no roster")?
        .iter()
        .filter_map(|agent| agent["id"].as_str().map(str::to_owned))
        .collect();
    row("healthy disk to first 202", recovered)?;
    let (lost, false_ones) =
        (acknowledged.difference(&there).count(), there.difference(&acknowledged).count());
    say(&format!(
        "{rounds} faults: {} acknowledged, {refused} refused, {lost} lost, {false_ones} stored \
         though refused",
        acknowledged.len()
    ))?;
    if lost + false_ones == 0 { Ok(()) } else { Err("a promise is broken".into()) }
}

/// A static program takes no preloaded library: what it shows of faults is nothing.
fn faults_arrive(refused: usize) -> Outcome<()> {
    match refused {
        0 => {
            Err("no report was refused: the faults do not reach this headsup. A release is linked \
                  statically and cannot be tried so; run this without --release"
                .into())
        }
        _ => Ok(()),
    }
}
