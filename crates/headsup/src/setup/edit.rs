//! The only door to files of other programs: each edit leaves the old content or the new one,
//! whatever happens in its middle.

use super::guard::Denied;
use super::temporary::{beside, left};
use super::{SetupError, attributes};
use rustix::fs::{CWD, Mode, OFlags, RenameFlags, renameat_with};
use rustix::io::Errno;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Write as _};
use std::os::unix::fs::{
    DirBuilderExt as _, MetadataExt as _, PermissionsExt as _, fchown, symlink,
};
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
    /// A folder of ours with these files and nothing else in it, at once where it can be renamed.
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

/// Does all of it in order; what was done before an error stays, but for new folders that nothing has come into.
pub(crate) fn perform(steps: &[Step], fault: Fault<'_>) -> Result<(), SetupError> {
    let mut made = Vec::new();
    let done = steps.iter().try_for_each(|step| {
        if let Step::Folder { path, .. } = step {
            let missing = path.ancestors().take_while(|path| !path.exists());
            let mut missing: Vec<PathBuf> = missing.map(Path::to_owned).collect();
            missing.reverse();
            made.extend(missing);
        }
        perform_one(step, fault)
    });
    if done.is_err() {
        for path in made.iter().rev() {
            fs::remove_dir(path).ok();
        }
    }
    done
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
        Step::DeleteTree { path, files } => {
            let temp = beside(path);
            let mut all = files.iter().map(|(name, _)| path.join(name)).chain([path.clone()]);
            let swept = all.try_for_each(|file| sweep(&file));
            swept.and_then(|()| fault("move away")).map_err(io_of("delete", path))?;
            if !holds_only(path, files) {
                return Err(SetupError::Changed(path.to_owned()));
            }
            let mut gone = || {
                match fault("rename it").and_then(|()| fs::rename(path, &temp)) {
                    // In a layer below, or mounted by itself.
                    Err(error)
                        if matches!(
                            error.kind(),
                            io::ErrorKind::CrossesDevices | io::ErrorKind::ResourceBusy
                        ) =>
                    {
                        return delete_in_place(path, files, fault);
                    }
                    renamed => renamed?,
                }
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
                // What is to be mounted into a container, and is not there, its engine makes an empty folder of.
                if path.symlink_metadata().is_ok_and(|found| found.is_dir()) {
                    fs::remove_dir(path)?;
                }
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
        let has_its_group = match (fs::metadata(path), file.metadata()) {
            // Ours is the owner; the group follows where we may set it.
            (Ok(old), Ok(new)) if old.gid() != new.gid() => fault("give it its group")
                .and_then(|()| fchown(&file, None, Some(old.gid())))
                .is_ok(),
            _ => true,
        };
        // What one group may do is not for another one.
        let mode = if has_its_group { mode } else { mode & !0o070 };
        // The mode last: it may forbid writing.
        fault("set its mode")?;
        file.set_permissions(fs::Permissions::from_mode(mode))?;
        if has_its_group && let Ok(old) = File::open(path) {
            attributes::copy(&old, &file);
        }
        fault("flush it")?;
        file.sync_all()
    };
    prepare(fault).map_err(io_of("write", path))?;
    unchanged(path, before)?;
    fault("put it in place").map_err(io_of("write", path))?;
    put(temp, path, before, fault)?;
    fault("flush the folder").and_then(|()| sync_parent(path)).map_err(io_of("write", path))
}

/// Puts the new file in its place, if what is there is still as it was: not even what is written in that moment
/// is lost, where the system can exchange two files.
fn put(temp: &Path, path: &Path, before: Option<&str>, fault: Fault<'_>) -> Result<(), SetupError> {
    let flags = if before.is_some() { RenameFlags::EXCHANGE } else { RenameFlags::NOREPLACE };
    let changed = || Err(SetupError::Changed(path.to_owned()));
    match (renameat_with(CWD, temp, CWD, path, flags), before) {
        (Ok(()), None) => Ok(()),
        (Ok(()), Some(before)) => {
            let is_as_it_was = !temp.is_symlink()
                && fs::read(temp).is_ok_and(|old| old.as_slice() == before.as_bytes());
            if is_as_it_was {
                let gone = fault("delete the old one").and_then(|()| fs::remove_file(temp));
                return gone.map_err(io_of("write", path));
            }
            fs::rename(temp, path).map_err(io_of("write", path))?;
            changed()
        }
        (Err(Errno::EXIST), None) | (Err(Errno::NOENT), Some(_)) => changed(),
        // Not every file system can.
        (Err(_), _) => fs::rename(temp, path).map_err(|error| match error.kind() {
            // Linux before 5.8 does not tell before.
            io::ErrorKind::ResourceBusy => SetupError::denied(path, Denied::Mounted),
            _ => SetupError::io("write", path, error),
        }),
    }
}

/// The same one after another: a folder that lies in a layer below, as one of a container's image, cannot be
/// renamed.
fn delete_in_place(folder: &Path, files: &[(String, String)], fault: Fault<'_>) -> io::Result<()> {
    for (name, _) in files {
        fault("delete a file")?;
        fs::remove_file(folder.join(name))?;
    }
    delete_folders(folder, fault)?;
    sync_parent(folder)
}

/// A folder with nothing but folders in it.
fn delete_folders(folder: &Path, fault: Fault<'_>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            delete_folders(&entry.path(), fault)?;
        }
    }
    fault("delete a folder")?;
    match fs::remove_dir(folder) {
        // It is mounted by itself, and stays as empty as it came.
        Err(error) if error.kind() == io::ErrorKind::ResourceBusy => Ok(()),
        other => other,
    }
}

/// Is it a folder with nothing in it but folders, and all of them ours?
pub(super) fn is_hollow(folder: &Path, is_ours: impl Fn(&Path) -> bool) -> bool {
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        let is_folder = fs::symlink_metadata(&next).is_ok_and(|meta| meta.is_dir());
        // What cannot be read may hold anything.
        let entries = fs::read_dir(&next).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let Some(entries) = entries.ok().filter(|_| is_folder && is_ours(&next)) else {
            return false;
        };
        folders.extend(entries.iter().map(fs::DirEntry::path));
    }
    true
}

/// Are these files, as they are here, all that is in the folder?
fn holds_only(folder: &Path, files: &[(String, String)]) -> bool {
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        // What cannot be read may hold anything.
        let entries = fs::read_dir(next).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let Ok(entries) = entries else { return false };
        for entry in entries {
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(path);
                continue;
            }
            let mut known = files.iter().filter(|(name, _)| folder.join(name) == path);
            let is_known = known.any(|(_, text)| {
                fs::read(&path).is_ok_and(|now| now.as_slice() == text.as_bytes())
            });
            if !is_known {
                return false;
            }
        }
    }
    true
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
