//! Each gate by itself: what it stops passes all the others.

use super::*;
use crate::board::Board;
use crate::caller::digest;
use crate::clock::Manual;
use crate::serve::Origin;
use headsup_core::id::AgentId;
use headsup_core::seat::Seat;
use headsup_core::source::Source;
use headsup_core::time::UnixMs;
use std::fs;

/// What a launch gave its agent.
const AGENTS: &str = "a-token-of-one-agent";

fn with_an_agents_token() -> Arc<Board> {
    let (id, now) = (AgentId::new("api").unwrap(), UnixMs(0));
    let mut seat = Seat::new(id, "custom", Source::Report, now);
    seat.about.token = Some(digest(AGENTS).into());
    Arc::new(Board::new(vec![Arc::new(seat)], 0, 0))
}

struct Rig {
    gates: Gates,
    bearer: String,
    cookie: String,
}

const HOST: &str = "127.0.0.1:7717";
const US: (&str, &str) = ("origin", "http://127.0.0.1:7717");
const JSON: (&str, &str) = ("content-type", "application/json");

/// The cookie of a session that began at this Host.
fn begun(gates: &Gates, host: &'static str) -> String {
    let headers = [(axum::http::header::HOST, HeaderValue::from_static(host))];
    gates.begin_session(&headers.into_iter().collect()).split(';').next().unwrap().to_owned()
}

impl Rig {
    fn new() -> Self {
        Self::at(&["127.0.0.1:7717", "[::1]:7717"], &["hub.example", "hub.example:8443"])
    }

    fn at(addresses: &[&str], further: &[&str]) -> Self {
        let home = tempfile::tempdir().unwrap();
        let clock = Arc::new(Manual::new(UnixMs(1_795_296_597_200)));
        let access = Arc::new(Access::new(home.path(), clock, with_an_agents_token()));
        access.ready().unwrap();
        let addresses: Vec<_> = addresses.iter().map(|text| text.parse().unwrap()).collect();
        let further = further.iter().copied().map(str::to_owned).collect();
        let gates = Gates::new(access, &addresses, further);
        let token = fs::read_to_string(home.path().join("token")).unwrap();
        let cookie = begun(&gates, HOST);
        Self { gates, bearer: format!("Bearer {}", token.trim()), cookie }
    }

    /// The code of the refusal; `None`: it passed.
    fn code(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Option<&'static str> {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.gates.check(&request.body(()).unwrap()).err().map(|refused| refused.code())
    }

    /// With our Host and the token.
    fn told(&self, method: &str, headers: &[(&str, &str)]) -> Option<&'static str> {
        let own = [("host", HOST), ("authorization", self.bearer.as_str())];
        self.code(method, "/api/v1/agents", &[&own, headers].concat())
    }

    /// With our Host and a session.
    fn page(&self, method: &str, headers: &[(&str, &str)]) -> Option<&'static str> {
        let own = [("host", HOST), ("cookie", self.cookie.as_str())];
        self.code(method, "/api/v1/agents", &[&own, headers].concat())
    }
}

#[test]
fn the_bearer_of_the_token_passes() {
    let rig = Rig::new();
    for method in ["GET", "HEAD", "DELETE"] {
        assert_eq!(rig.told(method, &[]), None, "{method}");
    }
    for method in ["POST", "PUT", "PATCH", "DELETE"] {
        assert_eq!(rig.told(method, &[JSON, ("content-length", "2")]), None, "{method}");
        assert_eq!(rig.told(method, &[JSON, US, ("sec-fetch-site", "same-origin")]), None);
    }
    assert_eq!(rig.told("GET", &[("sec-fetch-site", "none")]), None);
}

