//! Processes in seats: each is waited for until it is gone.
//!
//! A process that is not our child has no exit status for us but what the kernel tells whoever has waited for it
//! (`headsup_kernel`). Its own goodbye (the end of the session told by a hook, its status file removed) tells a clean
//! end from a crash. Where the shell that it was started from is gone with it, a person has closed the terminal;
//! whoever outlives that was meant to.

mod ending;
mod leader;
mod own_pane;
mod pause;
mod terminal;

use super::goodbyes::Goodbyes;
use super::last_words::LastWords;
use super::pane::Place;
use super::tell;
use crate::board::Board;
use crate::inbox::Inbox;
use crate::job::Sight;
use crate::limits;
use crate::oom::Ooms;
use crate::process::{is_alive, living, parent_of, shell_of};
use crate::samples::Samples;
use ending::{Awaited, gone, stays};
use headsup_adapters::acp;
use headsup_core::id::{AgentId, ProcessId};
use headsup_core::observation::{Delivery, Fact, ProcessFact};
use headsup_core::seat::Seat;
use headsup_core::source::Source;
use headsup_core::status::{Exit, ExitKind, Process, Turn};
use leader::Leader;
use own_pane::OwnPane;
use pause::Pause;
use serde_json::json;
use std::collections::HashMap;
use std::future::pending;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use terminal::Terminal;
use tokio::task::AbortHandle;

pub(crate) use ending::{ends_meanwhile, pidfd};

/// How long after a death its goodbye may come: a hook and a file are told in any order.
const GRACE: Duration = Duration::from_millis(400);
/// How long what has started a process and waits for it may take to end behind it.
const OUTLIVES: Duration = Duration::from_secs(1);
/// How long behind its shell a process may go that was hung up with it: longer than between two looks.
const HUNG_UP: Duration = Duration::from_millis(2_500);

pub(super) struct Processes {
    inbox: Inbox,
    board: Arc<Board>,
    goodbyes: Arc<Goodbyes>,
    ooms: Arc<Ooms>,
    samples: Arc<Samples>,
    last_words: Arc<LastWords>,
    watched: HashMap<AgentId, Watched>,
    /// So many processes are waited for; any more are looked at.
    most_waited_for: usize,
    /// Whoever waits for one holds this as well, for as long.
    held: Arc<()>,
}

struct Watched {
    process: ProcessId,
    /// What has started it, and was launched for the seat.
    outer: Option<Box<ProcessId>>,
    /// It has said goodbye, and may leave: nobody waits for it otherwise.
    leaves: bool,
    /// Else it is looked at.
    waits: bool,
    task: AbortHandle,
    ooms: Arc<Ooms>,
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.task.abort();
        self.ooms.forget(&self.process);
    }
}

impl Processes {
    pub(super) fn new(
        inbox: Inbox,
        board: Arc<Board>,
        goodbyes: Arc<Goodbyes>,
        ooms: Arc<Ooms>,
        samples: Arc<Samples>,
        last_words: Arc<LastWords>,
    ) -> Self {
        // Each may have a shell that is waited for as well.
        let most_waited_for = limits::processes().div_ceil(2);
        let (watched, held) = (HashMap::new(), Arc::default());
        Self { inbox, board, goodbyes, ooms, samples, last_words, watched, most_waited_for, held }
    }

