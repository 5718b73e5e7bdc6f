//! Questions to a person, from the command that asks to the one that answers.

use crate::agent::{Agent, home};
use headsup_testkit::home::Home;
use headsup_testkit::hub::Hub;
use headsup_testkit::wait;

const ASK: [&str; 9] = [
    "prompt",
    "open",
    "api",
    "Which database?",
    "--option",
    "Postgres",
    "--option",
    "SQLite",
    "--default=SQLite",
];

/// A hub, and an agent in its roster.
fn with_agent() -> (Home, Hub) {
    let home = home();
    let hub = Hub::start(&home);
    home.run(["report", "working", "--agent", "api"]).ok();
    (home, hub)
}

#[test]
fn a_question_is_asked_shown_answered_and_answered_once() {
    let (home, _hub) = with_agent();
    assert_eq!(home.run(["inbox"]).ok().stderr, "Nothing waits for you.\n");
    let id = home.run(ASK).ok().stdout.trim().to_owned();
    assert_eq!(id, "api-p1");
    let shown = home.run(["inbox"]).ok().stdout.clone();
    for words in [
        "▲ api  input  Which database?",
        "1. Postgres",
        "2. SQLite",
        "left, then the default: SQLite",
        "headsup answer api-p1 --option N",
    ] {
        assert!(shown.contains(words), "{words:?} in {shown}");
    }
    let inbox = home.run(["inbox", "--json"]).ok().json();
    assert_eq!((&inbox["schema"], &inbox["prompts"][0]["id"]), (&1.into(), &"api-p1".into()));
    assert_eq!(inbox["prompts"][0]["seen"][0]["via"], "cli", "it was on somebody's screen");
    let next = home.run(["next", "--json"]).ok().json();
    assert_eq!((&next["agent_id"], &next["headline"]), (&"api".into(), &"blocked".into()));
    let wrong = home.run(["answer", "api-p1", "purple"]);
    assert_eq!(wrong.code, 2, "{wrong:?}");
    assert!(wrong.stderr.contains("1. Postgres, 2. SQLite"), "{wrong:?}");
    // A number is an option, and the agent's name is enough.
    let won = home.run(["answer", "api", "1"]);
    assert!(won.ok().stderr.contains("answered on the command line: Postgres"), "{won:?}");
    let late = home.run(["answer", "api-p1", "--option", "2"]);
    assert_eq!(late.code, 7, "{late:?}");
    assert!(late.stderr.contains("answered on the command line: Postgres"), "{late:?}");
    let late = home.run(["answer", "api-p1", "--default", "--json"]);
    let error: serde_json::Value = serde_json::from_str(&late.stderr).unwrap();
    assert_eq!(error["error"]["code"], "already_resolved");
    for none in ["api-p7", "nobody", "api"] {
        let gone = home.run(["answer", none, "x"]);
        assert_eq!(gone.code, 4, "{gone:?}");
        assert!(gone.stderr.contains("headsup inbox"), "{gone:?}");
    }
    assert_eq!(home.run(["answer", "api-p1"]).code, 2);
}

#[test]
fn a_script_waits_for_its_answer_over_a_killed_hub() {
    let (home, hub) = with_agent();
    let asks = ["prompt", "open", "api", "Deploy?", "--default", "no", "--timeout", "10m"];
    let id = home.run(asks).ok().stdout.trim().to_owned();
    hub.kill();
    let _hub = Hub::start(&home);
    let same = [&asks[..], &["--key", "deploy", "--wait"]].concat();
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| home.run(same.clone()));
        wait::until("the second question", || {
            (home.run(["answer", "api-p2", "yes, on Monday"]).code == 0).then_some(())
        });
        let done = waits.join().unwrap();
        assert_eq!(done.ok().stdout, "yes, on Monday\n");
    });
    // Asked again under its key it has its answer.
    assert_eq!(home.run(same).ok().stdout, "yes, on Monday\n");
    assert_eq!(home.run(["answer", &id, "--deny"]).code, 0);
    assert_eq!(home.run(["prompt", "open", "nobody", "?", "--default", "-"]).code, 4);
    let short = home.run(["prompt", "open", "api", "?", "--default", "-", "--timeout", "2s"]);
    assert_eq!(short.code, 2, "{short:?}");
}

