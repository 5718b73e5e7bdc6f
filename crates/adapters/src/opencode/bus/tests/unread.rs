//! What nobody knows changes nothing, and is named once.

use super::*;
use std::fs;
use std::path::Path;

fn follower(is_shared: bool) -> Follower {
    Follower::new(Served { port: None, is_shared })
}

#[test]
fn a_status_in_a_list_that_cannot_be_read_changes_nothing() {
    for is_shared in [true, false] {
        for unread in [json!({ "state": "busy" }), json!("busy"), json!({ "type": "paused" })] {
            let statuses = json!({ "ses_a": unread }).to_string();
            let lists = [&*statuses, "[]", "[]"];
            let mut follower = follower(is_shared);
            assert!(follower.snapshot("/p", lists, &[]).is_empty(), "{statuses}");
            for kind in ["busy", "idle"] {
                assert!(follower.heard(&status("ses_a", kind)).is_some());
                assert!(follower.snapshot("/p", lists, &[]).is_empty(), "{statuses}");
                // It may have ended.
                assert!(follower.stands().is_empty(), "{statuses}");
            }
            assert_eq!(follower.news(), ["/session/status.type"]);
            assert!(follower.news().is_empty());
        }
    }
}

#[test]
fn others_in_a_list_of_statuses_are_read_beside_one_that_cannot_be() {
    let mut follower = follower(true);
    for id in ["ses_a", "ses_b"] {
        follower.heard(&status(id, "busy"));
    }
    let lists = [r#"{"ses_b":{"type":"paused"}}"#, "[]", "[]"];
    assert_eq!(words(&follower.snapshot("/p", lists, &[])), ["idle"]);
    assert!(follower.stands().is_empty());
    let told = follower.heard(&status("ses_b", "busy")).map(|body| word(&body));
    assert_eq!(told.as_deref(), Some("working"), "it goes on");
    assert_eq!(words(&follower.stands()), ["working"]);
}

#[test]
fn what_waits_stays_open_where_its_list_cannot_be_read() {
    let busy = r#"{"ses_a":{"type":"busy"}}"#;
    let asked = json!({ "id": "per_1", "sessionID": "ses_a", "permission": "bash" });
    for (unread, name) in [
        (json!({ "items": [asked] }), "/permission.list"),
        (json!([{ "id": "per_1", "session": "ses_a" }]), "/permission.sessionID"),
        (json!([{ "requestID": "per_1", "sessionID": "ses_a" }]), "/permission.id"),
        (json!(["per_1"]), "/permission.id"),
    ] {
        let mut follower = follower(true);
        let told = follower.heard(&message("permission.asked", asked.clone()));
        assert_eq!(told.map(|body| word(&body)).as_deref(), Some("blocked bash"));
        let unread = unread.to_string();
        assert!(follower.snapshot("/p", [busy, &*unread, "[]"], &[]).is_empty(), "{unread}");
        assert_eq!(words(&follower.stands()), ["blocked bash"], "{unread}");
        assert_eq!(follower.news(), [name]);
        // Nobody answers what a session at rest has asked.
        assert_eq!(words(&follower.snapshot("/p", ["{}", &*unread, "[]"], &[])), ["idle"]);
        // What can be read in such a list waits.
        let both = json!([{ "id": "per_2" }, asked]).to_string();
        let told = follower.snapshot("/p", [busy, &*both, "[]"], &[]);
        assert_eq!(words(&told), ["blocked bash"]);
    }
}

#[test]
fn what_a_message_says_anew_changes_nothing_and_is_named_once() {
    let of_session = json!({ "sessionID": "ses_a" });
    let asked = json!({ "sessionID": "ses_a", "request": "per_1" });
    let busy = json!({ "status": { "type": "busy" } });
    for (said, name) in [
        (status("ses_a", "paused"), "session.status.status"),
        (message("session.status", of_session.clone()), "session.status.status"),
        (message("session.status", busy), "session.status.sessionID"),
        (message("session.later", of_session.clone()), "session.later.type"),
        (message("permission.v3.asked", asked.clone()), "permission.v3.asked.type"),
        (message("consent.asked", asked.clone()), "consent.asked.type"),
        (message("permission.asked", asked.clone()), "permission.asked.id"),
        (message("question.v2.asked", asked), "question.asked.id"),
        (message("question.replied", of_session.clone()), "question.replied.requestID"),
        (message("session.deleted", of_session), "session.deleted.info"),
    ] {
        let mut follower = follower(true);
        follower.heard(&status("ses_a", "busy"));
        for _ in 0..2 {
            assert_eq!(follower.heard(&said), None, "{said}");
        }
        // It may have been its end.
        assert!(follower.stands().is_empty(), "{said}");
        assert_eq!(follower.news(), [name], "{said}");
        let told = follower.heard(&status("ses_a", "busy")).map(|body| word(&body));
        assert_eq!(told.as_deref(), Some("working"), "{said}");
        assert_eq!(words(&follower.stands()), ["working"], "{said}");
    }
}

#[test]
fn a_message_without_a_name_is_counted_and_may_have_been_an_end() {
    let properties = json!({ "sessionID": "ses_a", "status": { "type": "idle" } });
    for said in [
        json!({ "name": "session.status", "properties": properties }),
        json!({ "type": null, "payload": { "kind": "session.status", "properties": properties } }),
        // Whose it is cannot be read.
        json!({ "event": { "type": "session.status", "properties": properties } }),
    ] {
        let mut follower = follower(true);
        follower.heard(&status("ses_a", "busy"));
        for _ in 0..2 {
            assert_eq!(follower.heard(&said.to_string()), None, "{said}");
        }
        assert!(follower.stands().is_empty(), "{said}");
        assert_eq!(follower.news(), ["unknown.type"], "{said}");
        follower.heard(&status("ses_a", "busy"));
        assert_eq!(words(&follower.stands()), ["working"], "{said}");
    }
    let mut follower = follower(true);
    follower.heard(r#"{"text":"a piece of what is said"}"#);
    assert_eq!(follower.news(), [""; 0]);
}

#[test]
fn few_kinds_of_what_is_new_are_named() {
    let mut follower = follower(true);
    for number in 0..500 {
        follower.heard(&message(&format!("session.later{number}"), json!({})));
    }
    assert_eq!(follower.news().len(), 64);
}

#[test]
fn what_tells_no_status_is_not_new() {
    let mut follower = follower(true);
    for kind in [
        "session.compacted",
        "session.diff",
        "session.error",
        "session.next.step.started",
        "session.updated.1",
        "message.part.delta",
        "server.heartbeat",
    ] {
        follower.heard(&message(kind, json!({})));
        assert_eq!(follower.news(), [""; 0], "{kind}");
    }
}

#[test]
fn nothing_that_was_recorded_is_new() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    for folder in ["opencode/1.18.33/http-sse", "kilo/7.7.9/http-sse"] {
        for entry in fs::read_dir(fixtures.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|ending| ending != "jsonl") {
                continue;
            }
            let mut follower = follower(true);
            for row in fs::read_to_string(&path).unwrap().lines() {
                let row: Value = serde_json::from_str(row).unwrap();
                if row["kind"] == "sse" {
                    follower.heard(&row["data"].to_string());
                } else if row["session_status"].is_object() {
                    // Of the other two the recorder has kept ids alone.
                    let statuses = row["session_status"].to_string();
                    follower.snapshot("/", [&*statuses, "[]", "[]"], &[]);
                }
            }
            assert_eq!(follower.news(), [""; 0], "{}", path.display());
        }
    }
}
