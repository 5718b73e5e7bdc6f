//! G1: in some programs a turn goes on when a person turns to another conversation.

use super::script::{
    Script, exit, fail, permission, prompt, start, stop, stop_with, sub, tool, tool_of,
};
use crate::event::EventBody;
use crate::fold::{self, Folded};
use crate::gate::Rule;
use crate::id::ProcessId;
use crate::observation::{Fact, SessionEnd, SessionStart};
use crate::status::{Headline, OutcomeKind};
use std::collections::BTreeMap;

/// A turn `t1` of the conversation `s1`, in a program of such a kind or not.
fn one(goes_on_beside: bool) -> Script {
    let mut script = Script::idle();
    script.process = Some(ProcessId::new(5, 50));
    script.seat.goes_on_beside = goes_on_beside;
    script.hook(prompt("t1"));
    script
}

/// The person has prompted `s2` beside it: `t2`.
fn two() -> Script {
    let mut script = one(true);
    of(&mut script, "s2", prompt("t2"));
    assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Working, 0));
    assert_eq!((script.count("turn.started"), script.seat.turn.seq), (2, 2));
    script
}

fn of(script: &mut Script, session: &str, fact: Fact) {
    script.session = Some(session.into());
    script.hook(fact);
}

/// Which turns the last fact has ended, and how.
fn ended(script: &Script) -> Vec<(u64, Option<OutcomeKind>)> {
    let ends = script.last.events.iter().filter_map(|event| match event {
        EventBody::TurnCompleted { turn_seq, outcome } => {
            Some((*turn_seq, outcome.as_ref().map(|outcome| outcome.kind)))
        }
        _ => None,
    });
    ends.collect()
}

#[test]
fn a_turn_that_is_left_for_another_conversation_goes_on_where_its_kind_says_so() {
    for (goes_on_beside, ends) in [(true, 0), (false, 1)] {
        for fact in [prompt("t2"), start(SessionStart::Clear), start(SessionStart::Resume)] {
            let mut script = one(goes_on_beside);
            of(&mut script, "s2", fact.clone());
            assert_eq!(script.count("turn.completed"), ends, "{fact:?}");
            let goes_on = script.headline() == Headline::Working;
            assert_eq!(goes_on, goes_on_beside || fact == prompt("t2"), "{fact:?}");
        }
    }
}

#[test]
fn the_agent_works_until_the_last_turn_has_ended_and_each_end_is_told_as_it_is() {
    use OutcomeKind::{Completed, Failed, Interrupted};
    let stopped = || Fact::TurnInterrupted { turn_ref: Some("t1".into()) };
    for (fact, kind, headline) in [
        (stop("t1"), Completed, Headline::Done),
        (fail("t1", "overloaded"), Failed, Headline::Failed),
        (stopped(), Interrupted, Headline::Done),
    ] {
        // The one that is shown ends first.
        let mut script = two();
        of(&mut script, "s2", stop("t2"));
        assert_eq!(
            (script.phrase().as_str(), ended(&script)),
            ("working(background)", vec![(2, Some(Completed))])
        );
        of(&mut script, "s1", fact.clone());
        assert_eq!((script.headline(), ended(&script)), (headline, vec![(1, Some(kind))]));
        // Or it ends last.
        let mut script = two();
        of(&mut script, "s1", fact.clone());
        assert_eq!((script.headline(), ended(&script)), (Headline::Working, vec![(1, Some(kind))]));
        assert_eq!(script.outcome(), None);
        of(&mut script, "s1", fact);
        script.refused(Rule::G1);
        of(&mut script, "s2", stop("t2"));
        assert_eq!(
            (script.headline(), script.phrase().as_str()),
            (Headline::Done, "idle(turn_ended)")
        );
    }
}

/// Neither hides a failure that nobody has seen.
#[test]
fn a_failure_is_seen_before_a_later_end() {
    let mut script = two();
    of(&mut script, "s2", fail("t2", "overloaded"));
    of(&mut script, "s1", stop("t1"));
    assert_eq!(script.headline(), Headline::Failed);
    let mut script = two();
    of(&mut script, "s2", fail("t2", "overloaded"));
    script.seat.seen_turn_seq = script.seat.turn.seq;
    of(&mut script, "s1", stop("t1"));
    assert_eq!(script.headline(), Headline::Done);
}

#[test]
fn whoever_reads_events_alone_knows_how_the_last_turn_has_ended() {
    let facts = || [("s1", fail("t1", "overloaded")), ("s2", stop("t2"))];
    for facts in [facts().to_vec(), facts().into_iter().rev().collect()] {
        let mut script = two();
        let id = script.seat.id.clone();
        let mut roster = BTreeMap::from([(id.clone(), Folded::from(&script.seat.doc()))]);
        for (session, fact) in facts {
            of(&mut script, session, fact);
            for event in &script.last.events {
                fold::apply_body(&mut roster, &id, event);
            }
            assert_eq!(roster[&id].outcome, script.seat.outcome);
        }
    }
}

