//! The agent on a terminal of its own, with us between it and the one that we are in: nothing on
//! the way is changed, and what the agent says of itself to its terminal is told to the hub.
//!
//! - [`keeper`]: the processes between us and the agent; [`mod@line`]: what they tell us;
//!   [`hold`]: what it leaves running
//! - [`terminal`]: the two terminals
//! - [`relay`]: the thread that passes every byte on; [`scan`] is what it hears on the way
//! - [`stops`]: the stop that somebody asks of us
//! - [`reply`]: what our own terminal answers us; [`overdue`]: what it still owes us at the end
//! - [`rest`]: the agent's last words, where our terminal is slow to take them
//! - [`found`]: what waits to be told; [`told`]: what the hub is told; [`upward`]: what our own
//!   terminal is told
//! - [`pane`]: who only listens, where an agent in a tmux pane was started without us
//!
//! The hub is spoken to beside all this: an agent and its person never wait for it.

mod found;
mod hold;
pub(crate) mod keeper;
mod line;
mod overdue;
pub(crate) mod pane;
mod relay;
mod reply;
mod rest;
mod scan;
mod shared;
mod stops;
pub(crate) mod terminal;
mod told;
mod upward;

use super::order::Order;
use super::seat::{Seat, Told};
use super::signals::{hear, let_through};
use super::stream;
use super::tend::End;
use crate::error::CommandError;
use crate::hook::process::Process;
use crate::place::Place;
use keeper::Word;
use line::Line;
use relay::Relay;
use rustix::process::{
    Pid, PidfdFlags, Signal, kill_current_process_group, kill_process_group, pidfd_open,
};
use rustix::stdio::stdout;
use rustix::termios::tcgetpgrp;
use shared::Shared;
use std::io;
use std::os::fd::OwnedFd;
use std::process::Child;
use std::sync::Arc;
use std::time::Duration;
use stops::{Stops, stands_still};
use terminal::Outer;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::signal::unix::{Signal as Stream, SignalKind, signal};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep, timeout};
use told::News;

/// How long the last words before a stop or an end may take.
const FLUSH_WITHIN: Duration = Duration::from_secs(1);
/// How long an agent whose terminal was closed may take to end of that: its own goodbye runs a person's hooks.
const LEAVES_WITHIN: Duration = Duration::from_secs(10);
/// How long an agent that has lost its keeper may take to end of that.
const ENDS_WITHIN: Duration = Duration::from_millis(500);

/// The agent as we know it once it runs.
struct Agent {
    pid: Pid,
    is_stopped: bool,
    /// Somebody has asked us to stop, and so have we asked it.
    is_asked: bool,
    /// Somebody has interrupted us, and so have we it.
    is_interrupted: bool,
}

/// What is between the two terminals beside the thread.
struct Between<'a> {
    agent: Agent,
    outer: Outer,
    stops: Stops,
    shared: &'a Shared,
    /// Our end of the agent's terminal. `None`: it is let go.
    master: Option<OwnedFd>,
    /// When it was, as ours was gone.
    hung_up: Option<Instant>,
}

impl Agent {
    /// To its whole process group, as a terminal does it. It may be gone.
    fn signal(&self, signal: Signal) {
        kill_process_group(self.pid, signal).ok();
    }
}

