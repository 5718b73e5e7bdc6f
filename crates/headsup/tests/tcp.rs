//! The hub on TCP, for real: commands and hooks over HTTP, links, sessions, restarts.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail")]

use headsup_testkit::home::{Done, Home};
use headsup_testkit::hook;
use headsup_testkit::http::{self, Answer};
use headsup_testkit::hub::Hub;
use headsup_testkit::wait;
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Command, Stdio};

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_headsup"))
}

/// Has the hub listen; `HOST:PORT`, and the link's path.
fn listen(home: &Home, address: &str) -> (String, String) {
    let up = home.run(["up", "--listen", address, "--json"]).ok().json();
    split(up["url"].as_str().unwrap())
}

fn split(url: &str) -> (String, String) {
    let rest = url.strip_prefix("http://").unwrap();
    let (authority, path) = rest.split_once('/').unwrap();
    (authority.to_owned(), format!("/{path}"))
}

fn token(home: &Home) -> String {
    fs::read_to_string(home.state().join("token")).unwrap().trim().to_owned()
}

/// A command that knows the hub by its address and `token` alone.
fn afar(home: &Home, authority: &str, token: &str, args: &[&str]) -> Command {
    let mut command = home.command(args);
    command.env("HEADSUP_HOME", home.path().join("elsewhere"));
    command.env("HEADSUP_URL", format!("http://{authority}")).env("HEADSUP_TOKEN", token);
    command
}

fn run(mut command: Command) -> Done {
    Done::from(command.output().expect("headsup runs"))
}

fn get(authority: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
    http::over_tcp(authority, "GET", path, headers, b"").unwrap()
}

#[test]
fn what_is_not_loopback_needs_the_word() {
    let home = home();
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:7717"] {
        let refused = home.run(["up", "--listen", address, "--json"]);
        assert_eq!(refused.code, 7, "{address}: {refused:?}");
        let error: serde_json::Value = serde_json::from_str(&refused.stderr).unwrap();
        assert_eq!(error["error"]["code"], "not_loopback");
        assert!(error["error"]["hint"].as_str().unwrap().contains("--insecure-listen"));
        assert_eq!(home.run(["up", "--foreground", "--listen", address]).code, 7);
    }
    for address in ["hub.example:1", "7717", "127.0.0.1:x"] {
        assert_eq!(home.run(["up", "--listen", address]).code, 2, "{address}");
    }
    assert_eq!(home.run(["up", "--allow-host", "http://x/"]).code, 2);
    assert!(!home.socket().exists(), "no hub was started for it");

    let _hub = Hub::start(&home);
    let up = home.run(["up", "--listen", "0.0.0.0:0", "--insecure-listen", "--json"]);
    let (authority, _) = split(up.ok().json()["url"].as_str().unwrap());
    assert!(authority.starts_with("127.0.0.1:"), "{authority}");
    assert_eq!(get(&authority, "/healthz", &[]).status, 401);
}

#[test]
fn every_command_and_hook_works_over_tcp() {
    let home = home();
    let _hub = Hub::start(&home);
    for address in ["127.0.0.1:0", "[::1]:0"] {
        let (authority, _) = listen(&home, address);
        let token = token(&home);
        let afar = |args: &[&str]| run(afar(&home, &authority, &token, args));
        afar(&["report", "working", "--agent", "api"]).ok();
        let listed = afar(&["ls", "--json"]).ok().json();
        assert_eq!(listed["agents"][0]["id"], "api");
        afar(&["wait", "api", "--until", "working", "--timeout", "20s"]).ok();
        let watched = afar(&["watch", "--json", "--since", "0", "--no-follow"]).ok().stdout.clone();
        assert!(watched.contains("agent.registered"), "{watched}");
        for args in [["show", "api"], ["explain", "api"], ["log", "api"], ["ack", "api"]] {
            afar(&args).ok();
        }
        afar(&["rename", "api", "web"]).ok();
        afar(&["forget", "web", "--force"]).ok();
        afar(&["statusline"]).ok();
        let elsewhere = home.path().join("elsewhere");
        assert!(!elsewhere.exists(), "nothing was started");
        let payload = r#"{"hook_event_name":"SessionStart","session_id":"s","cwd":"/tmp/x"}"#;
        let fire = || {
            let mut hook = self::afar(&home, &authority, &token, &["hook", "claude-code"]);
            hook.env("HEADSUP_AGENT_ID", "hooked");
            let done = home.feed(hook, payload.as_bytes());
            assert_eq!((done.code, done.stdout.as_str()), (0, ""));
        };
        hook::until("a report that is spooled nowhere", fire, || {
            // Where the hub was too slow for it, it is left there.
            let is_spooled = elsewhere.exists();
            if is_spooled {
                fs::remove_dir_all(&elsewhere).unwrap();
            }
            (!is_spooled && afar(&["show", "hooked", "--json"]).code == 0).then_some(())
        });
        assert_eq!(afar(&["show", "hooked", "--json"]).ok().json()["kind"], "claude-code");
        afar(&["forget", "hooked", "--force"]).ok();
        assert!(!elsewhere.exists(), "nothing was started");
    }
}

