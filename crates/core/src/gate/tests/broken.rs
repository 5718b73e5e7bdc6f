//! What goes on behind an interruption, a conversation that is left, and hooks that are there no more.

use super::script::{
    Script, at_rest, busy, fail, permission, prompt, start, stop, stop_with, stop_without_a_name,
    tool_end, tool_of, waiting, wake,
};
use crate::gate::{Rule, SETTLE_MS};
use crate::observation::{Fact, Level, SessionEnd, SessionStart};
use crate::prompt::Actor;
use crate::source::Source;
use crate::status::Headline;
use crate::time::UnixMs;

fn stopped(turn: &str) -> Fact {
    Fact::TurnInterrupted { turn_ref: Some(turn.to_owned()) }
}

/// Its status file says when it says so.
fn shows(script: &mut Script, made_at: i64, level: Level) {
    script.made_at = Some(UnixMs(made_at));
    script.registry(level);
    script.made_at = None;
}

fn logs(script: &mut Script, made_at: i64, fact: Fact) {
    script.made_at = Some(UnixMs(made_at));
    script.log(fact);
    script.made_at = None;
}

fn counts(script: &Script) -> [usize; 2] {
    ["turn.started", "turn.completed"].map(|kind| script.count(kind))
}

/// A turn that a person has stopped: its program has taken up the prompt behind it before the log tells.
fn taken_up(queued: Option<&str>, named: &str) -> Script {
    let mut script = Script::working();
    shows(&mut script, 10, busy());
    shows(&mut script, 30, at_rest());
    if let Some(queued) = queued {
        script.hook(prompt(queued));
    }
    shows(&mut script, 60, busy());
    logs(&mut script, 20, stopped(named));
    script
}

#[test]
fn a_queued_prompt_goes_on_at_once_behind_what_was_stopped() {
    // The log names what was stopped, or what was sent next.
    for (queued, named, phrase) in
        [(None, "t1", "working(model)"), (Some("t2"), "t2", "working(prompt)")]
    {
        let mut script = taken_up(queued, named);
        assert_eq!((script.phrase().as_str(), counts(&script)), (phrase, [1, 1]));
        script.tick(1_000);
        assert_eq!(script.phrase(), phrase);
        script.hook(stop("t2"));
        shows(&mut script, 90, at_rest());
        script.tick(1_000);
        assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
        assert_eq!(counts(&script), [1, 2]);
    }
}

/// Esc in a call while a prompt is queued: no hook tells that this is sent, and the log gives the interruption its name
/// (Claude Code 2.1.330). Returns when the log says so.
fn stopped_in_a_call(shown: &[Level]) -> (Script, i64) {
    let mut script = Script::working();
    let began = script.now.0;
    shows(&mut script, began, busy());
    script.hook(tool_of("t1", "c1"));
    let stopped_at = script.now.0;
    for level in shown {
        shows(&mut script, stopped_at + 1, level.clone());
    }
    script.published.clear();
    (script, stopped_at + 2)
}

#[test]
fn what_is_asked_in_place_of_a_stopped_call_stays_asked_whichever_witness_comes_first() {
    for position in 0..3 {
        let (mut script, written) = stopped_in_a_call(&[at_rest(), busy()]);
        let mut told = vec![tool_of("t2", "c2"), permission(&Actor::Main, 0)];
        told.insert(position, stopped("t2"));
        for fact in told {
            if matches!(fact, Fact::TurnInterrupted { .. }) {
                logs(&mut script, written, fact);
            } else {
                script.hook(fact);
            }
            assert_ne!(script.headline(), Headline::Idle, "{position}");
        }
        script.registry(waiting());
        script.tick(300);
        assert_eq!((script.headline(), counts(&script)), (Headline::Blocked, [1, 1]), "{position}");
        let told = ["prompt.opened", "prompt.resolved"].map(|kind| script.count(kind));
        assert_eq!(told, [1, 0], "{position}");
        // Nothing is left of the call that was stopped.
        script.hook(tool_end(&Actor::Main, "c2", 0));
        assert_eq!(script.phrase(), "working(model)", "{position}");
        script.hook(stop("t2"));
        script.registry(at_rest());
        script.tick(1_000);
        assert_eq!((script.headline(), counts(&script)), (Headline::Done, [1, 2]), "{position}");
    }
}

