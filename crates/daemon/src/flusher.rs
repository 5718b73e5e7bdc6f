//! What waits for the disk: flushes for acts, checkpoints of the write-ahead log.
//!
//! Whoever serves never does, and the writer only where the log begins anew (the database's own rule): a report
//! must not wait until somebody's click is on the platter.
//!
//! A log that grows fast is flushed piece by piece. While a checkpoint flushes all of it at once, whoever writes on waits at
//! the page that he shares with it: 5 to 18 ms for 16 MB (measured), which every fiftieth report met.
//!
//! Nor does whoever writes wait for a file to grow: while a log is in use it has room ahead, nothing but zeros, which
//! `SQLite` takes for its end. To write over what is in memory takes half as long (measured: 30 of 55 µs for the four
//! pages of a report that comes after a pause).

use crate::filesystem;
use crate::job::{Answer, Refusal};
use crate::store::{self, Log, Store, StoreError};
use rusqlite::Connection;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use tokio::sync::oneshot;

/// Answers that wait until what they acknowledge would survive a power cut.
pub(crate) type Waiting = Vec<(oneshot::Sender<Answer>, Answer)>;

/// The nice value of what nobody waits for.
const BESIDE: i32 = 10;
/// Where less is free, a log has no room ahead. Bytes.
const WIDE: u64 = 256 << 20;
/// So much of it is written at once: whoever commits meanwhile waits for no more. Bytes.
const PIECE: usize = 16 << 10;

/// The way to the two threads that wait for the disk: acts never wait behind a checkpoint. The threads end when
/// this is dropped, their work done.
#[derive(Debug)]
pub(crate) struct Flusher {
    acts: Option<Sender<Waiting>>,
    checkpoints: Option<Sender<Order>>,
    checkpointing: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

/// What nobody waits for.
#[derive(Clone, Copy, Debug)]
enum Order {
    /// What is in the log goes on to the disk, and stays in the log.
    Flush,
    /// What is in the log goes on into the database.
    Checkpoint {
        /// The log is to be emptied as well.
        and_empty: bool,
    },
}

impl Flusher {
    /// For an open store.
    pub(crate) fn start(store: &Store) -> io::Result<Self> {
        Self::of(store.path().to_owned(), store.log_path().to_owned(), store.log().clone())
    }

    fn of(database: PathBuf, path: PathBuf, log: Log) -> io::Result<Self> {
        let (acts, waiting) = channel();
        let (checkpoints, ordered) = channel();
        let checkpointing = Arc::new(AtomicBool::new(false));
        let (done, beside) = (Arc::clone(&checkpointing), path.clone());
        let threads = vec![
            spawn("headsup-flush", move || flush_acts(&path, &waiting))?,
            spawn("headsup-checkpt", move || {
                carry_out(&database, &beside, &ordered, &log, &done);
            })?,
        ];
        Ok(Self { acts: Some(acts), checkpoints: Some(checkpoints), checkpointing, threads })
    }

    /// Answers each once the write-ahead log, as it is now, is on the disk.
    pub(crate) fn flush(&self, waiting: Waiting) {
        if let Some(acts) = &self.acts {
            // Without its thread the waiting answers are dropped: their callers hear of an error.
            acts.send(waiting).ok();
        }
    }

    /// Asks for a checkpoint, unless one is under way; and then for an empty log, which costs
    /// those who write next.
    pub(crate) fn checkpoint(&self, and_empty: bool) {
        self.order(Order::Checkpoint { and_empty });
    }

    /// Has what was written go on to the disk, unless a checkpoint is under way, which does that as well.
    pub(crate) fn flush_log(&self) {
        self.order(Order::Flush);
    }

    fn order(&self, order: Order) {
        if let Some(checkpoints) = &self.checkpoints
            && !self.checkpointing.swap(true, Ordering::AcqRel)
        {
            checkpoints.send(order).ok();
        }
    }

