//! How a turn ends that its conversation alone tells, and how a run without a terminal begins.

use super::{BINARY, begun, event, skipped, status, told_of_program};
use headsup_testkit::home::Home;
use serde_json::{Value, json};

const PROGRAMS: [&[&str]; 2] = [&[], &["serve"]];

/// What is told of this bus.
fn told(home: &Home, rows: &[Value], words: &[&str]) -> Vec<Value> {
    told_of_program(home, &rows.iter().collect::<Vec<_>>(), words)
}

/// A turn with these events ends so.
fn ends(home: &Home, events: &[Value], end: &str) {
    for words in PROGRAMS {
        let begins = begun().into_iter().chain([status("busy")]);
        let rows = begins.chain(events.iter().cloned()).chain([status("idle")]);
        let told = told(home, &rows.collect::<Vec<_>>(), words);
        let last = told.last().unwrap();
        assert_eq!(last["hook_event_name"], "session.idle", "{told:?}");
        assert_eq!(last["status"], end, "{events:?}: {told:?}");
    }
}

fn answer(id: &str, error: Option<&str>) -> Value {
    let error = error.map(|name| json!({ "name": name, "data": { "message": "Aborted" } }));
    let info = json!({ "id": id, "sessionID": "ses_1", "role": "assistant", "error": error });
    event("message.updated", &json!({ "sessionID": "ses_1", "info": info }))
}

#[test]
fn an_error_that_stands_in_the_answer_alone_is_how_the_turn_ends() {
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    for (name, end) in [
        ("MessageAbortedError", "stopped"),
        ("StructuredOutputError", "failed"),
        ("TurnCancelledError", "unclear"),
    ] {
        let (begins, fails) = (answer("msg_1", None), answer("msg_1", Some(name)));
        ends(&home, &[begins.clone(), fails.clone()], end);
        ends(&home, &[begins, fails.clone(), status("busy")], "ended");
        // That of another turn.
        ends(&home, &[answer("msg_2", None), fails], "ended");
    }
}

#[test]
fn a_turn_that_ends_before_an_answer_is_begun_was_stopped() {
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    let prompt = |summary: Value| {
        let info = json!({ "id": "m", "sessionID": "ses_1", "role": "user", "summary": summary });
        event("message.updated", &json!({ "sessionID": "ses_1", "info": info }))
    };
    let typed = || prompt(Value::Null);
    ends(&home, &[typed()], "stopped");
    let error = json!({ "sessionID": "ses_1", "error": { "name": "UnknownError" } });
    ends(&home, &[typed(), event("session.error", &error)], "failed");
    // Its summary comes later.
    let summed_up = prompt(json!({ "diffs": [] }));
    ends(&home, &[typed(), answer("msg_1", None), summed_up], "ended");
}

/// The end of one that came to nothing is that of its turn.
#[test]
fn a_conversation_that_is_summed_up_is_told_of_and_so_is_its_end() {
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    let summary = |more: Value| {
        let mut info = json!({
            "id": "msg_2", "sessionID": "ses_1", "role": "assistant", "mode": "compaction",
            "summary": true,
        });
        info.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
        event("message.updated", &json!({ "sessionID": "ses_1", "info": info }))
    };
    let begins = summary(json!({}));
    let is_complete = summary(json!({ "time": { "completed": 1 } }));
    let fails = summary(json!({ "error": { "name": "MessageAbortedError" } }));
    let compacted = event("session.compacted", &json!({ "sessionID": "ses_1" }));
    let goes_on = answer("msg_3", None);
    for (events, end) in [
        (vec![begins.clone(), begins.clone(), is_complete.clone(), compacted.clone()], "ended"),
        (vec![begins.clone(), is_complete, goes_on], "ended"),
        (vec![begins, fails], "stopped"),
    ] {
        for words in PROGRAMS {
            let bus = begun().into_iter().chain([status("busy")]);
            let bus = bus.chain(events.iter().cloned()).chain([status("idle"), compacted.clone()]);
            let told = told(&home, &bus.collect::<Vec<_>>(), words);
            let word = |report: &Value, name: &str| report[name].as_str().unwrap_or("-").to_owned();
            let lines = told
                .iter()
                .map(|report| [word(report, "hook_event_name"), word(report, "status")].join(" "));
            let lines: Vec<String> = lines.collect();
            let expected = [
                "session.status busy".to_owned(),
                "session.status compacting".to_owned(),
                "session.compacted -".to_owned(),
                format!("session.idle {end}"),
            ];
            assert!(lines.ends_with(&expected), "{events:?}: {told:?}");
        }
    }
}

