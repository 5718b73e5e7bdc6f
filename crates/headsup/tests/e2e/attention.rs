//! What waits for a person without asking: it is in the inbox as long as it does, and `next` leads there.

use crate::agent::home;
use headsup_testkit::home::{Done, Home};
use headsup_testkit::hub::Hub;
use headsup_testkit::wait;
use serde_json::Value;

fn outcomes(home: &Home) -> Vec<(String, String)> {
    let inbox = home.run(["inbox", "--json"]).ok().json();
    let word = |one: &Value, name: &str| one[name].as_str().unwrap().to_owned();
    let outcomes = inbox["outcomes"].as_array().unwrap().iter();
    outcomes.map(|one| (word(one, "agent_id"), word(one, "headline"))).collect()
}

fn next(home: &Home) -> Value {
    home.run(["next", "--json"]).ok().json()["agent_id"].clone()
}

fn pair(agent: &str, headline: &str) -> (String, String) {
    (agent.to_owned(), headline.to_owned())
}

#[test]
fn whoever_is_stuck_is_in_the_inbox_until_it_goes_on() {
    let home = home();
    let _hub = Hub::start(&home);
    home.run(["report", "idle", "--agent", "api"]).ok();
    home.run(["stage", "api", "working"]).ok();
    home.run(["stage", "api", "blocked", "--message", "no access"]).ok();
    assert_eq!(outcomes(&home), [pair("api", "blocked")]);
    let shown = home.run(["inbox"]).ok().stdout.clone();
    assert!(shown.contains("▲ blocked") && shown.contains("no access"), "{shown}");
    home.run(["ack", "api"]).ok();
    assert_eq!(outcomes(&home), [pair("api", "blocked")], "to look at it does not help it");
    // What it asks stands there in its own words, and once.
    home.run(["prompt", "open", "api", "Which?", "--default", "-"]).ok();
    assert_eq!(outcomes(&home), []);
    home.run(["answer", "api-p1", "this"]).ok();
    home.run(["stage", "api", "working"]).ok();
    assert_eq!(home.run(["inbox"]).ok().stderr, "Nothing waits for you.\n");
}

#[test]
fn what_cannot_be_seen_away_is_told_with_what_moves_it_and_next_leads_on() {
    let home = home();
    let _hub = Hub::start(&home);
    for id in ["a", "b"] {
        home.run(["report", "idle", "--agent", id]).ok();
        home.run(["stage", id, "blocked", "--message", "no access"]).ok();
    }
    home.run(["report", "done", "--agent", "c"]).ok();
    let told = home.run(["ack", "a", "--json"]).ok().json();
    assert_eq!(told["agents"], serde_json::json!([]), "{told}");
    assert_eq!(
        told["waiting"],
        serde_json::json!([{
            "agent_id": "a", "headline": "blocked", "reason": "no access",
            "hint": "`headsup stage a working` lets it go on",
        }])
    );
    let told = home.run(["ack", "b"]).ok().stderr.clone();
    assert_eq!(
        told,
        "headsup: b waits all the same, blocked (no access): `headsup stage b working` lets it go on\n"
    );
    // Who was looked at longest ago comes first of those.
    let named = || home.run(["next", "--print", "--json"]).ok().json()["agent_id"].clone();
    assert_eq!((named(), named()), ("c".into(), "c".into()));
    let round: Vec<Value> = (0..4).map(|_| next(&home)).collect();
    assert_eq!(round, ["c", "a", "b", "c"]);
    home.run(["stage", "b", "working"]).ok();
    home.run(["stage", "b", "blocked"]).ok();
    assert_eq!(next(&home), "b", "it is stuck anew");
    let all = home.run(["ack", "--all", "--json"]).ok().json();
    assert_eq!(all["agents"], serde_json::json!(["c"]));
    let waiting = all["waiting"].as_array().unwrap().iter().map(|one| one["agent_id"].clone());
    assert_eq!(waiting.collect::<Vec<_>>(), ["a", "b"]);
    // A review is for a person to end, and a question to answer.
    home.run(["stage", "a", "working"]).ok();
    home.run(["stage", "a", "awaiting_review"]).ok();
    let told = home.run(["ack", "a"]).ok().stderr.clone();
    assert!(
        told.contains("a waits all the same, review") && told.contains("stage a completed"),
        "{told}"
    );
    home.run(["prompt", "open", "c", "Which?", "--default", "-"]).ok();
    let told = home.run(["ack", "c"]).ok().stderr.clone();
    assert!(told.contains("(input: Which?): `headsup answer c-p1"), "{told}");
    home.run(["stage", "b", "failed"]).ok();
    let told = home.run(["ack", "b"]).ok().stderr.clone();
    assert!(told.contains("headsup report working --agent b"), "{told}");
    home.run(["report", "working", "--agent", "b"]).ok();
    let shown = home.run(["show", "b", "--json"]).ok().json();
    assert_eq!((&shown["headline"], &shown["stage"]), (&"working".into(), &Value::Null));
}