#[test]
fn gate_1_only_our_own_names_are_ours() {
    let rig = Rig::new();
    let code = |hosts: &[&str]| {
        let mut headers: Vec<_> = hosts.iter().map(|host| ("host", *host)).collect();
        headers.push(("authorization", rig.bearer.as_str()));
        rig.code("GET", "/api/v1/agents", &headers)
    };
    let own = [HOST, "localhost:7717", "[::1]:7717", "hub.example", "hub.example:8443"];
    for host in own.into_iter().chain(["LOCALHOST:7717", "LocalHost:7717", "Hub.Example"]) {
        assert_eq!(code(&[host]), None, "{host}");
    }
    let foreign = [
        "evil.example",
        "evil.example:7717",
        "localhost.evil:7717",
        "127.0.0.1.nip.io:7717",
        "127.0.0.1",
        "127.0.0.1:7718",
        "localhost",
        "localhost.:7717",
        "[::2]:7717",
        "0.0.0.0:7717",
        "127.1:7717",
        "user@127.0.0.1:7717",
        "hub.example:80",
        "",
    ];
    for host in foreign {
        assert_eq!(code(&[host]), Some("wrong_host"), "{host}");
    }
    assert_eq!(code(&[]), Some("bad_host"));
    assert_eq!(code(&[HOST, HOST]), Some("bad_header"));
    let absolute = [("host", HOST), ("authorization", rig.bearer.as_str())];
    assert_eq!(rig.code("GET", "http://evil.example/", &absolute), Some("wrong_host"));
    assert_eq!(rig.code("GET", "http://127.0.0.1:7717/", &absolute), None);
}

#[test]
fn gate_1_a_listener_is_known_by_its_address_and_port() {
    let code =
        |rig: &Rig, host| rig.code("GET", "/", &[("host", host), ("authorization", &rig.bearer)]);
    let everywhere = Rig::at(&["0.0.0.0:80"], &[]);
    for host in ["localhost", "localhost:80", "127.0.0.1", "[::1]"] {
        assert_eq!(code(&everywhere, host), None, "{host}");
    }
    assert_eq!(code(&everywhere, "0.0.0.0"), Some("wrong_host"));
    let there = Rig::at(&["192.168.1.5:7717"], &[]);
    assert_eq!(code(&there, "192.168.1.5:7717"), None);
    assert_eq!(code(&there, "192.168.1.6:7717"), Some("wrong_host"));
    there.gates.allow(vec!["Hub".into()]);
    for host in ["hub", "Hub", "HUB"] {
        assert_eq!(code(&there, host), None, "{host}");
    }
}

#[test]
fn gate_2_an_origin_is_ours_exactly() {
    let rig = Rig::new();
    assert_eq!(rig.told("GET", &[US]), None);
    let foreign = [
        "http://evil.example",
        "http://localhost:7717",
        "http://[::1]:7717",
        "https://127.0.0.1:7717",
        "http://127.0.0.1",
        "http://127.0.0.1:3000",
        "http://127.0.0.1:7717/",
        "http://127.0.0.1:7717.evil",
        "HTTP://127.0.0.1:7717",
        "127.0.0.1:7717",
        "ws://127.0.0.1:7717",
        "file://",
        "null",
        "",
    ];
    for origin in foreign {
        assert_eq!(rig.told("GET", &[("origin", origin)]), Some("foreign_origin"), "{origin}");
    }
    assert_eq!(rig.told("GET", &[US, US]), Some("bad_header"));
    let proxied = |origin: &str| {
        let own = [("host", "hub.example"), ("authorization", rig.bearer.as_str())];
        rig.code("GET", "/", &[&own[..], &[("origin", origin)]].concat())
    };
    assert_eq!(proxied("https://hub.example"), None);
    assert_eq!(proxied("http://hub.example"), None);
    assert_eq!(proxied("https://hub.example:8443"), Some("foreign_origin"));
    // A browser writes both in small letters; whoever does not is no browser.
    let own = [("host", "LOCALHOST:7717"), ("authorization", rig.bearer.as_str())];
    let said = |origin| rig.code("GET", "/", &[&own[..], &[("origin", origin)]].concat());
    assert_eq!(said("http://localhost:7717"), None);
    assert_eq!(said("http://LOCALHOST:7717"), Some("foreign_origin"));
}

