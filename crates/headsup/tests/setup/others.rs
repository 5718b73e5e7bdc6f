//! The programs whose hooks lie in settings alone: the user's own, or one file of ours.

use crate::install::{home, write};
use headsup_testkit::home::Home;
use headsup_testkit::hub::Hub;
use headsup_testkit::settings::snapshot;
use serde_json::{Value, json};
use std::fs;
use std::process::Command;

/// The kind, where its hooks lie, and the member of an entry that holds the command.
const PROGRAMS: [(&str, &str, &str); 3] = [
    ("gemini-cli", ".gemini/settings.json", "command"),
    ("qwen-code", ".qwen/settings.json", "command"),
    ("copilot-cli", ".copilot/hooks/headsup.json", "bash"),
];

const THEIRS: &str =
    "{\n  // mine\n  \"hooks\": {\"Stop\": []},\n  \"model\": {\"name\": \"x\"}\n}\n";

fn install(home: &Home, kind: &str) -> Value {
    home.run(["hooks", "install", kind]).ok();
    home.run(["hooks", "status", kind, "--json"]).ok().json()["agents"][0].clone()
}

/// Event and command of each installed entry.
fn commands(home: &Home, file: &str, member: &str) -> Vec<(String, String)> {
    let text = fs::read_to_string(home.path().join(file)).unwrap();
    let value: Value = serde_json::from_str(&text).unwrap();
    let events = value["hooks"].as_object().unwrap().iter();
    let command = |list: &Value| {
        let group = &list[0];
        let entry = if group["hooks"].is_array() { &group["hooks"][0] } else { group };
        entry[member].as_str().unwrap().to_owned()
    };
    events.map(|(event, list)| (event.clone(), command(list))).collect()
}

#[test]
fn what_was_installed_is_taken_away_to_the_byte() {
    for (kind, file, _) in PROGRAMS {
        let home = home();
        let nothing = snapshot(home.path(), &home.state());
        let now = install(&home, kind);
        let told = (&now["settings"], &now["plugin"], &now["problems"]);
        assert_eq!(told, (&json!("complete"), &json!("absent"), &json!([])), "{kind}");
        home.run(["hooks", "uninstall", kind]).ok();
        assert_eq!(snapshot(home.path(), &home.state()), nothing, "{kind}");

        write(&home.path().join(file), THEIRS, 0o600);
        let before = snapshot(home.path(), &home.state());
        assert_eq!(install(&home, kind)["settings"], "complete", "{kind}");
        assert_ne!(snapshot(home.path(), &home.state()), before, "{kind}");
        home.run(["hooks", "uninstall", kind]).ok();
        assert_eq!(snapshot(home.path(), &home.state()), before, "{kind}");
    }
}

/// Folders that several of them need were made by the first, and are there for the others.
#[test]
fn the_last_of_several_takes_away_what_the_first_has_made() {
    for kinds in [["opencode", "kilo"], ["opencode", "crush"], ["amp", "kilo"]] {
        for first in [0, 1] {
            let home = home();
            let nothing = snapshot(home.path(), &home.state());
            for kind in kinds {
                install(&home, kind);
            }
            home.run(["hooks", "uninstall", kinds[first]]).ok();
            home.run(["hooks", "uninstall", kinds[1 - first]]).ok();
            assert_eq!(snapshot(home.path(), &home.state()), nothing, "{kinds:?} {first}");
        }
    }
}

/// Nothing shows that this program is here but its hooks.
#[test]
fn without_a_name_everything_that_was_installed_is_taken_away() {
    let home = home();
    let nothing = snapshot(home.path(), &home.state());
    home.run(["hooks", "install", "goose"]).ok();
    assert_ne!(snapshot(home.path(), &home.state()), nothing);
    assert!(home.run(["hooks", "status"]).ok().stdout.contains("goose: "));
    home.run(["hooks", "uninstall"]).ok();
    assert_eq!(snapshot(home.path(), &home.state()), nothing);
    assert_eq!(home.run(["hooks", "install"]).code, 4, "it is not here");
}

#[test]
fn an_installed_command_reports_and_is_silent_once_the_program_is_gone() {
    let home = home();
    for (kind, file, member) in PROGRAMS {
        install(&home, kind);
        let all = commands(&home, file, member);
        let session = json!({ "session_id": kind, "sessionId": kind, "cwd": "/", "source": "new" });
        let fire = |command: &str| {
            let mut shell = Command::new("/bin/sh");
            shell.args(["-c", command]).env_clear().env("PATH", "/usr/bin:/bin");
            shell.env("HOME", home.path());
            let done = home.feed(shell, session.to_string().as_bytes());
            assert_eq!((done.code, &*done.stdout, &*done.stderr), (0, "", ""), "{command}");
        };
        let hub = Hub::start(&home);
        let start = all.iter().find(|(event, _)| event.eq_ignore_ascii_case("SessionStart"));
        fire(&start.unwrap().1);
        home.is_told();
        let agents = home.run(["ls", "--json"]).ok().json();
        let told = agents["agents"].as_array().unwrap().iter().find(|a| a["session_id"] == kind);
        assert_eq!(told.unwrap()["kind"], kind);
        drop(hub);
        let launcher = home.state().join("bin/headsup");
        let to = fs::read_link(&launcher).unwrap();
        fs::remove_file(&launcher).unwrap();
        for (_, command) in &all {
            fire(command);
        }
        std::os::unix::fs::symlink(to, &launcher).unwrap();
    }
}

#[test]
fn a_home_that_is_moved_is_found() {
    let home = home();
    let moved = home.path().join("moved");
    fs::create_dir(&moved).unwrap();
    for (kind, variable, file) in [
        ("gemini-cli", "GEMINI_CLI_HOME", ".gemini/settings.json"),
        ("qwen-code", "QWEN_HOME", "settings.json"),
        ("copilot-cli", "COPILOT_HOME", "hooks/headsup.json"),
        ("crush", "XDG_CONFIG_HOME", "crush/crush.json"),
        ("crush", "CRUSH_GLOBAL_CONFIG", "crush.json"),
    ] {
        let mut install = home.command(["hooks", "install", kind]);
        install.env(variable, &moved);
        assert!(install.output().unwrap().status.success(), "{kind}");
        assert!(moved.join(file).is_file(), "{kind}");
    }
}
