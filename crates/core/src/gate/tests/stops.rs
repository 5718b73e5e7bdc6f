//! A stop is no end where something makes the agent go on behind it.

use super::script::{Script, at_rest, busy, exit, prompt, stop, stop_with, tool, tool_end, wake};
use crate::event::EventBody;
use crate::gate;
use crate::observation::{Background, Fact, Level, ProcessFact};
use crate::prompt::Actor;
use crate::source::Source;
use crate::status::{Exit, ExitKind, Headline, OutcomeKind};

/// A turn of which hooks and the status file tell.
fn busy_turn() -> Script {
    let mut script = Script::working();
    script.registry(busy());
    script.published.clear();
    script
}

fn unsettled(turn: &str) -> Fact {
    let background = Background { unsettled: true, ..Background::default() };
    Fact::TurnEnded { background, turn_ref: Some(turn.to_owned()) }
}

#[test]
fn a_stop_beside_other_hooks_waits_for_the_programs_own_status() {
    let mut script = busy_turn();
    script.hook(unsettled("t1"));
    script.tick(20_000);
    script.registry(busy());
    assert_eq!(script.headline(), Headline::Working);
    script.registry(at_rest());
    assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Done, 1));
    // Without such a status it is an end.
    let mut script = Script::working();
    script.hook(unsettled("t1"));
    assert_eq!(script.headline(), Headline::Done);
}

/// No hook tells of the prompt.
#[test]
fn what_a_person_has_typed_meanwhile_begins_the_next_turn() {
    // Other hooks of a stop may undo it: then it is told with what comes next.
    for (stop, told) in
        [(stop("t1"), (Headline::Done, 1)), (unsettled("t1"), (Headline::Working, 0))]
    {
        next_turn_begins_behind(stop, told);
    }
}

fn next_turn_begins_behind(first: Fact, told: (Headline, usize)) {
    let mut script = busy_turn();
    script.log(Fact::PromptQueued);
    script.hook(first);
    assert_eq!((script.headline(), script.count("turn.completed")), told);
    script.log(Fact::WakeQueued(false));
    assert_eq!((script.count("turn.completed"), script.count("turn.started")), (1, 1));
    let before = script.seat.turn.before.as_ref().map(|outcome| outcome.kind);
    assert_eq!(before, Some(OutcomeKind::Completed));
    script.tick(5_000);
    assert_eq!(script.phrase(), "working(prompt)");
    script.hook(stop("t2"));
    script.registry(at_rest());
    script.tick(1_000);
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
    assert_eq!((script.count("turn.completed"), script.count("turn.started")), (2, 1));
}

#[test]
fn what_a_person_has_typed_begins_nothing_where_it_was_taken_back_or_told_in_mid_turn() {
    for taken in [Fact::WakeQueued(false), Fact::WakeAbsorbed] {
        let mut script = busy_turn();
        script.log(Fact::PromptQueued);
        script.log(taken);
        script.hook(stop("t1"));
        assert_eq!(script.headline(), Headline::Done);
    }
    // The log is read late.
    let mut script = busy_turn();
    script.log(Fact::PromptQueued);
    script.hook(stop("t1"));
    script.log(Fact::WakeAbsorbed);
    script.log(Fact::WakeQueued(false));
    script.registry(at_rest());
    assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Done, 1));
    // Nothing else tells when it rests.
    let mut script = Script::working();
    script.log(Fact::PromptQueued);
    script.hook(stop("t1"));
    assert_eq!(script.headline(), Headline::Done);
}

/// Its status file shows work throughout.
#[test]
fn what_is_told_of_the_next_turn_ends_one_whose_stop_was_told() {
    let mut script = busy_turn();
    script.hook(unsettled("t1"));
    script.hook(unsettled("t2"));
    assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Working, 1));
    let before = script.seat.turn.before.as_ref().map(|outcome| outcome.kind);
    assert_eq!(before, Some(OutcomeKind::Completed));
    script.registry(at_rest());
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
    assert_eq!(script.count("turn.completed"), 2);
}

#[test]
fn a_stop_that_makes_the_agent_go_on_is_none() {
    let mut script = busy_turn();
    script.hook(unsettled("t1"));
    script.hook(tool(&Actor::Main, "c1", 1));
    script.hook(tool_end(&Actor::Main, "c1", 1));
    // Then it is stopped: that is none of its ends.
    script.registry(at_rest());
    script.tick(1_000);
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
}

