//! The plugin itself, in the runtime that it is written for: what it makes of a recorded bus is
//! what the recordings hold, and it reaches a hub, or the spool, or nobody, without a word.

#![expect(clippy::unwrap_used, reason = "a test may fail")]
#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]

mod documented;
mod hangs;
mod refused;
mod terminal;
mod unclear;
mod written;

use headsup_testkit::home::Home;
use headsup_testkit::hub::Hub;
use headsup_testkit::wait;
use serde_json::{Value, json};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

const BINARY: &str = env!("CARGO_BIN_EXE_headsup");
const DRIVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/plugin/driver.mjs");
const RUNTIME: &str = "node";

/// Says why a test did nothing; on CI it is a failure.
fn skipped() -> bool {
    let is_here = Command::new(RUNTIME).arg("--version").output().is_ok();
    assert!(is_here || std::env::var_os("CI").is_none(), "{RUNTIME} cannot be had");
    if !is_here {
        eprintln!("SKIPPED: {RUNTIME} is not installed on this machine, so no plugin can run");
    }
    !is_here
}

/// All recordings, with the kind.
fn recordings() -> Vec<(&'static str, PathBuf)> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../adapters/fixtures");
    let mut found = Vec::new();
    for (kind, version) in [("opencode", "1.18.33"), ("kilo", "7.7.9")] {
        let folders = fs::read_dir(fixtures.join(kind).join(version)).unwrap();
        let folders = folders.map(|folder| folder.unwrap().path());
        let with_bus = folders.filter(|folder| folder.join("timeline.jsonl").is_file());
        found.extend(with_bus.map(|folder| (kind, folder)));
    }
    assert!(found.len() > 30, "{}", found.len());
    found
}

