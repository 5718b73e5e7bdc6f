//! Waiting: woken by the hub, never by stale state, never too late.

use crate::agent::{Agent, events, home};
use headsup_testkit::home::{Done, Home};
use headsup_testkit::hub::Hub;
use headsup_testkit::wait;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

fn spawn(home: &Home, args: &[&str]) -> Child {
    let mut command = home.command(args);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("headsup runs")
}

fn end(child: Child) -> Done {
    Done::from(child.wait_with_output().expect("it ends"))
}

/// Waits until the hub counts `n` open event streams.
fn subscribers(home: &Home, n: usize) {
    wait::until("the stream to be open", || {
        let (_, body) = headsup_testkit::http::get(&home.socket(), "/metrics").ok()?;
        let text = String::from_utf8(body).ok()?;
        let line = text.lines().find(|line| line.starts_with("headsup_subscribers "))?;
        let open: f64 = line.split(' ').nth(1)?.parse().ok()?;
        #[expect(clippy::cast_precision_loss, reason = "a handful")]
        (open >= n as f64).then_some(())
    });
}

#[test]
fn a_wait_ends_with_the_hook_that_meets_it() {
    let home = home();
    let _hub = Hub::start(&home);
    let agent = Agent::new(&home, "api");
    agent.starts();
    let waiting = spawn(&home, &["wait", "api", "--until", "blocked", "--timeout", "60s"]);
    subscribers(&home, 1);
    agent.is_prompted("prompt-1");
    agent.asks();
    let done = end(waiting);
    assert_eq!((done.code, done.stdout.trim()), (0, "api blocked"), "{done:?}");
    // What is so already is met at once; with --next only what comes.
    home.run(["wait", "api", "--until", "attention"]).ok();
    let timed_out = home.run(["wait", "api", "--until", "blocked", "--next", "--timeout", "200ms"]);
    assert_eq!(timed_out.code, 3);
}

#[test]
fn next_fires_on_a_change_newer_than_the_call_alone() {
    let home = home();
    let _hub = Hub::start(&home);
    let agent = Agent::new(&home, "api");
    agent.starts();
    agent.is_prompted("prompt-1");
    agent.stops("prompt-1");
    assert_eq!(agent.headline(), "done");
    let waiting =
        spawn(&home, &["wait", "api", "--until", "done", "--next", "--timeout", "60s", "--json"]);
    subscribers(&home, 1);
    agent.is_prompted("prompt-2");
    agent.stops("prompt-2");
    let done = end(waiting);
    assert_eq!(done.code, 0, "{done:?}");
    let cursor: u64 = done.json()["agents"][0]["cursor"].as_str().unwrap().parse().unwrap();
    let to_done: Vec<u64> = events(&home)
        .iter()
        .filter(|event| event["to"] == "done")
        .map(|event| event["cursor"].as_str().unwrap().parse().unwrap())
        .collect();
    assert_eq!(to_done.len(), 2);
    assert_eq!(cursor, to_done[1]);
}

#[test]
fn a_wait_that_starts_with_the_change_never_misses_it() {
    let home = home();
    let _hub = Hub::start(&home);
    let agent = Agent::new(&home, "api");
    agent.starts();
    for round in 0..10 {
        let prompt = format!("prompt-{round}");
        agent.is_prompted(&prompt);
        let waiting = spawn(&home, &["wait", "api", "--until", "done", "--timeout", "60s"]);
        agent.stops(&prompt);
        assert_eq!(end(waiting).code, 0, "round {round}");
    }
}

#[test]
fn exit_codes_are_those_of_the_contract() {
    let home = home();
    let hub = Hub::start(&home);
    let agent = Agent::new(&home, "api");
    agent.starts();
    assert_eq!(home.run(["wait", "nobody", "--until", "done"]).code, 4);
    assert_eq!(home.run(["wait", "api", "--until", "finished"]).code, 2);
    assert_eq!(home.run(["wait", "api"]).code, 2);
    let waiting = spawn(&home, &["wait", "api", "--until", "done", "--timeout", "60s"]);
    subscribers(&home, 1);
    agent.fires("SessionEnd", &serde_json::json!({"reason": "prompt_input_exit"}));
    assert_eq!(end(waiting).code, 8);
    assert_eq!(home.run(["wait", "api", "--until", "done"]).code, 8);
    home.run(["wait", "api", "--until", "ended"]).ok();
    let error = home.run(["wait", "nobody", "--until", "done", "--json"]);
    let error: serde_json::Value = serde_json::from_str(error.stderr.trim()).unwrap();
    assert_eq!(error["schema"], 1);
    assert!(error["error"]["code"].is_string() && error["error"]["hint"].is_string());
    hub.kill();
    assert_eq!(home.run(["ls", "--no-start"]).code, 5);
}

