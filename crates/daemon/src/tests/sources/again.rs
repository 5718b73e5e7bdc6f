//! What a program has said to its terminal, and what its launcher says again because it stands.

use super::{Agent, Rig};
use serde_json::json;

const SEAT: &str = "/api/v1/agents/api";

async fn works(rig: &Rig, agent: &Agent, again: bool) {
    let start: u64 = agent.start_ticks().parse().unwrap();
    let body = json!({
        "pid": agent.child.id(), "start_ticks": start, "status": "state=working", "again": again,
    });
    let path = format!("{SEAT}/terminal");
    let reply = rig.bench.client().send("POST", &path, &[], body.to_string()).await;
    assert_eq!(reply.status, 202, "{}", reply.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_only_stands_undoes_no_report() {
    let rig = Rig::new().await;
    let agent = Agent::start(&rig.sessions, "s1");
    let client = rig.bench.client();
    assert_eq!(client.send("PUT", SEAT, &[], r#"{"kind":"custom"}"#).await.status, 201);
    works(&rig, &agent, false).await;
    rig.settles("working").await;
    assert_eq!(client.report("api", "idle").await.status, 202);
    assert_eq!(client.headline("api").await, "idle");
    for _ in 0..2 {
        works(&rig, &agent, true).await;
        rig.bench.pass(1_000).await;
        assert_eq!(client.headline("api").await, "idle");
    }
    let explained = client.get(&format!("{SEAT}/explain")).await.json();
    let rejected = explained["rejected"].as_array().unwrap().iter();
    let of_it = rejected.filter(|it| it["source"] == "program_status").collect::<Vec<_>>();
    assert_eq!(of_it.len(), 1, "however often it is said: {explained:#}");
    assert_eq!(of_it[0]["rule"], "G10", "{explained:#}");
    works(&rig, &agent, false).await;
    rig.settles("working").await;
}
