//! Helpers that outlive a stop of their main agent, or its turn, and what has become of that once they are over.

use super::script::{
    Script, at_rest, busy, fail, permission, prompt, stop, stop_with, sub, tool, tool_end,
    unlisted_stop, wake,
};
use crate::event::EventBody;
use crate::gate::{self, Rule, SETTLE_MS, STALE_MS};
use crate::observation::{Background, Delivery, Fact, Level, ProcessFact};
use crate::source::Source;
use crate::status::{Exit, ExitKind, Headline};

fn stopped(turn: &str) -> Fact {
    Fact::TurnInterrupted { turn_ref: Some(turn.to_owned()) }
}

fn begins(id: &str) -> Fact {
    Fact::SubagentStarted { id: id.into() }
}

fn ends(id: &str) -> Fact {
    Fact::SubagentEnded { id: id.into() }
}

fn counts(script: &Script) -> [usize; 2] {
    ["turn.started", "turn.completed"].map(|kind| script.count(kind))
}

/// How the turns ended of which the last fact has told.
fn outcomes(script: &Script) -> Vec<&'static str> {
    let outcome = |event: &EventBody| match event {
        EventBody::TurnCompleted { outcome, .. } => outcome.as_ref().map(|end| end.kind.word()),
        _ => None,
    };
    script.last.events.iter().filter_map(outcome).collect()
}

/// Its helper `h` has outlived its first turn, and a person has asked for the second one.
fn next_turn(first: Fact) -> Script {
    let mut script = Script::working();
    script.hook(begins("h"));
    script.hook(first);
    script.hook(prompt("t2"));
    assert_eq!((script.phrase().as_str(), counts(&script)), ("working(prompt)", [1, 1]));
    script
}

fn first_stops() -> [Fact; 2] {
    [stop_with("t1", &["h"], 0), unlisted_stop("t1")]
}

/// The end of one that failed is told by nobody.
#[test]
fn a_stop_that_no_helper_outlives_is_the_end_of_all_but_who_begins_behind_it() {
    let mut script = Script::working();
    script.hook(begins("h"));
    let background = Background { leaves_none: true, ..Background::unlisted() };
    script.hook(Fact::TurnEnded { background, turn_ref: Some("t1".to_owned()) });
    assert_eq!((script.headline(), outcomes(&script)), (Headline::Done, vec!["completed"]));
    script.hook(begins("other"));
    assert_eq!(script.headline(), Headline::Working);
    script.hook(ends("other"));
    script.tick(3_000);
    assert_eq!(script.headline(), Headline::Done);
}

