//! G4 and G6: blocked is a set, one entry per open prompt and actor.

use super::script::{
    Script, exit, fail, permission, prompt, settling_permission, stop, stop_with, sub, tool,
    tool_end, unlisted_stop, wake,
};
use crate::gate::Rule;
use crate::observation::{Fact, Level};
use crate::prompt::{Actor, NewPrompt, PromptKind, Resolution};
use crate::source::Source;
use crate::status::{BlockedReason, Headline};

#[test]
fn g4_generic_progress_does_not_clear_a_prompt() {
    let mut script = Script::blocked();
    script.hook(tool(&Actor::Main, "c2", 9));
    script.hook(tool_end(&Actor::Main, "c2", 9));
    assert_eq!(script.headline(), Headline::Blocked);
    script.hook(Fact::Nothing);
    script.silent();
    assert_eq!(script.headline(), Headline::Blocked);
}

#[test]
fn g4_the_end_of_the_very_call_clears_its_prompt() {
    let mut script = Script::blocked();
    script.hook(tool_end(&Actor::Main, "c1", 7));
    assert_eq!(script.phrase(), "working(model)");
    assert_eq!(script.published, ["prompt.resolved", "agent.status_changed"]);
}

#[test]
fn g4_without_a_known_start_any_end_of_the_same_tool_clears() {
    let mut script = Script::working();
    script.hook(permission(&Actor::Main, 7));
    script.hook(tool_end(&Actor::Main, "other", 1));
    assert_eq!(script.headline(), Headline::Working);
}

#[test]
fn g4_two_prompts_of_one_actor_are_two_entries() {
    let mut script = Script::blocked();
    script.hook(tool(&Actor::Main, "c2", 8));
    script.hook(permission(&Actor::Main, 8));
    assert_eq!(script.seat.prompts.len(), 2);
    script.hook(tool_end(&Actor::Main, "c1", 7));
    assert_eq!(script.headline(), Headline::Blocked);
    script.hook(tool_end(&Actor::Main, "c2", 8));
    assert_eq!(script.headline(), Headline::Working);
    assert_eq!(script.count("agent.status_changed"), 1);
}

#[test]
fn g4_a_prompt_told_twice_is_one() {
    let mut script = Script::blocked();
    script.hook(permission(&Actor::Main, 7));
    script.silent();
    assert_eq!(script.seat.prompts.len(), 1);
}

#[test]
fn g4_a_main_stop_clears_main_entries_and_leaves_a_running_helpers() {
    let mut script = Script::blocked();
    script.hook(tool(&sub("h"), "c9", 9));
    script.hook(permission(&sub("h"), 9));
    script.hook(stop_with("t1", &["h"], 0));
    assert_eq!(script.headline(), Headline::Blocked);
    assert_eq!(script.seat.prompts.len(), 1);
    assert_eq!(script.seat.prompts[0].actor, sub("h"));
    script.hook(tool_end(&sub("h"), "c9", 9));
    assert_eq!(script.phrase(), "working(background)");
}

#[test]
fn g4_a_new_prompt_by_a_person_clears_everything() {
    let mut script = Script::blocked();
    script.hook(permission(&sub("h"), 9));
    script.hook(prompt("t2"));
    assert_eq!(script.headline(), Headline::Working);
    assert!(script.seat.prompts.is_empty());
}

/// The same request, where each answer names what it answers.
fn keyed(asked: Fact) -> Fact {
    let Fact::PromptOpened { actor, prompt, settle_ms, turn_ref } = asked else { unreachable!() };
    let prompt = NewPrompt { key: Some("per_1".into()), ..prompt };
    Fact::PromptOpened { actor, prompt, settle_ms, turn_ref }
}

/// Its helper `h` has outlived its first turn, and asks.
fn asked_behind_the_turn() -> Script {
    let mut script = Script::working();
    script.hook(Fact::SubagentStarted { id: "h".into() });
    script.hook(stop_with("t1", &["h"], 0));
    script.hook(tool(&sub("h"), "c9", 9));
    script.hook(keyed(permission(&sub("h"), 9)));
    assert_eq!(script.headline(), Headline::Blocked);
    script.published.clear();
    script
}