    /// Watches what sits in the seat now. `stored`: the seat is from before the hub's start. One in
    /// another pid namespace that we do not see cannot be probed and is left alone.
    pub(super) fn look_at(&mut self, seat: &Seat, stored: bool) {
        let process = seat.process.id.as_ref();
        let process = process.filter(|process| process.pid_here().is_some());
        let Some(process) = process.filter(|_| !seat.process.state.is_over()) else {
            let leaves = process.filter(|_| seat.is_over_by_word());
            // The hub before was gone before it could see whether this one leaves.
            let leaves = leaves.filter(|process| !stored || is_alive(process));
            if leaves.is_some_and(|process| self.is_watched(&seat.id, process, None, true)) {
                return;
            }
            self.watched.remove(&seat.id);
            if let Some(process) = leaves {
                self.see_off(&seat.id, process);
            }
            return;
        };
        let outer = seat.process.outer();
        if self.is_watched(&seat.id, process, outer, false) {
            return;
        }
        // With it goes what was counted of the same process.
        let left = self.watched.remove(&seat.id);
        let waited = left.is_some_and(|left| left.waits && !left.task.is_finished());
        let waits = waited || self.waited_for() < self.most_waited_for;
        let kept_a_file = seat.claims.iter().any(|claim| claim.source == Source::Registry);
        let left_in_order = stored && kept_a_file && !self.goodbyes.has_file(process.pid);
        self.ooms.look(process);
        // In a container its engine may have stopped it.
        let is_outside = seat.about.location.container.is_none();
        let is_told = seat.process.state == Process::Unknown;
        // Its pane may have gone while no hub was there.
        let has_pane = stored && is_its_own(seat.about.location.tmux.as_deref(), process);
        let one = One {
            agent: seat.id.clone(),
            process: process.clone(),
            outer: outer.cloned().or_else(|| launcher_of(seat, process)),
            is_within: outer.is_some(),
            shell: shell_of(process),
            leader: Leader::of(process),
            pause: is_outside.then(|| Pause::new(is_told)),
            terminal: is_outside.then(|| Terminal::new(has_pane)),
            pane: OwnPane::default(),
            end: None,
            awaited: None,
            waits,
            left_in_order,
            board: Arc::clone(&self.board),
            goodbyes: Arc::clone(&self.goodbyes),
            ooms: Arc::clone(&self.ooms),
            samples: Arc::clone(&self.samples),
            last_words: Arc::clone(&self.last_words),
        };
        let held = waits.then(|| Arc::clone(&self.held));
        let watch = one.watch(self.inbox.clone());
        let task = tokio::spawn(async move {
            watch.await;
            drop(held);
        });
        let task = task.abort_handle();
        let (process, ooms) = (process.clone(), Arc::clone(&self.ooms));
        let outer = outer.cloned().map(Box::new);
        let watched = Watched { process, outer, leaves: false, waits, task, ooms };
        self.watched.insert(seat.id.clone(), watched);
    }

    fn is_watched(
        &self,
        agent: &AgentId,
        process: &ProcessId,
        outer: Option<&ProcessId>,
        leaves: bool,
    ) -> bool {
        self.watched.get(agent).is_some_and(|watched| {
            let is_it = watched.process == *process && watched.outer.as_deref() == outer;
            is_it && watched.leaves == leaves
        })
    }

    /// It has said goodbye. Should it not leave, the seat is not over.
    fn see_off(&mut self, agent: &AgentId, process: &ProcessId) {
        let sight = sight(agent.clone(), process.clone(), "stays", ProcessFact::Alive);
        self.let_go();
        let (inbox, leaves) = (self.inbox.clone(), process.clone());
        let held = Arc::clone(&self.held);
        let task = tokio::spawn(async move {
            let has_stayed = stays(&leaves).await;
            drop(held);
            if has_stayed {
                tell(&inbox, &sight).await;
            }
        });
        let (process, ooms) = (process.clone(), Arc::clone(&self.ooms));
        let (outer, task) = (None, task.abort_handle());
        let watched = Watched { process, outer, leaves: true, waits: true, task, ooms };
        self.watched.insert(agent.clone(), watched);
    }

    /// Lets go of whoever has left behind its goodbye. One that has stayed is not asked again.
    fn let_go(&mut self) {
        self.watched.retain(|_, watched| {
            let is_seen_off = watched.leaves && watched.task.is_finished();
            !is_seen_off || is_alive(&watched.process)
        });
    }

    /// So many processes are waited for now.
    fn waited_for(&self) -> usize {
        Arc::strong_count(&self.held) - 1
    }
}

