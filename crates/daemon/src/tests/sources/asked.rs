//! A program that is started with its first prompt, and what it shows on its terminal from then on.

use crate::process::identity;
use crate::tests::bench::Bench;
use serde_json::json;
use std::fs;
use std::io::Read as _;
use std::process::{Command, Stdio};

const SEAT: &str = "/api/v1/agents/api";

/// The headlines half a second after it has shown work, and once that can be its start no more.
async fn told(words: &[&str]) -> [String; 2] {
    let bench = Bench::new().await;
    let client = bench.client();
    assert_eq!(client.send("PUT", SEAT, &[], r#"{"kind":"codex"}"#).await.status, 201);
    // It lives until its input ends. It runs: before its program does, nobody can read what it was started with.
    let home = tempfile::tempdir().unwrap();
    let script = home.path().join("codex");
    fs::write(&script, "echo\nread line\n").unwrap();
    let mut command = Command::new("/bin/sh");
    command.arg(&script).args(words).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
    let (pid, start_ticks) = identity(child.id()).unwrap();
    for state in ["idle", "working"] {
        let status = format!("state={state}:app=codex");
        let body = json!({"pid": pid, "start_ticks": start_ticks, "status": status});
        let path = format!("{SEAT}/terminal");
        let reply = client.send("POST", &path, &[], body.to_string()).await;
        assert_eq!(reply.status, 202, "{}", reply.text());
    }
    bench.pass(500).await;
    let soon = client.headline("api").await;
    bench.pass(12_000).await;
    let late = client.headline("api").await;
    drop(child.stdin.take());
    child.wait().unwrap();
    [soon, late]
}

#[tokio::test(flavor = "multi_thread")]
async fn work_of_a_program_that_was_started_with_a_prompt_is_told_at_once() {
    assert_eq!(told(&["--no-daemon", "Mend the bug"]).await, ["working", "working"]);
    assert_eq!(told(&["--no-daemon"]).await, ["idle", "working"]);
}