#[test]
fn g4_a_new_prompt_leaves_what_a_helper_asks_that_goes_on() {
    let mut script = asked_behind_the_turn();
    script.hook(permission(&Actor::Main, 7));
    script.hook(prompt("t2"));
    assert_eq!(script.headline(), Headline::Blocked);
    let left: Vec<_> = script.seat.prompts.iter().map(|open| open.actor.clone()).collect();
    assert_eq!(left, [sub("h")]);
    assert_eq!((script.count("prompt.resolved"), script.count("turn.started")), (1, 1));
    assert_eq!(script.count("agent.status_changed"), 0);
    let said = script.seat.history().trail.back().cloned().unwrap();
    assert!(said.lost.is_some(), "{said:?}");
    // What the main agent does meanwhile, and other helpers, are not the answer.
    script.hook(tool(&Actor::Main, "c1", 7));
    script.hook(tool_end(&Actor::Main, "c1", 7));
    script.hook(tool(&sub("i"), "c2", 9));
    assert_eq!(script.headline(), Headline::Blocked);
    script.hook(tool_end(&sub("h"), "c9", 9));
    assert_eq!(script.phrase(), "working(model)");

    // Behind a turn that has failed they go on as well.
    let mut script = Script::working();
    script.hook(tool(&sub("h"), "c9", 9));
    script.hook(keyed(permission(&sub("h"), 9)));
    script.hook(fail("t1", "overloaded"));
    script.hook(prompt("t2"));
    assert_eq!(script.headline(), Headline::Blocked);
}

#[test]
fn g4_what_is_left_at_a_new_prompt_ends_with_its_helper() {
    let ended = || Fact::SubagentEnded { id: "h".into() };
    let ends = [
        (ended(), Headline::Working),
        (stop("t2"), Headline::Done),
        (Fact::IdleNotice { turn_ref: None }, Headline::Idle),
        (exit(), Headline::Ended),
    ];
    for (end, then) in ends {
        let mut script = asked_behind_the_turn();
        script.hook(prompt("t2"));
        script.hook(end.clone());
        assert_eq!((script.headline(), script.seat.prompts.len()), (then, 0), "{end:?}");
    }
    // Its end may be lost: then the next prompt shows it, unless a stop lists the helper.
    for (stop, then) in
        [(unlisted_stop("t2"), Headline::Working), (stop_with("t2", &["h"], 0), Headline::Blocked)]
    {
        let mut script = asked_behind_the_turn();
        script.hook(prompt("t2"));
        script.hook(stop);
        assert_eq!(script.headline(), Headline::Blocked);
        script.hook(prompt("t3"));
        assert_eq!(script.headline(), then);
    }
}

#[test]
fn g4_a_new_prompt_clears_what_may_have_been_refused() {
    // It stops a turn in silence, and with it perhaps a helper that was waited for.
    let mut script = Script::working();
    script.hook(tool(&sub("h"), "c9", 9));
    script.hook(keyed(permission(&sub("h"), 9)));
    script.hook(prompt("t2"));
    assert_eq!(script.headline(), Headline::Working);
    // So does an interruption that is told.
    let mut script = asked_behind_the_turn();
    script.hook(Fact::TurnInterrupted { turn_ref: None });
    assert_eq!(script.headline(), Headline::Blocked);
    script.hook(prompt("t2"));
    assert_eq!(script.headline(), Headline::Working);
    // A helper that has begun something else asks on.
    let mut script = asked_behind_the_turn();
    script.hook(tool(&sub("h"), "c10", 10));
    script.hook(prompt("t2"));
    assert_eq!(script.headline(), Headline::Blocked);
    // A notice does not say whose it is.
    let mut script = Script::working();
    script.hook(tool(&sub("h"), "c9", 9));
    script.hook(stop_with("t1", &["h"], 0));
    let ask = NewPrompt::plain(BlockedReason::Permission, None);
    script.hook(Fact::DialogShown { actor: Actor::Main, prompt: ask });
    assert_eq!(script.seat.prompts[0].actor, sub("h"));
    script.hook(prompt("t2"));
    assert_eq!(script.headline(), Headline::Working);
}

