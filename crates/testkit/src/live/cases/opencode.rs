//! OpenCode 1.18.33. Words and keys are those of its screen.

use super::{Case, common};
use crate::live::programs::OPENCODE;
use crate::live::stage::{Agent, Stage};
use crate::live::truth::Class;
use crate::model::{Asker, Reply};
use std::fs;
use std::net::TcpListener;
use std::time::Instant;

pub(super) const CASES: &[Case] = &[
    case("plain_turn", common::plain_turn),
    case("tool_turn", common::tool_turn),
    case("queued_prompt", queued_prompt),
    case("permission_approved", common::permission_approved),
    case("permission_denied", common::permission_denied),
    case("two_permissions", common::asks::two_permissions),
    case("question_answered", common::question_answered),
    case("question_rejected", common::asks::question_rejected),
    case("esc_in_stream", common::esc_in_stream),
    case("esc_in_tool", common::esc_in_tool),
    case("esc_in_retry", common::errors::esc_in_retry),
    case("subagent", subagent),
    case("subagent_permission", common::asks::subagent_permission),
    case("blocked_beside_subagent", common::asks::blocked_beside_subagent),
    case("bad_request", common::bad_request),
    case("authentication", common::authentication),
    case("forbidden", common::errors::forbidden),
    case("rate_limit", common::rate_limit),
    case("overload_recovered", common::errors::overload_recovered),
    case("cut_in_stream", common::errors::cut_in_stream),
    case("clear", common::sessions::clear),
    case("compact_manual", common::compact_manual),
    case("compact_auto", common::sessions::compact_auto),
    case("nested", common::sessions::nested_at_work),
    case("resume_after_kill", common::sessions::resume_after_kill),
    case("two_in_one_folder", common::two_in_one_folder),
    case("fork", common::sessions::fork),
    case("two_conversations", two_conversations),
    case("two_conversations_crossed", two_conversations_crossed),
    case("other_conversation_asks", other_conversation_asks),
    case("unknown_event", common::sessions::unknown_event),
    case("exit", common::exit),
    case("sigterm", common::sigterm),
    case("sighup", common::ends::sighup),
    case("oom", common::ends::oom),
    case("sigkill_idle", common::sigkill_idle),
    case("sigkill_working", common::sigkill_working),
    case("sigkill_blocked", common::sigkill_blocked),
    case("hub_down_in_turn", common::hub_down_in_turn),
    case("hub_down_at_start", common::hub::hub_down_at_start),
    case("hub_late", |stage| common::hub::hub_late(stage, "opencode-proj")),
    case("suspended", common::hub::suspended),
    case("no_binary", no_binary),
    case("unknown_dialog", unknown_dialog),
    case("run_uninstalled", common::plain_turn).unhooked(),
    case("run_in_tmux", common::hub::run_in_tmux),
    case("headless", common::headless),
    case("headless_failed", common::errors::headless_failed),
    // By another witness, beside its plugin and without it.
    case("port_turn", port_turn),
    case("port_permission", port_permission),
    case("port_esc", port_esc),
    case("port_sigkill", port_sigkill),
    case("port_and_plugin", port_and_plugin),
];

const fn case(name: &'static str, play: fn(&Stage)) -> Case {
    Case::of(&OPENCODE, name, play)
}

/// A port that nobody has.
fn port() -> String {
    let open = TcpListener::bind("127.0.0.1:0").and_then(|open| open.local_addr());
    open.expect("a port").port().to_string()
}

/// Without the plugin: its port alone tells of it.
fn without_plugin(stage: &Stage) -> Agent<'_> {
    stage.hub();
    stage.start(&["--pure", "--port", &port()])
}

fn stopped(agent: &Agent<'_>) {
    let stage = agent.stage();
    agent.prompt("[[slow 5 50]] [[hold never]]");
    stage.asked(&Asker::Main);
    agent.rest();
    agent.interrupt("Esc while text streams");
    agent.rest();
}

fn port_turn(stage: &Stage) {
    let agent = without_plugin(stage);
    agent.turn();
    agent.turn();
}

fn port_permission(stage: &Stage) {
    common::approved(&without_plugin(stage));
}

fn port_esc(stage: &Stage) {
    let agent = without_plugin(stage);
    stopped(&agent);
    agent.turn();
}

