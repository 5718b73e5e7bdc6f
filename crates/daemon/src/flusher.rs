//! What waits for the disk: flushes for acts, checkpoints of the write-ahead log.
//!
//! The writer never does: a report must not wait until somebody's click is on the platter.

use crate::job::{Answer, Refusal};
use crate::store::{self, StoreError};
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use tokio::sync::oneshot;

/// Answers that wait until what they acknowledge would survive a power cut.
pub(crate) type Waiting = Vec<(oneshot::Sender<Answer>, Answer)>;

/// The nice value of what no report waits for. Acts do: where all cores are busy they are flushed a little later.
const BESIDE: i32 = 10;

enum Task {
    Flush(Waiting),
    Checkpoint { and_empty: bool },
}

/// The way to the flusher's thread. The thread ends when this is dropped, its work done.
#[derive(Debug)]
pub(crate) struct Flusher {
    tasks: Option<Sender<Task>>,
    checkpointing: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Flusher {
    /// `log` is the write-ahead log of `database`; both exist.
    pub(crate) fn start(database: PathBuf, log: PathBuf) -> io::Result<Self> {
        let (sender, tasks) = channel();
        let checkpointing = Arc::new(AtomicBool::new(false));
        let done = Arc::clone(&checkpointing);
        let thread = std::thread::Builder::new().name("headsup-flush".into());
        let thread =
            thread.spawn(move || Disk { database, connection: None, log, tasks, done }.run())?;
        Ok(Self { tasks: Some(sender), checkpointing, thread: Some(thread) })
    }

    /// Answers each once the write-ahead log, as it is now, is on the disk.
    pub(crate) fn flush(&self, waiting: Waiting) {
        self.send(Task::Flush(waiting));
    }

    /// Asks for a checkpoint, unless one is under way; and then for an empty log, which costs
    /// those who write next.
    pub(crate) fn checkpoint(&self, and_empty: bool) {
        if !self.checkpointing.swap(true, Ordering::AcqRel) {
            self.send(Task::Checkpoint { and_empty });
        }
    }

    pub(crate) fn is_checkpointing(&self) -> bool {
        self.checkpointing.load(Ordering::Acquire)
    }

    fn send(&self, task: Task) {
        if let Some(tasks) = &self.tasks {
            // Without a flusher the waiting answers are dropped: their callers hear of an error.
            tasks.send(task).ok();
        }
    }
}

impl Drop for Flusher {
    fn drop(&mut self) {
        self.tasks = None;
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

struct Disk {
    database: PathBuf,
    connection: Option<rusqlite::Connection>,
    log: PathBuf,
    tasks: Receiver<Task>,
    done: Arc<AtomicBool>,
}

impl Disk {
    fn run(mut self) {
        // Of this thread alone. A checkpoint computes for milliseconds, and no report is to wait for it. Where it
        // may not, it goes on as it is.
        rustix::process::setpriority_process(None, BESIDE).ok();
        while let Ok(first) = self.tasks.recv() {
            let mut waiting = Waiting::new();
            let mut checkpoint = None;
            // All that wait share one flush.
            for task in std::iter::once(first).chain(self.tasks.try_iter()) {
                match task {
                    Task::Flush(more) => waiting.extend(more),
                    Task::Checkpoint { and_empty } => checkpoint = Some(and_empty),
                }
            }
            if !waiting.is_empty() {
                answer(waiting, self.flush());
            }
            if let Some(and_empty) = checkpoint {
                if let Err(error) = self.checkpoint(and_empty) {
                    tracing::warn!(%error, "the write-ahead log could not be checkpointed");
                }
                self.done.store(false, Ordering::Release);
            }
        }
    }

    fn flush(&self) -> io::Result<()> {
        // Opened each time: the file may be another one after the last connection was closed.
        File::open(&self.log)?.sync_data()
    }

    fn checkpoint(&mut self, and_empty: bool) -> Result<(), StoreError> {
        let connection = match &mut self.connection {
            Some(connection) => connection,
            none => none.insert(store::connect_again(&self.database)?),
        };
        store::checkpoint(connection)?;
        if and_empty { store::empty_log(connection) } else { Ok(()) }
    }
}

fn answer(waiting: Waiting, flushed: io::Result<()>) {
    let refusal = flushed.err().map(|error| {
        tracing::error!(%error, "acts could not be flushed to the disk");
        match error.kind() {
            ErrorKind::StorageFull => Refusal::StorageFull,
            _ => Refusal::StorageFailed,
        }
    });
    for (to, answer) in waiting {
        let answer = refusal.map_or(answer, Err);
        // Whoever asked may be gone.
        to.send(answer).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Reply;
    use crate::store::Store;
    use headsup_core::time::UnixMs;

    fn waiting() -> (Waiting, oneshot::Receiver<Answer>) {
        let (to, answered) = oneshot::channel();
        (vec![(to, Ok(Reply::Duplicate))], answered)
    }

    #[tokio::test]
    async fn an_act_is_answered_behind_the_flush_and_not_where_it_fails() {
        let temp = tempfile::tempdir().unwrap();
        let database = temp.path().join("headsup.db");
        let store = Store::open(&database, UnixMs(0)).unwrap().store;
        let flusher = Flusher::start(database.clone(), store.log_path()).unwrap();
        let (act, answered) = waiting();
        flusher.flush(act);
        assert_eq!(answered.await.unwrap(), Ok(Reply::Duplicate));
        let lost = Flusher::start(database, temp.path().join("nowhere")).unwrap();
        let (act, answered) = waiting();
        lost.flush(act);
        assert_eq!(answered.await.unwrap(), Err(Refusal::StorageFailed));
    }

    #[test]
    fn a_checkpoint_moves_the_log_into_the_database_and_may_empty_it() {
        let temp = tempfile::tempdir().unwrap();
        let database = temp.path().join("headsup.db");
        let store = Store::open(&database, UnixMs(0)).unwrap().store;
        store.connection().execute_batch("CREATE TABLE t (x)").unwrap();
        let log = store.log_path();
        let length = |path| std::fs::metadata(path).unwrap().len();
        let before = (length(&database), length(&log));
        for and_empty in [false, true] {
            let flusher = Flusher::start(database.clone(), store.log_path()).unwrap();
            flusher.checkpoint(and_empty);
            drop(flusher);
            assert!(length(&database) > before.0);
            assert_eq!(length(&log), if and_empty { 0 } else { before.1 });
        }
    }

    #[test]
    fn a_log_that_is_in_use_is_not_emptied_and_nobody_waits() {
        let temp = tempfile::tempdir().unwrap();
        let database = temp.path().join("headsup.db");
        let store = Store::open(&database, UnixMs(0)).unwrap().store;
        store.connection().execute_batch("CREATE TABLE t (x); BEGIN; SELECT * FROM t").unwrap();
        let flusher = Flusher::start(database, store.log_path()).unwrap();
        flusher.checkpoint(true);
        drop(flusher);
        assert!(std::fs::metadata(store.log_path()).unwrap().len() > 0);
    }
}
