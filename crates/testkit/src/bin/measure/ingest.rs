//! How fast reports are taken: I2 and I4.

use crate::Outcome;
use crate::all::Bench;
use crate::floor::Server;
use crate::load::reports;
use crate::promise::Limit::{AtLeast, AtMost};
use crate::promise::{Line, Promise, Unit};
use crate::stats::{median, shuffled};
use headsup_testkit::hub::Hub;
use std::path::Path;
use std::time::Duration;

const I2_16: Promise = Promise::new(
    "I2",
    "reports over the socket, 16 at once, over bare axum",
    Unit::Times,
    AtLeast(0.5),
)
.stretch(0.8);
const I2_256: Promise = Promise::new(
    "I2",
    "reports over the socket, 256 at once, over bare axum",
    Unit::Times,
    AtLeast(0.25),
);
const I4: Promise =
    Promise::new("I4", "acknowledgement at 2,000/s, p99", Unit::Ms, AtMost(2.0)).stretch(0.5);

const RATE: u32 = 2_000;
const LANES: usize = 16;

pub(crate) fn measure(bench: &Bench) -> Outcome<Vec<Line>> {
    let home = bench.home();
    let _hub = Hub::start(&home);
    let bare = home.path().join("bare.sock");
    let _bare = Server::bare(&bare)?;
    let (ours, floor) = (home.socket(), bare.as_path());
    let mut lines = Vec::new();
    bench.say("open loop")?;
    let time = Duration::from_secs(bench.pick(8, 3));
    let calm = race(bench, &[ours.as_path(), floor], |socket| {
        let (_, times) = reports(socket, LANES, time, Some(RATE))?;
        Ok([times.p99(), times.p50()])
    })?;
    let [p99, p50] = calm[0];
    lines.push(I4.is(p99, format!("p50 {p50:.3} ms; bare axum p99 {:.3} ms", calm[1][0])));
    for (promise, lanes) in [(I2_16, LANES), (I2_256, 256)] {
        bench.say(&format!("closed loop, {lanes} at once"))?;
        let time = Duration::from_secs(bench.pick(4, 2));
        let rates = race(bench, &[ours.as_path(), floor], |socket| {
            let (rate, times) = reports(socket, lanes, time, None)?;
            Ok([rate, times.p99()])
        })?;
        let [[rate, p99], [bare, _]] = [rates[0], rates[1]];
        let beside = format!("{rate:.0}/s, p99 {p99:.1} ms; bare {bare:.0}/s");
        lines.push(promise.is(rate / bare, beside));
    }
    Ok(lines)
}

/// Medians of the rounds, in which every socket has its turn.
fn race(
    bench: &Bench,
    sockets: &[&Path],
    run: impl Fn(&Path) -> Outcome<[f64; 2]>,
) -> Outcome<Vec<[f64; 2]>> {
    let rounds = bench.rounds(|| {
        let mut figures = vec![[0.0; 2]; sockets.len()];
        for index in shuffled(sockets.len()) {
            figures[index] = run(sockets[index])?;
        }
        Ok(figures)
    })?;
    let middle = |socket: usize, of: usize| median(rounds.iter().map(|round| round[socket][of]));
    Ok((0..sockets.len()).map(|socket| [middle(socket, 0), middle(socket, 1)]).collect())
}
