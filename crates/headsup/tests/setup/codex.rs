//! Codex: hooks are appended to one file, and run once a person has trusted them.

use crate::install::{home, write};
use crate::run::Rig;
use headsup_testkit::home::Home;
use headsup_testkit::hub::Hub;
use headsup_testkit::settings::snapshot;
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

/// With the one slot for a program of the person's own.
const CONFIG: &str = "model = \"x\" # mine\nnotify = [\"say\", \"done\"]\n";
const THEIRS: &str = "{\n  \"hooks\": {\n    \"Stop\": [\n      { \"hooks\": [ { \"type\": \"command\", \"command\": \"say done\" } ] }\n    ]\n  }\n}\n";

fn hooks(home: &Home) -> PathBuf {
    home.path().join(".codex/hooks.json")
}

fn config(home: &Home) -> PathBuf {
    home.path().join(".codex/config.toml")
}

fn status(home: &Home) -> Value {
    home.run(["hooks", "status", "codex", "--json"]).ok().json()["agents"][0].clone()
}

/// The doctor's row about the hooks.
fn row(home: &Home) -> Value {
    let doc = home.run(["doctor", "--json"]).json();
    let rows = doc["checks"].as_array().unwrap().clone();
    rows.into_iter().find(|row| row["name"] == "codex hooks").unwrap()
}

/// The events that there are entries for.
fn events(home: &Home) -> Vec<String> {
    let installed: Value = serde_json::from_str(&fs::read_to_string(hooks(home)).unwrap()).unwrap();
    installed["hooks"].as_object().unwrap().keys().cloned().collect()
}

/// As the program notes that somebody has trusted the entries of some events.
fn trust(home: &Home, events: &[String]) {
    let file = hooks(home).display().to_string();
    let line = |event: &String| {
        let mut snake = String::new();
        for c in event.chars() {
            if c.is_ascii_uppercase() && !snake.is_empty() {
                snake.push('_');
            }
            snake.push(c.to_ascii_lowercase());
        }
        format!("[hooks.state.\"{file}:{snake}:0:0\"]\ntrusted_hash = \"sha256:0\"\n")
    };
    let lines: String = events.iter().map(line).collect();
    fs::write(config(home), format!("{CONFIG}{lines}")).unwrap();
}

#[test]
fn entries_are_appended_and_taken_out_to_the_byte() {
    for text in [None, Some("{}\n"), Some(THEIRS)] {
        let home = home();
        write(&config(&home), CONFIG, 0o600);
        if let Some(text) = text {
            write(&hooks(&home), text, 0o600);
        }
        let before = snapshot(home.path(), &home.state());
        let done = home.run(["hooks", "install", "codex"]);
        assert!(done.ok().stderr.contains("until you trust them"), "{done:?}");
        let installed: Value =
            serde_json::from_str(&fs::read_to_string(hooks(&home)).unwrap()).unwrap();
        let stops = installed["hooks"]["Stop"].as_array().unwrap();
        assert_eq!(stops.len(), 1 + usize::from(text == Some(THEIRS)));
        assert!(stops.last().unwrap().to_string().contains("hook codex Stop"));
        assert!(text != Some(THEIRS) || stops[0].to_string().contains("say done"));
        assert_eq!(fs::read_to_string(config(&home)).unwrap(), CONFIG);
        // The same again, in whatever way it is asked for.
        let once = fs::read_to_string(hooks(&home)).unwrap();
        home.run(["hooks", "install", "codex", "--live"]).ok();
        assert_eq!(fs::read_to_string(hooks(&home)).unwrap(), once);
        home.run(["hooks", "uninstall", "codex"]).ok();
        assert_eq!(snapshot(home.path(), &home.state()), before);
    }
}

