//! Agents that are put away, taken up again and ended, as people do it, with the stand-in for an
//! agent's program.

use crate::install::write;
use crate::run::{Rig, skipped};
use headsup_testkit::home::Done;
use headsup_testkit::hub::Hub;
use headsup_testkit::{http, wait};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A hub that can start agents as its person does.
fn hub(rig: &Rig) -> Hub {
    Hub::start_as(rig.command(&["up", "--foreground"]), &rig.home.socket())
}

/// An agent that sits at its prompt, in a session of tmux.
fn resting(rig: &Rig, id: &str, words: &[&str]) {
    fs::write(rig.home.path().join("stay"), "").unwrap();
    let fifo = rig.home.path().join("fifo");
    if !fifo.exists() {
        Command::new("mkfifo").arg(&fifo).status().unwrap();
    }
    let mut args = vec!["run", "--tmux", "--id", id, "--", "claude"];
    args.extend(words);
    rig.run(&args).ok();
    rests(rig, id);
}

fn rests(rig: &Rig, id: &str) {
    rig.run(&["wait", id, "--until", "idle", "--timeout", "90s"]).ok();
}

/// The next start writes them anew.
fn forget_start(rig: &Rig) {
    fs::remove_file(rig.home.path().join("env")).unwrap();
}

/// Its own words, behind what headsup brings.
fn own_words(rig: &Rig) -> Vec<String> {
    let argv = rig.argv();
    let ours = argv.iter().position(|word| word.starts_with("--mcp-config=")).unwrap();
    argv[ours + 1..].to_vec()
}

fn post(rig: &Rig, path: &str, headers: &[(&str, &str)], body: &Value) -> (u16, Value) {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let socket = rig.home.socket();
    let (status, body) = http::request(&socket, "POST", path, headers, body.as_bytes()).unwrap();
    (status, serde_json::from_slice(&body).unwrap())
}

#[test]
fn an_agent_is_put_away_and_taken_up_again_in_its_own_seat() {
    if skipped() {
        return;
    }
    let rig = Rig::new();
    let _hub = hub(&rig);
    resting(&rig, "a.pi", &["--model", "opus", "fix it"]);
    assert_eq!(own_words(&rig), ["--model", "opus", "fix it"]);
    let first = rig.env();
    let done = rig.run(&["suspend", "a.pi"]);
    assert_eq!((done.code, &*done.stderr), (0, "headsup: a.pi is suspended\n"));
    let agent = rig.agent("a.pi");
    assert_eq!(
        (&agent["headline"], &agent["process"]["state"], &agent["session_id"]),
        (&json!("suspended"), &json!("suspended"), &json!("s1"))
    );
    assert!(agent["suspended_at"].is_string() && agent["resumed_at"].is_null(), "{agent}");
    assert!(!agent.to_string().contains("opus"), "arguments may hold secrets: {agent}");
    wait::until("the session to end", || rig.tmux(&["list-sessions"]).is_empty().then_some(()));
    forget_start(&rig);
    let doc = rig.run(&["resume", "a.pi", "--json", "--", "-- now --"]).ok().json();
    assert_eq!(
        (&doc["agent_id"], &doc["tmux"]["session"]),
        (&json!("a.pi"), &json!("headsup-a_pi"))
    );
    rests(&rig, "a.pi");
    // What was asked at first is not asked again, and no permission is added.
    assert_eq!(own_words(&rig), ["--model", "opus", "--resume", "s1", "--", "-- now --"]);
    let again = rig.env();
    assert_eq!((&again[0], &again[3]), (&first[0], &first[3]), "its id and its folder");
    assert_ne!(again[1], first[1], "its token is a new one");
    let resumed = rig.agent("a.pi");
    assert_eq!(resumed["incarnation"], agent["incarnation"].as_u64().unwrap() + 1);
    assert!(resumed["resumed_at"].as_str() > agent["suspended_at"].as_str(), "{resumed}");
    assert_eq!(resumed["location"]["tmux"], doc["tmux"]["pane"]);
    // A second time, without words.
    rig.run(&["suspend", "a.pi"]).ok();
    forget_start(&rig);
    rig.run(&["resume", "a.pi"]).ok();
    rests(&rig, "a.pi");
    assert_eq!(own_words(&rig), ["--model", "opus", "--resume", "s1"]);
}

