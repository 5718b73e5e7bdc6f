//! G7: nothing is idle between the start and the end of a compaction; the own status tells its end.

mod beside;

use super::script::{Script, at_rest, busy, fail, prompt, start, stop, tool_of, wake};
use crate::gate::Rule;
use crate::observation::{Background, Fact, Level, SessionStart};
use crate::source::Source;
use crate::status::Headline;

#[test]
fn g7_nothing_produces_idle_during_compaction() {
    let mut script = Script::working();
    script.hook(Fact::CompactionStarted);
    assert_eq!(script.phrase(), "working(compacting)");
    script.hook(stop("t1"));
    script.refused(Rule::G7);
    script.hook(Fact::IdleNotice { turn_ref: None });
    script.refused(Rule::G7);
    script.registry(at_rest());
    script.refused(Rule::G7);
    script.hook(start(SessionStart::Compact));
    script.silent();
    assert_eq!(script.phrase(), "working(compacting)");
    script.hook(Fact::CompactionEnded { manual: Some(false) });
    assert_eq!(script.phrase(), "working(model)");
    script.hook(stop("t1"));
    assert_eq!(script.headline(), Headline::Done);
    assert_eq!(script.count("turn.completed"), 1);
}

#[test]
fn a_manual_compaction_is_a_turn_of_its_own() {
    let mut script = Script::idle();
    script.hook(Fact::CompactionStarted);
    assert_eq!(script.headline(), Headline::Working);
    script.hook(Fact::CompactionEnded { manual: Some(true) });
    assert_eq!(script.headline(), Headline::Done);
    assert_eq!(script.count("turn.started"), 1);
    assert_eq!(script.count("turn.completed"), 1);
}

/// Whatever is told again of the turn before it: its end, by whichever word, or a call.
#[test]
fn g7_what_bears_the_name_of_the_turn_before_ends_no_compaction() {
    let interrupted = |turn: &str| Fact::TurnInterrupted { turn_ref: Some(turn.to_owned()) };
    for late in [fail("t1", "server_error"), interrupted("t1"), tool_of("t1", "c1"), stop("t1")] {
        let mut script = Script::working();
        script.hook(stop("t1"));
        script.after(5_000).hook(Fact::CompactionStarted);
        script.hook(late.clone());
        assert!(script.last.refused.is_some(), "{late:?}");
        assert_eq!(script.phrase(), "working(compacting)", "{late:?}");
        script.hook(Fact::CompactionEnded { manual: Some(true) });
        assert_eq!(script.headline(), Headline::Done, "{late:?}");
    }
    // By its own name, or by none, a person stops it.
    for turn_ref in [Some("t2".to_owned()), None] {
        let mut script = Script::working();
        script.hook(stop("t1"));
        script.hook(Fact::CompactionStarted);
        script.hook(Fact::TurnInterrupted { turn_ref });
        assert_eq!(script.outcome(), Some("interrupted"));
    }
}

/// Nothing tells by whose wish it was.
#[test]
fn a_compaction_at_the_prompt_is_a_turn_of_its_own_also_where_nothing_says_so() {
    let mut script = Script::idle();
    script.hook(Fact::CompactionStarted);
    script.hook(start(SessionStart::Compact));
    script.hook(Fact::CompactionEnded { manual: None });
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
    assert_eq!((script.count("turn.started"), script.count("turn.completed")), (1, 1));
    // In mid-turn it goes on.
    let mut script = Script::working();
    script.hook(Fact::CompactionStarted);
    script.hook(Fact::CompactionEnded { manual: None });
    assert_eq!(script.phrase(), "working(model)");
    script.hook(stop("t1"));
    assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Done, 1));
}

#[test]
fn a_compaction_that_was_stopped_is_over_with_the_next_prompt() {
    let mut script = Script::idle();
    script.hook(Fact::CompactionStarted);
    script.hook(prompt("t1"));
    assert_eq!(script.phrase(), "working(prompt)");
    script.hook(stop("t1"));
    assert_eq!(script.headline(), Headline::Done);
    assert_eq!((script.count("turn.started"), script.count("turn.completed")), (2, 2));

    let mut script = Script::working();
    script.hook(Fact::CompactionStarted);
    script.hook(prompt("t2"));
    script.hook(stop("t2"));
    assert_eq!(script.headline(), Headline::Done);
}

#[test]
fn a_compaction_whose_end_was_lost_is_over_with_the_turns_end() {
    let mut script = Script::working();
    script.hook(Fact::CompactionStarted);
    script.hook(start(SessionStart::Compact));
    script.hook(stop("t1"));
    assert_eq!(script.headline(), Headline::Done);
}

/// The log tells the end of a turn behind all of its hooks.
fn end_of(turn: &str) -> Fact {
    let background = Background { logged: true, ..Background::default() };
    Fact::TurnEnded { background, turn_ref: Some(turn.to_owned()) }
}

