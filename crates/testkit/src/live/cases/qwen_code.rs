//! Qwen Code 0.24.4.

use super::{Case, common};
use crate::live::programs::QWEN_CODE;
use crate::live::stage::Stage;
use serde_json::json;

pub(super) const CASES: &[Case] = &[
    case("plain_turn", common::plain_turn),
    case("tool_turn", common::tool_turn),
    case("permission_approved", common::permission_approved),
    case("permission_denied", common::permission_denied),
    case("question_answered", common::question_answered),
    case("esc_in_stream", common::esc_in_stream),
    case("esc_in_tool", common::esc_in_tool),
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
    case("question_escaped", common::asks::question_escaped),
    case("subagent_permission", common::asks::subagent_permission),
    case("by_hand_permission", common::asks::by_hand_permission),
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
    case("nested", common::sessions::nested),
    case("unknown_event", common::sessions::unknown_event),
    case("steered", common::sessions::steered),
    case("queued_prompt", common::sessions::queued_prompt),
    case("background_shell", common::sessions::background_shell),
    case("subagent", common::subagent),
    case("resume_after_kill", common::sessions::resume_after_kill),
    case("run_here", common::hub::run_here).unhooked(),
    case("run_in_tmux", common::hub::run_in_tmux).unhooked(),
    case("title_alone", title_alone).unhooked(),
    case("trust_dialog", trust_dialog).unhooked(),
    case("trust_refused", trust_refused).unhooked(),
    case("login_dialog", login_dialog).unhooked(),
];

const fn case(name: &'static str, play: fn(&Stage)) -> Case {
    Case::of(&QWEN_CODE, name, play)
}

const SETTINGS: &str = ".qwen/settings.json";

fn title_alone(stage: &Stage) {
    stage.set(SETTINGS, &json!({ "disableAllHooks": true }));
    common::hub::title_alone(stage);
}

fn untrusted(stage: &Stage) {
    stage.set(SETTINGS, &json!({ "security": { "folderTrust": { "enabled": true } } }));
}

const TRUST: &str = "Do you trust this folder?";

fn trust_dialog(stage: &Stage) {
    untrusted(stage);
    common::dialogs::trust_dialog(stage, TRUST, &["idle"]);
}

fn trust_refused(stage: &Stage) {
    untrusted(stage);
    common::dialogs::dialog_left(stage, TRUST, &["C-c", "C-c"]);
}

/// Not with a key in its environment.
fn login_dialog(stage: &Stage) {
    stage.forget(&["OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL"]);
    stage.set(SETTINGS, &json!({ "security": { "auth": { "selectedType": null } } }));
    common::dialogs::dialog_ended(stage, "Connect a Provider");
}

fn compact_manual(stage: &Stage) {
    common::sessions::compact_after(stage, 2);
}
