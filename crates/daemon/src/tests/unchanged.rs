//! What has not changed at GitHub costs nothing of what it allows.

use super::github::{FOLDER, ok, opened, settings, with};
use headsup_testkit::github::{Fault, GitHub};
use serde_json::json;

/// What the requests since then have cost, and how many were answered by 304. An answer is counted behind
/// its last byte: the counter may be a moment late.
async fn since(there: &GitHub, before: (u64, u64), asked: usize) -> (u64, u64) {
    let expected = (there.asked().len() - asked) as u64;
    super::bench::soon("the counters", async {
        loop {
            let (spent, unchanged) = there.spent();
            let (spent, unchanged) = (spent - before.0, unchanged - before.1);
            if spent + unchanged >= expected {
                return (spent, unchanged);
            }
            tokio::task::yield_now().await;
        }
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_look_at_what_has_not_changed_is_free_and_a_change_is_seen() {
    let there = GitHub::start();
    let bench = with(settings(&there)).await;
    let client = bench.client();
    ok(&client, "POST", "/api/v1/tasks", &json!({"title": "t", "folder": FOLDER})).await;
    let said = json!({"comment": "first"});
    ok(&client, "POST", "/api/v1/tasks/ada%2Fapp%231/comments", &said).await;
    there.push("work", 'b');
    let (_, pr) = opened(&client).await;
    let refresh = format!("{pr}/refresh");
    let issue = "/api/v1/tasks/ada%2Fapp%231";
    let listed = format!("/api/v1/tasks?folder={FOLDER}&status=todo");
    let look = async || {
        let pr = ok(&client, "POST", &refresh, &json!({})).await;
        (client.get(issue).await.json(), client.get(&listed).await.json(), pr["title"].clone())
    };
    let first = look().await;
    let asked = there.asked().len();
    let before = since(&there, (0, 0), 0).await;
    for _ in 0..3 {
        assert_eq!(look().await, first);
    }
    let (spent, unchanged) = since(&there, before, asked).await;
    assert_eq!(spent, 0, "{:?}", &there.asked()[asked..]);
    assert!(unchanged >= 9, "{unchanged} conditional requests");
    // Only what has changed is sent again.
    let (asked, before) = (there.asked().len(), since(&there, (0, 0), 0).await);
    there.change_pull(2, |pull| "Better".clone_into(&mut pull.title));
    let (same, list, title) = look().await;
    assert_eq!((title, &same, &list), (json!("Better"), &first.0, &first.1));
    assert_eq!(since(&there, before, asked).await.0, 1, "{:?}", &there.asked()[asked..]);
    // An answer that was refused takes nothing of what is known away.
    there.fails("GET", "/issues/1", Fault::Answer(502, json!({"message": "x"}), Vec::new()));
    assert_eq!(client.get(issue).await.status.as_u16(), 502);
    let (asked, before) = (there.asked().len(), since(&there, (0, 0), 0).await);
    assert_eq!(client.get(issue).await.json(), first.0);
    assert_eq!(since(&there, before, asked).await.0, 0);
}
