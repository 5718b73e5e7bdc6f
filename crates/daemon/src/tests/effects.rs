//! What is to be done elsewhere is done exactly once, in order, over lost answers and kills.

use super::bench::{Bench, soon};
use crate::effects::{Courier, Delivered, DeliveryError, Effect, Looked, Sent, Standing, key_of};
use crate::limits::Limits;
use crate::store::effects::EffectRow;
use headsup_core::work::effect::{EffectKind, WAITS_FOR_KEY, WAITS_FOR_SETTINGS};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(30);

/// Another system, which does what a test has it do.
#[derive(Debug, Default)]
struct Elsewhere {
    name: &'static str,
    done: Mutex<Vec<Effect>>,
    asked: Mutex<Vec<String>>,
    faults: Mutex<VecDeque<Fault>>,
    closed: AtomicBool,
}

#[derive(Debug)]
enum Fault {
    /// It is done, and nobody hears of it.
    Cut,
    /// It is done, and no answer comes.
    Hang,
    Refused,
    Later(Duration),
    Panic,
}

fn not_now(why: &str, permanent: bool, retry_after: Option<Duration>) -> DeliveryError {
    DeliveryError { why: why.to_owned(), retry_after, permanent }
}

impl Elsewhere {
    fn new(name: &'static str, faults: impl IntoIterator<Item = Fault>) -> Arc<Self> {
        let faults = Mutex::new(faults.into_iter().collect());
        Arc::new(Self { name, faults, ..Self::default() })
    }

    fn done(&self) -> Vec<String> {
        self.done.lock().unwrap().iter().map(|effect| effect.body.clone()).collect()
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    fn of(effect: &Effect) -> Delivered {
        Delivered { id: format!("id of {}", effect.body), url: None }
    }
}

impl Courier for Elsewhere {
    fn provider(&self) -> &'static str {
        self.name
    }

    fn closed(&self) -> Option<&'static str> {
        self.closed.load(Ordering::Relaxed).then_some("no_key")
    }

    fn deliver<'a>(&'a self, effect: &'a Effect) -> Sent<'a> {
        Box::pin(async move {
            self.asked.lock().unwrap().push(effect.body.clone());
            let fault = self.faults.lock().unwrap().pop_front();
            match fault {
                Some(Fault::Refused) => return Err(not_now("no such issue", true, None)),
                Some(Fault::Later(after)) => return Err(not_now("slow down", false, Some(after))),
                Some(Fault::Panic) => panic!("a courier's defect, wanted by a test"),
                Some(Fault::Cut | Fault::Hang) | None => {}
            }
            self.done.lock().unwrap().push(effect.clone());
            match fault {
                Some(Fault::Cut) => Err(not_now("the connection broke", false, None)),
                Some(Fault::Hang) => std::future::pending().await,
                _ => Ok(Self::of(effect)),
            }
        })
    }

    fn find<'a>(&'a self, effect: &'a Effect) -> Looked<'a> {
        let done = self.done.lock().unwrap();
        let found = done.iter().find(|done| done.key == effect.key).map(Self::of);
        Box::pin(async move { Ok(found) })
    }
}

fn effect(provider: &str, target: &str, body: &str) -> Effect {
    Effect {
        provider: provider.to_owned(),
        target: target.to_owned(),
        kind: EffectKind::Comment,
        body: body.to_owned(),
        key: key_of(None, ""),
    }
}

async fn with(couriers: &[&Arc<Elsewhere>], tries: u32) -> Bench {
    let mut limits = Limits::default();
    limits.effects.first = Duration::from_millis(2);
    limits.effects.tries = tries;
    let mut bench = Bench::with(limits).await;
    bench.couriers =
        couriers.iter().map(|courier| Arc::clone(courier) as Arc<dyn Courier>).collect();
    bench.restart().await;
    bench
}

async fn send(bench: &Bench, effect: &Effect) {
    bench.hub().effects().send(effect.clone(), None, Duration::ZERO).await.unwrap();
}

async fn ended(bench: &Bench, effect: &Effect) -> EffectRow {
    let row = bench.hub().effects().outcome(&effect.key, PATIENCE).await.unwrap().unwrap();
    assert!(!matches!(row.standing, Standing::Queued { .. }), "{row:?}");
    row
}

