//! G1: incarnation and session must match.

use super::script::{Script, exit, fail, prompt, start, stop};
use crate::gate::Rule;
use crate::id::ProcessId;
use crate::observation::{Fact, ProcessFact, SessionEnd, SessionStart};
use crate::source::Source;
use crate::status::{Attach, Exit, ExitKind, Headline};

fn other(script: &mut Script, session: &str) {
    script.session = Some(session.into());
}

#[test]
fn g1_a_straggler_after_the_end_does_not_bring_the_seat_back() {
    let mut script = Script::working();
    script.hook(stop("t1"));
    script.hook(exit());
    assert_eq!(script.headline(), Headline::Ended);
    script.after(10_000).hook(prompt("t2"));
    script.refused(Rule::G1);
    assert_eq!(script.headline(), Headline::Ended);
    script.after(31_000).hook(prompt("t2"));
    assert_eq!(script.headline(), Headline::Working);
    assert_eq!(script.seat.incarnation, 2);
}

/// A seat in which neither a session nor a process was ever named, behind its end.
fn nameless() -> Script {
    let mut script = Script::new();
    script.session = None;
    script.hook(prompt("t1"));
    script.hook(exit());
    assert_eq!((script.headline(), script.seat.incarnation), (Headline::Ended, 1));
    script
}

/// Where nobody is named, a straggler cannot be told from a new turn but by what it says.
#[test]
fn g1_a_new_turn_or_a_start_brings_back_a_seat_that_was_never_named_and_nothing_else_at_once() {
    use super::script::{permission, tool_end};
    use crate::observation::{Reported, ReportedTurn};
    use crate::prompt::Actor;
    use crate::status::WorkingReason;
    let goes_on = Fact::Reported(Reported {
        turn: Some(ReportedTurn::Working(WorkingReason::Model)),
        detail: None,
        outcome: None,
        process: None,
    });
    for (fact, headline) in [
        (prompt("t2"), Headline::Working),
        (goes_on, Headline::Working),
        (start(SessionStart::Startup), Headline::Idle),
    ] {
        let mut script = nameless();
        script.hook(fact);
        assert_eq!((script.headline(), script.seat.incarnation), (headline, 2));
    }
    // They may have been on their way; later they tell of somebody.
    for (fact, headline) in [
        (permission(&Actor::Main, 7), Headline::Blocked),
        (Fact::Answered, Headline::Working),
        (Fact::IdleNotice { turn_ref: None }, Headline::Idle),
        (stop("t1"), Headline::Done),
        (tool_end(&Actor::Main, "c1", 7), Headline::Working),
    ] {
        let mut script = nameless();
        for _ in 0..2 {
            script.after(14_000).hook(fact.clone());
            script.refused(Rule::G1);
            assert_eq!((script.headline(), script.seat.incarnation), (Headline::Ended, 1));
        }
        let explained = script.explained();
        assert_eq!((explained.rejected.len(), explained.rejected[0].rule.as_str()), (2, "G1"));
        script.after(2_000).hook(fact);
        assert_eq!((script.headline(), script.seat.incarnation), (headline, 2));
    }
}

#[test]
fn g11_whoever_says_first_what_nobody_understands_is_there() {
    let news = || Fact::NotUnderstood { why: "unknown event Never".into() };
    let mut script = Script::new();
    script.process = Some(crate::id::ProcessId::new(5, 50));
    script.hook(news());
    assert_eq!(script.last.refused.as_ref().map(|refusal| refusal.rule), Some(Rule::G11));
    assert_eq!(script.headline(), Headline::Unknown);
    assert!(script.seat.process.id.is_some(), "its end can be seen");
    // It is the first word of its conversation all the same.
    script.hook(start(SessionStart::Resume));
    assert_eq!((script.headline(), script.seat.incarnation), (Headline::Idle, 1));
    script.hook(exit());
    script.hook(news());
    assert_eq!(script.headline(), Headline::Ended);
}

#[test]
fn g1_a_session_start_or_a_new_session_counts_at_once() {
    let mut script = Script::working();
    script.hook(exit());
    script.hook(start(SessionStart::Resume));
    assert_eq!((script.headline(), script.seat.incarnation), (Headline::Idle, 2));
    script.hook(exit());
    other(&mut script, "s2");
    script.hook(prompt("t1"));
    assert_eq!((script.headline(), script.seat.incarnation), (Headline::Working, 3));
}