    pub(crate) fn is_checkpointing(&self) -> bool {
        self.checkpointing.load(Ordering::Acquire)
    }
}

impl Drop for Flusher {
    fn drop(&mut self) {
        (self.acts, self.checkpoints) = (None, None);
        for thread in self.threads.drain(..) {
            thread.join().ok();
        }
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    std::thread::Builder::new().name(name.to_owned()).spawn(work)
}

fn flush_acts(path: &Path, acts: &Receiver<Waiting>) {
    // Kept open: that the disk has refused something is told once to each who has the file open by then, and a
    // checkpoint may have heard of it already.
    let mut log = File::open(path).ok();
    while let Ok(mut waiting) = acts.recv() {
        // All that wait share one flush.
        waiting.extend(acts.try_iter().flatten());
        let open = log.take().map_or_else(|| File::open(path), Ok);
        let flushed = open.and_then(|open| log.insert(open).sync_data());
        answer(waiting, flushed);
    }
}

fn carry_out(
    database: &Path,
    path: &Path,
    ordered: &Receiver<Order>,
    log: &Log,
    done: &AtomicBool,
) {
    // Of this thread alone. A checkpoint computes for milliseconds, and nobody is to wait for it. Where it may
    // not, it goes on as it is.
    if rustix::process::getpriority_process(None).is_ok_and(|nice| nice < BESIDE) {
        rustix::process::setpriority_process(None, BESIDE).ok();
    }
    let mut connection = None;
    // Not that of acts: what the disk refuses is told once to each who has the file open, and acts must hear of it.
    let mut file = None;
    while let Ok(order) = ordered.recv() {
        match order {
            Order::Flush => {
                // Opened first: who opens the file behind a failure hears nothing of it.
                if let Err(error) = connected(database, &mut connection) {
                    tracing::debug!(%error, "the database could not be opened for checkpoints");
                }
                flush(path, &mut file);
                // Behind the flush, which would write all of it to the disk for nothing.
                if let Err(error) = make_room(path, log, WIDE) {
                    tracing::debug!(%error, "the write-ahead log has no room ahead");
                }
            }
            Order::Checkpoint { and_empty } => {
                if let Err(error) = checkpoint(database, &mut connection, log, and_empty) {
                    tracing::warn!(%error, "the write-ahead log could not be checkpointed");
                }
            }
        }
        done.store(false, Ordering::Release);
    }
}

/// A checkpoint hears of what the disk refuses here as well: it has the file open by then.
fn flush(path: &Path, file: &mut Option<File>) {
    let open = file.take().map_or_else(|| File::open(path), Ok);
    if let Err(error) = open.and_then(|open| file.insert(open).sync_data()) {
        tracing::warn!(%error, "the write-ahead log could not be flushed");
    }
}

/// Where so much is free. Each piece goes to where the file ends by then (`O_APPEND`): over nothing that somebody writes
/// meanwhile.
fn make_room(path: &Path, log: &Log, wide: u64) -> io::Result<()> {
    // On a disk that other machines have, too, two may find the same end.
    let is_wide = || filesystem::free(path).is_some_and(|free| free >= wide);
    if filesystem::remote(path).is_some() || !is_wide() {
        return Ok(());
    }
    let mut file = File::options().append(true).open(path)?;
    let mut length = file.metadata()?.len();
    while log.is_short_of_room(length) {
        file.write_all(&[0; PIECE])?;
        let now = file.metadata()?.len();
        // Somebody else has emptied it.
        if now < length {
            break;
        }
        length = now;
    }
    Ok(())
}

fn checkpoint(
    database: &Path,
    connection: &mut Option<Connection>,
    log: &Log,
    and_empty: bool,
) -> Result<(), StoreError> {
    let connection = connected(database, connection)?;
    if and_empty { store::empty(connection, log) } else { store::checkpoint_of(connection, log) }
}

/// With the write-ahead log open.
fn connected<'a>(
    database: &Path,
    connection: &'a mut Option<Connection>,
) -> Result<&'a Connection, StoreError> {
    match connection {
        Some(connection) => Ok(&*connection),
        none => {
            let new = store::connect_again(database)?;
            new.query_row("SELECT COUNT(*) FROM sqlite_schema", [], |_| Ok(()))?;
            Ok(&*none.insert(new))
        }
    }
}

