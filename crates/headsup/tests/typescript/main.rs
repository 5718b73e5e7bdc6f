//! The types of `docs/boocode.ts`, by the real TypeScript compiler: a client can be written with
//! them, what is wrong is found, and what the hub really writes is of these types.

#![expect(clippy::unwrap_used, reason = "a test may fail")]
#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]

use headsup_core::compat::Scale as _;
use headsup_core::compat::boocode::{AgentStatusReport, Frame, ReportAnswer, Status, StatusUpdate};
use headsup_core::time::UnixMs;
use serde::Serialize;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const VERSION: &str = "5.9.3";

/// A folder that holds installed agents, and this compiler beside them.
const CACHE: &str = "HEADSUP_TEST_AGENTS";

/// The compiler's script, installed from npm when it is not there yet.
fn compiler() -> Result<PathBuf, String> {
    let beside_the_build = || Path::new(env!("CARGO_TARGET_TMPDIR")).join("../agents");
    let cache = std::env::var_os(CACHE).filter(|folder| !folder.is_empty());
    let cache = cache.map_or_else(beside_the_build, PathBuf::from);
    let folder = cache.join(format!("typescript-{VERSION}"));
    let script = folder.join("node_modules/typescript/bin/tsc");
    if script.is_file() {
        return Ok(script);
    }
    fs::create_dir_all(&cache).map_err(|error| error.to_string())?;
    let new = tempfile::Builder::new().prefix("new-").tempdir_in(&cache);
    let new = new.map_err(|error| error.to_string())?;
    fs::write(new.path().join("package.json"), "{\"private\":true}\n").unwrap();
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"]);
    npm.arg(format!("typescript@{VERSION}")).current_dir(new.path());
    let output = npm.output().map_err(|error| format!("npm cannot be started: {error}"))?;
    if !output.status.success() {
        return Err(format!("npm failed: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    // Another test run may have been quicker.
    let renamed = fs::rename(new.keep(), &folder);
    if script.is_file() { Ok(script) } else { Err(format!("it is not there: {renamed:?}")) }
}

/// The compiler; `None` where it cannot be had, which is said, and on CI is a failure.
fn compiler_or_skip() -> Option<PathBuf> {
    match compiler() {
        Ok(script) => Some(script),
        Err(why) => {
            assert!(std::env::var_os("CI").is_none(), "TypeScript cannot be had: {why}");
            eprintln!("SKIPPED: no TypeScript {VERSION} from npm: {why}");
            None
        }
    }
}

/// What the hub writes, as the text that it writes.
fn samples() -> String {
    let update = |status, reason: Option<&str>| {
        let reason = reason.map(str::to_owned);
        let (chat_id, agent) = ("c-1".to_owned(), "coder".to_owned());
        let at = UnixMs(1_795_296_597_200);
        Frame::AgentStatusUpdated(StatusUpdate { chat_id, agent, status, reason, at })
    };
    let mut frames: Vec<Frame> = Status::ALL.iter().map(|status| update(*status, None)).collect();
    frames.push(update(Status::Blocked, Some("permission")));
    let report = |notification_type: Option<&str>| AgentStatusReport {
        agent: "coder".to_owned(),
        chat_id: "c-1".to_owned(),
        event_type: "Notification".to_owned(),
        notification_type: notification_type.map(str::to_owned),
    };
    let answer = |status, duplicate| ReportAnswer { status, duplicate };
    let answers = [answer(None, None), answer(Some(Status::Idle), Some(true))];
    [
        "import type { AgentFrame, AgentStatusReport, ReportAnswer } from \"./boocode\";\n",
        &constant("frames", "AgentFrame[]", &frames),
        &constant("reports", "AgentStatusReport[]", &[report(None), report(Some("idle_prompt"))]),
        &constant("answers", "ReportAnswer[]", &answers),
    ]
    .concat()
}

fn constant(name: &str, kind: &str, value: &impl Serialize) -> String {
    format!("export const {name}: {kind} = {};\n", serde_json::to_string(value).unwrap())
}

/// What the compiler complains of.
fn complaints(compiler: &Path, types: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::copy(root.join("tests/typescript/client.ts"), folder.path().join("client.ts")).unwrap();
    fs::write(folder.path().join("samples.ts"), samples()).unwrap();
    fs::write(folder.path().join("boocode.ts"), types).unwrap();
    let mut tsc = Command::new("node");
    tsc.arg(compiler).args([
        "--strict",
        "--noEmit",
        "--skipLibCheck",
        "--exactOptionalPropertyTypes",
    ]);
    tsc.args(["--target", "es2022", "--lib", "es2022,dom", "--module", "esnext"]);
    tsc.args(["--moduleResolution", "bundler", "client.ts"]);
    let output = tsc.current_dir(folder.path()).env("HOME", folder.path()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.success(), said.is_empty(), "{output:?}");
    said
}

#[test]
fn a_strict_client_is_written_with_the_types_that_the_hub_keeps() {
    let Some(compiler) = compiler_or_skip() else { return };
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/boocode.ts");
    let types = fs::read_to_string(golden).unwrap();
    assert_eq!(complaints(&compiler, &types), "");
    // Types that are not the hub's are found out: a word less, a member more.
    for (ours, theirs) in
        [(" | \"error\"", ""), ("agent: string, status", "agent: string, seq: number, status")]
    {
        let other = types.replacen(ours, theirs, 1);
        assert_ne!(other, types, "{ours}");
        assert!(!complaints(&compiler, &other).is_empty(), "{ours}");
    }
}
