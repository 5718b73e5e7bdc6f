//! The state folder: made for us alone, held by one hub at a time, with the socket in it.

use crate::launches;
use crate::store::{self, Log, Medium};
use rustix::fd::{AsRawFd as _, OwnedFd};
use rustix::fs::{AtFlags, FileType, FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use std::fs::{DirBuilder, File};
use std::io::Read as _;
use std::os::unix::fs::{DirBuilderExt as _, FileExt as _, MetadataExt as _};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use std::{fs, io};

mod held;

pub(crate) use held::Held;

pub(crate) const DATABASE: &str = "headsup.db";
const SOCKET: &str = "headsup.sock";
const SPOOL: &str = "spool";
const NEW_SOCKET: &str = "headsup.sock.new";
const LOCK: &str = "headsup.lock";
/// What may stand in the folder before its first hub: our own, and what a new disk brings.
const HARMLESS: [&str; 9] = [
    "bin",
    "config.toml",
    "demo.lock",
    "hub.log",
    "launch",
    launches::FOLDER,
    "lost+found",
    "setup",
    SPOOL,
];
/// The longest path that fits an address of a unix socket on Linux, without its final zero.
const LONGEST_ADDRESS: usize = 107;
/// Between two looks whether folder, database and socket are still there.
const LOOK: Duration = Duration::from_secs(2);
/// Whoever only asks whether a hub has the folder holds its lock for less than this.
const A_QUESTION: Duration = Duration::from_millis(2);
/// So often a start comes back to a lock that is only asked about: for about a second, since a machine may stall.
const COMES_BACK: usize = 500;

#[derive(Debug, thiserror::Error)]
pub(crate) enum HomeError {
    #[error("a hub is already running in this folder")]
    Locked { pid: Option<u32> },
    #[error("the state folder {} belongs to another user; set HEADSUP_HOME to one of yours", .0.display())]
    NotOurs(PathBuf),
    #[error("{} holds other things and is open to others: set HEADSUP_HOME to a folder of its own, or close this one (chmod 700)", .0.display())]
    Shared(PathBuf),
    #[error("the state folder {} is a link to a folder that is not there; make that one, or set HEADSUP_HOME to another", .0.display())]
    Dangling(PathBuf),
    #[error("{} is in the way and is not a {wanted}; move it away", path.display())]
    InTheWay { path: PathBuf, wanted: &'static str },
    #[error("the state folder {} cannot be used: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

/// The folder, ours as long as this value lives.
#[derive(Debug)]
pub(crate) struct Home {
    path: PathBuf,
    folder: OwnedFd,
    /// Open and locked.
    lock: File,
    /// The socket as it was made last.
    own: Mutex<Option<Identity>>,
    /// The database's files as the store has them open.
    stored: OnceLock<Vec<(PathBuf, Identity)>>,
    log: OnceLock<Log>,
    /// Under the database. As long as this value lives: nothing of it is closed before the store.
    medium: Arc<Medium>,
}

/// Device and inode.
type Identity = (u64, u64);

/// What somebody has taken away from a hub that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lost {
    /// Nobody finds the hub any more, and the next one may be there already.
    Folder,
    /// What is reported goes into a file that no other hub finds.
    Database,
    /// The end of the database's write-ahead log: somebody has cut it.
    Log,
    /// The folder is still ours, and so is its socket's place.
    Socket,
}

impl Home {
    /// Makes the folder if it is not there, and takes it for this hub.
    pub(crate) fn claim(path: &Path) -> Result<Self, HomeError> {
        let path = std::path::absolute(path).map_err(|source| io_error(path, source))?;
        let fail = |source| io_error(&path, source);
        there(&path)?;
        DirBuilder::new().recursive(true).mode(0o700).create(&path).map_err(fail)?;
        let folder = open_folder(&path).map_err(|errno| fail(errno.into()))?;
        let stat = rustix::fs::fstat(&folder).map_err(|errno| fail(errno.into()))?;
        check(&path, stat.st_uid, stat.st_mode)?;
        if stat.st_mode & 0o077 != 0 {
            tracing::warn!(path = %path.display(), "the state folder was open to others: closed");
            rustix::fs::fchmod(&folder, Mode::RWXU).map_err(|errno| fail(errno.into()))?;
        }
        let lock = lock(&folder, &path)?;
        Self::locked(path, folder, lock)
    }

    /// The folder that this lock is of.
    fn locked(path: PathBuf, folder: OwnedFd, lock: File) -> Result<Self, HomeError> {
        match DirBuilder::new().mode(0o700).create(path.join(SPOOL)) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(io_error(&path, error));
            }
            _ => {}
        }
        let (stored, log) = (OnceLock::new(), OnceLock::new());
        let medium = Arc::new(Medium::of(&path.join(DATABASE)));
        Ok(Self { path, folder, lock, own: Mutex::default(), stored, log, medium })
    }

    /// The folder alone, for the next hub of this process.
    pub(crate) fn held(self) -> Held {
        Held { path: self.path, lock: self.lock }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.path.join(DATABASE)
    }

    /// What the database lies on, for whoever has it open beside the store.
    pub(crate) fn medium(&self) -> Arc<Medium> {
        Arc::clone(&self.medium)
    }

    /// From now on what the store has written to its log must stay in it.
    pub(crate) fn keep(&self, log: &Log) {
        self.log.set(log.clone()).ok();
    }

    /// Whether somebody has cut that log. It is then given up.
    pub(crate) fn is_log_cut(&self) -> bool {
        let [_, file, _] = store::files(&self.database());
        let cut = self.log.get().filter(|log| log.cut(&file).is_some());
        cut.inspect(|log| log.give_up()).is_some()
    }

    /// Where hooks write down what no hub takes.
    pub(crate) fn spool(&self) -> PathBuf {
        self.path.join(SPOOL)
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.path.join(SOCKET)
    }

    /// Listens on the socket. A socket that a dead hub has left is replaced: the lock shows that
    /// nobody listens on it.
    pub(crate) fn listen(&self) -> Result<UnixListener, HomeError> {
        let fail = |source| io_error(&self.path, source);
        self.clear(SOCKET)?;
        self.clear(NEW_SOCKET)?;
        // Bound under another name and renamed when its mode is set: nobody sees it half made.
        let listener = UnixListener::bind(self.address()).map_err(fail)?;
        let mode = Mode::RUSR | Mode::WUSR;
        rustix::fs::chmodat(&self.folder, NEW_SOCKET, mode, AtFlags::empty())
            .and_then(|()| rustix::fs::renameat(&self.folder, NEW_SOCKET, &self.folder, SOCKET))
            .and_then(|()| rustix::fs::statat(&self.folder, SOCKET, AtFlags::SYMLINK_NOFOLLOW))
            .map(|stat| *self.own() = Some((stat.st_dev, stat.st_ino)))
            .map_err(|errno| fail(errno.into()))?;
        listener.set_nonblocking(true).map_err(fail)?;
        // The store is open before anybody can call.
        let files = store::files(&self.database()).into_iter();
        let found = files.filter_map(|file| {
            let meta = fs::metadata(&file).ok()?;
            Some((file, identity(&meta)))
        });
        self.stored.set(found.collect()).ok();
        Ok(listener)
    }

    /// Comes back when somebody has taken the folder, the database or the socket away: then nobody finds this hub any
    /// more, not even to stop it, or what it stores.
    pub(crate) fn lost(&self) -> impl Future<Output = Lost> + use<> {
        let (lock, socket) = (self.path.join(LOCK), self.socket());
        let locked = self.lock.metadata().map(|meta| identity(&meta)).ok();
        let (own, stored) = (*self.own(), self.stored.get().cloned().unwrap_or_default());
        let (log, [_, log_file, _]) = (self.log.get().cloned(), store::files(&self.database()));
        async move {
            let mut is_emptied = false;
            loop {
                tokio::time::sleep(LOOK).await;
                if !is_there(&lock, locked) {
                    return Lost::Folder;
                }
                if stored.iter().any(|(file, own)| !is_there(file, Some(*own))) {
                    return Lost::Database;
                }
                if own.is_some() && !is_there(&socket, own) {
                    return Lost::Socket;
                }
                let Some(log) = &log else { continue };
                // One that is empty at two looks has not been emptied by ourselves.
                let left = log.cut(&log_file);
                if left.is_some_and(|left| left > 0 || is_emptied) {
                    log.give_up();
                    return Lost::Log;
                }
                is_emptied = left.is_some();
            }
        }
    }

    fn own(&self) -> std::sync::MutexGuard<'_, Option<Identity>> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes the socket.
    pub(crate) fn unlisten(&self) {
        if let Err(errno) = rustix::fs::unlinkat(&self.folder, SOCKET, AtFlags::empty()) {
            tracing::warn!(%errno, "the socket could not be removed");
        }
    }

    /// The path to bind to. One that is too long is reached through our own open folder.
    fn address(&self) -> PathBuf {
        let path = self.path.join(NEW_SOCKET);
        if path.as_os_str().len() <= LONGEST_ADDRESS {
            return path;
        }
        format!("/proc/self/fd/{}/{NEW_SOCKET}", self.folder.as_raw_fd()).into()
    }

    fn clear(&self, name: &str) -> Result<(), HomeError> {
        let fail = |errno: Errno| io_error(&self.path, errno.into());
        match rustix::fs::statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => Ok(()),
            Err(errno) => Err(fail(errno)),
            Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::Socket => {
                rustix::fs::unlinkat(&self.folder, name, AtFlags::empty()).map_err(fail)
            }
            Ok(_) => Err(HomeError::InTheWay { path: self.path.join(name), wanted: "socket" }),
        }
    }
}

