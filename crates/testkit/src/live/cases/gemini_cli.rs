//! Gemini CLI 0.61.0.

use super::{Case, common};
use crate::live::programs::GEMINI_CLI;
use crate::live::stage::Stage;
use crate::live::truth::Class;
use crate::model::{Asker, Reply};
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
    case("headless_failed", headless_failed),
    case("subagent", common::subagent),
    case("two_permissions", common::asks::two_permissions_in_a_row),
    case("question_escaped", common::asks::question_escaped),
    case("subagent_permission", common::asks::subagent_permission),
    case("by_hand_permission", common::asks::by_hand_permission),
    case("forbidden", common::errors::forbidden),
    case("empty_answer", empty_answer),
    case("no_room", no_room),
    case("overload_recovered", common::errors::overload_recovered),
    case("cut_in_stream", common::errors::cut_fails),
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
    case("queued_prompt", common::sessions::queued_prompt),
    case("background_shell", common::sessions::background_shell),
    case("resume_after_kill", common::sessions::resume_after_kill),
    case("run_in_tmux", common::hub::run_in_tmux),
    case("no_binary", common::hub::no_binary),
    case("unknown_dialog", unknown_dialog),
    case("title_alone", title_alone).unhooked(),
    case("trust_dialog", trust_dialog),
    case("trust_refused", trust_refused),
    case("login_dialog", login_dialog).unhooked(),
];

const fn case(name: &'static str, play: fn(&Stage)) -> Case {
    Case::of(&GEMINI_CLI, name, play)
}

const SETTINGS: &str = ".gemini/settings.json";

/// It has no hooks of a launch.
fn title_alone(stage: &Stage) {
    common::hub::title_alone(stage);
}

fn untrusted(stage: &Stage) {
    stage.set(SETTINGS, &json!({ "security": { "folderTrust": { "enabled": true } } }));
    std::fs::remove_file(stage.home.path().join(".gemini/trustedFolders.json")).expect("a list");
}

const TRUST: &str = "Do you trust the files in this folder?";

/// Its title calls it ready, and it begins anew once the folder is trusted.
fn trust_dialog(stage: &Stage) {
    untrusted(stage);
    common::dialogs::trust_dialog(stage, TRUST, &["starting", "idle"]);
}

fn trust_refused(stage: &Stage) {
    untrusted(stage);
    common::dialogs::dialog_left(stage, TRUST, &["C-c", "C-c"]);
}

fn login_dialog(stage: &Stage) {
    stage.set(SETTINGS, &json!({ "security": { "auth": { "selectedType": null } } }));
    common::dialogs::dialog_left(stage, "How would you like to authenticate", &["C-c", "C-c"]);
}

fn compact_manual(stage: &Stage) {
    common::sessions::compact_after(stage, 4);
}

/// More than half of what its model takes in.
fn compact_auto(stage: &Stage) {
    common::sessions::compact_when_full(stage, 600_000);
}

fn unknown_dialog(stage: &Stage) {
    common::dialogs::unknown_dialog(stage, "/settings", "Search to filter");
}

/// The model says nothing behind a tool, and is asked once more by the program itself: its hook for that comes behind
/// one that tells of an end.
fn empty_answer(stage: &Stage) {
    stage.hub();
    let agent = stage.start(stage.screen().lets);
    agent.prompt("[[bash true]] [[then]] [[hold nothing]] [[text]]");
    stage.answered(&Asker::Main);
    stage.model.script(Reply::new().hold("go").and_text("Well."));
    stage.model.release("nothing");
    let empty = stage.answered(&Asker::Main);
    agent.mark(empty, "unknown", Class::Passing, "nothing was said");
    let again = stage.asked(&Asker::Main);
    agent.mark(stage.came(again), "working", Class::Unmeasured, "it asks by itself");
    agent.rest();
    stage.model.release("go");
    agent.mark(stage.over(again), "done", Class::Hooked, "answer finished");
    agent.rest();
    agent.turn();
}

/// The prompt does not fit into what its model takes in, and goes back into its box.
fn no_room(stage: &Stage) {
    stage.set(SETTINGS, &json!({ "model": { "compressionThreshold": 1 } }));
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt("[[taken 1048570]] [[text Hello.]]");
    agent.answered();
    agent.rest();
    let at = agent.submit("There is no room left for all of these words.");
    agent.mark(at, "working", Class::Passing, "prompt sent");
    agent.mark(at, "failed", Class::Unmeasured, "it is not asked");
    agent.shows("might exceed the context window limit");
    agent.rest();
}

fn headless_failed(stage: &Stage) {
    common::errors::headless_failed_unheard(stage, "ended");
}