/// Nothing tells that a person has allowed it, or refused it: its dialog is gone, or nobody could type.
#[test]
fn g4_a_new_prompt_shows_that_a_dialog_was_answered_whose_answer_nobody_tells() {
    for stop in [unlisted_stop("t1"), stop_with("t1", &["h", "i"], 0)] {
        let mut script = Script::working();
        script.hook(Fact::SubagentStarted { id: "h".into() });
        script.hook(Fact::SubagentStarted { id: "i".into() });
        script.hook(stop);
        script.hook(tool(&sub("h"), "c9", 9));
        script.hook(permission(&sub("h"), 9));
        // Neither its call, which was allowed, nor its helper, which was refused it, has to end before.
        script.hook(tool(&sub("i"), "c2", 2));
        assert_eq!(script.headline(), Headline::Blocked);
        script.hook(prompt("t2"));
        assert_eq!((script.headline(), script.seat.prompts.len()), (Headline::Working, 0));
    }
}

#[test]
fn g12_what_a_helper_asks_that_goes_on_is_held_beyond_a_new_prompt() {
    let asked = settling_permission(&sub("h"), 9, 1_000);
    let cases = [
        (keyed(asked.clone()), prompt("t2"), Headline::Blocked),
        (asked.clone(), prompt("t2"), Headline::Working),
        (asked, wake("t2"), Headline::Blocked),
    ];
    for (asked, again, then) in cases {
        for (behind, then) in [(&["h"][..], then), (&["i"], Headline::Working)] {
            let mut script = Script::working();
            script.hook(stop_with("t1", behind, 0));
            script.hook(asked.clone());
            script.hook(again.clone());
            script.tick(5_000);
            assert_eq!(script.headline(), then, "{asked:?} {again:?} {behind:?}");
        }
    }
}

#[test]
fn g4_an_idle_notice_clears_everything_and_is_no_completion() {
    let mut script = Script::blocked();
    script.hook(Fact::IdleNotice { turn_ref: None });
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
}

#[test]
fn g4_a_late_notice_confirms_and_never_triggers() {
    let mut script = Script::blocked();
    script.hook(Fact::PromptConfirmed);
    script.silent();
    assert!(script.last.refused.is_none());
    let mut script = Script::working();
    script.hook(Fact::PromptConfirmed);
    script.refused(Rule::G4);
    assert_eq!(script.headline(), Headline::Working);
}

#[test]
fn g4_a_resolution_clears_the_entry_it_names() {
    let mut script = Script::blocked();
    let resolution = Resolution::elsewhere(script.now);
    script.hook(Fact::PromptResolved {
        actor: Actor::Main,
        reason: BlockedReason::Elicitation,
        key: None,
        resolution: resolution.clone(),
    });
    assert_eq!(script.headline(), Headline::Blocked);
    let reason = BlockedReason::Permission;
    script.hook(Fact::PromptResolved { actor: Actor::Main, reason, key: None, resolution });
    assert_eq!(script.phrase(), "working(model)");
}

#[test]
fn g4_a_refusal_that_ends_the_turn_shows_no_work() {
    let mut script = Script::blocked();
    let resolution = Resolution { value: Some("no".into()), ..Resolution::elsewhere(script.now) };
    let refused = Fact::PromptRefused {
        reason: BlockedReason::Permission,
        key: None,
        resolution,
        turn_ref: None,
    };
    script.hook(refused.clone());
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
    assert!(script.seat.prompts.is_empty());
    script.hook(refused);
    script.silent();
}

#[test]
fn g4_a_start_told_after_its_prompt_is_what_the_prompt_is_about() {
    let mut script = Script::working();
    script.hook(permission(&Actor::Main, 7));
    script.hook(tool(&Actor::Main, "c1", 7));
    script.silent();
    assert_eq!((script.headline(), script.seat.prompts.len()), (Headline::Blocked, 1));
    // Another call of the same tool ends meanwhile.
    script.hook(tool_end(&Actor::Main, "c0", 3));
    assert_eq!(script.headline(), Headline::Blocked);
    script.hook(tool_end(&Actor::Main, "c1", 7));
    assert_eq!(script.phrase(), "working(model)");
}

#[test]
fn g4_a_start_told_after_its_prompt_settles_is_what_the_prompt_is_about() {
    let mut script = Script::working();
    script.hook(settling_permission(&Actor::Main, 7, 500));
    script.hook(tool(&Actor::Main, "c1", 7));
    script.hook(tool_end(&Actor::Main, "c1", 7));
    script.tick(600);
    assert_eq!(script.phrase(), "working(model)");
}

