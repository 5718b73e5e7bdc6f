//! M: what is said to the server of the tools, over HTTP and on pipes. Each is answered, with what would
//! have been taken, and changes nothing; the line goes on.

use crate::rig::Rig;
use headsup_testkit::http;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

/// What comes in, and what is answered: the number of the error, and words that are in it.
struct Row {
    sort: &'static str,
    message: fn() -> String,
    code: i64,
    words: &'static [&'static str],
}

const fn row(
    sort: &'static str,
    message: fn() -> String,
    code: i64,
    words: &'static [&'static str],
) -> Row {
    Row { sort, message, code, words }
}

fn call(tool: &str, arguments: &Value) -> String {
    let params = json!({ "name": tool, "arguments": arguments });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string()
}

fn ping(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#)
}

/// A state that nobody here has given out.
fn forged(state: &Value) -> String {
    let params = json!({
        "name": "cancel_input", "arguments": {"prompt_id": PROMPT}, "requestState": state,
        "inputResponses": {"answer": {"action": "accept", "content": {"value": "yes"}}},
    });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string()
}

const INVALID: i64 = -32_602;
const NO_REQUEST: i64 = -32_600;
const PROMPT: &str = "api-p1";

const ROWS: &[Row] = &[
    row(
        "44 unknown argument",
        || call("update_status", &json!({"status": "working", "message": "m", "state": "x"})),
        INVALID,
        &["\"state\"", "status, message, phase, progress"],
    ),
    row("44 unknown argument", || call("get_session", &json!({"id": "web"})), INVALID, &["none"]),
    row(
        "44 unknown argument",
        || call("cancel_input", &json!({"prompt_id": PROMPT, "__proto__": {}})),
        INVALID,
        &["__proto__", "prompt_id"],
    ),
    row(
        "45 word that is none",
        || call("update_status", &json!({"status": "finished", "message": "m"})),
        INVALID,
        &["working, completed"],
    ),
    row(
        "45 word that is none",
        || call("update_status", &json!({"status": "WORKING", "message": "m"})),
        INVALID,
        &["working, completed"],
    ),
    row(
        "45 word that is none",
        || call("update_status", &json!({"status": "working ", "message": "m"})),
        INVALID,
        &["working, completed"],
    ),
    row("45 word that is none", || call("update_staus", &json!({})), INVALID, &["update_status"]),
    row("46 batch", || format!("[{}]", ping("1")), NO_REQUEST, &["batches"]),
    row("46 batch", || "[]".to_owned(), NO_REQUEST, &["batches"]),
    row("46 id that is none", || ping("null"), NO_REQUEST, &["id"]),
    row("46 id that is none", || ping("1.5"), NO_REQUEST, &["id"]),
    row("46 id that is none", || ping("{}"), NO_REQUEST, &["id"]),
    row(
        "46 no version",
        || r#"{"id":1,"method":"ping"}"#.to_owned(),
        NO_REQUEST,
        &["jsonrpc", "2.0"],
    ),
    row(
        "46 no version",
        || r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#.to_owned(),
        NO_REQUEST,
        &["jsonrpc", "2.0"],
    ),
    row(
        "46 no version",
        || r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#.to_owned(),
        INVALID,
        &["protocolVersion", "clientInfo"],
    ),
    row("47 state that is not ours", || forged(&json!("AAAA.BBBB")), INVALID, &["nothing"]),
    row("47 state that is not ours", || forged(&json!("")), INVALID, &["nothing"]),
    row("47 state that is not ours", || forged(&json!(7)), INVALID, &["params"]),
];

pub(crate) fn sorts() -> Vec<&'static str> {
    ROWS.iter().map(|row| row.sort).chain(ON_PIPES.iter().copied()).collect()
}

/// What is tried on a pair of pipes, below.
const ON_PIPES: &[&str] =
    &["46 id again", "48 line too long", "48 noise", "49 client that can nothing"];

/// The number and all the words of an error, be it of the protocol or of a tool.
fn refusal(answer: &Value) -> (i64, String) {
    let error = match answer.get("error") {
        Some(error) => error,
        None => &answer["result"]["structuredContent"]["error"],
    };
    let code = error.get("rpc_code").unwrap_or(&error["code"]);
    (code.as_i64().unwrap_or(0), error.to_string().replace("\\\"", "\""))
}

/// A hub in which the agent has asked something.
fn asked() -> Rig {
    let rig = Rig::new();
    let body = br#"{"question":"Go?","default_action":"wait"}"#;
    let who = [("x-headsup-agent", "api")];
    let path = "/api/v1/agents/api/prompts";
    let (status, said) = http::request(&rig.home.socket(), "POST", path, &who, body).unwrap();
    assert_eq!(status, 201, "{}", String::from_utf8_lossy(&said));
    rig
}

