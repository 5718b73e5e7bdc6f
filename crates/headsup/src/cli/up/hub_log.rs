//! The log of a hub in the background: a file that is its standard error, and that is kept short for as long as it
//! runs.

use crate::client::start;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The file.
pub(super) struct HubLog {
    path: PathBuf,
    /// One begins it anew at a time.
    turn: Mutex<()>,
}

impl HubLog {
    /// The one in this state folder.
    pub(super) fn of(home: &Path) -> Self {
        Self { path: start::log_path(home), turn: Mutex::new(()) }
    }

    /// Puts it aside once it is long, and goes on with a new one. A failure only leaves a longer one.
    pub(super) fn keep_short(&self) {
        let Ok(_turn) = self.turn.try_lock() else { return };
        let length = rustix::fs::fstat(io::stderr()).map_or(0, |file| file.st_size);
        if !u64::try_from(length).is_ok_and(start::is_long) {
            return;
        }
        if let Ok(log) = start::log_at(&self.path) {
            // What a defect says goes there, too.
            rustix::stdio::dup2_stdout(&log).ok();
            rustix::stdio::dup2_stderr(&log).ok();
        }
    }
}
