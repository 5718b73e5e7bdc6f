//! An agent that speaks the Agent Client Protocol, with us between it and its client: every byte goes
//! through as it is, both ways, and the hub is told what the messages do.
//!
//! - [`mod@relay`]: a thread for each way, which passes the bytes on
//! - [`mod@observer`]: what they hear goes through a bounded queue to a thread that tells the hub
//! - [`mod@guard`]: the agent does not outlive us
//! - [`mod@end`]: ending as the agent did
//!
//! Neither way ever waits for the hub: not for its start, nor for its answers, nor for its end.

mod ear;
pub(crate) mod end;
pub(crate) mod guard;
pub(crate) mod observer;
mod relay;

use super::order::{Order, Streaming};
use super::seat::{self, Seat, Told};
use super::signals::{hear, let_through};
use super::tend::{End, sleep_along};
use crate::error::CommandError;
use crate::hook::process::Process;
use observer::Observer;
use relay::Drain;
use rustix::process::{Pid, Signal, WaitOptions, getpgrp, kill_process, waitpid};
use rustix::termios::tcgetpgrp;
use std::os::fd::OwnedFd;
use std::pin::pin;
use std::process::{Child, ChildStdin};
use std::sync::Arc;
use std::time::Duration;
use tokio::signal::unix::{Signal as Stream, SignalKind, signal};
use tokio::sync::mpsc;
use tokio::time::timeout;

/// How long the hub may take for the last words of one that has ended.
pub(super) const LAST_WORDS: Duration = Duration::from_millis(500);
/// How long these may take to be passed on before the end is told: a hub that hears nothing of it for a second or so
/// sees a crash.
const PASSED_ON_WITHIN: Duration = Duration::from_millis(250);

/// An agent that has been started, and both its ends.
pub(crate) struct Agent {
    pid: Pid,
    process: Option<Process>,
    drain: Drain,
    /// Its closing, with us, is the agent's end.
    guard: Option<ChildStdin>,
    /// It runs in the place of what was typed at a terminal, and sleeps as that would.
    sleeps: bool,
    signals: mpsc::Receiver<Signal>,
}

impl Agent {
    /// Starts it between pipes. What is said is passed on from here on.
    pub(crate) fn start(
        order: &Order,
        tell: impl FnOnce(u32) -> Arc<Observer>,
    ) -> Result<(Self, Arc<Observer>), CommandError> {
        Self::start_as(order.start_piped(true)?, false, tell)
    }

    /// Starts it with our own input, unless there are answers in it; what it says is passed on.
    pub(crate) fn start_reporting(
        order: &Order,
        tell: impl FnOnce(u32) -> Arc<Observer>,
    ) -> Result<(Self, Arc<Observer>), CommandError> {
        let is_answered = order.stream().is_some_and(Streaming::is_answered);
        Self::start_as(order.start_piped(is_answered)?, true, tell)
    }

    fn start_as(
        mut child: Child,
        sleeps: bool,
        tell: impl FnOnce(u32) -> Arc<Observer>,
    ) -> Result<(Self, Arc<Observer>), CommandError> {
        let cannot = |error: std::io::Error| CommandError::internal(error.to_string());
        let signals = signals().map_err(cannot)?;
        let_through().map_err(cannot)?;
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let (Some(pid), Some(output)) = (pid, child.stdout.take()) else {
            return Err(CommandError::internal("the agent has no pid or no pipe"));
        };
        let process = Process::read(child.id());
        let observer = tell(child.id());
        // A run without one is a run all the same.
        let guarded = process.as_ref().filter(|_| !sleeps);
        let guard = guarded.and_then(|process| guard::start(process).ok());
        if let Some(input) = child.stdin.take() {
            relay::inward(OwnedFd::from(input), Arc::clone(&observer)).map_err(cannot)?;
        }
        let drain = relay::outward(OwnedFd::from(output), Arc::clone(&observer)).map_err(cannot)?;
        Ok((Self { pid, process, drain, guard, sleeps, signals }, observer))
    }

    pub(crate) fn pid(&self) -> Option<u32> {
        self.process.as_ref().map(|process| process.pid)
    }

