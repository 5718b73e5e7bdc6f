//! The hub comes late or goes, everything stands still, and what a later version may say.

use crate::live::stage::Stage;
use crate::live::truth::Class;
use crate::model::Asker;
use std::time::{Duration, Instant};

/// The turn starts while nobody listens, and goes on when the hub is back.
pub(in super::super) fn hub_down_at_start(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    stage.kill_hub();
    agent.submit("[[hold go]] [[text Hello.]]");
    stage.model.request(&Asker::Main, 0);
    agent.rest();
    let at = Instant::now();
    stage.hub();
    agent.mark(at, "working", Class::Unmeasured, "the hub is back in mid-turn");
    agent.rest();
    stage.model.release("go");
    agent.answered();
    agent.rest();
}

/// Everything stands still for a while, as when a laptop is shut: nothing is told of it, and what
/// was true still is.
pub(in super::super) fn suspended(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt("[[slow 5 50]] [[hold go]] [[text Hello.]]");
    agent.rest();
    agent.pause(true);
    stage.pause_hub(true);
    stage.rest(Duration::from_secs(5));
    stage.pause_hub(false);
    agent.pause(false);
    agent.rest();
    stage.model.release("go");
    agent.answered();
    agent.rest();
}

/// `headsup run`, which makes a session in tmux.
pub(in super::super) fn run_in_tmux(stage: &Stage) {
    stage.hub();
    stage.run_in_tmux("api").turn();
}

/// Events and fields of a later version change nothing.
pub(in super::super) fn unknown_event(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt("[[hold go]] [[text Hello.]]");
    stage.model.request(&Asker::Main, 0);
    agent.rest();
    let id = agent.id();
    let session = stage.home.run(["show", &id, "--json"]).json()["session_id"].clone();
    for event in ["AgentWasAbducted", "Stopp", "PermissionRequested", "session.idled", ""] {
        let payload = serde_json::json!({
            "hook_event_name": event, "session_id": session, "status": "idle", "new": [1, {}],
        });
        let env = [("HEADSUP_AGENT_ID", id.as_str())];
        stage.home.hook(stage.kind(), &payload.to_string(), &env).ok();
    }
    agent.rest();
    stage.model.release("go");
    agent.answered();
    agent.rest();
}

/// Nothing is installed: what its terminal says is all there is.
pub(in super::super) fn unhooked_turn(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.unhooked_turn();
    agent.unhooked_turn();
    let at = agent.submit("[[slow 5 50]] [[hold never]]");
    agent.mark(at, "working", Class::Unhooked, "prompt sent");
    agent.rest();
    agent.interrupt("Esc while text streams");
    agent.rest();
}

/// Agent and turn began before there was a hub, without `headsup run`, which would have started one;
/// its hooks wait in the spool. `id`: the seat that it will have.
pub(in super::super) fn hub_late(stage: &Stage, id: &str) {
    let agent = stage.start_by_hand(id, &[]);
    agent.submit("[[hold go]] [[text Hello.]]");
    stage.model.request(&Asker::Main, 0);
    agent.rest();
    let at = Instant::now();
    agent.mark(at, "idle", Class::Unmeasured, "the spool tells of the start");
    agent.mark(at, "working", Class::Unmeasured, "and of the prompt");
    stage.hub();
    agent.rest();
    stage.model.release("go");
    agent.answered();
    agent.rest();
}
