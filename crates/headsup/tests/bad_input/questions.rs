//! Q: questions and answers that are none. Each is refused with a typed code, opens and answers nothing, and
//! is answered in a time that ends.

use crate::rig::{Rig, is_trick};
use headsup_testkit::http;
use serde_json::{Value, json};

const ASK: &str = "/api/v1/agents/asker/prompts";

struct Row {
    sort: &'static str,
    body: fn() -> String,
    status: u16,
    /// Nothing where it is no refusal.
    code: &'static str,
}

const fn row(sort: &'static str, body: fn() -> String, status: u16, code: &'static str) -> Row {
    Row { sort, body, status, code }
}

/// A good question with one member that is not.
fn with(member: &str) -> String {
    format!(r#"{{"question":"Which?","default_action":"wait",{member}}}"#)
}

fn options(options: &Value) -> String {
    json!({"question": "Which?", "default_action": "wait", "options": options}).to_string()
}

fn question(text: &str) -> String {
    json!({"question": text, "default_action": "wait"}).to_string()
}

const QUESTIONS: &[Row] = &[
    row("50 negative time", || with(r#""timeout_minutes":-5"#), 400, "bad_json"),
    row("50 no time", || with(r#""timeout_minutes":0"#), 400, "bad_timeout"),
    row("50 part of a minute", || with(r#""timeout_minutes":0.0001"#), 400, "bad_json"),
    row("50 time that is no number", || with(r#""timeout_minutes":NaN"#), 400, "bad_json"),
    row("50 endless time", || with(r#""timeout_minutes":1000000000"#), 400, "bad_timeout"),
    row("50 endless time", || with(r#""timeout_minutes":1e9"#), 400, "bad_json"),
    row("50 time as text", || with(r#""timeout_minutes":"30""#), 400, "bad_json"),
    row("51 many options", || options(&json!((0..10_000).collect::<Vec<_>>())), 400, "bad_json"),
    row(
        "51 many options",
        || options(&json!((0..21).map(|n| n.to_string()).collect::<Vec<_>>())),
        400,
        "bad_question",
    ),
    row("51 long option", || options(&json!(["x".repeat(201), "y"])), 400, "too_long"),
    row("51 long option", || options(&json!(["x".repeat(1 << 20)])), 413, "body_too_large"),
    row("51 empty option", || options(&json!(["a", ""])), 400, "bad_question"),
    row("51 empty option", || options(&json!(["a", "\u{200b}"])), 400, "bad_question"),
    row("51 option twice", || options(&json!(["a", "a"])), 400, "bad_question"),
    row("51 options that look alike", || options(&json!(["a", "a\u{200b}"])), 400, "bad_question"),
    row("51 options that look alike", || options(&json!(["a", " a"])), 400, "bad_question"),
    row("51 options that look alike", || options(&json!(["2", "２"])), 400, "bad_question"),
    row("52 long question", || question(&"x".repeat(4_001)), 400, "too_long"),
    row("52 long question", || question(&"x".repeat(1 << 20)), 413, "body_too_large"),
    row("52 empty question", || question(""), 400, "bad_question"),
    row("52 empty question", || question(" \n\t"), 400, "bad_question"),
    row("52 question that nobody sees", || question("\u{200b}\u{202e}"), 400, "bad_question"),
    row("53 no default", || r#"{"question":"Which?"}"#.to_owned(), 400, "bad_json"),
    row(
        "53 no default",
        || json!({"question": "?", "default_action": " ", "on_timeout": "default"}).to_string(),
        400,
        "bad_question",
    ),
];

const ALL: &[&str] = &[
    "50 time left out",
    "54 at the end of the work",
    "55 asked again",
    "56 unknown question",
    "56 of another session",
    "56 question that was taken back",
    "57 option before the first",
    "57 option behind the last",
    "57 option with more around it",
    "57 digit that only looks like one",
    "60 answer with tricks",
];

pub(crate) fn sorts() -> Vec<&'static str> {
    QUESTIONS.iter().map(|row| row.sort).chain(ALL.iter().copied()).collect()
}

fn send(rig: &Rig, target: &str, headers: &[(&str, &str)], body: &str) -> (u16, Value) {
    let socket = rig.home.socket();
    let (status, body) = http::request(&socket, "POST", target, headers, body.as_bytes()).unwrap();
    (status, serde_json::from_slice(&body).unwrap_or_default())
}

fn ask(rig: &Rig, body: &str) -> String {
    let (status, doc) = send(rig, ASK, &[], body);
    assert!(status < 300, "{doc}");
    doc["id"].as_str().unwrap().to_owned()
}

fn working(rig: &Rig, agent: &str) {
    let target = format!("/api/v1/agents/{agent}/reports");
    assert_eq!(send(rig, &target, &[], r#"{"turn":"working"}"#).0, 202);
}

#[test]
fn what_is_no_question_is_refused_typed_counted_and_opens_none() {
    let rig = Rig::new();
    working(&rig, "asker");
    for Row { sort, body, status, code } in QUESTIONS {
        let body = body();
        let case = format!("{sort}: {}", body.chars().take(80).collect::<String>());
        let counter = format!("headsup_refusals_total{{code=\"{code}\"}}");
        let before = rig.counter(&counter);
        let (found, doc) = send(&rig, ASK, &[], &body);
        assert_eq!((found, doc["code"].as_str().unwrap_or_default()), (*status, *code), "{case}");
        assert!(doc["detail"].as_str().is_some_and(|detail| !detail.is_empty()), "{case}");
        assert_eq!(rig.counter(&counter), before + 1, "{case}: it is counted");
        assert_eq!(rig.get("/api/v1/prompts")["prompts"], json!([]), "{case}");
        rig.stands(&case);
    }
    // 50: left out it is the usual time, not an endless one.
    let (_, doc) = send(&rig, ASK, &[], &with(r#""timeout_minutes":null"#));
    let left = doc["remaining_seconds"].as_u64().unwrap();
    assert!((1_790..=1_800).contains(&left), "{doc}");
}

/// 54, 55: when a question may be asked, and that one is one.
#[test]
fn a_question_is_asked_where_work_goes_on_and_once() {
    let rig = Rig::new();
    working(&rig, "asker");
    let keyed = with(r#""dedupe_key":"database""#);
    let first = ask(&rig, &keyed);
    assert_eq!(ask(&rig, &keyed), first, "55");
    assert_eq!(rig.get("/api/v1/prompts")["prompts"].as_array().unwrap().len(), 1);
    let cancel = format!("/api/v1/prompts/{first}/cancel");
    assert_eq!(send(&rig, &cancel, &[], "{}").0, 200);
    let stage = "/api/v1/agents/asker/stage";
    assert_eq!(send(&rig, stage, &[], r#"{"stage":"completed"}"#).0, 200);
    let itself = [("x-headsup-agent", "asker")];
    let (status, doc) = send(&rig, ASK, &itself, &question("Which?"));
    assert_eq!((status, doc["code"].as_str().unwrap()), (409, "illegal_stage"), "54");
    assert_eq!(rig.get("/api/v1/prompts")["prompts"], json!([]));
}

/// 56, 57: answers to nothing, and answers that are none.
#[test]
fn what_is_no_answer_is_refused_and_answers_nothing() {
    let rig = Rig::new();
    working(&rig, "asker");
    working(&rig, "other");
    let id = ask(&rig, &options(&json!(["yes", "2nd"])));
    let answer = format!("/api/v1/prompts/{id}/answer");
    let other: &[(&str, &str)] = &[("x-headsup-agent", "other")];
    let person: &[(&str, &str)] = &[];
    let cases = [
        (
            "56 unknown question",
            "/api/v1/prompts/asker-p99/answer",
            person,
            r#"{"option":1}"#,
            404,
            "no_such_prompt",
        ),
        ("56 of another session", &*answer, other, r#"{"option":1}"#, 403, "human_only"),
        ("57 option before the first", &answer, person, r#"{"option":-1}"#, 400, "bad_json"),
        ("57 option before the first", &answer, person, r#"{"option":0}"#, 422, "invalid_option"),
        ("57 option behind the last", &answer, person, r#"{"option":99}"#, 422, "invalid_option"),
        (
            "57 option with more around it",
            &answer,
            person,
            r#"{"value":"2 "}"#,
            422,
            "invalid_option",
        ),
        (
            "57 option with more around it",
            &answer,
            person,
            r#"{"value":"yes."}"#,
            422,
            "invalid_option",
        ),
        (
            "57 digit that only looks like one",
            &answer,
            person,
            r#"{"value":"２"}"#,
            422,
            "invalid_option",
        ),
    ];
    for (sort, target, headers, body, status, code) in cases {
        let (found, doc) = send(&rig, target, headers, body);
        assert_eq!((found, doc["code"].as_str().unwrap()), (status, code), "{sort}: {body}");
        if code == "invalid_option" {
            assert_eq!(doc["options"][0]["label"], "yes", "{sort}: what there is, is said");
        }
        assert_eq!(rig.get(&format!("/api/v1/prompts/{id}"))["state"], "open", "{sort}");
    }
    // 57: neither is one on the command line.
    for text in [" 2 ", "2 ", "+2", "02", "２", "yes.", "0", "99"] {
        let said = rig.home.run(["answer", &id, text]);
        assert_ne!(said.code, 0, "57: {text:?}");
        assert_eq!(rig.get(&format!("/api/v1/prompts/{id}"))["state"], "open", "57: {text:?}");
    }
    assert_eq!(send(&rig, &format!("/api/v1/prompts/{id}/cancel"), &[], "{}").0, 200);
    let (status, doc) = send(&rig, &answer, person, r#"{"option":1}"#);
    assert_eq!((status, doc["code"].as_str().unwrap()), (409, "already_resolved"), "56");
    assert_eq!(doc["resolution"]["by"], "cancelled");
}

/// 60: an answer is data, for the agent and on every screen.
#[test]
fn an_answer_with_tricks_in_it_is_a_text_and_nothing_else() {
    let rig = Rig::new();
    working(&rig, "asker");
    let id = ask(&rig, &question("Which?"));
    let tricks = "\u{1b}[31mred\u{7}\n#(touch /tmp/x) $(id) `id`\u{202e}\nEnter";
    let body = json!({"value": tricks}).to_string();
    let (status, doc) = send(&rig, &format!("/api/v1/prompts/{id}/answer"), &[], &body);
    assert_eq!(status, 200, "{doc}");
    let value = doc["resolution"]["value"].as_str().unwrap();
    assert!(!value.contains(is_trick), "{value:?}");
    assert!(value.contains("#(touch /tmp/x) $(id) `id`") && value.ends_with("Enter"), "{value:?}");
    let shown = rig.shown();
    assert!(!shown.contains(is_trick), "{shown:?}");
    for format in ["tmux", "plain"] {
        let line = rig.home.run(["statusline", "--format", format]).ok().stdout.clone();
        assert!(!line.contains("touch"), "{line}");
    }
}
