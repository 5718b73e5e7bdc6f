//! A tool server asks the person to fill in a form (MCP elicitation).

use super::Case;
use crate::live::cases::common::forms::{SERVER, written};
use crate::live::stage::{Agent, Stage};
use crate::live::truth::Class;
use crate::model::Asker;
use serde_json::json;

pub(super) const CASES: &[Case] = &[
    Case::new("elicitation_cancelled", elicitation_cancelled),
    Case::new("elicitation_answered", elicitation_answered),
    Case::new("elicitation_url", elicitation_url),
];

/// A page to be visited instead of a form (MCP 2025-11-25).
fn elicitation_url(stage: &Stage) {
    let form = r#""message":"Which colour?","requestedSchema":{"type":"object","properties":{"colour":{"type":"boolean"}}}"#;
    let page = r#""mode":"url","elicitationId":"e1","message":"Which colour?","url":"https://example.com/colour""#;
    assert!(SERVER.contains(form));
    cancelled(
        stage,
        &asked_by(stage, &SERVER.replace(form, page).replace("2025-06-18", "2025-11-25")),
    );
}

fn asked(stage: &Stage) -> Agent<'_> {
    asked_by(stage, SERVER)
}

fn asked_by<'a>(stage: &'a Stage, text: &str) -> Agent<'a> {
    let server = written(stage, text);
    let config = json!({ "mcpServers": { "demo": { "command": "/bin/sh", "args": [server] } } });
    stage.hub();
    let agent = stage.start(&[
        "--mcp-config",
        &config.to_string(),
        "--strict-mcp-config",
        "--allowedTools",
        "mcp__demo__ask",
    ]);
    agent.prompt("[[tool mcp__demo__ask {}]] [[hold go]] [[text Asked.]]");
    stage.answered(&Asker::Main);
    agent.shows("Which colour?");
    // The program takes its time between the model's answer and the server.
    agent.mark(stage.written("asked"), "blocked", Class::Hooked, "the server asks");
    agent.settle();
    agent
}

fn elicitation_cancelled(stage: &Stage) {
    cancelled(stage, &asked(stage));
}

fn cancelled(stage: &Stage, agent: &Agent<'_>) {
    let at = agent.press("Escape");
    agent.mark(at, "working", Class::Hooked, "cancelled, and the turn goes on");
    agent.rest();
    stage.model.release("go");
    agent.answered();
    agent.rest();
}

/// Accept is one field below the form's own.
fn elicitation_answered(stage: &Stage) {
    let agent = asked(stage);
    agent.press("Down");
    agent.rest();
    let at = agent.press("Enter");
    agent.mark(at, "working", Class::Hooked, "accepted");
    agent.rest();
    stage.model.release("go");
    agent.answered();
    agent.rest();
}
