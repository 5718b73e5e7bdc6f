//! Gemini CLI 0.61.0.

use super::{Case, common};
use crate::live::programs::GEMINI_CLI;
use crate::live::stage::Stage;

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
    case("subagent", common::subagent),
];

const fn case(name: &'static str, play: fn(&Stage)) -> Case {
    Case::of(&GEMINI_CLI, name, play)
}
