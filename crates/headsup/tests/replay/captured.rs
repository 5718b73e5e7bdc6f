//! What is captured can be played, and says the same again, without a word of anybody's.

use headsup_testkit::home::Home;
use headsup_testkit::hub::Hub;
use headsup_testkit::replay::{Said, Verdict, is_bundle, play, play_and, unpack};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

const BINARY: &str = env!("CARGO_BIN_EXE_headsup");
/// What must be in no bundle.
const SECRETS: [&str; 6] = [
    "ghp_a1B2c3D4e5a1B2c3D4e5a1B2c3D4e5a1B2c3",
    "merger with acme",
    "hunter2",
    "top-secret-project",
    "launch-codes.txt",
    "ada@example.com",
];

/// A turn with a permission and all kinds of secrets.
fn session(home: &Home, agent: &str) {
    let [key, plan, password, project, file, mail] = SECRETS;
    let cwd = home.path().join(project);
    let log = home.path().join(".claude/projects/x/s-1.jsonl");
    let call = json!({
        "tool_name": "Bash", "tool_use_id": "toolu_1",
        "tool_input": {"command": format!("curl -d {key} {mail}"), "password": password},
    });
    let hook = |event: &str, more: &Value| {
        let mut payload = json!({
            "hook_event_name": event, "session_id": "s-1", "cwd": cwd, "transcript_path": log,
            "source": "startup", "prompt": plan, "background_tasks": [],
            "last_assistant_message": format!("wrote {file} for {mail}"),
            "tool_response": {"stdout": password}, "reason": "prompt_input_exit",
        });
        for (name, value) in more.as_object().unwrap() {
            payload[name] = value.clone();
        }
        home.hook("claude-code", &payload.to_string(), &[("HEADSUP_AGENT_ID", agent)]).ok();
    };
    let nothing = json!({});
    hook("SessionStart", &nothing);
    hook("UserPromptSubmit", &nothing);
    hook("PreToolUse", &call);
    hook("PermissionRequest", &call);
    hook("PostToolUse", &call);
    hook("Stop", &nothing);
    hook("UserPromptSubmit", &json!({"prompt": password}));
    hook("SessionEnd", &nothing);
}

fn capture(home: &Home, agent: &str, file: &Path, more: &[&str]) -> headsup_testkit::home::Done {
    let mut args = vec!["capture", agent, "-o", file.to_str().unwrap()];
    args.extend(more);
    home.run(args)
}

/// Waits until all of it is kept, which is done beside the answers.
fn captured(home: &Home, agent: &str, file: &Path, hooks: u64) -> Value {
    headsup_testkit::wait::until("the evidence", || {
        let doc = capture(home, agent, file, &["--force", "--json"]).ok().json();
        (doc["kept"]["hook"].as_u64() >= Some(hooks)).then_some(doc)
    })
}

/// The headlines that a hub has told of an agent, one after the other.
fn told(home: &Home, agent: &str) -> Vec<String> {
    let args = ["watch", agent, "--since", "0", "--no-follow", "--json"];
    let events = home.run(args).ok().stdout.clone();
    let mut told = Vec::<String>::new();
    for event in events.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let said = event["to"].as_str().or_else(|| event["agent"]["headline"].as_str());
        if let Some(said) = said.filter(|said| told.last().is_none_or(|last| last != said)) {
            told.push(said.to_owned());
        }
    }
    told
}

fn unpacked(file: &Path, temp: &Path, truth: &[Said]) -> Verdict {
    let folder = temp.join("unpacked");
    unpack(file, truth, &folder).unwrap();
    let verdict = play(Path::new(BINARY), &folder, &[]).unwrap();
    fs::remove_dir_all(folder).unwrap();
    verdict
}

