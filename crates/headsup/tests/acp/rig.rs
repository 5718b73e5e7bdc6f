//! A home, and agents behind a proxy in it.

use headsup_testkit::home::Home;
use headsup_testkit::wait;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_headsup");
/// Nothing here takes as long.
const LONG: Duration = Duration::from_secs(60);
/// An agent that says what stands in the pipe that its argument names.
const SAYS: &str = "exec 3<&0; cat <&3 >heard & cat \"$1\"; read -r how <how; \
    case $how in -*) kill \"$how\" $$;; esac; exit \"$how\"";

pub(crate) struct Rig {
    pub(crate) home: Home,
}

/// A client and its agent, with the proxy between them.
pub(crate) struct Talk {
    pub(crate) child: Child,
    pub(crate) input: Option<ChildStdin>,
    heard: Receiver<Vec<u8>>,
    said: Vec<u8>,
    /// What a scripted agent says next.
    agent: Option<File>,
    /// Where it keeps what it has heard.
    hears: PathBuf,
    /// Bytes so far of the client, and of a scripted agent.
    sent: usize,
    told: usize,
}

impl Drop for Rig {
    /// A hub that was started by itself goes with its home.
    fn drop(&mut self) {
        self.home.run(["down"]);
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        self.agent = None;
        self.input = None;
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

impl Rig {
    pub(crate) fn new() -> Self {
        Self { home: Home::new(BINARY) }
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// The agent `api`, which is `sh -c SCRIPT`.
    pub(crate) fn talk(&self, script: &str) -> Talk {
        self.run(&["acp", "--id", "api", "--name", "some", "--no-start"], &["sh", "-c", script])
    }

    pub(crate) fn run(&self, options: &[&str], agent: &[&str]) -> Talk {
        let words = options.iter().chain(&["--"]).chain(agent);
        let mut command = self.home.command(words);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take();
        let mut output = child.stdout.take().unwrap();
        let (tell, heard) = mpsc::channel();
        std::thread::spawn(move || {
            let mut piece = vec![0; 64 * 1024];
            while let Ok(length @ 1..) = output.read(&mut piece) {
                if tell.send(piece[..length].to_vec()).is_err() {
                    break;
                }
            }
        });
        let (said, hears) = (Vec::new(), self.file("heard"));
        Talk { child, input, heard, said, agent: None, hears, sent: 0, told: 0 }
    }

    /// The agent `api`, which says what the test tells it to.
    pub(crate) fn scripted(&self, options: &[&str]) -> Talk {
        use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat, open};
        let pipe = self.file("says");
        std::fs::remove_file(&pipe).ok();
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        // Opened for both, so that neither end waits for the other.
        let flags = OFlags::RDWR | OFlags::CLOEXEC;
        let agent = File::from(open(&pipe, flags, Mode::empty()).unwrap());
        let own = ["acp", "--id", "api", "--name", "some"];
        let options: Vec<&str> = own.iter().chain(options).copied().collect();
        let pipe = pipe.to_string_lossy().into_owned();
        let mut talk = self.run(&options, &["sh", "-c", SAYS, "sh", &pipe]);
        talk.agent = Some(agent);
        talk
    }

    pub(crate) fn doc(&self) -> Value {
        self.home.is_told();
        self.home.run(["show", "api", "--json", "--no-start"]).json()
    }

    /// Waits for this headline.
    #[track_caller]
    pub(crate) fn comes_to(&self, headline: &str) {
        wait::until(headline, || {
            let done = self.home.run(["show", "api", "--json", "--no-start"]);
            (done.code == 0 && done.json()["headline"] == headline).then_some(())
        });
    }
}

impl Talk {
    pub(crate) fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.input.as_mut().unwrap().write_all(bytes)
    }

    /// Reads until so many bytes have come in all.
    #[track_caller]
    pub(crate) fn reads(&mut self, length: usize) -> &[u8] {
        while self.said.len() < length {
            let piece = self.heard.recv_timeout(LONG).unwrap();
            self.said.extend(piece);
        }
        &self.said
    }

    /// Reads to the end of what the agent says.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        while let Ok(piece) = self.heard.recv_timeout(LONG) {
            self.said.extend(piece);
        }
        std::mem::take(&mut self.said)
    }

    pub(crate) fn ends(&mut self) -> ExitStatus {
        wait::until("the proxy to end", || self.child.try_wait().unwrap())
    }

    pub(crate) fn stderr(&mut self) -> String {
        let mut text = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
        text
    }

    /// Says something once it has heard all that the agent has said.
    pub(crate) fn client(&mut self, message: &Value) {
        self.reads(self.told);
        let line = format!("{message}\n");
        self.sent += line.len();
        self.write(line.as_bytes()).unwrap();
    }

    /// The same of the agent.
    pub(crate) fn agent(&mut self, message: &Value) {
        let heard = || usize::try_from(self.hears.metadata().ok()?.len()).ok();
        wait::until("the agent to hear", || heard().filter(|heard| *heard >= self.sent));
        let line = format!("{message}\n");
        self.told += line.len();
        self.agent.as_mut().unwrap().write_all(line.as_bytes()).unwrap();
    }

    pub(crate) fn session(&mut self, id: &str) {
        self.client(&json!({"id": 0, "method": "initialize", "params": {"protocolVersion": 1}}));
        self.agent(&json!({"id": 0, "result": {"protocolVersion": 1}}));
        self.client(&json!({"id": 1, "method": "session/new", "params": {}}));
        self.agent(&json!({"id": 1, "result": {"sessionId": id}}));
    }

    pub(crate) fn prompt(&mut self, id: u32, session: &str) {
        let params = json!({"sessionId": session, "prompt": []});
        self.client(&json!({"id": id, "method": "session/prompt", "params": params}));
    }

    pub(crate) fn ask(&mut self, id: u32, session: &str) {
        let options = json!([{"optionId": "yes", "name": "Allow", "kind": "allow_once"}]);
        let call = json!({"toolCallId": "c", "title": "touch x", "kind": "execute"});
        let params = json!({"sessionId": session, "options": options, "toolCall": call});
        self.agent(&json!({"id": id, "method": "session/request_permission", "params": params}));
    }

    pub(crate) fn stop(&mut self, id: u32) {
        self.agent(&json!({"id": id, "result": {"stopReason": "end_turn"}}));
    }

    /// The scripted agent ends with this code, or below 0 by this signal.
    pub(crate) fn leaves(&mut self, rig: &Rig, how: i32) {
        self.reads(self.told);
        std::fs::write(rig.file("how"), format!("{how}\n")).unwrap();
        self.agent = None;
    }

    /// Nobody hears the agent any more.
    pub(crate) fn stops_listening(&mut self) {
        let (_, nobody) = mpsc::channel();
        self.heard = nobody;
    }

    pub(crate) fn closes(&mut self) {
        self.input = None;
    }
}
