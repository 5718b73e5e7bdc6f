use crate::line::BINARY;
use headsup_adapters::inject::skill;
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

/// Those whose hooks and servers stand in one file.
const IN_ONE_FILE: [(&str, &str); 2] =
    [("gemini-cli", ".gemini/settings.json"), ("qwen-code", ".qwen/settings.json")];

/// What a person may have there, which comes back to the byte.
const TEXTS: [Option<&str>; 8] = [
    None,
    Some(""),
    Some("{}\n"),
    Some("{\"a\":1}"),
    Some("{\"mcpServers\":{}}"),
    Some("{\"hooks\":{\"Stop\":[]},\"mcpServers\":{}}"),
    Some("{\n  // mine: \"a\n  \"a\" : [1,2]}"),
    Some("{\"hooks\":{\"SessionStart\":[\n{\"hooks\":[]},]},\"a\":1,}\n"),
];

/// Lays the text, has installations come and go as they are told, and compares.
fn comes_back(
    (kind, file): (&str, &str),
    text: Option<&str>,
    come: &[(&str, bool)],
    go: &[(&str, bool)],
) {
    let home = Home::new(BINARY);
    if let Some(text) = text {
        write(&home.path().join(file), text);
    }
    let before = snapshot(home.path(), &home.state());
    let run = |act: &str, what: &str, is_second: bool| {
        let mut command = home.command([what, act, kind]);
        if is_second {
            command.env("HEADSUP_HOME", home.state().join("second"));
        }
        Done::from(command.output().unwrap()).ok().code
    };
    for &(what, is_second) in come {
        run("install", what, is_second);
    }
    for &(what, is_second) in go {
        run("uninstall", what, is_second);
    }
    let now = snapshot(home.path(), &home.state());
    assert_eq!(now, before, "{kind}, {text:?}: {come:?} came, {go:?} went");
}

#[test]
fn one_file_of_hooks_and_tools_is_as_it_was_in_whatever_order_they_come_and_go() {
    let orders = [[("hooks", false), ("mcp", false)], [("mcp", false), ("hooks", false)]];
    for of in IN_ONE_FILE {
        for text in TEXTS {
            for come in &orders {
                for go in &orders {
                    comes_back(of, text, come, go);
                }
            }
        }
    }
}

#[test]
fn hooks_and_tools_of_two_hubs_in_one_file_leave_it_as_it_was() {
    let all = [("hooks", false), ("mcp", false), ("hooks", true), ("mcp", true)];
    let orders = [[0, 1, 2, 3], [3, 2, 1, 0], [1, 0, 3, 2], [2, 0, 3, 1]];
    let orders = orders.map(|order| order.map(|which: usize| all[which]));
    for text in TEXTS {
        for come in &orders {
            for go in &orders {
                comes_back(IN_ONE_FILE[0], text, come, go);
            }
        }
    }
}

