//! How a turn ends that its conversation alone tells.

use super::*;

/// How a turn with these messages rests, of a program that has a terminal and of one that has none.
fn rest(said: &[String]) -> Option<String> {
    let ends = [true, false].map(|is_shared| {
        let mut follower = Follower::new(Served { port: None, is_shared });
        let (begins, idle) = (status("ses_a", "busy"), status("ses_a", "idle"));
        let all = [&begins].into_iter().chain(said).chain([&idle]);
        let told: Vec<Vec<u8>> = all.filter_map(|said| follower.heard(said)).collect();
        let next = [begins.clone(), answer("msg_9", None), idle.clone()];
        let next: Vec<Vec<u8>> = next.iter().filter_map(|said| follower.heard(said)).collect();
        assert_eq!(words(&next), ["working", "done"], "behind {said:?}");
        words(&told).pop()
    });
    assert_eq!(ends[0], ends[1], "{said:?}");
    ends[0].clone()
}

fn answer(id: &str, error: Option<&str>) -> String {
    let error = error.map(|name| json!({ "name": name, "data": { "message": "Aborted" } }));
    let info = json!({ "id": id, "sessionID": "ses_a", "role": "assistant", "error": error });
    message("message.updated", json!({ "sessionID": "ses_a", "info": info }))
}

#[test]
fn an_error_that_stands_in_the_answer_alone_is_how_the_turn_ends() {
    let begins = || answer("msg_1", None);
    for (name, end) in [
        (ABORTED, "idle"),
        ("StructuredOutputError", "failed StructuredOutputError"),
        // Nobody knows what this one is: its end is not told.
        ("TurnCancelledError", "working"),
    ] {
        let fails = answer("msg_1", Some(name));
        assert_eq!(rest(&[begins(), fails.clone()]).as_deref(), Some(end));
        let goes_on = [begins(), fails.clone(), status("ses_a", "busy")];
        assert_eq!(rest(&goes_on).as_deref(), Some("done"), "{name}");
        // That of another turn.
        assert_eq!(rest(&[answer("msg_2", None), fails]).as_deref(), Some("done"));
    }
    // What was told before it is what counts.
    let told = message("session.error", json!({ "sessionID": "ses_a", "error": { "name": "E" } }));
    let said = [begins(), told, answer("msg_1", Some(ABORTED))];
    assert_eq!(rest(&said).as_deref(), Some("failed E"));
}

#[test]
fn a_turn_that_ends_before_an_answer_is_begun_was_stopped() {
    let prompt = |summary: Value| {
        let info = json!({ "id": "m", "sessionID": "ses_a", "role": "user", "summary": summary });
        message("message.updated", json!({ "sessionID": "ses_a", "info": info }))
    };
    let typed = || prompt(Value::Null);
    let told = json!({ "sessionID": "ses_a", "error": { "name": "E" } });
    for (said, end) in [
        (vec![typed()], "idle"),
        (vec![typed(), message("session.error", told)], "failed E"),
        // Its summary comes later.
        (vec![typed(), answer("msg_1", None), prompt(json!({ "diffs": [] }))], "done"),
    ] {
        assert_eq!(rest(&said).as_deref(), Some(end), "{said:?}");
    }
}

/// Kilo 7.7.7.
#[test]
fn what_is_said_to_be_interrupted_was_stopped() {
    for (reason, end) in [("interrupted", "idle"), ("completed", "done")] {
        let said = json!({ "sessionID": "ses_a", "reason": reason });
        assert_eq!(rest(&[message("session.turn.close", said)]).as_deref(), Some(end));
    }
    let drained = message("session.drain.interrupted", json!({ "sessionID": "ses_a" }));
    assert_eq!(rest(std::slice::from_ref(&drained)).as_deref(), Some("idle"));
    // Behind an end it says nothing.
    assert_eq!(rest(&[status("ses_a", "idle"), drained]).as_deref(), Some("done"));
}

#[test]
fn a_command_of_a_persons_own_that_is_stopped_is_no_completed_turn() {
    let stopped = "\n\n<metadata>\nUser aborted the command\n</metadata>";
    for (output, end) in [(stopped, "idle"), ("hello\n", "done")] {
        let state = json!({ "status": "completed", "output": output });
        let part = json!({ "type": "tool", "sessionID": "ses_a", "state": state });
        let said = message("message.part.updated", json!({ "sessionID": "ses_a", "part": part }));
        assert_eq!(rest(&[said]).as_deref(), Some(end), "{output}");
    }
}

/// They come for every word of an answer, and with all that a command has put out so far.
#[test]
fn pieces_of_an_answer_are_not_read() {
    let part = |output: &str| {
        let state = json!({ "status": "completed", "output": output });
        let part = json!({ "type": "tool", "sessionID": "ses_a", "state": state });
        message("message.part.updated", json!({ "sessionID": "ses_a", "part": part }))
    };
    let delta = json!({ "sessionID": "ses_a", "field": "text", "delta": "Hello." });
    for piece in [message("message.part.delta", delta), part("made-by-shell.txt")] {
        assert!(!anew::may_say(&piece), "{piece}");
    }
    let of_session = || json!({ "sessionID": "ses_a" });
    for kind in ["session.status", "permission.v2.asked", "question.replied", "message.updated"] {
        assert!(anew::may_say(&message(kind, of_session())), "{kind}");
    }
    for kind in ["consent.asked", "consent.requested"] {
        assert!(anew::may_tell(kind) && anew::may_say(&message(kind, of_session())), "{kind}");
    }
    assert!(anew::may_say(&part("<metadata>\nUser aborted the command\n</metadata>")));
}

/// It is, for a moment, by a turn that was stopped as the model was about to call something.
#[test]
fn what_is_asked_behind_the_end_of_a_turn_leaves_that_end_as_it_was() {
    let asked = message("permission.asked", json!({ "id": "per_1", "sessionID": "ses_a" }));
    for (name, end) in [(ABORTED, "idle"), ("APIError", "failed APIError")] {
        for is_shared in [true, false] {
            let mut follower = Follower::new(Served { port: None, is_shared });
            let mut hear = |said: &str| follower.heard(said).map(|body| word(&body));
            hear(&status("ses_a", "busy"));
            let error = json!({ "sessionID": "ses_a", "error": { "name": name } });
            assert_eq!(hear(&message("session.error", error)), None);
            assert_eq!(hear(&status("ses_a", "idle")).as_deref(), Some(end));
            assert_eq!(hear(&asked).as_deref(), Some("blocked permission"));
            assert_eq!(hear(&status("ses_a", "idle")).as_deref(), Some(end));
            // The next turn has an end of its own.
            assert_eq!(hear(&status("ses_a", "busy")).as_deref(), Some("working"));
            assert_eq!(hear(&asked).as_deref(), Some("blocked permission"));
            assert_eq!(hear(&status("ses_a", "idle")).as_deref(), Some("done"));
        }
    }
}
