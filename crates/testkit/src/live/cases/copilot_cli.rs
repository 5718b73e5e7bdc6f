//! Copilot CLI 1.0.102.

use super::{Case, common};
use crate::live::programs::COPILOT_CLI;
use crate::live::stage::Stage;
use serde_json::json;

pub(super) const CASES: &[Case] = &[
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
    case("unknown_event", common::sessions::unknown_event),
    case("queued_prompt", common::sessions::queued_prompt),
    case("background_shell", common::sessions::background_shell),
    case("subagent", common::subagent),
    case("resume_after_kill", common::sessions::resume_after_kill),
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