/// Is the pane that it is shown in the one that it was started in? One that several conversations share is shown where
/// their terminals are.
fn is_its_own(pane: Option<&str>, process: &ProcessId) -> bool {
    pane.is_some_and(|pane| Place::of(process).is_none_or(|own| own.name() == pane))
}

/// Who waits for it, and hears what it returns: its launcher, or who speaks for it and may have more to tell.
fn launcher_of(seat: &Seat, process: &ProcessId) -> Option<ProcessId> {
    let is_waited_for = seat.launch.is_some() || acp::is_kind(&seat.kind);
    is_waited_for.then(|| parent_of(process)).flatten()
}

/// What is seen of a process in a seat.
fn sight(agent: AgentId, process: ProcessId, name: &str, fact: ProcessFact) -> Sight {
    Sight {
        agent,
        source: Source::Process,
        name: name.to_owned(),
        session: None,
        process: Some(process),
        made_at: None,
        delivery: Delivery::Live,
        fact: Fact::Process(fact),
    }
}

/// One process, until it is gone.
struct One {
    agent: AgentId,
    process: ProcessId,
    /// What has started it: what was launched for the seat, or its launcher.
    outer: Option<ProcessId>,
    /// That is no launcher: a script around it, or a program that starts itself anew.
    is_within: bool,
    /// The shell that it was started from.
    shell: Option<ProcessId>,
    /// Who leads its session, where that is no shell.
    leader: Leader,
    pause: Option<Pause>,
    terminal: Option<Terminal>,
    pane: OwnPane,
    /// The signal that has ended it.
    end: Option<Exit>,
    /// From when it is first waited for.
    awaited: Option<Awaited>,
    /// Else it is looked at.
    waits: bool,
    /// It ended before the hub's start, and had taken its file away.
    left_in_order: bool,
    board: Arc<Board>,
    goodbyes: Arc<Goodbyes>,
    ooms: Arc<Ooms>,
    samples: Arc<Samples>,
    last_words: Arc<LastWords>,
}

impl One {
    async fn watch(mut self, inbox: Inbox) {
        let (mut leader, process) = (std::mem::take(&mut self.leader), self.process.clone());
        let waits = self.waits;
        let has_outlived = {
            let mut lives = pin!(self.outlives_its_shell(&inbox));
            loop {
                tokio::select! {
                    biased;
                    has_outlived = &mut lives => break has_outlived,
                    () = leader.ends(&process, waits) => {}
                }
            }
        };
        let is_closed = leader.is_hung_up();
        let evidence = inbox.evidence();
        // How, only its launcher knows.
        let end = json!({"src": "process", "pid": self.process.pid, "state": "gone"});
        evidence.keep(&self.agent, evidence.now(), &end);
        let starved = self.ooms.has_struck(&self.process);
        let is_hung_up = !has_outlived && self.is_without_its_shell();
        if let Some(own) = self.own_signal(starved).filter(|_| !is_hung_up) {
            // Before what stands around it ends: the launcher tells what that returns, which says nothing of this.
            let exited = ProcessFact::Exited(own);
            tell(&inbox, &sight(self.agent, self.process, "exit", exited)).await;
            return;
        }
        if let Some(outer) = &self.outer {
            // Its launcher tells how that has ended, and with it this one: then nobody waits here any more.
            tokio::time::timeout(OUTLIVES, gone(outer, self.waits)).await.ok();
        }
        let goodbye = async {
            let said = || tokio::time::timeout(GRACE, self.goodbyes.said_by(&self.process));
            self.left_in_order
                || said().await.is_ok()
                || self.goodbyes.has_taken_its_files(self.process.pid)
        };
        let told = async { !starved && self.last_words.told_of(&self.process).await };
        let stopped = leader.stopped(&process, waits);
        let (said, told, stopped) = tokio::join!(goodbye, told, stopped);
        if told && !said {
            // Its container went with it, and knows its code.
            return;
        }
        // Its shell may have gone a moment later. What its own end was, where somebody has seen it, says more.
        let is_left = !has_outlived && self.is_without_its_shell();
        let is_hung_up = is_left || is_closed && self.end.is_none();
        let (name, kind) = match (said, starved) {
            (true, _) => ("exit", ExitKind::Clean),
            (false, true) => ("exit", ExitKind::OomKilled),
            (false, false) if is_hung_up => ("hangup", ExitKind::Killed),
            (false, false) => ("exit", ExitKind::Crashed),
        };
        let exit = match kind {
            ExitKind::Crashed if self.end.is_some() => self.end,
            ExitKind::Crashed if stopped.is_some() => stopped,
            // So does its own pane, where it stays; an older kernel tells no more once somebody has collected it.
            ExitKind::Crashed => match self.cause() {
                None => self.pane.end_of(&self.process).await.or_else(|| self.cause()),
                known => known,
            },
            _ => None,
        };
        let exited = ProcessFact::Exited(exit.unwrap_or_else(|| Exit::of(kind)));
        tell(&inbox, &sight(self.agent, self.process, name, exited)).await;
    }

