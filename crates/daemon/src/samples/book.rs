//! The samples' own file, `samples.db`.
//!
//! It is no table of the database, on purpose. Of two connections one waits while the other writes, and whoever writes
//! first into an emptied log waits for the disk: a table there would have a report wait for figures that nobody
//! has asked for. So it has a format, a log and damage of its own: a start reads nothing of it, a version that does
//! not know it leaves it be, and one that cannot be read is begun anew, because it is all that is lost.

use super::Sample;
use crate::limits::Limits;
use crate::store::{self, StoreError};
use headsup_core::clock::Clocks;
use headsup_core::id::AgentId;
use headsup_core::status::Headline;
use headsup_core::time::UnixMs;
use headsup_core::wire::SampleDoc;
use rusqlite::{Connection, OpenFlags, Row, params};
use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

const FILE: &str = "samples.db";
/// The file's format. A step that was released never changes; new ones are added behind it.
const STEPS: [&str; 1] = ["CREATE TABLE samples (
    agent        TEXT NOT NULL,
    at           INTEGER NOT NULL,
    headline     TEXT NOT NULL,
    turn         TEXT NOT NULL,
    turn_seq     INTEGER NOT NULL,
    cpu_ms       INTEGER NOT NULL,
    memory_bytes INTEGER NOT NULL,
    PRIMARY KEY (agent, at)
) STRICT, WITHOUT ROWID"];

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;
/// What is older than the first is kept once in the second. What a process has computed is a sum, so the
/// difference of any two that stay is what it was.
const THINNED: [(i64, i64); 2] = [(HOUR_MS, 5 * MINUTE_MS), (24 * HOUR_MS, HOUR_MS)];
/// A wall clock that has moved so much by itself was set. Milliseconds.
const SET_MS: i64 = MINUTE_MS;

/// Opened when there is something to write, or to read.
pub(super) struct Book {
    path: PathBuf,
    connection: Option<Connection>,
    /// Samples kept, of all agents, and how long; as of events.
    most: u64,
    age_ms: i64,
    /// By how much the wall clock is ahead of the one that nobody sets.
    ahead_ms: Option<i64>,
    /// When the file is thinned next, on the clock that nobody sets.
    thins_at_ms: i64,
}

impl Book {
    pub(super) fn new(home: &Path, limits: &Limits) -> Self {
        Self {
            path: home.join(FILE),
            connection: None,
            most: limits.events,
            age_ms: limits.event_age_ms,
            ahead_ms: None,
            thins_at_ms: i64::MIN,
        }
    }

    /// Writes all of it or nothing, and once an hour drops what is old.
    pub(super) fn write<'a>(
        &mut self,
        samples: impl Iterator<Item = (&'a AgentId, &'a Sample)> + Clone,
        now: Clocks,
    ) -> Result<(), StoreError> {
        self.with(|connection| put(connection, samples.clone()))?;
        if self.is_due(now) {
            let (wall, most, age_ms) = (UnixMs(now.wall_ms), self.most, self.age_ms);
            // They are written: the next hour thins them.
            if let Err(error) = self.with(|connection| thin(connection, wall, most, age_ms)) {
                tracing::debug!(%error, "the file of samples could not be thinned");
            }
        }
        Ok(())
    }

    /// What is stored of an agent, oldest first.
    pub(super) fn read(
        &mut self,
        agent: &AgentId,
        from: UnixMs,
        to: UnixMs,
    ) -> Result<Vec<SampleDoc>, StoreError> {
        if !self.is_there() {
            return Ok(Vec::new());
        }
        self.with(|connection| {
            let mut select = connection.prepare_cached(
                "SELECT at, headline, turn, turn_seq, cpu_ms, memory_bytes FROM samples
                 WHERE agent = ?1 AND at BETWEEN ?2 AND ?3 ORDER BY at",
            )?;
            let rows = select.query_map(params![agent.as_str(), from.0, to.0], doc)?;
            let docs = rows.collect::<Result<Vec<_>, _>>()?;
            Ok(docs.into_iter().flatten().collect())
        })
    }

    pub(super) fn forget(&mut self, agent: &AgentId) -> Result<(), StoreError> {
        if !self.is_there() {
            return Ok(());
        }
        self.with(|connection| {
            connection.execute("DELETE FROM samples WHERE agent = ?1", [agent.as_str()])?;
            Ok(())
        })
    }

    fn is_there(&self) -> bool {
        self.connection.is_some() || self.path.exists()
    }

    /// Does it with the open file. One that is damaged is begun anew, where the disk gives all of it and says so again.
    fn with<T>(
        &mut self,
        work: impl Fn(&mut Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut done = self.open().and_then(&work);
        if matches!(done, Err(StoreError::Damaged(_))) {
            self.connection = None;
            store::read_all(&self.path)?;
            done = self.open().and_then(&work);
        }
        match done {
            Err(StoreError::Damaged(why)) => {
                tracing::warn!(%why, at = %self.path.display(), "the file of samples is damaged and begun anew");
                self.connection = None;
                for part in ["", "-wal", "-shm"] {
                    let mut name = self.path.clone().into_os_string();
                    name.push(part);
                    std::fs::remove_file(name).ok();
                }
                self.open().and_then(work)
            }
            other => other,
        }
    }

    fn open(&mut self) -> Result<&mut Connection, StoreError> {
        match &mut self.connection {
            Some(connection) => Ok(connection),
            none => Ok(none.insert(open(&self.path)?)),
        }
    }

    /// After the wall clock was set nothing is old for an hour: one that is wrong for a while must cost nothing.
    fn is_due(&mut self, now: Clocks) -> bool {
        let ahead_ms = now.wall_ms - now.boot_ms;
        let was_ms = self.ahead_ms.replace(ahead_ms);
        if was_ms.is_some_and(|was_ms| was_ms.abs_diff(ahead_ms) > SET_MS.unsigned_abs()) {
            self.thins_at_ms = now.boot_ms + HOUR_MS;
        }
        let is_due = now.boot_ms >= self.thins_at_ms;
        if is_due {
            self.thins_at_ms = now.boot_ms + HOUR_MS;
        }
        is_due
    }
}

