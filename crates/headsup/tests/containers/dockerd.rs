//! Docker's daemon, started by a test and for it alone, with mounts, a network and folders of its own.

use headsup_testkit::wait;
use rustix::process::{Pid, Signal, geteuid, kill_process};
use serde_json::Value;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Where Docker's programs and those that they call may be.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/// What a daemon uses wherever its roots are (Docker 20.10.24 with containerd 1.6.20). It gets each of them
/// empty, and so finds no settings and no containerd of the machine, and leaves nothing there.
const FIXED: [&str; 4] = ["/etc/docker", "/opt/containerd", "/run/containerd", "/run/docker"];
/// Behind `--` come the daemon's own arguments.
const APART: &str = r#"
while [ "$1" != -- ]; do
    mount -t tmpfs tmpfs "$1" || exit
    shift
done
shift
exec dockerd "$@"
"#;
/// An image with nothing in it.
const IMAGE: &str = "box";
/// A client's last word comes within so many seconds.
const ANSWERED_WITHIN: &str = "30";

/// A running daemon. It is ended when it goes out of scope, with all containers that it has.
pub(crate) struct Daemon {
    process: Child,
    folder: TempDir,
    _traces: Traces,
}

impl Daemon {
    /// Starts it and waits until it runs containers; or says why it cannot be had here.
    pub(crate) fn start() -> Result<Self, String> {
        if !geteuid().is_root() {
            return Err("only root may start Docker".to_owned());
        }
        for program in ["dockerd", "docker"] {
            if !PATH.split(':').any(|folder| Path::new(folder).join(program).exists()) {
                return Err(format!("{program} is not installed; apt-get install docker.io"));
            }
        }
        // The names of sockets are short.
        let folder = tempfile::Builder::new().prefix("hd-").tempdir().unwrap();
        fs::write(folder.path().join("daemon.json"), "{}").unwrap();
        // An archive that ends at once.
        fs::write(folder.path().join("image.tar"), [0_u8; 10_240]).unwrap();
        let traces = Traces::new();
        let started = command(folder.path()).spawn();
        let process = started.map_err(|error| format!("unshare cannot be started: {error}"))?;
        let mut daemon = Self { process, folder, _traces: traces };
        daemon.comes_up()?;
        let is_usable = daemon
            .ask(&["import", "image.tar", IMAGE])
            .and_then(|_| daemon.run(&["--rm"], &["true"]));
        is_usable.map_err(|why| format!("Docker runs no container here: {why}"))?;
        Ok(daemon)
    }

    fn comes_up(&mut self) -> Result<(), String> {
        let begun = Instant::now();
        wait::within(wait::PATIENCE, "dockerd to come up or to fail", || {
            let Err(why) = self.ask(&["version"]) else { return Some(Ok(())) };
            let has_ended = self.process.try_wait().unwrap().is_some();
            let is_lost = has_ended || begun.elapsed() > wait::DEADLINE;
            is_lost.then(|| {
                let last = self.last_words();
                Err(format!("dockerd does not come up here: {why}\n{last}"))
            })
        })
    }

    /// The end of its log.
    fn last_words(&self) -> String {
        let log = fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(8)..].join("\n")
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn socket(&self) -> PathBuf {
        socket(self.folder.path())
    }

    /// What the client prints, or why it fails. Of this machine it knows nothing but this daemon.
    fn ask(&self, args: &[&str]) -> Result<String, String> {
        let at = self.folder.path();
        let mut client = Command::new("timeout");
        client.args([ANSWERED_WITHIN, "docker", "--host"]);
        client.arg(format!("unix://{}", self.socket().display())).args(args);
        client.env_clear().env("PATH", PATH).env("HOME", at).env("DOCKER_CONFIG", at);
        let said = client.current_dir(at).stdin(Stdio::null()).output();
        let said = said.map_err(|error| format!("timeout cannot be started: {error}"))?;
        if said.status.success() {
            return Ok(String::from_utf8_lossy(&said.stdout).trim_end().to_owned());
        }
        Err(format!("{}, {}", said.status, String::from_utf8_lossy(&said.stderr).trim_end()))
    }