fn rows(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("timeline.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn bus(rows: &[Value]) -> impl Iterator<Item = &Value> {
    rows.iter().filter(|row| row["kind"] == "bus")
}

/// The installed plugin, as a module.
fn installed(home: &Home, kind: &str) -> PathBuf {
    home.run(["hooks", "install", kind]).ok();
    let file = home.path().join(format!(".config/{kind}/plugin/headsup.js"));
    let module = home.path().join("headsup.mjs");
    fs::copy(file, &module).unwrap();
    module
}

fn driver(home: &Home, module: &Path, rows: &[&Value]) -> Child {
    let mut command = Command::new(RUNTIME);
    command.args([DRIVER.as_ref(), module.as_os_str()]);
    command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", home.path());
    start(command, rows)
}

fn start(mut command: Command, rows: &[&Value]) -> Child {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for row in rows {
        writeln!(stdin, "{row}").unwrap();
    }
    drop(stdin);
    child
}

/// Its output, once it has ended by itself and without a complaint.
fn ended(child: Child) -> String {
    let output = child.wait_with_output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && complaint.is_empty(), "{complaint}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn what_it_tells_of_each_recorded_bus_is_what_the_recordings_hold() {
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    for (kind, folder) in recordings() {
        let rows = rows(&folder);
        let module = installed(&home, kind);
        let mut command = Command::new(RUNTIME);
        command.args([DRIVER.as_ref(), module.as_os_str()]);
        command.env_clear().env("PATH", "/usr/bin:/bin").env("DRY", "1");
        let told = ended(start(command, &bus(&rows).collect::<Vec<_>>()));
        let told = told.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let told: Vec<Value> = told.map(|told| told["report"].clone()).collect();
        let held = rows.iter().filter(|row| row["kind"] == "hook");
        let held: Vec<Value> = held.map(|row| row["payload"].clone()).collect();
        assert!(!told.is_empty());
        assert_eq!(told, held, "{}", folder.display());
    }
}

/// What it would tell of this bus.
fn told(home: &Home, bus: &[&Value]) -> Vec<Value> {
    told_of_program(home, bus, &[])
}

/// The same, of a program that was started with these words.
fn told_of_program(home: &Home, bus: &[&Value], words: &[&str]) -> Vec<Value> {
    let module = installed(home, "opencode");
    let mut command = Command::new(RUNTIME);
    command.args([DRIVER.as_ref(), module.as_os_str()]).args(words);
    command.env_clear().env("PATH", "/usr/bin:/bin").env("DRY", "1");
    let told = ended(start(command, bus));
    let told = told.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    told.map(|told| told["report"].clone()).collect()
}

/// What is told of a turn with these events, behind its start.
fn told_of_turn(home: &Home, events: &[Value], words: &[&str]) -> Vec<Value> {
    let (begins, start) = (begun(), status("busy"));
    let rows: Vec<&Value> = begins.iter().chain([&start]).chain(events).collect();
    let mut told = told_of_program(home, &rows, words);
    let at = told.iter().position(|report| report["hook_event_name"] == "session.status").unwrap();
    told.split_off(at + 1)
}

fn event(kind: &str, properties: &Value) -> Value {
    let data = json!({ "id": format!("evt_{kind}"), "type": kind, "properties": properties });
    json!({ "kind": "bus", "call": "event", "data": data })
}

fn status(word: &str) -> Value {
    event("session.status", &json!({ "sessionID": "ses_1", "status": { "type": word } }))
}

/// The bus of a program in which a conversation begins.
fn begun() -> [Value; 2] {
    let info = json!({ "info": { "id": "ses_1", "directory": "/home/dev/project" } });
    let init = json!({ "directory": "/home/dev/project" });
    let init = json!({ "kind": "bus", "call": "init", "data": init });
    [init, event("session.created", &info)]
}

#[test]
fn a_turn_that_rests_between_two_tries_was_stopped() {
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    for (words, how) in [
        (&["busy", "retry", "idle"][..], "stopped"),
        (&["busy", "offline", "idle"], "stopped"),
        (&["busy", "retry", "busy", "idle"], "ended"),
        (&["busy", "offline", "retry", "busy", "idle"], "ended"),
    ] {
        let words = words.iter().map(|word| status(word));
        let rows: Vec<Value> = begun().into_iter().chain(words).collect();
        let told = told(&home, &rows.iter().collect::<Vec<_>>());
        assert_eq!(told.last().unwrap()["status"], how, "{told:?}");
    }
}

#[test]
fn a_call_that_gives_something_out_after_its_turn_was_stopped_begins_no_other() {
    if skipped() {
        return;
    }
    let part = json!({
        "sessionID": "ses_1", "type": "tool", "callID": "c1", "tool": "bash",
        "state": { "status": "running", "input": { "command": "sleep 20" } },
    });
    let running = event("message.part.updated", &json!({ "part": part }));
    let [init, created] = begun();
    let rows = [init, created, status("busy"), running.clone(), status("idle"), running];
    let told = told(&Home::new(BINARY), &rows.iter().collect::<Vec<_>>());
    let names = told.iter().map(|report| report["hook_event_name"].as_str().unwrap());
    let expected = [
        "plugin.init",
        "session.started",
        "session.status",
        "message.part.updated",
        "session.idle",
    ];
    assert_eq!(names.collect::<Vec<_>>(), expected);
}

/// A word about a helper, or of it.
fn helper(kind: &str, mut more: Value) -> Value {
    more["sessionID"] = "ses_2".into();
    more["info"] = json!({ "id": "ses_2", "parentID": "ses_1" });
    event(kind, &more)
}

/// The bus of a turn that ends before its helper does.
fn outlived() -> Vec<Value> {
    let created = helper("session.created", json!({}));
    let busy = helper("session.status", json!({ "status": { "type": "busy" } }));
    begun().into_iter().chain([status("busy"), created, busy, status("idle")]).collect()
}

#[test]
fn a_turn_whose_helper_goes_on_ends_when_that_one_does() {
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    let fails = |name: &str| helper("session.error", json!({ "error": { "name": name } }));
    let idle = helper("session.status", json!({ "status": { "type": "idle" } }));
    for end in [idle, helper("session.deleted", json!({})), fails("APIError")] {
        let mut rows = outlived();
        rows.extend([fails("ContextOverflowError"), end]);
        let told = told(&home, &rows.iter().collect::<Vec<_>>());
        let is_end = |report: &&Value| report["hook_event_name"] == "session.idle";
        let own = told.iter().filter(is_end).filter(|report| report["agent_id"].is_null());
        let own: Vec<Value> =
            own.map(|report| json!([report["status"], report["background_tasks"]])).collect();
        let goes_on = json!(["background", [{ "id": "ses_2" }]]);
        assert_eq!(own, [goes_on, json!(["ended", null])], "{told:?}");
    }
}

#[test]
fn a_turn_that_is_stopped_does_not_wait_for_its_helper() {
    if skipped() {
        return;
    }
    let error = json!({ "sessionID": "ses_1", "error": { "name": "MessageAbortedError" } });
    let mut rows = outlived();
    let idle = rows.pop().unwrap();
    rows.extend([event("session.error", &error), idle]);
    let told = told(&Home::new(BINARY), &rows.iter().collect::<Vec<_>>());
    let (helpers, own) = (&told[told.len() - 2], &told[told.len() - 1]);
    assert_eq!((&helpers["agent_id"], &own["agent_id"]), (&json!("ses_2"), &Value::Null));
    assert_eq!(own["status"], "stopped", "{told:?}");
}

#[test]
fn whatever_a_deleted_conversation_has_started_is_gone_with_it() {
    const PROGRAMS: [&[&str]; 2] = [&[], &["serve"]];
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    let of = |kind: &str, info: Value| event(kind, &json!({ "info": info }));
    let says = |kind: &str, mut more: Value| {
        more["sessionID"] = "ses_2".into();
        event(kind, &more)
    };
    let late = [
        says("session.status", json!({ "status": { "type": "busy" } })),
        says("permission.asked", json!({ "id": "per_1", "permission": "bash" })),
        of("session.created", json!({ "id": "ses_3", "parentID": "ses_2" })),
        event("session.status", &json!({ "sessionID": "ses_3", "status": { "type": "busy" } })),
        of("session.updated", json!({ "id": "ses_2", "parentID": "ses_1", "title": "Again" })),
        says("session.status", json!({ "status": { "type": "idle" } })),
        of("session.created", json!({ "id": "ses_4" })),
    ];
    // The helper may be deleted before it.
    for before in [None, Some(helper("session.deleted", json!({})))] {
        for words in PROGRAMS {
            let mut rows = outlived();
            rows.extend(before.clone());
            rows.push(of("session.deleted", json!({ "id": "ses_1" })));
            rows.extend(late.clone());
            let told = told_of_program(&home, &rows.iter().collect::<Vec<_>>(), words);
            let is_end = |report: &Value| {
                report["hook_event_name"] == "session.deleted" && report["agent_id"].is_null()
            };
            let at = told.iter().position(is_end).unwrap();
            let later = told[at + 1..].iter().map(|report| report["session_id"].clone());
            assert_eq!(later.collect::<Vec<_>>(), ["ses_4"], "{told:?}");
        }
    }
}

#[test]
fn a_helper_that_is_deleted_ends_and_stays_gone() {
    if skipped() {
        return;
    }
    let own = event("session.created", &json!({ "info": { "id": "ses_3", "parentID": "ses_2" } }));
    let busy = |id: &str| {
        event("session.status", &json!({ "sessionID": id, "status": { "type": "busy" } }))
    };
    let mut rows = outlived();
    rows.extend([own, busy("ses_3"), helper("session.deleted", json!({}))]);
    rows.extend([busy("ses_2"), busy("ses_3")]);
    let told = told(&Home::new(BINARY), &rows.iter().collect::<Vec<_>>());
    let ends = told[told.len() - 3..]
        .iter()
        .map(|report| json!([report["hook_event_name"], report["agent_id"], report["status"]]));
    // What it has started ends with it, and with both the turn.
    let expected = [
        json!(["session.idle", "ses_3", null]),
        json!(["session.deleted", "ses_2", null]),
        json!(["session.idle", null, "ended"]),
    ];
    assert_eq!(ends.collect::<Vec<_>>(), expected, "{told:?}");
}

#[test]
fn what_a_helper_asks_behind_its_turn_leaves_nothing_at_work() {
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    let _hub = Hub::start(&home);
    let module = installed(&home, "opencode");
    let mut rows = outlived();
    rows.extend([
        helper("permission.asked", json!({ "id": "per_1", "permission": "bash" })),
        helper("permission.replied", json!({ "requestID": "per_1", "reply": "once" })),
        helper("session.status", json!({ "status": { "type": "idle" } })),
    ]);
    ended(driver(&home, &module, &rows.iter().collect::<Vec<_>>()));
    let log = wait::until("the end of the turn", || {
        let log = home.run(["watch", "--since", "0", "--no-follow", "--json"]).stdout;
        log.contains("\"turn.completed\"").then_some(log)
    });
    let at = |kind: &str| log.find(&format!("\"{kind}\""));
    let places = ["turn.started", "prompt.opened", "prompt.resolved", "turn.completed"].map(at);
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{log}");
    assert_eq!(log.matches("\"turn.completed\"").count(), 1, "{log}");
    assert!(log.contains("\"reason\":\"background\""), "{log}");
}

fn case(name: &str) -> Vec<Value> {
    let all = recordings();
    let (_, folder) = all.iter().find(|(_, folder)| folder.ends_with(name)).unwrap();
    rows(folder)
}

fn headline(home: &Home) -> Option<String> {
    let agents = home.run(["ls", "--all", "--json"]).ok().json();
    let agents = agents["agents"].as_array().unwrap().clone();
    assert!(agents.len() < 2, "{agents:?}");
    Some(agents.first()?["headline"].as_str().unwrap().to_owned())
}

/// Up to and with the first event of this name.
fn until<'a>(rows: &'a [Value], name: &str) -> Vec<&'a Value> {
    let all: Vec<&Value> = bus(rows).collect();
    let at = all.iter().position(|row| row["data"]["type"] == name).unwrap();
    all[..=at].to_vec()
}

