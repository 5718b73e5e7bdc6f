//! The plugins for programs that nobody has run, in a stand-in for them.

use super::{BINARY, RUNTIME, skipped};
use headsup_adapters::inject::recipe;
use headsup_testkit::home::Home;
use headsup_testkit::http;
use headsup_testkit::hub::Hub;
use headsup_testkit::wait;
use serde_json::{Value, json};
use std::fs;
use std::io::Write as _;
use std::process::{Child, Command, Stdio};

const HOST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/plugin/host.mjs");

const FLOOD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/plugin/flood.mjs");

struct Host {
    home: Home,
    child: Child,
}

impl Host {
    fn start(home: Home, kind: &str) -> Self {
        home.run(["hooks", "install", kind]).ok();
        let recipe = recipe(kind).unwrap();
        let module = home.path().join("headsup.mjs");
        let file = home.path().join(recipe.folder).join(recipe.settings);
        fs::copy(file, &module).unwrap();
        let mut command = Command::new(RUNTIME);
        command.args([HOST.as_ref(), module.as_os_str()]);
        command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", home.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Self { child: command.spawn().unwrap(), home }
    }

    /// pi, and a hub; `None` where there is no runtime.
    fn pi() -> Option<(Hub, Self)> {
        if skipped() {
            return None;
        }
        let home = Home::new(BINARY);
        let hub = Hub::start(&home);
        Some((hub, Self::start(home, "pi")))
    }

    /// Does one thing, and waits until that is on the board.
    fn does(&mut self, row: &Value, then: &str) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{row}").unwrap();
        let headline = || {
            let agents = self.home.run(["ls", "--all", "--json"]).ok().json();
            agents["agents"][0]["headline"].as_str() == Some(then)
        };
        wait::until(&format!("{then} after {row}"), || headline().then_some(()));
    }

    /// The hub counts this event, or this member of one, as one that it does not know.
    #[track_caller]
    fn is_counted(&self, kind: &str, what: &str) {
        self.home.is_told();
        let (_, body) = http::get(&self.home.socket(), "/metrics").unwrap();
        let labels = format!("headsup_not_understood_total{{kind=\"{kind}\",event=\"{what}\"}}");
        assert!(String::from_utf8(body).unwrap().contains(&labels), "{what}");
    }

    /// It has said nothing to anybody.
    fn end(mut self) {
        drop(self.child.stdin.take());
        let output = self.child.wait_with_output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        assert!(output.status.success() && said.is_empty(), "{}", String::from_utf8_lossy(&said));
    }
}

#[test]
fn amp_tells_of_each_threads_state() {
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    let _hub = Hub::start(&home);
    let mut amp = Host::start(home, "amp");
    let thread = json!({ "id": "T-1" });
    let call = |name: &str, more: Value| {
        let mut event = more;
        event["thread"] = thread.clone();
        json!({ "call": name, "event": event })
    };
    let state = |state: &str| json!({ "thread": "T-1", "state": state });
    amp.does(&call("session.start", json!({})), "idle");
    amp.does(&state("idle"), "idle");
    amp.does(&call("agent.start", json!({ "id": "M-1", "message": "fix it" })), "working");
    amp.does(&state("running"), "working");
    amp.does(&state("awaiting-approval"), "blocked");
    amp.does(&state("running"), "working");
    amp.does(&call("agent.end", json!({ "id": "M-1", "status": "done" })), "done");
    amp.does(&state("idle"), "done");
    amp.does(&call("agent.start", json!({ "id": "M-2", "message": "again" })), "working");
    amp.does(&call("agent.end", json!({ "id": "M-2", "status": "error" })), "failed");
    amp.does(&call("dispose", json!({})), "ended");
    amp.end();
}

#[test]
fn what_amp_tells_of_no_thread_changes_nothing_and_is_counted() {
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    let _hub = Hub::start(&home);
    let mut amp = Host::start(home, "amp");
    let call = |name: &str, event: Value| json!({ "call": name, "event": event });
    let thread = json!({ "id": "T-1" });
    amp.does(&call("session.start", json!({ "thread": thread })), "idle");
    amp.does(&call("agent.start", json!({ "thread": thread, "id": "M-1" })), "working");
    let end = json!({ "thread": { "key": "T-1" }, "id": "M-1", "status": "done" });
    amp.does(&call("agent.end", end), "working");
    // What it tells comes in its order.
    amp.does(&json!({ "thread": "T-1", "state": "awaiting-approval" }), "blocked");
    amp.is_counted("amp", "agent.end");
    amp.end();
}

/// An event of pi's conversation.
fn of_pi(name: &str, event: Value) -> Value {
    json!({ "call": name, "event": event, "ctx": { "session": "s-1", "cwd": "/home/dev/api" } })
}