#[test]
fn whoever_is_still_busy_behind_its_stop_goes_on_and_is_not_believed_again_at_once() {
    let mut script = busy_turn();
    script.hook(stop("t1"));
    assert_eq!(script.headline(), Headline::Done);
    script.tick(999);
    assert_eq!(script.headline(), Headline::Done);
    script.tick(1);
    assert_eq!(script.headline(), Headline::Working);
    script.hook(stop("t1"));
    script.hook(stop("t1b"));
    assert_eq!(script.headline(), Headline::Working);
    script.registry(at_rest());
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
    script.hook(prompt("t2"));
    script.registry(busy());
    script.hook(stop("t2"));
    assert_eq!(script.headline(), Headline::Working);
    script.registry(at_rest());
    assert_eq!(script.headline(), Headline::Done);
}

/// Claude Code 2.1.330 below `headsup run`: either of its own words may come first.
#[test]
fn what_it_tells_its_terminal_counts_beside_its_status_file() {
    for terminal_first in [true, false] {
        let own = |script: &mut Script, level| {
            script.said(Source::ProgramStatus, Fact::Level(level));
        };
        let started = || {
            let mut script = if terminal_first { Script::working() } else { busy_turn() };
            own(&mut script, busy());
            script.registry(busy());
            script.hook(stop("t1"));
            assert_eq!(script.headline(), Headline::Done);
            script
        };
        // Neither has told of rest: something makes it go on.
        let mut script = started();
        script.tick(1_000);
        assert_eq!(script.headline(), Headline::Working, "{terminal_first}");
        // The file is late, on a busy machine.
        let mut script = started();
        own(&mut script, Level::Done);
        script.tick(1_500);
        assert_eq!(script.headline(), Headline::Done, "{terminal_first}");
        script.registry(at_rest());
        script.tick(1_000);
        assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Done, 1));
    }
}

#[test]
fn whoever_rests_in_time_has_ended_with_its_stop() {
    let mut script = busy_turn();
    script.hook(stop("t1"));
    script.tick(90);
    script.registry(at_rest());
    script.tick(5_000);
    assert_eq!((script.headline(), script.count("turn.started")), (Headline::Done, 0));
    script.hook(prompt("t2"));
    script.registry(busy());
    script.hook(stop("t2"));
    assert_eq!(script.headline(), Headline::Done, "nothing was late");
}

#[test]
fn a_run_that_is_over_behind_its_stop_has_completed() {
    let mut script = busy_turn();
    script.hook(unsettled("t1"));
    script.hook(exit());
    assert_eq!((script.headline(), script.outcome()), (Headline::Ended, Some("completed")));
}

#[test]
fn what_a_run_has_told_last_counts_where_it_leaves_at_once() {
    let mut script = Script::working();
    script.said(Source::EventStream, Fact::Level(busy()));
    script.said(Source::EventStream, Fact::Level(Level::Failed { code: "400".into() }));
    assert_eq!(script.headline(), Headline::Working, "a hook may tell more");
    let exit = Exit { code: Some(1), ..Exit::of(ExitKind::Crashed) };
    script.said(Source::Process, Fact::Process(ProcessFact::Exited(exit)));
    assert_eq!(script.outcome(), Some("failed"));
}

#[test]
fn the_end_of_the_last_helper_may_wake_the_main_agent() {
    let left = || Background { wakes: true, ..Background::unlisted() };
    let stopped = || Fact::TurnEnded { background: left(), turn_ref: None };
    let ended = || Fact::SubagentEnded { id: "h".into() };
    let mut script = Script::working();
    script.hook(Fact::SubagentStarted { id: "h".into() });
    script.hook(stopped());
    script.hook(ended());
    assert_eq!(script.phrase(), "working(background)");
    script.hook(prompt("t2"));
    script.tick(5_000);
    assert_eq!(script.headline(), Headline::Working);
    script.hook(stopped());
    assert_eq!(script.headline(), Headline::Done);
    // It is not woken after all.
    let mut script = Script::working();
    script.hook(Fact::SubagentStarted { id: "h".into() });
    script.hook(stopped());
    script.hook(ended());
    script.tick(1_000);
    assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Done, 1));
    // It goes on without a word of a prompt.
    let mut script = Script::working();
    script.hook(Fact::SubagentStarted { id: "h".into() });
    script.hook(stopped());
    script.hook(ended());
    script.hook(tool(&Actor::Main, "c1", 1));
    script.tick(5_000);
    assert_eq!(script.headline(), Headline::Working);
}

/// It is that of the main agent alone.
#[test]
fn a_title_at_rest_says_nothing_of_the_helpers_that_a_stop_has_listed() {
    let mut script = Script::working();
    script.said(Source::Title, Fact::Level(busy()));
    script.hook(stop_with("t1", &["h"], 0));
    script.said(Source::Title, Fact::Level(at_rest()));
    script.tick(5_000);
    assert_eq!(script.phrase(), "working(background)");
    assert_eq!(script.seat.subagents, ["h"]);
}

