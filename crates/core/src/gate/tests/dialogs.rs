//! G4: notices of a dialog, which do not name the call that it is about, and come in any order.

use super::script::{Script, sub};
use crate::observation::Fact;
use crate::prompt::{Actor, NewPrompt, ToolRef};
use crate::status::{BlockedReason, Headline};

fn call(input: u64) -> ToolRef {
    ToolRef { name: "Bash".into(), id: None, input: Some(input) }
}

fn begins(actor: &Actor, input: u64) -> Fact {
    Fact::ToolStarted { actor: actor.clone(), tool: call(input), turn_ref: None }
}

fn ends(actor: &Actor, input: u64) -> Fact {
    let tools = vec![call(input)];
    Fact::ToolsEnded { actor: actor.clone(), tools, interrupted: false, turn_ref: None }
}

fn notice(title: &str) -> Fact {
    let prompt = NewPrompt::plain(BlockedReason::Permission, Some(title));
    Fact::DialogShown { actor: Actor::Main, prompt }
}

const MAIN: Actor = Actor::Main;

#[test]
fn g3_a_notice_that_is_told_twice_is_one_prompt() {
    for times in [1, 2] {
        let mut script = Script::working();
        // A helper's call goes on beside it, of which nobody asks.
        script.hook(begins(&sub("h"), 9));
        for _ in 0..times {
            script.hook(begins(&MAIN, 7));
        }
        script.hook(notice("go?"));
        script.hook(notice("go?"));
        script.silent();
        assert_eq!(script.seat.prompts.len(), 1, "{times}");
        script.hook(ends(&MAIN, 7));
        assert_eq!(
            (script.headline(), script.count("agent.status_changed")),
            (Headline::Working, 3)
        );
    }
    // Nor is it another one later, where every call is asked about.
    let mut script = Script::working();
    script.hook(begins(&MAIN, 7));
    script.hook(notice("go?"));
    script.after(1_000).hook(notice("go?"));
    script.silent();
    script.hook(ends(&MAIN, 7));
    assert_eq!(script.headline(), Headline::Working);
}

#[test]
fn g4_a_dialog_is_about_the_call_that_is_told_after_its_notice() {
    let mut script = Script::working();
    script.hook(notice("go?"));
    script.hook(notice("go?"));
    script.silent();
    script.after(1_000).hook(begins(&MAIN, 7));
    script.silent();
    script.hook(notice("go?"));
    script.silent();
    // Neither another call nor a helper's is the answer.
    script.hook(begins(&MAIN, 8));
    script.hook(ends(&MAIN, 8));
    script.hook(ends(&sub("h"), 7));
    assert_eq!((script.headline(), script.seat.prompts.len()), (Headline::Blocked, 1));
    script.hook(ends(&MAIN, 7));
    assert_eq!(script.phrase(), "working(model)");
}

#[test]
fn g4_a_dialog_ends_with_a_call_of_whose_start_nothing_was_told() {
    let mut script = Script::working();
    script.hook(begins(&MAIN, 8));
    script.hook(notice("one?"));
    script.hook(notice("two?"));
    assert_eq!(script.seat.prompts.len(), 2);
    script.hook(ends(&sub("h"), 7));
    script.hook(ends(&MAIN, 8));
    let left: Vec<_> = script.seat.prompts.iter().map(|open| &*open.ask.title).collect();
    assert_eq!((script.headline(), left), (Headline::Blocked, vec!["two?"]));
    script.hook(ends(&MAIN, 7));
    assert_eq!(script.phrase(), "working(model)");
}

#[test]
fn a_notice_without_a_name_is_a_helpers_whose_call_is_told_just_after_it() {
    for (ms, whose) in [(0, sub("h")), (300, MAIN)] {
        let mut script = Script::working();
        script.hook(notice("go?"));
        script.after(ms).hook(begins(&sub("h"), 7));
        assert_eq!(script.seat.prompts[0].actor, whose);
        script.hook(begins(&whose, 8));
        script.hook(ends(&whose, 8));
        let answered = if whose.is_main() { Headline::Working } else { Headline::Blocked };
        assert_eq!(script.headline(), answered);
        script.hook(ends(&sub("h"), 7));
        assert_eq!(script.headline(), Headline::Working);
    }
}
