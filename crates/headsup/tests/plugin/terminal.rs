//! Several conversations in one terminal, of which one is shown, and what is deleted among them.

use super::{BINARY, driver, ended, event, installed, skipped, told_of_program};
use headsup_testkit::home::Home;
use headsup_testkit::hub::Hub;
use headsup_testkit::wait;
use serde_json::{Value, json};

fn of(kind: &str, id: &str, parent: Option<&str>) -> Value {
    event(kind, &json!({ "info": { "id": id, "parentID": parent } }))
}

fn created(id: &str) -> Value {
    of("session.created", id, None)
}

fn deleted(id: &str) -> Value {
    of("session.deleted", id, None)
}

fn status(id: &str, word: &str) -> Value {
    let status = json!({ "sessionID": id, "status": { "type": word } });
    let mut row = event("session.status", &status);
    row["data"]["id"] = format!("turn_{id}").into();
    row
}

fn busy(id: &str) -> Value {
    status(id, "busy")
}

fn idle(id: &str) -> Value {
    status(id, "idle")
}

fn asks(id: &str) -> Value {
    let ask = json!({ "sessionID": id, "id": format!("per_{id}"), "permission": "bash" });
    event("permission.asked", &ask)
}

fn answered(id: &str, reply: &str) -> Value {
    let request = format!("per_{id}");
    event("permission.replied", &json!({ "sessionID": id, "requestID": request, "reply": reply }))
}

/// `b` is at work, with a helper, when `a` is prompted in the same terminal.
fn two() -> Vec<Value> {
    let helper = of("session.created", "h", Some("b"));
    vec![created("b"), busy("b"), helper, busy("h"), created("a"), busy("a")]
}

/// What is told of these events, of each: its name, the session (and the other one that it is of), and how
/// that ends or what asks.
fn told(home: &Home, events: Vec<Value>, words: &[&str]) -> Vec<String> {
    let init = json!({ "call": "init", "data": { "directory": "/p" } });
    let rows: Vec<Value> = std::iter::once(init).chain(events).collect();
    let told = told_of_program(home, &rows.iter().collect::<Vec<_>>(), words);
    let line = |report: &Value| {
        let word = |name: &str| report[name].as_str();
        let whose = [word("session_id"), word("agent_id")].into_iter().flatten();
        let whose = whose.collect::<Vec<_>>().join("/");
        let more = word("status").or(word("prompt_id"));
        let name = word("hook_event_name");
        [name, Some(&*whose), more].into_iter().flatten().collect::<Vec<_>>().join(" ")
    };
    told.iter().map(line).collect()
}

/// The end of what is told of a terminal is this.
fn ends(home: &Home, mut before: Vec<Value>, then: Vec<Value>, expected: &[&str]) {
    before.extend(then);
    let told = told(home, before, &[]);
    let from = told.len().saturating_sub(expected.len());
    assert_eq!(told[from..], *expected, "{told:#?}");
}

#[test]
fn a_conversation_that_is_deleted_while_it_asks_leaves_nothing_at_work() {
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    let rests = || [two(), vec![idle("a")]].concat();
    let of_itself = ["permission.asked a/b per_b", "session.idle a/h", "session.deleted a/b"];
    let expected = [&of_itself[..], &["session.idle a"]].concat();
    ends(&home, rests(), vec![asks("b"), deleted("b")], &expected);
    // Its helper asks, and it goes on itself or not: the shown conversation may not have had a turn yet.
    let unused = [&two()[..4], &[idle("b"), created("a")]].concat();
    let rest = ["session.idle b ended", "session.idle a"];
    for (before, rest) in [(rests(), &[][..]), (unused, &rest[..])] {
        for end in [idle("h"), of("session.deleted", "h", Some("b"))] {
            let name = end["data"]["type"].as_str().unwrap().replace("status", "idle");
            let ended = format!("{name} a/h");
            let expected = [&["permission.asked a/h per_h", &*ended][..], rest].concat();
            ends(&home, before.clone(), vec![asks("h"), end], &expected);
        }
    }
    // Who is shown works itself.
    ends(&home, two(), vec![asks("b"), deleted("b")], &of_itself);
}

#[test]
fn the_end_of_one_conversation_is_not_that_of_what_another_one_asks() {
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    let both = [vec![created("c"), busy("c")], two(), vec![idle("a"), asks("c"), asks("b")]];
    let rests = ["permission.asked a/b per_b", "session.idle b background"];
    ends(&home, both.concat(), vec![idle("b")], &rests);
    let deletes = ["session.idle a/h", "session.deleted a/b"];
    ends(&home, both.concat(), vec![deleted("b")], &deletes);
    let last = vec![deleted("b"), answered("c", "once"), idle("c")];
    let ended = ["permission.replied a/c per_c", "session.idle c ended", "session.idle a"];
    ends(&home, both.concat(), last, &[&deletes[..], &ended].concat());
}

#[test]
fn what_another_conversation_asks_waits_on_through_the_turns_of_the_one_that_is_shown() {
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    let asked = "permission.asked a/b per_b";
    let turns = vec![asks("b"), idle("a"), busy("a"), answered("b", "once"), idle("a")];
    let expected = [
        asked,
        "session.idle a ended",
        asked,
        "session.status a busy",
        asked,
        "permission.replied a/b per_b",
        "session.idle a ended",
    ];
    ends(&home, two(), turns, &expected);
    // On a server each has a seat of its own.
    let turns = [two(), vec![asks("b"), idle("a"), busy("a")]].concat();
    let told = told(&home, turns, &["serve"]);
    assert_eq!(told.iter().filter(|told| told.contains("per_b")).count(), 1, "{told:#?}");
}