fn open(path: &Path) -> Result<Connection, StoreError> {
    // Whoever opens a pipe waits for its other end.
    if std::fs::metadata(path).is_ok_and(|file| !file.is_file()) {
        return Err(StoreError::Unlike("it is no regular file".to_owned()));
    }
    // SQLite gives its other files the mode of the first.
    OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    let found: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let known = u32::try_from(STEPS.len()).unwrap_or(u32::MAX);
    if found > known {
        return Err(StoreError::Newer { found, known });
    }
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "cache_size", -256)?;
    for (step, version) in STEPS.iter().zip(1_u32..).skip(found as usize) {
        let transaction = connection.transaction()?;
        transaction.execute_batch(step)?;
        transaction.pragma_update(None, "user_version", version)?;
        transaction.commit()?;
    }
    Ok(connection)
}

fn put<'a>(
    connection: &mut Connection,
    samples: impl Iterator<Item = (&'a AgentId, &'a Sample)>,
) -> Result<(), StoreError> {
    let transaction = connection.transaction()?;
    {
        // A clock that was set back may come by the same moment again.
        let into = "INSERT OR REPLACE INTO samples VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let mut insert = transaction.prepare_cached(into)?;
        for (agent, sample) in samples {
            let Sample { at, headline, turn, turn_seq, taken } = sample;
            insert.execute(params![
                agent.as_str(),
                at.0,
                headline.word(),
                turn.word(),
                turn_seq.cast_signed(),
                taken.cpu_ms.cast_signed(),
                taken.memory_bytes.cast_signed(),
            ])?;
        }
    }
    Ok(transaction.commit()?)
}

/// `None` for a word of another version.
fn doc(row: &Row<'_>) -> rusqlite::Result<Option<SampleDoc>> {
    let number = |column| row.get::<_, i64>(column).map(i64::cast_unsigned);
    let Some(headline) = Headline::parse(row.get_ref(1)?.as_str().unwrap_or_default()) else {
        return Ok(None);
    };
    Ok(Some(SampleDoc {
        at: UnixMs(row.get(0)?),
        headline,
        turn: row.get::<_, String>(2)?.into(),
        turn_seq: number(3)?,
        cpu_ms: number(4)?,
        memory_bytes: number(5)?,
    }))
}

