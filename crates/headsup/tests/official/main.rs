//! The official programs for servers of the Model Context Protocol, from npm: the conformance scenarios
//! that need no tools of their own, the Inspector's strict look at the list, and the client for TypeScript that
//! shows a person our question, in both eras.

#![expect(clippy::unwrap_used, reason = "a test may fail")]
#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]

use headsup_testkit::home::Home;
use headsup_testkit::hub::Hub;
use headsup_testkit::live::install::script;
use headsup_testkit::{http, wait};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

const BINARY: &str = env!("CARGO_BIN_EXE_headsup");

/// A script with its node; `None` where it cannot be had, which is said, and on CI is a failure.
fn official(package: &str, version: &str, path: &str) -> Option<(PathBuf, PathBuf)> {
    match script(package, version, path) {
        Ok(found) => Some(found),
        Err(why) => {
            assert!(std::env::var_os("CI").is_none(), "{package} cannot be had: {why}");
            eprintln!("SKIPPED: no {package} {version} from npm: {why}");
            None
        }
    }
}

/// A hub on TCP, and before it a proxy that says who calls.
struct Served {
    home: Home,
    _hub: Hub,
    proxy: Child,
    url: String,
}

impl Served {
    fn start(node: &PathBuf) -> Self {
        let home = Home::new(BINARY);
        let hub = Hub::start_with(&home, &["--listen", "127.0.0.1:0"]);
        let address = home.run(["mcp", "--http", "--json"]).ok().json();
        let token = std::fs::read_to_string(home.state().join("token")).unwrap();
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/official/proxy.mjs");
        let mut command = Command::new(node);
        command.args([script, address["url"].as_str().unwrap(), token.trim(), "api"]);
        let mut proxy = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut port = String::new();
        BufReader::new(proxy.stdout.take().unwrap()).read_line(&mut port).unwrap();
        let url = format!("http://127.0.0.1:{}/mcp", port.trim());
        Self { home, _hub: hub, proxy, url }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _gone = self.proxy.kill();
        let _reaped = self.proxy.wait();
    }
}

/// In the home's own environment, so that nothing of the machine's user is read or written.
fn run(home: &Home, node: &PathBuf, script: &PathBuf, args: &[&str]) -> Output {
    let mut command = Command::new(node);
    command.arg(script).args(args).env("HOME", home.path()).current_dir(home.path());
    command.stdin(Stdio::null()).output().unwrap()
}

fn said(output: &Output) -> String {
    let text = [&output.stdout[..], &output.stderr[..]].map(String::from_utf8_lossy);
    text.concat()
}

fn conforms(version: &str, scenarios: &[(&str, &str)]) {
    let package = "@modelcontextprotocol/conformance";
    let Some((node, script)) = official(package, version, "dist/index.js") else { return };
    let served = Served::start(&node);
    for (scenario, era) in scenarios {
        let args = ["server", "--url", &served.url, "--scenario", scenario, "--spec-version", era];
        let output = run(&served.home, &node, &script, &args);
        assert!(output.status.success(), "{scenario} of {era}: {}", said(&output));
    }
}

#[test]
fn the_scenarios_of_the_first_era_are_green() {
    let scenarios = ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"];
    conforms("0.1.16", &scenarios.map(|scenario| (scenario, "2025-11-25")));
}

#[test]
fn the_scenarios_of_both_eras_are_green() {
    let old = ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"];
    let new = ["tools-list", "dns-rebinding-protection", "caching", "http-header-validation"];
    let of = |era: &'static str| move |scenario: &&'static str| (*scenario, era);
    let all: Vec<_> =
        old.iter().map(of("2025-11-25")).chain(new.iter().map(of("2026-07-28"))).collect();
    conforms("0.2.0-alpha.12", &all);
}