#[test]
fn g6_a_helpers_tools_touch_only_counters() {
    let mut script = Script::blocked();
    script.hook(tool(&sub("h"), "x", 1));
    script.silent();
    script.hook(tool_end(&sub("h"), "x", 1));
    script.silent();
    assert_eq!(script.headline(), Headline::Blocked);
    assert_eq!(script.seat.counters.tools, 2);
    let mut script = Script::idle();
    script.hook(tool(&sub("h"), "x", 1));
    assert_eq!(script.headline(), Headline::Idle);
}

#[test]
fn g6_a_helpers_own_permission_blocks_and_names_the_helper() {
    let mut script = Script::working();
    script.hook(tool(&sub("h"), "x", 1));
    script.hook(permission(&sub("h"), 1));
    assert_eq!(script.headline(), Headline::Blocked);
    assert_eq!(script.seat.doc().prompts[0].subagent.as_deref(), Some("h"));
    script.hook(tool_end(&Actor::Main, "y", 1));
    assert_eq!(script.headline(), Headline::Blocked);
    script.hook(Fact::SubagentEnded { id: "h".into() });
    assert_eq!(script.headline(), Headline::Working);
}

#[test]
fn g12_a_stop_ends_what_still_settles() {
    let mut script = Script::working();
    script.hook(settling_permission(&Actor::Main, 7, 1_000));
    script.hook(stop("t1"));
    script.tick(5_000);
    assert_eq!(script.headline(), Headline::Done);
}

#[test]
fn g12_a_held_request_goes_away_like_an_open_one() {
    let resolution = Resolution::elsewhere(crate::time::UnixMs(0));
    let reason = BlockedReason::Permission;
    let gone: [(Actor, Fact); 3] = [
        (Actor::Main, Fact::PromptResolved { actor: Actor::Main, reason, key: None, resolution }),
        (sub("h"), Fact::SubagentEnded { id: "h".into() }),
        (sub("h"), stop("t1")),
    ];
    for (actor, fact) in gone {
        let mut script = Script::working();
        script.hook(settling_permission(&actor, 7, 1_000));
        script.hook(fact.clone());
        script.tick(5_000);
        assert_eq!(script.count("prompt.opened"), 0, "{fact:?}");
        assert_ne!(script.headline(), Headline::Blocked, "{fact:?}");
    }
}

#[test]
fn g12_the_end_of_another_call_leaves_a_held_request() {
    let mut script = Script::working();
    script.hook(tool(&Actor::Main, "c1", 7));
    script.hook(tool(&Actor::Main, "c2", 8));
    script.hook(settling_permission(&Actor::Main, 7, 1_000));
    script.hook(tool_end(&Actor::Main, "c2", 8));
    script.tick(5_000);
    assert_eq!(script.headline(), Headline::Blocked);
}

#[test]
fn g4_without_ids_name_and_input_tell_calls_apart() {
    let nameless = |fact: Fact| match fact {
        Fact::ToolStarted { actor, mut tool, turn_ref } => {
            tool.id = None;
            Fact::ToolStarted { actor, tool, turn_ref }
        }
        Fact::ToolsEnded { actor, mut tools, interrupted, turn_ref } => {
            for tool in &mut tools {
                tool.id = None;
            }
            Fact::ToolsEnded { actor, tools, interrupted, turn_ref }
        }
        other => other,
    };
    let mut script = Script::working();
    for input in 0..3 {
        script.hook(nameless(tool(&Actor::Main, "", input)));
        script.hook(permission(&Actor::Main, input));
    }
    for (input, left) in [(1, 2), (2, 1), (0, 0)] {
        script.hook(nameless(tool_end(&Actor::Main, "", input)));
        assert_eq!(script.seat.prompts.len(), left);
    }
    assert_eq!(script.headline(), Headline::Working);
}

#[test]
fn g4_two_identical_calls_may_ask_twice() {
    let mut script = Script::blocked();
    script.hook(tool(&Actor::Main, "c2", 7));
    script.hook(permission(&Actor::Main, 7));
    assert_eq!(script.seat.prompts.len(), 2);
    script.hook(permission(&Actor::Main, 7));
    assert_eq!(script.seat.prompts.len(), 2);
    script.hook(tool_end(&Actor::Main, "c1", 7));
    assert_eq!(script.headline(), Headline::Blocked);
    script.hook(tool_end(&Actor::Main, "c2", 7));
    assert_eq!(script.headline(), Headline::Working);
}

