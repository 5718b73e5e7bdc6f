use super::bench::{Bench, Client};
use std::net::TcpListener;

const LISTENER: &str = "/api/v1/listener";

#[tokio::test(flavor = "multi_thread")]
async fn a_hub_listens_when_asked_and_again_after_a_restart() {
    let mut bench = Bench::new().await;
    let none = bench.client().get(LISTENER).await.json();
    assert!(none["url"].is_null() && none["addresses"].as_array().unwrap().is_empty());
    let code = bench.client().send("POST", &format!("{LISTENER}/codes"), &[], "").await;
    assert_eq!((code.status.as_u16(), code.code().as_str()), (409, "not_listening"));

    let tcp = bench.on_tcp().await;
    let first = bench.client().get(LISTENER).await.json();
    for address in first["addresses"].as_array().unwrap() {
        // `localhost` may be either.
        let address = address.as_str().unwrap().parse().unwrap();
        let twin = Client { tcp: Some(address), ..bench.client() };
        assert_eq!(twin.get("/healthz").await.code(), "token_missing");
    }
    assert_eq!(first["url"], format!("http://{}", tcp.host()));
    // Asked again, also for any port or for none: it stays where it is.
    for body in ["{}".to_owned(), r#"{"address":"127.0.0.1:0"}"#.to_owned()] {
        let again = bench.client().send("PUT", LISTENER, &[], body).await;
        assert_eq!(again.json(), first);
    }
    let bearer = bench.bearer();
    bench.restart().await;
    assert_eq!(bench.client().get(LISTENER).await.json(), first);
    let told = tcp.send("GET", "/healthz", &[("authorization", &bearer)], "").await;
    assert_eq!(told.status, 200);

    bench.client().send("DELETE", LISTENER, &[], "").await;
    assert!(tokio::net::TcpStream::connect(tcp.tcp.unwrap()).await.is_err());
    bench.restart().await;
    assert_eq!(bench.client().get(LISTENER).await.json(), none);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hub_moves_to_another_address_and_keeps_its_names() {
    let bench = Bench::new().await;
    let body = r#"{"address":"127.0.0.1:0","allow_hosts":["Hub.Example"]}"#;
    let doc = bench.client().send("PUT", LISTENER, &[], body).await.json();
    assert_eq!(doc["allow_hosts"], serde_json::json!(["hub.example"]));
    let old = doc["addresses"][0].as_str().unwrap().to_owned();
    let bearer = bench.bearer();
    let headers = [("authorization", bearer.as_str()), ("host", "hub.example")];
    let port = old.rsplit(':').next().unwrap();
    // Also to an address that shares the port with the one before.
    let wide = format!("{{\"address\":\"0.0.0.0:{port}\",\"insecure\":true}}");
    let wide = bench.client().send("PUT", LISTENER, &[], wide).await.json();
    assert_eq!(wide["addresses"][0], format!("0.0.0.0:{port}"), "{wide}");
    assert_eq!(wide["url"], format!("http://127.0.0.1:{port}"));
    bench.on_tcp_at(&old).await;
    for address in ["[::1]:0", "127.0.0.1:0"] {
        let tcp = bench.on_tcp_at(address).await;
        assert_eq!(tcp.send("GET", "/healthz", &headers, "").await.status, 200, "{address}");
        assert_eq!(tcp.tcp.unwrap().is_ipv6(), address.starts_with('['));
    }
    assert!(tokio::net::TcpStream::connect(old).await.is_err());
    let gone = bench.client().send("PUT", LISTENER, &[], r#"{"allow_hosts":[]}"#).await.json();
    assert_eq!(gone["allow_hosts"], serde_json::json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_is_refused_and_what_listens_goes_on() {
    let mut bench = Bench::new().await;
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = other.local_addr().unwrap();
    let tcp = bench.on_tcp().await;
    let cases = [
        (r#"{"address":"0.0.0.0:0"}"#.to_owned(), 400, "not_loopback"),
        (r#"{"address":"[::]:0"}"#.to_owned(), 400, "not_loopback"),
        (r#"{"address":"hub.example:80"}"#.to_owned(), 400, "bad_address"),
        (r#"{"allow_hosts":["http://x/"]}"#.to_owned(), 400, "bad_address"),
        (r#"{"adress":"127.0.0.1:0"}"#.to_owned(), 400, "bad_json"),
        (String::new(), 400, "bad_json"),
        (format!("{{\"address\":\"{taken}\"}}"), 409, "address_in_use"),
        // Our own port on an address that this machine does not have.
        (
            format!("{{\"address\":\"192.0.2.1:{}\",\"insecure\":true}}", tcp.tcp.unwrap().port()),
            409,
            "cannot_listen",
        ),
    ];
    for (body, status, code) in cases {
        let reply = bench.client().send("PUT", LISTENER, &[], body.clone()).await;
        assert_eq!((reply.status.as_u16(), reply.code().as_str()), (status, code), "{body}");
    }
    let body = format!("{{\"address\":\"{taken}\"}}");
    let reply = bench.client().send("PUT", LISTENER, &[], body).await;
    assert!(reply.text().contains(&format!("port {} ", taken.port())), "{}", reply.text());
    assert_eq!(tcp.get("/healthz").await.status, 401);
    // A port that was ours and is another's now must not keep agents from reporting.
    bench.stop().await;
    let squatter = TcpListener::bind(tcp.tcp.unwrap()).unwrap();
    bench.start().await;
    let lost = bench.client().get(LISTENER).await.json();
    assert!(lost["url"].is_null());
    let port = format!("port {} ", tcp.tcp.unwrap().port());
    assert!(lost["problem"].as_str().unwrap().contains(&port), "{lost}");
    assert_eq!(bench.client().report("a", "working").await.status, 202);
    drop(squatter);
    let back = bench.client().send("PUT", LISTENER, &[], "{}").await.json();
    assert_eq!(back["url"], format!("http://{}", tcp.host()));
    assert!(bench.client().get(LISTENER).await.json()["problem"].is_null());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_token_lets_nobody_in_over_tcp_and_keeps_no_agent_from_reporting() {
    let mut bench = Bench::new().await;
    let tcp = bench.on_tcp().await;
    let token = bench.home().join("token");
    let good = std::fs::read(&token).unwrap();
    bench.stop().await;
    std::fs::write(&token, "not a token").unwrap();
    bench.start().await;
    assert_eq!(bench.client().report("a", "working").await.status, 202);
    let told = bench.client().get(LISTENER).await.json();
    assert!(told["problem"].as_str().unwrap().contains("holds no token"), "{told}");
    assert!(tokio::net::TcpStream::connect(tcp.tcp.unwrap()).await.is_err());
    let refused = bench.client().send("PUT", LISTENER, &[], "{}").await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (409, "token_unusable"));
    assert_eq!(std::fs::read(&token).unwrap(), b"not a token", "it is left to look at");
    // Repaired, or moved away: without another start.
    std::fs::write(&token, good).unwrap();
    let back = bench.client().send("PUT", LISTENER, &[], "{}").await.json();
    assert_eq!(back["url"], format!("http://{}", tcp.host()));
    let bearer = bench.bearer();
    let told = tcp.send("GET", "/healthz", &[("authorization", &bearer)], "").await;
    assert_eq!(told.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_end_with_their_listener_and_what_is_under_way_is_finished() {
    use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
    let bench = Bench::new().await;
    let tcp = bench.on_tcp().await;
    let bearer = bench.bearer();
    let mut stream = tcp.events_with("", &[("authorization", &bearer)]).await;
    stream.next_of("snapshot").await;
    let body = r#"{"turn":"working"}"#;
    let head = format!(
        "POST /api/v1/agents/a/reports HTTP/1.1\r\nHost: {}\r\nAuthorization: {bearer}\r\n\
         Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: {}\r\n\r\n",
        tcp.host(),
        body.len()
    );
    let mut report =
        BufReader::new(tokio::net::TcpStream::connect(tcp.tcp.unwrap()).await.unwrap());
    report.write_all(head.as_bytes()).await.unwrap();
    let mut line = String::new();
    report.read_line(&mut line).await.unwrap();
    assert!(line.contains("100 Continue"), "{line}");
    bench.client().send("DELETE", LISTENER, &[], "").await;
    // It does not last as long as a request may that is under way.
    assert_eq!(stream.next().await, None);
    report.write_all(body.as_bytes()).await.unwrap();
    let mut answer = String::new();
    report.read_to_string(&mut answer).await.unwrap();
    assert!(answer.contains("HTTP/1.1 202"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_socket_decides_who_else_is_served() {
    let bench = Bench::new().await;
    let tcp = bench.on_tcp().await;
    let bearer = bench.bearer();
    let token = [("authorization", bearer.as_str())];
    for (method, path) in [("GET", ""), ("PUT", ""), ("DELETE", ""), ("POST", "/codes")] {
        let reply = tcp.send(method, &format!("{LISTENER}{path}"), &token, "{}").await;
        assert_ne!(reply.status, 200, "{method} {path}");
        let found = reply.status.as_u16();
        assert!([404, 415].contains(&found), "{method} {path}: {found}");
    }
    assert_eq!(bench.client().get("/open?code=x").await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_listens_in_passing_is_not_kept_and_takes_away_nothing_that_lasts() {
    let mut bench = Bench::new().await;
    let passing = r#"{"address":"127.0.0.1:0","passing":true}"#;
    let leave = format!("{LISTENER}?passing=true");
    let here = bench.client().send("PUT", LISTENER, &[], passing).await.json();
    assert!(here["url"].is_string(), "{here}");
    assert!(!bench.home().join("listen.json").exists());
    let gone = bench.client().send("DELETE", &leave, &[], "").await.json();
    assert!(gone["url"].is_null(), "{gone}");

    // What somebody else asks for meanwhile lasts.
    let here = bench.client().send("PUT", LISTENER, &[], passing).await.json();
    assert_eq!(bench.client().send("PUT", LISTENER, &[], "{}").await.json(), here);
    assert_eq!(bench.client().send("DELETE", &leave, &[], "").await.json(), here);
    bench.restart().await;
    assert_eq!(bench.client().get(LISTENER).await.json(), here);
    // What was there before as well.
    assert_eq!(bench.client().send("PUT", LISTENER, &[], passing).await.json(), here);
    assert_eq!(bench.client().send("DELETE", &leave, &[], "").await.json(), here);
    assert!(bench.home().join("listen.json").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_lasts_is_back_once_what_listens_elsewhere_in_passing_is_gone() {
    let mut bench = Bench::new().await;
    let leave = format!("{LISTENER}?passing=true");
    let lasting = r#"{"address":"127.0.0.1:0","allow_hosts":["hub.example"]}"#;
    let here = bench.client().send("PUT", LISTENER, &[], lasting).await.json();
    for restarts in [false, true] {
        let elsewhere = r#"{"address":"[::1]:0","passing":true}"#;
        let there = bench.client().send("PUT", LISTENER, &[], elsewhere).await.json();
        assert!(there["url"].as_str().unwrap().contains("[::1]"), "{there}");
        if restarts {
            bench.restart().await;
        } else {
            assert_eq!(bench.client().send("DELETE", &leave, &[], "").await.json(), here);
        }
        assert_eq!(bench.client().get(LISTENER).await.json(), here, "{restarts}");
    }
    // Nor are other names kept.
    let named = r#"{"allow_hosts":["demo.example"],"passing":true}"#;
    bench.client().send("PUT", LISTENER, &[], named).await;
    bench.restart().await;
    assert_eq!(bench.client().get(LISTENER).await.json(), here);
    // Where another program has taken its place meanwhile, that is said.
    let elsewhere = r#"{"address":"[::1]:0","passing":true}"#;
    bench.client().send("PUT", LISTENER, &[], elsewhere).await;
    let address = here["addresses"][0].as_str().unwrap();
    let _other = TcpListener::bind(address).unwrap();
    let gone = bench.client().send("DELETE", &leave, &[], "").await.json();
    assert!(gone["url"].is_null(), "{gone}");
    assert!(gone["problem"].as_str().unwrap().contains("in use"), "{gone}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_there_in_passing_changes_no_names_and_no_address_that_last() {
    let mut bench = Bench::new().await;
    let leave = format!("{LISTENER}?passing=true");
    let lasting = r#"{"address":"127.0.0.1:0","allow_hosts":["hub.example"]}"#;
    let here = bench.client().send("PUT", LISTENER, &[], lasting).await.json();
    for address in ["127.0.0.1:0", "[::1]:0"] {
        let passing =
            format!(r#"{{"address":"{address}","allow_hosts":["demo.example"],"passing":true}}"#);
        let there = bench.client().send("PUT", LISTENER, &[], passing).await.json();
        assert_eq!(there["allow_hosts"], serde_json::json!(["demo.example"]), "{address}");
        // Asked for without an address or a name meanwhile, as for a link: all stays as it is.
        assert_eq!(bench.client().send("PUT", LISTENER, &[], "{}").await.json(), there);
        assert_eq!(bench.client().send("DELETE", &leave, &[], "").await.json(), here, "{address}");
        bench.restart().await;
        assert_eq!(bench.client().get(LISTENER).await.json(), here, "{address}");
    }
    // Names that are to last do so.
    for (address, name) in [("127.0.0.1:0", "a.example"), ("[::1]:0", "b.example")] {
        let passing =
            format!(r#"{{"address":"{address}","allow_hosts":["demo.example"],"passing":true}}"#);
        bench.client().send("PUT", LISTENER, &[], passing).await;
        let named = format!(r#"{{"allow_hosts":["{name}"]}}"#);
        bench.client().send("PUT", LISTENER, &[], named).await;
        let back = bench.client().send("DELETE", &leave, &[], "").await.json();
        assert_eq!(back["allow_hosts"], serde_json::json!([name]), "{address}");
        assert_eq!(back["url"], here["url"], "{address}");
        bench.restart().await;
        assert_eq!(bench.client().get(LISTENER).await.json(), back, "{address}");
    }
}
