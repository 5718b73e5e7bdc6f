//! Status files that programs keep about themselves: where they are, and what they say.

use crate::claude_code;
use headsup_core::id::ProcessId;
use headsup_core::observation::Level;
use headsup_core::status::Attach;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A folder in which a program keeps one status file for each of its processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchedFolder {
    pub kind: &'static str,
    pub path: PathBuf,
}

/// One status file, understood.
#[derive(Clone, Debug, PartialEq)]
pub struct RegistryRecord {
    /// Its pid namespace is the inode that the file names, also where it is the reader's own;
    /// `None` where the file names none.
    pub process: ProcessId,
    pub session: Option<String>,
    pub cwd: Option<String>,
    pub attach: Option<Attach>,
    pub tmux_pane: Option<String>,
    /// The background job that this process runs.
    pub job: Option<String>,
    /// The background job in which its conversation goes on.
    pub parked_in: Option<String>,
    /// `None` while the program has not said yet, or says something unknown.
    pub level: Option<Level>,
    /// The member that says something unknown.
    pub strange: Option<&'static str>,
    /// Which statement of the level this is, by when it was made (Unix, in ms): a file may be written again with nothing
    /// new said.
    /// `None` where the file does not tell them apart.
    pub statement: Option<u64>,
}

/// All folders to be watched. `variable` looks a variable of the environment up.
pub fn registries(variable: impl Fn(&str) -> Option<OsString>) -> Vec<WatchedFolder> {
    let variable = |name: &str| variable(name).filter(|value| !value.is_empty());
    claude_code::registry::folder(variable).into_iter().collect()
}

/// The folder in which the program that writes this log keeps its status files.
pub fn registry_of_log(kind: &str, log: &str) -> Option<WatchedFolder> {
    match kind {
        claude_code::KIND => claude_code::registry::folder_of_log(log),
        _ => None,
    }
}

/// The pid in the name of a status file of this kind; `None` for every other file, which is not to
/// be opened.
pub fn registry_pid(kind: &str, file_name: &str) -> Option<u32> {
    match kind {
        claude_code::KIND => claude_code::registry::pid(file_name),
        _ => None,
    }
}

/// Does a program of this kind keep status files about itself?
pub fn has_registry(kind: &str) -> bool {
    kind == claude_code::KIND
}

/// Where a program of this kind keeps the log of the conversation that a status file in `folder`
/// names. Whether it is there is not known.
pub fn log_of(kind: &str, folder: &Path, record: &RegistryRecord) -> Option<PathBuf> {
    match kind {
        claude_code::KIND => claude_code::registry::log_of(folder, record),
        _ => None,
    }
}

/// Reads one status file. `None`: not understood, or not of the process in its name.
pub fn registry(kind: &str, file_name: &str, bytes: &[u8]) -> Option<RegistryRecord> {
    match kind {
        claude_code::KIND => claude_code::registry::read(file_name, bytes),
        _ => None,
    }
}
