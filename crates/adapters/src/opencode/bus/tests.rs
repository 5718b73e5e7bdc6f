use super::*;
use serde_json::json;

mod unclear;
mod unread;
mod written;

const PERMISSION: &str =
    include_str!("../../../fixtures/opencode/1.18.33/http-sse/permission-approved-once.jsonl");

fn word(body: &[u8]) -> String {
    let told: Value = serde_json::from_slice(body).unwrap();
    let more = ["code", "reason"].iter().find_map(|name| told[*name].as_str());
    let level = told["level"].as_str().unwrap();
    more.map_or_else(|| level.to_owned(), |more| format!("{level} {more}"))
}

/// What is told of a recorded stream, one level after the other.
fn told(recording: &str) -> Vec<String> {
    let mut follower = Follower::new(served(&["serve".to_owned()]));
    let rows = recording.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let messages = rows.filter(|row| row["kind"] == "sse").map(|row| row["data"].to_string());
    messages.filter_map(|message| follower.heard(&message)).map(|body| word(&body)).collect()
}

macro_rules! recorded {
    ($kind:literal, $name:literal) => {
        told(include_str!(concat!("../../../fixtures/", $kind, "/http-sse/", $name, ".jsonl")))
    };
}

#[test]
fn each_change_of_a_recorded_conversation_is_told_once() {
    assert_eq!(told(PERMISSION), ["idle", "working", "blocked bash", "working", "done"]);
    let all = recorded!("opencode/1.18.33", "global-event-stream");
    assert_eq!(all, ["idle", "working", "done"]);
    let fork = recorded!("kilo/7.7.9", "question-answered");
    assert_eq!(fork, ["idle", "working", "blocked question", "working", "done"]);
}

#[test]
fn an_end_is_told_as_what_it_is() {
    let version = "idle working";
    let end = |told: Vec<String>| told.join(" ").strip_prefix(version).unwrap().trim().to_owned();
    assert_eq!(end(recorded!("opencode/1.18.33", "abort-streaming")), "idle");
    assert_eq!(end(recorded!("opencode/1.18.33", "error-400")), "failed APIError");
    assert_eq!(end(recorded!("opencode/1.18.33", "retry-429-gives-up")), "failed APIError");
    assert_eq!(end(recorded!("opencode/1.18.33", "retry-then-ok")), "done");
    // An error that is not the last word is none.
    assert_eq!(end(recorded!("opencode/1.18.33", "error-context-overflow")), "done");
    let asked = end(recorded!("opencode/1.18.33", "abort-while-question"));
    assert_eq!(asked, "blocked question idle");
    let refused = end(recorded!("opencode/1.18.33", "permission-rejected"));
    assert_eq!(refused, "blocked bash working idle");
    // Killed: nothing is told of it here.
    assert_eq!(end(recorded!("opencode/1.18.33", "server-killed-mid-turn")), "");
}

#[test]
fn what_a_helper_does_and_asks_is_its_roots() {
    let told = recorded!("opencode/1.18.33", "subagent-permission");
    assert_eq!(told, ["idle", "working", "blocked bash", "working", "done"]);
}

fn message(kind: &str, said: Value) -> String {
    json!({ "type": kind, "properties": said }).to_string()
}

fn status(id: &str, kind: &str) -> String {
    message("session.status", json!({ "sessionID": id, "status": { "type": kind } }))
}

fn words(bodies: &[Vec<u8>]) -> Vec<String> {
    bodies.iter().map(|body| word(body)).collect()
}

