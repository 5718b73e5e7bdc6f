//! What somebody who sets the clock must not change. The hub's time never runs backwards: once the clock is set back it
//! goes on at half speed until the clock has caught up.

use super::bench::{Bench, START};
use super::spool::record;
use crate::clock::Clock as _;
use headsup_core::id::AgentId;
use serde_json::{Value, json};
use std::fs;

const HOUR: i64 = 3_600_000;

#[tokio::test(flavor = "multi_thread")]
async fn what_waited_for_a_hub_is_no_history_because_the_clock_was_set_back() {
    for is_up in [true, false] {
        let mut bench = Bench::new().await;
        if is_up {
            bench.clock.jump(-HOUR);
            bench.pass(0).await;
        }
        bench.client().hook("UserPromptSubmit", "s1", &[]).await;
        bench.stop().await;
        if !is_up {
            bench.clock.jump(-HOUR);
        }
        bench.clock.advance(1_000);
        let stop = record("Stop", "s1", "b", bench.clock.wall());
        fs::write(bench.home().join("spool/queue"), stop).unwrap();
        bench.start().await;
        assert_eq!(bench.client().headline("claude-code-s1").await, "done", "{is_up}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ages_and_histories_go_on_behind_a_clock_that_was_set_back() {
    let bench = Bench::new().await;
    let client = bench.client();
    client.report("api", "blocked").await;
    bench.pass(60_000).await;
    bench.clock.jump(-8 * HOUR);
    bench.pass(0).await;
    bench.pass(20_000).await;
    client.report("api", "working").await;
    bench.pass(20_000).await;
    let history = client.get("/api/v1/agents/api/history").await.json();
    let told = history["intervals"].as_array().unwrap().iter();
    let told = told.map(|one| [one["from"].clone(), one["to"].clone(), one["headline"].clone()]);
    let at = |ms| json!(START.plus(ms).to_string());
    let (blocked, working) = (json!("blocked"), json!("working"));
    let expected = [[at(0), at(70_000), blocked], [at(70_000), at(80_000), working]];
    assert_eq!(told.collect::<Vec<_>>(), expected, "{history}");
    let explained = client.get("/api/v1/agents/api/explain").await.json();
    assert_eq!(explained["dimensions"]["turn"]["winner"]["age_ms"], 10_000, "{explained}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_put_off_is_put_off_for_as_long_whoever_sets_the_clock() {
    for set in [-8 * HOUR, 2 * HOUR] {
        let bench = Bench::new().await;
        let client = bench.client();
        client.report("api", "blocked").await;
        let path = "/api/v1/agents/api/snooze";
        let put_off = client.send("POST", path, &[], r#"{"for_ms": 60000}"#).await;
        assert_eq!(put_off.status, 200, "{}", put_off.text());
        let until = async || client.get("/api/v1/agents/api").await.json()["snoozed_until"].clone();
        bench.clock.jump(set);
        bench.pass(0).await;
        bench.pass(59_999).await;
        assert_eq!(until().await, json!(START.plus(60_000 + set).to_string()));
        bench.pass(51).await;
        assert_eq!(until().await, Value::Null, "{set}: its time is over");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_has_ended_leaves_the_roster_behind_a_clock_that_was_set_back() {
    let bench = Bench::new().await;
    let client = bench.client();
    bench.clock.jump(-240 * HOUR);
    bench.pass(0).await;
    for event in ["SessionStart", "SessionEnd"] {
        client.hook(event, "s1", &[]).await;
    }
    assert_eq!(client.headline("claude-code-s1").await, "ended");
    let listed = async || {
        let roster = client.get("/api/v1/agents").await.json();
        roster["agents"].as_array().unwrap().len()
    };
    // An hour by the hub's time.
    bench.pass(2 * HOUR).await;
    assert_eq!(listed().await, 1);
    bench.pass(2_000).await;
    assert_eq!(listed().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_is_put_right_again_takes_the_hubs_time_no_further() {
    let bench = Bench::new().await;
    let client = bench.client();
    bench.clock.jump(-2 * HOUR);
    bench.pass(0).await;
    for event in ["SessionStart", "SessionEnd"] {
        client.hook(event, "s1", &[]).await;
    }
    bench.pass(60_000).await;
    // The writer has not looked since.
    bench.clock.jump(2 * HOUR);
    let roster = client.get("/api/v1/agents").await.json();
    assert_eq!(roster["agents"].as_array().unwrap().len(), 1, "it has ended a minute ago");
    let at = bench.hub().app().time();
    assert_eq!(at, bench.clock.wall());
    bench.pass(0).await;
    assert_eq!(bench.hub().app().time(), at);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_older_than_a_live_report_stays_so_behind_a_clock_that_was_set_back() {
    let mut bench = Bench::new().await;
    let client = bench.client();
    for event in ["SessionStart", "UserPromptSubmit"] {
        client.hook(event, "s1", &[]).await;
    }
    let late = record("UserPromptSubmit", "s1", "late", bench.clock.wall());
    bench.clock.advance(5_000);
    client.hook("Stop", "s1", &[]).await;
    bench.stop().await;
    bench.clock.jump(-HOUR);
    fs::write(bench.home().join("spool/queue"), late).unwrap();
    bench.start().await;
    assert_eq!(bench.client().headline("claude-code-s1").await, "done");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waited_before_the_clock_was_set_back_is_behind_whatever_is_heard_since() {
    let mut bench = Bench::new().await;
    let seat = |bench: &Bench| {
        let id = AgentId::new("claude-code-s1").unwrap();
        bench.hub().app().board.seat(&id).unwrap()
    };
    bench.stop().await;
    let queue = bench.home().join("spool/queue");
    fs::write(&queue, record("UserPromptSubmit", "s1", "a", bench.clock.wall())).unwrap();
    bench.start().await;
    assert_eq!(seat(&bench).spooled_until, START);
    bench.clock.jump(-HOUR);
    bench.pass(10).await;
    // It may be live, or have waited as well.
    bench.client().hook("Stop", "s1", &[]).await;
    let heard = bench.clock.wall();
    assert_eq!((seat(&bench).last_live_at, seat(&bench).spooled_until), (Some(heard), heard));
    bench.stop().await;
    bench.clock.jump(-HOUR);
    bench.clock.advance(10);
    let waited = bench.clock.wall();
    fs::write(&queue, record("UserPromptSubmit", "s1", "b", waited)).unwrap();
    bench.clock.advance(10);
    bench.start().await;
    assert_eq!((seat(&bench).last_live_at, seat(&bench).spooled_until), (None, waited));
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_reads_the_state_is_told_the_hubs_time() {
    let bench = Bench::new().await;
    let client = bench.client();
    client.report("api", "working").await;
    bench.clock.jump(-HOUR);
    bench.pass(2_000).await;
    client.report("api", "blocked").await;
    let mut stream = client.events("?view=state&since=0&follow=false").await;
    let told = stream.next().await.unwrap().data;
    let now = json!(START.plus(1_000).to_string());
    assert_eq!((&told["at"], &told["agent"]["since"]), (&now, &now), "{told}");
}
