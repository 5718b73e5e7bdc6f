//! Ways to go.

use super::{at_work, kill};
use crate::live::stage::Stage;
use crate::live::truth::Class;
use crate::memory::MemoryGroup;
use std::time::Duration;

/// The terminal goes away.
pub(in crate::live::cases) fn sighup(stage: &Stage) {
    let agent = at_work(stage);
    let at = agent.hang_up();
    agent.mark(at, stage.screen().terminated, Class::Kill, "SIGHUP");
    agent.rest();
}

/// The same of one that sits at its prompt.
pub(in crate::live::cases) fn sighup_idle(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.turn();
    let at = agent.hang_up();
    agent.mark(at, stage.screen().terminated, Class::Kill, "SIGHUP");
    agent.rest();
}

/// Some want the key twice.
pub(in crate::live::cases) fn ctrl_d(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.turn();
    if let Some(words) = stage.screen().leave_again {
        agent.press("C-d");
        agent.shows(words);
    }
    let at = agent.press("C-d");
    agent.mark(at, "ended", Class::Kill, "Ctrl-D");
    agent.rest();
}

/// Killed by the system for want of memory. It needs a machine that lets us make a control group;
/// elsewhere nothing is played.
pub(in crate::live::cases) fn oom(stage: &Stage) {
    let Some(group) = MemoryGroup::new() else { return };
    stage.hub();
    let agent = stage.start(&[]);
    // What it shows needs room.
    agent.prompt("[[slow 100000 2]]");
    agent.rest();
    // Some are a launcher and what it has launched.
    agent.family().into_iter().for_each(|pid| group.take_in(pid));
    // The hub looks every 2 s where the process belongs.
    stage.rest(Duration::from_millis(2_500));
    let at = group.starve();
    agent.mark(at, "crashed", Class::Kill, "killed for want of memory");
    agent.rest();
    let told = stage.home.run(["show", agent.id().as_str(), "--json"]).stdout;
    assert!(told.contains("oom_killed"), "{told}");
}

/// A helper is at work when its agent is killed: both are gone.
pub(in crate::live::cases) fn sigkill_with_subagent(stage: &Stage) {
    stage.hub();
    let agent = stage.start(stage.screen().lets);
    agent.prompt("[[helper [[slow 5 50]] [[hold never]]]] [[hold never]] [[text Finished.]]");
    stage.asked(&crate::model::Asker::Helper);
    agent.rest();
    kill(&agent);
}
