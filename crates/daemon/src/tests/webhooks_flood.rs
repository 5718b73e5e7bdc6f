//! Web hooks by the thousand: mutated, replayed, hostile, and one comment over and over.
//!
//! With `HEADSUP_WEBHOOKS=10000` as many as are promised; else as many as take a moment.

use super::bench::{Bench, Client, Headers};
use super::prompts::{asked, question};
use super::webhooks::{SECRET, comment, listening, settings, sign};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const AT_ONCE: usize = 8;

fn rounds(usual: usize, of_all: usize) -> usize {
    let all = std::env::var("HEADSUP_WEBHOOKS").ok().and_then(|n| n.parse::<usize>().ok());
    all.map_or(usual, |all| all / of_all)
}

/// The `number`th request that must have no effect: body and signature.
fn hostile(number: usize, answered: &Value) -> (Vec<u8>, Option<String>) {
    let good = |id: u32| comment(id, "/answer 1").to_string().into_bytes();
    let mut body = good(1_000_000 + u32::try_from(number).unwrap());
    let mut signature = sign(SECRET, &body);
    let spread = number.wrapping_mul(2_654_435_761);
    match number % 8 {
        // A byte of the body is another one.
        0 => {
            let at = spread % body.len();
            body[at] ^= u8::try_from(1 + spread % 254).unwrap();
        }
        // The body is cut, or longer.
        1 => body.truncate(spread % body.len()),
        2 => body.extend_from_slice(b" "),
        // A digit of the signature is another one, or it is that of another body.
        3 => {
            let at = spread % signature.len();
            let digit = signature.as_bytes()[at];
            let other = if digit == b'0' { "1" } else { "0" };
            signature.replace_range(at..=at, other);
        }
        4 => signature = sign(SECRET, &good(999)),
        5 => return (body, None),
        // What was answered before, as it was.
        6 => {
            body = answered.to_string().into_bytes();
            signature = sign(SECRET, &body);
        }
        // Signed, and by a stranger.
        _ => {
            let mut doc: Value = serde_json::from_slice(&body).unwrap();
            doc["comment"]["author"] = json!("mallory");
            body = doc.to_string().into_bytes();
            signature = sign(SECRET, &body);
        }
    }
    (body, Some(signature))
}

async fn send(client: &Client, body: Vec<u8>, signature: Option<&str>) -> Value {
    let event = ("x-kanbanger-event", "comment");
    let headers: Headers<'_> = match signature {
        Some(signature) => &[event, ("x-kanbanger-signature", signature)],
        None => &[event],
    };
    client.send("POST", "/api/webhooks/kanbanger", headers, body).await.json()
}

/// Each number once, several at a time. Returns the answers.
async fn all<F, T>(count: usize, one: F) -> Vec<T>
where
    F: AsyncFn(usize) -> T,
{
    let next = AtomicUsize::new(0);
    let worker = async || {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return done;
            }
            done.push(one(number).await);
        }
    };
    let workers = (0..AT_ONCE).map(|_| worker());
    futures_util::future::join_all(workers).await.into_iter().flatten().collect()
}

fn counted(docs: &[Value], member: &str) -> BTreeMap<String, usize> {
    let mut counted = BTreeMap::new();
    for doc in docs {
        let word = doc[member].as_str().unwrap_or("none").to_owned();
        *counted.entry(word).or_default() += 1;
    }
    counted
}

async fn ready() -> (Bench, String) {
    let bench = listening(settings()).await;
    let id = asked(&bench.client(), question()).await;
    bench.pass(61_000).await;
    (bench, id)
}

