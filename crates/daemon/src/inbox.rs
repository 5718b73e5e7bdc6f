//! The way to the writer: bounded, in order, and a full one makes reporters wait instead of
//! losing anything.

use crate::evidence::Evidence;
use crate::job::{Answer, Job, Key, Refusal, Work};
use crate::limits::INBOX;
use crate::writer::{Pen, Tried};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;
use tokio::sync::{Semaphore, oneshot};

/// The reporters' end.
#[derive(Clone, Debug)]
pub(crate) struct Inbox {
    jobs: Sender<Job>,
    room: Arc<Semaphore>,
    evidence: Arc<Evidence>,
    pen: Pen,
}

/// The writer's end.
#[derive(Debug)]
pub(crate) struct Outbox {
    jobs: Receiver<Job>,
    room: Arc<Semaphore>,
}

/// `evidence`: what is kept of whatever goes this way.
pub(crate) fn pair(pen: Pen, evidence: Arc<Evidence>) -> (Inbox, Outbox) {
    // The channel has no bound of its own: a permit is taken before each job. So the writer can
    // wait on a plain condition with a time-out, without a runtime's timers.
    let (sender, receiver) = channel();
    let room = Arc::new(Semaphore::new(INBOX));
    let inbox = Inbox { jobs: sender, room: Arc::clone(&room), evidence, pen };
    (inbox, Outbox { jobs: receiver, room })
}

impl Inbox {
    /// Hands work over and waits for its answer. A caller that goes away takes nothing back.
    pub(crate) async fn submit(&self, work: Work, key: Option<Key>) -> Answer {
        let (answer, answered) = oneshot::channel();
        let mut job = Job { work, key, answer };
        if job.work.is_report() && self.is_empty() {
            match self.pen.try_write(job) {
                Tried::Done { wake, is_heard } => {
                    if wake {
                        self.wake();
                    }
                    // The answer wakes the reporter, whose end would go before a few words to those
                    // who look on.
                    if is_heard {
                        tokio::task::yield_now().await;
                    }
                    return answered.await.unwrap_or(Err(Refusal::Stopping));
                }
                Tried::Busy(back) => job = back,
            }
        }
        let permit = self.room.acquire().await.map_err(|_| Refusal::Stopping)?;
        permit.forget();
        self.jobs.send(job).map_err(|_| Refusal::Stopping)?;
        answered.await.unwrap_or(Err(Refusal::Stopping))
    }

    /// Whether nobody is waiting, and nothing is being done by the writer's thread.
    pub(crate) fn is_empty(&self) -> bool {
        self.room.available_permits() >= INBOX
    }

    /// Has the writer's thread look whether there is something to do.
    fn wake(&self) {
        // Where there is no room it is awake.
        let Ok(permit) = self.room.try_acquire() else { return };
        permit.forget();
        let (answer, _) = oneshot::channel();
        // A hub that stops has nothing to do.
        self.jobs.send(Job { work: Work::Look, key: None, answer }).ok();
    }

    /// What is kept of whatever goes this way.
    pub(crate) fn evidence(&self) -> &Arc<Evidence> {
        &self.evidence
    }

    /// Jobs that are not done.
    #[cfg(test)]
    pub(crate) fn waiting(&self) -> usize {
        INBOX - self.room.available_permits()
    }
}

impl Outbox {
    /// Waits for work until `patience` has passed; then takes what is there, up to `most`. `None`
    /// when nobody can send any more.
    pub(crate) fn take(&self, patience: Duration, most: usize) -> Option<Vec<Job>> {
        let first = match self.jobs.recv_timeout(patience) {
            Ok(job) => job,
            Err(RecvTimeoutError::Timeout) => return Some(Vec::new()),
            Err(RecvTimeoutError::Disconnected) => return None,
        };
        let mut jobs = vec![first];
        jobs.extend(self.jobs.try_iter().take(most - 1));
        Some(jobs)
    }

    /// Whether nobody is waiting.
    pub(crate) fn is_empty(&self) -> bool {
        self.room.available_permits() >= INBOX
    }

    /// So many jobs are done: others may come.
    pub(crate) fn done(&self, jobs: usize) {
        self.room.add_permits(jobs);
    }
}

impl Drop for Outbox {
    fn drop(&mut self) {
        self.room.close();
    }
}
