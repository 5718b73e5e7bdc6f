use super::bench::{Bench, Client, Headers};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpStream, UnixStream};

const HOOK: &str = "/api/v1/hooks/claude-code";
const REPORT: &str = "/api/v1/agents/a/reports";

#[tokio::test(flavor = "multi_thread")]
async fn whatever_a_browser_sends_is_refused_without_effect() {
    let bench = Bench::new().await;
    let client = bench.client();
    let body = r#"{"turn":"working"}"#;
    let cases: [(Headers<'_>, u16, &str); 7] = [
        (&[("origin", "http://evil.example")], 403, "browser_refused"),
        (&[("origin", "null")], 403, "browser_refused"),
        (&[("referer", "http://localhost/")], 403, "browser_refused"),
        (&[("sec-fetch-site", "none")], 403, "browser_refused"),
        (&[("host", "evil.example")], 421, "wrong_host"),
        (&[("content-type", "text/plain")], 415, "unsupported_media_type"),
        (&[("content-encoding", "gzip")], 415, "unsupported_encoding"),
    ];
    for (headers, status, code) in cases {
        let reply = client.send("POST", REPORT, headers, body).await;
        assert_eq!((reply.status.as_u16(), reply.code().as_str()), (status, code), "{headers:?}");
        assert_eq!(reply.headers["content-type"], "application/problem+json");
        let counted = client.metric(&format!("headsup_refusals_total{{code=\"{code}\"}}")).await;
        assert!(counted >= 1, "{code}");
    }
    for path in ["/api/v1/agents", "/api/v1/events", "/metrics", "/healthz"] {
        let reply = client.send("GET", path, &[("origin", "http://evil.example")], "").await;
        assert_eq!(reply.status, 403, "{path}");
    }
    assert_eq!(client.head().await, 0);
}

/// Method, path, headers, body; status and code of the answer.
type Case<'a> = (&'a str, &'a str, Headers<'a>, &'a str, u16, &'a str);

