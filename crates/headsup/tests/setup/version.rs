//! A program of some version is given what that version knows: an older one skips its whole settings, a person's rules
//! with them, for an event that it does not know, or does not start.

use crate::install::{settings, write};
use crate::run::Rig;
use headsup_testkit::hub::Hub;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

const OLD: &str = "2.1.100";
const NEW: &str = "2.1.330";

/// The agent, in a package.
fn packed() -> Rig {
    let rig = Rig::new();
    let (program, package) = (rig.home.path().join("bin/claude"), rig.home.path().join("package"));
    fs::create_dir(&package).unwrap();
    fs::rename(&program, package.join("cli.js")).unwrap();
    symlink(package.join("cli.js"), &program).unwrap();
    rig
}

fn is_of(rig: &Rig, version: &str) {
    let said = json!({"name": "@anthropic-ai/claude-code", "version": version});
    write(&rig.home.path().join("package/package.json"), &said.to_string(), 0o644);
}

fn has(path: &Path, event: &str) -> bool {
    let text = fs::read_to_string(path).unwrap();
    let json: Value = serde_json::from_str(&text).unwrap();
    !json["hooks"][event].is_null()
}

fn status(rig: &Rig) -> Value {
    rig.run(&["hooks", "status", "claude-code", "--json"]).ok().json()["agents"][0].clone()
}

#[test]
fn settings_get_what_the_version_knows_and_a_downgrade_is_told() {
    let rig = packed();
    let theirs = "{\n  \"permissions\": { \"deny\": [\"Bash(rm:*)\"] }\n}\n";
    write(&settings(&rig.home), theirs, 0o600);
    let install = || {
        rig.run(&["hooks", "install", "claude-code", "--live"]).ok();
    };
    is_of(&rig, OLD);
    install();
    assert!(has(&settings(&rig.home), "StopFailure"));
    assert!(!has(&settings(&rig.home), "PostToolBatch"));
    let now = status(&rig);
    assert_eq!((&now["settings"], &now["problems"]), (&json!("complete"), &json!([])));

    is_of(&rig, NEW);
    let now = status(&rig);
    assert_eq!((&now["settings"], &now["problems"]), (&json!("outdated"), &json!([])));
    install();
    assert!(has(&settings(&rig.home), "PostToolBatch"));
    assert_eq!(status(&rig)["settings"], "complete");

    is_of(&rig, OLD);
    let now = status(&rig);
    assert_eq!(now["settings"], "outdated");
    let problem = now["problems"][0].as_str().unwrap();
    assert!(problem.contains("PostToolBatch") && problem.ends_with("install again"), "{problem}");
    install();
    assert!(!has(&settings(&rig.home), "PostToolBatch"));
    let now = status(&rig);
    assert_eq!((&now["settings"], &now["problems"]), (&json!("complete"), &json!([])));
    rig.run(&["hooks", "uninstall", "claude-code"]).ok();
    assert_eq!(fs::read_to_string(settings(&rig.home)).unwrap(), theirs);
}

#[test]
fn a_launch_brings_what_the_version_knows_and_a_plugin_that_it_does_not_read_reports_nothing() {
    let rig = packed();
    let _hub = Hub::start(&rig.home);
    let brought = rig.home.state().join("launch/api.json");
    let launch = || {
        assert_eq!(rig.run(&["run", "--here", "--id", "api", "--", "claude"]).code, 7);
    };
    is_of(&rig, OLD);
    launch();
    assert!(has(&brought, "StopFailure") && !has(&brought, "PostToolBatch"));
    is_of(&rig, NEW);
    launch();
    assert!(has(&brought, "PostToolBatch"));

    rig.run(&["hooks", "install", "claude-code"]).ok();
    assert_eq!(status(&rig)["problems"], json!([]));
    fs::remove_file(&brought).unwrap();
    launch();
    assert!(!brought.exists(), "the plugin reports");
    is_of(&rig, OLD);
    let problems = status(&rig)["problems"].to_string();
    assert!(problems.contains("2.1.100") && problems.contains("--live"), "{problems}");
    launch();
    assert!(has(&brought, "StopFailure") && !has(&brought, "PostToolBatch"));
}

/// One that meets an event that it does not know refuses its whole configuration, and does not start.
#[test]
fn tables_are_of_the_version_that_is_here_also_where_all_are_installed() {
    let rig = packed();
    is_of(&rig, NEW);
    let (program, package) = (rig.home.path().join("bin/kimi"), rig.home.path().join("kimi"));
    let settings = rig.home.path().join(".kimi-code/config.toml");
    let theirs = "default_model = \"x\"\n";
    write(&settings, theirs, 0o600);
    write(&package.join("dist/main.mjs"), "#!/usr/bin/env node\n", 0o755);
    symlink(package.join("dist/main.mjs"), &program).unwrap();
    let said = |version: &str| {
        let said = json!({"name": "@moonshot-ai/kimi-code", "version": version});
        write(&package.join("package.json"), &said.to_string(), 0o644);
    };
    let has = |event: &str| {
        fs::read_to_string(&settings).unwrap().contains(&format!("event = \"{event}\""))
    };
    let status = || {
        let status = rig.run(&["hooks", "status", "kimi", "--json"]).ok().json();
        (status["agents"][0]["settings"].clone(), status["agents"][0]["problems"].clone())
    };
    for (version, asks, interrupts) in
        [("0.7.0", false, false), ("0.13.1", true, false), ("2.1.0", true, true)]
    {
        said(version);
        rig.run(&["hooks", "install", "--all"]).ok();
        assert!(has("Stop") && has("PermissionRequest") == asks, "{version}");
        assert_eq!(has("Interrupt"), interrupts, "{version}");
        assert_eq!(status(), (json!("complete"), json!([])), "{version}");
    }
    said("0.13.1");
    let (settings_are, problems) = status();
    assert_eq!(settings_are, "outdated");
    let problem = problems[0].as_str().unwrap();
    assert!(problem.contains("Interrupt") && problem.ends_with("install again"), "{problem}");
    rig.run(&["hooks", "install", "kimi"]).ok();
    assert!(has("PermissionRequest") && !has("Interrupt"));
    fs::remove_file(package.join("package.json")).unwrap();
    assert_eq!(status(), (json!("complete"), json!([])));
    rig.run(&["hooks", "uninstall", "kimi"]).ok();
    assert_eq!(fs::read_to_string(&settings).unwrap(), theirs);
}
