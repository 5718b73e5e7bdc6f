//! Turns that nobody interrupts.

use super::Case;
use crate::live::stage::Stage;
use crate::live::truth::Class;
use crate::model::Asker;
use serde_json::json;
use std::fs;
use std::time::Duration;

pub(super) const CASES: &[Case] = &[
    Case::new("plain_turn", plain_turn),
    Case::new("tool_turn", tool_turn),
    Case::new("todo", todo),
    Case::new("idle_notice", idle_notice),
    Case::new("queued_prompt", queued_prompt),
    Case::new("shell_escape", shell_escape),
    Case::new("stop_hooks", stop_hooks),
];

/// A hook of the person's at each turn's end: it takes as long as it is told to, and the first time has
/// the agent go on.
const STOP_HOOK: &str = "until [ -e $HOME/let-go ]; do sleep 0.05; done; \
    [ -e $HOME/gone-on ] && exit 0; touch $HOME/gone-on; cat $HOME/why >&2; exit 2";

fn plain_turn(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.turn();
    agent.turn();
}

/// Allowed tools, one that fails among them, and two side by side: all of it is work.
fn tool_turn(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&["--allowedTools", "Bash"]);
    agent.prompt("[[bash sleep 1]] [[then]] [[bash false]] [[bash sleep 1; true]] [[text Seen.]]");
    stage.answered(&Asker::Main);
    stage.answered(&Asker::Main);
    agent.answered();
    agent.rest();
}

/// Entries on the to-do list end nothing.
fn todo(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt("[[todo Buy milk]] [[hold go]] [[text Noted.]]");
    stage.answered(&Asker::Main);
    agent.rest();
    stage.model.release("go");
    agent.answered();
    agent.rest();
}

/// A notice comes 60 s after the turn's end and changes nothing.
fn idle_notice(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.turn();
    stage.rest(Duration::from_secs(62));
}

/// A prompt that is sent while the agent works waits, and begins a turn of its own. Its hook came
/// when it was sent.
fn queued_prompt(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt("[[hold one]] [[text First.]]");
    agent.rest();
    agent.submit("[[hold two]] [[text Second.]]");
    agent.rest();
    stage.model.release("one");
    agent.answered();
    let begun = stage.asked_at(&Asker::Main);
    agent.mark(begun, "working", Class::Unhooked, "the queued prompt begins");
    agent.rest();
    stage.model.release("two");
    agent.finished(begun);
    agent.rest();
}

/// `!cmd` runs a command of the person's; then the model remarks on it. No hook tells its start.
fn shell_escape(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.press("!");
    let at = agent.submit("sleep 2");
    agent.mark(at, "working", Class::Unhooked, "a shell command of the person's runs");
    agent.answered();
    agent.rest();
}

/// As long as hooks run that may have it go on, the turn is not over.
fn stop_hooks(stage: &Stage) {
    let hook = json!({ "type": "command", "command": STOP_HOOK });
    stage.set(".claude/settings.json", &json!({ "hooks": { "Stop": [{ "hooks": [hook] }] } }));
    let home = stage.home.path();
    fs::write(home.join("why"), "[[hold more]] [[text Again.]]").expect("a file");
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt("[[hold go]] [[text Hello.]]");
    let first = stage.asked(&Asker::Main);
    agent.rest();
    stage.model.release("go");
    agent.mark(stage.over(first), "working", Class::Unmeasured, "answer finished, a hook runs");
    agent.rest();
    fs::write(home.join("let-go"), "").expect("a file");
    let again = stage.asked(&Asker::Main);
    agent.mark(stage.came(again), "working", Class::Unmeasured, "the hook has it go on");
    agent.rest();
    stage.model.release("more");
    agent.mark(
        stage.over(again),
        "done",
        Class::Unmeasured,
        "answer finished, no hook has it go on",
    );
    agent.rest();
}
