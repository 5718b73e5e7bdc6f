//! The roster in other systems' words.

use crate::agent::home;
use headsup_testkit::home::Home;
use headsup_testkit::http;
use headsup_testkit::hub::Hub;
use serde_json::{Value, json};

/// Agents in states that those systems have words for.
fn agents(home: &Home) {
    let reports = [
        ("busy", json!({"turn": "working", "reason": "tool"})),
        ("asks", json!({"turn": "blocked", "reason": "question", "detail": "Which branch?"})),
        ("rests", json!({"turn": "idle"})),
        ("done", json!({"turn": "done"})),
        ("fails", json!({"turn": "failed"})),
        ("lost", json!({"turn": "unknown"})),
        ("put-away", json!({"turn": "idle"})),
        ("put-away", json!({"process": "suspended"})),
        ("left", json!({"turn": "idle"})),
        ("left", json!({"process": "exited"})),
    ];
    for (agent, report) in reports {
        let path = format!("/api/v1/agents/{agent}/reports");
        let (status, body) =
            http::post(&home.socket(), &path, report.to_string().as_bytes()).unwrap();
        assert_eq!(status, 202, "{}", String::from_utf8_lossy(&body));
    }
}

fn listed(home: &Home, vocabulary: &str) -> Vec<Value> {
    let done = home.run(["ls", "--vocabulary", vocabulary, "--json", "--no-start"]);
    let doc = done.ok().json();
    assert_eq!(doc["schema"], 1);
    doc["agents"].as_array().unwrap().clone()
}

#[test]
fn a_list_speaks_every_vocabulary() {
    let home = home();
    let _hub = Hub::start(&home);
    agents(&home);
    let names = ["busy", "asks", "rests", "done", "fails", "lost", "put-away", "left"];
    let table = [
        ("boocode", ["working", "blocked", "idle", "idle", "error", "working", "idle", "idle"]),
        (
            "wardian",
            ["Processing...", "Action Needed", "Idle", "Idle", "Error", "unknown", "Off", "Off"],
        ),
        ("bob", ["running", "running", "idle", "idle", "idle", "running", "stopped", "stopped"]),
        (
            "panopticon",
            ["active", "active", "idle", "idle", "idle", "active", "suspended", "uninitialized"],
        ),
        ("jackin", ["Busy", "Question", "Idle", "Idle", "Idle", "Unknown", "Idle", "Idle"]),
        ("multicode", ["Busy", "Question", "Idle", "Idle", "Idle", "Busy", "Idle", "Idle"]),
    ];
    for (vocabulary, words) in table {
        let agents = listed(&home, vocabulary);
        let text = home.run(["ls", "--vocabulary", vocabulary, "--no-start"]).ok().stdout.clone();
        let title = text.lines().next().unwrap();
        assert!(title.contains(&vocabulary.to_uppercase()), "{title}");
        for (name, word) in names.iter().zip(words) {
            let agent = agents.iter().find(|agent| agent["id"] == *name).unwrap();
            assert_eq!(agent["vocabulary"]["name"], vocabulary);
            assert_eq!(agent["vocabulary"]["word"], word, "{vocabulary}: {agent:#}");
            assert!(agent["headline"].is_string(), "our own word stays: {agent:#}");
            let row = text.lines().find(|line| line.contains(&format!(" {name} "))).unwrap();
            assert!(row.contains(word), "{vocabulary}: {row}");
        }
    }
    let plain = home.run(["ls", "--json", "--no-start"]).ok().json();
    assert!(plain["agents"].as_array().unwrap().iter().all(|a| a.get("vocabulary").is_none()));
}

#[test]
fn jackins_words_carry_what_they_carry() {
    let home = home();
    let _hub = Hub::start(&home);
    agents(&home);
    home.run(["run", "--here", "--id", "crash", "--", "sh", "-c", "exit 3"]);
    home.is_told();
    let agents = listed(&home, "jackin");
    let said = |name: &str| {
        let agent = agents.iter().find(|agent| agent["id"] == name).unwrap();
        (agent["vocabulary"].clone(), agent["since"].clone())
    };
    let (busy, since) = said("busy");
    assert_eq!((&busy["word"], &busy["since"]), (&json!("Busy"), &since));
    let (asks, since) = said("asks");
    assert_eq!((&asks["word"], &asks["since"]), (&json!("Question"), &since));
    assert_eq!(asks["prompt"], "Which branch?");
    assert_eq!(asks["beside"]["public"], "blocked");
    assert_eq!(said("rests").0.get("since"), None);
    let (crashed, _) = said("crash");
    assert_eq!((&crashed["word"], &crashed["exit_code"]), (&json!("Crashed"), &json!(3)));
    let text = home.run(["ls", "--vocabulary", "jackin", "--no-start"]).ok().stdout.clone();
    assert!(text.contains("Crashed(3)"), "{text}");
}

#[test]
fn an_unknown_vocabulary_is_refused_with_those_there_are() {
    let home = home();
    let _hub = Hub::start(&home);
    let done = home.run(["ls", "--vocabulary", "klingon", "--no-start"]);
    assert_eq!(done.code, 2, "{done:?}");
    let (status, body) = http::get(&home.socket(), "/api/v1/agents?vocabulary=klingon").unwrap();
    let problem: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!((status, &problem["code"]), (400, &json!("unknown_vocabulary")));
    let detail = problem["detail"].as_str().unwrap();
    for known in ["boocode", "wardian", "bob", "panopticon", "jackin", "multicode"] {
        assert!(done.stderr.contains(known), "{}", done.stderr);
        assert!(detail.contains(known), "{detail}");
    }
}

#[test]
fn a_verdict_is_a_fact_about_a_task_and_moves_no_status() {
    let home = home();
    let _hub = Hub::start(&home);
    agents(&home);
    let said = ["verdict", "busy", "--task", "APP-12", "blocked", "--notes", "no tests", "--json"];
    let doc = home.run(said).ok().json();
    let expected = json!({
        "schema": 1, "agent_id": "busy", "task": "APP-12", "verdict": "blocked", "notes": "no tests",
    });
    assert_eq!(doc, expected);
    let shown = home.run(["show", "busy", "--json"]).ok().json();
    assert_eq!(
        (&shown["headline"], &shown["verdicts"][0]["verdict"]),
        (&json!("working"), &json!("blocked"))
    );
    let text = home.run(["show", "busy"]).ok().stdout.clone();
    assert!(text.contains("APP-12: blocked (no tests)"), "{text}");
    for (vocabulary, question) in [("panopticon", "report"), ("wardian", "reply")] {
        let agents = listed(&home, vocabulary);
        let said = |name: &str| {
            let agent = agents.iter().find(|agent| agent["id"] == name).unwrap();
            agent["vocabulary"]["beside"][question].clone()
        };
        assert_eq!((said("busy"), said("asks")), (json!("blocked"), Value::Null), "{vocabulary}");
    }
    let told = crate::agent::events(&home);
    let last = told.last().unwrap();
    assert_eq!(
        (&last["type"], &last["verdict"]["task"]),
        (&json!("verdict.reported"), &json!("APP-12"))
    );
    for (args, code) in [
        (["verdict", "busy", "--task", "T", "perhaps"], 2),
        (["verdict", "nobody", "--task", "T", "passed"], 4),
        (["verdict", "busy", "--task", " ", "passed"], 2),
    ] {
        let done = home.run(args);
        assert_eq!(done.code, code, "{done:?}");
    }
}