/// What was written meanwhile stays, also in a file that we have made.
#[test]
fn what_is_written_beside_hooks_and_tools_stays_when_both_are_gone() {
    for (kind, file) in IN_ONE_FILE {
        let home = Home::new(BINARY);
        let path = home.path().join(file);
        home.run(["mcp", "install", kind]).ok();
        home.run(["hooks", "install", kind]).ok();
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replacen('{', "{ \"a b\": \"c  d\",", 1)).unwrap();
        home.run(["mcp", "uninstall", kind]).ok();
        home.run(["hooks", "uninstall", kind]).ok();
        let left: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        assert_eq!(left, serde_json::json!({ "a b": "c  d" }), "{kind}");
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
fn the_skill_stays_until_the_last_hub_with_tools_there_has_left() {
    for (kind, _, _) in AGENTS {
        let recipe = skill::of(kind).unwrap();
        for first_comes_again in [false, true] {
            let home = Home::new(BINARY);
            let path = home.path().join(recipe.folder).join(recipe.settings);
            let before = snapshot(home.path(), &home.state());
            let run = |act: &str, is_second: bool| {
                let mut command = home.command(["mcp", act, kind]);
                if is_second {
                    command.env("HEADSUP_HOME", home.state().join("second"));
                }
                Done::from(command.output().unwrap()).ok().stderr.clone()
            };
            run("install", false);
            run("install", true);
            if first_comes_again {
                run("install", false);
            }
            let told = run("uninstall", first_comes_again);
            assert!(told.contains("has its tools there"), "{kind}: {told}");
            assert_eq!(fs::read_to_string(&path).unwrap(), skill::SKILL, "{kind}");
            run("uninstall", !first_comes_again);
            let now = snapshot(home.path(), &home.state());
            assert_eq!(now, before, "{kind}, {first_comes_again}");
        }
    }
}

#[test]
fn what_a_person_has_written_into_the_skill_is_kept_beside_it() {
    let home = Home::new(BINARY);
    let path = home.path().join(".claude/skills/headsup-tools/SKILL.md");
    home.run(["mcp", "install", "claude-code"]).ok();
    let mine = format!("{}\nmine\n", skill::SKILL);
    fs::write(&path, &mine).unwrap();
    let told = home.run(["mcp", "uninstall", "claude-code"]).ok().stderr.clone();
    assert!(told.contains("SKILL.md.yours"), "{told}");
    assert!(!path.exists());
    assert_eq!(fs::read_to_string(path.with_file_name("SKILL.md.yours")).unwrap(), mine);
}

/// Nobody else writes the same text.
#[test]
fn a_skill_goes_also_where_it_was_forgotten_who_has_put_it_there() {
    for (kind, _, _) in AGENTS {
        let recipe = skill::of(kind).unwrap();
        for is_installed_again in [true, false] {
            let home = Home::new(BINARY);
            let path = home.path().join(recipe.folder).join(recipe.settings);
            home.run(["mcp", "install", kind]).ok();
            fs::remove_dir_all(home.state()).unwrap();
            if is_installed_again {
                home.run(["mcp", "install", kind]).ok();
            }
            let told = home.run(["mcp", "uninstall", kind]).ok().stderr.clone();
            assert!(told.contains("the skill is gone"), "{kind}: {told}");
            assert!(!path.parent().unwrap().exists(), "{kind}, {is_installed_again}");
        }
        // One that says something else is not known to be ours.
        let home = Home::new(BINARY);
        let path = home.path().join(recipe.folder).join(recipe.settings);
        write(&path, &format!("{}\nmine\n", skill::SKILL));
        home.run(["mcp", "uninstall", kind]).ok();
        assert!(path.exists(), "{kind}");
    }
}

#[test]
fn a_skill_is_known_whatever_it_begins_with() {
    let name = "name: headsup-tools\n";
    for (text, is_a_persons) in [
        (skill::SKILL.replace('\n', "\r\n"), false),
        (format!("\u{feff}{}", skill::SKILL), false),
        (format!("{}\n", skill::SKILL), false),
        (skill::SKILL.replace(name, "name: \"headsup-tools\"\n"), true),
        (skill::SKILL.replace(name, &format!("license: MIT\n{name}")), true),
        (format!("# mine\n\n{}", skill::SKILL), true),
        // Known by what is remembered of it.
        (skill::SKILL.replace(name, ""), true),
    ] {
        let home = Home::new(BINARY);
        let before = snapshot(home.path(), &home.state());
        let path = home.path().join(".codex/skills/headsup-tools/SKILL.md");
        home.run(["mcp", "install", "codex"]).ok();
        fs::write(&path, &text).unwrap();
        let told = home.run(["mcp", "uninstall", "codex"]).ok().stderr.clone();
        assert!(!path.exists(), "{text}");
        let kept = fs::read_to_string(path.with_file_name("SKILL.md.yours"));
        assert_eq!(kept.ok(), is_a_persons.then_some(text), "{told}");
        if !is_a_persons {
            assert_eq!(snapshot(home.path(), &home.state()), before, "{told}");
        }
    }
}

#[test]
fn a_skill_that_is_refused_is_an_entry_of_its_own_beside_the_tools() {
    let home = Home::new(BINARY);
    let in_the_way = [".claude/skills/headsup-tools/SKILL.md", ".codex/config.toml"];
    for path in in_the_way {
        fs::create_dir_all(home.path().join(path)).unwrap();
    }
    let done = home.run(["mcp", "install", "claude-code", "--json"]);
    assert_eq!(done.code, 7, "{done:?}");
    let doc = done.json();
    let [tools, skill] = [0_usize, 1].map(|number| &doc["agents"][number]);
    assert_eq!((&tools["part"], &tools["changed"]), (&"tools".into(), &true.into()), "{doc}");
    let error = &skill["error"];
    assert_eq!((&skill["part"], &error["code"]), (&"skill".into(), &"refused".into()), "{doc}");
    let hint = error["hint"].as_str().unwrap();
    assert!(hint.contains("`headsup mcp install --print --skill`") && hint.len() < 500, "{hint}");

    // Where the ends of lines count, they are in what is to be pasted.
    let doc = home.run(["mcp", "install", "codex", "--json"]).json();
    let hint = doc["agents"][0]["error"]["hint"].as_str().unwrap();
    assert!(hint.contains("[mcp_servers.headsup]\n"), "{hint}");
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