#[test]
fn the_lists_say_how_things_are_and_what_is_dead_in_them_is_not() {
    let mut follower = Follower::new(Served { port: None, is_shared: true });
    let statuses = json!({ "ses_a": { "type": "retry" }, "ses_b": { "type": "busy" } }).to_string();
    let permissions = json!([
        { "id": "per_1", "sessionID": "ses_b", "permission": "bash" },
        { "id": "per_2", "sessionID": "ses_dead", "permission": "edit" },
    ]);
    let lists = [&*statuses, &*permissions.to_string(), "[]"];
    assert_eq!(follower.unknown_in(lists), ["/session/ses_a", "/session/ses_b"]);
    let known = ["ses_dead".to_owned()];
    assert_eq!(words(&follower.snapshot("/p", lists, &known)), ["working", "blocked bash", "idle"]);
    assert_eq!(follower.stands().len(), 2);
    // The stream was cut. Meanwhile one has ended, in a way that nobody tells any more.
    let later = [r#"{"ses_b":{"type":"busy"}}"#, "[]", "not a list"];
    assert_eq!(words(&follower.snapshot("/p", later, &known)), ["idle", "working"]);
    assert!(follower.snapshot("/p", ["nonsense", "[]", "[]"], &known).is_empty());
    // Another folder's lists say nothing of it.
    follower.learn(r#"{"id":"ses_b","directory":"/p"}"#);
    assert!(follower.snapshot("/other", ["{}", "[]", "[]"], &[]).is_empty());
}

#[test]
fn the_lists_of_one_folder_end_nothing_in_another() {
    let known = ["ses_b".to_owned()];
    let busy = [r#"{"ses_b":{"type":"busy"}}"#, "[]", "[]"];
    for is_shared in [true, false] {
        let mut follower = Follower::new(Served { port: None, is_shared });
        assert_eq!(follower.unknown_of(&known), ["/session/ses_b"]);
        follower.learn(r#"{"id":"ses_b","directory":"/q"}"#);
        assert!(follower.unknown_of(&known).is_empty());
        assert_eq!(follower.folders().into_iter().collect::<Vec<_>>(), ["/q"]);
        assert!(follower.snapshot("/p", ["{}", "[]", "[]"], &known).is_empty());
        assert_eq!(words(&follower.snapshot("/q", busy, &known)), ["working"]);
        assert!(follower.snapshot("/p", ["{}", "[]", "[]"], &known).is_empty());
        assert_eq!(words(&follower.snapshot("/q", ["{}", "[]", "[]"], &known)), ["idle"]);
    }
}

#[test]
fn the_lists_of_a_folder_end_nothing_of_which_the_program_does_not_say_where_it_is() {
    let known = ["ses_b".to_owned()];
    let none = ["{}", "[]", "[]"];
    for is_shared in [true, false] {
        let mut follower = Follower::new(Served { port: None, is_shared });
        follower.learn_nothing("/session/ses_b");
        assert!(follower.snapshot("/p", none, &known).is_empty());
        assert_eq!(follower.unknown_of(&[]), ["/session/ses_b"], "it is asked again");
        let busy = [r#"{"ses_b":{"type":"busy"}}"#, "[]", "[]"];
        assert_eq!(words(&follower.snapshot("/q", busy, &known)), ["working"]);
        assert!(follower.snapshot("/p", none, &known).is_empty());
        follower.learn_absent("/session/ses_b");
        assert_eq!(words(&follower.snapshot("/p", none, &known)), ["idle"]);
    }
}

#[test]
fn of_conversations_without_end_those_are_remembered_whose_helpers_go_on() {
    let mut follower = Follower::new(Served { port: None, is_shared: true });
    let root = |number: u32| format!("ses_root_{number}");
    let helper = |number: u32| format!("ses_helper_{number}");
    let created = |info: Value| message("session.created", json!({ "info": info }));
    for number in 0..20 {
        follower.heard(&status(&root(number), "busy"));
        follower.heard(&created(json!({ "id": helper(number), "parentID": root(number) })));
        follower.heard(&status(&helper(number), "busy"));
        follower.heard(&status(&root(number), "idle"));
    }
    for number in 0..1_000 {
        follower.heard(&created(json!({ "id": format!("ses_{number}") })));
    }
    assert_eq!(follower.sessions.len(), SESSIONS);
    // Of those that rest the latest.
    assert!(follower.sessions.contains_key("ses_999"));
    assert!(!follower.sessions.contains_key("ses_0"));
    for number in 0..20 {
        let told = follower.heard(&status(&helper(number), "idle")).unwrap();
        assert_eq!(word(&told), "done", "{number}");
    }
}

#[test]
fn a_terminal_shows_the_conversation_that_was_prompted_last_and_waits_for_all() {
    let mut follower = Follower::new(served(&["--port".to_owned(), "4096".to_owned()]));
    assert_eq!(words(&follower.snapshot("/p", ["{}", "[]", "[]"], &[])), ["idle"]);
    let mut hear = |message: String| {
        follower.heard(&message).map(|body| {
            let told: Value = serde_json::from_slice(&body).unwrap();
            (told["session_id"].as_str().unwrap().to_owned(), word(&body))
        })
    };
    let said = |id: &str, level: &str| Some((id.to_owned(), level.to_owned()));
    assert_eq!(hear(status("ses_a", "busy")), said("ses_a", "working"));
    assert_eq!(hear(status("ses_b", "busy")), said("ses_b", "working"));
    // Another step of the other one is no prompt.
    assert_eq!(hear(status("ses_a", "busy")), None);
    let asked = json!({ "id": "que_1", "sessionID": "ses_a", "questions": [] });
    assert_eq!(hear(message("question.asked", asked)), said("ses_b", "blocked question"));
    assert_eq!(hear(status("ses_a", "idle")), said("ses_b", "working"));
    assert_eq!(hear(status("ses_b", "idle")), said("ses_b", "done"));
    assert_eq!(hear(status("ses_b", "idle")), None);
}

#[test]
fn after_a_break_a_terminal_shows_the_conversation_that_it_has_shown_if_that_is_at_work() {
    let at_work = r#"{"ses_a":{"type":"busy"},"ses_b":{"type":"busy"}}"#;
    for (statuses, told) in
        [(at_work, None), (r#"{"ses_b":{"type":"busy"}}"#, Some("ses_b")), ("{}", Some("ses_a"))]
    {
        let mut follower = Follower::new(served(&["--port".to_owned(), "4096".to_owned()]));
        for id in ["ses_b", "ses_a"] {
            follower.heard(&status(id, "busy"));
        }
        let bodies = follower.snapshot("/p", [statuses, "[]", "[]"], &[]);
        let told_of = bodies.first().map(|body| {
            let told: Value = serde_json::from_slice(body).unwrap();
            told["session_id"].as_str().unwrap().to_owned()
        });
        assert_eq!(told_of.as_deref(), told, "{statuses}");
    }
}

#[test]
fn a_helper_that_outlives_its_root_keeps_it_at_work_until_it_ends() {
    let helper = json!({ "info": { "id": "ses_b", "parentID": "ses_a" } });
    let fails = |id: &str, name: &str| {
        message("session.error", json!({ "sessionID": id, "error": { "name": name } }))
    };
    let deleted = message("session.deleted", helper.clone());
    for end in [status("ses_b", "idle"), deleted, fails("ses_b", "APIError")] {
        for (stop, then) in [(None, "done"), (Some(fails("ses_a", ABORTED)), "idle")] {
            let mut follower = Follower::new(Served { port: None, is_shared: true });
            let mut hear = |message: &str| follower.heard(message).map(|body| word(&body));
            assert_eq!(hear(&status("ses_a", "busy")).as_deref(), Some("working"));
            let is_stopped = stop.is_some();
            let begins = [message("session.created", helper.clone()), status("ses_b", "busy")];
            for said in begins.into_iter().chain(stop) {
                assert_eq!(hear(&said), None);
            }
            let rests = hear(&status("ses_a", "idle"));
            assert_eq!(rests.as_deref(), is_stopped.then_some(then));
            assert_eq!(hear(&fails("ses_b", OVERFLOW)), None);
            let ends = hear(&end);
            assert_eq!(ends.as_deref(), (!is_stopped).then_some(then));
        }
    }
}

#[test]
fn a_rest_between_two_tries_is_a_stop_and_no_end() {
    let error = json!({ "sessionID": "ses_a", "error": { "name": "APIError" } });
    let fails = message("session.error", error);
    let [busy, retry, idle] = ["busy", "retry", "idle"].map(|kind| status("ses_a", kind));
    for (said, rest) in [
        (vec![&busy, &retry, &idle], "idle"),
        (vec![&busy, &retry, &busy, &idle], "done"),
        (vec![&busy, &retry, &fails, &idle], "failed APIError"),
        // Of the turn before it nothing is left.
        (vec![&busy, &retry, &idle, &busy, &idle], "done"),
    ] {
        for is_shared in [true, false] {
            let mut follower = Follower::new(Served { port: None, is_shared });
            let told: Vec<_> = said.iter().filter_map(|said| follower.heard(said)).collect();
            assert_eq!(words(&told).last().map(String::as_str), Some(rest), "{said:?}");
        }
    }
    // The lists may be all that tells of a try.
    for list in [r#"{"ses_a":{"type":"retry"}}"#, r#"{"ses_a":{"type":"offline"}}"#] {
        let mut follower = Follower::new(Served { port: None, is_shared: true });
        follower.snapshot("/p", [list, "[]", "[]"], &[]);
        assert_eq!(follower.heard(&idle).map(|body| word(&body)).as_deref(), Some("idle"));
        assert!(follower.news().is_empty(), "{list}");
    }
}

/// Kilo goes on by itself once its network is there again (read).
#[test]
fn whoever_waits_for_a_network_is_at_work() {
    let network = |what: &str| {
        let said = json!({ "sessionID": "ses_a", "requestID": "que_1" });
        message(&format!("session.network.{what}"), said)
    };
    let [busy, offline, retry] = ["busy", "offline", "retry"].map(|kind| status("ses_a", kind));
    let waits = [network("asked"), offline, network("restored"), network("replied"), retry, busy];
    for is_shared in [true, false] {
        let mut follower = Follower::new(Served { port: None, is_shared });
        follower.heard(&status("ses_a", "busy"));
        for said in &waits {
            assert_eq!(follower.heard(said), None, "{said}");
            assert_eq!(words(&follower.stands()), ["working"], "{said}");
        }
        assert!(follower.news().is_empty());
        // It is stopped there.
        follower.heard(&waits[1]);
        let rests = follower.heard(&status("ses_a", "idle")).map(|body| word(&body));
        assert_eq!(rests.as_deref(), Some("idle"));
    }
}

#[test]
fn whatever_a_deleted_session_has_started_is_gone_with_it() {
    let of = |kind: &str, id: &str, parent: Option<&str>| {
        message(kind, json!({ "info": { "id": id, "parentID": parent } }))
    };
    let helper_first = vec![of("session.deleted", "ses_b", Some("ses_a"))];
    for is_shared in [true, false] {
        for before in [Vec::new(), helper_first.clone()] {
            let mut follower = Follower::new(Served { port: None, is_shared });
            let mut hear = |message: &str| follower.heard(message).map(|body| word(&body));
            assert_eq!(hear(&status("ses_a", "busy")).as_deref(), Some("working"));
            let begins = [of("session.created", "ses_b", Some("ses_a")), status("ses_b", "busy")];
            for said in begins.into_iter().chain(before) {
                assert_eq!(hear(&said), None, "{said}");
            }
            let ends = hear(&of("session.deleted", "ses_a", None));
            assert_eq!(ends.as_deref(), Some("idle"));
            let asked = json!({ "id": "per_1", "sessionID": "ses_b", "permission": "bash" });
            for said in [
                status("ses_b", "busy"),
                message("permission.asked", asked),
                of("session.created", "ses_c", Some("ses_b")),
                status("ses_c", "busy"),
                of("session.updated", "ses_b", Some("ses_a")),
                status("ses_b", "idle"),
            ] {
                assert_eq!(hear(&said), None, "{said}");
            }
            // Nor does anybody ask for it, or believe a list that still has it.
            assert_eq!(follower.unknown(&status("ses_b", "busy")), None);
            follower.learn(r#"{"id":"ses_b","parentID":"ses_a"}"#);
            let lists = [r#"{"ses_b":{"type":"busy"}}"#, "[]", "[]"];
            assert!(follower.unknown_in(lists).is_empty());
            let told = words(&follower.snapshot("/p", lists, &["ses_a".to_owned()]));
            assert!(told.iter().all(|level| level == "idle"), "{told:?}");
            assert!(follower.stands().is_empty());
        }
    }
}

#[test]
fn a_session_whose_parent_is_told_only_after_that_one_has_gone_goes_then() {
    let late = json!({ "id": "ses_b", "parentID": "ses_a" });
    let updated = message("session.updated", json!({ "info": late }));
    let deleted = message("session.deleted", json!({ "info": { "id": "ses_a" } }));
    for is_shared in [true, false] {
        for is_asked in [true, false] {
            let mut follower = Follower::new(Served { port: None, is_shared });
            let begins = follower.heard(&status("ses_b", "busy")).map(|body| word(&body));
            assert_eq!(begins.as_deref(), Some("working"));
            assert_eq!(follower.heard(&deleted), None);
            let ends = match is_asked {
                true => follower.learn(&late.to_string()),
                false => follower.heard(&updated),
            };
            assert_eq!(ends.map(|body| word(&body)).as_deref(), Some("idle"));
            assert_eq!(follower.heard(&status("ses_b", "busy")), None);
            assert_eq!(follower.learn(&late.to_string()), None);
            assert!(follower.stands().is_empty());
        }
    }
}

#[test]
fn a_helper_that_is_deleted_may_be_all_that_was_heard_of_its_conversation() {
    let helper = json!({ "id": "ses_b", "parentID": "ses_a" });
    let deleted = message("session.deleted", json!({ "info": helper }));
    let lists = [r#"{"ses_b":{"type":"busy"}}"#, "[]", "[]"];
    for is_shared in [true, false] {
        let mut follower = Follower::new(Served { port: None, is_shared });
        assert_eq!(follower.learn(&helper.to_string()), None);
        assert_eq!(words(&follower.snapshot("/p", lists, &[])), ["working"]);
        let ends = follower.heard(&deleted).map(|body| word(&body));
        assert_eq!(ends.as_deref(), Some("idle"));
        assert!(follower.stands().is_empty());
    }
}

#[test]
fn what_is_new_or_broken_changes_nothing() {
    let mut follower = Follower::new(Served::default());
    for message in [
        "",
        "[]",
        "nonsense",
        "{\"type\":7}",
        "{\"payload\":{\"type\":\"sync\"}}",
        &message("session.later", json!({ "sessionID": "ses_a" })),
        &message("session.status", json!({ "status": { "type": "busy" } })),
        &message("session.status", json!({ "sessionID": "ses_a", "status": { "type": "new" } })),
        &message("permission.asked", json!({ "sessionID": "ses_a" })),
    ] {
        assert_eq!(follower.heard(message), None, "{message}");
    }
    assert_eq!(follower.unknown(&status("../../x", "busy")), None);
    assert!(follower.stands().is_empty());
}

#[test]
fn an_answer_to_what_cannot_be_read_is_that_to_the_only_one_that_waits() {
    let mut follower = Follower::new(Served { port: None, is_shared: true });
    let ask = |id: &str| message("permission.asked", json!({ "id": id, "sessionID": "ses_a" }));
    let answer = message("permission.replied", json!({ "sessionID": "ses_a", "ref": "per_1" }));
    let mut hear = |message: &str| follower.heard(message).map(|body| word(&body));
    assert_eq!(hear(&ask("per_1")).as_deref(), Some("blocked permission"));
    assert_eq!(hear(&answer).as_deref(), Some("working"));
    assert_eq!(hear(&ask("per_1")).as_deref(), Some("blocked permission"));
    assert_eq!(hear(&ask("per_2")), None);
    assert_eq!(hear(&answer), None);
}

#[test]
fn a_port_is_read_off_the_words_that_it_was_started_with() {
    let of = |words: &str| served(&words.split(' ').map(str::to_owned).collect::<Vec<_>>());
    assert_eq!(of("serve --port 4096"), Served { port: Some(4_096), is_shared: true });
    assert_eq!(of("--port=81"), Served { port: Some(81), is_shared: false });
    assert_eq!(of("run serve --port 0"), Served::default());
    assert_eq!(of("web --port nine"), Served { port: None, is_shared: true });
    // An agent may be called so.
    assert_eq!(of("--agent web --port 81"), Served { port: Some(81), is_shared: false });
    assert_eq!(of("--print-logs serve"), Served { port: None, is_shared: true });
}
