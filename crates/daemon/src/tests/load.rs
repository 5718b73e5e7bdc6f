use super::bench::Bench;
use crate::job::Work;
use crate::namespaces::Namespaces;
use crate::sighting::{self, Envelope};
use std::collections::HashSet;
use std::sync::{Arc, Mutex};

#[tokio::test(flavor = "multi_thread")]
async fn sixty_four_reporters_at_once_are_all_stored_in_their_own_order() {
    let bench = Bench::new().await;
    let client = bench.client();
    let posters: Vec<_> = (0..64)
        .map(|n| {
            let client = client.clone();
            tokio::spawn(async move {
                for turn in 0..5 {
                    for event in ["UserPromptSubmit", "Stop"] {
                        let id = format!("{n}-{turn}-{event}");
                        let headers = [("x-headsup-id", id.as_str())];
                        let reply = client.hook(event, &format!("s{n}"), &headers).await;
                        assert_eq!(reply.status, 202);
                    }
                }
            })
        })
        .collect();
    for poster in posters {
        poster.await.unwrap();
    }
    let log = client.log().await;
    let cursors =
        log.iter().map(|event| event["cursor"].as_str().unwrap().parse::<usize>().unwrap());
    assert!(cursors.eq(1..=log.len()));
    for n in 0..64 {
        let id = format!("claude-code-s{n}");
        let turns: Vec<_> = log
            .iter()
            .filter(|event| event["agent_id"] == id.as_str())
            .filter_map(|event| event["type"].as_str()?.strip_prefix("turn."))
            .collect();
        assert_eq!(turns, ["started", "completed"].repeat(5), "{id}");
    }
    let after = bench.killed_now().await;
    assert_eq!(after.client().log().await, log);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_folders_of_the_same_name_get_two_seats() {
    let bench = Bench::new().await;
    let client = bench.client();
    let mut seats = HashSet::new();
    for (session, cwd) in [("s1", "/a/api"), ("s2", "/b/api"), ("s3", "/a/api")] {
        let body = serde_json::json!({
            "hook_event_name": "UserPromptSubmit", "session_id": session, "cwd": cwd,
        });
        let reply = client.send("POST", "/api/v1/hooks/claude-code", &[], body.to_string()).await;
        seats.insert(reply.json()["agent_id"].as_str().unwrap().to_owned());
    }
    let expected = ["claude-code-api", "claude-code-api-2", "claude-code-api-3"];
    assert_eq!(seats, expected.map(str::to_owned).into());
}

/// A reporter's end takes longer than a few words to those who look on.
#[tokio::test]
async fn a_few_who_listen_hear_of_a_report_before_its_reporter_does() {
    let bench = Bench::new().await;
    let told = Arc::new(Mutex::new(Vec::new()));
    let mut frames = bench.hub().app().bus.subscribe().unwrap();
    let listener = tokio::spawn({
        let told = Arc::clone(&told);
        async move {
            frames.recv().await.unwrap();
            told.lock().unwrap().push("a listener");
        }
    });
    // It waits by now.
    tokio::task::yield_now().await;
    let envelope = Envelope { kind: "claude-code", ..Envelope::default() };
    let body = br#"{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":"go"}"#;
    let report = sighting::read(envelope, body, &Namespaces::new()).unwrap();
    bench.hub().inbox().submit(Work::Hook(Box::new(report)), None).await.unwrap();
    told.lock().unwrap().push("the reporter");
    listener.await.unwrap();
    assert_eq!(*told.lock().unwrap(), ["a listener", "the reporter"]);
}