#[test]
fn g1_evidence_of_a_left_session_is_refused() {
    let mut script = Script::working();
    other(&mut script, "s2");
    script.hook(start(SessionStart::Startup));
    assert_eq!(script.headline(), Headline::Idle);
    other(&mut script, "s1");
    script.hook(stop("t1"));
    script.refused(Rule::G1);
    assert_eq!(script.headline(), Headline::Idle);
}

#[test]
fn a_clear_changes_the_session_and_ends_nothing() {
    let mut script = Script::working();
    script.hook(stop("t1"));
    script.hook(Fact::SessionEnded { how: SessionEnd::Clear });
    assert!(script.seat.process.state.is_running());
    other(&mut script, "s2");
    script.hook(start(SessionStart::Clear));
    assert_eq!(script.phrase(), "idle(cleared)");
    assert_eq!(script.seat.doc().session_id.as_deref(), Some("s2"));
    assert_eq!(script.seat.incarnation, 2);
    other(&mut script, "s1");
    script.hook(prompt("t9"));
    script.refused(Rule::G1);
}

#[test]
fn another_conversation_is_not_done_before_it_has_begun() {
    for end in [stop("t1"), fail("t1", "overloaded")] {
        let mut script = Script::working();
        script.hook(end.clone());
        script.hook(exit());
        other(&mut script, "s2");
        script.hook(start(SessionStart::Startup));
        assert_eq!((script.headline(), script.outcome()), (Headline::Idle, None), "{end:?}");
    }
    // The same one goes on as it was.
    let mut script = Script::working();
    script.hook(stop("t1"));
    script.hook(exit());
    script.hook(start(SessionStart::Resume));
    assert_eq!(script.headline(), Headline::Done);
}

#[test]
fn a_resume_after_an_unseen_death_starts_anew() {
    let mut script = Script::working();
    script.hook(start(SessionStart::Resume));
    assert_eq!((script.headline(), script.seat.incarnation), (Headline::Idle, 2));
    assert_eq!(script.count("turn.completed"), 1);
    assert_eq!(script.outcome(), Some("aborted"));
    script.hook(start(SessionStart::Resume));
    script.silent();
    assert_eq!(script.seat.incarnation, 2);
}

#[test]
fn a_resume_that_its_own_process_tells_in_mid_turn_ends_nothing_that_is_seen_to_go_on() {
    for by_helper in [true, false] {
        let mut script = Script::working();
        script.process = Some(ProcessId::new(5, 50));
        if by_helper {
            script.hook(Fact::SubagentStarted { id: "h".into() });
        } else {
            script.registry(super::script::busy());
        }
        script.hook(start(SessionStart::Resume));
        script.silent();
        assert_eq!((script.headline(), script.seat.incarnation), (Headline::Working, 1));
        assert_eq!(script.seat.subagents.len(), usize::from(by_helper));
    }
}

#[test]
fn a_resume_that_its_own_process_tells_leaves_the_end_of_that_to_be_seen() {
    let mut script = Script::new();
    script.process = Some(ProcessId::new(5, 50));
    for fact in [start(SessionStart::Startup), prompt("t1"), stop("t1")] {
        script.hook(fact);
    }
    // Behind its rest, and behind what seemed its goodbye.
    for incarnation in [2, 3] {
        script.hook(start(SessionStart::Resume));
        assert_eq!((script.headline(), script.seat.incarnation), (Headline::Done, incarnation));
        assert_eq!(script.seat.process.id, script.process);
        if incarnation == 2 {
            script.hook(exit());
        }
    }
    let exit = Exit { signal: Some(9), ..Exit::of(ExitKind::Crashed) };
    script.said(Source::Process, Fact::Process(ProcessFact::Exited(exit)));
    assert_eq!(script.headline(), Headline::Crashed);
}

