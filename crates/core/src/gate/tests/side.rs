//! A conversation beside the one in the seat: what it does is a helper's, and the terminal shows one of the two.

use super::script::{
    Script, at_rest, busy, exit, fail, permission, prompt, start, sub, tool, tool_end,
    unlisted_stop, waiting,
};
use crate::gate::{self, Rule};
use crate::id::ProcessId;
use crate::observation::{Fact, History, Level, SessionStart};
use crate::prompt::Actor;
use crate::source::Source;
use crate::status::Headline;

/// The main agent is in its turn `t1`, its log is read, and its terminal shows work.
fn main_works() -> Script {
    let mut script = Script::idle();
    script.seat.shows_one = true;
    script.seat.about.log_path = Some("/home/dev/log.jsonl".into());
    terminal(&mut script, at_rest());
    script.hook(prompt("t1"));
    script.log(Fact::History(History { prompts: 1, ..History::default() }));
    terminal(&mut script, busy());
    assert_eq!(script.headline(), Headline::Working);
    script
}

/// A person has asked something beside it.
fn asked_beside() -> Script {
    let mut script = main_works();
    terminal(&mut script, at_rest());
    script.tick(400);
    of_side(&mut script, start(SessionStart::Side));
    of_side(&mut script, prompt("t2"));
    terminal(&mut script, busy());
    assert_eq!((script.headline(), script.seat.subagents.len()), (Headline::Working, 1));
    script.published.clear();
    script
}

fn of_side(script: &mut Script, fact: Fact) {
    script.session = Some("s2".into());
    script.hook(fact);
    script.session = Some("s1".into());
}

/// It tells no session.
fn terminal(script: &mut Script, level: Level) {
    let session = script.session.take();
    script.said(Source::ProgramStatus, Fact::Level(level));
    script.session = session;
}

/// What it is once all has settled.
fn settled(script: &mut Script) -> Headline {
    script.tick(400);
    script.headline()
}

#[test]
fn a_conversation_beside_it_takes_no_seat_and_ends_no_turn() {
    let mut script = asked_beside();
    assert_eq!(script.seat.session.as_ref().map(|own| own.id.as_str()), Some("s1"));
    of_side(&mut script, unlisted_stop("t2"));
    terminal(&mut script, Level::Done);
    assert_eq!(settled(&mut script), Headline::Working);
    assert_eq!((script.seat.subagents.len(), script.count("turn.completed")), (0, 0));
    script.hook(unlisted_stop("t1"));
    assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Done, 1));
}

#[test]
fn a_main_agent_that_stops_before_it_goes_on_in_the_background() {
    let mut script = asked_beside();
    script.hook(unlisted_stop("t1"));
    assert_eq!(script.phrase(), "working(background)");
    of_side(&mut script, unlisted_stop("t2"));
    assert_eq!(script.headline(), Headline::Done);
}

#[test]
fn rest_on_its_terminal_ends_the_turn_once_the_log_has_told_its_end() {
    let mut script = main_works();
    terminal(&mut script, at_rest());
    assert_eq!(settled(&mut script), Headline::Working);
    terminal(&mut script, Level::Done);
    assert_eq!(settled(&mut script), Headline::Working);
    // The hook of it is lost.
    script.log(unlisted_stop("t1"));
    assert_eq!(settled(&mut script), Headline::Done);
}

#[test]
fn a_log_that_nobody_has_read_keeps_no_turn_open() {
    let mut script = main_works();
    script.seat.about.log_path = Some("/home/dev/another.jsonl".into());
    terminal(&mut script, at_rest());
    assert_eq!((settled(&mut script), script.outcome()), (Headline::Idle, Some("interrupted")));
    let mut script = main_works();
    script.seat.shows_one = false;
    terminal(&mut script, at_rest());
    assert_eq!(settled(&mut script), Headline::Idle, "of other programs it is the whole agent's");
}

#[test]
fn what_the_main_agent_asks_stays_open_while_the_other_one_works_on_the_terminal() {
    let mut script = asked_beside();
    terminal(&mut script, at_rest());
    script.tick(400);
    script.hook(tool(&Actor::Main, "c1", 7));
    script.hook(permission(&Actor::Main, 7));
    terminal(&mut script, busy());
    assert_eq!(settled(&mut script), Headline::Blocked);
    of_side(&mut script, unlisted_stop("t2"));
    terminal(&mut script, Level::Done);
    assert_eq!(settled(&mut script), Headline::Blocked);
    // The person turns to it, and answers.
    terminal(&mut script, waiting());
    terminal(&mut script, busy());
    assert_eq!(settled(&mut script), Headline::Working);
}

