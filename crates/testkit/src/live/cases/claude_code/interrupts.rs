//! Esc, which no hook tells of.

use super::Case;
use crate::live::stage::Stage;
use crate::live::truth::Class;
use crate::model::Asker;

pub(super) const CASES: &[Case] = &[
    Case::new("esc_in_stream", esc_in_stream),
    Case::new("esc_before_first_byte", esc_before_first_byte),
    Case::new("esc_in_tool", esc_in_tool),
    Case::new("esc_queued", esc_queued),
];

fn esc_in_stream(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt("[[slow 5 50]] [[hold never]]");
    agent.rest();
    agent.key("Escape", "idle", "Esc while text streams");
    agent.rest();
    after(stage, &agent);
}

/// The prompt goes back into its box, and no transcript tells of it.
fn esc_before_first_byte(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt("[[stall never]] [[text Hello.]]");
    agent.rest();
    agent.key("Escape", "idle", "Esc before the first byte");
    agent.rest();
    agent.press("C-u");
    after(stage, &agent);
}

fn esc_in_tool(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&["--allowedTools", "Bash"]);
    agent.prompt("[[bash sleep 20]]");
    stage.answered(&Asker::Main);
    agent.rest();
    agent.key("Escape", "idle", "Esc while a tool runs");
    agent.rest();
}

/// The prompt that waits begins at once, so that nobody may see the program rest.
fn esc_queued(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt("[[slow 5 50]] [[hold never]]");
    agent.rest();
    stage.asked(&Asker::Main);
    agent.submit("[[hold two]] [[text Second.]]");
    agent.rest();
    let at = agent.press("Escape");
    agent.mark(at, "idle", Class::Passing, "Esc while a prompt waits");
    let begun = stage.asked_at(&Asker::Main);
    agent.mark(begun, "working", Class::Unhooked, "the queued prompt begins");
    agent.rest();
    stage.model.release("two");
    agent.finished(begun);
    agent.rest();
}

/// The next turn is an ordinary one.
fn after(stage: &Stage, agent: &crate::live::stage::Agent<'_>) {
    stage.asked(&Asker::Main);
    agent.turn();
}
