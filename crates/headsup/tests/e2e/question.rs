//! Whoever waits for an answer gets it, whatever happens to the hub; and a question that was shown was seen.

use crate::agent::home;
use headsup_testkit::home::Home;
use headsup_testkit::hub::Hub;
use headsup_testkit::wait;
use serde_json::Value;
use std::thread;

const ASK: [&str; 6] = ["prompt", "open", "api", "Deploy?", "--default", "no"];

fn with_agent() -> (Home, Hub) {
    let home = home();
    let hub = Hub::start(&home);
    home.run(["report", "working", "--agent", "api"]).ok();
    (home, hub)
}

fn open(home: &Home) -> Vec<Value> {
    let inbox = home.run(["inbox", "--json", "--no-start"]).ok().json();
    inbox["prompts"].as_array().unwrap().clone()
}

fn until_asked(home: &Home) {
    wait::until("the question", || (!open(home).is_empty()).then_some(()));
}

#[test]
fn an_answer_that_comes_after_a_restart_reaches_whoever_waits_and_is_asked_once() {
    let (home, hub) = with_agent();
    thread::scope(|scope| {
        let waits = scope.spawn(|| home.run([&ASK[..], &["--wait"]].concat()));
        until_asked(&home);
        // It must start no hub of its own where it looks between two of them.
        let second = scope.spawn(|| home.run(["prompt", "wait", "api-p1", "--json", "--no-start"]));
        hub.kill();
        let hub = Hub::start(&home);
        hub.kill();
        let _hub = Hub::start(&home);
        assert_eq!(open(&home).len(), 1, "it is the same question");
        home.run(["answer", "api-p1", "on Monday"]).ok();
        let told = waits.join().unwrap();
        assert_eq!(told.ok().stdout, "on Monday\n");
        // It may have come while no hub was there to be asked about it.
        let told = second.join().unwrap();
        assert!(
            told.code == 5 || told.ok().json()["resolution"]["value"] == "on Monday",
            "{told:?}"
        );
    });
    assert_eq!(home.run(["prompt", "wait", "api-p1"]).ok().stdout, "on Monday\n");
    // What is so already is found within any time.
    let asked = home.run(["prompt", "wait", "api-p1", "--timeout", "0"]);
    assert_eq!(asked.ok().stdout, "on Monday\n");
    assert_eq!(home.run(["prompt", "wait", "api-p7"]).code, 4);
}

#[test]
fn whoever_waits_no_longer_leaves_the_question_open() {
    let (home, _hub) = with_agent();
    home.run(ASK).ok();
    for limit in ["0", "50ms"] {
        let done = home.run(["prompt", "wait", "api-p1", "--timeout", limit]);
        assert_eq!((done.code, done.stdout.as_str()), (3, ""), "{done:?}");
        assert!(done.stderr.contains("api-p1 is still open"), "{done:?}");
    }
    assert_eq!(open(&home).len(), 1);
    home.run(["answer", "api-p1", "yes"]).ok();
    let done = home.run(["prompt", "wait", "api-p1", "--timeout", "10s"]);
    assert_eq!(done.ok().stdout, "yes\n");
}

#[test]
fn a_question_that_was_taken_back_ends_with_7_in_json_too() {
    let (home, _hub) = with_agent();
    thread::scope(|scope| {
        let waits = scope.spawn(|| home.run([&ASK[..], &["--wait", "--json"]].concat()));
        until_asked(&home);
        home.run(["prompt", "cancel", "api-p1"]).ok();
        let done = waits.join().unwrap();
        assert_eq!((done.code, &done.json()["resolution"]["by"]), (7, &"cancelled".into()));
        assert!(done.stderr.contains(r#""code":"refused""#), "{done:?}");
    });
    let text = home.run(["prompt", "wait", "api-p1"]);
    assert_eq!((text.code, text.stdout.as_str()), (7, ""), "{text:?}");
}

#[test]
fn a_question_that_a_person_has_printed_was_seen_and_its_agents_look_is_none() {
    for look in [&["inbox", "--json"][..], &["show", "api"], &["show", "api", "--json"]] {
        let (home, _hub) = with_agent();
        home.run(ASK).ok();
        let seen = || home.run(["next", "--json"]).ok().json()["prompts"][0]["seen"].clone();
        let mut own = home.command(look);
        own.env("HEADSUP_AGENT_ID", "api").output().unwrap();
        assert_eq!(seen(), Value::Null, "{look:?}: an agent looks for nobody");
        home.run(look).ok();
        assert_eq!(seen()[0]["via"], "cli", "{look:?}");
    }
}

#[test]
fn show_has_everything_that_an_answer_needs() {
    let (home, _hub) = with_agent();
    let options = ["--option", "yes", "--option", "no", "--timeout", "10m"];
    home.run([&ASK[..], &options].concat()).ok();
    let shown = home.run(["show", "api"]).ok().stdout.clone();
    for words in [
        "Deploy?",
        "1. yes",
        "2. no",
        "left, then the default: no",
        "headsup answer api-p1 --option N",
    ] {
        assert!(shown.contains(words), "{words:?} in {shown}");
    }
}

#[test]
fn whoever_reports_alone_is_not_answered_in_a_terminal_that_nobody_knows() {
    let (home, _hub) = with_agent();
    home.run(["report", "blocked", "--agent", "api", "--reason", "question"]).ok();
    let shown = home.run(["inbox"]).ok().stdout.clone();
    assert!(shown.contains("known by its reports alone"), "{shown}");
    let refused = home.run(["answer", "api", "yes"]);
    assert!(!refused.stderr.contains("(-)"), "{refused:?}");
}
