//! One launch with the tools, for an agent into which nobody has installed them.

use crate::install::write;
use crate::plugin_file::stand_in;
use crate::run::Rig;
use headsup_testkit::home::Done;
use headsup_testkit::hub::Hub;
use headsup_testkit::settings::snapshot;
use headsup_testkit::small_disk::SmallDisk;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

/// An agent program, and where it finds what a launch brings.
struct Agent {
    program: &'static str,
    kind: &'static str,
    /// Its variable that a launch sets; any other where it sets none.
    variable: &'static str,
    /// Its own file with servers, and the member that holds them.
    own: (&'static str, &'static str),
}

const AGENTS: [Agent; 6] = [
    Agent {
        program: "claude",
        kind: "claude-code",
        variable: "NONE",
        own: (".claude.json", "mcpServers"),
    },
    Agent {
        program: "codex",
        kind: "codex",
        variable: "NONE",
        own: (".codex/config.toml", "mcp_servers"),
    },
    Agent {
        program: "copilot",
        kind: "copilot-cli",
        variable: "NONE",
        own: (".copilot/mcp-config.json", "mcpServers"),
    },
    Agent {
        program: "opencode",
        kind: "opencode",
        variable: "OPENCODE_CONFIG_CONTENT",
        own: (".config/opencode/opencode.json", "mcp"),
    },
    Agent {
        program: "qwen",
        kind: "qwen-code",
        variable: "QWEN_CODE_SYSTEM_DEFAULTS_PATH",
        own: (".qwen/settings.json", "mcpServers"),
    },
    Agent {
        program: "kilo",
        kind: "kilo",
        variable: "KILO_CONFIG_CONTENT",
        own: (".config/kilo/kilo.json", "mcp"),
    },
];

impl Agent {
    /// A rig in which its hooks are installed, so that a launch brings the tools alone.
    fn rig(&self) -> Rig {
        let rig = Rig::new();
        let path = rig.home.path().join("bin").join(self.program);
        write(&path, &stand_in(self.variable), 0o755);
        rig.run(&["hooks", "install", self.kind]).ok();
        rig
    }

    fn run(&self, rig: &Rig, options: &[&str], words: &[&str]) -> Done {
        let own = ["run", "--here", "--id", "api"];
        let args = [&own[..], options, &["--", self.program], words].concat();
        let done = rig.run(&args);
        done.ok();
        done
    }

    /// What it was started with: arguments, the variable, and each file that one of the two names.
    fn launched(&self, rig: &Rig) -> String {
        let home = rig.home.path().display().to_string();
        let value = fs::read_to_string(rig.home.path().join("value")).unwrap();
        let mut said = vec![format!("{} {}", self.program, rig.argv()[1..].join(" "))];
        if !value.is_empty() {
            said.push(format!("{}={value}", self.variable));
        }
        let ending = |ending: &str| rig.home.state().join(format!("launch/api.{ending}"));
        for path in [ending("mcp.json"), ending("json")] {
            if said.iter().any(|line| line.contains(path.to_str().unwrap())) {
                let text = fs::read_to_string(&path).unwrap();
                let file: Value = serde_json::from_str(&text).unwrap();
                said.push(format!("{}: {file}", path.display()));
            }
        }
        said.join("\n").replace(&home, "HOME")
    }
}

#[test]
fn every_agent_is_given_the_tools_in_its_own_way_and_its_configuration_is_as_it_was() {
    let mut all = Vec::new();
    for agent in AGENTS {
        let rig = agent.rig();
        let _hub = Hub::start(&rig.home);
        let before = snapshot(rig.home.path(), &rig.home.state());
        let said = agent.run(&rig, &[], &["--continue"]).stderr;
        assert_eq!(said, "", "{}", agent.kind);
        all.push(agent.launched(&rig));
        for name in ["argv", "env", "value"] {
            fs::remove_file(rig.home.path().join(name)).unwrap();
        }
        assert_eq!(snapshot(rig.home.path(), &rig.home.state()), before, "{}", agent.kind);
        assert!(rig.home.state().join("bin/headsup").exists(), "what is named is there");
    }
    insta::assert_snapshot!(all.join("\n\n"));
}

