//! Helpers that were stopped with their turn, and of which nobody tells an end.

use super::script::{Script, busy, fail, prompt, stop_with, sub, tool, tool_end, unlisted_stop};
use crate::observation::{Background, Fact};
use crate::prompt::Actor;
use crate::status::Headline;

fn begins() -> Fact {
    Fact::SubagentStarted { id: "h".into() }
}

fn stopped(turn: &str) -> Fact {
    Fact::TurnInterrupted { turn_ref: Some(turn.to_owned()) }
}

/// Its helper has begun a call, and was stopped with it.
fn cut_off() -> Script {
    let mut script = Script::working();
    script.hook(begins());
    script.hook(tool(&sub("h"), "c9", 9));
    script.hook(stopped("t1"));
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
    script.hook(prompt("t2"));
    assert_eq!(script.seat.doc().background.subagents, 0);
    script
}

#[test]
fn g5_the_stop_of_the_next_turn_waits_for_no_helper_that_was_stopped_with_the_last_one() {
    let mut script = cut_off();
    script.hook(unlisted_stop("t2"));
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
    // Its end may come at last.
    script.hook(Fact::SubagentEnded { id: "h".into() });
    script.tick(3_000);
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
    // It had outlived a stop before, and was stopped behind that.
    let mut script = Script::working();
    script.hook(begins());
    script.hook(unlisted_stop("t1"));
    assert_eq!(script.phrase(), "working(background)");
    script.hook(stopped("t1"));
    assert_eq!(script.headline(), Headline::Idle);
    script.hook(prompt("t2"));
    script.hook(unlisted_stop("t2"));
    assert_eq!(script.headline(), Headline::Done);
    // The call of the main agent that was stopped tells it.
    let mut script = Script::working();
    script.hook(tool(&Actor::Main, "c1", 1));
    script.hook(begins());
    let Fact::ToolsEnded { actor, tools, .. } = tool_end(&Actor::Main, "c1", 1) else {
        unreachable!()
    };
    script.hook(Fact::ToolsEnded { actor, tools, interrupted: true, turn_ref: None });
    assert_eq!(script.headline(), Headline::Idle);
    script.hook(Fact::PromptTold);
    script.hook(Fact::TurnEnded { background: Background::unlisted(), turn_ref: None });
    assert_eq!(script.headline(), Headline::Done);
}

#[test]
fn g5_one_that_has_gone_on_after_all_is_waited_for() {
    let goes_on = [tool(&sub("h"), "c10", 10), begins()];
    for word in goes_on {
        // In the next turn, and behind its stop.
        let mut script = cut_off();
        script.hook(word.clone());
        script.hook(unlisted_stop("t2"));
        assert_eq!(script.phrase(), "working(background)", "{word:?}");
        let mut script = cut_off();
        script.hook(unlisted_stop("t2"));
        script.hook(word.clone());
        assert_eq!(script.phrase(), "working(background)", "{word:?}");
        script.hook(Fact::SubagentEnded { id: "h".into() });
        script.tick(3_000);
        assert_eq!(script.headline(), Headline::Done, "{word:?}");
    }
    // So is one that a stop lists, or that a status file may show.
    let mut script = cut_off();
    script.hook(stop_with("t2", &["h"], 0));
    assert_eq!(script.phrase(), "working(background)");
    let mut script = Script::working();
    script.registry(busy());
    script.hook(begins());
    script.hook(stopped("t1"));
    script.hook(prompt("t2"));
    assert_eq!(script.seat.doc().background.subagents, 1);
}

/// Behind a failure it may go on, and is silent from one prompt to the next.
#[test]
fn g5_a_helper_that_says_nothing_for_a_turn_behind_a_failure_has_ended() {
    let mut script = Script::working();
    script.hook(begins());
    script.hook(fail("t1", "overloaded"));
    for (turn, phrase) in [("t2", "working(background)"), ("t3", "idle(turn_ended)")] {
        script.hook(prompt(turn));
        script.hook(unlisted_stop(turn));
        assert_eq!(script.phrase(), phrase, "{turn}");
    }
}
