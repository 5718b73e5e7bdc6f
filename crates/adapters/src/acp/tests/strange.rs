//! What no version of the protocol says.

use super::{Event, Rig, seen};
use serde_json::{Value, json};

/// What is counted of all that was told: the name of each, and its member.
fn counted(rig: &Rig) -> Vec<String> {
    let name = |seen: crate::Sighting| Some(format!("{}.{}", seen.event, seen.strange?));
    rig.said.iter().filter_map(|said| name(seen(said))).collect()
}

#[test]
fn what_a_message_says_anew_changes_nothing_and_is_counted_once() {
    let mut rig = Rig::with_session();
    rig.prompt(5, "s");
    for _ in 0..2 {
        for dreamt in [
            rig.client(&json!({"id": 9, "method": "session/dream", "params": {"sessionId": "s"}})),
            rig.agent(&json!({"method": "agent/dreamt"})),
            rig.update("s", &json!({"sessionUpdate": "dreamt"})),
            rig.update("s", &json!({"kind": "agent_message_chunk"})),
            rig.update("s", &json!({"sessionUpdate": "state_update", "state": "dreamt"})),
            // Anybody's own.
            rig.agent(&json!({"method": "_vendor/dreamt"})),
            rig.update("s", &json!({"sessionUpdate": "_dreamt"})),
        ] {
            assert_eq!(dreamt, "working");
        }
    }
    let names = [
        "session/dream.method",
        "agent/dreamt.method",
        "session/update/dreamt.sessionUpdate",
        "session/update.sessionUpdate",
        "session/update/state_update.state",
    ];
    assert_eq!(counted(&rig), names);
    assert_eq!(rig.stop(5, "dreamt"), "idle");
    assert_eq!(counted(&rig).last().unwrap(), "turn_ended.stopReason");
}

/// Every agent of version 1 says in its answer how it came to it.
#[test]
fn an_answer_that_does_not_say_how_it_came_to_it_is_counted() {
    for result in [json!({"stop_reason": "end_turn"}), json!({"stopReason": 7}), json!(null)] {
        let mut rig = Rig::with_session();
        rig.prompt(5, "s");
        assert_eq!(rig.agent(&json!({"id": 5, "result": result})), "idle", "{result}");
        assert_eq!(counted(&rig), ["session/prompt.stopReason"], "{result}");
    }
    // In version 2 it only says that the prompt was taken in.
    let mut rig = Rig::new();
    rig.client(&json!({"id": 0, "method": "initialize", "params": {"protocolVersion": 2}}));
    rig.agent(&json!({"id": 0, "result": {"protocolVersion": 2}}));
    for state in [json!({"state": "running"}), json!({"state": "idle"})] {
        rig.prompt(5, "s");
        let mut update = state.clone();
        update["sessionUpdate"] = "state_update".into();
        rig.update("s", &update);
        rig.agent(&json!({"id": 5, "result": {"messageId": "m"}}));
        assert_eq!(counted(&rig), [""; 0], "{state}");
    }
}

#[test]
fn background_work_in_another_form_or_of_a_new_type_is_counted() {
    for (background, is_news) in [
        (json!(null), false),
        (json!([]), false),
        (json!([{"type": "terminal"}, {"type": "tool_call"}, {"type": "subagent"}]), false),
        (json!([{"type": "_own"}]), false),
        (json!([{"type": "agent"}]), true),
        (json!([{"kind": "subagent"}]), true),
        (json!({"items": [{"type": "subagent"}]}), true),
        (json!(7), true),
    ] {
        let mut rig = Rig::with_session();
        let update =
            json!({"sessionUpdate": "state_update", "state": "running", "background": background});
        rig.update("s", &update);
        rig.update("s", &update);
        let name = is_news.then(|| "session/update/state_update.background".to_owned());
        assert_eq!(counted(&rig), name.into_iter().collect::<Vec<_>>(), "{background}");
    }
    // Who lists it does so in each update.
    let mut rig = Rig::with_session();
    let running = json!({"sessionUpdate": "state_update", "state": "running"});
    rig.update("s", &running);
    let mut lists = running.clone();
    lists["background"] = json!([]);
    rig.update("s", &lists);
    rig.update("t", &running);
    assert_eq!(counted(&rig), [""; 0]);
    rig.update("s", &running);
    assert_eq!(counted(&rig), ["session/update/state_update.background"]);
}

#[test]
fn a_connection_tells_of_few_kinds() {
    let mut rig = Rig::with_session();
    for number in 0..500 {
        rig.agent(&json!({"method": format!("agent/dreamt {number}")}));
    }
    assert_eq!(counted(&rig).len(), 64);
    let mut strange = rig.said.iter().filter(|said| said.strange.is_some());
    assert!(strange.all(|said| said.event == Event::Noted));
}

#[test]
fn nothing_that_is_in_a_version_or_was_recorded_is_news() {
    let mut rig = Rig::new();
    let catalogue = include_str!("../../../fixtures/acp/protocol-catalogue.json");
    let catalogue: Value = serde_json::from_str(catalogue).unwrap();
    let words = |list: &Value| -> Vec<String> {
        let list = list.as_array().into_iter().flatten();
        list.map(|word| word.as_str().unwrap().to_owned()).collect()
    };
    let mut known = 0;
    for version in catalogue.as_object().unwrap().values() {
        for method in
            version["methods"].as_object().into_iter().flatten().flat_map(|(_, of)| words(of))
        {
            if method != "session/update" {
                rig.agent(&json!({"method": method}));
                known += 1;
            }
        }
        for kind in words(&version["SessionUpdate"]) {
            rig.update("s", &json!({"sessionUpdate": kind, "state": "idle"}));
            known += 1;
        }
        for state in words(&version["StateUpdate"]) {
            // It stands for all that is to come.
            if state != "other" {
                rig.update("s", &json!({"sessionUpdate": "state_update", "state": state}));
                known += 1;
            }
        }
        for stop in words(&version["StopReason"]) {
            rig.prompt(known, "s");
            rig.stop(known, &stop);
            known += 1;
        }
    }
    assert!(known > 150, "{known}");
    for (_, text) in super::recorded::RECORDED {
        for line in text.lines() {
            let row: Value = serde_json::from_str(line).unwrap();
            match row["kind"].as_str() {
                Some("client_to_agent") => rig.client(&row["msg"]),
                Some("agent_to_client") => rig.agent(&row["msg"]),
                _ => continue,
            };
        }
    }
    assert_eq!(counted(&rig), [""; 0]);
}