    fn is_without_its_shell(&self) -> bool {
        self.shell.as_ref().is_some_and(|shell| !is_alive(shell))
    }

    /// Comes back when it is gone. True: its shell went before it, and not just so.
    async fn outlives_its_shell(&mut self, inbox: &Inbox) -> bool {
        let (shell, waits) = (self.shell.clone(), self.waits);
        let left_behind = async {
            match &shell {
                Some(shell) => gone(shell, waits).await,
                None => pending().await,
            }
            tokio::time::sleep(HUNG_UP).await;
        };
        let mut lives = pin!(self.lives(inbox));
        tokio::select! {
            biased;
            () = &mut lives => false,
            () = left_behind => {
                lives.await;
                true
            }
        }
    }

    fn is_shown_at_work(&self) -> bool {
        self.board.seat(&self.agent).is_some_and(|seat| {
            seat.process.state.is_running() && matches!(seat.turn(), Turn::Working(_))
        })
    }

    /// Comes back when it is gone. A code is told by others, or says little; a signal says whether it has crashed.
    async fn lives(&mut self, inbox: &Inbox) {
        let awaited = Awaited::new(&self.process, self.waits);
        self.look_until_gone(&awaited, inbox).await;
        self.awaited = Some(awaited);
        // Why one in a container was killed its engine knows.
        let is_outside = self.process.pid_namespace.is_none();
        self.end = self.cause().filter(|end| is_outside && end.signal.is_some());
    }

    /// The signal that has ended it, where something stands between it and its launcher. Of one that has said goodbye its
    /// signal says nothing, and why one was killed that memory had run out for is found otherwise.
    fn own_signal(&self, starved: bool) -> Option<Exit> {
        let has_parted = || {
            self.left_in_order
                || self.goodbyes.has_said(&self.process)
                || self.goodbyes.has_taken_its_files(self.process.pid)
        };
        self.end.filter(|_| self.is_within && !starved && !has_parted())
    }

    /// How it has ended, as the kernel tells.
    fn cause(&self) -> Option<Exit> {
        self.awaited.as_ref()?.cause()
    }

    async fn look_until_gone(&mut self, awaited: &Awaited, inbox: &Inbox) {
        while let Some(stat) = living(&self.process) {
            self.ooms.look(&self.process);
            self.pane.look(&self.process);
            self.samples.take(&self.agent, &self.process);
            let works = stat.is_stopped && self.is_shown_at_work();
            let pause = self.pause.as_mut();
            let stands = pause.and_then(|pause| pause.look(stat.is_stopped, works));
            let is_left = match &mut self.terminal {
                Some(terminal) => terminal.is_gone(stat.has_terminal(), &self.process).await,
                None => false,
            };
            let left = is_left.then_some(("terminal gone", ProcessFact::Orphaned));
            for (name, fact) in stands.into_iter().chain(left) {
                tell(inbox, &sight(self.agent.clone(), self.process.clone(), name, fact)).await;
            }
            if awaited.ends_meanwhile().await {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests;
