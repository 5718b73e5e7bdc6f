//! Stops that no hook tells: the log has the answer.

use super::script::{Script, prompt, stop, sub, tool};
use crate::gate::Rule;
use crate::observation::Fact;
use crate::prompt::Actor;
use crate::source::Source;
use crate::status::Headline;

/// Longer than a hook takes. Milliseconds.
const LONG: i64 = 3_100;

fn state(script: &Script) -> (Headline, Option<&'static str>) {
    (script.headline(), script.outcome())
}

#[test]
fn a_turn_whose_stop_was_lost_ends_with_its_logged_answer() {
    let mut script = Script::working();
    script.log(Fact::AnswerLogged);
    assert_eq!(script.headline(), Headline::Working, "its hook may still come");
    script.tick(LONG);
    assert_eq!(state(&script), (Headline::Done, Some("completed")));
    assert_eq!(script.count("turn.completed"), 1);
}

#[test]
fn a_logged_answer_is_no_end_where_anything_follows() {
    for (source, fact) in [
        (Source::Transcript, Fact::AnswerBegun),
        (Source::Hook, tool(&Actor::Main, "c1", 7)),
        (Source::Hook, prompt("t2")),
    ] {
        let mut script = Script::working();
        script.log(Fact::AnswerLogged);
        script.said(source, fact);
        script.tick(LONG);
        assert_eq!(script.headline(), Headline::Working, "{source:?}");
    }
}

#[test]
fn a_logged_answer_ends_nothing_behind_which_something_goes_on() {
    let mut script = Script::working();
    script.hook(Fact::SubagentStarted { id: "h1".to_owned() });
    script.log(Fact::AnswerLogged);
    script.tick(LONG);
    assert_eq!(script.headline(), Headline::Working, "a helper");
    let mut script = Script::working();
    script.hook(Fact::CompactionStarted);
    script.log(Fact::AnswerLogged);
    script.tick(LONG);
    assert_eq!(script.headline(), Headline::Working, "a compaction");
    let mut script = Script::blocked();
    script.log(Fact::AnswerLogged);
    script.tick(LONG);
    assert_eq!(script.headline(), Headline::Blocked, "a dialog");
}

#[test]
fn a_stop_that_comes_ends_its_turn_at_once_and_the_answer_no_later_one() {
    let mut script = Script::working();
    script.log(Fact::AnswerLogged);
    script.hook(stop("t1"));
    assert_eq!(state(&script), (Headline::Done, Some("completed")));
    script.hook(prompt("t2"));
    script.tick(LONG);
    assert_eq!(script.headline(), Headline::Working);
    // The log is read late.
    let mut script = Script::working();
    script.hook(stop("t1"));
    script.log(Fact::AnswerLogged);
    script.tick(LONG);
    assert_eq!(script.count("turn.completed"), 1);
}

#[test]
fn a_helper_that_is_heard_of_behind_a_lost_stop_is_at_work() {
    let mut script = Script::working();
    script.log(Fact::AnswerLogged);
    script.tick(LONG);
    assert_eq!(script.headline(), Headline::Done);
    script.hook(tool(&sub("h1"), "c1", 7));
    assert_eq!(script.phrase(), "working(background)");
}

#[test]
fn what_is_told_too_late_to_be_believed_takes_no_logged_answer_back() {
    let mut script = Script::working();
    script.log(Fact::AnswerLogged);
    script.log(Fact::StopUndone { turn_ref: "t0".to_owned() });
    script.refused(Rule::G10);
    script.tick(LONG);
    assert_eq!(script.headline(), Headline::Done);
}
