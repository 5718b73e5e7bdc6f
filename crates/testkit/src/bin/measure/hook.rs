//! What a hook costs its agent in each condition of the hub, of its home and of its input.

use crate::bars::Bars;
use crate::progress::Progress;
use crate::{Outcome, row};
use headsup_testkit::home::{Done, Home};
use headsup_testkit::hub::Hub;
use headsup_testkit::small_disk::SmallDisk;
use rustix::process::Signal;
use std::cell::Cell;
use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// As long as it may take; where the agent keeps its input open.
const MOST: Duration = Duration::from_millis(150);
const MOST_UNCLOSED: Duration = Duration::from_millis(500);
/// Longer than any hook waits.
const UNANSWERED: Duration = Duration::from_millis(400);
/// Between two bytes of an answer that takes longer than any hook waits.
const DROP: Duration = Duration::from_millis(20);

fn payload(bytes: usize) -> String {
    let output = "x".repeat(bytes);
    format!(
        "{{\"hook_event_name\":\"PostToolUse\",\"session_id\":\"s\",\"tool_name\":\"Bash\",\
         \"tool_input\":{{}},\"tool_response\":\"{output}\"}}"
    )
}

/// Takes a request off the line, as far as it comes at once.
fn heard(stream: &mut UnixStream) {
    stream.set_read_timeout(Some(DROP)).ok();
    let mut piece = vec![0; 64 << 10];
    while stream.read(&mut piece).is_ok_and(|read| read > 0) {}
}

/// Each condition, `rounds` times. Ends with an error if a hook fails, speaks or takes too long.
pub(crate) fn measure(home: &Home, rounds: usize) -> Outcome<()> {
    let run = Run { home, rounds, late: Cell::default() };
    let small = payload(900);
    run.fire("hub absent", &small)?;
    let hub = Hub::start(home);
    run.fire("hub committing", &small)?;
    run.fire("hub committing, 1 MiB", &payload(1 << 20))?;
    run.unclosed("input never closed", &small)?;
    hub.signal(Signal::STOP);
    run.fire("hub stopped (SIGSTOP)", &small)?;
    run.fire("hub stopped, 1 MiB", &payload(1 << 20))?;
    run.unclosed("hub stopped, input open", &small)?;
    hub.signal(Signal::CONT);
    hub.kill();
    run.fire("hub killed, stale socket", &small)?;
    let socket = home.socket();
    fs::remove_file(&socket)?;
    fs::write(&socket, "no socket")?;
    run.fire("socket is a file", &small)?;
    fs::remove_file(&socket)?;
    fs::create_dir(&socket)?;
    run.fire("socket is a folder", &small)?;
    fs::remove_dir(&socket)?;
    symlink("headsup.sock", &socket)?;
    run.fire("socket is a link to itself", &small)?;
    fs::remove_file(&socket)?;
    run.served("hub answering garbage", &small, |_| b"\0\x1b[31mSSH-2.0\r\n\r\n".to_vec())?;
    run.served("hub failing", &small, |_| b"HTTP/1.1 500 No\r\n\r\nprint me".to_vec())?;
    run.served("hub refusing: it hangs up", &small, |_| Vec::new())?;
    run.served("hub saying nothing", &small, |stream| {
        stream.set_read_timeout(Some(UNANSWERED)).ok();
        stream.read_exact(&mut vec![0; 1 << 20]).ok();
        Vec::new()
    })?;
    run.served("hub slow: drop by drop", &small, |stream| {
        heard(stream);
        for byte in b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n" {
            if stream.write_all(&[*byte]).is_err() {
                break;
            }
            std::thread::park_timeout(DROP);
        }
        Vec::new()
    })?;
    fs::set_permissions(home.state(), fs::Permissions::from_mode(0o000))?;
    run.of("state folder closed", &small, || run.bound())?;
    fs::set_permissions(home.state(), fs::Permissions::from_mode(0o700))?;
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o500))?;
    run.of("home read-only", &small, || run.bound())?;
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o700))?;
    run.with("no HOME at all", &small, |command| {
        command.env_remove("HOME").env_remove("HEADSUP_HOME");
    })?;
    if let Some(disk) = SmallDisk::mount(home.path(), 1 << 20)? {
        disk.fill()?;
        let entered = disk.enter(&home.command(["hook", "claude-code"]));
        // Entering costs a process: what is measured is more than the hook.
        run.of("disk full (with nsenter)", &small, || {
            let mut command = Command::new(entered.get_program());
            command.args(entered.get_args()).env_clear();
            command.envs(entered.get_envs().filter_map(|(name, value)| Some((name, value?))));
            command
        })?;
    }
    let mut bars = Bars::default();
    bars.none("hooks that took too long", run.late.get())?;
    bars.judge()
}

