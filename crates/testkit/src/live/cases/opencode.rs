//! OpenCode 1.18.33. Words and keys are those of its screen.

use super::{Case, common};
use crate::live::programs::OPENCODE;
use crate::live::stage::{Agent, Stage};
use crate::model::{Asker, Reply};
use std::net::TcpListener;

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
    case("nested", common::sessions::nested),
    case("resume_after_kill", common::sessions::resume_after_kill),
    case("two_in_one_folder", common::two_in_one_folder),
    case("fork", common::sessions::fork),
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
