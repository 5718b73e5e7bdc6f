//! G10: one turn of which hooks tell by two names, one kind of event by one and the others by another.

use super::script::{Script, fail, permission, prompt, stop, tool_of};
use crate::gate::Rule;
use crate::observation::Fact;
use crate::prompt::{Actor, ToolRef};
use crate::status::Headline;

fn call_ended(turn: &str) -> Fact {
    let call = ToolRef { name: "Bash".into(), id: Some("c1".into()), input: Some(7) };
    let turn_ref = Some(turn.to_owned());
    Fact::ToolsEnded { actor: Actor::Main, tools: vec![call], interrupted: false, turn_ref }
}

fn asked_in(turn: &str, input: u64) -> Fact {
    let Fact::PromptOpened { actor, prompt, settle_ms, .. } = permission(&Actor::Main, input)
    else {
        unreachable!()
    };
    Fact::PromptOpened { actor, prompt, settle_ms, turn_ref: Some(turn.to_owned()) }
}

#[test]
fn g10_the_end_of_a_turn_whose_calls_bear_another_name_ends_it() {
    let interrupted = Fact::TurnInterrupted { turn_ref: Some("t1".to_owned()) };
    for (end, headline, outcome) in [
        (stop("t1"), Headline::Done, "completed"),
        (fail("t1", "overloaded"), Headline::Failed, "failed"),
        (interrupted, Headline::Idle, "interrupted"),
    ] {
        for others in [&["g1"][..], &["g1", "g2"], &["g1", "t1", "g1"]] {
            let mut script = Script::working();
            for (number, other) in others.iter().enumerate() {
                script.hook(tool_of(other, &format!("c{number}")));
                assert_eq!(script.phrase(), "working(tool)");
            }
            script.hook(end.clone());
            assert_eq!((script.headline(), script.outcome()), (headline, Some(outcome)));
            // Told again it is no news.
            script.hook(end.clone());
            script.silent();
            script.hook(prompt("t2"));
            script.hook(tool_of("g9", "c9"));
            script.hook(stop("t2"));
            assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
        }
    }
}

#[test]
fn g10_what_is_asked_in_a_turn_by_another_name_is_over_with_its_call() {
    let mut script = Script::working();
    script.hook(asked_in("g1", 7));
    assert_eq!(script.headline(), Headline::Blocked);
    script.hook(call_ended("t1"));
    assert_eq!(script.phrase(), "working(model)");
    script.hook(asked_in("t1", 8));
    assert_eq!(script.headline(), Headline::Blocked);
    script.hook(stop("t1"));
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
}

/// That one was stopped in silence.
#[test]
fn g10_the_end_of_the_turn_before_one_that_was_asked_for_ends_none() {
    for asked_first in [true, false] {
        let mut script = Script::working();
        let mut told = vec![tool_of("t2", "c2"), prompt("t2")];
        if asked_first {
            told.reverse();
        }
        for fact in told {
            script.hook(fact);
        }
        script.hook(stop("t1"));
        script.refused(Rule::G10);
        assert_eq!(script.headline(), Headline::Working, "{asked_first}");
        script.hook(stop("t2"));
        assert_eq!(script.headline(), Headline::Done);
    }
    // The log tells of it late.
    let mut script = Script::working();
    script.hook(tool_of("t2", "c2"));
    script.log(Fact::TurnInterrupted { turn_ref: Some("t1".to_owned()) });
    script.refused(Rule::G10);
    assert_eq!(script.phrase(), "working(tool)");
}
