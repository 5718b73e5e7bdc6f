//! What an agent's command line says is kept in a file of its own, and nowhere else.

use super::bench::{Bench, Client};
use super::lifecycle::{
    SEAT, act, program, refused, resting_as, resting_in, started, with_launcher,
};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Of the shapes that keys have.
const KEYS: [&str; 8] = [
    "sk-ant-api03-AAAAbbbbCCCCdddd0000",
    "sk-proj-AAAAbbbbCCCCdddd1111",
    "ghp_AAAAbbbbCCCCddddEEEEffff22223333",
    "AKIAABCDEFGH33334444",
    "xoxb-1111-2222-AAAAbbbbCCCC",
    "AIzaAAAAbbbbCCCCddddEEEEffff55556666",
    "eyJhbGciOiJIUzI1NiJ9.e30.AAAAbbbbCCCC",
    "correct-horse-battery-staple",
];

/// Each key in another way; the last one is said to the agent.
fn words() -> Vec<String> {
    let [system, settings, server, other, joined, short, name, said] = KEYS;
    let settings = json!({"env": {"KEY": settings}}).to_string();
    let (joined, short) = (format!("--api-key={joined}"), format!("-k{short}"));
    let said = format!("go on with {said}");
    let options = ["--append-system-prompt", system, "--settings", settings.as_str()];
    let more = ["--mcp-config", server, other, joined.as_str(), short.as_str(), "--name", name];
    let words = options.iter().chain(&more).map(|word| (*word).to_owned());
    words.chain([said]).collect()
}

fn seat() -> Value {
    json!({"kind": "claude-code", "cwd": "/", "launch": {
        "program": "/bin/sh", "name": "sh", "arguments": words(), "folder": "/"}})
}

/// All files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let entry = entry.unwrap();
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            found.extend(files(&entry.path()));
        } else if kind.is_file() {
            found.push(entry.path());
        }
    }
    found
}

fn kept(bench: &Bench) -> Vec<PathBuf> {
    files(&bench.home().join("launches"))
}

#[track_caller]
fn says_none(place: &str, text: &str) {
    for key in KEYS {
        assert!(!text.contains(key), "{place} has {key}");
    }
}