#[test]
fn the_inspector_finds_nothing_in_the_list_that_some_client_could_not_read() {
    let package = "@modelcontextprotocol/inspector";
    let path = "clients/launcher/build/index.js";
    let Some((node, script)) = official(package, "2.12.0", path) else { return };
    let served = Served::start(&node);
    for era in ["legacy", "modern"] {
        let look = ["--method", "tools/list", "--strict", "--protocol-era", era];
        let http = [&["--cli", served.url.as_str(), "--transport", "http"][..], &look].concat();
        let socket = served.home.state().join("headsup.sock");
        let (url, id) = (format!("HEADSUP_URL=unix:{}", socket.display()), "HEADSUP_AGENT_ID=api");
        let stdio = [&["--cli", BINARY, "mcp", "-e", &url, "-e", id][..], &look].concat();
        for args in [http, stdio] {
            let output = run(&served.home, &node, &script, &args);
            assert!(output.status.success(), "{args:?}: {}", said(&output));
            assert!(said(&output).contains("request_input"), "{args:?}: {}", said(&output));
        }
    }
}

/// The official client in a script of ours, as the agent `api`.
fn client(home: &Home, node: &PathBuf, script: &str, client: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(node);
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/official");
    command.arg(Path::new(folder).join(script)).arg(client).args(args).env_clear();
    command.envs(home.command([""]).get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.env("HEADSUP_AGENT_ID", "api").current_dir(home.path()).stdin(Stdio::null());
    command
}

const CLIENT: (&str, &str, &str) = ("@modelcontextprotocol/client", "2.4.0", "dist/index.mjs");

#[test]
fn the_official_client_shows_the_question_in_both_eras_and_brings_what_was_said() {
    let Some((node, sdk)) = official(CLIENT.0, CLIENT.1, CLIENT.2) else { return };
    let served = Served::start(&node);
    for (era, version, way, at) in [
        ("legacy", "2025-11-25", "stdio", BINARY),
        ("modern", "2026-07-28", "stdio", BINARY),
        ("modern", "2026-07-28", "http", served.url.as_str()),
    ] {
        for (action, outcome) in
            [("accept", "answered"), ("decline", "refused"), ("cancel", "cancelled")]
        {
            let args = [era, action, way, at];
            let output = client(&served.home, &node, "elicit.mjs", &sdk, &args).output().unwrap();
            assert!(output.status.success(), "{args:?}: {}", said(&output));
            let told: Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(told["version"], version, "{told}");
            let form = &told["shown"][0];
            assert_eq!(form["message"], "Which colour?\n\nIf nobody answers: take Red", "{told}");
            let field = &form["requestedSchema"]["properties"]["answer"];
            assert_eq!(field["enum"], json!(["Red", "Blue"]), "{told}");
            let result = &told["result"]["structuredContent"];
            assert_eq!(result["outcome"], outcome, "{told}");
            if action == "accept" {
                let via = &result["resolution"]["via"];
                assert_eq!((&result["value"], via), (&"Blue".into(), &"agent_client".into()));
            }
        }
    }
}

/// Until so many wait for something that the hub tells.
fn waiting(home: &Home, many: u32) {
    let line = format!("\nheadsup_subscribers {many}\n");
    wait::until("those who wait", || {
        let (_, text) = http::get(&home.socket(), "/metrics").ok()?;
        String::from_utf8_lossy(&text).contains(&line).then_some(())
    });
}

#[test]
fn a_client_that_cuts_the_call_off_is_told_what_was_answered_behind_it() {
    let Some((node, sdk)) = official(CLIENT.0, CLIENT.1, CLIENT.2) else { return };
    for era in ["legacy", "modern"] {
        let home = Home::new(BINARY);
        let _hub = Hub::start(&home);
        let mut command = client(&home, &node, "cut.mjs", &sdk, &[era, BINARY]);
        let mut cut = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut stdin = cut.stdin.take().unwrap();
        let mut lines = BufReader::new(cut.stdout.take().unwrap()).lines();
        waiting(&home, 1);
        stdin.write_all(b"cut\n").unwrap();
        let first: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        assert!(first["error"].as_str().unwrap().contains("the limit is over"), "{era}: {first}");
        // Nobody waits any more, and the question stands.
        waiting(&home, 0);
        home.run(["answer", "api-p1", "blue"]).ok();
        stdin.write_all(b"again\n").unwrap();
        let told: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        let told = &told["structuredContent"];
        assert_eq!((&told["prompt_id"], &told["value"]), (&"api-p1".into(), &"blue".into()));
        assert!(cut.wait().unwrap().success());
    }
}
