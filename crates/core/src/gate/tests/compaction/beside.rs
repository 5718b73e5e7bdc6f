//! Compactions that a person asks for beside helpers, or that something waits behind.

use super::super::script::{stop_with, unlisted_stop};
use super::*;

/// Claude Code 2.1.330: helpers go on beside a `/compact`, and its status file says nothing new before they are done.
#[test]
fn g5_helpers_go_on_behind_a_compaction_that_a_person_has_asked_for() {
    let mut script = Script::working();
    script.hook(stop_with("t1", &["h"], 0));
    compacts_beside_a_helper(&mut script);
    assert_eq!((script.count("turn.completed"), script.count("turn.started")), (0, 0));
    script.hook(Fact::SubagentEnded { id: "h".into() });
    script.hook(wake("t2"));
    script.hook(stop("t2"));
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
    assert_eq!((script.count("turn.completed"), script.count("turn.started")), (1, 0));
    // Behind a turn that has failed the status file alone tells of them.
    let mut script = Script::working();
    script.registry(busy());
    script.hook(Fact::SubagentStarted { id: "h".into() });
    script.hook(fail("t1", "rate_limit"));
    script.tick(300);
    compacts_beside_a_helper(&mut script);
}

fn compacts_beside_a_helper(script: &mut Script) {
    assert_eq!(script.phrase(), "working(background)");
    script.hook(Fact::CompactionStarted);
    assert_eq!(script.phrase(), "working(compacting)");
    script.hook(Fact::CompactionEnded { manual: Some(true) });
    assert_eq!(script.phrase(), "working(background)");
}

/// Claude Code 2.1.330: a shell that ends beside a `/compact` wakes the main agent 0.1 s behind its end.
#[test]
fn a_compaction_behind_which_the_main_agent_is_woken_is_no_end() {
    let mut script = compacting_at_the_prompt();
    script.log(Fact::WakeQueued(true));
    script.hook(Fact::CompactionEnded { manual: Some(true) });
    assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Working, 0));
    script.log(Fact::WakeQueued(false));
    script.hook(wake("t2"));
    script.hook(stop("t2"));
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
    assert_eq!((script.count("turn.completed"), script.count("turn.started")), (1, 0));
}

/// Claude Code 2.1.330 tells nothing of an Esc during `/compact`: what has waited for its end wakes the main agent.
#[test]
fn a_compaction_that_was_stopped_is_over_when_the_main_agent_is_woken() {
    for helpers in [&["h"][..], &[]] {
        let mut script = Script::working();
        script.hook(stop_with("t1", helpers, 0));
        script.after(5_000).hook(Fact::CompactionStarted);
        for id in helpers {
            script.hook(Fact::SubagentEnded { id: (*id).to_owned() });
        }
        script.hook(wake("t2"));
        assert_eq!(script.phrase(), "working(prompt)", "{helpers:?}");
        script.hook(stop("t2"));
        assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
    }
    // In mid-turn it takes the turn along, and the prompt goes back into its box.
    let mut script = Script::working();
    script.hook(stop_with("t1", &["h"], 0));
    script.hook(prompt("t2"));
    script.hook(Fact::CompactionStarted);
    script.hook(Fact::SubagentEnded { id: "h".into() });
    script.hook(wake("t3"));
    assert_eq!(script.phrase(), "working(prompt)");
    script.hook(stop("t3"));
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
}

/// Nothing tells the end of a helper that has failed where helpers have no names of their own (Kimi).
#[test]
fn a_compaction_behind_what_may_have_been_a_helpers_stop_is_done() {
    let mut script = Script::working();
    script.hook(Fact::NamesakeStarted { name: "x".into() });
    let background = Background::anyones();
    script.hook(Fact::TurnEnded { background, turn_ref: Some("t1".into()) });
    script.hook(Fact::CompactionStarted);
    script.hook(Fact::CompactionEnded { manual: Some(true) });
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
}

/// Codex 0.169.0 begins one in its log with the start of a task.
#[test]
fn g5_helpers_go_on_behind_a_compaction_whose_turn_the_log_names() {
    for log_first in [true, false] {
        let mut script = Script::working();
        script.hook(Fact::SubagentStarted { id: "h".into() });
        script.hook(unlisted_stop("t1"));
        if log_first {
            script.log(wake("c1"));
        }
        script.hook(Fact::CompactionBegun { turn_ref: "c1".into() });
        if !log_first {
            script.log(wake("c1"));
        }
        script.hook(Fact::CompactionEnded { manual: Some(true) });
        script.log(end_of("c1"));
        assert_eq!(script.phrase(), "working(background)", "{log_first}");
        script.hook(Fact::SubagentEnded { id: "h".into() });
        assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Done, 1));
    }
}

#[test]
fn g5_helpers_go_on_behind_a_compaction_that_has_overtaken_the_stop() {
    let mut script = Script::working();
    script.registry(busy());
    script.hook(Fact::SubagentStarted { id: "h".into() });
    script.hook(Fact::CompactionBegun { turn_ref: "c1".into() });
    script.hook(stop_with("t1", &["h"], 0));
    script.refused(Rule::G7);
    script.hook(Fact::CompactionEnded { manual: Some(true) });
    assert_eq!(script.phrase(), "working(background)");
    script.hook(Fact::SubagentEnded { id: "h".into() });
    script.hook(wake("t2"));
    script.hook(stop("t2"));
    assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Done, 1));
}

#[test]
fn g7_the_last_helpers_end_is_no_end_of_a_compaction() {
    for wakes in [false, true] {
        let mut script = Script::working();
        script.hook(Fact::SubagentStarted { id: "h".into() });
        let background = Background { wakes, ..Background::unlisted() };
        script.hook(Fact::TurnEnded { background, turn_ref: Some("t1".into()) });
        script.hook(Fact::CompactionStarted);
        script.hook(Fact::SubagentEnded { id: "h".into() });
        script.tick(1_500);
        assert_eq!(script.phrase(), "working(compacting)", "{wakes}");
        script.hook(Fact::CompactionEnded { manual: Some(true) });
        assert_eq!(script.headline() == Headline::Working, wakes);
        script.tick(1_000);
        assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Done, 1));
    }
}

/// The turn before it has failed, and nothing else was completed.
#[test]
fn a_compaction_that_was_stopped_behind_a_failed_turn_is_interrupted() {
    let mut script = Script::working();
    script.registry(busy());
    script.hook(Fact::SubagentStarted { id: "h".into() });
    script.hook(fail("t1", "rate_limit"));
    script.tick(300);
    script.hook(Fact::CompactionBegun { turn_ref: "c1".into() });
    script.hook(Fact::SubagentEnded { id: "h".into() });
    script.registry(at_rest());
    script.tick(300);
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
}

/// Copilot CLI: Esc stops the main agent beside a helper, whose end would have woken it.
#[test]
fn a_compaction_that_is_completed_behind_a_turn_that_was_cut_short_is_done() {
    let mut script = Script::working();
    script.hook(Fact::SubagentStarted { id: "h".into() });
    script.log(Fact::MainInterrupted);
    script.hook(Fact::CompactionStarted);
    script.hook(Fact::SubagentEnded { id: "h".into() });
    script.hook(Fact::CompactionEnded { manual: Some(true) });
    script.tick(1_500);
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
}
