//! A turn whose end could not be read is told as none.

use super::*;

fn end_of(is_shared: bool, said: &[String]) -> (Vec<String>, Vec<String>) {
    let mut follower = Follower::new(Served { port: None, is_shared });
    follower.heard(&status("ses_a", "busy"));
    let idle = message("session.idle", json!({ "sessionID": "ses_a" }));
    let said = said.iter().chain([&idle, &idle]);
    let told: Vec<String> =
        said.filter_map(|said| follower.heard(said)).map(|body| word(&body)).collect();
    assert!(follower.stands().is_empty(), "{told:?}");
    let news = follower.news();
    let again = follower.heard(&status("ses_a", "busy")).map(|body| word(&body));
    assert_eq!(again.as_deref(), Some("working"), "the next turn");
    let idle = follower.heard(&status("ses_a", "idle")).map(|body| word(&body));
    assert_eq!(idle.as_deref(), Some("done"));
    (told, news)
}

#[test]
fn an_answer_that_cannot_be_read_leaves_the_end_unknown_and_is_counted() {
    let asked = message("permission.asked", json!({ "id": "per_1", "sessionID": "ses_a" }));
    for (member, word) in [("response", "reject"), ("reply", "deny")] {
        let mut answer = json!({ "sessionID": "ses_a", "requestID": "per_1" });
        answer[member] = word.into();
        let said = [asked.clone(), message("permission.replied", answer)];
        for is_shared in [true, false] {
            let (told, news) = end_of(is_shared, &said);
            assert_eq!(told, ["blocked permission", "working"], "{member}");
            assert_eq!(news, ["permission.replied.reply"], "{member}");
        }
    }
}

#[test]
fn an_error_that_cannot_be_read_leaves_the_end_unknown_and_is_counted() {
    let renamed = json!({ "sessionID": "ses_a", "error": { "type": "MessageAbortedError" } });
    let cancelled = json!({ "sessionID": "ses_a", "error": { "name": "TurnCancelledError" } });
    let of_whom = json!({ "sessionID": { "id": "ses_a" }, "error": { "name": "APIError" } });
    for (said, name) in [
        (renamed, "session.error.error"),
        (cancelled, "session.error.error"),
        (of_whom, "session.error.sessionID"),
    ] {
        let said = message("session.error", said);
        for is_shared in [true, false] {
            let (told, news) = end_of(is_shared, std::slice::from_ref(&said));
            assert_eq!(told, [""; 0], "{said}");
            assert_eq!(news, [name], "{said}");
        }
        // Behind it the turn goes on.
        let (told, _) = end_of(true, &[said, status("ses_a", "busy")]);
        assert_eq!(told, ["working", "done"]);
    }
}

#[test]
fn an_event_of_a_new_name_may_have_told_how_a_turn_ends() {
    for kind in ["session.failed", "session.turn.aborted"] {
        let said = [message(kind, json!({ "sessionID": "ses_a" }))];
        for is_shared in [true, false] {
            let (told, news) = end_of(is_shared, &said);
            assert_eq!(told, [""; 0], "{kind}");
            assert_eq!(news, [format!("{kind}.type")], "{kind}");
        }
    }
}

#[test]
fn what_tells_a_stop_all_the_same_is_one() {
    let asked = message("permission.asked", json!({ "id": "per_1", "sessionID": "ses_a" }));
    let answer = json!({ "sessionID": "ses_a", "requestID": "per_1", "reply": "deny" });
    let aborted = json!({ "sessionID": "ses_a", "error": { "name": ABORTED } });
    let said = [asked, message("permission.replied", answer), message("session.error", aborted)];
    let (told, _) = end_of(true, &said);
    assert_eq!(told, ["blocked permission", "working", "idle"]);
}
