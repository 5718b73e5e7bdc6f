//! Containers whose processes the hub sees: without any engine they are what all processes are.

use crate::rig::{
    Agent, SHORT, agents, engine_socket, home, hub, may_contain, until, until_headline, witness,
};
use headsup_testkit::hub::Hub;
use serde_json::json;
use std::fs;

#[test]
fn a_killed_agent_in_a_container_has_crashed_although_nobody_says_goodbye() {
    if !may_contain() {
        return;
    }
    let home = home();
    let hub = hub(&home, &engine_socket(&home));
    let mut agent = Agent::start(&home, "s1", SHORT);
    agent.works();
    let seat = until_headline(&home, "s1", "working");
    assert_eq!(seat["location"], json!({"pid": agent.pid, "container": SHORT}));
    let shown = home.run(["ls", "--no-start"]).ok().stdout.clone();
    assert!(shown.contains(&format!("in {SHORT}")), "{shown}");
    let explained = home.run(["explain", seat["id"].as_str().unwrap(), "--no-start"]);
    assert!(explained.ok().stdout.contains(SHORT), "{explained:?}");
    let id = seat["id"].as_str().unwrap();
    // What it takes is known with what it did meanwhile, so that other figures can be laid beside it.
    let history = home.run(["history", id, "--json", "--no-start"]).ok().json();
    let times = history["intervals"].as_array().unwrap();
    assert_eq!(times.last().unwrap()["turn"], "working", "{history}");
    assert!(times.windows(2).all(|pair| pair[0]["to"] == pair[1]["from"]), "{history}");
    let sample = &history["samples"][0];
    assert!(sample["memory_bytes"].as_u64().is_some_and(|bytes| bytes > 0), "{history}");
    assert!(sample["cpu_ms"].is_u64() && sample["turn"].is_string(), "{history}");
    let said = home.run(["history", id, "--no-start"]).ok().stdout.clone();
    assert!(said.lines().last().unwrap().contains("working"), "{said}");
    let before = std::time::Instant::now();
    agent.kill();
    let seat = until_headline(&home, "s1", "crashed");
    eprintln!("seen after {:?}", before.elapsed());
    assert_eq!(
        (&seat["outcome"]["kind"], witness(&home, &seat)),
        (&json!("aborted"), json!("process"))
    );
    drop(hub);
}

#[test]
fn two_containers_with_equal_pids_are_never_taken_for_one_another() {
    if !may_contain() {
        return;
    }
    let home = home();
    let hub = hub(&home, &engine_socket(&home));
    let other = "1".repeat(12);
    let (mut one, mut two) = (Agent::start(&home, "s1", SHORT), Agent::start(&home, "s2", &other));
    for agent in [&mut one, &mut two] {
        agent.works();
    }
    home.is_told();
    let seats = agents(&home);
    assert_eq!(seats.len(), 2, "{seats:?}");
    assert_eq!(until_headline(&home, "s1", "working")["location"]["container"], SHORT);
    assert_eq!(until_headline(&home, "s2", "working")["location"]["container"], other);
    one.kill();
    until_headline(&home, "s1", "crashed");
    let alive = until_headline(&home, "s2", "working");
    assert_eq!(alive["location"]["pid"], two.pid);
    two.fires("Stop", &json!({"stop_hook_active": false, "background_tasks": []}));
    until_headline(&home, "s2", "done");
    drop(hub);
}

#[test]
fn an_agent_that_reports_over_tcp_is_found_among_our_processes_too() {
    if !may_contain() {
        return;
    }
    let home = home();
    let hub = Hub::start_with(&home, &["--listen", "127.0.0.1:0"]);
    let listening = headsup_testkit::http::get(&home.socket(), "/api/v1/listener").unwrap().1;
    let listening: serde_json::Value = serde_json::from_slice(&listening).unwrap();
    let url = format!("http://{}", listening["addresses"][0].as_str().unwrap());
    let token = fs::read_to_string(home.state().join("token")).unwrap();
    let mut agent = Agent::start_with(&home, "s1", SHORT, |command| {
        command.env("HEADSUP_URL", url).env("HEADSUP_TOKEN", token.trim());
    });
    agent.works();
    let seat = until_headline(&home, "s1", "working");
    assert_eq!(seat["location"], json!({"pid": agent.pid, "container": SHORT}));
    agent.kill();
    until_headline(&home, "s1", "crashed");
    drop(hub);
}

#[test]
fn an_agent_that_died_in_its_container_while_no_hub_was_there_has_crashed() {
    if !may_contain() {
        return;
    }
    let home = home();
    let socket = engine_socket(&home);
    let first = hub(&home, &socket);
    let mut agents = ["s1", "s2"].map(|session| Agent::start(&home, session, SHORT));
    for (agent, session) in agents.iter_mut().zip(["s1", "s2"]) {
        agent.works();
        until_headline(&home, session, "working");
    }
    first.kill();
    agents[0].kill();
    let hub = hub(&home, &socket);
    until_headline(&home, "s1", "crashed");
    let alive = until(&home, "s2", "the other one", |_| true);
    assert_eq!(
        (&alive["headline"], &alive["location"]["pid"]),
        (&json!("working"), &json!(agents[1].pid))
    );
    agents[1].kill();
    until_headline(&home, "s2", "crashed");
    drop(hub);
}
