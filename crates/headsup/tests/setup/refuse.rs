//! What is refused, and what is left of it.

use crate::install::{home, settings, status, write};
use headsup_testkit::home::{Done, Home};
use headsup_testkit::settings::snapshot;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::process::Command;

/// Refused, with the reason and the snippet, and nothing changed.
fn refused(home: &Home, why: &str) {
    let done = home.run(["hooks", "install", "claude-code", "--live"]);
    assert_eq!(done.code, 7, "{done:?}");
    assert!(done.stderr.contains(why), "{why}: {}", done.stderr);
    assert!(done.stderr.contains("hook claude-code Stop"), "the snippet");
    let json = home.run(["hooks", "install", "claude-code", "--live", "--json"]);
    let error: serde_json::Value = serde_json::from_str(&json.stderr).unwrap();
    assert!(error["error"]["hint"].as_str().unwrap().contains("\"Stop\""));
}

#[test]
fn what_is_not_clear_is_refused_with_the_lines_to_paste() {
    let cases = [
        ("{ \"model\": ", "it is not JSON"),
        ("{ model: 1 }", "it is not JSON"),
        ("[]", "the file is not an object"),
        ("{ \"hooks\": [] }", "\"hooks\" is not an object"),
        ("{ \"hooks\": { \"Stop\": { \"hooks\": [] } } }", "\"hooks.Stop\" is not a list"),
        ("{ \"hooks\": {}, \"hooks\": {} }", "stands more than once"),
    ];
    for (text, why) in cases {
        let home = home();
        write(&settings(&home), text, 0o600);
        refused(&home, why);
        assert_eq!(fs::read_to_string(settings(&home)).unwrap(), text);
        home.run(["hooks", "uninstall", "claude-code"]).ok();
    }
}

/// Where our entries are in a file that has been broken since, they cannot be taken out.
#[test]
fn what_cannot_be_taken_out_is_named_and_not_asked_for_once_more() {
    let home = home();
    home.run(["hooks", "install", "claude-code", "--live"]).ok();
    let broken = fs::read_to_string(settings(&home)).unwrap() + "}";
    write(&settings(&home), &broken, 0o600);
    for json in [&["--json"][..], &[]] {
        let done = home.run([&["hooks", "uninstall", "claude-code"], json].concat());
        assert_eq!(done.code, 7, "{done:?}");
        assert!(done.stderr.contains("take every entry that runs"), "{}", done.stderr);
        let launcher = home.state().join("bin/headsup");
        assert!(done.stderr.contains(launcher.to_str().unwrap()), "{}", done.stderr);
        assert!(!done.stderr.contains("merge") && !done.stderr.contains("\"Stop\""));
    }
    assert_eq!(fs::read_to_string(settings(&home)).unwrap(), broken);
    let shown = home.run(["hooks", "status", "claude-code"]).ok().stdout.clone();
    assert!(!shown.contains("no hooks installed"), "{shown}");
    assert!(shown.contains("cannot be read") && shown.contains("it is not JSON"), "{shown}");
}

#[test]
fn the_lines_to_paste_name_the_state_folder_as_it_is() {
    let home = home();
    write(&settings(&home), "[]", 0o600);
    let state = home.path().join("two  spaces");
    let mut command = home.command(["hooks", "install", "claude-code", "--live", "--json"]);
    let done = Done::from(command.env("HEADSUP_HOME", &state).output().unwrap());
    let error: serde_json::Value = serde_json::from_str(&done.stderr).unwrap();
    let hint = error["error"]["hint"].as_str().unwrap();
    assert!(hint.contains(state.join("bin/headsup").to_str().unwrap()), "{hint}");
}

/// No lines are named where there are none.
#[test]
fn a_home_that_cannot_stand_in_an_entry_is_refused_without_lines() {
    let home = home();
    let state = home.path().join("it's here");
    let done = home
        .command(["hooks", "install", "mistral-vibe"])
        .env("HEADSUP_HOME", &state)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(7), "{told}");
    assert!(told.contains("set HEADSUP_HOME to a plainer one"), "{told}");
    assert!(!told.contains("lines above"), "{told}");
}

