//! What the README tells people to do works.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail")]

use headsup_testkit::home::{Done, Home};
use headsup_testkit::hub::Hub;
use std::path::Path;
use std::process::Command;

const BINARY: &str = env!("CARGO_BIN_EXE_headsup");

fn readme() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    std::fs::read_to_string(path).expect("a README")
}

/// The code blocks of one language.
fn blocks(language: &str) -> Vec<String> {
    let readme = readme();
    let fence = format!("```{language}\n");
    let after = readme.split(&fence).skip(1);
    after.map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

/// The settings to paste: event and command.
fn settings() -> Vec<(String, String)> {
    let settings: serde_json::Value = serde_json::from_str(&blocks("json")[0]).unwrap();
    let hooks = settings["hooks"].as_object().unwrap();
    let command = |groups: &serde_json::Value| {
        let hook = &groups[0]["hooks"][0];
        assert_eq!((&hook["type"], &hook["timeout"]), (&"command".into(), &5.into()));
        hook["command"].as_str().unwrap().to_owned()
    };
    hooks.iter().map(|(event, groups)| (event.clone(), command(groups))).collect()
}

/// Runs a hook command as an agent does: through a shell, payload on standard input.
fn shell(home: &Home, command: &str, path: &str, payload: &str) -> Done {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", command]).env_clear().env("HOME", home.path());
    shell.env("HEADSUP_HOME", home.state()).env("PATH", path).env("HEADSUP_AGENT_ID", "api");
    home.feed(shell, payload.as_bytes())
}

#[test]
fn the_settings_to_paste_report_every_event_that_matters() {
    let mut events: Vec<String> = settings().into_iter().map(|(event, _)| event).collect();
    let matter = headsup_adapters::hook_table::events_to_register("claude-code");
    let mut matter = matter.to_vec();
    events.sort_unstable();
    matter.sort_unstable();
    assert_eq!(events, matter);
    for never in ["WorktreeCreate", "MessageDisplay"] {
        assert!(!events.iter().any(|event| event == never), "{never} must not be registered");
    }
}

#[test]
fn the_settings_to_paste_work_and_survive_a_missing_binary() {
    let home = Home::new(BINARY);
    let _hub = Hub::start(&home);
    let folder = Path::new(BINARY).parent().unwrap().to_str().unwrap();
    let with = format!("{folder}:/usr/bin:/bin");
    for (event, command) in settings() {
        let payload = format!("{{\"hook_event_name\":\"{event}\",\"session_id\":\"s\"}}");
        for path in ["/usr/bin:/bin", &with] {
            let done = shell(&home, &command, path, &payload);
            assert_eq!((done.code, &*done.stdout, &*done.stderr), (0, "", ""), "{command}");
        }
    }
    home.is_told();
    let shown = home.run(["show", "api", "--json"]).ok().json();
    assert_eq!(shown["kind"], "claude-code");
}

#[test]
fn the_settings_to_paste_survive_a_broken_binary() {
    let home = Home::new(BINARY);
    let bin = home.path().join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let wrong_machine = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\xb7\0";
    for binary in [&b"#!/bin/sh\necho >&2; exit 2\n"[..], b"#!/not/there\n", wrong_machine] {
        std::fs::write(bin.join("headsup"), binary).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(bin.join("headsup"), mode).unwrap();
        for (_, command) in settings() {
            let done = shell(&home, &command, &path, "{}");
            assert_eq!((done.code, &*done.stdout, &*done.stderr), (0, "", ""), "{command}");
        }
    }
}

#[test]
fn every_command_in_the_readme_exists() {
    let home = Home::new(BINARY);
    let mut seen = 0;
    for block in blocks("sh") {
        for line in block.lines().filter(|line| line.starts_with("headsup ")) {
            let words: Vec<&str> = line.split(" #").next().unwrap().split_whitespace().collect();
            let done = home.run([words[1], "--help"]);
            assert_eq!(done.code, 0, "{line}: {done:?}");
            for flag in words.iter().filter(|word| word.starts_with("--")) {
                assert!(done.stdout.contains(flag), "{line}: {flag} is not in its help");
            }
            seen += 1;
        }
    }
    assert!(seen >= 6);
}
