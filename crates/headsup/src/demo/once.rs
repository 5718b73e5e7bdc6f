//! One demonstration at a time: a second one would play over the first.

use crate::error::CommandError;
use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use std::fs::{DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

const LOCK: &str = "demo.lock";

/// Held as long as it is not dropped, and let go by the kernel when its process is gone, however it
/// went. `None`: another demonstration of this state folder plays.
pub(super) fn claim(home: &Path) -> Result<Option<File>, CommandError> {
    let path = home.join(LOCK);
    let failed = |error: io::Error| {
        CommandError::internal(format!("cannot open {}: {error}", path.display()))
            .hint("HEADSUP_HOME sets where headsup keeps its state")
    };
    DirBuilder::new().recursive(true).mode(0o700).create(home).map_err(failed)?;
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let file = rustix::fs::open(&path, flags, Mode::RUSR | Mode::WUSR);
    let file = File::from(file.map_err(|errno| failed(errno.into()))?);
    match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Some(file)),
        Err(Errno::WOULDBLOCK) => Ok(None),
        Err(errno) => Err(failed(errno.into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_one_waits_for_the_end_of_the_first() {
        let temp = tempfile::tempdir().unwrap();
        let home = temp.path().join("state");
        let first = claim(&home).unwrap();
        assert!(first.is_some());
        assert!(claim(&home).unwrap().is_none());
        drop(first);
        assert!(claim(&home).unwrap().is_some());
    }
}
