//! A hub that gives the seat, and then takes calls and does not answer.

use crate::rig::BINARY;
use headsup_testkit::home::Home;
use headsup_testkit::pty::Pty;
use rustix::process::{Pid, Signal, kill_process};
use rustix::termios::Winsize;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

const WINDOW: Winsize = Winsize { ws_row: 41, ws_col: 123, ws_xpixel: 1_230, ws_ypixel: 820 };
const AGENT: &str = "trap 'stty size' WINCH; trap 'echo told; exit 9' TERM; echo READY; \
    while :; do sleep 0.02; done";

/// How many calls about a process have been given up.
struct Hung(Arc<AtomicUsize>);

impl Hung {
    fn of(home: &Home) -> Self {
        std::fs::create_dir_all(home.state()).unwrap();
        let listener = UnixListener::bind(home.socket()).unwrap();
        let count = Arc::new(AtomicUsize::new(0));
        let counts = Arc::clone(&count);
        thread::spawn(move || {
            for call in listener.incoming().map_while(Result::ok) {
                let count = Arc::clone(&counts);
                thread::spawn(move || serve(&call, &count));
            }
        });
        Self(count)
    }

    fn has_been_given_up(&self) -> bool {
        self.0.load(Ordering::Acquire) > 0
    }
}

/// Answers whatever is asked, as `/healthz` does, but for what is told of a process.
fn serve(call: &UnixStream, given_up: &AtomicUsize) -> Option<()> {
    const ANSWER: &str = r#"{"pid":1,"cursor":"0","version":"","ok":true}"#;
    let (mut reader, mut to) = (BufReader::new(call), call);
    loop {
        let (mut head, mut length) = (String::new(), 0_usize);
        while !head.ends_with("\r\n\r\n") {
            let from = head.len();
            if reader.read_line(&mut head).ok()? == 0 {
                return None;
            }
            let line = head[from..].to_ascii_lowercase();
            if let Some(said) = line.strip_prefix("content-length:") {
                length = said.trim().parse().ok()?;
            }
        }
        if head.lines().next()?.contains("/process ") {
            reader.read_to_end(&mut Vec::new()).ok();
            given_up.fetch_add(1, Ordering::AcqRel);
            return None;
        }
        reader.read_exact(&mut vec![0; length]).ok()?;
        let length = ANSWER.len();
        let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{ANSWER}");
        to.write_all(answer.as_bytes()).ok()?;
    }
}

fn command(home: &Home) -> Command {
    let mut command = home.command(["run", "--here", "--id", "api", "--", "sh", "-c", AGENT]);
    command.env_remove("COLUMNS").env("TERM", "xterm-256color");
    command
}

fn terminate(pid: u32) {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).unwrap();
    kill_process(pid, Signal::TERM).unwrap();
}

/// What the hub was not told it finds, in order.
fn lies_in_the_spool(home: &Home) {
    let spool = std::fs::read(home.state().join("spool/queue")).unwrap();
    let spool = String::from_utf8_lossy(&spool).into_owned();
    let at = |state: &str| spool.find(&format!("\"state\":\"{state}\"")).unwrap();
    assert!(at("running") < at("exited"), "{spool:?}");
}

/// Whether the agent has heard of its window and of a signal while the hub was still to answer.
fn hears_at_once_in_a_terminal() -> bool {
    let home = Home::new(BINARY);
    let hub = Hung::of(&home);
    let mut pty = Pty::start(&command(&home)).unwrap();
    pty.shows("READY");
    pty.resize(WINDOW).unwrap();
    pty.shows("41 123");
    terminate(pty.pid());
    pty.shows("told");
    let is_at_once = !hub.has_been_given_up();
    assert_eq!(pty.ended().code(), Some(9));
    lies_in_the_spool(&home);
    is_at_once
}

fn hears_at_once_without_one() -> bool {
    let home = Home::new(BINARY);
    let hub = Hung::of(&home);
    let mut command = command(&home);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert_eq!(said.next().unwrap(), "READY");
    terminate(child.id());
    assert_eq!(said.next().unwrap(), "told");
    let is_at_once = !hub.has_been_given_up();
    assert_eq!(child.wait().unwrap().code(), Some(9));
    lies_in_the_spool(&home);
    is_at_once
}

/// A machine that stalls takes longer than a hub is waited for.
fn once_in_a_few(tries: impl Fn() -> bool) -> bool {
    (0..5).any(|_| tries())
}

#[test]
fn a_hub_that_hangs_at_the_start_keeps_neither_a_signal_nor_the_window_waiting() {
    assert!(once_in_a_few(hears_at_once_in_a_terminal));
}

#[test]
fn without_a_terminal_it_keeps_no_signal_waiting_either() {
    assert!(once_in_a_few(hears_at_once_without_one));
}
