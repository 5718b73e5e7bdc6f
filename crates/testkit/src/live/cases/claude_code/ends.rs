//! Ways to go.

use super::Case;
use crate::live::stage::{Agent, Stage};
use crate::live::truth::Class;
use crate::memory::MemoryGroup;
use crate::model::Asker;
use rustix::process::Signal;
use serde_json::json;
use std::time::Duration;

pub(super) const CASES: &[Case] = &[
    Case::new("exit", exit),
    Case::new("ctrl_d", ctrl_d),
    Case::new("sigterm", sigterm),
    Case::new("sighup", sighup),
    Case::new("oom", oom),
    Case::new("sigkill_idle", sigkill_idle),
    Case::new("sigkill_working", sigkill_working),
    Case::new("sigkill_blocked", sigkill_blocked),
    Case::new("sigkill_piped_idle", sigkill_piped_idle),
];

fn at_work(stage: &Stage) -> Agent<'_> {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt("[[slow 5 50]] [[hold never]]");
    agent.rest();
    agent
}

fn exit(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    let at = agent.submit("/exit");
    agent.mark(at, "ended", Class::Hooked, "/exit");
}

/// It wants the key twice.
fn ctrl_d(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.press("C-d");
    agent.shows("again to exit");
    let at = agent.press("C-d");
    agent.mark(at, "ended", Class::Hooked, "Ctrl-D, twice");
}

fn sigterm(stage: &Stage) {
    let agent = at_work(stage);
    let at = agent.signal(Signal::TERM);
    agent.mark(at, "ended", Class::Hooked, "SIGTERM");
}

/// The terminal goes away.
fn sighup(stage: &Stage) {
    let agent = at_work(stage);
    let at = agent.hang_up();
    agent.mark(at, "ended", Class::Hooked, "SIGHUP");
}

/// Killed by the system for want of memory. It needs a machine that lets us make a control group;
/// elsewhere nothing is played.
fn oom(stage: &Stage) {
    let Some(group) = MemoryGroup::new() else { return };
    let agent = at_work(stage);
    group.take_in(agent.pid());
    // The hub looks every 2 s where the process belongs.
    stage.rest(Duration::from_millis(2_500));
    let at = group.starve();
    agent.mark(at, "crashed", Class::Kill, "killed for want of memory");
    agent.rest();
    let told = stage.home.run(["show", agent.id().as_str(), "--json"]).stdout;
    assert!(told.contains("oom_killed"), "{told}");
}

fn sigkill_working(stage: &Stage) {
    let agent = at_work(stage);
    kill(&agent);
}

fn sigkill_idle(stage: &Stage) {
    stage.hub();
    kill(&stage.start(&[]));
}

fn sigkill_blocked(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt("[[bash touch x]]");
    agent.asks("Do you want to");
    kill(&agent);
}

/// It is fed line by line, as by a program, and sits between two prompts.
fn sigkill_piped_idle(stage: &Stage) {
    const FED: &[&str] =
        &["-p", "--verbose", "--input-format", "stream-json", "--output-format", "stream-json"];
    stage.hub();
    let agent = stage.start_fed(FED);
    let prompt = |text: &str| {
        let message = json!({ "role": "user", "content": text });
        agent.submit(&json!({ "type": "user", "message": message }).to_string())
    };
    let at = prompt("[[hold go]] [[text Hello.]]");
    let request = stage.asked(&Asker::Main);
    agent.mark(at, "idle", Class::Unmeasured, "its session has begun");
    agent.mark(stage.came(request), "working", Class::Unmeasured, "it asks the model");
    agent.rest();
    stage.model.release("go");
    let at = stage.over(request);
    agent.mark(at, "done", Class::Hooked, "answer finished");
    agent.rest();
    kill(&agent);
}

fn kill(agent: &Agent<'_>) {
    let at = agent.signal(Signal::KILL);
    agent.mark(at, "crashed", Class::Kill, "SIGKILL");
    agent.rest();
}
