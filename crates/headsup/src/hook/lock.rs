//! The spool's file, open and locked.
//!
//! The hub takes the file away by renaming it under an exclusive lock, so a lock counts only
//! while the path still names the locked file.

use super::deadline::Deadline;
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{AtFlags, FileType, FlockOperation, Mode, OFlags, flock, fstat, openat, statat};
use rustix::io::{Errno, Result};
use rustix::process::{Resource, geteuid, getrlimit};
use std::path::Path;
use std::time::Duration;

/// The file's name in the spool's folder.
pub(super) const QUEUE: &str = "queue";

const RETRY: Duration = Duration::from_millis(1);

/// Opens the spool's folder in `home` and makes what is missing of it, readable for us alone.
pub(super) fn folder(home: &Path) -> Result<OwnedFd> {
    let path = home.join("spool");
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let open = || rustix::fs::open(&path, flags, Mode::empty());
    let folder = match open() {
        Err(Errno::NOENT) => {
            // As far as `.local/state/headsup` in a home folder, but not a home folder.
            make(&path, 3)?;
            open()?
        }
        other => other?,
    };
    // Not into a stranger's folder, and not as root into a user's, who could not read it.
    if fstat(&folder)?.st_uid == geteuid().as_raw() { Ok(folder) } else { Err(Errno::PERM) }
}

fn make(path: &Path, parents: u32) -> Result<()> {
    match rustix::fs::mkdir(path, Mode::RWXU) {
        Err(Errno::NOENT) if parents > 0 => {
            make(path.parent().ok_or(Errno::NOENT)?, parents - 1)?;
            make(path, 0)
        }
        // Somebody else was faster.
        Ok(()) | Err(Errno::EXIST) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Opens the queue with `flags` and locks it. The second value is its length.
pub(super) fn queue(
    folder: impl AsFd,
    flags: OFlags,
    lock: FlockOperation,
    deadline: Deadline,
) -> Result<(OwnedFd, u64)> {
    loop {
        // O_NONBLOCK: opening a FIFO that somebody has put there must not hang.
        let safe = OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = openat(&folder, QUEUE, flags | safe, Mode::RUSR | Mode::WUSR)?;
        let opened = fstat(&file)?;
        if FileType::from_raw_mode(opened.st_mode) != FileType::RegularFile {
            return Err(Errno::INVAL);
        }
        take(&file, lock, deadline)?;
        match statat(&folder, QUEUE, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(named) if (named.st_dev, named.st_ino) == (opened.st_dev, opened.st_ino) => {
                return Ok((file, named.st_size.try_into().unwrap_or(0)));
            }
            Ok(_) | Err(Errno::NOENT) if !deadline.has_passed() => {}
            Ok(_) => return Err(Errno::TIMEDOUT),
            Err(error) => return Err(error),
        }
    }
}

/// Locks, or gives up at the deadline.
pub(super) fn take(file: &OwnedFd, lock: FlockOperation, deadline: Deadline) -> Result<()> {
    loop {
        match flock(file, lock) {
            Err(Errno::AGAIN) if deadline.pause(RETRY) => {}
            Err(Errno::INTR) if !deadline.has_passed() => {}
            result => return result,
        }
    }
}

/// Whether a file may grow to `len`. Beyond the limit the kernel would end us with a signal.
pub(super) fn may_grow_to(len: u64) -> bool {
    getrlimit(Resource::Fsize).current.is_none_or(|limit| len <= limit)
}
