//! Conversations that begin anew, go on, or are summed up; agents beside and within agents; what no
//! version knows yet.

use crate::live::stage::Stage;
use crate::live::truth::Class;
use crate::model::{Asker, Reply};
use rustix::process::Signal;
use std::time::Duration;

/// A new conversation in the same seat.
pub(in crate::live::cases) fn clear(stage: &Stage) {
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
pub(in crate::live::cases) fn resume_after_kill(stage: &Stage) {
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
pub(in crate::live::cases) fn fork(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.turn();
    let other = stage.start(stage.screen().fork);
    other.turn();
    agent.turn();
}

/// In mid-turn: it is work like any other.
pub(in crate::live::cases) fn compact_auto(stage: &Stage) {
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

/// An agent without a terminal that another one runs in its shell has a seat within that one's. Nobody can type to it: it
/// is `starting` until it takes the prompt that it was started with.
pub(in crate::live::cases) fn nested(stage: &Stage) {
    nested_in(stage, true);
}

/// The same of one that is told of with its prompt.
pub(in crate::live::cases) fn nested_at_work(stage: &Stage) {
    nested_in(stage, false);
}

fn nested_in(stage: &Stage, is_told_before: bool) {
    stage.hub();
    let agent = stage.start(stage.screen().lets);
    let child = stage.child_of(&agent);
    let command = stage.headless_command("[[hold in]] [[text Inner.]]");
    agent.prompt(&format!("[[bash {command}]] [[hold out]] [[text Outer.]]"));
    stage.answered(&Asker::Main);
    let inner = stage.asked(&Asker::Main);
    let asked = stage.came(inner);
    if is_told_before {
        stage.mark(child, asked, "starting", Class::Unmeasured, "it was started with its prompt");
    }
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

/// Events and fields of a later version change nothing.
pub(in crate::live::cases) fn unknown_event(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt("[[hold go]] [[text Hello.]]");
    stage.model.request(&Asker::Main, 0);
    agent.rest();
    let id = agent.id();
    let session = stage.home.run(["show", &id, "--json"]).json()["session_id"].clone();
    for event in ["AgentWasAbducted", "Stopp", "PermissionRequested", "session.idled", ""] {
        let payload = serde_json::json!({
            "hook_event_name": event, "session_id": session, "sessionId": session,
            "status": "idle", "new": [1, {}],
        });
        let env = [("HEADSUP_AGENT_ID", id.as_str())];
        stage.home.hook(stage.kind(), &payload.to_string(), &env).ok();
    }
    agent.rest();
    stage.model.release("go");
    agent.answered();
    agent.rest();
}

/// What is typed into a running turn is a part of it.
pub(in crate::live::cases) fn steered(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt("[[hold one]] [[text First.]]");
    agent.rest();
    agent.submit("[[hold two]] [[text Second.]]");
    agent.rest();
    stage.model.release("one");
    stage.answered(&Asker::Main);
    agent.rest();
    stage.model.release("two");
    agent.answered();
    agent.rest();
}

/// A prompt that is sent while the agent works waits, and begins a turn of its own.
pub(in crate::live::cases) fn queued_prompt(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt("[[hold one]] [[text First.]]");
    agent.rest();
    agent.submit_by("[[hold two]] [[text Second.]]", stage.screen().queue);
    agent.rest();
    stage.model.release("one");
    agent.answered();
    let begun = stage.asked_at(&Asker::Main);
    agent.mark(begun, "working", Class::Unmeasured, "the queued prompt begins");
    agent.rest();
    stage.model.release("two");
    agent.finished(begun);
    agent.rest();
}

/// A person has the conversation summed up, after so many `turns` that it is worth it.
pub(in crate::live::cases) fn compact_after(stage: &Stage, turns: usize) {
    stage.hub();
    let agent = stage.start(&[]);
    for _ in 0..turns {
        agent.turn();
    }
    let summary = "<state_snapshot>Greetings.</state_snapshot>";
    stage.model.script_compaction(Reply::new().hold("sum").and_text(summary));
    let at = agent.submit(stage.screen().compact);
    stage.asked(&Asker::Compaction);
    agent.mark(at, "working", Class::Unhooked, stage.screen().compact);
    agent.rest();
    stage.model.release("sum");
    agent.shows(stage.screen().compacted);
    stage.rest(Duration::from_secs(1));
    let at = stage.answered_last(&Asker::Compaction);
    agent.mark(at, "done", Class::Unhooked, "summed up");
    agent.rest();
    agent.turn();
}

/// In mid-turn, once the model has said that it took in as many tokens as `taken`: it is work like any other. No
/// conversation has a name, so what is said behind the summary is scripted by itself.
pub(in crate::live::cases) fn compact_when_full(stage: &Stage, taken: u32) {
    stage.hub();
    let agent = stage.start(stage.screen().lets);
    agent.turn();
    let summary = "<state_snapshot>Greetings.</state_snapshot>";
    stage.model.script_compaction(Reply::new().hold("sum").and_text(summary));
    agent.prompt(&format!("[[taken {taken}]] [[bash true]]"));
    stage.answered(&Asker::Main);
    let begun = stage.asked_at(&Asker::Compaction);
    agent.mark(begun, "working", Class::Unmeasured, "it is summed up in mid-turn");
    agent.rest();
    stage.model.script(Reply::new().hold("go").and_text("Shorter."));
    stage.model.release("sum");
    let request = stage.asked(&Asker::Main);
    agent.mark(stage.came(request), "working", Class::Unmeasured, "it goes on");
    agent.rest();
    stage.model.release("go");
    agent.mark(stage.over(request), "done", Class::Hooked, "answer finished");
    agent.rest();
    agent.turn();
}

/// A shell works on behind the turn that has started it, which is over.
pub(in crate::live::cases) fn background_shell(stage: &Stage) {
    stage.hub();
    let agent = stage.start(stage.screen().lets);
    agent.prompt("[[background timeout 30 tail -f /dev/null]] [[text Started.]]");
    stage.answered(&Asker::Main);
    agent.answered();
    agent.rest();
    agent.turn();
}
