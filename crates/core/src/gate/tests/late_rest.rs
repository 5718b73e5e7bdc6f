//! Stops behind which the program's status file goes on showing work: it is late, or something makes the agent go on.

use super::script::{Script, at_rest, busy, prompt, stop, stop_without_a_name, tool_end, tool_of};
use crate::observation::{Background, Delivery, Fact};
use crate::prompt::Actor;
use crate::status::Headline;
use crate::time::UnixMs;

/// A turn of which hooks and the status file tell.
fn busy_turn() -> Script {
    let mut script = Script::working();
    script.registry(busy());
    script.published.clear();
    script
}

fn turns(script: &Script) -> [usize; 2] {
    ["turn.started", "turn.completed"].map(|kind| script.count(kind))
}

#[test]
fn a_status_file_may_be_later_behind_an_end_that_the_log_has_told_as_well() {
    let mut script = busy_turn();
    script.hook(stop("t1"));
    script.log(stop_without_a_name());
    script.tick(4_000);
    assert_eq!(script.headline(), Headline::Done);
    script.registry(at_rest());
    script.tick(5_000);
    assert_eq!((script.headline(), turns(&script)), (Headline::Done, [0, 1]));
}

#[test]
fn an_end_in_the_log_gives_no_time_where_it_is_older_than_the_stop_or_a_prompt_waits() {
    let mut script = busy_turn();
    script.hook(stop("t1"));
    script.made_at = Some(UnixMs(1));
    script.log(stop_without_a_name());
    script.tick(1_000);
    assert_eq!(script.headline(), Headline::Working);
    let mut script = busy_turn();
    script.log(Fact::PromptQueued);
    script.hook(stop("t1"));
    script.log(stop_without_a_name());
    script.tick(1_000);
    assert_eq!(script.headline(), Headline::Working);
}

/// A second behind its stop it seemed to go on.
fn taken_up() -> Script {
    let mut script = busy_turn();
    script.hook(stop("t1"));
    script.tick(1_000);
    assert_eq!(script.headline(), Headline::Working);
    script
}

#[test]
fn whoever_seemed_to_go_on_behind_its_stop_and_rests_without_a_word_has_completed() {
    let mut script = taken_up();
    script.registry(at_rest());
    script.tick(300);
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
    // What has gone on was stopped, where anything is told of it.
    let mut script = taken_up();
    script.hook(tool_of("t1", "c1"));
    script.hook(tool_end(&Actor::Main, "c1", 0));
    script.registry(at_rest());
    script.tick(300);
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
    let mut script = taken_up();
    script.log(Fact::TurnInterrupted { turn_ref: None });
    script.registry(at_rest());
    script.tick(300);
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
}

/// A turn of which a stop comes from the spool while its status file shows work.
fn stopped() -> Script {
    let mut script = busy_turn();
    let reported_at = script.now.plus(5);
    script.after(3_000).registry(busy());
    script.delivery = Delivery::Spooled { reported_at };
    script.hook(stop("t1"));
    script.delivery = Delivery::Live;
    script
}

/// Whatever runs behind a stop has run meanwhile.
#[test]
fn a_stop_from_the_spool_is_none_while_work_is_still_shown() {
    let mut script = stopped();
    script.tick(5_000);
    assert_eq!((script.headline(), turns(&script)), (Headline::Working, [0, 0]));
    script.registry(at_rest());
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
    assert_eq!(turns(&script), [0, 1]);
    // The log is read behind it: another hook has undone that.
    let mut script = stopped();
    script.log(Fact::StopUndone { turn_ref: "t1".to_owned() });
    script.hook(stop("t1"));
    assert_eq!((script.headline(), turns(&script)), (Headline::Working, [0, 0]));
    script.registry(at_rest());
    assert_eq!((script.headline(), turns(&script)), (Headline::Done, [0, 1]));
}

/// Its log tells the end of a turn by its name, and may be where the hub cannot read it.
#[test]
fn a_stop_from_the_spool_is_an_end_where_no_status_file_shows_work() {
    let mut script = Script::working();
    let reported_at = script.now.plus(5);
    script.after(3_000).delivery = Delivery::Spooled { reported_at };
    let background = Background { logged: true, ..Background::unlisted() };
    script.hook(Fact::TurnEnded { background, turn_ref: Some("t1".to_owned()) });
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
    assert_eq!(turns(&script), [0, 1]);
}

/// Behind such a stop a prompt may be one that was queued. A status file that rests says so once.
#[test]
fn a_prompt_behind_a_stop_from_the_spool_is_over_where_the_status_file_goes_on_showing_rest() {
    for goes_on in [false, true] {
        let mut script = stopped();
        script.hook(prompt("t2"));
        // No hook tells of Esc.
        script.registry(at_rest());
        assert_eq!((script.headline(), turns(&script)), (Headline::Working, [1, 1]));
        if goes_on {
            script.registry(busy());
        }
        script.tick(300);
        if goes_on {
            assert_eq!((script.headline(), turns(&script)), (Headline::Working, [1, 1]));
        } else {
            assert_eq!((script.headline(), turns(&script)), (Headline::Idle, [1, 2]));
            assert_eq!(script.outcome(), Some("interrupted"));
        }
    }
}
