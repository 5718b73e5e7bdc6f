//! GitHub as somebody else understands it: the same client against npm `emulate`.

use super::bench::Bench;
use super::github::{FOLDER, new_pull, ok, opened, send, settings_at, with};
use crate::tracker::contract;
use headsup_testkit::emulator::Emulator;
use serde_json::{Value, json};
use std::path::Path;

/// `None` where it cannot be had, which is said, and on CI is a failure.
pub(super) async fn started() -> Option<(Emulator, Bench)> {
    let emulator = match tokio::task::spawn_blocking(Emulator::start).await.unwrap() {
        Ok(emulator) => emulator,
        Err(why) => {
            assert!(std::env::var_os("CI").is_none(), "emulate cannot be had: {why}");
            eprintln!("SKIPPED: no emulate from npm: {why}");
            return None;
        }
    };
    let bench = with(settings_at(&emulator.api())).await;
    Some((emulator, bench))
}

#[tokio::test(flavor = "multi_thread")]
async fn its_issues_keep_what_every_tracker_keeps() {
    let Some((_emulator, bench)) = started().await else { return };
    let app = bench.hub().app();
    contract::keeps(&*app.tracker.at(Some(Path::new(FOLDER))).unwrap()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn its_pull_requests_are_opened_once_and_merged_once() {
    let Some((emulator, bench)) = started().await else { return };
    let client = bench.client();
    assert_eq!(send(&client, "POST", "/api/v1/prs", &new_pull()).await.code(), "head_not_found");
    let head = emulator.push("work", "one");
    let (pr, path) = opened(&client).await;
    assert_eq!((&pr["state"], &pr["base_branch"]), (&json!("open"), &json!("main")), "{pr}");
    let again = send(&client, "POST", "/api/v1/prs", &new_pull()).await;
    assert_eq!((again.status.as_u16(), &again.json()["id"]), (200, &pr["id"]));
    // Its pull requests do not follow their branches: what has moved is tried out with the other host.
    let merge = format!("{path}/merge");
    let seen = ok(&client, "POST", &format!("{path}/refresh"), &json!({})).await;
    assert_eq!(seen["head_sha"], head);
    let said = json!({"title": "Better", "body": "why"});
    assert_eq!(ok(&client, "PATCH", &path, &said).await["title"], "Better");
    let merged = ok(&client, "POST", &merge, &json!({"merge_method": "squash"})).await;
    assert_eq!((&merged["already_merged"], &merged["state"]), (&json!(false), &json!("merged")));
    let again = ok(&client, "POST", &merge, &json!({})).await;
    assert_eq!(again["already_merged"], true);
    let pulls = emulator.ask("GET", "/repos/ada/app/pulls?state=all", None);
    assert_eq!(pulls.as_array().map(Vec::len), Some(1));
    assert_ne!(pulls[0]["merged_at"], Value::Null);
}
