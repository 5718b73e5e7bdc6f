//! A title that calls its program ready, and what may stand between that one and a prompt.

use crate::process::identity;
use crate::tests::bench::Bench;
use serde_json::{Value, json};
use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

const SEAT: &str = "/api/v1/agents/api";
const SLOW: &str = r#"{"mcpServers":{"slow":{"command":"sleep"}}}"#;
const OWN: &str = r#"{"mcpServers":{"headsup":{"command":"headsup"}}}"#;

/// It lives until its input ends, in the folder in which it has its home, too. It runs: before its program does,
/// nobody can read what it was started with.
fn start(home: &Path, words: &[&str]) -> Child {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "echo; read line", "copilot"]).args(words);
    command.env_clear().env("HOME", home).current_dir(home);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
    child
}

/// The headline once its title has called it ready for a while, and why that was not believed.
async fn told(home: &Path, words: &[&str]) -> (String, Vec<Value>) {
    let bench = Bench::new().await;
    let client = bench.client();
    let kind = r#"{"kind":"copilot-cli"}"#;
    assert_eq!(client.send("PUT", SEAT, &[], kind).await.status, 201);
    let mut child = start(home, words);
    let (pid, start_ticks) = identity(child.id()).unwrap();
    let title = json!({"pid": pid, "start_ticks": start_ticks, "title": "GitHub Copilot"});
    let path = format!("{SEAT}/terminal");
    let reply = client.send("POST", &path, &[], title.to_string()).await;
    assert_eq!(reply.status, 202, "{}", reply.text());
    bench.pass(5_000).await;
    let explained = client.get(&format!("{SEAT}/explain")).await.json();
    let rejected = explained["rejected"].as_array().unwrap();
    let why = rejected.iter().map(|rejected| rejected["why"].clone()).collect();
    let headline = client.headline("api").await;
    drop(child.stdin.take());
    child.wait().unwrap();
    (headline, why)
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_may_stand_before_its_first_prompt_is_why_a_title_is_not_believed() {
    let temp = tempfile::tempdir().unwrap();
    let home = &*fs::canonicalize(temp.path()).unwrap();
    let config = home.join(".copilot");
    fs::create_dir(&config).unwrap();
    let trust = |folders: Value| {
        let list = json!({ "trustedFolders": folders });
        fs::write(config.join("config.json"), list.to_string()).unwrap();
    };
    trust(json!([]));
    let (headline, why) = told(home, &[]).await;
    assert_eq!((&*headline, why.len()), ("starting", 1));
    assert!(why[0].as_str().unwrap().contains("list of trusted ones"), "{why:?}");
    trust(json!([home]));
    assert_eq!(told(home, &[]).await, ("idle".to_owned(), Vec::new()));
    fs::write(home.join("own.json"), OWN).unwrap();
    fs::write(home.join("slow.json"), SLOW).unwrap();
    let given = "--additional-mcp-config";
    assert_eq!(told(home, &[given, "@own.json"]).await, ("idle".to_owned(), Vec::new()));
    for words in [&[given, "@slow.json"][..], &[given, SLOW], &["-i", "go"]] {
        let (headline, why) = told(home, words).await;
        assert_eq!((&*headline, why.len()), ("starting", 1), "{words:?}: {why:?}");
    }
}
