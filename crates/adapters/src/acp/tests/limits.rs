//! Messages of any size, in any number: what decides is heard.

use super::{Rig, Side};
use serde_json::{Map, Value, json};

fn flat(members: usize, bytes: usize) -> Value {
    let member = |n: usize| (format!("key {n}"), Value::from("x".repeat(bytes)));
    Value::Object((0..members).map(member).collect::<Map<_, _>>())
}

#[test]
fn a_permission_and_an_answer_are_heard_whatever_flat_object_is_in_them() {
    for (members, bytes) in [(10, 10), (1_500, 180), (20_000, 1)] {
        let call = json!({"kind": "execute", "rawInput": flat(members, bytes), "title": "touch x",
            "toolCallId": "c"});
        let options = json!([{"optionId": "yes", "name": "Allow"}]);
        let method = r#""method":"session/request_permission""#;
        for line in [
            format!(
                r#"{{"id":0,{method},"params":{{"sessionId":"s","toolCall":{call},"options":{options}}}}}"#
            ),
            format!(
                r#"{{"params":{{"options":{options},"toolCall":{call},"sessionId":"s"}},{method},"id":0}}"#
            ),
        ] {
            let mut rig = Rig::with_session();
            rig.prompt(5, "s");
            assert_eq!(rig.line(Side::Agent, &line), "blocked", "{members}");
            let ask = &rig.seat.prompts[0].ask;
            assert_eq!((ask.title.as_str(), ask.options.len()), ("touch x", 1), "{members}");
            let outcome = json!({"outcome": "selected", "optionId": "yes"});
            let answer = json!({"_meta": flat(members, bytes), "outcome": outcome});
            assert_eq!(rig.client(&json!({"id": 0, "result": answer})), "working", "{members}");
            let end = json!({"_meta": flat(members, bytes), "stopReason": "end_turn"});
            assert_eq!(rig.agent(&json!({"id": 5, "result": end})), "done", "{members}");
        }
    }
}

#[test]
fn an_id_of_any_length_is_an_id() {
    for length in [1, 61, 62, 63, 300, 1_900] {
        let id = |last: &str| format!("{}{last}", "i".repeat(length));
        let ask = |last: &str| {
            let params = json!({"sessionId": "s", "options": [], "toolCall": {"toolCallId": "c"}});
            json!({"id": id(last), "method": "session/request_permission", "params": params})
        };
        let outcome = json!({"outcome": {"outcome": "selected", "optionId": "yes"}});
        let mut rig = Rig::with_session();
        let params = json!({"sessionId": "s", "prompt": []});
        let prompt = json!({"id": id("p"), "method": "session/prompt", "params": params});
        assert_eq!(rig.client(&prompt), "working", "{length}");
        assert_eq!(rig.agent(&ask("a")), "blocked", "{length}");
        assert_eq!(rig.agent(&ask("b")), "blocked");
        assert_eq!(rig.seat.prompts.len(), 2, "{length}");
        assert_eq!(rig.client(&json!({"id": id("b"), "result": outcome})), "blocked");
        assert_eq!(rig.client(&json!({"id": id("a"), "result": outcome})), "working");
        assert_eq!(rig.agent(&ask("c")), "blocked");
        let cancel = json!({"method": "$/cancel_request", "params": {"requestId": id("c")}});
        assert_eq!(rig.agent(&cancel), "working");
        let end = json!({"id": id("p"), "result": {"stopReason": "end_turn"}});
        assert_eq!(rig.agent(&end), "done", "{length}");
    }
}

/// A folder with a space in it is an id, too.
#[test]
fn sessions_are_told_apart_whatever_their_ids_are() {
    let long = |last: &str| format!("{}{last}", "s".repeat(300));
    let pairs = [
        ["/home/dev/my shop/a", "/home/dev/my shop/b"].map(str::to_owned),
        [long("a"), long("b")],
        ["s\u{202e}a".to_owned(), String::new()],
    ];
    for [one, other] in &pairs {
        let mut rig = Rig::with_session();
        rig.prompt(5, one);
        rig.prompt(6, other);
        rig.ask(0, one);
        let cancel = json!({"method": "session/cancel", "params": {"sessionId": other}});
        assert_eq!(rig.client(&cancel), "blocked", "{one}: the other one was cancelled");
        assert_eq!(rig.stop(6, "cancelled"), "blocked", "{one}");
        assert_eq!(rig.answer(0), "working", "{one}");
        // Where it stands behind a lot it is the same.
        let params = json!({"_meta": flat(1_500, 180), "sessionId": one});
        let close = json!({"id": 7, "method": "session/close", "params": params});
        rig.client(&close);
        assert_eq!(rig.agent(&json!({"id": 7, "result": {}})), "idle", "{one}");
    }
}

