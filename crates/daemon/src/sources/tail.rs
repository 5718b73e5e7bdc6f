//! One log that grows: read from where it ended when it was first seen.

mod lines;

use headsup_core::time::UnixMs;
use lines::Lines;
use rustix::fs::{FileType, Mode, OFlags, Stat};
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

/// A line longer than this is skipped, and no more is read of the past.
const MOST_BYTES: u64 = 8 << 20;
/// What is read at once, and the first look back.
const WINDOW: u64 = 64 << 10;
/// The first look for what is unread: mostly nothing is, and a start does it to each log.
const UNREAD_WINDOW: u64 = 4 << 10;
/// What one turn reads at most, so that others get theirs.
const TURN_BYTES: u64 = 1 << 20;
/// So much of a log's beginning, and of what was read last, it is known by.
const FIRST: usize = 256;
const LAST: usize = 64;

/// Where a log was read up to.
#[derive(Debug)]
pub(super) struct Tail {
    path: Box<Path>,
    /// Device and inode of what was there.
    identity: Option<(u64, u64)>,
    offset: u64,
    lines: Lines,
    /// What stood there when it was read last; `None`: nothing of it was.
    mark: Option<Mark>,
    /// What stood there before has not been looked at.
    past_unread: bool,
    /// There was a file before, perhaps another one.
    was_there: bool,
}

/// What a look brought.
#[derive(Debug, Default)]
pub(super) struct Grown {
    /// New whole lines.
    pub(super) lines: Vec<Vec<u8>>,
    /// Whole lines from before, the newest of them: metadata alone.
    pub(super) past: Vec<Vec<u8>>,
    /// Lines that are too long to be read.
    pub(super) skipped: u64,
    /// The file was cut, replaced, written anew or came back. Whoever cuts a log often writes the past into it again.
    pub(super) begun_anew: bool,
    /// There is more.
    pub(super) more: bool,
}

impl Tail {
    /// Starts at the end of what is there; nothing is read. Also when that was changed last.
    pub(super) fn new(path: &Path) -> (Self, Option<UnixMs>) {
        let mut tail = Self {
            path: path.into(),
            identity: None,
            offset: 0,
            lines: Lines::new(MOST_BYTES),
            mark: None,
            past_unread: false,
            was_there: false,
        };
        let stat = rustix::fs::lstat(path).ok();
        let file =
            stat.filter(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile);
        if let Some(stat) = &file {
            tail.restart((stat.st_dev, stat.st_ino), u64::try_from(stat.st_size).unwrap_or(0));
        }
        (tail, file.map(|stat| changed_at(&stat)))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn is_there(&self) -> bool {
        self.identity.is_some()
    }

    /// Which file was there at the last look: device and inode.
    pub(super) fn identity(&self) -> Option<(u64, u64)> {
        self.identity
    }

    /// Reads what was added. A file that was replaced, cut or written anew is another one: what stands in it is
    /// the past.
    pub(super) fn look(&mut self) -> io::Result<Grown> {
        let Some(mut file) = self.open()? else {
            self.identity = None;
            return Ok(Grown::default());
        };
        let stat = rustix::fs::fstat(&file)?;
        let (identity, size) =
            ((stat.st_dev, stat.st_ino), u64::try_from(stat.st_size).unwrap_or(0));
        let mut grown = Grown::default();
        // Of one that was waited for all is news, and one line may be longer than a first look back.
        let window = if self.was_there { WINDOW } else { MOST_BYTES };
        if self.identity != Some(identity) || size < self.offset {
            grown.begun_anew = self.was_there;
            self.restart(identity, size);
        } else if size > self.offset || self.mark.is_some() {
            // One that was cut meanwhile has not so much any more, and one that was written anew may be as long.
            let mark = Mark::of(&file, self.offset).ok();
            if self.mark.is_some() && self.mark != mark {
                grown.begun_anew = true;
                self.restart(identity, size);
            } else {
                self.mark = mark;
            }
        }
        if self.past_unread {
            self.past_unread = false;
            let (past, begun) = past(&mut file, self.offset, window, |lines| !lines.is_empty())?;
            grown.past = past;
            self.lines.begin_with(begun);
        }
        file.seek(SeekFrom::Start(self.offset))?;
        let end = size.min(self.offset + TURN_BYTES);
        let mut new = Vec::new();
        file.take(end - self.offset).read_to_end(&mut new)?;
        self.offset += new.len() as u64;
        if let Some(mark) = &mut self.mark {
            mark.go_on(&new);
        }
        grown.more = self.offset < size && !new.is_empty();
        grown.skipped = self.lines.take(&new, |line| grown.lines.push(line));
        Ok(grown)
    }

    /// The newest of the whole lines before the end at which it starts, from one of which `is_read` holds on, where
    /// there is one within reach.
    pub(super) fn unread(&self, is_read: impl Fn(&[u8]) -> bool) -> io::Result<Vec<Vec<u8>>> {
        let Some(mut file) = self.open()? else { return Ok(Vec::new()) };
        let is_enough = |lines: &[Vec<u8>]| lines.iter().any(|line| is_read(line));
        Ok(past(&mut file, self.offset, UNREAD_WINDOW, is_enough)?.0)
    }

    fn restart(&mut self, identity: (u64, u64), size: u64) {
        self.identity = Some(identity);
        self.was_there = true;
        self.offset = size;
        self.mark = None;
        self.lines.begin_with(Vec::new());
        self.past_unread = size > 0;
    }

    /// A regular file, opened without following a link or waiting for a writer. A terminal in its place does not
    /// become the hub's own: the hub would end with it.
    fn open(&self) -> io::Result<Option<File>> {
        let careful = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | careful;
        let file = match rustix::fs::open(&*self.path, flags, Mode::empty()) {
            Ok(file) => File::from(file),
            Err(rustix::io::Errno::NOENT) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("not a regular file"));
        }
        Ok(Some(file))
    }
}

