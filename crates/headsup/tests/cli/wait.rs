//! `wait`.

use crate::hub::{Hub, Reply};
use crate::rig::{Rig, agent, answer, changed, forgotten, snapshot};
use serde_json::Value;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, mpsc};
use std::thread;
use std::time::Instant;

/// A hub with these agents and streams; the last stream stays open.
fn hub_with(rig: &Rig, agents: Vec<Value>, streams: Vec<Vec<String>>) -> Hub {
    let next = AtomicUsize::new(0);
    let open = Mutex::new(Vec::new());
    rig.hub(move |request| {
        if !request.path.starts_with("/api/v1/events") {
            return answer(&agents, request);
        }
        let number = next.fetch_add(1, Ordering::SeqCst);
        let (sender, receiver) = mpsc::channel();
        for message in streams.get(number).into_iter().flatten() {
            sender.send(message.clone()).unwrap();
        }
        if number + 1 >= streams.len() {
            open.lock().unwrap().push(sender);
        }
        Reply::Stream(receiver)
    })
}

#[test]
fn what_holds_already_is_found_in_the_subscriptions_own_snapshot() {
    let rig = Rig::new();
    let (old, new) = (agent("api", "working"), agent("api", "done"));
    let hub = hub_with(&rig, vec![old], vec![vec![snapshot("12", &[new])]]);
    let seen = rig.run(&["wait", "api", "--until", "done"]);
    assert_eq!((seen.ok(), seen.stderr.as_str()), ("api done\n", ""));
    assert_eq!(hub.seen().pop().unwrap().path, "/api/v1/events?agent=api");
}

