//! What is to be started: written down for the process that becomes the agent.
//!
//! tmux hands over neither exact arguments nor secrets: one word alone it gives to a shell, and
//! what stands on a command line everybody can read. So it starts us, we read the order, and
//! start the agent.

use super::shim::keeper;
use super::shim::terminal::is_ours;
use super::stream::mark::Mark;
use crate::error::CommandError;
use rustix::fs::{Mode, OFlags};
use rustix::stdio::stderr;
use serde::{Deserialize, Serialize};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{IsTerminal as _, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// What tells of a terminal and of the place in it: an agent takes these from where it runs.
const OF_THE_TERMINAL: [&str; 17] = [
    "TERM",
    "TERMINFO",
    "TERMCAP",
    "COLORTERM",
    "TERM_PROGRAM",
    "TERM_PROGRAM_VERSION",
    "TMUX",
    "TMUX_PANE",
    "COLUMNS",
    "LINES",
    "WINDOWID",
    "STY",
    "SHLVL",
    "PWD",
    "OLDPWD",
    "SSH_TTY",
    "_",
];

/// A process to start. Byte strings, because arguments need not be text.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Order {
    program: Vec<u8>,
    name: Vec<u8>,
    arguments: Vec<Vec<u8>>,
    folder: Vec<u8>,
    /// What the person calls it, where that is by a link.
    #[serde(default)]
    called: Option<Vec<u8>>,
    environment: Vec<(Vec<u8>, Vec<u8>)>,
    /// There is nothing else in its environment but what tells of the terminal.
    whole: bool,
    id: String,
    /// It will speak for itself.
    speaks: bool,
    /// It writes what it does, line by line.
    #[serde(default)]
    stream: Option<Streaming>,
    /// It does what it was started for, and leaves.
    #[serde(default)]
    is_one_run: bool,
}

/// Where an agent writes what it does, in the words of its kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Streaming {
    pub(crate) kind: String,
    /// A file or a FIFO; else its own output.
    file: Option<Vec<u8>>,
    /// What stands in the file before it is of another run.
    #[serde(default)]
    pub(crate) past: Option<Mark>,
    /// What it asks is answered on its input.
    #[serde(default)]
    is_answered: bool,
}

impl Streaming {
    pub(crate) fn new(kind: &str, file: Option<&Path>) -> Self {
        let past = file.and_then(Mark::end_of);
        let file = file.map(|path| path.as_os_str().as_bytes().to_vec());
        Self { kind: kind.to_owned(), file, past, is_answered: false }
    }

    #[must_use]
    pub(crate) fn answered(mut self, is_answered: bool) -> Self {
        self.is_answered = is_answered;
        self
    }

    /// Are there answers that can be read along? A person who types them answers to the agent.
    pub(crate) fn is_answered(&self) -> bool {
        self.is_answered && !std::io::stdin().is_terminal()
    }

    pub(crate) fn file(&self) -> Option<PathBuf> {
        self.file.as_deref().map(|path| PathBuf::from(os(path)))
    }
}

impl Order {
    pub(crate) fn new(
        program: &super::Program,
        arguments: &[OsString],
        folder: &Path,
        id: &str,
    ) -> Self {
        Self {
            program: program.path.as_os_str().as_bytes().to_vec(),
            name: program.name.as_bytes().to_vec(),
            arguments: arguments.iter().map(|word| word.as_bytes().to_vec()).collect(),
            folder: folder.as_os_str().as_bytes().to_vec(),
            called: called(std::env::var_os("PWD"), folder).map(OsString::into_vec),
            environment: Vec::new(),
            whole: false,
            id: id.to_owned(),
            speaks: program.recipe.is_some(),
            stream: None,
            is_one_run: false,
        }
    }

    /// It writes what it does.
    #[must_use]
    pub(crate) fn streaming(mut self, stream: Option<Streaming>) -> Self {
        self.stream = stream;
        self
    }

    #[must_use]
    pub(crate) fn of_one_run(mut self, is_one_run: bool) -> Self {
        self.is_one_run = is_one_run;
        self
    }

    /// Does it do what it was started for, and leave? Nobody can type to it then.
    pub(crate) fn is_one_run(&self) -> bool {
        self.is_one_run
    }

    pub(crate) fn stream(&self) -> Option<&Streaming> {
        self.stream.as_ref()
    }

    /// It will speak, whatever program it is.
    #[must_use]
    pub(crate) fn speaking(mut self) -> Self {
        self.speaks = true;
        self
    }

    /// With the environment of the command that was typed: a tmux server has one of its own.
    #[must_use]
    pub(crate) fn with_whole_environment(mut self) -> Self {
        let all = std::env::vars_os().filter(|(name, _)| !is_of_the_terminal(name));
        self.environment = all.map(|(name, value)| (name.into_vec(), value.into_vec())).collect();
        self.whole = true;
        self
    }