/// Why this folder is refused as the state folder, in words. Nothing is written into it to find
/// that out, and `None` promises nothing: a hub that starts looks again.
pub fn refusal(path: &Path) -> Option<String> {
    let checked = there(path).and_then(|meta| match meta {
        Some(meta) => check(path, meta.uid(), meta.mode()),
        None => Ok(()),
    });
    checked.err().map(|error| error.to_string())
}

/// What is there already: a folder, or nothing that is in the way of one.
fn there(path: &Path) -> Result<Option<fs::Metadata>, HomeError> {
    match fs::metadata(path) {
        Ok(meta) if meta.is_dir() => Ok(Some(meta)),
        Ok(_) => Err(HomeError::InTheWay { path: path.to_owned(), wanted: "folder" }),
        Err(error) if error.kind() == io::ErrorKind::NotFound && path.is_symlink() => {
            Err(HomeError::Dangling(path.to_owned()))
        }
        // Whatever else is wrong is said where it is made and opened.
        Err(_) => Ok(None),
    }
}

fn check(path: &Path, owner: u32, mode: u32) -> Result<(), HomeError> {
    if owner != rustix::process::geteuid().as_raw() {
        return Err(HomeError::NotOurs(path.to_owned()));
    }
    let is_open = mode & 0o077 != 0;
    if is_open && is_shared(path).map_err(|source| io_error(path, source))? {
        return Err(HomeError::Shared(path.to_owned()));
    }
    Ok(())
}