struct Run<'a> {
    home: &'a Home,
    rounds: usize,
    late: Cell<usize>,
}

impl Run<'_> {
    fn command(&self) -> Command {
        self.home.command(["hook", "claude-code"])
    }

    /// Bound by the modes of files, also where this runs as root. It costs a program's start.
    fn bound(&self) -> Command {
        let plain = self.command();
        let mut command = Command::new("setpriv");
        command.arg("--bounding-set=-dac_override,-dac_read_search");
        command.arg(plain.get_program()).args(plain.get_args()).env_clear();
        command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
        if rustix::process::geteuid().is_root() { command } else { plain }
    }

    fn fire(&self, name: &str, payload: &str) -> Outcome<()> {
        self.of(name, payload, || self.command())
    }

    fn with(&self, name: &str, payload: &str, change: impl Fn(&mut Command)) -> Outcome<()> {
        self.of(name, payload, || {
            let mut command = self.command();
            change(&mut command);
            command
        })
    }

    fn of(&self, name: &str, payload: &str, command: impl Fn() -> Command) -> Outcome<()> {
        let mut times = Vec::new();
        let mut progress = Progress::new(name, self.rounds);
        for round in 0..self.rounds {
            progress.at(round);
            let start = Instant::now();
            let done = self.home.feed(command(), payload.as_bytes());
            times.push(start.elapsed());
            silent(name, &done)?;
        }
        self.late(name, times, MOST)
    }

    fn unclosed(&self, name: &str, payload: &str) -> Outcome<()> {
        let mut times = Vec::new();
        let mut progress = Progress::new(name, self.rounds);
        for round in 0..self.rounds {
            progress.at(round);
            let mut command = self.command();
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let start = Instant::now();
            let mut child = command.spawn()?;
            let mut stdin = child.stdin.take().ok_or("no pipe")?;
            stdin.write_all(payload.as_bytes())?;
            let output = child.wait_with_output()?;
            times.push(start.elapsed());
            drop(stdin);
            silent(name, &Done::from(output))?;
        }
        self.late(name, times, MOST_UNCLOSED)
    }

    /// The times, and how many were over the limit: the machine's share is in them.
    fn late(&self, name: &str, times: Vec<Duration>, most: Duration) -> Outcome<()> {
        let over = times.iter().filter(|time| **time > most).count();
        row(name, times)?;
        if over > 0 {
            crate::say(&format!("{:<28} {over} took longer than {most:?}", ""))?;
        }
        self.late.update(|late| late + over);
        Ok(())
    }

    /// Something else listens on the socket.
    fn served(
        &self,
        name: &str,
        payload: &str,
        answer: fn(&mut UnixStream) -> Vec<u8>,
    ) -> Outcome<()> {
        let socket = self.home.socket();
        let listener = UnixListener::bind(&socket)?;
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                std::thread::spawn(move || {
                    let answer = answer(&mut stream);
                    stream.write_all(&answer).ok();
                });
            }
        });
        let done = self.fire(name, payload);
        fs::remove_file(socket)?;
        done
    }
}

fn silent(name: &str, done: &Done) -> Outcome<()> {
    if done.code == 0 && done.stdout.is_empty() && done.stderr.is_empty() {
        return Ok(());
    }
    Err(format!("{name}: {done:?}").into())
}
