//! Listings.

use crate::hub::{Hub, Reply};
use crate::rig::{AT, Rig, agent, answer, run};
use serde_json::{Value, json};

/// A roster that is of the same age whenever the test runs.
fn agents() -> Vec<Value> {
    let mut api = agent("api", "blocked");
    api["prompts"] = json!([{
        "id": "api-p1", "agent_id": "api", "kind": "permission",
        "title": "Bash: touch x\u{1b}[2J\u{202e}", "body": null, "options": [],
        "multi_select": false, "default_action": null, "expires_at": null, "opened_at": AT,
        "answerable": ["terminal"], "state": "open", "resolution": null,
    }]);
    let mut web = agent("web", "done");
    web["outcome"] = json!({"kind": "completed", "at": AT});
    web["background"] = json!({"subagents": 0, "shells": 1});
    let mut all = vec![api, web, agent("docs", "idle")];
    for agent in &mut all {
        // A clock that runs ahead: the age is 0 s.
        agent["since"] = json!("2999-01-01T00:00:00.000Z");
    }
    all
}

fn rig() -> (Rig, Hub) {
    let rig = Rig::new();
    let agents = agents();
    let hub = rig.hub(move |request| answer(&agents, request));
    (rig, hub)
}

/// One that runs since before an update.
#[test]
fn a_hub_that_knows_no_rows_is_listed_all_the_same() {
    let rig = Rig::new();
    let agents = agents();
    let _hub = rig.hub(move |request| match request.path.contains("view=") {
        true => Reply::Json(
            400,
            json!({
                "type": "urn:headsup:problem:unknown_parameter", "title": "t", "status": 400,
                "code": "unknown_parameter", "detail": "d", "hint": null, "retryable": false,
            }),
        ),
        false => answer(&agents, request),
    });
    let table = rig.run(&["ls"]).ok().to_owned();
    assert!(table.contains("✓ done     0s   web    custom  ~/work  +1 shell"), "{table}");
}

