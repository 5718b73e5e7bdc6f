//! OpenCode and Kilo: one file of ours, which they run in their own process.

use crate::install::{BINARY, home, write};
use crate::run::Rig;
use headsup_adapters::inject::recipe;
use headsup_testkit::home::{Done, Home};
use headsup_testkit::hub::Hub;
use headsup_testkit::settings::snapshot;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The kind, its folder, and the variable of a launch.
const PROGRAMS: [(&str, &str, &str); 2] = [
    ("opencode", ".config/opencode", "OPENCODE_CONFIG_CONTENT"),
    ("kilo", ".config/kilo", "KILO_CONFIG_CONTENT"),
];

const THEIRS: &str = "export const Mine = async () => ({})\n";

fn file(home: &Home, folder: &str) -> PathBuf {
    home.path().join(folder).join("plugin/headsup.js")
}

fn status(home: &Home, kind: &str) -> Value {
    home.run(["hooks", "status", kind, "--json"]).ok().json()["agents"][0].clone()
}

#[test]
fn one_file_is_added_and_taken_away_to_the_byte() {
    for (kind, folder, _) in PROGRAMS {
        let home = home();
        let nothing = snapshot(home.path(), &home.state());
        home.run(["hooks", "install", kind]).ok();
        let text = fs::read_to_string(file(&home, folder)).unwrap();
        let launcher = home.state().join("bin/headsup");
        assert!(text.contains(&format!("const LAUNCHER = \"{}\"\n", launcher.display())));
        assert!(text.contains(&format!("const KIND = \"{kind}\"\n")));
        let now = status(&home, kind);
        let told = (&now["settings"], &now["plugin"], &now["problems"]);
        assert_eq!(told, (&json!("complete"), &json!("absent"), &json!([])), "{kind}");
        let shown = home.run(["hooks", "status", kind]);
        assert!(shown.ok().stdout.contains("plugin file, complete"), "{shown:?}");
        home.run(["hooks", "uninstall", kind]).ok();
        assert_eq!(snapshot(home.path(), &home.state()), nothing, "{kind}");

        // Beside what others have there.
        write(&home.path().join(folder).join("plugin/mine.js"), THEIRS, 0o600);
        write(&home.path().join(folder).join("opencode.json"), "{ }\n", 0o600);
        let before = snapshot(home.path(), &home.state());
        home.run(["hooks", "install", kind]).ok();
        assert_ne!(snapshot(home.path(), &home.state()), before, "{kind}");
        home.run(["hooks", "uninstall", kind]).ok();
        assert_eq!(snapshot(home.path(), &home.state()), before, "{kind}");
    }
}

#[test]
fn a_configuration_that_opencode_cannot_read_is_named() {
    let home = home();
    home.run(["hooks", "install", "opencode"]).ok();
    let folder = home.path().join(".config/opencode");
    let comments = "{\n  // mine\n  \"username\": \"ada\",\n}\n";
    write(&folder.join("opencode.json"), comments, 0o600);
    write(&folder.join("opencode.jsonc"), comments, 0o600);
    assert_eq!(status(&home, "opencode")["problems"], json!([]));
    for name in ["opencode.json", "opencode.jsonc", "config.json"] {
        let path = folder.join(name);
        write(&path, "{ broken\n", 0o600);
        let problems = status(&home, "opencode")["problems"].clone();
        let problem = problems[0].as_str().unwrap();
        assert!(problem.starts_with(&format!("{}: ", path.display())), "{problem}");
        assert!(problem.ends_with("OpenCode does not start with it"), "{problem}");
        fs::remove_file(&path).unwrap();
    }
}

/// As an install of another version has left it: what that has written stands in its record.
fn make_older(home: &Home, kind: &str, path: &Path) {
    let older = format!("{}// of another version\n", fs::read_to_string(path).unwrap());
    fs::write(path, &older).unwrap();
    let kept = home.state().join(format!("setup/{kind}.json"));
    let record = fs::read_to_string(&kept).unwrap();
    let mut record: Value = serde_json::from_str(&record).unwrap();
    record["settings"]["after"] = older.into();
    fs::write(&kept, record.to_string()).unwrap();
}

