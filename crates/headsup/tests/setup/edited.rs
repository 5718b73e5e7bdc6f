//! What of ours a person has edited: it goes whole, or stays and is named.

use crate::install::{home, settings, write};
use headsup_adapters::inject::recipe;
use headsup_testkit::home::Home;
use headsup_testkit::settings::snapshot;
use std::fs;
use std::path::PathBuf;

const KINDS: [&str; 2] = ["kimi", "mistral-vibe"];
const THEIRS: &str = "# mine\n[ui]\ndark = true\n";

fn toml(home: &Home, kind: &str) -> PathBuf {
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
            let path = toml(&home, kind);
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
        let path = toml(&home, kind);
        write(&path, THEIRS, 0o600);
        home.run(["hooks", "install", kind]).ok();
        let installed = fs::read_to_string(&path).unwrap();
        fs::write(&path, installed.replacen(" 2>/dev/null; exit 0", "", 1)).unwrap();
        is_named(&home, kind, path, "hooks.");
    }
    let home = home();
    home.run(["hooks", "install", "claude-code", "--live"]).ok();
    let path = settings(&home);
    let installed = fs::read_to_string(&path).unwrap();
    let stop = "hook claude-code Stop 2>/dev/null; exit 0";
    assert!(installed.contains(stop), "{installed}");
    fs::write(&path, installed.replacen(stop, "hook claude-code Stop", 1)).unwrap();
    is_named(&home, "claude-code", path, "hooks.Stop");
}

/// A list in one piece, as another program may write it, is not edited.
#[test]
fn a_list_in_another_form_is_refused_and_left_as_it_is() {
    for kind in KINDS {
        let home = home();
        let path = toml(&home, kind);
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
