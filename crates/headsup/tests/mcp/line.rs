//! A client that speaks JSON-RPC by hand.

use headsup_testkit::home::Home;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_headsup");

/// Only a hang takes longer.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server and its client. It is killed when it goes out of scope.
pub(crate) struct Line {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    last: u64,
}

impl Line {
    /// `headsup mcp` with this environment beside that of the home; `initialize` is done.
    pub(crate) fn start(home: &Home, env: &[(&str, &str)]) -> Self {
        Self::welcomed(Self::bare(home, env))
    }

    fn welcomed(mut line: Self) -> Self {
        let hello = json!({
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": { "name": "codex-mcp-client", "version": "1" },
        });
        let welcome = line.call("initialize", hello);
        assert_eq!(welcome["result"]["serverInfo"]["name"], "headsup", "{welcome}");
        line.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        line
    }

    /// The same with a shell between, whose process it is that has started the server. It is what dies with
    /// the line.
    pub(crate) fn under_a_shell(home: &Home, env: &[(&str, &str)]) -> Self {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "\"$0\" mcp; exit $?", BINARY]).env_clear();
        let own = home.command(["mcp"]);
        command.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.envs(env.iter().copied()).current_dir(home.path());
        Self::welcomed(Self::spawn(command))
    }

    pub(crate) fn bare(home: &Home, env: &[(&str, &str)]) -> Self {
        let mut command = home.command(["mcp"]);
        command.envs(env.iter().copied());
        Self::spawn(command)
    }

    fn spawn(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (told, lines) = channel();
        std::thread::spawn(move || {
            // Nobody listens any more at the end of a test.
            stdout.lines().map_while(Result::ok).all(|line| told.send(line).is_ok())
        });
        Self { child, stdin, lines, last: 0 }
    }

    pub(crate) fn send(&mut self, message: &Value) {
        let mut text = message.to_string();
        text.push('\n');
        self.stdin.as_mut().unwrap().write_all(text.as_bytes()).unwrap();
    }

    pub(crate) fn call(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let id = self.last;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let line = self.lines.recv_timeout(PATIENCE).unwrap();
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == json!(id) {
                return message;
            }
        }
    }

    pub(crate) fn tool(&mut self, name: &str, arguments: Value) -> Value {
        let answer = self.call("tools/call", json!({ "name": name, "arguments": arguments }));
        assert!(answer.get("result").is_some(), "{answer}");
        answer["result"].clone()
    }

    /// The agent closes its end; the exit code.
    pub(crate) fn close(mut self) -> Option<i32> {
        self.stdin.take();
        self.child.wait().unwrap().code()
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _reaped = self.child.wait();
    }
}
