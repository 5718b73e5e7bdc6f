//! A damaged database is evidence: it is put aside, never deleted.

use headsup_core::time::UnixMs;
use std::io;
use std::path::{Path, PathBuf};

/// Renames the database and what belongs to it; returns the new name.
pub(super) fn put_aside(path: &Path, now: UnixMs) -> io::Result<PathBuf> {
    let aside = with_suffix(path, &format!(".corrupt-{}", now.0));
    for part in ["-wal", "-shm", ""] {
        match std::fs::rename(with_suffix(path, part), with_suffix(&aside, part)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(aside)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.to_owned().into_os_string();
    name.push(suffix);
    name.into()
}
