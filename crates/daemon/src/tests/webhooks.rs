//! Web hooks: who is listened to, what answers, and that each has its effect once.

use super::bench::{Bench, Client, Headers, Reply, START};
use super::prompts::{asked, question};
use crate::{SharedSecret, WebhookSettings};
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;
use std::fmt::Write as _;

const HOOK: &str = "/api/webhooks/kanbanger";
pub(super) const SECRET: &str = "a secret of both sides";

pub(super) fn sign(secret: &str, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(body);
    mac.finalize().into_bytes().iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}

/// A hub that listens, with one agent at work on `APP-1`.
pub(super) async fn listening(settings: WebhookSettings) -> Bench {
    let mut bench = Bench::new().await;
    bench.webhooks = settings;
    bench.restart().await;
    let client = bench.client();
    client.report("api", "working").await;
    let task = json!({"title": "Log in", "prefix": "APP"}).to_string();
    assert_eq!(client.send("POST", "/api/v1/tasks", &[], task).await.status, 201);
    let link = json!({"task_identifier": "APP-1"}).to_string();
    assert_eq!(client.send("PUT", "/api/v1/agents/api/task", &[], link).await.status, 200);
    bench
}

pub(super) fn settings() -> WebhookSettings {
    let secret = |text: &str| SharedSecret::new(text.to_owned());
    let authors = ["ada".to_owned(), "17".to_owned()].as_slice().into();
    WebhookSettings { secret: secret(SECRET), authors, replies: false, cron_secret: secret("tick") }
}

pub(super) fn comment(id: u32, body: &str) -> Value {
    let at = START.plus(60_000).to_string();
    json!({
        "action": "created",
        "issue": {"id": "i-1", "identifier": "APP-1", "title": "Log in", "status": "todo"},
        "comment": {"id": id, "body": body, "author": "ada", "created_at": at},
    })
}

fn moved(status: &str, title: &str, updated_at: Option<i64>) -> Value {
    let mut issue = json!({"id": "i-1", "identifier": "APP-1", "title": title, "status": status});
    if let Some(ms) = updated_at {
        issue["updated_at"] = json!(START.plus(ms).to_string());
    }
    json!({"action": "updated", "issue": issue})
}

async fn post(client: &Client, event: &str, body: &str) -> Reply {
    let signature = sign(SECRET, body.as_bytes());
    let headers: Headers<'_> =
        &[("x-kanbanger-event", event), ("x-kanbanger-signature", &signature)];
    client.send("POST", HOOK, headers, body.to_owned()).await
}

/// What came of it: result and reason.
async fn tell(client: &Client, event: &str, body: &Value) -> (String, Option<String>) {
    let reply = post(client, event, &body.to_string()).await;
    assert!(reply.status.is_success(), "{}", reply.text());
    let doc = reply.json();
    let reason = doc["reason"].as_str().map(str::to_owned);
    (doc["result"].as_str().unwrap().to_owned(), reason)
}

async fn deliveries(client: &Client, query: &str) -> Vec<Value> {
    let doc = client.get(&format!("/api/v1/webhooks{query}")).await.json();
    doc["deliveries"].as_array().unwrap().clone()
}

async fn resolution(client: &Client, id: &str) -> Value {
    client.get(&format!("/api/v1/prompts/{id}")).await.json()["resolution"].clone()
}