    /// Stays until it has ended and all that it has said is passed on. `placed` puts it into its
    /// seat meanwhile, and says whether that is the one that was wanted.
    pub(crate) async fn stay(
        mut self,
        order: &Order,
        seat: &Seat<'_>,
        observer: &Observer,
        placed: impl Future<Output = bool>,
    ) -> Result<End, CommandError> {
        let cannot = |error: std::io::Error| CommandError::internal(error.to_string());
        let mut ended = signal(SignalKind::child()).map_err(cannot)?;
        let mut placed = pin!(async {
            let is_ours = placed.await;
            if is_ours {
                seat.tell_start(order, self.process.as_ref(), None).await;
            }
            observer.begin();
            is_ours
        });
        let (mut is_placed, mut is_ours) = (false, true);
        let stops = if self.sleeps { WaitOptions::UNTRACED } else { WaitOptions::empty() };
        let end = loop {
            match waitpid(Some(self.pid), WaitOptions::NOHANG | stops) {
                Ok(Some((_, status))) if status.stopped() => {
                    sleep_along(self.pid, status).await;
                    continue;
                }
                Ok(Some((_, status))) => break End::from(status),
                Ok(None) => {}
                Err(errno) => return Err(cannot(errno.into())),
            }
            tokio::select! {
                ours = &mut placed, if !is_placed => (is_placed, is_ours) = (true, ours),
                _ = ended.recv() => {}
                Some(signal) = self.signals.recv() => drop(kill_process(self.pid, signal)),
            }
        };
        // What came before the end was for the agent.
        while self.signals.try_recv().is_ok() {}
        if timeout(PASSED_ON_WITHIN, self.drain.finish()).await.is_err() {
            self.drain.hear_out();
        }
        // The end of a run comes behind its start, which alone says that nobody could type to it, but waits for no hub
        // that is stuck. Whoever has a client has a seat by its own words.
        if self.sleeps && !is_placed {
            is_ours = timeout(LAST_WORDS, placed).await.unwrap_or(is_ours);
        }
        // The hub is told within a moment, or finds it in the spool.
        observer.begin();
        observer.end(LAST_WORDS);
        let word = self.process.as_ref().map(|process| (process, seat::ended(process, end)));
        let told = async {
            match &word {
                Some((_, word)) if is_ours => seat.tell(word).await,
                // By now its own words have given it one.
                Some((process, word)) => seat.tell_of_another(process, word).await,
                None => Told::Refused,
            }
        };
        let told = timeout(LAST_WORDS, told).await.unwrap_or(Told::Away);
        if told != Told::Heard
            && !observer.leave_end(end, LAST_WORDS)
            && told == Told::Away
            && let Some((_, word)) = &word
        {
            seat.leave(word);
        }
        tokio::select! {
            biased;
            () = self.drain.finish() => {}
            // Whoever wants us gone does not wait for a client that reads no more. The same signal
            // may have ended the agent, whose last words are on their way.
            () = async {
                match self.signals.recv().await {
                    Some(_) => tokio::time::sleep(LAST_WORDS).await,
                    // All of them are ignored.
                    None => std::future::pending().await,
                }
            } => {}
        }
        drop(self.guard);
        Ok(end)
    }
}

/// What we hear and the agent is to hear. What is typed at a terminal goes to the agent as well:
/// that is not passed on a second time.
pub(super) fn signals() -> std::io::Result<mpsc::Receiver<Signal>> {
    let (to, heard) = mpsc::channel(16);
    for kind in [Signal::TERM, Signal::HUP, Signal::INT, Signal::QUIT, Signal::USR1, Signal::USR2] {
        if let Some(stream) = hear(SignalKind::from_raw(kind.as_raw()))? {
            tokio::spawn(pass(kind, stream, to.clone()));
        }
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
pub(super) fn is_in_front() -> bool {
    let terminal = std::fs::File::open("/dev/tty");
    terminal.is_ok_and(|terminal| tcgetpgrp(terminal).is_ok_and(|group| group == getpgrp()))
}
