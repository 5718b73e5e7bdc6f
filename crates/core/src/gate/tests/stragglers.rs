//! G1 and G9: what an ended process has left behind, and the next start in its seat. G10: what is told after its end.

use super::script::{
    Script, permission, prompt, settling_permission, start, stop, sub, tool, tool_end, tool_of,
};
use crate::gate::{Rule, SETTLE_MS};
use crate::id::ProcessId;
use crate::observation::{Fact, ProcessFact, Reported, ReportedTurn, SessionEnd, SessionStart};
use crate::prompt::{Actor, NewPrompt, ToolRef};
use crate::source::{Confidence, Source};
use crate::status::{
    BlockedReason, Exit, ExitKind, Headline, OutcomeKind, Process, StartPhase, WorkingReason,
};

const WORKS: ReportedTurn = ReportedTurn::Working(WorkingReason::Model);
const ASKS: ReportedTurn = ReportedTurn::Blocked(BlockedReason::Other);

fn reported(turn: ReportedTurn) -> Fact {
    Fact::Reported(Reported { turn: Some(turn), detail: None, outcome: None, process: None })
}

fn done() -> Fact {
    let outcome = Some((OutcomeKind::Completed, None));
    let turn = Some(ReportedTurn::Idle);
    Fact::Reported(Reported { turn, detail: None, outcome, process: None })
}

fn process(pid: u32) -> ProcessId {
    ProcessId::new(pid, u64::from(pid) * 10)
}

/// A launcher takes the seat, and tells of its process.
fn begins(script: &mut Script, pid: u32) {
    let starting = || Fact::Process(ProcessFact::Starting(StartPhase::Booting));
    (script.session, script.process) = (None, None);
    script.said(Source::Process, starting());
    script.process = Some(process(pid));
    script.said(Source::Process, starting());
    script.process = None;
    assert_eq!(script.headline(), Headline::Starting);
}

fn dies(script: &mut Script, code: Option<i32>, signal: Option<i32>) {
    script.process = script.seat.process.id.clone();
    let exit = Exit::from_wait(code, signal, false);
    script.said(Source::Process, Fact::Process(ProcessFact::Exited(exit)));
    script.process = None;
    assert!(script.seat.process.state.is_over());
}

/// A launched program, of whose turns its reports tell alone, at work.
fn launched() -> Script {
    let mut script = Script::new();
    begins(&mut script, 5);
    script.said(Source::Report, reported(WORKS));
    assert_eq!(script.headline(), Headline::Working);
    script
}

#[test]
fn g1_a_report_is_a_straggler_as_well_where_a_process_was_known() {
    for (code, signal, headline) in
        [(None, Some(9), Headline::Crashed), (Some(0), None, Headline::Ended)]
    {
        for late in [reported(WORKS), reported(ASKS), reported(ReportedTurn::Idle), done()] {
            let mut script = launched();
            dies(&mut script, code, signal);
            script.after(700).said(Source::Report, late.clone());
            script.refused(Rule::G1);
            assert_eq!((script.headline(), script.seat.incarnation), (headline, 1), "{late:?}");
        }
    }
}

