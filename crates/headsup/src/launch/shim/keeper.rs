//! The processes between the shim and its agent, which are this program once more.
//!
//! The *keeper* leads the session of the agent's own terminal and is the agent's parent, as a shell
//! would be. So the agent can be stopped and continued: the kernel does not stop a process that has
//! nobody in its session to wake it. It tells the shim of every stop and of the end. The second
//! one sits where the agent will, waits until its process group is the terminal's foreground, and
//! becomes the agent: it is never a background process of its own terminal.
//!
//! A terminal that is hung up the kernel tells to whoever leads its session, which is the keeper. It
//! stays all the same, to tell how the agent ends. Its own end hangs up whoever is in the foreground
//! then: so it ends with the shim, and stays behind the agent's end as long as somebody else has
//! the terminal ([`hold`]).
//!
//! Both begin before anything is set up.

use super::hold;
use crate::launch::signals::{hear, let_ends_through};
use rustix::io::Errno;
use rustix::process::{Pid, WaitOptions, WaitStatus, ioctl_tiocsctty, setsid, waitpid};
use rustix::stdio::{dup2_stdin, stdin, stdout};
use rustix::termios::tcsetpgrp;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal as Stream, SignalKind, signal};

const KEEP: &str = "__keep-agent";
const BECOME: &str = "__become-agent";

/// What the keeper tells: a letter and a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    /// The agent runs, as this process.
    Runs(i32),
    /// It could not be started, because of this error.
    Failed(i32),
    /// This signal has stopped it.
    Stopped(i32),
    Exited(i32),
    Killed(i32),
}

impl Word {
    pub(crate) const LEN: usize = 5;

    pub(crate) fn bytes(self) -> [u8; Self::LEN] {
        let (letter, number) = match self {
            Self::Runs(pid) => (b'r', pid),
            Self::Failed(error) => (b'f', error),
            Self::Stopped(signal) => (b's', signal),
            Self::Exited(code) => (b'e', code),
            Self::Killed(signal) => (b'k', signal),
        };
        let [a, b, c, d] = number.to_le_bytes();
        [letter, a, b, c, d]
    }

    pub(crate) fn read([letter, a, b, c, d]: [u8; Self::LEN]) -> Option<Self> {
        let number = i32::from_le_bytes([a, b, c, d]);
        Some(match letter {
            b'r' => Self::Runs(number),
            b'f' => Self::Failed(number),
            b's' => Self::Stopped(number),
            b'e' => Self::Exited(number),
            b'k' => Self::Killed(number),
            _ => return None,
        })
    }
}

/// This program, to be run as the keeper of `program`. Its standard input is to be the line to the
/// shim, its standard output the terminal.
pub(crate) fn command(program: &OsStr, name: &OsStr) -> Command {
    let mut command = ourselves();
    command.arg(KEEP).arg(program).arg(name);
    command
}

/// This program, to be run once more.
pub(crate) fn ourselves() -> Command {
    let own = std::env::current_exe().ok().filter(|path| path.exists());
    // An update may have taken the file away; what runs can still be run again.
    let mut command = Command::new(own.unwrap_or_else(|| PathBuf::from("/proc/self/exe")));
    command.arg0("headsup");
    command
}

/// Whether this process is one of the two.
pub(crate) fn is_wanted() -> bool {
    std::env::args_os().nth(1).is_some_and(|word| word == KEEP || word == BECOME)
}

/// Is one of the two.
pub(crate) fn run() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    let role = args.next().unwrap_or_default();
    let (Some(program), Some(name)) = (args.next(), args.next()) else {
        return ExitCode::FAILURE;
    };
    let done =
        if role == KEEP { keep(program, name, args) } else { turn_into(program, name, args) };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn line() -> io::Result<UnixStream> {
    Ok(UnixStream::from(rustix::io::fcntl_dupfd_cloexec(stdin(), 3)?))
}

fn keep(program: OsString, name: OsString, args: impl Iterator<Item = OsString>) -> io::Result<()> {
    let mut shim = line()?;
    let began = Builder::new_current_thread().enable_io().build().and_then(|runtime| {
        let (pid, changes) = begin(&runtime, program, name, args)?;
        Ok((runtime, pid, changes))
    });
    let (runtime, pid, changes) = match began {
        Ok(began) => began,
        Err(error) => {
            let number = error.raw_os_error().unwrap_or_else(|| Errno::IO.raw_os_error());
            return shim.write_all(&Word::Failed(number).bytes());
        }
    };
    let Some(shim) = runtime.block_on(watch(pid, changes, shim))? else { return Ok(()) };
    drop(runtime);
    shim.set_nonblocking(false)?;
    hold::take_over(shim)
}