#[test]
fn g10_a_request_of_an_ended_turn_blocks_nobody() {
    let mut script = Script::working();
    script.hook(stop("t1"));
    let Fact::PromptOpened { actor, prompt, settle_ms, .. } = permission(&Actor::Main, 7) else {
        unreachable!()
    };
    let turn_ref = Some("t1".to_owned());
    script.hook(Fact::PromptOpened { actor, prompt, settle_ms, turn_ref });
    script.refused(Rule::G10);
    assert_eq!(script.headline(), Headline::Done);
}

#[test]
fn a_dialog_without_a_name_is_about_the_latest_call_whoever_made_it() {
    let kind = PromptKind::Permission;
    let shown = || {
        let prompt = NewPrompt { kind, ..NewPrompt::plain(BlockedReason::Permission, None) };
        Fact::DialogShown { actor: Actor::Main, prompt }
    };
    let granted = |actor: Actor, now| Fact::PromptResolved {
        actor,
        reason: BlockedReason::Permission,
        key: None,
        resolution: Resolution::elsewhere(now),
    };
    // The main agent waits for its helper, whose call it is.
    let mut script = Script::working();
    script.hook(tool(&Actor::Main, "c1", 7));
    script.hook(tool(&sub("h"), "c2", 8));
    script.hook(shown());
    assert_eq!(script.seat.prompts[0].actor, sub("h"));
    script.log(granted(sub("h"), script.now));
    assert_eq!(script.headline(), Headline::Working);
    // It asks beside its helper.
    let mut script = Script::working();
    script.hook(tool(&sub("h"), "c2", 8));
    script.hook(tool(&Actor::Main, "c1", 7));
    script.hook(shown());
    assert_eq!(script.seat.prompts[0].actor, Actor::Main);
    script.hook(tool_end(&sub("h"), "c2", 8));
    assert_eq!(script.headline(), Headline::Blocked);
    script.hook(tool_end(&Actor::Main, "c1", 7));
    assert_eq!(script.headline(), Headline::Working);
}

#[test]
fn one_question_after_another_is_another_prompt() {
    let asks = |reason: BlockedReason, detail: Option<&str>| {
        Fact::Level(Level::Blocked { reason, detail: detail.map(str::to_owned) })
    };
    let mut script = Script::new();
    let title = |script: &Script| {
        let titles = script.seat.own_prompts().map(|open| open.ask.title.clone());
        titles.collect::<Vec<_>>()
    };
    script.said(Source::ProgramStatus, asks(BlockedReason::Permission, Some("run ls")));
    script.said(Source::ProgramStatus, asks(BlockedReason::Permission, Some("run rm")));
    assert_eq!(title(&script), ["run rm"]);
    assert_eq!(script.count("prompt.resolved"), 1);
    // The same again, and without its words, is the same.
    for detail in [Some("run rm"), None] {
        script.said(Source::ProgramStatus, asks(BlockedReason::Permission, detail));
        assert_eq!((title(&script), script.count("prompt.opened")), (vec!["run rm".into()], 2));
    }
    script.said(Source::ProgramStatus, asks(BlockedReason::Question, Some("Red?")));
    assert_eq!(title(&script), ["Red?"]);
}

#[test]
fn whatever_begins_without_an_end_is_kept_to_a_number() {
    let mut script = Script::working();
    for number in 0..400 {
        script.hook(permission(&Actor::Main, number));
        script.hook(Fact::SubagentStarted { id: format!("h{number}") });
    }
    assert_eq!(script.headline(), Headline::Blocked);
    assert_eq!((script.seat.prompts.len(), script.seat.subagents.len()), (64, 256));
    assert_eq!(script.seat.subagents.last().map(String::as_str), Some("h399"));
    let mut script = Script::working();
    for number in 0..400 {
        script.hook(prompt(&format!("q{number}")));
    }
    assert!(script.seat.turn.queued.len() <= 64, "{}", script.seat.turn.queued.len());
    assert_eq!(script.headline(), Headline::Working);
}
