//! OpenCode 1.18.33.

use super::{Case, common};
use crate::live::programs::OPENCODE;
use crate::live::stage::Stage;

pub(super) const CASES: &[Case] = &[
    case("plain_turn", common::plain_turn),
    case("permission_approved", common::permission_approved),
    case("question_answered", common::question_answered),
    case("esc_in_stream", common::esc_in_stream),
    case("bad_request", common::bad_request),
    case("exit", common::exit),
    case("sigkill_working", common::sigkill_working),
    case("headless", common::headless),
];

const fn case(name: &'static str, play: fn(&Stage)) -> Case {
    Case::of(&OPENCODE, name, play)
}