/// Reason and result of the last delivery that was kept.
async fn last(client: &Client) -> (Value, Value) {
    let last = deliveries(client, "?limit=1").await.remove(0);
    (last["result"].clone(), last["reason"].clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_listed_comment_answers_once_over_replays_and_restarts() {
    let mut bench = listening(settings()).await;
    let client = bench.client();
    let first = asked(&client, question()).await;
    bench.pass(61_000).await;
    let body = comment(7, "Let me see.\n\n/answer 2\n").to_string();
    let won = post(&client, "comment", &body).await;
    assert_eq!(won.status, 200, "{}", won.text());
    let doc = won.json();
    assert_eq!((&doc["result"], &doc["prompt_id"]), (&json!("answered"), &json!(first)));
    let answered = resolution(&client, &first).await;
    assert_eq!((&answered["value"], &answered["via"]), (&json!("lite"), &json!("comment")));
    assert_eq!((&answered["actor"], &answered["by"]), (&json!("ada"), &json!("human")));
    // Another question is open now, which the same words would answer.
    let second = asked(&client, question()).await;
    let head = client.head().await;
    for round in 0..3 {
        let replayed = (String::from("replayed"), Some("replayed".to_owned()));
        let told = tell(&bench.client(), "comment", &comment(7, "/answer 2")).await;
        assert_eq!(told, replayed, "{round}");
        bench.restart().await;
    }
    let bench = bench.killed_now().await;
    let client = bench.client();
    let told = tell(&client, "comment", &serde_json::from_str(&body).unwrap()).await;
    assert_eq!(told.0, "replayed");
    assert_eq!(client.head().await, head, "what is told again is no event");
    assert_eq!(resolution(&client, &second).await, Value::Null);
    assert_eq!(deliveries(&client, "").await.len(), 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_comments_answer_nothing_and_each_is_kept_with_its_reason() {
    let bench = listening(settings()).await;
    let client = bench.client();
    let id = asked(&client, question()).await;
    let other = asked(&client, question()).await;
    bench.pass(61_000).await;
    let named = format!("/answer {id} 1");
    let with = |pointer: &str, value: Value| {
        let mut body = comment(0, &named);
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        body.pointer_mut(parent).unwrap()[name] = value;
        body
    };
    let said = |words: &str| comment(0, words);
    let cases = [
        (with("/comment/author", json!("mallory")), "not_listed"),
        (with("/comment/author", json!("Ada")), "not_listed"),
        (with("/comment/author", json!({"id": 18, "name": "ada"})), "not_listed"),
        (with("/comment/author", json!({"id": 17, "type": "bot"})), "bot"),
        (with("/comment/is_bot", json!(true)), "bot"),
        (with("/action", json!("edited")), "not_new"),
        (with("/action", json!("deleted")), "not_new"),
        (with("/comment/created_at", json!(START.plus(-1).to_string())), "too_old"),
        (with("/comment/created_at", json!(START.plus(3_600_000).to_string())), "from_future"),
        (with("/comment/body", json!(format!("{named}\n<!-- headsup:x -->"))), "ours"),
        (with("/issue/identifier", json!("APP-2")), "no_agent"),
        (said("yes"), "not_addressed"),
        (said(&format!("> {named}")), "not_addressed"),
        (said(&format!("```\n{named}\n```")), "not_addressed"),
        (said(&format!("    {named}")), "not_addressed"),
        (said(&format!("{named}\n{named}")), "twice"),
        (said("/answer 1"), "which_prompt"),
        (said("/answer api-p9 1"), "unknown_prompt"),
        (said(&format!("/answer {id} purple")), "no_such_option"),
        (said(&format!("/answer {id} 3")), "no_such_option"),
        (said(&format!("/answer {id}")), "bad_value"),
        (said("/answer \u{202e}1"), "bad_value"),
    ];
    let head = client.head().await;
    let count = cases.len();
    for (number, (mut body, why)) in (100_u32..).zip(cases) {
        body["comment"]["id"] = json!(number);
        // An agent that works on another task may be the one that is meant: it is said that there is none.
        let body = if why == "no_agent" { at_another_task(body) } else { body };
        let (result, reason) = tell(&client, "comment", &body).await;
        assert_eq!(reason.as_deref(), Some(why), "{body}: {result}");
        assert_ne!(result, "answered", "{body}");
        let kept = deliveries(&client, "?limit=1").await.remove(0);
        assert_eq!((&kept["reason"], &kept["comment"]), (&json!(why), &json!(number.to_string())));
        assert!(kept["detail"].as_str().is_some_and(|detail| !detail.is_empty()), "{kept}");
    }
    assert_eq!(client.head().await, head, "nothing has happened");
    for id in [&id, &other] {
        assert_eq!(resolution(&client, id).await, Value::Null);
    }
    assert_eq!(deliveries(&client, "?signed=true").await.len(), count);
    // Nobody has said a word about it on the task, where only the questions stand.
    let task = client.get("/api/v1/tasks/APP-1").await.json();
    assert_eq!(task["comments"].as_array().unwrap().len(), 2);
    let honest = tell(&client, "comment", &comment(1, &named)).await;
    assert_eq!(honest.0, "answered");
    let late = tell(&client, "comment", &comment(2, &named)).await;
    assert_eq!(late.1.as_deref(), Some("already_resolved"));
}

fn at_another_task(mut body: Value) -> Value {
    body["issue"]["id"] = json!("i-2");
    body
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_signed_is_refused_and_kept() {
    let bench = listening(settings()).await;
    let (client, tcp) = (bench.client(), bench.on_tcp().await);
    let id = asked(&client, question()).await;
    bench.pass(61_000).await;
    let body = comment(7, "/answer 1").to_string();
    let right = sign(SECRET, body.as_bytes());
    let (upper, wrong) = (right.to_uppercase(), sign("another", body.as_bytes()));
    let sha1 = format!("sha1={}", &right[..40]);
    let spaced = serde_json::to_string_pretty(&comment(7, "/answer 1")).unwrap();
    let name = "x-kanbanger-signature";
    let event = ("x-kanbanger-event", "comment");
    let cases: [(Headers<'_>, &str, &str); 8] = [
        (&[event], &body, "signature_missing"),
        (&[event, (name, "")], &body, "signature_missing"),
        (&[event, (name, &wrong)], &body, "signature_wrong"),
        (&[event, (name, &upper)], &body, "signature_wrong"),
        (&[event, (name, &sha1)], &body, "signature_wrong"),
        (&[event, (name, &right), (name, &right)], &body, "signature_wrong"),
        (&[event, (name, &right)], &spaced, "signature_wrong"),
        (&[event, (name, &right)], "{}", "signature_wrong"),
    ];
    let head = client.head().await;
    for client in [&client, &tcp] {
        for (headers, body, code) in cases {
            let reply = client.send("POST", HOOK, headers, body.to_owned()).await;
            assert_eq!((reply.status.as_u16(), reply.code().as_str()), (401, code), "{headers:?}");
            assert_eq!(last(&bench.client()).await, (json!("refused"), json!(code)));
        }
    }
    let kept = deliveries(&client, "?signed=false").await;
    assert_eq!(kept.len(), 16);
    // Nothing is believed of what it says, not even what it is about.
    assert!(kept.iter().all(|kept| kept["event"].is_null() && kept["task"].is_null()));
    assert_eq!(client.head().await, head);
    assert_eq!(resolution(&client, &id).await, Value::Null);
    // A token is no signature; a signature needs no token.
    let bearer = bench.bearer();
    let with_token: Headers<'_> = &[event, ("authorization", &bearer)];
    assert_eq!(tcp.send("POST", HOOK, with_token, body.clone()).await.status, 401);
    let prefixed = format!("sha256={right}");
    let signed: Headers<'_> = &[event, (name, &prefixed)];
    let reply = tcp.send("POST", HOOK, signed, body).await;
    assert_eq!((reply.status.as_u16(), &reply.json()["result"]), (200, &json!("answered")));
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_token_nothing_else_is_served() {
    let bench = listening(settings()).await;
    let tcp = bench.on_tcp().await;
    let cases = [
        ("GET", HOOK, 401),
        ("POST", "/api/webhooks/kanbanger/", 401),
        ("POST", "/api/webhooks/../v1/agents", 401),
        ("POST", "/api/webhooks", 401),
        ("GET", "/api/v1/webhooks", 401),
        ("POST", "/api/cron/awaiting-input-expiry", 401),
    ];
    for (method, path, status) in cases {
        let body = if method == "GET" { "" } else { "{}" };
        let reply = tcp.send(method, path, &[], body).await;
        assert_eq!(
            (reply.status.as_u16(), reply.code().as_str()),
            (status, "token_missing"),
            "{path}"
        );
    }
    // The other gates stand.
    let body = comment(1, "/answer 1").to_string();
    let signature = sign(SECRET, body.as_bytes());
    for (name, value, status) in [
        ("origin", "http://evil.example", 403),
        ("sec-fetch-site", "cross-site", 403),
        ("content-type", "text/plain", 415),
        ("host", "evil.example", 421),
    ] {
        let headers: Headers<'_> = &[("x-kanbanger-signature", &signature), (name, value)];
        assert_eq!(tcp.send("POST", HOOK, headers, body.clone()).await.status, status, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_secret_there_is_no_such_route() {
    let bench = listening(WebhookSettings::default()).await;
    let tcp = bench.on_tcp().await;
    for client in [&bench.client(), &tcp] {
        let reply = post(client, "comment", &comment(7, "/answer 1").to_string()).await;
        assert_eq!((reply.status.as_u16(), reply.code().as_str()), (404, "webhooks_off"));
    }
    let doc = bench.client().get("/api/v1/webhooks").await.json();
    assert_eq!((&doc["enabled"], &doc["deliveries"]), (&json!(false), &json!([])));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_signed_and_makes_no_sense_is_told_and_kept() {
    let bench = listening(settings()).await;
    let client = bench.client();
    let good = comment(7, "/answer 1").to_string();
    let task = moved("todo", "t", None).to_string();
    let mut unknown = comment(7, "/answer 1");
    unknown["action"] = json!("pinned");
    let mut stale = comment(7, "/answer 1");
    stale["timestamp"] = json!(START.plus(-300_001).to_string());
    let deep = format!("{{\"action\":{}{}}}", "[".repeat(70), "]".repeat(70));
    let cases: [(&str, String, u16, &str); 12] = [
        ("comment", "{".to_owned(), 400, "bad_json"),
        ("comment", "[]".to_owned(), 400, "bad_json"),
        ("comment", deep, 400, "too_deep"),
        ("comment", "{}".to_owned(), 400, "bad_webhook"),
        ("comment", task, 400, "bad_webhook"),
        ("comment", stale.to_string(), 401, "stale"),
        ("ping", good.clone(), 202, "unknown_event"),
        ("", good, 202, "unknown_event"),
        ("ping", r#"{"zen":"hi"}"#.to_owned(), 202, "unknown_event"),
        ("sprint", "{}".to_owned(), 202, "unknown_event"),
        ("ping", "hi".to_owned(), 400, "bad_json"),
        ("comment", unknown.to_string(), 202, "unknown_action"),
    ];
    let head = client.head().await;
    for (event, body, status, reason) in cases {
        let reply = post(&client, event, &body).await;
        assert_eq!(reply.status.as_u16(), status, "{event} {body}: {}", reply.text());
        assert_eq!(last(&client).await.1, json!(reason), "{event} {body}");
        if status >= 400 {
            assert_eq!(reply.code(), reason);
        }
    }
    assert_eq!(client.head().await, head);
    let long = "x".repeat((256 << 10) + 1);
    let reply = post(&client, "comment", &long).await;
    assert_eq!((reply.status.as_u16(), last(&client).await.1), (413, json!("body_too_large")));
    for query in ["?limit=0", "?limit=20001", "?signed=maybe", "?x=1"] {
        assert_eq!(client.get(&format!("/api/v1/webhooks{query}")).await.status, 400, "{query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_is_refreshed_by_what_is_newer_and_by_each_word_once() {
    let mut bench = listening(settings()).await;
    let client = bench.client();
    let task = async |client: &Client| {
        let doc = client.get("/api/v1/tasks/APP-1").await.json();
        (doc["title"].as_str().unwrap().to_owned(), doc["status"].as_str().unwrap().to_owned())
    };
    let pair = |title: &str, status: &str| (title.to_owned(), status.to_owned());
    let steps = [
        (
            moved("In Progress", "Log in", Some(10)),
            "refreshed",
            None,
            pair("Log in", "in_progress"),
        ),
        (
            moved("done", "A year ahead", Some(365 * 24 * 3_600_000)),
            "refused",
            Some("from_future"),
            pair("Log in", "in_progress"),
        ),
        (moved("done", "Passkeys", Some(20)), "refreshed", None, pair("Passkeys", "done")),
        (
            moved("In Progress", "Log in", Some(10)),
            "ignored",
            Some("older"),
            pair("Passkeys", "done"),
        ),
        (moved("todo", "x", Some(20)), "replayed", Some("replayed"), pair("Passkeys", "done")),
        (
            moved("Icebox", "Later", Some(30)),
            "refreshed",
            Some("unmapped_status"),
            pair("Later", "done"),
        ),
        (moved("review", "By word", None), "refreshed", None, pair("By word", "in_review")),
        (
            moved("review", "By word", None),
            "replayed",
            Some("replayed"),
            pair("By word", "in_review"),
        ),
    ];
    for (body, result, reason, is) in &steps {
        let told = tell(&client, "task", body).await;
        assert_eq!((told.0.as_str(), told.1.as_deref()), (*result, *reason), "{body}");
        assert_eq!(task(&client).await, *is, "{body}");
    }
    bench.restart().await;
    let client = bench.client();
    for (body, ..) in &steps {
        assert_ne!(tell(&client, "task", body).await.0, "refreshed", "{body}");
    }
    let mut other = moved("done", "x", Some(99));
    other["issue"]["identifier"] = json!("APP-2");
    other["issue"]["id"] = json!("i-2");
    assert_eq!(tell(&client, "task", &other).await.1.as_deref(), Some("no_agent"));
    assert_eq!(task(&client).await, pair("By word", "in_review"));
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_was_not_understood_gets_one_word_in_a_thread_where_that_is_set() {
    let bench = listening(WebhookSettings { replies: true, ..settings() }).await;
    let client = bench.client();
    asked(&client, question()).await;
    bench.pass(61_000).await;
    let mut number = 0;
    let mut say = |words: &str, author: &str| {
        number += 1;
        let mut body = comment(number, words);
        body["comment"]["author"] = json!(author);
        body
    };
    let silent = [say("nice weather", "ada"), say("<!-- headsup:x -->\n/answer 1", "ada")];
    let spoken =
        [say("/answer purple", "ada"), say("/answer 1", "mallory"), say("@headsup", "ada")];
    for body in silent.iter().chain(&spoken) {
        assert_eq!(tell(&client, "comment", body).await.0, "refused");
    }
    let mut elsewhere = say("/answer purple", "ada");
    elsewhere["comment"]["thread_id"] = json!("t-2");
    assert_eq!(tell(&client, "comment", &elsewhere).await.0, "refused");
    let task = client.get("/api/v1/tasks/APP-1").await.json();
    let comments: Vec<&str> =
        task["comments"].as_array().unwrap().iter().map(|c| c["body"].as_str().unwrap()).collect();
    let replies: Vec<_> = comments.iter().filter(|body| body.starts_with("Thank you.")).collect();
    assert_eq!(replies.len(), 2, "{comments:#?}");
    assert!(
        replies[0].contains("no such option") && replies[0].contains("<!-- headsup:reply-3 -->")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_expiry_route_reports_and_its_secret_is_its_own() {
    let bench = listening(settings()).await;
    let (client, tcp) = (bench.client(), bench.on_tcp().await);
    asked(&client, json!({"question": "?", "default_action": "wait", "timeout_minutes": 1})).await;
    let open = asked(&client, question()).await;
    let path = "/api/cron/awaiting-input-expiry";
    let tick: Headers<'_> = &[("authorization", "Bearer tick")];
    let in_any_case = [("authorization", "bearer tick")];
    assert_eq!(tcp.send("GET", path, &in_any_case, "").await.status, 200);
    let doc = tcp.send("GET", path, tick, "").await.json();
    assert_eq!((&doc["open"], &doc["due"], &doc["expired"]), (&json!(2), &json!(0), &json!(0)));
    assert_eq!(doc["next_expires_at"], START.plus(60_000).to_string());
    assert_eq!(doc["last_expired_at"], Value::Null);
    bench.pass(60_051).await;
    let doc = client.send("GET", path, tick, "").await.json();
    assert_eq!((&doc["open"], &doc["due"], &doc["expired"]), (&json!(1), &json!(0), &json!(1)));
    assert!(doc["last_expired_at"].is_string(), "{doc}");
    assert_eq!(resolution(&client, &open).await, Value::Null, "it only reports");
    let bearer = bench.bearer();
    for said in ["Bearer tock", "Bearer ", "Bearer ticks", "Basic tick", "tick", &bearer] {
        for client in [&client, &tcp] {
            let reply = client.send("GET", path, &[("authorization", said)], "").await;
            assert_eq!((reply.status.as_u16(), reply.code().as_str()), (401, "cron_secret_wrong"));
        }
    }
    assert_eq!(tcp.get(path).await.code(), "cron_secret_wrong");
    let open = listening(WebhookSettings::default()).await;
    let tcp = open.on_tcp().await;
    assert_eq!(tcp.get(path).await.status, 200);
}
