//! A host that wants to hear nothing for a while, or cannot be looked at behind an act: whoever asks is told at
//! once what is so.

use super::bench::{Client, soon};
use super::github::{FOLDER, ok, settings, with};
use headsup_testkit::github::{Fault, GitHub};
use serde_json::json;

const ISSUE: &str = "/api/v1/tasks/ada%2Fapp%231";

fn limited() -> Fault {
    let says = json!({"message": "API rate limit exceeded for user ID 1."});
    let headers =
        vec![("x-ratelimit-remaining", "0".to_owned()), ("retry-after", "3600".to_owned())];
    Fault::Answer(403, says, headers)
}

async fn made(client: &Client) {
    ok(client, "POST", "/api/v1/tasks", &json!({"title": "t", "folder": FOLDER})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_is_told_in_words_and_what_is_to_be_done_waits() {
    let there = GitHub::start();
    let bench = with(settings(&there)).await;
    let client = bench.client();
    made(&client).await;
    there.fails("POST", "/comments", limited());
    let path = format!("{ISSUE}/comments");
    let said = json!({"comment": "later"});
    let told = soon("the answer", ok(&client, "POST", &path, &said)).await;
    assert_eq!(told["effect"]["state"], "queued", "{told}");
    let asked = there.asked().len();
    // The host is not asked again, and says what it has said.
    let says = "allows no more requests for 1h00: API rate limit exceeded for user ID 1.";
    let shown = client.get(ISSUE).await;
    assert_eq!((shown.status.as_u16(), shown.code().as_str()), (429, "remote_rate_limited"));
    let moved = json!({"status": "done"});
    let status = soon("the answer", ok(&client, "PATCH", ISSUE, &moved)).await;
    assert_eq!(status["effects"][0]["state"], "queued", "{status}");
    assert!(status["note"].as_str().unwrap().starts_with("it waits to be done"), "{status}");
    for text in [told["effect"]["reason"].to_string(), status["effects"][0]["reason"].to_string()] {
        assert!(text.contains(says), "{text}");
    }
    let less = shown.text();
    assert!(less.contains("allows no more requests for ") && less.contains("user ID 1."), "{less}");
    assert_eq!(there.asked().len(), asked);
    let waiting = client.get("/api/v1/effects?state=queued").await.json();
    assert_eq!(waiting["effects"].as_array().map(Vec::len), Some(2), "{waiting}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_without_a_time_is_one_and_no_lack_of_rights() {
    let there = GitHub::start();
    let bench = with(settings(&there)).await;
    let client = bench.client();
    made(&client).await;
    let says = json!({"message": "You have exceeded a secondary rate limit."});
    there.fails("GET", "/issues/1", Fault::Answer(403, says, Vec::new()));
    let told = client.get(ISSUE).await;
    assert_eq!(told.code(), "remote_rate_limited", "{}", told.text());
    assert!(told.text().contains("allows no more requests for 1m"), "{}", told.text());
    assert!(told.json()["hint"].as_str().unwrap().contains("try again in 1m"), "{}", told.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_done_is_done_also_where_it_cannot_be_looked_at() {
    let there = GitHub::start();
    let bench = with(settings(&there)).await;
    let client = bench.client();
    made(&client).await;
    let broken = Fault::Answer(502, json!({"message": "Bad Gateway"}), Vec::new());
    there.fails("GET", "/issues/comments/", broken);
    let said = json!({"comment": "once"});
    let told = ok(&client, "POST", &format!("{ISSUE}/comments"), &said).await;
    assert_eq!((&told["effect"]["state"], &told["body"]), (&json!("done"), &json!("once")));
    assert_eq!(told["id"], told["effect"]["remote_id"]);
    assert_eq!(there.issue(1).comments.len(), 1);
}