#[test]
fn gate_3_what_another_page_causes_is_refused() {
    let rig = Rig::new();
    for site in ["cross-site", "same-site", "Same-Origin", "", "none, cross-site"] {
        for mode in ["navigate", "no-cors", "websocket"] {
            let headers = [("sec-fetch-site", site), ("sec-fetch-mode", mode)];
            assert_eq!(rig.told("GET", &headers), Some("foreign_site"), "{site}");
            assert_eq!(rig.page("GET", &headers), Some("foreign_site"), "{site}");
        }
    }
    let twice = [("sec-fetch-site", "none"), ("sec-fetch-site", "cross-site")];
    assert_eq!(rig.told("GET", &twice), Some("foreign_site"));
}

#[test]
fn gate_4_a_body_is_json_and_nobody_asks_beforehand() {
    let rig = Rig::new();
    for method in ["POST", "PUT", "PATCH"] {
        for unsaid in [("content-length", "9"), ("transfer-encoding", "chunked")] {
            assert_eq!(rig.told(method, &[unsaid]), Some("unsupported_media_type"), "{method}");
        }
    }
    for method in ["PUT", "PATCH"] {
        assert_eq!(rig.told(method, &[]), Some("unsupported_media_type"), "{method}");
    }
    // What has no body needs no type, and passes the other gates all the same.
    assert_eq!(rig.told("POST", &[]), None);
    assert_eq!(rig.told("POST", &[("content-length", "0")]), None);
    let forms = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""];
    for form in forms {
        for method in ["POST", "PUT", "PATCH", "DELETE", "GET"] {
            let headers = [("content-type", form), ("content-length", "9")];
            assert_eq!(rig.told(method, &headers), Some("unsupported_media_type"), "{form}");
        }
    }
    let twice = [JSON, ("content-type", "text/plain")];
    assert_eq!(rig.told("POST", &twice), Some("unsupported_media_type"));
    let unsaid = [("transfer-encoding", "chunked")];
    assert_eq!(rig.told("DELETE", &unsaid), Some("unsupported_media_type"));
    let packed = [JSON, ("content-encoding", "gzip")];
    assert_eq!(rig.told("POST", &packed), Some("unsupported_encoding"));
    for method in ["OPTIONS", "TRACE", "CONNECT", "PURGE"] {
        assert_eq!(rig.told(method, &[]), Some("method_not_allowed"), "{method}");
    }
}

#[test]
fn gate_5_without_token_or_session_there_is_nothing() {
    let rig = Rig::new();
    let code = |headers: &[(&str, &str)]| {
        rig.code("GET", "/metrics", &[&[("host", HOST)], headers].concat())
    };
    assert_eq!(code(&[]), Some("token_missing"));
    assert_eq!(code(&[("cookie", "headsup_7717=1.x; a")]), Some("token_missing"));
    let token = rig.bearer.strip_prefix("Bearer ").unwrap();
    let wrong = [
        String::new(),
        "Bearer".into(),
        "Bearer ".into(),
        format!("Basic {token}"),
        format!("Bearer {}", &token[1..]),
        format!("Bearer {token}0"),
        format!("Bearer  {token}"),
        token.to_owned(),
    ];
    for said in &wrong {
        assert_eq!(code(&[("authorization", said)]), Some("token_wrong"), "{said}");
    }
    // A wrong token is not mended by a session, and none is taken out of an address.
    let both = [("authorization", "Bearer x"), ("cookie", rig.cookie.as_str())];
    assert_eq!(code(&both), Some("token_wrong"));
    let query = format!("/metrics?token={token}");
    assert_eq!(rig.code("GET", &query, &[("host", HOST)]), Some("token_missing"));
    let twice = [("authorization", rig.bearer.as_str()), ("authorization", "Bearer x")];
    assert_eq!(code(&twice), Some("bad_header"));
    let agents = ("authorization", format!("Bearer {AGENTS}"));
    let request = Request::builder().header("host", HOST).header(agents.0, &agents.1);
    let refused = rig.gates.check(&request.body(()).unwrap()).err().unwrap();
    assert_eq!(refused.code(), "token_wrong");
    let says = serde_json::to_string(refused.problem()).unwrap();
    assert!(
        says.contains("an agent's own token") && says.contains("X-Headsup-Agent-Token"),
        "{says}"
    );
    assert_eq!(code(&[("authorization", &rig.bearer)]), None);
    assert_eq!(code(&[("authorization", &rig.bearer.replace("Bearer", "bearer"))]), None);
}

