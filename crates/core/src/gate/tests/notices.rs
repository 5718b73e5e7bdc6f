//! What tells late or little of a turn's end: notices, stops without their list, an older turn's stop.

use super::script::{
    Script, busy, fail, permission, prompt, start, stop, stop_with, sub, tool, tool_of,
    unlisted_stop, waiting, wake,
};
use crate::gate::{self, Rule};
use crate::observation::{Background, Fact, Level, SessionEnd, SessionStart};
use crate::prompt::Actor;
use crate::source::Source;
use crate::status::Headline;

#[test]
fn a_late_notice_of_an_older_turn_ends_no_other() {
    let notice = |turn: &str| Fact::IdleNotice { turn_ref: Some(turn.into()) };
    let mut script = Script::working();
    script.hook(stop("t1"));
    script.hook(prompt("t2"));
    script.after(60_000).hook(notice("t1"));
    script.refused(Rule::G10);
    assert_eq!(script.headline(), Headline::Working);
    script.hook(notice("t2"));
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
    // Stopped in silence, it has given way to what was queued.
    for (named, headline) in [("t1", Headline::Working), ("t2", Headline::Idle)] {
        let mut script = Script::working();
        script.hook(prompt("t2"));
        script.after(60_000).hook(notice(named));
        assert_eq!((script.headline(), script.count("turn.completed")), (headline, 1), "{named}");
    }
    // The program's own status says that it works.
    let mut script = Script::working();
    script.registry(Level::Working { reason: None });
    script.hook(notice("t1"));
    script.refused(Rule::Rank);
    // A helper runs, and the stop was not told.
    let mut script = Script::working();
    script.hook(Fact::SubagentStarted { id: "h".into() });
    script.hook(notice("t1"));
    script.refused(Rule::G5);
}

#[test]
fn a_stop_without_its_list_leaves_the_helpers_that_run() {
    let stop = |turn: &str| Fact::TurnEnded {
        background: Background::unclear(),
        turn_ref: Some(turn.into()),
    };
    let mut script = Script::working();
    script.hook(Fact::SubagentStarted { id: "h".into() });
    script.hook(stop("t1"));
    assert_eq!(script.phrase(), "working(background)");
    script.hook(Fact::SubagentEnded { id: "h".into() });
    script.hook(wake("t2"));
    script.hook(stop("t2"));
    assert_eq!(script.headline(), Headline::Done);
}

#[test]
fn g10_the_stop_of_an_older_turn_is_none_of_a_later_ones_end() {
    let mut script = Script::working();
    script.hook(stop("t1"));
    script.hook(prompt("t2"));
    script.hook(Fact::TurnInterrupted { turn_ref: Some("t2".into()) });
    script.after(gate::SETTLE_MS).hook(stop("t1"));
    script.refused(Rule::G10);
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
    script.hook(prompt("t1"));
    script.refused(Rule::G10);
    // However many have come between.
    for turn in 3..30 {
        script.hook(prompt(&format!("t{turn}")));
        script.hook(stop(&format!("t{turn}")));
    }
    script.hook(prompt("t30"));
    script.hook(stop("t1"));
    script.refused(Rule::G10);
    script.hook(stop("t30"));
    assert_eq!(script.headline(), Headline::Done);
}

#[test]
fn a_helper_that_is_not_heard_of_for_a_whole_turn_has_ended() {
    let mut script = Script::working();
    script.hook(Fact::SubagentStarted { id: "h".into() });
    script.hook(unlisted_stop("t1"));
    for (turn, phrase) in [("t2", "working(background)"), ("t3", "idle(turn_ended)")] {
        script.hook(prompt(turn));
        script.hook(unlisted_stop(turn));
        assert_eq!(script.phrase(), phrase, "{turn}");
    }
    // One that says something goes on.
    let mut script = Script::working();
    script.hook(Fact::SubagentStarted { id: "h".into() });
    script.hook(unlisted_stop("t1"));
    for turn in ["t2", "t3", "t4"] {
        script.hook(prompt(turn));
        script.hook(tool(&sub("h"), turn, 7));
        script.hook(unlisted_stop(turn));
        assert_eq!(script.phrase(), "working(background)", "{turn}");
    }
}

#[test]
fn the_end_of_a_streamed_answer_is_not_that_of_the_work_behind_it() {
    let result = || Fact::Level(Level::Done);
    let mut script = Script::working();
    script.said(Source::EventStream, Fact::Level(Level::Working { reason: None }));
    script.hook(stop_with("t1", &["h"], 0));
    script.said(Source::EventStream, result());
    script.refused(Rule::G5);
    script.tick(gate::SETTLE_MS);
    assert_eq!(script.phrase(), "working(background)");
    // The stream tells it once.
    script.hook(Fact::SubagentEnded { id: "h".into() });
    assert_eq!(script.headline(), Headline::Done);
}

