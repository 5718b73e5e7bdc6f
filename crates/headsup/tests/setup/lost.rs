//! What was installed and does not work any more: the doctor sees it, and says how to mend it.

use crate::install::{home, settings, write};
use headsup_adapters::inject::recipe;
use headsup_testkit::home::{Done, Home};
use headsup_testkit::hub::Hub;
use rustix::process::geteuid;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;

fn examine(home: &Home) -> Value {
    home.run(["doctor", "--json", "--no-start"]).json()
}

/// One of its rows, if it is there.
fn row(doc: &Value, name: &str) -> Option<Value> {
    doc["checks"].as_array().unwrap().iter().find(|row| row["name"] == name).cloned()
}

/// This row is a warning that says all of this.
#[track_caller]
fn warns(doc: &Value, name: &str, words: &[&str]) {
    let row = row(doc, name).unwrap();
    assert_eq!(row["ok"], false, "{row}");
    let told = format!("{} {}", row["detail"].as_str().unwrap(), row["hint"].as_str().unwrap());
    for word in words {
        assert!(told.contains(word), "{word}: {told}");
    }
}

#[track_caller]
fn is_well(doc: &Value, name: &str) {
    let row = row(doc, name).unwrap();
    assert_eq!(row["ok"], true, "{row}");
}

fn second(home: &Home) -> PathBuf {
    home.state().join("second")
}

fn of_second(home: &Home, args: &[&str]) {
    let mut command = home.command(args);
    Done::from(command.env("HEADSUP_HOME", second(home)).output().unwrap()).ok();
}

#[test]
fn a_record_that_cannot_be_read_is_named_with_the_way_out() {
    let home = home();
    home.run(["hooks", "install", "gemini-cli"]).ok();
    let record = home.state().join("setup/gemini-cli.json");
    for text in [&b"{"[..], b"[]", b"\xff"] {
        fs::write(&record, text).unwrap();
        let done = home.run(["hooks", "uninstall", "gemini-cli"]);
        assert_eq!(done.code, 1, "{done:?}");
        let way = format!("move {} away", record.display());
        assert!(done.stderr.contains(&way), "{done:?}");
    }
    fs::remove_file(&record).unwrap();
    home.run(["hooks", "uninstall", "gemini-cli"]).ok();
    assert!(!home.path().join(".gemini/settings.json").exists());
}

