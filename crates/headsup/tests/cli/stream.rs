//! `watch`.

use crate::hub::{Hub, Reply, message};
use crate::rig::{AT, Rig, Seen, agent, answer, changed, forgotten, snapshot};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

/// A hub whose streams are these, one after the other; a stream ends after its last message.
fn hub_with(rig: &Rig, streams: Vec<Vec<String>>) -> Hub {
    hub_of(rig, vec![agent("api", "working")], streams)
}

/// The same, with these agents.
fn hub_of(rig: &Rig, agents: Vec<Value>, streams: Vec<Vec<String>>) -> Hub {
    let next = AtomicUsize::new(0);
    rig.hub(move |request| {
        if !request.path.starts_with("/api/v1/events") {
            return answer(&agents, request);
        }
        let stream = streams.get(next.fetch_add(1, Ordering::SeqCst)).cloned().unwrap_or_default();
        let (sender, receiver) = mpsc::channel();
        for message in stream {
            sender.send(message).unwrap();
        }
        Reply::Stream(receiver)
    })
}

fn first_stream(hub: &Hub) -> String {
    streams_of(hub).remove(0).0
}

/// Every stream that was asked for: the path, and the last event that had come before.
fn streams_of(hub: &Hub) -> Vec<(String, Option<String>)> {
    let seen = hub.seen().into_iter().filter(|call| call.path.starts_with("/api/v1/events"));
    seen.map(|call| (call.path, call.last_event_id)).collect()
}

#[test]
fn watch_prints_a_line_an_event_and_ends_at_the_logs_end() {
    let rig = Rig::new();
    let forgotten = json!({
        "schema": 1, "cursor": "12", "at": "2026-11-21T21:00:00.000Z", "type": "agent.forgotten",
        "agent_id": "api",
    });
    let events =
        vec![changed("11", "api", "working", "done"), message("12", "agent.forgotten", &forgotten)];
    let hub = hub_with(&rig, vec![events]);
    insta::assert_snapshot!(rig.run(&["watch", "api", "--since", "0", "--no-follow"]).ok(), @"
    2026-11-21T21:00:00.000Z 11  api  agent.status_changed  working -> done
    2026-11-21T21:00:00.000Z 12  api  agent.forgotten
    ");
    assert_eq!(first_stream(&hub), "/api/v1/events?since=0&agent=api&follow=false");
}

#[test]
fn watch_begins_with_the_next_event_at_a_cursor_that_survives_a_restart() {
    let rig = Rig::new();
    let hub = hub_with(
        &rig,
        vec![vec![": keep-alive\n\n".to_owned()], vec![changed("11", "api", "working", "done")]],
    );
    let seen = rig.run(&["watch", "--until", "status:done", "--json"]);
    let event: serde_json::Value = serde_json::from_str(seen.ok()).unwrap();
    assert_eq!(event["cursor"], "11");
    let paths: Vec<String> = streams_of(&hub).into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths, ["/api/v1/events?since=10", "/api/v1/events?since=10"]);
}

#[test]
fn watch_goes_on_after_the_last_event_it_has_seen() {
    let rig = Rig::new();
    let hub = hub_with(
        &rig,
        vec![
            vec![changed("11", "api", "idle", "working")],
            vec![changed("12", "api", "working", "done")],
        ],
    );
    let seen = rig.run(&["watch", "--until", "status:done"]);
    assert_eq!(seen.ok().lines().count(), 2, "{seen:?}");
    let again = hub.seen().pop().unwrap();
    assert_eq!(again.path, "/api/v1/events");
    assert_eq!(again.last_event_id.as_deref(), Some("11"));
}

#[test]
fn whoever_watches_is_told_once_that_the_hub_is_away_and_once_that_it_is_back() {
    let rig = Rig::new();
    let mut streams = vec![vec![": keep-alive\n\n".to_owned()]];
    streams.extend(vec![Vec::new(); 10]);
    streams.push(vec![changed("11", "api", "working", "done")]);
    let _hub = hub_with(&rig, streams);
    let seen = rig.run(&["watch", "--until", "status:done"]);
    assert_eq!(seen.ok().lines().count(), 1, "{seen:?}");
    let away = "headsup: the hub is away; it is asked again for 10 s";
    assert_eq!(seen.stderr, format!("{away}\nheadsup: the hub is back\n"));
}

