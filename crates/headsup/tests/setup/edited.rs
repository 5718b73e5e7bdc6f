//! What of ours a person has edited: it goes whole, or stays and is named.

use crate::install::{home, settings, write};
use headsup_adapters::inject::recipe;
use headsup_testkit::home::Home;
use headsup_testkit::settings::snapshot;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

const KINDS: [&str; 2] = ["kimi", "mistral-vibe"];
const THEIRS: &str = "# mine\n[ui]\ndark = true\n";

fn file(home: &Home, kind: &str) -> PathBuf {
    let recipe = recipe(kind).unwrap();
    home.path().join(recipe.folder).join(recipe.settings)
}

#[test]
fn tables_with_lines_of_a_person_in_them_go_whole() {
    for kind in KINDS {
        for (from, to) in [
            ("timeout = 5", "# was 5\ntimeout = 20"),
            ("[[hooks]]\n", "[[hooks]] # x\n"),
            ("command = ", "\n# tells headsup\ncommand = "),
        ] {
            let home = home();
            let path = file(&home, kind);
            write(&path, THEIRS, 0o600);
            let before = snapshot(home.path(), &home.state());
            home.run(["hooks", "install", kind]).ok();
            let installed = fs::read_to_string(&path).unwrap();
            fs::write(&path, installed.replacen(from, to, 2)).unwrap();
            home.run(["hooks", "install", kind]).ok();
            let again = home.run(["hooks", "install", kind]).ok().stderr.clone();
            assert!(again.contains("nothing to change"), "{kind}, {to}: {again}");
            home.run(["hooks", "uninstall", kind]).ok();
            assert_eq!(snapshot(home.path(), &home.state()), before, "{kind}, {to}: after both");
            home.run(["hooks", "install", kind]).ok();
            fs::write(&path, installed.replacen(from, to, 2)).unwrap();
            home.run(["hooks", "uninstall", kind]).ok();
            assert_eq!(snapshot(home.path(), &home.state()), before, "{kind}, {to}");
        }
    }
}

/// Uninstalls, and uninstalls what is left: each names what nobody but a person takes away.
fn is_named(home: &Home, kind: &str, path: PathBuf, name: &str) {
    let launcher = home.state().join("bin/headsup");
    let first = home.run(["hooks", "uninstall", kind]).ok().stderr.clone();
    let left = fs::read_to_string(&path).unwrap();
    assert!(left.contains(launcher.to_str().unwrap()), "{kind}: {left}");
    assert!(first.contains(name) && first.contains("is not as it was installed"), "{first}");
    let second = home.run(["hooks", "uninstall", kind]);
    assert_eq!(second.code, 7, "{second:?}");
    for word in [name, path.to_str().unwrap(), launcher.to_str().unwrap(), "by hand"] {
        assert!(second.stderr.contains(word), "{kind}: {word}: {}", second.stderr);
    }
    assert!(!second.stderr.contains("nothing to change"), "{}", second.stderr);
    assert_eq!(fs::read_to_string(&path).unwrap(), left, "{kind}");
}

#[test]
fn a_hook_that_a_person_has_changed_stays_and_is_named() {
    for kind in KINDS {
        let home = home();
        let path = file(&home, kind);
        write(&path, THEIRS, 0o600);
        home.run(["hooks", "install", kind]).ok();
        let installed = fs::read_to_string(&path).unwrap();
        fs::write(&path, installed.replacen(" >/dev/null 2>&1; exit 0", "", 1)).unwrap();
        is_named(&home, kind, path, "hooks.");
    }
    let home = home();
    home.run(["hooks", "install", "claude-code", "--live"]).ok();
    let path = settings(&home);
    let installed = fs::read_to_string(&path).unwrap();
    let stop = "hook claude-code Stop >/dev/null 2>&1; exit 0";
    assert!(installed.contains(stop), "{installed}");
    fs::write(&path, installed.replacen(stop, "hook claude-code Stop", 1)).unwrap();
    is_named(&home, "claude-code", path, "hooks.Stop");
}

/// A list in one piece, as another program may write it, is not edited.
#[test]
fn a_list_in_another_form_is_refused_and_left_as_it_is() {
    for kind in KINDS {
        let home = home();
        let path = file(&home, kind);
        home.run(["hooks", "install", kind]).ok();
        let installed = fs::read_to_string(&path).unwrap();
        let command = installed.lines().find(|line| line.starts_with("command")).unwrap();
        let list = format!("hooks = [{{ {command} }}]\n");
        fs::write(&path, &list).unwrap();
        let done = home.run(["hooks", "uninstall", kind]);
        assert_eq!(done.code, 7, "{done:?}");
        assert!(done.stderr.contains("by hand"), "{}", done.stderr);
        assert_eq!(fs::read_to_string(&path).unwrap(), list, "{kind}");
    }
}

#[test]
fn a_comment_that_a_person_has_put_in_or_beside_our_part_stays_also_where_there_was_no_file() {
    for (from, to) in [
        ("\"hooks\": {", "\"hooks\": { // mine"),
        ("\"AfterAgent\": [", "// mine\n\"AfterAgent\": ["),
        ("\"AfterAgent\": [", "\"AfterAgent\": [ // mine"),
        ("\n  }\n}", "\n  } // mine\n}"),
    ] {
        let home = home();
        let path = file(&home, "gemini-cli");
        home.run(["hooks", "install", "gemini-cli"]).ok();
        let installed = fs::read_to_string(&path).unwrap();
        let edited = installed.replacen(from, to, 1);
        assert_ne!(edited, installed);
        fs::write(&path, edited).unwrap();
        home.run(["hooks", "uninstall", "gemini-cli"]).ok();
        let left = fs::read_to_string(&path).unwrap();
        assert!(left.contains("// mine") && !left.contains("headsup"), "{to}: {left}");
    }
}