/// How a turn is broken off, and what is said of it then.
fn broken(turn: &str) -> [(Fact, Headline, &'static str); 2] {
    [
        (stopped(turn), Headline::Idle, "interrupted"),
        (fail(turn, "overloaded"), Headline::Failed, "failed"),
    ]
}

#[test]
fn g5_a_helper_that_has_outlived_a_stop_goes_on_behind_a_later_turn_that_breaks_off() {
    for first in first_stops() {
        for (end, headline, outcome) in broken("t2") {
            let mut script = next_turn(first.clone());
            // Several sources may tell it.
            for _ in 0..2 {
                script.hook(end.clone());
                script.tick(SETTLE_MS);
                assert_eq!(script.phrase(), "working(background)", "{end:?}");
                assert_eq!((script.outcome(), counts(&script)), (None, [1, 1]), "{end:?}");
            }
            script.hook(tool(&sub("h"), "c1", 1));
            assert_eq!(script.phrase(), "working(background)", "{end:?}");
            // A hub that is started anew knows it, too.
            let stored = serde_json::to_string(&script.seat).unwrap();
            script.seat = serde_json::from_str(&stored).unwrap();
            script.hook(ends("h"));
            script.tick(3_000);
            assert_eq!((script.headline(), script.outcome()), (headline, Some(outcome)));
            assert_eq!(counts(&script), [1, 2], "{end:?}");
            let code = script.seat.outcome.as_ref().unwrap().code.as_deref();
            let is_failed = headline == Headline::Failed;
            assert_eq!(code, is_failed.then_some("overloaded"));
            assert_eq!(script.seat.turn.detail.as_deref(), code);
        }
    }
}

/// A source that knows of no errors may tell first, and one that has fewer words for it last.
#[test]
fn g5_the_failure_of_a_turn_is_kept_whatever_else_tells_that_it_rests() {
    let mut script = next_turn(unlisted_stop("t1"));
    script.hook(stopped("t2"));
    let (code, detail) = ("quota".to_owned(), Some("no more today".to_owned()));
    script.hook(Fact::TurnFailed { code, detail, turn_ref: Some("t2".to_owned()) });
    script.hook(fail("t2", "another"));
    let failed = Level::Failed { code: "system_error".to_owned() };
    script.said(Source::ProgramStatus, Fact::Level(failed));
    script.tick(SETTLE_MS);
    assert_eq!((script.phrase().as_str(), counts(&script)), ("working(background)", [1, 1]));
    script.said(Source::ProgramStatus, Fact::Level(at_rest()));
    script.refused(Rule::G5);
    script.hook(ends("h"));
    script.tick(3_000);
    let code = script.seat.outcome.as_ref().unwrap().code.as_deref();
    assert_eq!((script.headline(), code), (Headline::Failed, Some("quota")));
    assert_eq!(script.seat.turn.detail.as_deref(), Some("no more today"));
}

#[test]
fn g5_no_stop_of_a_turn_that_has_failed_makes_it_done() {
    for first in first_stops() {
        for end in [unlisted_stop("t2"), stop("t2")] {
            let mut script = next_turn(first.clone());
            script.hook(fail("t2", "overloaded"));
            script.hook(end.clone());
            assert_eq!(
                (script.phrase().as_str(), counts(&script)),
                ("working(background)", [1, 1])
            );
            script.hook(ends("h"));
            script.tick(3_000);
            assert_eq!((script.headline(), outcomes(&script)), (Headline::Failed, vec!["failed"]));
        }
    }
    // Its helper has begun something behind it.
    let mut script = Script::working();
    script.hook(fail("t1", "overloaded"));
    script.after(SETTLE_MS).hook(begins("h"));
    script.hook(unlisted_stop("t1"));
    assert_eq!(script.phrase(), "working(background)");
    script.hook(ends("h"));
    script.tick(3_000);
    assert_eq!((script.headline(), outcomes(&script)), (Headline::Failed, vec!["failed"]));
}

/// It is said again as long as it stands, and the end of the helper may have been lost.
#[test]
fn g5_a_failure_that_only_stands_says_nothing_of_the_helpers_behind_it() {
    let mut script = next_turn(unlisted_stop("t1"));
    let failed = || Fact::Level(Level::Failed { code: "overloaded".to_owned() });
    script.said(Source::ProgramStatus, failed());
    script.tick(SETTLE_MS);
    assert_eq!(script.phrase(), "working(background)");
    script.delivery = Delivery::Standing;
    for _ in 0..2 {
        script.after(STALE_MS).said(Source::ProgramStatus, failed());
        script.refused(Rule::G5);
    }
    script.tick(0);
    assert_eq!(script.headline(), Headline::Unknown);
    script.said(Source::ProgramStatus, failed());
    script.tick(SETTLE_MS);
    assert_eq!((script.headline(), outcomes(&script)), (Headline::Failed, vec!["failed"]));
}

/// Later it is that of a main agent that something has woken.
#[test]
fn g5_a_stop_without_a_name_just_behind_the_failure_of_its_turn_makes_it_no_done() {
    let nameless = || Fact::TurnEnded { background: Background::unlisted(), turn_ref: None };
    for (after, outcome) in [(1_000, "failed"), (2_000, "completed")] {
        let mut script = Script::idle();
        script.hook(Fact::PromptTold);
        script.hook(begins("h"));
        script.hook(nameless());
        script.hook(Fact::PromptTold);
        let code = "overloaded".to_owned();
        script.hook(Fact::TurnFailed { code, detail: None, turn_ref: None });
        script.after(after).hook(nameless());
        assert_eq!(script.phrase(), "working(background)", "{after}");
        script.hook(ends("h"));
        script.tick(3_000);
        assert_eq!(script.outcome(), Some(outcome), "{after}");
    }
}

/// A log may have an end without a failure behind that.
#[test]
fn g5_no_end_in_the_log_of_a_turn_that_has_failed_makes_it_done() {
    let mut script = next_turn(stop_with("t1", &["h"], 0));
    script.hook(fail("t2", "overloaded"));
    let background = Background { logged: true, ..Background::default() };
    script.log(Fact::TurnEnded { background, turn_ref: Some("t2".to_owned()) });
    script.hook(ends("h"));
    script.said(Source::ProgramStatus, Fact::Level(at_rest()));
    script.tick(SETTLE_MS);
    assert_eq!((script.headline(), outcomes(&script)), (Headline::Failed, vec!["failed"]));
}

#[test]
fn g5_the_failure_of_a_turn_is_kept_over_the_end_of_its_process() {
    for (end, _, outcome) in broken("t2") {
        let mut script = next_turn(unlisted_stop("t1"));
        script.hook(end);
        let exited = ProcessFact::Exited(Exit::of(ExitKind::Clean));
        script.said(Source::Process, Fact::Process(exited));
        let outcome = if outcome == "failed" { outcome } else { "aborted" };
        assert_eq!((script.headline(), script.outcome()), (Headline::Ended, Some(outcome)));
    }
}

#[test]
fn g5_a_failure_that_was_seen_is_no_news_once_its_helper_is_over() {
    for wakes in [false, true] {
        let mut script = Script::working();
        script.hook(fail("t1", "overloaded"));
        gate::mark_seen(&mut script.seat, script.now);
        script.after(SETTLE_MS).hook(begins("h"));
        assert_eq!(script.phrase(), "working(background)");
        script.hook(ends("h"));
        if wakes {
            script.hook(wake("t2"));
            script.hook(stop("t2"));
        }
        script.tick(3_000);
        let told = (script.headline(), script.outcome());
        let is = if wakes { (Headline::Done, "completed") } else { (Headline::Idle, "failed") };
        assert_eq!(told, (is.0, Some(is.1)));
    }
}

/// Its end was lost, and another one of its name begins in a later turn.
#[test]
fn g5_a_helper_that_runs_no_more_has_outlived_nothing() {
    let mut script = next_turn(unlisted_stop("t1"));
    script.hook(unlisted_stop("t2"));
    script.hook(prompt("t3"));
    assert_eq!(script.seat.subagents.len(), 0);
    script.hook(begins("h"));
    script.hook(stopped("t3"));
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
}

#[test]
fn g5_what_follows_behind_a_kept_failure_is_a_turn_of_its_own() {
    for first in first_stops() {
        // Its helper's end wakes the main agent, which comes to its end.
        let mut script = next_turn(first.clone());
        script.hook(fail("t2", "overloaded"));
        script.hook(ends("h"));
        script.hook(wake("w1"));
        script.tick(5_000);
        assert_eq!(script.phrase(), "working(prompt)");
        script.hook(stop("w1"));
        assert_eq!((script.headline(), outcomes(&script)), (Headline::Done, vec!["completed"]));
        // Its person goes on.
        let mut script = next_turn(first);
        script.hook(fail("t2", "overloaded"));
        script.hook(tool(&sub("h"), "c1", 1));
        script.hook(prompt("t3"));
        assert_eq!((script.headline(), outcomes(&script)), (Headline::Working, vec!["failed"]));
        script.hook(stopped("t3"));
        assert_eq!(script.phrase(), "working(background)");
        script.hook(ends("h"));
        script.tick(3_000);
        assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
    }
}

#[test]
fn g5_helpers_of_a_turn_that_was_stopped_are_over_with_it_and_behind_a_failure_they_go_on() {
    for first in first_stops() {
        let mut script = next_turn(first.clone());
        script.hook(begins("i"));
        script.hook(stopped("t2"));
        assert_eq!(script.seat.subagents, ["h"]);
        // It was on its way.
        script.hook(tool(&sub("i"), "c1", 1));
        script.refused(Rule::G10);
        script.hook(ends("h"));
        script.tick(3_000);
        assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
        let mut script = next_turn(first);
        script.hook(begins("i"));
        script.hook(fail("t2", "overloaded"));
        script.hook(ends("h"));
        script.tick(3_000);
        assert_eq!(script.phrase(), "working(background)");
        script.hook(ends("i"));
        script.tick(3_000);
        assert_eq!(script.headline(), Headline::Failed);
    }
    // None has outlived a stop.
    for (end, headline, outcome) in broken("t1") {
        let mut script = Script::working();
        script.hook(begins("i"));
        script.hook(end);
        assert_eq!((script.headline(), script.outcome()), (headline, Some(outcome)));
    }
}

/// That one shows whether anything goes on.
#[test]
fn g5_a_status_file_tells_whether_helpers_go_on_behind_a_failure() {
    let mut script = next_turn(stop_with("t1", &["h"], 0));
    script.registry(busy());
    script.hook(fail("t2", "overloaded"));
    assert_eq!((script.phrase().as_str(), counts(&script)), ("working(background)", [1, 1]));
    script.registry(at_rest());
    script.tick(SETTLE_MS);
    let code = script.seat.outcome.as_ref().unwrap().code.as_deref();
    assert_eq!((script.headline(), code), (Headline::Failed, Some("overloaded")));
    assert_eq!(counts(&script), [1, 2]);
}

#[test]
fn g5_a_helper_that_starts_behind_a_broken_turn_works_and_leaves_its_outcome() {
    for (end, headline, outcome) in broken("t1") {
        let mut script = Script::working();
        script.hook(end);
        script.after(SETTLE_MS).hook(begins("h"));
        assert_eq!((script.phrase().as_str(), counts(&script)), ("working(background)", [1, 1]));
        assert_eq!(script.seat.doc().background.subagents, 1);
        script.hook(ends("h"));
        script.tick(3_000);
        assert_eq!((script.headline(), script.outcome()), (headline, Some(outcome)));
        assert_eq!(counts(&script), [1, 2]);
    }
}

/// Its start was not told, or is told just behind that end: it may have been stopped with the turn.
#[test]
fn g5_a_helper_first_heard_of_behind_a_broken_turn_is_counted() {
    let told = [(0, begins("h")), (SETTLE_MS, tool(&sub("h"), "c1", 1))];
    for (wait, told) in told {
        for (end, headline, _) in broken("t1") {
            let mut script = Script::working();
            script.hook(end);
            script.after(wait).hook(told.clone());
            assert_eq!((script.headline(), counts(&script)), (headline, [0, 1]), "{told:?}");
            assert_eq!(script.seat.doc().background.subagents, 1, "{told:?}");
            // It begins something.
            script.after(SETTLE_MS).hook(tool(&sub("h"), "c2", 2));
            assert_eq!(script.phrase(), "working(background)", "{told:?}");
        }
    }
}

/// Nothing tells which helper it is.
#[test]
fn g5_a_helper_without_a_name_that_begins_something_is_one_of_those_that_run() {
    let mut script = Script::working();
    script.hook(begins("h"));
    script.hook(Fact::HelperWorks);
    assert_eq!(script.phrase(), "working(prompt)");
    script.hook(stopped("t1"));
    script.hook(Fact::HelperWorks);
    assert_eq!(script.headline(), Headline::Idle);
    script.after(SETTLE_MS).hook(Fact::HelperWorks);
    assert_eq!(script.phrase(), "working(background)");
    script.hook(ends("h"));
    script.tick(3_000);
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
    // Where none is known it is nobody.
    script.hook(Fact::HelperWorks);
    assert_eq!((script.headline(), script.seat.subagents.len()), (Headline::Idle, 0));
}

#[test]
fn g5_a_helper_that_begins_something_behind_a_broken_turn_works() {
    for end in [stopped("t1"), fail("t1", "overloaded")] {
        for wakes in [false, true] {
            let mut script = Script::working();
            script.hook(Fact::SubagentStarted { id: "h".into() });
            script.hook(end.clone());
            let broken = script.headline();
            // It may have been on its way, and so may what a call has brought.
            script.hook(tool(&sub("h"), "c8", 8));
            script.after(SETTLE_MS).hook(tool_end(&sub("h"), "c8", 8));
            assert_eq!((script.headline(), counts(&script)), (broken, [0, 1]), "{end:?}");
            script.hook(tool(&sub("h"), "c9", 9));
            assert_eq!(script.phrase(), "working(background)", "{end:?}");
            ends_behind(&mut script, wakes, &end);
        }
    }
    // A status file tells that better.
    let mut script = Script::working();
    script.registry(busy());
    script.hook(Fact::SubagentStarted { id: "h".into() });
    script.log(stopped("t1"));
    script.registry(at_rest());
    script.after(SETTLE_MS).hook(tool(&sub("h"), "c9", 9));
    assert_eq!(script.headline(), Headline::Idle);
}

/// The helper behind the end of a turn has ended, and may wake the agent. Else that turn is again what it was.
fn ends_behind(script: &mut Script, wakes: bool, end: &Fact) {
    script.hook(Fact::SubagentEnded { id: "h".into() });
    if wakes {
        script.hook(wake("t2"));
        assert_eq!(script.phrase(), "working(prompt)", "{end:?}");
        script.hook(stop("t2"));
    }
    script.tick(2_000);
    let was = match end {
        Fact::TurnFailed { .. } if !wakes => (Headline::Failed, "failed"),
        Fact::TurnInterrupted { .. } if !wakes => (Headline::Idle, "interrupted"),
        _ => (Headline::Done, "completed"),
    };
    assert_eq!((script.headline(), script.outcome()), (was.0, Some(was.1)), "{end:?}");
    assert_eq!(counts(script), [1, 2], "{end:?}");
}

/// No status file tells of it. Of the helper behind the stop no start was told.
#[test]
fn g5_what_a_helper_asks_behind_a_turn_that_has_ended_goes_on_until_its_end() {
    let behind =
        [(true, stopped("t1")), (true, fail("t1", "overloaded")), (false, unlisted_stop("t1"))];
    for (is_known, end) in behind {
        for wakes in [false, true] {
            let mut script = Script::working();
            if is_known {
                script.hook(Fact::SubagentStarted { id: "h".into() });
            }
            script.hook(end.clone());
            script.hook(permission(&sub("h"), 9));
            assert_eq!(script.headline(), Headline::Blocked, "{end:?}");
            script.hook(tool_end(&sub("h"), "c9", 9));
            assert_eq!(script.phrase(), "working(background)", "{end:?}");
            assert_eq!(script.seat.doc().background.subagents, 1);
            ends_behind(&mut script, wakes, &end);
        }
    }
}

/// A notice alone has told that the main agent rests.
fn cut_beside_a_helper() -> Script {
    let mut script = Script::working();
    script.hook(begins("h"));
    script.hook(Fact::TurnOver);
    script.tick(SETTLE_MS);
    assert_eq!(script.phrase(), "working(background)");
    script
}

#[test]
fn g5_a_turn_that_was_cut_beside_its_helper_is_over_with_that_unless_its_title_shows_work() {
    let mut script = cut_beside_a_helper();
    script.said(Source::ProgramStatus, Fact::Level(at_rest()));
    script.refused(Rule::G5);
    script.hook(ends("h"));
    assert_eq!(script.phrase(), "working(background)", "it may wake the main agent");
    script.tick(3_000);
    assert_eq!((script.headline(), outcomes(&script)), (Headline::Idle, vec!["interrupted"]));
    let mut script = cut_beside_a_helper();
    script.hook(ends("h"));
    script.said(Source::Title, Fact::Level(busy()));
    script.tick(3_000);
    assert_eq!(script.headline(), Headline::Working);
    script.hook(stop("t2"));
    assert_eq!(script.headline(), Headline::Done);
}

#[test]
fn g5_a_notice_of_long_rest_that_names_its_turn_leaves_the_helpers_that_run() {
    let notice = || Fact::IdleForLong { turn_ref: Some("t1".to_owned()) };
    let mut script = Script::working();
    script.hook(begins("h"));
    script.after(60_000).hook(notice());
    assert_eq!((script.phrase().as_str(), script.outcome()), ("working(background)", None));
    script.hook(notice());
    script.refused(Rule::G5);
    script.hook(ends("h"));
    script.tick(3_000);
    assert_eq!((script.headline(), outcomes(&script)), (Headline::Idle, vec!["interrupted"]));
    // Its stop was told.
    let mut script = Script::working();
    script.hook(begins("h"));
    script.hook(unlisted_stop("t1"));
    script.after(60_000).hook(notice());
    script.refused(Rule::G5);
    assert_eq!(script.phrase(), "working(background)");
    // It is of the turn before.
    script.hook(prompt("t2"));
    script.after(SETTLE_MS).hook(notice());
    script.refused(Rule::G10);
    // No helper runs.
    let mut script = Script::working();
    script.after(60_000).hook(notice());
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
}