#[test]
fn a_code_may_be_brought_without_a_token_but_only_past_the_other_gates() {
    let rig = Rig::new();
    let code = |method, host, more: &[(&str, &str)]| {
        rig.code(method, "/open?code=x", &[&[("host", host)], more].concat())
    };
    assert_eq!(code("GET", HOST, &[("sec-fetch-site", "none")]), None);
    assert_eq!(code("HEAD", HOST, &[]), Some("token_missing"));
    assert_eq!(code("POST", HOST, &[JSON]), Some("token_missing"));
    assert_eq!(code("GET", "evil.example:7717", &[]), Some("wrong_host"));
    assert_eq!(code("GET", HOST, &[("sec-fetch-site", "cross-site")]), Some("foreign_site"));
    assert_eq!(code("GET", HOST, &[("origin", "null")]), Some("foreign_origin"));
    assert_eq!(rig.code("GET", "/open/", &[("host", HOST)]), Some("token_missing"));
}

#[test]
fn with_a_session_only_our_own_page_acts() {
    let rig = Rig::new();
    assert_eq!(rig.page("GET", &[]), None);
    assert_eq!(rig.page("HEAD", &[]), None);
    for method in ["POST", "PUT", "PATCH", "DELETE"] {
        assert_eq!(rig.page(method, &[JSON]), Some("origin_missing"), "{method}");
        let typed = [JSON, ("sec-fetch-site", "none")];
        assert_eq!(rig.page(method, &typed), Some("origin_missing"), "{method}");
        assert_eq!(rig.page(method, &[JSON, US]), None, "{method}");
        assert_eq!(rig.page(method, &[JSON, ("sec-fetch-site", "same-origin")]), None);
    }
    let upgrade = ("upgrade", "websocket");
    assert_eq!(rig.page("GET", &[upgrade]), Some("origin_missing"));
    assert_eq!(rig.page("GET", &[upgrade, US]), None);
    assert_eq!(rig.told("GET", &[upgrade]), None);
}

#[test]
fn a_link_or_a_session_is_worth_nothing_to_another_user_of_the_machine() {
    let rig = Rig::new();
    let code = |is_another: bool, path: &str, host: &str, said: (&str, &str)| {
        let request = Request::builder().uri(path).header("host", host).header(said.0, said.1);
        let mut request = request.body(()).unwrap();
        request.extensions_mut().insert(Connected::told(Origin::told(is_another)));
        rig.gates.check(&request).err().map(|refused| refused.code())
    };
    let session = ("cookie", rig.cookie.as_str());
    let token = ("authorization", rig.bearer.as_str());
    for (path, said) in [("/open?code=x", ("x", "y")), ("/api/v1/agents", session)] {
        assert_eq!(code(true, path, HOST, said), Some("foreign_user"), "{path}");
        assert_eq!(code(false, path, HOST, said), None, "{path}");
    }
    // A proxy runs as whoever it likes. What another user has got at our own name is nothing there.
    let given = begun(&rig.gates, "hub.example");
    let behind = ("cookie", given.as_str());
    for (path, said) in [("/open?code=x", ("x", "y")), ("/api/v1/agents", behind)] {
        assert_eq!(code(true, path, "hub.example", said), None, "{path}");
        assert_eq!(code(true, path, "Hub.Example:8443", said), None, "{path}");
    }
    let agents = "/api/v1/agents";
    assert_eq!(code(true, agents, "hub.example", session), Some("token_missing"));
    assert_eq!(code(false, agents, HOST, behind), Some("token_missing"));
    assert_eq!(code(true, "/api/v1/agents", HOST, token), None, "it was given to them");
}

#[test]
fn every_answer_is_protected_and_a_page_may_say_more() {
    let mut headers = HeaderMap::new();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("max-age=60"));
    protect(&mut headers);
    assert_eq!(headers[CACHE_CONTROL], "max-age=60");
    assert_eq!(headers["x-content-type-options"], "nosniff");
    assert_eq!(headers["referrer-policy"], "no-referrer");
    assert_eq!(headers["cross-origin-resource-policy"], "same-origin");
    assert_eq!(headers["x-frame-options"], "DENY");
}
