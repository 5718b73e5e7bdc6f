//! One launch with hooks of its own, and no configuration of the program touched. What it brings of tools is
//! in `launch_tools.rs`.

use crate::install::write;
use crate::plugin_file::stand_in;
use crate::run::Rig;
use headsup_testkit::hub::Hub;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

fn json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// What was said to the person.
fn launched(rig: &Rig, program: &str, env: &[(&str, &str)]) -> String {
    let words = ["run", "--here", "--no-tools", "--id", "api", "--", program, "--continue"];
    let mut command = rig.command(&words);
    command.envs(env.iter().copied());
    let done = command.output().unwrap();
    assert!(done.status.success(), "{done:?}");
    String::from_utf8(done.stderr).unwrap()
}

#[test]
fn copilot_cli_gets_a_plugin_folder_for_this_launch() {
    let rig = Rig::new();
    write(&rig.home.path().join("bin/copilot"), &stand_in("X"), 0o755);
    let _hub = Hub::start(&rig.home);
    assert_eq!(launched(&rig, "copilot", &[]), "");
    let folder = rig.home.state().join("launch/api.plugin");
    let named = ["--plugin-dir", folder.to_str().unwrap(), "--continue"];
    assert_eq!(rig.argv()[1..], named);
    let manifest = json(&folder.join("plugin.json"));
    assert_eq!(
        (&manifest["name"], &manifest["hooks"]),
        (&"headsup".into(), &"hooks/hooks.json".into())
    );
    let hooks = json(&folder.join("hooks/hooks.json"));
    let command = hooks["hooks"]["sessionStart"][0]["bash"].as_str().unwrap();
    assert!(command.contains("hook copilot-cli sessionStart"), "{command}");
    assert!(!rig.home.path().join(".copilot").exists());
    // What is installed reports alone.
    rig.run(&["hooks", "install", "copilot-cli"]).ok();
    launched(&rig, "copilot", &[]);
    assert_eq!(rig.argv()[1..], ["--continue"]);
}

#[test]
fn qwen_code_gets_the_machines_defaults_with_ours_among_them() {
    let rig = Rig::new();
    write(&rig.home.path().join("bin/qwen"), &stand_in("QWEN_CODE_SYSTEM_DEFAULTS_PATH"), 0o755);
    let _hub = Hub::start(&rig.home);
    let ours = rig.home.state().join("launch/api.json");
    let value = || fs::read_to_string(rig.home.path().join("value")).unwrap();
    assert_eq!(launched(&rig, "qwen", &[]), "");
    assert_eq!(value(), ours.to_str().unwrap());
    assert!(json(&ours)["hooks"]["Stop"].is_array());
    let given = rig.home.path().join("machine/system-defaults.json");
    write(&given, "{ \"model\": \"theirs\" }", 0o600);
    let settings = given.with_file_name("settings.json");
    for env in [
        ("QWEN_CODE_SYSTEM_DEFAULTS_PATH", given.to_str().unwrap()),
        ("QWEN_CODE_SYSTEM_SETTINGS_PATH", settings.to_str().unwrap()),
    ] {
        launched(&rig, "qwen", &[env]);
        assert_eq!(value(), ours.to_str().unwrap());
        let text = json(&ours);
        assert!(text["hooks"]["Stop"].is_array() && text["model"] == "theirs", "{env:?}: {text}");
    }
    assert!(!rig.home.path().join(".qwen").exists());
}

