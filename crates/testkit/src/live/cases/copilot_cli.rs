//! Copilot CLI 1.0.102.

use super::{Case, common};
use crate::live::programs::COPILOT_CLI;
use crate::live::stage::Stage;

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
];

const fn case(name: &'static str, play: fn(&Stage)) -> Case {
    Case::of(&COPILOT_CLI, name, play)
}

/// Esc stops the turn; what is typed next goes on with it, so it is not.
fn permission_denied(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt("[[bash touch x]]");
    agent.asks(stage.screen().permission);
    agent.keys(stage.screen().no, "idle", "denied");
    agent.rest();
}
