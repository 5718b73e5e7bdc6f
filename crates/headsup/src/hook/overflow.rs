//! A full spool: what changes no status is dropped and counted, what does makes itself room.

use super::deadline::Deadline;
use super::lock::{self, QUEUE};
use headsup_core::spool::{DROPPED_LEN, Decoder, LIMIT, Record, Report, compact, encode};
use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags, openat, renameat, unlinkat};
use rustix::io::{Errno, Result};

/// The file that a compaction writes. One name is enough: whoever writes it holds the lock.
const COMPACTED: &str = "compacted";

/// Appends `bytes`, the encoded `record`, to the full queue in `folder`, or counts it as dropped.
pub(super) fn append(
    folder: &OwnedFd,
    record: &Record,
    bytes: &[u8],
    deadline: Deadline,
) -> Result<()> {
    // Without O_APPEND, which would move every write to the end.
    let exclusive = FlockOperation::NonBlockingLockExclusive;
    let (file, len) = lock::queue(folder, OFlags::RDWR, exclusive, deadline)?;
    if len + (bytes.len() + DROPPED_LEN) as u64 <= LIMIT as u64 {
        // Drained or compacted since we looked.
        return write(&file, bytes, len);
    }
    match record {
        Record::Report(Report { is_transition: true, .. }) => replace(folder, &file, len, bytes),
        Record::Report(_) => count(&file, len),
        Record::Dropped { .. } => Ok(()),
    }
}

/// One more was dropped: the marker at the end is rewritten, or the first one appended.
fn count(file: &OwnedFd, len: u64) -> Result<()> {
    let last = len.saturating_sub(DROPPED_LEN as u64);
    let mut marker = [0; DROPPED_LEN];
    rustix::io::pread(file, &mut marker, last)?;
    match Decoder::new(&marker).next() {
        Some(Ok(Record::Dropped { count })) => {
            write(file, &encode(&Record::Dropped { count: count.saturating_add(1) }), last)
        }
        _ => write(file, &encode(&Record::Dropped { count: 1 }), len),
    }
}

/// Puts a compacted queue with `bytes` at its end in the place of `file`.
fn replace(folder: &OwnedFd, file: &OwnedFd, len: u64, bytes: &[u8]) -> Result<()> {
    // Nothing of ours grows so long, and there is no time to read it.
    let len = usize::try_from(len).ok().filter(|len| *len <= 4 * LIMIT).ok_or(Errno::FBIG)?;
    let mut spool = vec![0; len];
    let mut read = 0;
    while read < spool.len() {
        match rustix::io::pread(file, &mut spool[read..], read as u64)? {
            0 => break,
            more => read += more,
        }
    }
    let mut compacted = compact(&spool[..read], LIMIT).bytes;
    compacted.extend_from_slice(bytes);

    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::NOFOLLOW;
    let flags = flags | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let new = openat(folder, COMPACTED, flags, Mode::RUSR | Mode::WUSR)?;
    let result =
        write(&new, &compacted, 0).and_then(|()| renameat(folder, COMPACTED, folder, QUEUE));
    if result.is_err() {
        unlinkat(folder, COMPACTED, AtFlags::empty()).ok();
    }
    result
}

/// Writes all of `bytes` at `offset`, or takes back what it wrote.
fn write(file: &OwnedFd, bytes: &[u8], offset: u64) -> Result<()> {
    if !lock::may_grow_to(offset + bytes.len() as u64) {
        return Err(Errno::FBIG);
    }
    let mut written = 0;
    while written < bytes.len() {
        match rustix::io::pwrite(file, &bytes[written..], offset + written as u64) {
            Ok(more) if more > 0 => written += more,
            result => {
                rustix::fs::ftruncate(file, offset).ok();
                return result.and(Err(Errno::NOSPC));
            }
        }
    }
    Ok(())
}
