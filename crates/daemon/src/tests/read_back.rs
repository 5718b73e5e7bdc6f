//! What is done elsewhere is never told as a failure because it could not be looked at afterwards; and whoever
//! is silent there is named before anybody gives the hub up.

use super::github::{self, FOLDER, new_pull, ok, opened, send};
use super::kanbanger;
use headsup_testkit::github::{Fault, GitHub};
use headsup_testkit::kanbanger::Kanbanger;
use serde_json::json;
use std::time::Duration;

const UNREAD: &str = "it is done, and could not be read back";

#[tokio::test(flavor = "multi_thread")]
async fn what_is_done_at_github_is_done_where_nothing_can_be_read_back() {
    let there = GitHub::start();
    let bench = github::with(github::settings(&there)).await;
    let client = bench.client();
    let faults = [
        Fault::Answer(500, json!({"message": "Server Error"}), Vec::new()),
        Fault::Answer(404, json!({"message": "Not Found"}), Vec::new()),
        Fault::Answer(429, json!({"message": "slow down"}), vec![("retry-after", "0".to_owned())]),
        Fault::Answer(200, json!("no such document"), Vec::new()),
    ];
    for (number, fault) in (1..).zip(faults) {
        there.fails("GET", "/issues/", fault.clone());
        let new = json!({"title": "Log in", "folder": FOLDER});
        let made = ok(&client, "POST", "/api/v1/tasks", &new).await;
        assert_eq!(
            (&made["identifier"], &made["title"]),
            (&json!(format!("ada/app#{number}")), &json!("Log in")),
            "{fault:?}"
        );
        assert!(made["note"].as_str().unwrap().starts_with(UNREAD), "{made}");
        assert!(made["url"].as_str().unwrap().ends_with(&format!("/issues/{number}")), "{made}");
        let path = format!("/api/v1/tasks/ada%2Fapp%23{number}");
        there.fails("GET", "/issues/comments/", fault.clone());
        let said = json!({"comment": "once"});
        let said = ok(&client, "POST", &format!("{path}/comments"), &said).await;
        let comments = there.issue(number).comments;
        assert_eq!((comments.len(), &said["effect"]["state"]), (1, &json!("done")), "{said}");
        assert_eq!(said["id"], comments[0].id.to_string());
        assert!(said["note"].as_str().unwrap().starts_with(UNREAD), "{said}");
        there.fails("GET", &format!("/issues/{number}/comments"), fault);
        let moved = ok(&client, "PATCH", &path, &json!({"status": "in_review"})).await;
        assert_eq!(moved["status"], "in_review");
        assert!(moved["note"].as_str().unwrap().starts_with(UNREAD), "{moved}");
    }
    assert_eq!(there.issues(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_done_at_kanbanger_is_done_where_nothing_can_be_read_back() {
    let there = Kanbanger::start(kanbanger::KEY).await.unwrap();
    let bench = kanbanger::with(&there, Some(kanbanger::KEY)).await;
    let client = bench.client();
    kanbanger::at_work(&client).await;
    let comments = "/api/v1/agents/api/task/comments";
    for (number, status) in (2..).zip([500, 404, 403]) {
        there.keeps_silent([status]);
        let new = json!({"title": "Second"});
        let made = kanbanger::ok(&client, "POST", "/api/v1/tasks", &new).await;
        assert_eq!(made["identifier"], format!("kanbanger:KAN-{number}"), "{made}");
        assert!(made["note"].as_str().unwrap().starts_with(UNREAD), "{made}");
        there.keeps_silent([status]);
        let said = json!({"comment": "once"});
        let said = kanbanger::ok(&client, "POST", comments, &said).await;
        assert_eq!(said["effect"]["state"], "done", "{said}");
        assert!(said["note"].as_str().unwrap().starts_with(UNREAD), "{said}");
    }
    assert_eq!((there.cards().len(), there.comments("KAN-1").len()), (4, 3));
    there.keeps_silent([403]);
    let refused = client.get("/api/v1/tasks/kanbanger:KAN-1").await;
    assert_eq!(refused.code(), "remote_forbidden");
    assert!(refused.text().contains("cards and comments"), "{}", refused.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_is_silent_is_named_in_time() {
    let there = GitHub::start();
    let mut bench = github::with(github::settings(&there)).await;
    let client = bench.client();
    ok(&client, "POST", "/api/v1/tasks", &json!({"title": "t", "folder": FOLDER})).await;
    there.push("work", 'b');
    let (_, path) = opened(&client).await;
    // A host is given half a minute; whoever waits for the hub gives up sooner.
    bench.limits.answer = Duration::from_secs(2);
    bench.restart().await;
    let client = bench.client();
    there.fails("POST", "/comments", Fault::Hang);
    let issue = "/api/v1/tasks/ada%2Fapp%231";
    let said = json!({"comment": "once"});
    let said = ok(&client, "POST", &format!("{issue}/comments"), &said).await;
    assert_eq!(said["effect"]["state"], "queued", "{said}");
    let silent = async |method: &str, path: &str, body: serde_json::Value| {
        let reply = send(&client, method, path, &body).await;
        let told = (reply.status.as_u16(), reply.code());
        assert_eq!(told, (504, "remote_silent".to_owned()), "{}", reply.text());
        assert!(reply.text().contains("127.0.0.1"), "{}", reply.text());
    };
    there.fails("GET", "/branches/", Fault::Hang);
    silent("POST", "/api/v1/prs", new_pull()).await;
    there.fails("GET", "/issues/1", Fault::Hang);
    silent("GET", issue, json!(null)).await;
    there.fails("PUT", "/merge", Fault::Hang);
    silent("POST", &format!("{path}/merge"), json!({})).await;
    there.release();
    // It has happened; whoever asks again is told that.
    bench.limits.answer = Duration::from_secs(30);
    bench.restart().await;
    let client = bench.client();
    ok(&client, "POST", &format!("{path}/merge"), &json!({})).await;
    assert_eq!(there.pull(2).merges.len(), 1);
    // Nobody is there at all.
    bench.limits.answer = Duration::from_secs(2);
    bench.restart().await;
    drop(there);
    let client = bench.client();
    let moved = ok(&client, "PATCH", issue, &json!({"status": "done"})).await;
    assert!(moved["note"].as_str().unwrap().starts_with("it waits to be done"), "{moved}");
    assert!(moved["effects"].to_string().contains("queued"), "{moved}");
    let new = json!({"title": "t", "folder": FOLDER});
    let queued = send(&client, "POST", "/api/v1/tasks", &new).await;
    assert_eq!((queued.code().as_str(), &queued.json()["retryable"]), ("queued", &json!(false)));
}
