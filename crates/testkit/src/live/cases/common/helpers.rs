//! Helpers that work behind the main agent's answer.

use crate::live::stage::Agent;
use crate::live::truth::Class;
use crate::model::{Asker, Reply};

/// The main agent has answered, and a helper works on.
pub(in crate::live::cases) fn go_on_behind(agent: &Agent<'_>) {
    let at = agent.stage().answered(&Asker::Main);
    agent.mark(at, "working", Class::Unmeasured, "answer finished, a helper works on");
    agent.rest();
}

/// The last helper reports, and that wakes the main agent.
pub(in crate::live::cases) fn reports(agent: &Agent<'_>, hold: &str) {
    let stage = agent.stage();
    stage.model.script(Reply::new().hold("woken").and_text("It is over."));
    stage.model.release(hold);
    let woken = stage.asked(&Asker::Main);
    agent.mark(stage.came(woken), "working", Class::Unmeasured, "its report woke the main agent");
    agent.rest();
    stage.model.release("woken");
    agent.mark(stage.over(woken), "done", Class::Hooked, "answer finished");
    agent.rest();
}
