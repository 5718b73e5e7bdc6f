//! The hub comes late, goes, is not told, or is not there at all.

use super::Case;
use crate::live::stage::{Hooks, Stage};
use crate::live::truth::Class;
use crate::model::Asker;
use std::fs;
use std::time::{Duration, Instant};

pub(super) const CASES: &[Case] = &[
    Case::new("hub_down_in_turn", hub_down_in_turn),
    Case::new("hub_down_at_start", hub_down_at_start),
    Case::new("hub_late", hub_late),
    Case::new("suspended", suspended),
    Case { hooks: Hooks::None, ..Case::new("adopted", adopted) },
    Case { hooks: Hooks::None, ..Case::new("adopted_at_work", adopted_at_work) },
    Case::new("no_binary", no_binary),
    Case { hooks: Hooks::None, ..Case::new("unhooked_turn", unhooked_turn) },
    Case { hooks: Hooks::None, ..Case::new("unhooked_permission", unhooked_permission) },
    Case { hooks: Hooks::None, ..Case::new("unhooked_end", unhooked_end) },
    Case { hooks: Hooks::None, ..Case::new("run_here", run_here) },
    Case { hooks: Hooks::None, ..Case::new("run_in_tmux", run_in_tmux) },
];

/// The turn ends while nobody listens; its hooks wait in the spool.
fn hub_down_in_turn(stage: &Stage) {
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

/// The turn starts while nobody listens, and goes on when the hub is back.
fn hub_down_at_start(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    stage.kill_hub();
    agent.submit("[[hold go]] [[text Hello.]]");
    agent.rest();
    let at = Instant::now();
    stage.hub();
    agent.mark(at, "working", Class::Unmeasured, "the hub is back in mid-turn");
    agent.rest();
    stage.model.release("go");
    agent.answered();
    agent.rest();
}

/// Everything stands still for a while, as when a laptop is shut: nothing is told of it, and what
/// was true still is.
fn suspended(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt("[[slow 5 50]] [[hold go]] [[text Hello.]]");
    agent.rest();
    stage.pause_hub(true);
    agent.pause(true);
    stage.rest(Duration::from_secs(5));
    agent.pause(false);
    stage.pause_hub(false);
    agent.rest();
    stage.model.release("go");
    agent.answered();
    agent.rest();
}

/// Agent and turn began before there was a hub; their hooks wait in the spool.
fn hub_late(stage: &Stage) {
    let agent = stage.start_untold(&[]);
    agent.submit("[[hold go]] [[text Hello.]]");
    agent.rest();
    let at = Instant::now();
    agent.mark(at, "idle", Class::Unmeasured, "the spool tells of the start");
    agent.mark(at, "working", Class::Unmeasured, "and of the prompt");
    stage.hub();
    agent.rest();
    stage.model.release("go");
    agent.answered();
    agent.rest();
}

/// It sat at its prompt before there was a hub, and no hook was installed.
fn adopted(stage: &Stage) {
    let agent = stage.start_untold(&[]);
    let at = Instant::now();
    stage.hub();
    agent.mark(at, "idle", Class::Unhooked, "the hub comes");
    agent.rest();
    agent.unhooked_turn();
}

fn adopted_at_work(stage: &Stage) {
    let agent = stage.start_untold(&[]);
    agent.submit("[[hold go]] [[text Hello.]]");
    agent.rest();
    let at = Instant::now();
    stage.hub();
    agent.mark(at, "working", Class::Unhooked, "the hub comes");
    agent.rest();
    stage.model.release("go");
    let at = stage.answered(&Asker::Main);
    agent.mark(at, "done", Class::Unhooked, "answer finished");
    agent.rest();
}

/// The program that the hooks name is deleted: the agent works as before and complains of nothing.
fn no_binary(stage: &Stage) {
    fs::remove_file(stage.home.state().join("bin/headsup")).expect("the hooks' program");
    stage.hub();
    let agent = stage.start(&[]);
    agent.unhooked_turn();
    agent.shows("Hello.");
    let screen = agent.screen();
    assert!(!screen.contains("hook"), "{screen}");
}

/// The status file tells all but how a turn ended, and the log that.
fn unhooked_turn(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.unhooked_turn();
    agent.unhooked_turn();
    let at = agent.submit("[[slow 5 50]] [[hold never]]");
    agent.mark(at, "working", Class::Unhooked, "prompt sent");
    agent.rest();
    agent.key("Escape", "idle", "Esc while text streams");
    agent.rest();
}

fn unhooked_permission(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    let at = agent.submit("[[hold ask]] [[bash touch x; sleep 2]] [[text Touched.]]");
    agent.mark(at, "working", Class::Unhooked, "prompt sent");
    agent.rest();
    stage.model.release("ask");
    let at = stage.answered(&Asker::Main);
    agent.mark(at, "blocked", Class::Unhooked, "it asks");
    agent.shows("Do you want to");
    agent.settle();
    agent.key("1", "working", "approved");
    let at = stage.answered(&Asker::Main);
    agent.mark(at, "done", Class::Unhooked, "answer finished");
    agent.rest();
}

fn unhooked_end(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    let at = agent.submit("/exit");
    agent.mark(at, "ended", Class::Kill, "/exit");
    agent.rest();
}

/// Nothing is installed; the launch brings the hooks.
fn run_here(stage: &Stage) {
    stage.hub();
    stage.run_here("api").turn();
}

fn run_in_tmux(stage: &Stage) {
    stage.hub();
    stage.run_in_tmux("api").turn();
}