#[test]
fn a_run_that_ends_with_shells_beside_it_has_come_to_its_end() {
    let shells = |shells| Fact::Level(Level::Idle { shells });
    let mut script = Script::new();
    script.said(Source::EventStream, Fact::Level(Level::Working { reason: None }));
    script.said(Source::EventStream, shells(1));
    script.tick(gate::SETTLE_MS);
    assert_eq!((script.outcome(), script.seat.shells), (Some("completed"), 1));
    script.said(Source::EventStream, Fact::Level(Level::Done));
    assert_eq!((script.headline(), script.seat.shells), (Headline::Done, 0));
}

#[test]
fn another_conversation_may_call_its_turns_as_the_one_before_did() {
    let mut script = Script::working();
    script.hook(stop("t1"));
    script.hook(prompt("t2"));
    script.hook(stop("t2"));
    script.hook(Fact::SessionEnded { how: SessionEnd::Clear });
    script.session = Some("s2".into());
    script.hook(start(SessionStart::Clear));
    script.hook(prompt("t1"));
    assert_eq!(script.headline(), Headline::Working);
}

#[test]
fn g5_a_helper_that_was_not_announced_goes_on_behind_a_stop_that_lists_none() {
    let mut script = Script::working();
    script.hook(unlisted_stop("t1"));
    assert_eq!(script.headline(), Headline::Done);
    script.hook(tool(&sub("h"), "c1", 7));
    assert_eq!(script.phrase(), "working(background)");
    assert_eq!(script.seat.doc().background.subagents, 1);
    script.hook(unlisted_stop("t1"));
    script.silent();
    script.hook(Fact::SubagentEnded { id: "h".into() });
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
    // What it did before its end is told late.
    script.hook(tool(&sub("h"), "c2", 8));
    script.refused(Rule::G10);
    assert_eq!(script.headline(), Headline::Done);
    // It was given something to do again.
    script.after(2_000).hook(tool(&sub("h"), "c3", 9));
    assert_eq!(script.phrase(), "working(background)");
    // A stop that lists them is believed.
    let mut script = Script::working();
    script.hook(stop("t1"));
    script.hook(tool(&sub("h"), "c1", 7));
    assert_eq!(script.headline(), Headline::Done);
}

#[test]
fn a_helper_whose_start_is_told_after_its_end_does_not_run() {
    let started = || Fact::SubagentStarted { id: "h".into() };
    let ended = || Fact::SubagentEnded { id: "h".into() };
    let mut script = Script::working();
    script.hook(ended());
    script.hook(started());
    script.refused(Rule::G10);
    script.hook(unlisted_stop("t1"));
    assert_eq!(script.headline(), Headline::Done);
    // One that has run may begin anew.
    let mut script = Script::working();
    for fact in [started(), ended(), ended(), started()] {
        script.hook(fact);
    }
    script.hook(unlisted_stop("t1"));
    assert_eq!(script.phrase(), "working(background)");
}

#[test]
fn g5_a_rest_whose_stop_was_lost_leaves_the_helpers_that_run() {
    let mut script = Script::blocked();
    script.hook(Fact::SubagentStarted { id: "h".into() });
    script.hook(Fact::TurnOver);
    script.tick(gate::SETTLE_MS);
    assert_eq!((script.phrase(), script.outcome()), ("working(background)".to_owned(), None));
    assert_eq!((script.seat.prompts.len(), script.seat.subagents.len()), (0, 1));
    script.hook(Fact::TurnOver);
    script.tick(gate::SETTLE_MS);
    assert_eq!(script.phrase(), "working(background)");
    script.hook(Fact::SubagentEnded { id: "h".into() });
    script.hook(wake("t1b"));
    script.hook(stop("t1b"));
    assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Done, 1));
}

/// Of a program that tells of its rest a moment after each stop, and of no prompt by which a helper wakes it.
#[test]
fn g5_the_notice_of_a_stop_is_no_end_of_what_a_helper_wakes() {
    let ended = || Fact::SubagentEnded { id: "h".into() };
    let behind = || {
        let mut script = Script::working();
        script.hook(Fact::SubagentStarted { id: "h".into() });
        script.hook(stop_with("t1", &["h"], 0));
        assert_eq!(script.phrase(), "working(background)");
        script
    };
    // It was told while the helper ran.
    let mut script = behind();
    script.hook(Fact::TurnOver);
    script.refused(Rule::G5);
    script.hook(ended());
    script.tick(gate::SETTLE_MS);
    assert_eq!(script.phrase(), "working(background)");
    script.hook(stop("t1"));
    assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Done, 1));
    // Or behind its end, when the main agent was at it again.
    let mut script = behind();
    script.hook(ended());
    script.said(Source::Title, Fact::Level(busy()));
    script.hook(Fact::TurnOver);
    script.tick(3_000);
    assert_eq!(script.headline(), Headline::Working);
    script.hook(stop("t1"));
    assert_eq!(script.headline(), Headline::Done);
    // A call of the woken one, or what it asks, says the same, whatever its title says by then.
    for woken in [tool(&Actor::Main, "c2", 1), permission(&Actor::Main, 7)] {
        let mut script = behind();
        script.hook(ended());
        script.said(Source::Title, Fact::Level(busy()));
        script.hook(Fact::TurnOver);
        script.hook(woken);
        script.tick(3_000);
        assert!(matches!(script.headline(), Headline::Working | Headline::Blocked));
        assert_eq!((script.count("turn.completed"), script.count("prompt.resolved")), (0, 0));
    }
    // Nothing was woken: it rests, which is not believed at once.
    let mut script = behind();
    script.hook(ended());
    script.hook(Fact::TurnOver);
    script.tick(gate::SETTLE_MS);
    assert_eq!(script.headline(), Headline::Working);
    script.tick(3_000);
    assert_eq!(script.headline(), Headline::Done);
}