/// Tells the shim of every stop and of the end, and gives the line to it back. `None`: the shim is gone before.
async fn watch(
    pid: Pid,
    mut changes: Stream,
    mut shim: UnixStream,
) -> io::Result<Option<UnixStream>> {
    // What is heard, unlike what is ignored, would not have been handed on to the agent.
    let _deaf = hear(SignalKind::hangup())?;
    let_ends_through()?;
    shim.write_all(&Word::Runs(pid.as_raw_pid()).bytes())?;
    // The shim looks at the process first: one that is collected is no more.
    shim.read_exact(&mut [0])?;
    shim.set_nonblocking(true)?;
    let mut shim = tokio::net::UnixStream::from_std(shim)?;
    loop {
        match waitpid(Some(pid), WaitOptions::UNTRACED | WaitOptions::NOHANG) {
            Ok(Some((_, status))) => {
                let Some(word) = word(status) else { continue };
                shim.write_all(&word.bytes()).await?;
                if !matches!(word, Word::Stopped(_)) {
                    return shim.into_std().map(Some);
                }
                continue;
            }
            Ok(None) => {}
            Err(Errno::INTR) => continue,
            Err(errno) => return Err(errno.into()),
        }
        tokio::select! {
            _ = changes.recv() => {}
            // While the agent runs nothing comes but its end.
            _ = shim.read_u8() => return Ok(None),
        }
    }
}

fn word(status: WaitStatus) -> Option<Word> {
    let stopped = status.stopping_signal().map(Word::Stopped);
    let ended = status.exit_status().map(Word::Exited);
    stopped.or(ended).or_else(|| status.terminating_signal().map(Word::Killed))
}

/// Takes the terminal and starts the agent in its foreground. Its end, whenever it comes, is among the changes.
fn begin(
    runtime: &Runtime,
    program: OsString,
    name: OsString,
    args: impl Iterator<Item = OsString>,
) -> io::Result<(Pid, Stream)> {
    setsid()?;
    ioctl_tiocsctty(stdout())?;
    let (mut ours, theirs) = UnixStream::pair()?;
    let mut command = ourselves();
    command.arg(BECOME).arg(program).arg(name).args(args);
    let child = command.stdin(OwnedFd::from(theirs)).process_group(0).spawn()?;
    drop(command);
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let pid = pid.ok_or_else(|| io::Error::from(Errno::SRCH))?;
    tcsetpgrp(stdout(), pid)?;
    // Where whoever started us wants its end ignored the kernel tells nobody how it was. The agent has it ignored.
    let changes = {
        let _entered = runtime.enter();
        signal(SignalKind::child())?
    };
    ours.write_all(b"!")?;
    // Nothing comes where it has become the agent: that closes its end.
    let mut error = Vec::new();
    ours.read_to_end(&mut error)?;
    match <[u8; 4]>::try_from(error) {
        Ok(number) => Err(io::Error::from_raw_os_error(i32::from_le_bytes(number))),
        Err(_) => Ok((pid, changes)),
    }
}

fn turn_into(
    program: OsString,
    name: OsString,
    args: impl Iterator<Item = OsString>,
) -> io::Result<()> {
    let mut keeper = line()?;
    keeper.read_exact(&mut [0])?;
    dup2_stdin(stdout())?;
    let error = Command::new(program).arg0(name).args(args).exec();
    let number = error.raw_os_error().unwrap_or_else(|| Errno::IO.raw_os_error());
    keeper.write_all(&number.to_le_bytes())?;
    Err(error)
}

/// The end of the line to the keeper that is the shim's, and the other one.
pub(crate) fn pair() -> io::Result<(UnixStream, File)> {
    let (ours, theirs) = UnixStream::pair()?;
    Ok((ours, File::from(OwnedFd::from(theirs))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_can_be_read_again() {
        let words = [Word::Runs(1), Word::Failed(2), Word::Stopped(19), Word::Exited(255)];
        for word in words.into_iter().chain([Word::Killed(9), Word::Runs(i32::MAX)]) {
            assert_eq!(Word::read(word.bytes()), Some(word));
        }
        assert_eq!(Word::read([b'?', 0, 0, 0, 0]), None);
    }
}