#[test]
fn what_is_answered_in_place_of_a_stopped_call_works_at_once_by_the_word_of_the_log() {
    // The status file may be heard later.
    for shown in [vec![], vec![at_rest()], vec![at_rest(), busy()]] {
        let (mut script, written) = stopped_in_a_call(&shown);
        logs(&mut script, written, stopped("t2"));
        assert_eq!((script.phrase().as_str(), counts(&script)), ("working(prompt)", [1, 1]));
        let explained = script.explained();
        let turn = &explained.dimensions["turn"];
        let winner = turn.winner.as_ref().unwrap();
        assert_eq!((turn.value.as_str(), winner.source), ("working(prompt)", Source::Transcript));
        shows(&mut script, written, busy());
        script.tick(300);
        assert_eq!((script.phrase().as_str(), counts(&script)), ("working(prompt)", [1, 1]));
        script.after(6_000).hook(stop("t2"));
        script.registry(at_rest());
        script.tick(1_000);
        assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
        assert_eq!(counts(&script), [1, 2]);
    }
}

#[test]
fn what_a_helper_brings_behind_an_interruption_is_no_other_one() {
    let mut script = Script::working();
    script.hook(Fact::SubagentStarted { id: "h".into() });
    script.registry(busy());
    script.log(stopped("t1"));
    // It is one turn, without a moment of rest.
    assert_eq!((script.phrase().as_str(), counts(&script)), ("working(background)", [0, 0]));
    script.tick(300);
    assert_eq!((script.phrase().as_str(), counts(&script)), ("working(background)", [0, 0]));
    script.hook(Fact::SubagentEnded { id: "h".into() });
    script.hook(wake("w1"));
    script.hook(stop("w1"));
    script.registry(at_rest());
    script.tick(1_000);
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
    assert_eq!(counts(&script), [0, 1]);
}

#[test]
fn helpers_that_are_stopped_with_their_main_agent_end_its_turn_once() {
    for is_told in [false, true] {
        let mut script = Script::working();
        script.hook(Fact::SubagentStarted { id: "h".into() });
        script.registry(busy());
        script.log(stopped("t1"));
        assert_eq!(script.phrase(), "working(background)");
        if is_told {
            script.hook(Fact::SubagentEnded { id: "h".into() });
        }
        script.registry(at_rest());
        // Where a helper has ended, that may wake the main agent.
        assert_eq!(script.headline() == Headline::Idle, !is_told);
        script.tick(300);
        assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
        assert_eq!(counts(&script), [0, 1]);
    }
}

#[test]
fn what_was_sent_in_place_of_a_stopped_call_may_be_stopped_as_well() {
    let is_stopped = |mut script: Script| {
        shows(&mut script, 1, at_rest());
        script.tick(1_000);
        assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
        assert_eq!(counts(&script), [1, 2]);
    };
    // The log tells of both, or the status file of the second alone.
    for is_logged in [true, false] {
        for is_log_first in [true, false] {
            let (mut script, written) = stopped_in_a_call(&[at_rest(), busy()]);
            if !is_log_first {
                script.hook(tool_of("t2", "c2"));
            }
            logs(&mut script, written, stopped("t2"));
            if is_logged {
                let written = script.after(1_000).now.0;
                logs(&mut script, written, stopped("t2"));
                assert_eq!(script.headline(), Headline::Idle);
            }
            is_stopped(script);
        }
    }
    // Where no status file tells, of which turn it is nobody knows.
    let mut script = Script::working();
    script.log(stopped("t2"));
    script.refused(Rule::G10);
    assert_eq!(script.headline(), Headline::Working);
}

