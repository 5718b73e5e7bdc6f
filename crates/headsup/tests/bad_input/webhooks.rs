//! W: web hooks of whoever does not know the secret, and of whoever does and makes no sense. Each is
//! refused or passed over, kept with its reason, and changes nothing.

use crate::rig::Rig;
use headsup_testkit::home::Home;
use headsup_testkit::hub::Hub;
use headsup_testkit::{http, webhook};
use serde_json::{Value, json};
use std::fs;

const HOOK: &str = "/api/webhooks/kanbanger";
const SECRET: &str = "known to both sides";

pub(crate) const SORTS: &[&str] = &[
    "61 no signature",
    "61 wrong signature",
    "61 capital letters",
    "61 another digest",
    "61 two signatures",
    "61 no secret",
    "62 written anew",
    "63 again",
    "63 again under another id",
    "64 old",
    "65 unknown event",
    "65 unknown action",
    "65 ping",
    "66 out of order",
    "67 by a bot",
    "67 by ourselves",
    "67 by a stranger",
    "67 edited",
    "67 deleted",
    "67 quoted",
    "67 code",
    "67 older than the question",
    "68 too long",
];

/// A hub that listens; one agent is at work on `APP-1` and asks.
fn rig() -> Rig {
    let home = Home::new(env!("CARGO_BIN_EXE_headsup"));
    let config = home.path().join(".config/headsup");
    fs::create_dir_all(&config).unwrap();
    fs::write(config.join("config.toml"), "[webhooks]\nauthors = [\"ada\"]\n").unwrap();
    let mut command = home.command(["up", "--foreground"]);
    command.env("KANBANGER_WEBHOOK_SECRET", SECRET);
    let hub = Hub::start_as(command, &home.socket());
    let rig = Rig::of(home, hub);
    rig.home.run(["report", "working", "--agent", "api"]).ok();
    rig.home.run(["task", "new", "Log in", "--prefix", "APP"]).ok();
    rig.home.run(["task", "link", "api", "APP-1"]).ok();
    let ask = ["prompt", "open", "api", "Which?", "--option", "yes", "--option", "no"];
    rig.home.run(ask.into_iter().chain(["--default", "no"])).ok();
    rig
}

fn comment(id: &str) -> Value {
    json!({
        "action": "created",
        "issue": {"id": "i-1", "identifier": "APP-1", "title": "Log in", "status": "todo"},
        "comment": {"id": id, "body": "/answer 1", "author": "ada", "created_at": "2036-01-01T00:00:00Z"},
    })
}

fn with(id: &str, pointer: &str, value: Value) -> Value {
    let mut body = comment(id);
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    body.pointer_mut(parent).unwrap()[name] = value;
    body
}

type Headers<'a> = &'a [(&'a str, &'a str)];
/// Sort, headers, body; status and code.
type Case<'a> = (&'a str, Headers<'a>, &'a [u8], u16, &'a str);

struct Sent<'a> {
    rig: &'a Rig,
}

impl Sent<'_> {
    fn raw(&self, headers: &[(&str, &str)], body: &[u8]) -> (u16, Value) {
        let socket = self.rig.home.socket();
        let (status, body) = http::request(&socket, "POST", HOOK, headers, body).unwrap();
        (status, serde_json::from_slice(&body).unwrap_or_default())
    }

    fn signed(&self, event: &str, body: &[u8]) -> (u16, Value) {
        let signature = webhook::sign(SECRET, body);
        let headers = [("x-kanbanger-event", event), ("x-kanbanger-signature", &*signature)];
        self.raw(&headers, body)
    }

    /// The last one that was kept.
    fn kept(&self) -> Value {
        self.rig.get("/api/v1/webhooks?limit=1")["deliveries"][0].clone()
    }

    /// The question stands, and nobody is told of anything.
    fn stands(&self, case: &str, cursor: &Value, reason: &str) {
        self.rig.stands(case);
        assert_eq!(self.rig.get("/healthz")["cursor"], *cursor, "{case}");
        assert_eq!(self.rig.get("/api/v1/prompts/api-p1")["state"], "open", "{case}");
        assert_eq!(self.kept()["reason"], reason, "{case}");
    }
}

/// 61, 62, 68.
#[test]
fn whoever_does_not_know_the_secret_is_not_listened_to() {
    let rig = rig();
    let sent = Sent { rig: &rig };
    let cursor = rig.get("/healthz")["cursor"].clone();
    let body = comment("c-1").to_string();
    let right = webhook::sign(SECRET, body.as_bytes());
    let (wrong, upper) = (webhook::sign("other", body.as_bytes()), right.to_uppercase());
    let sha1 = format!("sha1={right}");
    let anew = serde_json::to_string_pretty(&comment("c-1")).unwrap();
    let name = "x-kanbanger-signature";
    let long = vec![b' '; 26 << 20];
    let cases: [Case<'_>; 7] = [
        ("61 no signature", &[], body.as_bytes(), 401, "signature_missing"),
        ("61 wrong signature", &[(name, &wrong)], body.as_bytes(), 401, "signature_wrong"),
        ("61 capital letters", &[(name, &upper)], body.as_bytes(), 401, "signature_wrong"),
        ("61 another digest", &[(name, &sha1)], body.as_bytes(), 401, "signature_wrong"),
        (
            "61 two signatures",
            &[(name, &right), (name, &right)],
            body.as_bytes(),
            401,
            "signature_wrong",
        ),
        ("62 written anew", &[(name, &right)], anew.as_bytes(), 401, "signature_wrong"),
        ("68 too long", &[(name, &right)], &long[..1 << 20], 413, "body_too_large"),
    ];
    for (case, headers, body, status, code) in cases {
        let counter = format!("headsup_refusals_total{{code=\"{code}\"}}");
        let before = rig.counter(&counter);
        let (found, doc) = sent.raw(headers, body);
        assert_eq!((found, doc["code"].as_str().unwrap()), (status, code), "{case}");
        assert_eq!(rig.counter(&counter), before + 1, "{case}: it is counted");
        sent.stands(case, &cursor, code);
    }
    // One that is longer than anybody reads to its end: an answer or a closed connection, and no effect.
    let headers = [(name, &*right)];
    let answer = http::request(&rig.home.socket(), "POST", HOOK, &headers, &long);
    assert!(answer.is_err() || answer.is_ok_and(|answer| answer.0 == 413));
    sent.stands("68 too long", &cursor, "body_too_large");
    let (status, doc) = sent.raw(
        &[("x-kanbanger-event", "comment"), (name, &format!("sha256={right}"))],
        body.as_bytes(),
    );
    assert_eq!((status, doc["reason"].as_str()), (200, Some("from_future")));
}

