//! A conversation that goes on in another process, which has a seat of its own.

use super::script::{Script, at_rest, busy, stop, stop_with, waiting};
use crate::gate::Rule;
use crate::observation::{Fact, Level};
use crate::source::Source;
use crate::status::Headline;

#[test]
fn a_turn_that_goes_on_elsewhere_is_over_here_and_not_done() {
    for has_stopped in [false, true] {
        let mut script = Script::working();
        script.registry(busy());
        if has_stopped {
            script.hook(Fact::SubagentStarted { id: "h".into() });
            script.hook(stop_with("t1", &["h"], 1));
            assert_eq!(script.phrase(), "working(background)");
        }
        script.published.clear();
        script.registry(Level::Elsewhere);
        assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
        assert_eq!(script.published, ["turn.completed", "agent.status_changed"]);
        assert_eq!((script.seat.shells, script.seat.subagents.len()), (0, 0));
        script.registry(Level::Elsewhere);
        script.silent();
        script.tick(1_000);
        script.silent();
    }
}

#[test]
fn what_was_asked_here_is_not_asked_here_any_more() {
    let mut script = Script::blocked();
    script.registry(waiting());
    script.registry(Level::Elsewhere);
    assert_eq!((script.headline(), script.seat.prompts.len()), (Headline::Idle, 0));
    assert_eq!((script.count("prompt.resolved"), script.count("turn.completed")), (1, 1));
}

#[test]
fn a_conversation_that_leaves_at_rest_is_as_it_was() {
    let mut script = Script::working();
    script.registry(busy());
    script.hook(stop("t1"));
    script.registry(at_rest());
    script.registry(Level::Elsewhere);
    script.silent();
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
}

/// The terminal may show that other process, or the list of all of them.
#[test]
fn what_a_terminal_shows_of_there_is_not_said_of_here() {
    let mut script = Script::working();
    script.registry(busy());
    script.said(Source::ProgramStatus, Fact::Level(busy()));
    script.registry(Level::Elsewhere);
    script.published.clear();
    for level in [Level::Done, busy(), waiting(), busy(), Level::Done] {
        script.said(Source::ProgramStatus, Fact::Level(level));
        script.refused(Rule::Rank);
        script.tick(300);
        script.silent();
    }
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
    // It has come back.
    script.registry(at_rest());
    script.said(Source::ProgramStatus, Fact::Level(busy()));
    script.tick(300);
    assert_eq!(script.headline(), Headline::Working);
    assert_eq!((script.count("turn.started"), script.count("turn.completed")), (1, 0));
}
