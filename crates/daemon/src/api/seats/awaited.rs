//! Who speaks for an agent takes a seat for it before it starts it. Where that one is gone before it has told which
//! process it is, nobody else says that nothing has come of the start.

use crate::board::Board;
use crate::inbox::Inbox;
use crate::job::{Launched, Work};
use crate::process::is_alive;
use crate::sources::{ends_meanwhile, pidfd};
use headsup_core::gate::Container;
use headsup_core::id::{AgentId, ProcessId};
use headsup_core::observation::ProcessFact;
use headsup_core::seat::Seat;
use headsup_core::status::{Exit, ExitKind, Process};
use std::sync::Weak;

/// A seat that was taken.
#[derive(Debug)]
pub(super) struct Taken {
    pub(super) agent: AgentId,
    /// A digest of the token that it was taken with.
    pub(super) token: Option<String>,
    pub(super) by: ProcessId,
}

impl Taken {
    /// Does it still wait for its process?
    fn waits(&self, seat: &Seat) -> bool {
        let is_it = seat.about.token.as_deref() == self.token.as_deref();
        let starts = matches!(seat.process.state, Process::Starting { .. });
        is_it && starts && seat.process.id.is_none()
    }

    /// Nothing has come of it.
    fn lost(&self) -> Launched {
        Launched {
            agent: self.agent.clone(),
            process: self.by.clone(),
            container: Container::Unsaid,
            fact: ProcessFact::Exited(Exit::of(ExitKind::Lost)),
            headless: false,
            spooled: None,
        }
    }
}

/// Waits until its process is known, which is looked for now and then. Should whoever has taken it be gone before, its end is told.
pub(super) async fn follow(board: Weak<Board>, inbox: Inbox, taken: Taken) {
    let seat = || board.upgrade().and_then(|board| board.seat(&taken.agent));
    let pidfd = taken.by.pid_here().and_then(pidfd);
    while seat().is_some_and(|seat| taken.waits(&seat)) {
        if !is_alive(&taken.by) {
            let lost = Work::Launched(Box::new(taken.lost()));
            // A hub that stops has no use for it.
            inbox.submit(lost, None).await.ok();
            return;
        }
        ends_meanwhile(pidfd.as_ref()).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inbox;
    use crate::job::Job;
    use crate::process::identity;
    use crate::writer::Pen;
    use headsup_core::source::Source;
    use headsup_core::status::StartPhase;
    use headsup_core::time::UnixMs;
    use std::process::{Command, Stdio};
    use std::sync::Arc;
    use std::time::Duration;

    /// What is told while it is looked at a few times: that time passes at once.
    async fn told(seat: &Seat, by: &ProcessId) -> Vec<Job> {
        let (inbox, outbox) = inbox::pair(Pen::default(), Arc::default());
        let board = Arc::new(Board::new(vec![Arc::new(seat.clone())], 0, 0));
        let (agent, token) = (seat.id.clone(), Some("own".to_owned()));
        let taken = Taken { agent, token, by: by.clone() };
        let follows = tokio::spawn(follow(Arc::downgrade(&board), inbox.clone(), taken));
        // Longer than between a few looks.
        tokio::time::sleep(Duration::from_secs(7)).await;
        follows.abort();
        outbox.take(Duration::ZERO, 9).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn nothing_comes_of_a_start_once_who_has_taken_the_seat_is_gone() {
        let mut proxy = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let (pid, start_ticks) = identity(proxy.id()).unwrap();
        let by = ProcessId::new(pid, start_ticks);
        let id = AgentId::new("api").unwrap();
        let mut seat = Seat::new(id, "acp:some", Source::Process, UnixMs(0));
        seat.process.state = Process::Starting { phase: StartPhase::Booting };
        seat.about.token = Some("own".into());
        assert!(told(&seat, &by).await.is_empty(), "it is about to start it");
        proxy.kill().unwrap();
        proxy.wait().unwrap();
        let jobs = told(&seat, &by).await;
        let Work::Launched(launched) = &jobs[0].work else { panic!() };
        assert_eq!(launched.fact, ProcessFact::Exited(Exit::of(ExitKind::Lost)));
        assert_eq!((jobs.len(), &launched.process), (1, &by));
        // It was told.
        let mut known = seat.clone();
        known.process.id = Some(ProcessId::new(7, 70));
        // Somebody else has it by now.
        seat.about.token = Some("another's".into());
        for seat in [known, seat] {
            assert!(told(&seat, &by).await.is_empty());
        }
    }
}
