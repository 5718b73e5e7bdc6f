//! `headsup acp` between a client and an agent that stand for recorded ones: the client is us, the
//! agent says what it is given.

use crate::home::Home;
use rustix::fs::{FileType, Mode, OFlags};
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Stdio};
use std::thread::JoinHandle;

/// It reads all that it is sent, says what stands in the pipe that its first argument names, and
/// ends as its second one says: with a code, or by a signal.
const AGENT: &str = "exec 3<&0; cat <&3 >/dev/null & cat \"$1\"; read -r how <\"$2\"; \
    case $how in -*) kill \"$how\" $$;; esac; exit \"$how\"";

/// A running proxy. It is killed when it goes out of scope.
#[derive(Debug)]
pub(super) struct Proxy {
    child: Child,
    to_agent: Option<ChildStdin>,
    /// What the agent is to say.
    says: Option<File>,
    ends: PathBuf,
    heard: Option<JoinHandle<Vec<u8>>>,
    said: Vec<u8>,
}

impl Proxy {
    /// Starts one whose agent is called `name`.
    pub(super) fn start(home: &Home, name: &str) -> io::Result<Self> {
        let number = std::fs::read_dir(home.path())?.count();
        let pipe = home.path().join(format!("agent-{number}.says"));
        let ends = pipe.with_extension("ends");
        let mode = Mode::RUSR | Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, FileType::Fifo, mode, 0)?;
        // Opened for both, so that neither end waits for the other.
        let flags = OFlags::RDWR | OFlags::CLOEXEC;
        let says = File::from(rustix::fs::open(&pipe, flags, Mode::empty())?);
        let name = named(name);
        let mut command = home.command(["acp", "--id", &name, "--name", &name, "--"]);
        command.args(["/bin/sh", "-c", AGENT, "agent"]).args([&pipe, &ends]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let to_agent = child.stdin.take();
        let heard = child.stdout.take().map(|mut from_agent| {
            std::thread::spawn(move || {
                let mut heard = Vec::new();
                from_agent.read_to_end(&mut heard).ok();
                heard
            })
        });
        let says = Some(says);
        Ok(Self { child, to_agent, says, ends, heard, said: Vec::new() })
    }

    pub(super) fn client_says(&mut self, line: &str) -> io::Result<()> {
        match &mut self.to_agent {
            Some(agent) => agent.write_all(format!("{line}\n").as_bytes()),
            None => Ok(()),
        }
    }

    pub(super) fn agent_says(&mut self, line: &str) -> io::Result<()> {
        let Some(says) = &mut self.says else { return Ok(()) };
        self.said.extend_from_slice(line.as_bytes());
        self.said.push(b'\n');
        says.write_all(format!("{line}\n").as_bytes())
    }

    /// Lets the agent end, and looks whether the client has heard all that it has said.
    pub(super) fn end(mut self, code: i64) -> io::Result<()> {
        std::fs::write(&self.ends, format!("{code}\n"))?;
        self.says = None;
        self.to_agent = None;
        self.child.wait()?;
        let heard = self.heard.take().and_then(|heard| heard.join().ok());
        match heard == Some(std::mem::take(&mut self.said)) {
            true => Ok(()),
            false => Err(io::Error::other("the client has not heard what the agent has said")),
        }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.says = None;
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// What may stand in a kind.
fn named(recording: &str) -> String {
    let stem = recording.split('.').next().unwrap_or_default();
    let legal = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let name: String = stem.chars().filter(legal).take(64).collect();
    if name.is_empty() { "agent".to_owned() } else { name }
}
