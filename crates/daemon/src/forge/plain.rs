//! Plain git, for tests: what a person would type.

use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A repository with `main` checked out.
pub(crate) struct Plain {
    temp: TempDir,
}

/// What git answered.
pub(crate) struct Said {
    pub(crate) ok: bool,
    pub(crate) text: String,
}

impl Plain {
    pub(crate) fn new() -> Self {
        let plain = Self { temp: tempfile::tempdir().unwrap() };
        std::fs::create_dir(plain.path()).unwrap();
        plain.git(&["init", "-q", "--initial-branch=main"]);
        plain.write("readme", "one\ntwo\nthree\n");
        plain.commit("begin");
        plain
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.temp.path().canonicalize().unwrap().join("shop")
    }

    /// Beside the repository.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.temp.path().canonicalize().unwrap().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path().join(name), text).unwrap();
    }

    pub(crate) fn commit(&self, message: &str) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// A branch from where `main` is, with one file of its own.
    pub(crate) fn branch(&self, name: &str, file: &str, text: &str) -> String {
        self.git(&["checkout", "-q", "-b", name, "main"]);
        self.write(file, text);
        let sha = self.commit(&format!("work on {name}"));
        self.git(&["checkout", "-q", "main"]);
        sha
    }

    #[track_caller]
    pub(crate) fn git(&self, args: &[&str]) -> String {
        let said = git(&self.path(), args);
        assert!(said.ok, "git {args:?}: {}", said.text);
        said.text
    }

    pub(crate) fn tree(&self, of: &str) -> String {
        self.git(&["rev-parse", &format!("{of}^{{tree}}")])
    }
}

/// Runs git there, as a person without any settings.
pub(crate) fn git(folder: &Path, args: &[&str]) -> Said {
    let mut command = Command::new("git");
    command.current_dir(folder).args(args).env_clear().env("LC_ALL", "C");
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    for who in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{who}_NAME"), "Ada").env(format!("GIT_{who}_EMAIL"), "a@b.c");
    }
    let output = command.output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).trim().to_owned();
    Said { ok: output.status.success(), text }
}
