//! A goodbye that is taken back: the process goes on.

use super::script::{Script, busy, exit, fail, permission, prompt, start, stop};
use crate::gate::{self, Rule};
use crate::id::ProcessId;
use crate::observation::{Fact, ProcessFact, SessionEnd, SessionStart};
use crate::prompt::Actor;
use crate::source::Source;
use crate::status::{Exit, ExitKind, Headline};

/// In a process that is known, which has told this.
fn told(facts: Vec<Fact>) -> Script {
    let mut script = Script::new();
    script.process = Some(ProcessId::new(1, 10));
    for fact in facts {
        script.hook(fact);
    }
    script
}

fn began() -> Fact {
    start(SessionStart::Startup)
}

/// Its process is there all the same, also for a hub that was restarted meanwhile.
fn stays(script: &mut Script) {
    script.hook(exit());
    assert_eq!(script.headline(), Headline::Ended);
    let kept = serde_json::to_string(&script.seat).unwrap();
    script.seat = serde_json::from_str(&kept).unwrap();
    script.said(Source::Process, Fact::Process(ProcessFact::Alive));
}

#[test]
fn whoever_has_not_left_rests_as_before_or_does_what_nobody_knows() {
    for (facts, headline, phrase, detail) in [
        (vec![began()], Headline::Idle, "idle(ready)", None),
        (vec![began(), prompt("t1"), stop("t1")], Headline::Done, "idle(turn_ended)", None),
        (
            vec![began(), prompt("t1"), fail("t1", "overloaded")],
            Headline::Failed,
            "idle(turn_ended)",
            Some("overloaded"),
        ),
        (vec![began(), prompt("t1")], Headline::Unknown, "unknown", None),
        (
            vec![began(), prompt("t1"), permission(&Actor::Main, 7)],
            Headline::Unknown,
            "unknown",
            None,
        ),
        (vec![Fact::Nothing], Headline::Unknown, "unknown", None),
    ] {
        let mut script = told(facts.clone());
        stays(&mut script);
        assert_eq!((script.headline(), script.phrase().as_str()), (headline, phrase), "{facts:?}");
        assert_eq!(script.seat.turn.detail.as_deref(), detail, "{facts:?}");
    }
    // It tells how its turn has ended.
    let mut script = told(vec![began(), prompt("t1")]);
    stays(&mut script);
    script.after(1_000).hook(stop("t1"));
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
}

/// A goodbye in mid-turn that may mean either, and 2 s later its process is there.
fn goes_on() -> Script {
    let mut script = told(vec![began(), prompt("t1")]);
    script.hook(Fact::SessionEnded { how: SessionEnd::Either });
    script.tick(2_000);
    assert_eq!(script.headline(), Headline::Unknown);
    assert_eq!((script.outcome(), script.count("turn.completed")), (None, 0));
    script
}

#[test]
fn a_turn_with_a_goodbye_in_it_is_over_once_that_is_told() {
    let mut script = goes_on();
    script.hook(stop("t1"));
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
    assert_eq!((script.count("turn.started"), script.count("turn.completed")), (1, 1));
    // Its conversation was cleared.
    let mut script = goes_on();
    script.session = Some("s2".into());
    script.hook(start(SessionStart::Clear));
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
    assert_eq!(script.seat.incarnation, 2);
    // The program begins anew at once, in a conversation of which nothing is known yet.
    let mut script = told(vec![began(), prompt("t1")]);
    script.hook(Fact::SessionEnded { how: SessionEnd::Either });
    script.session = None;
    script.hook(began());
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
}

/// Copilot CLI 1.0.102, `/clear` in mid-turn (measured): it says the same as when it leaves, and no call of that turn is
/// run any more.
#[test]
fn a_turn_that_ends_with_its_conversation_is_over_once_the_process_is_seen_to_stay() {
    let closed = || {
        let mut script = told(vec![began(), prompt("t1")]);
        script.hook(Fact::SessionEnded { how: SessionEnd::Closed });
        script.silent();
        assert_eq!(script.headline(), Headline::Working);
        script
    };
    let mut script = closed();
    script.tick(2_000);
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
    assert_eq!(script.phrase(), "idle(cleared)");
    script.session = Some("s2".into());
    script.hook(start(SessionStart::Startup));
    script.hook(prompt("t2"));
    assert_eq!(script.headline(), Headline::Working);
    assert_eq!((script.count("turn.started"), script.count("turn.completed")), (2, 1));
    // It leaves.
    let mut script = closed();
    script.session = None;
    script.said(Source::Process, Fact::Process(ProcessFact::Exited(Exit::of(ExitKind::Crashed))));
    assert_eq!((script.headline(), script.outcome()), (Headline::Ended, Some("aborted")));
}