fn answer(waiting: Waiting, flushed: io::Result<()>) {
    if let Err(error) = &flushed {
        tracing::error!(%error, "acts could not be flushed to the disk");
    }
    for (to, answer) in waiting {
        // It is committed and shown by now; what was refused has changed nothing.
        let answer = if flushed.is_ok() { answer } else { answer.and(Err(Refusal::Unflushed)) };
        // Whoever asked may be gone.
        to.send(answer).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Reply;
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
        let flusher = Flusher::start(&store).unwrap();
        let (act, answered) = waiting();
        flusher.flush(act);
        assert_eq!(answered.await.unwrap(), Ok(Reply::Duplicate));
        let lost = Flusher::of(database, temp.path().join("nowhere"), Log::default()).unwrap();
        let (act, answered) = waiting();
        lost.flush(act);
        assert_eq!(answered.await.unwrap(), Err(Refusal::Unflushed));
        let (to, answered) = oneshot::channel();
        lost.flush(vec![(to, Err(Refusal::NoTask))]);
        assert_eq!(answered.await.unwrap(), Err(Refusal::NoTask), "it has changed nothing");
    }

    #[test]
    fn a_checkpoint_moves_the_log_into_the_database_and_may_empty_it() {
        let temp = tempfile::tempdir().unwrap();
        let database = temp.path().join("headsup.db");
        let store = Store::open(&database, UnixMs(0)).unwrap().store;
        store.connection().execute_batch("CREATE TABLE t (x)").unwrap();
        let log = store.log_path();
        let length = |path: &Path| std::fs::metadata(path).unwrap().len();
        let before = (length(&database), length(log));
        for and_empty in [false, true] {
            let flusher = Flusher::start(&store).unwrap();
            flusher.checkpoint(and_empty);
            drop(flusher);
            assert!(length(&database) > before.0);
            assert_eq!(length(log), if and_empty { 0 } else { before.1 });
            assert_eq!(store.log().pages(), 0, "the log begins anew");
        }
        store.connection().execute_batch("CREATE TABLE u (x)").unwrap();
        assert!(store.log().pages() > 0);
    }

    #[test]
    fn a_flush_leaves_the_log_as_it_is_and_keeps_no_checkpoint_away() {
        let temp = tempfile::tempdir().unwrap();
        let database = temp.path().join("headsup.db");
        let store = Store::open(&database, UnixMs(0)).unwrap().store;
        store.connection().execute_batch("CREATE TABLE t (x)").unwrap();
        let pages = store.log().pages();
        assert!(pages > 0);
        for log in [store.log_path().to_owned(), temp.path().join("nowhere")] {
            let flusher = Flusher::of(database.clone(), log, store.log().clone()).unwrap();
            flusher.flush_log();
            drop(flusher);
            assert_eq!(store.log().pages(), pages);
        }
        let flusher = Flusher::start(&store).unwrap();
        flusher.flush_log();
        while flusher.is_checkpointing() {
            std::thread::yield_now();
        }
        flusher.checkpoint(false);
        drop(flusher);
        assert_eq!(store.log().pages(), 0, "the log begins anew");
    }

    #[test]
    fn a_log_in_use_has_room_ahead_which_is_nothing_to_who_reads_it() {
        let temp = tempfile::tempdir().unwrap();
        let database = temp.path().join("headsup.db");
        let store = Store::open(&database, UnixMs(0)).unwrap().store;
        let write = |sql: &str| store.connection().execute_batch(sql).unwrap();
        write("CREATE TABLE t (x); INSERT INTO t VALUES (1)");
        let length = || std::fs::metadata(store.log_path()).unwrap().len();
        let before = length();
        if filesystem::remote(&database).is_some() || filesystem::free(&database).is_none() {
            // It never has any here.
            return;
        }
        make_room(store.log_path(), store.log(), u64::MAX).unwrap();
        assert_eq!(length(), before, "little is free");
        make_room(store.log_path(), store.log(), 0).unwrap();
        let after = length();
        assert!(after > before + (1 << 20));
        make_room(store.log_path(), store.log(), 0).unwrap();
        write("INSERT INTO t VALUES (2)");
        assert_eq!(length(), after, "what comes next finds it");
        // As a hub leaves it that is killed.
        let [left, log, _] = store::files(&database);
        let killed = temp.path().join("killed.db");
        std::fs::copy(left, &killed).unwrap();
        std::fs::copy(log, temp.path().join("killed.db-wal")).unwrap();
        let again = Store::open(&killed, UnixMs(0)).unwrap();
        assert!(again.quarantined.is_none());
        let count =
            again.store.connection().query_row("SELECT SUM(x) FROM t", [], |row| row.get(0));
        assert_eq!(count, Ok(3));
        // Emptied, it has none until it is in use again.
        let flusher = Flusher::start(&store).unwrap();
        flusher.checkpoint(true);
        drop(flusher);
        make_room(store.log_path(), store.log(), 0).unwrap();
        assert_eq!(length(), 0);
    }

    #[test]
    fn a_log_that_is_in_use_is_not_emptied_and_nobody_waits() {
        let temp = tempfile::tempdir().unwrap();
        let database = temp.path().join("headsup.db");
        let store = Store::open(&database, UnixMs(0)).unwrap().store;
        store.connection().execute_batch("CREATE TABLE t (x); BEGIN; SELECT * FROM t").unwrap();
        let pages = store.log().pages();
        let flusher = Flusher::start(&store).unwrap();
        flusher.checkpoint(true);
        drop(flusher);
        assert!(std::fs::metadata(store.log_path()).unwrap().len() > 0);
        assert_eq!(store.log().pages(), pages, "it goes on");
    }
}
