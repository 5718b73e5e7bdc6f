//! Situations that every program can be in, played by what its [`Screen`] says of words and keys.
//!
//! [`Screen`]: crate::live::programs::Screen

pub(super) mod asks;
pub(super) mod dialogs;
pub(super) mod ends;
pub(super) mod errors;
pub(super) mod forms;
pub(super) mod helpers;
pub(super) mod hub;
pub(super) mod sessions;

use crate::live::stage::{Agent, Stage};
use crate::live::truth::Class;
use crate::model::{Asker, Reply};
use rustix::process::Signal;
use std::time::Instant;

pub(super) fn plain_turn(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.turn();
    agent.turn();
}

/// Tools that need no permission, one that fails among them: all of it is work.
pub(super) fn tool_turn(stage: &Stage) {
    stage.hub();
    let agent = stage.start(stage.screen().lets);
    agent.prompt(
        "[[bash sleep 1]] [[then]] [[bash false]] [[then]] [[bash sleep 1; true]] [[text Seen.]]",
    );
    for _ in 0..3 {
        stage.answered(&Asker::Main);
    }
    agent.answered();
    agent.rest();
}

/// It is granted, and the tool runs on for a while.
pub(super) fn permission_approved(stage: &Stage) {
    stage.hub();
    approved(&stage.start(&[]));
}

pub(super) fn approved(agent: &Agent<'_>) {
    let stage = agent.stage();
    agent.prompt("[[bash touch x; sleep 2]] [[hold go]] [[text Touched.]]");
    agent.asks(stage.screen().permission);
    agent.keys(stage.screen().yes, "working", "approved");
    agent.rest();
    stage.model.release("go");
    agent.answered();
    agent.rest();
}

pub(super) fn permission_denied(stage: &Stage) {
    stage.hub();
    denied(&stage.start(&[]));
}

fn denied(agent: &Agent<'_>) {
    refused(agent);
    agent.turn();
}

/// The next turn may not be an ordinary one.
pub(super) fn refused(agent: &Agent<'_>) {
    let stage = agent.stage();
    agent.prompt("[[bash touch x]]");
    agent.asks(stage.screen().permission);
    agent.keys(stage.screen().no, "idle", "denied");
    agent.rest();
}

pub(super) fn question_answered(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    answered_question(&agent);
}

pub(super) fn answered_question(agent: &Agent<'_>) {
    let stage = agent.stage();
    agent.prompt("[[ask Which colour | Red | Blue]] [[hold go]] [[text Good.]]");
    agent.asks(stage.screen().question);
    agent.keys(stage.screen().answer, "working", "answered");
    agent.rest();
    stage.model.release("go");
    agent.answered();
    agent.rest();
}

pub(super) fn esc_in_stream(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt("[[slow 5 50]] [[hold never]]");
    stage.asked(&Asker::Main);
    agent.rest();
    agent.interrupt("Esc while text streams");
    agent.rest();
    // The next turn is an ordinary one.
    if let Some(key) = stage.screen().clear {
        agent.press(key);
    }
    agent.turn();
}

pub(super) fn esc_in_tool(stage: &Stage) {
    stage.hub();
    let agent = stage.start(stage.screen().lets);
    // Some programs refuse to sleep for long.
    agent.prompt("[[bash timeout 20 tail -f /dev/null]]");
    stage.answered(&Asker::Main);
    agent.rest();
    agent.interrupt("Esc while a tool runs");
    agent.rest();
}

/// The model's server refuses, the turn fails, and the next one is an ordinary one.
pub(super) fn bad_request(stage: &Stage) {
    failed(stage, "[[status 400]]");
}

pub(super) fn authentication(stage: &Stage) {
    failed(stage, "[[status 401]]");
}

pub(super) fn failed(stage: &Stage, prompt: &str) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt(prompt);
    stage.answered(&Asker::Main);
    agent.shows(stage.screen().failed);
    // How often it tries depends on the error.
    stage.rest(crate::live::stage::REST);
    let over = stage.answered_last(&Asker::Main);
    agent.mark(over, "failed", Class::Hooked, "the last try failed");
    agent.rest();
    // Some send what failed once more, directives and all.
    stage.model.script(Reply::new().hold("go").and_text("Better."));
    agent.prompt("Again.");
    agent.rest();
    stage.model.release("go");
    agent.answered();
    agent.rest();
}