#[test]
fn a_resume_that_its_own_process_tells_after_its_prompt_ends_no_turn() {
    let mut script = Script::new();
    script.process = Some(ProcessId::new(5, 50));
    script.hook(prompt("t1"));
    script.hook(start(SessionStart::Resume));
    script.silent();
    assert_eq!((script.headline(), script.seat.incarnation), (Headline::Working, 1));
    assert_eq!(script.seat.process.id, script.process);
}

/// Its log is read before its hooks are told: the start of a session that comes with its first
/// prompt is not another one.
#[test]
fn a_resume_told_after_its_logged_prompt_ends_no_turn() {
    let mut script = Script::working();
    script.hook(stop("t1"));
    let exit = Exit { signal: Some(9), ..Exit::of(ExitKind::Crashed) };
    script.said(Source::Process, Fact::Process(ProcessFact::Exited(exit)));
    let attach = Attach::Interactive;
    script.said(Source::Process, Fact::Process(ProcessFact::Running { attach, restored: false }));
    script.published.clear();
    script.log(prompt("t2"));
    script.hook(start(SessionStart::Resume));
    script.silent();
    script.hook(prompt("t2"));
    assert_eq!(script.headline(), Headline::Working);
    assert_eq!(script.count("turn.started"), 1);
    assert_eq!(script.count("turn.completed"), 0);
}

#[test]
fn a_start_told_twice_or_late_resets_nothing() {
    let mut script = Script::idle();
    script.hook(prompt("t1"));
    script.hook(start(SessionStart::Startup));
    script.silent();
    assert_eq!(script.headline(), Headline::Working);
}

#[test]
fn a_conversation_that_was_cleared_is_no_goodbye_and_what_may_have_been_one_is_for_a_moment() {
    use SessionEnd::{Clear, Either};
    let left = |how: SessionEnd| {
        let mut script = Script::new();
        script.process = Some(crate::id::ProcessId::new(1, 10));
        script.hook(start(SessionStart::Startup));
        script.hook(prompt("t1"));
        script.hook(stop("t1"));
        script.hook(Fact::SessionEnded { how });
        assert_eq!(script.headline(), Headline::Done);
        script.session = None;
        script
    };
    let dies = |script: &mut Script, exit: Exit| {
        script.said(Source::Process, Fact::Process(ProcessFact::Exited(exit)));
        script.headline()
    };
    let gone = || Exit::of(ExitKind::Crashed);
    for (how, ms, exit, headline) in [
        (Clear, 0, gone(), Headline::Crashed),
        (Clear, 60_000, gone(), Headline::Crashed),
        (Either, 4_000, gone(), Headline::Ended),
        (Either, 5_000, gone(), Headline::Crashed),
        (Clear, 60_000, Exit::from_wait(Some(0), None, false), Headline::Ended),
        (Either, 60_000, Exit::from_wait(Some(0), None, false), Headline::Ended),
    ] {
        let mut script = left(how);
        assert_eq!(dies(script.after(ms), exit), headline, "{how:?} {ms}");
        // It can be resumed either way.
        assert!(script.seat.session.is_some());
    }
    // Some take their time in mid-turn, and nobody knows meanwhile what they do. At rest that is no longer.
    let mut script = left(Either);
    script.seat.leaves_within_ms = Some(15_000);
    assert_eq!(dies(script.after(5_000), gone()), Headline::Crashed);
    // Some take their time at rest.
    for (ms, headline) in [(7_000, Headline::Ended), (8_000, Headline::Crashed)] {
        let mut script = left(Either);
        script.seat.parts_within_ms = Some(8_000);
        assert_eq!(dies(script.after(ms), gone()), headline, "{ms}");
    }
    for (ms, headline) in [(14_000, Headline::Ended), (15_000, Headline::Crashed)] {
        let mut script = Script::working();
        script.process = Some(crate::id::ProcessId::new(1, 10));
        script.seat.leaves_within_ms = Some(15_000);
        script.hook(Fact::Nothing);
        script.hook(Fact::SessionEnded { how: Either });
        script.tick(2_000);
        assert_eq!(script.headline(), Headline::Unknown);
        script.tick(ms - 2_000);
        script.session = None;
        assert_eq!(dies(&mut script, gone()), headline, "{ms}");
    }
    // It leaves at last, and may name the conversation that it was in.
    for (how, named) in [(Either, None), (Either, Some("s1")), (Clear, Some("s1"))] {
        let mut script = left(how);
        script.session = named.map(str::to_owned);
        script.after(60_000).hook(Fact::SessionEnded { how: Either });
        assert_eq!(script.headline(), Headline::Done);
        script.session = None;
        assert_eq!(dies(&mut script, gone()), Headline::Ended, "{how:?} {named:?}");
    }
    // A hub that was away cannot tell when it left.
    for (how, headline) in [(Clear, Headline::Crashed), (Either, Headline::Ended)] {
        let mut script = left(how);
        script.after(60_000);
        crate::gate::restore(&mut script.seat, script.now);
        assert_eq!(dies(&mut script, gone()), headline, "{how:?}");
    }
}

