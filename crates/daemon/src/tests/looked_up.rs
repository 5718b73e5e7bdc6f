//! Comments that a web hook tells, and that stand at the server otherwise: what stands there decides.

use super::bench::{Bench, Client, START};
use super::prompts::{asked, question};
use super::webhooks::{SECRET, comment, listening, settings, sign};
use crate::outgoing::Secret;
use crate::{KanbangerSettings, ProviderSettings, WrittenKanbanger};
use headsup_testkit::kanbanger::Kanbanger;
use serde_json::{Value, json};

const KEY: &str = "k-1";

/// A hub that listens, with an agent at work on `APP-1`, and the server that it looks at.
async fn looking() -> (Bench, Kanbanger) {
    let there = Kanbanger::start(KEY).await.unwrap();
    let mut bench = listening(settings()).await;
    let written = WrittenKanbanger { url: Some(there.url()), ..WrittenKanbanger::default() };
    let kanbanger = Some(KanbangerSettings::new(written, Secret::new(KEY)).unwrap());
    bench.providers = ProviderSettings { kanbanger, ..ProviderSettings::default() };
    bench.restart().await;
    (bench, there)
}

/// Status, and result with reason or the code of the refusal.
async fn tell(client: &Client, body: &Value) -> (u16, String) {
    let body = body.to_string();
    let signature = sign(SECRET, body.as_bytes());
    let headers = [("x-kanbanger-event", "comment"), ("x-kanbanger-signature", signature.as_str())];
    let reply = client.send("POST", "/api/webhooks/kanbanger", &headers, body).await;
    let doc = reply.json();
    let word = ["reason", "result", "code"].iter().find_map(|name| doc[*name].as_str());
    (reply.status.as_u16(), word.unwrap_or_default().to_owned())
}

fn at(ms: i64) -> String {
    START.plus(ms).to_string()
}

fn looks(there: &Kanbanger) -> usize {
    there.requests().iter().filter(|request| request.ends_with("/comments")).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn only_what_stands_there_answers() {
    let (bench, there) = looking().await;
    let client = bench.client();
    let id = asked(&client, question()).await;
    bench.pass(61_000).await;
    let stands = |id: u32, more: Value| {
        let mut said =
            json!({"id": id, "body": "/answer 2", "author": "ada", "created_at": at(60_000)});
        said.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        there.says("APP-1", said);
    };
    stands(1, json!({"body": "/answer 1"}));
    stands(2, json!({"body": "never mind"}));
    stands(3, json!({"author": "mallory"}));
    stands(4, json!({"author": {"id": 18, "name": "mallory"}}));
    stands(5, json!({"author": {"id": 5, "name": "ada", "type": "Bot"}}));
    stands(6, json!({"created_at": at(-1)}));
    stands(7, json!({"body": "/answer 2\n\n<!-- headsup:x -->"}));
    stands(8, json!({"body": "/answer 2\n", "author": {"id": 5, "login": "ada"}}));
    let head = client.head().await;
    for (number, status, why) in [
        (1, 200, "not_new"),
        (2, 200, "not_new"),
        (3, 200, "not_listed"),
        (4, 200, "not_listed"),
        (5, 200, "bot"),
        (6, 200, "too_old"),
        (7, 200, "ours"),
        (9, 503, "unverified"),
    ] {
        let told = tell(&client, &comment(number, "/answer 2")).await;
        assert_eq!(told, (status, why.to_owned()), "{number}");
    }
    assert_eq!(client.head().await, head, "nothing has happened");
    let kept = client.get("/api/v1/webhooks?limit=1").await.json();
    assert_eq!(kept["deliveries"][0]["reason"], "unverified");
    assert_eq!(tell(&client, &comment(8, "/answer 2")).await.1, "answered");
    let prompt = client.get(&format!("/api/v1/prompts/{id}")).await.json();
    let resolution = &prompt["resolution"];
    assert_eq!((&resolution["value"], &resolution["actor"]), (&json!("lite"), &json!("ada")));
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_looked_up_once_and_only_where_it_would_answer() {
    let (bench, there) = looking().await;
    let client = bench.client();
    asked(&client, question()).await;
    bench.pass(61_000).await;
    let mut stranger = comment(1, "/answer 2");
    stranger["comment"]["author"] = json!("mallory");
    for body in [stranger, comment(2, "nice"), comment(3, "/answer 2\n<!-- headsup:x -->")] {
        tell(&client, &body).await;
    }
    assert_eq!(looks(&there), 0);
    there.says("APP-1", json!({"id": 4, "body": "/answer 2", "author": "ada"}));
    assert_eq!(tell(&client, &comment(4, "/answer 2")).await.1, "answered");
    for _ in 0..3 {
        assert_eq!(tell(&client, &comment(4, "/answer 2")).await.1, "replayed");
    }
    assert_eq!(looks(&there), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn while_the_server_is_away_nothing_answers_and_the_same_comment_does_later() {
    let (mut bench, there) = looking().await;
    let client = bench.client();
    asked(&client, question()).await;
    bench.pass(61_000).await;
    drop(there);
    for _ in 0..2 {
        let told = tell(&client, &comment(4, "/answer 2")).await;
        assert_eq!(told, (503, "unverified".to_owned()));
    }
    // It is back.
    let there = Kanbanger::start(KEY).await.unwrap();
    let written = WrittenKanbanger { url: Some(there.url()), ..WrittenKanbanger::default() };
    bench.providers.kanbanger = Some(KanbangerSettings::new(written, Secret::new(KEY)).unwrap());
    bench.restart().await;
    there.says("APP-1", json!({"id": 4, "body": "/answer 2", "author": "ada"}));
    assert_eq!(tell(&bench.client(), &comment(4, "/answer 2")).await.1, "answered");
}