#[test]
fn settings_that_it_was_started_with_are_those_of_its_own_folder_also_when_it_is_taken_up() {
    if skipped() {
        return;
    }
    let rig = Rig::new();
    let _hub = hub(&rig);
    let elsewhere = rig.home.path().join("elsewhere");
    write(&rig.home.path().join("own.json"), "{\n  \"model\": \"mine\"\n}\n", 0o600);
    write(&elsewhere.join("own.json"), "{\n  \"model\": \"of others\"\n}\n", 0o600);
    let launched = || {
        let text = fs::read_to_string(rig.home.state().join("launch/api.json")).unwrap();
        serde_json::from_str::<Value>(&text).unwrap()["model"].clone()
    };
    resting(&rig, "api", &["--settings", "own.json"]);
    assert_eq!(launched(), "mine");
    rig.run(&["suspend", "api"]).ok();
    wait::until("the session to end", || rig.tmux(&["list-sessions"]).is_empty().then_some(()));
    forget_start(&rig);
    let mut command = rig.command(&["resume", "api"]);
    Done::from(command.current_dir(&elsewhere).output().unwrap()).ok();
    rests(&rig, "api");
    assert_eq!(launched(), "mine");
}

/// All files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let (path, kind) = entry.map(|entry| (entry.path(), entry.file_type().unwrap())).unwrap();
        if kind.is_dir() {
            found.extend(files(&path));
        } else if kind.is_file() {
            found.push(path);
        }
    }
    found
}

#[test]
fn a_key_on_a_command_line_is_not_said_and_kept_in_its_own_file_alone() {
    const KEY: &str = "sk-ant-api03-AAAAbbbbCCCCdddd0000";
    if skipped() {
        return;
    }
    let rig = Rig::new();
    let _hub = hub(&rig);
    resting(&rig, "api", &["--append-system-prompt", KEY, "--verbose", "fix it"]);
    let is_over = || rig.tmux(&["list-sessions"]).is_empty().then_some(());
    let mut said = vec![rig.run(&["suspend", "api"])];
    wait::until("the session to end", is_over);
    forget_start(&rig);
    said.push(rig.run(&["resume", "api", "--json"]));
    rests(&rig, "api");
    let expected = ["--append-system-prompt", KEY, "--verbose", "--resume", "s1"];
    assert_eq!(own_words(&rig), expected);
    said.push(rig.run(&["stop", "api"]));
    wait::until("the session to end", is_over);
    // An option that nobody knows.
    resting(&rig, "api", &["--brand-new", KEY]);
    let refused = rig.run(&["suspend", "api"]);
    assert_eq!(refused.code, 7);
    assert!(refused.stderr.contains("--brand-new"), "{}", refused.stderr);
    said.push(refused);
    for args in [
        &["suspend", "api", "--json"][..],
        &["explain", "api"],
        &["show", "api", "--json"],
        &["ls", "--all", "--json"],
        &["stop", "api"],
        &["resume", "api"],
    ] {
        said.push(rig.run(args));
    }
    for done in said {
        assert!(!done.stdout.contains(KEY) && !done.stderr.contains(KEY), "{done:?}");
    }
    let own = rig.home.state().join("launches");
    for path in files(&rig.home.state()) {
        let text = fs::read(&path).unwrap();
        let has_key = String::from_utf8_lossy(&text).contains(KEY);
        assert_eq!(has_key, path.starts_with(&own), "{}", path.display());
    }
}

