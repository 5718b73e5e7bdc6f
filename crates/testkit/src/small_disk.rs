//! A disk that is really full, and one that does not tell of changes: file systems of one's own.
//!
//! It is mounted in a name space of its own, which an ordinary user may make on most machines. A
//! holder process keeps it; commands enter it, and everybody else looks in through the holder.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The small disk, mounted over a folder for those who are inside.
#[derive(Debug)]
pub struct SmallDisk {
    holder: Child,
    at: PathBuf,
}

impl SmallDisk {
    /// Mounts `bytes` over `folder`, which exists. `None` where the system does not allow it.
    ///
    /// # Errors
    /// If the tools that do it are not there.
    pub fn mount(folder: &Path, bytes: u64) -> io::Result<Option<Self>> {
        let script = "mount -t tmpfs -o size=\"$2\",mode=700 tmpfs \"$1\"";
        Self::hold(folder, script, bytes.to_string().as_ref())
    }

    /// Mounts layers over `folder`, as containers have them: what is written to `upper` in `below` is
    /// seen in it, and nobody is told of that. `None` where the system does not allow it.
    ///
    /// # Errors
    /// If the tools that do it are not there.
    pub fn layers(folder: &Path, below: &Path) -> io::Result<Option<Self>> {
        for part in ["lower", "upper", "work"] {
            fs::create_dir_all(below.join(part))?;
        }
        let script = "mount -t overlay overlay \
                      -o lowerdir=\"$2/lower\",upperdir=\"$2/upper\",workdir=\"$2/work\",userxattr \"$1\"";
        Self::hold(folder, script, fs::canonicalize(below)?.as_os_str())
    }

    /// Mounts one file over another, as containers have a single one of the machine outside. `None`
    /// where the system does not allow it.
    ///
    /// # Errors
    /// If the tools that do it are not there.
    pub fn file(over: &Path, file: &Path) -> io::Result<Option<Self>> {
        Self::hold(over, "mount --bind \"$2\" \"$1\"", fs::canonicalize(file)?.as_os_str())
    }

    /// Runs the script, with the folder and the word after it, in a name space of its own.
    fn hold(folder: &Path, script: &str, word: &OsStr) -> io::Result<Option<Self>> {
        let at = fs::canonicalize(folder)?;
        let script = format!("{script} && echo up && exec cat");
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount", "sh", "-c", &script, "sh"]);
        command.arg(&at).arg(word);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut holder = command.spawn()?;
        let mut word = [0; 3];
        let said = holder.stdout.as_mut().map(|out| io::Read::read_exact(out, &mut word));
        if !matches!(said, Some(Ok(()))) {
            holder.wait()?;
            return Ok(None);
        }
        Ok(Some(Self { holder, at }))
    }

    /// The same command, inside.
    pub fn enter(&self, command: &Command) -> Command {
        let mut inside = Command::new("nsenter");
        let holder = self.holder.id().to_string();
        inside.args(["--preserve-credentials", "--user", "--mount", "--target", &holder]);
        let folder = command.get_current_dir().unwrap_or(&self.at);
        inside.arg(format!("--wd={}", folder.display()));
        inside.arg(command.get_program()).args(command.get_args());
        inside.env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
        inside.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        inside
    }

    /// The disk as it is seen from outside.
    pub fn path(&self) -> PathBuf {
        let at = self.at.strip_prefix("/").unwrap_or(&self.at);
        PathBuf::from(format!("/proc/{}/root", self.holder.id())).join(at)
    }

    /// Writes until nothing goes in any more.
    ///
    /// # Errors
    /// If there is another reason than that it is full.
    pub fn fill(&self) -> io::Result<()> {
        let mut file = File::create(self.path().join("filler"))?;
        for size in [64 << 10, 4 << 10, 1] {
            loop {
                match file.write(&vec![0; size]) {
                    Ok(_) => {}
                    Err(error) if error.kind() == io::ErrorKind::StorageFull => break,
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(())
    }

    /// There is room again.
    ///
    /// # Errors
    /// If nobody had filled it.
    pub fn clear(&self) -> io::Result<()> {
        fs::remove_file(self.path().join("filler"))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _gone = self.holder.kill();
        let _reaped = self.holder.wait();
    }
}