#[test]
fn files_that_are_not_ours_alone_are_refused() {
    let text = "{}\n";
    let outside = tempfile::tempdir().unwrap();

    let home_1 = home();
    write(&settings(&home_1), text, 0o444);
    refused(&home_1, "it is read-only");

    let home_2 = home();
    write(&settings(&home_2), text, 0o600);
    fs::hard_link(settings(&home_2), home_2.path().join("second")).unwrap();
    refused(&home_2, "hard link");

    let home_3 = home();
    fs::create_dir_all(settings(&home_3)).unwrap();
    refused(&home_3, "not a regular file");

    let home_4 = home();
    fs::create_dir(home_4.path().join(".claude")).unwrap();
    fs::write(outside.path().join("s.json"), text).unwrap();
    symlink(outside.path().join("s.json"), settings(&home_4)).unwrap();
    refused(&home_4, "outside of your home folder");

    let home_5 = home();
    fs::create_dir(home_5.path().join(".claude")).unwrap();
    symlink("/nowhere/s.json", settings(&home_5)).unwrap();
    refused(&home_5, "link to nothing");

    let home_6 = home();
    symlink(outside.path(), home_6.path().join(".claude")).unwrap();
    refused(&home_6, "outside of your home folder");
    assert_eq!(fs::read_to_string(outside.path().join("s.json")).unwrap(), text);

    let home_7 = home();
    fs::create_dir(home_7.path().join(".claude")).unwrap();
    fs::write(settings(&home_7), b"{\"a\": \"\xff\"}").unwrap();
    refused(&home_7, "it is not UTF-8");
}

/// A file that nobody may change, until this goes out of scope.
struct Marked(PathBuf);

impl Marked {
    fn new(path: PathBuf) -> Option<Self> {
        let marked = Self(path);
        marked.mark("+i").then_some(marked)
    }

    fn mark(&self, how: &str) -> bool {
        let done = Command::new("chattr").arg(how).arg(&self.0).output();
        done.is_ok_and(|done| done.status.success())
    }
}

impl Drop for Marked {
    fn drop(&mut self) {
        self.mark("-i");
    }
}

#[test]
fn a_file_that_nobody_may_replace_is_refused() {
    let home = home();
    write(&settings(&home), "{}\n", 0o600);
    let Some(marked) = Marked::new(settings(&home)) else {
        eprintln!("skipped: only root can mark it, and not everywhere");
        return;
    };
    let done = home.run(["hooks", "install", "claude-code", "--live"]);
    drop(marked);
    assert_eq!(done.code, 7, "{done:?}");
    assert!(done.stderr.contains("nobody may replace"), "{}", done.stderr);
}

#[test]
fn a_file_of_another_user_is_refused() {
    let home = home();
    write(&settings(&home), "{}", 0o666);
    if std::os::unix::fs::chown(settings(&home), Some(12_345), None).is_err() {
        eprintln!("skipped: only root can give a file away");
        return;
    }
    refused(&home, "belongs to another user");
}

#[test]
fn a_folder_of_somebody_elses_is_not_taken_over() {
    let home = home();
    let folder = home.path().join(".claude/skills/headsup");
    write(&folder.join("SKILL.md"), "theirs", 0o600);
    let done = home.run(["hooks", "install", "claude-code"]);
    assert_eq!(done.code, 7, "{done:?}");
    assert!(done.stderr.contains("somebody else's"), "{}", done.stderr);
    home.run(["hooks", "uninstall", "claude-code"]).ok();
    assert_eq!(fs::read_to_string(folder.join("SKILL.md")).unwrap(), "theirs");

    let linked = self::home();
    fs::create_dir_all(linked.path().join(".claude/skills")).unwrap();
    fs::create_dir(linked.path().join("elsewhere")).unwrap();
    symlink(linked.path().join("elsewhere"), linked.path().join(".claude/skills/headsup")).unwrap();
    assert_eq!(linked.run(["hooks", "install", "claude-code"]).code, 7);
}

