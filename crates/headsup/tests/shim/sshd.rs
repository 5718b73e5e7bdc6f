//! An SSH server of a test's own: on loopback, with keys of its own, and without the machine's settings.

use crate::rig::{BINARY, Rig};
use headsup_testkit::pty::Pty;
use headsup_testkit::wait;
use rustix::process::geteuid;
use std::fs::{self, OpenOptions};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Where its programs may be.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/// That of root wants a folder below `/run`, and writes down there and in `/var/log` who comes and goes. It
/// gets both empty, and leaves nothing in the machine's.
const APART: &str = "mount -t tmpfs tmpfs /run && mount -t tmpfs tmpfs /var/log && \
    mkdir -m 755 /run/sshd && exec \"$@\"";
/// A port that was free can be somebody's a moment later.
const TRIES: usize = 5;

/// A running server. It is ended when it goes out of scope; who is connected ends with the client.
pub(crate) struct Sshd<'a> {
    rig: &'a Rig,
    process: Child,
    port: u16,
    user: String,
}

impl<'a> Sshd<'a> {
    /// Starts it and logs in once; or says why that cannot be had here. Programs that are missing are a
    /// failure on CI; what the system refuses is none.
    pub(crate) fn start(rig: &'a Rig) -> Option<Self> {
        let program = match programs() {
            Ok(program) => program,
            Err(why) => {
                assert!(std::env::var_os("CI").is_none(), "no SSH: {why}");
                eprintln!("SKIPPED: {why}");
                return None;
            }
        };
        if geteuid().is_root()
            && let Err(why) =
                said(command("unshare").args(["--mount", "sh", "-c", APART, "sh", "true"]))
        {
            eprintln!("SKIPPED: this machine allows no mount namespaces (unshare --mount): {why}");
            return None;
        }
        let sshd = Self::try_start(rig, &program);
        sshd.inspect_err(|why| eprintln!("SKIPPED: {why}")).ok()
    }

    fn try_start(rig: &'a Rig, program: &Path) -> Result<Self, String> {
        let folder = rig.file("ssh");
        fs::create_dir_all(&folder).unwrap();
        for name in ["host", "person"] {
            said(
                command("ssh-keygen")
                    .args(["-q", "-t", "ed25519", "-N", "", "-f"])
                    .arg(folder.join(name)),
            )?;
        }
        let host = fs::read_to_string(folder.join("host.pub")).unwrap();
        fs::write(folder.join("known"), format!("own {host}")).unwrap();
        fs::copy(folder.join("person.pub"), folder.join("authorized")).unwrap();
        let user = said(command("id").arg("-un"))?.trim().to_owned();
        let mut why = "it does not come up".to_owned();
        for _ in 0..TRIES {
            let Some((process, port)) = begun(rig, program)? else { continue };
            let sshd = Self { rig, process, port, user: user.clone() };
            match said(&mut sshd.client(&["true"])) {
                Ok(_) => return Ok(sshd),
                Err(refused) => why = format!("it lets nobody in: {refused}"),
            }
        }
        Err(format!("sshd cannot be had here: {why}\n{}", last_words(&folder)))
    }

    /// `ssh` with these options and words, which knows nothing of this machine's settings and keys.
    fn client(&self, words: &[&str]) -> Command {
        let mut ssh = command("ssh");
        ssh.args(["-F", "/dev/null", "-e", "none", "-p", &self.port.to_string(), "-i"]);
        ssh.arg(self.rig.file("ssh/person"));
        let known = format!("UserKnownHostsFile={}", self.rig.file("ssh/known").display());
        for option in [
            &*known,
            "GlobalKnownHostsFile=/dev/null",
            "HostKeyAlias=own",
            "StrictHostKeyChecking=yes",
            "IdentitiesOnly=yes",
            "IdentityAgent=none",
            "BatchMode=yes",
            "LogLevel=ERROR",
            "ConnectTimeout=10",
        ] {
            ssh.args(["-o", option]);
        }
        ssh.args(["-l", &self.user, "-tt", "127.0.0.1"]).args(words);
        ssh.stdin(Stdio::null());
        ssh
    }