#[test]
fn a_crash_before_any_turn_is_in_the_inbox_until_somebody_has_looked() {
    let home = home();
    let hub = Hub::start(&home);
    for (id, script) in [("c1", "exit 5"), ("c2", "kill -SEGV $$")] {
        home.run(["run", "--here", "--id", id, "--", "/bin/sh", "-c", script]);
        wait::until("its crash", || {
            (home.run(["show", id, "--json"]).ok().json()["headline"] == "crashed").then_some(())
        });
    }
    let both = [pair("c1", "crashed"), pair("c2", "crashed")];
    assert_eq!(outcomes(&home), both);
    assert!(home.run(["show", "c1"]).ok().stdout.contains("not seen yet"));
    assert_eq!(next(&home), "c1");
    home.run(["ack", "c1"]).ok();
    assert_eq!((outcomes(&home), next(&home)), (both[1..].to_vec(), "c2".into()));
    hub.kill();
    let _hub = Hub::start(&home);
    assert_eq!(outcomes(&home), both[1..], "what a person has seen is kept");
    let all = home.run(["ack", "--all", "--json"]).ok().json();
    assert_eq!(all["agents"], serde_json::json!(["c2"]));
    assert_eq!((outcomes(&home), next(&home)), (Vec::new(), Value::Null));
    // The next one is another crash.
    home.run(["run", "--here", "--id", "c1", "--", "/bin/sh", "-c", "exit 5"]);
    wait::until("its second crash", || (outcomes(&home) == both[..1]).then_some(()));
}

/// Nobody could type to them, so nobody has seen how they left.
#[test]
fn an_agent_that_has_ended_is_in_the_inbox_until_somebody_has_seen_how_its_turn_did() {
    let home = home();
    let _hub = Hub::start(&home);
    let binary = env!("CARGO_BIN_EXE_headsup");
    for (id, word) in [("f2", "failed"), ("d2", "done"), ("i2", "idle")] {
        let script = format!("'{binary}' report working; '{binary}' report {word}; exit 0");
        home.run(["run", "--here", "--id", id, "--", "sh", "-c", script.as_str()]).ok();
        wait::until("its end", || {
            let shown = home.run(["show", id, "--json"]).ok().json();
            (shown["headline"] == "ended" && shown["seen"] == false).then_some(())
        });
    }
    let both = [pair("f2", "ended"), pair("d2", "ended")];
    assert_eq!(outcomes(&home), both);
    let inbox = home.run(["inbox", "--json"]).ok().json();
    let failed = home.run(["show", "f2", "--json"]).ok().json();
    assert_eq!(inbox["outcomes"][0]["at"], failed["outcome"]["at"]);
    let shown = home.run(["inbox"]).ok().stdout.clone();
    for words in ["· ended  f2  ", "failed; left by itself", "done; left by itself"] {
        assert!(shown.contains(words), "{words:?} in {shown}");
    }
    assert!(home.run(["ls"]).ok().stdout.contains("failed; left by itself"));
    // To wait for attention is to wait for a headline.
    assert_eq!(home.run(["wait", "f2", "--until", "attention"]).code, 8);
    assert_eq!((next(&home), next(&home)), ("f2".into(), "d2".into()));
    let told = home.run(["ack", "f2", "--json"]).ok().json();
    assert_eq!(told["agents"], serde_json::json!(["f2"]));
    assert_eq!(outcomes(&home), both[1..]);
    home.run(["ack", "--all"]).ok();
    assert_eq!(home.run(["inbox"]).ok().stderr, "Nothing waits for you.\n");
    assert!(!home.run(["ls"]).ok().stdout.contains("failed; left by itself"));
}

