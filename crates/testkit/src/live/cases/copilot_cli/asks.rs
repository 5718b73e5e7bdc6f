//! What it asks beside permissions and questions: whether a plan will do, and what a tool server wants to know.

use super::common::forms::{self, SERVER};
use super::{Case, case};
use crate::live::stage::{Agent, Stage};
use crate::live::truth::Class;
use crate::model::Asker;
use serde_json::json;
use std::time::Duration;

pub(super) const CASES: &[Case] = &[
    case("plan_approved", plan_approved),
    case("plan_rejected", plan_rejected),
    case("elicitation_answered", elicitation_answered),
    case("elicitation_cancelled", elicitation_cancelled),
];

/// Its hook comes before the program has looked whether to ask: it is told once that has had its time.
const ASKED: Duration = Duration::from_secs(2);

/// In its mode for plans, to which a key leads.
fn planned(stage: &Stage) -> Agent<'_> {
    stage.hub();
    let agent = stage.start(&[]);
    agent.press("BTab");
    agent.shows("· Plan ·");
    let plan = json!({
        "summary": "1. Do it.",
        "actions": ["interactive", "exit_only"],
        "recommendedAction": "interactive",
    });
    agent.prompt(&format!("[[tool exit_plan_mode {plan}]] [[hold go]] [[text Good.]]"));
    let at = stage.answered(&Asker::Main);
    agent.mark(at, "blocked", Class::Unmeasured, "it asks for the plan's approval");
    agent.shows("1. Do it.");
    stage.rest(ASKED);
    agent
}

fn plan_approved(stage: &Stage) {
    forms::closed(&planned(stage), &["Enter"], "approved");
}

fn plan_rejected(stage: &Stage) {
    let agent = planned(stage);
    agent.keys(&["Escape"], "idle", "rejected");
    agent.rest();
}

/// No hook and no line of its log tells of the form, and a call of a tool may be long.
fn asked(stage: &Stage) -> Agent<'_> {
    let file = forms::written(stage, SERVER);
    let server = json!({ "type": "local", "command": "/bin/sh", "args": [file], "tools": ["*"] });
    let servers = json!({ "mcpServers": { "demo": server } }).to_string();
    let args = [stage.screen().lets, &["--additional-mcp-config", &servers]].concat();
    stage.hub();
    let agent = stage.run_unready("api", &args);
    agent.prompt("[[tool demo-ask {}]] [[hold go]] [[text Asked.]]");
    stage.answered(&Asker::Main);
    agent.shows("Which colour?");
    agent.falls_silent(stage.written("asked"), "blocked", "the server asks");
    agent
}

fn elicitation_answered(stage: &Stage) {
    forms::closed(&asked(stage), &["Enter"], "answered");
}

fn elicitation_cancelled(stage: &Stage) {
    forms::closed(&asked(stage), &["Escape"], "cancelled, and the turn goes on");
}