    /// The same, where it has to succeed.
    #[track_caller]
    pub(crate) fn docker(&self, args: &[&str]) -> String {
        match self.ask(args) {
            Ok(said) => said,
            Err(why) => panic!("docker {args:?}: {why}"),
        }
    }

    /// `docker run` of a command among the machine's own programs, without a network.
    pub(crate) fn run(&self, options: &[&str], command: &[&str]) -> Result<String, String> {
        let folders = ["/bin", "/lib", "/lib64", "/usr"].into_iter();
        let mounts: Vec<String> = folders
            .filter(|folder| Path::new(folder).is_dir())
            .map(|folder| format!("--volume={folder}:{folder}:ro"))
            .collect();
        let mut args = vec!["run", "--network=none"];
        args.extend(mounts.iter().map(String::as_str));
        args.extend(options);
        args.push(IMAGE);
        args.extend(command);
        self.ask(&args)
    }

    /// What it says of itself.
    pub(crate) fn info(&self) -> Value {
        serde_json::from_str(&self.docker(&["info", "--format", "{{json .}}"])).unwrap()
    }
}

impl Drop for Daemon {
    /// Also behind a failure, so that nothing in it may fail.
    fn drop(&mut self) {
        let left = self.ask(&["ps", "--all", "--quiet"]).unwrap_or_default();
        let mut removal = vec!["rm", "--force"];
        removal.extend(left.split_whitespace());
        if removal.len() > 2 {
            self.ask(&removal).ok();
        }
        // Asked to end, it ends its containerd, too.
        let lives = |process: &mut Child| process.try_wait().is_ok_and(|ended| ended.is_none());
        let pid = i32::try_from(self.process.id()).ok().and_then(Pid::from_raw);
        if let Some(pid) = pid.filter(|_| lives(&mut self.process)) {
            kill_process(pid, Signal::TERM).ok();
        }
        let end = Instant::now() + wait::DEADLINE;
        while lives(&mut self.process) && Instant::now() < end {
            std::thread::park_timeout(Duration::from_millis(10));
        }
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

fn socket(at: &Path) -> PathBuf {
    at.join("docker.sock")
}

/// The daemon as the only process of this kind that sees its mounts: they go with it.
fn command(at: &Path) -> Command {
    let log = File::create(at.join("log")).unwrap();
    let mut command = Command::new("unshare");
    command.args(["--mount", "--net", "--", "sh", "-c", APART, "sh"]).args(FIXED).arg("--");
    command.args(["--bridge=none", "--iptables=false", "--ip6tables=false", "--ip-forward=false"]);
    command.args(["--storage-driver=vfs", "--log-level=warn"]);
    let places = [
        ("config-file", "daemon.json"),
        ("data-root", "data"),
        ("exec-root", "exec"),
        ("pidfile", "docker.pid"),
    ];
    for (option, name) in places {
        command.arg(format!("--{option}={}", at.join(name).display()));
    }
    command.arg(format!("--host=unix://{}", socket(at).display()));
    command.env_clear().env("PATH", PATH).env("HOME", at).current_dir(at);
    command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
    command
}

/// Folders outside that are there for a daemon alone.
struct Traces(Vec<PathBuf>);

impl Traces {
    /// Makes those that a daemon needs, and notes the control groups that it will make.
    fn new() -> Self {
        let groups = Path::new("/sys/fs/cgroup");
        let kinds = fs::read_dir(groups).into_iter().flatten().flatten().map(|kind| kind.path());
        let groups = kinds.chain([groups.to_owned()]).map(|kind| kind.join("docker"));
        let groups = groups.filter(|group| !group.exists());
        let made = FIXED.map(PathBuf::from).into_iter().filter(|at| fs::create_dir(at).is_ok());
        Self(made.chain(groups).collect())
    }
}

impl Drop for Traces {
    fn drop(&mut self) {
        for folder in &self.0 {
            // Whatever is in use is somebody else's by now.
            fs::remove_dir(folder).ok();
        }
    }
}
