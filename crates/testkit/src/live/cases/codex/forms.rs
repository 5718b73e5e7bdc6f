//! Tool servers (MCP): a tool that wants to be allowed, and a form that one has the person fill in.

use super::common::forms::{self, SERVER};
use super::{Case, case};
use crate::live::stage::{Agent, Stage};

pub(super) const CASES: &[Case] = &[
    case("server_tool_allowed", server_tool_allowed),
    case("elicitation_answered", elicitation_answered),
    case("elicitation_cancelled", elicitation_cancelled),
];

/// The server in this file, as a setting. `mode`: whether its tools ask (`prompt`), or run (`approve`).
pub(super) fn server(file: &str, mode: &str) -> String {
    let own = format!("command=\"/bin/sh\",args=[\"{file}\"]");
    format!("demo={{{own},default_tools_approval_mode=\"{mode}\"}}")
}

/// What brings it for one start.
fn setting(stage: &Stage, text: &str, mode: &str) -> String {
    format!("mcp_servers.{}", server(&forms::written(stage, text), mode))
}

/// The program asks in a dialog of its own whether the tool may run.
fn server_tool_allowed(stage: &Stage) {
    let setting = setting(stage, &forms::quiet(), "prompt");
    stage.hub();
    let agent = stage.start(&["-c", &setting]);
    agent.prompt("[[tool ask {}]] [[hold go]] [[text Done.]]");
    agent.asks("Allow the demo MCP server to run tool");
    agent.keys(&["1"], "working", "allowed");
    agent.rest();
    stage.model.release("go");
    agent.answered();
    agent.rest();
}

fn asked(stage: &Stage) -> Agent<'_> {
    let setting = setting(stage, SERVER, "approve");
    stage.hub();
    let agent = stage.start(&["-c", &setting]);
    agent.prompt("[[tool ask {}]] [[hold go]] [[text Asked.]]");
    forms::asks(&agent);
    agent
}

/// Its first answer is chosen.
fn elicitation_answered(stage: &Stage) {
    forms::closed(&asked(stage), &["Enter"], "answered");
}

fn elicitation_cancelled(stage: &Stage) {
    forms::closed(&asked(stage), &["Escape"], "cancelled, and the turn goes on");
}
