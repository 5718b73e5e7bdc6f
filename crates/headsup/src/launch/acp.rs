//! An agent that speaks the Agent Client Protocol, with us between it and its client: every byte goes
//! through as it is, both ways, and the hub is told what the messages do.
//!
//! - [`mod@relay`]: a thread for each way, which passes the bytes on
//! - [`mod@observer`]: what they hear goes through a bounded queue to a thread that tells the hub
//! - [`mod@end`]: ending as the agent did
//!
//! Neither way ever waits for the hub: not for its start, nor for its answers, nor for its end.

mod ear;
pub(crate) mod end;
pub(crate) mod observer;
mod relay;

use super::order::Order;
use super::tend::{End, Seat};
use crate::error::CommandError;
use crate::hook::process::Process;
use observer::Observer;
use relay::Drain;
use rustix::process::{Pid, Signal, WaitOptions, getpgrp, kill_process, waitpid};
use rustix::termios::tcgetpgrp;
use std::os::fd::OwnedFd;
use std::pin::pin;
use std::process::Child;
use std::sync::Arc;
use std::time::Duration;
use tokio::signal::unix::{Signal as Stream, SignalKind, signal};
use tokio::sync::mpsc;

/// How long the hub may take for the last words of one that has ended.
pub(super) const LAST_WORDS: Duration = Duration::from_millis(500);

/// An agent that has been started, and both its ends.
pub(crate) struct Agent {
    pid: Pid,
    process: Option<Process>,
    drain: Drain,
    signals: mpsc::Receiver<Signal>,
}

impl Agent {
    /// Starts it between pipes. What is said is passed on from here on.
    pub(crate) fn start(
        order: &Order,
        tell: impl FnOnce(u32) -> Arc<Observer>,
    ) -> Result<(Self, Arc<Observer>), CommandError> {
        Self::start_as(order.start_piped(true)?, tell)
    }

    /// Starts it with our own input; what it says is passed on.
    pub(crate) fn start_reporting(
        order: &Order,
        tell: impl FnOnce(u32) -> Arc<Observer>,
    ) -> Result<(Self, Arc<Observer>), CommandError> {
        Self::start_as(order.start_piped(false)?, tell)
    }

    fn start_as(
        mut child: Child,
        tell: impl FnOnce(u32) -> Arc<Observer>,
    ) -> Result<(Self, Arc<Observer>), CommandError> {
        let cannot = |error: std::io::Error| CommandError::internal(error.to_string());
        let signals = signals().map_err(cannot)?;
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let (Some(pid), Some(output)) = (pid, child.stdout.take()) else {
            return Err(CommandError::internal("the agent has no pid or no pipe"));
        };
        let observer = tell(child.id());
        if let Some(input) = child.stdin.take() {
            relay::inward(OwnedFd::from(input), Arc::clone(&observer)).map_err(cannot)?;
        }
        let drain = relay::outward(OwnedFd::from(output), Arc::clone(&observer)).map_err(cannot)?;
        let process = Process::read(child.id());
        Ok((Self { pid, process, drain, signals }, observer))
    }

    /// Stays until it has ended and all that it has said is passed on. `placed` puts it into its
    /// seat meanwhile.
    pub(crate) async fn stay(
        mut self,
        order: &Order,
        seat: &Seat<'_>,
        observer: &Observer,
        placed: impl Future<Output = ()>,
    ) -> Result<End, CommandError> {
        let cannot = |error: std::io::Error| CommandError::internal(error.to_string());
        let mut ended = signal(SignalKind::child()).map_err(cannot)?;
        let mut placed = pin!(async {
            placed.await;
            seat.tell_start(order, self.process.as_ref()).await;
            observer.begin();
        });
        let mut is_placed = false;
        let end = loop {
            match waitpid(Some(self.pid), WaitOptions::NOHANG | WaitOptions::UNTRACED) {
                Ok(Some((_, status))) if status.stopped() => {
                    // Put to sleep by a person; whoever wakes us wakes it.
                    kill_process(rustix::process::getpid(), Signal::STOP).ok();
                    kill_process(self.pid, Signal::CONT).ok();
                    continue;
                }
                Ok(Some((_, status))) => break End::from(status),
                Ok(None) => {}
                Err(errno) => return Err(cannot(errno.into())),
            }
            tokio::select! {
                () = &mut placed, if !is_placed => is_placed = true,
                _ = ended.recv() => {}
                Some(signal) = self.signals.recv() => drop(kill_process(self.pid, signal)),
            }
        };
        tokio::select! {
            () = self.drain.finish() => {}
            // Whoever wants us gone does not wait for a client that reads no more.
            _ = self.signals.recv() => {}
        }
        // The client has its end; the hub is told within a moment, or finds it in the spool.
        observer.begin();
        observer.end(LAST_WORDS);
        let told = tokio::time::timeout(LAST_WORDS, seat.tell_end(self.process.as_ref(), end));
        if !told.await.unwrap_or(false) {
            observer.leave_end(end);
        }
        Ok(end)
    }
}

/// What we hear and the agent is to hear. What is typed at a terminal goes to the agent as well:
/// that is not passed on a second time.
fn signals() -> std::io::Result<mpsc::Receiver<Signal>> {
    let (to, heard) = mpsc::channel(16);
    for kind in [Signal::TERM, Signal::HUP, Signal::INT, Signal::QUIT, Signal::USR1, Signal::USR2] {
        let stream = signal(SignalKind::from_raw(kind.as_raw()))?;
        tokio::spawn(pass(kind, stream, to.clone()));
    }
    Ok(heard)
}

async fn pass(kind: Signal, mut stream: Stream, to: mpsc::Sender<Signal>) {
    while stream.recv().await.is_some() {
        let is_typed = matches!(kind, Signal::INT | Signal::QUIT) && is_in_front();
        if !is_typed && to.send(kind).await.is_err() {
            return;
        }
    }
}

/// Are we what the terminal's keys are for?
fn is_in_front() -> bool {
    let terminal = std::fs::File::open("/dev/tty");
    terminal.is_ok_and(|terminal| tcgetpgrp(terminal).is_ok_and(|group| group == getpgrp()))
}