#[test]
fn whoever_wants_no_tools_gets_none() {
    for agent in AGENTS {
        let rig = agent.rig();
        let _hub = Hub::start(&rig.home);
        agent.run(&rig, &["--no-tools"], &["--continue"]);
        let plain: &[&str] = match agent.kind {
            "codex" => &["--no-daemon", "--continue"],
            _ => &["--continue"],
        };
        assert_eq!(rig.argv()[1..], *plain, "{}", agent.kind);
        assert_eq!(fs::read_to_string(rig.home.path().join("value")).unwrap(), "");
    }
}

#[test]
fn gemini_cli_takes_none_for_one_launch() {
    let agent = Agent {
        program: "gemini",
        kind: "gemini-cli",
        variable: "GEMINI_CLI_SYSTEM_DEFAULTS_PATH",
        own: (".gemini/settings.json", "mcpServers"),
    };
    let rig = agent.rig();
    let _hub = Hub::start(&rig.home);
    agent.run(&rig, &[], &["--continue"]);
    assert_eq!(agent.launched(&rig), "gemini --continue");
}

#[test]
fn what_is_installed_or_has_the_name_is_not_brought_again() {
    let theirs = |agent: &Agent| match agent.kind {
        "codex" => "[mcp_servers.headsup]\ncommand = \"/usr/bin/true\"\n".to_owned(),
        _ => json!({ agent.own.1: { "headsup": { "command": "/usr/bin/true" } } }).to_string(),
    };
    for agent in AGENTS {
        for is_ours in [true, false] {
            let rig = agent.rig();
            let _hub = Hub::start(&rig.home);
            let path = rig.home.path().join(agent.own.0);
            if is_ours {
                rig.run(&["mcp", "install", agent.kind]).ok();
            } else {
                // Some have their hooks in the same file: a launch may bring these.
                write(&path, &theirs(&agent), 0o600);
            }
            let text = fs::read_to_string(&path).unwrap();
            agent.run(&rig, &[], &["--continue"]);
            let launched = agent.launched(&rig);
            assert!(!launched.contains("\"mcp\""), "{} {is_ours}: {launched}", agent.kind);
            assert_eq!(fs::read_to_string(&path).unwrap(), text, "{}", agent.kind);
        }
    }
}

/// Of hooks, which would have it back as well, nothing is installed.
#[test]
fn tools_that_are_installed_have_their_program_back_with_the_next_launch() {
    for (program, kind) in [("codex", "codex"), ("gemini", "gemini-cli")] {
        let rig = Rig::new();
        write(&rig.home.path().join("bin").join(program), &stand_in("NONE"), 0o755);
        let _hub = Hub::start(&rig.home);
        let launcher = rig.home.state().join("bin/headsup");
        rig.run(&["mcp", "install", kind]).ok();
        fs::remove_file(&launcher).unwrap();
        symlink("/nowhere/headsup", &launcher).unwrap();
        rig.run(&["run", "--here", "--id", "api", "--", program]).ok();
        assert!(launcher.exists(), "{kind}");
    }
}

