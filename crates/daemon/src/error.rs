//! Why a hub does not run.

use crate::home::HomeError;
use crate::listener::ListenError;
use crate::store::StoreError;
use std::io;
use std::path::PathBuf;

/// Why [`crate::run`] gave up.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Another hub has this folder. Its pid, where the lock file could be read.
    #[error("a hub is already running in this folder{}", of_pid(*pid))]
    AlreadyRunning { pid: Option<u32> },
    /// The state folder cannot be used.
    #[error("{0}")]
    Home(String),
    /// The database was written by a newer version of the program. It has not been touched.
    #[error(
        "the database {} has format {found}, this version knows up to {known}: use the newer \
         version, or move the file away to start empty", path.display()
    )]
    NewerDatabase { path: PathBuf, found: u32, known: u32 },
    /// The database is none that any version has left behind. Nothing that was in it is lost.
    #[error(
        "the database {} cannot be used: {why}; move it away to start empty, or put a copy of an \
         earlier day in its place", path.display()
    )]
    UnlikeDatabase { path: PathBuf, why: String },
    /// The disk under the database gives nothing, or not all of it. The database may be whole.
    #[error(
        "the database {} cannot be opened: the disk does not give all of it ({source}); nothing in it was changed: \
         start the hub again when the disk is well, or put a copy in its place (`dd bs=4096 conv=noerror,sync` makes \
         one of what can be read)", path.display()
    )]
    Unread { path: PathBuf, source: io::Error },
    /// The store would not open.
    #[error("the database {} cannot be opened: {why}", path.display())]
    Store { path: PathBuf, why: String },
    /// The socket could not be made.
    #[error("the socket {} cannot be made: {source}", path.display())]
    Bind { path: PathBuf, source: io::Error },
    /// It was told to listen on TCP and cannot.
    #[error(transparent)]
    Listen(#[from] ListenError),
    /// A defect ended the writer. What was acknowledged is stored.
    #[error("the hub's writer ended by a defect; start the hub again")]
    WriterDied,
    /// The system refused a thread.
    #[error("a thread cannot be started: {0}")]
    Thread(io::Error),
    /// The system refused the signal handlers.
    #[error("signals cannot be received: {0}")]
    Signals(io::Error),
}

fn of_pid(pid: Option<u32>) -> String {
    pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default()
}

impl From<HomeError> for RunError {
    fn from(error: HomeError) -> Self {
        match error {
            HomeError::Locked { pid } => Self::AlreadyRunning { pid },
            other => Self::Home(other.to_string()),
        }
    }
}

impl RunError {
    pub(crate) fn store(path: PathBuf, error: StoreError) -> Self {
        match error {
            StoreError::Newer { found, known } => Self::NewerDatabase { path, found, known },
            StoreError::Unlike(why) => Self::UnlikeDatabase { path, why },
            StoreError::Unread(source) => Self::Unread { path, source },
            other => Self::Store { path, why: other.to_string() },
        }
    }

    /// What a hub that ran before waits for, in words; `None` where no time mends it.
    pub(crate) fn awaited(&self) -> Option<String> {
        match self {
            // The advice is for whoever starts one.
            Self::Unread { path, source } => {
                let at = path.display();
                Some(format!("the disk does not give all of the database {at} ({source})"))
            }
            Self::Home(_) | Self::Store { .. } => Some(self.to_string()),
            Self::AlreadyRunning { .. }
            | Self::NewerDatabase { .. }
            | Self::UnlikeDatabase { .. }
            | Self::Bind { .. }
            | Self::Listen(_)
            | Self::WriterDied
            | Self::Thread(_)
            | Self::Signals(_) => None,
        }
    }
}