fn thin(
    connection: &Connection,
    now: UnixMs,
    most: u64,
    mut age_ms: i64,
) -> Result<(), StoreError> {
    for (older_ms, apart_ms) in THINNED {
        // Stretches are thinned as a whole.
        let until = (now.0 - older_ms).div_euclid(apart_ms) * apart_ms;
        let sql = "DELETE FROM samples WHERE at < ?1 AND EXISTS (
                       SELECT 1 FROM samples AS earlier WHERE earlier.agent = samples.agent
                       AND earlier.at >= samples.at - samples.at % ?2 AND earlier.at < samples.at)";
        connection.execute(sql, [until, apart_ms])?;
    }
    // Where there are too many all the same, their older half goes, and again: but for the last hour's.
    loop {
        connection.execute("DELETE FROM samples WHERE at < ?1", [now.0.saturating_sub(age_ms)])?;
        let count: i64 =
            connection.query_row("SELECT COUNT(*) FROM samples", [], |row| row.get(0))?;
        if count.cast_unsigned() <= most || age_ms <= HOUR_MS {
            return Ok(());
        }
        age_ms = (age_ms / 2).max(HOUR_MS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Taken;
    use headsup_core::status::{Turn, WorkingReason};

    const NOW: UnixMs = UnixMs(1_795_296_597_200);
    const DAY_MS: i64 = 24 * HOUR_MS;

    fn id(text: &str) -> AgentId {
        AgentId::new(text).unwrap()
    }

    fn sample(at: i64) -> Sample {
        Sample {
            at: UnixMs(at),
            headline: Headline::Working,
            turn: Turn::Working(WorkingReason::Tool),
            turn_seq: 7,
            taken: Taken { cpu_ms: u64::MAX, memory_bytes: 1 << 40 },
        }
    }

    fn clocks(ms: i64) -> Clocks {
        Clocks { wall_ms: NOW.0 + ms, monotonic_ms: ms, boot_ms: ms }
    }

    struct Shelf(tempfile::TempDir);

    impl Shelf {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        fn path(&self) -> PathBuf {
            self.0.path().join(FILE)
        }

        fn book(&self) -> Book {
            Book::new(self.0.path(), &Limits::default())
        }
    }

    fn write(book: &mut Book, agent: &AgentId, samples: &[Sample], at: Clocks) {
        book.write(samples.iter().map(|sample| (agent, sample)), at).unwrap();
    }

    /// When they were taken, before now. Milliseconds.
    fn ages(book: &mut Book, agent: &AgentId) -> Vec<i64> {
        let docs = book.read(agent, UnixMs(i64::MIN), UnixMs(i64::MAX)).unwrap();
        docs.iter().map(|doc| NOW.0 - doc.at.0).collect()
    }

    #[test]
    fn what_was_written_is_read_as_it_was_and_only_we_can_read_it() {
        use std::os::unix::fs::MetadataExt as _;
        let shelf = Shelf::new();
        let mut book = shelf.book();
        assert!(book.read(&id("a"), UnixMs(0), NOW).unwrap().is_empty());
        book.forget(&id("a")).unwrap();
        assert!(!shelf.path().exists(), "it is there once there is anything to write");
        let samples = [sample(NOW.0 - 2), sample(NOW.0 - 1), sample(NOW.0)];
        write(&mut book, &id("a"), &samples, clocks(0));
        write(&mut book, &id("b"), &samples[..1], clocks(0));
        drop(book);
        assert_eq!(std::fs::metadata(shelf.path()).unwrap().mode() & 0o077, 0);
        let mut book = shelf.book();
        let read = book.read(&id("a"), samples[1].at, NOW).unwrap();
        assert_eq!(read, samples[1..].iter().map(SampleDoc::from).collect::<Vec<_>>());
        book.forget(&id("a")).unwrap();
        assert_eq!((ages(&mut book, &id("a")), ages(&mut book, &id("b"))), (vec![], vec![2]));
    }

    #[test]
    fn what_is_old_is_thinned_by_its_age_and_goes_with_the_events() {
        let shelf = Shelf::new();
        let mut book = shelf.book();
        let step = 150_000;
        let all: Vec<Sample> = (0..100 * DAY_MS / step).map(|n| sample(NOW.0 - n * step)).collect();
        write(&mut book, &id("a"), &all, clocks(0));
        write(&mut book, &id("b"), &all[..9], clocks(0));
        let kept = ages(&mut book, &id("a"));
        let between = |from: i64, to: i64| {
            let within = kept.iter().filter(|age| (from..to).contains(*age));
            i64::try_from(within.count()).unwrap()
        };
        assert_eq!(between(0, HOUR_MS), HOUR_MS / step);
        assert_eq!(between(2 * HOUR_MS, DAY_MS), 22 * 12);
        assert_eq!(between(2 * DAY_MS, 90 * DAY_MS), 88 * 24);
        assert_eq!(between(90 * DAY_MS, i64::MAX), 0, "the oldest: {:?}", kept.first());
        assert_eq!(ages(&mut book, &id("b")).len(), 9);
        // Thinned again nothing goes that is not older by then.
        thin(book.open().unwrap(), NOW, u64::MAX, 90 * DAY_MS).unwrap();
        assert_eq!(ages(&mut book, &id("a")), kept);
    }

    #[test]
    fn of_too_many_the_older_half_goes_and_the_last_hour_stays() {
        let shelf = Shelf::new();
        let limits = Limits { events: 100, ..Limits::default() };
        let mut book = Book::new(shelf.0.path(), &limits);
        let hourly: Vec<Sample> = (1..1_000).map(|n| sample(NOW.0 - n * HOUR_MS)).collect();
        write(&mut book, &id("a"), &hourly, clocks(0));
        let kept = ages(&mut book, &id("a"));
        assert!((50..=100).contains(&kept.len()), "{}", kept.len());
        assert_eq!(kept.last(), Some(&HOUR_MS));
        let dense: Vec<Sample> = (0..500).map(|n| sample(NOW.0 + HOUR_MS - n)).collect();
        write(&mut book, &id("a"), &dense, clocks(HOUR_MS));
        assert_eq!(ages(&mut book, &id("a")).len(), 500);
    }

    #[test]
    fn a_clock_that_is_set_makes_nothing_old_for_an_hour() {
        let shelf = Shelf::new();
        let mut book = shelf.book();
        let far = |ms| Clocks { wall_ms: NOW.0 + 365 * DAY_MS + ms, ..clocks(ms) };
        write(&mut book, &id("a"), &[sample(NOW.0)], clocks(0));
        for ms in [2 * HOUR_MS, 2 * HOUR_MS + 1, 3 * HOUR_MS - 1] {
            write(&mut book, &id("b"), &[], far(ms));
            assert_eq!(ages(&mut book, &id("a")), [0], "{ms}");
        }
        write(&mut book, &id("b"), &[], far(3 * HOUR_MS));
        assert_eq!(ages(&mut book, &id("a")), [0; 0]);
        // The clock of a machine that has slept was not set.
        let mut book = shelf.book();
        let slept = Clocks { monotonic_ms: 1, ..clocks(DAY_MS) };
        assert_eq!([clocks(0), clocks(1), slept].map(|at| book.is_due(at)), [true, false, true]);
    }

    #[test]
    fn a_damaged_file_is_begun_anew_and_a_newer_one_is_left_alone() {
        let shelf = Shelf::new();
        let mut book = shelf.book();
        write(&mut book, &id("a"), &[sample(NOW.0)], clocks(0));
        drop(book);
        let bytes = std::fs::read(shelf.path()).unwrap();
        // The head, and what stands behind it.
        for from in [0, 4_096] {
            let mut bytes = bytes.clone();
            bytes[from..].fill(0xAA);
            std::fs::write(shelf.path(), &bytes).unwrap();
            let mut book = shelf.book();
            assert_eq!(ages(&mut book, &id("a")), [0; 0], "{from}");
            write(&mut book, &id("a"), &[sample(NOW.0 - 1)], clocks(0));
            assert_eq!(ages(&mut book, &id("a")), [1], "{from}");
        }
        let connection = Connection::open(shelf.path()).unwrap();
        connection.pragma_update(None, "user_version", 99).unwrap();
        drop(connection);
        let before = std::fs::read(shelf.path()).unwrap();
        let refused = shelf.book().read(&id("a"), UnixMs(0), NOW).unwrap_err();
        assert!(matches!(refused, StoreError::Newer { found: 99, known: 1 }), "{refused}");
        assert!(std::fs::read(shelf.path()).unwrap() == before);
    }

    /// As `SQLite` calls a read that has failed for once.
    #[test]
    fn a_file_that_was_called_damaged_once_is_kept() {
        let shelf = Shelf::new();
        let mut book = shelf.book();
        write(&mut book, &id("a"), &[sample(NOW.0)], clocks(0));
        let is_met = std::cell::Cell::new(false);
        let work = |_: &mut Connection| match is_met.replace(true) {
            false => Err(StoreError::Damaged(rusqlite::Error::InvalidQuery)),
            true => Ok(()),
        };
        book.with(work).unwrap();
        assert_eq!(ages(&mut book, &id("a")), [0]);
    }

    #[test]
    fn a_file_of_each_former_format_is_opened_and_goes_on() {
        for format in 0..=STEPS.len() {
            let shelf = Shelf::new();
            let connection = Connection::open(shelf.path()).unwrap();
            STEPS[..format].iter().for_each(|step| connection.execute_batch(step).unwrap());
            let version = u32::try_from(format).unwrap();
            connection.pragma_update(None, "user_version", version).unwrap();
            if format > 0 {
                let old = "INSERT INTO samples VALUES ('a', ?1, 'done', 'idle', 3, 40, 500),
                           ('a', ?1 + 1, 'a later word', 'idle', 3, 40, 500)";
                connection.execute(old, [NOW.0 - 9]).unwrap();
            }
            drop(connection);
            let mut book = shelf.book();
            write(&mut book, &id("a"), &[sample(NOW.0)], clocks(0));
            let expected: &[i64] = if format > 0 { &[9, 0] } else { &[0] };
            assert_eq!(ages(&mut book, &id("a")), expected, "{format}");
        }
    }

    #[test]
    fn what_is_no_file_is_refused_at_once() {
        let shelf = Shelf::new();
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        let kind = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, shelf.path(), kind, mode, 0).unwrap();
        let refused = shelf.book().read(&id("a"), UnixMs(0), NOW).unwrap_err();
        assert!(matches!(refused, StoreError::Unlike(_)), "{refused}");
    }
}