#[test]
fn where_the_machine_rules_claude_codes_servers_it_is_given_none_and_an_installation_says_so() {
    let agent = &AGENTS[0];
    let rig = agent.rig();
    let Ok(Some(etc)) = SmallDisk::mount(Path::new("/etc"), 1 << 20) else {
        eprintln!("SKIPPED: this machine allows no mounts in a name space of one's own");
        return;
    };
    let _hub = Hub::start(&rig.home);
    let inside = |args: &[&str]| Done::from(etc.enter(&rig.command(args)).output().unwrap());
    let given = |id: &str| {
        inside(&["run", "--here", "--id", id, "--", "claude", "-c"]).ok();
        rig.argv().iter().any(|word| word.starts_with("--mcp-config="))
    };
    assert!(given("free"), "nothing is ruled");
    fs::create_dir(etc.path().join("claude-code")).unwrap();
    fs::write(etc.path().join("claude-code/managed-mcp.json"), r#"{"mcpServers":{}}"#).unwrap();
    assert!(!given("ruled"), "it would refuse to start");
    let install = ["mcp", "install", "claude-code"];
    let said = |done: Done| [done.ok().stdout.as_str(), done.stderr.as_str()].concat();
    let told = said(inside(&install));
    assert!(told.contains("the servers of /etc/claude-code/managed-mcp.json alone"), "{told}");
    rig.run(&["mcp", "uninstall", "claude-code"]).ok();
    let told = said(rig.run(&install));
    assert!(!told.contains("managed-mcp.json"), "{told}");
}

#[test]
fn servers_of_the_launch_itself_stay_beside_ours() {
    let rig = AGENTS[3].rig();
    let _hub = Hub::start(&rig.home);
    let mut command = rig.command(&["run", "--here", "--id", "api", "--", "opencode"]);
    let given = r#"{"mcp":{"docs":{"type":"remote","url":"http://d"}}}"#;
    Done::from(command.env("OPENCODE_CONFIG_CONTENT", given).output().unwrap()).ok();
    let value = crate::plugin_file::value(&rig);
    assert_eq!(value["mcp"]["docs"]["url"], "http://d", "{value}");
    assert_eq!(value["mcp"]["headsup"]["command"][1], "mcp", "{value}");

    let rig = AGENTS[4].rig();
    let _hub = Hub::start(&rig.home);
    let given = rig.home.path().join("defaults.json");
    write(&given, r#"{"mcpServers":{"docs":{"command":"d"}}}"#, 0o600);
    let mut command = rig.command(&["run", "--here", "--id", "api", "--", "qwen"]);
    Done::from(command.env(AGENTS[4].variable, &given).output().unwrap()).ok();
    let text = fs::read_to_string(rig.home.state().join("launch/api.json")).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(file["mcpServers"]["docs"]["command"], "d", "{file}");
    assert_eq!(file["mcpServers"]["headsup"]["args"][0], "mcp", "{file}");
}

#[test]
fn a_configuration_that_cannot_be_added_to_keeps_no_agent_from_starting() {
    let rig = AGENTS[3].rig();
    let _hub = Hub::start(&rig.home);
    let mut command = rig.command(&["run", "--here", "--id", "api", "--", "opencode", "-c"]);
    let done = Done::from(command.env("OPENCODE_CONFIG_CONTENT", "[").output().unwrap());
    assert!(done.ok().stderr.contains("OpenCode starts without the tools"), "{done:?}");
    assert!(done.stderr.contains("OPENCODE_CONFIG_CONTENT"), "{done:?}");
    assert_eq!(rig.argv()[1..], ["-c"]);
    assert_eq!(fs::read_to_string(rig.home.path().join("value")).unwrap(), "[", "as it was");
}

#[test]
fn hooks_and_tools_come_together_where_neither_is_installed() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let launch = rig.home.state().join("launch");
    for (program, variable) in [("qwen", AGENTS[4].variable), ("opencode", AGENTS[3].variable)] {
        write(&rig.home.path().join("bin").join(program), &stand_in(variable), 0o755);
        rig.run(&["run", "--here", "--id", "api", "--", program]).ok();
        let value = fs::read_to_string(rig.home.path().join("value")).unwrap();
        let config = match program {
            "qwen" => fs::read_to_string(&value).unwrap(),
            _ => value,
        };
        let config: Value = serde_json::from_str(&config).unwrap();
        match program {
            "qwen" => assert!(config["hooks"]["Stop"].is_array(), "{config}"),
            _ => assert!(config["plugin"][0].as_str().unwrap().ends_with("api.js"), "{config}"),
        }
        let servers = config.get("mcp").or(config.get("mcpServers"));
        assert!(servers.unwrap()["headsup"].is_object(), "{config}");
    }
    // Claude Code and Copilot CLI take one argument for each.
    write(&rig.home.path().join("bin/copilot"), &stand_in("NONE"), 0o755);
    rig.run(&["run", "--here", "--id", "api", "--", "copilot", "-p", "go"]).ok();
    let tools = format!("@{}", launch.join("api.mcp.json").display());
    let folder = launch.join("api.plugin").display().to_string();
    let brought = ["--plugin-dir", &*folder, "--additional-mcp-config", &*tools, "-p", "go"];
    assert_eq!(rig.argv()[1..], brought);
}
