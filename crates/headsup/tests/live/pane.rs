//! Codex in a tmux pane, started by hand: what is heard of it there, and how it is known which pane it is.

use crate::{installed, with};
use headsup_testkit::hub::Hub;
use headsup_testkit::live::{self, Hooks, Stage};
use headsup_testkit::wait;
use rustix::process::Signal;
use serde_json::Value;
use std::fs;
use std::process::Command;

/// What the server of the stage says. Its own eyes have the pane's pipe until it is freed.
fn tmux(stage: &Stage, args: &[&str]) -> String {
    let mut command = Command::new("tmux");
    command.env_clear().env("PATH", "/usr/bin:/bin").env("TMUX_TMPDIR", stage.home.path());
    let output = command.args(["-L", "live"]).args(args).output().unwrap();
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}

/// The document of its seat, once that has this headline.
#[track_caller]
fn comes_to(stage: &Stage, headline: &str) -> Value {
    wait::until(headline, || {
        let roster = stage.home.run(["ls", "--json", "--no-start"]).json();
        let agent = roster["agents"][0].clone();
        (agent["headline"] == headline).then_some(agent)
    })
}

#[test]
fn a_codex_that_nobody_has_told_of_is_found_in_its_pane_and_heard() {
    let Some(installed) = installed("codex") else { return };
    let stage = Stage::new(live::of_kind("codex").unwrap(), with(&installed), Hooks::None);
    let agent = stage.start_by_hand_untold("codex-proj", &[]);
    tmux(&stage, &["pipe-pane", "-t", "%0"]);
    let config = stage.home.path().join(".config/headsup");
    fs::create_dir_all(&config).unwrap();
    fs::write(config.join("config.toml"), "pane_reports = true\n").unwrap();
    let mut hub = stage.home.command(["up", "--foreground"]);
    hub.env("TMUX_TMPDIR", stage.home.path());
    let _hub = Hub::start_as(hub, &stage.home.socket());
    // It has told its rest before.
    assert_eq!(comes_to(&stage, "unknown")["id"], "codex-proj");
    let piped = || tmux(&stage, &["display-message", "-p", "-t", "%0", "#{pane_pipe}"]) == "1";
    wait::until("the pipe", || piped().then_some(()));
    agent.submit("[[bash touch x; sleep 1]] [[hold go]] [[text Touched.]]");
    let blocked = comes_to(&stage, "blocked");
    assert_eq!(blocked["turn"]["reason"], "permission", "{blocked}");
    assert_eq!(blocked["evidence"]["source"], "program_status", "{blocked}");
    agent.shows("Would you like to run the following command?");
    agent.press("1");
    comes_to(&stage, "working");
    stage.model.release("go");
    comes_to(&stage, "done");
    agent.submit("[[slow 5 50]] [[hold never]]");
    comes_to(&stage, "working");
    // It says so a moment before its screen takes the key for an interruption.
    agent.shows("word004");
    agent.press("Escape");
    comes_to(&stage, "idle");
    agent.signal(Signal::KILL);
    comes_to(&stage, "crashed");
}

#[test]
fn which_pane_shows_a_conversation_of_the_background_process_its_title_tells() {
    let Some(installed) = installed("codex") else { return };
    let stage = Stage::new(live::of_kind("codex").unwrap(), with(&installed), Hooks::Installed);
    let config = stage.home.path().join(".codex/config.toml");
    let before = fs::read_to_string(&config).unwrap();
    let title = "[tui]\nterminal_title = [\"spinner\", \"project\", \"thread-id\"]\n";
    fs::write(&config, before + title).unwrap();
    stage.hub();
    let agent = stage.start_by_hand_to_dialog("codex-proj", &["untrusted"], "Hooks need review");
    agent.press("Down");
    agent.settle();
    agent.press("Enter");
    agent.ready();
    agent.submit("[[text Hello.]]");
    let told = comes_to(&stage, "done");
    let title = tmux(&stage, &["display-message", "-p", "-t", "%0", "#{pane_title}"]);
    // Cut short, with dots behind.
    let session = &told["session_id"].as_str().unwrap()[..29];
    assert!(title.ends_with(&format!("proj | {session}...")), "{title} {told}");
    wait::until("its pane", || {
        let roster = stage.home.run(["ls", "--json", "--no-start"]).json();
        (roster["agents"][0]["location"]["tmux"] == "%0").then_some(())
    });
}
