//! It, or a helper of its, waits for a person.

use super::{approved, denied};
use crate::live::stage::{Agent, Stage};
use crate::live::truth::Class;
use crate::model::Asker;

/// Of two calls in one answer the second one asks once the first is answered: nobody can tell the
/// moment between the two.
pub(in crate::live::cases) fn two_permissions(stage: &Stage) {
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
    second_approved(&agent);
}

/// The second of two calls is in the answer that follows the first one.
pub(in crate::live::cases) fn two_permissions_in_a_row(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt(
        "[[bash touch x]] [[then]] [[bash touch y; sleep 2]] [[hold go]] [[text Touched.]]",
    );
    agent.asks(stage.screen().permission);
    agent.keys(stage.screen().yes, "working", "the first is approved");
    // By now the first dialog is gone.
    agent.asks(stage.screen().permission);
    second_approved(&agent);
}

fn second_approved(agent: &Agent<'_>) {
    let stage = agent.stage();
    agent.keys(stage.screen().yes, "working", "the second is approved");
    agent.rest();
    stage.model.release("go");
    agent.answered();
    agent.rest();
}

/// It waits in mid-turn until a person has refused to answer.
pub(in crate::live::cases) fn question_escaped(stage: &Stage) {
    stage.hub();
    escaped_question(&stage.start(&[]));
}

/// The same; the next turn is an ordinary one.
pub(in crate::live::cases) fn question_rejected(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    escaped_question(&agent);
    agent.turn();
}

pub(in crate::live::cases) fn escaped_question(agent: &Agent<'_>) {
    agent.prompt("[[ask Which colour | Red | Blue]]");
    agent.asks(agent.stage().screen().question);
    agent.keys(&["Escape"], "idle", "cancelled");
    agent.rest();
}

/// A helper asks for permission, or for leave to start: it is the agent that waits.
pub(in crate::live::cases) fn subagent_permission(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt(
        "[[helper [[bash touch x; sleep 2]] [[hold in]] [[text Seen.]]]] [[hold go]] [[text Finished.]]",
    );
    let at = stage.answered(&Asker::Main);
    if let Some(words) = stage.screen().helper {
        agent.asks_since(at, words);
        agent.keys(stage.screen().yes, "working", "the helper may start, and needs no more leave");
        stage.answered(&Asker::Helper);
    } else {
        agent.asks_since(stage.answered(&Asker::Helper), stage.screen().permission);
        agent.keys(stage.screen().yes, "working", "approved, the helper works");
    }
    agent.rest();
    stage.model.release("in");
    stage.answered(&Asker::Helper);
    agent.rest();
    stage.model.release("go");
    agent.answered();
    agent.rest();
}

/// The agent asks while its helper works: what the helper does opens no way for it.
pub(in crate::live::cases) fn blocked_beside_subagent(stage: &Stage) {
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

/// Started by hand, in a pane whose title nobody but the hub reads.
pub(in crate::live::cases) fn by_hand_permission(stage: &Stage) {
    stage.hub();
    let agent = stage.start_by_hand(&[]);
    approved(&agent);
    denied(&agent);
}
