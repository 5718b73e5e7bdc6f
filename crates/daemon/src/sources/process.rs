//! Processes in seats: each is waited for until it is gone.
//!
//! A process that is not our child has no exit status for us. Its own goodbye (the end of the
//! session told by a hook, its status file removed) tells a clean end from a crash.

use super::goodbyes::Goodbyes;
use super::ready::when_readable;
use crate::inbox::Inbox;
use crate::job::{Sight, Witnessed, Work};
use crate::process::is_alive;
use headsup_core::id::{AgentId, ProcessId};
use headsup_core::observation::{Fact, ProcessFact};
use headsup_core::seat::Seat;
use headsup_core::source::Source;
use headsup_core::status::{Exit, ExitKind};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::unix::AsyncFd;
use tokio::task::AbortHandle;

/// How long after a death its goodbye may come: a hook and a file are told in any order.
const GRACE: Duration = Duration::from_millis(400);
/// How often a living process is looked at beside waiting for it.
const LOOK: Duration = Duration::from_secs(2);

pub(super) struct Processes {
    inbox: Inbox,
    goodbyes: Arc<Goodbyes>,
    watched: HashMap<AgentId, Watched>,
}

struct Watched {
    process: ProcessId,
    task: AbortHandle,
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Processes {
    pub(super) fn new(inbox: Inbox, goodbyes: Arc<Goodbyes>) -> Self {
        Self { inbox, goodbyes, watched: HashMap::new() }
    }

    /// Watches what sits in the seat now. `stored`: the seat is from before the hub's start. One in
    /// another pid namespace cannot be probed and is left alone.
    pub(super) fn look_at(&mut self, seat: &Seat, stored: bool) {
        let process = seat.process.id.as_ref();
        let process = process.filter(|process| process.pid_namespace.is_none());
        let Some(process) = process.filter(|_| !seat.process.state.is_over()) else {
            self.watched.remove(&seat.id);
            return;
        };
        if self.watched.get(&seat.id).is_some_and(|watched| watched.process == *process) {
            return;
        }
        let kept_a_file = seat.claims.iter().any(|claim| claim.source == Source::Registry);
        let left_in_order = stored && kept_a_file && !self.goodbyes.has_file(process.pid);
        let watch = until_gone(
            seat.id.clone(),
            process.clone(),
            left_in_order,
            self.inbox.clone(),
            Arc::clone(&self.goodbyes),
        );
        let task = tokio::spawn(watch).abort_handle();
        self.watched.insert(seat.id.clone(), Watched { process: process.clone(), task });
    }
}

async fn until_gone(
    agent: AgentId,
    process: ProcessId,
    left_in_order: bool,
    inbox: Inbox,
    goodbyes: Arc<Goodbyes>,
) {
    gone(&process).await;
    let said =
        left_in_order || tokio::time::timeout(GRACE, goodbyes.said_by(&process)).await.is_ok();
    let kind = if said { ExitKind::Clean } else { ExitKind::Crashed };
    let sight = Sight {
        agent,
        source: Source::Process,
        name: "exit".to_owned(),
        session: None,
        process: Some(process),
        is_history: false,
        fact: Fact::Process(ProcessFact::Exited(Exit::of(kind))),
    };
    // A hub that stops has no use for it.
    inbox.submit(Work::Witnessed(Witnessed::Seat(Box::new(sight))), None).await.ok();
}

/// Comes back when the process has ended, or the pid is another's.
async fn gone(process: &ProcessId) {
    let pidfd = open(process.pid);
    // Only now is it sure that the descriptor is of this process.
    while is_alive(process) {
        match &pidfd {
            Some(pidfd) => {
                let ended = tokio::time::timeout(LOOK, pidfd.readable()).await;
                if let Ok(Ok(_)) = ended {
                    return;
                }
            }
            None => tokio::time::sleep(LOOK).await,
        }
    }
}

fn open(pid: u32) -> Option<AsyncFd<OwnedFd>> {
    let pid = Pid::from_raw(i32::try_from(pid).ok()?)?;
    let pidfd = pidfd_open(pid, PidfdFlags::NONBLOCK).ok()?;
    when_readable(pidfd)
}
