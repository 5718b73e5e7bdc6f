//! What the program asks before its first event, of which no hook and no status report tells; and what a person opens
//! later.

use super::{Case, case, common};
use crate::live::programs::codex::{UNTRUSTED, configure};
use crate::live::stage::Stage;
use crate::live::truth::Class;
use std::fs;

pub(super) const CASES: &[Case] = &[
    case("trust_dialog", trust_dialog).unhooked(),
    case("trust_refused", trust_refused).unhooked(),
    case("login_dialog", login_dialog).unhooked(),
    case("hook_review", hook_review),
    case("resume_picker", resume_picker),
    case("unknown_dialog", unknown_dialog),
];

const TRUST: &str = "Trust this folder?";

/// It asks in folders of a repository alone.
fn untrusted(stage: &Stage) {
    configure(stage, false, true);
    fs::create_dir_all(stage.folder().join(".git")).expect("a folder");
    fs::write(stage.folder().join(".git/HEAD"), "ref: refs/heads/main\n").expect("a head");
}

fn trust_dialog(stage: &Stage) {
    untrusted(stage);
    stage.hub();
    let agent = stage.run_to_dialog(&[], TRUST);
    agent.rest();
    let at = agent.press("Enter");
    agent.mark(at, "idle", Class::Unhooked, "trusted");
    agent.ready();
    agent.rest();
    agent.unhooked_turn();
}

/// It goes back to its list of tasks, where nobody is at work.
fn trust_refused(stage: &Stage) {
    untrusted(stage);
    stage.hub();
    let agent = stage.run_to_dialog(&[], TRUST);
    agent.rest();
    agent.press("Escape");
    let at = agent.shows("Agent command center");
    agent.mark(at, "idle", Class::Unmeasured, "the folder is not trusted");
    agent.rest();
}

fn login_dialog(stage: &Stage) {
    configure(stage, true, false);
    stage.hub();
    let agent = stage.run_to_dialog(&[], "Sign in with ChatGPT");
    agent.rest();
    let at = agent.press("C-c");
    agent.mark(at, "ended", Class::Kill, "nobody signs in");
    agent.rest();
}

/// Its hooks run only once somebody has trusted them.
fn hook_review(stage: &Stage) {
    stage.hub();
    let agent = stage.run_to_dialog(UNTRUSTED, "Hooks need review");
    agent.rest();
    agent.press("Down");
    agent.settle();
    let at = agent.press("Enter");
    agent.mark(at, "idle", Class::Unhooked, "all are trusted");
    agent.ready();
    agent.rest();
    agent.turn();
}

/// Which conversation is to go on?
fn resume_picker(stage: &Stage) {
    stage.hub();
    let gone = stage.start(&[]);
    gone.turn();
    let at = gone.submit(stage.screen().exit);
    gone.mark(at, "ended", Class::Kill, stage.screen().exit);
    gone.rest();
    let agent = stage.run_to_dialog(&["resume"], "Resume a previous session");
    agent.rest();
    let at = agent.press("Enter");
    agent.mark(at, "idle", Class::Unhooked, "it goes on");
    agent.ready();
    agent.rest();
    agent.turn();
}

fn unknown_dialog(stage: &Stage) {
    common::dialogs::unknown_dialog(stage, "/permissions", "Update Model Permissions");
}
