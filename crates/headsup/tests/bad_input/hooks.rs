//! H: what an agent may hand to its hook.

use crate::rig::{self, Call, FLAWS, Rig, is_trick};
use headsup_testkit::hook;
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
const TOO_DEEP: &str = "headsup_refusals_total{code=\"too_deep\"}";

struct Row {
    sort: &'static str,
    case: &'static str,
    payload: fn() -> Vec<u8>,
    comes: Comes,
}

/// A prompt of session `s`, with `more` members.
pub(crate) fn prompt(session: &str, more: &str) -> Vec<u8> {
    let cwd = format!("/home/dev/{session}");
    format!(
        "{{\"hook_event_name\":\"UserPromptSubmit\",\"session_id\":\"{session}\",\"cwd\":\"{cwd}\"\
         {more}}}"
    )
    .into_bytes()
}

/// A member with so many lists in one another.
fn nested(depth: usize) -> String {
    format!(",\"x\":{}{}", "[".repeat(depth), "]".repeat(depth))
}

fn bytes(text: &str) -> Vec<u8> {
    text.as_bytes().to_vec()
}

const fn row(
    sort: &'static str,
    case: &'static str,
    payload: fn() -> Vec<u8>,
    comes: Comes,
) -> Row {
    Row { sort, case, payload, comes }
}

