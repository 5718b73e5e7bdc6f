//! Agents behind `headsup acp`: what they and their clients said goes through the real proxy.

use crate::{all_right, fixtures, played, spans};
use headsup_testkit::replay::{Witness, play, play_and, unpack};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const BINARY: &str = env!("CARGO_BIN_EXE_headsup");

fn recorded(name: &str) -> PathBuf {
    fixtures().join("acp/1").join(name)
}

#[test]
fn the_truth_is_told_of_every_agent_in_every_span() {
    let folders = ["copilot", "gemini", "opencode", "qwen-code"].map(recorded);
    let verdicts = played(&folders, &[]);
    all_right(&verdicts);
    assert_eq!(spans(&verdicts).count(), 92);
}

fn truth(t_ms: u64, status: &str) -> Value {
    json!({"t_ms": t_ms, "kind": "truth", "status": status, "why": "made up"})
}

fn client(t_ms: u64, msg: Value) -> Value {
    json!({"t_ms": t_ms, "kind": "client_to_agent", "msg": msg})
}

fn agent(t_ms: u64, msg: Value) -> Value {
    json!({"t_ms": t_ms, "kind": "agent_to_client", "msg": msg})
}

/// Version 2, two sessions, lines that are no messages, and one agent after the other.
fn made_up() -> Vec<Value> {
    let session = |id: &str| json!({"sessionId": id});
    let state = |id: &str, update: Value| {
        let mut update = update;
        update["sessionUpdate"] = "state_update".into();
        json!({"method": "session/update", "params": {"sessionId": id, "update": update}})
    };
    let ask = |id: &str, of: &str| {
        let params = json!({"sessionId": of, "title": "May I?", "options": []});
        json!({"id": id, "method": "session/request_permission", "params": params})
    };
    let idle = json!({"state": "idle", "stopReason": "end_turn"});
    vec![
        client(0, json!({"id": "i", "method": "initialize", "params": {"protocolVersion": 2}})),
        agent(150, json!({"id": "i", "result": {"protocolVersion": 2}})),
        client(160, json!({"id": "n", "method": "session/new", "params": {}})),
        json!({"t_ms": 200, "kind": "agent_to_client", "raw": "starting up: {\"not\": json"}),
        agent(300, json!({"id": "n", "result": session("s")})),
        truth(300, "idle"),
        truth(2_000, "working"),
        client(2_000, json!({"id": 3, "method": "session/prompt", "params": session("s")})),
        agent(2_050, json!({"id": 3, "result": {"messageId": "m"}})),
        agent(2_100, state("s", json!({"state": "running"}))),
        client(2_200, json!({"id": 4, "method": "session/prompt", "params": session("t")})),
        agent(2_250, state("t", json!({"state": "running"}))),
        agent(2_300, json!({"id": 4, "result": {"messageId": "m"}})),
        truth(4_000, "blocked"),
        agent(4_000, ask("a", "s")),
        agent(4_010, state("s", json!({"state": "requires_action"}))),
        agent(4_500, state("t", idle.clone())),
        truth(6_000, "working"),
        client(6_000, json!({"id": "a", "result": {"outcome": {"outcome": "cancelled"}}})),
        agent(6_010, state("s", json!({"state": "running"}))),
        truth(8_000, "idle"),
        agent(8_000, state("s", idle)),
        truth(10_000, "gone"),
        json!({"t_ms": 10_000, "kind": "agent_stdout_closed", "rc": 0}),
        client(12_000, json!({"id": 0, "method": "initialize", "params": {}})),
        agent(12_100, json!({"id": 0, "result": {"protocolVersion": 1}})),
        client(12_110, json!({"id": 1, "method": "session/load", "params": session("s")})),
        agent(12_120, json!({"id": 1, "result": null})),
        truth(12_200, "idle"),
        truth(14_000, "working"),
        client(14_000, json!({"id": 2, "method": "session/prompt", "params": session("s")})),
        truth(16_000, "crashed"),
        json!({"t_ms": 16_000, "kind": "agent_stdout_closed", "rc": -9}),
    ]
}

fn write(path: &Path, rows: &[Value]) {
    let lines: Vec<String> = rows.iter().map(Value::to_string).collect();
    std::fs::write(path, lines.join("\n")).unwrap();
}

#[test]
fn recordings_that_are_not_as_ours_are_played_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("some-agent.jsonl");
    write(&path, &made_up());
    let verdict = play(Path::new(BINARY), &path, &[]).unwrap();
    all_right(std::slice::from_ref(&verdict));
    assert_eq!(verdict.spans.len(), 9);
    // It is the protocol that says so.
    let silent = play(Path::new(BINARY), &path, &[Witness::Protocol]).unwrap();
    assert_eq!(silent.right(), 0);
}

#[test]
fn what_is_captured_of_one_says_the_same_again_and_nobodys_words() {
    let folder = tempfile::tempdir().unwrap();
    let (bundle, again) = (folder.path().join("api.capture"), folder.path().join("again"));
    let verdict = play_and(Path::new(BINARY), &recorded("gemini"), &[], |home| {
        home.run(["capture", "gemini", "-o", bundle.to_str().unwrap()]).ok();
    })
    .unwrap();
    all_right(&[verdict]);
    let text = std::fs::read_to_string(&bundle).unwrap();
    assert!(text.contains("acp:gemini") && text.contains("\"src\":\"stream\""), "{text}");
    for private in ["made-by-shell", "echo headsup", "6cfde2d4"] {
        assert!(!text.contains(private), "{private}");
    }
    unpack(&bundle, &[], &again).unwrap();
    let verdict = play(Path::new(BINARY), &again, &[]).unwrap();
    all_right(std::slice::from_ref(&verdict));
    assert!(verdict.spans.len() > 15, "{}", verdict.spans.len());
}
