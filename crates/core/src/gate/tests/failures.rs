//! One failure after another, where nothing but levels tells of them.

use super::script::{Script, at_rest, busy, prompt};
use crate::gate;
use crate::observation::{Fact, JUST_FAILED, Level};
use crate::source::Source;
use crate::status::Headline;

fn failed(code: &str) -> Fact {
    Fact::Level(Level::Failed { code: code.to_owned() })
}

/// Its outcome's code, which stands beside the turn, too.
fn code(script: &Script) -> &str {
    let code = script.seat.outcome.as_ref().and_then(|outcome| outcome.code.as_deref()).unwrap();
    assert_eq!(script.seat.turn.detail.as_deref(), Some(code));
    code
}

/// An agent on a terminal of ours, which has told of no session.
fn failed_on_a_terminal() -> Script {
    let mut script = Script::new();
    script.session = None;
    script.said(Source::ProgramStatus, Fact::Level(at_rest()));
    script.said(Source::ProgramStatus, failed("disk full"));
    assert_eq!((script.headline(), code(&script)), (Headline::Failed, "disk full"));
    script.published.clear();
    script
}

#[test]
fn another_failure_on_a_terminal_is_shown_and_the_same_again_is_no_event() {
    let mut script = failed_on_a_terminal();
    // Without a word it is the same.
    for said in ["disk full", "no network", "no network", JUST_FAILED] {
        script.said(Source::ProgramStatus, failed(said));
    }
    assert_eq!((script.headline(), code(&script)), (Headline::Failed, "no network"));
    assert_eq!(script.published, ["agent.status_changed"]);
    assert_eq!(script.seat.turn.seq, 1);
    // It rests in between.
    script.said(Source::ProgramStatus, Fact::Level(at_rest()));
    script.said(Source::ProgramStatus, failed("disk full"));
    assert_eq!((code(&script), script.count("agent.status_changed")), ("disk full", 2));
}

#[test]
fn a_failure_that_a_person_has_seen_comes_back_only_as_another_one() {
    let mut script = failed_on_a_terminal();
    gate::mark_seen(&mut script.seat, script.now);
    script.said(Source::ProgramStatus, failed("disk full"));
    assert_eq!(script.headline(), Headline::Idle);
    script.said(Source::ProgramStatus, failed("no network"));
    assert_eq!(script.headline(), Headline::Failed);
}

#[test]
fn a_failure_that_counts_down_is_one_whether_it_was_seen_or_not() {
    let mut script = failed_on_a_terminal();
    script.said(Source::ProgramStatus, failed("no network: retry in 10 s"));
    assert_eq!(script.published, ["agent.status_changed"]);
    for seen in [false, true] {
        if seen {
            gate::mark_seen(&mut script.seat, script.now);
        }
        for left in ["9", "8", "1", ""] {
            script.said(Source::ProgramStatus, failed(&format!("no network: retry in {left} s")));
            script.silent();
        }
        let then = if seen { Headline::Idle } else { Headline::Failed };
        assert_eq!((script.headline(), code(&script)), (then, "no network: retry in 10 s"));
    }
    script.said(Source::ProgramStatus, failed("no network: given up"));
    assert_eq!(script.headline(), Headline::Failed);
}

/// Their levels have fewer words for it than what else they tell, or than hooks do.
#[test]
fn what_was_told_of_a_failure_by_others_stays() {
    for source in [Source::Hook, Source::AppServer] {
        let mut script = Script::idle();
        script.hook(prompt("t1"));
        script.said(Source::AppServer, Fact::Level(busy()));
        let turn_ref = Some("t1".to_owned());
        script.said(source, Fact::TurnFailed { code: "quota".into(), detail: None, turn_ref });
        for level in [Source::AppServer, Source::ProgramStatus, Source::AppServer] {
            script.said(level, failed("system_error"));
            script.tick(gate::SETTLE_MS);
        }
        assert_eq!((script.headline(), code(&script)), (Headline::Failed, "quota"));
    }
}
