//! What a refusal holds back: the end of its turn comes with it, but nobody waits for a turn that goes on. And whose
//! turn goes on is remembered, however many others there are.

use super::{BINARY, event, skipped, status, told_of_turn};
use headsup_testkit::home::Home;
use serde_json::{Value, json};

const PROGRAMS: [&[&str]; 2] = [&[], &["serve"]];

/// What is told of a turn with these events: the name of each report, with how that ends or what is asked.
fn told(home: &Home, events: &[Value], words: &[&str]) -> Vec<String> {
    let line = |report: &Value| {
        let more = ["prompt_id", "tool_use_id", "status"].into_iter();
        let more = more.filter_map(|of| report[of].as_str());
        let name = report["hook_event_name"].as_str();
        name.into_iter().chain(more).collect::<Vec<_>>().join(" ")
    };
    told_of_turn(home, events, words).iter().map(line).collect()
}

fn call(id: &str, word: &str) -> Value {
    let state = json!({ "status": word, "input": {} });
    let mut part = json!({ "sessionID": "ses_1", "type": "tool", "tool": "bash", "state": state });
    part["callID"] = id.into();
    event("message.part.updated", &json!({ "part": part }))
}

/// This call asks.
fn asks(call: &str) -> Value {
    let mut ask = json!({ "sessionID": "ses_1", "permission": "bash", "tool": { "callID": call } });
    ask["id"] = format!("per_{call}").into();
    event("permission.asked", &ask)
}

/// Something of this turn asks, and does not say for which call.
fn asks_for_any(id: &str) -> Value {
    let mut ask = json!({ "sessionID": "ses_1", "permission": "doom_loop" });
    ask["id"] = format!("per_{id}").into();
    event("permission.asked", &ask)
}

fn refused(call: &str) -> Value {
    let request = format!("per_{call}");
    let answer = json!({ "sessionID": "ses_1", "requestID": request, "reply": "reject" });
    event("permission.replied", &answer)
}

fn says() -> Value {
    event("message.part.delta", &json!({ "sessionID": "ses_1", "delta": "Well" }))
}

/// Behind these events the refusal is told, and the turn has not ended with it; else it is told with its end alone.
fn is_told_at_once(home: &Home, events: &[Value], is_at_once: bool) {
    for words in PROGRAMS {
        let told = told(home, events, words);
        let at = told.iter().position(|line| line.starts_with("permission.replied per_a"));
        assert_eq!(at.is_some(), is_at_once, "{events:?}: {told:?}");
        let ended = self::told(home, &[events, &[status("idle")]].concat(), words);
        let with_it = ended.iter().any(|line| line == "permission.replied per_a stopped");
        assert_eq!(with_it, !is_at_once, "{events:?}: {ended:?}");
        assert_eq!(ended.last().map(String::as_str), Some("session.idle stopped"), "{ended:?}");
    }
}

#[test]
fn a_refusal_is_told_at_once_where_its_turn_goes_on() {
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    let asked = [call("a", "running"), asks("a")];
    let both = [&asked[..], &[call("b", "running")]].concat();
    let after = |before: &[Value], then: &[Value]| [before, then].concat();
    // What asks, and what is refused with it, goes on no more.
    is_told_at_once(&home, &after(&asked, &[refused("a")]), false);
    let all = [asks("b"), refused("a"), refused("b"), call("a", "error")];
    is_told_at_once(&home, &after(&both, &all), false);
    let unnamed = [call("a", "running"), asks_for_any("a")];
    is_told_at_once(&home, &after(&unnamed, &[refused("a")]), false);
    is_told_at_once(&home, &after(&unnamed, &[call("b", "running"), refused("a")]), true);
    // Another call goes on, or begins only then, or asks; or the model has more to say.
    is_told_at_once(&home, &after(&both, &[refused("a")]), true);
    is_told_at_once(&home, &after(&asked, &[refused("a"), call("b", "running")]), true);
    is_told_at_once(&home, &after(&asked, &[refused("a"), asks("b")]), true);
    is_told_at_once(&home, &after(&asked, &[refused("a"), says()]), true);
}

#[test]
fn an_answer_to_what_a_stopped_turn_left_open_holds_nothing_back() {
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    let error = json!({ "sessionID": "ses_1", "error": { "name": "MessageAbortedError" } });
    let stopped = [asks("a"), event("session.error", &error), status("idle"), status("busy")];
    let then = [refused("a"), call("b", "running")];
    for words in PROGRAMS {
        let told = told(&home, &[&stopped[..], &then].concat(), words);
        let last = told.last().map(String::as_str);
        assert_eq!(last, Some("message.part.updated b running"), "{told:?}");
        assert!(told.iter().any(|line| line == "permission.replied per_a"), "{told:?}");
    }
}

/// It is, for a moment, by a turn that was stopped as the model was about to call something.
#[test]
fn what_is_asked_behind_the_end_of_a_turn_leaves_that_end_as_it_was() {
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    for (name, end) in [("MessageAbortedError", "stopped"), ("APIError", "failed")] {
        let error = json!({ "sessionID": "ses_1", "error": { "name": name } });
        let late = [event("session.error", &error), status("idle"), asks("a"), status("idle")];
        for words in PROGRAMS {
            let ended = format!("session.idle {end}");
            let asked = [&*ended, "permission.asked per_a a", &*ended];
            assert_eq!(told(&home, &late, words), asked);
            // The next turn has an end of its own.
            let next = [&late[..], &[status("busy"), asks("a"), status("idle")]].concat();
            let told = told(&home, &next, words);
            assert_eq!(told.last().map(String::as_str), Some("session.idle ended"), "{told:?}");
        }
    }
}

#[test]
fn a_turn_is_remembered_until_it_ends_however_many_helpers_it_has() {
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    let mut events = Vec::new();
    for at in 0..600 {
        let id = format!("ses_h{at}");
        let info = json!({ "info": { "id": id, "parentID": "ses_1" } });
        events.push(event("session.created", &info));
        for word in ["busy", "idle"] {
            let status = json!({ "sessionID": id, "status": { "type": word } });
            events.push(event("session.status", &status));
        }
    }
    events.extend([asks("a"), status("idle")]);
    for words in PROGRAMS {
        let told = told(&home, &events, words);
        let last = &told[told.len() - 2..];
        assert_eq!(last, ["permission.asked per_a a", "session.idle ended"]);
    }
}