    /// What the agent will have in its environment.
    pub(crate) fn variable(&self, name: &str) -> Option<OsString> {
        let found = self.environment.iter().rev().find(|(of, _)| of == name.as_bytes());
        found.map(|(_, value)| OsString::from_vec(value.clone()))
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    pub(crate) fn speaks(&self) -> bool {
        self.speaks
    }

    #[must_use]
    pub(crate) fn with(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.environment.push((name.into(), value.into().into_vec()));
        self
    }

    /// Starts the agent with the input and output of this process.
    pub(crate) fn start(&self) -> Result<Child, CommandError> {
        let mut command = Command::new(os(&self.program));
        command.arg0(os(&self.name));
        self.furnish(&mut command);
        command.spawn().map_err(|error| self.cannot_run(&error))
    }

    /// Starts the agent with a pipe to us for its output, and one for its input unless it has
    /// ours; its errors go where ours go.
    pub(crate) fn start_piped(&self, also_input: bool) -> Result<Child, CommandError> {
        let mut command = Command::new(os(&self.program));
        command.arg0(os(&self.name));
        self.furnish(&mut command);
        command.stdout(Stdio::piped());
        if also_input {
            command.stdin(Stdio::piped());
        }
        command.spawn().map_err(|error| self.cannot_run(&error))
    }

    /// Starts its keeper on `terminal`, with `line` to us.
    pub(crate) fn start_on(&self, terminal: OwnedFd, line: File) -> Result<Child, CommandError> {
        let mut command = keeper::command(&os(&self.program), &os(&self.name));
        self.furnish(&mut command);
        // Errors that are written somewhere else, be it another terminal, stay there.
        if is_ours(stderr()) {
            let same = terminal.try_clone().map_err(|error| self.cannot_run(&error))?;
            command.stderr(same);
        }
        command.stdin(line).stdout(terminal);
        command.spawn().map_err(|error| self.cannot_run(&error))
    }

    /// Its arguments, folder and environment.
    fn furnish(&self, command: &mut Command) {
        command.current_dir(os(&self.folder)).args(self.arguments.iter().map(|word| os(word)));
        if self.whole {
            let of_here = std::env::vars_os().filter(|(name, _)| is_of_the_terminal(name));
            command.env_clear().envs(of_here.collect::<Vec<_>>());
        }
        command.env("PWD", os(self.called.as_ref().unwrap_or(&self.folder)));
        command.envs(self.environment.iter().map(|(name, value)| (os(name), os(value))));
    }

    pub(crate) fn cannot_run(&self, error: &std::io::Error) -> CommandError {
        let program = os(&self.program);
        let failed = CommandError::internal(format!("cannot run {}: {error}", program.display()));
        match error.kind() {
            // The file itself was found before.
            std::io::ErrorKind::NotFound => failed
                .hint("the program that its first line (`#!`) or its format asks for is not here"),
            _ => failed,
        }
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
        // The parser's own words may quote what it has read.
        serde_json::from_slice(&text).map_err(|_| failed(std::io::ErrorKind::InvalidData.into()))
    }
}

fn os(bytes: &[u8]) -> OsString {
    OsString::from_vec(bytes.to_vec())
}

/// What a shell says that it is in, if that is this folder. It may be another name of it.
fn called(said: Option<OsString>, folder: &Path) -> Option<OsString> {
    let place = |path: &Path| path.metadata().map(|meta| (meta.dev(), meta.ino())).ok();
    let said = said.filter(|said| Path::new(said).is_absolute())?;
    let place_of_it = place(Path::new(&said))?;
    (place(folder) == Some(place_of_it)).then_some(said)
}

fn is_of_the_terminal(name: &OsStr) -> bool {
    OF_THE_TERMINAL.iter().any(|known| name == *known)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_called_what_the_shell_calls_it_if_that_is_the_same() {
        let temp = tempfile::tempdir().unwrap();
        let names = ["real", "other", "link", "nowhere"];
        let [real, other, link, nowhere] = names.map(|name| temp.path().join(name));
        std::fs::create_dir(&real).unwrap();
        std::fs::create_dir(&other).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let said = |path: &Path| called(Some(path.as_os_str().to_owned()), &real);
        assert_eq!(said(&link), Some(link.clone().into_os_string()));
        assert_eq!(said(&real), Some(real.clone().into_os_string()));
        for wrong in [other.as_path(), nowhere.as_path(), Path::new("."), Path::new("")] {
            assert_eq!(said(wrong), None, "{}", wrong.display());
        }
        assert_eq!(called(None, &real), None);
    }
}