#[test]
fn droid_gets_a_settings_file_for_this_launch_with_what_was_given() {
    let rig = Rig::new();
    write(&rig.home.path().join("bin/droid"), &stand_in("X"), 0o755);
    let _hub = Hub::start(&rig.home);
    let ours = rig.home.state().join("launch/api.json");
    let named = ["--settings", ours.to_str().unwrap()];
    assert_eq!(launched(&rig, "droid", &[]), "");
    assert_eq!(rig.argv()[1..], [&named[..], &["--continue"]].concat());
    let command = |text: &Value| text["hooks"]["Stop"][0]["hooks"][0]["command"].to_string();
    assert!(command(&json(&ours)).contains("hook droid Stop"), "{}", json(&ours));
    assert!(!rig.home.path().join(".factory").exists());
    let own = rig.home.path().join("own.json");
    write(&own, "{ \"model\": \"theirs\", \"hooks\": { \"Stop\": [] } }", 0o600);
    let words = ["run", "--here", "--no-tools", "--id", "api", "--", "droid", "exec", "--settings"];
    rig.run(&[&words[..], &[own.to_str().unwrap(), "go"]].concat()).ok();
    assert_eq!(rig.argv()[1..], [&named[..], &["exec", "go"]].concat());
    let both = || {
        let both = json(&ours);
        assert!(both["model"] == "theirs" && command(&both).contains("hook droid Stop"), "{both}");
    };
    both();
    launched(&rig, "droid", &[("FACTORY_RUNTIME_SETTINGS_PATH", own.to_str().unwrap())]);
    assert_eq!(rig.argv()[1..], [&named[..], &["--continue"]].concat());
    both();
    // What is installed reports alone.
    rig.run(&["hooks", "install", "droid"]).ok();
    launched(&rig, "droid", &[]);
    assert_eq!(rig.argv()[1..], ["--continue"]);
}

#[test]
fn pi_gets_an_extension_for_this_launch() {
    let rig = Rig::new();
    write(&rig.home.path().join("bin/pi"), &stand_in("X"), 0o755);
    let _hub = Hub::start(&rig.home);
    assert_eq!(launched(&rig, "pi", &[]), "");
    let ours = rig.home.state().join("launch/api.ts");
    assert_eq!(rig.argv()[1..], ["-e", ours.to_str().unwrap(), "--continue"]);
    assert!(fs::read_to_string(ours).unwrap().contains("const KIND = \"pi\""));
    let agents = rig.run(&["ls", "--all", "--json"]).ok().json();
    assert_eq!(agents["agents"][0]["kind"], "pi");
}

/// Its link leads nowhere once the program that it led to has moved.
#[test]
fn hooks_that_are_installed_have_their_program_back_with_the_next_launch() {
    for (program, kind) in [
        ("claude", "claude-code"),
        ("codex", "codex"),
        ("droid", "droid"),
        ("gemini", "gemini-cli"),
    ] {
        let rig = Rig::new();
        write(&rig.home.path().join("bin").join(program), &stand_in("X"), 0o755);
        let _hub = Hub::start(&rig.home);
        let launcher = rig.home.state().join("bin/headsup");
        rig.run(&["hooks", "install", kind]).ok();
        fs::remove_file(&launcher).unwrap();
        symlink("/nowhere/headsup", &launcher).unwrap();
        launched(&rig, program, &[]);
        assert!(launcher.exists(), "{kind}");
    }
}

#[test]
fn who_takes_no_hooks_for_one_launch_is_named_with_what_to_do() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    for (program, kind) in [("gemini", "gemini-cli"), ("auggie", "auggie"), ("kimi", "kimi")] {
        write(&rig.home.path().join("bin").join(program), &stand_in("X"), 0o755);
        let said = launched(&rig, program, &[]);
        assert!(said.contains(&format!("`headsup hooks install {kind}`")), "{said}");
        assert_eq!(rig.argv()[1..], ["--continue"]);
        rig.run(&["hooks", "install", kind]).ok();
        assert_eq!(launched(&rig, program, &[]), "", "{kind}");
    }
    write(&rig.home.path().join("bin/aider"), &stand_in("X"), 0o755);
    assert!(rig.run(&["run", "--here", "--id", "b", "--", "aider"]).ok().stderr.is_empty());
    assert_eq!(rig.run(&["show", "b", "--json"]).ok().json()["kind"], "aider");
}