/// A program may be several processes. Its terminal is closed: the one in the seat is gone before the one that holds the
/// conversation says goodbye.
#[test]
fn g1_a_goodbye_by_another_process_of_a_program_begins_no_life() {
    let at_work = || {
        let mut script = Script::new();
        script.process = Some(process(5));
        script.hook(start(SessionStart::Startup));
        script.hook(prompt("t1"));
        assert_eq!(script.headline(), Headline::Working);
        script
    };
    let goodbye = || Fact::SessionEnded { how: SessionEnd::Either };
    let gone = |kind| Fact::Process(ProcessFact::Exited(Exit::of(kind)));
    // The end is told before it, ...
    let mut script = at_work();
    script.said(Source::Process, gone(ExitKind::Killed));
    script.process = Some(process(8));
    script.after(1_200).hook(goodbye());
    script.refused(Rule::G1);
    assert_eq!(script.headline(), Headline::Ended);
    let mut script = at_work();
    script.said(Source::Process, gone(ExitKind::Crashed));
    script.process = Some(process(8));
    script.hook(goodbye());
    assert_eq!(script.headline(), Headline::Ended, "it explains a death without a cause");
    // ... or behind it.
    let mut script = at_work();
    script.process = Some(process(8));
    script.hook(goodbye());
    assert_eq!(script.headline(), Headline::Working);
    (script.process, script.session) = (Some(process(5)), None);
    script.said(Source::Process, gone(ExitKind::Killed));
    assert_eq!((script.headline(), script.outcome()), (Headline::Ended, Some("aborted")));
    let seat = &script.seat;
    assert_eq!((seat.process.id.as_ref(), seat.incarnation), (Some(&process(5)), 1));
}

/// A crash stays one until a person has looked, or somebody else is there.
#[test]
fn g9_no_report_says_that_a_dead_process_runs() {
    let crashed = || {
        let mut script = launched();
        dies(&mut script, None, Some(9));
        script.after(31_000);
        script
    };
    for late in [done(), reported(ReportedTurn::Idle), reported(ReportedTurn::Unknown)] {
        let mut script = crashed();
        script.said(Source::Report, late.clone());
        script.refused(Rule::G9);
        assert_eq!(script.headline(), Headline::Crashed, "{late:?}");
    }
    // What it has left behind tells for ever that it works.
    let mut script = crashed();
    script.process = Some(process(5));
    script.said(Source::Report, reported(WORKS));
    script.refused(Rule::G9);
    assert_eq!(script.headline(), Headline::Crashed);
    // From elsewhere it is another life, of which no process is known.
    for (word, headline) in [(WORKS, Headline::Working), (ASKS, Headline::Blocked)] {
        let mut script = crashed();
        script.said(Source::Report, reported(word));
        let seat = &script.seat;
        assert_eq!((script.headline(), seat.incarnation), (headline, 2));
        assert_eq!((&seat.process.id, seat.process.evidence.confidence), (&None, Confidence::Weak));
    }
    // A launcher that takes the seat again is heard at once, and so is what it starts.
    let mut script = launched();
    dies(&mut script, None, Some(9));
    begins(&mut script, 8);
    script.said(Source::Report, reported(WORKS));
    assert_eq!((script.headline(), script.seat.incarnation), (Headline::Working, 2));
}

/// What says no more than that it rests or asks may have been on its way when the end was told.
#[test]
fn where_no_process_was_ever_known_a_report_is_all_there_is() {
    for (late, headline, is_at_once) in [
        (reported(WORKS), Headline::Working, true),
        (done(), Headline::Done, false),
        (reported(ReportedTurn::Idle), Headline::Idle, false),
        (reported(ASKS), Headline::Blocked, false),
    ] {
        let mut script = Script::new();
        script.session = None;
        script.said(Source::Report, reported(WORKS));
        let process = Some(ProcessFact::Exited(Exit::of(ExitKind::Unspecified)));
        let left = Reported { turn: None, detail: None, outcome: None, process };
        script.said(Source::Report, Fact::Reported(left));
        assert_eq!(script.headline(), Headline::Ended);
        if !is_at_once {
            script.after(29_000).said(Source::Report, late.clone());
            script.refused(Rule::G1);
            assert_eq!((script.headline(), script.seat.incarnation), (Headline::Ended, 1));
            script.after(1_000);
        }
        script.said(Source::Report, late);
        assert_eq!((script.headline(), script.seat.incarnation), (headline, 2));
    }
}

#[test]
fn every_start_in_an_ended_seat_is_a_life_of_its_own() {
    let mut script = launched();
    for incarnation in 1..4 {
        assert_eq!(script.seat.incarnation, incarnation);
        dies(&mut script, Some(0), None);
        begins(&mut script, 5 + incarnation);
    }
}