fn io_error(path: &Path, source: io::Error) -> HomeError {
    HomeError::Io { path: path.to_owned(), source }
}

/// A folder that no hub has had, with other things in it: to close it would take them from whoever
/// reads them, as in a home folder or `/`.
fn is_shared(path: &Path) -> io::Result<bool> {
    if path.join(LOCK).exists() {
        return Ok(false);
    }
    let mut names = fs::read_dir(path)?.flatten().map(|entry| entry.file_name());
    Ok(names.any(|name| !HARMLESS.iter().any(|harmless| name == *harmless)))
}

/// Whether this very file is still at `path`. A system that cannot tell has not said no.
fn is_there(path: &Path, own: Option<Identity>) -> bool {
    match fs::metadata(path) {
        Ok(meta) => own.is_none_or(|own| own == identity(&meta)),
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    }
}

fn identity(meta: &fs::Metadata) -> Identity {
    (meta.dev(), meta.ino())
}

/// Whether a hub has this folder, reached or not.
pub fn is_held(home: &Path) -> bool {
    held(home).is_some()
}

/// The process of the hub that has this folder, also where nobody reaches it: the very file that is locked is open
/// in it. `None`: there is none, or it is not seen from here.
pub fn holder(home: &Path) -> Option<u32> {
    let lock = held(home)?;
    let own = identity(&lock.metadata().ok()?);
    let pid = pid_in(&lock)?;
    let mut files = fs::read_dir(format!("/proc/{pid}/fd")).ok()?.flatten();
    let is_own =
        |file: fs::DirEntry| fs::metadata(file.path()).is_ok_and(|meta| identity(&meta) == own);
    files.any(is_own).then_some(pid)
}

