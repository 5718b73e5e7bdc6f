//! A merge that a person has agreed to while its host is down.

use super::bench::{Client, soon};
use super::github::{FOLDER, ok, opened, settings, with};
use headsup_core::work::pull::MergePolicy;
use headsup_testkit::github::{Fault, GitHub};
use serde_json::{Value, json};

/// An agent's question whether its pull request is merged, answered with yes while its host is down.
async fn agreed_while_it_is_down(
    there: &GitHub,
    client: &Client,
    path: &str,
    meanwhile: impl FnOnce(),
) {
    let headers = [("content-type", "application/json"), ("x-headsup-agent", "api")];
    let merge = format!("{path}/merge");
    let asked = client.send("POST", &merge, &headers, "{}").await;
    assert_eq!(asked.status, 202, "{}", asked.text());
    meanwhile();
    for _ in 0..2 {
        there.fails("PUT", "/merge", Fault::CutBefore);
    }
    let prompt = asked.json()["prompt_id"].as_str().unwrap().to_owned();
    let answer = format!("/api/v1/prompts/{prompt}/answer");
    ok(client, "POST", &answer, &json!({"value": "yes"})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_who_has_agreed_to_a_merge_is_not_asked_again_for_an_outage() {
    let there = GitHub::start();
    let mut bench = with(settings(&there)).await;
    bench.forge.merge_policy = MergePolicy::Ask;
    bench.restart().await;
    let client = bench.client();
    ok(&client, "PUT", "/api/v1/agents/api", &json!({ "cwd": FOLDER })).await;
    there.push("work", 'b');
    let (_, path) = opened(&client).await;
    agreed_while_it_is_down(&there, &client, &path, || ()).await;
    let merged = async {
        while client.get(&path).await.json()["state"] != "merged" {
            tokio::task::yield_now().await;
        }
    };
    soon("the merge", merged).await;
    assert_eq!(there.pull(1).merges.len(), 1);
    let asked = client.get("/api/v1/prompts?state=open").await.json();
    assert_eq!(asked["prompts"], json!([]), "nobody is asked again");
    assert_eq!(client.get("/api/v1/agents/api").await.json()["stage"], Value::Null);

    // Another commit than that one is never merged.
    there.push("more", 'c');
    let new = json!({"title": "More", "head_branch": "more", "folder": FOLDER});
    let pr = ok(&client, "POST", "/api/v1/prs", &new).await;
    let path = format!("/api/v1/prs/{}", pr["id"].as_str().unwrap());
    let moves = || drop(there.push("more", 'd'));
    agreed_while_it_is_down(&there, &client, &path, moves).await;
    let told = async {
        while client.get("/api/v1/agents/api").await.json()["headline"] != "blocked" {
            tokio::task::yield_now().await;
        }
    };
    soon("that it is not merged", told).await;
    assert_eq!(client.get(&path).await.json()["state"], "open");
}
