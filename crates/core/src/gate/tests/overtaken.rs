//! G10: what a program says that it made before an end, and that comes behind it.

use super::script::{Script, busy, fail, prompt, stop, stop_without_a_name};
use crate::gate::{Rule, SETTLE_MS};
use crate::observation::{Background, Fact, Submitter};
use crate::prompt::{Actor, NewPrompt, Resolution, ToolRef};
use crate::status::{BlockedReason, Headline};
use crate::time::UnixMs;

const MAIN: Actor = Actor::Main;

fn call() -> ToolRef {
    ToolRef { name: "Bash".into(), id: None, input: Some(7) }
}

fn begins(actor: Actor) -> Fact {
    Fact::ToolStarted { actor, tool: call(), turn_ref: None }
}

fn ends() -> Fact {
    Fact::ToolsEnded { actor: MAIN, tools: vec![call()], interrupted: false, turn_ref: None }
}

fn notice() -> Fact {
    let prompt = NewPrompt::plain(BlockedReason::Permission, Some("go?"));
    Fact::DialogShown { actor: MAIN, prompt }
}

fn prompted() -> Fact {
    Fact::PromptSubmitted { by: Submitter::Person, turn_ref: None }
}

/// What is said, each with when its program says that it made it.
fn told(facts: Vec<(i64, Fact)>) -> Script {
    let mut script = Script::idle();
    for (made_at, fact) in facts {
        // Its clock has nothing to do with ours.
        script.made_at = Some(UnixMs(made_at));
        script.hook(fact);
    }
    script
}

#[test]
fn g10_what_was_made_before_the_end_of_a_turn_begins_nothing_behind_it() {
    let turn = || vec![(10, prompted()), (20, stop_without_a_name())];
    for late in [begins(MAIN), notice()] {
        let script = told([turn(), vec![(19, late.clone())]].concat());
        script.refused(Rule::G10);
        assert_eq!(script.headline(), Headline::Done, "{late:?}");
        // Made behind it, it is of something new; and so it may be a moment later where nobody says when it was made.
        for (made_at, after) in [(Some(20), 0), (Some(21), 0), (None, SETTLE_MS)] {
            let mut script = told(turn());
            script.made_at = made_at.map(UnixMs);
            script.after(after).hook(late.clone());
            assert_ne!(script.headline(), Headline::Done, "{late:?} {made_at:?}");
        }
    }
}

#[test]
fn g10_a_notice_that_was_made_before_the_end_of_its_call_asks_nothing() {
    let asked = |made_at| {
        told(vec![(10, prompted()), (20, begins(MAIN)), (30, ends()), (made_at, notice())])
    };
    asked(25).refused(Rule::G10);
    assert_eq!(asked(25).headline(), Headline::Working);
    assert_eq!(asked(35).headline(), Headline::Blocked);
    // With another call open it is about that one.
    let mut script = told(vec![(10, prompted()), (20, begins(MAIN)), (30, ends())]);
    script.hook(begins(MAIN));
    script.made_at = Some(UnixMs(25));
    script.hook(notice());
    assert_eq!(script.headline(), Headline::Blocked);
}

#[test]
fn g10_an_end_that_was_made_before_the_prompt_of_the_open_turn_ends_nothing() {
    let failed = Fact::TurnFailed { code: "x".into(), detail: None, turn_ref: None };
    let turns = || vec![(10, prompted()), (100, stop_without_a_name()), (200, prompted())];
    for end in [stop_without_a_name(), failed, Fact::TurnUnanswered] {
        for made_at in [50, 100] {
            let script = told([turns(), vec![(made_at, end.clone())]].concat());
            script.refused(Rule::G10);
            assert_eq!(script.headline(), Headline::Working, "{end:?} {made_at}");
        }
    }
    // The very same end may come again at any time; a clock may be set back.
    for (made_at, headline) in [(100, Headline::Working), (50, Headline::Done)] {
        let mut script = told(turns());
        script.made_at = Some(UnixMs(made_at));
        script.after(5_000).hook(stop_without_a_name());
        assert_eq!(script.headline(), headline, "{made_at}");
    }
    let script = told([turns(), vec![(200, stop_without_a_name())]].concat());
    assert_eq!(script.headline(), Headline::Done);
}