/// 61: without a secret there is no such route.
#[test]
fn without_a_secret_nobody_is_listened_to() {
    let rig = Rig::new();
    let sent = Sent { rig: &rig };
    let (status, doc) = sent.signed("comment", comment("c-1").to_string().as_bytes());
    assert_eq!((status, doc["code"].as_str().unwrap()), (404, "webhooks_off"));
    rig.stands("61 no secret");
}

/// 63, 64, 65, 66, 67.
#[test]
fn what_is_signed_and_has_no_effect_says_why() {
    let rig = rig();
    let sent = Sent { rig: &rig };
    let cursor = rig.get("/healthz")["cursor"].clone();
    let now = rig.get("/api/v1/prompts/api-p1")["opened_at"].as_str().unwrap().to_owned();
    let old = "2020-01-01T00:00:00Z";
    let at = |id: &str, pointer: &str, value: Value| {
        let mut body = with(id, pointer, value);
        if pointer != "/comment/created_at" {
            body["comment"]["created_at"] = json!("2036-01-01T00:00:00Z");
        }
        body
    };
    let said = |id: &str, words: &str| at(id, "/comment/body", json!(words));
    let cases = [
        ("64 old", "comment", at("c-1", "/timestamp", json!(old)), 401, "stale"),
        ("65 unknown event", "sprint", comment("c-2"), 202, "unknown_event"),
        ("65 ping", "ping", comment("c-3"), 202, "unknown_event"),
        ("65 ping", "ping", json!({"zen": "hi"}), 202, "unknown_event"),
        (
            "65 unknown action",
            "comment",
            at("c-4", "/action", json!("pinned")),
            202,
            "unknown_action",
        ),
        (
            "67 by a bot",
            "comment",
            at("c-5", "/comment/author", json!({"id": "ada", "type": "bot"})),
            200,
            "bot",
        ),
        ("67 by ourselves", "comment", said("c-6", "/answer 1\n<!-- headsup:k -->"), 200, "ours"),
        (
            "67 by a stranger",
            "comment",
            at("c-7", "/comment/author", json!("eve")),
            200,
            "not_listed",
        ),
        ("67 edited", "comment", at("c-8", "/action", json!("edited")), 200, "not_new"),
        ("67 deleted", "comment", at("c-9", "/action", json!("deleted")), 200, "not_new"),
        ("67 quoted", "comment", said("c-10", "> /answer 1"), 200, "not_addressed"),
        ("67 code", "comment", said("c-11", "```\n/answer 1\n```"), 200, "not_addressed"),
        (
            "67 older than the question",
            "comment",
            at("c-12", "/comment/created_at", json!(now)),
            200,
            "too_old",
        ),
    ];
    for (case, event, body, status, reason) in cases {
        let (found, doc) = sent.signed(event, body.to_string().as_bytes());
        assert_eq!(found, status, "{case}: {doc}");
        sent.stands(case, &cursor, reason);
        // 63: told again it is known, or as wrong as before.
        let (_, again) = sent.signed(event, body.to_string().as_bytes());
        assert_ne!(again["result"], "answered", "{case}");
        assert_eq!(rig.get("/healthz")["cursor"], cursor, "{case}");
    }
    // 7: a byte order mark is no part of what is told.
    let marked = format!("\u{feff}{}", at("c-13", "/action", json!("pinned")));
    let (status, doc) = sent.signed("comment", marked.as_bytes());
    assert_eq!(status, 202, "{doc}");
    sent.stands("7 byte order mark", &cursor, "unknown_action");
    // 63: the same comment under another id of its delivery is the same comment.
    let body = comment("c-12").to_string();
    let signature = webhook::sign(SECRET, body.as_bytes());
    let headers = [
        ("x-kanbanger-event", "comment"),
        ("x-kanbanger-delivery", "another"),
        ("x-kanbanger-signature", &signature),
    ];
    let (status, doc) = sent.raw(&headers, body.as_bytes());
    assert_eq!((status, doc["result"].as_str()), (200, Some("replayed")));
    // 66: what is older than what is known changes nothing.
    let moved = |status: &str, at: &str| {
        let issue = json!({"id": "i-1", "identifier": "APP-1", "title": "t", "status": status, "updated_at": at});
        json!({"action": "updated", "issue": issue}).to_string()
    };
    let newer = moved("done", "2026-11-21T21:00:00Z");
    assert_eq!(sent.signed("task", newer.as_bytes()).1["result"], "refreshed");
    let older = moved("todo", "2026-11-21T20:00:00Z");
    assert_eq!(sent.signed("task", older.as_bytes()).1["reason"], "older");
    assert_eq!(rig.get("/api/v1/tasks/APP-1")["status"], "done");
    sent.stands("66 out of order", &cursor, "older");
}
