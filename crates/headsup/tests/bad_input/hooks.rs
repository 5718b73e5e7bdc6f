//! H: what an agent may hand to its hook.

use crate::rig::{Call, Rig, is_trick};
use headsup_testkit::http;
use serde_json::json;

/// What must come of a row.
#[derive(Clone, Copy)]
enum Comes {
    /// Nothing: it never reaches the hub.
    OfNothing,
    /// No change, and this counter grows.
    Counted(&'static str),
    /// It is taken for what it says: this seat has this headline.
    Known(&'static str, &'static str),
}

use Comes::{Counted, Known, OfNothing};

const NOT_UNDERSTOOD: &str = "headsup_reports_total{result=\"not_understood\"}";

struct Row {
    id: u8,
    case: &'static str,
    payload: fn() -> Vec<u8>,
    comes: Comes,
}

/// A prompt of session `s`, with `more` members.
fn prompt(session: &str, more: &str) -> Vec<u8> {
    let cwd = format!("/home/dev/{session}");
    format!(
        "{{\"hook_event_name\":\"UserPromptSubmit\",\"session_id\":\"{session}\",\"cwd\":\"{cwd}\"\
         {more}}}"
    )
    .into_bytes()
}

fn bytes(text: &str) -> Vec<u8> {
    text.as_bytes().to_vec()
}

const fn row(id: u8, case: &'static str, payload: fn() -> Vec<u8>, comes: Comes) -> Row {
    Row { id, case, payload, comes }
}

const ROWS: &[Row] = &[
    row(
        1,
        "three megabytes of output",
        || prompt("r1", &format!(",\"tool_response\":\"{}\"", "x".repeat(3 << 20))),
        Known("claude-code-r1", "working"),
    ),
    row(2, "nothing", Vec::new, OfNothing),
    row(2, "white space", || bytes(" \r\n\t"), OfNothing),
    row(3, "input that stays open", || prompt("r3", ""), Known("claude-code-r3", "working")),
    row(
        4,
        "bytes that are not UTF-8",
        || {
            prompt("r4", ",\"prompt\":\"a?\"")
                .into_iter()
                .map(|b| if b == b'?' { 0xff } else { b })
                .collect()
        },
        Known("claude-code-r4", "working"),
    ),
    row(
        5,
        "control characters",
        || prompt("r5", ",\"prompt\":\"\\u0000\\u001b]0;x\\u0007\\u001b[31m\\u009b2J\\u0085\""),
        Known("claude-code-r5", "working"),
    ),
    row(
        6,
        "characters that turn and hide text",
        || prompt("r6", ",\"prompt\":\"\u{202e}\u{200b}\u{e0041}\u{2066}x\u{feff}\""),
        Known("claude-code-r6", "working"),
    ),
    row(
        7,
        "a byte order mark",
        || [b"\xef\xbb\xbf".to_vec(), prompt("r7", "")].concat(),
        Known("claude-code-r7", "working"),
    ),
    row(
        8,
        "nesting in a member",
        || prompt("r8", &format!(",\"x\":{}{}", "[".repeat(100_000), "]".repeat(100_000))),
        Known("claude-code-r8", "working"),
    ),
    row(8, "nesting and nothing else", || vec![b'['; 100_000], Counted(NOT_UNDERSTOOD)),
    row(
        9,
        "numbers beyond all numbers",
        || prompt("r9", ",\"a\":1e999,\"b\":-0,\"c\":9007199254740993"),
        Known("claude-code-r9", "working"),
    ),
    row(
        10,
        "a member twice: the last one wins",
        || prompt("wrong", ",\"session_id\":\"r10\",\"cwd\":\"/home/dev/r10\""),
        Known("claude-code-r10", "working"),
    ),
    row(
        11,
        "an event that nobody knows",
        || bytes(r#"{"hook_event_name":"Surprise","session_id":"r1"}"#),
        Counted(NOT_UNDERSTOOD),
    ),
    row(
        11,
        "an event that nobody knows, of nobody",
        || bytes(r#"{"hook_event_name":"Surprise"}"#),
        Counted(NOT_UNDERSTOOD),
    ),
    row(
        12,
        "a list in the place of a text",
        || prompt("r12", ",\"prompt\":[1],\"permission_mode\":{}"),
        Known("claude-code-r12", "working"),
    ),
    row(
        12,
        "an object in the place of the event's name",
        || bytes(r#"{"hook_event_name":{"a":1},"session_id":"r1"}"#),
        Counted(NOT_UNDERSTOOD),
    ),
    row(
        13,
        "members that were renamed",
        || bytes(r#"{"hookEventName":"Stop","sessionId":"r1"}"#),
        Counted(NOT_UNDERSTOOD),
    ),
    row(
        15,
        "a session whose name is a path",
        || {
            let text = json!({"hook_event_name": "UserPromptSubmit", "cwd": "/home/dev/r15",
                "session_id": "../../../etc/passwd%2e%2e\\:"});
            text.to_string().into_bytes()
        },
        Known("claude-code-r15", "working"),
    ),
    row(
        15,
        "a session whose name has no end",
        || {
            let text = json!({"hook_event_name": "UserPromptSubmit", "cwd": "/home/dev/r15-long",
                "session_id": "x".repeat(10_000)});
            text.to_string().into_bytes()
        },
        Known("claude-code-r15-long", "working"),
    ),
    row(30, "an image", || (0..=255).cycle().take(5_000).collect(), Counted(NOT_UNDERSTOOD)),
    row(30, "half a document", || prompt("r1", "")[..40].to_vec(), Counted(NOT_UNDERSTOOD)),
];

pub(crate) fn ids() -> Vec<u8> {
    let mut ids: Vec<u8> = ROWS.iter().map(|row| row.id).collect();
    ids.extend([14, 16, 17, 18, 19, 22]);
    ids
}

#[test]
fn whatever_a_hook_is_given_it_ends_well_and_the_hub_stands() {
    let rig = Rig::new();
    let mut roster = rig.roster();
    for Row { id, case, payload, comes } in ROWS {
        let case = format!("{id}: {case}");
        let (head, counters) = (rig.get("/healthz")["cursor"].clone(), rig.counters());
        rig.hook(&case, &Call { payload: &payload(), unclosed: *id == 3, ..Call::default() });
        rig.stands(&case);
        match comes {
            Known(agent, headline) => {
                roster.insert((*agent).to_owned(), (*headline).to_owned());
            }
            OfNothing => assert_eq!(rig.get("/healthz")["cursor"], head, "{case}"),
            Counted(name) => {
                assert_eq!(rig.get("/healthz")["cursor"], head, "{case}: an event");
                let before = counters.get(*name).copied().unwrap_or(0);
                assert_eq!(rig.counter(name), before + 1, "{case}: {name}");
            }
        }
        assert_eq!(rig.roster(), roster, "{case}");
    }
    let shown = rig.shown();
    assert!(shown.contains("r6") && !shown.contains(is_trick), "{shown:?}");
    let doctor = rig.home.run(["doctor"]).stdout;
    assert!(doctor.contains("not understood"), "{doctor}");
    let explained = rig.get("/api/v1/agents/claude-code-r1/explain");
    assert_eq!(explained["rejected"][0]["rule"], "G11", "{explained}");
}

/// 14: two agents that do not say which session they are in.
#[test]
fn without_a_session_nobody_is_taken_for_another() {
    let rig = Rig::new();
    rig.hook("known", &Call { payload: &prompt("known", ""), ..Call::default() });
    let nameless = |cwd: &str| json!({"hook_event_name": "Stop", "cwd": cwd}).to_string();
    rig.hook("14", &Call { payload: nameless("/home/dev/known").as_bytes(), ..Call::default() });
    rig.stands("14");
    assert_eq!(rig.roster()["claude-code-known"], "working", "its turn is not over");
}

/// 15: a seat that no seat can be called.
#[test]
fn a_seat_with_an_illegal_name_is_nobodys_seat() {
    let rig = Rig::new();
    let long = "x".repeat(129);
    for name in ["../x", "a/b", "a\\b", "a:b", "%2e%2e", ".", "..", long.as_str(), "é", " "] {
        let before = rig.roster();
        let payload = prompt("known", "");
        let env = [("HEADSUP_AGENT_ID", name)];
        rig.hook(name, &Call { payload: &payload, env: &env, unclosed: false });
        rig.stands(name);
        let mut after = rig.roster();
        after.remove("claude-code-known");
        assert!(after.is_empty(), "{name}: {before:?}, {after:?}");
    }
}

/// 16, 17, 18, 19: reports that come twice, changed, late and with a time of their own.
#[test]
fn a_report_that_comes_again_late_or_from_another_time_has_one_effect() {
    let rig = Rig::new();
    let post = |headers: &[(&str, &str)], body: &[u8]| {
        let target = "/api/v1/hooks/claude-code";
        http::request(&rig.home.socket(), "POST", target, headers, body).unwrap()
    };
    let id = [("x-headsup-id", "r16")];
    let first = prompt("r16", "");
    assert_eq!(post(&id, &first).0, 202);
    let head = rig.get("/healthz")["cursor"].clone();
    let (status, body) = post(&id, &first);
    assert_eq!((status, body.as_slice()), (200, &br#"{"schema":1,"duplicate":true}"#[..]));
    assert_eq!(rig.counter("headsup_reports_total{result=\"duplicate\"}"), 1);
    let (status, body) = post(&id, &prompt("other", ""));
    assert_eq!(status, 409, "{}", String::from_utf8_lossy(&body));
    assert_eq!(rig.counter("headsup_refusals_total{code=\"id_conflict\"}"), 1);
    assert_eq!(rig.get("/healthz")["cursor"], head);
    // Years away: what counts is when the hub took it.
    for at in ["2036-11-21T20:00:00.000Z", "2016-11-21T20:00:00.000Z"] {
        let stop = br#"{"hook_event_name":"Stop","session_id":"r16"}"#;
        assert_eq!(post(&[("x-headsup-spooled-at", at)], stop).0, 202);
        assert_eq!(post(&[], &first).0, 202);
    }
    let done = rig.home.run(["watch", "--since", "0", "--no-follow", "--json"]);
    let at = |line: &str| {
        let event: serde_json::Value = serde_json::from_str(line).unwrap();
        event["at"].as_str().unwrap().to_owned()
    };
    let times: Vec<String> = done.ok().stdout.lines().map(at).collect();
    assert!(times.is_sorted(), "{times:?}");
    for bad in ["yesterday", "2026-11-21", "2026-11-21T20:00:00", "1795296597"] {
        assert_eq!(post(&[("x-headsup-spooled-at", bad)], &first).0, 400, "{bad}");
    }
    rig.stands("19");
}

/// 22: the hook of an agent that runs as another user.
#[test]
fn another_users_hook_reaches_nobody_and_leaves_nothing() {
    use std::os::unix::process::CommandExt as _;
    let rig = Rig::new();
    let mut command = rig.home.command(["hook", "claude-code"]);
    command.uid(65_534).current_dir("/");
    if command.stdin(std::process::Stdio::null()).spawn().map(|mut it| it.wait()).is_err() {
        eprintln!("skipped: only root can be somebody else, and others must see the program");
        return;
    }
    let mut command = rig.home.command(["hook", "claude-code"]);
    command.uid(65_534).current_dir("/");
    let done = rig.home.feed(command, &prompt("r22", ""));
    assert_eq!((done.code, &*done.stdout, &*done.stderr), (0, "", ""));
    assert!(rig.roster().is_empty());
    assert!(!rig.home.state().join("spool/queue").exists());
}