/// Whether a hub has this folder, and is not known to have another number than this.
pub(crate) fn is_held_by(home: &Path, pid: Option<u32>) -> bool {
    let is_it = |lock: File| pid_in(&lock).zip(pid).is_none_or(|(own, pid)| own == pid);
    held(home).is_some_and(is_it)
}

/// The lock's file, if somebody has it.
fn held(home: &Path) -> Option<File> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = File::from(rustix::fs::open(home.join(LOCK), flags, Mode::empty()).ok()?);
    is_taken(&file).then_some(file)
}

/// Whether a hub has this lock. A hub has it alone; whoever asks shares it for a moment with others who ask. The
/// kernel's list of locks would not do: it has other numbers for some file systems, and nothing of other containers.
fn is_taken(lock: &File) -> bool {
    let asked = rustix::fs::flock(lock, FlockOperation::NonBlockingLockShared);
    if asked.is_ok() {
        rustix::fs::flock(lock, FlockOperation::Unlock).ok();
    }
    asked == Err(Errno::WOULDBLOCK)
}

fn pid_in(lock: &File) -> Option<u32> {
    let mut text = String::new();
    lock.take(32).read_to_string(&mut text).ok()?;
    // Behind it a longer one may stand for a moment.
    text.lines().next()?.trim().parse().ok()
}

fn open_folder(path: &Path) -> rustix::io::Result<OwnedFd> {
    rustix::fs::open(path, OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
}

/// The kernel lets the lock go when the process is gone, however it went.
fn lock(folder: &OwnedFd, path: &Path) -> Result<File, HomeError> {
    let fail = |source| io_error(path, source);
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let there = rustix::fs::statat(folder, LOCK, AtFlags::SYMLINK_NOFOLLOW);
    if there.is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile) {
        return Err(HomeError::InTheWay { path: path.join(LOCK), wanted: "regular file" });
    }
    let file = rustix::fs::openat(folder, LOCK, flags, Mode::RUSR | Mode::WUSR);
    let file = File::from(file.map_err(|errno| fail(errno.into()))?);
    let take = || rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive);
    let mut taken = take();
    for _ in 0..COMES_BACK {
        if taken != Err(Errno::WOULDBLOCK) || is_taken(&file) {
            break;
        }
        std::thread::park_timeout(A_QUESTION);
        taken = take();
    }
    match taken {
        Ok(()) => {}
        Err(Errno::WOULDBLOCK) => return Err(HomeError::Locked { pid: pid_in(&file) }),
        Err(errno) => return Err(fail(errno.into())),
    }
    // Written over what the last one has left: a full disk might not give back what is freed for a moment.
    let own = format!("{}\n", std::process::id());
    file.write_all_at(own.as_bytes(), 0).map_err(fail)?;
    file.set_len(own.len() as u64).map_err(fail)?;
    Ok(file)
}

/// The pid namespace this process is in; `None` where the system does not tell.
pub(crate) fn pid_namespace() -> Option<u64> {
    fs::metadata("/proc/self/ns/pid").ok().map(|namespace| namespace.ino())
}

#[cfg(test)]
mod tests;
