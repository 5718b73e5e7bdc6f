//! Stops that another hook undoes, or that a goal follows, of a program whose log tells the end behind all hooks.

use super::script::{Script, at_rest, busy, exit, permission, prompt, sub, tool, tool_of};
use crate::gate::Rule;
use crate::observation::{Background, Fact, Level, Submitter};
use crate::prompt::Actor;
use crate::source::Source;
use crate::status::Headline;

/// A stop, or by the word of the log its end.
fn logged(turn: &str, unsettled: bool) -> Fact {
    let background = Background { unsettled, logged: true, ..Background::unlisted() };
    Fact::TurnEnded { background, turn_ref: Some(turn.to_owned()) }
}

fn undone(turn: &str) -> Fact {
    Fact::StopUndone { turn_ref: turn.to_owned() }
}

#[test]
fn a_stop_beside_other_hooks_waits_for_the_log_where_that_tells_the_end() {
    let mut script = Script::working();
    script.hook(logged("t1", true));
    script.tick(20_000);
    assert_eq!(script.headline(), Headline::Working);
    script.log(undone("t1"));
    script.tick(20_000);
    script.hook(logged("t1", true));
    assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Working, 0));
    script.log(logged("t1", false));
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
    assert_eq!((script.count("turn.started"), script.count("turn.completed")), (0, 1));
    // It leaves before its log is read.
    let mut script = Script::working();
    script.hook(logged("t1", true));
    script.hook(exit());
    assert_eq!((script.headline(), script.outcome()), (Headline::Ended, Some("completed")));
}

#[test]
fn a_stop_that_was_believed_and_is_undone_is_taken_back_and_the_next_one_waits() {
    let mut script = Script::working();
    script.hook(logged("t1", false));
    assert_eq!(script.headline(), Headline::Done);
    script.log(undone("t1"));
    assert_eq!((script.headline(), script.count("turn.started")), (Headline::Working, 1));
    script.hook(logged("t1", false));
    assert_eq!(script.headline(), Headline::Working);
    script.log(logged("t1", false));
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
    script.hook(prompt("t2"));
    script.log(undone("t1"));
    script.refused(Rule::G10);
}

/// A prompt that another hook refuses, or a command of a person's own: no hook tells its end.
#[test]
fn a_turn_of_which_no_stop_is_told_ends_by_such_a_log() {
    let mut script = Script::working();
    script.hook(logged("t1", false));
    script.log(prompt("t2"));
    assert_eq!(script.headline(), Headline::Working);
    script.log(logged("t1", false));
    assert_eq!(script.headline(), Headline::Working, "it is of the turn before");
    script.log(logged("t2", false));
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
    // Helpers go on behind it.
    script.hook(prompt("t3"));
    script.hook(Fact::SubagentStarted { id: "h".into() });
    script.log(logged("t3", false));
    assert_eq!(script.phrase(), "working(background)");
    script.hook(Fact::SubagentEnded { id: "h".into() });
    assert_eq!(script.headline(), Headline::Done);
}

/// Two hooks of one event may run side by side, and one of them seconds late.
#[test]
fn g10_what_bears_the_name_of_a_turn_whose_end_the_log_has_told_begins_nothing_however_late() {
    let asks = match permission(&Actor::Main, 7) {
        Fact::PromptOpened { actor, prompt, settle_ms, .. } => {
            Fact::PromptOpened { actor, prompt, settle_ms, turn_ref: Some("t1".to_owned()) }
        }
        other => other,
    };
    let compacts = Fact::CompactionBegun { turn_ref: "t1".to_owned() };
    let late = [prompt("t1"), tool_of("t1", "c9"), asks, compacts];
    let mut script = Script::working();
    script.hook(logged("t1", false));
    script.log(logged("t1", false));
    for late in &late {
        script.after(5_000).hook(late.clone());
        script.refused(Rule::G10);
        assert_eq!(script.headline(), Headline::Done, "{late:?}");
    }
    script.hook(prompt("t2"));
    assert_eq!(script.headline(), Headline::Working);
    // Before the log has told it, it may go on.
    for late in late {
        let mut script = Script::working();
        script.hook(logged("t1", false));
        script.after(5_000).hook(late.clone());
        assert_ne!(script.headline(), Headline::Done, "{late:?}");
    }
}

/// The program begins the next turn by itself.
fn towards_a_goal(turn: &str) -> Fact {
    Fact::PromptSubmitted { by: Submitter::Goal, turn_ref: Some(turn.to_owned()) }
}