#[test]
fn a_session_is_captured_without_its_secrets_and_told_again_in_the_same_order() {
    let home = Home::new(BINARY);
    let _hub = Hub::start(&home);
    session(&home, "private-name");
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("a.capture");
    let doc = captured(&home, "private-name", &file, 8);
    assert_eq!((&doc["schema"], &doc["kept"]["hook"]), (&json!(1), &json!(8)), "{doc}");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let text = fs::read_to_string(&file).unwrap();
    let own = home.path().file_name().unwrap().to_str().unwrap();
    for secret in SECRETS.iter().chain(&[own, "private-name"]) {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
    assert!(is_bundle(&file));

    let before = told(&home, "private-name");
    assert!(
        before.contains(&"blocked".to_owned()) && before.last().unwrap() == "ended",
        "{before:?}"
    );
    let verdict = unpacked(&file, temp.path(), &[]);
    assert_eq!(verdict.told["agent-1"], before);
    // What was really so can be said beside it.
    let truth = ["0 blocked".to_owned(), "999 working".to_owned()];
    let truth: Vec<Said> = truth.iter().map(|said| Said::parse(said).unwrap()).collect();
    let verdict = unpacked(&file, temp.path(), &truth);
    assert_eq!(verdict.spans.len(), 2, "{:?}", verdict.spans);
    assert_eq!(verdict.spans[0].truth, "blocked");

    let with_text = captured_text(&home, temp.path());
    assert!(with_text.contains(SECRETS[1]), "what was said is kept if it is asked for");
    for secret in [SECRETS[0], own] {
        assert!(!with_text.contains(secret), "{secret}: {with_text}");
    }
}

fn captured_text(home: &Home, temp: &Path) -> String {
    let file = temp.join("text.capture");
    capture(home, "private-name", &file, &["--text"]).ok();
    fs::read_to_string(file).unwrap()
}

#[test]
fn a_file_that_is_there_is_left_alone_and_nobody_is_captured_who_is_not_there() {
    let home = Home::new(BINARY);
    let _hub = Hub::start(&home);
    home.run(["report", "working", "--agent", "api"]).ok();
    let file = home.path().join("a.capture");
    fs::write(&file, "precious").unwrap();
    let refused = capture(&home, "api", &file, &[]);
    assert_eq!(refused.code, 7, "{refused:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "precious");
    let done = capture(&home, "api", &file, &["--force"]);
    assert!(done.ok().stderr.contains("kept: 1 report, ") && done.stdout.is_empty(), "{done:?}");
    assert!(is_bundle(&file));
    let out = home.run(["capture", "api"]);
    assert!(out.ok().stdout.starts_with("{\"headsup_capture\":1,"), "{out:?}");
    assert_eq!(capture(&home, "nobody", &home.path().join("b"), &[]).code, 4);
    assert!(!home.path().join("b").exists());
    let names = fs::read_dir(home.path()).unwrap();
    let left = names
        .filter(|name| name.as_ref().unwrap().file_name().to_string_lossy().contains("a.capture."));
    assert_eq!(left.count(), 0, "nothing is left beside it");
}

/// All witnesses together: hooks, status file, log and process.
#[test]
fn a_recording_that_is_played_and_captured_tells_the_same_again() {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("b.capture");
    let folder = crate::recordings().join("interrupt");
    let first = play_and(Path::new(BINARY), &folder, &[], |home| {
        let doc = captured(home, "claude-code-proj", &file, 5);
        for source in ["hook", "registry", "told"] {
            assert!(doc["kept"][source].as_u64() > Some(0), "{source}: {doc}");
        }
    });
    let first = first.unwrap();
    let again = unpacked(&file, temp.path(), &[]);
    let of = |verdict: &Verdict| verdict.told.values().next().unwrap().clone();
    // A machine that is out of breath may tell a moment more, and never less.
    let mut said = of(&again).into_iter();
    let all = of(&first).iter().all(|headline| said.any(|said| said == *headline));
    assert!(all, "{:?} after {:?}", of(&again), of(&first));
    crate::all_right(&[again]);
}

/// Most reports are about what the hub says now.
#[test]
fn what_a_capture_ends_with_is_judged_too() {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("c.capture");
    let report = |t_ms: u64, body: Value| json!({"t_ms": t_ms, "src": "report", "by": "report", "body": body});
    let told = |t_ms: u64, status: &str| json!({"t_ms": t_ms, "src": "told", "status": status});
    let rows = [
        json!({
            "headsup_capture": 1, "kind": "custom",
            "since": "2026-07-01T08:00:00.000Z", "captured_at": "2026-07-01T08:01:00.000Z",
        }),
        report(0, json!({"turn": "working"})),
        told(2, "working"),
        report(100, json!({"turn": "blocked", "reason": "question"})),
        told(102, "blocked"),
        report(200, json!({"turn": "done"})),
        told(202, "done"),
    ];
    fs::write(&file, rows.map(|row| row.to_string()).join("\n")).unwrap();
    let verdict = unpacked(&file, temp.path(), &[]);
    let last = verdict.spans.last().unwrap();
    assert_eq!(last.headlines["agent-1"], "done", "{last:?}");
    crate::all_right(&[verdict]);
    // At the last row, and behind it.
    for truth in ["202 blocked", "300 blocked"] {
        let verdict = unpacked(&file, temp.path(), &[Said::parse(truth).unwrap()]);
        assert!(!verdict.spans[0].right, "{truth}: {:?}", verdict.spans);
    }
}
