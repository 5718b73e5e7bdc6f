//! What goes on behind an interruption, a conversation that is left, and hooks that are there no more.

use super::script::{
    Script, at_rest, busy, prompt, start, stop, stop_with, stop_without_a_name, wake,
};
use crate::observation::{Fact, Level, SessionEnd, SessionStart};
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
