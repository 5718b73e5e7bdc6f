//! What cannot be read of a turn may be its end: it is told as none, and the turn is not told again.

use super::{BINARY, begun, event, skipped, status, told_of_program, told_of_turn};
use headsup_testkit::home::Home;
use serde_json::{Value, json};

const PROGRAMS: [&[&str]; 2] = [&[], &["serve"]];

/// What is told of a turn with these events: the name of each report, and how that ends or why it is none.
fn told(home: &Home, events: &[Value], words: &[&str]) -> Vec<String> {
    let word = |report: &Value| {
        let name = report["hook_event_name"].as_str().unwrap();
        let why = report["not_understood"].as_str().or(report["status"].as_str());
        why.map_or_else(|| name.to_owned(), |why| format!("{name}: {why}"))
    };
    told_of_turn(home, events, words).iter().map(word).collect()
}

/// A turn with these events ends so, and `unread` is told where nobody knows how.
fn ends(home: &Home, events: &[Value], end: &str, unread: &str) {
    for words in PROGRAMS {
        let told = told(home, events, words);
        let last = told.last().map(String::as_str);
        assert_eq!(last, Some(&*format!("session.idle: {end}")), "{events:?}: {told:?}");
        let is_said = told.iter().any(|line| line == unread);
        assert_eq!(is_said, end == "unclear", "{events:?}: {told:?}");
    }
}

fn asked() -> Value {
    event("permission.asked", &json!({ "sessionID": "ses_1", "id": "per_1", "permission": "bash" }))
}

fn again() -> Value {
    json!({ "kind": "bus", "call": "again" })
}

#[test]
fn an_answer_that_it_cannot_read_leaves_the_end_unclear() {
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    for (member, word, end) in [
        ("response", "reject", "unclear"),
        ("reply", "deny", "unclear"),
        ("reply", "reject", "stopped"),
        ("reply", "once", "ended"),
    ] {
        let mut answer = json!({ "sessionID": "ses_1", "requestID": "per_1" });
        answer[member] = word.into();
        let said = [asked(), event("permission.replied", &answer), status("idle")];
        ends(&home, &said, end, "permission.replied: its reply");
    }
}

#[test]
fn an_error_that_it_cannot_read_leaves_the_end_unclear() {
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    let renamed = json!({ "sessionID": "ses_1", "error": { "type": "MessageAbortedError" } });
    let of_whom = json!({ "sessionID": { "id": "ses_1" }, "error": { "name": "APIError" } });
    for (error, why) in [(renamed, "no error.name"), (of_whom, "no sessionID")] {
        let said = event("session.error", &error);
        for words in PROGRAMS {
            let ends = told(&home, &[said.clone(), status("idle")], words);
            let expected = [format!("session.error: {why}"), "session.idle: unclear".to_owned()];
            assert_eq!(ends, expected);
            let goes_on = told(&home, &[said.clone(), status("busy"), status("idle")], words);
            assert_eq!(goes_on.last().map(String::as_str), Some("session.idle: ended"));
        }
    }
}

#[test]
fn an_error_whose_new_name_may_be_that_of_a_stop_leaves_the_end_unclear() {
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    for (name, end) in [
        ("SessionCancelledError", "unclear"),
        ("TurnAborted", "unclear"),
        ("MessageAbortedError", "stopped"),
        ("QuotaError", "failed"),
    ] {
        let error = json!({ "sessionID": "ses_1", "error": { "name": name } });
        let said = [event("session.error", &error), status("idle")];
        ends(&home, &said, end, "session.error: its error.name");
    }
}

#[test]
fn an_event_whose_new_name_may_be_that_of_an_end_leaves_the_end_unclear() {
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    for (name, end) in [
        ("session.failed", "unclear"),
        ("session.turn.aborted", "unclear"),
        ("session.rested", "ended"),
    ] {
        let said = [event(name, &json!({ "sessionID": "ses_1" })), status("idle")];
        for words in PROGRAMS {
            let expected = [format!("{name}: its name"), format!("session.idle: {end}")];
            assert_eq!(told(&home, &said, words), expected);
        }
    }
}

/// Its work was told in a word that nobody knows.
#[test]
fn whoever_has_asked_is_told_to_rest_also_where_its_work_was_not_read() {
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    let answer = json!({ "sessionID": "ses_1", "requestID": "per_1", "reply": "once" });
    let answer = event("permission.replied", &answer);
    let said = [status("running"), asked(), answer, status("idle"), status("idle")];
    for words in PROGRAMS {
        let rows: Vec<Value> = begun().into_iter().chain(said.clone()).collect();
        let told = told_of_program(&home, &rows.iter().collect::<Vec<_>>(), words);
        let rests = told.iter().filter(|report| report["hook_event_name"] == "session.idle");
        assert_eq!(rests.count(), 1, "{told:?}");
    }
}

#[test]
fn a_turn_whose_end_may_be_unread_is_not_told_again_until_something_of_it_is_read() {
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    let ready = status("ready");
    let deleted = event("session.deleted", &json!({ "sessionID": "ses_1" }));
    let nobodys = event("session.idle", &json!({ "session": "ses_1" }));
    let [mut nameless, mut nobodys_nameless] = [status("idle"), nobodys.clone()];
    for one in [&mut nameless, &mut nobodys_nameless] {
        one["data"]["type"] = Value::Null;
    }
    for unread in [ready, deleted, nobodys, nameless, nobodys_nameless] {
        for words in PROGRAMS {
            let told =
                told(&home, &[again(), unread.clone(), again(), status("busy"), again()], words);
            let busy = told.iter().filter(|line| *line == "session.status: busy").count();
            assert_eq!((busy, told.len()), (2, 3), "{told:?}");
        }
    }
}

/// Kilo's own word for the end of a turn.
#[test]
fn a_turn_that_is_closed_for_a_reason_that_nobody_knows_is_not_completed() {
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    let closed = |reason: Value| {
        event("session.turn.close", &json!({ "sessionID": "ses_1", "reason": reason }))
    };
    for words in PROGRAMS {
        let told = |reason: Value| told(&home, &[closed(reason)], words);
        assert_eq!(told("completed".into()), ["session.idle: ended"]);
        assert_eq!(told("error".into()), ["session.idle: unclear"]);
        for unknown in [Value::Null, "paused".into(), 7.into()] {
            let expected = ["session.turn.close: its reason", "session.idle: unclear"];
            assert_eq!(told(unknown), expected);
        }
    }
}