#[test]
fn a_plugin_folder_that_cannot_go_is_what_is_to_be_deleted() {
    let home = home();
    home.run(["hooks", "install", "claude-code"]).ok();
    let skills = home.path().join(".claude/skills");
    fs::set_permissions(&skills, fs::Permissions::from_mode(0o555)).unwrap();
    let done = home.run(["hooks", "uninstall", "claude-code"]);
    fs::set_permissions(&skills, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(done.code, 7, "{done:?}");
    let what = format!("delete {} by hand", skills.join("headsup").display());
    assert!(done.stderr.contains(&what), "{done:?}");
    assert!(!done.stderr.contains("settings.json"), "{done:?}");
}

/// Its settings have nothing of ours in them, and may not even be there.
#[test]
fn a_plugin_folder_with_a_file_that_cannot_be_read_is_what_is_to_be_deleted() {
    let home = home();
    home.run(["hooks", "install", "claude-code"]).ok();
    let folder = home.path().join(".claude/skills/headsup");
    fs::write(folder.join("hooks/hooks.json"), "{").unwrap();
    let done = home.run(["hooks", "uninstall", "claude-code"]);
    assert_eq!(done.code, 7, "{done:?}");
    assert!(done.stderr.contains(&format!("delete {} by hand", folder.display())), "{done:?}");
    assert!(!done.stderr.contains("settings.json"), "{done:?}");
}

#[test]
fn status_names_what_keeps_hooks_from_firing() {
    let home = home();
    let text = "{ \"disableAllHooks\": true, // off\n \"hooks\": { \"Stop\": [ { \"hooks\": [ { \"type\": \"command\", \"command\": \"exec headsup hook claude-code Stop\" } ] } ] } }";
    write(&settings(&home), text, 0o600);
    let found = status(&home);
    assert_eq!(found["settings"], "absent");
    let problems = found["problems"].to_string();
    for word in ["disableAllHooks is true", "not JSON", "1 other entry reports"] {
        assert!(problems.contains(word), "{word}: {problems}");
    }
}

#[test]
fn hooks_that_will_not_fire_are_not_installed_without_a_word() {
    let cases = [
        ("{ \"model\": \"opus\" } // mine\n", "the whole file is ignored"),
        ("{ \"list\": [1,] }\n", "the whole file is ignored"),
        ("{ \"disableAllHooks\": true }\n", "disableAllHooks is true"),
    ];
    for (text, why) in cases {
        let home = home();
        write(&settings(&home), text, 0o600);
        for dry in [&["--dry-run"][..], &[]] {
            let mut args = vec!["hooks", "install", "claude-code", "--live"];
            args.extend(dry);
            let done = home.run(&args);
            assert!(done.ok().stderr.contains(why), "{text}: {}", done.stderr);
            assert!(!done.stderr.contains("report within seconds"), "{}", done.stderr);
        }
        let json = home.run(["hooks", "install", "claude-code", "--live", "--json"]).ok().json();
        assert!(json["agents"][0]["notes"].to_string().contains(why), "{json}");
    }
    let home = home();
    let done = home.run(["hooks", "install", "claude-code", "--live"]);
    assert_eq!(done.ok().stderr.lines().count(), 1, "{}", done.stderr);
}

#[test]
fn hooks_that_fire_all_the_same_are_not_said_to_be_dead() {
    let twice = r#"{ "hooks": { "Stop": [ { "hooks": [ { "type": "command",
        "command": "exec headsup hook claude-code Stop" } ] } ] } }"#;
    // A plugin's hooks fire beside settings that are ignored, and twice is not never.
    let cases = [
        ("{ \"model\": \"opus\" } // mine\n", "", "the whole file is ignored"),
        ("{ \"model\"", "", "it is not JSON"),
        (twice, "", "1 other entry reports"),
        (twice, "--live", "1 other entry reports"),
    ];
    for (text, way, why) in cases {
        let home = home();
        write(&settings(&home), text, 0o600);
        let args = ["hooks", "install", "claude-code", way];
        let done = home.run(args.into_iter().filter(|word| !word.is_empty()));
        assert!(done.ok().stderr.contains(why), "{text}: {}", done.stderr);
        assert!(done.stderr.contains("sessions that run already report"), "{}", done.stderr);
    }
}

#[test]
fn what_is_no_regular_file_is_not_waited_for() {
    let home = home();
    fs::create_dir_all(home.path().join(".claude")).unwrap();
    let pipe = rustix::fs::FileType::Fifo;
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, settings(&home), pipe, mode, 0).unwrap();
    assert!(home.run(["hooks", "status"]).ok().stdout.contains("no hooks installed"));
    home.run(["hooks", "install", "claude-code"]).ok();
    home.run(["hooks", "uninstall", "claude-code"]).ok();
}

