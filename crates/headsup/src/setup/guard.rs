//! Which files of other programs may be edited: regular ones, our own, inside the home folder.

use super::SetupError;
use rustix::fs::{AtFlags, CWD, StatxAttributes, StatxFlags, statx};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// A configuration is text that people write.
const LARGEST: u64 = 16 << 20;

/// Why a file is not ours to change.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Denied {
    #[error("it leads to {}, outside of your home folder", .0.display())]
    Outside(PathBuf),
    #[error("it is a link to nothing")]
    Dangling,
    #[error("it cannot be reached: {0}")]
    Unreachable(String),
    #[error("the folder {} is read-only", .0.display())]
    Closed(PathBuf),
    #[error("it has more than one name (a hard link), and a new file would break them apart")]
    HardLink,
    #[error("it belongs to another user")]
    NotOurs,
    #[error("it cannot be read: permission denied")]
    Unreadable,
    #[error("it is read-only")]
    ReadOnly,
    #[error("it is not a regular file")]
    NotAFile,
    #[error("it is mounted by itself, as into a container, and no new file can take its place")]
    Mounted,
    #[error("it is marked as one that nobody may replace (`lsattr` shows it)")]
    Fixed,
    #[error("it is a link, and a plugin is a folder")]
    FolderIsLink,
    #[error("there is a folder of somebody else's in its place")]
    ForeignFolder,
    #[error("it is larger than {} MiB", LARGEST >> 20)]
    TooLarge,
    #[error("with what is added it would be larger than {} MiB, and could not be edited again", LARGEST >> 20)]
    Full,
    #[error("it is not UTF-8")]
    NotText,
}

/// A file that may be edited, or made.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// Behind all links.
    pub(crate) path: PathBuf,
    pub(crate) before: Option<String>,
    pub(crate) mode: u32,
}

/// Where `path` really is, if that is below one of `roots`. It need not be there yet.
pub(crate) fn resolve(path: &Path, roots: &[PathBuf]) -> Result<PathBuf, SetupError> {
    let mut missing = Vec::new();
    let mut existing = path;
    let real = loop {
        match fs::canonicalize(existing) {
            Ok(real) => break real,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if fs::symlink_metadata(existing).is_ok() {
                    return Err(SetupError::denied(existing, Denied::Dangling));
                }
                let (Some(name), Some(parent)) = (existing.file_name(), existing.parent()) else {
                    return Err(SetupError::Astray(path.to_owned()));
                };
                missing.push(name);
                existing = parent;
            }
            Err(error) => {
                return Err(SetupError::denied(path, Denied::Unreachable(error.to_string())));
            }
        }
    };
    let whole = missing.into_iter().rev().fold(real, |path, name| path.join(name));
    // A root need not be there either.
    if roots.iter().any(|root| whole.starts_with(root)) {
        return Ok(whole);
    }
    Err(SetupError::denied(path, Denied::Outside(whole)))
}

/// Where `path` really is, wherever that may be.
pub(super) fn real(path: &Path) -> Option<PathBuf> {
    resolve(path, &[PathBuf::from("/")]).ok()
}

/// Whether something can be put to `path`, which is free of links. Root could write anyway; but
/// whoever made a folder read-only meant it.
pub(crate) fn can_put(path: &Path) -> Result<(), SetupError> {
    let folder = path.ancestors().skip(1).find(|folder| folder.exists());
    let Some(folder) = folder else { return Ok(()) };
    let meta = fs::metadata(folder).map_err(|error| SetupError::io("look at", folder, error))?;
    let may_write = rustix::fs::access(folder, rustix::fs::Access::WRITE_OK).is_ok();
    if may_write && meta.mode() & 0o222 != 0 {
        return Ok(());
    }
    Err(SetupError::denied(path, Denied::Closed(folder.to_owned())))
}

/// Looks at a file with the eyes of an editor.
pub(crate) fn look(path: &Path, roots: &[PathBuf]) -> Result<Target, SetupError> {
    let real = resolve(path, roots)?;
    let deny = |why| Err(SetupError::denied(path, why));
    can_put(&real)?;
    let meta = match fs::symlink_metadata(&real) {
        Ok(meta) => meta,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(Target { path: real, before: None, mode: 0o600 });
        }
        Err(error) => return Err(SetupError::io("look at", path, error)),
    };
    if !meta.is_file() {
        return deny(Denied::NotAFile);
    }
    if let Some(why) = stays(&real) {
        return deny(why);
    }
    if meta.uid() != rustix::process::geteuid().as_raw() {
        return deny(Denied::NotOurs);
    }
    if meta.nlink() > 1 {
        return deny(Denied::HardLink);
    }
    if meta.mode() & 0o400 == 0 {
        return deny(Denied::Unreadable);
    }
    if meta.mode() & 0o200 == 0 {
        return deny(Denied::ReadOnly);
    }
    if meta.len() > LARGEST {
        return deny(Denied::TooLarge);
    }
    let bytes = fs::read(&real).map_err(|error| SetupError::io("read", path, error))?;
    let Ok(text) = String::from_utf8(bytes) else { return deny(Denied::NotText) };
    Ok(Target { path: real, before: Some(text), mode: meta.mode() & 0o7777 })
}

/// What keeps a new file from taking the place of this one, whatever its mode and its folder's say.
fn stays(path: &Path) -> Option<Denied> {
    // A system that does not know these tells nothing of them.
    let told = statx(CWD, path, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::empty()).ok()?;
    let is = |attributes| told.stx_attributes.intersects(attributes);
    if is(StatxAttributes::MOUNT_ROOT) {
        return Some(Denied::Mounted);
    }
    is(StatxAttributes::IMMUTABLE | StatxAttributes::APPEND).then_some(Denied::Fixed)
}

/// Whether a file with this text could be edited again: whoever puts something in takes it out later.
pub(crate) fn fits(path: &Path, text: &str) -> Result<(), SetupError> {
    match u64::try_from(text.len()) {
        Ok(bytes) if bytes <= LARGEST => Ok(()),
        _ => Err(SetupError::denied(path, Denied::Full)),
    }
}

/// Is something there that we may not look at? Nobody knows then what is in it.
pub(super) fn is_closed(path: &Path) -> bool {
    let is_denied = |error: io::Error| error.kind() == io::ErrorKind::PermissionDenied;
    match fs::metadata(path) {
        Ok(meta) => meta.is_file() && fs::File::open(path).is_err_and(is_denied),
        Err(error) => is_denied(error),
    }
}

/// What is in a regular file, if that is what is there. Anything else might keep us waiting.
pub(crate) fn read(path: &Path) -> Option<Vec<u8>> {
    let meta = fs::metadata(path).ok()?;
    let is_readable = meta.is_file() && meta.len() <= LARGEST;
    is_readable.then(|| fs::read(path).ok()).flatten()
}
