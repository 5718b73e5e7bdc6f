//! The agent as our child: its seat learns which process it is and how it ended, also where it
//! never says a word.

use super::acp::observer::Observer;
use super::acp::{self, Agent, is_in_front};
use super::order::Order;
use super::seat::{Seat, Told};
use super::shim::{self, terminal};
use super::signals::let_through;
use super::stream;
use crate::error::{CommandError, Kind};
use crate::hook::process::Process;
use crate::place::Place;
use headsup_adapters::stream::Stream;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, WaitStatus, kill_current_process_group,
    kill_process, waitid, waitpid,
};
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};

/// Whoever continues a whole process group continues us a little before the agent.
const A_MOMENT: Duration = Duration::from_millis(20);

/// How an agent has ended. Neither a code nor a signal is there where nobody can say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct End {
    pub(crate) code: Option<i32>,
    pub(crate) signal: Option<i32>,
    /// Its terminal was closed a moment before.
    pub(crate) hung_up: bool,
}

/// Starts the agent and stays until it has ended: in a terminal with a shim between the two,
/// otherwise with the input and output that we have. Its end comes back as an error that carries
/// its exit code; whatever else comes back means that it did not start.
pub(crate) async fn run(order: &Order, seat: &Seat<'_>, place: &Place) -> CommandError {
    stay(order, seat, place).await.map_or_else(|error| error, told)
}

/// The same in the place of the agent, where a person has typed us: an interrupt that ends it ends us as well. Of a
/// code a shell goes on with its loop.
pub(crate) async fn run_in_its_place(
    order: &Order,
    seat: &Seat<'_>,
    place: &Place,
) -> CommandError {
    let end = stay(order, seat, place).await;
    if let Ok(end) = end
        && end.signal == Some(Signal::INT.as_raw())
    {
        acp::end::like(end);
    }
    end.map_or_else(|error| error, told)
}

fn told(end: End) -> CommandError {
    CommandError::new(Kind::Agent(end.as_a_shell()), "the agent has ended")
}

async fn stay(order: &Order, seat: &Seat<'_>, place: &Place) -> Result<End, CommandError> {
    let says_so = order.stream().is_some_and(|stream| stream.file().is_none());
    match terminal::is_here() {
        true => shim::run(order, seat, place).await,
        false if says_so => reporting(order, seat, place).await,
        false => begin(order, seat, place).await,
    }
}

/// Its output is read along.
async fn reporting(order: &Order, seat: &Seat<'_>, place: &Place) -> Result<End, CommandError> {
    let deaf = || Observer::start(None, Box::new(Stream::new("")));
    let listen = |pid| stream::listen(order, place, pid).map_or_else(deaf, |heard| heard.observer);
    let (agent, observer) = Agent::start_reporting(order, listen)?;
    agent.stay(order, seat, &observer, std::future::ready(true)).await
}

async fn begin(order: &Order, seat: &Seat<'_>, place: &Place) -> Result<End, CommandError> {
    let cannot = |error: std::io::Error| CommandError::internal(error.to_string());
    let mut ended = signal(SignalKind::child()).map_err(cannot)?;
    let mut signals = acp::signals().map_err(cannot)?;
    let child = order.start()?;
    let_through().map_err(cannot)?;
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let Some(pid) = pid else { return Err(CommandError::internal("the agent has no pid")) };
    let process = Process::read(child.id());
    let listening = stream::listen(order, place, child.id());
    let mut start = Box::pin(seat.tell_start(order, process.as_ref(), listening.as_ref()));
    let mut is_told = false;
    let end = loop {
        match waitpid(Some(pid), WaitOptions::NOHANG | WaitOptions::UNTRACED) {
            Ok(Some((_, status))) if status.stopped() => {
                sleep_along(pid, status).await;
                continue;
            }
            Ok(Some((_, status))) => break End::from(status),
            Ok(None) => {}
            Err(errno) => return Err(cannot(errno.into())),
        }
        tokio::select! {
            _ = &mut start, if !is_told => is_told = true,
            _ = ended.recv() => {}
            Some(signal) = signals.recv() => drop(kill_process(pid, signal)),
        }
    };
    // Its end comes behind its start. A hub that has just not answered is not waited for twice.
    let is_away = !is_told && start.await == Told::Away;
    if let Some(listening) = &listening {
        listening.end();
    }
    if !(is_away && seat.leave_end(process.as_ref(), end)) {
        seat.tell_end(process.as_ref(), end).await;
    }
    Ok(end)
}

/// An agent that is stopped as a terminal stops it takes us and whoever is in our process group
/// with it, as without us: whoever wakes us wakes it. One that was stopped in another way, or where
/// no terminal has us in front, is woken by whoever has stopped it.
pub(super) async fn sleep_along(agent: Pid, status: WaitStatus) {
    let by_terminal = [Signal::TSTP, Signal::TTIN, Signal::TTOU].map(Signal::as_raw);
    let is_typed = status.stopping_signal().is_some_and(|signal| by_terminal.contains(&signal));
    if !is_typed || !is_in_front() {
        return;
    }
    tokio::time::sleep(A_MOMENT).await;
    let woken = WaitIdOptions::CONTINUED | WaitIdOptions::NOHANG;
    if matches!(waitid(WaitId::Pid(agent), woken), Ok(Some(_))) {
        return;
    }
    // In a process group that nobody could continue the kernel lets it pass.
    kill_current_process_group(Signal::TSTP).ok();
    kill_process(agent, Signal::CONT).ok();
}

impl End {
    /// As a shell returns it.
    pub(crate) fn as_a_shell(self) -> u8 {
        let code = self.code.or_else(|| self.signal.map(|signal| 128 + signal)).unwrap_or(1);
        u8::try_from(code).unwrap_or(1)
    }
}

impl From<WaitStatus> for End {
    fn from(status: WaitStatus) -> Self {
        let (code, signal) = (status.exit_status(), status.terminating_signal());
        Self { code, signal, ..Self::default() }
    }
}
