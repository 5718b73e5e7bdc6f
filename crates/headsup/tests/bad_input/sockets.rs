//! A: bytes that no client library sends, on the unix socket and over TCP.

use crate::rig::Rig;
use headsup_testkit::http;
use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// The sort, what is sent, and how the answer begins; nothing where it is closed without a word.
type Raw = (&'static str, &'static str, &'static str);

const POST: &str = "POST /api/v1/agents/known/reports HTTP/1.1\r\nHost: localhost\r\n\
                    Connection: close\r\nContent-Type: application/json\r\n";

/// What two parsers could read differently. `{POST}` stands before each.
const HEADS: &[Raw] = &[
    (
        "32 two lengths",
        "Content-Length: 15\r\nContent-Length: 3\r\n\r\n{\"turn\":\"idle\"}",
        "HTTP/1.1 400",
    ),
    ("32 two lengths", "Content-Length: +15\r\n\r\n{\"turn\":\"idle\"}", "HTTP/1.1 400"),
    ("32 two lengths", "Content-Length: 0x5\r\n\r\n{\"turn\":\"idle\"}", "HTTP/1.1 400"),
    ("32 folded line", "Content-Length: 2\r\n Folded: 1\r\n\r\n{}", "HTTP/1.1 400"),
    ("32 unclear coding", "Transfer-Encoding: gzip\r\n\r\n{}", "HTTP/1.1 400"),
    ("32 unclear coding", "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n", "HTTP/1.1 400"),
    (
        "32 unclear coding",
        "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
        "HTTP/1.1 400",
    ),
    (
        "32 unclear coding",
        "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}\r\n",
        "HTTP/1.1 400",
    ),
    (
        "32 length and coding",
        "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 400",
    ),
    ("32 bare LF", "X: y\nContent-Length: 15\r\n\r\n{\"turn\":\"idle\"}", "HTTP/1.1 400"),
    ("32 no HTTP", "Bad Name: 1\r\n\r\n", "HTTP/1.1 400"),
    ("32 no HTTP", ": 1\r\n\r\n", "HTTP/1.1 400"),
    ("32 no HTTP", "X: a\0b\r\n\r\n", "HTTP/1.1 400"),
    (
        "33 two hosts",
        "Host: localhost\r\nContent-Length: 15\r\n\r\n{\"turn\":\"idle\"}",
        "HTTP/1.1 400",
    ),
    ("35 two types", "Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}", "HTTP/1.1 415"),
];

/// What is not even that.
const WHOLE: &[Raw] = &[
    (
        "36 HEAD",
        "HEAD /api/v1/agents/known/reports HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        "HTTP/1.1 405",
    ),
    ("32 no HTTP", "GET\r\n\r\n", "HTTP/1.1 400"),
    ("32 no HTTP", "GET /healthz HTTP/9.9\r\nHost: localhost\r\n\r\n", "HTTP/1.1 400"),
    ("32 no HTTP", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", ""),
    ("32 no HTTP", "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0", "HTTP/1.1 400"),
    ("33 no host", "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n", "HTTP/1.1 400"),
    ("33 no host", "GET /healthz HTTP/1.0\r\n\r\n", "HTTP/1.0 400"),
    (
        "33 foreign host",
        "GET /healthz HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
        "HTTP/1.1 421",
    ),
    (
        "33 foreign host",
        "GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        "HTTP/1.1 421",
    ),
    (
        "35 no type",
        "POST /api/v1/agents/known/reports HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
          Content-Length: 15\r\n\r\n{\"turn\":\"idle\"}",
        "HTTP/1.1 415",
    ),
    (
        "35 text",
        "POST /api/v1/agents/known/reports HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 15\r\n\
          Content-Type: text/plain\r\n\r\n{\"turn\":\"idle\"}",
        "HTTP/1.1 415",
    ),
];

/// What may come on an open web socket: the sort, the case, its bytes, and the code it is closed with.
const FRAMES: &[(&str, &str, &[u8], u16)] = &[
    ("39 endless frame", "a frame of 64 MiB", b"\x82\xff\0\0\0\0\x04\0\0\0\0\0\0\0", 1009),
    ("39 unmasked frame", "not masked", b"\x81\x02hi", 1002),
    ("39 control frame in pieces", "a control frame in pieces", b"\x09\x80\0\0\0\0", 1002),
    ("39 frame of no kind", "reserved bits", b"\xf1\x80\0\0\0\0", 1002),
    ("39 frame of no kind", "an unknown kind of frame", b"\x83\x80\0\0\0\0", 1002),
    ("39 text that is not UTF-8", "text that is not UTF-8", b"\x81\x82\0\0\0\0\xff\xfe", 1007),
];

pub(crate) fn sorts() -> Vec<&'static str> {
    let raw = HEADS.iter().chain(WHOLE).map(|(sort, ..)| *sort);
    raw.chain(FRAMES.iter().map(|(sort, ..)| *sort)).collect()
}

/// What is said until the other end closes, or says nothing more.
fn heard(mut stream: impl io::Read) -> Vec<u8> {
    let (mut all, mut piece) = (Vec::new(), [0; 4_096]);
    while let Ok(read @ 1..) = stream.read(&mut piece) {
        all.extend_from_slice(&piece[..read]);
    }
    all
}

fn raw(rig: &Rig, bytes: &[u8]) -> String {
    let mut stream = UnixStream::connect(rig.home.socket()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.write_all(bytes).ok();
    String::from_utf8_lossy(&heard(stream)).into_owned()
}

#[test]
fn what_no_client_sends_is_refused_and_the_connection_closed() {
    let rig = Rig::new();
    let target = "/api/v1/agents/known/reports";
    http::post(&rig.home.socket(), target, br#"{"turn":"working"}"#).unwrap();
    let (roster, cursor) = (rig.roster(), rig.get("/healthz")["cursor"].clone());
    let heads = HEADS.iter().map(|(sort, text, answer)| (*sort, format!("{POST}{text}"), *answer));
    let whole = WHOLE.iter().map(|(sort, text, answer)| (*sort, (*text).to_owned(), *answer));
    for (sort, text, answer) in heads.chain(whole) {
        let found = raw(&rig, text.as_bytes());
        assert!(found.starts_with(answer), "{sort}: {text:?}: {found:?}");
        // One answer, and no second request out of what followed.
        assert!(found.matches("HTTP/1.").count() <= 1, "{sort}: {text:?}: {found:?}");
        rig.stands(&text);
        assert_eq!((rig.roster(), &rig.get("/healthz")["cursor"]), (roster.clone(), &cursor));
    }
    // A length in two ways is one request or none.
    let both = format!(
        "{POST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\n\
         Host: localhost\r\n\r\n"
    );
    let found = raw(&rig, both.as_bytes());
    assert!(found.starts_with("HTTP/1.1 400"), "{found:?}");
    assert!(found.matches("HTTP/1.").count() <= 1, "the second request was smuggled: {found:?}");
    assert_eq!(rig.roster(), roster);
}

/// An open one.
fn web_socket(rig: &Rig) -> UnixStream {
    let mut stream = UnixStream::connect(rig.home.socket()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let request = "GET /api/v1/ws?since=now HTTP/1.1\r\nHost: localhost\r\n\
                   Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                   Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    stream.write_all(request.as_bytes()).unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    assert!(head.starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&head));
    stream
}

#[test]
fn what_is_no_web_socket_frame_closes_it_with_its_code() {
    let rig = Rig::new();
    for (_, case, frame, code) in FRAMES {
        let mut stream = web_socket(&rig);
        stream.write_all(frame).unwrap();
        let said = heard(stream);
        assert!(said.first() == Some(&0x88) && said.len() >= 4, "{case}: {said:?}");
        assert_eq!(u16::from_be_bytes([said[2], said[3]]), *code, "{case}");
        rig.stands(case);
    }
    // Nor is what never was one.
    let (status, _) = http::get(&rig.home.socket(), "/api/v1/ws").unwrap();
    assert_eq!(status, 426);
}

/// 39: a client that does nothing but ping is answered, and hears of the next change all the same.
#[test]
fn a_flood_of_pings_holds_up_nobody() {
    let rig = Rig::new();
    let mut stream = web_socket(&rig);
    let mut reader = stream.try_clone().unwrap();
    std::thread::scope(|scope| {
        let heard = scope.spawn(move || {
            let mut all = Vec::new();
            let mut piece = [0; 4_096];
            while !all.windows(10).any(|window| window == b"agent.regi") {
                let read = reader.read(&mut piece).unwrap();
                assert!(read > 0, "it was closed");
                all.extend_from_slice(&piece[..read]);
            }
            all
        });
        for _ in 0..200 {
            stream.write_all(&b"\x89\x80\0\0\0\0".repeat(100)).unwrap();
        }
        let target = "/api/v1/agents/known/reports";
        let (status, _) = http::post(&rig.home.socket(), target, br#"{"turn":"idle"}"#).unwrap();
        assert_eq!(status, 202);
        let all = heard.join().unwrap();
        let pongs = all.windows(2).filter(|window| *window == b"\x8a\0").count();
        assert!(pongs > 0, "nobody answers");
    });
    rig.stands("39 flood of pings");
}

/// 43: whoever has no token, or shows it where it does not belong.
#[test]
fn over_tcp_a_token_is_shown_once_whole_and_in_its_header() {
    let rig = Rig::new();
    let up = rig.home.run(["up", "--listen", "127.0.0.1:0", "--json"]);
    let url = up.ok().json()["url"].as_str().unwrap().to_owned();
    let address = url.trim_start_matches("http://").split('/').next().unwrap().to_owned();
    let token = std::fs::read_to_string(rig.home.state().join("token")).unwrap();
    let token = token.trim();
    let (short, long) = (&token[..token.len() - 1], format!("{token}0"));
    let good = format!("Authorization: Bearer {token}\r\n");
    let rows = [
        (String::new(), "/api/v1/agents", 401),
        ("Authorization: Bearer wrong\r\n".to_owned(), "/api/v1/agents", 401),
        ("Authorization: Bearer \r\n".to_owned(), "/api/v1/agents", 401),
        (format!("Authorization: Bearer {short}\r\n"), "/api/v1/agents", 401),
        (format!("Authorization: Bearer {long}\r\n"), "/api/v1/agents", 401),
        (format!("Authorization: Basic {token}\r\n"), "/api/v1/agents", 401),
        (format!("{good}{good}"), "/api/v1/agents", 400),
        (format!("Authorization: Bearer Bearer {token}\r\n"), "/api/v1/agents", 401),
        (String::new(), "/api/v1/agents?token={token}", 401),
        (String::new(), "/api/v1/agents?access_token={token}", 401),
        (good.clone(), "/api/v1/agents", 200),
    ];
    for (header, target, status) in rows {
        let target = target.replace("{token}", token);
        let mut stream = TcpStream::connect(&address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let head = format!(
            "GET {target} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{header}\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        let said = String::from_utf8_lossy(&heard(stream)).into_owned();
        assert!(said.starts_with(&format!("HTTP/1.1 {status}")), "{header:?} {target}: {said}");
        assert!(status == 200 || !said.contains(token), "the answer shows it");
        rig.stands(&target);
    }
    let counted = rig.counters().into_iter().filter(|(name, _)| name.contains("code=\"token_"));
    assert_eq!(counted.map(|(_, count)| count).sum::<u64>(), 9);
}