const ROWS: &[Row] = &[
    row(
        "1 too long",
        "three megabytes of output",
        || prompt("r1", &format!(",\"tool_response\":\"{}\"", "x".repeat(3 << 20))),
        Known("claude-code-r1", "working"),
    ),
    row(
        "1 too long",
        "five megabytes of output, with the names behind it",
        || {
            let output = format!("{{\"tool_response\":\"{}\",", "x".repeat(5 << 20));
            [output.as_bytes(), &prompt("r1-long", "")[1..]].concat()
        },
        Known("claude-code-r1-long", "working"),
    ),
    row("2 nothing", "nothing", Vec::new, OfNothing),
    row("2 white space", "white space", || bytes(" \r\n\t"), OfNothing),
    row(
        "3 never closed",
        "input that stays open",
        || prompt("r3", ""),
        Known("claude-code-r3", "working"),
    ),
    row(
        "4 not UTF-8",
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
        "5 control characters",
        "control characters",
        || prompt("r5", ",\"prompt\":\"\\u0000\\u001b]0;x\\u0007\\u001b[31m\\u009b2J\\u0085\""),
        Known("claude-code-r5", "working"),
    ),
    row(
        "6 hidden characters",
        "characters that turn and hide text",
        || prompt("r6", ",\"prompt\":\"\u{202e}\u{200b}\u{e0041}\u{2066}x\u{feff}\""),
        Known("claude-code-r6", "working"),
    ),
    row(
        "7 byte order mark",
        "a byte order mark",
        || [b"\xef\xbb\xbf".to_vec(), prompt("r7", "")].concat(),
        Known("claude-code-r7", "working"),
    ),
    row(
        "8 nested without end",
        "nesting in a member",
        || prompt("r8-deep", &nested(100_000)),
        Counted(TOO_DEEP),
    ),
    row(
        "8 nested without end",
        "one list more than there may be",
        || prompt("r8-deep", &nested(64)),
        Counted(TOO_DEEP),
    ),
    row(
        "8 nested without end",
        "as many lists as there may be",
        || prompt("r8", &nested(63)),
        Known("claude-code-r8", "working"),
    ),
    row(
        "8 nested without end",
        "brackets in a text, and lists beside one another",
        || {
            let (text, lists) = ("[{".repeat(50_000), "[[]],".repeat(20_000));
            prompt("r8-flat", &format!(",\"prompt\":\"{text}\",\"x\":[{lists}0]"))
        },
        Known("claude-code-r8-flat", "working"),
    ),
    row(
        "8 nested without end",
        "nesting and nothing else",
        || vec![b'['; 100_000],
        Counted(TOO_DEEP),
    ),
    row(
        "9 no finite number",
        "numbers beyond all numbers",
        || prompt("r9", ",\"a\":1e999,\"b\":-0,\"c\":9007199254740993"),
        Known("claude-code-r9", "working"),
    ),
    row(
        "10 member twice",
        "a member twice: the last one wins",
        || prompt("wrong", ",\"session_id\":\"r10\",\"cwd\":\"/home/dev/r10\""),
        Known("claude-code-r10", "working"),
    ),
    row(
        "11 unknown event",
        "an event that nobody knows",
        || bytes(r#"{"hook_event_name":"Surprise","session_id":"r1"}"#),
        Counted(NOT_UNDERSTOOD),
    ),
    row(
        "11 unknown event",
        "an event that nobody knows, of nobody",
        || bytes(r#"{"hook_event_name":"Surprise"}"#),
        Counted(NOT_UNDERSTOOD),
    ),
    row(
        "12 another type",
        "a list in the place of a text",
        || prompt("r12", ",\"prompt\":[1],\"permission_mode\":{}"),
        Known("claude-code-r12", "working"),
    ),
    row(
        "12 another type",
        "an object in the place of the event's name",
        || bytes(r#"{"hook_event_name":{"a":1},"session_id":"r1"}"#),
        Counted(NOT_UNDERSTOOD),
    ),
    row(
        "13 renamed members",
        "members that were renamed",
        || bytes(r#"{"hookEventName":"Stop","sessionId":"r1"}"#),
        Counted(NOT_UNDERSTOOD),
    ),
    row(
        "15 illegal id",
        "a session whose name is a path",
        || {
            let text = json!({"hook_event_name": "UserPromptSubmit", "cwd": "/home/dev/r15",
                "session_id": "../../../etc/passwd%2e%2e\\:"});
            text.to_string().into_bytes()
        },
        Known("claude-code-r15", "working"),
    ),
    row(
        "15 illegal id",
        "a session whose name has no end",
        || {
            let text = json!({"hook_event_name": "UserPromptSubmit", "cwd": "/home/dev/r15-long",
                "session_id": "x".repeat(10_000)});
            text.to_string().into_bytes()
        },
        Known("claude-code-r15-long", "working"),
    ),
    row(
        "15 illegal id",
        "a session without a name: it is found by its folder",
        || {
            let text = json!({"hook_event_name": "UserPromptSubmit", "cwd": "/home/dev/r15-none",
                "session_id": ""});
            text.to_string().into_bytes()
        },
        Known("claude-code-r15-none", "working"),
    ),
    row(
        "30 garbage",
        "an image",
        || (0..=255).cycle().take(5_000).collect(),
        Counted(NOT_UNDERSTOOD),
    ),
    row(
        "30 garbage",
        "half a document",
        || prompt("r1", "")[..40].to_vec(),
        Counted(NOT_UNDERSTOOD),
    ),
];

/// What is noted of a row that is taken all the same, or that is not text at all.
fn flaw(row: &Row) -> Option<&'static str> {
    match (row.sort, row.case) {
        ("4 not UTF-8", _) | (_, "an image") => Some("lossy"),
        ("10 member twice", _) => Some("duplicate_member"),
        _ => None,
    }
}

pub(crate) fn sorts() -> Vec<&'static str> {
    ROWS.iter().map(|row| row.sort).collect()
}

#[test]
fn whatever_a_hook_is_given_it_ends_well_and_the_hub_stands() {
    let rig = Rig::new();
    let mut roster = rig.roster();
    for row in ROWS {
        let Row { sort, case, payload, comes } = row;
        let flaw = flaw(row);
        let case = format!("{sort}: {case}");
        let (head, counters) = (rig.get("/healthz")["cursor"].clone(), rig.counters());
        let payload = payload();
        let call = Call { payload: &payload, unclosed: sort.starts_with("3 "), ..Call::default() };
        let mut most = 0;
        let fire = || most += hook::times(|| rig.fire(&case, &call));
        hook::until(&case, fire, || {
            rig.home.is_told();
            let is_heard = match comes {
                Known(agent, _) => rig.roster().contains_key(*agent),
                Counted(name) => rig.counters().get(*name) > counters.get(*name),
                OfNothing => true,
            };
            is_heard.then_some(())
        });
        rig.stands(&case);
        for word in FLAWS {
            let grown = rig.flaws(word) - counters.get(&rig::flaw(word)).copied().unwrap_or(0);
            let expected = if flaw == Some(word) { 1..=most } else { 0..=0 };
            assert!(expected.contains(&grown), "{case}: {word}: {grown}");
        }
        match comes {
            Known(agent, headline) => {
                assert_eq!(rig.noted(agent).as_slice(), flaw.as_slice(), "{case}");
                roster.insert((*agent).to_owned(), (*headline).to_owned());
            }
            OfNothing => assert_eq!(rig.get("/healthz")["cursor"], head, "{case}"),
            Counted(name) => {
                assert_eq!(rig.get("/healthz")["cursor"], head, "{case}: an event");
                let before = counters.get(*name).copied().unwrap_or(0);
                let grown = rig.counter(name) - before;
                assert!((1..=most).contains(&grown), "{case}: {name}: {grown}");
            }
        }
        assert_eq!(rig.roster(), roster, "{case}");
    }
    let shown = rig.shown();
    assert!(shown.contains("r6") && !shown.contains(is_trick), "{shown:?}");
    let doctor = rig.home.run(["doctor"]).stdout;
    let lossy = format!("{} taken without what was not UTF-8", rig.flaws("lossy"));
    let twice = format!("{} with a member twice", rig.flaws("duplicate_member"));
    for word in ["not understood", &lossy, &twice] {
        assert!(doctor.contains(word), "{word}: {doctor}");
    }
    let explained = rig.get("/api/v1/agents/claude-code-r1/explain");
    assert_eq!(explained["rejected"][0]["rule"], "G11", "{explained}");
}
