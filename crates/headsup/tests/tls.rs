//! The hub behind a proxy that speaks TLS: commands and hooks over https, and what is refused.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail")]

use headsup_core::spool::Decoder;
use headsup_testkit::home::{Done, Home};
use headsup_testkit::hub::Hub;
use headsup_testkit::tls::{Authority, Certificate, Front};
use headsup_testkit::wait;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const STOP: &[u8] = br#"{"hook_event_name":"Stop","session_id":"s","cwd":"/tmp/x"}"#;

/// A hub on TCP, and somebody far away who may know its authority.
struct Rig {
    home: Home,
    _hub: Hub,
    /// Where the hub listens, in plain.
    plain: String,
}

impl Rig {
    fn new() -> Self {
        let home = Home::new(env!("CARGO_BIN_EXE_headsup"));
        let hub = Hub::start(&home);
        let up = home.run(["up", "--listen", "127.0.0.1:0", "--json"]).ok().json();
        let url = up["url"].as_str().unwrap();
        let plain = url.split('/').nth(2).unwrap().to_owned();
        Self { home, _hub: hub, plain }
    }

    /// A front before it, known to the hub by `names` and its port.
    fn front(&self, authority: &Authority, names: &[&str], what: Certificate) -> Front {
        let front = Front::start(authority, names, what, &self.plain);
        let mut up = self.home.command(["up"]);
        for name in ["localhost", "127.0.0.1"] {
            up.args(["--allow-host", &format!("{name}:{}", front.port())]);
        }
        run(up).ok();
        front
    }

    fn elsewhere(&self) -> PathBuf {
        self.home.path().join("elsewhere")
    }

    /// A command that knows the hub by its address, and trusts those in `authorities`.
    fn afar(&self, url: &str, authorities: &Path, args: &[&str]) -> Command {
        let token = fs::read_to_string(self.home.state().join("token")).unwrap();
        let mut command = self.home.command(args);
        command.env("HEADSUP_HOME", self.elsewhere()).env("SSL_CERT_FILE", authorities);
        command.env("HEADSUP_URL", url).env("HEADSUP_TOKEN", token.trim());
        command
    }

    /// How many reports a hook has kept far away, which is silent whatever happens.
    fn kept_by_hook(&self, url: &str, authorities: &Path, id: &str) -> usize {
        let mut hook = self.afar(url, authorities, &["hook", "claude-code"]);
        hook.env("HEADSUP_AGENT_ID", id);
        let done = self.home.feed(hook, STOP);
        assert_eq!((done.code, done.stdout.as_str(), done.stderr.as_str()), (0, "", ""), "{url}");
        let queue = fs::read(self.elsewhere().join("spool/queue")).unwrap_or_default();
        let records: Result<Vec<_>, _> = Decoder::new(&queue).collect();
        records.expect("an undamaged spool").len()
    }
}

fn run(mut command: Command) -> Done {
    Done::from(command.output().expect("headsup runs"))
}

#[test]
fn every_command_works_over_https() {
    let rig = Rig::new();
    let authority = Authority::new("ours");
    let trusted = authority.write(rig.home.path());
    let front = rig.front(&authority, &["localhost", "127.0.0.1"], Certificate::Good);
    for host in ["localhost", "127.0.0.1"] {
        let url = format!("https://{host}:{}", front.port());
        let afar = |args: &[&str]| run(rig.afar(&url, &trusted, args));
        afar(&["report", "working", "--agent", "api"]).ok();
        assert_eq!(afar(&["ls", "--json"]).ok().json()["agents"][0]["id"], "api");
        afar(&["wait", "api", "--until", "working", "--timeout", "20s"]).ok();
        for args in [["show", "api"], ["explain", "api"], ["log", "api"]] {
            afar(&args).ok();
        }
        let up = afar(&["up"]);
        assert!(up.ok().stderr.contains("already up") && up.stderr.contains(&url), "{up:?}");
        let down = afar(&["down", "--json"]);
        assert_eq!(down.code, 7, "{down:?}");
        afar(&["forget", "api", "--force"]).ok();
    }
    assert!(!rig.elsewhere().exists(), "nothing was started there");
}

#[test]
fn changes_are_streamed_as_they_come() {
    let rig = Rig::new();
    let authority = Authority::new("ours");
    let trusted = authority.write(rig.home.path());
    let front = rig.front(&authority, &["localhost"], Certificate::Good);
    let url = format!("https://localhost:{}", front.port());
    let mut watch = rig.afar(&url, &trusted, &["watch", "--json", "--since", "0"]);
    let mut watch = watch.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(watch.stdout.take().unwrap()).lines();
    for state in ["working", "idle"] {
        rig.home.run(["report", state, "--agent", "api"]).ok();
        let told = lines.find(|line| line.as_ref().unwrap().contains(&format!("\"to\":\"{state}")));
        assert!(told.is_some(), "{state}");
    }
    watch.kill().unwrap();
    watch.wait().unwrap();
}

