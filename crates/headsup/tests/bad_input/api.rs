//! A: requests that are no requests of ours. Each is refused with a typed code, which is counted,
//! and changes nothing; a few are taken for what they can only mean.

use crate::rig::Rig;
use headsup_testkit::http;

struct Row {
    id: u8,
    method: &'static str,
    target: &'static str,
    headers: &'static [(&'static str, &'static str)],
    body: fn() -> Vec<u8>,
    status: u16,
    /// Nothing where it is no refusal.
    code: &'static str,
}

type Headers = &'static [(&'static str, &'static str)];

const REPORT: &str = "/api/v1/agents/known/reports";
const HOOK: &str = "/api/v1/hooks/claude-code";

fn none() -> Vec<u8> {
    Vec::new()
}

fn good() -> Vec<u8> {
    br#"{"turn":"idle"}"#.to_vec()
}

const fn post(id: u8, body: fn() -> Vec<u8>, status: u16, code: &'static str) -> Row {
    Row { id, method: "POST", target: REPORT, headers: &[], body, status, code }
}

const fn get(id: u8, target: &'static str, status: u16, code: &'static str) -> Row {
    Row { id, method: "GET", target, headers: &[], body: none, status, code }
}

const fn with(id: u8, headers: Headers, status: u16, code: &'static str) -> Row {
    Row { id, method: "POST", target: REPORT, headers, body: good, status, code }
}

const fn at(
    id: u8,
    method: &'static str,
    target: &'static str,
    status: u16,
    code: &'static str,
) -> Row {
    Row { id, method, target, headers: &[], body: good, status, code }
}

fn nested(n: usize) -> Vec<u8> {
    format!("{{\"turn\":{}{}}}", "[".repeat(n), "]".repeat(n)).into_bytes()
}

