//! Without `headsup run`, as somebody types it: one process in the background has all terminals'
//! conversations.

use super::common::forms;
use super::{Case, case, common};
use crate::live::programs::codex::UNTRUSTED;
use crate::live::stage::{Agent, Stage};
use crate::live::truth::Class;
use crate::model::Asker;
use std::fs;

pub(super) const CASES: &[Case] = &[
    case("daemon_turn", daemon_turn),
    case("daemon_two_terminals", daemon_two_terminals),
    case("daemon_hangup", daemon_hangup),
    case("daemon_outlived", daemon_outlived),
    case("daemon_sigkill", daemon_sigkill),
    case("daemon_elicitation", daemon_elicitation),
    case("hub_late", |stage| common::hub::hub_late(stage, FIRST)),
];

const FIRST: &str = "codex-proj";
const SECOND: &str = "codex-proj-2";

/// The first terminal, where a person trusts the hooks: whoever starts it so that it does not ask gets a
/// process without a background.
fn first(stage: &Stage) -> Agent<'_> {
    let agent = stage.start_by_hand_to_dialog(FIRST, UNTRUSTED, "Hooks need review");
    agent.press("Down");
    agent.settle();
    agent.press("Enter");
    agent.ready();
    agent
}

fn daemon_turn(stage: &Stage) {
    stage.hub();
    let agent = first(stage);
    let at = agent.submit("[[hold go]] [[text Hello.]]");
    agent.mark(at, "idle", Class::Unmeasured, "told with the first prompt");
    agent.mark(at, "working", Class::Unmeasured, "prompt sent");
    agent.rest();
    stage.model.release("go");
    agent.answered();
    agent.rest();
    agent.turn();
}

/// The terminal that has started it goes away in mid-turn, and the turn goes on without it.
fn daemon_hangup(stage: &Stage) {
    stage.hub();
    outlives(stage, &first(stage));
}

/// It is killed itself, in mid-turn.
fn daemon_sigkill(stage: &Stage) {
    stage.hub();
    let agent = first(stage);
    begun(stage, &agent);
    common::kill(&agent);
}

/// Another terminal does.
fn daemon_outlived(stage: &Stage) {
    stage.hub();
    let one = first(stage);
    let turn = begun(stage, &one);
    stage.model.release("go");
    one.mark(stage.over(turn), "done", Class::Hooked, "answer finished");
    one.rest();
    outlives(stage, &stage.start_by_hand_untold(SECOND, UNTRUSTED));
}

fn outlives(stage: &Stage, agent: &Agent<'_>) {
    let turn = begun(stage, agent);
    let at = agent.hang_up();
    agent.mark(at, "working", Class::Unmeasured, "its terminal is gone");
    agent.rest();
    stage.model.release("go");
    agent.mark(stage.over(turn), "done", Class::Hooked, "answer finished");
    agent.rest();
}

/// Its first turn; the request to the model.
fn begun(stage: &Stage, agent: &Agent<'_>) -> usize {
    let at = agent.submit("[[hold go]] [[text Hello.]]");
    agent.mark(at, "idle", Class::Unmeasured, "told with the first prompt");
    agent.mark(at, "working", Class::Unmeasured, "prompt sent");
    let turn = stage.asked(&Asker::Main);
    agent.rest();
    turn
}

fn daemon_two_terminals(stage: &Stage) {
    stage.hub();
    let one = first(stage);
    let other = stage.start_by_hand_untold(SECOND, UNTRUSTED);
    let at = one.submit("[[hold one]] [[text One.]]");
    one.mark(at, "idle", Class::Unmeasured, "told with the first prompt");
    one.mark(at, "working", Class::Unmeasured, "prompt sent");
    let first = stage.asked(&Asker::Main);
    one.rest();
    let at = other.submit("[[hold other]] [[text Other.]]");
    other.mark(at, "idle", Class::Unmeasured, "told with the first prompt");
    other.mark(at, "working", Class::Unmeasured, "prompt sent");
    let second = stage.asked(&Asker::Main);
    other.rest();
    stage.model.release("one");
    one.mark(stage.over(first), "done", Class::Hooked, "answer finished");
    other.rest();
    stage.model.release("other");
    other.mark(stage.over(second), "done", Class::Hooked, "answer finished");
    other.rest();
}

/// A tool server asks: the process's own server tells of it.
fn daemon_elicitation(stage: &Stage) {
    let file = forms::written(stage, forms::SERVER);
    let config = stage.home.path().join(".codex/config.toml");
    let before = fs::read_to_string(&config).expect("a configuration");
    let own = format!("[mcp_servers]\n{}\n", super::forms::server(&file, "approve"));
    fs::write(&config, before + &own).expect("a configuration");
    stage.hub();
    let agent = first(stage);
    let at = agent.submit("[[tool ask {}]] [[hold go]] [[text Asked.]]");
    agent.mark(at, "idle", Class::Unmeasured, "told with the first prompt");
    agent.mark(at, "working", Class::Unmeasured, "prompt sent");
    forms::asks(&agent);
    forms::closed(&agent, &["Enter"], "answered");
}