/// Waits until it was tried so often.
async fn tried(bench: &Bench, effect: &Effect, tries: u32) -> EffectRow {
    soon("the try", async {
        loop {
            let row = bench.hub().effects().outcome(&effect.key, Duration::ZERO).await;
            match row.unwrap().unwrap() {
                row if row.tries >= tries => return row,
                _ => tokio::task::yield_now().await,
            }
        }
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cut_behind_the_act_makes_no_second_one() {
    let there = Elsewhere::new("there", (0..20).map(|_| Fault::Cut));
    let bench = with(&[&there], 5).await;
    let effects: Vec<_> = (0..20).map(|n| effect("there", "t", &format!("{n}"))).collect();
    for effect in &effects {
        send(&bench, effect).await;
        // The same again is the same.
        send(&bench, effect).await;
    }
    for effect in &effects {
        let row = ended(&bench, effect).await;
        let id = format!("id of {}", effect.body);
        assert_eq!(row.standing, Standing::Done { id, url: None });
        assert_eq!(row.tries, 2);
    }
    let in_order: Vec<_> = effects.iter().map(|effect| effect.body.clone()).collect();
    assert_eq!(there.done(), in_order);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hub_that_died_behind_the_act_looks_before_it_sends_again() {
    let there = Elsewhere::new("there", [Fault::Hang]);
    let bench = with(&[&there], 5).await;
    let (first, second) = (effect("there", "t", "first"), effect("there", "t", "second"));
    send(&bench, &first).await;
    send(&bench, &second).await;
    soon("the act", async {
        while there.done().is_empty() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    let after = bench.killed_now().await;
    for effect in [&first, &second] {
        assert!(matches!(ended(&after, effect).await.standing, Standing::Done { .. }));
    }
    assert_eq!(there.done(), ["first", "second"]);
    assert_eq!(there.asked(), ["first", "second"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_waits_holds_up_its_own_target_alone() {
    let hour = Duration::from_secs(3_600);
    let (slow, other) = (Elsewhere::new("slow", [Fault::Later(hour)]), Elsewhere::new("other", []));
    let bench = with(&[&slow, &other], 5).await;
    let first = effect("slow", "a", "first");
    send(&bench, &first).await;
    let row = tried(&bench, &first, 1).await;
    assert_eq!(row.standing, Standing::Queued { why: Some("slow down".to_owned()) });
    let (behind, beside) = (effect("slow", "a", "behind"), effect("slow", "b", "beside"));
    let elsewhere = effect("other", "a", "elsewhere");
    for effect in [&behind, &beside, &elsewhere] {
        send(&bench, effect).await;
    }
    assert!(matches!(ended(&bench, &elsewhere).await.standing, Standing::Done { .. }));
    // A system that says to come back later is left alone, whatever for.
    assert_eq!(slow.asked(), ["first"]);
    let listed = bench.client().get("/api/v1/effects?state=queued").await.json();
    let reasons: Vec<_> =
        listed["effects"].as_array().unwrap().iter().map(|of| of["reason"].clone()).collect();
    assert_eq!(reasons, ["slow down".into(), serde_json::Value::Null, serde_json::Value::Null]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_fails_for_good_is_said_and_tried_again_when_a_person_wants_it() {
    let there = Elsewhere::new("there", [Fault::Refused]);
    let bench = with(&[&there], 5).await;
    let (bad, good) = (effect("there", "t", "bad"), effect("there", "t", "good"));
    send(&bench, &bad).await;
    send(&bench, &good).await;
    let failed = Standing::Failed { reason: "no such issue".to_owned(), retryable: false };
    assert_eq!(ended(&bench, &bad).await.standing, failed);
    assert!(matches!(ended(&bench, &good).await.standing, Standing::Done { .. }));
    let client = bench.client();
    let again = async |key: &str| {
        client.send("POST", &format!("/api/v1/effects/{key}/again"), &[], "{}").await
    };
    let reply = again(&bad.key).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert!(matches!(ended(&bench, &bad).await.standing, Standing::Done { .. }));
    assert_eq!(there.done(), ["good", "bad"]);
    assert_eq!(again(&bad.key).await.code(), "effect_not_over");
    assert_eq!(again("nothing").await.code(), "no_such_effect");
    assert_eq!(client.get("/api/v1/effects?state=over").await.status, 400);
}

#[tokio::test(flavor = "multi_thread")]
async fn tries_have_an_end() {
    let soon = Duration::from_millis(1);
    let there = Elsewhere::new("there", (0..3).map(|_| Fault::Later(soon)));
    let bench = with(&[&there], 3).await;
    let one = effect("there", "t", "one");
    send(&bench, &one).await;
    let row = ended(&bench, &one).await;
    let failed = Standing::Failed { reason: "slow down".to_owned(), retryable: true };
    assert_eq!((row.standing, row.tries), (failed, 3));
    assert_eq!(there.asked().len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_settings_do_not_allow_is_skipped_and_said() {
    let there = Elsewhere::new("there", []);
    there.closed.store(true, Ordering::Relaxed);
    let bench = with(&[&there], 5).await;
    for (provider, reason) in [("there", "no_key"), ("nowhere", "not_configured")] {
        let one = effect(provider, "t", "one");
        send(&bench, &one).await;
        let skipped = Standing::Skipped { reason: reason.to_owned() };
        assert_eq!(ended(&bench, &one).await.standing, skipped);
    }
    assert!(there.asked().is_empty());
    let listed = bench.client().get("/api/v1/effects?state=skipped").await.json();
    assert_eq!(listed["effects"].as_array().unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_couriers_defect_stops_no_other_target() {
    let (bad, good) = (Elsewhere::new("bad", [Fault::Panic]), Elsewhere::new("good", []));
    let bench = with(&[&bad, &good], 5).await;
    let (lost, done) = (effect("bad", "t", "lost"), effect("good", "t", "done"));
    send(&bench, &lost).await;
    send(&bench, &done).await;
    assert!(matches!(ended(&bench, &done).await.standing, Standing::Done { .. }));
    let row = bench.hub().effects().outcome(&lost.key, Duration::ZERO).await.unwrap().unwrap();
    assert_eq!(row.standing, Standing::Queued { why: None });
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_waits_for_what_is_not_tried_for_long_is_told_at_once() {
    let hour = Duration::from_secs(3_600);
    let there = Elsewhere::new("there", [Fault::Later(hour)]);
    let bench = with(&[&there], 5).await;
    // Longer than the test lasts.
    let patience = Duration::from_secs(1_800);
    for target in ["a", "a", "b"] {
        let effect = effect("there", target, target);
        let sent = bench.hub().effects();
        let sent = soon("the answer", sent.send(effect, None, patience)).await.unwrap();
        assert_eq!(sent.standing, Standing::Queued { why: Some("slow down".to_owned()) });
    }
    assert_eq!(there.asked(), ["a"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waited_when_its_key_was_taken_away_is_done_once_the_key_is_back() {
    let hour = Duration::from_secs(3_600);
    let there = Elsewhere::new("there", [Fault::Later(hour)]);
    let mut bench = with(&[&there], 5).await;
    let (one, new) = (effect("there", "t", "one"), effect("there", "other", "new"));
    send(&bench, &one).await;
    tried(&bench, &one, 1).await;
    there.closed.store(true, Ordering::Relaxed);
    bench.restart().await;
    let waits = async |bench: &Bench, why: &str| {
        let wanted = Standing::Queued { why: Some(why.to_owned()) };
        soon("the word on it", async {
            loop {
                let row = bench.hub().effects().outcome(&one.key, Duration::ZERO).await;
                if row.unwrap().unwrap().standing == wanted {
                    return;
                }
                tokio::task::yield_now().await;
            }
        })
        .await;
    };
    waits(&bench, WAITS_FOR_KEY).await;
    send(&bench, &new).await;
    let skipped = Standing::Skipped { reason: "no_key".to_owned() };
    assert_eq!(ended(&bench, &new).await.standing, skipped, "it is new");
    let couriers = std::mem::take(&mut bench.couriers);
    bench.restart().await;
    waits(&bench, WAITS_FOR_SETTINGS).await;
    there.closed.store(false, Ordering::Relaxed);
    bench.couriers = couriers;
    bench.restart().await;
    assert!(matches!(ended(&bench, &one).await.standing, Standing::Done { .. }));
    assert_eq!(there.done(), ["one"]);
}