#[test]
fn an_agent_that_nothing_can_be_installed_into_is_named() {
    let home = home();
    let done = home.run(["hooks", "install", "aider"]);
    assert_eq!(done.code, 7, "{done:?}");
    assert!(done.stderr.contains("hooks are not installed into aider"), "{}", done.stderr);
    assert!(done.stderr.contains("`headsup run -- aider`"), "{}", done.stderr);
    assert_eq!(home.run(["hooks", "install", "no-such-agent"]).code, 2);
    assert!(home.run(["hooks", "status", "aider"]).ok().stdout.contains("documented (0.86.2)"));
    for kind in ["cline", "acp:some-agent", "custom"] {
        let done = home.run(["hooks", "install", kind]);
        assert!(done.code == 7 && done.stderr.contains("hint"), "{done:?}");
        home.run(["hooks", "uninstall", kind]).ok();
    }
    let none = home.run(["hooks", "install"]);
    assert_eq!(none.code, 4, "{none:?}");
    assert!(none.stderr.contains("`headsup hooks install claude-code`"), "{}", none.stderr);
    let none = home.run(["hooks", "status"]);
    assert!(none.ok().stdout.is_empty(), "{none:?}");
    for word in ["No agent program was found here", "`headsup hooks status --all`"] {
        assert!(none.stderr.contains(word), "{none:?}");
    }
    let none = home.run(["hooks", "status", "--json"]);
    assert_eq!(none.ok().json()["agents"], serde_json::json!([]));
    assert!(none.stderr.is_empty(), "{none:?}");
    let all = home.run(["hooks", "status", "--all"]);
    assert!(all.ok().stdout.contains("no hooks installed") && all.stderr.is_empty(), "{all:?}");
}

#[test]
fn one_that_nothing_can_be_installed_into_stops_none_of_the_others() {
    let home = home();
    let named = ["hooks", "install", "cline", "claude-code", "aider"];
    let done = home.run(named.into_iter().chain(["--dry-run", "--json"]));
    assert_eq!(done.code, 7, "{done:?}");
    let doc = done.json();
    let told: Vec<_> = doc["agents"].as_array().unwrap().iter().collect();
    let kinds: Vec<_> = told.iter().map(|agent| agent["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["claude-code", "cline", "aider"]);
    for agent in told {
        let is_installed = agent["kind"] == "claude-code";
        assert_eq!(agent["changed"], is_installed, "{agent}");
        assert_eq!(agent["error"]["code"] == "no_hooks", !is_installed, "{agent}");
    }
    let done = home.run(named);
    assert_eq!(done.code, 7, "{done:?}");
    for word in [
        "hooks are not installed into Cline",
        "hooks are not installed into aider",
        "Claude Code: hooks are installed",
        "error: not done: cline, aider (2 of 3 agents)",
    ] {
        assert!(done.stderr.contains(word), "{word}: {}", done.stderr);
    }
    assert!(home.run(["hooks", "status", "claude-code"]).ok().stdout.contains("complete"));

    // Where nothing is left to be installed each is named all the same.
    let done = home.run(["hooks", "install", "cline", "aider"]);
    assert_eq!(done.code, 7, "{done:?}");
    for word in ["into Cline", "into aider", "not done: cline, aider (2 of 2 agents)"] {
        assert!(done.stderr.contains(word), "{word}: {}", done.stderr);
    }
    // Named twice it is one.
    let twice = home.run(["hooks", "install", "cline", "cline"]);
    let once = home.run(["hooks", "install", "cline"]);
    assert_eq!((twice.code, &twice.stderr), (7, &once.stderr));
}

#[test]
fn a_limit_of_a_files_size_is_told_and_leaves_nothing_beside() {
    let home = home();
    let fails = |args: &str| {
        let own = home.command([""; 0]);
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", &format!("ulimit -f 0; exec \"$0\" {args}")]);
        shell.arg(own.get_program()).env_clear().current_dir(home.path());
        shell.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let done = Done::from(shell.output().unwrap());
        assert_eq!(done.code, 1, "{args}: {done:?}");
        for word in ["File too large", "ulimit -f"] {
            assert!(done.stderr.contains(word), "{args}: {done:?}");
        }
    };
    let all = || snapshot(home.path(), &home.state());
    write(&home.path().join(".codex/hooks.json"), "{\"a\":1}", 0o600);
    let before = all();
    fails("hooks install codex");
    fails("mcp install codex --json");
    assert_eq!(all(), before);
    home.run(["hooks", "install", "codex"]).ok();
    let installed = all();
    fails("hooks uninstall codex");
    fails("hooks uninstall codex --json");
    assert_eq!(all(), installed);
    home.run(["hooks", "uninstall", "codex"]).ok();
    assert_eq!(all(), before);
}
