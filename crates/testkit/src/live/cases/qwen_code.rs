//! Qwen Code 0.24.4.

use super::{Case, common};
use crate::live::programs::QWEN_CODE;
use crate::live::stage::Stage;
use crate::live::truth::Class;
use crate::model::{Asker, Reply};
use serde_json::json;
use std::time::Duration;

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
    case("headless_failed", headless_failed),
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
    case("compact_auto", compact_auto),
    case("nested", common::sessions::nested),
    case("unknown_event", common::sessions::unknown_event),
    case("steered", common::sessions::steered),
    case("queued_prompt", common::sessions::queued_prompt),
    case("background_shell", common::sessions::background_shell),
    case("subagent", common::subagent),
    case("subagent_behind", subagent_behind),
    case("two_behind", two_behind),
    case("blocked_beside_subagent", blocked_beside_subagent),
    case("resume_after_kill", common::sessions::resume_after_kill),
    case("fork", common::sessions::fork),
    case("no_binary", common::hub::no_binary),
    case("unknown_dialog", unknown_dialog),
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

/// More than what it lets its model take in (167,000 of 200,000), and less than what it refuses to send.
fn compact_auto(stage: &Stage) {
    common::sessions::compact_when_full(stage, 170_000);
}

fn unknown_dialog(stage: &Stage) {
    common::dialogs::unknown_dialog(stage, "/settings", "Search settings");
}

/// A helper works behind the finished answer: the agent works until it has reported.
fn subagent_behind(stage: &Stage) {
    stage.hub();
    let agent = stage.start(stage.screen().lets);
    agent.prompt("[[helper [[bash sleep 2]] [[hold in]] [[text Seen.]]]] [[text Started.]]");
    stage.answered(&Asker::Main);
    stage.answered(&Asker::Helper);
    common::helpers::go_on_behind(&agent);
    common::helpers::reports(&agent, "in");
    agent.rest();
    agent.turn();
}

/// Two of them, which report one after the other.
fn two_behind(stage: &Stage) {
    stage.hub();
    let agent = stage.start(stage.screen().lets);
    agent.prompt(
        "[[helper [[hold one]] [[text Seen.]]]] [[helper [[hold two]] [[text Heard.]]]] [[text Started.]]",
    );
    stage.answered(&Asker::Main);
    common::helpers::go_on_behind(&agent);
    stage.model.script(Reply::text("The first."));
    stage.model.release("one");
    let at = stage.answered(&Asker::Main);
    agent.mark(at, "working", Class::Unmeasured, "the first has reported, the second works on");
    agent.rest();
    common::helpers::reports(&agent, "two");
    agent.rest();
}

/// The main agent asks while its helper works: what the helper does opens no way for it.
fn blocked_beside_subagent(stage: &Stage) {
    let screen = stage.screen();
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt(
        "[[helper [[slow 30 100]] [[hold in]] [[text Seen.]]]] [[then]] [[bash touch x]] \
         [[hold go]] [[text Touched.]]",
    );
    agent.asks(screen.helper.unwrap_or_default());
    agent.keys(screen.yes, "working", "the helper may start");
    agent.asks(screen.permission);
    stage.rest(Duration::from_secs(3));
    agent.keys(screen.yes, "working", "approved");
    agent.rest();
    stage.model.release("go");
    common::helpers::go_on_behind(&agent);
    common::helpers::reports(&agent, "in");
    agent.rest();
}

/// It says no goodbye without a terminal: one that dies in mid-turn has crashed.
fn headless_failed(stage: &Stage) {
    common::errors::headless_failed_unheard(stage, "crashed");
}
