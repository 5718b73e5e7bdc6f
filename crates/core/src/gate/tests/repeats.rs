//! G10: what is told once more behind its end, where nothing says when it was made.

use super::script::{
    Script, at_rest, busy, fail, permission, prompt, settling_permission, stop, stop_with, sub,
    tool, tool_end, tool_of, unlisted_stop, wake,
};
use crate::gate::{Rule, SETTLE_MS};
use crate::observation::{Fact, Submitter};
use crate::prompt::{Actor, NewPrompt};
use crate::status::{BlockedReason, Headline};

const MAIN: Actor = Actor::Main;

/// A call that was asked about has ended.
fn answered() -> Script {
    let mut script = Script::blocked();
    script.hook(tool_end(&MAIN, "c1", 7));
    assert_eq!(script.headline(), Headline::Working);
    script
}

#[test]
fn g10_a_request_that_is_told_once_more_behind_the_end_of_its_call_asks_nothing() {
    let interrupted = Fact::TurnInterrupted { turn_ref: None };
    for (end, headline) in [
        (Fact::Nothing, Headline::Working),
        (stop("t1"), Headline::Done),
        (interrupted, Headline::Idle),
    ] {
        let mut script = answered();
        script.hook(end);
        script.hook(permission(&MAIN, 7));
        script.refused(Rule::G10);
        assert_eq!(script.headline(), headline);
    }
    // One that the agent has approved by itself.
    let mut script = Script::working();
    let asks = || settling_permission(&MAIN, 7, 1_000);
    script.hook(tool(&MAIN, "c1", 7));
    script.hook(asks());
    script.hook(tool_end(&MAIN, "c1", 7));
    script.hook(asks());
    script.refused(Rule::G10);
    script.tick(2_000);
    assert_eq!((script.headline(), script.count("prompt.opened")), (Headline::Working, 0));
}

#[test]
fn another_request_is_about_a_call_of_its_own() {
    let mut script = answered();
    script.hook(tool(&MAIN, "c2", 7));
    script.hook(permission(&MAIN, 7));
    assert_eq!(script.headline(), Headline::Blocked);
    // About another one, or long after.
    for (input, after) in [(8, 0), (7, 3_000)] {
        let mut script = answered();
        script.after(after).hook(permission(&MAIN, input));
        assert_eq!(script.headline(), Headline::Blocked, "{input} {after}");
    }
    // Where no start was told none is missed.
    let mut script = Script::working();
    for _ in 0..2 {
        script.hook(permission(&MAIN, 7));
        assert_eq!(script.headline(), Headline::Blocked);
        script.hook(tool_end(&MAIN, "c1", 7));
        assert_eq!(script.headline(), Headline::Working);
    }
}

/// The hook of a call that begins is not waited for: the request may be told before it.
#[test]
fn a_request_like_the_last_one_asks_once_its_call_is_told() {
    for actor in [MAIN, sub("h")] {
        let mut script = Script::working();
        script.hook(tool(&actor, "c1", 7));
        script.hook(permission(&actor, 7));
        script.hook(tool_end(&actor, "c1", 7));
        script.hook(permission(&actor, 7));
        script.refused(Rule::G10);
        script.after(500).hook(tool(&actor, "c2", 7));
        assert_eq!((script.headline(), script.count("prompt.opened")), (Headline::Blocked, 2));
        let explained = script.explained();
        let turn = &explained.dimensions["turn"];
        assert_eq!(turn.value, "blocked(permission)");
        // It is asked once, and the end of its call clears it.
        script.hook(permission(&actor, 7));
        script.silent();
        script.hook(tool_end(&actor, "c2", 7));
        assert_eq!((script.headline(), script.count("prompt.resolved")), (Headline::Working, 2));
    }
    // A call of another kind, of somebody else, or long after is not what was asked about.
    for (begins, after) in
        [(tool(&MAIN, "c2", 8), 0), (tool(&sub("h"), "c2", 7), 0), (tool(&MAIN, "c2", 7), 2_000)]
    {
        let mut script = answered();
        script.hook(permission(&MAIN, 7));
        script.after(after).hook(begins);
        assert_eq!(script.headline(), Headline::Working);
    }
    // One that the agent may approve by itself settles first.
    let mut script = answered();
    script.hook(settling_permission(&MAIN, 7, 1_000));
    script.hook(tool(&MAIN, "c2", 7));
    assert_eq!(script.headline(), Headline::Working);
    script.hook(tool_end(&MAIN, "c2", 7));
    script.tick(2_000);
    assert_eq!((script.headline(), script.count("prompt.opened")), (Headline::Working, 0));
}

