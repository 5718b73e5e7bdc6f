//! A prompt that only the log tells of: its hook was lost.

use super::script::{Script, at_rest, busy, prompt, stop, stop_without_a_name, tool_of, wake};
use crate::gate::Rule;
use crate::observation::{Background, Fact, Level, Submitter};
use crate::seat::HeldFact;
use crate::status::{Headline, WorkingReason};

fn logged(turn: &str) -> Fact {
    logged_by(Submitter::Person, turn)
}

fn logged_by(by: Submitter, turn: &str) -> Fact {
    Fact::PromptLogged { by, turn_ref: turn.to_owned() }
}

/// It has just been written down.
fn log(script: &mut Script, turn: &str) {
    log_fact(script, logged(turn));
}

fn log_fact(script: &mut Script, fact: Fact) {
    script.made_at = Some(script.now.plus(5));
    script.log(fact);
    script.made_at = None;
}

fn turns(script: &Script) -> (usize, usize) {
    (script.count("turn.started"), script.count("turn.completed"))
}

#[test]
fn a_prompt_whose_hook_was_lost_begins_a_turn() {
    let mut script = Script::idle();
    log(&mut script, "t1");
    assert_eq!(script.phrase(), "working(prompt)");
    // It was only late.
    script.hook(prompt("t1"));
    script.silent();
    script.hook(stop("t1"));
    assert_eq!((script.headline(), turns(&script)), (Headline::Done, (1, 1)));
    // The log is read late.
    log(&mut script, "t1");
    script.silent();
    assert_eq!(script.headline(), Headline::Done);
}

/// `claude -p` takes each prompt out of its own queue, and a hook tells of it as well.
#[test]
fn a_prompt_that_the_log_takes_out_of_the_queue_before_its_hook_comes_is_one_turn() {
    for late in [0, 200] {
        let mut script = Script::working();
        script.registry(busy());
        script.log(Fact::PromptQueued);
        script.hook(stop("t1"));
        script.log(Fact::WakeQueued(false));
        assert_eq!(script.phrase(), "working(prompt)");
        assert_eq!(turns(&script), (1, 1));
        script.after(late).hook(prompt("t2"));
        assert_eq!((script.headline(), turns(&script)), (Headline::Working, (1, 1)), "{late}");
        script.hook(stop("t2"));
        script.registry(at_rest());
        assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
        assert_eq!(turns(&script), (1, 2), "{late}");
    }
    // Much later it is another one, and nobody has told how the one before has ended.
    let mut script = Script::working();
    script.registry(busy());
    script.log(Fact::PromptQueued);
    script.hook(stop("t1"));
    script.log(Fact::WakeQueued(false));
    script.after(5_000).hook(prompt("t3"));
    assert_eq!(turns(&script), (2, 2));
}

/// The log of `claude -p` may be read behind the stop that its prompt has led to.
#[test]
fn what_was_taken_out_of_the_queue_before_a_stop_begins_no_turn_behind_it() {
    for unsettled in [false, true] {
        let mut script = Script::working();
        script.registry(busy());
        let made_at = script.now;
        let background = Background { unsettled, ..Background::default() };
        script.hook(Fact::TurnEnded { background, turn_ref: Some("t1".to_owned()) });
        let told = turns(&script);
        script.made_at = Some(made_at);
        script.log(Fact::PromptQueued);
        script.log(Fact::WakeQueued(false));
        assert_eq!(turns(&script), told, "{unsettled}");
        script.made_at = None;
        script.registry(at_rest());
        assert_eq!((script.headline(), turns(&script)), (Headline::Done, (0, 1)), "{unsettled}");
    }
}