fn port_sigkill(stage: &Stage) {
    let agent = without_plugin(stage);
    agent.prompt("[[slow 5 50]] [[hold never]]");
    agent.rest();
    common::kill(&agent);
}

/// Both tell of it, and each change is one event.
fn port_and_plugin(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&["--port", &port()]);
    agent.turn();
    common::approved(&agent);
    stopped(&agent);
    agent.turn();
}

/// What is typed into a running turn waits, and is a part of it.
fn queued_prompt(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt("[[hold one]] [[text First.]]");
    agent.rest();
    // It goes with what was said before, which has its answer.
    stage.model.request(&Asker::Main, 0);
    stage.model.script(Reply::new().hold("two").and_text("Second."));
    agent.submit("And then?");
    agent.rest();
    stage.model.release("one");
    stage.answered(&Asker::Main);
    agent.rest();
    stage.model.release("two");
    agent.answered();
    agent.rest();
}

/// The main agent waits for its helper: one turn.
fn subagent(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt("[[helper [[slow 20 100]] [[text Seen.]]]] [[hold go]] [[text Finished.]]");
    stage.answered(&Asker::Main);
    stage.answered(&Asker::Helper);
    agent.rest();
    stage.model.release("go");
    agent.answered();
    agent.rest();
}

/// A person begins a second conversation in the same program while the first one has a turn; the requests of both to
/// the model.
fn prompted_beside<'a>(stage: &'a Stage, first: &str) -> (Agent<'a>, usize, usize) {
    stage.side_by_side();
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt(first);
    let one = stage.asked(&Asker::Main);
    agent.rest();
    agent.submit(stage.screen().new);
    agent.ready();
    let at = agent.submit("[[hold other]] [[text Other.]]");
    let other = stage.asked(&Asker::Main);
    agent.mark(at, "working", Class::Unmeasured, "another conversation begins beside it");
    agent.rest();
    (agent, one, other)
}

/// The agent works until the last of them has ended.
fn two_conversations(stage: &Stage) {
    let (agent, one, other) = prompted_beside(stage, "[[hold one]] [[text One.]]");
    stage.model.release("one");
    agent.mark(stage.over(one), "working", Class::Unmeasured, "the first has ended");
    agent.rest();
    stage.model.release("other");
    agent.mark(stage.over(other), "done", Class::Hooked, "the second has ended");
    agent.rest();
    agent.turn();
}

/// The one that is shown ends first.
fn two_conversations_crossed(stage: &Stage) {
    let (agent, one, other) = prompted_beside(stage, "[[hold one]] [[text One.]]");
    stage.model.release("other");
    agent.mark(stage.over(other), "working", Class::Unmeasured, "the second has ended");
    agent.rest();
    stage.model.release("one");
    agent.mark(stage.over(one), "done", Class::Hooked, "the first has ended");
    agent.rest();
    agent.turn();
}

/// What the one asks that is not shown waits all the same, and through the turn of the other one.
fn other_conversation_asks(stage: &Stage) {
    let (agent, one, other) = prompted_beside(stage, "[[hold one]] [[bash touch x]]");
    stage.model.release("one");
    agent.mark(stage.over(one), "blocked", Class::Hooked, "the first asks");
    agent.rest();
    stage.model.release("other");
    agent.mark(stage.over(other), "blocked", Class::Unmeasured, "the second has ended");
    agent.rest();
    common::kill(&agent);
}

/// Its plugin wants the program that is deleted only where there is no hub, and misses it without a word.
fn no_binary(stage: &Stage) {
    stage.hub();
    fs::remove_file(stage.home.state().join("bin/headsup")).expect("the hooks' program");
    let agent = stage.start_by_hand(&[]);
    agent.turn();
    stage.kill_hub();
    agent.submit("[[text Nobody hears.]]");
    stage.answered(&Asker::Main);
    agent.shows("Nobody hears.");
    let at = Instant::now();
    stage.hub();
    agent.mark(at, "done", Class::Unmeasured, "the hub is back");
    agent.rest();
    agent.turn();
    let screen = agent.screen().to_lowercase();
    assert!(!screen.contains("hook"), "{screen}");
}

fn unknown_dialog(stage: &Stage) {
    common::dialogs::unknown_dialog(stage, "/models", "Select model");
}
