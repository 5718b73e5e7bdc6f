use super::bench::{Bench, Client, Headers, soon};
use crate::limits::Limits;
use futures_util::StreamExt as _;
use hyper::StatusCode;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpStream, UnixStream};
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

trait Line: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Line for T {}

pub(super) struct Socket(WebSocketStream<Box<dyn Line>>);

async fn open(client: &Client, query: &str, headers: Headers<'_>) -> Result<Socket, Error> {
    open_at(client, &format!("/api/v1/ws{query}"), headers).await
}

pub(super) async fn open_at(
    client: &Client,
    path: &str,
    headers: Headers<'_>,
) -> Result<Socket, Error> {
    let line: Box<dyn Line> = match client.tcp {
        None => Box::new(UnixStream::connect(&client.socket).await.unwrap()),
        Some(address) => Box::new(TcpStream::connect(address).await.unwrap()),
    };
    let url = format!("ws://{}{path}", client.host());
    let mut request = url.into_client_request().unwrap();
    for (name, value) in headers {
        let name = hyper::header::HeaderName::from_bytes(name.as_bytes()).unwrap();
        request.headers_mut().insert(name, value.parse().unwrap());
    }
    let (stream, _) = soon("the upgrade", client_async(request, line)).await?;
    Ok(Socket(stream))
}

