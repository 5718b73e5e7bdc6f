//! Conversations that begin anew, go on, or are summed up; agents beside and within agents.

use crate::live::stage::Stage;
use crate::live::truth::Class;
use crate::model::Asker;
use rustix::process::Signal;

/// A new conversation in the same seat.
pub(in super::super) fn clear(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.turn();
    let at = agent.submit(stage.screen().new);
    // What was done is done, seen or not.
    agent.mark(at, "done", Class::Unmeasured, stage.screen().new);
    agent.rest();
    agent.turn();
}

/// The same conversation in a new process.
pub(in super::super) fn resume_after_kill(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.turn();
    let at = agent.signal(Signal::KILL);
    agent.mark(at, "crashed", Class::Kill, "SIGKILL");
    agent.rest();
    let again = stage.run_again(&agent, stage.screen().resume);
    again.turn();
}

/// A copy of a conversation in a new process is another one, in a seat of its own.
pub(in super::super) fn fork(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.turn();
    let other = stage.start(stage.screen().fork);
    other.turn();
    agent.turn();
}

/// In mid-turn: it is work like any other.
pub(in super::super) fn compact_auto(stage: &Stage) {
    stage.hub();
    let screen = stage.screen();
    let agent = stage.start(&[screen.lets, screen.little_memory].concat());
    agent.turn();
    agent.prompt("[[taken 190000]] [[bash true]] [[hold go]] [[text Shorter.]]");
    stage.answered(&Asker::Main);
    stage.answered(&Asker::Compaction);
    agent.rest();
    stage.model.release("go");
    agent.answered();
    agent.rest();
}

/// An agent without a terminal that another one runs in its shell has a seat within that one's.
pub(in super::super) fn nested(stage: &Stage) {
    stage.hub();
    let agent = stage.start(stage.screen().lets);
    let child = stage.child_of(&agent);
    let command = stage.headless_command("[[hold in]] [[text Inner.]]");
    agent.prompt(&format!("[[bash {command}]] [[hold out]] [[text Outer.]]"));
    stage.answered(&Asker::Main);
    let inner = stage.asked(&Asker::Main);
    let asked = stage.came(inner);
    stage.mark(child, asked, "idle", Class::Unmeasured, "it was started");
    stage.mark(child, asked, "working", Class::Unmeasured, "and asked");
    agent.rest();
    stage.model.release("in");
    let over = stage.over(inner);
    stage.mark(child, over, "done", Class::Unmeasured, "it has answered");
    stage.mark(child, over, "ended", Class::Unmeasured, "and gone");
    agent.rest();
    stage.model.release("out");
    agent.answered();
    agent.rest();
}
