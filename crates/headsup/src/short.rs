//! A socket whose path fits no address: it is connected to through its open folder, wherever that is.
//! Where it lies, and that it is for us alone, stays as it is. The hub binds it in the same way.

use rustix::fd::{AsRawFd as _, OwnedFd};
use rustix::fs::{Mode, OFlags, open};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// The longest path that fits an address of a unix socket on Linux.
pub(crate) const LONGEST: usize = 107;
/// Where a process finds what it has open.
const OPEN_HERE: &str = "/proc/self/fd";
/// Digits of a descriptor, with room, and two slashes.
const NUMBER: usize = 12;

/// Whether a socket at this path can be connected to.
pub(crate) fn is_in_reach(path: &Path) -> bool {
    let name = path.file_name().map_or(0, |name| name.as_bytes().len());
    path.as_os_str().len() <= LONGEST
        || (OPEN_HERE.len() + NUMBER + name <= LONGEST && Path::new(OPEN_HERE).is_dir())
}

/// A short path to the same socket, good as long as the folder is open; `None` where there is none.
pub(crate) fn way(path: &Path) -> Option<(OwnedFd, PathBuf)> {
    let (folder, name) = (path.parent()?, path.file_name()?);
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder = open(folder, flags, Mode::empty()).ok()?;
    let short = Path::new(OPEN_HERE).join(folder.as_raw_fd().to_string()).join(name);
    Some((folder, short))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::{UnixListener, UnixStream};

    #[test]
    fn a_socket_of_a_long_path_is_reached_by_a_short_one() {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path().join("x".repeat(120));
        std::fs::create_dir(&folder).unwrap();
        let socket = folder.join("a.sock");
        assert!(UnixListener::bind(&socket).is_err() && is_in_reach(&socket));
        let (_open, short) = way(&socket).unwrap();
        assert!(UnixStream::connect(&short).is_err());
        let _listener = UnixListener::bind(&short).unwrap();
        assert!(socket.exists(), "it lies where it is said to lie");
        let (open, again) = way(&socket).unwrap();
        assert!(UnixStream::connect(&again).is_ok());
        drop(open);
        assert!(UnixStream::connect(again).is_err(), "as long as the folder is open");
    }

    #[test]
    fn what_has_no_short_path_is_out_of_reach() {
        assert!(is_in_reach(Path::new("/run/h.sock")));
        let name = "x".repeat(100);
        assert!(!is_in_reach(&Path::new("/home/dev").join(&name)));
        assert!(way(Path::new("/nowhere/h.sock")).is_none());
        assert!(way(Path::new("/")).is_none());
    }
}
