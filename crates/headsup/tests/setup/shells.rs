//! Commands in an agent's own shell: what they start belongs to everybody, and what is everybody's they leave alone.

use crate::install::BINARY;
use crate::run::{Rig, has_tmux};
use headsup_testkit::home::Done;
use headsup_testkit::hub::Hub;
use headsup_testkit::wait;
use std::fs;
use std::path::Path;
use std::process::Command;

/// What says in an environment which agent it is in.
const OF_AN_AGENT: [&str; 4] =
    ["HEADSUP_AGENT_ID", "HEADSUP_AGENT_TOKEN", "PANOPTICON_AGENT_ID", "BOB_SESSION_ID"];

/// As it would be in the shell of the agent `outer`.
fn in_agent(rig: &Rig, args: &[&str]) -> Command {
    let mut command = rig.command(args);
    for name in OF_AN_AGENT {
        command.env(name, "outer");
    }
    command
}

/// Nothing in this text, an environment, names an agent.
#[track_caller]
fn names_no_agent(text: &str) {
    assert!(text.contains("HEADSUP_HOME="), "{text}");
    assert!(!OF_AN_AGENT.iter().any(|name| text.contains(name)), "{text}");
}

#[test]
fn a_tmux_server_that_an_agent_has_started_is_not_the_agents() {
    if !has_tmux() {
        eprintln!("SKIPPED: tmux is not installed on this machine, so sessions cannot be tested");
        return;
    }
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let out = rig.home.path().join("out");
    let script = "env > \"$OUT.new\"; mv \"$OUT.new\" \"$OUT\"; exec cat";
    let mut command = in_agent(&rig, &["run", "--tmux", "--id", "api", "--", "sh", "-c", script]);
    let done = Done::from(command.env("OUT", &out).output().unwrap());
    assert_eq!(done.code, 0, "{done:?}");
    let own = wait::until("the agent to write", || fs::read_to_string(&out).ok());
    let token = own.lines().find_map(|line| line.strip_prefix("HEADSUP_AGENT_TOKEN=")).unwrap();
    assert!(own.lines().any(|line| line == "HEADSUP_AGENT_ID=api") && token.len() == 64, "{own}");
    names_no_agent(&rig.tmux(&["show-environment", "-g"]));
    // A window of the person's.
    let window = rig.home.path().join("window");
    let script = format!("env > '{0}.new'; mv '{0}.new' '{0}'", window.display());
    rig.tmux(&["new-session", "-d", "-s", "mine", &script]);
    names_no_agent(&wait::until("the window", || fs::read_to_string(&window).ok()));
}

#[test]
fn a_hub_that_an_agent_has_started_is_not_the_agents() {
    let looks: fn(u64) -> String = |pid| {
        let proc = Path::new("/proc").join(pid.to_string());
        assert_eq!(fs::read_link(proc.join("cwd")).unwrap(), Path::new("/"));
        fs::read_to_string(proc.join("environ")).unwrap()
    };
    for words in [&["ls"][..], &["up"], &["report", "working", "--agent", "outer"]] {
        let rig = Rig::new();
        let done = Done::from(in_agent(&rig, words).output().unwrap());
        assert_eq!(done.code, 0, "{done:?}");
        let pid = rig.run(&["up", "--json"]).ok().json()["pid"].as_u64().unwrap();
        names_no_agent(&looks(pid));
        rig.run(&["down"]).ok();
    }
    let rig = Rig::new();
    let command = in_agent(&rig, &["up", "--foreground"]);
    let hub = Hub::start_as(command, &rig.home.socket());
    let environment = fs::read_to_string(format!("/proc/{}/environ", hub.pid())).unwrap();
    names_no_agent(&environment);
}

#[test]
fn no_agent_stops_the_hub() {
    let rig = Rig::new();
    let mut hub = Hub::start(&rig.home);
    let refused = |command: &mut Command, who: &str| {
        let done = Done::from(command.env("HEADSUP", BINARY).output().unwrap());
        assert_eq!(done.code, 7, "{done:?}");
        let error: serde_json::Value = serde_json::from_str(&done.stderr).unwrap();
        assert_eq!(error["error"]["code"], "human_only", "{done:?}");
        let message = error["error"]["message"].as_str().unwrap();
        assert_eq!(message, format!("{who}; only a person stops the hub"));
    };
    refused(&mut in_agent(&rig, &["down", "--json"]), "outer is an agent");
    let mut alone = rig.command(&["down", "--json"]);
    refused(alone.env("HEADSUP_AGENT_TOKEN", "t"), "this runs in an agent");
    // It may hide what it is called; the hub knows what it runs under.
    let script = "\"$HEADSUP\" wait . --until unknown --timeout 90s > wait; \
        env -u HEADSUP_AGENT_ID -u HEADSUP_AGENT_TOKEN \"$HEADSUP\" down --json; exit $?";
    let args = ["run", "--here", "--id", "api", "--", "sh", "-c", script];
    refused(&mut rig.command(&args), "api is an agent");
    assert!(!hub.has_ended());
    assert_eq!(rig.run(&["down"]).code, 0);
    wait::until("the hub's end", || hub.has_ended().then_some(()));
}
