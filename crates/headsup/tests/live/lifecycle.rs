//! A real agent is put away and taken up again: the same conversation, in another process.

use crate::{installed, with};
use headsup_testkit::home::Done;
use headsup_testkit::live::{self, Hooks, Stage};
use headsup_testkit::model::{Asker, Reply};
use serde_json::json;

fn goes_on(kind: &str) {
    let Some(installed) = installed(kind) else { return };
    let stage = Stage::new(live::of_kind(kind).unwrap(), with(&installed), Hooks::Installed);
    let run = |args: &[&str]| Done::from(stage.command(args).output().unwrap());
    stage.hub();
    stage.model.answer_with(|_| Some(Reply::text("Hello.")));
    let agent = stage.run_in_tmux("api");
    agent.submit("The number is 4711");
    stage.over(stage.asked(&Asker::Main));
    run(&["wait", "api", "--until", "done", "--settled", "1s", "--timeout", "30s"]).ok();
    run(&["suspend", "api"]).ok();
    let away = run(&["show", "api", "--json"]).ok().json();
    assert_eq!(away["headline"], "suspended");
    run(&["resume", "api", "And now"]).ok();
    let request = stage.model.request(&Asker::Main, 1).body.to_string();
    assert!(request.contains("4711") && request.contains("And now"), "{request}");
    run(&["wait", "api", "--until", "done", "--timeout", "30s"]).ok();
    let again = run(&["show", "api", "--json"]).ok().json();
    assert_eq!(again["session_id"], away["session_id"]);
    assert_eq!(again["incarnation"], json!(away["incarnation"].as_u64().unwrap() + 1));
}

#[test]
fn of_claude_code() {
    goes_on("claude-code");
}

#[test]
fn of_codex() {
    goes_on("codex");
}

#[test]
fn of_gemini_cli() {
    goes_on("gemini-cli");
}

#[test]
fn of_qwen_code() {
    goes_on("qwen-code");
}

#[test]
fn of_copilot_cli() {
    goes_on("copilot-cli");
}
