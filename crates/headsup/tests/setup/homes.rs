//! Two hubs of one person, and one configuration of the agent program.

use crate::install::{home, settings, write};
use headsup_adapters::inject::recipe;
use headsup_testkit::home::{Done, Home};
use headsup_testkit::hub::Hub;
use headsup_testkit::settings::{Snapshot, snapshot};
use std::fs;
use std::path::PathBuf;

/// The state folder of the second hub. The first one's, in which it is, is the home's own.
fn second(home: &Home) -> PathBuf {
    home.state().join("second")
}

fn of_second(home: &Home, args: &[&str]) -> Done {
    let mut command = home.command(args);
    command.env("HEADSUP_HOME", second(home));
    Done::from(command.output().unwrap())
}

/// What is there, but for what is in either state folder.
fn tree(home: &Home) -> Snapshot {
    snapshot(home.path(), &home.state())
}

#[test]
fn a_second_hub_says_whose_place_it_takes_and_the_first_one_says_that_it_lost_it() {
    let home = home();
    let _hub = Hub::start(&home);
    fs::create_dir(home.path().join(".claude")).unwrap();
    let before = tree(&home);
    home.run(["hooks", "install"]).ok();
    let (first, second) = (home.state().display().to_string(), second(&home).display().to_string());
    let says = format!("reports to the hub of {first}:");
    for args in [&["hooks", "install", "--dry-run"][..], &["hooks", "install"]] {
        let done = of_second(&home, args);
        assert!(done.ok().stderr.contains(&says), "{args:?}: {done:?}");
    }
    let again = of_second(&home, &["hooks", "install"]);
    assert!(!again.ok().stderr.contains("reports to"), "{again:?}");

    let status = home.run(["hooks", "status"]);
    assert!(status.ok().stdout.contains(&format!("reports to the hub of {second}")), "{status:?}");
    let doc = home.run(["hooks", "status", "--json"]).ok().json();
    let agent = &doc["agents"][0];
    assert_eq!((&agent["plugin"], &agent["elsewhere"][0]), (&"absent".into(), &second.into()));
    let doctor = home.run(["doctor", "--json"]);
    let checks = doctor.json()["checks"].clone();
    let row = checks.as_array().unwrap().iter().find(|row| row["name"] == "claude-code hooks");
    let row = row.unwrap();
    assert_eq!((doctor.code, &row["ok"]), (1, &false.into()), "{checks}");
    assert!(row["detail"].as_str().unwrap().contains("/second"), "{row}");

    // The first one leaves: what is the second one's stays as it is.
    let there = tree(&home);
    let left = home.run(["hooks", "uninstall", "--json"]).ok().json();
    assert_eq!((&left["agents"][0]["changed"], tree(&home)), (&false.into(), there));
    let doctor = home.run(["doctor", "--json"]).ok().json();
    assert!(doctor.to_string().contains("they report to the hub of"), "{doctor}");
    of_second(&home, &["hooks", "uninstall"]).ok();
    assert_eq!(tree(&home), before, "the folders that the first one made are gone, too");
}

#[test]
fn settings_that_two_hubs_were_in_are_as_they_were_whoever_leaves_first() {
    let texts = [
        None,
        Some("{\n  \"model\": \"opus\"\n}\n"),
        // A person's own emptiness.
        Some(""),
        Some("{}"),
        Some("{\n  \"hooks\": {}\n}\n"),
        Some("{ \"model\": \"opus\", \"hooks\": { \"Stop\": [] } }\n"),
    ];
    for text in texts {
        for first_leaves_first in [true, false] {
            let home = home();
            if let Some(text) = text {
                write(&settings(&home), text, 0o600);
            }
            let before = tree(&home);
            home.run(["hooks", "install", "claude", "--live"]).ok();
            let done = of_second(&home, &["hooks", "install", "claude", "--live"]);
            assert!(done.ok().stderr.contains("as well"), "{done:?}");
            let leave = |first: bool| match first {
                true => home.run(["hooks", "uninstall", "claude"]).ok().code,
                false => of_second(&home, &["hooks", "uninstall", "claude"]).ok().code,
            };
            leave(first_leaves_first);
            leave(!first_leaves_first);
            assert_eq!(tree(&home), before, "{text:?}, the first one first: {first_leaves_first}");
        }
    }
}

/// Its file says of which version it is, and the person's did not.
#[test]
fn the_version_that_we_have_written_goes_with_the_last_hub() {
    let recipe = recipe("cursor").unwrap();
    for text in ["{\"hooks\":{}}", "{\"hooks\":{\"stop\":[]}}\n", ""] {
        for first_leaves_first in [true, false] {
            let home = home();
            write(&home.path().join(recipe.folder).join(recipe.settings), text, 0o600);
            let before = tree(&home);
            home.run(["hooks", "install", "cursor"]).ok();
            of_second(&home, &["hooks", "install", "cursor"]).ok();
            let leave = |first: bool| match first {
                true => home.run(["hooks", "uninstall", "cursor"]).ok().code,
                false => of_second(&home, &["hooks", "uninstall", "cursor"]).ok().code,
            };
            leave(first_leaves_first);
            leave(!first_leaves_first);
            assert_eq!(tree(&home), before, "{text:?}, the first one first: {first_leaves_first}");
        }
    }
}