#[test]
fn a_wrong_token_is_told_and_what_to_do() {
    let home = home();
    let _hub = Hub::start(&home);
    let (authority, _) = listen(&home, "127.0.0.1:0");
    let wrong = "0".repeat(64);
    for (token, code) in [("", "token_missing"), (wrong.as_str(), "token_wrong")] {
        for args in [&["ls"][..], &["watch"], &["wait", "a", "--until", "done"], &["up"]] {
            let args = [args, &["--json"]].concat();
            let refused = run(afar(&home, &authority, token, &args));
            assert_eq!(refused.code, 5, "{args:?}: {refused:?}");
            let error: serde_json::Value = serde_json::from_str(&refused.stderr).unwrap();
            assert_eq!(error["error"]["code"], code);
            assert!(error["error"]["hint"].as_str().unwrap().contains("HEADSUP_TOKEN"));
        }
        let hook = afar(&home, &authority, token, &["hook", "claude-code"]);
        let done = home.feed(hook, br#"{"hook_event_name":"Stop","session_id":"s"}"#);
        assert_eq!((done.code, done.stdout.as_str(), done.stderr.as_str()), (0, "", ""));
    }
    assert_eq!(home.run(["ls", "--json"]).ok().json()["agents"].as_array().unwrap().len(), 0);
    // Who may come in is decided on the hub's own machine.
    for args in [&["open"][..], &["up", "--listen"], &["up", "--no-listen"]] {
        let refused = run(afar(&home, &authority, &token(&home), args));
        assert_eq!(refused.code, 7, "{args:?}: {refused:?}");
    }
}

#[test]
fn a_link_works_once_and_its_session_outlives_the_hub() {
    let home = home();
    let hub = Hub::start(&home);
    let (authority, first) = listen(&home, "127.0.0.1:0");
    let opened = home.run(["open", "--json"]).ok().json();
    assert!(opened["expires_at"].is_string() && opened["schema"] == 1);
    let (again, second) = split(opened["url"].as_str().unwrap());
    assert_eq!(again, authority, "a second `open` changes nothing");
    assert_ne!(first, second);
    let plain = home.run(["open"]);
    assert!(plain.ok().stdout.starts_with(&format!("http://{authority}/open?code=")), "{plain:?}");

    let entered = get(&authority, &first, &[("sec-fetch-site", "none")]);
    assert_eq!((entered.status, entered.header("location")), (303, Some("/")));
    let cookie = entered.header("set-cookie").unwrap().split(';').next().unwrap();
    let session = [("cookie", cookie)];
    assert_eq!(get(&authority, "/api/v1/agents", &session).status, 200);
    assert_eq!(get(&authority, &first, &[]).status, 401, "used");

    hub.kill();
    let _hub = Hub::start(&home);
    let answer = wait::until("the page to be back", || {
        http::over_tcp(&authority, "GET", "/api/v1/agents", &session, b"").ok()
    });
    assert_eq!(answer.status, 200, "the session is still good");
    assert_eq!(get(&authority, &second, &[]).status, 401, "codes are held in memory alone");

    home.run(["up", "--no-listen"]).ok();
    assert!(http::over_tcp(&authority, "GET", "/", &session, b"").is_err());
}

#[test]
fn secrets_are_in_no_log_and_no_stray_file() {
    let home = home();
    home.run(["up"]).ok();
    let (authority, link) = listen(&home, "127.0.0.1:0");
    get(&authority, &link, &[]);
    get(&authority, "/metrics", &[("authorization", &format!("Bearer {}", token(&home)))]);
    home.run(["down"]).ok();
    let secrets = [token(&home), link.split_once('=').unwrap().1.to_owned()];
    for entry in fs::read_dir(home.state()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() && path.file_name().unwrap() != "token" {
            let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
            let clean = secrets.iter().all(|secret| !text.contains(secret.as_str()));
            assert!(clean, "{} holds a secret", path.display());
        }
    }
}

#[test]
fn a_port_in_use_is_named() {
    let home = home();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let port = taken.local_addr().unwrap().port().to_string();
    let alone = home.run(["up", "--foreground", "--listen", &address]);
    assert_eq!(alone.code, 7, "{alone:?}");
    assert!(alone.stderr.contains(&format!("port {port} ")), "{alone:?}");
    let _hub = Hub::start(&home);
    let refused = home.run(["up", "--listen", &address, "--json"]);
    assert_eq!(refused.code, 7, "{refused:?}");
    let error: serde_json::Value = serde_json::from_str(&refused.stderr).unwrap();
    assert_eq!(error["error"]["code"], "address_in_use");
    assert!(error["error"]["message"].as_str().unwrap().contains(&port));
}

#[test]
fn settings_say_where_to_listen_and_a_port_in_use_there_stops_no_hub() {
    let home = home();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    fs::write(home.path().join("c.toml"), format!("listen = \"{address}\"\n")).unwrap();
    // The hub itself works in another folder.
    let here = |args: &[&str]| {
        let mut command = home.command(args);
        command.current_dir(home.path()).env("HEADSUP_CONFIG", "c.toml");
        run(command)
    };
    here(&["report", "working", "--agent", "api"]).ok();
    here(&["down"]).ok();
    drop(taken);
    here(&["up"]).ok();
    // It serves its socket first.
    let answer = wait::until("the hub to listen", || {
        http::over_tcp(&address, "GET", "/healthz", &[], b"").ok()
    });
    assert_eq!(answer.status, 401);
    here(&["down"]).ok();
}

#[test]
fn a_hub_in_the_foreground_prints_its_link() {
    let home = home();
    let mut command = home.command(["up", "--foreground", "--listen", "127.0.0.1:0"]);
    let mut hub = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(hub.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let (authority, link) = split(line.trim());
    assert_eq!(get(&authority, &link, &[]).status, 303);
    hub.kill().unwrap();
    hub.wait().unwrap();
}

#[test]
fn a_proxys_name_is_let_in_by_option() {
    let home = home();
    let _hub = Hub::start(&home);
    let (authority, _) = listen(&home, "127.0.0.1:0");
    let bearer = format!("Bearer {}", token(&home));
    let by_name = |name: &str| {
        let mut stream = std::net::TcpStream::connect(&authority).unwrap();
        let head = format!(
            "GET /healthz HTTP/1.1\r\nhost: {name}\r\nauthorization: {bearer}\r\n\
             connection: close\r\n\r\n"
        );
        std::io::Write::write_all(&mut stream, head.as_bytes()).unwrap();
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line).unwrap();
        line[9..12].parse::<u16>().unwrap()
    };
    assert_eq!((by_name("hub.example"), by_name(&authority)), (421, 200));
    home.run(["up", "--allow-host", "hub.example"]).ok();
    assert_eq!((by_name("hub.example"), by_name("evil.example")), (200, 421));
}

#[test]
fn a_name_alone_does_not_bring_the_hub_onto_tcp() {
    let home = home();
    for args in [
        &["up", "--foreground", "--allow-host", "hub.example"][..],
        &["up", "--allow-host", "hub.example"],
        &["up", "--demo", "--allow-host", "hub.example"],
    ] {
        let refused = home.run(args);
        assert_eq!(refused.code, 7, "{args:?}: {refused:?}");
        assert!(refused.stderr.contains("--listen --allow-host"), "{refused:?}");
    }
    let (_, listener) = http::get(&home.socket(), "/api/v1/listener").unwrap();
    let listener: serde_json::Value = serde_json::from_slice(&listener).unwrap();
    assert!(listener["url"].is_null(), "{listener}");
    // One that listens by itself is told the name.
    let (authority, _) = listen(&home, "127.0.0.1:0");
    home.run(["down"]).ok();
    home.run(["up", "--allow-host", "hub.example"]).ok();
    let asked = [("authorization", format!("Bearer {}", token(&home)))];
    let asked = [(asked[0].0, asked[0].1.as_str())];
    assert_eq!(get(&authority, "/healthz", &asked).status, 200);
    home.run(["down"]).ok();
}

#[test]
fn leaving_tcp_says_whether_it_lasts() {
    let home = home();
    let config = home.path().join("c.toml");
    let here = |args: &[&str]| {
        let mut command = home.command(args);
        command.env("HEADSUP_CONFIG", &config);
        run(command)
    };
    fs::write(&config, "").unwrap();
    let off = here(&["up", "--no-listen"]);
    assert!(off.ok().stderr.contains("not on TCP, also after a restart"), "{off:?}");
    fs::write(&config, "listen = \"127.0.0.1:0\"\n").unwrap();
    let off = here(&["up", "--no-listen"]);
    assert!(off.ok().stderr.contains("`listen` in the settings brings it back"), "{off:?}");
    here(&["down"]).ok();
}
