//! The only door to files of other programs: each edit leaves the old content or the new one,
//! whatever happens in its middle.

use super::SetupError;
use super::temporary::{beside, left};
use rustix::fs::{Mode, OFlags};
use std::fs::{self, DirBuilder, File};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

/// One change of the file system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A folder, where there is none.
    Folder { path: PathBuf, mode: u32 },
    /// A file's whole content; `before` is what must still be there.
    Write { path: PathBuf, before: Option<String>, after: String, mode: u32 },
    /// A file that must still be like this.
    Delete { path: PathBuf, before: String },
    /// A new folder with all its files at once.
    Tree { path: PathBuf, files: Vec<(String, String)> },
    /// A folder of ours, with everything in it, at once.
    DeleteTree { path: PathBuf, files: Vec<(String, String)> },
    /// What an edit of `path` that was killed has left beside it.
    Clear { path: PathBuf },
    /// A folder, if nothing is in it.
    DeleteEmpty { path: PathBuf },
    /// A link, where there is none or another one.
    Link { path: PathBuf, to: PathBuf },
}

/// Asked before every single operation: tests end the work there.
pub(crate) type Fault<'a> = &'a mut dyn FnMut(&'static str) -> io::Result<()>;

/// Does all of it in order; what was done before an error stays.
pub(crate) fn perform(steps: &[Step], fault: Fault<'_>) -> Result<(), SetupError> {
    steps.iter().try_for_each(|step| perform_one(step, fault))
}

/// For everybody but tests.
#[expect(clippy::unnecessary_wraps, reason = "it stands in for one that may fail")]
pub(crate) fn no_fault(_: &'static str) -> io::Result<()> {
    Ok(())
}

fn perform_one(step: &Step, fault: Fault<'_>) -> Result<(), SetupError> {
    match step {
        Step::Folder { path, mode } => {
            fault("make a folder").and_then(|()| make(path, *mode)).map_err(io_of("make", path))
        }
        Step::Write { path, before, after, mode } => {
            let temp = beside(path);
            let written = write(path, &temp, before.as_deref(), after, *mode, fault);
            if written.is_err() {
                fs::remove_file(&temp).ok();
            }
            written
        }
        Step::Delete { path, before } => {
            unchanged(path, Some(before))?;
            let deleted = fault("delete").and_then(|()| fs::remove_file(path));
            deleted.and_then(|()| sync_parent(path)).map_err(io_of("delete", path))
        }
        Step::Tree { path, files } => {
            let temp = beside(path);
            let made = tree(path, &temp, files, fault).map_err(io_of("make", path));
            if made.is_err() {
                fs::remove_dir_all(&temp).ok();
            }
            made
        }
        Step::DeleteTree { path, .. } => {
            let temp = beside(path);
            let mut gone = || {
                sweep(path)?;
                fault("move away")?;
                fs::rename(path, &temp)?;
                sync_parent(path)?;
                fault("delete")?;
                fs::remove_dir_all(&temp)
            };
            gone().map_err(io_of("delete", path))
        }
        Step::Clear { path } => fault("clear what was left")
            .and_then(|()| sweep(path))
            .map_err(io_of("clear what was left beside", path)),
        Step::DeleteEmpty { path } => {
            fault("delete a folder").map_err(io_of("delete", path))?;
            match fs::remove_dir(path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(()),
                // Somebody has put a link or a file in its place.
                Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(()),
                other => other.map_err(io_of("delete", path)),
            }
        }
        Step::Link { path, to } => {
            let temp = beside(path);
            let mut linked = || {
                sweep(path)?;
                fault("link")?;
                symlink(to, &temp)?;
                fault("rename")?;
                fs::rename(&temp, path)?;
                sync_parent(path)
            };
            let done = linked();
            if done.is_err() {
                fs::remove_file(&temp).ok();
            }
            done.map_err(io_of("link", path))
        }
    }
}

fn write(
    path: &Path,
    temp: &Path,
    before: Option<&str>,
    after: &str,
    mode: u32,
    fault: Fault<'_>,
) -> Result<(), SetupError> {
    let prepare = |fault: Fault<'_>| -> io::Result<()> {
        sweep(path)?;
        fault("make the new file")?;
        let mut file = create(temp)?;
        fault("write it")?;
        file.write_all(after.as_bytes())?;
        // The mode last: it may forbid writing.
        if let (Ok(old), Ok(new)) = (fs::metadata(path), file.metadata())
            && old.gid() != new.gid()
        {
            // Ours is the owner; the group follows where we may set it.
            std::os::unix::fs::fchown(&file, None, Some(old.gid())).ok();
        }
        fault("set its mode")?;
        file.set_permissions(fs::Permissions::from_mode(mode))?;
        fault("flush it")?;
        file.sync_all()
    };
    prepare(fault).map_err(io_of("write", path))?;
    unchanged(path, before)?;
    let put = fault("put it in place").and_then(|()| fs::rename(temp, path));
    put.and_then(|()| fault("flush the folder"))
        .and_then(|()| sync_parent(path))
        .map_err(io_of("write", path))
}

/// Whoever edits it at the same time keeps what they wrote.
fn unchanged(path: &Path, before: Option<&str>) -> Result<(), SetupError> {
    let now = match fs::read(path) {
        Ok(bytes) => Some(bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(SetupError::io("read", path, error)),
    };
    if now.as_deref() == before.map(str::as_bytes) {
        return Ok(());
    }
    Err(SetupError::Changed(path.to_owned()))
}

fn tree(path: &Path, temp: &Path, files: &[(String, String)], fault: Fault<'_>) -> io::Result<()> {
    sweep(path)?;
    fault("make the new folder")?;
    make(temp, 0o700)?;
    for (name, text) in files {
        let file = temp.join(name);
        if let Some(parent) = file.parent() {
            make(parent, 0o700)?;
        }
        fault("write a file")?;
        let mut file = create(&file)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
    }
    fault("put it in place")?;
    // An empty folder may be in its place; anything else makes this fail.
    fs::rename(temp, path)?;
    fault("flush the folder")?;
    sync_parent(path)
}

fn create(path: &Path) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR)?))
}

/// With the folders above it: in a new home there is not even one for states.
fn make(path: &Path, mode: u32) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(mode).create(path)
}

/// Has an edit of `path` been killed?
pub(super) fn was_cut_off(path: &Path) -> bool {
    !left(path).is_empty()
}

/// What a crash has left beside `path` goes.
fn sweep(path: &Path) -> io::Result<()> {
    left(path).iter().try_for_each(|temp| match fs::symlink_metadata(temp) {
        Ok(meta) if meta.is_dir() => fs::remove_dir_all(temp),
        Ok(_) => fs::remove_file(temp),
        Err(_) => Ok(()),
    })
}

fn sync_parent(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

fn io_of<'a>(what: &'static str, path: &'a Path) -> impl Fn(io::Error) -> SetupError + 'a {
    move |error| SetupError::io(what, path, error)
}
