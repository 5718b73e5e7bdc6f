use super::*;
use serde_json::{Value, json};

fn body() -> Value {
    json!({
        "action": "created",
        "issue": {"id": "i-1", "identifier": "APP-12", "title": "Log\u{202e} in", "status": "In Progress"},
        "comment": {"id": 7, "body": "/answer 1", "author": "ada", "created_at": "2026-11-21T21:29:57Z"},
    })
}

fn with(pointer: &str, value: Value) -> Value {
    let mut body = body();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    body.pointer_mut(parent).unwrap()[name] = value;
    body
}

fn read_json(body: &Value) -> Result<Delivery, String> {
    read(body.to_string().as_bytes())
}

#[test]
fn a_delivery_says_what_happened_to_which_task() {
    let told = read_json(&body()).unwrap();
    assert_eq!((told.action.as_str(), told.sent_at), ("created", None));
    assert_eq!((told.task.identifier.as_str(), told.task.id.as_str()), ("APP-12", "i-1"));
    assert_eq!(
        (told.task.title.as_str(), told.task.status),
        ("Log in", Some(TaskStatus::InProgress))
    );
    let comment = told.comment.unwrap();
    assert_eq!((comment.id.as_str(), comment.author.as_str(), comment.is_bot), ("7", "ada", false));
    assert_eq!(comment.created_at, UnixMs(1_795_296_597_000));
    for (link, is) in [
        ("APP-12", true),
        ("app-12", true),
        ("i-1", true),
        ("kanbanger:APP-12", true),
        ("other:APP-12", false),
        ("APP-1", false),
    ] {
        assert_eq!(told.task.is(link), is, "{link}");
    }
}

#[test]
fn what_more_it_may_say_is_understood() {
    let account = with("/comment/author", json!({"id": 17, "name": "ada", "type": "Bot"}));
    let comment = read_json(&account).unwrap().comment.unwrap();
    assert_eq!((comment.author.as_str(), comment.is_bot), ("17", true));
    let bot = with("/comment/is_bot", json!(true));
    assert!(read_json(&bot).unwrap().comment.unwrap().is_bot);
    let version = with("/issue/updated_at", json!("2026-11-21T21:29:57.5Z"));
    assert_eq!(read_json(&version).unwrap().task.version, Some(UnixMs(1_795_296_597_500)));
    let sent = with("/timestamp", json!(1_795_296_597_000_i64));
    assert_eq!(read_json(&sent).unwrap().sent_at, Some(UnixMs(1_795_296_597_000)));
    let thread = with("/comment/parent_id", json!("c-1"));
    assert_eq!(read_json(&thread).unwrap().comment.unwrap().thread.as_deref(), Some("c-1"));
    let without = with("/comment", Value::Null);
    assert!(read_json(&without).unwrap().comment.is_none());
}

#[test]
fn what_is_none_is_named() {
    for (body, says) in [
        (with("/issue/identifier", json!("")), "issue.identifier"),
        (with("/issue/identifier", json!("A\nB")), "issue.identifier"),
        (with("/issue/identifier", json!("x".repeat(201))), "issue.identifier"),
        (with("/comment/id", json!("\u{200b}")), "comment.id"),
        (with("/comment/author", json!(" ")), "comment.author"),
        (with("/comment/created_at", json!("yesterday")), "comment.created_at"),
        (with("/issue/updated_at", json!("2026-11-21T21:29:57")), "issue.updated_at"),
        (with("/timestamp", json!("now")), "timestamp"),
        (with("/comment/author", Value::Null), "the body is"),
        (with("/issue", json!([])), "the body is"),
        (json!({}), "the body is"),
    ] {
        let why = read_json(&body).unwrap_err();
        assert!(why.starts_with(says), "{body}: {why}");
    }
    assert!(read(b"\xff").is_err());
}

#[test]
fn a_column_is_known_however_it_is_written() {
    for (word, is) in [
        ("todo", Some(TaskStatus::Todo)),
        ("To Do", Some(TaskStatus::Todo)),
        ("in_progress", Some(TaskStatus::InProgress)),
        ("IN-PROGRESS", Some(TaskStatus::InProgress)),
        ("In Review", Some(TaskStatus::InReview)),
        ("done", Some(TaskStatus::Done)),
        ("Closed", Some(TaskStatus::Done)),
        ("Icebox", None),
        ("", None),
    ] {
        assert_eq!(status(word), is, "{word}");
    }
    for known in TaskStatus::ALL {
        assert_eq!(status(known.word()), Some(*known));
    }
}
