//! G1: a process that begins another conversation, whether or not the end of the one before was understood.

use super::script::{Script, prompt, start, stop, tool_of};
use crate::gate::{Rule, SETTLE_MS};
use crate::id::ProcessId;
use crate::observation::SessionStart;
use crate::status::Headline;

/// In its first turn, `t1` of `s1`, in a process that is known.
fn working() -> Script {
    let mut script = Script::idle();
    script.process = Some(ProcessId::new(5, 50));
    script.hook(prompt("t1"));
    script
}

fn starts_up(script: &mut Script, session: &str) {
    script.session = Some(session.to_owned());
    script.hook(start(SessionStart::Startup));
}

#[test]
fn g1_what_starts_up_in_the_seats_own_process_takes_the_seat_over() {
    for in_turn in [true, false] {
        let mut script = working();
        if !in_turn {
            script.hook(stop("t1"));
        }
        starts_up(&mut script, "s2");
        // Its process has not died.
        let outcome = if in_turn { "interrupted" } else { "completed" };
        assert_eq!((script.phrase().as_str(), script.outcome()), ("idle(ready)", Some(outcome)));
        assert_eq!((script.seat.incarnation, &script.seat.process.id), (2, &script.process));
        script.hook(prompt("t2"));
        assert_eq!(script.headline(), Headline::Working);
        script.session = Some("s1".to_owned());
        script.hook(stop("t1"));
        script.refused(Rule::G1);
        assert_eq!(script.headline(), Headline::Working);
    }
}

#[test]
fn g1_what_is_asked_in_a_conversation_that_was_left_takes_it_up_again_in_its_own_process() {
    let mut script = working();
    script.hook(stop("t1"));
    starts_up(&mut script, "s2");
    script.session = Some("s1".to_owned());
    // It was on its way when the conversation was left.
    script.hook(prompt("t2"));
    script.refused(Rule::G1);
    script.after(SETTLE_MS).hook(prompt("t2"));
    assert_eq!((script.headline(), script.seat.incarnation), (Headline::Working, 3));
    // A call may come late, and from elsewhere it is another agent's.
    script.session = Some("s2".to_owned());
    script.after(SETTLE_MS).hook(tool_of("t3", "c3"));
    script.refused(Rule::G1);
    script.process = None;
    script.hook(prompt("t3"));
    script.refused(Rule::G1);
    script.session = Some("s1".to_owned());
    script.hook(stop("t2"));
    assert_eq!(script.headline(), Headline::Done);
}