/// Kilo 7.7.7.
#[test]
fn what_is_said_to_be_interrupted_was_stopped() {
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    let closed = json!({ "sessionID": "ses_1", "reason": "interrupted" });
    ends(&home, &[event("session.turn.close", &closed)], "stopped");
    let drained = event("session.drain.interrupted", &json!({ "sessionID": "ses_1" }));
    ends(&home, std::slice::from_ref(&drained), "stopped");
    // Behind an end it says nothing.
    ends(&home, &[status("idle"), drained], "ended");
}

#[test]
fn a_command_of_a_persons_own_that_is_stopped_is_no_completed_turn() {
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    let call = |state: Value| {
        let part = json!({
            "sessionID": "ses_1", "type": "tool", "callID": "c1", "tool": "bash", "state": state,
        });
        event("message.part.updated", &json!({ "part": part }))
    };
    let stopped = "\n\n<metadata>\nUser aborted the command\n</metadata>";
    for (output, end) in [(stopped, "stopped"), ("hello\n", "ended")] {
        let runs = call(json!({ "status": "running", "input": { "command": "sleep 30" } }));
        let is_complete = call(json!({ "status": "completed", "output": output }));
        ends(&home, &[runs, is_complete], end);
    }
}

fn typed(text: &str) -> Value {
    let output = json!({ "parts": [{ "type": "text", "text": text }] });
    let data = json!({ "input": { "sessionID": "ses_1" }, "output": output });
    json!({ "kind": "bus", "call": "chat.message", "data": data })
}

#[test]
fn what_was_typed_into_a_turn_is_not_the_prompt_of_the_next() {
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    let turn = [typed("One"), status("busy"), typed("And then?"), status("idle"), status("busy")];
    let rows: Vec<Value> = begun().into_iter().chain(turn).collect();
    let told = told(&home, &rows, &[]);
    let begins = told.iter().filter(|report| report["hook_event_name"] == "session.status");
    let prompts: Vec<&Value> = begins.map(|report| &report["prompt"]).collect();
    assert_eq!(prompts, [&json!("One"), &Value::Null], "{told:?}");
}

#[test]
fn a_run_without_a_terminal_is_at_work_from_the_first_that_is_told_of_it() {
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    let [init, created] = begun();
    let rows = [init, created, typed("Hello"), status("busy"), status("idle")];
    let word = |report: &Value, name: &str| report[name].as_str().unwrap_or("-").to_owned();
    let told = told(&home, &rows, &["run"]);
    let lines = told.iter().map(|report| {
        ["hook_event_name", "status", "prompt", "mode"].map(|name| word(report, name)).join(" ")
    });
    let expected = [
        "session.status busy Hello -",
        "session.started - - headless",
        "session.status busy - -",
        "session.idle ended - -",
    ];
    assert_eq!(lines.collect::<Vec<_>>(), expected, "{told:?}");
    // It is one turn.
    let turns = [0, 2, 3].map(|at: usize| word(&told[at], "turn_id"));
    assert!(turns.iter().all(|turn| *turn == turns[0] && turn != "-"), "{told:?}");
}

#[test]
fn a_run_without_a_terminal_that_takes_no_prompt_is_not_told_of() {
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    let [init, created] = begun();
    let gone = || json!({ "kind": "bus", "call": "dispose" });
    let names = |rows: &[Value], words: &[&str]| {
        let told = told(&home, rows, words);
        let name = |report: &Value| report["hook_event_name"].as_str().unwrap().to_owned();
        told.iter().map(name).collect::<Vec<_>>()
    };
    assert!(names(&[init.clone(), gone()], &["run"]).is_empty());
    let begins = names(&[init.clone(), created, gone()], &["run"]);
    assert_eq!(begins, ["session.started", "dispose"]);
    // With `-i` it has a prompt box.
    assert_eq!(names(&[init, gone()], &["run", "-i"]), ["plugin.init", "dispose"]);
}

/// `opencode models` loads its plugins, and has no agent.
#[test]
fn a_command_that_lists_or_sets_something_is_not_told_of() {
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    let [init, _] = begun();
    let rows = [init, json!({ "kind": "bus", "call": "dispose" })];
    let count = |words: &[&str]| told(&home, &rows, words).len();
    for words in [
        &["models"][..],
        &["session", "list"],
        &["mcp", "list"],
        &["--print-logs", "models"],
        &["--log-level=DEBUG", "models"],
        &["import", "session.json"],
        &["pr", "7"],
    ] {
        assert_eq!(count(words), 0, "{words:?}");
    }
    // An agent may be called so, and somebody may say so to the model.
    for words in [
        &["--agent", "debug"][..],
        &["run", "-i", "models"],
        &["--agent", "web"],
        &["--agent", "run"],
        &["--prompt", "serve"],
    ] {
        assert_eq!(count(words), 2, "{words:?}");
    }
}