/// How the turns ended of which the last fact has told.
fn ends(script: &Script) -> Vec<&'static str> {
    let outcome = |event: &EventBody| match event {
        EventBody::TurnCompleted { outcome, .. } => outcome.as_ref().map(|end| end.kind.word()),
        _ => None,
    };
    script.last.events.iter().filter_map(outcome).collect()
}

/// A turn that was stopped while its helper works on: but for the notice of its rest nothing tells.
fn cut_beside_a_helper() -> Script {
    let mut script = Script::working();
    script.hook(Fact::SubagentStarted { id: "h".into() });
    script.hook(Fact::TurnOver);
    script.tick(gate::SETTLE_MS);
    assert_eq!(script.phrase(), "working(background)");
    script
}

/// Qwen Code 0.24.4 (measured): Esc stops the main agent alone. No hook tells of the prompt by which the helper's end
/// wakes it then, only of the stop behind that.
#[test]
fn g5_a_main_agent_that_was_stopped_beside_its_helper_has_not_completed() {
    let mut script = cut_beside_a_helper();
    script.hook(Fact::SubagentEnded { id: "h".into() });
    script.hook(stop("t2"));
    let both = vec!["interrupted", "completed"];
    assert_eq!((script.headline(), ends(&script)), (Headline::Done, both));
    // Where that prompt is told the same turn goes on, and comes to its own end.
    let mut script = cut_beside_a_helper();
    script.hook(Fact::SubagentEnded { id: "h".into() });
    script.hook(wake("t2"));
    script.hook(stop_with("t2", &["i"], 0));
    script.hook(prompt("t3"));
    assert_eq!((script.headline(), ends(&script)), (Headline::Working, vec!["completed"]));
    // It is not woken.
    let mut script = cut_beside_a_helper();
    script.hook(Fact::SubagentEnded { id: "h".into() });
    script.hook(Fact::TurnOver);
    script.tick(3_000);
    assert_eq!((script.headline(), ends(&script)), (Headline::Idle, vec!["interrupted"]));
    // Its person goes on.
    let mut script = cut_beside_a_helper();
    script.hook(prompt("t2"));
    assert_eq!((script.headline(), ends(&script)), (Headline::Working, vec!["interrupted"]));
    script.hook(stop("t2"));
    assert_eq!((script.headline(), ends(&script)), (Headline::Done, vec!["completed"]));
    // Its stop was late.
    let mut script = cut_beside_a_helper();
    script.hook(stop_with("t1", &["h"], 0));
    script.hook(Fact::SubagentEnded { id: "h".into() });
    script.hook(Fact::TurnOver);
    script.tick(3_000);
    assert_eq!((script.headline(), ends(&script)), (Headline::Done, vec!["completed"]));
}

/// Copilot CLI 1.0.102, Esc twice (measured): its log tells of the main agent, and before that of each helper that was
/// stopped with it. Esc twice more stops the others.
#[test]
fn g5_helpers_of_an_agent_that_was_interrupted_alone_keep_its_turn_open() {
    let stopped = || {
        let mut script = Script::working();
        script.hook(Fact::SubagentStarted { id: "h".into() });
        script.hook(tool(&Actor::Main, "c1", 1));
        script.log(Fact::MainInterrupted);
        script.log(Fact::MainInterrupted);
        assert_eq!((script.phrase().as_str(), ends(&script)), ("working(background)", Vec::new()));
        script
    };
    // The last of them ends, and wakes nobody.
    for by_log in [false, true] {
        let mut script = stopped();
        let source = if by_log { Source::Transcript } else { Source::Hook };
        script.said(source, Fact::SubagentEnded { id: "h".into() });
        assert_eq!(script.headline(), Headline::Working, "it may be woken");
        script.tick(1_000);
        assert_eq!((script.headline(), ends(&script)), (Headline::Idle, vec!["interrupted"]));
    }
    // It wakes the main agent.
    let mut script = stopped();
    script.hook(Fact::SubagentEnded { id: "h".into() });
    script.hook(wake("w1"));
    script.tick(5_000);
    assert_eq!(script.headline(), Headline::Working);
    script.hook(stop("w1"));
    assert_eq!((script.headline(), ends(&script)), (Headline::Done, vec!["completed"]));
    // Its person goes on.
    let mut script = stopped();
    script.hook(prompt("t2"));
    assert_eq!((script.headline(), ends(&script)), (Headline::Working, vec!["interrupted"]));
    // None goes on.
    let mut script = Script::working();
    script.hook(Fact::SubagentStarted { id: "h".into() });
    script.log(Fact::SubagentEnded { id: "h".into() });
    script.log(Fact::MainInterrupted);
    assert_eq!((script.headline(), ends(&script)), (Headline::Idle, vec!["interrupted"]));
}