/// Starts the agent on a terminal of its own, and stays until it has ended.
pub(super) async fn run(
    order: &Order,
    seat: &Seat<'_>,
    place: &Place,
) -> Result<End, CommandError> {
    let cannot = |error: io::Error| CommandError::internal(error.to_string());
    let mut signals = signals().map_err(cannot)?;
    let mut outer = Outer::new().map_err(cannot)?;
    let (master, slave) = terminal::open(&outer).map_err(cannot)?;
    let size = master.try_clone().map_err(cannot)?;
    let (line, theirs) = keeper::pair().map_err(cannot)?;
    let mut line = Line::new(line).map_err(cannot)?;
    let keeper = order.start_on(slave, theirs)?;
    let_through().map_err(cannot)?;
    let stops = Stops::hear();
    let pid = match line.next().await {
        Some(Word::Runs(pid)) => Pid::from_raw(pid),
        Some(Word::Failed(number)) => {
            return Err(order.cannot_run(&io::Error::from_raw_os_error(number)));
        }
        _ => None,
    };
    let Some(pid) = pid else { return Err(CommandError::internal("the agent has no pid")) };
    let agent = Agent { pid, is_stopped: false, is_asked: false, is_interrupted: false };
    let process = u32::try_from(pid.as_raw_pid()).ok().and_then(Process::read);
    line.go_on().await.map_err(cannot)?;
    let is_ours = outer.raw().map_err(cannot)?;
    let number = u32::try_from(pid.as_raw_pid()).unwrap_or_default();
    let listening = stream::listen(order, place, number);
    let on_terminal = order.stream().is_some_and(|stream| stream.file().is_none());
    let ear = listening.as_ref().filter(|_| on_terminal).map(|heard| Arc::clone(&heard.observer));
    let shared = Arc::new(Shared::new(ear).map_err(cannot)?);
    shared.set_ours(is_ours);
    let mut relay = pass_on(master, &shared).map_err(cannot)?;
    // Before all else that is told of it, and beside what it and its terminal ask for.
    let mut start = Box::pin(seat.tell_start(order, process.as_ref(), listening.as_ref()));
    let mut is_told = false;
    let (master, hung_up) = (Some(size), None);
    let mut between = Between { agent, outer, stops, shared: &shared, master, hung_up };
    let mut news = News::default();
    let tended = async {
        start.as_mut().await;
        is_told = true;
        let told = told::tell(&shared, seat, process.as_ref(), &mut news);
        let upward = upward::tell(&shared, seat);
        tokio::join!(told, upward);
    };
    let kept = between.keep(&mut line, &mut signals, &mut relay);
    let end = tokio::select! {
        end = kept => end,
        () = tended => End::default(),
    };
    // What came before the end was for the agent.
    while signals.try_recv().is_ok() {}
    between.stops.end();
    // What the agent has said is heard before its end is told. What is typed now is the shell's.
    shared.hear_out();
    tokio::select! {
        () = shared.flush() => {}
        () = ended(&mut relay) => {}
        () = sleep(FLUSH_WITHIN) => {}
    }
    shared.set_ours(false);
    // A hub that has just not answered is not waited for twice: what is left there comes in the same order.
    let is_away = !is_told && start.await == Told::Away;
    let told = told::tell_last(&shared, seat, process.as_ref(), news, is_away).await;
    if let Some(listening) = &listening {
        listening.end();
    }
    // Of one that goes on without its keeper the hub sees the end by itself.
    let goes_on = match &process {
        Some(process) if end == End::default() => outlives(process).await,
        _ => false,
    };
    let is_left = told == Told::Away && !goes_on && seat.leave_end(process.as_ref(), end);
    if !goes_on && !is_left {
        seat.tell_end(process.as_ref(), end).await;
    }
    // In the background our last words may stop us, so they come last; whoever outlives the agent
    // is passed on until then. Our terminal is as it was before.
    shared.end(upward::clear());
    let hear_keys = || between.outer.hear_keys();
    rest::pass_on(&shared, &mut signals, &mut relay, rest::PATIENCE, hear_keys).await;
    let is_typed = end.signal == Some(Signal::INT.as_raw())
        && shared.is_interrupted()
        && !between.agent.is_interrupted;
    between.leave(line, keeper).await;
    if is_typed && !terminal::is_behind() {
        // Without us the key interrupts whoever is in our process group, as a script around us. We hear it.
        kill_current_process_group(Signal::INT).ok();
    }
    Ok(end)
}

/// Waits for the end of the thread, also where it has been seen before.
async fn ended(relay: &mut oneshot::Receiver<()>) {
    if !relay.is_terminated() {
        relay.await.ok();
    }
}

/// Whether it is still there after a moment. With the keeper its terminal is gone, which ends most.
#[expect(deprecated, reason = "its successor is unsafe, for types that lie about what they own")]
async fn outlives(process: &Process) -> bool {
    let pid = i32::try_from(process.pid).ok().and_then(Pid::from_raw);
    let opened = pid.and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
    // Its number may already be another's.
    if !process.is_there() {
        return false;
    }
    match opened.and_then(|end| AsyncFd::with_interest(end, Interest::READABLE).ok()) {
        Some(end) => timeout(ENDS_WITHIN, end.readable()).await.is_err(),
        None => true,
    }
}

/// Starts the thread. The answer is its end.
fn pass_on(master: OwnedFd, shared: &Arc<Shared>) -> io::Result<oneshot::Receiver<()>> {
    let relay = Relay::new(master, Arc::clone(shared))?;
    let (ended, end) = oneshot::channel();
    std::thread::Builder::new().name("terminal".to_owned()).spawn(move || {
        // What cannot go on ends here; the agent's terminal is gone with it.
        relay.run().ok();
        ended.send(()).ok();
    })?;
    Ok(end)
}