    /// `sh -c SCRIPT` as the agent `api` behind `headsup run --here`, over a connection of its own.
    pub(crate) fn agent(&self, script: &str) -> Pty {
        fs::write(self.rig.file("agent.sh"), script).unwrap();
        let run = "cd \"$HOME\" && exec \"$HEADSUP\" run --here --id api -- sh agent.sh";
        fs::write(self.rig.file("remote.sh"), run).unwrap();
        // Whatever shell the user has.
        Pty::start(&self.client(&["exec sh \"$HOME/remote.sh\""])).unwrap()
    }
}

impl Drop for Sshd<'_> {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

/// A server that listens, and its port. None if somebody else has taken that.
fn begun(rig: &Rig, program: &Path) -> Result<Option<(Child, u16)>, String> {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let folder = rig.file("ssh");
    let at = folder.display();
    let (home, state, like) = (rig.home.path(), rig.home.state(), rig.home.command([""; 0]));
    let path = like.get_envs().find(|(name, _)| *name == "PATH").and_then(|(_, path)| path);
    let path = path.unwrap_or_default().to_string_lossy();
    let settings = format!(
        "ListenAddress 127.0.0.1\nPort {port}\nHostKey {at}/host\nAuthorizedKeysFile {at}/authorized\n\
         AuthenticationMethods publickey\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n\
         PermitRootLogin prohibit-password\nUsePAM no\nStrictModes no\nPidFile none\nPermitUserRC no\n\
         AllowTcpForwarding no\nAllowAgentForwarding no\nX11Forwarding no\nPrintMotd no\nPrintLastLog no\n\
         SetEnv \"HOME={}\" \"HEADSUP_HOME={}\" \"HEADSUP={BINARY}\" \"PATH={path}\" NO_COLOR=1\n",
        home.display(),
        state.display(),
    );
    fs::write(folder.join("config"), settings).unwrap();
    let mut sshd = match geteuid().is_root() {
        true => {
            let mut apart = command("unshare");
            apart.args(["--mount", "sh", "-c", APART, "sh"]).arg(program);
            apart
        }
        // It lets in this user alone.
        false => command(program),
    };
    // To a file: what it says on standard error can come to be on the terminal. Each try has its own.
    let log = folder.join("log");
    fs::remove_file(&log).ok();
    sshd.args(["-D", "-E"]).arg(&log).arg("-f").arg(folder.join("config"));
    let to_log = OpenOptions::new().create(true).append(true).open(&log).unwrap();
    sshd.stdin(Stdio::null()).stdout(Stdio::null()).stderr(to_log);
    let mut process = sshd.spawn().map_err(|error| format!("sshd cannot be started: {error}"))?;
    let listens = wait::until("sshd to listen or to fail", || {
        if process.try_wait().unwrap().is_some() {
            return Some(false);
        }
        // A connect could be answered by somebody else.
        let said = fs::read(&log).unwrap_or_default();
        String::from_utf8_lossy(&said).contains("Server listening on").then_some(true)
    });
    Ok(listens.then_some((process, port)))
}

/// The end of its log.
fn last_words(folder: &Path) -> String {
    let log = fs::read_to_string(folder.join("log")).unwrap_or_default();
    let lines: Vec<&str> = log.lines().collect();
    lines[lines.len().saturating_sub(8)..].join("\n")
}

/// Where `sshd` is, if all that is needed is there.
fn programs() -> Result<PathBuf, String> {
    let missing = "apt-get install openssh-server openssh-client";
    for name in ["ssh", "ssh-keygen"] {
        found(name).ok_or_else(|| format!("{name} is not installed; {missing}"))?;
    }
    found("sshd").ok_or_else(|| format!("sshd is not installed; {missing}"))
}

fn found(program: &str) -> Option<PathBuf> {
    PATH.split(':').map(|folder| Path::new(folder).join(program)).find(|path| path.exists())
}

fn command(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env_clear().env("PATH", PATH);
    command
}

/// What a command prints, or why it fails.
fn said(command: &mut Command) -> Result<String, String> {
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("{command:?} cannot be started: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!("{}, {}", output.status, String::from_utf8_lossy(&output.stderr).trim_end()))
}