/// Qwen Code 0.24.4 tells of a call once it is granted: that one is open says nothing of the next request.
#[test]
fn where_calls_begin_once_they_are_granted_every_request_asks() {
    let granted = |id: &str| {
        let Fact::ToolStarted { actor, tool, turn_ref } = tool(&MAIN, id, 7) else {
            unreachable!()
        };
        Fact::ToolGranted { actor, tool, turn_ref }
    };
    let mut script = Script::working();
    script.hook(permission(&MAIN, 7));
    script.hook(granted("c1"));
    script.hook(permission(&MAIN, 7));
    script.hook(tool_end(&MAIN, "c1", 7));
    script.hook(granted("c2"));
    script.hook(tool_end(&MAIN, "c2", 7));
    assert_eq!(script.headline(), Headline::Working);
    script.hook(permission(&MAIN, 7));
    assert_eq!(script.headline(), Headline::Blocked);
}

#[test]
fn g10_a_notice_that_is_told_once_more_behind_the_end_of_its_call_asks_nothing() {
    let notice = |title: &str| {
        let prompt = NewPrompt::plain(BlockedReason::Permission, Some(title));
        Fact::DialogShown { actor: MAIN, prompt }
    };
    let mut script = Script::working();
    script.hook(tool(&MAIN, "c1", 7));
    script.hook(notice("go?"));
    assert_eq!(script.headline(), Headline::Blocked);
    script.hook(tool_end(&MAIN, "c1", 7));
    script.hook(notice("go?"));
    script.refused(Rule::G10);
    assert_eq!(script.headline(), Headline::Working);
    script.hook(stop("t1"));
    script.hook(notice("go?"));
    script.refused(Rule::G10);
    assert_eq!(script.headline(), Headline::Done);
    // With another call it is of that one, and in other words of one that nobody has told of.
    for (begins, title) in [(tool(&MAIN, "c2", 8), "go?"), (Fact::Nothing, "and this?")] {
        let mut script = answered();
        script.hook(tool(&MAIN, "c2", 8));
        script.hook(notice("go?"));
        script.hook(tool_end(&MAIN, "c2", 8));
        script.hook(begins);
        script.hook(notice(title));
        assert_eq!(script.headline(), Headline::Blocked, "{title}");
    }
}

#[test]
fn g10_a_run_of_a_helper_that_is_over_does_not_begin_again() {
    let begins = |run: &str| Fact::RunStarted { id: "h".into(), run: run.into() };
    let ends = || Fact::SubagentEnded { id: "h".into() };
    let mut script = Script::working();
    script.hook(begins("r1"));
    assert_eq!(script.seat.subagents, ["h"]);
    script.hook(ends());
    for late in [0, 30_000] {
        script.after(late).hook(begins("r1"));
        script.refused(Rule::G10);
        assert!(script.seat.subagents.is_empty());
    }
    script.hook(unlisted_stop("t1"));
    script.hook(begins("r1"));
    script.refused(Rule::G10);
    assert_eq!(script.headline(), Headline::Done);
    // It is taken up again.
    script.hook(begins("r2"));
    assert_eq!(script.phrase(), "working(background)");
    script.hook(ends());
    assert_eq!(script.headline(), Headline::Done);
    // Its end came before its start.
    let mut script = Script::working();
    script.hook(ends());
    for _ in 0..2 {
        script.hook(begins("r1"));
        script.refused(Rule::G10);
    }
}