#[tokio::test(flavor = "multi_thread")]
async fn every_refusal_is_typed_and_changes_nothing() {
    let bench = Bench::new().await;
    let client = bench.client();
    let long = format!(r#"{{"turn":"working","detail":"{}"}}"#, "x".repeat(4_001));
    let deep = "[".repeat(100_000);
    let id = "x".repeat(129);
    let long_id = [("x-headsup-id", id.as_str())];
    let nested = format!("{{\"turn\":{deep}");
    let in_hook = |depth: usize| {
        let (name, session) = (r#""hook_event_name":"UserPromptSubmit""#, r#""session_id":"s1""#);
        format!("{{{name},{session},\"x\":{}{}}}", "[".repeat(depth), "]".repeat(depth))
    };
    let (one_more, without_end) = (in_hook(64), in_hook(100_000));
    let cases: [Case<'_>; 38] = [
        ("GET", "/api/v2/agents", &[], "", 404, "not_found"),
        ("GET", HOOK, &[], "", 405, "method_not_allowed"),
        ("POST", REPORT, &[], "", 400, "bad_json"),
        ("POST", REPORT, &[], "{}", 400, "bad_report"),
        ("POST", REPORT, &[], r#"{"turn":"WORKING"}"#, 400, "bad_report"),
        ("POST", REPORT, &[], r#"{"turn":"done","outcome":"failed"}"#, 400, "bad_report"),
        ("POST", REPORT, &[], r#"{"turn":"idle","turn":"working"}"#, 400, "bad_json"),
        ("POST", REPORT, &[], r#"{"turn":["idle"]}"#, 400, "bad_json"),
        ("POST", REPORT, &[], r#"{"turn":"idle","status":"x"}"#, 400, "bad_json"),
        ("POST", REPORT, &[], &deep, 400, "too_deep"),
        ("POST", REPORT, &[], &nested, 400, "too_deep"),
        ("POST", REPORT, &[], &long, 400, "too_long"),
        ("POST", "/api/v1/agents/a%2Fb/reports", &[], "{}", 400, "bad_agent_id"),
        ("POST", "/api/v1/agents/../reports", &[], "{}", 400, "bad_agent_id"),
        ("POST", "/api/v1/agents/%2e%2e/reports", &[], "{}", 400, "bad_agent_id"),
        ("POST", "/api/v1/agents/%ff/reports", &[], "{}", 400, "bad_agent_id"),
        ("GET", "/api/v1/tasks/%ff", &[], "", 404, "no_such_task"),
        ("PATCH", "/api/v1/tasks/%ff", &[], r#"{"title":"x"}"#, 404, "no_such_task"),
        ("POST", "/api/v1/tasks/%ff/comments", &[], "{}", 404, "no_such_task"),
        ("POST", "/api/v1/effects/%ff/again", &[], "", 404, "no_such_effect"),
        ("POST", HOOK, &[], &one_more, 400, "too_deep"),
        ("POST", HOOK, &[], &without_end, 400, "too_deep"),
        ("POST", HOOK, &[], &deep, 400, "too_deep"),
        ("POST", HOOK, &[("x-headsup-id", "")], "{}", 400, "bad_header"),
        ("POST", HOOK, &long_id, "{}", 400, "bad_header"),
        ("POST", HOOK, &[("x-headsup-id", "é")], "{}", 400, "bad_header"),
        ("POST", HOOK, &[("x-headsup-agent", "../x")], "{}", 400, "bad_agent_id"),
        ("POST", "/api/v1/hooks/claude-code?events=Stop", &[], "{}", 400, "unknown_parameter"),
        ("GET", "/api/v1/agents?sttaus=idle", &[], "", 400, "unknown_parameter"),
        ("GET", "/api/v1/agents?all=yes", &[], "", 400, "bad_parameter"),
        ("GET", "/api/v1/agents?label==x", &[], "", 400, "bad_parameter"),
        ("PUT", "/api/v1/agents/a", &[], r#"{"labels":{"":"x"}}"#, 400, "bad_parameter"),
        ("PUT", "/api/v1/agents/a", &[], r#"{"labels":{" ":"x"}}"#, 400, "bad_parameter"),
        ("PUT", "/api/v1/agents/a", &[], r#"{"cwd":"proj/api"}"#, 400, "bad_parameter"),
        ("PUT", "/api/v1/agents/a", &[], r#"{"launch":["/a","a",[],"/"]}"#, 400, "bad_json"),
        ("GET", "/api/v1/agents/a/activity?limit=0", &[], "", 400, "bad_parameter"),
        ("GET", "/api/v1/agents/a/activity?limit=-1", &[], "", 400, "bad_parameter"),
        ("GET", "/api/v1/agents/a/activity?limit=1000000000", &[], "", 400, "bad_parameter"),
    ];
    for (method, path, headers, body, status, code) in cases {
        let reply = client.send(method, path, headers, body.to_owned()).await;
        let found = (reply.status.as_u16(), reply.code());
        assert_eq!(found, (status, code.to_owned()), "{method} {path} {headers:?}");
    }
    assert_eq!(client.head().await, 0);
    assert_eq!(client.metric("headsup_refusals_total{code=\"too_deep\"}").await, 5);
    assert_eq!(client.send("POST", HOOK, &[], in_hook(63)).await.status, 202);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_id_that_no_request_is_known_by_is_refused_on_every_route() {
    let bench = Bench::new().await;
    let client = bench.client();
    let long = "x".repeat(129);
    for path in [
        "/api/v1/listener/codes",
        "/api/v1/prs/x/refresh",
        "/api/v1/effects/x/again",
        "/api/v1/prompts/x/elicit",
        "/mcp",
        REPORT,
    ] {
        for id in ["", "é", &long] {
            let reply = client.send("POST", path, &[("x-headsup-id", id)], "{}").await;
            let found = (reply.status.as_u16(), reply.code());
            assert_eq!(found, (400, "bad_header".to_owned()), "{path} {id:?}");
        }
    }
}

/// Brackets in a text nest nothing, nor do many lists beside one another.
#[tokio::test(flavor = "multi_thread")]
async fn a_hook_that_is_long_and_flat_is_taken() {
    let bench = Bench::new().await;
    let client = bench.client();
    let lists = format!("[{}0]", "[[{}]],".repeat(100_000));
    let text = format!("\"{}\"", r#"[{\"["#.repeat(100_000));
    for (session, output) in [("s1", lists), ("s2", text)] {
        let body = format!(
            r#"{{"tool_response":{output},"hook_event_name":"UserPromptSubmit","session_id":"{session}"}}"#
        );
        assert!(body.len() > 400_000);
        assert_eq!(client.send("POST", HOOK, &[], body).await.status, 202, "{session}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_may_begin_with_a_byte_order_mark() {
    let bench = Bench::new().await;
    let body = "\u{feff}{\"turn\":\"working\"}";
    assert_eq!(bench.client().send("POST", REPORT, &[], body).await.status, 202);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_is_too_large_is_refused() {
    let bench = Bench::new().await;
    let client = bench.client();
    for (path, most) in [(HOOK, 1_114_112), (REPORT, 262_144)] {
        let reply = client.send("POST", path, &[], vec![b' '; most + 1]).await;
        assert_eq!(
            (reply.status.as_u16(), reply.code().as_str()),
            (413, "body_too_large"),
            "{path}"
        );
        let fits = client.send("POST", path, &[], vec![b' '; most]).await;
        assert_ne!(fits.status, 413, "{path}");
    }
    // Also where the head does not tell its length.
    let mut stream = UnixStream::connect(&client.socket).await.unwrap();
    let head = format!(
        "POST {REPORT} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Transfer-Encoding: chunked\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x10000));
    for _ in 0..5 {
        stream.write_all(chunk.as_bytes()).await.unwrap();
    }
    let mut answer = vec![0; 12];
    stream.read_exact(&mut answer).await.unwrap();
    assert_eq!(answer, b"HTTP/1.1 413");
}

/// A client that sends the head, and the body behind it, and then reads.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_refused_for_its_head_is_told_to_who_is_still_sending() {
    let bench = Bench::new().await;
    let cases = [
        ("/api/v2/agents", "application/json", "404"),
        ("/api/v1/prompts/nobody/answer", "application/json", "404"),
        ("/api/v1/agents/a%2Fb/reports", "application/json", "400"),
        (REPORT, "text/plain", "415"),
        ("/api/v1/agents", "application/json", "405"),
    ];
    let body = format!("{{\"detail\":\"{}\"}}", "x".repeat(250_000));
    for (path, kind, status) in cases {
        let mut stream = UnixStream::connect(bench.hub().socket()).await.unwrap();
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\n\
             Content-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        for piece in body.as_bytes().chunks(1 << 16) {
            stream.write_all(piece).await.unwrap_or_else(|error| panic!("{path}: {error}"));
            tokio::task::yield_now().await;
        }
        // The connection is good for another request.
        let next = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        let answers = talk(stream, next).await;
        assert!(answers.starts_with(&format!("HTTP/1.1 {status}")), "{path}: {answers}");
        assert!(answers.contains("urn:headsup:problem:"), "{path}: {answers}");
        assert!(answers.contains("HTTP/1.1 200"), "{path}: {answers}");
    }
}

/// What the hub says to these bytes until it closes.
async fn raw(bench: &Bench, bytes: &[u8]) -> String {
    talk(UnixStream::connect(bench.hub().socket()).await.unwrap(), bytes).await
}

/// The same over the client's transport.
pub(super) async fn said(client: &Client, bytes: &[u8]) -> String {
    match client.tcp {
        None => talk(UnixStream::connect(&client.socket).await.unwrap(), bytes).await,
        Some(at) => talk(TcpStream::connect(at).await.unwrap(), bytes).await,
    }
}

async fn talk(mut stream: impl AsyncRead + AsyncWrite + Unpin, bytes: &[u8]) -> String {
    stream.write_all(bytes).await.unwrap();
    let mut answer = String::new();
    let read = stream.read_to_string(&mut answer);
    super::bench::soon("the end of the connection", read).await.unwrap();
    answer
}

/// A client that closes its half of the connection behind the request, as `nc -N` and `socat` do.
async fn half_closed(bench: &Bench, path: &str) -> UnixStream {
    let mut stream = UnixStream::connect(bench.hub().socket()).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
    stream
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_says_no_more_behind_a_request_gets_the_whole_answer() {
    let bench = Bench::new().await;
    // The second is longer than what lies in a socket.
    for path in ["/healthz", "/api/openapi.json"] {
        for _ in 0..10 {
            let answer = talk(half_closed(&bench, path).await, b"").await;
            let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_default();
            assert!(head.starts_with("HTTP/1.1 200"), "{path}: {head:?}");
            let length = format!("\r\ncontent-length: {}", body.len());
            assert!(head.contains(&length), "{path}: {} bytes, {head}", body.len());
        }
    }
    // A stream goes on, and is over once its client hears no more.
    let client = bench.client();
    let mut stream = half_closed(&bench, "/api/v1/events").await;
    let mut began = [0; 12];
    stream.read_exact(&mut began).await.unwrap();
    assert_eq!(&began, b"HTTP/1.1 200");
    assert_eq!(client.metric("headsup_subscribers").await, 1);
    drop(stream);
    let over = async { while client.metric("headsup_subscribers").await > 0 {} };
    super::bench::soon("its end", over).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_that_two_parsers_could_read_differently_are_refused() {
    let bench = Bench::new().await;
    let head = "POST /api/v1/agents/a/reports HTTP/1.1\r\nHost: localhost\r\n\
                Content-Type: application/json\r\n";
    for broken in [
        "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
        "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        "X: y\nContent-Length: 2\r\n\r\n{}",
        "Content-Length: 2\r\n Folded: 1\r\n\r\n{}",
        "Content-Length: +2\r\n\r\n{}",
        "Transfer-Encoding: gzip\r\n\r\n{}",
        "Bad Name: 1\r\n\r\n{}",
    ] {
        let answer = raw(&bench, format!("{head}{broken}").as_bytes()).await;
        assert!(answer.starts_with("HTTP/1.1 400"), "{broken:?}: {answer:?}");
    }
    assert_eq!(bench.client().head().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_smuggled_behind_a_request() {
    let bench = Bench::new().await;
    let tcp = bench.on_tcp().await;
    let body = r#"{"turn":"working"}"#;
    let post = |id: &str, host: &str, more: &str| {
        format!(
            "POST /api/v1/agents/{id}/reports HTTP/1.1\r\nHost: {host}\r\nAuthorization: {}\r\n\
             Content-Type: application/json\r\n{more}\r\n",
            bench.bearer()
        )
    };
    for on_tcp in [false, true] {
        let host = if on_tcp { tcp.host() } else { "localhost".to_owned() };
        let good = format!("Content-Length: {}\r\n", body.len());
        // The second is read as a request of its own by who believes the first length.
        let first = post("first", &host, &good) + body;
        let twice = post("bad", &host, &good.repeat(2)) + body + &post("late", &host, &good) + body;
        let bytes = first + &twice;
        let answer = match tcp.tcp.filter(|_| on_tcp) {
            None => raw(&bench, bytes.as_bytes()).await,
            Some(at) => talk(TcpStream::connect(at).await.unwrap(), bytes.as_bytes()).await,
        };
        let heads = answer.match_indices("HTTP/1.1 ");
        let codes: Vec<_> = heads.filter_map(|(at, _)| answer.get(at + 9..at + 12)).collect();
        assert_eq!(codes, ["202", "400"], "{answer}");
        assert!(answer.contains("unclear_framing"), "{answer}");
    }
    // In chunks alone is fine, and the last of its connection.
    let chunked = post("chunks", "localhost", "Transfer-Encoding: chunked\r\n");
    let chunked = format!("{chunked}12\r\n{body}\r\n0\r\n\r\n");
    let answer = raw(&bench, format!("{chunked}{chunked}").as_bytes()).await;
    assert_eq!(answer.matches("HTTP/1.1 202").count(), 1, "{answer}");
    let ids = bench.client().get("/api/v1/agents").await.text();
    assert!(ids.contains("\"first\"") && ids.contains("\"chunks\""), "{ids}");
    assert!(!ids.contains("\"bad\"") && !ids.contains("\"late\""), "{ids}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_http_is_refused_and_counted() {
    let bench = Bench::new().await;
    let client = bench.client();
    let long = format!("GET /{} HTTP/1.1\r\nHost: localhost\r\n\r\n", "a".repeat(100_000));
    for (count, bytes) in (1_u64..).zip([
        &b"GET /healthz HTTP/1.1\r\nHost : localhost\r\n\r\n"[..],
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nA: \0\r\n\r\n",
        b"\x16\x03\x01\0\xa5\r\n\r\n",
        long.as_bytes(),
    ]) {
        let answer = raw(&bench, bytes).await;
        let (head, document) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.contains("\r\ncontent-type: application/problem+json\r\n"), "{answer:?}");
        let problem: serde_json::Value = serde_json::from_str(document).unwrap();
        assert_eq!(problem["code"], "bad_http", "{answer:?}");
        assert!(head.starts_with(&format!("HTTP/1.1 {} ", problem["status"])), "{answer:?}");
        let counted = async {
            while client.metric("headsup_refusals_total{code=\"bad_http\"}").await < count {
                tokio::task::yield_now().await;
            }
        };
        super::bench::soon("the count", counted).await;
    }
}

// On paused time: it moves on only when nobody can do anything but wait.
#[tokio::test(start_paused = true)]
async fn what_does_not_come_to_its_end_is_given_up() {
    let bench = Bench::new().await;
    let start = tokio::time::Instant::now();
    let answer = raw(&bench, b"GET /healthz HTTP/1.1\r\nHost: loc").await;
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{answer:?}");
    assert_eq!(start.elapsed().as_secs(), 5);
    let half = format!(
        "POST {REPORT} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Connection: close\r\nContent-Length: 20\r\n\r\n{{\"turn\""
    );
    let answer = raw(&bench, half.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer:?}");
    assert_eq!(start.elapsed().as_secs(), 15);
}

/// Whatever runs a hook of such a kind by hand has a process above it, which is no agent for that.
#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_understands_of_a_protocol_makes_no_seat_however_often_it_comes() {
    let bench = Bench::new().await;
    let client = bench.client();
    // Nobody's: there is no such process.
    let context = r#"{"parents":[{"pid":21,"start":7,"comm":"agent"}],"pidns":1}"#;
    let headers = [("x-headsup-context", context)];
    let hook = "/api/v1/hooks/acp:some-agent?event=Tomorrow";
    for body in ["null", "{", "[]", "{}", r#"{"session_id":"s1","cwd":"/home/dev/api"}"#] {
        let reply = client.send("POST", hook, &headers, body).await;
        assert_eq!(reply.status, 202, "{body}: {}", reply.text());
        assert_eq!(reply.json()["agent_id"], serde_json::Value::Null, "{body}");
    }
    assert_eq!(client.head().await, 0);
    assert_eq!(client.metric("headsup_reports_total{result=\"not_understood\"}").await, 5);
    let known = "/api/v1/hooks/acp:some-agent?event=turn_started";
    let reply = client.send("POST", known, &headers, r#"{"event":"turn_started"}"#).await;
    assert_eq!(client.headline(reply.json()["agent_id"].as_str().unwrap()).await, "working");
}

/// A process that serves many conversations is none of them.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_shared_process_says_of_no_conversation_makes_no_seat_and_is_counted() {
    let bench = Bench::new().await;
    let client = bench.client();
    let context = r#"{"parents":[{"pid":21,"start":7,"comm":"amp"}],"pidns":1}"#;
    let headers = [("x-headsup-context", context)];
    for is_shared in [true, false] {
        let body = format!(r#"{{"hook_event_name":"agent.end","is_shared":{is_shared}}}"#);
        let reply = client.send("POST", "/api/v1/hooks/amp", &headers, body).await;
        assert_eq!(reply.status, 202, "{}", reply.text());
        assert_eq!(reply.json()["agent_id"].is_null(), is_shared, "{}", reply.text());
    }
    let counted = "headsup_not_understood_total{kind=\"amp\",event=\"agent.end\"}";
    assert_eq!(client.metric(counted).await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_is_no_report_and_an_id_is_good_for_one_agent() {
    let bench = Bench::new().await;
    let client = bench.client();
    let reply = client.send("POST", REPORT, &[], r#"["working"]"#).await;
    assert_eq!((reply.status.as_u16(), reply.code().as_str()), (400, "bad_json"));
    let (id, body) = (&[("x-headsup-id", "n-1")][..], r#"{"turn":"working"}"#);
    assert_eq!(client.send("POST", REPORT, id, body).await.status, 202);
    // The same body for another agent is not the request that was answered before.
    let reply = client.send("POST", "/api/v1/agents/b/reports", id, body).await;
    assert_eq!((reply.status.as_u16(), reply.code().as_str()), (409, "id_conflict"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_in_a_report_is_neither_stored_nor_shown() {
    let mut bench = Bench::new().await;
    let key = format!("ghp_{}", "a1B2c3D4e5".repeat(4));
    let body = format!(r#"{{"turn":"blocked","reason":"question","detail":"use {key}?"}}"#);
    assert_eq!(bench.client().send("POST", REPORT, &[], body).await.status, 202);
    let shown = bench.client().send("GET", "/api/v1/agents/a", &[], "").await.text();
    assert!(shown.contains("[redacted]") && !shown.contains("ghp_"), "{shown}");
    bench.stop().await;
    for entry in std::fs::read_dir(bench.home()).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&bytes).contains("ghp_"), "{}", path.display());
    }
}
