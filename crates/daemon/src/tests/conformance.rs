//! The official scenarios for servers of the Model Context Protocol, all of an era at once: what each needs of
//! tools is [`crate::mcp`]'s fixture, and what does not apply is listed with its reason.

use super::bench::Bench;
use crate::mcp::FIXTURE;
use headsup_testkit::live::install::script;
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::broadcast::error::RecvError;

const PACKAGE: &str = "@modelcontextprotocol/conformance";
const VERSION: &str = "0.2.0-alpha.12";

/// The tools that take some time.
const WORK: [&str; 3] = ["slow_compute", "failing_job", "confirm_delete"];

/// Says who calls: the official program has no way to.
const PROXY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../headsup/tests/official/proxy.mjs");

/// What does not apply, and why. What is listed and passes is a failure, too.
const EXCEPTIONS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/tests/conformance");

async fn proxy(node: &std::path::Path, bench: &Bench) -> (Child, String) {
    let address = bench.on_tcp().await.tcp.unwrap();
    let token = std::fs::read_to_string(bench.home().join("token")).unwrap();
    let mut command = Command::new(node);
    command.args([PROXY, &format!("http://{address}/mcp"), token.trim(), FIXTURE]);
    let mut proxy = command.stdout(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
    let mut port = String::new();
    BufReader::new(proxy.stdout.take().unwrap()).read_line(&mut port).await.unwrap();
    (proxy, format!("http://127.0.0.1:{}/mcp", port.trim()))
}

/// A minute of the hub's clock for each tool that is to take some time, and no minute.
async fn time_passes(bench: &Bench) {
    let mut frames = bench.hub().app().bus.subscribe().unwrap();
    let client = bench.client();
    while !matches!(frames.recv().await, Err(RecvError::Closed)) {
        let open = client.get("/api/v1/prompts?state=open").await.json();
        let mut titles = open["prompts"].as_array().unwrap().iter().map(|prompt| &prompt["title"]);
        let is_work = |title: &str| WORK.iter().any(|tool| title.starts_with(tool));
        let is_short = |title: &str| is_work(title) && !title.contains("\"seconds\":60");
        if titles.any(|title| title.as_str().is_some_and(is_short)) {
            bench.pass(61_000).await;
        }
    }
}

/// All scenarios, each in its own era; or those of one era.
async fn conforms(exceptions: &str, era: &[&str]) {
    let (node, program) = match script(PACKAGE, VERSION, "dist/index.js") {
        Ok(found) => found,
        Err(why) => {
            assert!(std::env::var_os("CI").is_none(), "{PACKAGE} cannot be had: {why}");
            eprintln!("SKIPPED: no {PACKAGE} {VERSION} from npm: {why}");
            return;
        }
    };
    let bench = Bench::new().await;
    let (_proxy, url) = proxy(&node, &bench).await;
    let home = tempfile::tempdir().unwrap();
    let exceptions = format!("{EXCEPTIONS}/{exceptions}.yml");
    let mut command = Command::new(&node);
    command.arg(program).args(["server", "--url", &url, "--suite", "all"]).args(era);
    command.args(["--expected-failures", &exceptions]);
    command.env("HOME", home.path()).current_dir(home.path()).stdin(Stdio::null());
    command.kill_on_drop(true);
    let output = tokio::select! {
        output = command.output() => output.unwrap(),
        () = time_passes(&bench) => panic!("the hub is gone"),
    };
    let said = [&output.stdout[..], &output.stderr[..]].map(String::from_utf8_lossy).concat();
    assert!(output.status.success(), "{exceptions}: {said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_official_scenario_is_green_or_listed_with_its_reason() {
    conforms("all", &[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn those_of_both_eras_are_so_in_the_newer_one_too() {
    conforms("newer", &["--spec-version", "2026-07-28"]).await;
}