/// Claude Code writes down what a hook of its stop has said that has it go on.
#[test]
fn a_stop_that_was_undone_is_none_but_not_one_that_came_behind_that() {
    let undone = || Fact::StopUndone { turn_ref: "t1".to_owned() };
    let mut script = Script::working();
    script.hook(stop("t1"));
    let made_at = script.now.plus(5);
    script.made_at = Some(made_at);
    script.log(undone());
    script.made_at = None;
    assert_eq!(script.headline(), Headline::Working);
    script.hook(stop("t1"));
    assert_eq!(script.headline(), Headline::Done);
    // The log is read late.
    script.made_at = Some(made_at);
    script.log(undone());
    script.refused(Rule::G10);
    assert_eq!(script.headline(), Headline::Done);
}

/// What a shell in the background has to tell wakes Claude Code by a prompt of its own. Nobody has seen what came before.
#[test]
fn a_wake_whose_hook_was_lost_begins_a_turn() {
    let mut script = Script::working();
    script.hook(stop("t1"));
    assert!(!script.seat.seen());
    log_fact(&mut script, logged_by(Submitter::Program, "t2"));
    assert_eq!((script.phrase().as_str(), turns(&script)), ("working(prompt)", (1, 1)));
    // It was only late.
    script.hook(wake("t2"));
    script.silent();
    script.hook(stop("t2"));
    assert_eq!((script.headline(), turns(&script)), (Headline::Done, (1, 2)));
    // One that was told in mid-turn is read behind the end of that.
    let mut script = Script::working();
    let made_at = script.now.plus(5);
    script.hook(stop("t1"));
    script.made_at = Some(made_at);
    script.log(logged_by(Submitter::Program, "t2"));
    assert_eq!((script.headline(), turns(&script)), (Headline::Done, (0, 1)));
}

/// No hook is there any more.
#[test]
fn a_turn_of_which_the_log_alone_tells_ends_with_what_that_says() {
    let mut script = Script::idle();
    log(&mut script, "t1");
    script.log(stop_without_a_name());
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
    // One that hooks tell of ends with theirs.
    let mut script = Script::idle();
    log(&mut script, "t1");
    script.hook(Fact::Nothing);
    script.log(stop_without_a_name());
    assert_eq!(script.headline(), Headline::Working);
    script.hook(stop("t1"));
    assert_eq!((script.headline(), turns(&script)), (Headline::Done, (1, 1)));
}

#[test]
fn a_logged_prompt_begins_nothing_where_something_better_tells_of_prompts() {
    // Hooks are there since.
    let mut script = Script::idle();
    let made_at = script.now.plus(5);
    script.hook(Fact::Nothing);
    script.made_at = Some(made_at);
    script.log(logged("t1"));
    assert_eq!((script.headline(), turns(&script)), (Headline::Idle, (0, 0)));
    // When it was written nobody knows.
    let mut script = Script::idle();
    script.log(logged("t1"));
    assert_eq!(script.headline(), Headline::Idle);
    // A status file.
    let mut script = Script::idle();
    script.registry(at_rest());
    log(&mut script, "t1");
    assert_eq!(script.headline(), Headline::Idle);
    // Another turn is open.
    let mut script = Script::working();
    log(&mut script, "t2");
    script.silent();
    script.hook(stop("t1"));
    assert_eq!((script.headline(), turns(&script)), (Headline::Done, (0, 1)));
}

/// At its prompt for a while, as its status file shows.
fn rested() -> Script {
    let mut script = Script::idle();
    script.registry(at_rest());
    script.tick(2_000);
    script.published.clear();
    script
}

#[test]
fn work_that_a_status_file_shows_is_believed_sooner_behind_a_logged_prompt() {
    for log_first in [true, false] {
        let mut script = rested();
        if log_first {
            log(&mut script, "t1");
        }
        script.registry(busy());
        if !log_first {
            log(&mut script, "t1");
        }
        script.tick(40);
        assert_eq!(script.headline(), Headline::Idle, "its hook may still come");
        script.tick(30);
        assert_eq!(script.headline(), Headline::Working);
        // The turn is over before anybody has told of its prompt, which comes late.
        script.hook(stop("t1"));
        script.hook(prompt("t1"));
        script.registry(at_rest());
        script.tick(300);
        let told = (script.headline(), script.outcome(), turns(&script));
        assert_eq!(told, (Headline::Done, Some("completed"), (1, 1)));
        assert_eq!(script.count("agent.status_changed"), 2);
    }
}

