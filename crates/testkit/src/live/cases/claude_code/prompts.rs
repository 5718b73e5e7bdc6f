//! It waits for a person. Words and keys of Claude Code 2.1.330.

use super::Case;
use crate::live::stage::{Agent, Stage};
use crate::live::truth::Class;
use crate::model::Asker;

pub(super) const CASES: &[Case] = &[
    Case::new("permission_approved", permission_approved),
    Case::new("permission_denied", permission_denied),
    Case::new("permission_escaped", permission_escaped),
    Case::new("two_permissions", two_permissions),
    Case::new("question_answered", question_answered),
    Case::new("question_escaped", question_escaped),
    Case::new("plan_approved", plan_approved),
    Case::new("plan_rejected", plan_rejected),
];

const PERMISSION: &str = "Do you want to";
const YES: &str = "1";
const NO: &str = "3";

/// No hook tells the grant; the tool's end is told.
fn permission_approved(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt("[[bash touch x; sleep 2]] [[hold go]] [[text Touched.]]");
    agent.asks(PERMISSION);
    agent.key(YES, "working", "approved");
    agent.rest();
    stage.model.release("go");
    agent.answered();
    agent.rest();
}

/// No ends the turn, and no hook tells of it.
fn permission_denied(stage: &Stage) {
    denied_with(stage, NO);
}

fn permission_escaped(stage: &Stage) {
    denied_with(stage, "Escape");
}

fn denied_with(stage: &Stage, key: &str) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt("[[bash touch x]]");
    agent.asks(PERMISSION);
    agent.key(key, "idle", "denied");
    agent.rest();
    agent.turn();
}

/// Of two calls in one answer the second one asks when the first is over (2.1.330).
fn two_permissions(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt("[[bash touch x]] [[bash touch y; sleep 2]] [[hold go]] [[text Touched.]]");
    agent.asks("touch x");
    agent.key(YES, "working", "the first is approved");
    let at = agent.shows("touch y; sleep 2\n");
    agent.mark(at, "blocked", Class::Unmeasured, "the second asks");
    agent.settle();
    agent.key(YES, "working", "the second is approved");
    agent.rest();
    stage.model.release("go");
    agent.answered();
    agent.rest();
}

fn asked(stage: &Stage) -> Agent<'_> {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt("[[ask Which colour? | Red | Blue]] [[hold go]] [[text Good.]]");
    agent.asks("Which colour?");
    agent
}

fn question_answered(stage: &Stage) {
    let agent = asked(stage);
    let at = agent.press(YES);
    agent.mark(at, "working", Class::Hooked, "answered");
    agent.rest();
    stage.model.release("go");
    agent.answered();
    agent.rest();
}

/// Esc at a question ends the turn; no hook tells of it.
fn question_escaped(stage: &Stage) {
    let agent = asked(stage);
    agent.key("Escape", "idle", "cancelled");
    agent.rest();
}

fn planned(stage: &Stage) -> Agent<'_> {
    stage.hub();
    let agent = stage.start(&["--permission-mode", "plan"]);
    agent.prompt("[[plan 1. Do it.]] [[hold go]] [[text Good.]]");
    // Its answer writes the plan into a file first.
    let at = stage.answered(&Asker::Main);
    agent.mark(at, "blocked", Class::Unmeasured, "it asks for the plan's approval");
    agent.shows("Would you like to proceed?");
    agent.settle();
    agent
}

fn plan_approved(stage: &Stage) {
    let agent = planned(stage);
    // With the edits to be approved one by one.
    let at = agent.press("2");
    agent.mark(at, "working", Class::Hooked, "approved");
    agent.rest();
    stage.model.release("go");
    agent.answered();
    agent.rest();
}

/// Esc at a plan ends the turn; no hook tells of it.
fn plan_rejected(stage: &Stage) {
    let agent = planned(stage);
    agent.key("Escape", "idle", "rejected");
    agent.rest();
}
