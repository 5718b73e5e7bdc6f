//! An agent and its helper: who of them waits for a person.

use crate::live::stage::Stage;
use crate::live::truth::Class;
use crate::model::Asker;

/// The helper asks, and the agent waits for it meanwhile.
pub(in super::super) fn subagent_permission(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt(
        "[[helper [[bash touch x; sleep 2]] [[hold in]] [[text Seen.]]]] [[hold go]] [[text Finished.]]",
    );
    stage.answered(&Asker::Main);
    agent.asks_since(stage.answered(&Asker::Helper), stage.screen().permission);
    agent.keys(stage.screen().yes, "working", "approved, the helper works");
    agent.rest();
    stage.model.release("in");
    stage.answered(&Asker::Helper);
    agent.rest();
    stage.model.release("go");
    agent.answered();
    agent.rest();
}

/// The agent asks while its helper works: what the helper does opens no way for it.
pub(in super::super) fn blocked_beside_subagent(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt(
        "[[helper [[slow 30 100]] [[text Seen.]]]] [[bash touch x]] [[hold go]] [[text Touched.]]",
    );
    agent.asks(stage.screen().permission);
    stage.answered(&Asker::Helper);
    agent.rest();
    agent.keys(stage.screen().yes, "working", "approved");
    agent.rest();
    stage.model.release("go");
    agent.answered();
    agent.rest();
}

/// It waits in mid-turn until a person has refused to answer.
pub(in super::super) fn question_rejected(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt("[[ask Which colour | Red | Blue]]");
    agent.asks(stage.screen().question);
    agent.keys(&["Escape"], "idle", "rejected");
    agent.rest();
    agent.turn();
}

/// Of two calls in one answer the second one asks once the first is answered: nobody can tell the
/// moment between the two.
pub(in super::super) fn two_permissions(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt("[[bash touch x]] [[bash touch y; sleep 2]] [[hold go]] [[text Touched.]]");
    agent.asks(stage.screen().permission);
    agent.rest();
    for key in stage.screen().yes {
        agent.press(key);
    }
    let at = agent.shows("touch y");
    agent.mark(at, "blocked", Class::Unmeasured, "the second asks");
    agent.settle();
    agent.rest();
    agent.keys(stage.screen().yes, "working", "the second is approved");
    agent.rest();
    stage.model.release("go");
    agent.answered();
    agent.rest();
}