#[test]
fn the_work_of_a_logged_prompt_is_its_hooks_where_that_comes_in_time() {
    let mut script = rested();
    log(&mut script, "t1");
    script.registry(busy());
    script.hook(prompt("t1"));
    script.tick(300);
    assert_eq!((script.phrase().as_str(), turns(&script)), ("working(prompt)", (1, 0)));
    assert_eq!(script.count("agent.status_changed"), 1);
}

#[test]
fn work_waits_as_ever_without_a_logged_prompt_or_long_behind_one() {
    let mut script = rested();
    script.registry(busy());
    script.tick(200);
    assert_eq!(script.headline(), Headline::Idle);
    let mut script = rested();
    log(&mut script, "t1");
    script.after(3_000).registry(busy());
    script.tick(200);
    assert_eq!(script.headline(), Headline::Idle);
}

#[test]
fn a_log_tells_that_the_model_is_asked_again() {
    let retries = || {
        let reason = Some(WorkingReason::Retrying);
        Fact::Level(Level::Working { reason })
    };
    let mut script = Script::working();
    script.log(retries());
    assert_eq!(script.phrase(), "working(retrying)");
    assert_eq!(script.count("agent.status_changed"), 1);
    script.log(retries());
    script.silent();
    // What is heard next tells what it does then; beside a call the model is asked nothing.
    script.hook(tool_of("t1", "c1"));
    script.log(retries());
    assert_eq!(script.phrase(), "working(tool)");
    script.hook(stop("t1"));
    assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Done, 1));
}

#[test]
fn behind_another_try_the_log_ends_no_turn_that_a_hook_has_begun() {
    let mut script = Script::working();
    script.after(1_000).log(Fact::AsksAgain { wait_ms: 500 });
    script.tick(2_000);
    assert_eq!(script.phrase(), "working(model)");
    script.published.clear();
    script.log(Fact::TurnEnded { background: Background::default(), turn_ref: None });
    assert_eq!((script.headline(), turns(&script)), (Headline::Working, (0, 0)));
    script.hook(stop("t1"));
    assert_eq!((script.headline(), turns(&script)), (Headline::Done, (0, 1)));
}

#[test]
fn once_the_wait_before_another_try_is_over_the_model_is_asked() {
    let retries = |wait_ms| Fact::AsksAgain { wait_ms };
    let mut script = Script::working();
    script.log(retries(500));
    assert_eq!(script.phrase(), "working(retrying)");
    // That was refused as well.
    script.after(600).log(retries(2_000));
    script.silent();
    script.tick(2_000);
    assert_eq!(script.phrase(), "working(retrying)");
    script.tick(1_000);
    assert_eq!(script.phrase(), "working(model)");
    let heard = script.seat.turn.evidence.confirmed_at;
    assert!(script.now.since(heard) >= 3_000, "nobody has confirmed it");
    let stands = script.seat.history().trail.iter().rfind(|said| said.lost.is_none()).unwrap();
    assert_eq!(&*stands.value, "working(model)");
    script.log(retries(60_000));
    assert_eq!(script.phrase(), "working(retrying)");
    // What is heard next tells more, and a turn that is over waits for nothing.
    script.hook(tool_of("t1", "c1"));
    script.tick(70_000);
    assert_eq!(script.phrase(), "working(tool)");
    let mut script = Script::working();
    script.log(retries(60_000));
    script.hook(stop("t1"));
    assert!(script.seat.held.iter().all(|held| held.what != HeldFact::AsksAgain));
    // What is typed meanwhile waits.
    let mut script = Script::working();
    script.log(retries(500));
    script.hook(prompt("t2"));
    script.tick(2_000);
    assert_eq!(script.phrase(), "working(model)");
}