#[test]
fn the_end_of_a_helpers_run_that_its_log_tells_is_none_of_the_run_behind_it() {
    let begins = |run: &str| Fact::RunStarted { id: "h".into(), run: run.into() };
    let ends = |run: &str| Fact::RunEnded { id: "h".into(), run: run.into() };
    let mut script = Script::working();
    script.hook(begins("r1"));
    script.hook(unlisted_stop("t1"));
    assert_eq!(script.phrase(), "working(background)");
    // No hook tells of it.
    script.log(ends("r1"));
    assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Done, 1));
    script.hook(begins("r2"));
    script.log(ends("r1"));
    script.refused(Rule::G10);
    assert_eq!(script.phrase(), "working(background)");
    script.hook(Fact::SubagentEnded { id: "h".into() });
    assert_eq!(script.headline(), Headline::Done);
    script.log(ends("r2"));
    script.silent();
}

/// It was heard of by its call.
#[test]
fn g10_the_start_of_a_helpers_run_that_is_told_behind_its_end_begins_nothing() {
    let begins = |run: &str| Fact::RunStarted { id: "h".into(), run: run.into() };
    let mut script = Script::working();
    script.hook(tool(&sub("h"), "c1", 7));
    script.hook(tool_end(&sub("h"), "c1", 7));
    script.hook(Fact::RunEnded { id: "h".into(), run: "r1".into() });
    script.hook(unlisted_stop("t1"));
    assert_eq!(script.headline(), Headline::Done);
    script.after(SETTLE_MS).hook(begins("r1"));
    script.refused(Rule::G10);
    assert_eq!(script.headline(), Headline::Done);
    script.hook(begins("r2"));
    assert_eq!(script.phrase(), "working(background)");
}

#[test]
fn g10_a_compaction_that_is_over_does_not_begin_again() {
    let begins = |turn: &str| Fact::CompactionBegun { turn_ref: turn.into() };
    let ends = |manual| Fact::CompactionEnded { manual: Some(manual) };
    let mut script = Script::idle();
    script.hook(begins("p1"));
    script.hook(begins("p1"));
    assert_eq!(script.phrase(), "working(compacting)");
    script.hook(ends(true));
    script.hook(begins("p1"));
    script.refused(Rule::G10);
    assert_eq!((script.headline(), script.count("turn.started")), (Headline::Done, 1));
    script.hook(begins("p2"));
    assert_eq!(script.phrase(), "working(compacting)");
    // A person has stopped it.
    script.hook(Fact::TurnInterrupted { turn_ref: None });
    script.hook(begins("p2"));
    script.refused(Rule::G10);
    assert_eq!(script.headline(), Headline::Idle);
    // One in mid-turn: the stop behind it is believed.
    let mut script = Script::working();
    script.hook(begins("t1"));
    script.hook(ends(false));
    script.hook(begins("t1"));
    script.refused(Rule::G10);
    script.hook(stop("t1"));
    script.hook(begins("t1"));
    script.refused(Rule::G10);
    assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Done, 1));
    // There may be several.
    let mut script = Script::working();
    script.hook(begins("t1"));
    script.hook(ends(false));
    script.after(2_000).hook(begins("t1"));
    assert_eq!(script.phrase(), "working(compacting)");
}

#[test]
fn g10_what_bears_the_first_name_of_a_turn_that_was_woken_begins_nothing() {
    let mut script = Script::working();
    script.hook(stop_with("t1", &["h"], 0));
    script.hook(Fact::SubagentEnded { id: "h".into() });
    script.hook(wake("t2"));
    script.hook(prompt("t1"));
    script.refused(Rule::G10);
    script.hook(stop("t2"));
    assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Done, 1));
    for late in [prompt("t1"), stop("t1"), stop_with("t1", &["h"], 0), tool_of("t1", "c1")] {
        script.after(1_000).hook(late);
        script.refused(Rule::G10);
        assert_eq!(script.headline(), Headline::Done);
    }
    script.hook(prompt("t3"));
    assert_eq!(script.headline(), Headline::Working);
}