#[test]
fn the_version_that_we_have_written_goes_where_there_was_no_file() {
    for kind in ["cursor", "copilot-cli"] {
        for is_installed_again in [false, true] {
            let home = home();
            let path = file(&home, kind);
            home.run(["hooks", "install", kind]).ok();
            let installed = fs::read_to_string(&path).unwrap();
            let slower = installed.replacen("\": 5", "\": 50", 1);
            let edited = slower.replacen('{', "{ \"mine\": 1,", 1);
            fs::write(&path, edited).unwrap();
            if is_installed_again {
                home.run(["hooks", "install", kind]).ok();
            }
            home.run(["hooks", "uninstall", kind]).ok();
            let left: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
            assert_eq!(left, json!({ "mine": 1 }), "{kind}, {is_installed_again}");
        }
    }
}

#[test]
fn an_entry_that_a_person_has_narrowed_is_not_called_complete_and_is_put_right() {
    let home = home();
    let before = snapshot(home.path(), &home.state());
    let path = file(&home, "gemini-cli");
    let state = || {
        let status = home.run(["hooks", "status", "gemini-cli", "--json"]).ok().json();
        status["agents"][0]["settings"].clone()
    };
    home.run(["hooks", "install", "gemini-cli"]).ok();
    let installed = fs::read_to_string(&path).unwrap();
    let narrow = "\"matcher\": \"run_shell.*\",\n\"hooks\": [";
    fs::write(&path, installed.replacen("\"hooks\": [", narrow, 1)).unwrap();
    assert_eq!(state(), "outdated");
    let done = home.run(["hooks", "install", "gemini-cli"]);
    assert!(!done.ok().stderr.contains("nothing to change"), "{done:?}");
    assert_eq!(state(), "complete");
    assert!(!fs::read_to_string(&path).unwrap().contains("run_shell"));
    home.run(["hooks", "uninstall", "gemini-cli"]).ok();
    assert_eq!(snapshot(home.path(), &home.state()), before);
}

/// Nobody else knows what was in it.
#[test]
fn what_was_there_before_us_is_kept_where_the_file_has_been_emptied() {
    const MODEL: &str = "{ \"model\": \"x\" }\n";
    for act in ["install", "uninstall"] {
        let home = home();
        let path = file(&home, "gemini-cli");
        write(&path, MODEL, 0o600);
        home.run(["hooks", "install", "gemini-cli"]).ok();
        fs::write(&path, "").unwrap();
        let done = home.run(["hooks", act, "gemini-cli"]);
        assert!(done.ok().stderr.contains("settings.json.yours"), "{done:?}");
        let kept = path.with_file_name("settings.json.yours");
        assert_eq!(fs::read_to_string(&kept).unwrap(), MODEL, "{act}");
        let again = home.run(["hooks", "uninstall", "gemini-cli"]);
        assert!(!again.ok().stderr.contains("yours"), "{again:?}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "", "{act}");
        assert_eq!(fs::read_to_string(&kept).unwrap(), MODEL, "{act}");
    }
}

/// What was made is somewhere else by now, and may be in use there.
#[test]
fn a_link_to_a_file_that_was_made_for_ours_does_not_lead_to_nothing() {
    for (kind, left) in [("gemini-cli", "{}"), ("kimi", ""), ("opencode", "")] {
        let home = home();
        let (path, moved) = (file(&home, kind), home.path().join("dotfiles/agent.conf"));
        home.run(["hooks", "install", kind]).ok();
        fs::create_dir(moved.parent().unwrap()).unwrap();
        fs::rename(&path, &moved).unwrap();
        symlink(&moved, &path).unwrap();
        home.run(["hooks", "uninstall", kind]).ok();
        assert!(path.is_symlink(), "{kind}");
        assert_eq!(fs::read_to_string(&path).unwrap().trim(), left, "{kind}");
        let before = snapshot(home.path(), &home.state());
        home.run(["hooks", "install", kind]).ok();
        home.run(["hooks", "uninstall", kind]).ok();
        assert_eq!(snapshot(home.path(), &home.state()), before, "{kind}");
    }
}

/// It runs headsup, and no installation has put it there.
#[test]
fn a_server_that_a_person_has_written_comes_back() {
    const OWN: &str = "{\n  \"mcpServers\": {\n    \"headsup\": { \"command\": \"/usr/local/bin/headsup\", \
                       \"args\": [\"mcp\"] }\n  }\n}\n";
    let home = home();
    write(&file(&home, "gemini-cli"), OWN, 0o600);
    let before = snapshot(home.path(), &home.state());
    let done = home.run(["mcp", "install", "gemini-cli"]);
    assert!(!done.ok().stderr.contains("hub of /usr/local"), "{done:?}");
    home.run(["mcp", "uninstall", "gemini-cli"]).ok();
    assert_eq!(snapshot(home.path(), &home.state()), before);
}

#[test]
fn a_plugin_whose_entries_somebody_has_emptied_goes_whole() {
    let home = home();
    write(&settings(&home), "{}", 0o600);
    let before = snapshot(home.path(), &home.state());
    for text in ["", "\n"] {
        home.run(["hooks", "install", "claude-code"]).ok();
        let entries = home.path().join(".claude/skills/headsup/hooks/hooks.json");
        fs::write(entries, text).unwrap();
        home.run(["hooks", "uninstall", "claude-code"]).ok();
        assert_eq!(snapshot(home.path(), &home.state()), before, "{text:?}");
    }
}
