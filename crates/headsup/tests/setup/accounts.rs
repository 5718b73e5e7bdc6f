//! Two accounts of one program: each has a configuration folder of its own, which a variable names.

use crate::install::{home, write};
use headsup_testkit::home::{Done, Home};
use headsup_testkit::settings::{Snapshot, snapshot};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

/// A program, the variable, and where its hooks and its servers lie: usually, and with the variable.
struct Program {
    kind: &'static str,
    variable: &'static str,
    usual: [&'static str; 2],
    moved: [&'static str; 2],
    /// What a person has there.
    texts: [&'static str; 2],
}

const PROGRAMS: [Program; 3] = [
    Program {
        kind: "claude-code",
        variable: "CLAUDE_CONFIG_DIR",
        usual: [".claude/settings.json", ".claude.json"],
        moved: ["jobs/settings.json", "jobs/.claude.json"],
        texts: [HOOKS, "{\"mcpServers\":{}}"],
    },
    Program {
        kind: "codex",
        variable: "CODEX_HOME",
        usual: [".codex/hooks.json", ".codex/config.toml"],
        moved: ["jobs/hooks.json", "jobs/config.toml"],
        texts: [HOOKS, "model = 'x' # mine\n"],
    },
    Program {
        kind: "opencode",
        variable: "XDG_CONFIG_HOME",
        usual: [".config/opencode/plugin/mine.js", ".config/opencode/opencode.json"],
        moved: ["jobs/opencode/plugin/mine.js", "jobs/opencode/opencode.json"],
        texts: ["export const Mine = async () => ({})\n", "{ \"mcp\" : {} }"],
    },
];

const HOOKS: &str = "{ \"hooks\": {\"Stop\": []} }";

fn tree(home: &Home) -> Snapshot {
    snapshot(home.path(), &home.state())
}

fn jobs(home: &Home) -> PathBuf {
    home.path().join("jobs")
}

impl Program {
    fn run(&self, home: &Home, is_moved: bool, args: &[&str]) -> Done {
        let mut command = home.command(args);
        if is_moved {
            command.env(self.variable, jobs(home));
        }
        Done::from(command.output().unwrap())
    }

    fn install(&self, home: &Home, is_moved: bool) {
        self.run(home, is_moved, &["hooks", "install", self.kind, "--live"]).ok();
        self.run(home, is_moved, &["mcp", "install", self.kind]).ok();
    }

    /// What was said, of the hooks and of the tools.
    fn uninstall(&self, home: &Home, is_moved: bool) -> [String; 2] {
        ["hooks", "mcp"].map(|part| {
            self.run(home, is_moved, &[part, "uninstall", self.kind]).ok().stderr.clone()
        })
    }

    fn lay(&self, home: &Home) {
        for files in [self.usual, self.moved] {
            for (file, text) in files.iter().zip(self.texts) {
                write(&home.path().join(file), text, 0o600);
            }
        }
    }
}

#[test]
fn what_either_account_had_comes_back_to_the_byte_whichever_comes_and_goes_first() {
    for program in &PROGRAMS {
        for (is_there, comes_first, goes_first) in [
            (true, true, true),
            (true, true, false),
            (true, false, true),
            (false, true, false),
            (false, false, false),
        ] {
            let home = home();
            if is_there {
                program.lay(&home);
            }
            let before = tree(&home);
            program.install(&home, comes_first);
            program.install(&home, !comes_first);
            program.uninstall(&home, goes_first);
            program.uninstall(&home, !goes_first);
            let at = format!("{}: {is_there}, {comes_first}, {goes_first}", program.kind);
            assert_eq!(tree(&home), before, "{at}");
            let records = fs::read_dir(home.state().join("setup")).unwrap();
            let records = records.map(|entry| entry.unwrap().file_name());
            assert_eq!(records.collect::<Vec<_>>(), ["lock"], "{at}: nothing is left to remember");
        }
    }
}

#[test]
fn an_uninstall_that_finds_nothing_says_where_it_would_find_something() {
    for program in &PROGRAMS {
        let Program { kind, variable, .. } = program;
        for is_moved in [true, false] {
            let home = home();
            program.lay(&home);
            let before = tree(&home);
            program.install(&home, is_moved);
            let installed = tree(&home);
            let how = match is_moved {
                true => format!("{variable}='{}'", jobs(&home).display()),
                false => format!("env -u {variable}"),
            };
            for _ in 0..2 {
                let told = program.uninstall(&home, !is_moved);
                for (part, told) in ["hooks", "mcp"].iter().zip(told) {
                    let command = format!("`{how} headsup {part} uninstall {kind}`");
                    assert!(told.contains("nothing to change"), "{told}");
                    assert!(told.contains(&command), "{command}: {told}");
                }
            }
            let all = program.run(&home, !is_moved, &["hooks", "uninstall", "--json"]).ok().json();
            let notes = all["agents"].as_array().unwrap().iter().find(|one| one["kind"] == *kind);
            assert!(notes.unwrap()["notes"].to_string().contains(&how), "{all}");
            assert_eq!(tree(&home), installed, "{kind}");
            program.uninstall(&home, is_moved);
            assert_eq!(tree(&home), before, "{kind}");
            for told in program.uninstall(&home, !is_moved) {
                assert!(!told.contains("takes them away"), "{told}");
            }
        }
    }
}

#[test]
fn the_status_of_either_account_names_the_other_one_and_so_does_an_uninstall_beside_it() {
    for program in &PROGRAMS {
        let Program { kind, variable, .. } = program;
        let home = home();
        program.install(&home, true);
        let how = format!("{variable}='{}' headsup hooks uninstall {kind}", jobs(&home).display());
        let status = |is_moved: bool| {
            let args = ["hooks", "status", program.kind, "--json"];
            program.run(&home, is_moved, &args).ok().json()["agents"][0].clone()
        };
        let agent = status(false);
        assert_eq!((&agent["settings"], &agent["elsewhere"]), (&json!("absent"), &json!([])));
        assert_eq!(agent["other_folders"][0]["uninstall"], how, "{agent}");
        let folder = agent["other_folders"][0]["folder"].as_str().unwrap();
        assert!(folder.starts_with(jobs(&home).to_str().unwrap()), "{agent}");
        let told = program.run(&home, false, &["hooks", "status"]).ok().stdout.clone();
        assert!(told.contains(&format!("`{how}`")), "{told}");
        assert_eq!(status(true)["other_folders"], json!([]), "{kind}");

        program.install(&home, false);
        assert!(status(true)["other_folders"][0]["uninstall"].is_string(), "{kind}");
        let [told, _] = program.uninstall(&home, false);
        assert!(!told.contains("nothing to change"), "{told}");
        assert!(told.contains(&format!("`{how}`")), "{told}");
        program.uninstall(&home, true);
        assert_eq!(status(false)["other_folders"], json!([]), "{kind}");
    }
}

/// Whoever moves the folder to where it is anyway has one account.
#[test]
fn a_variable_that_moves_nothing_makes_no_second_account() {
    let home = home();
    let program = &PROGRAMS[1];
    program.lay(&home);
    let before = tree(&home);
    program.install(&home, false);
    let mut command = home.command(["hooks", "uninstall", "codex"]);
    command.env(program.variable, home.path().join("jobs/../.codex"));
    Done::from(command.output().unwrap()).ok();
    home.run(["mcp", "uninstall", "codex"]).ok();
    assert_eq!(tree(&home), before);
}

#[test]
fn accounts_that_a_link_chooses_are_kept_apart() {
    let home = home();
    let link = home.path().join(".claude");
    let choose = |account: &str| {
        fs::remove_file(&link).ok();
        symlink(home.path().join(account), &link).unwrap();
    };
    for (account, text) in [("one", HOOKS), ("two", "{\"model\" : \"opus\"}\n")] {
        write(&home.path().join(account).join("settings.json"), text, 0o600);
    }
    choose("one");
    let before = tree(&home);
    home.run(["hooks", "install", "claude-code", "--live"]).ok();
    choose("two");
    let told = home.run(["hooks", "uninstall", "claude-code"]).ok().stderr.clone();
    let how = format!("`CLAUDE_CONFIG_DIR='{}/one' headsup", home.path().display());
    assert!(told.contains("nothing to change") && told.contains(&how), "{told}");
    home.run(["hooks", "install", "claude-code", "--live"]).ok();
    for account in ["two", "one"] {
        choose(account);
        home.run(["hooks", "uninstall", "claude-code"]).ok();
    }
    assert_eq!(tree(&home), before);
}

/// Makes a record one of an older version, which knew one configuration of a program.
fn make_old(home: &Home, name: &str) {
    let path = home.state().join("setup").join(name);
    let mut record: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    for member in ["at", "folder"] {
        assert!(record.as_object_mut().unwrap().remove(member).is_some(), "{record}");
    }
    fs::write(&path, record.to_string()).unwrap();
}

#[test]
fn what_an_older_version_has_remembered_is_found() {
    for is_moved in [true, false] {
        let home = home();
        let program = &PROGRAMS[0];
        program.lay(&home);
        let before = tree(&home);
        program.install(&home, is_moved);
        for name in ["claude-code.json", "claude-code.mcp.json", "claude-code.skill.json"] {
            make_old(&home, name);
        }
        let told = program.uninstall(&home, !is_moved).concat();
        let how = if is_moved { "CLAUDE_CONFIG_DIR='" } else { "env -u CLAUDE_CONFIG_DIR" };
        assert!(told.contains(how), "{told}");
        program.uninstall(&home, is_moved);
        assert_eq!(tree(&home), before);
    }
    // Of a plugin folder it has not said where.
    let home = home();
    home.run(["hooks", "install", "claude-code"]).ok();
    make_old(&home, "claude-code.json");
    home.run(["hooks", "uninstall", "claude-code"]).ok();
    assert!(!home.path().join(".claude").exists(), "the folders were ours");
    assert!(!home.state().join("setup/claude-code.json").exists());
}

/// It may be on another disk.
#[test]
fn a_folder_that_a_variable_names_is_made_where_it_is_not_there_yet() {
    for (kind, variable, way) in [
        ("claude-code", "CLAUDE_CONFIG_DIR", &["--live"][..]),
        ("claude-code", "CLAUDE_CONFIG_DIR", &[]),
        ("codex", "CODEX_HOME", &[]),
        ("copilot-cli", "COPILOT_HOME", &[]),
        ("opencode", "XDG_CONFIG_HOME", &[]),
    ] {
        let (home, disk) = (home(), tempfile::tempdir().unwrap());
        let before = tree(&home);
        let folder = disk.path().join("data/agent");
        let run = |args: &[&str]| {
            let mut command = home.command([&["hooks"][..], args].concat());
            Done::from(command.env(variable, &folder).output().unwrap()).ok().code
        };
        run(&[&["install", kind][..], way].concat());
        assert!(folder.is_dir(), "{kind}");
        assert_eq!(tree(&home), before, "{kind}");
        run(&["uninstall", kind]);
        assert_eq!(fs::read_dir(disk.path()).unwrap().count(), 0, "{kind}");
    }
}

#[test]
fn a_folder_that_turns_back_from_one_that_is_not_there_is_refused_in_words() {
    let home = home();
    let run = |folder: &str, act: &str| {
        let mut command = home.command(["hooks", act, "codex"]);
        Done::from(command.env("CODEX_HOME", home.path().join(folder)).output().unwrap())
    };
    let before = tree(&home);
    for folder in ["nowhere/../jobs", "nowhere/.."] {
        let done = run(folder, "install");
        assert_eq!(done.code, 7, "{done:?}");
        assert!(done.stderr.contains("turns back (`..`)"), "{done:?}");
        assert!(done.stderr.contains("hint: name its folder without `..`"), "{done:?}");
        assert_eq!(tree(&home), before, "{folder}");
    }
    // Where all folders on the way are there it is one like any other.
    fs::create_dir(jobs(&home)).unwrap();
    run("jobs/../jobs", "install").ok();
    assert!(jobs(&home).join("hooks.json").is_file());
    run("jobs/../jobs", "uninstall").ok();
}
