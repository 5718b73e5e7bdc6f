//! The agent programs themselves: found, or installed from npm into a cache beside the build.

use super::programs::{Installed, Program};
use rustix::fs::{FlockOperation, flock};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder that holds installed agents, instead of `agents` in the target folder.
const CACHE: &str = "HEADSUP_TEST_AGENTS";

/// The `node` for programs that are scripts. Qwen Code 0.24.4 wants 22, Gemini CLI 0.61.0 wants 20:
/// that of the machine may be older.
const NODE: &str = "22.23.3";

impl Program {
    /// Its files, installed if they are not there yet.
    ///
    /// # Errors
    /// In words for people: there is no npm, no build for this machine, or npm could not install.
    pub fn install(&self) -> Result<Installed, String> {
        let none = || format!("there is no build of {} for {}", self.title, std::env::consts::ARCH);
        let package = (self.npm.package)().ok_or_else(none)?;
        let name = format!("{}-{}", self.kind, self.version);
        let program = installed(&name, &package, &(self.npm.binary)())?;
        let node = if self.npm.on_node { Some(node()?) } else { None };
        Ok(Installed { program, node })
    }
}

/// A script of an npm package at one version, and the `node` that runs it.
///
/// # Errors
/// As [`Program::install`].
pub fn script(package: &str, version: &str, script: &str) -> Result<(PathBuf, PathBuf), String> {
    let name = format!("{}-{version}", package.trim_start_matches('@').replace('/', "-"));
    let path = format!("node_modules/{package}/{script}");
    Ok((node()?, installed(&name, &format!("{package}@{version}"), &path)?))
}

fn node() -> Result<PathBuf, String> {
    let arch = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => return Err(format!("there is no build of node for {other}")),
    };
    let package = format!("node-linux-{arch}");
    let binary = format!("node_modules/{package}/bin/node");
    installed(&format!("node-{NODE}"), &format!("{package}@{NODE}"), &binary)
}

fn installed(name: &str, package: &str, binary: &str) -> Result<PathBuf, String> {
    let folder = cache()?.join(name);
    let binary = folder.join(binary);
    if !binary.is_file() {
        let cannot =
            |error: io::Error| format!("cannot install into {}: {error}", folder.display());
        install(package, &folder, &binary).map_err(cannot)?;
    }
    Ok(binary)
}

fn cache() -> Result<PathBuf, String> {
    if let Some(folder) = std::env::var_os(CACHE).filter(|folder| !folder.is_empty()) {
        return Ok(PathBuf::from(folder));
    }
    super::target_folder().map(|folder| folder.join("agents")).map_err(|error| error.to_string())
}

/// Beside its place first, so that what is in its place is whole. Tests that want it at once wait
/// for each other.
fn install(package: &str, folder: &Path, binary: &Path) -> io::Result<()> {
    let parent = folder.parent().ok_or_else(|| io::Error::other("it has no parent"))?;
    fs::create_dir_all(parent)?;
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let lock = File::create(parent.join(format!("{name}.lock")))?;
    flock(&lock, FlockOperation::LockExclusive)?;
    if binary.is_file() {
        return Ok(());
    }
    let new = tempfile::Builder::new().prefix("new-").tempdir_in(parent)?;
    fs::write(new.path().join("package.json"), "{\"private\":true}\n")?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"]);
    npm.arg(package).current_dir(new.path());
    let output = npm.output().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => io::Error::other("npm is not installed on this machine"),
        _ => error,
    })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(io::Error::other(format!("npm failed: {said}")));
    }
    fs::rename(new.keep(), folder)
}
