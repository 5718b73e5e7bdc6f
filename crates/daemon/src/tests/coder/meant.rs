//! Who is meant by a name in a chat, where its agents were started with the chat's label.

use super::{say, timeless, updated, ws};
use crate::limits::Limits;
use crate::tests::bench::{Bench, Client, Headers};
use serde_json::{Value, json};

const NAME: &str = "claude-code";

/// A seat of this kind in the chat, with the name as a label or without.
async fn sits(client: &Client, id: &str, is_called: bool) {
    let mut labels = json!({"chat_id": "c-1"});
    if is_called {
        labels["agent"] = json!(NAME);
    }
    let seat = json!({"kind": NAME, "labels": labels}).to_string();
    client.send("PUT", &format!("/api/v1/agents/{id}"), &[], seat).await;
}

/// What the chat says of this name, and what the answer says of the status.
async fn told(client: &Client, event: &str) -> String {
    let reply = say(client, "c-1", NAME, event, None).await;
    reply.json()["status"].as_str().unwrap().to_owned()
}

/// What its own hook says, of a turn of this name.
async fn hook(client: &Client, own: Headers<'_>, event: &str) {
    let mut hook = json!({"hook_event_name": event, "session_id": "s1", "prompt_id": "p1"});
    if event == "PermissionRequest" {
        hook["tool_name"] = json!("Bash");
        hook["tool_input"] = json!({"command": "ls"});
    }
    client.send("POST", "/api/v1/hooks/claude-code", own, hook.to_string()).await;
}

