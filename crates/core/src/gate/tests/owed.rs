//! G5: what several helpers have found is told one after the other, and each wakes the main agent.

use super::script::{Script, at_rest, busy, stop, stop_with, tool, tool_end, wake};
use crate::observation::{Background, Fact};
use crate::prompt::Actor;
use crate::status::Headline;

fn ended(id: &str) -> Fact {
    Fact::SubagentEnded { id: id.to_owned() }
}

/// Two helpers work behind a stop. Its status file shows work.
fn two_at_work() -> Script {
    let mut script = Script::working();
    script.registry(busy());
    for id in ["h", "i"] {
        script.hook(Fact::SubagentStarted { id: id.to_owned() });
    }
    script.hook(stop_with("t1", &["h", "i"], 0));
    script
}

/// The first of them has woken the main agent.
fn woken() -> Script {
    let mut script = two_at_work();
    script.hook(ended("h"));
    script.hook(wake("w1"));
    script
}

#[track_caller]
fn goes_on(script: &Script) {
    assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Working, 0));
}

#[track_caller]
fn is_done_once(script: &Script) {
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
    assert_eq!((script.count("turn.started"), script.count("turn.completed")), (0, 1));
}

/// Claude Code 2.1.330 writes its log up to 0.1 s late: nothing but the helper's end tells that its result waits.
#[test]
fn g5_a_helper_that_ends_while_the_main_agent_takes_up_another_ones_result_wakes_it_too() {
    let mut script = woken();
    script.hook(ended("i"));
    script.hook(stop("w1"));
    goes_on(&script);
    // Its status file shows rest for a moment.
    script.registry(at_rest());
    script.hook(wake("w2"));
    script.registry(busy());
    script.tick(5_000);
    goes_on(&script);
    script.hook(stop("w2"));
    script.registry(at_rest());
    script.tick(1_000);
    is_done_once(&script);
}

#[test]
fn g5_helpers_that_have_all_ended_before_the_first_result_is_told_wake_it_one_by_one() {
    let mut script = two_at_work();
    script.hook(ended("h"));
    script.hook(ended("i"));
    script.hook(wake("w1"));
    script.hook(stop("w1"));
    goes_on(&script);
    script.hook(wake("w2"));
    script.hook(stop("w2"));
    is_done_once(&script);
}

#[test]
fn a_result_that_is_never_told_keeps_nobody_at_work() {
    let mut script = woken();
    script.hook(ended("i"));
    script.hook(stop("w1"));
    script.registry(at_rest());
    script.tick(300);
    is_done_once(&script);
}

/// What was found beside a call comes with what that returns, and without a status file nothing tells when it rests.
#[test]
fn a_stop_behind_which_nothing_is_owed_is_an_end_at_once() {
    let call = |script: &mut Script, within: Option<Fact>| {
        script.hook(tool(&Actor::Main, "c1", 1));
        if let Some(fact) = within {
            script.hook(fact);
        }
        script.hook(tool_end(&Actor::Main, "c1", 1));
    };
    let mut script = woken();
    script.hook(ended("i"));
    call(&mut script, None);
    script.hook(stop("w1"));
    is_done_once(&script);
    let mut script = woken();
    call(&mut script, Some(ended("i")));
    script.hook(stop("w1"));
    is_done_once(&script);
    let mut script = woken();
    script.registry(at_rest());
    script.hook(ended("i"));
    script.hook(stop("w1"));
    is_done_once(&script);
}

#[test]
fn g5_one_of_two_results_that_was_told_in_mid_turn_leaves_the_other_one() {
    let mut script = Script::working();
    for _ in 0..2 {
        script.log(Fact::WakeQueued(true));
    }
    script.log(Fact::WakeAbsorbed);
    script.hook(stop("t1"));
    goes_on(&script);
    // That one was told, too, as the log says behind the stop.
    script.log(Fact::WakeAbsorbed);
    script.tick(20);
    is_done_once(&script);
}

/// Other hooks of the stop still run, and its status file shows rest for a moment.
#[test]
fn g5_rest_behind_a_stop_that_a_result_waits_for_is_not_believed_at_once() {
    let mut script = Script::working();
    script.registry(busy());
    script.log(Fact::WakeQueued(true));
    let background = Background { unsettled: true, ..Background::default() };
    script.hook(Fact::TurnEnded { background, turn_ref: Some("t1".to_owned()) });
    script.registry(at_rest());
    goes_on(&script);
    script.registry(busy());
    script.hook(wake("w1"));
    script.tick(5_000);
    goes_on(&script);
}
