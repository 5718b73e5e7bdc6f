//! The agent program itself: found, or installed from npm into a cache beside the build.

use rustix::fs::{FlockOperation, flock};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The version that the fixtures were recorded with.
pub(super) const VERSION: &str = "2.1.330";

/// A folder that holds installed agents, instead of `agents` in the target folder.
const CACHE: &str = "HEADSUP_TEST_AGENTS";

/// The path of Claude Code's native binary, which needs no `node`.
///
/// # Errors
/// In words for people: there is no npm, or it could not install.
pub fn claude_code() -> Result<PathBuf, String> {
    let package = package()?;
    let folder = cache()?.join(format!("claude-code-{VERSION}"));
    let binary = folder.join("node_modules").join(package).join("claude");
    if binary.is_file() {
        return Ok(binary);
    }
    let cannot = |error: io::Error| format!("cannot install into {}: {error}", folder.display());
    install(package, &folder, &binary).map_err(cannot)?;
    Ok(binary)
}

/// The optional dependencies of `@anthropic-ai/claude-code` 2.1.330 that have the binary.
fn package() -> Result<&'static str, String> {
    match std::env::consts::ARCH {
        "x86_64" => Ok("@anthropic-ai/claude-code-linux-x64"),
        "aarch64" => Ok("@anthropic-ai/claude-code-linux-arm64"),
        other => Err(format!("there is no build of Claude Code for {other}")),
    }
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
    let lock = File::create(folder.with_extension("lock"))?;
    flock(&lock, FlockOperation::LockExclusive)?;
    if binary.is_file() {
        return Ok(());
    }
    let new = tempfile::Builder::new().prefix("new-").tempdir_in(parent)?;
    fs::write(new.path().join("package.json"), "{\"private\":true}\n")?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"]);
    npm.arg(format!("{package}@{VERSION}")).current_dir(new.path());
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