/// However many tools run while the hub does not answer.
#[test]
fn no_turn_is_lost_among_the_tools_of_pi() {
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    home.run(["hooks", "install", "pi"]).ok();
    let recipe = recipe("pi").unwrap();
    let module = home.path().join("headsup.mjs");
    fs::copy(home.path().join(recipe.folder).join(recipe.settings), &module).unwrap();
    let mut command = Command::new(RUNTIME);
    command.args([FLOOD.as_ref(), module.as_os_str()]);
    command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", home.path());
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said} {}", String::from_utf8_lossy(&output.stderr));
    let told: Value = serde_json::from_str(&said).unwrap();
    let turns: Vec<&str> =
        told["turns"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let expected = ["session_start", "agent_start", "agent_end", "agent_start", "agent_end"];
    assert_eq!(turns, [&expected[..], &["session_shutdown"]].concat());
    // 900 of tools, of which some are told: each that is not is counted.
    assert_eq!(told["tools"].as_u64().unwrap() + told["lost"].as_u64().unwrap(), 900, "{told}");
    assert_eq!(told["retried"], true, "a hub that has no time gets it again: {told}");
}

#[test]
fn pi_tells_of_its_turns_and_holds_a_failure_back_that_it_tries_again() {
    let Some((_hub, mut pi)) = Host::pi() else { return };
    let ended = |reason: &str| {
        let last =
            json!({ "role": "assistant", "stopReason": reason, "errorMessage": "overloaded" });
        of_pi("agent_end", json!({ "messages": [{ "role": "user" }, last] }))
    };
    pi.does(&of_pi("session_start", json!({ "reason": "startup" })), "idle");
    pi.does(&of_pi("before_agent_start", json!({ "prompt": "fix it" })), "idle");
    pi.does(&of_pi("agent_start", json!({})), "working");
    let tool = json!({ "toolCallId": "c-1", "toolName": "bash", "args": { "command": "ls" } });
    pi.does(&of_pi("tool_execution_start", tool.clone()), "working");
    pi.does(&of_pi("tool_execution_end", tool), "working");
    pi.does(&ended("error"), "working");
    pi.does(&of_pi("agent_start", json!({})), "working");
    pi.does(&ended("stop"), "done");
    pi.does(&of_pi("agent_start", json!({})), "working");
    pi.does(&ended("aborted"), "idle");
    pi.does(&of_pi("agent_start", json!({})), "working");
    pi.does(&ended("error"), "working");
    pi.does(&of_pi("session_shutdown", json!({ "reason": "quit" })), "ended");
    let log = pi.home.run(["watch", "--since", "0", "--no-follow", "--json"]).ok().stdout.clone();
    assert_eq!(log.matches("\"turn.started\"").count(), 3, "{log}");
    assert!(log.contains("\"failed\"") && log.contains("fix it"), "{log}");
    pi.end();
}

#[test]
fn pi_completes_no_turn_of_which_it_does_not_say_how_it_ended() {
    let Some((_hub, mut pi)) = Host::pi() else { return };
    pi.does(&of_pi("session_start", json!({ "reason": "thawed" })), "idle");
    pi.does(&of_pi("agent_start", json!({})), "working");
    let last = json!({ "role": "assistant", "stop_reason": "aborted" });
    pi.does(&of_pi("agent_end", json!({ "messages": [last] })), "working");
    pi.does(&of_pi("session_shutdown", json!({ "reason": "quit" })), "ended");
    let log = pi.home.run(["watch", "--since", "0", "--no-follow", "--json"]).ok().stdout.clone();
    assert!(!log.contains("\"done\""), "{log}");
    for what in ["session_start.source", "agent_end"] {
        pi.is_counted("pi", what);
    }
    pi.end();
}

#[test]
fn pi_tells_no_failure_while_it_makes_the_conversation_shorter_to_try_again() {
    let Some((_hub, mut pi)) = Host::pi() else { return };
    let ended = |reason: &str| {
        let last = json!({ "role": "assistant", "stopReason": reason, "errorMessage": "too long" });
        of_pi("agent_end", json!({ "messages": [last] }))
    };
    let waited = json!({ "waited": 10_000 });
    pi.does(&of_pi("session_start", json!({ "reason": "startup" })), "idle");
    pi.does(&of_pi("agent_start", json!({})), "working");
    pi.does(&ended("error"), "working");
    pi.does(&of_pi("session_before_compact", json!({})), "working");
    pi.does(&waited, "working");
    pi.does(&of_pi("session_compact", json!({})), "working");
    pi.does(&of_pi("agent_start", json!({})), "working");
    pi.does(&ended("stop"), "done");
    let log = pi.home.run(["watch", "--since", "0", "--no-follow", "--json"]).ok().stdout.clone();
    assert!(!log.contains("\"failed\""), "{log}");
    assert_eq!(log.matches("\"turn.started\"").count(), 1, "{log}");
    // It is not tried again.
    pi.does(&of_pi("agent_start", json!({})), "working");
    pi.does(&ended("error"), "working");
    pi.does(&of_pi("session_before_compact", json!({})), "working");
    pi.does(&of_pi("session_compact", json!({})), "working");
    pi.does(&waited, "failed");
    pi.end();
}