#[test]
fn a_compaction_whose_end_was_lost_is_over_with_the_turn_that_the_log_ends_behind_its_hooks() {
    let begins = |turn: &str| Fact::CompactionBegun { turn_ref: turn.to_owned() };
    for log_first in [true, false] {
        let mut script = Script::idle();
        if log_first {
            script.log(wake("p1"));
        }
        script.hook(begins("p1"));
        if !log_first {
            script.log(wake("p1"));
        }
        script.log(end_of("p0"));
        assert_eq!(script.phrase(), "working(compacting)");
        script.log(end_of("p1"));
        assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
        assert_eq!((script.count("turn.started"), script.count("turn.completed")), (1, 1));
        script.hook(prompt("t1"));
        script.hook(stop("t1"));
        assert_eq!(script.headline(), Headline::Done);
    }
    // Nobody has heard how its turn began.
    let mut script = Script::idle();
    script.hook(begins("p1"));
    script.log(end_of("p1"));
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
    // In mid-turn its stop is none yet.
    let mut script = Script::working();
    script.hook(begins("t1"));
    script.hook(stop("t1"));
    script.refused(Rule::G7);
    script.log(end_of("t1"));
    assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Done, 1));
    // The end of the turn before, read late, is not its own.
    let mut script = Script::working();
    script.hook(begins("p2"));
    script.log(end_of("t1"));
    assert_eq!(script.phrase(), "working(compacting)");
}

/// Claude Code 2.1.330 tells no hook of an Esc during `/compact`; its status file is busy from
/// before the compaction to its end, and then idle.
#[test]
fn a_compaction_that_was_stopped_is_over_with_the_own_status() {
    let mut script = Script::idle();
    script.registry(at_rest());
    script.hook(Fact::CompactionStarted);
    // Read again before the program has written that it is busy.
    script.registry(at_rest());
    script.refused(Rule::G7);
    script.registry(busy());
    script.after(3_000).registry(at_rest());
    script.tick(299);
    assert_eq!(script.phrase(), "working(compacting)");
    script.tick(1);
    assert_eq!(script.headline(), Headline::Idle);
    assert_eq!(script.outcome(), Some("interrupted"));
    script.hook(prompt("t1"));
    script.hook(stop("t1"));
    assert_eq!(script.headline(), Headline::Done);
}

#[test]
fn a_compactions_end_that_is_told_beside_the_own_status_completes_it() {
    for hook_first in [true, false] {
        let mut script = Script::idle();
        script.registry(busy());
        script.hook(Fact::CompactionStarted);
        let ended = Fact::CompactionEnded { manual: Some(true) };
        if hook_first {
            script.hook(ended);
            script.registry(at_rest());
        } else {
            script.registry(at_rest());
            script.hook(ended);
        }
        script.tick(1_000);
        assert_eq!(script.headline(), Headline::Done);
        assert_eq!(script.count("turn.completed"), 1);
    }
}

/// Claude Code 2.1.330 on a busy machine: its status file shows work before the hook tells of the compaction, and for a
/// moment behind its end.
#[test]
fn work_that_was_shown_before_the_end_of_a_compaction_is_over_with_it() {
    let mut script = Script::idle();
    script.registry(at_rest());
    script.after(60_000).registry(busy());
    script.hook(Fact::CompactionStarted);
    script.after(200).hook(Fact::CompactionEnded { manual: Some(true) });
    assert_eq!(script.headline(), Headline::Done);
    script.tick(200);
    script.registry(at_rest());
    script.tick(300);
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
    assert_eq!((script.count("turn.started"), script.count("turn.completed")), (1, 1));
}

#[test]
fn a_turn_that_is_stopped_while_it_compacts_is_over_with_the_own_status() {
    let mut script = Script::working();
    script.registry(busy());
    script.hook(Fact::CompactionStarted);
    script.registry(at_rest());
    // The next one begins at once: nothing was stopped.
    script.registry(busy());
    script.tick(1_000);
    assert_eq!(script.phrase(), "working(compacting)");
    script.registry(at_rest());
    script.tick(300);
    assert_eq!(script.outcome(), Some("interrupted"));
    assert_eq!(script.headline(), Headline::Idle);
}

/// Claude Code 2.1.330 on a busy machine: between a turn and the `/compact` that is queued behind it its status file
/// says that it rests, and that it works again only after the hook.
#[test]
fn rest_that_was_shown_before_a_compaction_is_not_its_end() {
    let mut script = Script::working();
    script.hook(stop("t1"));
    script.registry(busy());
    script.tick(300);
    assert_eq!(script.headline(), Headline::Working);
    script.registry(at_rest());
    script.hook(Fact::CompactionStarted);
    script.tick(300);
    assert_eq!(script.phrase(), "working(compacting)");
    script.registry(busy());
    script.after(3_000).registry(at_rest());
    script.hook(Fact::CompactionEnded { manual: Some(true) });
    script.tick(300);
    assert_eq!(script.headline(), Headline::Done);
    assert_eq!((script.count("turn.started"), script.count("turn.completed")), (1, 2));
}