#[test]
fn a_hook_reports_over_https() {
    let rig = Rig::new();
    let authority = Authority::new("ours");
    let trusted = authority.write(rig.home.path());
    let front = rig.front(&authority, &["localhost"], Certificate::Good);
    let url = format!("https://localhost:{}", front.port());
    // On a busy machine one may run out of time, and keeps its report.
    let mut kept = 0;
    let id = (0..100).map(|n| format!("hooked-{n}")).find(|id| {
        let before = std::mem::replace(&mut kept, rig.kept_by_hook(&url, &trusted, id));
        kept == before
    });
    let id = id.expect("a hook that is in time");
    let seen = rig.home.run(["show", &id, "--json"]).ok().json();
    assert_eq!(seen["kind"], "claude-code");
}

#[test]
fn what_cannot_be_verified_is_refused_and_the_hook_keeps_its_report() {
    let rig = Rig::new();
    let [ours, namesake, stranger] = ["ours", "ours", "a stranger"].map(Authority::new);
    let trusted = ours.write(rig.home.path());
    let missing = rig.home.path().join("missing.pem");
    let good = rig.front(&ours, &["localhost"], Certificate::Good);
    let of = |front: &Front, host: &str| format!("https://{host}:{}", front.port());
    let unknown = rig.front(&stranger, &["localhost"], Certificate::Good);
    let renewed = rig.front(&namesake, &["localhost"], Certificate::Good);
    let itself = rig.front(&ours, &["localhost"], Certificate::OfAnAuthority);
    let expired = rig.front(&ours, &["localhost"], Certificate::Expired);
    let cases = [
        (of(&unknown, "localhost"), &trusted, "tls_unknown_issuer", "SSL_CERT_FILE"),
        (of(&renewed, "localhost"), &trusted, "tls_unknown_issuer", "SSL_CERT_FILE"),
        (of(&itself, "localhost"), &trusted, "tls_not_a_servers", "CA:FALSE"),
        (of(&good, "127.0.0.1"), &trusted, "tls_wrong_name", "HEADSUP_URL"),
        (of(&expired, "localhost"), &trusted, "tls_expired", "renew"),
        (format!("https://{}", rig.plain), &trusted, "tls_not_spoken", "http://"),
        (of(&good, "localhost"), &missing, "tls_no_roots", "SSL_CERT_FILE"),
    ];
    for (url, authorities, code, hint) in &cases {
        for args in [&["ls", "--json"][..], &["watch", "--json"], &["up", "--json"]] {
            let refused = run(rig.afar(url, authorities, args));
            assert_eq!((refused.code, refused.stdout.as_str()), (5, ""), "{code}: {refused:?}");
            let error: serde_json::Value = serde_json::from_str(&refused.stderr).unwrap();
            assert_eq!(error["error"]["code"], *code, "{error}");
            assert!(error["error"]["hint"].as_str().unwrap().contains(hint), "{error}");
            assert_eq!(error["error"]["retryable"], false, "{error}");
            assert!(!refused.stderr.contains("DnsName"), "{error}");
        }
        wait::until("the report to be kept", || {
            (rig.kept_by_hook(url, authorities, "api") > 0).then_some(())
        });
        fs::remove_file(rig.elsewhere().join("spool/queue")).unwrap();
    }
}

#[test]
fn an_empty_variable_counts_as_unset() {
    let rig = Rig::new();
    let authority = Authority::new("ours");
    let folder = rig.home.path().join("authorities");
    fs::create_dir(&folder).unwrap();
    authority.write(&folder);
    let front = rig.front(&authority, &["localhost"], Certificate::Good);
    let url = format!("https://localhost:{}", front.port());
    let empty = || rig.afar(&url, Path::new(""), &["ls", "--json"]);
    let mut with_a_folder = empty();
    with_a_folder.env("SSL_CERT_DIR", &folder);
    run(with_a_folder).ok();
    // The system's authorities, of which none is ours; where it has any.
    let code = |command: Command| {
        let refused = run(command);
        let error: serde_json::Value = serde_json::from_str(&refused.stderr).unwrap();
        error["error"]["code"].as_str().unwrap().to_owned()
    };
    let mut unset = empty();
    unset.env_remove("SSL_CERT_FILE");
    assert_eq!(code(empty()), code(unset));
}
