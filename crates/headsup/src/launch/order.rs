//! What is to be started: written down for the process that becomes the agent.
//!
//! tmux hands over neither exact arguments nor secrets: one word alone it gives to a shell, and
//! what stands on a command line everybody can read. So it starts us, we read the order, and
//! become the agent.

use crate::error::CommandError;
use rustix::fs::{Mode, OFlags};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A process to become. Byte strings, because arguments need not be text.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Order {
    program: Vec<u8>,
    name: Vec<u8>,
    arguments: Vec<Vec<u8>>,
    folder: Vec<u8>,
    environment: Vec<(String, Vec<u8>)>,
}

impl Order {
    pub(crate) fn new(program: &super::Program, arguments: &[OsString], folder: &Path) -> Self {
        Self {
            program: program.path.as_os_str().as_bytes().to_vec(),
            name: program.name.as_bytes().to_vec(),
            arguments: arguments.iter().map(|word| word.as_bytes().to_vec()).collect(),
            folder: folder.as_os_str().as_bytes().to_vec(),
            environment: Vec::new(),
        }
    }

    #[must_use]
    pub(crate) fn with(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.environment.push((name.to_owned(), value.into().into_vec()));
        self
    }

    /// Becomes the agent; only a failure returns.
    pub(crate) fn become_it(self) -> CommandError {
        let os = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
        let mut command = Command::new(os(&self.program));
        command.arg0(os(&self.name)).current_dir(os(&self.folder));
        command.args(self.arguments.iter().map(|word| os(word)));
        command.envs(self.environment.iter().map(|(name, value)| (name, os(value))));
        let error = command.exec();
        CommandError::internal(format!("cannot run {}: {error}", os(&self.program).display()))
    }

    /// Writes it where only we can read it.
    pub(crate) fn write(&self, path: &Path) -> Result<(), CommandError> {
        let json = serde_json::to_vec(self)
            .map_err(|error| CommandError::internal(format!("cannot write the order: {error}")))?;
        write_private(path, &json)
    }

    /// Reads it and takes it away: it holds a secret.
    pub(crate) fn take(path: &Path) -> Result<Self, CommandError> {
        let failed = |error: std::io::Error| {
            CommandError::internal(format!("cannot read {}: {error}", path.display()))
        };
        let mut text = Vec::new();
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::open(path, flags, Mode::empty()).map_err(|e| failed(e.into()))?;
        File::from(file).read_to_end(&mut text).map_err(failed)?;
        std::fs::remove_file(path).map_err(failed)?;
        serde_json::from_slice(&text).map_err(|error| failed(error.into()))
    }
}

/// A file of ours in a folder of ours.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> Result<(), CommandError> {
    let write = || {
        std::fs::remove_file(path).or_else(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Ok(()),
            _ => Err(error),
        })?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let file = rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR)?;
        File::from(file).write_all(bytes)
    };
    write().map_err(|error| {
        CommandError::internal(format!("cannot write {}: {error}", path.display()))
    })
}

/// A random word that nobody can guess.
pub(crate) fn secret() -> Result<String, CommandError> {
    let mut bytes = [0_u8; 32];
    let read = File::open("/dev/urandom").and_then(|mut random| random.read_exact(&mut bytes));
    read.map_err(|error| CommandError::internal(format!("there is no randomness: {error}")))?;
    let [high, low] = [0, 16].map(|at| bytes[at..at + 16].try_into().unwrap_or_default());
    Ok(format!("{:032x}{:032x}", u128::from_be_bytes(high), u128::from_be_bytes(low)))
}

/// Where an order waits.
pub(crate) fn path(launch: &Path, id: &str) -> PathBuf {
    launch.join(format!("{id}.order"))
}