/// It is sent a minute after the end of a turn, and a person may prompt at that moment.
#[test]
fn g10_a_notice_of_long_rest_just_behind_a_prompt_is_of_the_turn_before() {
    let mut script = Script::working();
    script.hook(stop("t1"));
    script.after(60_000).hook(prompt("t2"));
    script.hook(Fact::IdleForLong { turn_ref: None });
    script.refused(Rule::G10);
    assert_eq!(script.headline(), Headline::Working);
    script.after(SETTLE_MS).hook(Fact::IdleForLong { turn_ref: None });
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
    // In a call the program was stopped.
    let mut script = Script::working();
    script.hook(tool(&MAIN, "c1", 7));
    script.hook(Fact::IdleForLong { turn_ref: None });
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
}

#[test]
fn g3_a_prompt_without_a_name_that_is_told_twice_at_once_is_one() {
    let prompted = || Fact::PromptSubmitted { by: Submitter::Person, turn_ref: None };
    let mut script = Script::idle();
    script.hook(prompted());
    script.hook(prompted());
    script.refused(Rule::G3);
    assert_eq!((script.headline(), script.count("turn.started")), (Headline::Working, 1));
    assert_eq!((script.seat.counters.prompts, script.count("turn.completed")), (1, 0));
    // The next one comes later, or behind something that its agent has done.
    script.after(SETTLE_MS).hook(prompted());
    assert_eq!(script.count("turn.started"), 2);
    script.hook(tool(&MAIN, "c1", 7));
    script.hook(prompted());
    assert_eq!(script.count("turn.started"), 3);
}

#[test]
fn g10_what_is_told_once_more_behind_a_failure_or_an_interruption_that_is_logged_begins_nothing() {
    let interrupted = Fact::TurnInterrupted { turn_ref: Some("t1".into()) };
    let ends = [(fail("t1", "overloaded"), Headline::Failed), (interrupted, Headline::Idle)];
    let compacts = Fact::CompactionBegun { turn_ref: "t1".into() };
    for (end, headline) in &ends {
        for late in [prompt("t1"), tool_of("t1", "c9"), compacts.clone()] {
            for is_hooked in [true, false] {
                let mut script = Script::working();
                if is_hooked {
                    script.hook(end.clone());
                }
                script.log(end.clone());
                assert_eq!(script.headline(), *headline);
                script.after(5_000).hook(late.clone());
                script.refused(Rule::G10);
                assert_eq!(script.headline(), *headline);
                script.hook(prompt("t2"));
                assert_eq!(script.headline(), Headline::Working);
            }
        }
    }
}

/// A program that calls each hook twice, and one of them seconds late.
#[test]
fn g10_a_call_of_the_last_turn_that_is_told_once_more_behind_that_begins_nothing() {
    for is_left_open in [false, true] {
        let mut script = Script::working();
        script.hook(tool_of("t1", "c1"));
        if !is_left_open {
            script.hook(tool_end(&MAIN, "c1", 0));
        }
        script.hook(stop("t1"));
        for _ in 0..2 {
            script.after(2_000).hook(tool_of("t1", "c1"));
            script.refused(Rule::G10);
            assert_eq!(script.headline(), Headline::Done, "{is_left_open}");
        }
        // A hub that has been started since knows it, too.
        let kept = serde_json::to_string(&script.seat).unwrap();
        script.seat = serde_json::from_str(&kept).unwrap();
        script.hook(tool_of("t1", "c1"));
        script.refused(Rule::G10);
        // Another call shows that the turn was taken up again.
        script.after(2_000).hook(tool_of("t1", "c2"));
        assert_eq!(script.headline(), Headline::Working, "{is_left_open}");
    }
    // In the next turn a program may count anew.
    let mut script = Script::working();
    script.hook(tool_of("t1", "c1"));
    script.hook(tool_end(&MAIN, "c1", 0));
    script.hook(stop("t1"));
    script.after(2_000).hook(tool_of("t2", "c1"));
    assert_eq!(script.phrase(), "working(tool)");
}

