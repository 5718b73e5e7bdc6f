//! Ends behind which a program may go on by itself.

use super::script::{Script, at_rest, busy, exit, stop_without_a_name, tool, tool_end};
use crate::observation::{Fact, Submitter};
use crate::prompt::Actor;
use crate::source::Source;
use crate::status::Headline;

fn asks(by: Submitter) -> Fact {
    Fact::PromptSubmitted { by, turn_ref: None }
}

fn fails() -> Fact {
    Fact::TurnFailed { code: "x".into(), detail: None, turn_ref: None }
}

fn stopped() -> Fact {
    Fact::TurnInterrupted { turn_ref: None }
}

/// A program of such a kind in a turn that has called nothing yet.
fn asked() -> Script {
    let mut script = Script::idle();
    script.seat.asks_again_ms = Some(700);
    script.hook(asks(Submitter::Person));
    script
}

/// Its model is asked about what a call has brought.
fn behind_a_call() -> Script {
    let mut script = asked();
    script.hook(tool(&Actor::Main, "c1", 7));
    script.hook(tool_end(&Actor::Main, "c1", 7));
    script.said(Source::Title, Fact::Level(busy()));
    assert_eq!(script.phrase(), "working(model)");
    script.published.clear();
    script
}

#[test]
fn a_turn_that_goes_on_by_itself_is_not_over_in_between() {
    for end in [fails(), stopped()] {
        for is_logged_first in [true, false] {
            let mut script = behind_a_call();
            // It tries so twice.
            for _ in 0..2 {
                if is_logged_first {
                    script.log(end.clone());
                }
                script.hook(Fact::TurnUnanswered);
                if !is_logged_first {
                    script.log(end.clone());
                }
                script.said(Source::Title, Fact::Level(at_rest()));
                script.tick(250);
                script.hook(asks(Submitter::Program));
                script.said(Source::Title, Fact::Level(busy()));
            }
            script.tick(2_000);
            assert_eq!(script.phrase(), "working(model)");
            assert!(script.published.is_empty(), "{end:?}: {:?}", script.published);
            script.hook(stop_without_a_name());
            assert_eq!((script.headline(), script.seat.turn.seq), (Headline::Done, 1));
        }
    }
}

/// So it is also where nothing but the hook of the end was told: there was no answer, or the log is late.
#[test]
fn a_prompt_of_its_own_takes_up_a_turn_without_an_answer() {
    let mut script = behind_a_call();
    script.hook(Fact::TurnUnanswered);
    script.tick(200);
    script.hook(asks(Submitter::Program));
    script.tick(2_000);
    assert_eq!((script.phrase().as_str(), script.seat.turn.seq), ("working(model)", 1));
    assert!(script.published.is_empty(), "{:?}", script.published);
}

#[test]
fn one_that_does_not_go_on_is_over_a_moment_later() {
    for (end, headline, outcome) in
        [(fails(), Headline::Failed, "failed"), (stopped(), Headline::Idle, "interrupted")]
    {
        // Its end may have the answer that came before the call.
        for told in [Fact::TurnUnanswered, stop_without_a_name()] {
            let mut script = behind_a_call();
            script.log(end.clone());
            script.hook(told);
            script.said(Source::Title, Fact::Level(at_rest()));
            script.tick(600);
            assert_eq!(script.headline(), Headline::Working);
            script.tick(200);
            assert_eq!((script.headline(), script.outcome()), (headline, Some(outcome)));
            script.tick(2_000);
            assert_eq!((script.headline(), script.count("turn.completed")), (headline, 1));
        }
    }
}

#[test]
fn what_begins_or_leaves_meanwhile_has_seen_the_end() {
    let mut script = behind_a_call();
    script.log(fails());
    script.hook(asks(Submitter::Person));
    assert_eq!(script.published[..2], ["turn.completed", "turn.started"]);
    let before = script.seat.turn.before.as_ref().map(|before| before.kind.word());
    assert_eq!((script.headline(), before), (Headline::Working, Some("failed")));
    script.tick(2_000);
    assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Working, 1));
    let mut script = behind_a_call();
    script.log(fails());
    script.hook(exit());
    assert_eq!((script.headline(), script.outcome()), (Headline::Ended, Some("failed")));
    // A call shows that it goes on, also where that was not told.
    let mut script = behind_a_call();
    script.log(fails());
    script.hook(tool(&Actor::Main, "c2", 8));
    script.tick(2_000);
    assert_eq!((script.phrase().as_str(), script.seat.turn.seq), ("working(tool)", 1));
}

#[test]
fn any_other_end_is_told_at_once() {
    let mut script = asked();
    script.log(fails());
    assert_eq!(script.headline(), Headline::Failed);
    let mut script = asked();
    script.hook(tool(&Actor::Main, "c1", 7));
    script.log(stopped());
    assert_eq!(script.headline(), Headline::Idle);
    let mut script = behind_a_call();
    script.seat.asks_again_ms = None;
    script.log(fails());
    assert_eq!(script.headline(), Headline::Failed);
    let mut script = behind_a_call();
    script.seat.process.headless = true;
    script.log(fails());
    assert_eq!(script.headline(), Headline::Failed);
}

/// A seat is loaded from the store as it was written.
#[test]
fn it_survives_a_restart() {
    let mut script = behind_a_call();
    script.log(fails());
    let stored = serde_json::to_string(&script.seat).unwrap();
    script.seat = serde_json::from_str(&stored).unwrap();
    script.tick(700);
    assert_eq!(script.headline(), Headline::Failed);
}
