use super::*;
use crate::mcp::table;
use serde_json::json;

fn outcome(tool: &str, arguments: Value) -> Result<(), (String, String, Vec<String>)> {
    let Value::Object(arguments) = arguments else { panic!("an object") };
    let checked = check(table::find(tool).unwrap(), Some(arguments));
    checked.map(drop).map_err(|failure| (failure.code, failure.message, failure.allowed))
}

#[test]
fn what_the_table_does_not_name_is_refused_with_what_it_does() {
    let (code, message, allowed) =
        outcome("update_status", json!({"status": "working", "message": "m", "state": 1}))
            .unwrap_err();
    assert_eq!(code, "unknown_argument");
    assert_eq!(allowed, ["status", "message", "phase", "progress"]);
    assert_eq!(
        message,
        "update_status has no argument \"state\"; it takes status, message, phase, progress"
    );
    let (_, message, _) = outcome("get_session", json!({"id": "x"})).unwrap_err();
    assert_eq!(message, "get_session has no argument \"id\"; it takes none");
}

#[test]
fn what_is_required_is_there() {
    let (code, message, _) = outcome("request_input", json!({"question": "Which?"})).unwrap_err();
    assert_eq!(code, "missing_argument");
    assert_eq!(message, "request_input needs the argument \"default_action\"");
    assert!(check(table::find("get_session").unwrap(), None).is_ok());
}

#[test]
fn a_word_that_is_none_is_told_with_those_that_are() {
    for word in [json!("finished"), json!("WORKING"), json!(" working"), json!(1), json!(null)] {
        let (code, message, allowed) =
            outcome("update_status", json!({"status": word, "message": "m"})).unwrap_err();
        assert_eq!((code.as_str(), allowed.len()), ("invalid_argument", 2), "{word}");
        assert!(message.contains("one of working, completed"), "{message}");
    }
}

#[test]
fn a_time_is_a_whole_number_within_its_limits() {
    let ask = |name: &str, value: Value| {
        outcome("request_input", json!({"question": "q", "default_action": "d", name: value}))
    };
    for good in [json!(1), json!(30), json!(120), json!(30.0)] {
        assert_eq!(ask("timeout_minutes", good), Ok(()));
    }
    for bad in
        [json!(0), json!(-5), json!(121), json!(0.0001), json!(1e9), json!("30"), json!(null)]
    {
        let (code, message, _) = ask("timeout_minutes", bad.clone()).unwrap_err();
        assert_eq!(code, "invalid_argument", "{bad}");
        assert!(message.contains("a whole number from 1 to 120"), "{message}");
    }
    assert_eq!(ask("wait_seconds", json!(0)), Ok(()));
    assert!(ask("wait_seconds", json!(301)).is_err());
}

#[test]
fn options_are_texts_or_have_labels() {
    let ask = |options: Value| {
        outcome(
            "request_input",
            json!({"question": "q", "default_action": "d", "options": options}),
        )
    };
    assert_eq!(ask(json!(["Red", {"label": "Blue", "value": "b", "description": "d"}])), Ok(()));
    let long = "x".repeat(201);
    for bad in [
        json!("Red"),
        json!([""]),
        json!([1]),
        json!([long]),
        json!([{"value": "b"}]),
        json!([{"label": "b", "colour": "c"}]),
        json!(vec!["x"; 21]),
    ] {
        assert!(ask(bad.clone()).is_err(), "{bad}");
    }
}

#[test]
fn texts_have_something_in_them_and_an_end() {
    let say =
        |message: &str| outcome("update_status", json!({"status": "working", "message": message}));
    assert_eq!(say("é"), Ok(()));
    assert!(say(" \n").is_err() && say("").is_err() && say(&"x".repeat(4_001)).is_err());
    let (_, message, _) = say(&"y".repeat(4_001)).unwrap_err();
    assert!(message.len() < 200, "what came is cut: {message}");
}

#[test]
fn progress_is_a_share_of_all() {
    let at = |progress: Value| {
        outcome("update_status", json!({"status": "working", "message": "m", "progress": progress}))
    };
    for share in [json!(0), json!(0.4), json!(1)] {
        assert_eq!(at(share.clone()), Ok(()), "{share}");
    }
    for bad in [json!(2), json!(40), json!(1.01), json!(-0.1), json!("40%")] {
        let (code, message, _) = at(bad.clone()).unwrap_err();
        assert_eq!(code, "invalid_argument", "{bad}");
        assert!(message.contains("a number from 0 to 1"), "{message}");
    }
}

#[test]
fn a_pull_request_is_named_by_its_uuid() {
    let get = |id: &str| outcome("get_pr_status", json!({"pr_id": id}));
    assert_eq!(get("0199e1f0-1c2d-7a3b-8c4d-5e6f70819293"), Ok(()));
    for bad in ["", "7", "0199e1f01c2d7a3b8c4d5e6f70819293", "0199e1f0-1c2d-7a3b-8c4d-5e6f7081929g"]
    {
        assert!(get(bad).is_err(), "{bad}");
    }
}
