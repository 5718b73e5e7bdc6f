//! A real hub as a child process.

use crate::home::Home;
use crate::wait;
use rustix::process::{Pid, Signal};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A running hub. It is killed when it goes out of scope.
#[derive(Debug)]
pub struct Hub {
    child: Child,
}

impl Hub {
    /// Starts the hub of `home` and waits until it answers.
    ///
    /// # Panics
    /// If it does not come up.
    pub fn start(home: &Home) -> Self {
        Self::start_with(home, &[])
    }

    /// The same with further options of `headsup up`.
    ///
    /// # Panics
    /// If it does not come up.
    pub fn start_with(home: &Home, options: &[&str]) -> Self {
        let own = ["up", "--foreground"];
        Self::start_as(home.command(own.iter().chain(options)), &home.socket())
    }

    /// Starts a hub by a command of the caller's, and waits until it answers at `socket`.
    ///
    /// # Panics
    /// If it does not come up.
    pub fn start_as(command: Command, socket: &Path) -> Self {
        Self::start_saying(command, socket, Stdio::null())
    }

    /// The same of one that says there what it has to say.
    ///
    /// # Panics
    /// If it does not come up.
    #[expect(clippy::expect_used, reason = "a test without its hub cannot go on")]
    pub fn start_saying(mut command: Command, socket: &Path, log: impl Into<Stdio>) -> Self {
        command.stdout(Stdio::null()).stderr(log);
        let mut hub = Self { child: command.spawn().expect("headsup runs") };
        wait::until("the hub to answer", || {
            let ended = hub.child.try_wait().expect("a child");
            assert!(ended.is_none(), "the hub ended: {ended:?}");
            crate::http::get(socket, "/healthz").ok().filter(|(status, _)| *status == 200)
        });
        hub
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Whether it has ended by itself.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|ended| ended.is_some())
    }

    /// The hub dies on the spot.
    pub fn kill(self) {
        drop(self);
    }

    /// Sends a signal: STOP and CONT make it silent and lively again.
    ///
    /// # Panics
    /// If it is gone.
    #[expect(clippy::expect_used, reason = "a test without its hub cannot go on")]
    pub fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).expect("a pid");
        rustix::process::kill_process(pid, signal).expect("a living hub");
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _reaped = self.child.wait();
    }
}