const ROWS: &[Row] = &[
    post(1, || vec![b' '; (256 << 10) + 1], 413, "body_too_large"),
    Row {
        target: HOOK,
        ..post(1, || vec![b' '; (1 << 20) + (64 << 10) + 1], 413, "body_too_large")
    },
    post(2, none, 400, "bad_json"),
    post(4, || b"{\"turn\":\"idle\xff\"}".to_vec(), 400, "bad_json"),
    post(5, || b"{\"turn\":\"idle\0\"}".to_vec(), 400, "bad_json"),
    post(5, || br#"{"turn":"\u001b[31midle"}"#.to_vec(), 400, "bad_report"),
    post(6, || "{\"turn\":\"\u{202e}eldi\"}".as_bytes().to_vec(), 400, "bad_report"),
    post(7, || b"\xef\xbb\xbf{\"turn\":\"working\"}".to_vec(), 202, ""),
    post(8, || nested(100_000), 400, "bad_json"),
    post(8, || vec![b'{'; 100_000], 400, "bad_json"),
    post(9, || br#"{"turn":NaN}"#.to_vec(), 400, "bad_json"),
    post(9, || br#"{"turn":1e999}"#.to_vec(), 400, "bad_json"),
    post(9, || br#"{"turn":-0}"#.to_vec(), 400, "bad_json"),
    post(9, || br#"{"turn":9007199254740993}"#.to_vec(), 400, "bad_json"),
    post(10, || br#"{"turn":"idle","turn":"working"}"#.to_vec(), 400, "bad_json"),
    post(12, || br#"{"turn":["idle"]}"#.to_vec(), 400, "bad_json"),
    post(13, || br#"{"Turn":"idle"}"#.to_vec(), 400, "bad_json"),
    post(13, || br#"{"turn":"WORKING"}"#.to_vec(), 400, "bad_report"),
    at(15, "POST", "/api/v1/agents/a%2Fb/reports", 400, "bad_agent_id"),
    at(15, "POST", "/api/v1/agents/%2e%2e/reports", 400, "bad_agent_id"),
    at(15, "POST", "/api/v1/agents/../reports", 400, "bad_agent_id"),
    at(15, "POST", "/api/v1/agents/./reports", 400, "bad_agent_id"),
    at(15, "POST", "/api/v1/agents/a%5Cb/reports", 400, "bad_agent_id"),
    at(15, "POST", "/api/v1/agents/a:b/reports", 400, "bad_agent_id"),
    at(15, "POST", "/api/v1/agents/%00/reports", 400, "bad_agent_id"),
    at(15, "POST", "/api/v1/agents/%ff/reports", 400, "bad_agent_id"),
    at(15, "POST", "/api/v1/agents//reports", 400, "bad_agent_id"),
    with(15, &[("x-headsup-id", "")], 400, "bad_header"),
    Row { target: HOOK, ..with(15, &[("x-headsup-agent", "../x")], 400, "bad_agent_id") },
    get(15, "/api/v1/events?agent=../x", 400, "bad_agent_id"),
    with(19, &[("x-headsup-spooled-at", "tomorrow")], 400, "bad_header"),
    with(34, &[("origin", "null")], 403, "browser_refused"),
    with(34, &[("origin", "http://evil.example")], 403, "browser_refused"),
    with(34, &[("sec-fetch-site", "cross-site")], 403, "browser_refused"),
    with(34, &[("referer", "http://localhost/")], 403, "browser_refused"),
    at(36, "DELETE", REPORT, 405, "method_not_allowed"),
    at(36, "GET", REPORT, 405, "method_not_allowed"),
    at(36, "OPTIONS", REPORT, 405, "method_not_allowed"),
    at(36, "TRACE", REPORT, 405, "method_not_allowed"),
    at(36, "BREW", REPORT, 405, "method_not_allowed"),
    Row {
        method: "GET",
        target: "/api/v1/agents/known",
        ..with(36, &[("x-http-method-override", "DELETE")], 200, "")
    },
    with(37, &[("content-encoding", "gzip")], 415, "unsupported_encoding"),
    get(40, "/api/v1/events?since=99999&follow=false", 200, ""),
    get(40, "/api/v1/events?since=soon&follow=false", 200, ""),
    get(40, "/api/v1/events?since=-4&follow=false", 200, ""),
    Row {
        headers: &[("last-event-id", "\u{1}tomorrow")],
        ..get(40, "/api/v1/events?follow=false", 400, "")
    },
    Row {
        headers: &[("last-event-id", "18446744073709551616")],
        ..get(40, "/api/v1/events?follow=false", 200, "")
    },
    get(42, "/api/v1/agents/known/activity?limit=0", 400, "bad_parameter"),
    get(42, "/api/v1/agents/known/activity?limit=-1", 400, "bad_parameter"),
    get(42, "/api/v1/agents/known/activity?limit=1000000000", 400, "bad_parameter"),
    get(42, "/api/v1/agents/known/activity?limit=1e3", 400, "bad_parameter"),
    get(42, "/api/v1/agents?all=maybe", 400, "bad_parameter"),
    get(42, "/api/v1/agents?all=true&all=false", 400, "bad_parameter"),
    get(42, "/api/v1/agents?al=true", 400, "unknown_parameter"),
    get(42, "/api/v1/agents?all=%zz", 400, "bad_parameter"),
    get(42, "/api/v1/events?type=turn.begun", 400, "bad_event_type"),
    get(42, "/api/v2/agents", 404, "not_found"),
];

pub(crate) fn ids() -> Vec<u8> {
    ROWS.iter().map(|row| row.id).collect()
}

#[test]
fn what_is_no_request_of_ours_is_refused_typed_counted_and_without_effect() {
    let rig = Rig::new();
    let socket = rig.home.socket();
    let (status, _) = http::post(&socket, REPORT, br#"{"turn":"working"}"#).unwrap();
    assert_eq!(status, 202);
    let (roster, cursor) = (rig.roster(), rig.get("/healthz")["cursor"].clone());
    for Row { id, method, target, headers, body, status, code } in ROWS {
        let case = format!("{id}: {method} {target} {headers:?}");
        let counter = format!("headsup_refusals_total{{code=\"{code}\"}}");
        let before = rig.counter(&counter);
        let answer = http::request(&socket, method, target, headers, &body()).unwrap();
        let doc: serde_json::Value = serde_json::from_slice(&answer.1).unwrap_or_default();
        let found = doc["code"].as_str().unwrap_or_default();
        assert_eq!((answer.0, found), (*status, *code), "{case}");
        if !code.is_empty() {
            assert_eq!(rig.counter(&counter), before + 1, "{case}: it is counted");
            assert!(doc["detail"].as_str().is_some_and(|text| !text.is_empty()), "{case}");
            assert_eq!(doc["status"], *status, "{case}");
        }
        rig.stands(&case);
        assert_eq!(rig.roster(), roster, "{case}");
        assert_eq!(rig.get("/healthz")["cursor"], cursor, "{case}");
    }
    let doctor = rig.home.run(["doctor"]).stdout;
    assert!(doctor.contains("refused (bad_json)"), "{doctor}");
}
