//! A machine whose disk fails and whose clock jumps when it is told to.
//!
//! A small library is preloaded into the process under test (`faults/faults.c`; it is built by the
//! C compiler that the database needs anyway). It stands between the program and the C library, so
//! the real program, its real database and real errno values are tried, without root, on any
//! file system, and every fault can be switched on and off while the program runs.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// No room on the disk.
pub const ENOSPC: i32 = 28;
/// The disk does not answer.
pub const EIO: i32 = 5;
/// Nothing can be written there.
pub const EROFS: i32 = 30;
/// The user's share of the disk is used up.
pub const EDQUOT: i32 = 122;

/// The faults of processes that were started with [`Faults::preload`].
#[derive(Debug)]
pub struct Faults {
    folder: TempDir,
    under: PathBuf,
}

impl Faults {
    /// Builds the library. Only files below `under` will fail.
    ///
    /// # Errors
    /// If there is no C compiler, or it does not do its work.
    pub fn new(under: &Path) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("headsup-faults-").tempdir()?;
        fs::write(folder.path().join("orders"), "")?;
        let under = fs::canonicalize(under)?;
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("faults/faults.c");
        let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
        let mut command = Command::new(compiler);
        command.args(["-O1", "-shared", "-fPIC", "-o"]).arg(folder.path().join("faults.so"));
        let built = command.arg(source).arg("-ldl").output()?;
        if !built.status.success() {
            return Err(io::Error::other(String::from_utf8_lossy(&built.stderr).into_owned()));
        }
        Ok(Self { folder, under })
    }

    /// Puts a process that is about to start under these faults.
    pub fn preload(&self, command: &mut Command) {
        command
            .env("LD_PRELOAD", self.folder.path().join("faults.so"))
            .env("HEADSUP_FAULTS", self.folder.path().join("orders"))
            .env("HEADSUP_FAULTS_UNDER", &self.under);
    }

    /// The same, on a disk that may lose its power: see [`Faults::cut_power`].
    ///
    /// # Errors
    /// If there is no room for what is flushed.
    pub fn preload_on_platter(&self, command: &mut Command) -> io::Result<()> {
        fs::create_dir_all(self.platter())?;
        self.preload(command);
        command.env("HEADSUP_FAULTS_PLATTER", self.platter());
        Ok(())
    }

    /// What a power cut would leave of this database, whose hub is dead: nothing but what was
    /// flushed, as it was then.
    ///
    /// # Errors
    /// If the files cannot be replaced.
    pub fn cut_power(&self, database: &Path) -> io::Result<()> {
        let folder = fs::canonicalize(database.parent().unwrap_or(Path::new("/")))?;
        let name = database.file_name().unwrap_or_default().to_string_lossy();
        for part in ["", "-wal", "-shm"] {
            let file = folder.join(format!("{name}{part}"));
            let flushed = self.platter().join(file.to_string_lossy().replace('/', "%"));
            if file.exists() {
                fs::remove_file(&file)?;
            }
            if flushed.exists() {
                fs::copy(flushed, file)?;
            }
        }
        Ok(())
    }

    /// Whether a power cut would leave this file or folder in the one that it is in: that was flushed since.
    ///
    /// # Errors
    /// If the one that it is in is gone.
    pub fn is_flushed(&self, path: &Path) -> io::Result<bool> {
        let folder = fs::canonicalize(path.parent().unwrap_or(Path::new("/")))?;
        let names = format!("{}%", folder.to_string_lossy().replace('/', "%"));
        let names = fs::read_to_string(self.platter().join(names)).unwrap_or_default();
        Ok(names.lines().any(|name| path.ends_with(name)))
    }

    fn platter(&self) -> PathBuf {
        self.folder.path().join("platter")
    }

    /// From now on files cannot be written (grown, cut, flushed).
    pub fn writes_fail(&self, errno: i32) {
        self.order(&format!("write {errno} sync {errno}"));
    }

    /// From now on writing works and flushing does not.
    pub fn flushes_fail(&self, errno: i32) {
        self.order(&format!("sync {errno}"));
    }

    /// From now on files can neither be read nor written.
    pub fn everything_fails(&self, errno: i32) {
        self.order(&format!("write {errno} sync {errno} read {errno}"));
    }

    /// Of a process that is started behind this, reads fail once so many have gone well: `most` of them, or all.
    pub fn reads_fail(&self, errno: i32, spared: u32, most: Option<u32>) {
        let most = most.map(|most| format!(" most {most}")).unwrap_or_default();
        self.order(&format!("read {errno} spared {spared}{most}"));
    }

    /// From now on the wall clock is so many seconds away from the real one.
    pub fn clock_is_off(&self, seconds: i64) {
        self.order(&format!("clock {seconds}"));
    }

    /// The machine is healthy again.
    pub fn end(&self) {
        self.order("");
    }

    /// # Panics
    /// If the folder is gone.
    #[expect(clippy::expect_used, reason = "a test without its faults shows nothing")]
    fn order(&self, text: &str) {
        // Renamed into its place: nobody reads half an order.
        let new = self.folder.path().join("new");
        fs::write(&new, text).expect("a folder");
        fs::rename(new, self.folder.path().join("orders")).expect("a folder");
    }
}
