//! The spool's folder: what hooks wrote down while no hub took it.
//!
//! The queue is renamed under the lock that every appending hook takes, so nothing is written to a
//! file that is being read. A renamed file is removed only when all of it is stored; until then it
//! is read again at every try, and the reports' ids keep their effect single.

use headsup_core::spool::{Decoder, LIMIT, Record, Report};
use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, FileType, FlockOperation, Mode, OFlags, Stat};
use rustix::io::Errno;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub(crate) const QUEUE: &str = "queue";
const DRAINING: &str = "draining-";
/// A hook holds the lock for one append. One that was stopped with it must not stop the hub.
const LOCK_TRIES: u32 = 20;
const LOCK_PAUSE: Duration = Duration::from_millis(1);
/// A hook's spool ends at [`LIMIT`], and a hook makes room in none that is longer than this.
const LONGEST: u64 = 4 * LIMIT as u64;

/// Whether hooks have written anything into their queue.
pub(crate) fn has_reports(queue: &Path) -> bool {
    rustix::fs::lstat(queue).is_ok_and(holds_reports)
}

fn holds_reports(found: Stat) -> bool {
    FileType::from_raw_mode(found.st_mode) == FileType::RegularFile && found.st_size > 0
}

/// `None`: it is looked for by its path.
fn hold(folder: &Path) -> Option<(OwnedFd, PathBuf)> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let held = rustix::fs::open(folder.parent()?, flags, Mode::empty()).ok()?;
    Some((held, Path::new(folder.file_name()?).join(QUEUE)))
}

#[derive(Debug)]
pub(crate) struct Spool {
    folder: PathBuf,
    queue: PathBuf,
    /// The folder that the spool is in, held open, and the queue's name from there: to look is two names then, and not
    /// all of a path (measured: half of the time, behind a pause). A hub whose folder is replaced ends.
    held: Option<(OwnedFd, PathBuf)>,
    /// There may be files that were renamed and not finished.
    leftovers: bool,
    /// Those of them that may not be read, as another user's: what comes behind them is not held up.
    barred: HashSet<PathBuf>,
    /// What keeps it from being read, since that was said.
    unread: Option<io::ErrorKind>,
}

/// One file of the spool, taken away from the hooks.
#[derive(Debug)]
pub(crate) struct Draining {
    path: PathBuf,
    bytes: Vec<u8>,
}

/// What a file holds beside reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) corrupt: u64,
    pub(crate) dropped: u64,
}

impl Spool {
    pub(crate) fn new(folder: PathBuf) -> Self {
        let (queue, held) = (folder.join(QUEUE), hold(&folder));
        Self { folder, queue, held, leftovers: true, barred: HashSet::new(), unread: None }
    }

    /// Whether there is anything to fetch: one look at one file.
    pub(crate) fn has_news(&self) -> bool {
        let is_queued = || match &self.held {
            Some((from, name)) => {
                rustix::fs::statat(from, name, AtFlags::SYMLINK_NOFOLLOW).is_ok_and(holds_reports)
            }
            None => has_reports(&self.queue),
        };
        self.leftovers || is_queued()
    }

    /// The oldest file with reports, if any. Call [`Draining::remove`] when they are stored.
    pub(crate) fn next(&mut self) -> io::Result<Option<Draining>> {
        if let Some(found) = self.next_leftover(read)? {
            return Ok(Some(found));
        }
        if !self.has_news() || self.take_queue()?.is_none() {
            return Ok(None);
        }
        self.leftovers = true;
        self.next_leftover(read)
    }

    /// The same. What keeps it from being read, as a file in the folder's place, is said once and not at every try.
    pub(crate) fn fetch(&mut self) -> Option<Draining> {
        match self.next() {
            Ok(found) => {
                self.unread = None;
                found
            }
            Err(error) => {
                if self.is_new(&error) {
                    let at = self.folder.display();
                    tracing::warn!(%at, %error, "the spool cannot be read");
                }
                None
            }
        }
    }

    fn is_new(&mut self, error: &io::Error) -> bool {
        let kind = error.kind();
        self.unread.replace(kind) != Some(kind)
    }