#[test]
fn an_event_wakes_it() {
    let rig = Rig::new();
    let agents = vec![agent("api", "working"), agent("web", "idle")];
    let stream = vec![snapshot("10", &agents), changed("11", "api", "working", "done")];
    let _hub = hub_with(&rig, agents, vec![stream]);
    let seen = rig.run(&["wait", "api", "web", "--until", "idle", "--json"]);
    insta::assert_snapshot!(seen.ok(), @r#"
    {"schema":1,"met":true,"agents":[{"id":"api","headline":"done","cursor":"11"},{"id":"web","headline":"idle","cursor":"10"}]}
    "#);
}

#[test]
fn a_crash_ends_it_with_8() {
    let rig = Rig::new();
    let agents = vec![agent("api", "working")];
    let stream = vec![snapshot("10", &agents), changed("11", "api", "working", "crashed")];
    let _hub = hub_with(&rig, agents, vec![stream]);
    let seen = rig.run(&["wait", "api", "--until", "done"]);
    assert_eq!((seen.code, seen.stdout.as_str()), (8, ""));
    insta::assert_snapshot!(seen.stderr, @"
    error: api has crashed; it will not come to that state
    hint: see why: `headsup explain api`
    ");
}

#[test]
fn an_agent_that_is_forgotten_meanwhile_ends_it_with_8_and_a_hint_that_helps() {
    let rig = Rig::new();
    let agents = vec![agent("api", "working")];
    let stream = vec![snapshot("10", &agents), forgotten("11", "api")];
    let _hub = hub_with(&rig, agents, vec![stream]);
    let seen = rig.run(&["wait", "api", "--until", "done"]);
    assert_eq!((seen.code, seen.stdout.as_str()), (8, ""));
    insta::assert_snapshot!(seen.stderr, @"
    error: api was forgotten; it will not come to that state
    hint: somebody took it off the roster; see the others: `headsup ls --all`
    ");
}

#[test]
fn it_gives_up_in_time_and_says_where_things_stand() {
    let rig = Rig::new();
    let agents = vec![agent("api", "working")];
    let stream = vec![snapshot("10", &agents)];
    let _hub = hub_with(&rig, agents, vec![stream]);
    let seen = rig.run(&["wait", "api", "--until", "done", "--timeout", "80ms"]);
    assert_eq!((seen.code, seen.stderr.as_str()), (3, "error: not within 80ms: api is working\n"));
}

#[test]
fn next_does_not_fire_on_a_snapshot_and_misses_nothing_over_a_restart() {
    let rig = Rig::new();
    let agents = vec![agent("api", "done")];
    let before = vec![snapshot("10", &agents), changed("11", "api", "done", "working")];
    let after = vec![changed("12", "api", "working", "done"), changed("13", "api", "done", "idle")];
    let hub = hub_with(&rig, agents, vec![before, after]);
    let seen = rig.run(&["wait", "api", "--until", "done", "--next"]);
    assert_eq!(seen.ok(), "api done\n");
    assert_eq!(hub.seen().pop().unwrap().last_event_id.as_deref(), Some("11"));
}

#[test]
fn next_counts_what_happens_before_the_first_word_of_a_stream_that_is_cut() {
    let rig = Rig::new();
    let agents = vec![agent("api", "working")];
    // The hub goes away as soon as it has taken the call, and the turn ends meanwhile.
    let [cut, after] = [
        vec![": keep-alive\n\n".to_owned()],
        vec![changed("11", "api", "working", "done"), changed("12", "api", "done", "idle")],
    ];
    let hub = hub_with(&rig, agents, vec![cut, after]);
    let seen = rig.run(&["wait", "api", "--until", "done", "--next", "--json"]);
    let met: Value = serde_json::from_str(seen.ok()).unwrap();
    assert_eq!(met["agents"][0]["cursor"], "11", "{met}");
    let streams = hub.seen().into_iter().filter(|call| call.path.starts_with("/api/v1/events"));
    let paths: Vec<String> = streams.map(|call| call.path).collect();
    assert_eq!(paths, ["/api/v1/events?since=10&agent=api", "/api/v1/events?since=10&agent=api"]);
}

#[test]
fn settled_means_without_work_in_the_background() {
    let rig = Rig::new();
    let agents = vec![agent("api", "done")];
    let _hub = hub_with(&rig, agents.clone(), vec![vec![snapshot("10", &agents)]]);
    let args = ["wait", "api", "--until", "done", "--settled", "30ms"];
    assert_eq!(rig.run(&args).ok(), "api done\n");

    let rig = Rig::new();
    let mut busy = agent("api", "done");
    busy["background"]["shells"] = 1.into();
    let _hub = hub_with(&rig, vec![busy.clone()], vec![vec![snapshot("10", &[busy])]]);
    let seen = rig.run(&[&args[..], &["--timeout", "200ms"]].concat());
    assert_eq!(seen.code, 3, "{seen:?}");
}

#[test]
fn nobody_waits_longer_than_for_any_answer_for_a_hub_that_says_nothing() {
    let rig = Rig::new();
    let _hub = std::os::unix::net::UnixListener::bind(rig.socket()).unwrap();
    let given_up = |args: &[&str]| {
        let begun = Instant::now();
        let seen = rig.run(&[args, &["--timeout", "50ms"]].concat());
        assert_eq!(seen.code, 3, "{args:?}: {seen:?}");
        assert!(seen.stderr.contains("not within 50ms: the hub has not answered"), "{seen:?}");
        // After 10 s, as every other command; a busy machine adds to that.
        assert!(
            begun.elapsed() < headsup_testkit::wait::DEADLINE,
            "{args:?}: {:?}",
            begun.elapsed()
        );
    };
    thread::scope(|scope| {
        for args in [&["wait", "api", "--until", "done"][..], &["watch"], &["watch", "--no-start"]]
        {
            scope.spawn(move || given_up(args));
        }
    });
}

#[test]
fn what_is_so_already_is_found_whatever_the_timeout() {
    for limit in ["0", "0s", "1ms"] {
        for _ in 0..10 {
            let rig = Rig::new();
            let agents = vec![agent("api", "done")];
            let _hub = hub_with(&rig, agents.clone(), vec![vec![snapshot("10", &agents)]]);
            let seen = rig.run(&["wait", "api", "--until", "done", "--timeout", limit]);
            assert_eq!(seen.ok(), "api done\n", "{limit}");
            let settled = ["--settled", "0s", "--timeout", limit];
            let (rig, args) = (Rig::new(), ["wait", "api", "--until", "done"]);
            let _hub = hub_with(&rig, agents.clone(), vec![vec![snapshot("10", &agents)]]);
            assert_eq!(rig.run(&[&args[..], &settled].concat()).ok(), "api done\n", "{limit}");
        }
    }
    let rig = Rig::new();
    let agents = vec![agent("api", "working")];
    let _hub = hub_with(&rig, agents.clone(), vec![vec![snapshot("10", &agents)]]);
    let seen = rig.run(&["wait", "api", "--until", "done", "--timeout", "0"]);
    assert_eq!((seen.code, seen.stderr.as_str()), (3, "error: not within 0s: api is working\n"));
}