/// Its first words tell of a conversation, in the process that was launched or in one that this has started.
#[test]
fn a_start_is_counted_once_whoever_tells_of_its_conversation() {
    for (session, first) in [
        ("s2", start(SessionStart::Startup)),
        ("s2", prompt("t1")),
        ("s1", start(SessionStart::Startup)),
        ("s1", start(SessionStart::Resume)),
        ("s1", prompt("t2")),
    ] {
        for pid in [8, 9] {
            let mut script = Script::idle();
            script.process = Some(process(5));
            script.hook(prompt("t1"));
            script.hook(stop("t1"));
            dies(&mut script, Some(0), None);
            begins(&mut script, 8);
            (script.session, script.process) = (Some(session.into()), Some(process(pid)));
            script.hook(first.clone());
            assert_eq!(script.seat.incarnation, 2, "{session} {first:?} {pid}");
            assert!(matches!(script.seat.process.state, Process::Running { .. }));
            // Another conversation in it is another life.
            script.session = Some("s3".into());
            script.hook(start(SessionStart::Clear));
            assert_eq!(script.seat.incarnation, 3, "{session} {first:?} {pid}");
        }
    }
}

#[test]
fn g10_a_start_told_after_the_ends_of_its_call_and_its_turn_begins_nothing() {
    let ended = || {
        let mut script = Script::working();
        script.hook(tool_end(&Actor::Main, "c1", 7));
        script.hook(stop("t1"));
        script
    };
    for late in [tool(&Actor::Main, "c1", 7), tool_of("t1", "c1")] {
        let mut script = ended();
        script.after(SETTLE_MS).hook(late);
        script.refused(Rule::G10);
        assert_eq!((script.headline(), script.count("turn.started")), (Headline::Done, 0));
    }
    // In the next turn one of that id is another call.
    let mut script = ended();
    script.hook(prompt("t2"));
    script.hook(tool(&Actor::Main, "c1", 7));
    assert_eq!(script.phrase(), "working(tool)");
}

#[test]
fn g10_what_is_asked_after_the_end_of_its_helper_blocks_nobody() {
    let mut script = Script::working();
    script.hook(Fact::SubagentStarted { id: "h".into() });
    script.hook(Fact::SubagentEnded { id: "h".into() });
    for asked in [permission(&sub("h"), 9), settling_permission(&sub("h"), 9, 1_000)] {
        script.hook(asked);
        script.refused(Rule::G10);
    }
    script.tick(1_000);
    assert_eq!(script.headline(), Headline::Working);
    // One that begins anew asks anew.
    script.hook(Fact::SubagentStarted { id: "h".into() });
    script.hook(permission(&sub("h"), 9));
    assert_eq!(script.headline(), Headline::Blocked);
}

/// A question is the only word of its call's start.
#[test]
fn g10_what_is_asked_after_the_end_of_its_call_blocks_nobody() {
    let Fact::PromptOpened { actor, prompt: ask, settle_ms, .. } = permission(&Actor::Main, 7)
    else {
        unreachable!()
    };
    let tool = Some(ToolRef { name: "Bash".into(), id: Some("c1".into()), input: Some(7) });
    let (ask, turn_ref) = (NewPrompt { tool, ..ask }, Some("t1".to_owned()));
    let asked = Fact::PromptOpened { actor, prompt: ask, settle_ms, turn_ref };
    let mut script = Script::working();
    script.hook(asked.clone());
    assert_eq!(script.headline(), Headline::Blocked);
    script.hook(tool_end(&Actor::Main, "c1", 7));
    script.hook(asked.clone());
    script.refused(Rule::G10);
    assert_eq!(script.headline(), Headline::Working);
    script.hook(stop("t1"));
    script.after(SETTLE_MS).hook(asked);
    script.refused(Rule::G10);
    assert_eq!(script.headline(), Headline::Done);
}