#[test]
fn a_conversation_that_is_prompted_beside_one_that_goes_on_does_not_rest_before() {
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    let expected = ["session.status b/h busy", "session.status a busy"];
    ends(&home, two(), Vec::new(), &expected);
    let rests = vec![idle("h"), idle("b"), idle("a"), busy("b")];
    ends(&home, two(), rests, &["session.started b", "session.status b busy"]);
}

#[test]
fn a_turn_that_goes_on_beside_another_one_ends_as_its_own() {
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    let error = json!({ "sessionID": "b", "error": { "name": "APIError" } });
    let fails = vec![idle("h"), event("session.error", &error), idle("b"), idle("a")];
    let failed = ["session.idle a/h", "session.idle b failed", "session.idle a ended"];
    ends(&home, two(), fails, &failed);
    // It ends once, with its last helper.
    let late = vec![idle("a"), idle("b"), idle("h"), idle("b")];
    let goes_on = ["session.idle a ended", "session.idle b background", "session.idle a/h"];
    let expected = [&goes_on[..], &["session.idle b ended", "session.idle a"]].concat();
    ends(&home, two(), late, &expected);
}

#[test]
fn the_hub_tells_no_end_of_a_turn_that_goes_on_beside_another_one() {
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    let _hub = Hub::start(&home);
    let module = installed(&home, "opencode");
    let init = json!({ "call": "init", "data": { "directory": "/p" } });
    let error = json!({ "sessionID": "b", "error": { "name": "APIError" } });
    let fails = [idle("h"), idle("a"), event("session.error", &error), idle("b")];
    let rows: Vec<Value> = std::iter::once(init).chain(two()).chain(fails).collect();
    ended(driver(&home, &module, &rows.iter().collect::<Vec<_>>()));
    let log = wait::until("both ends", || {
        let log = home.run(["watch", "--since", "0", "--no-follow", "--json"]).stdout;
        (log.matches("\"turn.completed\"").count() == 2).then_some(log)
    });
    for word in ["\"interrupted\"", "\"aborted\""] {
        assert!(!log.contains(word), "{word}: {log}");
    }
    assert!(log.contains("\"failed\"") && log.contains("\"completed\""), "{log}");
}

#[test]
fn a_run_without_a_terminal_says_so_when_it_asks() {
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    let init = json!({ "call": "init", "data": { "directory": "/p" } });
    let rows = [init, created("a"), busy("a"), asks("a")];
    for (words, expected) in [(&["run"][..], Some("headless")), (&[], None)] {
        let told = told_of_program(&home, &rows.iter().collect::<Vec<_>>(), words);
        let asked = told.last().unwrap();
        assert_eq!(asked["hook_event_name"], "permission.asked");
        assert_eq!(asked["mode"].as_str(), expected, "{words:?}");
    }
}

#[test]
fn another_conversation_that_goes_on_takes_the_place_of_a_deleted_one() {
    const TAKES: [&str; 3] = ["session.deleted a", "session.started b", "session.status b busy"];
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    let rests = || [two(), vec![idle("h"), idle("a")]].concat();
    ends(&home, rests(), vec![deleted("a")], &TAKES);
    let asked = [&TAKES[..], &["permission.asked b per_b"]].concat();
    ends(&home, rests(), vec![asks("b"), deleted("a")], &asked);
    let answered_then = vec![asks("b"), deleted("a"), answered("b", "once"), idle("b")];
    let expected = [&asked[..], &["permission.replied b per_b", "session.idle b ended"]].concat();
    ends(&home, rests(), answered_then, &expected);
    // Its answer went with the other one, and how its turn ends is known.
    let refused = vec![asks("b"), answered("b", "reject"), deleted("a"), idle("b")];
    ends(&home, rests(), refused, &[&TAKES[..], &["session.idle b stopped"]].concat());
    // It rests, and its helper goes on.
    let helper = vec![idle("b"), idle("a"), asks("h"), deleted("a"), idle("h")];
    let goes_on = ["session.idle b background", "permission.asked b/h per_h", "session.idle b/h"];
    let expected = [&TAKES[..], &goes_on, &["session.idle b ended"]].concat();
    ends(&home, two(), helper, &expected);
    // Nothing goes on.
    let ended = vec![idle("b"), deleted("a")];
    ends(&home, rests(), ended, &["session.idle b ended", "session.idle a", "session.deleted a"]);
}

#[test]
fn a_helper_whose_parent_is_told_only_after_that_one_has_gone_goes_then() {
    const PROGRAMS: [&[&str]; 2] = [&[], &["serve"]];
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    for words in PROGRAMS {
        let late = of("session.updated", "h", Some("a"));
        let events = vec![busy("h"), created("a"), deleted("a"), late, busy("h"), asks("h")];
        let told = told(&home, events, words);
        assert_eq!(told.last().unwrap(), "session.deleted h", "{told:#?}");
    }
}

#[test]
fn a_helper_that_is_heard_of_before_it_is_known_whose_it_is_leaves_nothing_at_work() {
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    let helper = || of("session.created", "h", Some("a"));
    let before = || vec![created("a"), busy("a"), busy("h"), helper()];
    let ended = ["session.idle a background", "session.idle a/h", "session.idle a ended"];
    ends(&home, before(), vec![idle("a"), idle("h")], &ended);
    ends(&home, before(), vec![idle("h"), idle("a")], &ended[1..]);
    let told = told(&home, before(), &[]);
    assert!(told.contains(&"session.status a/h busy".to_owned()), "{told:#?}");
}