    fn next_leftover(
        &mut self,
        read: impl Fn(PathBuf) -> io::Result<Draining>,
    ) -> io::Result<Option<Draining>> {
        while self.leftovers {
            let Some(path) = self.oldest_leftover()? else {
                self.leftovers = false;
                break;
            };
            match read(path.clone()) {
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                    self.bar(path, &error);
                }
                other => return other.map(Some),
            }
        }
        Ok(None)
    }

    fn bar(&mut self, path: PathBuf, error: &io::Error) {
        tracing::error!(
            at = %path.display(), %error,
            "what waits in the spool may not be read: it is left alone until the next start"
        );
        self.barred.insert(path);
    }

    fn oldest_leftover(&self) -> io::Result<Option<PathBuf>> {
        let mut oldest: Option<(u128, PathBuf)> = None;
        for entry in std::fs::read_dir(&self.folder)? {
            let entry = entry?;
            let name = entry.file_name();
            let number = name.to_str().and_then(|name| name.strip_prefix(DRAINING)?.parse().ok());
            let Some(number) = number else { continue };
            if self.barred.contains(&entry.path()) {
                continue;
            }
            if entry.file_type()?.is_file() && oldest.as_ref().is_none_or(|(of, _)| number < *of) {
                oldest = Some((number, entry.path()));
            }
        }
        Ok(oldest.map(|(_, path)| path))
    }

    /// Renames the queue. `None` if a hook keeps it locked, or somebody took it. One that may not be read is
    /// in the way of our own hooks, too, which cannot write into it.
    fn take_queue(&mut self) -> io::Result<Option<PathBuf>> {
        let file = match open(&self.queue) {
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::ACCESS) => {
                // Without its lock nobody knows whether somebody still writes to it.
                let path = self.rename()?;
                self.bar(path, &Errno::ACCESS.into());
                return Ok(None);
            }
            other => other?,
        };
        let exclusive = FlockOperation::NonBlockingLockExclusive;
        for _ in 0..LOCK_TRIES {
            match rustix::fs::flock(&file, exclusive) {
                // A hook that made room may have put another file in its place meanwhile, and
                // only the lock of the file that is renamed keeps its writers out.
                Ok(()) if !self.is_queue(&file)? => return Ok(None),
                Ok(()) => {
                    let path = self.rename()?;
                    rustix::fs::flock(&file, FlockOperation::Unlock)?;
                    return Ok(Some(path));
                }
                Err(Errno::WOULDBLOCK | Errno::INTR) => std::thread::park_timeout(LOCK_PAUSE),
                Err(errno) => return Err(errno.into()),
            }
        }
        Ok(None)
    }

    /// Does the queue's path still name this file?
    fn is_queue(&self, file: &OwnedFd) -> io::Result<bool> {
        let opened = rustix::fs::fstat(file)?;
        match rustix::fs::lstat(&self.queue) {
            Ok(named) => Ok((named.st_dev, named.st_ino) == (opened.st_dev, opened.st_ino)),
            Err(Errno::NOENT) => Ok(false),
            Err(errno) => Err(errno.into()),
        }
    }

    fn rename(&self) -> io::Result<PathBuf> {
        let mut number =
            SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        loop {
            let path = self.folder.join(format!("{DRAINING}{number:020}"));
            let flags = rustix::fs::RenameFlags::NOREPLACE;
            let at = rustix::fs::CWD;
            match rustix::fs::renameat_with(at, &self.queue, at, &path, flags) {
                Ok(()) => return Ok(path),
                Err(Errno::EXIST) => number += 1,
                Err(errno) => return Err(errno.into()),
            }
        }
    }
}

impl Draining {
    /// All of it is stored, or is no report.
    pub(crate) fn remove(self) -> io::Result<()> {
        std::fs::remove_file(self.path)
    }

    /// Every report in the order of the file.
    pub(crate) fn reports<'a>(&'a self, tally: &'a mut Tally) -> impl Iterator<Item = Report> + 'a {
        Decoder::new(&self.bytes).filter_map(|record| match record {
            Ok(Record::Report(report)) => Some(report),
            Ok(Record::Dropped { count }) => {
                tally.dropped = tally.dropped.saturating_add(count);
                None
            }
            Err(corrupt) => {
                tracing::warn!(%corrupt, "damage in the spool");
                tally.corrupt += 1;
                None
            }
        })
    }
}

/// Neither through a link nor waiting for a pipe's other end.
fn open(path: &Path) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    rustix::fs::openat(rustix::fs::CWD, path, flags, Mode::empty())
}

