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
    assert!(bench.client().get(LISTENER).await.json()["url"].is_null());
    assert_eq!(bench.client().report("a", "working").await.status, 202);
    drop(squatter);
    let back = bench.client().send("PUT", LISTENER, &[], "{}").await.json();
    assert_eq!(back["url"], format!("http://{}", tcp.host()));
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