#[test]
fn what_it_asks_itself_is_a_helpers() {
    let mut script = asked_beside();
    of_side(&mut script, tool(&Actor::Main, "c2", 8));
    of_side(&mut script, permission(&Actor::Main, 8));
    let asks: Vec<_> = script.seat.own_prompts().map(|open| open.actor.clone()).collect();
    assert_eq!((script.headline(), asks), (Headline::Blocked, vec![sub("s2")]));
    script.hook(permission(&Actor::Main, 9));
    // Whose of the two was answered the terminal does not say.
    terminal(&mut script, waiting());
    terminal(&mut script, busy());
    assert_eq!(settled(&mut script), Headline::Blocked);
    of_side(&mut script, tool_end(&Actor::Main, "c2", 8));
    assert_eq!(script.seat.own_prompts().count(), 1);
}

#[test]
fn its_failure_is_not_the_main_agents() {
    let failed = || Level::Failed { code: "error".into() };
    let mut script = asked_beside();
    terminal(&mut script, failed());
    assert_eq!((settled(&mut script), script.seat.subagents.len()), (Headline::Working, 0));
    // That one's the log tells.
    let mut script = asked_beside();
    terminal(&mut script, failed());
    script.log(fail("t1", "server_error"));
    assert_eq!(settled(&mut script), Headline::Failed);
    // Where nobody else works it is the agent's.
    let mut script = asked_beside();
    script.hook(unlisted_stop("t1"));
    terminal(&mut script, failed());
    assert_eq!((settled(&mut script), script.seat.subagents.len()), (Headline::Failed, 0));
}

#[test]
fn one_that_is_stopped_while_nobody_else_works_is_no_completion() {
    let stopped = Fact::TurnInterrupted { turn_ref: Some("t2".into()) };
    let mut script = main_works();
    script.hook(Fact::TurnInterrupted { turn_ref: Some("t1".into()) });
    of_side(&mut script, start(SessionStart::Side));
    of_side(&mut script, prompt("t2"));
    assert_eq!(script.phrase(), "working(background)");
    of_side(&mut script, stopped);
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
}

#[test]
fn its_end_is_no_goodbye_of_the_agent_and_what_is_told_of_it_later_is_nobodys() {
    let mut script = asked_beside();
    of_side(&mut script, exit());
    assert_eq!(settled(&mut script), Headline::Working);
    assert!(script.seat.subagents.is_empty());
    of_side(&mut script, tool(&Actor::Main, "c2", 8));
    script.refused(Rule::G1);
}

/// In its turn `t1` a person has turned to another conversation of the same process, which is in its turn `t2`.
fn left_in_turn() -> Script {
    let mut script = main_works();
    script.seat.goes_on_beside = true;
    script.process = Some(ProcessId::new(5, 50));
    script.hook(tool(&Actor::Main, "c1", 7));
    terminal(&mut script, at_rest());
    assert_eq!(settled(&mut script), Headline::Working);
    script.session = Some("s2".into());
    script.hook(start(SessionStart::Startup));
    assert_eq!(
        (script.phrase().as_str(), script.count("turn.completed")),
        ("working(background)", 0)
    );
    script.hook(prompt("t2"));
    assert!(gate::is_beside(&script.seat, "s1") && !gate::is_beside(&script.seat, "s2"));
    script
}

fn of_the_first(script: &mut Script, fact: Fact) {
    script.session = Some("s1".into());
    script.hook(fact);
    script.session = Some("s2".into());
}

#[test]
fn a_turn_that_was_left_ends_as_its_own_and_not_by_what_the_terminal_shows_of_another_one() {
    let mut script = left_in_turn();
    script.hook(unlisted_stop("t2"));
    terminal(&mut script, Level::Done);
    script.refused(Rule::Rank);
    assert_eq!(settled(&mut script), Headline::Working);
    of_the_first(&mut script, unlisted_stop("t1"));
    assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Done, 2));
}

#[test]
fn what_is_asked_in_a_turn_that_was_left_is_shown_until_it_is_answered() {
    let mut script = left_in_turn();
    of_the_first(&mut script, tool(&Actor::Main, "c2", 8));
    of_the_first(&mut script, permission(&Actor::Main, 8));
    let asks: Vec<_> = script.seat.own_prompts().map(|open| open.actor.clone()).collect();
    assert_eq!((script.headline(), asks), (Headline::Blocked, vec![sub("s1")]));
    // The person goes on with the other one.
    terminal(&mut script, busy());
    assert_eq!(settled(&mut script), Headline::Blocked);
    script.hook(unlisted_stop("t2"));
    script.hook(prompt("t3"));
    assert_eq!(settled(&mut script), Headline::Blocked);
    of_the_first(&mut script, tool_end(&Actor::Main, "c2", 8));
    assert_eq!(script.headline(), Headline::Working);
}

#[test]
fn work_that_a_terminal_alone_has_shown_is_not_left_behind() {
    let mut script = Script::idle();
    (script.seat.shows_one, script.seat.goes_on_beside) = (true, true);
    script.process = Some(ProcessId::new(5, 50));
    script.hook(Fact::Nothing);
    terminal(&mut script, at_rest());
    terminal(&mut script, busy());
    assert_eq!(settled(&mut script), Headline::Working);
    script.session = Some("s2".into());
    script.hook(start(SessionStart::Startup));
    assert_eq!((script.headline(), script.seat.turn.beside.len()), (Headline::Idle, 0));
}
