use super::bench::{Bench, Client, Headers, Reply, soon};
use crate::limits;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

const REPORT: &str = "/api/v1/agents/a/reports";

/// A fresh link: its path, with the code.
async fn link(bench: &Bench) -> String {
    let reply = bench.client().send("POST", "/api/v1/listener/codes", &[], "").await;
    assert_eq!(reply.status, 201, "{}", reply.text());
    let url = reply.json()["url"].as_str().unwrap().to_owned();
    url[url.find("/open?code=").unwrap()..].to_owned()
}

/// The cookie of a browser that came in by `link`.
fn session(reply: &Reply) -> String {
    assert_eq!((reply.status.as_u16(), &reply.headers["location"]), (303, &"/".parse().unwrap()));
    let cookie = reply.headers["set-cookie"].to_str().unwrap();
    cookie.split(';').next().unwrap().to_owned()
}

async fn code_of(client: &Client, headers: Headers<'_>) -> String {
    client.send("GET", "/api/v1/agents", headers, "").await.code()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_lets_one_browser_in_once() {
    let bench = Bench::new().await;
    let tcp = bench.on_tcp().await;
    let link = link(&bench).await;
    for wrong in ["/open", "/open?code=", "/open?code=x", &link[..link.len() - 1]] {
        let reply = tcp.get(wrong).await;
        assert_eq!((reply.status.as_u16(), reply.code().as_str()), (401, "code_wrong"), "{wrong}");
        assert!(!reply.headers.contains_key("set-cookie"));
    }
    let cookie = session(&tcp.get(&link).await);
    let headers = [("cookie", cookie.as_str())];
    assert_eq!(tcp.send("GET", "/api/v1/agents", &headers, "").await.status, 200);
    let again = tcp.get(&link).await;
    assert_eq!((again.status.as_u16(), again.code().as_str()), (401, "code_wrong"));
    assert_eq!(again.headers["www-authenticate"], "Bearer realm=\"headsup\"");
    // Going back to it with the session is no error, and gives nothing new.
    let back = tcp.send("GET", &link, &headers, "").await;
    assert_eq!(back.status, 303);
    assert!(!back.headers.contains_key("set-cookie"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_look_ahead_does_not_use_a_link_up() {
    let bench = Bench::new().await;
    let tcp = bench.on_tcp().await;
    let link = link(&bench).await;
    let bearer = bench.bearer();
    for headers in [&[][..], &[("authorization", bearer.as_str())]] {
        let reply = tcp.send("HEAD", &link, headers, "").await;
        assert!(reply.status.is_client_error(), "{}", reply.status);
        assert!(!reply.headers.contains_key("set-cookie"));
    }
    session(&tcp.get(&link).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_ends_after_two_minutes_and_with_its_hub() {
    let mut bench = Bench::new().await;
    let tcp = bench.on_tcp().await;
    let (late, kept) = (link(&bench).await, link(&bench).await);
    bench.clock.advance(119_999);
    session(&tcp.get(&kept).await);
    bench.clock.advance(1);
    assert_eq!(tcp.get(&late).await.status, 401);
    let lost = link(&bench).await;
    bench.restart().await;
    assert_eq!(tcp.get(&lost).await.status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_outlives_the_hub_but_not_its_week_nor_the_token() {
    let mut bench = Bench::new().await;
    let tcp = bench.on_tcp().await;
    let cookie = session(&tcp.get(&link(&bench).await).await);
    let headers = [("cookie", cookie.as_str())];
    bench.restart().await;
    assert_eq!(code_of(&tcp, &headers).await, "");
    bench.clock.advance(7 * 24 * 3_600_000);
    assert_eq!(code_of(&tcp, &headers).await, "token_missing");
    bench.clock.jump(-7 * 24 * 3_600_000);
    assert_eq!(code_of(&tcp, &headers).await, "");
    bench.stop().await;
    std::fs::remove_file(bench.home().join("token")).unwrap();
    bench.start().await;
    assert_eq!(code_of(&tcp, &headers).await, "token_missing");
}

#[tokio::test(flavor = "multi_thread")]
async fn attacks_of_web_pages_have_no_effect_and_learn_nothing() {
    let bench = Bench::new().await;
    let tcp = bench.on_tcp().await;
    let cookie = session(&tcp.get(&link(&bench).await).await);
    let rebound = format!("evil.example:{}", tcp.tcp.unwrap().port());
    let own = format!("http://{}", tcp.host());
    // As if the browser even sent the cookie along.
    let session = ("cookie", cookie.as_str());
    let cross = ("sec-fetch-site", "cross-site");
    let evil = ("origin", "http://evil.example");
    let text = ("content-type", "text/plain");
    let form = ("content-type", "application/x-www-form-urlencoded");
    let body = r#"{"turn":"working"}"#;
    let attacks: [(&str, &str, Headers<'_>, u16); 13] = [
        ("GET", "/api/v1/agents", &[session, ("host", &rebound)], 421),
        ("GET", "/api/v1/events", &[session, ("host", &rebound)], 421),
        ("POST", REPORT, &[session, ("host", &rebound)], 421),
        ("POST", REPORT, &[session, evil, cross, text], 403),
        ("POST", REPORT, &[session, evil, cross, form], 403),
        ("POST", REPORT, &[session, text], 415),
        ("POST", REPORT, &[session], 403),
        ("GET", "/api/v1/agents", &[session, cross, ("sec-fetch-dest", "image")], 403),
        ("GET", "/api/v1/agents", &[session, cross, ("sec-fetch-mode", "navigate")], 403),
        ("GET", "/api/v1/events", &[session, evil, cross], 403),
        ("OPTIONS", REPORT, &[evil, cross, ("access-control-request-method", "POST")], 403),
        ("OPTIONS", REPORT, &[("origin", &own)], 405),
        ("TRACE", REPORT, &[session], 405),
    ];
    for (method, path, headers, status) in attacks {
        let reply = tcp.send(method, path, headers, body).await;
        assert_eq!(reply.status, status, "{method} {path} {headers:?}");
        assert!(reply.headers.keys().all(|name| !name.as_str().starts_with("access-control")));
        assert_eq!(reply.headers["content-type"], "application/problem+json");
        assert_eq!(reply.headers.contains_key("allow"), status == 405, "{method} {path}");
    }
    assert_eq!(bench.client().head().await, 0);
    for (name, value) in [
        ("cache-control", "no-store"),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-resource-policy", "same-origin"),
        ("x-frame-options", "DENY"),
    ] {
        for path in ["/api/v1/agents", "/metrics", "/healthz", "/none"] {
            let reply = tcp.send("GET", path, &[session], "").await;
            assert_eq!(reply.headers[name], value, "{path}");
        }
    }
    // Our own page may.
    let reply = tcp.send("POST", REPORT, &[session, ("origin", &own)], body).await;
    assert_eq!(reply.status, 202);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_path_wants_the_token() {
    let bench = Bench::new().await;
    let tcp = bench.on_tcp().await;
    for path in ["/", "/healthz", "/metrics", "/api/v1/agents", "/api/v1/events", "/none", "/mcp"] {
        assert_eq!(tcp.get(path).await.code(), "token_missing", "{path}");
    }
    let counted = bench.client().metric("headsup_refusals_total{code=\"token_missing\"}").await;
    assert_eq!(counted, 7);
}

#[tokio::test(flavor = "multi_thread")]
async fn too_many_connections_are_closed_and_the_socket_still_serves() {
    let bench = Bench::new().await;
    let tcp = bench.on_tcp().await;
    let address = tcp.tcp.unwrap();
    let most = limits::tcp_connections();
    let mut open = Vec::new();
    for _ in 0..most {
        open.push(TcpStream::connect(address).await.unwrap());
    }
    let mut over = TcpStream::connect(address).await.unwrap();
    let closed = soon("the end of one too many", over.read(&mut [0; 1])).await;
    assert!(closed.is_err() || closed.unwrap() == 0);
    assert_eq!(bench.client().report("a", "working").await.status, 202);
    open.clear();
    // Its places are free again.
    let mut again = soon("a place", async {
        loop {
            let mut stream = TcpStream::connect(address).await.unwrap();
            let head = format!("GET /healthz HTTP/1.1\r\nhost: {address}\r\n\r\n");
            stream.write_all(head.as_bytes()).await.ok();
            if matches!(stream.read(&mut [0; 12]).await, Ok(12)) {
                return stream;
            }
        }
    })
    .await;
    again.shutdown().await.unwrap();
}