#[tokio::test(flavor = "multi_thread")]
async fn no_mutated_or_replayed_delivery_has_an_effect_and_each_is_kept_with_its_reason() {
    let (bench, first) = ready().await;
    let client = bench.client();
    let answered = comment(7, &format!("/answer {first} 1"));
    let body = answered.to_string().into_bytes();
    let signature = sign(SECRET, &body);
    assert_eq!(send(&client, body, Some(&signature)).await["result"], "answered");
    let second = asked(&client, question()).await;
    bench.clock.advance(1);
    let head = client.head().await;
    let count = rounds(240, 1);
    let docs = all(count, async |number| {
        let (body, signature) = hostile(number, &answered);
        send(&client, body, signature.as_deref()).await
    })
    .await;
    let reasons = counted(&docs, "code");
    let refused: usize = count - docs.iter().filter(|doc| doc["code"].is_null()).count();
    // Six sorts of eight are not signed; of the others every one says why.
    assert_eq!(refused, (0..count).filter(|number| number % 8 < 6).count(), "{reasons:?}");
    assert!(docs.iter().all(|doc| doc["result"] != "answered" && doc["result"] != "refreshed"));
    assert_eq!(client.head().await, head, "nothing has happened");
    let state = client.get(&format!("/api/v1/prompts/{second}")).await.json()["state"].clone();
    assert_eq!(state, "open");
    let kept = client.get("/api/v1/webhooks?limit=20000").await.json();
    let kept = kept["deliveries"].as_array().unwrap();
    assert_eq!(kept.len(), count + 1);
    let without: Vec<_> = kept
        .iter()
        .filter(|kept| kept["reason"].is_null() && kept["result"] != "answered")
        .collect();
    assert!(without.is_empty(), "{without:?}");
    assert_eq!(counted(kept, "result")["answered"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_comment_that_is_delivered_over_and_over_answers_once() {
    let (bench, id) = ready().await;
    let client = bench.client();
    let body = comment(7, "/answer 2").to_string().into_bytes();
    let signature = Arc::new(sign(SECRET, &body));
    let count = rounds(100, 10);
    let docs =
        all(count, async |_| send(&client, body.clone(), Some(signature.as_str())).await).await;
    let results = counted(&docs, "result");
    assert_eq!(results["answered"], 1, "{results:?}");
    assert_eq!(results["replayed"], count - 1, "{results:?}");
    let log = client.log().await;
    let resolved: Vec<_> = log.iter().filter(|event| event["type"] == "prompt.resolved").collect();
    assert_eq!(resolved.len(), 1);
    assert_eq!(resolved[0]["prompt"]["id"], id.as_str());
    assert_eq!(resolved[0]["prompt"]["resolution"]["value"], "lite");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_flood_without_signatures_each_is_accounted_for_and_few_are_kept() {
    let limits = crate::limits::Limits { unsigned: 4, ..crate::limits::Limits::default() };
    let mut bench = Bench::with(limits).await;
    bench.webhooks = settings();
    bench.restart().await;
    let client = bench.client();
    let flood = async |count: usize| {
        let one = async |number: usize| {
            let wrong = sign("another", b"x");
            let signature = number.is_multiple_of(2).then_some(wrong.as_str());
            send(&client, b"x".to_vec(), signature).await
        };
        let docs = all(count, one).await;
        assert!(docs.iter().all(|doc| doc["status"] == 401), "each is refused in the same way");
    };
    flood(100).await;
    bench.pass(60_000).await;
    flood(20).await;
    let listed = async |client: &Client| {
        let doc = client.get("/api/v1/webhooks?signed=false").await.json();
        doc["deliveries"].as_array().unwrap().clone()
    };
    let kept = listed(&client).await;
    let times = |doc: &Value| doc["count"].as_u64().unwrap_or(1);
    assert_eq!(kept.iter().map(times).sum::<u64>(), 120, "{kept:#?}");
    // Four for themselves; of each minute one for each reason.
    assert_eq!(kept.iter().filter(|doc| doc["count"].is_null()).count(), 4, "{kept:#?}");
    assert_eq!(kept.len(), 8, "{kept:#?}");
    assert!(kept.iter().all(|doc| doc["reason"].is_string() && doc["detail"].is_string()));
    assert!(kept.is_sorted_by_key(|doc| std::cmp::Reverse(doc["at"].as_str().map(str::to_owned))));
    assert_eq!(client.get("/api/v1/webhooks?signed=true").await.json()["deliveries"], json!([]));
    bench.pass(3_600_000).await;
    flood(1).await;
    assert_eq!(listed(&client).await[0]["count"], Value::Null, "another hour");
    let mut bench = bench.killed_now().await;
    let after = listed(&bench.client()).await;
    assert_eq!(after.iter().map(times).sum::<u64>(), 121);
    bench.restart().await;
    assert_eq!(listed(&bench.client()).await, after);
}