/// What two helpers have told waits for the end of the main agent's answer.
fn awaited() -> Script {
    let mut script = Script::working();
    for helper in ["h", "i"] {
        script.hook(Fact::SubagentStarted { id: helper.into() });
        script.hook(Fact::SubagentEnded { id: helper.into() });
        script.log(Fact::WakeQueued(true));
    }
    assert_eq!(script.phrase(), "working(prompt)");
    script
}

/// All that was told is one turn.
#[track_caller]
fn is_done_once(script: &Script) {
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
    assert_eq!((script.count("turn.started"), script.count("turn.completed")), (0, 1));
}

#[track_caller]
fn is_woken_and_rests(script: &mut Script) {
    script.hook(wake("w1"));
    script.hook(stop("w1"));
    script.registry(at_rest());
    script.tick(1_000);
    is_done_once(script);
}

fn take_out(script: &mut Script) {
    for _ in 0..2 {
        script.log(Fact::WakeQueued(false));
    }
}

#[test]
fn g5_what_waits_for_a_stop_wakes_the_main_agent_in_the_same_turn() {
    for log_first in [true, false] {
        let mut script = awaited();
        script.hook(stop("t1"));
        assert_eq!(script.phrase(), "working(background)");
        if log_first {
            take_out(&mut script);
        }
        script.hook(wake("w1"));
        script.hook(wake("w2"));
        if !log_first {
            take_out(&mut script);
        }
        script.tick(5_000);
        assert_eq!(script.phrase(), "working(prompt)");
        assert_eq!(script.count("turn.completed"), 0);
        script.hook(stop("w2"));
        assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
        assert_eq!((script.count("turn.started"), script.count("turn.completed")), (0, 1));
    }
}

/// Its status file shows work throughout, on a busy machine for long.
#[test]
fn g5_a_wake_that_is_late_is_of_the_same_turn_while_work_is_shown() {
    let mut script = awaited();
    script.registry(busy());
    script.hook(stop("t1"));
    script.tick(1_000);
    script.tick(3_000);
    assert_eq!(
        (script.phrase().as_str(), script.count("turn.completed")),
        ("working(background)", 0)
    );
    is_woken_and_rests(&mut script);
    // It is not woken after all.
    let mut script = awaited();
    script.registry(busy());
    script.hook(stop("t1"));
    script.tick(1_000);
    assert_eq!(script.headline(), Headline::Working);
    script.registry(at_rest());
    script.tick(300);
    is_done_once(&script);
}

#[test]
fn a_stop_is_an_end_where_nothing_waits_for_it_or_what_waits_does_not_come() {
    let mut script = awaited();
    script.log(Fact::WakeQueued(false));
    script.hook(stop("t1"));
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
    let mut script = awaited();
    script.hook(stop("t1"));
    script.tick(1_000);
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
    // It leaves before that.
    let mut script = awaited();
    script.hook(stop("t1"));
    script.hook(exit());
    assert_eq!((script.headline(), script.outcome()), (Headline::Ended, Some("completed")));
    // It was told of it before, as the log says only behind the stop.
    let mut script = awaited();
    script.registry(busy());
    script.hook(stop("t1"));
    for _ in 0..2 {
        script.log(Fact::WakeAbsorbed);
    }
    assert_eq!(script.phrase(), "working(background)");
    script.tick(20);
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
    // A turn of a person's own comes first.
    let mut script = awaited();
    script.hook(stop("t1"));
    script.hook(prompt("t2"));
    assert_eq!((script.count("turn.started"), script.count("turn.completed")), (1, 1));
    script.hook(stop("t2"));
    assert_eq!(script.headline(), Headline::Done);
}

/// The log tells of it behind that of the one that was absorbed.
#[test]
fn g5_what_is_queued_behind_something_that_was_absorbed_wakes_the_main_agent() {
    let mut script = awaited();
    script.registry(busy());
    script.hook(stop("t1"));
    script.log(Fact::WakeAbsorbed);
    script.log(Fact::WakeQueued(true));
    script.tick(1_000);
    assert_eq!(script.phrase(), "working(background)");
    is_woken_and_rests(&mut script);
}

/// What was told in mid-turn says nothing of a helper that ended behind the stop.
#[test]
fn g5_the_end_of_a_helper_wakes_the_main_agent_whatever_was_absorbed_before() {
    let mut script = awaited();
    script.registry(busy());
    script.hook(Fact::SubagentStarted { id: "late".into() });
    script.hook(stop_with("t1", &["late"], 0));
    script.hook(Fact::SubagentEnded { id: "late".into() });
    script.log(Fact::WakeAbsorbed);
    script.tick(1_000);
    assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Working, 0));
}
