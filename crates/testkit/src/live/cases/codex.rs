//! Codex 0.169.0. Words and keys are those of its screen.

mod daemon;
mod dialogs;
mod forms;

use super::{Case, common};
use crate::live::programs::CODEX;
use crate::live::stage::Stage;
use crate::live::truth::Class;
use crate::model::{Asker, Reply};

pub(super) fn all() -> Vec<Case> {
    [CASES, forms::CASES, dialogs::CASES, daemon::CASES].concat()
}

const CASES: &[Case] = &[
    case("plain_turn", common::plain_turn),
    case("tool_turn", common::tool_turn),
    case("steered", common::sessions::steered),
    case("permission_approved", common::permission_approved),
    case("permission_denied", common::permission_denied),
    case("two_permissions", common::asks::two_permissions),
    case("question_answered", question_answered),
    case("question_escaped", question_escaped),
    case("plan_proposed", plan_proposed),
    case("esc_in_stream", common::esc_in_stream),
    case("esc_in_tool", common::esc_in_tool),
    case("esc_in_retry", common::errors::esc_in_retry),
    case("background_terminal", background_terminal),
    case("subagent", subagent),
    case("subagent_permission", common::asks::subagent_permission),
    case("blocked_beside_subagent", common::asks::blocked_beside_subagent),
    case("sigkill_with_subagent", common::ends::sigkill_with_subagent),
    case("bad_request", common::bad_request),
    case("authentication", common::authentication),
    case("forbidden", common::errors::forbidden),
    case("rate_limit", common::rate_limit),
    case("overload", common::errors::overload),
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
    case("suspended", common::hub::suspended),
    case("no_binary", no_binary),
    case("unhooked_turn", common::hub::unhooked_turn).unhooked(),
    case("unhooked_permission", common::permission_approved).unhooked(),
    case("run_in_tmux", common::hub::run_in_tmux),
    case("headless", common::headless),
    case("headless_failed", common::errors::headless_failed),
];

const fn case(name: &'static str, play: fn(&Stage)) -> Case {
    Case::of(&CODEX, name, play)
}

/// What its terminal says needs no hook.
fn no_binary(stage: &Stage) {
    common::hub::no_binary_told(stage, ("working", Class::Unhooked), ("done", Class::Unhooked));
}

/// It asks only while it makes a plan.
fn planning(stage: &Stage) -> crate::live::stage::Agent<'_> {
    stage.hub();
    let agent = stage.start(&[]);
    agent.submit("/plan");
    agent.shows("Plan mode (");
    agent
}

fn question_answered(stage: &Stage) {
    common::answered_question(&planning(stage));
}

fn question_escaped(stage: &Stage) {
    common::asks::escaped_question(&planning(stage));
}

/// The turn is over while its command runs on, and nothing wakes the agent at its end.
fn background_terminal(stage: &Stage) {
    stage.hub();
    let agent = stage.start(stage.screen().lets);
    agent.prompt("[[background sleep 4; touch over]] [[text Started.]]");
    stage.answered(&Asker::Main);
    agent.answered();
    agent.rest();
    let over = stage.folder().join("over");
    crate::wait::until("the command's end", || over.exists().then_some(()));
    agent.rest();
    agent.turn();
}

/// A helper works on behind the finished answer: until it has ended, so does the agent.
fn subagent(stage: &Stage) {
    stage.hub();
    let agent = stage.start(stage.screen().lets);
    agent.prompt("[[helper [[bash sleep 4]] [[text Seen.]]]] [[text Started.]]");
    stage.answered(&Asker::Main);
    let at = stage.answered(&Asker::Main);
    agent.mark(at, "working", Class::Unmeasured, "answer finished, the helper works on");
    stage.answered(&Asker::Helper);
    let at = stage.answered(&Asker::Helper);
    agent.mark(at, "done", Class::Unhooked, "the helper has finished");
    agent.rest();
}

/// A plan is the turn's last word; what a menu then asks can wait.
fn plan_proposed(stage: &Stage) {
    let agent = planning(stage);
    let plan = "<proposed_plan>\n1. Do it.\n</proposed_plan>";
    stage.model.script(Reply::new().hold("go").and_text(plan));
    agent.prompt("Make a plan.");
    agent.rest();
    stage.model.release("go");
    agent.answered();
    agent.shows("Implement this plan?");
    agent.rest();
}
