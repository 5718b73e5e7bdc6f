//! Appending to the spool.

use super::deadline::Deadline;
use super::{lock, overflow};
use headsup_core::spool::{DROPPED_LEN, LIMIT, Record, encode};
use rustix::fd::OwnedFd;
use rustix::fs::{FlockOperation, OFlags, fstat, ftruncate, tell};
use rustix::io::{Errno, Result};
use std::path::Path;

/// Reports leave room for one marker of what was dropped.
const REPORTS: u64 = (LIMIT - DROPPED_LEN) as u64;

/// Is there anything that the hub has not fetched?
pub(super) fn is_waiting(home: &Path) -> bool {
    let queue = home.join("spool").join(lock::QUEUE);
    queue.metadata().is_ok_and(|queue| queue.len() > 0)
}

/// Appends `record` to the queue in `home`, whole or not at all.
pub(super) fn append(home: &Path, record: &Record, deadline: Deadline) -> Result<()> {
    let bytes = encode(record);
    let folder = lock::folder(home)?;
    let flags = OFlags::WRONLY | OFlags::APPEND;
    let shared = FlockOperation::NonBlockingLockShared;
    let (file, len) = lock::queue(&folder, flags, shared, deadline)?;
    let end = len + bytes.len() as u64;
    if end > REPORTS {
        drop(file);
        return overflow::append(&folder, record, &bytes, deadline);
    }
    if !lock::may_grow_to(end) {
        return Err(Errno::FBIG);
    }
    let written = rustix::io::write(&file, &bytes);
    if let Ok(written) = written
        && written < bytes.len()
    {
        undo(&file, written as u64, deadline)?;
        return Err(Errno::NOSPC);
    }
    written.map(drop)
}

/// Takes a part of a record back, unless somebody has already written behind it: the reader gets
/// over it there.
fn undo(file: &OwnedFd, written: u64, deadline: Deadline) -> Result<()> {
    lock::take(file, FlockOperation::NonBlockingLockExclusive, deadline)?;
    let end = tell(file)?;
    if u64::try_from(fstat(file)?.st_size) == Ok(end) {
        ftruncate(file, end - written)?;
    }
    Ok(())
}