/// Esc in an answer while a short prompt is queued: the log may be read behind that one's stop, and the status file is
/// the last to rest.
#[test]
fn an_interruption_of_which_the_log_tells_behind_the_next_stop_begins_nothing() {
    for is_log_first in [true, false] {
        let mut script = Script::working();
        shows(&mut script, 10, busy());
        shows(&mut script, 30, at_rest());
        shows(&mut script, 60, busy());
        let mut told = [stopped("t1"), stop("t2")];
        if !is_log_first {
            told.reverse();
        }
        for fact in told {
            if matches!(fact, Fact::TurnInterrupted { .. }) {
                logs(&mut script, 20, fact);
            } else {
                script.hook(fact);
            }
        }
        assert_eq!((script.headline(), counts(&script)), (Headline::Done, [1, 2]));
        shows(&mut script, 90, at_rest());
        script.log(stop_without_a_name());
        script.tick(1_000);
        assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
        assert_eq!(counts(&script), [1, 2]);
    }
}

#[test]
fn who_says_that_it_works_behind_an_interruption_is_named() {
    let explained = taken_up(None, "t1").explained();
    let turn = &explained.dimensions["turn"];
    let winner = turn.winner.as_ref().unwrap();
    assert_eq!((turn.value.as_str(), winner.source), ("working(model)", Source::Registry));
}

#[test]
fn work_that_was_shown_before_the_interruption_is_what_was_stopped() {
    let mut script = Script::working();
    shows(&mut script, 10, busy());
    logs(&mut script, 20, stopped("t1"));
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
    shows(&mut script, 15, at_rest());
    script.tick(1_000);
    assert_eq!((script.headline(), counts(&script)), (Headline::Idle, [0, 1]));
}

#[test]
fn work_that_still_stands_a_moment_after_an_interruption_goes_on() {
    let mut script = Script::working();
    script.registry(busy());
    script.hook(prompt("t2"));
    script.log(stopped("t2"));
    assert_eq!(script.headline(), Headline::Idle);
    script.tick(300);
    assert_eq!(script.phrase(), "working(model)");
    script.hook(stop("t2"));
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
}

#[test]
fn a_stop_of_what_seemed_interrupted_is_an_end_while_work_is_shown() {
    for (rests, headline, outcome) in
        [(false, Headline::Done, "completed"), (true, Headline::Idle, "interrupted")]
    {
        let mut script = Script::working();
        script.registry(busy());
        script.hook(prompt("t2"));
        script.log(stopped("t2"));
        if rests {
            script.registry(at_rest());
        }
        script.hook(stop("t2"));
        script.registry(at_rest());
        script.tick(1_000);
        assert_eq!((script.headline(), script.outcome()), (headline, Some(outcome)));
    }
}

#[test]
fn g5_helpers_go_on_behind_an_interruption() {
    let mut script = Script::working();
    script.registry(busy());
    script.hook(stop_with("t1", &["h"], 0));
    script.hook(prompt("t2"));
    script.log(stopped("t2"));
    script.tick(300);
    assert_eq!(script.phrase(), "working(background)");
    assert_eq!(script.seat.doc().background.subagents, 1);
    // What a person asks then is a turn of its own, and so is what its end wakes.
    for (asks, turn) in [(prompt("t3"), "t3"), (wake("t4"), "t4")] {
        script.hook(asks);
        assert_eq!(script.phrase(), "working(prompt)");
        script.hook(stop_with(turn, &["h"], 0));
        assert_eq!(script.phrase(), "working(background)");
    }
    script.hook(prompt("t5"));
    script.log(stopped("t5"));
    script.tick(300);
    // Somebody ends it, too.
    script.registry(at_rest());
    script.tick(300);
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
    assert_eq!(script.seat.doc().background.subagents, 0);
}