/// Claude Code 2.1.330: what undoes a stop does so before its status file shows rest.
#[test]
fn g10_what_bears_the_name_of_the_last_turn_behind_rest_in_the_status_file_begins_nothing() {
    let asks = match permission(&MAIN, 7) {
        Fact::PromptOpened { actor, prompt, settle_ms, .. } => {
            Fact::PromptOpened { actor, prompt, settle_ms, turn_ref: Some("t1".to_owned()) }
        }
        other => other,
    };
    let compacts = Fact::CompactionBegun { turn_ref: "t1".to_owned() };
    for late in [tool_of("t1", "c9"), asks, compacts] {
        for is_shown in [true, false] {
            let mut script = Script::working();
            script.registry(busy());
            script.hook(stop("t1"));
            if is_shown {
                script.registry(at_rest());
            }
            script.after(5_000).hook(late.clone());
            assert_eq!(script.headline() == Headline::Done, is_shown, "{late:?}");
            if is_shown {
                script.refused(Rule::G10);
                // By its own name another turn begins.
                script.hook(prompt("t2"));
                script.hook(tool_of("t2", "c9"));
                assert_eq!(script.phrase(), "working(tool)");
            }
        }
    }
}

/// Claude Code 2.1.330 on a busy machine: the hook of a prompt comes behind the end of its turn, or comes there once more.
#[test]
fn g10_a_prompt_that_is_told_behind_its_turn_begins_nothing_while_the_status_file_rests() {
    let untold = || {
        let mut script = Script::idle();
        script.registry(busy());
        script.hook(tool_of("t1", "c1"));
        script.hook(stop("t1"));
        script
    };
    let woken = || {
        let mut script = Script::working();
        script.hook(stop_with("t1", &["h"], 0));
        script.hook(Fact::SubagentEnded { id: "h".into() });
        script.hook(wake("t1b"));
        script.registry(busy());
        script.hook(stop("t1b"));
        script
    };
    for (mut script, late) in [(untold(), prompt("t1")), (woken(), wake("t1b"))] {
        script.registry(at_rest());
        let (headline, turns) = (script.headline(), script.count("turn.started"));
        assert_eq!(headline, Headline::Done);
        for _ in 0..2 {
            script.after(1_000).hook(late.clone());
            script.refused(Rule::G10);
            assert_eq!((script.headline(), script.count("turn.started")), (headline, turns));
        }
        // The next one is called otherwise.
        script.hook(prompt("t2"));
        assert_eq!(script.phrase(), "working(prompt)");
    }
    // No hook is late for so long, and what a program did by itself may bear the name of the prompt that comes next.
    for (mut script, after) in [(untold(), 5_000), (woken(), 1_000)] {
        script.registry(at_rest());
        let name = if after == 1_000 { "t1b" } else { "t1" };
        script.after(after).hook(prompt(name));
        assert_eq!(script.phrase(), "working(prompt)", "{name}");
    }
    // Without rest in a status file nothing tells that it is late, but for what has woken the program before.
    let mut script = Script::working();
    script.hook(stop("t1"));
    script.after(1_000).hook(prompt("t1"));
    assert_eq!(script.headline(), Headline::Working);
    script.hook(stop("t1"));
    script.hook(wake("t1b"));
    script.hook(stop("t1b"));
    assert_eq!(script.headline(), Headline::Done);
    script.after(1_000).hook(wake("t1b"));
    script.refused(Rule::G10);
    assert_eq!(script.headline(), Headline::Done);
}