#[test]
fn what_nobody_has_trusted_is_named_and_never_trusted_by_us() {
    let home = home();
    let _hub = Hub::start(&home);
    write(&config(&home), CONFIG, 0o600);
    home.run(["hooks", "install", "codex"]).ok();
    let events = events(&home);
    let untrusted = |home: &Home| status(home)["untrusted"].as_str().unwrap_or_default().to_owned();
    assert!(untrusted(&home).starts_with("12 of 12 are not trusted"), "{}", untrusted(&home));
    let before = row(&home);
    assert_eq!(before["ok"], false, "{before}");
    assert!(before["detail"].as_str().unwrap().contains("need review"), "{before}");
    trust(&home, &events[1..]);
    assert!(untrusted(&home).starts_with("1 of 12 are not trusted"), "{}", untrusted(&home));
    trust(&home, &events);
    assert_eq!(status(&home)["untrusted"], Value::Null);
    assert_eq!(row(&home)["ok"], true);
    home.run(["hooks", "uninstall", "codex"]).ok();
    assert!(fs::read_to_string(config(&home)).unwrap().starts_with(CONFIG));
    assert!(!hooks(&home).exists());
}

#[test]
fn hooks_that_a_person_has_switched_off_are_not_called_well() {
    let home = home();
    let _hub = Hub::start(&home);
    home.run(["hooks", "install", "codex"]).ok();
    trust(&home, &events(&home));
    assert_eq!(row(&home)["ok"], true);
    let trusted = fs::read_to_string(config(&home)).unwrap();
    let one_off = trusted.replacen("trusted_hash", "enabled = false\ntrusted_hash", 1);
    for (text, said) in [
        (format!("{trusted}[features]\nhooks = false\n"), "features.hooks is false"),
        (one_off, "1 of 12 are switched off"),
        (format!("{trusted}model = \n"), "it is not TOML, and Codex does not start with it"),
    ] {
        fs::write(config(&home), text).unwrap();
        let problems = status(&home)["problems"].to_string();
        assert!(problems.contains(said), "{problems}");
        let row = row(&home);
        assert_eq!(row["ok"], false, "{row}");
        assert!(row["detail"].as_str().unwrap().contains(said), "{row}");
    }
    assert_eq!(status(&home)["untrusted"], Value::Null, "it cannot be read what is trusted");
    // Nobody is sent to trust what does not run all the same.
    fs::write(config(&home), "[features]\nhooks = false\n").unwrap();
    home.run(["hooks", "uninstall", "codex"]).ok();
    let done = home.run(["hooks", "install", "codex"]);
    assert!(done.ok().stderr.contains("none of them fires"), "{done:?}");
    assert_eq!(status(&home)["untrusted"], Value::Null);
}

/// What it says to its terminal is enough, so nobody has to trust anything for it.
#[test]
fn a_launch_is_without_the_shared_server_and_changes_no_file() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let program = rig.home.path().join("bin/codex");
    fs::copy(rig.home.path().join("bin/claude"), &program).unwrap();
    let done = rig.run(&["run", "--here", "--id", "api", "--", "codex", "resume", "ID"]);
    assert_eq!(done.code, 7, "{done:?}");
    let argv = rig.argv();
    assert_eq!(argv[..3], [program.to_str().unwrap(), "--no-daemon", "-c"]);
    assert!(argv[3].starts_with("mcp_servers.headsup={"), "{argv:?}");
    assert_eq!(argv[4..], ["resume", "ID"]);
    assert_eq!(rig.agent("api")["kind"], json!("codex"));
    assert!(!rig.home.path().join(".codex").exists());
}

#[test]
fn a_launch_of_a_version_that_does_not_know_it_is_as_it_was_typed() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let package = rig.home.path().join("node_modules/@openai/codex");
    fs::create_dir_all(package.join("bin")).unwrap();
    fs::copy(rig.home.path().join("bin/claude"), package.join("bin/codex.js")).unwrap();
    std::os::unix::fs::symlink(package.join("bin/codex.js"), rig.home.path().join("bin/codex"))
        .unwrap();
    for (name, version, is_added) in [
        ("@openai/codex", "0.149.0", false),
        ("@openai/codex", "0.162.0-alpha.1", true),
        ("@openai/codex", "1.0.0", true),
        ("somebody-elses", "0.149.0", true),
    ] {
        let said = json!({ "name": name, "version": version }).to_string();
        fs::write(package.join("package.json"), said).unwrap();
        let words = ["run", "--here", "--no-tools", "--id", "api", "--", "codex", "resume", "ID"];
        let done = rig.run(&words);
        assert_eq!(done.code, 7, "{done:?}");
        let added: &[&str] = if is_added { &["--no-daemon"] } else { &[] };
        assert_eq!(rig.argv()[1..], [added, &["resume", "ID"]].concat(), "{name} {version}");
    }
}
