//! Codex 0.169.0. Words and keys are those of its screen.

use super::{Case, common};
use crate::live::programs::CODEX;
use crate::live::stage::Stage;
use crate::live::truth::Class;
use crate::model::Asker;
use rustix::process::Signal;

pub(super) const CASES: &[Case] = &[
    case("plain_turn", common::plain_turn),
    case("tool_turn", common::tool_turn),
    case("permission_approved", common::permission_approved),
    case("permission_denied", common::permission_denied),
    case("question_answered", question_answered),
    case("question_escaped", question_escaped),
    case("esc_in_stream", common::esc_in_stream),
    case("esc_in_tool", common::esc_in_tool),
    case("bad_request", common::bad_request),
    case("authentication", common::authentication),
    case("rate_limit", common::rate_limit),
    case("compact_manual", common::compact_manual),
    case("subagent", subagent),
    case("two_in_one_folder", common::two_in_one_folder),
    case("resume_after_kill", resume_after_kill),
    case("exit", common::exit),
    case("sigterm", common::sigterm),
    case("sigkill_idle", common::sigkill_idle),
    case("sigkill_working", common::sigkill_working),
    case("sigkill_blocked", common::sigkill_blocked),
    case("hub_down_in_turn", common::hub_down_in_turn),
    case("headless", common::headless),
];

const fn case(name: &'static str, play: fn(&Stage)) -> Case {
    Case::of(&CODEX, name, play)
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
    let agent = planning(stage);
    agent.prompt("[[ask Which colour | Red | Blue]]");
    agent.asks(stage.screen().question);
    agent.keys(&["Escape"], "idle", "cancelled");
    agent.rest();
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

/// The same conversation in a new process.
fn resume_after_kill(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.turn();
    let at = agent.signal(Signal::KILL);
    agent.mark(at, "crashed", Class::Kill, "SIGKILL");
    agent.rest();
    let again = stage.run_again(&agent, &["resume", "--last"]);
    again.turn();
}
