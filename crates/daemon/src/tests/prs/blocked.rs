//! What becomes of an agent's block when the pull request that it is for is over.

use super::super::bench::{Bench, Client};
use super::{answer, calls_for, ok, opened, until};
use crate::forge::plain::Plain;
use serde_json::json;

/// An agent whose merge was agreed to and did not happen.
async fn blocked(client: &Client, plain: &Plain) -> String {
    plain.branch("work", "readme", "theirs\n");
    let (_, path) = opened(client, plain).await;
    let (_, asked) = calls_for(client, &format!("{path}/merge"), json!({})).await;
    plain.write("readme", "ours\n");
    plain.commit("ours");
    answer(client, &asked["prompt_id"], "yes").await;
    until(client, "/api/v1/agents/api", |agent| agent["stage"]["state"] == "blocked").await;
    path
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_one_is_in_nobodys_way_also_after_a_restart() {
    let (mut bench, plain) = (Bench::new().await, Plain::new());
    let path = blocked(&bench.client(), &plain).await;
    bench.restart().await;
    let client = bench.client();
    ok(&client, "PATCH", &path, &json!({"state": "closed"})).await;
    let agent = client.get("/api/v1/agents/api").await.json();
    assert_eq!(agent["stage"]["state"], "working", "{agent}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_block_that_was_set_since_stays_when_the_pull_request_is_over() {
    let (bench, plain) = (Bench::new().await, Plain::new());
    let client = bench.client();
    let path = blocked(&client, &plain).await;
    let own = json!({"stage": "blocked", "message": "no licence", "blockers": ["no licence"]});
    ok(&client, "POST", "/api/v1/agents/api/stage", &own).await;
    ok(&client, "PATCH", &path, &json!({"state": "closed"})).await;
    let agent = client.get("/api/v1/agents/api").await.json();
    assert_eq!(
        (&agent["stage"]["state"], &agent["stage"]["message"]),
        (&json!("blocked"), &json!("no licence"))
    );
}