#[test]
fn an_older_file_of_ours_is_put_right_and_goes_too() {
    for (kind, folder, _) in PROGRAMS {
        let home = home();
        let nothing = snapshot(home.path(), &home.state());
        home.run(["hooks", "install", kind]).ok();
        let path = file(&home, folder);
        let text = fs::read_to_string(&path).unwrap();
        make_older(&home, kind, &path);
        assert_eq!(status(&home, kind)["settings"], "outdated");
        home.run(["hooks", "install", kind]).ok();
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        make_older(&home, kind, &path);
        home.run(["hooks", "uninstall", kind]).ok();
        assert_eq!(snapshot(home.path(), &home.state()), nothing, "{kind}");
    }
}

#[test]
fn what_a_person_has_written_into_the_file_is_kept_beside_it() {
    for kind in ["opencode", "kilo", "amp", "pi"] {
        let home = home();
        let recipe = recipe(kind).unwrap();
        let path = home.path().join(recipe.folder).join(recipe.settings);
        let name = path.file_name().unwrap().to_str().unwrap();
        let [first, second] = ["yours", "yours-2"].map(|end| format!("{name}.{end}"));
        let read = |name: &str| fs::read_to_string(path.with_file_name(name)).unwrap();
        home.run(["hooks", "install", kind]).ok();
        let text = read(name);
        let [mine, more] = ["mine", "more"].map(|word| format!("{text}// {word}\n"));

        fs::write(&path, &mine).unwrap();
        let before = snapshot(home.path(), &home.state());
        let shown = home.run(["hooks", "uninstall", kind, "--dry-run"]);
        assert!(shown.ok().stdout.contains("+// mine"), "{kind}: {shown:?}");
        assert_eq!(snapshot(home.path(), &home.state()), before, "{kind}");
        for _ in 0..2 {
            fs::write(&path, &mine).unwrap();
            let done = home.run(["hooks", "install", kind]);
            assert!(done.ok().stderr.contains(&format!("{first}\n")), "{kind}: {done:?}");
            assert_eq!((read(name), read(&first)), (text.clone(), mine.clone()), "{kind}");
        }

        fs::write(&path, &more).unwrap();
        let done = home.run(["hooks", "uninstall", kind, "--json"]).ok().json();
        for member in ["notes", "files"] {
            let told = done["agents"][0][member].to_string();
            assert!(told.contains(&second), "{kind}: {done}");
        }
        assert!(!path.exists(), "{kind}");
        assert_eq!((read(&first), read(&second)), (mine, more), "{kind}");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 2, "{kind}");
    }
}

/// A line of theirs before ours, or none of the line that says whose it is, and the plugin still runs.
#[test]
fn a_file_of_ours_is_known_whatever_it_begins_with() {
    for kind in ["opencode", "kilo", "amp", "pi"] {
        let recipe = recipe(kind).unwrap();
        for (what, is_a_persons) in [
            ("a mark of its encoding", false),
            ("other line ends", false),
            ("an empty line behind", false),
            ("an empty line before", true),
            ("a line before", true),
            ("no first line", true),
        ] {
            let home = home();
            let nothing = snapshot(home.path(), &home.state());
            let path = home.path().join(recipe.folder).join(recipe.settings);
            let name = path.file_name().unwrap().to_str().unwrap();
            let kept = path.with_file_name(format!("{name}.yours"));
            home.run(["hooks", "install", kind]).ok();
            let text = fs::read_to_string(&path).unwrap();
            let touched = match what {
                "a mark of its encoding" => format!("\u{feff}{text}"),
                "other line ends" => text.replace('\n', "\r\n"),
                "an empty line behind" => format!("{text}\n"),
                "an empty line before" => format!("\n{text}"),
                "a line before" => format!("// mine\n{text}"),
                _ => text.split_once('\n').unwrap().1.to_owned(),
            };
            let at = format!("{kind}, {what}");
            fs::write(&path, &touched).unwrap();
            let expected = if is_a_persons { "outdated" } else { "complete" };
            assert_eq!(status(&home, kind)["settings"], expected, "{at}");
            let again = home.run(["hooks", "install", kind]);
            let is_same = again.ok().stderr.contains("nothing to change");
            assert_eq!((is_same, kept.exists()), (!is_a_persons, is_a_persons), "{at}: {again:?}");
            fs::remove_file(&kept).ok();

            fs::write(&path, &touched).unwrap();
            let done = home.run(["hooks", "uninstall", kind]);
            assert!(!done.ok().stderr.contains("nothing to change"), "{at}: {done:?}");
            assert!(!path.exists(), "{at}: it would go on running");
            assert_eq!(fs::read_to_string(&kept).ok(), is_a_persons.then_some(touched), "{at}");
            if !is_a_persons {
                assert_eq!(snapshot(home.path(), &home.state()), nothing, "{at}");
            }
        }
    }
}

