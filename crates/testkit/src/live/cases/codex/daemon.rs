//! Without `headsup run`, as somebody types it: one process in the background has all terminals'
//! conversations.

use super::{Case, case, common};
use crate::live::stage::Stage;
use crate::live::truth::Class;
use crate::model::Asker;

pub(super) const CASES: &[Case] = &[
    case("daemon_turn", daemon_turn),
    case("daemon_two_terminals", daemon_two_terminals),
    case("hub_late", |stage| common::hub::hub_late(stage, FIRST)),
];

const FIRST: &str = "codex-proj";
const SECOND: &str = "codex-proj-2";

fn daemon_turn(stage: &Stage) {
    stage.hub();
    let agent = stage.start_by_hand_untold(FIRST, &[]);
    let at = agent.submit("[[hold go]] [[text Hello.]]");
    agent.mark(at, "idle", Class::Unmeasured, "told with the first prompt");
    agent.mark(at, "working", Class::Unmeasured, "prompt sent");
    agent.rest();
    stage.model.release("go");
    agent.answered();
    agent.rest();
    agent.turn();
}

fn daemon_two_terminals(stage: &Stage) {
    stage.hub();
    let one = stage.start_by_hand_untold(FIRST, &[]);
    let other = stage.start_by_hand_untold(SECOND, &[]);
    let at = one.submit("[[hold one]] [[text One.]]");
    one.mark(at, "idle", Class::Unmeasured, "told with the first prompt");
    one.mark(at, "working", Class::Unmeasured, "prompt sent");
    let first = stage.asked(&Asker::Main);
    one.rest();
    let at = other.submit("[[hold other]] [[text Other.]]");
    other.mark(at, "idle", Class::Unmeasured, "told with the first prompt");
    other.mark(at, "working", Class::Unmeasured, "prompt sent");
    let second = stage.asked(&Asker::Main);
    other.rest();
    stage.model.release("one");
    one.mark(stage.over(first), "done", Class::Hooked, "answer finished");
    other.rest();
    stage.model.release("other");
    other.mark(stage.over(second), "done", Class::Hooked, "answer finished");
    other.rest();
}
