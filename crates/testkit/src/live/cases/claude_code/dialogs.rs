//! What the program asks before its first event, and dialogs that a person opens later.

use super::Case;
use crate::live::programs::claude_code::configure;
use crate::live::stage::{Agent, Hooks, Stage};
use crate::live::truth::Class;
use std::fs;

pub(super) const CASES: &[Case] = &[
    unhooked("trust_dialog", trust_dialog),
    unhooked("trust_refused", trust_refused),
    unhooked("api_key_dialog", api_key_dialog),
    unhooked("two_dialogs", two_dialogs),
    unhooked("resume_picker", resume_picker),
    Case::new("model_dialog", model_dialog),
    Case::new("config_dialog", config_dialog),
    Case::new("login_dialog", login_dialog),
    Case::new("unknown_dialog", unknown_dialog),
];

/// The launch brings the hooks.
const fn unhooked(name: &'static str, play: fn(&Stage)) -> Case {
    Case { hooks: Hooks::None, ..Case::new(name, play) }
}

const TRUST: &str = "Yes, I trust this folder";

/// Nothing but the screen tells of it.
fn trust_dialog(stage: &Stage) {
    configure(stage, false, true);
    stage.hub();
    let agent = stage.run_to_dialog(&[], TRUST);
    agent.rest();
    trusted(&agent);
    agent.turn();
}

fn trusted(agent: &Agent<'_>) {
    agent.press("Down");
    agent.settle();
    let at = agent.press("Enter");
    agent.mark(at, "idle", Class::Unhooked, "trusted");
    agent.ready();
    agent.rest();
}

/// The program leaves with 1, and has not crashed.
fn trust_refused(stage: &Stage) {
    configure(stage, false, true);
    stage.hub();
    let agent = stage.run_to_dialog(&[], TRUST);
    agent.rest();
    let at = agent.press("Enter");
    agent.mark(at, "ended", Class::Kill, "the folder is not trusted");
    agent.rest();
}

fn api_key_dialog(stage: &Stage) {
    configure(stage, true, false);
    stage.hub();
    let agent = stage.run_to_dialog(&[], "Do you want to use this API key?");
    agent.rest();
    agent.press("Up");
    agent.settle();
    let at = agent.press("Enter");
    agent.mark(at, "idle", Class::Unhooked, "the key is taken");
    agent.ready();
    agent.rest();
}

/// One after the other: the second one is another prompt.
fn two_dialogs(stage: &Stage) {
    configure(stage, false, true);
    let servers = r#"{"mcpServers":{"demo":{"command":"/bin/true"}}}"#;
    fs::write(stage.folder().join(".mcp.json"), servers).expect("a project's servers");
    stage.hub();
    let agent = stage.run_to_dialog(&[], TRUST);
    agent.rest();
    agent.press("Down");
    agent.settle();
    let at = agent.press("Enter");
    agent.mark(at, "starting", Class::Passing, "the folder is trusted");
    let at = agent.shows("New MCP server found in this project");
    agent.screen_taken();
    agent.mark(at, "blocked", Class::Unmeasured, "the next dialog");
    agent.settle();
    agent.rest();
    let at = agent.press("Enter");
    agent.mark(at, "idle", Class::Unhooked, "without the server");
    agent.ready();
    agent.rest();
}

/// Which conversation is to go on?
fn resume_picker(stage: &Stage) {
    stage.hub();
    let gone = stage.start(&[]);
    gone.unhooked_turn();
    let at = gone.submit("/exit");
    gone.mark(at, "ended", Class::Kill, "/exit");
    gone.rest();
    let agent = stage.run_to_dialog(&["--resume"], "Resume session");
    agent.rest();
    let at = agent.press("Enter");
    agent.mark(at, "idle", Class::Unhooked, "it goes on");
    agent.ready();
    agent.rest();
}

/// Menus that a person has opened wait for that person; the status file says so. `steps`: how often
/// Esc goes back within it.
fn menu(stage: &Stage, command: &str, words: &str, steps: u32) {
    left(&opened(stage, command, words), steps);
}

fn opened<'a>(stage: &'a Stage, command: &str, words: &str) -> Agent<'a> {
    stage.hub();
    let agent = stage.start(&[]);
    let at = agent.submit(command);
    agent.mark(at, "blocked", Class::Unhooked, command);
    agent.shows(words);
    agent.settle();
    agent
}

fn left(agent: &Agent<'_>, steps: u32) {
    for _ in 0..steps {
        agent.press("Escape");
        agent.settle();
    }
    let at = agent.press("Escape");
    agent.mark(at, "idle", Class::Unhooked, "closed");
    agent.rest();
    agent.turn();
}

fn model_dialog(stage: &Stage) {
    menu(stage, "/model", "Select model", 0);
}

fn config_dialog(stage: &Stage) {
    menu(stage, "/config", "Search settings", 1);
}

fn login_dialog(stage: &Stage) {
    menu(stage, "/login", "Select login method", 0);
}

/// One that no rule for screens knows.
fn unknown_dialog(stage: &Stage) {
    let agent = opened(stage, "/permissions", "Add a new rule");
    let screen = agent.screen();
    assert_eq!(headsup_adapters::screen(stage.kind(), None, &screen), None, "{screen}");
    left(&agent, 0);
}
