//! What a process comes from where that was left to the system.

use super::{Stat, claimed_seat, program, upwards_with_stat};

/// The topmost process above another one that was started by somebody who is not there any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LeftAlone {
    pub(crate) pid: u32,
    pub(crate) start_ticks: u64,
}

/// Programs that run others, of which some give them a terminal. One of them at the top of what was left to the
/// system is nobody's terminal; any other program that has one there gives it to a person (tmux, a terminal of
/// the desktop, sshd).
const RUNNERS: [&str; 24] = [
    "sh", "bash", "dash", "zsh", "fish", "ksh", "busybox", "env", "nohup", "setsid", "script",
    "expect", "unbuffer", "socat", "python", "perl", "ruby", "node", "bun", "deno", "lua", "php",
    "tclsh", "headsup",
];

/// What a process comes from, where that was left to the system's own first process or to the user's.
pub(crate) fn left_alone(pid: u32) -> Option<LeftAlone> {
    let mut terminal = 0;
    let mut top = None;
    for (at, stat) in upwards_with_stat(pid) {
        let is_first = at == 1 || stat.is_systemd;
        if let Some(left) = top.filter(|_| is_first) {
            return is_left(left, at, &stat, terminal).then_some(left);
        }
        if at == pid {
            terminal = stat.terminal;
        }
        top = Some(LeftAlone { pid: at, start_ticks: stat.start_ticks });
    }
    None
}

pub(super) fn is_left(top: LeftAlone, first: u32, system: &Stat, terminal: i64) -> bool {
    // A shell that is the first process of its container has started it itself.
    if is_runner(first) {
        return false;
    }
    // What was started for an agent (a tmux of its own) gives its terminals to that agent.
    let is_nobodys = || is_runner(top.pid) || claimed_seat(top.pid).is_some();
    terminal == 0 || terminal != system.terminal && is_nobodys()
}

pub(super) fn is_runner(pid: u32) -> bool {
    let program = program(pid);
    let name = program.as_ref().and_then(|path| path.file_name()?.to_str()).unwrap_or_default();
    // `python3.13`
    RUNNERS.contains(&name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
}
