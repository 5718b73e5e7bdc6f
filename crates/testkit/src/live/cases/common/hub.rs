//! The hub comes late, goes, or is not told; the agent is launched, or started by hand; all stands still.

use crate::live::stage::{Agent, Stage};
use crate::live::truth::Class;
use crate::model::Asker;
use std::fs;
use std::time::{Duration, Instant};

/// The turn starts while nobody listens, and goes on when the hub is back.
pub(in crate::live::cases) fn hub_down_at_start(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    // Those that are silent at their start are known by their first turn alone.
    agent.turn();
    stage.kill_hub();
    agent.submit("[[hold go]] [[text Hello.]]");
    stage.asked(&Asker::Main);
    agent.rest();
    let at = Instant::now();
    stage.hub();
    agent.mark(at, "working", Class::Unmeasured, "the hub is back in mid-turn");
    agent.rest();
    stage.model.release("go");
    agent.mark(stage.answered_last(&Asker::Main), "done", Class::Hooked, "answer finished");
    agent.rest();
}

/// Everything stands still for a while, as when a laptop is shut: nothing is told of it, and what
/// was true still is.
pub(in crate::live::cases) fn suspended(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt("[[slow 5 50]] [[hold go]] [[text Hello.]]");
    agent.rest();
    // Its pid the hub tells.
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

/// Nothing is installed; the launch brings the hooks.
pub(in crate::live::cases) fn run_here(stage: &Stage) {
    stage.hub();
    stage.run_here("api").turn();
}

/// `headsup run`, which makes a session in tmux.
pub(in crate::live::cases) fn run_in_tmux(stage: &Stage) {
    stage.hub();
    stage.run_in_tmux("api").turn();
}

/// Started by hand, with the hooks that are installed.
pub(in crate::live::cases) fn by_hand(stage: &Stage) {
    stage.hub();
    let agent = stage.start_by_hand(&[]);
    agent.turn();
    let at = agent.submit(stage.screen().exit);
    agent.mark(at, "ended", Class::Kill, stage.screen().exit);
    agent.rest();
}

/// No hook runs: its title alone tells, and not how a turn ended.
pub(in crate::live::cases) fn title_alone(stage: &Stage) {
    stage.hub();
    let agent = stage.run_here("api");
    let at = agent.submit("[[hold go]] [[text Hello.]]");
    agent.mark(at, "working", Class::Unhooked, "prompt sent");
    agent.rest();
    stage.model.release("go");
    let at = stage.answered(&Asker::Main);
    agent.mark(at, "idle", Class::Unhooked, "answer finished");
    agent.rest();
    let at = agent.submit("[[hold ask]] [[bash touch x; sleep 2]] [[hold on]] [[text Touched.]]");
    agent.mark(at, "working", Class::Unhooked, "prompt sent");
    agent.rest();
    stage.model.release("ask");
    let at = stage.answered(&Asker::Main);
    agent.mark(at, "blocked", Class::Unhooked, "it asks");
    agent.shows(stage.screen().permission);
    agent.settle();
    agent.keys(stage.screen().yes, "working", "approved");
    agent.rest();
    stage.model.release("on");
    let at = stage.answered(&Asker::Main);
    agent.mark(at, "idle", Class::Unhooked, "answer finished");
    agent.rest();
    super::kill(&agent);
}

/// The program that the hooks name is deleted, before one starts by hand and while one runs whose launch may have put it
/// back: both work as before and complain of nothing. What the second does its title alone tells.
pub(in crate::live::cases) fn no_binary(stage: &Stage) {
    no_binary_told(stage, ("working", Class::Unhooked), ("idle", Class::Unhooked));
}

/// The same of a program whose terminal tells the second one's turn, and its end, so.
pub(in crate::live::cases) fn no_binary_told(
    stage: &Stage,
    turn: (&'static str, Class),
    end: (&'static str, Class),
) {
    let program = stage.home.state().join("bin/headsup");
    fs::remove_file(&program).expect("the hooks' program");
    stage.hub();
    let agent = stage.start_by_hand_untold("untold", &[]);
    agent.submit("[[text Nobody hears.]]");
    stage.answered(&Asker::Main);
    complains_of_nothing(&agent, "Nobody hears.");
    agent.submit(stage.screen().exit);
    stage.stand();
    let agent = stage.run_here("api");
    fs::remove_file(&program).ok();
    let at = agent.submit("[[hold go]] [[text Hello.]]");
    agent.mark(at, turn.0, turn.1, "prompt sent");
    agent.rest();
    if turn.1 == Class::Silent {
        // A title that takes back what it has told of the start has first to be found.
        stage.rest(Duration::from_secs(3));
    }
    stage.model.release("go");
    let at = stage.answered(&Asker::Main);
    agent.mark(at, end.0, end.1, "answer finished");
    agent.rest();
    complains_of_nothing(&agent, "Hello.");
}

/// In its prompt the same words have brackets behind them.
pub(in crate::live::cases) fn complains_of_nothing(agent: &Agent<'_>, answer: &str) {
    agent.shows(&format!("{answer}\n"));
    let screen = agent.screen().to_lowercase();
    // Some name the hooks that they run.
    let complains = |line: &str| ["fail", "error", "warn"].iter().any(|word| line.contains(word));
    let line = screen.lines().find(|line| line.contains("hook") && complains(line));
    assert_eq!(line, None, "{screen}");
}

/// Nothing is installed: what its terminal says is all there is.
pub(in crate::live::cases) fn unhooked_turn(stage: &Stage) {
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
pub(in crate::live::cases) fn hub_late(stage: &Stage, id: &str) {
    let agent = stage.start_by_hand_untold(id, &[]);
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