#[test]
fn a_plugin_file_of_a_hub_that_has_left_does_not_come_back_with_the_next_one() {
    for kind in ["opencode", "kilo", "amp", "pi"] {
        let recipe = recipe(kind).unwrap();
        for text in [None, Some(""), Some("\n")] {
            for (first_leaves_first, comes_again) in
                [(true, false), (false, false), (true, true), (false, true)]
            {
                let home = home();
                if let Some(text) = text {
                    write(&home.path().join(recipe.folder).join(recipe.settings), text, 0o600);
                }
                let before = tree(&home);
                home.run(["hooks", "install", kind]).ok();
                let done = of_second(&home, &["hooks", "install", kind]);
                let says = format!("reports to the hub of {}:", home.state().display());
                assert!(done.ok().stderr.contains(&says), "{done:?}");
                if comes_again {
                    let done = home.run(["hooks", "install", kind, "--json"]).ok().json();
                    assert!(done["agents"][0]["notes"].to_string().contains("/second:"), "{done}");
                }
                let there = tree(&home);
                let leave = |first: bool| match first {
                    true => home.run(["hooks", "uninstall", kind]).ok().code,
                    false => of_second(&home, &["hooks", "uninstall", kind]).ok().code,
                };
                leave(first_leaves_first);
                if first_leaves_first != comes_again {
                    assert_eq!(tree(&home), there, "{kind}: what is the other one's stays");
                }
                leave(!first_leaves_first);
                let at = format!("{kind}, {text:?}: {first_leaves_first}, {comes_again}");
                assert_eq!(tree(&home), before, "{at}");
            }
        }
    }
}

/// What an older version has kept of another hub does not come back either.
#[test]
fn a_record_with_the_plugin_file_of_another_hub_restores_none() {
    let home = home();
    let before = tree(&home);
    home.run(["hooks", "install", "opencode"]).ok();
    let path = home.path().join(".config/opencode/plugin/headsup.js");
    let theirs = fs::read_to_string(&path).unwrap();
    of_second(&home, &["hooks", "install", "opencode"]).ok();
    let kept = second(&home).join("setup/opencode.json");
    let text = fs::read_to_string(&kept).unwrap();
    let mut record: serde_json::Value = serde_json::from_str(&text).unwrap();
    record["settings"]["before"] = theirs.into();
    fs::write(&kept, record.to_string()).unwrap();
    home.run(["hooks", "uninstall", "opencode"]).ok();
    of_second(&home, &["hooks", "uninstall", "opencode"]).ok();
    assert_eq!(tree(&home), before);
}

/// What the first hub has written, its record knows.
#[test]
fn a_second_hub_keeps_what_a_person_has_written_and_nothing_that_the_first_one_has() {
    for is_a_persons in [true, false] {
        let home = home();
        home.run(["hooks", "install", "opencode"]).ok();
        let path = home.path().join(".config/opencode/plugin/headsup.js");
        let text = format!("{}// more\n", fs::read_to_string(&path).unwrap());
        fs::write(&path, &text).unwrap();
        if !is_a_persons {
            let kept = home.state().join("setup/opencode.json");
            let record = fs::read_to_string(&kept).unwrap();
            let mut record: serde_json::Value = serde_json::from_str(&record).unwrap();
            record["settings"]["after"] = text.clone().into();
            fs::write(&kept, record.to_string()).unwrap();
        }
        of_second(&home, &["hooks", "install", "opencode"]).ok();
        let kept = fs::read_to_string(path.with_file_name("headsup.js.yours"));
        assert_eq!(kept.ok(), is_a_persons.then_some(text));
    }
}

/// One has the plugin folder and the other one the settings, or one the hooks and the other one the tools.
#[test]
fn folders_that_the_first_hub_has_made_go_with_the_last_one_whatever_part_that_has() {
    let parts: [(&[&str], &[&str]); 5] = [
        (&["hooks", "claude-code"], &["hooks", "claude-code", "--live"]),
        (&["hooks", "claude-code"], &["mcp", "claude-code"]),
        (&["hooks", "codex"], &["mcp", "codex"]),
        (&["hooks", "kilo"], &["mcp", "kilo"]),
        (&["hooks", "opencode"], &["mcp", "opencode"]),
    ];
    for (one, other) in parts {
        for (first, last) in [(one, other), (other, one)] {
            for first_leaves_first in [true, false] {
                let home = home();
                let before = tree(&home);
                let run = |act: &str, words: &[&str], is_first: bool| {
                    let args = [&[words[0], act, words[1]][..], &words[2..]].concat();
                    match is_first {
                        true => home.run(args).ok().code,
                        false => of_second(&home, &args).ok().code,
                    }
                };
                run("install", first, true);
                run("install", last, false);
                let leave = |is_first: bool| {
                    let words = if is_first { first } else { last };
                    run("uninstall", &words[..2], is_first)
                };
                leave(first_leaves_first);
                leave(!first_leaves_first);
                let at = format!("{first:?}, {last:?}, {first_leaves_first}");
                assert_eq!(tree(&home), before, "{at}");
            }
        }
    }
}

#[test]
fn whoever_has_no_home_is_told_what_to_set() {
    let home = home();
    for (kind, variable) in [("claude-code", "CLAUDE_CONFIG_DIR"), ("codex", "CODEX_HOME")] {
        for act in ["install", "uninstall", "status"] {
            let mut command = home.command(["hooks", act, kind, "--json"]);
            command.env_remove("HOME");
            let done = Done::from(command.output().unwrap());
            assert_eq!((done.code, &*done.stdout), (2, ""), "{done:?}");
            let error = serde_json::from_str::<serde_json::Value>(&done.stderr).unwrap();
            let hint = error["error"]["hint"].as_str().unwrap_or_default();
            assert!(hint.contains("HOME") && hint.contains(variable), "{done:?}");
        }
    }
}