#[test]
fn it_reaches_the_hub_and_names_its_own_process() {
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    let _hub = Hub::start(&home);
    let module = installed(&home, "opencode");
    let rows = case("tui_question");
    ended(driver(&home, &module, &until(&rows, "question.asked")));
    // It was at a question when it went, and has said no goodbye.
    wait::until("the crash", || (headline(&home)? == "crashed").then_some(()));
    let log = home.run(["watch", "--since", "0", "--no-follow", "--json"]).ok().stdout.clone();
    for word in ["\"working\"", "\"blocked\"", "Which colour", "\"crashed\""] {
        assert!(log.contains(word), "{word}: {log}");
    }
}

#[test]
fn a_goodbye_is_told_before_the_program_leaves() {
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    let _hub = Hub::start(&home);
    let module = installed(&home, "opencode");
    let rows = case("tui_sigterm_working");
    ended(driver(&home, &module, &bus(&rows).collect::<Vec<_>>()));
    wait::until("the end", || (headline(&home)? == "ended").then_some(()));
}

#[test]
fn without_a_hub_it_writes_down_what_a_later_one_finds() {
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    let module = installed(&home, "opencode");
    let rows = case("plain_turn");
    ended(driver(&home, &module, &bus(&rows).collect::<Vec<_>>()));
    let _hub = Hub::start(&home);
    let log = wait::until("the spool", || {
        let log = home.run(["watch", "--since", "0", "--no-follow", "--json"]).stdout;
        log.contains("turn.completed").then_some(log)
    });
    assert!(log.contains("\"completed\""), "{log}");
}