#[test]
fn what_is_heard_of_it_confirms_that_it_goes_on_and_what_it_asks_blocks() {
    let mut script = two();
    of(&mut script, "s2", stop("t2"));
    for fact in [Fact::SubagentStarted { id: "s1".into() }, tool(&sub("s1"), "c1", 1)] {
        of(&mut script, "s2", fact);
        script.silent();
    }
    // A helper of its own, as well.
    for who in ["s1", "h"] {
        of(&mut script, "s2", permission(&sub(who), 7));
        assert_eq!((script.headline(), script.count("turn.started")), (Headline::Blocked, 2));
        of(&mut script, "s1", stop_with("t1", &["h"], 0));
        let is_blocked = script.headline() == Headline::Blocked;
        assert_eq!((is_blocked, ended(&script)), (who == "h", Vec::new()));
    }
    of(&mut script, "s2", Fact::SubagentEnded { id: "h".into() });
    assert_eq!(script.phrase(), "working(background)");
    of(&mut script, "s1", stop("t1"));
    assert_eq!(script.headline(), Headline::Done);
    assert!(script.seat.subagents.is_empty() && script.seat.open_tools.is_empty());
}

/// OpenCode 1.18.33 says once more what is asked there when the turn that is shown has ended.
#[test]
fn what_it_asks_waits_through_the_end_of_the_turn_that_is_shown() {
    let mut script = two();
    let asks = || permission(&sub("s1"), 7);
    of(&mut script, "s2", asks());
    assert_eq!(script.headline(), Headline::Blocked);
    of(&mut script, "s2", stop("t2"));
    of(&mut script, "s2", asks());
    assert_eq!((script.headline(), script.count("prompt.resolved")), (Headline::Blocked, 0));
    assert_eq!(script.count("prompt.opened"), 1);
    of(&mut script, "s1", stop("t1"));
    assert_eq!((script.headline(), script.count("prompt.resolved")), (Headline::Done, 1));
}

#[test]
fn it_is_over_with_whatever_ends_all() {
    use OutcomeKind::{Aborted, Completed};
    // It was deleted, or all that runs in the terminal rests: nobody tells how it has ended.
    for fact in [Fact::SubagentEnded { id: "s1".into() }, Fact::IdleNotice { turn_ref: None }] {
        let mut script = two();
        of(&mut script, "s2", stop("t2"));
        of(&mut script, "s2", fact);
        assert_eq!((script.headline(), ended(&script)), (Headline::Done, vec![(1, None)]));
    }
    let mut script = two();
    of(&mut script, "s2", exit());
    let all = vec![(1, Some(Aborted)), (2, Some(Aborted))];
    assert_eq!((script.headline(), ended(&script)), (Headline::Ended, all));
    assert_eq!(script.outcome(), Some(Aborted.word()));
    // It may leave in mid-turn, or not at all: then nobody knows.
    let mut script = two();
    of(&mut script, "s2", stop("t2"));
    assert_eq!(ended(&script), [(2, Some(Completed))]);
    of(&mut script, "s2", Fact::SessionEnded { how: SessionEnd::Either });
    assert_eq!((script.headline(), ended(&script)), (Headline::Working, Vec::new()));
    script.tick(2_000);
    assert_eq!((script.headline(), ended(&script)), (Headline::Unknown, vec![(1, None)]));
}

#[test]
fn a_conversation_that_is_shown_again_goes_on_with_its_turn() {
    let mut script = two();
    of(&mut script, "s2", stop("t2"));
    of(&mut script, "s2", Fact::SessionEnded { how: SessionEnd::Clear });
    assert_eq!(script.phrase(), "working(background)");
    of(&mut script, "s1", start(SessionStart::Resume));
    of(&mut script, "s1", prompt("t1"));
    script.silent();
    of(&mut script, "s1", tool_of("t1", "c1"));
    assert_eq!(script.phrase(), "working(tool)");
    assert_eq!((script.count("turn.started"), script.count("turn.completed")), (2, 1));
    of(&mut script, "s1", stop("t1"));
    assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Done, 2));
    of(&mut script, "s1", prompt("t1"));
    script.refused(Rule::G10);
    // A new prompt there tells that the turn before is over.
    let mut script = two();
    of(script.after(1_000), "s1", prompt("t3"));
    assert_eq!(ended(&script), [(1, None)]);
    for (session, turn) in [("s2", "t2"), ("s1", "t3")] {
        assert_eq!(script.headline(), Headline::Working);
        of(&mut script, session, stop(turn));
    }
    assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Done, 3));
}

/// Its bus and its plugin tell the same.
#[test]
fn a_start_that_is_told_after_the_work_of_its_conversation_ends_nothing() {
    use super::script::busy;
    use crate::source::Source;
    let mut script = one(true);
    of(&mut script, "s1", stop("t1"));
    script.session = Some("s2".into());
    script.said(Source::EventStream, Fact::Level(busy()));
    of(&mut script, "s2", start(SessionStart::Resume));
    of(&mut script, "s2", prompt("t2"));
    assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Working, 1));
    assert_eq!(script.count("turn.started"), 2);
}
