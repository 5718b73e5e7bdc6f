use crate::line::BINARY;
use headsup_testkit::home::{Done, Home};
use headsup_testkit::settings::snapshot;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Kind, the file with its servers, and such a file of a user.
const AGENTS: [(&str, &str, &str); 6] = [
    ("claude-code", ".claude.json", JSON),
    (
        "codex",
        ".codex/config.toml",
        "# mine\nmodel = \"x\"\n\n[mcp_servers.docs]\ncommand = \"d\"\n",
    ),
    ("copilot-cli", ".copilot/mcp-config.json", JSON),
    ("gemini-cli", ".gemini/settings.json", JSON),
    (
        "opencode",
        ".config/opencode/opencode.json",
        "{\n  // mine\n  \"mcp\": { \"docs\": {} }\n}\n",
    ),
    ("qwen-code", ".qwen/settings.json", JSON),
];

const JSON: &str =
    "{\n\t\"theme\": \"dark\",\n\t\"mcpServers\": { \"docs\": { \"command\": \"d\" } }\n}\n";

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn every_agent_gets_the_tools_and_a_skill_and_loses_them_again_to_the_byte() {
    for (kind, file, theirs) in AGENTS {
        for there in [false, true] {
            let home = Home::new(BINARY);
            let path = home.path().join(file);
            if there {
                write(&path, theirs);
            }
            let before = snapshot(home.path(), &home.state());
            let shown = home.run(["mcp", "install", kind, "--dry-run"]).ok().stdout.clone();
            assert!(shown.contains("bin/headsup") && shown.contains("SKILL.md"), "{kind}: {shown}");
            assert_eq!(snapshot(home.path(), &home.state()), before, "{kind}: nothing was done");
            home.run(["mcp", "install", kind]).ok();
            let text = fs::read_to_string(&path).unwrap();
            let launcher = home.state().join("bin/headsup");
            assert!(text.contains(launcher.to_str().unwrap()), "{kind}: {text}");
            assert!(launcher.exists(), "{kind}: what is named is there");
            assert_eq!(text.contains("docs"), there, "{kind}: what was there stays");
            let again = home.run(["mcp", "install", kind]).ok().stderr.clone();
            assert!(again.contains("nothing to change"), "{kind}: {again}");
            home.run(["mcp", "uninstall", kind]).ok();
            assert_eq!(snapshot(home.path(), &home.state()), before, "{kind}");
        }
    }
}

/// Where it looks for skills is not known.
#[test]
fn kilo_gets_the_tools_without_a_skill_and_loses_them_again_to_the_byte() {
    let home = Home::new(BINARY);
    let path = home.path().join(".config/kilo/kilo.json");
    write(&path, "{\n  \"mcp\": { \"docs\": {} }\n}\n");
    let before = snapshot(home.path(), &home.state());
    home.run(["mcp", "install", "kilo"]).ok();
    let installed: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let launcher = home.state().join("bin/headsup");
    let command = serde_json::json!([launcher.to_str().unwrap(), "mcp"]);
    assert_eq!(installed["mcp"]["headsup"]["command"], command);
    assert_eq!(installed["mcp"]["docs"], serde_json::json!({}));
    home.run(["mcp", "uninstall", "kilo"]).ok();
    assert_eq!(snapshot(home.path(), &home.state()), before);
}

#[test]
fn hooks_and_tools_come_and_go_without_each_other() {
    for (kind, _, _) in AGENTS {
        let home = Home::new(BINARY);
        let empty = snapshot(home.path(), &home.state());
        home.run(["hooks", "install", kind]).ok();
        let hooks = snapshot(home.path(), &home.state());
        home.run(["mcp", "install", kind]).ok();
        home.run(["mcp", "uninstall", kind]).ok();
        assert_eq!(snapshot(home.path(), &home.state()), hooks, "{kind}: the hooks stay");
        home.run(["mcp", "install", kind]).ok();
        home.run(["hooks", "uninstall", kind]).ok();
        home.run(["mcp", "uninstall", kind]).ok();
        assert_eq!(snapshot(home.path(), &home.state()), empty, "{kind}: nothing is left");
    }
}

#[test]
fn tools_of_a_hub_that_has_left_do_not_come_back_with_the_next_one() {
    for (kind, file, theirs) in AGENTS {
        for (there, first_leaves_first) in
            [(false, true), (false, false), (true, true), (true, false)]
        {
            let home = Home::new(BINARY);
            if there {
                write(&home.path().join(file), theirs);
            }
            let before = snapshot(home.path(), &home.state());
            let of_second = |act: &str| {
                let mut command = home.command(["mcp", act, kind]);
                command.env("HEADSUP_HOME", home.state().join("second"));
                Done::from(command.output().unwrap()).ok().stderr.clone()
            };
            home.run(["mcp", "install", kind]).ok();
            let says = format!("reports to the hub of {}:", home.state().display());
            assert!(of_second("install").contains(&says), "{kind}");
            if first_leaves_first {
                home.run(["mcp", "uninstall", kind]).ok();
                of_second("uninstall");
            } else {
                of_second("uninstall");
                home.run(["mcp", "uninstall", kind]).ok();
            }
            let now = snapshot(home.path(), &home.state());
            assert_eq!(now, before, "{kind}, {there}, {first_leaves_first}");
        }
    }
}

#[test]
fn a_server_of_that_name_that_is_somebody_elses_is_left_alone() {
    let home = Home::new(BINARY);
    let path = home.path().join(".claude.json");
    let theirs = "{\"mcpServers\":{\"headsup\":{\"command\":\"/usr/bin/true\"}}}";
    write(&path, theirs);
    let refused = home.run(["mcp", "install", "claude-code"]);
    assert_eq!(refused.code, 7, "{refused:?}");
    assert_eq!(fs::read_to_string(&path).unwrap(), theirs);
}

#[test]
fn for_any_other_agent_it_is_printed() {
    let home = Home::new(BINARY);
    let generic: Value = home.run(["mcp", "install", "--print"]).ok().json();
    let launcher = home.state().join("bin/headsup");
    let server = &generic["mcpServers"]["headsup"];
    assert_eq!(server["command"], launcher.to_str().unwrap());
    assert_eq!(server["args"][0], "mcp");
    assert!(launcher.exists(), "what is named is there");
    let skill = home.run(["mcp", "install", "oh-my-opencode", "--print"]).ok().stdout.clone();
    assert!(
        skill.starts_with("---\nname: headsup-tools\n") && skill.contains("\nmcp:\n  headsup:\n")
    );
    let skill = home.run(["mcp", "install", "--print", "--skill"]).ok().stdout.clone();
    assert!(skill.contains("request_input") && !skill.contains("mcp:"), "{skill}");
    let unknown = home.run(["mcp", "install", "nano"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.stderr.contains("oh-my-opencode"), "{unknown:?}");
}
