//! Without a terminal: one prompt, its answer, and the end.

use super::Case;
use crate::live::stage::{Agent, REST, Stage};
use crate::live::truth::Class;
use crate::model::Asker;

pub(super) const CASES: &[Case] =
    &[Case::new("headless", headless), Case::new("headless_failed", headless_failed)];

fn headless(stage: &Stage) {
    let agent = ran(stage, "[[hold go]] [[text Hello.]]", "done");
    let told = shown(&agent);
    assert_eq!(told, 0);
}

/// It tries more than once (2.1.330), its one turn fails, and it leaves with an error.
fn headless_failed(stage: &Stage) {
    let agent = ran(stage, "[[stall go]] [[status 400]]", "failed");
    let told = shown(&agent);
    assert_eq!(told, 1);
}

/// More than it tries.
const TRIES: u32 = 8;

fn ran<'a>(stage: &'a Stage, prompt: &str, how: &'static str) -> Agent<'a> {
    stage.hub();
    let agent = stage.start_headless(prompt);
    let came = stage.asked_at(&Asker::Main);
    agent.mark(came, "working", Class::Unmeasured, "it asks the model");
    agent.rest();
    for _ in 0..TRIES {
        stage.model.release("go");
    }
    stage.rest(REST);
    let over = stage.answered_last(&Asker::Main);
    agent.mark(over, how, Class::Unmeasured, "answered");
    agent.mark(over, "ended", Class::Unmeasured, "and gone");
    agent.rest();
    agent
}

/// The exit code that is told.
fn shown(agent: &Agent<'_>) -> serde_json::Value {
    agent.stage().home.run(["show", agent.id().as_str(), "--json"]).json()["process"]["code"]
        .clone()
}