#[test]
fn hooks_that_settings_switch_off_are_not_said_to_be_well() {
    let home = home();
    let recipe = recipe("gemini-cli").unwrap();
    let path = home.path().join(recipe.folder).join(recipe.settings);
    home.run(["hooks", "install", "gemini-cli"]).ok();
    is_well(&examine(&home), "gemini-cli hooks");
    let text = fs::read_to_string(&path).unwrap();
    for (config, word) in [
        (r#"{ "enabled": false }"#, "hooksConfig.enabled is false"),
        (r#"{ "disabled": ["headsup"] }"#, "hooksConfig.disabled names headsup"),
    ] {
        let config = format!("{{ \"hooksConfig\": {config},");
        fs::write(&path, text.replacen('{', &config, 1)).unwrap();
        warns(&examine(&home), "gemini-cli hooks", &[word, "settings.json"]);
        let told = home.run(["hooks", "status", "gemini-cli"]).ok().stdout.clone();
        assert!(told.contains(word), "{told}");
    }
}

#[test]
fn a_plugin_that_settings_switch_off_is_not_said_to_be_well() {
    let home = home();
    let off = r#"{ "enabledPlugins": { "headsup@skills-dir": false } }"#;
    home.run(["hooks", "install", "claude-code"]).ok();
    is_well(&examine(&home), "claude-code hooks");
    write(&settings(&home), off, 0o600);
    let words = ["settings.json: enabledPlugins", "headsup@skills-dir", "take that out"];
    warns(&examine(&home), "claude-code hooks", &words);
    for command in ["status", "install"] {
        let done = home.run(["hooks", command, "claude-code"]);
        let told = format!("{}{}", done.ok().stdout, done.stderr);
        assert!(told.contains("enabledPlugins"), "{told}");
    }
    // It is about the plugin alone.
    home.run(["hooks", "install", "claude-code", "--live"]).ok();
    is_well(&examine(&home), "claude-code hooks");
}

/// Nothing of its entries is missing, and the program does not know the folder for a plugin any more.
#[test]
fn a_plugin_folder_without_its_manifest_is_not_said_to_be_well() {
    let home = home();
    home.run(["hooks", "install", "claude-code"]).ok();
    let manifest = home.path().join(".claude/skills/headsup/.claude-plugin/plugin.json");
    let text = fs::read_to_string(&manifest).unwrap();
    let words = ["plugin.json: it", "no hook in it fires", "`headsup hooks install claude-code`"];
    for broken in [None, Some("{")] {
        match broken {
            None => fs::remove_file(&manifest).unwrap(),
            Some(broken) => fs::write(&manifest, broken).unwrap(),
        }
        warns(&examine(&home), "claude-code hooks", &words);
        let status = home.run(["hooks", "status", "--json", "claude-code"]).json();
        assert_eq!(status["agents"][0]["plugin"], "outdated", "{status}");
        home.run(["hooks", "install", "claude-code"]).ok();
        assert_eq!(fs::read_to_string(&manifest).unwrap(), text);
        is_well(&examine(&home), "claude-code hooks");
    }
}

#[test]
fn settings_of_the_folder_one_is_in_count_there() {
    let home = home();
    home.run(["hooks", "install", "claude-code"]).ok();
    let repo = home.path().join("repo");
    let told = || {
        let mut command = home.command(["hooks", "status", "claude-code"]);
        Done::from(command.current_dir(&repo).output().unwrap()).ok().stdout.clone()
    };
    let (own, shared) = (".claude/settings.local.json", ".claude/settings.json");
    write(&repo.join(shared), r#"{ "disableAllHooks": true }"#, 0o600);
    assert!(told().contains("no hook of yours fires in this folder"), "{}", told());
    let elsewhere = home.run(["hooks", "status", "claude-code"]);
    assert!(!elsewhere.ok().stdout.contains("disableAllHooks"), "{elsewhere:?}");
    // A person's own word counts before the project's.
    write(&repo.join(own), r#"{ "disableAllHooks": false }"#, 0o600);
    assert!(!told().contains("disableAllHooks"), "{}", told());
    write(&repo.join(own), r#"{ "enabledPlugins": { "headsup@skills-dir": false } }"#, 0o600);
    write(&repo.join(shared), "{}", 0o600);
    assert!(told().contains("settings.local.json: enabledPlugins"), "{}", told());
}

#[test]
fn copilots_switch_in_its_settings_or_in_our_file_is_seen() {
    let home = home();
    home.run(["hooks", "install", "copilot-cli"]).ok();
    is_well(&examine(&home), "copilot-cli hooks");
    let settings = home.path().join(".copilot/settings.json");
    write(&settings, "{ // for now\n  \"disableAllHooks\": true }", 0o600);
    let words = ["settings.json: disableAllHooks is true", "no hook of yours fires"];
    warns(&examine(&home), "copilot-cli hooks", &words);
    fs::remove_file(&settings).unwrap();
    let path = home.path().join(".copilot/hooks/headsup.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen('{', "{ \"disableAllHooks\": true,", 1)).unwrap();
    warns(&examine(&home), "copilot-cli hooks", &["headsup.json: disableAllHooks is true"]);
}

#[test]
fn what_its_agent_cannot_parse_is_neither_installed_into_nor_called_well() {
    let home = home();
    let path = home.path().join(".gemini/settings.json");
    home.run(["hooks", "install", "gemini-cli"]).ok();
    let text = fs::read_to_string(&path).unwrap();
    for bad in ["{ \"theme\": \"a\nb\",", "{\u{a0}", "{\u{c}"] {
        fs::write(&path, text.replacen('{', bad, 1)).unwrap();
        warns(&examine(&home), "gemini-cli hooks", &["cannot be read", "it is not JSON: the char"]);
        let status = home.run(["hooks", "status", "gemini-cli", "--json"]).ok().json();
        assert_eq!(status["agents"][0]["settings"], "unreadable", "{status}");
        let done = home.run(["hooks", "install", "gemini-cli"]);
        assert_eq!(done.code, 7, "{done:?}");
        assert!(done.stderr.contains("it is not JSON: the character U+"), "{done:?}");
    }
}

#[test]
fn a_file_that_may_not_be_read_is_not_said_to_have_lost_its_hooks() {
    let home = home();
    // Root may read everything.
    let run = |args: &[&str]| {
        let mut command = home.command(args);
        if geteuid().is_root() {
            command.uid(65_534);
        }
        command.output().ok().map(Done::from)
    };
    if geteuid().is_root() {
        chown(home.path(), Some(65_534), None).unwrap();
    }
    let Some(installed) = run(&["hooks", "install", "gemini-cli"]) else {
        eprintln!("skipped: another user may not start this program");
        return;
    };
    installed.ok();
    let path = home.path().join(".gemini/settings.json");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    let status = run(&["hooks", "status", "gemini-cli", "--json"]).unwrap().json();
    let agent = &status["agents"][0];
    assert_eq!(agent["settings"], "unreadable", "{agent}");
    let why = "settings.json: it cannot be read: permission denied";
    assert!(agent["problems"].to_string().contains(why), "{agent}");
    let text = run(&["hooks", "status", "gemini-cli"]).unwrap().stdout;
    assert!(!text.contains("gone") && text.contains("whether hooks are installed"), "{text}");
    let doc = run(&["doctor", "--json", "--no-start"]).unwrap().json();
    warns(&doc, "gemini-cli hooks", &[why, "is still there", "chmod u+rw", "hooks install gemini"]);
    for command in ["install", "uninstall"] {
        let done = run(&["hooks", command, "gemini-cli"]).unwrap();
        assert_eq!(done.code, 7, "{done:?}");
        assert!(done.stderr.contains("it cannot be read: permission denied"), "{done:?}");
    }
}

#[test]
fn what_the_doctor_says_of_live_hooks_installs_them_in_the_same_way() {
    let home = home();
    let _hub = Hub::start(&home);
    let live = "`headsup hooks install claude-code --live`";
    let install = || home.run(["hooks", "install", "claude-code", "--live"]).ok().code;
    install();
    let launcher = home.state().join("bin/headsup");
    fs::remove_file(&launcher).unwrap();
    let doc = examine(&home);
    warns(&doc, "claude-code hooks", &["is gone", live]);
    warns(&doc, "claude-code fires", &["nothing arrived", live]);
    fs::write(&launcher, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&launcher, fs::Permissions::from_mode(0o644)).unwrap();
    let told = home.run(["hooks", "status", "claude-code"]).ok().stdout.clone();
    assert!(told.contains("cannot be executed"), "{told}");
    let doc = examine(&home);
    warns(&doc, "claude-code hooks", &["cannot be executed", live]);
    warns(&doc, "claude-code fires", &[live]);
    install();
    is_well(&examine(&home), "claude-code fires");
    fs::remove_file(&launcher).unwrap();
    fs::create_dir(&launcher).unwrap();
    warns(&examine(&home), "claude-code hooks", &["is a folder", live]);
    install();
    is_well(&examine(&home), "claude-code fires");
    let text = fs::read_to_string(settings(&home)).unwrap();
    fs::write(settings(&home), text.replace("\"timeout\": 5", "\"timeout\": 9")).unwrap();
    let words = ["SessionStart is outdated or gone", live];
    warns(&examine(&home), "claude-code fires", &words);
}

#[test]
fn hooks_that_are_gone_are_told_with_the_way_to_have_them_back() {
    let mend = "`headsup hooks install claude-code`";
    for way in [&["hooks", "install", "claude-code"][..], &["hooks", "install", "claude", "--live"]]
    {
        let home = home();
        write(&settings(&home), "{}", 0o600);
        is_well(&examine(&home), "claude-code hooks");
        home.run(way).ok();
        fs::remove_dir_all(home.path().join(".claude/skills")).ok();
        write(&settings(&home), "{}", 0o600);
        warns(
            &examine(&home),
            "claude-code hooks",
            &["is gone", mend, "hooks uninstall claude-code"],
        );
        let told = home.run(["hooks", "status"]).ok().stdout.clone();
        assert!(told.contains("the hooks that were installed are gone"), "{told}");

        write(&settings(&home), "{ \"model\": ", 0o600);
        warns(&examine(&home), "claude-code hooks", &["cannot be read", "it is not JSON", mend]);
        write(&settings(&home), "{}", 0o600);
        home.run(way).ok();
        is_well(&examine(&home), "claude-code hooks");
        home.run(["hooks", "uninstall", "claude-code"]).ok();
        is_well(&examine(&home), "claude-code hooks");
    }
    // Whose program is not here, and whose folder is gone.
    let home = home();
    home.run(["hooks", "install", "goose"]).ok();
    assert_eq!(row(&examine(&home), "goose hooks").unwrap()["ok"], true);
    fs::remove_dir_all(home.path().join(".agents")).unwrap();
    warns(&examine(&home), "goose hooks", &["is gone", "`headsup hooks install goose`"]);
}

#[test]
fn of_a_configuration_that_cannot_be_read_nobody_says_that_it_has_no_hooks() {
    let home = home();
    for (path, text, name) in [
        (".codex/hooks.json", "not json", "codex hooks"),
        (".gemini/settings.json", "{broken", "gemini-cli hooks"),
    ] {
        write(&home.path().join(path), text, 0o600);
        let told = ["whether any are installed cannot be read", path, "it is not JSON", "put that"];
        warns(&examine(&home), name, &told);
    }
}

#[test]
fn hooks_and_tools_without_the_program_they_name_are_told_with_the_way_to_have_it_back() {
    let home = home();
    let _hub = Hub::start(&home);
    home.run(["hooks", "install", "claude-code"]).ok();
    home.run(["mcp", "install", "claude-code"]).ok();
    let names = ["claude-code hooks", "claude-code fires", "claude-code tools"];
    let all_are_well = || {
        let doc = examine(&home);
        for name in names {
            is_well(&doc, name);
        }
    };
    all_are_well();
    fs::remove_file(home.state().join("bin/headsup")).unwrap();
    let doc = examine(&home);
    for name in ["claude-code hooks", "claude-code fires"] {
        warns(&doc, name, &["`headsup hooks install claude-code`"]);
    }
    warns(&doc, "claude-code tools", &["is gone", "`headsup mcp install claude-code`"]);
    home.run(["hooks", "install", "claude-code"]).ok();
    all_are_well();
}

#[test]
fn tools_are_told_of_where_there_are_any_or_were() {
    let (name, mend) = ("codex tools", "`headsup mcp install codex`");
    let home = home();
    let path = home.path().join(".codex/config.toml");
    write(&path, "model = 'x'\n", 0o600);
    assert_eq!(row(&examine(&home), name), None, "nobody wants any");
    of_second(&home, &["mcp", "install", "codex"]);
    let told = row(&examine(&home), name).unwrap();
    assert_eq!(told["ok"], true, "{told}");
    assert!(told["detail"].as_str().unwrap().contains("/second"), "{told}");
    fs::remove_file(second(&home).join("bin/headsup")).unwrap();
    warns(&examine(&home), name, &["/second", "whose program is gone", mend]);

    home.run(["mcp", "install", "codex"]).ok();
    is_well(&examine(&home), name);
    of_second(&home, &["mcp", "install", "codex"]);
    warns(&examine(&home), name, &["/second", "no more of this one", mend]);

    home.run(["mcp", "install", "codex"]).ok();
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace(" = 330", " = 30")).unwrap();
    warns(&examine(&home), name, &["outdated", mend]);
    fs::write(&path, "model = 'x'\n").unwrap();
    warns(&examine(&home), name, &["is gone", mend, "`headsup mcp uninstall codex`"]);
    fs::write(&path, "= x\n").unwrap();
    warns(&examine(&home), name, &["cannot be read", "it is not TOML", mend]);
    fs::write(&path, "model = 'x'\n").unwrap();
    home.run(["mcp", "uninstall", "codex"]).ok();
    assert_eq!(row(&examine(&home), name), None);
}