#[test]
fn turns_towards_a_goal_are_one_until_the_goal_is_over() {
    let mut script = Script::idle();
    script.log(towards_a_goal("t1"));
    for (turn, next) in [("t1", "t2"), ("t2", "t3")] {
        script.hook(logged(turn, false));
        assert_eq!(script.phrase(), "working(background)");
        script.log(logged(turn, false));
        script.log(towards_a_goal(next));
        script.tick(5_000);
        assert_eq!(script.phrase(), "working(prompt)", "{next}");
    }
    script.log(Fact::WakeQueued(false));
    script.hook(logged("t3", false));
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
    assert_eq!((script.count("turn.started"), script.count("turn.completed")), (1, 1));
}

#[test]
fn a_goal_that_no_turn_follows_leaves_the_agent_at_rest() {
    let mut script = Script::working();
    script.log(Fact::WakeQueued(true));
    script.hook(logged("t1", false));
    script.log(logged("t1", false));
    assert_eq!(script.headline(), Headline::Working);
    script.tick(1_000);
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
    // A person stops it, and it is paused.
    script.log(towards_a_goal("t2"));
    script.hook(Fact::TurnInterrupted { turn_ref: Some("t2".to_owned()) });
    script.log(Fact::WakeQueued(false));
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
}

/// A turn of which hooks and the terminal tell.
fn shown_at_work() -> Script {
    let mut script = Script::working();
    script.said(Source::ProgramStatus, Fact::Level(busy()));
    script.published.clear();
    script
}

#[test]
fn a_prompt_that_was_typed_into_a_turn_follows_its_stop_without_a_moment_of_rest() {
    for is_logged in [true, false] {
        let mut script = shown_at_work();
        script.hook(logged("t1", false));
        script.log(logged("t1", false));
        assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Working, 0));
        for late in [logged("t1", false), tool_of("t1", "c9")] {
            script.hook(late);
            script.refused(Rule::G10);
        }
        match is_logged {
            true => script.log(prompt("t2")),
            false => script.hook(prompt("t2")),
        };
        script.tick(1_000);
        assert_eq!(script.phrase(), "working(prompt)");
        assert_eq!((script.count("turn.completed"), script.count("turn.started")), (1, 1));
        let before = script.seat.turn.ended.as_ref().unwrap();
        assert!(before.is_logged_as("t1"), "nothing bears its name again");
        script.hook(logged("t2", false));
        script.said(Source::ProgramStatus, Fact::Level(Level::Done));
        assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
        assert_eq!((script.count("turn.completed"), script.count("turn.started")), (2, 1));
    }
}

#[test]
fn a_stop_while_the_terminal_shows_work_stands_where_nothing_follows_it() {
    for shown in [Some(Level::Done), Some(at_rest()), None] {
        let mut script = shown_at_work();
        script.hook(logged("t1", false));
        assert_eq!(script.headline(), Headline::Working);
        match shown {
            Some(level) => script.said(Source::ProgramStatus, Fact::Level(level)),
            None => script.tick(100),
        };
        assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
        let ended = script.seat.turn.ended.as_ref().unwrap();
        assert!(ended.unlisted, "it lists no helpers");
        script.tick(1_000);
        assert_eq!(script.count("turn.completed"), 1);
    }
    // It leaves at once.
    let mut script = shown_at_work();
    script.hook(logged("t1", false));
    script.hook(exit());
    assert_eq!((script.headline(), script.outcome()), (Headline::Ended, Some("completed")));
    // Another hook of the stop, of which nobody knew, has undone it.
    let mut script = shown_at_work();
    script.hook(logged("t1", false));
    script.log(undone("t1"));
    script.tick(1_000);
    assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Working, 0));
    script.hook(logged("t1", false));
    script.log(logged("t1", false));
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
}

/// That is before the agent is believed to rest, or behind what helpers have told since.
#[test]
fn a_stop_is_undone_by_what_was_written_behind_it_however_late_that_is_read() {
    let mut script = shown_at_work();
    script.hook(logged("t1", false));
    script.made_at = Some(script.now.plus(40));
    script.tick(100);
    assert_eq!(script.headline(), Headline::Done);
    script.log(undone("t1"));
    assert_eq!(script.headline(), Headline::Working);

    let mut script = Script::working();
    script.hook(Fact::SubagentStarted { id: "h1".to_owned() });
    script.hook(logged("t1", false));
    let made_at = script.now.plus(5);
    script.after(10).hook(tool(&sub("h1"), "c1", 7));
    script.made_at = Some(made_at);
    script.log(undone("t1"));
    script.made_at = None;
    script.hook(Fact::SubagentEnded { id: "h1".to_owned() });
    assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Working, 0));
}