#[test]
fn ls_shows_the_roster_in_the_hubs_order() {
    let (rig, hub) = rig();
    insta::assert_snapshot!(rig.run(&["ls"]).ok(), @"
      STATUS   AGE  AGENT  KIND    WHERE   WHAT
    ▲ blocked  0s   api    custom  ~/work  permission: Bash: touch x[2J
    ✓ done     0s   web    custom  ~/work  +1 shell
    ○ idle     0s   docs   custom  ~/work
    ");
    let seen = hub.seen();
    // A hub that does not say with the list which one it is, is asked.
    let paths: Vec<_> = seen.iter().map(|request| request.path.as_str()).collect();
    assert_eq!(paths, ["/api/v1/agents?view=rows", "/healthz"]);
    assert_eq!(seen[0].host, "localhost");
}

#[test]
fn ls_hands_its_filters_to_the_hub() {
    let (rig, hub) = rig();
    let args = ["ls", "--status", "attention,idle", "--label", "team=a&b", "--all", "--json"];
    rig.run(&args).ok();
    let path = hub.seen().pop().unwrap().path;
    let wanted = "/api/v1/agents?status=attention%2Cidle&label=team%3Da%26b&all=true";
    assert_eq!(path, wanted);
}

#[test]
fn ls_json_is_the_hubs_document_and_harmless() {
    let (rig, _hub) = rig();
    let seen = rig.run(&["ls", "--json"]);
    assert!(!seen.ok().contains(['\u{1b}', '\u{202e}']));
    let doc: Value = serde_json::from_str(seen.ok()).unwrap();
    assert_eq!(doc["agents"], json!(agents()));
}

#[test]
fn a_long_list_that_breaks_off_in_the_middle_is_told_and_not_begun_anew() {
    const LENGTH: usize = 3 << 20;
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", LENGTH + 1);
    let half: &[u8] = Box::leak([head, "x".repeat(LENGTH)].concat().into_boxed_str()).as_bytes();
    let rig = Rig::new();
    let hub = rig.hub(move |_| Reply::Raw(half));
    let seen = rig.run(&["ls", "--json", "--no-start"]);
    assert_eq!((seen.code, seen.stdout.len()), (5, LENGTH));
    let error = seen.error();
    assert_eq!(error["code"], "connection_lost");
    assert!(error["hint"].to_string().contains("what was printed is not all of it"), "{error}");
    assert_eq!(hub.seen().len(), 1);
}

#[test]
fn colour_is_for_terminals_alone() {
    let (rig, _hub) = rig();
    assert!(!rig.run(&["ls"]).ok().contains('\u{1b}'));
    let forced = run(rig.command(&["ls"]).env("CLICOLOR_FORCE", "1"));
    assert!(forced.ok().contains('\u{1b}'));
    // Not even then does an agent bring its own.
    assert!(!forced.ok().contains("\u{1b}[2J"));
    let never = run(rig.command(&["ls"]).env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1"));
    assert!(!never.ok().contains('\u{1b}'));
}

#[test]
fn an_empty_roster_says_how_to_fill_it() {
    let rig = Rig::new();
    let _hub = rig.hub(|request| answer(&[], request));
    let seen = rig.run(&["ls"]);
    assert_eq!(seen.ok(), "");
    insta::assert_snapshot!(seen.stderr, @"
    No agents yet. An agent appears here with the first event that its hooks send.
    Start one: `headsup run -- AGENT`; or have all of them report: `headsup hooks install`.
    To see it at work without any: `headsup up --demo`.
    ");
    let json = rig.run(&["ls", "--json"]);
    assert_eq!(
        (json.ok(), json.stderr.as_str()),
        ("{\"agents\":[],\"cursor\":\"10\",\"schema\":1}\n", "")
    );
}

#[test]
fn log_prints_entries_in_every_form() {
    let (rig, hub) = rig();
    let text = "2026-11-21T21:00:00.000Z  working  Bash: make\n";
    assert_eq!(rig.run(&["log", "web", "-n", "5"]).ok(), text);
    assert_eq!(hub.seen().pop().unwrap().path, "/api/v1/agents/web/activity?limit=5");
    let entry = r#"{"schema":1,"ts":"2026-11-21T21:00:00.000Z","tool":"Bash","action":"make","state":"working"}"#;
    assert_eq!(rig.run(&["log", "web", "--format", "jsonl"]).ok(), format!("{entry}\n"));
    let doc: Value = serde_json::from_str(rig.run(&["log", "web", "--json"]).ok()).unwrap();
    assert_eq!((&doc["agent_id"], &doc["schema"]), (&json!("web"), &json!(1)));
}

#[test]
fn stop_takes_a_beginning_as_suspend_does() {
    let (rig, hub) = rig();
    for command in ["stop", "suspend"] {
        rig.run(&[command, "we"]);
        let last = hub.seen().pop().unwrap();
        let path = format!("/api/v1/agents/web/{command}");
        assert_eq!((last.method.as_str(), last.path), ("POST", path));
    }
}

#[test]
fn ack_marks_what_is_unseen() {
    let (rig, hub) = rig();
    let seen = rig.run(&["ack", "--all", "--json"]);
    assert_eq!(seen.ok(), "{\"schema\":1,\"agents\":[\"web\"]}\n");
    let last = hub.seen().pop().unwrap();
    assert_eq!((last.method.as_str(), last.path.as_str()), ("POST", "/api/v1/agents/web/seen"));
    assert!(last.id.is_some());
    assert_eq!(rig.run(&["ack", "docs", "we"]).stderr, "headsup: seen: docs, web\n");
}

#[test]
fn forget_asks_before_it_is_forced() {
    let (rig, hub) = rig();
    assert_eq!(rig.run(&["forget", "web"]).code, 7);
    let forced = rig.run(&["forget", "web", "--force", "--json"]);
    assert_eq!(forced.ok(), "{\"agent_id\":\"web\",\"schema\":1}\n");
    assert_eq!(hub.seen().pop().unwrap().path, "/api/v1/agents/web?force=true");
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let (rig, _hub) = rig();
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_headsup"))
        .env_clear()
        .env("HEADSUP_HOME", rig.socket().parent().unwrap())
        .arg("ls")
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .stdin(std::process::Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn a_list_that_breaks_off_is_no_list() {
    let cases: [&[u8]; 2] = [
        b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{\"schema\":1,\"agents\":[{\"id\":\"a\"},",
        b"HTTP/1.1 200 OK\r\nContent-Length: 25\r\n\r\n{\"schema\":1,\"agents\":[\"\xff",
    ];
    for case in cases {
        let rig = Rig::new();
        let _hub = rig.hub(move |_| crate::hub::Reply::Raw(case));
        let done = rig.run(&["ls", "--json", "--no-start"]);
        assert_ne!(done.code, 0, "{done:?}");
        assert_eq!(done.stdout, "", "a part of it was printed: {done:?}");
        assert!(done.error()["message"].is_string());
    }
}
