//! Work that goes on beside the turn, and behind it.

use super::Case;
use crate::live::stage::Stage;
use crate::live::truth::Class;
use crate::model::{Asker, Reply};

pub(super) const CASES: &[Case] = &[
    Case::new("background_shell", background_shell),
    Case::new("subagent", subagent),
    Case::new("blocked_beside_subagent", blocked_beside_subagent),
    Case::new("subagent_permission", subagent_permission),
];

/// The turn is over while its shell runs. The shell's end wakes the agent.
fn background_shell(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&["--allowedTools", "Bash"]);
    agent.prompt("[[background sleep 4; touch over]] [[text Started.]]");
    stage.answered(&Asker::Main);
    agent.answered();
    stage.model.script(Reply::new().hold("woken").and_text("It is over."));
    let woken = stage.asked_at(&Asker::Main);
    let over = stage.written("over");
    agent.mark(over, "working", Class::Hooked, "the shell's end woke it");
    agent.rest();
    stage.model.release("woken");
    agent.finished(woken);
    agent.rest();
}

/// In a terminal a helper always works behind the finished answer (2.1.330): the agent is working
/// until the helper has reported.
fn subagent(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&["--allowedTools", "Bash"]);
    agent.prompt("[[helper [[bash sleep 4]] [[text Seen.]]]] [[text Started.]]");
    stage.answered(&Asker::Main);
    let at = stage.answered(&Asker::Main);
    agent.mark(at, "working", Class::Unmeasured, "answer finished, the helper works on");
    stage.answered(&Asker::Helper);
    stage.answered(&Asker::Helper);
    agent.answered();
    agent.rest();
}

/// A helper asks for permission after the main agent's turn has stopped.
fn subagent_permission(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt("[[helper [[bash touch x; sleep 2]] [[text Seen.]]]] [[text Started.]]");
    stage.answered(&Asker::Main);
    stage.answered(&Asker::Main);
    agent.asks_since(stage.answered(&Asker::Helper), "Do you want to");
    agent.key("1", "working", "approved, the helper works");
    stage.answered(&Asker::Helper);
    agent.answered();
    agent.rest();
}

/// The main agent asks while its helper works: what the helper does opens no way for it.
fn blocked_beside_subagent(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&["--allowedTools", "Bash(sleep:*)"]);
    agent.prompt(
        "[[helper [[bash sleep 1]] [[then]] [[bash sleep 1]] [[text Seen.]]]] \
         [[then]] [[bash touch x]] [[text Touched.]]",
    );
    stage.answered(&Asker::Main);
    agent.asks("touch x");
    stage.answered(&Asker::Helper);
    stage.answered(&Asker::Helper);
    stage.answered(&Asker::Helper);
    agent.rest();
    agent.key("1", "working", "approved");
    agent.answered();
    agent.rest();
}
