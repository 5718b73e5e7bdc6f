//! Files that anybody may have put something else in the place of: read without waiting, and not without end.

use rustix::fs::{FileType, Mode, OFlags, Stat, fstat, major, minor};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// Why a file is not read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unread {
    #[error("it is not a regular file, but {0}")]
    NotAFile(&'static str),
    #[error("it is larger than {kib} KiB")]
    TooLarge { kib: u64 },
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl Unread {
    /// Is there nothing at all?
    pub(crate) fn is_absent(&self) -> bool {
        matches!(self, Self::Io(error) if error.kind() == io::ErrorKind::NotFound)
    }
}

/// What is in the file that `path` leads to, if that is one of at most `kib` KiB. `/dev/null` is an empty one.
pub(crate) fn read(path: &Path, kib: u64) -> Result<Vec<u8>, Unread> {
    // A pipe would have us wait for its other end, a terminal would become ours.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(file) => File::from(file),
        // Nobody opens a socket by its name.
        Err(Errno::NXIO) => return Err(Unread::NotAFile("a socket")),
        Err(errno) => return Err(Unread::Io(errno.into())),
    };
    let stat = fstat(&file).map_err(io::Error::from)?;
    if let Some(what) = other(&stat) {
        return Err(Unread::NotAFile(what));
    }
    let mut bytes = Vec::new();
    let most = kib << 10;
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(Unread::TooLarge { kib });
    }
    Ok(bytes)
}

/// What it is, if it is no regular file.
fn other(stat: &Stat) -> Option<&'static str> {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => None,
        FileType::CharacterDevice if (major(stat.st_rdev), minor(stat.st_rdev)) == (1, 3) => None,
        FileType::CharacterDevice | FileType::BlockDevice => Some("a device"),
        FileType::Directory => Some("a folder"),
        FileType::Fifo => Some("a pipe"),
        _ => Some("something else"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{CWD, mkfifoat};
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    #[test]
    fn whatever_is_there_is_read_or_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "text").unwrap();
        fs::write(at("large"), vec![b'x'; 1025]).unwrap();
        fs::create_dir(at("folder")).unwrap();
        mkfifoat(CWD, at("pipe"), Mode::RUSR | Mode::WUSR).unwrap();
        let _socket = UnixListener::bind(at("socket")).unwrap();
        for (name, leads_to) in
            [("link", "file"), ("zero", "/dev/zero"), ("null", "/dev/null"), ("astray", "nothing")]
        {
            symlink(leads_to, at(name)).unwrap();
        }
        assert_eq!(read(&at("file"), 1).unwrap(), b"text");
        assert_eq!(read(&at("link"), 1).unwrap(), b"text");
        assert_eq!(read(&at("null"), 1).unwrap(), b"");
        assert_eq!(read(&at("large"), 2).unwrap().len(), 1025);
        for (name, why) in [
            ("large", "larger than 1 KiB"),
            ("folder", "a folder"),
            ("pipe", "a pipe"),
            ("socket", "a socket"),
            ("zero", "a device"),
        ] {
            let unread = read(&at(name), 1).unwrap_err();
            assert!(unread.to_string().ends_with(why), "{name}: {unread}");
            assert!(!unread.is_absent());
        }
        assert!(read(&at("astray"), 1).unwrap_err().is_absent());
    }
}
