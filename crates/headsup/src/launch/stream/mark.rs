//! Up to where a file has been read.

use serde::{Deserialize, Serialize};
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::Path;

/// Bytes before a place by which it is known again: no two runs write the same ones, with ids in them.
const TAIL: usize = 64;

/// A place in a file. All before it has been read, or is of another run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mark {
    device: u64,
    inode: u64,
    /// Bytes before it.
    at: u64,
    /// The last of these.
    tail: Vec<u8>,
    /// When these were written (seconds and nanoseconds), where nothing behind them has been read yet.
    #[serde(default)]
    written: Option<(i64, i64)>,
    /// It was written to since, and has not grown: it may be about to.
    #[serde(skip)]
    is_doubted: bool,
}

impl Mark {
    /// The end of the file that is there; `None` where there is none, and for what is no file, as a FIFO.
    pub(crate) fn end_of(path: &Path) -> Option<Self> {
        let there = path.metadata().ok()?;
        let mut mark = Self::start_of(&there)?;
        mark.at = there.len();
        mark.written = Some(time_of(&there));
        // One that cannot be read has no bytes to be known by.
        let file = File::open(path).ok();
        let tail = file.and_then(|file| before(&file, mark.at, TAIL).ok());
        mark.tail = tail.unwrap_or_default();
        Some(mark)
    }

    pub(super) fn start_of(file: &Metadata) -> Option<Self> {
        let (device, inode) = (file.dev(), file.ino());
        let (tail, written, is_doubted) = (Vec::new(), None, false);
        file.is_file().then_some(Self { device, inode, at: 0, tail, written, is_doubted })
    }

    /// Bytes before it.
    pub(super) fn at(&self) -> u64 {
        self.at
    }

    pub(super) fn is_in(&self, file: &Metadata) -> bool {
        (self.device, self.inode) == (file.dev(), file.ino())
    }

    /// Is what stood before it still there, as far as it is known?
    pub(super) fn holds(&self, file: &File) -> bool {
        let is_long_enough = file.metadata().is_ok_and(|meta| meta.len() >= self.at);
        let tail = || before(file, self.at, self.tail.len());
        is_long_enough && tail().is_ok_and(|tail| tail == self.tail)
    }

    /// Has a run filled it with just what stood there before? Whoever writes more to it is in the middle of that
    /// for a moment, so it is looked at twice, unless nobody writes any more.
    pub(super) fn is_filled_alike(&mut self, file: &File, is_last: bool) -> bool {
        let is_alike = |meta: Metadata| {
            meta.len() == self.at && self.written.is_some_and(|time| time != time_of(&meta))
        };
        let is_alike = self.at > 0 && file.metadata().is_ok_and(is_alike);
        is_alike && (std::mem::replace(&mut self.is_doubted, true) || is_last)
    }

    /// These bytes have been read behind it.
    pub(super) fn goes_on(&mut self, bytes: &[u8]) {
        self.written = None;
        self.at = self.at.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        self.tail.extend_from_slice(&bytes[bytes.len().saturating_sub(TAIL)..]);
        let superfluous = self.tail.len().saturating_sub(TAIL);
        self.tail.drain(..superfluous);
    }
}

fn time_of(file: &Metadata) -> (i64, i64) {
    (file.mtime(), file.mtime_nsec())
}

/// The bytes before a place, at most so many.
fn before(file: &File, at: u64, most: usize) -> io::Result<Vec<u8>> {
    let length = usize::try_from(at).unwrap_or(usize::MAX).min(most);
    let mut bytes = vec![0; length];
    let from = at.saturating_sub(u64::try_from(length).unwrap_or(u64::MAX));
    file.read_exact_at(&mut bytes, from)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, OpenOptions};
    use std::io::Write as _;
    use std::time::SystemTime;

    #[test]
    fn it_is_lost_where_a_file_holds_something_else_however_long() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events");
        assert_eq!(Mark::end_of(&path), None);
        assert_eq!(Mark::end_of(folder.path()), None);
        let old = "{\"id\":\"old\"}\n".repeat(20);
        fs::write(&path, &old).unwrap();
        let mark = Mark::end_of(&path).unwrap();
        let file = File::open(&path).unwrap();
        assert!(mark.holds(&file) && mark.is_in(&file.metadata().unwrap()));
        OpenOptions::new().append(true).open(&path).unwrap().write_all(b"more").unwrap();
        assert!(mark.holds(&file), "it has grown");
        for new in [old.replace("old", "new").repeat(2), old.replace("old", "new"), String::new()] {
            fs::write(&path, &new).unwrap();
            assert!(!mark.holds(&file), "{} bytes", new.len());
        }
        fs::write(folder.path().join("other"), &old).unwrap();
        fs::rename(folder.path().join("other"), &path).unwrap();
        assert!(!mark.is_in(&path.metadata().unwrap()));
    }

    #[test]
    fn it_goes_on_with_what_is_read_in_whatever_pieces() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events");
        let lines: Vec<String> = (0..100).map(|number| format!("line {number}\n")).collect();
        let text = lines.concat();
        fs::write(&path, &text).unwrap();
        let there = path.metadata().unwrap();
        for size in [1, 7, 63, 64, 65, 5_000] {
            let mut mark = Mark::start_of(&there).unwrap();
            text.as_bytes().chunks(size).for_each(|piece| mark.goes_on(piece));
            let end = Mark::end_of(&path).unwrap();
            assert_eq!(mark, Mark { written: None, ..end }, "{size}");
        }
    }

    #[test]
    fn what_is_written_once_more_is_known_by_its_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events");
        let write = |text: &str| fs::write(&path, text).unwrap();
        write("one\n");
        let file = OpenOptions::new().read(true).write(true).open(&path).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        let mark = Mark::end_of(&path).unwrap();
        assert!(!mark.clone().is_filled_alike(&file, true), "nobody has written to it");
        write("one\n");
        assert!(mark.clone().is_filled_alike(&file, true));
        let mut own = mark.clone();
        assert!(!own.is_filled_alike(&file, false) && own.is_filled_alike(&file, false));
        own.goes_on(b"");
        assert!(!own.is_filled_alike(&file, true), "it is this run's");
        write("one\ntwo\n");
        assert!(!mark.clone().is_filled_alike(&file, true), "it has grown");
    }
}