#[test]
fn what_a_person_has_put_in_its_place_is_theirs() {
    let home = home();
    home.run(["hooks", "install", "opencode"]).ok();
    let path = file(&home, ".config/opencode");
    fs::write(&path, THEIRS).unwrap();
    assert_eq!(status(&home, "opencode")["settings"], "absent");
    let done = home.run(["hooks", "uninstall", "opencode"]);
    assert!(done.ok().stderr.contains("headsup.js is not ours and stays"), "{done:?}");
    assert_eq!(fs::read_to_string(&path).unwrap(), THEIRS);
}

#[test]
fn a_file_of_somebody_elses_in_its_place_stays() {
    for (kind, folder, _) in PROGRAMS {
        let home = home();
        let path = file(&home, folder);
        write(&path, THEIRS, 0o600);
        let refused = home.run(["hooks", "install", kind]);
        assert_eq!(refused.code, 7, "{refused:?}");
        assert!(refused.stderr.contains("somebody else's"), "{refused:?}");
        home.run(["hooks", "uninstall", kind]).ok();
        assert_eq!(fs::read_to_string(&path).unwrap(), THEIRS);
    }
}

#[test]
fn a_folder_of_ours_that_has_become_a_link_stays_and_the_file_goes() {
    for (kind, folder, _) in PROGRAMS {
        let home = home();
        home.run(["hooks", "install", kind]).ok();
        let ours = home.path().join(folder).join("plugin");
        let moved = home.path().join("dot/plugins");
        fs::create_dir(home.path().join("dot")).unwrap();
        fs::rename(&ours, &moved).unwrap();
        symlink(&moved, &ours).unwrap();
        home.run(["hooks", "uninstall", kind]).ok();
        assert!(ours.is_symlink(), "{kind}");
        assert_eq!(fs::read_dir(&moved).unwrap().count(), 0, "{kind}");
        let again = home.run(["hooks", "uninstall", kind]);
        assert!(again.ok().stderr.contains("nothing to change"), "{kind}: {again:?}");
    }
}

/// It is a whole program: a refusal does not print it, and says what does.
#[test]
fn a_refusal_says_where_the_text_of_the_file_is_to_be_had() {
    for kind in ["opencode", "kilo", "amp", "pi"] {
        let home = home();
        let recipe = recipe(kind).unwrap();
        write(&home.path().join(recipe.folder).join(recipe.settings), THEIRS, 0o600);
        for which in [kind, "--all"] {
            let told = home.run(["hooks", "install", which]);
            assert_eq!(told.code, 7, "{told:?}");
            assert!(told.stderr.contains("--dry-run"), "{told:?}");
            assert!(!told.stderr.contains("LAUNCHER"), "{told:?}");
        }
        let refused = home.run(["hooks", "install", kind, "--json"]);
        let error: Value = serde_json::from_str(&refused.stderr).unwrap();
        let hint = error["error"]["hint"].as_str().unwrap();
        assert!(hint.contains(recipe.settings) && hint.len() < 1_000, "{hint}");
        let shows = hint.split('`').nth(1).unwrap();
        let bin = home.path().join("bin");
        fs::create_dir_all(&bin).unwrap();
        symlink(BINARY, bin.join("headsup")).unwrap();
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", shows]).env_clear().env("HOME", home.path());
        shell.env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
        shell.env("TMPDIR", home.path());
        let done = Done::from(shell.output().unwrap());
        let launcher = home.state().join("bin/headsup");
        let line = format!("+const LAUNCHER = \"{}\"\n", launcher.display());
        assert!(done.ok().stdout.contains(&line), "{shows}: {done:?}");
    }
}