fn read(path: PathBuf) -> io::Result<Draining> {
    let found = rustix::fs::statat(rustix::fs::CWD, &path, AtFlags::SYMLINK_NOFOLLOW)?;
    let mut bytes = Vec::with_capacity(usize::try_from(found.st_size).unwrap_or(0).min(4 * LIMIT));
    File::from(open(&path)?).take(LONGEST).read_to_end(&mut bytes)?;
    Ok(Draining { path, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use headsup_core::spool::encode;
    use std::fs;
    use std::io::Write as _;

    fn folder() -> tempfile::TempDir {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join("spool")).unwrap();
        home
    }

    fn report(id: &str) -> Vec<u8> {
        encode(&Record::Report(Report { id: id.into(), ..Report::default() }))
    }

    fn ids(draining: &Draining, tally: &mut Tally) -> Vec<String> {
        draining.reports(tally).map(|report| report.id).collect()
    }

    #[test]
    fn leftovers_come_before_the_queue_and_the_oldest_first() {
        let home = folder();
        let at = |name: &str| home.path().join("spool").join(name);
        fs::write(at("draining-20"), report("second")).unwrap();
        fs::write(at("draining-3"), report("first")).unwrap();
        fs::write(at("draining-x"), report("never")).unwrap();
        fs::write(at("queue"), report("third")).unwrap();
        let mut spool = Spool::new(home.path().join("spool"));
        let mut found = Vec::new();
        while let Some(draining) = spool.next().unwrap() {
            found.extend(ids(&draining, &mut Tally::default()));
            draining.remove().unwrap();
        }
        assert_eq!(found, ["first", "second", "third"]);
        assert!(!spool.has_news() && !at("queue").exists());
    }

    #[test]
    fn a_queue_is_seen_also_in_a_folder_that_was_made_anew() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("spool");
        let mut spool = Spool::new(folder.clone());
        fs::create_dir(&folder).unwrap();
        assert!(spool.next().unwrap().is_none() && !spool.has_news());
        fs::remove_dir_all(&folder).unwrap();
        for _ in 0..2 {
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join("queue"), report("one")).unwrap();
            assert!(spool.has_news());
            fs::remove_dir_all(&folder).unwrap();
            assert!(!spool.has_news());
        }
    }

    #[test]
    fn a_file_that_may_not_be_read_holds_up_no_other() {
        let home = folder();
        let at = |name: &str| home.path().join("spool").join(name);
        fs::write(at("draining-1"), report("another user's")).unwrap();
        fs::write(at("draining-2"), report("ours")).unwrap();
        let mut spool = Spool::new(home.path().join("spool"));
        // As root the test may read all.
        let refusing = |path: PathBuf| match path.ends_with("draining-1") {
            true => Err(io::ErrorKind::PermissionDenied.into()),
            false => read(path),
        };
        let found = spool.next_leftover(refusing).unwrap().unwrap();
        assert_eq!(ids(&found, &mut Tally::default()), ["ours"]);
        found.remove().unwrap();
        fs::write(at("queue"), report("behind")).unwrap();
        let found = spool.next().unwrap().unwrap();
        assert_eq!(ids(&found, &mut Tally::default()), ["behind"]);
        found.remove().unwrap();
        assert!(spool.next().unwrap().is_none() && !spool.has_news(), "nor is it looked at again");
        assert!(at("draining-1").exists(), "it is not lost");
    }

    #[test]
    fn that_the_spool_cannot_be_read_is_said_once_until_it_can() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("spool");
        fs::write(&path, "").unwrap();
        let mut spool = Spool::new(path.clone());
        let is_said = |spool: &mut Spool| {
            let error = spool.next().unwrap_err();
            spool.is_new(&error)
        };
        assert!(is_said(&mut spool) && !is_said(&mut spool));
        assert!(spool.fetch().is_none() && !is_said(&mut spool));
        fs::remove_file(&path).unwrap();
        assert!(is_said(&mut spool) && !is_said(&mut spool), "it is something else");
        fs::create_dir(&path).unwrap();
        assert!(spool.fetch().is_none());
        fs::remove_dir(&path).unwrap();
        spool.leftovers = true;
        assert!(is_said(&mut spool));
    }

    #[test]
    fn what_was_not_finished_comes_again() {
        let home = folder();
        let queue = home.path().join("spool/queue");
        fs::write(&queue, report("a")).unwrap();
        let mut spool = Spool::new(home.path().join("spool"));
        drop(spool.next().unwrap().unwrap());
        assert!(!queue.exists() && spool.has_news());
        let again = spool.next().unwrap().unwrap();
        assert_eq!(ids(&again, &mut Tally::default()), ["a"]);
    }

    #[test]
    fn damage_and_drops_are_counted_and_the_rest_is_read() {
        let home = folder();
        let mut queue = fs::File::create(home.path().join("spool/queue")).unwrap();
        for piece in
            [encode(&Record::Dropped { count: 7 }), b"junk".to_vec(), report("a"), report("b")]
        {
            queue.write_all(&piece).unwrap();
        }
        let draining = Spool::new(home.path().join("spool")).next().unwrap().unwrap();
        let mut tally = Tally::default();
        assert_eq!(ids(&draining, &mut tally), ["a", "b"]);
        assert_eq!(tally, Tally { corrupt: 1, dropped: 7 });
    }

    #[test]
    fn a_hook_that_keeps_the_lock_does_not_hold_up_the_hub() {
        let home = folder();
        let path = home.path().join("spool/queue");
        fs::write(&path, report("a")).unwrap();
        let held = fs::File::open(&path).unwrap();
        rustix::fs::flock(&held, FlockOperation::LockShared).unwrap();
        let mut spool = Spool::new(home.path().join("spool"));
        assert!(spool.next().unwrap().is_none() && path.exists());
        drop(held);
        assert!(spool.next().unwrap().is_some());
    }

    #[test]
    fn of_a_file_that_no_hook_leaves_only_the_beginning_is_read() {
        let home = folder();
        let queue = fs::File::create(home.path().join("spool/queue")).unwrap();
        queue.set_len(5 << 30).unwrap();
        let draining = Spool::new(home.path().join("spool")).next().unwrap().unwrap();
        assert_eq!(draining.bytes.len(), 4 * LIMIT);
    }

    #[test]
    fn anything_but_a_file_is_left_alone() {
        let home = folder();
        fs::create_dir(home.path().join("spool/queue")).unwrap();
        let mut spool = Spool::new(home.path().join("spool"));
        assert!(spool.next().unwrap().is_none() && !spool.has_news());
    }
}
