//! Sessions that end, are closed or fail, beside others.

use super::Rig;
use serde_json::json;

#[test]
fn a_session_that_ends_takes_only_its_own_requests_with_it() {
    let mut rig = Rig::with_session();
    rig.prompt(5, "s");
    rig.prompt(6, "t");
    rig.ask(0, "s");
    rig.ask(1, "t");
    assert_eq!(rig.stop(6, "cancelled"), "blocked");
    assert_eq!(rig.seat.prompts.len(), 1);
    assert_eq!(rig.answer(0), "working");
    assert_eq!(rig.stop(5, "end_turn"), "done");
}

#[test]
fn a_session_that_is_closed_ends_what_was_under_way_in_it() {
    for method in ["session/close", "session/delete"] {
        let close = json!({"id": 9, "method": method, "params": {"sessionId": "s"}});
        let closed = json!({"id": 9, "result": {}});
        let mut rig = Rig::with_session();
        rig.prompt(5, "s");
        rig.ask(0, "s");
        assert_eq!(rig.client(&close), "blocked");
        let refused = json!({"id": 9, "error": {"code": -32_601, "message": "no"}});
        assert_eq!(rig.agent(&refused), "blocked", "it goes on");
        rig.client(&close);
        assert_eq!(rig.agent(&closed), "idle");
        assert_eq!((rig.outcome(), rig.seat.prompts.len()), (Some("interrupted"), 0));
        assert_eq!(rig.stop(5, "end_turn"), "idle", "an answer to nothing");
        assert_eq!(rig.answer(0), "idle");
        // What goes on elsewhere goes on.
        rig.prompt(6, "s");
        rig.prompt(7, "t");
        rig.ask(1, "s");
        rig.client(&close);
        assert_eq!(rig.agent(&closed), "working");
        assert!(rig.seat.prompts.is_empty());
        assert_eq!(rig.stop(7, "end_turn"), "done");
        rig.client(&close);
        assert_eq!(rig.agent(&closed), "done", "one that rests");
        assert_eq!(rig.prompt(8, "s"), "working");
    }
}

#[test]
fn a_session_that_is_closed_takes_what_it_asked_in_no_turn_with_it() {
    let mut rig = Rig::with_session();
    assert_eq!(rig.ask(0, "s"), "blocked");
    rig.client(&json!({"id": 9, "method": "session/close", "params": {"sessionId": "s"}}));
    assert_eq!(rig.agent(&json!({"id": 9, "result": {}})), "idle");
    assert!(rig.seat.prompts.is_empty());
    assert_eq!(rig.answer(0), "idle", "to nothing");
}

#[test]
fn a_session_that_has_failed_is_not_hidden_by_one_that_goes_on() {
    let failed = |id: u32, code: i64| json!({"id": id, "error": {"code": code, "message": "x"}});
    let two = || {
        let mut rig = Rig::with_session();
        rig.prompt(5, "s");
        rig.prompt(6, "t");
        rig
    };
    let mut rig = two();
    assert_eq!(rig.agent(&failed(5, -32_603)), "working");
    assert_eq!(rig.stop(6, "end_turn"), "failed");
    assert_eq!((rig.outcome(), rig.seat.counters.turns), (Some("failed"), 1));
    rig.prompt(7, "t");
    assert_eq!(rig.stop(7, "end_turn"), "done", "it is no failure of the next turn");
    // It has done it after all.
    let mut rig = two();
    rig.agent(&failed(5, -32_603));
    rig.prompt(7, "s");
    rig.stop(7, "end_turn");
    assert_eq!(rig.stop(6, "end_turn"), "done");
    // It is no more, and can do it no more.
    let mut rig = two();
    rig.agent(&failed(5, -32_603));
    rig.client(&json!({"id": 8, "method": "session/delete", "params": {"sessionId": "s"}}));
    rig.agent(&json!({"id": 8, "result": {}}));
    assert_eq!(rig.stop(6, "end_turn"), "done");
    // A person has cancelled it.
    let mut rig = two();
    assert_eq!(rig.agent(&failed(5, -32_800)), "working");
    assert_eq!(rig.stop(6, "end_turn"), "done");
    // The last word is an answer of a person.
    let mut rig = Rig::with_session();
    rig.prompt(5, "s");
    rig.ask(0, "t");
    assert_eq!(rig.agent(&failed(5, -32_603)), "blocked");
    assert_eq!(rig.answer(0), "failed");
}
