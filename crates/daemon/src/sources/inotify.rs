//! Changes of files, told by the kernel.

use super::ready::when_readable;
use crate::limits::Open;
use rustix::fs::FileType;
use rustix::fs::inotify::{self, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;
use tokio::io::unix::AsyncFd;

#[derive(Debug)]
pub(super) struct Inotify {
    fd: AsyncFd<OwnedFd>,
}

/// One change below a watch.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Change {
    pub(super) watch: i32,
    /// The file's name in a watched folder.
    pub(super) name: Option<String>,
    /// The watch is over, or changes were lost: look at everything again.
    pub(super) is_over: bool,
}

impl Change {
    /// Changes were lost, or no watch is left.
    pub(super) fn of_everything() -> Self {
        Self { watch: -1, name: None, is_over: true }
    }

    pub(super) fn is_of_everything(&self) -> bool {
        self.watch < 0
    }
}

impl Inotify {
    /// What `open` gives, or why it gives nothing.
    pub(super) fn new(open: Open) -> rustix::io::Result<Self> {
        let fd = when_readable(open()?).ok_or(Errno::NOMEM)?;
        Ok(Self { fd })
    }

    /// Whatever is written, moved or removed in a folder.
    pub(super) fn add_folder(&self, path: &Path) -> rustix::io::Result<i32> {
        let flags = WatchFlags::CLOSE_WRITE
            | WatchFlags::MOVED_TO
            | WatchFlags::MOVED_FROM
            | WatchFlags::DELETE
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF
            | WatchFlags::ONLYDIR;
        inotify::add_watch(&self.fd, path, flags)
    }

    /// Whatever is written to a file that is no link. A folder is refused: the kernel has one watch for it, and would
    /// take that away from whoever looks into it.
    pub(super) fn add_file(&self, path: &Path) -> rustix::io::Result<i32> {
        let mode = rustix::fs::lstat(path)?.st_mode;
        if FileType::from_raw_mode(mode) == FileType::Directory {
            return Err(Errno::ISDIR);
        }
        let flags = WatchFlags::MODIFY
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF
            | WatchFlags::ATTRIB
            | WatchFlags::DONT_FOLLOW;
        inotify::add_watch(&self.fd, path, flags)
    }

    pub(super) fn remove(&self, watch: i32) {
        inotify::remove_watch(&self.fd, watch).ok();
    }

    /// Waits for changes and takes what is there. Empty: it cannot be read.
    pub(super) async fn next(&self) -> Vec<Change> {
        loop {
            let Ok(mut ready) = self.fd.readable().await else { return Vec::new() };
            let changes = self.read();
            ready.clear_ready();
            if !changes.is_empty() {
                return changes;
            }
        }
    }

    fn read(&self) -> Vec<Change> {
        let mut changes = Vec::new();
        let mut buffer = [MaybeUninit::uninit(); 4_096];
        let mut reader = Reader::new(&self.fd, &mut buffer);
        loop {
            let event = match reader.next() {
                Ok(event) => event,
                Err(Errno::INTR) => continue,
                Err(_) => return changes,
            };
            let over = ReadFlags::IGNORED
                | ReadFlags::QUEUE_OVERFLOW
                | ReadFlags::UNMOUNT
                | ReadFlags::DELETE_SELF
                | ReadFlags::MOVE_SELF;
            changes.push(Change {
                watch: event.wd(),
                name: event.file_name().map(|name| name.to_string_lossy().into_owned()),
                is_over: event.events().intersects(over),
            });
        }
    }
}