fn changed_at(stat: &Stat) -> UnixMs {
    let (seconds, nanos) = (stat.st_mtime, i64::try_from(stat.st_mtime_nsec).unwrap_or(0));
    UnixMs(seconds.saturating_mul(1_000).saturating_add(nanos / 1_000_000))
}

/// The bytes that a file is known by once it has been read up to somewhere.
#[derive(Debug, PartialEq, Eq)]
struct Mark {
    first: Vec<u8>,
    last: Vec<u8>,
}

impl Mark {
    fn of(file: &File, offset: u64) -> io::Result<Self> {
        let before = usize::try_from(offset).unwrap_or(usize::MAX);
        let (mut first, mut last) = (vec![0; before.min(FIRST)], vec![0; before.min(LAST)]);
        file.read_exact_at(&mut first, 0)?;
        let from = offset - last.len() as u64;
        file.read_exact_at(&mut last, from)?;
        Ok(Self { first, last })
    }

    /// These bytes were read behind it.
    fn go_on(&mut self, new: &[u8]) {
        let rest = FIRST - self.first.len();
        self.first.extend_from_slice(&new[..rest.min(new.len())]);
        self.last.extend_from_slice(&new[new.len().saturating_sub(LAST)..]);
        self.last.drain(..self.last.len().saturating_sub(LAST));
    }
}

/// The whole lines before `end`, and the beginning of the one that goes on behind it: the window
/// doubles backwards until it holds enough.
fn past(
    file: &mut File,
    end: u64,
    mut window: u64,
    is_enough: impl Fn(&[Vec<u8>]) -> bool,
) -> io::Result<(Vec<Vec<u8>>, Vec<u8>)> {
    loop {
        let start = end.saturating_sub(window);
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        file.take(end - start).read_to_end(&mut bytes)?;
        // What comes before the first line end began before the window.
        let first = match bytes.iter().position(|byte| *byte == b'\n') {
            _ if start == 0 => Some(0),
            found => found.map(|at| at + 1),
        };
        let text = first.map_or(&[][..], |first| &bytes[first..]);
        let last = text.iter().rposition(|byte| *byte == b'\n');
        let (whole, begun) = last.map_or((&[][..], text), |at| (&text[..at], &text[at + 1..]));
        let lines: Vec<Vec<u8>> = whole
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
            .map(<[u8]>::to_vec)
            .collect();
        if is_enough(&lines) || start == 0 || window >= MOST_BYTES {
            return Ok((lines, begun.to_vec()));
        }
        window *= 2;
    }
}

#[cfg(test)]
mod tests;
