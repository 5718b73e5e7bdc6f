//! An entry of ours that somebody has edited: it goes whole, or stays and is named.

use crate::line::BINARY;
use headsup_testkit::home::Home;
use headsup_testkit::settings::snapshot;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

/// Kinds whose servers stand in JSON, and the file.
const JSON: [(&str, &str); 3] = [
    ("claude-code", ".claude.json"),
    ("gemini-cli", ".gemini/settings.json"),
    ("opencode", ".config/opencode/opencode.json"),
];

fn installed(home: &Home, kind: &str, file: &str) -> (PathBuf, String) {
    home.run(["mcp", "install", kind]).ok();
    let path = home.path().join(file);
    let text = fs::read_to_string(&path).unwrap();
    (path, text)
}

/// As a formatter writes it that likes commas.
fn with_commas(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let pairs = lines.iter().zip(lines[1..].iter().map(Some).chain([None]));
    let line = |(line, next): (&&str, Option<&&str>)| {
        let is_last = next.is_some_and(|next| next.trim_start().starts_with(['}', ']']));
        let comma = if is_last && !line.ends_with(['{', '[']) { "," } else { "" };
        format!("{line}{comma}\n")
    };
    pairs.map(line).collect()
}

#[test]
fn commas_and_comments_keep_nothing_of_ours_there() {
    for (kind, file) in JSON {
        let comment = |text: &str| text.replacen("\"headsup\": {", "\"headsup\": { // mine", 1);
        for edit in [&with_commas as &dyn Fn(&str) -> String, &comment] {
            let home = Home::new(BINARY);
            let before = snapshot(home.path(), &home.state());
            let (path, text) = installed(&home, kind, file);
            assert_ne!(edit(&text), text, "{kind}");
            fs::write(&path, edit(&text)).unwrap();
            let again = home.run(["mcp", "install", kind]).ok().stderr.clone();
            assert!(again.contains("nothing to change"), "{kind}: {again}");
            home.run(["mcp", "uninstall", kind]).ok();
            assert_eq!(snapshot(home.path(), &home.state()), before, "{kind}");
        }
    }
}

#[test]
fn what_a_person_has_said_of_the_server_stays_when_it_is_installed_again() {
    for (kind, file) in JSON {
        let home = Home::new(BINARY);
        let (path, text) = installed(&home, kind, file);
        let mine = "\"headsup\": {\n\"trust\": true,\n\"enabled\": false,";
        let older = text
            .replacen("\"headsup\": {", mine, 1)
            .replace("\"enabled\": true,", "")
            .replacen("330000", "60000", 1);
        fs::write(&path, older).unwrap();
        let told = home.run(["mcp", "install", kind]).ok().stderr.clone();
        assert!(told.contains("switched off"), "{kind}: {told}");
        assert!(!told.contains("has the tools from its next start"), "{kind}: {told}");
        let now: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        let within = if kind == "opencode" { "mcp" } else { "mcpServers" };
        let server = &now[within]["headsup"];
        assert_eq!(server["timeout"], 330_000, "{kind}");
        assert_eq!((&server["trust"], &server["enabled"]), (&true.into(), &false.into()), "{kind}");
    }
}

#[test]
fn the_comments_beside_a_table_stay() {
    let home = Home::new(BINARY);
    let (path, text) = installed(&home, "codex", ".codex/config.toml");
    let mine = "# work profile, do not touch\n[profiles.work]\nmodel = \"x\"\n# todo\n";
    let older = text.replacen("= 330", "= 60", 1);
    fs::write(&path, format!("{older}{mine}")).unwrap();
    home.run(["mcp", "install", "codex"]).ok();
    assert_eq!(fs::read_to_string(&path).unwrap(), format!("{text}{mine}"));
    home.run(["mcp", "uninstall", "codex"]).ok();
    assert_eq!(fs::read_to_string(&path).unwrap(), mine);
}

#[test]
fn a_server_that_runs_ours_and_is_not_known_for_ours_is_named() {
    let all = JSON.into_iter().chain([("codex", ".codex/config.toml")]);
    for (kind, file) in all {
        let home = Home::new(BINARY);
        let (path, text) = installed(&home, kind, file);
        let renamed = text.replacen("headsup", "mine", 1);
        fs::write(&path, &renamed).unwrap();
        let done = home.run(["mcp", "uninstall", kind]);
        assert_eq!(done.code, 7, "{kind}: {done:?}");
        let launcher = home.state().join("bin/headsup");
        for word in [".mine runs headsup", launcher.to_str().unwrap(), file, "by hand"] {
            assert!(done.stderr.contains(word), "{kind}: {word}: {}", done.stderr);
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), renamed, "{kind}");
    }
}
