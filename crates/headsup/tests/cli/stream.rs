//! `watch`.

use crate::hub::{Hub, Reply, message};
use crate::rig::{Rig, agent, answer, changed, snapshot};
use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

/// A hub whose streams are these, one after the other; a stream ends after its last message.
fn hub_with(rig: &Rig, streams: Vec<Vec<String>>) -> Hub {
    let next = AtomicUsize::new(0);
    rig.hub(move |request| {
        if !request.path.starts_with("/api/v1/events") {
            return answer(&[agent("api", "working")], request);
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
    let seen = hub.seen();
    seen.iter().find(|request| request.path.starts_with("/api/v1/events")).unwrap().path.clone()
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
    let streams = hub.seen().into_iter().filter(|r| r.path.starts_with("/api/v1/events"));
    let paths: Vec<String> = streams.map(|request| request.path).collect();
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
    headsup: cursor 1 is too old; the oldest kept is 5
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
