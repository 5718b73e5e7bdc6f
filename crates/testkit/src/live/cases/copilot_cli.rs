//! Copilot CLI 1.0.102.

mod asks;
mod helpers;

use super::{Case, common};
use crate::live::programs::COPILOT_CLI;
use crate::live::stage::{Agent, Stage};
use crate::live::truth::Class;
use crate::model::{Asker, Reply};
use serde_json::json;
use std::time::Duration;

pub(super) fn all() -> Vec<Case> {
    [CASES, asks::CASES, helpers::CASES].concat()
}

const CASES: &[Case] = &[
    case("plain_turn", common::plain_turn),
    case("tool_turn", common::tool_turn),
    case("permission_approved", common::permission_approved),
    case("permission_denied", permission_denied),
    case("question_answered", common::question_answered),
    case("bad_request", common::bad_request),
    case("authentication", common::authentication),
    case("rate_limit", common::rate_limit),
    case("two_in_one_folder", common::two_in_one_folder),
    case("exit", common::exit),
    case("sigterm", common::sigterm),
    case("sigkill_idle", common::sigkill_idle),
    case("sigkill_working", common::sigkill_working),
    case("sigkill_blocked", common::sigkill_blocked),
    case("hub_down_in_turn", common::hub_down_in_turn),
    case("headless", common::headless),
    case("headless_failed", common::errors::headless_failed_at_last),
    case("esc_in_stream", esc_in_stream),
    case("esc_in_tool", esc_in_tool),
    case("two_permissions", common::asks::two_permissions_in_a_row),
    case("question_escaped", question_escaped),
    case("subagent_permission", common::asks::subagent_permission),
    case("by_hand_permission", by_hand_permission),
    case("forbidden", common::errors::forbidden),
    case("overload_recovered", common::errors::overload_recovered),
    case("cut_in_stream", common::errors::cut_in_stream),
    case("sighup", common::ends::sighup),
    case("sighup_idle", common::ends::sighup_idle),
    case("ctrl_d", common::ends::ctrl_d),
    case("oom", common::ends::oom),
    case("hub_down_at_start", common::hub::hub_down_at_start),
    case("suspended", common::hub::suspended),
    case("by_hand", common::hub::by_hand),
    case("clear", common::sessions::clear),
    case("compact_manual", compact_manual),
    case("compact_auto", compact_auto),
    case("unknown_event", common::sessions::unknown_event),
    case("queued_prompt", common::sessions::queued_prompt),
    case("background_shell", common::sessions::background_shell),
    case("subagent", common::subagent),
    case("resume_after_kill", common::sessions::resume_after_kill),
    case("no_binary", no_binary),
    case("unknown_dialog", unknown_dialog),
    case("run_here", common::hub::run_here).unhooked(),
    case("run_in_tmux", common::hub::run_in_tmux).unhooked(),
    case("trust_dialog", trust_dialog).unhooked(),
    case("trust_refused", trust_refused).unhooked(),
];

const fn case(name: &'static str, play: fn(&Stage)) -> Case {
    Case::of(&COPILOT_CLI, name, play)
}

/// Esc stops the turn; what is typed next goes on with it, so it is not.
fn permission_denied(stage: &Stage) {
    stage.hub();
    common::refused(&stage.start(&[]));
}

fn by_hand_permission(stage: &Stage) {
    stage.hub();
    let agent = stage.start_by_hand(&[]);
    common::approved(&agent);
    common::refused(&agent);
}

fn untrusted(stage: &Stage) {
    stage.set(".copilot/config.json", &json!({ "trusted_folders": [], "trustedFolders": [] }));
}

const TRUST: &str = "Do you trust the files in this folder?";

fn trust_dialog(stage: &Stage) {
    untrusted(stage);
    common::dialogs::trust_dialog(stage, TRUST, &["starting"]);
}

fn trust_refused(stage: &Stage) {
    untrusted(stage);
    common::dialogs::dialog_left(stage, TRUST, &["Escape"]);
}

/// Esc declines to answer, and the turn goes on.
fn question_escaped(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt("[[ask Which colour | Red | Blue]] [[hold go]] [[text Well.]]");
    agent.asks(stage.screen().question);
    agent.keys(&["Escape"], "working", "declined");
    agent.rest();
    stage.model.release("go");
    agent.answered();
    agent.rest();
}

fn compact_manual(stage: &Stage) {
    common::sessions::compact_after(stage, 2);
}

/// Beside the turn, once the conversation has grown to a share of what its model takes in.
fn compact_auto(stage: &Stage) {
    stage.lend("COPILOT_PROVIDER_MAX_PROMPT_TOKENS", "40000".to_owned());
    stage.hub();
    let agent = stage.start(stage.screen().lets);
    agent.turn();
    stage
        .model
        .script_compaction(Reply::new().hold("sum").and_text("<summary>Greetings.</summary>"));
    agent.prompt("[[taken 36000]] [[bash true]] [[hold go]] [[text Longer.]]");
    stage.answered(&Asker::Main);
    let begun = stage.asked_at(&Asker::Compaction);
    agent.mark(begun, "working", Class::Unmeasured, "it is summed up beside the turn");
    agent.rest();
    stage.model.release("sum");
    let at = stage.answered_last(&Asker::Compaction);
    agent.mark(at, "working", Class::Unmeasured, "summed up");
    agent.rest();
    stage.model.release("go");
    agent.answered();
    agent.rest();
    agent.turn();
}

fn esc_in_stream(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt("[[slow 5 50]] [[hold never]]");
    stage.asked(&Asker::Main);
    agent.rest();
    stopped(&agent, "Esc while text streams");
}

fn esc_in_tool(stage: &Stage) {
    stage.hub();
    let agent = stage.start(stage.screen().lets);
    agent.prompt("[[bash timeout 20 tail -f /dev/null]]");
    stage.answered(&Asker::Main);
    agent.rest();
    stopped(&agent, "Esc while a tool runs");
}

/// It wants the key twice, one after the other: two at once are read as one. Its log tells of it.
fn stopped(agent: &Agent<'_>, why: &str) {
    agent.press("Escape");
    agent.stage().rest(Duration::from_millis(150));
    agent.key("Escape", "idle", why);
    agent.shows("Operation cancelled by user");
    agent.rest();
}

/// Its title tells of its start alone, and its hooks name its log: nothing tells of the turn.
fn no_binary(stage: &Stage) {
    common::hub::no_binary_told(stage, ("working", Class::Silent), ("done", Class::Silent));
}

fn unknown_dialog(stage: &Stage) {
    common::dialogs::unknown_dialog(stage, "/theme", "theme");
}
