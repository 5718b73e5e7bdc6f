//! G1: a process that begins another conversation, whether or not the end of the one before was understood.

use super::script::{Script, at_rest, busy, prompt, start, stop, tool_of, waiting};
use crate::gate::{Rule, SETTLE_MS};
use crate::id::ProcessId;
use crate::observation::{Delivery, Fact, Level, SessionEnd, SessionStart};
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

/// The start of a conversation that is resumed may be told behind its first prompt (Copilot CLI 1.0.102).
#[test]
fn g1_what_is_asked_in_an_earlier_conversation_takes_it_up_once_the_one_behind_it_was_left() {
    let mut script = working();
    script.hook(stop("t1"));
    script.hook(Fact::SessionEnded { how: SessionEnd::Closed });
    script.session = Some("s2".to_owned());
    script.hook(prompt("t2"));
    script.hook(stop("t2"));
    script.hook(Fact::SessionEnded { how: SessionEnd::Closed });
    script.session = Some("s1".to_owned());
    script.hook(prompt("t3"));
    script.refused(Rule::G1);
    // A call may come late, and from elsewhere it is another agent's.
    script.after(SETTLE_MS).hook(tool_of("t1", "c1"));
    script.refused(Rule::G1);
    let own = script.process.take();
    script.hook(prompt("t3"));
    script.refused(Rule::G1);
    script.process = own;
    script.hook(prompt("t3"));
    assert_eq!((script.headline(), script.seat.incarnation), (Headline::Working, 3));
    script.hook(start(SessionStart::Startup));
    script.silent();
    script.hook(stop("t3"));
    assert_eq!(script.headline(), Headline::Done);
    assert_eq!(script.count("turn.completed"), 3);
}

#[test]
fn g1_what_was_asked_while_no_hub_was_there_takes_up_a_conversation_that_was_left_before() {
    let mut script = working();
    script.hook(stop("t1"));
    starts_up(&mut script, "s2");
    let mut left = script.now;
    script.after(60_000);
    for (turn, incarnation) in [("t2", 3), ("t3", 5)] {
        script.session = Some("s1".to_owned());
        script.delivery = Delivery::Spooled { reported_at: left.plus(SETTLE_MS - 1) };
        script.hook(prompt(turn));
        script.refused(Rule::G1);
        script.delivery = Delivery::Spooled { reported_at: left.plus(SETTLE_MS) };
        script.hook(prompt(turn));
        assert_eq!(
            (script.headline(), script.seat.incarnation),
            (Headline::Working, incarnation),
            "{turn}"
        );
        // The next one was begun before the hub was back, too.
        left = left.plus(5_000);
        script.delivery = Delivery::Spooled { reported_at: left };
        starts_up(&mut script, "s2");
        assert_eq!(script.headline(), Headline::Idle);
    }
}

/// The status file of its process shows this in that conversation.
fn files(script: &mut Script, session: &str, level: Level) {
    script.session = Some(session.to_owned());
    script.registry(level);
}

#[test]
fn g1_a_conversation_that_a_status_file_names_again_is_taken_up_again() {
    let mut script = Script::new();
    script.process = Some(ProcessId::new(5, 50));
    for session in ["s1", "s2", "s1", "s2"] {
        script.after(SETTLE_MS);
        for (level, headline) in [
            (at_rest(), Headline::Idle),
            (busy(), Headline::Working),
            (waiting(), Headline::Blocked),
            (at_rest(), Headline::Idle),
        ] {
            files(&mut script, session, level);
            assert_eq!(script.headline(), headline, "{session}");
            assert_eq!(script.seat.doc().session_id.as_deref(), Some(session));
        }
    }
    assert_eq!(script.seat.incarnation, 4);
}

#[test]
fn g1_late_words_of_a_status_file_take_no_conversation_up_again() {
    let mut script = working();
    script.registry(busy());
    script.hook(stop("t1"));
    starts_up(&mut script, "s2");
    let before = script.headline();
    // Hooks have told of the next one before it, however long before.
    for level in [busy(), at_rest(), busy()] {
        script.after(20_000);
        files(&mut script, "s1", level);
        script.refused(Rule::G1);
        assert_eq!(script.headline(), before);
    }
    // Once it has named that one as well it is a way back.
    files(&mut script, "s2", at_rest());
    files(&mut script, "s1", busy());
    assert_eq!(script.headline(), Headline::Working);
    // So soon behind that it may be late, and from elsewhere it is another agent's.
    files(&mut script, "s2", at_rest());
    script.refused(Rule::G1);
    script.after(SETTLE_MS);
    script.process = None;
    files(&mut script, "s2", at_rest());
    script.refused(Rule::G1);
    assert_eq!(script.headline(), Headline::Working);
}

#[test]
fn g1_a_turn_whose_status_file_names_another_conversation_for_a_moment_ends_by_its_own_hooks() {
    let mut script = working();
    script.registry(busy());
    files(&mut script, "s2", busy());
    script.after(500);
    files(&mut script, "s1", busy());
    script.hook(tool_of("t1", "c1"));
    assert_eq!(script.headline(), Headline::Working);
    script.hook(stop("t1"));
    script.registry(at_rest());
    script.tick(1_000);
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
    assert_eq!(script.seat.counters.tools, 1);
}
