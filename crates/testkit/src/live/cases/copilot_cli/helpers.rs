//! Helpers that nobody waits for.

use super::{Case, case, common};
use crate::live::stage::Stage;
use crate::live::truth::Class;
use crate::model::{Asker, Reply};
use std::time::Duration;

pub(super) const CASES: &[Case] = &[
    case("subagent_behind", subagent_behind),
    case("two_behind", two_behind),
    case("blocked_beside_subagent", blocked_beside_subagent),
    case("sigkill_with_subagent", common::ends::sigkill_with_subagent),
];

/// It works behind the finished answer, and its end wakes the agent, which works until then.
fn subagent_behind(stage: &Stage) {
    stage.hub();
    let agent = stage.start(stage.screen().lets);
    agent.prompt("[[helper-background [[hold in]] [[text Seen.]]]] [[text Started.]]");
    stage.answered(&Asker::Main);
    common::helpers::go_on_behind(&agent);
    common::helpers::reports(&agent, "in");
    agent.turn();
}

/// Two of them, which report one after the other.
fn two_behind(stage: &Stage) {
    stage.hub();
    let agent = stage.start(stage.screen().lets);
    agent.prompt(
        "[[helper-background [[hold one]] [[text Seen.]]]] \
         [[helper-background [[hold two]] [[text Heard.]]]] [[text Started.]]",
    );
    stage.answered(&Asker::Main);
    common::helpers::go_on_behind(&agent);
    stage.model.script(Reply::text("The first."));
    stage.model.release("one");
    let at = stage.answered(&Asker::Main);
    agent.mark(at, "working", Class::Unmeasured, "the first has reported, the second works on");
    agent.rest();
    common::helpers::reports(&agent, "two");
}

/// The main agent asks while its helper works: what the helper does opens no way for it.
fn blocked_beside_subagent(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt(
        "[[helper-background [[slow 30 100]] [[hold in]] [[text Seen.]]]] [[bash touch x]] \
         [[hold go]] [[text Touched.]]",
    );
    agent.asks(stage.screen().permission);
    stage.rest(Duration::from_secs(3));
    agent.keys(stage.screen().yes, "working", "approved");
    agent.rest();
    stage.model.release("go");
    common::helpers::go_on_behind(&agent);
    common::helpers::reports(&agent, "in");
}