#[test]
fn what_may_be_a_goodbye_before_a_restart_is_one_for_a_moment_behind_it() {
    use SessionEnd::{Closed, Either, Unclear};
    for how in [Either, Closed, Unclear] {
        for (ms, headline) in [(1_000, Headline::Ended), (5_000, Headline::Crashed)] {
            let mut script = told(vec![began(), prompt("t1")]);
            script.hook(Fact::SessionEnded { how });
            let kept = serde_json::to_string(&script.seat).unwrap();
            script.seat = serde_json::from_str(&kept).unwrap();
            script.after(60_000);
            gate::restore(&mut script.seat, script.now);
            script.tick(0);
            script.silent();
            script.tick(ms);
            script.session = None;
            let gone = ProcessFact::Exited(Exit::of(ExitKind::Crashed));
            script.said(Source::Process, Fact::Process(gone));
            assert_eq!(script.headline(), headline, "{how:?} {ms}");
        }
    }
}

/// It may be a helper's, or that of a conversation whose start was not understood.
#[test]
fn a_goodbye_of_another_conversation_is_one_once_the_process_is_gone() {
    let gone = || Fact::Process(ProcessFact::Exited(Exit::of(ExitKind::Crashed)));
    for how in [SessionEnd::Exit, SessionEnd::Either] {
        let says_goodbye = || {
            let mut script = told(vec![began(), prompt("t1")]);
            script.session = Some("s2".into());
            for _ in 0..3 {
                script.hook(Fact::SessionEnded { how });
                script.silent();
            }
            assert_eq!(script.headline(), Headline::Working);
            assert_eq!(script.seat.held.len(), 1, "it waits once");
            script.session = Some("s1".into());
            script
        };
        let mut script = says_goodbye();
        script.said(Source::Process, gone());
        assert_eq!(script.headline(), Headline::Ended, "{how:?}");
        let mut script = says_goodbye();
        script.tick(5_000);
        script.said(Source::Process, gone());
        assert_eq!(script.headline(), Headline::Crashed, "{how:?}");
        let mut script = says_goodbye();
        script.hook(stop("t1"));
        assert_eq!((script.headline(), script.seat.incarnation), (Headline::Done, 1), "{how:?}");
    }
    // That one conversation is over is no goodbye.
    let mut script = told(vec![began(), prompt("t1")]);
    script.session = Some("s2".into());
    script.hook(Fact::SessionEnded { how: SessionEnd::Clear });
    script.refused(Rule::G1);
    assert_eq!(script.headline(), Headline::Working);
}

/// Codex, a rewind (Esc, Esc, Enter): with the next prompt it tells the start of the same conversation again. Its own
/// status shows that prompt before.
#[test]
fn whoever_goes_back_in_its_conversation_and_says_goodbye_has_not_left() {
    for (how, late) in [
        (SessionStart::Startup, 0),
        (SessionStart::Startup, 400),
        (SessionStart::Resume, 0),
        (SessionStart::Resume, 400),
    ] {
        let either = || Fact::SessionEnded { how: SessionEnd::Either };
        let mut script = told(vec![began(), prompt("t1"), stop("t1")]);
        script.hook(either());
        script.tick(60_000);
        assert_eq!(
            (script.headline(), script.phrase().as_str()),
            (Headline::Done, "idle(cleared)")
        );
        assert!(script.seat.process.state.is_running());
        script.published.clear();
        let session = script.session.take();
        script.said(Source::ProgramStatus, Fact::Level(busy()));
        script.tick(late);
        script.session = session;
        script.hook(start(how));
        script.hook(prompt("t2"));
        script.hook(stop("t2"));
        assert_eq!(script.headline(), Headline::Done);
        let turns = ["turn.started", "turn.completed"].map(|event| script.count(event));
        assert_eq!((turns, script.outcome()), ([1, 1], Some("completed")), "{how:?} {late}");
        // It leaves at last.
        script.hook(either());
        assert_eq!(script.headline(), Headline::Done);
        script.session = None;
        let gone = ProcessFact::Exited(Exit::of(ExitKind::Crashed));
        script.said(Source::Process, Fact::Process(gone));
        assert_eq!(script.headline(), Headline::Ended, "{how:?} {late}");
    }
}