/// Looks at what the hub keeps, but for the files of launches, and at what it answers.
async fn is_nowhere_else(bench: &Bench, client: &Client) {
    for path in [
        "/api/v1/agents?all=true",
        "/api/v1/agents/api",
        "/api/v1/agents/api/explain",
        "/api/v1/agents/api/evidence",
        "/api/v1/agents/api/history",
        "/api/v1/agents/api/activity",
        "/api/v1/events?since=0&follow=false",
        "/metrics",
    ] {
        says_none(path, &client.get(path).await.text());
    }
    let own = kept(bench);
    for path in files(&bench.home()).iter().filter(|path| !own.contains(path)) {
        let text = fs::read(path).unwrap_or_default();
        says_none(&path.display().to_string(), &String::from_utf8_lossy(&text));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_key_of_a_command_line_is_anywhere_but_in_its_own_file_and_that_goes_with_its_agent() {
    let mut bench = Bench::new().await;
    let order = with_launcher(&mut bench, "exit 0").await;
    let client = bench.client();
    let agent = resting_as(&client, seat()).await;
    is_nowhere_else(&bench, &client).await;
    let file = kept(&bench).pop().unwrap();
    let text = fs::read_to_string(&file).unwrap();
    let [own @ .., said] = KEYS;
    assert!(own.iter().all(|key| text.contains(key)) && !text.contains(said), "{text}");
    let reply = act(&client, "suspend", Value::Null).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    drop(agent);
    is_nowhere_else(&bench, &client).await;
    // However long it is away, and whichever hub takes it up.
    bench.pass(61_000).await;
    bench.restart().await;
    for _ in 0..3 {
        bench.pass(61_000).await;
    }
    assert_eq!(kept(&bench), [file]);
    let client = bench.client();
    let reply = act(&client, "resume", Value::Null).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    says_none("the answer", &reply.text());
    let told: Value = serde_json::from_slice(&fs::read(order).unwrap()).unwrap();
    let mut expected = words();
    expected.pop();
    expected.extend(["--resume", "s1"].map(str::to_owned));
    assert_eq!(told["launch"]["arguments"], json!(expected));
    let mut command = Command::new("sh");
    command.args(["-c", "read x"]);
    let _agent = started(&client, command).await;
    is_nowhere_else(&bench, &client).await;
    let reply = act(&client, "stop", Value::Null).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    for _ in 0..4 {
        bench.pass(61_000).await;
    }
    assert!(kept(&bench).is_empty());
    is_nowhere_else(&bench, &client).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_that_are_lost_are_told_and_nobody_is_put_away_without_them() {
    let bench = Bench::new().await;
    let client = bench.client();
    let agent = resting_as(&client, seat()).await;
    let lose = || fs::remove_file(kept(&bench).pop().unwrap()).unwrap();
    lose();
    refused(&act(&client, "suspend", Value::Null).await, "launch_unknown", "gone");
    assert_eq!(client.headline("api").await, "done");
    assert_eq!(act(&client, "stop", Value::Null).await.status, 200);
    drop(agent);
    let _agent = resting_as(&client, seat()).await;
    assert_eq!(act(&client, "suspend", Value::Null).await.status, 200);
    let file = kept(&bench).pop().unwrap();
    fs::write(file, json!(KEYS[0]).to_string()).unwrap();
    let reply = act(&client, "resume", Value::Null).await;
    refused(&reply, "launch_unknown", "damaged");
    says_none("the answer", &reply.text());
    lose();
    refused(&act(&client, "resume", Value::Null).await, "launch_unknown", "gone");
    assert_eq!(client.headline("api").await, "suspended");
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_that_are_lost_are_read_off_the_process_as_long_as_it_runs() {
    let mut bench = Bench::new().await;
    let order = with_launcher(&mut bench, "exit 0").await;
    let client = bench.client();
    let program = program(&bench);
    let launch = json!({"program": program, "name": "claude", "folder": "/",
        "arguments": ["--model", "opus", "hello"]});
    let body = json!({"kind": "claude-code", "cwd": "/", "launch": launch});
    let mut command = Command::new(&program);
    let tools = bench.home().join("launch/api.mcp.json");
    command.arg(format!("--mcp-config={}", tools.display()));
    command.args(["--model", "opus", "hello"]).current_dir("/tmp");
    let _agent = resting_in(&client, body, command).await;
    fs::remove_file(kept(&bench).pop().unwrap()).unwrap();
    let reply = act(&client, "suspend", Value::Null).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    let reply = act(&client, "resume", Value::Null).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    let told: Value = serde_json::from_slice(&fs::read(&order).unwrap()).unwrap();
    let mut expected = launch;
    expected["arguments"] = json!(["--model", "opus", "--resume", "s1"]);
    assert_eq!(told["launch"], expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn where_they_cannot_be_written_down_an_agent_is_launched_without_them() {
    let bench = Bench::new().await;
    let client = bench.client();
    fs::write(bench.home().join("launches"), "").unwrap();
    let _agent = resting_as(&client, seat()).await;
    refused(&act(&client, "suspend", Value::Null).await, "launch_unknown", "written down");
    is_nowhere_else(&bench, &client).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_seat_that_is_taken_anew_or_forgotten_leaves_none_behind() {
    let bench = Bench::new().await;
    let client = bench.client();
    let agent = resting_as(&client, seat()).await;
    let first = kept(&bench);
    assert_eq!(act(&client, "stop", Value::Null).await.status, 200);
    drop(agent);
    let _agent = resting_as(&client, seat()).await;
    let second = kept(&bench);
    assert_eq!(second.len(), 1);
    assert_ne!(second, first);
    let reply = client.send("DELETE", &format!("{SEAT}?force=true"), &[], "").await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert!(kept(&bench).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_but_the_hub_names_a_file() {
    let bench = Bench::new().await;
    let client = bench.client();
    for strange in [json!({"in": "../headsup.db"}), json!("none")] {
        let mut seat = seat();
        seat["launch"]["words"] = strange;
        let reply = client.send("PUT", SEAT, &[], seat.to_string()).await;
        assert_eq!(reply.status, 400, "{}", reply.text());
        assert_eq!(client.get(SEAT).await.status, 404);
    }
}