#[test]
fn gaps_are_told() {
    let rig = Rig::new();
    let lagged = json!({"schema": 1, "type": "lagged", "from": "11", "to": "19"});
    let expired = json!({"schema": 1, "type": "cursor_expired", "cursor": "1", "oldest": "5"});
    let stream = vec![
        message("1", "cursor_expired", &expired),
        snapshot("10", &[]),
        message("19", "lagged", &lagged),
        snapshot("19", &[]),
    ];
    let args = ["watch", "--since", "1", "--no-follow"];
    let _hub = hub_with(&rig, vec![stream.clone(), stream]);
    let seen = rig.run(&args);
    assert_eq!(seen.ok(), "");
    insta::assert_snapshot!(seen.stderr, @"
    headsup: what came next behind 1 is not kept; going on from now (--since 4 goes on behind that)
    headsup: too slow; what came from 11 to 19 is left out
    ");
    let json = rig.run(&[&args[..], &["--json"]].concat());
    insta::assert_snapshot!(json.ok(), @r#"
    {"cursor":"1","oldest":"5","schema":1,"type":"cursor_expired"}
    {"agents":[],"cursor":"10","schema":1,"type":"snapshot"}
    {"from":"11","schema":1,"to":"19","type":"lagged"}
    {"agents":[],"cursor":"19","schema":1,"type":"snapshot"}
    "#);
    assert_eq!(json.stderr, "");
}

#[test]
fn a_hub_that_hangs_up_at_once_is_asked_again_after_growing_pauses() {
    let rig = Rig::new();
    let hub = hub_with(&rig, vec![]);
    let seen = rig.run(&["watch", "--since", "0", "--timeout", "2s", "--json"]);
    assert_eq!((seen.code, seen.stdout.as_str()), (3, ""));
    // 10 ms, 20 ms, and so on up to 250 ms.
    let streams = streams_of(&hub).len();
    assert!((2..=14).contains(&streams), "{streams}");
}

#[test]
fn watch_gives_up_in_time() {
    let rig = Rig::new();
    let (sender, receiver) = mpsc::channel::<String>();
    let receiver = std::sync::Mutex::new(Some(receiver));
    let _hub = rig.hub(move |request| {
        let is_stream = request.path.starts_with("/api/v1/events");
        match receiver.lock().unwrap().take_if(|_| is_stream) {
            Some(receiver) => Reply::Stream(receiver),
            None => answer(&[], request),
        }
    });
    let seen = rig.run(&["watch", "--timeout", "50ms", "--json"]);
    assert_eq!((seen.code, seen.stdout.as_str()), (3, ""));
    assert_eq!(seen.error()["code"], "timed_out");
    drop(sender);
}

#[test]
fn an_end_of_the_log_without_the_condition_is_no_success() {
    let rig = Rig::new();
    let _hub = hub_with(&rig, vec![vec![changed("11", "api", "idle", "working")]]);
    let seen = rig.run(&["watch", "--since", "0", "--no-follow", "--until", "status:done"]);
    assert_eq!(seen.code, 8, "{seen:?}");
}

#[test]
fn a_cursor_that_means_nothing_is_told() {
    let rig = Rig::new();
    let _hub = hub_with(&rig, vec![vec![snapshot("10", &[])]]);
    let seen = rig.run(&["watch", "--since", "999", "--no-follow"]);
    assert_eq!(seen.ok(), "");
    assert_eq!(seen.stderr, "headsup: the hub knows no such cursor; going on from now\n");
    // A hub of today says which one, and whoever reads JSON is told, too.
    let rig = Rig::new();
    let expired = json!({"schema": 1, "type": "cursor_expired", "cursor": "999", "oldest": "5"});
    let stream = vec![format!("event: cursor_expired\ndata: {expired}\n\n"), snapshot("10", &[])];
    let _hub = hub_with(&rig, vec![stream]);
    let seen = rig.run(&["watch", "--since", "999", "--no-follow"]);
    assert_eq!(seen.stderr, "headsup: the hub knows no cursor 999; going on from now\n");
}

#[test]
fn an_agent_that_ends_before_the_condition_ends_the_watch_with_8() {
    let rig = Rig::new();
    let hub = hub_with(&rig, vec![vec![changed("11", "api", "working", "crashed")]]);
    let seen = rig.run(&["watch", "api", "--until", "status:done"]);
    assert_eq!((seen.code, seen.stdout.lines().count()), (8, 1), "{seen:?}");
    insta::assert_snapshot!(seen.stderr, @"
    error: api has crashed; it will not come to that state
    hint: see why: `headsup explain api`
    ");
    // First all is heard that had happened by then.
    let first = ("/api/v1/events?since=10&agent=api".to_owned(), None);
    let rest = ("/api/v1/events?agent=api&follow=false".to_owned(), Some("11".to_owned()));
    assert_eq!(streams_of(&hub), [first, rest]);
}

#[test]
fn an_agent_that_is_gone_already_ends_the_watch_once_the_log_was_looked_through() {
    let gone = || vec![agent("api", "ended")];
    let rig = Rig::new();
    let hub = hub_of(&rig, gone(), vec![]);
    let seen = rig.run(&["watch", "api", "--until", "event:turn.completed", "--json"]);
    assert_eq!((seen.code, seen.stdout.as_str()), (8, ""), "{seen:?}");
    assert_eq!(seen.error()["message"], "api has ended; no turn.completed will come of it");
    assert_eq!(first_stream(&hub), "/api/v1/events?since=10&agent=api&follow=false");

    let rig = Rig::new();
    let log = vec![changed("5", "api", "working", "done"), changed("6", "api", "done", "ended")];
    let _hub = hub_of(&rig, gone(), vec![log]);
    let seen = rig.run(&["watch", "api", "--since", "0", "--until", "status:done"]);
    assert_eq!(seen.ok().lines().count(), 1, "{seen:?}");
}

#[test]
fn an_agent_that_comes_back_is_watched_on() {
    let rig = Rig::new();
    let streams = vec![
        vec![changed("11", "api", "working", "ended")],
        vec![changed("12", "api", "ended", "starting")],
        vec![changed("13", "api", "starting", "done")],
    ];
    let hub = hub_with(&rig, streams);
    let seen = rig.run(&["watch", "api", "--until", "status:done"]);
    assert_eq!(seen.ok().lines().count(), 3, "{seen:?}");
    let asked: Vec<_> = streams_of(&hub).into_iter().map(|(path, _)| path).collect();
    let (on, to_the_end) = ("/api/v1/events?agent=api", "/api/v1/events?agent=api&follow=false");
    assert_eq!(asked, ["/api/v1/events?since=10&agent=api", to_the_end, on]);
}

#[test]
fn as_long_as_one_agent_is_there_it_is_watched() {
    let rig = Rig::new();
    let log =
        vec![changed("11", "api", "working", "crashed"), changed("12", "web", "working", "done")];
    let agents = vec![agent("api", "working"), agent("web", "working")];
    let _hub = hub_of(&rig, agents, vec![log]);
    let seen = rig.run(&["watch", "api", "web", "--until", "status:done"]);
    assert_eq!(seen.ok().lines().count(), 2, "{seen:?}");
}

#[test]
fn what_is_in_the_log_already_is_found_whatever_the_timeout() {
    let end = || ": up to date\n\n".to_owned();
    let args = ["watch", "--since", "0", "--until", "status:done", "--timeout", "0s"];
    for _ in 0..10 {
        let rig = Rig::new();
        let log = vec![
            changed("11", "api", "idle", "working"),
            changed("12", "api", "working", "done"),
            end(),
        ];
        let _hub = hub_with(&rig, vec![log]);
        assert_eq!(rig.run(&args).ok().lines().count(), 2);
    }
    let rig = Rig::new();
    let _hub = hub_with(&rig, vec![vec![changed("11", "api", "idle", "working"), end()]]);
    let seen = rig.run(&args);
    assert_eq!((seen.code, seen.stdout.lines().count()), (3, 1), "{seen:?}");
}

/// The activity of `api` is one entry, and goes on with this stream.
fn followed(stream: Vec<String>) -> (Seen, String) {
    let rig = Rig::new();
    let hub = hub_with(&rig, vec![stream]);
    let seen = rig.run(&["log", "api", "--follow", "--format", "jsonl"]);
    let path = first_stream(&hub);
    (seen, path)
}

#[test]
fn a_log_that_is_followed_ends_with_8_once_its_agent_is_forgotten() {
    let entry = json!({"ts": AT, "tool": "Bash", "action": "test", "state": "working"});
    let appended = json!({
        "schema": 1, "cursor": "11", "at": AT, "type": "activity.appended", "agent_id": "api",
        "entry": entry,
    });
    let appended = message("11", "activity.appended", &appended);
    let (seen, path) = followed(vec![appended, forgotten("12", "api")]);
    assert_eq!((seen.code, seen.stdout.lines().count()), (8, 2), "{seen:?}");
    assert!(seen.stdout.lines().all(|line| line.starts_with("{\"schema\":1,")), "{seen:?}");
    insta::assert_snapshot!(seen.stderr, @"
    error: api was forgotten; nothing more comes of it
    hint: somebody took it off the roster; see the others: `headsup ls --all`
    ");
    let types = "type=activity.appended&type=agent.forgotten";
    assert_eq!(path, format!("/api/v1/events?since=10&agent=api&{types}"));
    // So it was in a gap that the log does not cover.
    let (seen, _) = followed(vec![snapshot("20", &[])]);
    assert_eq!(seen.code, 8, "{seen:?}");
}

#[test]
fn where_nobody_is_named_whoever_comes_next_is_waited_for() {
    let rig = Rig::new();
    let log =
        vec![changed("11", "api", "working", "crashed"), changed("12", "new", "working", "done")];
    let hub = hub_with(&rig, vec![log]);
    let seen = rig.run(&["watch", "--until", "status:done"]);
    assert_eq!(seen.ok().lines().count(), 2, "{seen:?}");
    assert_eq!(streams_of(&hub).len(), 1);
}