impl Socket {
    /// The next message that is text; `None` once it is closed.
    pub(super) async fn next(&mut self) -> Option<Value> {
        loop {
            match soon("a message", self.0.next()).await? {
                Ok(Message::Text(text)) => return Some(serde_json::from_str(&text).unwrap()),
                Ok(Message::Close(_)) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    }

    async fn next_of(&mut self, kind: &str) -> Value {
        loop {
            let message = self.next().await.expect("the socket closed");
            if message["type"] == kind {
                return message;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_web_socket_says_what_an_event_stream_says() {
    let bench = Bench::new().await;
    let client = bench.client();
    client.hook("SessionStart", "s1", &[]).await;
    client.report("b", "working").await;
    for query in ["", "?since=0", "?since=1&agent=b", "?type=agent.status_changed", "?since=99"] {
        let end = if query.is_empty() { "?follow=false" } else { "&follow=false" };
        let mut stream = client.events(&format!("{query}{end}")).await;
        let mut socket = open(&client, &format!("{query}{end}"), &[]).await.unwrap();
        let mut count = 0;
        while let Some(message) = stream.next().await {
            assert_eq!(socket.next().await.unwrap(), message.data, "{query}");
            count += 1;
        }
        assert_eq!(socket.next().await, None, "{query}");
        assert!(count > 0, "{query}");
    }
    let mut socket = open(&client, "", &[]).await.unwrap();
    assert_eq!(socket.next().await.unwrap()["type"], "snapshot");
    client.report("c", "blocked").await;
    assert_eq!(socket.next_of("agent.registered").await["agent_id"], "c");
    let asked = open(&client, "?type=no.such", &[]).await;
    assert!(
        matches!(asked, Err(Error::Http(response)) if response.status() == StatusCode::BAD_REQUEST)
    );
    let plain = client.get("/api/v1/ws").await;
    assert_eq!((plain.status.as_u16(), plain.code().as_str()), (426, "upgrade_required"));
}

/// It tells the same frames from the same places, in whichever way its client says where it stood.
#[tokio::test(flavor = "multi_thread")]
async fn a_web_socket_goes_on_behind_the_last_event_of_its_client() {
    let bench = Bench::new().await;
    let client = bench.client();
    for id in ["a", "b"] {
        client.report(id, "working").await;
    }
    for query in ["?follow=false", "?since=0&follow=false"] {
        let headers: Headers<'_> = &[("last-event-id", "2")];
        let mut stream = client.events_with(query, headers).await;
        let mut socket = open(&client, query, headers).await.unwrap();
        let mut cursors = Vec::new();
        while let Some(message) = stream.next().await {
            assert_eq!(socket.next().await.unwrap(), message.data, "{query}");
            cursors.push(message.data["cursor"].clone());
        }
        assert_eq!((cursors.first(), socket.next().await), (Some(&"3".into()), None), "{query}");
    }
}

/// RFC 6455, 4.1: the key is 16 bytes in base64.
#[tokio::test(flavor = "multi_thread")]
async fn a_web_socket_without_a_key_that_is_one_is_refused() {
    let bench = Bench::new().await;
    let client = bench.client();
    for (path, key) in [
        ("/api/v1/ws", "abc"),
        ("/api/v1/ws", "dGhlIHNhbXBsZSBub25jZQ"),
        ("/api/v1/ws", "dGhlIHNhbXBsZSBub25jZSE="),
        ("/api/coder/ws", "YWJj"),
    ] {
        let upgrade = [
            ("connection", "upgrade"),
            ("upgrade", "websocket"),
            ("sec-websocket-version", "13"),
            ("sec-websocket-key", key),
        ];
        let refused = client.send("GET", path, &upgrade, "").await;
        assert_eq!(refused.status.as_u16(), 400, "{path} {key}");
        assert_eq!(refused.code(), "bad_websocket_key", "{path} {key}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cursor_that_is_not_kept_is_told_on_a_web_socket() {
    let limits = Limits { events: 4, ..Limits::default() };
    let bench = Bench::with(limits).await;
    let client = bench.client();
    for n in 0..20 {
        client.report("a", ["working", "blocked"][n % 2]).await;
    }
    bench.pass(3_600_000).await;
    let mut socket = open(&client, "?since=1", &[]).await.unwrap();
    let first = socket.next().await.unwrap();
    assert_eq!((&first["type"], &first["cursor"]), (&"cursor_expired".into(), &"1".into()));
    assert_eq!(socket.next().await.unwrap()["type"], "snapshot");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_web_socket_that_lags_is_told_and_holds_up_nobody() {
    let bench = Bench::with(Limits { bus: 16, ..Limits::default() }).await;
    let client = bench.client();
    let mut slow = open(&client, "", &[]).await.unwrap();
    assert_eq!(slow.next().await.unwrap()["type"], "snapshot");
    // It does not read. Every post is answered all the same, far beyond what any buffer holds.
    let blocked = format!("{{\"turn\":\"blocked\",\"detail\":\"{}\"}}", "x".repeat(3_900));
    for n in 0..400 {
        let turn = if n % 2 == 0 { blocked.clone() } else { "{\"turn\":\"working\"}".to_owned() };
        assert_eq!(client.send("POST", "/api/v1/agents/a/reports", &[], turn).await.status, 202);
    }
    let mut last = 0;
    let lagged = loop {
        let message = slow.next().await.unwrap();
        if message["type"] == "lagged" {
            break message;
        }
        let cursor = message["cursor"].as_str().unwrap().parse::<u64>().unwrap();
        assert!(last == 0 || cursor == last + 1, "a gap before {cursor} without a word");
        last = cursor;
    };
    assert_eq!(lagged["from"], (last + 1).to_string());
    let snapshot = slow.next().await.unwrap();
    assert_eq!((&snapshot["type"], &snapshot["cursor"]), (&"snapshot".into(), &lagged["to"]));
    client.report("b", "working").await;
    assert_eq!(slow.next_of("agent.registered").await["agent_id"], "b");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_web_socket_passes_every_gate() {
    let bench = Bench::new().await;
    let tcp = bench.on_tcp().await;
    let bearer = bench.bearer();
    let own = format!("http://{}", tcp.host());
    let token = ("authorization", bearer.as_str());
    let evil = ("origin", "http://evil.example");
    let cases: [(Headers<'_>, u16); 6] = [
        (&[token, ("host", "evil.example")], 421),
        (&[token, evil], 403),
        (&[token, ("sec-fetch-site", "cross-site")], 403),
        (&[token, ("content-type", "text/plain")], 415),
        (&[], 401),
        (&[("origin", &own)], 401),
    ];
    for (headers, status) in cases {
        match open(&tcp, "", headers).await {
            Err(Error::Http(response)) => assert_eq!(response.status().as_u16(), status),
            other => panic!("{headers:?}: {}", other.is_ok()),
        }
    }
    let mut socket = open(&tcp, "", &[token, ("origin", &own)]).await.unwrap();
    assert_eq!(socket.next().await.unwrap()["type"], "snapshot");
}

#[tokio::test(flavor = "multi_thread")]
async fn open_sockets_end_with_their_listener_and_with_the_hub() {
    let mut bench = Bench::new().await;
    let tcp = bench.on_tcp().await;
    let bearer = bench.bearer();
    let mut on_tcp = open(&tcp, "", &[("authorization", &bearer)]).await.unwrap();
    let mut on_unix = open(&bench.client(), "", &[]).await.unwrap();
    on_tcp.next().await.unwrap();
    on_unix.next().await.unwrap();
    bench.client().send("DELETE", "/api/v1/listener", &[], "").await;
    assert_eq!(on_tcp.next().await, None);
    bench.client().report("a", "working").await;
    assert_eq!(on_unix.next().await.unwrap()["type"], "agent.registered");
    bench.stop().await;
    while on_unix.next().await.is_some() {}
}

#[tokio::test(flavor = "multi_thread")]
async fn what_breaks_the_rules_is_told_by_its_code() {
    let bench = Bench::new().await;
    let tcp = bench.on_tcp().await;
    let bearer = bench.bearer();
    let frames: [(&str, &[u8], u16); 9] = [
        ("unmasked", b"\x81\x02hi", 1002),
        ("a reserved bit", b"\xc1\x80\0\0\0\0", 1002),
        ("an unknown opcode", b"\x83\x80\0\0\0\0", 1002),
        ("a continuation of nothing", b"\x80\x80\0\0\0\0", 1002),
        ("a ping in pieces", b"\x09\x80\0\0\0\0", 1002),
        ("no UTF-8", b"\x81\x82\0\0\0\0\xff\xfe", 1007),
        ("too long", b"\x81\xfe\x20\x00\0\0\0\0", 1009),
        ("too long in 64 bits", b"\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff\0\0\0\0", 1009),
        ("binary", b"\x82\x82\0\0\0\0hi", 1003),
    ];
    for client in [bench.client(), tcp] {
        let token = [("authorization", bearer.as_str())];
        let headers = if client.tcp.is_some() { &token[..] } else { &[] };
        for (what, frame, code) in frames {
            let mut socket = open(&client, "", headers).await.unwrap();
            socket.next_of("snapshot").await;
            // Words that mean nothing here are no offence.
            for bytes in [b"\x81\x82\0\0\0\0hi", frame] {
                socket.0.get_mut().write_all(bytes).await.unwrap();
            }
            let close = loop {
                match soon("the close", socket.0.next()).await {
                    Some(Ok(Message::Close(Some(close)))) => break close,
                    Some(Ok(_)) => {}
                    other => panic!("{what}: {other:?}"),
                }
            };
            assert_eq!(u16::from(close.code), code, "{what}");
        }
    }
    assert_eq!(bench.client().report("a", "working").await.status, 202);
}

/// How the hub says goodbye: code and reason.
async fn goodbye(socket: &mut Socket) -> (u16, String) {
    loop {
        match soon("the close", socket.0.next()).await {
            Some(Ok(Message::Close(Some(close)))) => {
                return (close.code.into(), close.reason.to_string());
            }
            Some(Ok(_)) => {}
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_goodbye_is_answered_and_one_is_said_at_the_end() {
    let mut bench = Bench::new().await;
    let client = bench.client();
    for code in [1000_u16, 1001, 4321] {
        let mut socket = open(&client, "", &[]).await.unwrap();
        socket.next_of("snapshot").await;
        let frame = CloseFrame { code: code.into(), reason: "enough".into() };
        socket.0.close(Some(frame)).await.unwrap();
        assert_eq!(goodbye(&mut socket).await, (code, "enough".to_owned()));
    }
    let mut left = open(&client, "", &[]).await.unwrap();
    left.next_of("snapshot").await;
    bench.stop().await;
    assert_eq!(goodbye(&mut left).await.0, 1001);
}

/// Whoever asked for what there is would take nothing for all of it.
#[tokio::test(flavor = "multi_thread")]
async fn what_the_hubs_end_cuts_off_is_not_told_to_be_the_end() {
    let bench = Bench::new().await;
    let client = bench.client();
    client.report("a", "working").await;
    let queries = ["?follow=false", "?since=0&follow=false", "?since=99&follow=false"];
    for (is_leaving, code) in [(false, 1000), (true, 1001)] {
        if is_leaving {
            bench.hub().app().bus.close();
        }
        for query in queries {
            let mut socket = open(&client, query, &[]).await.unwrap();
            assert_eq!(goodbye(&mut socket).await.0, code, "{query}");
        }
    }
}