/// Claude Code 2.1.330: a `/compact` that fails is done by the program's status at its terminal, and no hook tells of
/// it; its log says why.
#[test]
fn a_compaction_that_fails_by_the_log_has_failed_whichever_tells_first() {
    for log_first in [true, false] {
        let mut script = Script::idle();
        script.said(Source::ProgramStatus, Fact::Level(busy()));
        script.hook(Fact::CompactionStarted);
        let failed = Fact::TurnFailed { code: "other".into(), detail: None, turn_ref: None };
        if log_first {
            script.log(failed.clone());
        }
        script.said(Source::ProgramStatus, Fact::Level(Level::Done));
        script.tick(300);
        if !log_first {
            assert_eq!(script.headline(), Headline::Done);
            script.log(failed);
        }
        assert_eq!((script.headline(), script.outcome()), (Headline::Failed, Some("failed")));
        assert_eq!((script.count("turn.started"), script.count("turn.completed")), (1, 1));
    }
}

/// What hooks have told of an end knows of errors.
#[test]
fn a_failure_that_is_logged_behind_a_stop_is_none_of_its_turn() {
    let mut script = Script::working();
    script.hook(stop("t1"));
    script.log(Fact::TurnFailed { code: "other".into(), detail: None, turn_ref: None });
    assert_eq!(script.headline(), Headline::Done);
}

fn title_goes_to_rest(script: &mut Script) {
    script.said(Source::Title, Fact::Level(busy()));
    script.said(Source::Title, Fact::Level(at_rest()));
}

/// A turn was done a minute ago, and a person asks for a compaction.
fn compacting_at_the_prompt() -> Script {
    let mut script = Script::working();
    script.hook(stop("t1"));
    script.said(Source::Title, Fact::Level(at_rest()));
    script.after(60_000).hook(Fact::CompactionStarted);
    assert_eq!(script.phrase(), "working(compacting)");
    script.published.clear();
    script
}

/// Qwen Code 0.24.4: no hook tells the end of a `/compress` with nothing to sum up.
#[test]
fn a_compaction_at_the_prompt_that_comes_to_nothing_leaves_the_outcome_as_it_was() {
    for by_title in [true, false] {
        let mut script = compacting_at_the_prompt();
        if by_title {
            title_goes_to_rest(&mut script);
        } else {
            script.hook(Fact::TurnOver);
        }
        script.tick(2_900);
        assert_eq!(script.phrase(), "working(compacting)");
        script.tick(100);
        assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
        assert_eq!(script.published, ["turn.completed", "agent.status_changed"]);
    }
}

#[test]
fn a_compaction_whose_end_is_told_behind_its_title_is_done() {
    let mut script = compacting_at_the_prompt();
    title_goes_to_rest(&mut script);
    script.after(1_000).hook(Fact::CompactionEnded { manual: Some(true) });
    assert_eq!((script.headline(), script.seat.turn.seq), (Headline::Done, 2));
    script.tick(3_000);
    script.silent();
}

#[test]
fn a_title_that_has_rested_since_before_a_compaction_does_not_end_it() {
    let mut script = compacting_at_the_prompt();
    script.said(Source::Title, Fact::Level(at_rest()));
    script.refused(Rule::Rank);
    script.tick(5_000);
    assert_eq!(script.phrase(), "working(compacting)");
}

#[test]
fn neither_a_title_nor_a_notice_of_rest_ends_a_compaction_in_mid_turn() {
    let mut script = Script::working();
    script.hook(Fact::CompactionStarted);
    title_goes_to_rest(&mut script);
    script.refused(Rule::G7);
    script.hook(Fact::TurnOver);
    script.tick(5_000);
    assert_eq!(script.phrase(), "working(compacting)");
}

/// Its status file shows work, and its log tells how that has ended.
#[test]
fn a_compaction_that_no_hook_tells_of_is_completed_where_the_log_says_so() {
    let ended = || Fact::CompactionEnded { manual: Some(true) };
    let mut script = Script::new();
    script.registry(at_rest());
    script.registry(busy());
    assert_eq!(script.headline(), Headline::Working);
    script.log(ended());
    script.silent();
    script.registry(at_rest());
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
    // Of one that belongs to a turn it says nothing, nor of a turn that hooks tell of.
    let mut script = Script::new();
    script.registry(at_rest());
    script.registry(busy());
    script.log(Fact::CompactionEnded { manual: Some(false) });
    script.registry(at_rest());
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
    let mut script = Script::working();
    script.registry(busy());
    script.log(ended());
    script.registry(at_rest());
    script.tick(300);
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
}
