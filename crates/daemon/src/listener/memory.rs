//! Where the hub listened, for its next start.

use super::Listen;
use serde::{Deserialize, Serialize};
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// A file in the state folder; no file: not on TCP.
#[derive(Debug)]
pub(crate) struct Memory(PathBuf);

#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    address: SocketAddr,
    #[serde(default)]
    insecure: bool,
    #[serde(default)]
    allow_hosts: Vec<String>,
}

impl Memory {
    pub(crate) fn new(home: &Path) -> Self {
        Self(home.join("listen.json"))
    }

    pub(crate) fn recall(&self) -> Option<Listen> {
        // A pipe would keep the hub waiting.
        let is_file = fs::metadata(&self.0).ok()?.is_file();
        let text = is_file.then(|| fs::read(&self.0).ok()).flatten().unwrap_or_default();
        match serde_json::from_slice::<Kept>(&text) {
            Ok(Kept { address, insecure, allow_hosts }) => {
                Some(Listen { address: Some(address), insecure, allow_hosts: Some(allow_hosts) })
            }
            Err(error) => {
                tracing::warn!(%error, path = %self.0.display(), "cannot be read and is left out");
                None
            }
        }
    }

    /// A failure costs the next hub its address, and this one nothing.
    pub(super) fn keep(&self, address: SocketAddr, insecure: bool, allow_hosts: Vec<String>) {
        if let Err(error) = self.write(&Kept { address, insecure, allow_hosts }) {
            tracing::warn!(%error, path = %self.0.display(), "cannot be written");
        }
    }

    pub(super) fn forget(&self) {
        match fs::remove_file(&self.0) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::warn!(%error, path = %self.0.display(), "cannot be removed");
            }
            _ => {}
        }
    }

    fn write(&self, kept: &Kept) -> io::Result<()> {
        let new = self.0.with_extension("json.new");
        let mut options = OpenOptions::new();
        let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&new)?;
        file.write_all(&serde_json::to_vec(kept)?)?;
        file.write_all(b"\n")?;
        fs::rename(&new, &self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_recalled_until_it_is_forgotten() {
        let home = tempfile::tempdir().unwrap();
        let memory = Memory::new(home.path());
        assert_eq!(memory.recall(), None);
        let address = "[::1]:7717".parse().unwrap();
        memory.keep(address, true, vec!["hub".into()]);
        let listen = Listen {
            address: Some(address),
            insecure: true,
            allow_hosts: Some(vec!["hub".into()]),
        };
        assert_eq!(memory.recall(), Some(listen));
        memory.forget();
        memory.forget();
        assert_eq!(memory.recall(), None);
        let path = home.path().join("listen.json");
        fs::write(&path, "x").unwrap();
        assert_eq!(memory.recall(), None);
        fs::remove_file(&path).unwrap();
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, mode).unwrap();
        assert_eq!(memory.recall(), None, "nobody is waited for");
    }
}
