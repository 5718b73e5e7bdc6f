//! Conversations that begin anew, go on, or are summed up; agents beside and within agents.

use super::Case;
use crate::live::stage::Stage;
use crate::live::truth::Class;
use crate::model::{Asker, Reply};
use rustix::process::Signal;

pub(super) const CASES: &[Case] = &[
    Case::new("clear", clear),
    Case::new("compact_manual", compact_manual),
    Case::new("compact_mid_turn", compact_mid_turn),
    Case::new("compact_auto", compact_auto),
    Case::new("nested", nested),
    Case::new("resume_after_kill", resume_after_kill),
    Case::new("two_in_one_folder", two_in_one_folder),
    Case::new("fork", fork),
    Case::new("branch", branch),
    Case::new("background_session", background_session),
    Case::new("unknown_event", unknown_event),
];

/// A new conversation in the same seat.
fn clear(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.turn();
    let at = agent.submit("/clear");
    // What was done is done, seen or not.
    agent.mark(at, "done", Class::Unmeasured, "/clear");
    agent.rest();
    agent.turn();
}

fn compact_manual(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.turn();
    stage.model.script_compaction(summary());
    let at = agent.submit("/compact");
    agent.mark(at, "working", Class::Hooked, "/compact");
    agent.rest();
    stage.model.release("sum");
    let at = stage.answered(&Asker::Compaction);
    agent.mark(at, "done", Class::Hooked, "summed up");
    agent.rest();
    agent.turn();
}

fn summary() -> Reply {
    Reply::new().hold("sum").and_text("<summary>Greetings.</summary>")
}

/// Typed into a running turn it waits until that is over (2.1.330).
fn compact_mid_turn(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.turn();
    stage.model.script_compaction(summary());
    agent.prompt("[[hold go]] [[text Hello.]]");
    agent.rest();
    agent.submit("/compact");
    agent.rest();
    assert!(stage.model.requests().iter().all(|one| one.asker() != Asker::Compaction));
    stage.model.release("go");
    agent.answered();
    let request = stage.asked(&Asker::Compaction);
    // Its hook comes before its request, at once behind the turn's end.
    agent.mark(stage.came(request), "working", Class::Unmeasured, "the queued /compact begins");
    agent.rest();
    stage.model.release("sum");
    agent.mark(stage.over(request), "done", Class::Hooked, "summed up");
    agent.rest();
    agent.turn();
}

/// The same conversation in a new process has the same seat.
fn resume_after_kill(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.turn();
    let at = agent.signal(Signal::KILL);
    agent.mark(at, "crashed", Class::Kill, "SIGKILL");
    agent.rest();
    // What was done before the crash has not been looked at yet.
    let again = stage.start_again(&agent, &["--continue"], "done");
    again.turn();
}

/// A copy of a conversation in a new process is another one, in a seat of its own.
fn fork(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.turn();
    let other = stage.start(&["--continue", "--fork-session"]);
    other.turn();
    agent.turn();
}

/// A copy within the same process has the same seat.
fn branch(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.turn();
    let at = agent.submit("/branch");
    agent.mark(at, "done", Class::Unmeasured, "/branch");
    agent.rest();
    agent.turn();
}

/// Without a terminal: a service of the program's runs it.
fn background_session(stage: &Stage) {
    stage.hub();
    let at = std::time::Instant::now();
    let agent = stage.start_in_background("[[hold go]] [[text Hello.]]");
    let request = stage.asked(&Asker::Main);
    // It has its prompt from the start.
    stage.mark(agent, at, "idle", Class::Passing, "started");
    stage.mark(agent, stage.came(request), "working", Class::Unmeasured, "it asks the model");
    stage.stand();
    stage.model.release("go");
    stage.mark(agent, stage.over(request), "done", Class::Hooked, "answer finished");
    stage.stand();
}

/// Events and fields of a later version change nothing.
fn unknown_event(stage: &Stage) {
    stage.hub();
    let agent = stage.run_in_tmux("api");
    agent.prompt("[[hold go]] [[text Hello.]]");
    agent.rest();
    let session = stage.home.run(["show", "api", "--json"]).json()["session_id"].clone();
    for event in ["AgentWasAbducted", "Stopp", "PermissionRequested", ""] {
        let payload = serde_json::json!({
            "hook_event_name": event, "session_id": session, "status": "idle", "new": [1, {}],
        });
        let env = [("HEADSUP_AGENT_ID", "api")];
        stage.home.hook("claude-code", &payload.to_string(), &env).ok();
    }
    agent.rest();
    stage.model.release("go");
    agent.answered();
    agent.rest();
}

fn two_in_one_folder(stage: &Stage) {
    stage.hub();
    let one = stage.start(&[]);
    let other = stage.start(&[]);
    one.prompt("[[hold one]] [[text One.]]");
    let first = stage.asked(&Asker::Main);
    other.prompt("[[hold other]] [[text Other.]]");
    let second = stage.asked(&Asker::Main);
    other.rest();
    stage.model.release("one");
    one.mark(stage.over(first), "done", Class::Hooked, "answer finished");
    other.rest();
    stage.model.release("other");
    other.mark(stage.over(second), "done", Class::Hooked, "answer finished");
    other.rest();
}

/// In mid-turn: it is work like any other.
fn compact_auto(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.turn();
    agent.turn();
    agent.prompt("[[too-long]] [[text Shorter.]]");
    stage.answered(&Asker::Main);
    stage.answered(&Asker::Compaction);
    agent.answered();
    agent.rest();
}

/// An agent in print mode that another one runs in its shell has a seat within that one's.
fn nested(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&["--allowedTools", "Bash"]);
    let child = stage.child_of(&agent);
    agent.prompt("[[bash claude -p '[[hold in]] [[text Inner.]]']] [[hold out]] [[text Outer.]]");
    stage.answered(&Asker::Main);
    let inner = stage.asked(&Asker::Main);
    let asked = stage.came(inner);
    stage.mark(child, asked, "starting", Class::Unmeasured, "it was started with its prompt");
    stage.mark(child, asked, "working", Class::Unmeasured, "and asked");
    agent.rest();
    stage.model.release("in");
    let over = stage.over(inner);
    stage.mark(child, over, "done", Class::Hooked, "it has answered");
    stage.mark(child, over, "ended", Class::Unmeasured, "and gone");
    agent.rest();
    stage.model.release("out");
    agent.answered();
    agent.rest();
}
