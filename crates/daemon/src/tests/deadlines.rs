//! Deadlines of questions: never early, at most a second late, once.

use super::bench::Bench;
use super::prompts::{answer, ask, asked, question};
use crate::limits::Limits;
use serde_json::{Value, json};
use std::time::Duration;

/// A question that stands for one minute.
fn brief(on_timeout: &str) -> Value {
    let mut body = question();
    body["timeout_minutes"] = json!(1);
    body["on_timeout"] = json!(on_timeout);
    body
}

const MINUTE: i64 = 60_000;
/// What an answer that was in time may take on its way.
const GRACE: i64 = 50;

async fn state(bench: &Bench, id: &str) -> Value {
    bench.client().get(&format!("/api/v1/prompts/{id}")).await.json()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_time_out_takes_the_default_once_and_refuses_nothing() {
    let bench = Bench::new().await;
    let client = bench.client();
    let id = asked(&client, brief("default")).await;
    bench.pass(MINUTE - 1).await;
    assert_eq!(state(&bench, &id).await["state"], "open");
    bench.pass(1 + GRACE).await;
    let over = state(&bench, &id).await;
    let resolution = &over["resolution"];
    assert_eq!(
        (&resolution["by"], &resolution["value"]),
        (&json!("timeout"), &json!("use SQLite"))
    );
    assert_eq!(resolution["default_used"], true);
    assert_eq!(resolution["nobody_saw_it"], true);
    bench.pass(MINUTE).await;
    let log = client.log().await;
    assert_eq!(log.iter().filter(|event| event["type"] == "prompt.resolved").count(), 1);
    let late = answer(&client, &id, json!({"option": 1})).await;
    assert_eq!(late.code(), "already_resolved");
    let detail = late.json()["detail"].as_str().unwrap().to_owned();
    assert!(detail.contains("nobody saw it in time") && !detail.contains("denied"), "{detail}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deadline_may_block_or_fail_instead() {
    for (on_timeout, stage) in [("block", "blocked"), ("fail", "working"), ("default", "working")] {
        let bench = Bench::new().await;
        let client = bench.client();
        let id = asked(&client, brief(on_timeout)).await;
        bench.pass(MINUTE + GRACE).await;
        let resolution = state(&bench, &id).await["resolution"].clone();
        assert_eq!(resolution["value"].is_null(), on_timeout != "default", "{resolution}");
        let agent = client.get("/api/v1/agents/api").await.json();
        assert_eq!(agent["stage"]["state"], stage, "{on_timeout}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_high_risk_nothing_goes_on_by_itself() {
    let bench = Bench::new().await;
    let mut body = question();
    body["risk"] = json!("high");
    let opened = ask(&bench.client(), body).await.json();
    assert_eq!(opened["on_timeout"], "block", "{opened}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_within_the_time_wins_and_one_behind_it_does_not() {
    for (after, status) in [(MINUTE - 10, 200), (MINUTE, 200), (MINUTE + 10, 409)] {
        let bench = Bench::new().await;
        let client = bench.client();
        let id = asked(&client, brief("default")).await;
        // Nothing tells the writer that time has passed.
        bench.clock.advance(after);
        let reply = answer(&client, &id, json!({"option": 1})).await;
        assert_eq!(reply.status, status, "{after}: {}", reply.text());
        bench.pass(MINUTE).await;
        let by = state(&bench, &id).await["resolution"]["by"].clone();
        assert_eq!(by, if status == 200 { "human" } else { "timeout" }, "{after}");
        let log = client.log().await;
        assert_eq!(log.iter().filter(|event| event["type"] == "prompt.resolved").count(), 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn around_a_restart_a_deadline_is_kept_once() {
    for after in [MINUTE - 10, MINUTE + 10, MINUTE + GRACE + 10] {
        let mut bench = Bench::new().await;
        let id = asked(&bench.client(), brief("default")).await;
        bench.clock.advance(after);
        bench.restart().await;
        bench.pass(0).await;
        let is_over = state(&bench, &id).await["state"] == "resolved";
        assert_eq!(is_over, after >= MINUTE + GRACE, "{after}");
        bench.pass(20 + GRACE).await;
        bench.restart().await;
        bench.pass(MINUTE).await;
        assert_eq!(state(&bench, &id).await["resolution"]["by"], "timeout");
        let log = bench.client().log().await;
        let times = log.iter().filter(|event| event["type"] == "prompt.resolved").count();
        assert_eq!(times, 1, "{after}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_overdue_at_a_start_is_over_with_it() {
    // By itself this hub looks at nothing for an hour.
    let limits = Limits { idle_look: Duration::from_secs(3_600), ..Limits::default() };
    let mut bench = Bench::with(limits).await;
    let id = asked(&bench.client(), brief("default")).await;
    bench.stop().await;
    bench.clock.advance(2 * MINUTE);
    bench.start().await;
    let over = bench.client().get(&format!("/api/v1/prompts/{id}?wait_seconds=300")).await.json();
    assert_eq!(over["resolution"]["by"], "timeout", "{over}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hub_that_was_killed_behind_the_deadline_times_it_out_once() {
    let bench = Bench::new().await;
    let id = asked(&bench.client(), brief("default")).await;
    let after = bench.killed_now().await;
    bench.clock.advance(2 * MINUTE);
    let reply = answer(&after.client(), &id, json!({"option": 1})).await;
    assert_eq!(reply.code(), "already_resolved", "{}", reply.text());
    assert_eq!(state(&after, &id).await["resolution"]["by"], "timeout");
}

#[tokio::test(flavor = "multi_thread")]
async fn around_a_kill_a_deadline_ends_once_and_an_answer_that_was_acknowledged_stays() {
    for (after, answers) in [-10, -1, 0, 1, 10].into_iter().flat_map(|ms| [(ms, false), (ms, true)])
    {
        let bench = Bench::new().await;
        let id = asked(&bench.client(), brief("default")).await;
        bench.clock.advance(MINUTE + after);
        let said = match answers {
            true => answer(&bench.client(), &id, json!({"option": 1})).await.status.as_u16(),
            false => 0,
        };
        let next = bench.killed_now().await;
        next.pass(GRACE + 20).await;
        let by = state(&next, &id).await["resolution"]["by"].clone();
        assert_eq!(by, if said == 200 { "human" } else { "timeout" }, "{after} ms, {said}");
        // In time is until the moment itself.
        assert_eq!(said == 200, answers && after <= 0, "{after} ms");
        let again = next.killed_now().await;
        again.pass(MINUTE).await;
        let log = again.client().log().await;
        let times = log.iter().filter(|event| event["type"] == "prompt.resolved").count();
        assert_eq!(times, 1, "{after} ms, {said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_sleep_it_is_over_and_a_clock_that_is_set_takes_no_time() {
    let bench = Bench::new().await;
    let client = bench.client();
    let id = asked(&client, brief("default")).await;
    bench.clock.sleep(8 * 3_600_000);
    bench.pass(0).await;
    assert_eq!(state(&bench, &id).await["resolution"]["by"], "timeout");
    for set in [-8 * 3_600_000, 2 * 3_600_000] {
        let id = asked(&client, brief("default")).await;
        bench.clock.jump(set);
        bench.pass(0).await;
        bench.pass(MINUTE - 1).await;
        let open = state(&bench, &id).await;
        assert_eq!((&open["state"], &open["remaining_seconds"]), (&json!("open"), &json!(1)));
        bench.pass(1 + GRACE).await;
        assert_eq!(state(&bench, &id).await["resolution"]["by"], "timeout", "{set}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_is_set_while_the_machine_sleeps_takes_as_long_as_the_sleep() {
    for (slept, state_after) in [(MINUTE / 2, "open"), (MINUTE + GRACE, "resolved")] {
        let bench = Bench::new().await;
        let id = asked(&bench.client(), brief("default")).await;
        bench.clock.sleep(slept);
        bench.clock.jump(3_600_000);
        bench.pass(0).await;
        assert_eq!(state(&bench, &id).await["state"], state_after, "{slept}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_right_after_the_clock_was_set_forward_is_in_time() {
    let bench = Bench::new().await;
    let client = bench.client();
    let id = asked(&client, brief("default")).await;
    bench.clock.jump(2 * 3_600_000);
    let reply = answer(&client, &id, json!({"option": 1})).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_person_has_had_before_their_eyes_was_seen() {
    let bench = Bench::new().await;
    let client = bench.client();
    let id = asked(&client, brief("default")).await;
    let path = format!("/api/v1/prompts/{id}/seen");
    let by_itself = client.send("POST", &path, super::prompts::AS_API, "").await;
    assert_eq!(by_itself.code(), "self_answer");
    for _ in 0..2 {
        let body = json!({"via": "web"}).to_string();
        assert_eq!(client.send("POST", &path, &[], body).await.status, 200);
    }
    let body = json!({"via": "notification", "only_delivered": true}).to_string();
    client.send("POST", &path, &[], body).await;
    let open = state(&bench, &id).await;
    assert_eq!(
        (&open["seen"][0]["via"], open["seen"].as_array().unwrap().len()),
        (&json!("web"), 1)
    );
    assert_eq!(open["delivered"][0]["via"], "notification");
    bench.pass(MINUTE + GRACE).await;
    let over = state(&bench, &id).await;
    assert!(over["resolution"].get("nobody_saw_it").is_none(), "{over}");
    // Who looks at it afterwards changes nothing, and is not told of a mistake.
    let head = client.head().await;
    assert_eq!(client.send("POST", &path, &[], "").await.status, 200);
    assert_eq!(client.head().await, head);
    let nowhere = client.send("POST", "/api/v1/prompts/api-p9/seen", &[], "").await;
    assert_eq!(nowhere.code(), "no_such_prompt");
}