#[test]
fn without_headsup_it_is_silent() {
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    let module = installed(&home, "opencode");
    fs::remove_file(home.state().join("bin/headsup")).unwrap();
    let rows = case("plain_turn");
    assert_eq!(ended(driver(&home, &module, &bus(&rows).collect::<Vec<_>>())), "");
    assert!(!home.state().join("spool").exists());
}

/// The names of what it tells of these events, and why it has not understood one, if it has not.
fn told_of(home: &Home, events: &[(&str, Value)]) -> Vec<(String, Option<String>)> {
    let rows: Vec<Value> = std::iter::once(json!({"call": "init", "data": {"directory": "/p"}}))
        .chain(events.iter().enumerate().map(|(index, (name, properties))| {
            json!({"call": "event", "data": {"id": format!("e{index}"), "type": name, "properties": properties}})
        }))
        .collect();
    let module = installed(home, "opencode");
    let mut command = Command::new(RUNTIME);
    command.args([DRIVER.as_ref(), module.as_os_str()]);
    command.env_clear().env("PATH", "/usr/bin:/bin").env("DRY", "1");
    let told = ended(start(command, &rows.iter().collect::<Vec<_>>()));
    let read = |line: &str| {
        let report: Value = serde_json::from_str::<Value>(line).unwrap()["report"].clone();
        let text = |name: &str| report[name].as_str().map(str::to_owned);
        (text("hook_event_name").unwrap(), text("not_understood"))
    };
    let told = told.lines().map(read);
    told.filter(|(name, _)| name != "plugin.init" && name != "session.started").collect()
}

