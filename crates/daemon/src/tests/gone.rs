//! Pull requests whose branches or repository are another thing by now: what is so is said, with what to do.

use super::bench::{Bench, Client};
use super::github::{ok, send};
use crate::forge::plain::Plain;
use serde_json::{Value, json};

async fn opened(bench: &Bench, plain: &Plain) -> (Client, String) {
    let client = bench.client();
    let new = json!({"title": "Work", "head_branch": "work", "folder": plain.path().display().to_string()});
    let pr = ok(&client, "POST", "/api/v1/prs", &new).await;
    let path = format!("/api/v1/prs/{}", pr["id"].as_str().unwrap());
    (client, path)
}

/// Code and hint of a merge that is refused, and what the record says from then on.
async fn refused(client: &Client, path: &str) -> (String, String, Value) {
    let reply = send(client, "POST", &format!("{path}/merge"), &json!({})).await;
    let hint = reply.json()["hint"].as_str().unwrap_or_default().to_owned();
    (reply.code(), hint, client.get(path).await.json())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conflict_at_the_merge_stands_in_the_record() {
    let (bench, plain) = (Bench::new().await, Plain::new());
    plain.branch("work", "readme", "theirs\n");
    let (client, path) = opened(&bench, &plain).await;
    plain.write("readme", "ours\n");
    plain.commit("ours");
    let (code, _, pr) = refused(&client, &path).await;
    assert_eq!((code.as_str(), &pr["mergeable"]), ("conflicts", &json!(false)));
    assert_eq!(pr["mergeable_reason"], "work conflicts with main in readme");
    // What has moved is not taken over by that: nobody has looked at it.
    let seen = pr["head_sha"].clone();
    plain.git(&["branch", "-f", "work", "main"]);
    let (code, _, pr) = refused(&client, &path).await;
    assert_eq!((code.as_str(), &pr["head_sha"]), ("head_moved", &seen));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_branch_that_is_gone_is_named_with_the_commit_that_it_had() {
    let (bench, plain) = (Bench::new().await, Plain::new());
    let head = plain.branch("work", "new", "a\n");
    let (client, path) = opened(&bench, &plain).await;
    plain.git(&["branch", "-m", "work", "better"]);
    let (code, hint, pr) = refused(&client, &path).await;
    assert_eq!(code, "head_not_found");
    assert!(hint.contains(&format!("git branch work {head}")), "{hint}");
    let why = pr["mergeable_reason"].as_str().unwrap();
    assert!(why.contains("no branch \"work\"") && why.contains("better"), "{why}");
    plain.git(&["branch", "work", &head]);
    let merged = ok(&client, "POST", &format!("{path}/merge"), &json!({})).await;
    assert_eq!(merged["state"], "merged");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repository_that_is_gone_is_said_and_its_pull_request_can_be_closed() {
    let (bench, plain) = (Bench::new().await, Plain::new());
    plain.branch("work", "new", "a\n");
    let (client, path) = opened(&bench, &plain).await;
    std::fs::rename(plain.path(), plain.beside("elsewhere")).unwrap();
    let (code, hint, pr) = refused(&client, &path).await;
    assert_eq!(code, "repository_gone");
    assert!(hint.contains("--state closed"), "{hint}");
    assert!(pr["mergeable_reason"].as_str().unwrap().contains("not there any more"), "{pr}");
    let looked = ok(&client, "POST", &format!("{path}/refresh"), &json!({})).await;
    assert_eq!((&looked["state"], &looked["mergeable"]), (&json!("open"), &json!(false)));
    let closed = ok(&client, "PATCH", &path, &json!({"state": "closed"})).await;
    assert_eq!(
        (&closed["state"], &closed["mergeable_reason"]),
        (&json!("closed"), &json!("it is closed"))
    );
    // It is back: so is the pull request.
    std::fs::rename(plain.beside("elsewhere"), plain.path()).unwrap();
    let (code, hint, pr) = refused(&client, &path).await;
    assert_eq!((code.as_str(), &pr["mergeable"]), ("pr_final", &json!(false)));
    assert!(hint.contains("--state open"), "{hint}");
    let open = ok(&client, "PATCH", &path, &json!({"state": "open"})).await;
    assert_eq!((&open["state"], &open["mergeable"]), (&json!("open"), &json!(true)));
}