#[test]
fn an_id_is_the_same_however_it_is_written() {
    let plain = format!("\"{}\"", "\u{e9}".repeat(100));
    let escaped = format!("\"{}\"", "\\u00e9".repeat(100));
    for (asked, answered) in [
        ("\"\u{e9}\"", "\"\\u00e9\""),
        (r#""prompt/1""#, r#""prompt\/1""#),
        ("1.0", "1"),
        ("7", "7.0"),
        ("1e3", "1000"),
        (plain.as_str(), escaped.as_str()),
    ] {
        let mut rig = Rig::with_session();
        let params = r#""params":{"sessionId":"s"}"#;
        let prompt = format!(r#"{{"id":{asked},"method":"session/prompt",{params}}}"#);
        assert_eq!(rig.line(Side::Client, &prompt), "working", "{asked}");
        let ask = format!(r#"{{"id":{asked},"method":"session/request_permission",{params}}}"#);
        assert_eq!(rig.line(Side::Agent, &ask), "blocked", "{asked}");
        let allowed = r#""result":{"outcome":{"outcome":"selected","optionId":"yes"}}"#;
        let answer = format!(r#"{{"id":{answered},{allowed}}}"#);
        assert_eq!(rig.line(Side::Client, &answer), "working", "{answered}");
        let end = format!(r#"{{"id":{answered},"result":{{"stopReason":"end_turn"}}}}"#);
        assert_eq!(rig.line(Side::Agent, &end), "done", "{answered}");
    }
    // A number and a string are two, and so are numbers that no float tells apart.
    for (asked, other) in [("3", r#""3""#), ("9007199254740993", "9007199254740992"), ("1.5", "1")]
    {
        let mut rig = Rig::with_session();
        let params = r#""params":{"sessionId":"s"}"#;
        let prompt = format!(r#"{{"id":{asked},"method":"session/prompt",{params}}}"#);
        rig.line(Side::Client, &prompt);
        let end = format!(r#"{{"id":{other},"result":{{"stopReason":"end_turn"}}}}"#);
        assert_eq!(rig.line(Side::Agent, &end), "working", "{asked}");
    }
}

#[test]
fn an_id_that_is_null_is_one_too() {
    let mut rig = Rig::with_session();
    let params = json!({"sessionId": "s"});
    let prompt = json!({"id": null, "method": "session/prompt", "params": params});
    assert_eq!(rig.client(&prompt), "working");
    let ask = json!({"id": null, "method": "session/request_permission", "params": params});
    assert_eq!(rig.agent(&ask), "blocked");
    let outcome = json!({"outcome": {"outcome": "selected", "optionId": "yes"}});
    assert_eq!(rig.client(&json!({"id": null, "result": outcome})), "working");
    rig.agent(&ask);
    let cancel = json!({"method": "$/cancel_request", "params": {"requestId": null}});
    assert_eq!(rig.agent(&cancel), "working");
    // Where no id belongs it is none.
    let update = json!({"sessionUpdate": "tool_call", "toolCallId": "c", "kind": "execute"});
    let params = json!({"sessionId": "s", "update": update});
    rig.agent(&json!({"id": null, "method": "session/update", "params": params}));
    assert_eq!(rig.seat.turn.detail.as_deref(), Some("execute"));
    rig.agent(&ask);
    let params = json!({"sessionId": "s"});
    let cancel = json!({"id": null, "method": "session/cancel", "params": params});
    assert_eq!(rig.client(&cancel), "working");
    assert_eq!(rig.agent(&json!({"id": null, "result": {"stopReason": "end_turn"}})), "done");
}

#[test]
fn what_is_asked_beside_all_that_is_told_is_waited_for_too() {
    let mut rig = Rig::with_session();
    rig.prompt(5, "s");
    for id in 0..300 {
        assert_eq!(rig.ask(id, "s"), "blocked", "{id}");
    }
    assert_eq!(rig.traffic.stands().unwrap().prompts, 300);
    // Of these two nobody has been told.
    rig.answer(280);
    rig.agent(&json!({"method": "$/cancel_request", "params": {"requestId": 290}}));
    let left = (0..300).filter(|id| ![280, 290, 299].contains(id));
    for id in left {
        assert_eq!(rig.answer(id), "blocked", "{id}");
    }
    assert_eq!(rig.answer(299), "working");
    assert_eq!(rig.stop(5, "end_turn"), "done");
    assert!(rig.seat.prompts.is_empty());
}

#[test]
fn whatever_is_answered_first_what_is_not_answered_blocks() {
    let mut rig = Rig::with_session();
    rig.prompt(5, "s");
    rig.prompt(6, "t");
    for id in 0..300 {
        rig.ask(id, if id % 2 == 0 { "s" } else { "t" });
    }
    for id in (200..300).rev() {
        assert_eq!(rig.answer(id), "blocked", "{id}");
    }
    // Many are over at once, and as many take their places.
    assert_eq!(rig.stop(5, "end_turn"), "blocked");
    for id in (3..200).rev().filter(|id| id % 2 == 1) {
        assert_eq!(rig.answer(id), "blocked", "{id}");
    }
    assert_eq!(rig.answer(1), "working");
    assert!(rig.seat.prompts.is_empty());
}

#[test]
fn what_another_session_asks_is_told_in_the_place_of_what_is_over() {
    let mut rig = Rig::with_session();
    rig.prompt(5, "s");
    rig.prompt(6, "t");
    for id in 0..256 {
        rig.ask(id, "s");
    }
    rig.ask(256, "t");
    let before = rig.said.len();
    assert_eq!(rig.stop(5, "end_turn"), "blocked");
    assert_eq!(rig.said[before].event, super::Event::PromptOpened, "first");
    assert_eq!(rig.seat.prompts.len(), 1);
    assert_eq!(rig.answer(256), "working");
    for id in 0..257 {
        rig.ask(id, "t");
    }
    assert_eq!(rig.stop(6, "end_turn"), "done", "the end of all is that of what waits, too");
    assert_eq!(rig.traffic.stands().unwrap().prompts, 0);
}

#[test]
fn every_message_of_a_batch_is_heard() {
    let mut rig = Rig::with_session();
    rig.prompt(5, "s");
    let chunk = |n: u32| {
        let text = json!({"type": "text", "text": format!("word {n}")});
        let update = json!({"sessionUpdate": "agent_message_chunk", "content": text});
        json!({"method": "session/update", "params": {"sessionId": "s", "update": update}})
    };
    let mut batch: Vec<Value> = (0..1_000).map(chunk).collect();
    batch.push(json!({"id": 5, "result": {"stopReason": "end_turn"}}));
    assert_eq!(rig.agent(&Value::from(batch)), "done");
}