#[test]
fn a_wait_goes_on_over_a_restart_of_the_hub() {
    let home = home();
    let hub = Hub::start(&home);
    let agent = Agent::new(&home, "api");
    agent.starts();
    let waiting = spawn(&home, &["wait", "api", "--until", "done", "--next", "--timeout", "60s"]);
    subscribers(&home, 1);
    hub.kill();
    agent.is_prompted("prompt-1");
    agent.stops("prompt-1");
    let _hub = Hub::start(&home);
    let done = end(waiting);
    assert_eq!(done.code, 0, "{done:?}");
}

/// Nothing happens meanwhile, so nothing is told: sooner than the hub proves a silent stream alive
/// (15 s) it is known all the same that nothing was missed.
#[test]
fn what_holds_over_a_restart_of_the_hub_is_settled_without_another_word() {
    for _ in 0..5 {
        let home = home();
        let hub = Hub::start(&home);
        Agent::new(&home, "api").starts();
        let args = ["wait", "api", "--until", "idle", "--settled", "1s", "--timeout", "13s"];
        let begun = Instant::now();
        let waiting = spawn(&home, &args);
        subscribers(&home, 1);
        hub.kill();
        let _hub = Hub::start(&home);
        let took = begun.elapsed();
        let done = end(waiting);
        if (done.code, done.stdout.trim()) == (0, "api idle") {
            return;
        }
        // A busy machine may need most of that time for its new hub.
        assert!(took > Duration::from_secs(4), "{took:?}: {done:?}");
    }
    panic!("a new hub never comes in time");
}

/// As a wait does; but first what is in the log behind the cursor counts.
#[test]
fn a_watch_ends_with_the_agent_that_it_is_about() {
    let home = home();
    let _hub = Hub::start(&home);
    let agent = Agent::new(&home, "api");
    agent.starts();
    agent.is_prompted("prompt-1");
    let until = |what| ["watch", "api", "--timeout", "60s", "--until", what];
    let spawned = ["status:done", "event:prompt.opened"].map(|what| spawn(&home, &until(what)));
    subscribers(&home, 2);
    agent.fires("SessionEnd", &serde_json::json!({"reason": "prompt_input_exit"}));
    let [by_status, mut by_prompt] = spawned;
    let done = end(by_status);
    assert_eq!(done.code, 8, "{done:?}");
    assert!(done.stderr.contains("api has ended"), "{done:?}");
    // A person may still ask something there.
    assert!(by_prompt.try_wait().unwrap().is_none());
    by_prompt.kill().unwrap();
    by_prompt.wait().unwrap();
    for what in ["status:done", "event:turn.started"] {
        let done = home.run(until(what));
        assert_eq!(done.code, 8, "{what}: {done:?}");
    }
    let of_old = until("event:turn.started").into_iter().chain(["--since", "0"]);
    let of_old = home.run(of_old);
    assert_eq!(of_old.code, 0, "{of_old:?}");
}

#[test]
fn watch_streams_from_a_cursor_and_ends_on_its_condition() {
    let home = home();
    let _hub = Hub::start(&home);
    let agent = Agent::new(&home, "api");
    let mut watching =
        spawn(&home, &["watch", "--json", "--until", "event:turn.completed", "--timeout", "60s"]);
    subscribers(&home, 1);
    agent.starts();
    agent.is_prompted("prompt-1");
    agent.stops("prompt-1");
    let lines = BufReader::new(watching.stdout.take().unwrap()).lines();
    let events: Vec<serde_json::Value> =
        lines.map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect();
    assert_eq!(watching.wait().unwrap().code(), Some(0));
    assert_eq!(events.last().unwrap()["type"], "turn.completed");
    let cursors: Vec<u64> =
        events.iter().map(|event| event["cursor"].as_str().unwrap().parse().unwrap()).collect();
    assert!(cursors.is_sorted_by(|a, b| a < b), "{cursors:?}");
    // From a cursor on, exactly what came after it.
    let from = events[0]["cursor"].as_str().unwrap();
    let rest = home.run(["watch", "--since", from, "--no-follow", "--json"]).ok().stdout.clone();
    let first: serde_json::Value = serde_json::from_str(rest.lines().next().unwrap()).unwrap();
    assert_eq!(first["cursor"], events[1]["cursor"]);
}