/// Copilot CLI 1.0.102: the end of its last helper wakes a main agent that has stopped, a moment later.
#[test]
fn g3_a_stop_that_is_told_twice_with_one_time_is_no_end_of_what_a_helper_wakes() {
    let left = Background { wakes: true, ..Background::unlisted() };
    let stop = Fact::TurnEnded { background: left, turn_ref: None };
    let starts = Fact::SubagentStarted { id: "h".into() };
    let ends = Fact::SubagentEnded { id: "h".into() };
    let turn = vec![(10, prompted()), (20, starts), (30, stop.clone()), (40, ends)];
    let mut script = told([turn, vec![(30, stop.clone())]].concat());
    script.refused(Rule::G3);
    assert_eq!(script.headline(), Headline::Working);
    // It is woken, and comes to its end.
    script.made_at = Some(UnixMs(50));
    script.hook(Fact::PromptSubmitted { by: Submitter::Program, turn_ref: None });
    script.made_at = Some(UnixMs(60));
    script.hook(stop);
    assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Done, 1));
}

#[test]
fn g10_a_helpers_start_that_was_made_before_its_end_does_not_start_it_again() {
    let start = || Fact::SubagentStarted { id: "h".into() };
    let turn = || {
        let end = Fact::SubagentEnded { id: "h".into() };
        vec![(10, prompted()), (20, start()), (40, end)]
    };
    let script = told([turn(), vec![(20, start())]].concat());
    script.refused(Rule::G10);
    assert!(script.seat.subagents.is_empty());
    // One that is taken up again runs, and so does another one.
    let script = told([turn(), vec![(50, start())]].concat());
    assert_eq!(script.seat.subagents, ["h"]);
    let script = told([turn(), vec![(30, Fact::SubagentStarted { id: "k".into() })]].concat());
    assert_eq!(script.seat.subagents, ["k"]);
}

/// Claude Code 2.1.330: a prompt waits behind a `/compact` that fails. Its log tells of that when it comes to it.
#[test]
fn g10_a_failure_that_was_logged_before_the_next_prompt_is_none_of_its_turn() {
    let failed = || Fact::TurnFailed { code: "x".into(), detail: None, turn_ref: None };
    let mut script = Script::idle();
    script.registry(busy());
    script.hook(Fact::CompactionStarted);
    let written_at = script.now;
    script.after(50).hook(prompt("t2"));
    assert_eq!(script.outcome(), None);
    script.made_at = Some(written_at);
    script.log(failed());
    script.refused(Rule::G10);
    assert_eq!(script.headline(), Headline::Working);
    script.made_at = Some(script.now);
    script.log(failed());
    assert_eq!(script.headline(), Headline::Failed);
}

/// Where there is no status file, either: a prompt that waited begins as soon as the turn before it has failed.
#[test]
fn g10_a_failure_whose_log_is_read_behind_the_next_prompt_fails_one_turn() {
    let mut script = Script::working();
    let written_at = script.now;
    script.after(10).hook(fail("t1", "x"));
    script.hook(prompt("t2"));
    script.made_at = Some(written_at);
    script.log(Fact::TurnFailed { code: "x".into(), detail: None, turn_ref: None });
    script.refused(Rule::G10);
    script.made_at = None;
    script.hook(stop("t2"));
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
}