#[test]
fn an_agent_is_refused_where_it_answers_for_its_person_or_speaks_for_another() {
    let (home, _hub) = with_agent();
    let binary = env!("CARGO_BIN_EXE_headsup");
    // What the agent's shell does, also where it hides who it is.
    let script = format!(
        "'{binary}' prompt open . 'May I?' --default no > asked\n\
         '{binary}' answer me-p1 yes 2> own; echo $? >> own\n\
         env -u HEADSUP_AGENT_ID -u HEADSUP_AGENT_TOKEN '{binary}' answer me-p1 yes 2> hidden; echo $? >> hidden\n\
         sh -c \"sh -c \\\"env -i HEADSUP_HOME=$HEADSUP_HOME '{binary}' answer me-p1 yes\\\"\" 2> deep; echo $? >> deep\n\
         '{binary}' report done --agent api 2> other; echo $? >> other\n\
         '{binary}' stage . blocked 2> stage; echo $? >> stage\n\
         '{binary}' stage . working 2> pass; echo $? >> pass\n\
         '{binary}' report working; echo $? > mine\n"
    );
    std::fs::write(home.path().join("script.sh"), script).unwrap();
    home.run(["run", "--here", "--id", "me", "--", "/bin/sh", "./script.sh"]).ok();
    let read = |name: &str| std::fs::read_to_string(home.path().join(name)).unwrap();
    assert_eq!(read("asked"), "me-p1\n");
    for name in ["own", "hidden", "deep"] {
        let said = read(name);
        assert!(said.contains("cannot answer for one") && said.ends_with("7\n"), "{name}: {said}");
    }
    let other = read("other");
    assert!(other.contains("cannot speak for api") && other.ends_with("7\n"), "{other}");
    assert!(read("stage").contains("it can go to working"), "{}", read("stage"));
    assert!(read("pass").contains("waits for an answer to me-p1"), "{}", read("pass"));
    assert_eq!(read("mine"), "0\n");
    // The agent has left, its question stands, and a person answers it.
    home.is_told();
    assert_eq!(home.run(["show", "me", "--json"]).ok().json()["headline"], "ended");
    let listed = home.run(["ls"]).ok().stdout.clone();
    assert!(listed.contains("left by itself; input: May I?"), "{listed}");
    assert_eq!(home.run(["answer", "me-p1", "yes"]).ok().code, 0);
}

#[test]
fn an_agents_own_dialog_is_in_the_inbox_with_the_place_where_it_is_answered() {
    let home = home();
    let _hub = Hub::start(&home);
    let agent = Agent::new(&home, "api");
    agent.starts();
    agent.is_prompted("p1");
    agent.asks();
    let id = wait::until("its prompt", || {
        let inbox = home.run(["inbox", "--json"]).ok().json();
        inbox["prompts"][0]["id"].as_str().map(str::to_owned)
    });
    let shown = home.run(["inbox"]).ok().stdout.clone();
    assert!(shown.contains("answer it in its terminal"), "{shown}");
    let refused = home.run(["answer", &id, "--allow"]);
    assert_eq!(refused.code, 7, "{refused:?}");
    assert!(refused.stderr.contains("its agent's own terminal"), "{refused:?}");
}

#[test]
fn what_is_put_off_comes_last_and_a_stage_that_cannot_be_is_refused() {
    let (home, _hub) = with_agent();
    home.run(ASK).ok();
    home.run(["report", "blocked", "--agent", "web", "--reason", "question"]).ok();
    home.run(["snooze", "api", "30m"]).ok();
    assert_eq!(home.run(["next", "--json"]).ok().json()["agent_id"], "web");
    let shown = home.run(["inbox"]).ok().stdout.clone();
    let (web, api) = (shown.find("web").unwrap(), shown.find("api").unwrap());
    assert!(web < api && shown.contains("(snoozed for "), "{shown}");
    home.run(["snooze", "web", "1h"]).ok();
    let told = home.run(["inbox", "--json"]).ok().json()["snoozed"].clone();
    let until = |id: &str| home.run(["show", id, "--json"]).ok().json()["snoozed_until"].clone();
    for (place, id) in ["api", "web"].into_iter().enumerate() {
        assert_eq!(told[place]["agent_id"], id, "{told}");
        assert_eq!(told[place]["snoozed_until"], until(id), "{told}");
        assert!(told[place]["text"].as_str().unwrap().starts_with("snoozed for "), "{told}");
    }
    home.run(["snooze", "web", "0s"]).ok();
    home.run(["snooze", "api", "0s"]).ok();
    assert!(!home.run(["inbox"]).ok().stdout.contains("snoozed"));
    let moved = home.run(["stage", "web", "blocked", "--message", "no access", "--json"]);
    assert_eq!(moved.ok().json()["status"], "blocked");
    let refused = home.run(["stage", "web", "completed"]);
    assert_eq!(refused.code, 7, "{refused:?}");
    assert!(refused.stderr.contains("it can go to working, paused"), "{refused:?}");
    assert_eq!(home.run(["stage", "web", "asleep"]).code, 2);
    assert_eq!(home.run(["stage", "nobody", "working"]).code, 4);
}