/// Some begin a conversation with their first prompt alone, and a person may leave before that.
#[test]
fn what_may_be_a_goodbye_before_the_first_conversation_is_one_for_a_moment() {
    let gone = || Exit::of(ExitKind::Crashed);
    let killed = || Exit { signal: Some(9), ..gone() };
    for (ms, exit, headline) in [
        (0, gone(), Headline::Ended),
        (4_000, gone(), Headline::Ended),
        (5_000, gone(), Headline::Crashed),
        (0, killed(), Headline::Crashed),
    ] {
        let mut script = Script::new();
        script.session = None;
        script.process = Some(crate::id::ProcessId::new(1, 10));
        script.hook(start(SessionStart::Startup));
        script.hook(Fact::SessionEnded { how: SessionEnd::Either });
        assert_eq!(script.headline(), Headline::Idle);
        script.tick(ms);
        script.said(Source::Process, Fact::Process(ProcessFact::Exited(exit)));
        assert_eq!(script.headline(), headline, "{ms}");
    }
}

/// Of a helper that has a conversation of its own, or of one that was over before anything was heard of it.
#[test]
fn g1_a_session_that_has_begun_nothing_here_ends_nothing_here() {
    use super::script::{at_rest, tool, tool_end};
    use crate::prompt::Actor;
    let facts = || {
        [
            stop("t9"),
            fail("t9", "overloaded"),
            Fact::TurnInterrupted { turn_ref: None },
            Fact::IdleNotice { turn_ref: None },
            Fact::TurnOver,
            Fact::Level(at_rest()),
            Fact::CompactionStarted,
            tool_end(&Actor::Main, "c9", 9),
            Fact::SubagentEnded { id: "h".into() },
            Fact::Nothing,
        ]
    };
    for process in [None, Some(ProcessId::new(5, 50))] {
        let mut script = Script::idle();
        script.process = process;
        script.hook(prompt("t1"));
        other(&mut script, "s2");
        for fact in facts().into_iter().chain([tool(&Actor::Main, "c9", 9)]) {
            script.hook(fact.clone());
            script.refused(Rule::G1);
            assert_eq!(script.headline(), Headline::Working, "{fact:?}");
        }
        other(&mut script, "s1");
        script.hook(stop("t1"));
        assert_eq!((script.headline(), script.seat.incarnation), (Headline::Done, 1));
        other(&mut script, "s2");
        for fact in facts() {
            script.hook(fact.clone());
            script.refused(Rule::G1);
            assert_eq!(script.headline(), Headline::Done, "{fact:?}");
        }
        // Just behind its end nothing of it is a sign of life either; later on it is of somebody.
        other(&mut script, "s1");
        script.hook(exit());
        other(&mut script, "s2");
        script.hook(stop("t9"));
        script.refused(Rule::G1);
        script.after(31_000).hook(stop("t9"));
        assert_eq!((script.headline(), script.seat.incarnation), (Headline::Done, 2));
    }
    // So it is where the seat's own was cleared, and the next one is still to come.
    let mut script = Script::idle();
    script.hook(Fact::SessionEnded { how: SessionEnd::Clear });
    other(&mut script, "s2");
    for fact in facts() {
        script.hook(fact.clone());
        script.refused(Rule::G1);
        assert_eq!(script.headline(), Headline::Idle, "{fact:?}");
    }
    script.hook(tool(&Actor::Main, "c9", 9));
    assert_eq!((script.headline(), script.seat.incarnation), (Headline::Working, 2));
}

