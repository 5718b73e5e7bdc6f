//! `prompt open --wait` and `prompt wait` against a hub that goes away, and how they end.

use crate::hub::Reply;
use crate::rig::{AT, Rig, agent, answer};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};

fn prompt(resolution: &Value) -> Value {
    let state = if resolution.is_null() { "open" } else { "resolved" };
    json!({
        "schema": 1, "id": "api-p1", "agent_id": "api", "kind": "input", "title": "Deploy?",
        "body": null, "options": [], "multi_select": false, "default_action": "no",
        "expires_at": AT, "remaining_seconds": 60, "opened_at": AT, "answerable": ["api"],
        "state": state, "resolution": resolution,
    })
}

/// A hub that breaks off the first two calls about questions, and says `resolution` from then on.
fn asks(args: &[&str], resolution: Value) -> (crate::rig::Seen, Vec<crate::hub::Request>) {
    asks_behind(0..2, args, resolution)
}

/// The same where these calls are broken off.
fn asks_behind(
    broken: std::ops::Range<usize>,
    args: &[&str],
    resolution: Value,
) -> (crate::rig::Seen, Vec<crate::hub::Request>) {
    let (rig, calls) = (Rig::new(), AtomicUsize::new(0));
    let agents = [agent("api", "working")];
    let hub = rig.hub(move |request| {
        if !request.path.contains("/prompts") {
            return answer(&agents, request);
        }
        let call = calls.fetch_add(1, Ordering::SeqCst);
        match request.method.as_str() {
            _ if broken.contains(&call) => Reply::Raw(b""),
            "POST" => Reply::Json(201, prompt(&Value::Null)),
            _ => Reply::Json(200, prompt(&resolution)),
        }
    });
    let seen = rig.run(args);
    let about = |request: &crate::hub::Request| request.path.contains("/prompts");
    (seen, hub.seen().into_iter().filter(about).collect())
}

const OPEN: [&str; 7] = ["prompt", "open", "api", "Deploy?", "--default", "no", "--wait"];

#[test]
fn a_question_whose_asking_broke_off_is_asked_again_as_the_same() {
    let resolution = json!({"by": "human", "value": "yes", "at": AT});
    let (seen, requests) = asks(&OPEN, resolution);
    assert_eq!((seen.ok(), seen.stderr.as_str()), ("yes\n", ""));
    let asked: Vec<_> = requests.iter().filter(|request| request.method == "POST").collect();
    assert_eq!(asked.len(), 3);
    assert!(asked[0].id.is_some() && asked.iter().all(|one| one.id == asked[0].id), "{asked:?}");
}

#[test]
fn an_end_without_an_answer_has_its_exit_code_with_json_too() {
    let table = [
        (json!({"by": "timeout", "value": null, "at": AT}), 3),
        (json!({"by": "timeout", "value": "no", "at": AT}), 0),
        (json!({"by": "cancelled", "value": null, "at": AT}), 7),
    ];
    for (resolution, code) in table {
        let by = resolution["by"].clone();
        let (text, _) = asks(&OPEN, resolution.clone());
        let (json, _) = asks(&[&OPEN[..], &["--json"]].concat(), resolution);
        assert_eq!((text.code, json.code), (code, code), "{text:?} {json:?}");
        let doc: Value = serde_json::from_str(&json.stdout).unwrap();
        assert_eq!(doc["resolution"]["by"], by);
    }
}

#[test]
fn whoever_waits_is_told_once_that_the_hub_is_away_and_once_that_it_is_back() {
    let resolution = json!({"by": "human", "value": "yes", "at": AT});
    for (broken, away) in [
        (1..15, "headsup: the hub is away; api-p1 is waited for until it is back"),
        (0..15, "headsup: the hub is away; it is asked again for 10 s"),
    ] {
        let (seen, _) = asks_behind(broken, &OPEN, resolution.clone());
        assert_eq!(seen.ok(), "yes\n");
        assert_eq!(seen.stderr, format!("{away}\nheadsup: the hub is back\n"));
    }
}