#[test]
fn what_it_does_not_understand_it_says_and_takes_for_nothing_else() {
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    let busy = ("session.status", json!({"sessionID": "s", "status": {"type": "busy"}}));
    let asked = |members: Value| ("permission.asked", members);
    let strange = [
        ("session.status", json!({"sessionID": "s", "status": {"type": "hibernating"}})),
        ("session.status", json!({"sessionID": "s", "status": {"kind": "idle"}})),
        ("session.status", json!({"sessionID": "s", "status": "idle"})),
        ("session.status", json!({"sessionID": "s"})),
        ("session.status", json!({"session": "s", "status": {"type": "busy"}})),
        ("session.idle", json!({"session": "s"})),
        ("session.idle", json!({"sessionID": {"id": "s"}})),
        ("session.rested", json!({"sessionID": "s"})),
        ("consent.asked", json!({"sessionID": "s", "id": "q"})),
        asked(json!({"sessionID": "s", "ident": "p", "patterns": ["ls"]})),
        asked(json!({"session": "s", "id": "p"})),
        ("question.asked", json!({"sessionID": "s", "id": "q", "questions": "Red?"})),
        ("question.asked", json!({"sessionID": "s", "id": "q", "questions": [null]})),
        ("permission.replied", json!({"sessionID": "s", "request": "p", "reply": "once"})),
        ("session.error", json!({"sessionID": {"id": "s"}, "error": {"name": "APIError"}})),
        ("session.error", json!({"sessionID": "s", "error": {"type": "APIError"}})),
        ("session.created", json!({"sessionID": "s"})),
        ("session.updated", json!({"sessionID": "s", "info": {"ident": "s"}})),
        ("session.deleted", json!({"sessionID": "s"})),
    ];
    for (name, members) in strange {
        let event = (name, members.clone());
        let told = told_of(&home, &[busy.clone(), event.clone(), event]);
        assert_eq!(told.len(), 2, "once: {name} {members}: {told:?}");
        assert_eq!(told[0], ("session.status".to_owned(), None));
        assert!(told[1].0 == name && told[1].1.is_some(), "{name} {members}: {told:?}");
    }
    let understood = [
        asked(json!({"sessionID": "s", "id": "p", "permission": "bash", "patterns": "ls"})),
        asked(json!({"sessionID": "s", "id": "p", "permission": "bash", "patterns": {"a": 1}})),
        (
            "permission.v2.asked",
            json!({"sessionID": "s", "id": "p", "action": "bash", "resources": ["ls"]}),
        ),
    ];
    for (name, members) in understood {
        let told = told_of(&home, &[busy.clone(), (name, members.clone())]);
        let asked = ("permission.asked".to_owned(), None);
        assert_eq!(told.last(), Some(&asked), "{members}");
    }
    for name in ["session.diff", "session.next.text.delta", "session.created.1", "file.edited"] {
        assert!(told_of(&home, &[(name, json!({"sessionID": "s"}))]).is_empty(), "{name}");
    }
}