#[test]
fn a_name_is_one_agent_wherever_it_is_typed() {
    let home = home();
    let _hub = Hub::start(&home);
    home.run(["report", "working", "--agent", "api-2"]).ok();
    home.run(["rename", "api-2", "front"]).ok();
    let told = home.run(["report", "idle", "--agent", "front", "--json"]).ok().json();
    assert_eq!(told["agent_id"], "api-2");
    let taken = home.run(["run", "--here", "--id", "front", "--", "/bin/true"]);
    assert_eq!(taken.code, 7, "{taken:?}");
    assert!(taken.stderr.contains("another agent is called this"), "{taken:?}");
    assert_eq!(home.run(["report", "idle", "--agent", "."]).code, 4);
    let long = home.run(["rename", "front", &"x".repeat(300)]);
    assert_eq!(long.code, 2, "{long:?}");
    assert!(long.stderr.contains("longer than 100 characters"), "{long:?}");
    // A beginning is nobody's name: it may be that of an agent that is to come.
    home.run(["report", "idle", "--agent", "api"]).ok();
    let listed = home.run(["ls", "--json"]).ok().json();
    assert_eq!(listed["agents"].as_array().unwrap().len(), 2, "{listed}");
    // An agent whose own id it is waits for a person, and is seen to.
    let mut own = home.command(["report", "blocked", "--reason", "question", "--detail", "which?"]);
    own.env("HEADSUP_AGENT_ID", "front");
    Done::from(own.output().unwrap()).ok();
    let shown = home.run(["show", "front", "--json"]).ok().json();
    assert_eq!((&shown["id"], &shown["name"]), (&"front".into(), &"front-2".into()));
    assert_eq!(home.run(["show", "api-2", "--json"]).ok().json()["name"], "front");
}

#[test]
fn what_takes_away_takes_no_beginning_and_nothing_is_nobody() {
    let home = home();
    let _hub = Hub::start(&home);
    for agent in ["api", "api-2"] {
        home.run(["report", "idle", "--agent", agent]).ok();
    }
    home.run(["forget", "api", "--force"]).ok();
    let again = home.run(["forget", "api", "--force"]);
    assert_eq!(again.code, 4, "{again:?}");
    assert!(again.stderr.contains("the whole id or name, as api-2"), "{again:?}");
    assert!(!again.stderr.contains("see them all"), "{again:?}");
    assert_eq!(home.run(["forget", "api-2x", "--force"]).code, 4);
    for command in [
        &["forget", "", "--force"][..],
        &["show", ""],
        &["ack", ""],
        &["report", "idle", "--agent", ""],
        &["snooze", "", "1m"],
        &["watch", "", "--no-follow"],
        &["answer", "", "x"],
        &["prompt", "cancel", ""],
        &["run", "--here", "--id", "", "--", "/bin/true"],
    ] {
        let done = home.run(command);
        assert!([2, 4].contains(&done.code), "{command:?}: {done:?}");
    }
    home.run(["rename", "api-2", "front"]).ok();
    home.run(["forget", "front", "--force"]).ok();
    assert_eq!(home.run(["ls", "--all", "--json"]).ok().json()["agents"], serde_json::json!([]));
}