#[test]
fn g5_helpers_go_on_behind_a_failure_that_stands_once_they_are_over() {
    let failed = || {
        let mut script = Script::working();
        script.registry(busy());
        script.hook(Fact::SubagentStarted { id: "h".into() });
        script.hook(fail("t1", "overloaded"));
        assert_eq!(script.headline(), Headline::Failed);
        script.tick(SETTLE_MS);
        assert_eq!((script.phrase().as_str(), counts(&script)), ("working(background)", [1, 1]));
        assert_eq!(script.seat.doc().background.subagents, 1);
        script
    };
    // Nothing has come of them.
    let mut script = failed();
    script.registry(at_rest());
    script.tick(SETTLE_MS);
    assert_eq!((script.headline(), script.outcome()), (Headline::Failed, Some("failed")));
    let outcome = script.seat.outcome.as_ref().unwrap();
    assert_eq!((outcome.code.as_deref(), counts(&script)), (Some("overloaded"), [1, 2]));
    // What one has told is answered.
    let mut script = failed();
    script.hook(Fact::SubagentEnded { id: "h".into() });
    script.hook(wake("w1"));
    script.hook(stop("w1"));
    script.registry(at_rest());
    script.tick(1_000);
    assert_eq!((script.headline(), counts(&script)), (Headline::Done, [1, 2]));
    // Without helpers, or with a file that says in time that all rests, it has only failed.
    for has_helper in [true, false] {
        let mut script = Script::working();
        script.registry(busy());
        if has_helper {
            script.hook(Fact::SubagentStarted { id: "h".into() });
        }
        script.hook(fail("t1", "overloaded"));
        if has_helper {
            script.registry(at_rest());
        }
        script.tick(1_000);
        assert_eq!((script.headline(), counts(&script)), (Headline::Failed, [0, 1]));
    }
}

fn clear(script: &mut Script, meanwhile: &[Level]) {
    script.hook(Fact::SessionEnded { how: SessionEnd::Clear });
    script.session = Some("s2".into());
    for level in meanwhile {
        script.registry(level.clone());
    }
    script.hook(start(SessionStart::Clear));
}

#[test]
fn g5_helpers_go_on_behind_a_conversation_that_is_left() {
    for meanwhile in [vec![], vec![busy()]] {
        let mut script = Script::working();
        script.registry(busy());
        script.hook(stop_with("t1", &["h"], 1));
        clear(&mut script, &meanwhile);
        assert_eq!(script.phrase(), "working(background)");
        let background = script.seat.doc().background;
        assert_eq!((background.subagents, background.shells), (1, 1));
        script.registry(at_rest());
        script.tick(300);
        let background = script.seat.doc().background;
        assert_eq!((background.subagents, background.shells), (0, 0));
        assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
    }
    // Where no status file tells, nobody knows that they do.
    let mut script = Script::working();
    script.hook(stop_with("t1", &["h"], 1));
    clear(&mut script, &[]);
    assert_eq!(script.phrase(), "idle(cleared)");
    let background = script.seat.doc().background;
    assert_eq!((background.subagents, background.shells), (0, 0));
}

#[test]
fn g5_so_they_do_where_the_terminal_shows_the_same_work_later() {
    let mut script = Script::working();
    script.registry(busy());
    script.said(Source::ProgramStatus, Fact::Level(busy()));
    script.hook(stop_with("t1", &["h"], 0));
    clear(&mut script, &[]);
    assert_eq!(script.phrase(), "working(background)");
}

#[test]
fn shells_outlive_the_conversation_that_started_them() {
    let shell = || Level::Idle { shells: 1 };
    for meanwhile in [vec![], vec![shell()], vec![busy(), shell()]] {
        let mut script = Script::working();
        script.registry(busy());
        script.hook(stop_with("t1", &[], 2));
        script.registry(shell());
        clear(&mut script, &meanwhile);
        assert_eq!((script.phrase().as_str(), script.seat.shells), ("idle(cleared)", 2));
        script.registry(at_rest());
        assert_eq!(script.seat.shells, 0);
    }
    // A process takes them along.
    let mut script = Script::working();
    script.registry(busy());
    script.hook(stop_with("t1", &[], 2));
    script.hook(super::script::exit());
    assert_eq!((script.headline(), script.seat.shells), (Headline::Ended, 0));
}

#[test]
fn without_hooks_any_more_the_log_tells_how_a_turn_ended() {
    for (hooked, outcome) in [(false, "completed"), (true, "interrupted")] {
        let mut script = Script::working();
        script.registry(busy());
        script.hook(stop("t1"));
        script.registry(at_rest());
        script.after(60_000).registry(busy());
        script.tick(300);
        assert_eq!(script.phrase(), "working(model)");
        if hooked {
            script.hook(Fact::Nothing);
        }
        script.log(stop_without_a_name());
        assert_eq!(script.headline(), Headline::Working);
        script.registry(at_rest());
        script.tick(300);
        assert_eq!(script.outcome(), Some(outcome), "{hooked}");
    }
}