/// It works on through its retries.
pub(super) fn rate_limit(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt("[[status 429 x2]] [[retry-after 1]] [[text Well.]]");
    stage.answered(&Asker::Main);
    stage.answered(&Asker::Main);
    agent.answered();
    agent.rest();
}

pub(super) fn compact_manual(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.turn();
    stage
        .model
        .script_compaction(Reply::new().hold("sum").and_text("<summary>Greetings.</summary>"));
    let at = agent.submit(stage.screen().compact);
    agent.mark(at, "working", Class::Unhooked, stage.screen().compact);
    agent.rest();
    stage.model.release("sum");
    let at = stage.answered(&Asker::Compaction);
    agent.mark(at, "done", Class::Unhooked, "summed up");
    agent.rest();
    agent.turn();
}

/// The main agent waits for its helper: one turn.
pub(super) fn subagent(stage: &Stage) {
    stage.hub();
    let agent = stage.start(stage.screen().lets);
    agent.prompt("[[helper [[bash sleep 3]] [[text Seen.]]]] [[hold go]] [[text Finished.]]");
    stage.answered(&Asker::Main);
    stage.answered(&Asker::Helper);
    stage.answered(&Asker::Helper);
    agent.rest();
    stage.model.release("go");
    agent.answered();
    agent.rest();
}

pub(super) fn two_in_one_folder(stage: &Stage) {
    stage.hub();
    let one = stage.start(&[]);
    let other = stage.start(&[]);
    one.prompt("[[hold one]] [[text One.]]");
    let first = stage.asked(&Asker::Main);
    other.prompt("[[hold other]] [[text Other.]]");
    let second = stage.asked(&Asker::Main);
    other.rest();
    stage.model.release("one");
    one.mark(stage.over(first), "done", Class::Hooked, "answer finished");
    other.rest();
    stage.model.release("other");
    other.mark(stage.over(second), "done", Class::Hooked, "answer finished");
    other.rest();
}

fn at_work(stage: &Stage) -> Agent<'_> {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt("[[slow 5 50]] [[hold never]]");
    agent.rest();
    agent
}

pub(super) fn sigkill_idle(stage: &Stage) {
    stage.hub();
    kill(&stage.start(&[]));
}

pub(super) fn sigkill_working(stage: &Stage) {
    kill(&at_work(stage));
}

pub(super) fn sigkill_blocked(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt("[[bash touch x]]");
    agent.asks(stage.screen().permission);
    kill(&agent);
}

pub(super) fn kill(agent: &Agent<'_>) {
    let at = agent.signal(Signal::KILL);
    agent.mark(at, "crashed", Class::Kill, "SIGKILL");
    agent.rest();
}

/// Asked to go, it goes; whatever it was at is not finished.
pub(super) fn sigterm(stage: &Stage) {
    let agent = at_work(stage);
    let at = agent.signal(Signal::TERM);
    agent.mark(at, stage.screen().terminated, Class::Kill, "SIGTERM");
    agent.rest();
}

pub(super) fn exit(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.turn();
    let at = agent.submit(stage.screen().exit);
    agent.mark(at, "ended", Class::Kill, stage.screen().exit);
    agent.rest();
}

/// The turn ends while nobody listens; its hooks wait in the spool.
pub(super) fn hub_down_in_turn(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt("[[hold go]] [[text Hello.]]");
    agent.rest();
    stage.kill_hub();
    stage.model.release("go");
    stage.answered(&Asker::Main);
    agent.rest();
    let at = Instant::now();
    stage.hub();
    agent.mark(at, "done", Class::Unmeasured, "the hub is back after the turn's end");
    agent.rest();
    agent.turn();
}

/// Without a terminal: one prompt, its answer, and the end.
pub(super) fn headless(stage: &Stage) {
    stage.hub();
    let agent = stage.start_headless("[[hold go]] [[text Hello.]]");
    let request = stage.asked(&Asker::Main);
    let came = stage.came(request);
    agent.mark(came, "idle", Class::Passing, "its session has begun");
    agent.mark(came, "working", Class::Unmeasured, "it asks the model");
    agent.rest();
    stage.model.release("go");
    let over = stage.over(request);
    agent.mark(over, "done", Class::Unmeasured, "answer finished");
    agent.mark(over, "ended", Class::Unmeasured, "and gone");
    agent.rest();
}
