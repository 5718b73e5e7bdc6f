//! An independent stand-in for GitHub's API: npm `emulate`, pinned, on this machine alone.

use crate::http::{self, Answer};
use crate::live::install::script;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

const VERSION: &str = "0.11.2";
/// It needs seconds to start, and far more on a busy machine.
const STARTED_WITHIN: Duration = Duration::from_secs(120);

/// It would listen at every address of the machine: here it gets one on loopback, at a port that the
/// system chooses, and says which.
const LOOPBACK: &str = "
const net = require('node:net');
const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function (...args) {
  const done = args.find((arg) => typeof arg === 'function');
  this.once('listening', () => console.log(`PORT ${this.address().port}`));
  return listen.call(this, { host: '127.0.0.1', port: 0 }, done);
};
";

const SEED: &str = "
tokens:
  good-token:
    login: ada
    scopes: [repo]
github:
  users:
    - login: ada
      name: Ada
  repos:
    - owner: ada
      name: app
      auto_init: true
";

/// A running one, with the repository `ada/app`; it ends when this is dropped.
#[derive(Debug)]
pub struct Emulator {
    child: Child,
    address: String,
    _folder: tempfile::TempDir,
}

impl Emulator {
    /// Installs it from npm where it is not there, and starts it.
    ///
    /// # Errors
    /// In words for people: there is no npm, or it does not start.
    pub fn start() -> Result<Self, String> {
        let (node, script) = script("emulate", VERSION, "dist/index.js")?;
        let words = |error: std::io::Error| error.to_string();
        let folder = tempfile::tempdir().map_err(words)?;
        let (preload, seed) = (folder.path().join("loopback.cjs"), folder.path().join("seed.yaml"));
        fs::write(&preload, LOOPBACK).and_then(|()| fs::write(&seed, SEED)).map_err(words)?;
        let mut command = Command::new(node);
        command.env_clear().env("HOME", folder.path()).current_dir(folder.path());
        command.args(["--require".as_ref(), preload.as_os_str(), script.as_os_str()]);
        command.args(["start", "--service", "github", "--seed"]).arg(&seed);
        command.stdout(Stdio::piped()).stderr(Stdio::null()).stdin(Stdio::null());
        let mut child = command.spawn().map_err(words)?;
        let (tell, told) = mpsc::channel();
        if let Some(stdout) = child.stdout.take() {
            thread::spawn(move || {
                for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                    if let Some(port) = line.strip_prefix("PORT ") {
                        tell.send(port.trim().to_owned()).ok();
                    }
                }
            });
        }
        let Ok(port) = told.recv_timeout(STARTED_WITHIN) else {
            child.kill().ok();
            child.wait().ok();
            return Err(format!("emulate {VERSION} does not say where it listens"));
        };
        Ok(Self { child, address: format!("127.0.0.1:{port}"), _folder: folder })
    }

    /// The address of its API.
    pub fn api(&self) -> String {
        format!("http://{}", self.address)
    }

    /// A new commit on a branch, which is made where it is not there; its name.
    ///
    /// # Panics
    /// If it is not made.
    pub fn push(&self, branch: &str, file: &str) -> String {
        let at = |branch: &str| {
            let told = self.ask("GET", &format!("/repos/ada/app/branches/{branch}"), None);
            told["commit"]["sha"].as_str().map(str::to_owned)
        };
        if at(branch).is_none() {
            let new = json!({"ref": format!("refs/heads/{branch}"), "sha": at("main")});
            self.ask("POST", "/repos/ada/app/git/refs", Some(&new));
        }
        let content = json!({"message": "more", "content": "YQo=", "branch": branch});
        self.ask("PUT", &format!("/repos/ada/app/contents/{file}"), Some(&content));
        at(branch).unwrap_or_default()
    }

    /// What its API answers.
    ///
    /// # Panics
    /// If it does not answer.
    #[expect(clippy::expect_used, reason = "a test without an answer cannot go on")]
    pub fn ask(&self, method: &str, target: &str, body: Option<&Value>) -> Value {
        let headers = [("authorization", "Bearer good-token")];
        let body = body.map(Value::to_string).unwrap_or_default();
        let Answer { body, .. } =
            http::over_tcp(&self.address, method, target, &headers, body.as_bytes())
                .expect("an answer");
        serde_json::from_slice(&body).unwrap_or(Value::Null)
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
