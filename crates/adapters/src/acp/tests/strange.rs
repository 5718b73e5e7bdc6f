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
