//! The arguments of launches. They may hold secrets and are wanted again when an agent is taken up, so those of each
//! launch lie in a file of their own, for us alone; the store has nothing but its name.

mod sweep;
#[cfg(test)]
mod tests;

pub(crate) use sweep::Sweep;

use headsup_adapters::resume;
use headsup_core::gate;
use headsup_core::id::AgentId;
use headsup_core::seat::{Launch, LaunchWords, Seat};
use headsup_core::time::UnixMs;
use headsup_core::wire::LaunchDoc;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Their folder in the state folder.
pub(crate) const FOLDER: &str = "launches";
/// Where launchers leave what they hand over.
const HANDED_OVER: &str = "launch";
/// Hexadecimal digits of a file's name.
const NAME: usize = 32;
/// What is younger stays, whatever it looks like: an end may be taken back. Milliseconds.
const YOUNG_MS: i64 = 60_000;

/// The files of one state folder.
#[derive(Debug)]
pub(crate) struct Launches {
    home: PathBuf,
    folder: PathBuf,
    /// The folder of the launchers.
    handed_over: PathBuf,
}

/// Why the arguments of a launch are not known. None of it quotes them.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unknown {
    #[error("they could not be written down")]
    Unkept,
    #[error("the file that held them is gone")]
    Gone,
    #[error("the file that holds them is damaged")]
    Damaged,
    #[error("the file that holds them cannot be read: {0}")]
    Unreadable(io::Error),
}

impl Launches {
    /// Nothing is made before there is something to keep.
    pub(crate) fn new(home: &Path) -> Self {
        let (folder, handed_over) = (home.join(FOLDER), home.join(HANDED_OVER));
        Self { home: home.to_owned(), folder, handed_over }
    }

    /// The launch as its seat has it. Where its arguments cannot be written down, it goes without them.
    pub(crate) async fn keep(self: &Arc<Self>, kind: &str, launch: LaunchDoc) -> Launch {
        let LaunchDoc { program, name, arguments, folder, here, server, no_tools } = launch;
        let (launches, kind) = (Arc::clone(self), kind.to_owned());
        // Whoever serves waits for no disk.
        let keep = move || launches.keep_words(&kind, &arguments);
        let words = tokio::task::spawn_blocking(keep).await.unwrap_or_default();
        Launch { program, name, folder, here, server, no_tools, words }
    }

    /// What is wanted again of the arguments of an agent of this kind, on the disk when this returns.
    pub(crate) fn keep_words(&self, kind: &str, arguments: &[String]) -> LaunchWords {
        let Some(words) = resume::kept(kind, arguments) else { return LaunchWords::Unkept };
        if words.is_empty() {
            return LaunchWords::None;
        }
        match self.write(&words) {
            Ok(name) => LaunchWords::In(name),
            Err(error) => {
                let at = self.folder.display();
                tracing::warn!(%at, %error, "an agent's arguments cannot be kept, so it cannot be taken up again");
                LaunchWords::Unkept
            }
        }
    }

    fn write(&self, words: &[String]) -> io::Result<String> {
        let json = serde_json::to_vec(words)?;
        let name = name()?;
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        let path = self.folder.join(&name);
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        // The seat that names it outlives a power cut, and so do the file and its folder, which may be new.
        let written = file.write_all(&json).and_then(|()| file.sync_all());
        let kept = written.and_then(|()| sync(&self.folder)).and_then(|()| sync(&self.home));
        if kept.is_err() {
            fs::remove_file(&path).ok();
        }
        kept.map(|()| name)
    }

    /// The arguments that were kept.
    pub(crate) async fn read(
        self: &Arc<Self>,
        words: &LaunchWords,
    ) -> Result<Vec<String>, Unknown> {
        let (launches, words) = (Arc::clone(self), words.clone());
        let read = tokio::task::spawn_blocking(move || launches.read_words(&words)).await;
        read.unwrap_or_else(|error| Err(Unknown::Unreadable(error.into())))
    }

    fn read_words(&self, words: &LaunchWords) -> Result<Vec<String>, Unknown> {
        let name = match words {
            LaunchWords::None => return Ok(Vec::new()),
            LaunchWords::In(name) => name,
            LaunchWords::Unkept => return Err(Unknown::Unkept),
        };
        let path = self.place(name).ok_or(Unknown::Gone)?;
        let json = fs::read(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Unknown::Gone,
            _ => Unknown::Unreadable(error),
        })?;
        // The parser's own words may quote what it has read.
        serde_json::from_slice(&json).map_err(|_| Unknown::Damaged)
    }

    /// How the paths of all files begin that the launch of an agent has brought.
    pub(crate) fn brought(&self, agent: &AgentId) -> String {
        format!("{}/{agent}.", self.handed_over.display())
    }

    /// Takes a file away that no seat names any more.
    pub(crate) fn remove(&self, name: &str) {
        if let Some(path) = self.place(name) {
            remove(&path);
        }
    }

    /// Where the file of this name is. `None`: it is no name of ours, and may lead anywhere.
    fn place(&self, name: &str) -> Option<PathBuf> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        (name.len() == NAME && name.bytes().all(is_digit)).then(|| self.folder.join(name))
    }
}

/// The file with the arguments of a seat's agent.
pub(crate) fn file_of(seat: &Seat) -> Option<&str> {
    match &seat.launch.as_deref()?.words {
        LaunchWords::In(name) => Some(name),
        LaunchWords::None | LaunchWords::Unkept => None,
    }
}

/// Whether an agent may be taken up again, or go on after all, as it was started.
pub(crate) fn is_wanted(seat: &Seat, now: UnixMs) -> bool {
    is_there(seat, now) || gate::may_resume(seat, now).is_ok()
}

/// Whether an agent is there, or was just now.
fn is_there(seat: &Seat, now: UnixMs) -> bool {
    !seat.process.state.is_over() || now.since(seat.process.since) < YOUNG_MS
}

/// What is in a folder is on the disk when this returns.
fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// A name that nobody can guess.
fn name() -> io::Result<String> {
    let mut bytes = [0_u8; NAME / 2];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}

fn remove(path: &Path) {
    let is_folder = fs::symlink_metadata(path).is_ok_and(|meta| meta.is_dir());
    let removed = if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            tracing::debug!(%error, path = %path.display(), "what a launch has left cannot be removed");
        }
        _ => {}
    }
}