/// A prompt that waited begins as soon as Esc has stopped the turn before it, and its hook may be here before the log is
/// read (measured: written 77 ms before the prompt, read 110 ms behind its hook).
#[test]
fn g10_an_end_that_was_logged_before_the_prompt_of_the_open_turn_ends_nothing() {
    let failed = Fact::TurnFailed { code: "x".into(), detail: None, turn_ref: None };
    let refused = Fact::PromptRefused {
        reason: BlockedReason::Permission,
        key: Some("r1".into()),
        resolution: Resolution::elsewhere(UnixMs::default()),
        turn_ref: None,
    };
    let logged = |after: i64, made_at: Option<i64>, end: &Fact| {
        let mut script = told(vec![(10, prompted()), (200, prompted())]);
        script.made_at = made_at.map(UnixMs);
        script.after(after).log(end.clone());
        script
    };
    for end in [Fact::TurnInterrupted { turn_ref: None }, failed, refused] {
        let mut script = logged(0, Some(123), &end);
        script.refused(Rule::G10);
        assert_eq!((script.headline(), script.seat.turn.seq), (Headline::Working, 2), "{end:?}");
        script.made_at = Some(UnixMs(300));
        script.hook(stop_without_a_name());
        assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Done, 2));
        // What is written behind the prompt is of its own turn; so it may be where nobody says when, or long after.
        for (after, made_at) in [(0, Some(200)), (0, Some(201)), (0, None), (5_000, Some(123))] {
            let script = logged(after, made_at, &end);
            assert_ne!(script.headline(), Headline::Working, "{end:?} {after} {made_at:?}");
        }
    }
}

#[test]
fn g10_a_prompt_that_was_made_before_the_last_end_opens_no_turn() {
    let script = told(vec![(100, stop_without_a_name()), (10, prompted())]);
    script.refused(Rule::G10);
    assert_eq!(script.headline(), Headline::Done);
}

#[test]
fn g3_a_prompt_that_is_told_twice_with_one_time_is_one() {
    let script = told(vec![(10, prompted()), (10, prompted())]);
    script.refused(Rule::G3);
    assert_eq!((script.seat.turn.seq, script.count("turn.started")), (1, 1));
    let script = told(vec![(10, prompted()), (11, prompted())]);
    assert_eq!(script.seat.turn.seq, 2);
}

#[test]
fn g10_a_clock_that_is_set_back_and_another_session_are_not_late() {
    let mut script = told(vec![(9_000, prompted()), (9_100, stop_without_a_name())]);
    script.made_at = Some(UnixMs(1));
    script.after(5_000).hook(begins(MAIN));
    assert_eq!(script.headline(), Headline::Working);
    let mut script = told(vec![(9_000, prompted()), (9_100, stop_without_a_name())]);
    script.made_at = Some(UnixMs(1));
    script.session = Some("s2".into());
    script.hook(begins(MAIN));
    assert_eq!(script.headline(), Headline::Working);
}

#[test]
fn g10_a_turn_behind_a_clock_that_is_set_back_by_an_hour_is_told() {
    const HOUR: i64 = 3_600_000;
    let first = vec![(HOUR, prompted()), (HOUR + 10, stop_without_a_name())];
    let mut script = told([first, vec![(20, prompted()), (30, begins(MAIN))]].concat());
    assert_eq!((script.headline(), script.seat.turn.seq), (Headline::Working, 2));
    script.made_at = Some(UnixMs(40));
    script.hook(stop_without_a_name());
    assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Done, 2));
}

#[test]
fn g10_a_helper_may_go_on_behind_the_main_agents_end() {
    let mut script = told(vec![(10, prompted()), (20, stop_without_a_name())]);
    script.made_at = Some(UnixMs(19));
    script.hook(begins(Actor::Sub("h".into())));
    assert_eq!(script.last.refused, None);
}

#[test]
fn g3_a_prompt_of_which_several_events_tell_begins_one_turn() {
    let mut script = Script::idle();
    for _ in 0..2 {
        script.hook(Fact::PromptTold);
        assert_eq!((script.headline(), script.seat.turn.seq), (Headline::Working, 1));
    }
    script.hook(stop_without_a_name());
    script.hook(Fact::PromptTold);
    assert_eq!((script.headline(), script.seat.turn.seq), (Headline::Working, 2));
    assert_eq!(script.count("turn.completed"), 1);
}