/// The agent speaks for itself on a pair of pipes; what it is told, line by line, until it has so many
/// answers: an end of the input would be the end.
fn on_pipes(rig: &Rig, lines: &[String], answers: usize) -> Vec<Value> {
    let mut command = rig.home.command(["mcp"]);
    command.env("HEADSUP_AGENT_ID", "api");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    let text = lines.join("\n") + "\n";
    let told = std::thread::scope(|scope| {
        let writer = scope.spawn(move || {
            stdin.write_all(text.as_bytes()).unwrap();
            stdin
        });
        // Whatever is no message would be noise to the client.
        let read = |line: std::io::Result<String>| serde_json::from_str(&line.unwrap()).unwrap();
        let told: Vec<Value> = stdout.lines().take(answers).map(read).collect();
        drop(writer.join().unwrap());
        told
    });
    assert_eq!(told.len(), answers, "{told:?}");
    assert!(child.wait().unwrap().success());
    told
}

/// The same over HTTP.
fn over_http(rig: &Rig, message: &str) -> Value {
    let headers = [
        ("x-headsup-agent", "api"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2025-11-25"),
    ];
    let (socket, body) = (rig.home.socket(), message.as_bytes());
    let (_, answer) = http::request(&socket, "POST", "/mcp", &headers, body).unwrap();
    serde_json::from_slice(&answer).unwrap()
}

fn hello() -> String {
    let params = json!({
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    });
    json!({"jsonrpc": "2.0", "id": 100, "method": "initialize", "params": params}).to_string()
}

fn with_id(id: u32, message: &str) -> String {
    let mut message: Value = serde_json::from_str(message).unwrap();
    message["id"] = json!(id);
    message.to_string()
}

#[test]
fn what_is_no_call_of_a_tool_is_answered_with_what_would_be_one_and_has_no_effect() {
    let rig = asked();
    let (roster, cursor) = (rig.roster(), rig.get("/healthz")["cursor"].clone());
    for Row { sort, message, code, words } in ROWS {
        let message = message();
        let case = format!("{sort}: {message}");
        let over_http = over_http(&rig, &message);
        let told = on_pipes(&rig, &[hello(), message], 2);
        for answer in [&over_http, &told[1]] {
            let (found, said) = refusal(answer);
            assert_eq!(found, *code, "{case}: {answer}");
            for word in *words {
                assert!(said.contains(word), "{case}: no {word:?} in {said}");
            }
        }
        rig.stands(&case);
        assert_eq!(rig.roster(), roster, "{case}");
        assert_eq!(rig.get("/healthz")["cursor"], cursor, "{case}");
    }
    assert_eq!(rig.get(&format!("/api/v1/prompts/{PROMPT}"))["state"], "open");
}

#[test]
fn a_line_that_is_too_long_or_noise_costs_itself_alone() {
    let rig = asked();
    let long = format!(r#"{{"jsonrpc":"2.0","id":2,"method":"{}"}}"#, "x".repeat(2 << 20));
    let noise = ["\u{1b}[31mhello", "", "\0\0", "Content-Length: 12", "{\"jsonrpc\":\"2.0\"}"];
    let session = |id| with_id(id, &call("get_session", &json!({})));
    let mut lines = vec![hello(), long, session(3)];
    lines.extend(noise.map(str::to_owned));
    lines.push(session(4));
    // The greeting, two sessions, the long line, and all noise but the empty line, which is nothing.
    let told = on_pipes(&rig, &lines, 4 + noise.len() - 1);
    let of = |id: u32| told.iter().find(|answer| answer["id"] == id);
    let (too_long, words) = refusal(told.iter().find(|told| told.get("error").is_some()).unwrap());
    assert!(too_long == NO_REQUEST && words.contains("longer than"), "{words}");
    for id in [3, 4] {
        assert_eq!(of(id).unwrap()["result"]["structuredContent"]["id"], "api", "{told:?}");
    }
    assert_eq!(
        told.iter().filter(|told| told.get("error").is_some()).count(),
        noise.len(),
        "{told:?}"
    );
    rig.stands("48");
}

#[test]
fn the_same_id_again_is_a_call_of_its_own_and_acts_once() {
    let rig = asked();
    let cancel = call("cancel_input", &json!({"prompt_id": PROMPT}));
    let answers = [cancel.clone(), cancel].map(|call| over_http(&rig, &call));
    let won = answers.iter().filter(|told| told["result"]["isError"] == false).count();
    assert_eq!((answers[0]["id"].clone(), won), (json!(1), 1), "{answers:?}");
    let (_, late) = refusal(answers.iter().find(|told| told["result"]["isError"] == true).unwrap());
    assert!(late.contains("already_resolved"), "{late}");
}

#[test]
fn a_client_that_can_nothing_gets_its_answer_in_time() {
    let rig = asked();
    let ask = json!({"question": "Now?", "default_action": "wait", "wait_seconds": 0});
    let told = on_pipes(&rig, &[hello(), call("request_input", &ask)], 2);
    let asked = &told[1]["result"]["structuredContent"];
    assert_eq!(asked["state"], "pending", "{told:?}");
    assert!(asked["next"].as_str().unwrap().contains("wait_for_input"), "{asked}");
}
