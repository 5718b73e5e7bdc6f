//! One state folder that goes by two names, as where there is a link in the way to it.

use crate::install::home;
use headsup_adapters::inject::{Recipe, recipe};
use headsup_testkit::home::{Done, Home};
use headsup_testkit::settings::{Snapshot, snapshot};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

/// Entries in JSON and in TOML, files and a folder of ours; one program knows an entry by its text.
const WAYS: [&[&str]; 7] = [
    &["gemini-cli"],
    &["claude-code"],
    &["claude-code", "--live"],
    &["codex"],
    &["cursor"],
    &["kimi"],
    &["opencode"],
];

struct Case {
    home: Home,
    recipe: &'static Recipe,
    before: Snapshot,
}

impl Case {
    fn new(kind: &str) -> Self {
        let home = home();
        fs::create_dir_all(home.state()).unwrap();
        symlink(home.state(), home.path().join("linked")).unwrap();
        let before = snapshot(home.path(), &home.state());
        Self { home, recipe: recipe(kind).unwrap(), before }
    }

    fn state(&self, is_linked: bool) -> PathBuf {
        if is_linked { self.home.path().join("linked") } else { self.home.state() }
    }

    fn hooks(&self, is_linked: bool, args: &[&str]) -> Done {
        let mut command = self.home.command([&["hooks"][..], args].concat());
        command.env("HEADSUP_HOME", self.state(is_linked));
        let done = Done::from(command.output().unwrap());
        done.ok();
        done
    }

    fn status(&self, is_linked: bool) -> Value {
        let kind = self.recipe.kind;
        self.hooks(is_linked, &["status", kind, "--json"]).json()["agents"][0].clone()
    }

    fn now(&self) -> Snapshot {
        snapshot(self.home.path(), &self.home.state())
    }

    fn settings(&self) -> PathBuf {
        self.home.path().join(self.recipe.folder).join(self.recipe.settings)
    }
}

#[test]
fn what_was_installed_by_one_name_is_known_by_the_other() {
    for way in WAYS {
        for first in [false, true] {
            let case = Case::new(way[0]);
            let install = [&["install"][..], way].concat();
            case.hooks(first, &install);
            let installed = case.now();
            assert_ne!(installed, case.before, "{way:?}");
            let again = case.hooks(!first, &install).stderr;
            assert!(again.contains("nothing to change"), "{way:?}: {again}");
            assert_eq!(case.now(), installed, "{way:?}: it stays as it is");
            let found = case.status(!first);
            assert!(
                [&found["plugin"], &found["settings"]].contains(&&json!("complete")),
                "{found}"
            );
            assert_eq!(found["elsewhere"], json!([]), "{way:?}");
            assert!(!found["problems"].to_string().contains("as well"), "{found}");
            case.hooks(!first, &["uninstall", way[0]]);
            assert_eq!(case.now(), case.before, "{way:?}");
        }
    }
}

/// As earlier versions have left it.
#[test]
fn what_stands_there_by_both_names_is_put_right_and_goes_whole() {
    for kind in ["gemini-cli", "codex", "cursor", "kimi"] {
        for is_put_right in [false, true] {
            for is_linked in [false, true] {
                let case = Case::new(kind);
                case.hooks(false, &["install", kind]);
                let launcher = case.state(true).join("bin/headsup");
                let text = fs::read_to_string(case.settings()).unwrap();
                // Of no program that is not there anybody knows the version.
                let recipe = case.recipe.of_version(None);
                let both = recipe.append(&text, launcher.to_str().unwrap()).unwrap();
                assert_ne!(both, text);
                fs::write(case.settings(), &both).unwrap();
                assert_eq!(case.status(is_linked)["settings"], "outdated", "{kind}");
                if is_put_right {
                    case.hooks(is_linked, &["install", kind]);
                    assert_eq!(case.status(!is_linked)["settings"], "complete", "{kind}");
                    let once = fs::read_to_string(case.settings()).unwrap();
                    let count = |text: &str| text.matches("hook ").count();
                    assert_eq!(count(&once), count(&text), "{kind}: {once}");
                }
                case.hooks(!is_linked, &["uninstall", kind]);
                assert_eq!(case.now(), case.before, "{kind}, {is_put_right}, {is_linked}");
            }
        }
    }
}
