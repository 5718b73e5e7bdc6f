//! A terminal that a test holds the other end of, with a program in it.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Termios, Winsize, tcgetattr, tcsetwinsize};
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

/// A terminal and the program that leads its session. The program is killed when this goes out of
/// scope.
#[derive(Debug)]
pub struct Pty {
    master: OwnedFd,
    slave: Option<OwnedFd>,
    child: Child,
    /// Everything that the program has said.
    pub said: Vec<u8>,
}

/// 100 columns, 30 rows; a cell of 8 by 16 pixels.
pub const SIZE: Winsize = Winsize { ws_row: 30, ws_col: 100, ws_xpixel: 800, ws_ypixel: 480 };

impl Pty {
    /// Starts what `command` says in a terminal of [`SIZE`].
    ///
    /// # Errors
    /// If there is no terminal to be had, or no `setsid`.
    pub fn start(command: &Command) -> io::Result<Self> {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&master)?;
        unlockpt(&master)?;
        let name = ptsname(&master, Vec::new())?;
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let slave = rustix::fs::open(&*name, flags, Mode::empty())?;
        tcsetwinsize(&master, SIZE)?;
        // It becomes the program, so the process is the same.
        let mut leader = Command::new("setsid");
        leader.arg("--ctty").arg(command.get_program()).args(command.get_args());
        leader.env_clear().env("TERM", "xterm-256color");
        let set: Vec<(&OsStr, OsString)> =
            command.get_envs().filter_map(|(name, value)| Some((name, value?.into()))).collect();
        leader.envs(set);
        if let Some(folder) = command.get_current_dir() {
            leader.current_dir(folder);
        }
        leader.stdin(slave.try_clone()?).stdout(slave.try_clone()?).stderr(slave.try_clone()?);
        let child = leader.spawn()?;
        Ok(Self { master, slave: Some(slave), child, said: Vec::new() })
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Our end: what is written to it is typed, what is read from it was said.
    pub fn master(&self) -> &OwnedFd {
        &self.master
    }

    /// How the terminal is set.
    ///
    /// # Errors
    /// If it is gone.
    pub fn modes(&self) -> io::Result<Termios> {
        let gone = || io::Error::from(io::ErrorKind::NotConnected);
        Ok(tcgetattr(self.slave.as_ref().ok_or_else(gone)?)?)
    }

    /// The terminal goes away, as when its window is closed. The program goes on if it likes.
    ///
    /// # Errors
    /// If there is none to be had in its place.
    pub fn hang_up(&mut self) -> io::Result<()> {
        self.slave = None;
        self.master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        Ok(())
    }

    /// Changes the size of the window.
    ///
    /// # Errors
    /// If it is gone.
    pub fn resize(&self, size: Winsize) -> io::Result<()> {
        Ok(tcsetwinsize(&self.master, size)?)
    }

    /// Types all of it; what is said meanwhile is kept.
    ///
    /// # Errors
    /// If the terminal is gone.
    pub fn type_in(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let both = PollFlags::IN | PollFlags::OUT;
            let ready = self.wait(both, crate::wait::DEADLINE)?;
            if ready.contains(PollFlags::IN) {
                self.hear()?;
            }
            if ready.contains(PollFlags::OUT) {
                // A terminal takes this much at once.
                let piece = &bytes[..bytes.len().min(1_024)];
                bytes = &bytes[rustix::io::write(&self.master, piece)?..];
            }
        }
        Ok(())
    }

    /// Waits until `done` is content with everything that was said.
    ///
    /// # Panics
    /// If it is not within [`crate::wait::DEADLINE`].
    #[track_caller]
    #[expect(clippy::expect_used, reason = "a test without its terminal cannot go on")]
    pub fn until(&mut self, what: &str, mut done: impl FnMut(&[u8]) -> bool) {
        let end = Instant::now() + crate::wait::DEADLINE;
        while !done(&self.said) {
            let left = end.saturating_duration_since(Instant::now());
            let shown =
                String::from_utf8_lossy(&self.said[self.said.len().saturating_sub(2_000)..]);
            assert!(!left.is_zero(), "waited in vain for {what}; said: {shown:?}");
            let ready = self.wait(PollFlags::IN, left).expect("a terminal");
            if !ready.is_empty() {
                self.hear().expect("a terminal that still says something");
            }
        }
    }

    /// Waits until it shows this text.
    ///
    /// # Panics
    /// If it does not within [`crate::wait::DEADLINE`].
    #[track_caller]
    pub fn shows(&mut self, text: &str) {
        self.until(text, |said| String::from_utf8_lossy(said).contains(text));
    }

    /// Waits for the end of the program, hearing what it says until then.
    ///
    /// # Panics
    /// If it does not end.
    #[track_caller]
    pub fn ended(&mut self) -> ExitStatus {
        self.ended_within(crate::wait::DEADLINE, |_| {})
    }

    /// The same with a deadline of its own. `heard` is told how many bytes it has said so far.
    ///
    /// # Panics
    /// If it does not end.
    #[track_caller]
    #[expect(clippy::expect_used, reason = "a test without its program cannot go on")]
    pub fn ended_within(&mut self, limit: Duration, mut heard: impl FnMut(usize)) -> ExitStatus {
        let end = Instant::now() + limit;
        loop {
            let status = self.child.try_wait().expect("a child");
            while !self.wait(PollFlags::IN, Duration::ZERO).expect("a terminal").is_empty() {
                self.hear().expect("a terminal");
                heard(self.said.len());
            }
            if let Some(status) = status {
                return status;
            }
            assert!(
                Instant::now() < end,
                "it does not end; said: {:?}",
                String::from_utf8_lossy(&self.said[self.said.len().saturating_sub(2_000)..])
            );
            self.wait(PollFlags::IN, Duration::from_millis(2)).expect("a terminal");
        }
    }

    fn wait(&self, flags: PollFlags, within: Duration) -> io::Result<PollFlags> {
        let mut polled = [PollFd::new(&self.master, flags)];
        let within = Timespec::try_from(within).map_err(io::Error::other)?;
        match poll(&mut polled, Some(&within)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(polled[0].revents()),
            Err(errno) => Err(errno.into()),
        }
    }

    fn hear(&mut self) -> io::Result<()> {
        let mut piece = [0; 16_384];
        let count = rustix::io::read(&self.master, &mut piece)?;
        self.said.extend_from_slice(&piece[..count]);
        Ok(())
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _reaped = self.child.wait();
    }
}
