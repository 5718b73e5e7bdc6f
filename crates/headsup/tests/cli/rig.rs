//! The program in an environment of its own, and documents for it to read.

use crate::hub::{Hub, Reply, Request, message};
use assert_cmd::Command;
use headsup_core::wire::AgentDoc;
use serde::Deserialize as _;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;
use tempfile::TempDir;

/// When nothing says otherwise.
pub(crate) const AT: &str = "2026-11-21T21:00:00.000Z";

pub(crate) struct Rig {
    dir: TempDir,
}

/// What a person or a script would have seen.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Seen {
    /// The error that `--json` printed.
    pub(crate) fn error(&self) -> Value {
        let doc: Value = serde_json::from_str(&self.stderr).unwrap();
        assert_eq!(doc["schema"], 1, "{doc}");
        doc["error"].clone()
    }

    /// Exit 0; stdout.
    pub(crate) fn ok(&self) -> &str {
        assert_eq!(self.code, 0, "{self:?}");
        &self.stdout
    }
}

impl Rig {
    pub(crate) fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.dir.path().join("headsup.sock")
    }

    pub(crate) fn hub<F>(&self, answer: F) -> Hub
    where
        F: Fn(&Request) -> Reply + Send + Sync + 'static,
    {
        Hub::listen(&self.socket(), answer)
    }

    /// The program with these arguments and no environment but its home.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_headsup"));
        command
            .env_clear()
            .env("HEADSUP_HOME", self.dir.path())
            .env("HOME", "/home/ada")
            .env("COLUMNS", "100")
            .args(args)
            // Only a hang takes longer.
            .timeout(Duration::from_secs(60));
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Seen {
        run(&mut self.command(args))
    }
}

pub(crate) fn run(command: &mut Command) -> Seen {
    let output = command.output().unwrap();
    Seen {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn evidence() -> Value {
    json!({"source": "hook", "confidence": "strong", "observed_at": AT, "confirmed_at": AT})
}

fn turn() -> Value {
    json!({"state": "idle", "reason": null, "detail": null, "since": AT, "turn_seq": 1})
}

/// An agent document.
pub(crate) fn agent(id: &str, headline: &str) -> Value {
    let mut doc: Value = serde_json::from_str(
        r#"{"schema": 1, "kind": "custom", "role": null, "labels": {}, "parent": null,
        "host": null, "cwd": "/home/ada/work", "repo": null, "branch": null, "worktree": null,
        "location": {}, "incarnation": 1, "session_id": null, "model": null, "title": null,
        "log_path": null, "started_at": null, "suspended_at": null, "resumed_at": null,
        "stale": false, "process": {"state": "running", "attach": "interactive"},
        "outcome": null, "seen": false, "stage": null, "verdicts": [],
        "background": {"subagents": 0, "shells": 0}, "subagents": [], "prompts": [],
        "task": null, "prs": [], "last_activity": null,
        "counters": {"prompts": 1, "turns": 1, "tools": 3}}"#,
    )
    .unwrap();
    let own = json!({
        "id": id, "name": id, "headline": headline, "turn": turn(), "evidence": evidence(),
        "since": AT, "last_status_at": AT,
    });
    for (name, value) in own.as_object().unwrap() {
        doc[name] = value.clone();
    }
    doc
}

pub(crate) fn roster(agents: &[Value]) -> Value {
    json!({"schema": 1, "cursor": "10", "agents": agents})
}

/// The same as a list has it.
fn in_rows(agents: &[Value]) -> Value {
    let row = |agent: &Value| {
        let agent = AgentDoc::deserialize(agent).unwrap();
        serde_json::to_value(headsup_core::words::row(&agent)).unwrap()
    };
    json!({"schema": 1, "cursor": "10", "rows": agents.iter().map(row).collect::<Vec<_>>()})
}

pub(crate) fn snapshot(cursor: &str, agents: &[Value]) -> String {
    let data = json!({"schema": 1, "type": "snapshot", "cursor": cursor, "agents": agents});
    message(cursor, "snapshot", &data)
}

/// The event of a change of status.
pub(crate) fn changed(cursor: &str, agent: &str, from: &str, to: &str) -> String {
    let data = json!({
        "schema": 1, "cursor": cursor, "at": AT, "type": "agent.status_changed",
        "agent_id": agent, "from": from, "to": to, "process": {"state": "running"},
        "turn": turn(), "outcome": null, "seen": false, "stage": null, "reason": null,
        "evidence": evidence(),
    });
    message(cursor, "agent.status_changed", &data)
}

/// The event of a seat that is taken off the roster.
pub(crate) fn forgotten(cursor: &str, agent: &str) -> String {
    let data = json!({
        "schema": 1, "cursor": cursor, "at": AT, "type": "agent.forgotten", "agent_id": agent,
    });
    message(cursor, "agent.forgotten", &data)
}

/// Answers for a roster: `?match=` by id or beginning, one agent, the hub's health.
pub(crate) fn answer(agents: &[Value], request: &Request) -> Reply {
    let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
    let problem = |status: u16, code: &str| {
        let detail = format!("the hub says {code}");
        let body = json!({
            "type": format!("urn:headsup:problem:{code}"), "title": code, "status": status,
            "code": code, "detail": detail, "hint": "do this", "retryable": status >= 500,
        });
        Reply::Json(status, body)
    };
    if path == "/healthz" {
        let body = json!({
            "schema": 1, "ok": true, "pid": std::process::id(), "version": "0", "home": "/",
            "cursor": "10",
        });
        return Reply::Json(200, body);
    }
    let id_of = |agent: &Value| agent["id"].as_str().unwrap().to_owned();
    if path == "/api/v1/agents" {
        let wanted = query.split('&').find_map(|part| part.strip_prefix("match="));
        let Some(wanted) = wanted else {
            let rows = query.split('&').any(|part| part == "view=rows");
            return Reply::Json(200, if rows { in_rows(agents) } else { roster(agents) });
        };
        let exact: Vec<Value> = agents.iter().filter(|a| id_of(a) == wanted).cloned().collect();
        let begins = agents.iter().filter(|agent| id_of(agent).starts_with(wanted)).cloned();
        let found = if exact.is_empty() { begins.collect() } else { exact };
        return Reply::Json(200, roster(&found));
    }
    let id = path.strip_prefix("/api/v1/agents/").unwrap_or_default();
    let (id, rest) = id.split_once('/').unwrap_or((id, ""));
    let found = agents.iter().find(|agent| id_of(agent) == id);
    match (request.method.as_str(), rest, found) {
        ("POST", "reports", _) if id == "full" => problem(507, "storage_full"),
        ("POST", "reports", _) if id == "odd" => problem(422, "illegal"),
        ("POST", "reports", _) => Reply::Json(202, json!({"schema": 1, "cursor": "11"})),
        (_, _, None) => problem(404, "no_such_agent"),
        ("DELETE", "", _) if query.is_empty() => problem(409, "agent_running"),
        ("DELETE", "", _) => Reply::Json(200, json!({"schema": 1, "agent_id": id})),
        ("GET", "activity", _) => {
            let entry = json!({"ts": AT, "tool": "Bash", "action": "make", "state": "working"});
            Reply::Json(200, json!({"schema": 1, "agent_id": id, "entries": [entry]}))
        }
        (_, "" | "seen", Some(agent)) => Reply::Json(200, agent.clone()),
        _ => problem(404, "not_found"),
    }
}