#[test]
fn g1_a_session_that_begins_something_here_takes_the_seat() {
    use super::script::{at_rest, permission, tool};
    use crate::prompt::Actor;
    for (in_turn, source, fact, headline) in [
        (true, Source::Hook, start(SessionStart::Clear), Headline::Idle),
        (true, Source::Hook, start(SessionStart::Fork), Headline::Idle),
        (true, Source::Hook, prompt("t2"), Headline::Working),
        (true, Source::Hook, permission(&Actor::Main, 7), Headline::Blocked),
        (true, Source::Registry, Fact::Level(at_rest()), Headline::Idle),
        (false, Source::Hook, tool(&Actor::Main, "c9", 9), Headline::Working),
        (false, Source::Hook, prompt("t2"), Headline::Working),
    ] {
        let mut script = Script::working();
        if !in_turn {
            script.hook(stop("t1"));
        }
        other(&mut script, "s2");
        script.said(source, fact.clone());
        assert_eq!((script.headline(), script.seat.incarnation), (headline, 2), "{fact:?}");
        assert_eq!(script.seat.doc().session_id.as_deref(), Some("s2"));
    }
}

/// Nothing else tells of the failure in time: the program is gone with it.
#[test]
fn a_goodbye_for_a_failure_fails_the_open_turn_and_no_other() {
    let leaves = |mut script: Script| {
        script.published.clear();
        script.hook(Fact::SessionEnded { how: SessionEnd::Failed });
        assert_eq!(script.headline(), Headline::Ended);
        let code = script.seat.outcome.as_ref().and_then(|outcome| outcome.code.clone());
        (script.outcome(), code, script.published)
    };
    let code = Some("error".to_owned());
    let told = ["turn.completed", "agent.status_changed"];
    assert_eq!(leaves(Script::working()), (Some("failed"), code.clone(), told.to_vec()));
    let told = ["prompt.resolved", "turn.completed", "agent.status_changed"];
    assert_eq!(leaves(Script::blocked()), (Some("failed"), code, told.to_vec()));
    let mut script = Script::working();
    script.hook(stop("t1"));
    assert_eq!(leaves(script), (Some("completed"), None, vec!["agent.status_changed"]));
}

/// Codex in a seat that was used before: it tells of its conversation with the first prompt, which its own status has
/// shown. What was launched is the agent, or has started it.
#[test]
fn what_is_shown_in_a_new_life_is_of_the_first_conversation_that_it_names() {
    use super::script::{at_rest, busy};
    use crate::status::StartPhase;
    use SessionStart::{Resume, Startup};
    let process = |pid: u32| Some(ProcessId::new(pid, u64::from(pid) * 10));
    for (session, how, pid) in
        [("s2", Startup, 8), ("s2", Startup, 9), ("s1", Resume, 8), ("s1", Resume, 9)]
    {
        let mut script = Script::new();
        script.process = process(5);
        for fact in [start(Startup), prompt("t1"), stop("t1"), exit()] {
            script.hook(fact);
        }
        (script.session, script.process) = (None, None);
        let starting = || Fact::Process(ProcessFact::Starting(StartPhase::Booting));
        script.said(Source::Process, starting());
        script.process = process(8);
        script.said(Source::Process, starting());
        script.process = None;
        script.said(Source::ProgramStatus, Fact::Level(at_rest()));
        script.published.clear();
        script.after(2_000).said(Source::ProgramStatus, Fact::Level(busy()));
        assert_eq!(script.headline(), Headline::Working);
        (script.session, script.process) = (Some(session.into()), process(pid));
        for fact in [start(how), prompt("t2")] {
            script.hook(fact);
            assert_eq!(script.headline(), Headline::Working, "{session} {pid}");
        }
        script.hook(stop("t2"));
        assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
        let turns = ["turn.started", "turn.completed"].map(|event| script.count(event));
        assert_eq!((turns, script.seat.incarnation), ([1, 1], 2), "{session} {pid}");
        assert_eq!(script.seat.doc().session_id.as_deref(), Some(session));
        // The next one in it ends what goes on.
        script.hook(prompt("t3"));
        other(&mut script, "s3");
        script.hook(start(SessionStart::Clear));
        assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
    }
}
