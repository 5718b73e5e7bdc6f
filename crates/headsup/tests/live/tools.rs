//! A launch brings the tools: each real program offers them to its model, and its configuration is as it was.

use crate::{installed, prompted_until, with};
use headsup_testkit::live::{self, Hooks, Stage};
use headsup_testkit::model::{Reply, Request};
use std::fs;

/// The tool among those of a request, however the program calls it.
fn offers(request: &Request) -> bool {
    let names = [
        "mcp__headsup__update_status",
        "headsup_update_status",
        "headsup-update_status",
        "headsup__update_status",
        "update_status",
    ];
    // Claude Code only names them until its model has searched for them.
    request.tool(&names).is_some() || request.body.to_string().contains(names[0])
}

/// `kept`: the file with its servers, below the home folder.
fn are_offered(kind: &str, kept: &str) {
    let Some(installed) = installed(kind) else { return };
    let stage = Stage::new(live::of_kind(kind).unwrap(), with(&installed), Hooks::None);
    stage.hub();
    stage.model.answer_with(|_| Some(Reply::text("Hello.")));
    let agent = stage.run_here_with("api", &[]);
    prompted_until(&agent, offers);
    let text = fs::read_to_string(stage.home.path().join(kept)).unwrap_or_default();
    assert!(!text.contains("bin/headsup"), "{text}");
}

#[test]
fn of_claude_code() {
    are_offered("claude-code", ".claude.json");
}

#[test]
fn of_codex() {
    are_offered("codex", ".codex/config.toml");
}

#[test]
fn of_opencode() {
    are_offered("opencode", ".config/opencode/opencode.json");
}

#[test]
fn of_qwen_code() {
    are_offered("qwen-code", ".qwen/settings.json");
}

#[test]
fn of_copilot_cli() {
    are_offered("copilot-cli", ".copilot/mcp-config.json");
}