#[test]
fn doctor_sends_an_event_the_way_of_the_file() {
    let home = home();
    let _hub = Hub::start(&home);
    for (kind, ..) in PROGRAMS {
        home.run(["hooks", "install", kind]).ok();
    }
    let doc: Value = serde_json::from_str(&home.run(["doctor", "--json"]).stdout).unwrap();
    for (kind, ..) in PROGRAMS {
        let checks = doc["checks"].as_array().unwrap().iter();
        let of_kind = checks.filter(|check| check["name"].as_str().unwrap().starts_with(kind));
        let of_kind: Vec<&Value> = of_kind.collect();
        assert_eq!(of_kind.len(), 2, "{doc}");
        assert!(of_kind.iter().all(|check| check["ok"] == true), "{of_kind:?}");
    }
}

#[test]
fn what_the_program_fetches_for_itself_is_told_until_it_is_there() {
    let home = home();
    let _hub = Hub::start(&home);
    let package = "@opencode-ai/plugin";
    let row = || {
        let doc: Value = serde_json::from_str(&home.run(["doctor", "--json"]).stdout).unwrap();
        let mut checks = doc["checks"].as_array().unwrap().clone().into_iter();
        checks.find(|check| check["name"] == "opencode hooks").unwrap()
    };
    let done = home.run(["hooks", "install", "opencode"]);
    assert!(done.ok().stderr.contains(package), "{done:?}");
    let told = row();
    assert!(told["hint"].as_str().unwrap().contains(package) && told["ok"] == true, "{told}");
    let folder = home.path().join(".config/opencode/node_modules");
    fs::create_dir_all(folder.join(package)).unwrap();
    assert_eq!(row()["hint"], Value::Null);
    home.run(["hooks", "uninstall", "opencode"]).ok();
    for kind in ["opencode", "kilo"] {
        let done = home.run(["hooks", "install", kind]);
        assert!(!done.ok().stderr.contains(package), "{done:?}");
    }
}

/// Writes its arguments and the variable down.
pub(crate) fn stand_in(variable: &str) -> String {
    format!(
        "#!/bin/sh\nprintf '%s\\0' \"$0\" \"$@\" > \"$HOME/argv\"\n\
         printf '%s' \"${variable}\" > \"$HOME/value\"\nprintf '%s\\n' x > \"$HOME/env\"\n"
    )
}

pub(crate) fn value(rig: &Rig) -> Value {
    let text = fs::read_to_string(rig.home.path().join("value")).unwrap();
    if text.is_empty() { Value::Null } else { serde_json::from_str(&text).unwrap() }
}

#[test]
fn a_launch_brings_the_file_beside_what_the_variable_holds() {
    for (kind, folder, variable) in PROGRAMS {
        let rig = Rig::new();
        write(&rig.home.path().join("bin").join(kind), &stand_in(variable), 0o755);
        let _hub = Hub::start(&rig.home);
        let launched = |given: &str| {
            let words = ["run", "--here", "--no-tools", "--id", "api", "--", kind, "-c"];
            let mut command = rig.command(&words);
            command.env(variable, given);
            let done = command.output().unwrap();
            assert!(done.status.success(), "{done:?}");
            assert_eq!(rig.argv()[1..], ["-c"]);
            value(&rig)
        };
        let ours = rig.home.state().join("launch/api.js");
        let named = format!("file://{}", ours.display());
        assert_eq!(launched(""), json!({ "plugin": [named] }));
        let text = fs::read_to_string(&ours).unwrap();
        assert!(text.contains("export const headsup"));
        assert!(!rig.home.path().join(folder).exists(), "nothing is written to its own folder");
        let given = r#"{"model":"a/b","plugin":["theirs"]}"#;
        assert_eq!(launched(given), json!({ "model": "a/b", "plugin": ["theirs", named] }));
        let mut command = rig.command(&["run", "--here", "--id", "b", "--", kind]);
        let refused = command.env(variable, "[").output().unwrap();
        assert_eq!(refused.status.code(), Some(7), "{refused:?}");
        assert!(String::from_utf8_lossy(&refused.stderr).contains(variable), "{refused:?}");
        // What is installed reports alone.
        rig.home.run(["hooks", "install", kind]).ok();
        assert_eq!(launched(given), json!({ "model": "a/b", "plugin": ["theirs"] }));
    }
}
