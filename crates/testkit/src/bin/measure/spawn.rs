//! Processes with a payload on their standard input, timed from start to end.

use crate::Outcome;
use crate::stats::{Times, shuffled};
use headsup_testkit::instructions::ACCEPTED;
use rustix::pipe::fcntl_setpipe_size;
use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A pipe's own size; a longer payload needs a larger one.
const PIPE: usize = 64 << 10;

/// One of the commands that are compared.
pub(crate) struct Case<'a> {
    pub(crate) command: Box<dyn Fn() -> Command + 'a>,
    pub(crate) payload: &'a [u8],
}

impl<'a> Case<'a> {
    pub(crate) fn new(payload: &'a [u8], command: impl Fn() -> Command + 'a) -> Self {
        Self { command: Box::new(command), payload }
    }
}

/// Runs each case `rounds` times, in another order each round.
pub(crate) fn race(cases: &[Case<'_>], rounds: usize) -> Outcome<Vec<Times>> {
    let mut times = vec![Vec::with_capacity(rounds); cases.len()];
    for _ in 0..rounds {
        for index in shuffled(cases.len()) {
            let case = &cases[index];
            times[index].push(time((case.command)(), case.payload)?);
        }
    }
    Ok(times.into_iter().map(Times::new).collect())
}

/// From its start to its end, which must be 0.
pub(crate) fn time(command: Command, payload: &[u8]) -> Outcome<Duration> {
    let start = Instant::now();
    let (mut child, prepared) = start_timed(command, payload)?;
    let status = child.wait()?;
    let took = start.elapsed();
    if status.success() {
        return Ok(took.saturating_sub(prepared));
    }
    Err(format!("a measured command ended with {status}").into())
}

/// Starts it with all of its input in the pipe; how long that took before the start.
pub(crate) fn start_fed(command: Command, payload: &[u8]) -> Outcome<Child> {
    Ok(start_timed(command, payload)?.0)
}

fn start_timed(mut command: Command, payload: &[u8]) -> Outcome<(Child, Duration)> {
    let begin = Instant::now();
    let (read, mut write) = io::pipe()?;
    if payload.len() > PIPE {
        fcntl_setpipe_size(&write, payload.len())?;
    }
    write.write_all(payload)?;
    drop(write);
    command.stdin(read).stdout(Stdio::null()).stderr(Stdio::null());
    let prepared = begin.elapsed();
    Ok((command.spawn()?, prepared))
}

/// The most memory, in MiB, that a client has held until its answer. `socket` is where it connects.
pub(crate) fn peak_mib(command: Command, payload: &[u8], socket: &Path) -> Outcome<f64> {
    let listener = UnixListener::bind(socket)?;
    let mut child = start_fed(command, payload)?;
    let (mut client, _) = listener.accept()?;
    let mut piece = [0; 4 << 10];
    let _some = client.read(&mut piece)?;
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id()))?;
    client.write_all(ACCEPTED)?;
    child.wait()?;
    std::fs::remove_file(socket)?;
    let kib: f64 = field(&status, "VmHWM:").ok_or("the system tells no peak")?;
    Ok(kib / 1024.0)
}

/// The number behind a word of `/proc/PID/status`.
pub(crate) fn field(status: &str, name: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Processor time of a process so far.
pub(crate) fn cpu(pid: u32) -> Outcome<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let fields = stat.rsplit_once(')').map(|(_, rest)| rest).ok_or("no name")?;
    let ticks = fields.split_whitespace().skip(11).take(2).map(str::parse::<u64>);
    let ticks: u64 = ticks.sum::<Result<_, _>>()?;
    Ok(Duration::from_millis(ticks * 10))
}

/// Resident memory of a process in MB.
pub(crate) fn resident_mb(pid: u32) -> Outcome<f64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    Ok(field(&status, "VmRSS:").ok_or("the system tells no memory")? * 1.024 / 1_000.0)
}