async fn count(client: &Client, kind: &str) -> usize {
    client.log().await.iter().filter(|event| event["type"] == kind).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_of_an_agent_that_was_started_in_the_chat_is_of_its_seat() {
    let bench = Bench::new().await;
    let client = bench.client();
    for id in ["one", "two"] {
        sits(&client, id, false).await;
    }
    let mut socket = ws::open_at(&client, "/api/coder/ws?chat_id=c-1", &[]).await.unwrap();
    let mut names = Vec::new();
    for _ in 0..2 {
        names.push(socket.next().await.unwrap()["agent"].as_str().unwrap().to_owned());
    }
    names.sort();
    assert_eq!(names, [NAME, "two"]);
    // Its own hooks tell of the same turn.
    let own = [("x-headsup-agent", "one")];
    for event in ["SessionStart", "UserPromptSubmit", "PermissionRequest"] {
        client.hook(event, "s1", &own).await;
    }
    let turns = client.get("/api/v1/agents/one").await.json()["turn"]["turn_seq"].clone();
    for (event, status) in [
        ("PermissionRequest", "blocked"),
        ("Start", "blocked"),
        ("PermissionResult", "working"),
        ("PermissionResult", "working"),
        ("UserPromptSubmit", "working"),
        ("Stop", "working"),
        ("session_end", "working"),
    ] {
        assert_eq!(told(&client, event).await, status, "{event}");
    }
    client.hook("Stop", "s1", &own).await;
    assert_eq!(told(&client, "Stop").await, "idle");
    let doc = client.get("/api/v1/agents/one").await.json();
    assert_eq!((&doc["headline"], &doc["turn"]["turn_seq"]), (&json!("done"), &turns));
    assert_eq!(doc["labels"], json!({"chat_id": "c-1"}), "nobody has called it so");
    let agents = client.get("/api/v1/agents").await.json()["agents"].clone();
    assert_eq!(agents.as_array().unwrap().len(), 2, "{agents}");
    // The other one is meant by its kind as soon as that is nobody else's.
    client.send("DELETE", "/api/v1/agents/one?force=true", &[], "").await;
    assert_eq!(told(&client, "Start").await, "working");
    assert_eq!(client.headline("two").await, "working");
}

/// Both are sent at the same moment, and either may arrive first.
#[tokio::test(flavor = "multi_thread")]
async fn what_own_hooks_tell_as_well_happens_once_in_either_order() {
    for is_chat_first in [true, false] {
        let bench = Bench::new().await;
        let client = bench.client();
        sits(&client, "one", false).await;
        let own = [("x-headsup-agent", "one")];
        client.hook("SessionStart", "s1", &own).await;
        for event in ["UserPromptSubmit", "PermissionRequest", "Stop"] {
            if is_chat_first {
                told(&client, event).await;
            }
            hook(&client, &own, event).await;
            if !is_chat_first {
                told(&client, event).await;
            }
        }
        assert_eq!(client.headline("one").await, "done", "{is_chat_first}");
        for kind in ["turn.started", "turn.completed", "prompt.opened"] {
            assert_eq!(count(&client, kind).await, 1, "{kind}: {is_chat_first}");
        }
    }
}

/// Its own hook has told of the end already.
#[tokio::test(flavor = "multi_thread")]
async fn an_end_that_comes_late_is_of_the_one_that_had_the_name() {
    let bench = Bench::new().await;
    let client = bench.client();
    sits(&client, "one", true).await;
    sits(&client, "two", false).await;
    client.report("one", "working").await;
    client.report("two", "working").await;
    // The answer is of the one that it was about.
    assert_eq!(told(&client, "session_end").await, "idle");
    assert_eq!(told(&client, "session_end").await, "idle");
    assert_eq!(client.headline("one").await, "ended");
    let doc = client.get("/api/v1/agents/two").await.json();
    assert_eq!(doc["headline"], "working");
    assert_eq!(doc["labels"], json!({"chat_id": "c-1"}));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_answer_is_of_the_one_that_it_was_about() {
    let bench = Bench::new().await;
    let client = bench.client();
    for id in ["one", "two"] {
        sits(&client, id, false).await;
        client.report(id, "working").await;
    }
    // From then on the other one is meant.
    assert_eq!(told(&client, "session_end").await, "idle");
    assert_eq!(client.headline("one").await, "ended");
    assert_eq!(client.headline("two").await, "working");
}

/// The frames of a socket up to this one, each as a name and a status.
async fn up_to(socket: &mut ws::Socket, last: &Value) -> Vec<(String, String)> {
    let mut frames = Vec::new();
    loop {
        let frame = timeless(socket.next().await.unwrap());
        let word = |member: &str| frame[member].as_str().unwrap().to_owned();
        frames.push((word("agent"), word("status")));
        if frame == *last {
            return frames;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_watches_hears_of_both_when_a_name_goes_over_to_another_one() {
    let bench = Bench::new().await;
    let client = bench.client();
    sits(&client, "c", false).await;
    client.report("c", "working").await;
    client.report("c", "blocked").await;
    bench.pass(10).await;
    let mut socket = ws::open_at(&client, "/api/coder/ws?chat_id=c-1", &[]).await.unwrap();
    let first = timeless(socket.next().await.unwrap());
    assert_eq!((&first["agent"], &first["status"]), (&json!(NAME), &json!("blocked")));
    let reason = first["reason"].as_str();
    // The first by its id has the name, and the other one is blocked all the while.
    sits(&client, "a", false).await;
    let newcomer = updated("c-1", NAME, "working", Some("starting"));
    let frames = up_to(&mut socket, &newcomer).await;
    assert!(frames.contains(&("c".to_owned(), "blocked".to_owned())), "{frames:?}");
    assert!(!frames.contains(&(NAME.to_owned(), "idle".to_owned())), "{frames:?}");
    // It has it again.
    client.send("DELETE", "/api/v1/agents/a?force=true", &[], "").await;
    up_to(&mut socket, &updated("c-1", NAME, "blocked", reason)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_watches_hears_that_an_agent_is_forgotten() {
    let bench = Bench::new().await;
    let client = bench.client();
    sits(&client, "one", false).await;
    client.report("one", "working").await;
    let mut sockets = Vec::new();
    for query in ["", "?chat_id=c-1"] {
        let path = format!("/api/coder/ws{query}");
        let mut socket = ws::open_at(&client, &path, &[]).await.unwrap();
        up_to(&mut socket, &updated("c-1", NAME, "working", None)).await;
        sockets.push(socket);
    }
    // One that is shown by its own id leaves nobody its name.
    sits(&client, "two", false).await;
    for socket in &mut sockets {
        up_to(socket, &updated("c-1", "two", "working", Some("starting"))).await;
    }
    for id in ["two", "one"] {
        client.send("DELETE", &format!("/api/v1/agents/{id}?force=true"), &[], "").await;
    }
    for socket in &mut sockets {
        for name in ["two", NAME] {
            let left = updated("c-1", name, "idle", Some("left"));
            assert_eq!(timeless(socket.next().await.unwrap()), left);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_fell_behind_hears_that_an_agent_is_forgotten() {
    let bench = Bench::with(Limits { bus: 16, ..Limits::default() }).await;
    let client = bench.client();
    sits(&client, "one", false).await;
    client.report("one", "working").await;
    let mut slow = ws::open_at(&client, "/api/coder/ws", &[]).await.unwrap();
    let flood = async |times: usize| {
        for _ in 0..times {
            for event in ["PermissionRequest", "PostToolUse"] {
                say(&client, "c-2", "coder", event, None).await;
            }
        }
    };
    flood(200).await;
    client.send("DELETE", "/api/v1/agents/one?force=true", &[], "").await;
    flood(20).await;
    up_to(&mut slow, &updated("c-1", NAME, "idle", Some("left"))).await;
}

/// What a socket shows is a name to report by.
#[tokio::test(flavor = "multi_thread")]
async fn each_pair_that_a_socket_names_is_of_one_seat_alone() {
    let bench = Bench::new().await;
    let client = bench.client();
    for id in ["one", "two", "three"] {
        sits(&client, id, false).await;
    }
    // The id of one of them is another one's name.
    let labels = json!({"chat_id": "c-1", "agent": "three"});
    let seat = json!({"kind": NAME, "labels": labels}).to_string();
    client.send("PUT", "/api/v1/agents/four", &[], seat).await;
    let ids = ["four", "one", "three", "two"];
    let mut socket = ws::open_at(&client, "/api/coder/ws", &[]).await.unwrap();
    let mut names = Vec::new();
    for _ in ids {
        names.push(socket.next().await.unwrap()["agent"].as_str().unwrap().to_owned());
    }
    names.sort();
    assert_eq!(names, ["#three", NAME, "three", "two"]);
    for (name, id) in names.iter().zip(["three", "one", "four", "two"]) {
        assert_eq!(client.headline(id).await, "starting", "{name}");
        let reply = say(&client, "c-1", name, "UserPromptSubmit", None).await;
        assert_eq!(reply.json()["status"], "working", "{name}");
        assert_eq!(client.headline(id).await, "working", "{name}");
        let frame = timeless(socket.next().await.unwrap());
        assert_eq!(frame, updated("c-1", name, "working", None));
    }
    let agents = client.get("/api/v1/agents?all=true").await.json()["agents"].clone();
    assert_eq!(agents.as_array().unwrap().len(), ids.len(), "{agents}");
}
