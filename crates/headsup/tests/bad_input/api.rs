//! A: requests that are no requests of ours. Each is refused with a typed code, which is counted,
//! and changes nothing; a few are taken for what they can only mean.

use crate::rig::Rig;
use headsup_testkit::http;

struct Row {
    sort: &'static str,
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

const fn post(sort: &'static str, body: fn() -> Vec<u8>, status: u16, code: &'static str) -> Row {
    Row { sort, method: "POST", target: REPORT, headers: &[], body, status, code }
}

const fn get(sort: &'static str, target: &'static str, status: u16, code: &'static str) -> Row {
    Row { sort, method: "GET", target, headers: &[], body: none, status, code }
}

const fn with(sort: &'static str, headers: Headers, status: u16, code: &'static str) -> Row {
    Row { sort, method: "POST", target: REPORT, headers, body: good, status, code }
}

const fn at(
    sort: &'static str,
    method: &'static str,
    target: &'static str,
    status: u16,
    code: &'static str,
) -> Row {
    Row { sort, method, target, headers: &[], body: good, status, code }
}

/// A link that is no pull request's.
const fn review(body: fn() -> Vec<u8>) -> Row {
    let target = "/api/v1/agents/known/review";
    Row { target, ..post("69 link", body, 422, "not_a_configured_forge") }
}

fn nested(n: usize) -> Vec<u8> {
    format!("{{\"turn\":{}{}}}", "[".repeat(n), "]".repeat(n)).into_bytes()
}

const ROWS: &[Row] = &[
    post("1 too long", || vec![b' '; (256 << 10) + 1], 413, "body_too_large"),
    Row {
        target: HOOK,
        ..post("1 too long", || vec![b' '; (1 << 20) + (64 << 10) + 1], 413, "body_too_large")
    },
    post("2 nothing", none, 400, "bad_json"),
    post("4 not UTF-8", || b"{\"turn\":\"idle\xff\"}".to_vec(), 400, "bad_json"),
    post("5 control characters", || b"{\"turn\":\"idle\0\"}".to_vec(), 400, "bad_json"),
    post("5 control characters", || br#"{"turn":"\u001b[31midle"}"#.to_vec(), 400, "bad_report"),
    post(
        "6 hidden characters",
        || "{\"turn\":\"\u{202e}eldi\"}".as_bytes().to_vec(),
        400,
        "bad_report",
    ),
    post("7 byte order mark", || b"\xef\xbb\xbf{\"turn\":\"working\"}".to_vec(), 202, ""),
    Row {
        target: "/api/v1/agents/known/seen",
        ..post("7 byte order mark", || b"\xef\xbb\xbf{}".to_vec(), 200, "")
    },
    Row {
        target: "/mcp",
        ..post(
            "7 byte order mark",
            || b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}".to_vec(),
            200,
            "",
        )
    },
    post("8 nested without end", || nested(65), 400, "too_deep"),
    post("8 nested without end", || nested(100_000), 400, "too_deep"),
    post("8 nested without end", || vec![b'{'; 100_000], 400, "too_deep"),
    post("8 nested without end", || vec![b'['; 100_000], 400, "too_deep"),
    post("9 no finite number", || br#"{"turn":NaN}"#.to_vec(), 400, "bad_json"),
    post("9 no finite number", || br#"{"turn":Infinity}"#.to_vec(), 400, "bad_json"),
    post("9 no finite number", || br#"{"turn":1e999}"#.to_vec(), 400, "bad_json"),
    post("9 no finite number", || br#"{"turn":-0}"#.to_vec(), 400, "bad_json"),
    post("9 no finite number", || br#"{"turn":9007199254740993}"#.to_vec(), 400, "bad_json"),
    post("10 member twice", || br#"{"turn":"idle","turn":"working"}"#.to_vec(), 400, "bad_json"),
    post("12 another type", || br#"{"turn":["idle"]}"#.to_vec(), 400, "bad_json"),
    post("13 renamed members", || br#"{"Turn":"idle"}"#.to_vec(), 400, "bad_json"),
    post("13 renamed members", || br#"{"turn":"WORKING"}"#.to_vec(), 400, "bad_report"),
    at("15 illegal id", "POST", "/api/v1/agents/a%2Fb/reports", 400, "bad_agent_id"),
    at("15 illegal id", "POST", "/api/v1/agents/%2e%2e/reports", 400, "bad_agent_id"),
    at("15 illegal id", "POST", "/api/v1/agents/../reports", 400, "bad_agent_id"),
    at("15 illegal id", "POST", "/api/v1/agents/./reports", 400, "bad_agent_id"),
    at("15 illegal id", "POST", "/api/v1/agents/a%5Cb/reports", 400, "bad_agent_id"),
    at("15 illegal id", "POST", "/api/v1/agents/a:b/reports", 400, "bad_agent_id"),
    at("15 illegal id", "POST", "/api/v1/agents/%00/reports", 400, "bad_agent_id"),
    at("15 illegal id", "POST", "/api/v1/agents/%ff/reports", 400, "bad_agent_id"),
    at("15 illegal id", "POST", "/api/v1/agents//reports", 400, "bad_agent_id"),
    at("15 illegal id", "POST", "/api/v1/agents/%2e/reports", 400, "bad_agent_id"),
    at("15 illegal id", "POST", "/api/v1/agents/{10 kB}/reports", 400, "bad_agent_id"),
    // What is reserved elsewhere is a name like any other, of nobody.
    get("15 illegal id", "/api/v1/agents/__proto__", 404, "no_such_agent"),
    get("15 illegal id", "/api/v1/agents/CON", 404, "no_such_agent"),
    get("15 illegal id", "/api/v1/agents/nul.txt", 404, "no_such_agent"),
    with("15 illegal id", &[("x-headsup-id", "")], 400, "bad_header"),
    Row {
        target: HOOK,
        ..with("15 illegal id", &[("x-headsup-agent", "../x")], 400, "bad_agent_id")
    },
    get("15 illegal id", "/api/v1/events?agent=../x", 400, "bad_agent_id"),
    with("19 no zone", &[("x-headsup-spooled-at", "2026-11-21T20:00:00")], 400, "bad_header"),
    with("19 no time", &[("x-headsup-spooled-at", "tomorrow")], 400, "bad_header"),
    with("34 origin null", &[("origin", "null")], 403, "browser_refused"),
    with("34 foreign origin", &[("origin", "http://evil.example")], 403, "browser_refused"),
    with("34 foreign site", &[("sec-fetch-site", "cross-site")], 403, "browser_refused"),
    with("34 foreign site", &[("referer", "http://localhost/")], 403, "browser_refused"),
    at("36 another method", "DELETE", REPORT, 405, "method_not_allowed"),
    at("36 another method", "GET", REPORT, 405, "method_not_allowed"),
    at("36 OPTIONS", "OPTIONS", REPORT, 405, "method_not_allowed"),
    at("36 TRACE", "TRACE", REPORT, 405, "method_not_allowed"),
    at("36 another method", "BREW", REPORT, 405, "method_not_allowed"),
    Row {
        method: "GET",
        target: "/api/v1/agents/known",
        ..with("36 method in a header", &[("x-http-method-override", "DELETE")], 200, "")
    },
    with("37 packed body", &[("content-encoding", "gzip")], 415, "unsupported_encoding"),
    get("40 cursor of the future", "/api/v1/events?since=99999&follow=false", 200, ""),
    get("40 cursor that is none", "/api/v1/events?since=soon&follow=false", 400, "bad_parameter"),
    get("40 cursor that is none", "/api/v1/events?since=-4&follow=false", 400, "bad_parameter"),
    Row {
        headers: &[("last-event-id", "\u{1}tomorrow")],
        ..get("40 cursor that is none", "/api/v1/events?follow=false", 400, "bad_http")
    },
    Row {
        headers: &[("last-event-id", "18446744073709551616")],
        ..get("40 cursor of the future", "/api/v1/events?follow=false", 200, "")
    },
    // No filter takes a pattern: one is a name like any other, and is looked up in no time.
    get("41 pattern", "/api/v1/agents?status=(w%2B)%2B$", 400, "bad_status"),
    get("41 pattern", "/api/v1/events?agent=(a%2B)%2B$", 400, "bad_agent_id"),
    get("41 pattern", "/api/v1/events?type=(turn.*)*", 400, "bad_event_type"),
    get("41 pattern", "/api/v1/agents?match=(a%2B)%2B$", 200, ""),
    get("41 pattern", "/api/v1/agents?label=a=(a%2B)%2B$", 200, ""),
    // A cursor is a place in the log, which whoever may ask may read from any place.
    get("42 forged cursor", "/api/v1/events?since=1&follow=false", 200, ""),
    get("42 forged cursor", "/api/v1/events?since=1.0&follow=false", 400, "bad_parameter"),
    get("42 forged cursor", "/api/v1/events?since=0x1&follow=false", 400, "bad_parameter"),
    get("42 page of no size", "/api/v1/agents/known/activity?limit=0", 400, "bad_parameter"),
    get("42 page of negative size", "/api/v1/agents/known/activity?limit=-1", 400, "bad_parameter"),
    get(
        "42 page without end",
        "/api/v1/agents/known/activity?limit=1000000000",
        400,
        "bad_parameter",
    ),
    get("42 page of no size", "/api/v1/agents/known/activity?limit=1e3", 400, "bad_parameter"),
    get("42 parameter that is none", "/api/v1/agents?all=maybe", 400, "bad_parameter"),
    get("42 parameter that is none", "/api/v1/agents?all=true&all=false", 400, "bad_parameter"),
    get("42 parameter that is none", "/api/v1/agents?al=true", 400, "unknown_parameter"),
    get("42 parameter that is none", "/api/v1/agents?all=%zz", 400, "bad_parameter"),
    get("42 parameter that is none", "/api/v1/events?type=turn.begun", 400, "bad_event_type"),
    // Only the address of a pull request at a forge of the settings is taken, and only where one is handed in.
    review(|| br#"{"summary":"s","pr_url":"http://169.254.169.254/a/b/pull/1"}"#.to_vec()),
    review(|| br#"{"summary":"s","pr_url":"http://[::ffff:127.0.0.1]/a/b/pull/1"}"#.to_vec()),
    review(|| br#"{"summary":"s","pr_url":"https://ada:word@github.com/a/b/pull/1"}"#.to_vec()),
    review(|| br#"{"summary":"s","pr_url":"file:///etc/passwd"}"#.to_vec()),
    // A report takes neither a link nor a branch: a member that says so is refused whole.
    post(
        "69 link",
        || br#"{"turn":"idle","pr_url":"http://169.254.169.254/"}"#.to_vec(),
        400,
        "bad_json",
    ),
    post("69 link", || br#"{"pr_url":"file:///etc/passwd"}"#.to_vec(), 400, "bad_json"),
    post(
        "70 branch",
        || br#"{"turn":"idle","branch":"--upload-pack=x"}"#.to_vec(),
        400,
        "bad_json",
    ),
    get("42 parameter that is none", "/api/v2/agents", 404, "not_found"),
];

pub(crate) fn sorts() -> Vec<&'static str> {
    ROWS.iter().map(|row| row.sort).collect()
}

#[test]
fn what_is_no_request_of_ours_is_refused_typed_counted_and_without_effect() {
    let rig = Rig::new();
    let socket = rig.home.socket();
    let (status, _) = http::post(&socket, REPORT, br#"{"turn":"working"}"#).unwrap();
    assert_eq!(status, 202);
    let (roster, cursor) = (rig.roster(), rig.get("/healthz")["cursor"].clone());
    for Row { sort, method, target, headers, body, status, code } in ROWS {
        let case = format!("{sort}: {method} {target} {headers:?}");
        let counter = format!("headsup_refusals_total{{code=\"{code}\"}}");
        let before = rig.counter(&counter);
        let target = target.replace("{10 kB}", &"x".repeat(10_000));
        let answer = http::request(&socket, method, &target, headers, &body()).unwrap();
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

/// 15: names that a file system, a language or a command line keeps for itself.
#[test]
fn a_name_that_is_reserved_elsewhere_is_a_seats_name_like_any_other() {
    let rig = Rig::new();
    let names = ["__proto__", "constructor", "CON", "nul.txt", "COM1", "all", "now", "--help"];
    for name in names {
        let target = format!("/api/v1/agents/{name}/reports");
        let (status, _) =
            http::post(&rig.home.socket(), &target, br#"{"turn":"working"}"#).unwrap();
        assert_eq!(status, 202, "{name}");
        assert_eq!(rig.get(&format!("/api/v1/agents/{name}"))["id"], name);
    }
    rig.stands("15");
    let roster = rig.roster();
    assert_eq!(roster.len(), names.len());
    assert!(names.iter().all(|name| roster[*name] == "working"), "{roster:?}");
}
