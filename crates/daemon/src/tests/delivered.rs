//! Questions that stand on a task at another system: they were brought to whoever reads there.

use super::bench::{Bench, Client, soon};
use super::github::{FOLDER, ok, settings, with};
use super::prompts::{answer, asked, question};
use headsup_testkit::github::{Fault, GitHub};
use serde_json::{Value, json};
use std::time::Duration;

const MINUTE: i64 = 60_000;

/// An agent at work on the first issue.
async fn at_work(there: &GitHub) -> (Bench, Client) {
    let bench = with(settings(there)).await;
    let client = bench.client();
    ok(&client, "PUT", "/api/v1/agents/api", &json!({ "cwd": FOLDER })).await;
    ok(&client, "POST", "/api/v1/tasks", &json!({"title": "t", "folder": FOLDER})).await;
    ok(&client, "PUT", "/api/v1/agents/api/task", &json!({"task_identifier": "#1"})).await;
    (bench, client)
}

/// Asks, and waits until it is over with the comment that tells of it.
async fn posted(bench: &Bench, client: &Client) -> (String, Value) {
    let mut minute = question();
    minute["timeout_minutes"] = json!(1);
    let id = asked(client, minute).await;
    let key = format!("{id}-opened");
    let over = bench.hub().effects().outcome(&key, Duration::from_secs(30)).await;
    assert!(over.unwrap().is_some());
    let prompt = client.get(&format!("/api/v1/prompts/{id}")).await.json();
    (id, prompt)
}

fn vias(prompt: &Value) -> Vec<&str> {
    let marks = prompt["delivered"].as_array().map_or(&[][..], Vec::as_slice);
    marks.iter().map(|mark| mark["via"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_was_posted_was_delivered_once_and_its_deadline_knows() {
    let there = GitHub::start();
    let (mut bench, client) = at_work(&there).await;
    // The answer is lost; it is looked for, and found.
    there.fails("POST", "/comments", Fault::CutAfter);
    let (id, prompt) = posted(&bench, &client).await;
    assert_eq!(vias(&prompt), ["comment"], "{prompt}");
    assert!(prompt["delivered"][0]["at"].is_string(), "{prompt}");
    bench.restart().await;
    let client = bench.client();
    let kept = client.get(&format!("/api/v1/prompts/{id}")).await.json();
    assert_eq!(kept["delivered"], prompt["delivered"]);
    bench.pass(MINUTE + 60).await;
    let over = client.get(&format!("/api/v1/prompts/{id}")).await.json();
    assert_eq!(over["resolution"]["by"], "timeout", "{over}");
    assert_ne!(over["resolution"]["nobody_saw_it"], true, "{over}");
    // Its end is posted beside all this.
    soon("the second comment", async {
        while there.issue(1).comments.len() < 2 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert_eq!(there.issue(1).comments.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_could_not_be_posted_was_not_and_a_comment_behind_its_end_is_none() {
    let there = GitHub::start();
    let (bench, client) = at_work(&there).await;
    let says = json!({"message": "Bad credentials"});
    there.fails("POST", "/comments", Fault::Answer(401, says, Vec::new()));
    let (id, prompt) = posted(&bench, &client).await;
    assert_eq!(vias(&prompt), [""; 0], "{prompt}");
    bench.pass(MINUTE + 60).await;
    let over = client.get(&format!("/api/v1/prompts/{id}")).await.json();
    assert_eq!(over["resolution"]["nobody_saw_it"], true, "{over}");
    // What gets there at last tells nobody of an open question.
    let key = format!("{id}-opened");
    ok(&client, "POST", &format!("/api/v1/effects/{key}/again"), &json!({})).await;
    bench.hub().effects().outcome(&key, Duration::from_secs(30)).await.unwrap();
    let (next, prompt) = posted(&bench, &client).await;
    assert_eq!(vias(&prompt), ["comment"], "{next}: {prompt}");
    assert_eq!(answer(&client, &next, json!({"option": 1})).await.status, 200);
    assert_eq!(client.get(&format!("/api/v1/prompts/{id}")).await.json(), over);
}