#[test]
fn g4_a_call_of_another_turn_shows_that_what_the_one_before_had_asked_is_over() {
    let mut script = Script::blocked();
    script.hook(tool_of("t2", "c2"));
    assert_eq!(script.phrase(), "working(tool)");
    let told = ["prompt.resolved", "turn.completed", "turn.started", "agent.status_changed"];
    assert_eq!(script.published, told);
    // A helper's is not the main agent's.
    let mut script = Script::working();
    script.hook(permission(&sub("h"), 9));
    script.hook(tool_of("t2", "c2"));
    assert_eq!(script.headline(), Headline::Blocked);
    // What the program itself shows may be of the turn that has begun.
    let mut script = Script::working();
    script.registry(waiting());
    script.tick(gate::SETTLE_MS);
    script.hook(tool_of("t2", "c2"));
    assert_eq!(script.headline(), Headline::Blocked);
}

#[test]
fn g6_while_helpers_run_the_end_of_a_turn_that_nobody_has_asked_for_ends_none() {
    let begun = || {
        let mut script = Script::working();
        script.hook(Fact::SubagentStarted { id: "h".into() });
        script
    };
    for other in [stop("h1"), unlisted_stop("h1"), fail("h1", "overloaded")] {
        let mut script = begun();
        script.hook(other.clone());
        script.refused(Rule::G6);
        assert_eq!(script.phrase(), "working(prompt)", "{other:?}");
        script.hook(Fact::SubagentEnded { id: "h".into() });
        script.hook(stop("t1"));
        assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Done, 1));
    }
    // Nor behind the main agent's stop, where only their own ends tell of helpers.
    for other in [unlisted_stop("h1"), fail("h1", "overloaded")] {
        let mut script = begun();
        script.hook(unlisted_stop("t1"));
        script.hook(other.clone());
        script.refused(Rule::G6);
        assert_eq!(script.phrase(), "working(background)", "{other:?}");
        script.hook(Fact::SubagentEnded { id: "h".into() });
        assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Done, 1));
    }
    // A person has asked for this one; and this stop lists what runs behind a main agent that was woken.
    let mut script = begun();
    script.hook(prompt("t2"));
    script.hook(stop("t2"));
    assert_eq!(script.headline(), Headline::Done);
    let mut script = begun();
    script.hook(stop_with("t1", &["h"], 0));
    script.hook(stop("t1b"));
    assert_eq!(script.headline(), Headline::Done);
}

/// They are told apart by nothing: only how many run is known.
#[test]
fn helpers_of_one_name_end_one_by_one() {
    let started = || Fact::NamesakeStarted { name: "coder".into() };
    let ended = || Fact::NamesakeEnded { name: "coder".into() };
    let mut script = Script::working();
    for fact in [started(), started(), started(), ended()] {
        script.hook(fact);
    }
    assert_eq!(script.seat.subagents, ["coder", "coder"]);
    script.hook(unlisted_stop("t1"));
    assert_eq!(script.phrase(), "working(background)");
    script.hook(ended());
    assert_eq!(script.phrase(), "working(background)");
    script.hook(ended());
    assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Done, 1));
    // A start that is told after its end is of none that runs.
    let mut script = Script::working();
    script.hook(ended());
    script.hook(started());
    script.refused(Rule::G10);
    assert!(script.seat.subagents.is_empty());
}

#[test]
fn a_turn_that_may_be_a_helpers_is_not_the_main_agents_while_one_runs() {
    let failed = || Fact::SomeoneStopped { failed: Some(("rate_limit".into(), None)) };
    let interrupted = || Fact::SomeoneStopped { failed: None };
    let mut script = Script::working();
    script.hook(Fact::NamesakeStarted { name: "coder".into() });
    script.hook(failed());
    script.silent();
    // It may be tried again.
    assert_eq!((script.headline(), script.seat.subagents.len()), (Headline::Working, 1));
    // As many as run may have been stopped; one more is the main agent.
    script.hook(interrupted());
    script.silent();
    assert_eq!((script.headline(), script.seat.subagents.len()), (Headline::Working, 0));
    script.hook(interrupted());
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
    script.hook(prompt("t2"));
    script.hook(failed());
    assert_eq!((script.headline(), script.outcome()), (Headline::Failed, Some("failed")));
}

#[test]
fn the_last_helper_behind_a_stop_may_end_by_an_interruption() {
    let mut script = Script::working();
    script.hook(Fact::NamesakeStarted { name: "coder".into() });
    script.hook(unlisted_stop("t1"));
    assert_eq!(script.phrase(), "working(background)");
    script.hook(Fact::SomeoneStopped { failed: None });
    assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Done, 1));
}
