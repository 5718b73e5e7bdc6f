//! A state folder between two hubs of one process: nobody else takes it meanwhile.

use super::{Home, HomeError, LOCK, identity, io_error, is_there, open_folder};
use std::fs::File;
use std::path::PathBuf;

/// Ours as long as this value lives, or a [`Home`] made from it.
#[derive(Debug)]
pub(crate) struct Held {
    pub(super) path: PathBuf,
    /// Locked.
    pub(super) lock: File,
}

impl Held {
    /// Whether the folder is still there: another one may be in its place by now. A system that cannot tell has not
    /// said no.
    pub(crate) fn is_there(&self) -> bool {
        let own = self.lock.metadata().ok().map(|meta| identity(&meta));
        is_there(&self.path.join(LOCK), own)
    }

    /// The folder for another hub. A lock is one file, however many descriptors it has (flock(2)).
    pub(crate) fn home(&self) -> Result<Home, HomeError> {
        let fail = |source| io_error(&self.path, source);
        let folder = open_folder(&self.path).map_err(|errno| fail(errno.into()))?;
        let lock = self.lock.try_clone().map_err(fail)?;
        Home::locked(self.path.clone(), folder, lock)
    }
}
