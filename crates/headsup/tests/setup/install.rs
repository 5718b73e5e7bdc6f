//! Installing and taking away again.

use headsup_testkit::home::Home;
use headsup_testkit::settings::{Snapshot, snapshot};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_headsup");

pub(crate) fn home() -> Home {
    Home::new(BINARY)
}

pub(crate) fn settings(home: &Home) -> PathBuf {
    home.path().join(".claude/settings.json")
}

pub(crate) fn write(path: &Path, text: &str, mode: u32) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn tree(home: &Home) -> Snapshot {
    snapshot(home.path(), &home.state())
}

fn live(home: &Home) {
    home.run(["hooks", "install", "claude-code", "--live"]).ok();
}

fn uninstall(home: &Home) {
    home.run(["hooks", "uninstall", "claude-code"]).ok();
}

pub(crate) fn status(home: &Home) -> Value {
    home.run(["hooks", "status", "claude-code", "--json"]).ok().json()["agents"][0].clone()
}

#[test]
fn a_plugin_is_one_folder_to_add_and_to_take_away() {
    let home = home();
    write(&settings(&home), "{\n  \"model\": \"opus\"\n}\n", 0o600);
    let before = tree(&home);
    home.run(["hooks", "install"]).ok();
    let folder = home.path().join(".claude/skills/headsup");
    let plugin = fs::read_to_string(folder.join(".claude-plugin/plugin.json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&plugin).unwrap()["name"], "headsup");
    assert!(folder.join("hooks/hooks.json").exists());
    let now = status(&home);
    assert_eq!((&now["plugin"], &now["settings"]), (&json!("complete"), &json!("absent")));
    assert_eq!(now["problems"], json!([]));
    assert_eq!(fs::read_to_string(settings(&home)).unwrap(), "{\n  \"model\": \"opus\"\n}\n");
    uninstall(&home);
    assert_eq!(tree(&home), before);
}

#[test]
fn a_new_user_has_no_folder_for_states_yet() {
    let home = home();
    for way in [&["hooks", "install", "claude-code"][..], &["hooks", "install", "claude", "--live"]]
    {
        let done = home.command(way).env_remove("HEADSUP_HOME").output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let launcher = home.path().join(".local/state/headsup/bin/headsup");
        assert_eq!(fs::read_link(&launcher).unwrap(), fs::canonicalize(BINARY).unwrap());
        fs::remove_dir_all(home.path().join(".local")).unwrap();
    }
}

/// It was killed behind the last thing that shows.
#[test]
fn what_a_killed_edit_has_left_goes_with_an_install_that_has_nothing_to_change() {
    let home = home();
    live(&home);
    let left = home.path().join(".claude/.settings.json.headsup-new");
    fs::write(&left, "{}").unwrap();
    let done = home.run(["hooks", "install", "claude-code", "--live"]);
    assert!(done.ok().stderr.contains("nothing to change"), "{done:?}");
    assert!(!left.exists());
}

#[test]
fn entries_of_the_user_in_our_folder_stay() {
    let home = home();
    home.run(["hooks", "install", "claude"]).ok();
    let folder = home.path().join(".claude/skills/headsup");
    fs::write(folder.join("SKILL.md"), "mine").unwrap();
    let done = home.run(["hooks", "uninstall", "claude"]);
    assert!(done.ok().stderr.contains("SKILL.md is not ours and stays"), "{done:?}");
    assert_eq!(fs::read_to_string(folder.join("SKILL.md")).unwrap(), "mine");
    assert!(!folder.join("hooks/hooks.json").exists());
}

#[test]
fn what_a_person_has_changed_in_our_folder_is_not_lost_by_an_install() {
    let home = home();
    home.run(["hooks", "install", "claude"]).ok();
    let folder = home.path().join(".claude/skills/headsup");
    let (hooks, manifest) =
        (folder.join("hooks/hooks.json"), folder.join(".claude-plugin/plugin.json"));
    let kept = home.path().join(".claude/skills/headsup.plugin.json.yours");
    let [entries, about] = [&hooks, &manifest].map(|path| fs::read_to_string(path).unwrap());
    let mine = about.replacen("1.0.0", "1.0.0-mine", 1);
    fs::write(&hooks, entries.replacen('{', "{ \"mine\": 1,", 1)).unwrap();
    fs::write(&manifest, &mine).unwrap();
    let done = home.run(["hooks", "install", "claude"]);
    assert!(done.ok().stderr.contains("headsup.plugin.json.yours"), "{done:?}");
    assert_eq!(fs::read_to_string(&manifest).unwrap(), about);
    assert_eq!(fs::read_to_string(&kept).unwrap(), mine);
    assert!(fs::read_to_string(&hooks).unwrap().contains("\"mine\": 1"));
    assert_eq!(status(&home)["plugin"], "complete");

    // What another version has written is nobody's work.
    let older = about.replacen("1.0.0", "0.9.0", 1);
    let record = home.state().join("setup/claude-code.json");
    let mut known: Value = serde_json::from_str(&fs::read_to_string(&record).unwrap()).unwrap();
    known["files"][".claude-plugin/plugin.json"] = older.clone().into();
    fs::write(&record, known.to_string()).unwrap();
    fs::write(&hooks, &entries).unwrap();
    fs::write(&manifest, &older).unwrap();
    let done = home.run(["hooks", "uninstall", "claude"]);
    assert!(!done.ok().stderr.contains("is kept as"), "{done:?}");
    assert!(!folder.exists() && kept.exists());
}

#[test]
fn an_outdated_plugin_is_brought_up_to_date() {
    let home = home();
    home.run(["hooks", "install", "claude-code"]).ok();
    let hooks = home.path().join(".claude/skills/headsup/hooks/hooks.json");
    let new = fs::read_to_string(&hooks).unwrap();
    fs::write(&hooks, new.replace("\"Notification\"", "\"Setup\"")).unwrap();
    assert_eq!(status(&home)["plugin"], "outdated");
    home.run(["hooks", "install", "claude-code"]).ok();
    assert_eq!(fs::read_to_string(&hooks).unwrap(), new);
    uninstall(&home);
    assert!(!home.path().join(".claude").exists(), "the folders were ours, too");
}

#[test]
fn a_dry_run_shows_the_diff_and_changes_nothing() {
    let home = home();
    write(&settings(&home), "{\n  \"model\": \"opus\"\n}\n", 0o600);
    let before = tree(&home);
    let live = home.run(["hooks", "install", "--live", "--dry-run"]).ok().stdout.clone();
    for line in ["-  \"model\": \"opus\"", "+  \"model\": \"opus\",", "+    \"SessionStart\": ["] {
        assert!(live.lines().any(|have| have == line), "{line} is not in\n{live}");
    }
    assert!(live.contains(".claude/settings.json\n@@"));
    let plugin = home.run(["hooks", "install", "--dry-run"]).ok().stdout.clone();
    assert!(plugin.contains("--- /dev/null\n"), "{plugin}");
    assert_eq!(tree(&home), before);
    assert!(!home.state().exists());
}

#[test]
fn a_dry_run_shows_tabs_as_they_are() {
    let home = home();
    write(&settings(&home), "{\n\t\"model\": \"opus\"\n}\n", 0o600);
    let live = home.run(["hooks", "install", "--live", "--dry-run"]).ok().stdout.clone();
    for line in ["-\t\"model\": \"opus\"", "+\t\"model\": \"opus\",", "+\t\t\"Stop\": ["] {
        assert!(live.lines().any(|have| have == line), "{line:?} is not in\n{live}");
    }
}

#[test]
fn the_launcher_is_a_link_that_follows_the_program() {
    let home = home();
    live(&home);
    let launcher = home.state().join("bin/headsup");
    assert_eq!(fs::read_link(&launcher).unwrap(), fs::canonicalize(BINARY).unwrap());
    let text = fs::read_to_string(settings(&home)).unwrap();
    let value: Value = serde_json::from_str(&text).unwrap();
    let path = launcher.display();
    let expected = format!(
        "[ -f '{path}' ] && [ -x '{path}' ] && HEADSUP_HOME='{}' '{path}' hook claude-code Stop >/dev/null 2>&1; exit 0",
        home.state().display()
    );
    assert_eq!(value["hooks"]["Stop"][0]["hooks"][0]["command"], expected);
    fs::remove_file(&launcher).unwrap();
    symlink("/nowhere", &launcher).unwrap();
    assert!(status(&home)["problems"].to_string().contains("is gone"));
    let told = home.run(["hooks", "install", "claude-code", "--live"]).ok().stderr.clone();
    assert_eq!(status(&home)["problems"], json!([]));
    let to = fs::canonicalize(BINARY).unwrap();
    let note = format!("{path} is a link to {} with this", to.display());
    assert!(told.contains(&note), "{told}");
    let again = home.run(["hooks", "install", "claude-code", "--live"]).ok().stderr.clone();
    assert!(!again.contains(&note), "{again}");
}

#[test]
fn a_linked_settings_file_is_edited_where_it_is_and_stays_a_link() {
    let home = home();
    let real = home.path().join("dotfiles/claude.json");
    write(&real, "{\n  \"model\": \"opus\"\n}\n", 0o640);
    fs::create_dir(home.path().join(".claude")).unwrap();
    symlink("../dotfiles/claude.json", settings(&home)).unwrap();
    let before = tree(&home);
    live(&home);
    assert!(settings(&home).is_symlink());
    assert!(fs::read_to_string(&real).unwrap().contains("hook claude-code"));
    assert_eq!(fs::metadata(&real).unwrap().mode() & 0o777, 0o640);
    uninstall(&home);
    assert_eq!(tree(&home), before);
}

#[test]
fn there_is_one_way_at_a_time_so_that_nothing_is_told_twice() {
    let home = home();
    write(&settings(&home), "{\n  \"model\": \"opus\"\n}\n", 0o600);
    let before = tree(&home);
    let ways = |home: &Home| {
        let now = status(home);
        assert_eq!(now["problems"], json!([]));
        (now["plugin"].clone(), now["settings"].clone())
    };
    live(&home);
    assert_eq!(ways(&home), (json!("absent"), json!("complete")));
    home.run(["hooks", "install", "claude-code"]).ok();
    assert_eq!(ways(&home), (json!("complete"), json!("absent")));
    assert_eq!(fs::read_to_string(settings(&home)).unwrap(), "{\n  \"model\": \"opus\"\n}\n");
    live(&home);
    assert_eq!(ways(&home), (json!("absent"), json!("complete")));
    uninstall(&home);
    assert_eq!(tree(&home), before);
}

/// The file that makes it a plugin, and that says whose it is.
#[test]
fn a_plugin_folder_whose_manifest_is_broken_is_ours_by_its_entries() {
    let home = home();
    let before = tree(&home);
    for (what, is_kept) in [("\u{feff}{}", false), ("{}\n\n", false), ("// mine\n{}", true)] {
        home.run(["hooks", "install", "claude-code"]).ok();
        let manifest = home.path().join(".claude/skills/headsup/.claude-plugin/plugin.json");
        let text = fs::read_to_string(&manifest).unwrap();
        fs::write(&manifest, what.replace("{}", &text)).unwrap();
        let done = home.run(["hooks", "uninstall", "claude-code"]);
        assert_eq!(done.ok().stderr.contains("is kept as"), is_kept, "{what}: {done:?}");
        assert!(!home.path().join(".claude/skills/headsup").exists(), "{what}");
        if !is_kept {
            assert_eq!(tree(&home), before, "{what}");
        }
    }
}

#[test]
fn an_uninstall_that_finds_nothing_says_so() {
    let home = home();
    home.run(["hooks", "install", "claude-code"]).ok();
    for _ in 0..2 {
        home.run(["hooks", "uninstall"]).ok();
    }
    let again = home.run(["hooks", "uninstall"]);
    assert!(again.ok().stderr.contains("nothing to change"), "{again:?}");
}