#[test]
fn what_cannot_be_done_is_refused_and_says_why() {
    if skipped() {
        return;
    }
    let rig = Rig::new();
    let _hub = hub(&rig);
    let refused = |args: &[&str], code: &str, word: &str| {
        let mut json = args.to_vec();
        json.push("--json");
        let done = rig.run(&json);
        let error: Value = serde_json::from_str(&done.stderr).unwrap();
        assert_eq!((done.code, &error["error"]["code"]), (7, &json!(code)), "{error}");
        assert!(error["error"]["message"].as_str().unwrap().contains(word), "{error}");
    };
    rig.run(&["report", "idle", "--agent", "told"]).ok();
    refused(&["suspend", "told"], "no_session", "session");
    refused(&["stop", "told"], "no_process", "process");
    refused(&["resume", "told"], "not_suspended", "idle");
    assert_eq!(rig.run(&["resume", "nobody"]).code, 4);
    resting(&rig, "api", &[]);
    refused(&["resume", "api"], "not_suspended", "idle");
    let hook = |event: &str| {
        let payload = json!({"hook_event_name": event, "session_id": "s1", "cwd": "/"});
        rig.home.hook("claude-code", &payload.to_string(), &[("HEADSUP_AGENT_ID", "api")]);
        rig.home.is_told();
    };
    hook("UserPromptSubmit");
    refused(&["suspend", "api"], "in_turn", "working");
    hook("PermissionRequest");
    refused(&["suspend", "api"], "open_prompt", "prompt");
    hook("Stop");
    // An agent does not do that to itself or to others.
    let token = &rig.env()[1];
    for act in ["suspend", "resume", "stop"] {
        let path = format!("/api/v1/agents/api/{act}");
        let (status, said) = post(&rig, &path, &[("x-headsup-agent-token", token)], &Value::Null);
        assert_eq!((status, &said["code"]), (403, &json!("human_only")), "{act}");
    }
    assert_eq!(rig.agent("api")["headline"], "done");
}

#[test]
fn an_agent_that_is_stopped_was_killed_and_is_not_resumed() {
    if skipped() {
        return;
    }
    let rig = Rig::new();
    let _hub = hub(&rig);
    // It does not go by itself.
    let script = fs::read_to_string(rig.home.path().join("bin/claude")).unwrap();
    let deaf = script.replace("exec cat", "trap '' TERM; while :; do read line <");
    let deaf = deaf.replace("\"$HOME/fifo\"\n", "\"$HOME/fifo\"; done\n");
    write(&rig.home.path().join("bin/claude"), &deaf, 0o755);
    resting(&rig, "api", &[]);
    let done = rig.run(&["stop", "api"]);
    assert_eq!((done.code, &*done.stderr), (0, "headsup: api is ended\n"));
    let agent = rig.agent("api");
    assert_eq!(
        (&agent["headline"], &agent["process"]["kind"]),
        (&json!("ended"), &json!("killed"))
    );
    let done = rig.run(&["resume", "api"]);
    assert_eq!(done.code, 7);
    assert!(done.stderr.contains("it is ended, not suspended"), "{}", done.stderr);
    assert_eq!(rig.run(&["stop", "api"]).code, 7);
}

#[test]
fn the_hub_takes_an_agent_up_where_nobody_has_a_terminal() {
    if skipped() {
        return;
    }
    let rig = Rig::new();
    let _hub = hub(&rig);
    resting(&rig, "api", &[]);
    let key = [("x-headsup-id", "k-1")];
    let (status, said) = post(&rig, "/api/agents/api/suspend", &key, &Value::Null);
    assert_eq!((status, &said["agent_id"]), (200, &json!("api")));
    let (status, said) = post(&rig, "/api/agents/api/suspend", &key, &Value::Null);
    assert_eq!((status, &said["duplicate"]), (200, &json!(true)));
    forget_start(&rig);
    let message = json!({"message": "go on"});
    let key = [("x-headsup-id", "k-2")];
    let (status, said) = post(&rig, "/api/agents/api/resume", &key, &message);
    assert_eq!((status, &said["agent_id"]), (200, &json!("api")), "{said}");
    rests(&rig, "api");
    assert_eq!(own_words(&rig), ["--resume", "s1", "--", "go on"]);
    assert!(rig.tmux(&["list-sessions"]).starts_with("headsup-api:"));
    // Once, however often it is asked for.
    let (status, said) = post(&rig, "/api/agents/api/resume", &key, &message);
    assert_eq!((status, &said["duplicate"]), (200, &json!(true)));
    let (status, said) = post(&rig, "/api/agents/api/resume", &[], &Value::Null);
    assert_eq!((status, &said["code"]), (409, &json!("not_suspended")));
    assert_eq!(rig.agent("api")["incarnation"], 2);
}