impl Between<'_> {
    /// Until the agent has ended.
    async fn keep(
        &mut self,
        line: &mut Line,
        signals: &mut mpsc::Receiver<SignalKind>,
        relay: &mut oneshot::Receiver<()>,
    ) -> End {
        let shared = self.shared;
        loop {
            tokio::select! {
                word = line.next() => match word {
                    Some(Word::Stopped(signal)) => {
                        timeout(FLUSH_WITHIN, shared.flush()).await.ok();
                        // Whoever asked us to stop may have continued us meanwhile.
                        while let Ok(kind) = signals.try_recv() {
                            self.heard(kind);
                        }
                        self.stop(signal);
                    }
                    Some(Word::Exited(code)) => return self.end(Some(code), None),
                    Some(Word::Killed(signal)) => return self.end(None, Some(signal)),
                    Some(Word::Runs(_) | Word::Failed(_)) => {}
                    // Its keeper is gone, and with it the agent's terminal. Nobody can say how it ends.
                    None => return End::default(),
                },
                kind = signals.recv() => if let Some(kind) = kind {
                    self.heard(kind);
                },
                () = self.stops.asked() => {
                    self.agent.is_asked = true;
                    self.agent.signal(Signal::TSTP);
                }
                () = terminal::comes_back(), if !shared.is_ours() => self.take(),
                () = shared.lost() => {}
                () = shared.gone() => self.hang_up(),
                _ = &mut *relay, if !relay.is_terminated() => self.hang_up(),
            }
        }
    }

    /// Many programs return an error where they can read and write no more. Whoever goes on without a terminal ends of
    /// something else.
    fn end(&self, code: Option<i32>, signal: Option<i32>) -> End {
        let hung_up = self.hung_up.is_some_and(|at| at.elapsed() < LEAVES_WITHIN);
        End { code, signal, hung_up }
    }

    /// Our terminal is gone, and so is the agent's: as from a real one, whoever is in its foreground and the
    /// agent get one HUP, and whoever reads or writes there finds nobody at it.
    fn hang_up(&mut self) {
        let Some(master) = self.master.take() else { return };
        self.hung_up = Some(Instant::now());
        let front = tcgetpgrp(&master).ok().filter(|front| *front != self.agent.pid);
        for signal in [Signal::HUP, Signal::CONT] {
            self.agent.signal(signal);
            if let Some(front) = front {
                kill_process_group(front, signal).ok();
            }
        }
        self.agent.is_stopped = false;
        self.shared.leave();
    }

    /// The agent has stopped itself, or somebody has stopped it: so do we, with whoever is in our
    /// process group, as without us. Comes back when somebody continues us.
    fn stop(&mut self, signal: i32) {
        self.agent.is_asked = false;
        if !stands_still(self.agent.pid) {
            return;
        }
        self.agent.is_stopped = true;
        self.shared.set_ours(false);
        self.outer.restore();
        // In a process group that nobody could continue the kernel lets it pass.
        self.stops.stop();
        self.take();
        if signal != Signal::STOP.as_raw() {
            self.wake();
        }
    }

    /// Our terminal is the agent's, as far as it is ours: in the background it is left alone.
    fn take(&mut self) {
        // One that cannot be set is read: so it is seen that it is gone.
        self.shared.set_ours(self.outer.raw().unwrap_or(true));
        self.copy_size();
    }

    fn copy_size(&self) {
        if let Some(master) = &self.master {
            terminal::copy_size(master);
        }
    }

    fn wake(&mut self) {
        if self.agent.is_stopped || self.agent.is_asked {
            (self.agent.is_stopped, self.agent.is_asked) = (false, false);
            self.agent.signal(Signal::CONT);
        }
    }

    fn heard(&mut self, kind: SignalKind) {
        if kind == SignalKind::window_change() {
            self.copy_size();
        } else if kind.as_raw_value() == Signal::CONT.as_raw() {
            // Whoever had the terminal meanwhile has set it as it pleased.
            self.take();
            self.wake();
        } else if kind == SignalKind::hangup() && (self.master.is_none() || terminal::is_gone()) {
            // It comes with the end of our terminal: the agent hears of that once.
            self.hang_up();
        } else if let Some(signal) = Signal::from_named_raw(kind.as_raw_value()) {
            self.agent.is_interrupted |= signal == Signal::INT;
            self.agent.signal(signal);
        }
    }

    /// Our terminal is as it was before. Whoever still has the agent's open keeps it, as long as ours is there.
    async fn leave(mut self, mut line: Line, mut keeper: Child) {
        self.master.iter().for_each(terminal::say_plainly);
        self.outer.restore();
        let master = self.master.take();
        if master.is_some_and(|master| line.hand_over(master, stdout()).is_ok()) {
            // Either it has ended, or it lets us go.
            timeout(FLUSH_WITHIN, line.next()).await.ok();
            keeper.try_wait().ok();
        } else {
            drop(line);
            keeper.wait().ok();
        }
    }
}

/// What we hear, one by one.
fn signals() -> io::Result<mpsc::Receiver<SignalKind>> {
    let (to, heard) = mpsc::channel(16);
    let passed_on = [
        SignalKind::terminate(),
        SignalKind::hangup(),
        SignalKind::interrupt(),
        SignalKind::quit(),
        SignalKind::user_defined1(),
        SignalKind::user_defined2(),
    ];
    for kind in passed_on {
        if let Some(stream) = hear(kind)? {
            tokio::spawn(pass(kind, stream, to.clone()));
        }
    }
    // These are our own terminal's, and heard in any case.
    for kind in [SignalKind::window_change(), SignalKind::from_raw(Signal::CONT.as_raw())] {
        tokio::spawn(pass(kind, signal(kind)?, to.clone()));
    }
    Ok(heard)
}

async fn pass(kind: SignalKind, mut stream: Stream, to: mpsc::Sender<SignalKind>) {
    while stream.recv().await.is_some() {
        if to.send(kind).await.is_err() {
            return;
        }
    }
}
