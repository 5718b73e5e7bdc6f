//! G9: process facts beat everything.

use super::script::{Script, at_rest, busy, exit, permission, prompt, start, stop, tool_of};
use crate::gate::Rule;
use crate::id::ProcessId;
use crate::observation::{Background, Fact, ProcessFact, SessionEnd, SessionStart};
use crate::prompt::Actor;
use crate::source::Source;
use crate::status::{Attach, Exit, ExitKind, Headline, Process, StartPhase};

fn process(pid: u32, start_ticks: u64) -> ProcessId {
    ProcessId::new(pid, start_ticks)
}

fn died(kind: ExitKind) -> Fact {
    Fact::Process(ProcessFact::Exited(Exit::of(kind)))
}

#[test]
fn g9_a_death_in_mid_turn_aborts_it() {
    let mut script = Script::blocked();
    script.process = Some(process(5, 50));
    script.said(Source::Process, died(ExitKind::Crashed));
    assert_eq!((script.headline(), script.outcome()), (Headline::Crashed, Some("aborted")));
    assert_eq!(script.phrase(), "none");
    assert!(script.seat.prompts.is_empty());
    assert_eq!(script.published, ["prompt.resolved", "turn.completed", "agent.status_changed"]);
}

#[test]
fn how_a_turn_ended_is_told_by_who_said_so_also_after_the_process_died() {
    let mut script = Script::working();
    script.process = Some(process(5, 50));
    script.after(1_000).hook(stop("t1"));
    assert_eq!(script.outcome(), Some("completed"));
    script.after(1_000).said(Source::Process, died(ExitKind::Crashed));
    let explained = script.explained();
    let source = |of: &str| explained.dimensions[of].winner.as_ref().unwrap().source;
    assert_eq!((source("turn"), source("outcome")), (Source::Process, Source::Hook));
    assert_eq!(explained.dimensions["outcome"].value, "completed");
}

#[test]
fn g9_a_pid_is_an_identity_only_with_its_start_time() {
    let mut script = Script::working();
    script.process = Some(process(5, 50));
    script.hook(tool_of("t1", "c1"));
    script.process = Some(process(5, 99));
    script.said(Source::Process, died(ExitKind::Crashed));
    script.refused(Rule::G9);
    assert_eq!(script.headline(), Headline::Working);
    script.process = Some(process(5, 50));
    script.said(Source::Process, died(ExitKind::Crashed));
    assert_eq!(script.headline(), Headline::Crashed);
}

#[test]
fn g1_evidence_of_an_older_process_is_refused() {
    let mut script = Script::idle();
    script.process = Some(process(9, 90));
    script.hook(tool_of("t1", "c1"));
    script.process = Some(process(5, 50));
    script.hook(stop("t1"));
    script.refused(Rule::G1);
    assert_eq!(script.headline(), Headline::Working);
}

/// What was launched is killed; what it had started hears of its terminal's end, and says goodbye.
#[test]
fn the_goodbye_of_what_a_killed_program_left_behind_is_none() {
    let mut script = Script::idle();
    script.process = Some(process(5, 50));
    script.hook(tool_of("t1", "c1"));
    let killed = Exit { signal: Some(9), ..Exit::of(ExitKind::Crashed) };
    script.said(Source::Process, Fact::Process(ProcessFact::Exited(killed)));
    script.process = Some(process(8, 80));
    script.hook(exit());
    script.refused(Rule::G1);
    assert_eq!(script.headline(), Headline::Crashed);
}

#[test]
fn a_newer_process_in_the_seat_is_a_new_incarnation() {
    let mut script = Script::working();
    script.process = Some(process(5, 50));
    script.hook(tool_of("t1", "c1"));
    script.process = Some(process(8, 80));
    script.hook(start(SessionStart::Resume));
    assert_eq!((script.headline(), script.seat.incarnation), (Headline::Idle, 2));
    assert_eq!(script.outcome(), Some("aborted"));
}

#[test]
fn a_goodbye_before_the_exit_stays_clean() {
    let mut script = Script::working();
    script.hook(stop("t1"));
    script.hook(exit());
    script.said(Source::Process, died(ExitKind::Crashed));
    assert_eq!(script.headline(), Headline::Ended);
}

/// Nobody can type to it, so nothing more can come: not every program says goodbye then.
#[test]
fn a_headless_run_that_is_gone_after_its_turn_has_ended_and_in_mid_turn_has_crashed() {
    let begin = |attach| {
        let mut script = Script::new();
        script.process = Some(process(5, 50));
        let how = SessionStart::Startup;
        script.hook(Fact::SessionStarted { how, attach: Some(attach) });
        script.hook(prompt("t1"));
        script
    };
    let killed = Exit { signal: Some(9), ..Exit::of(ExitKind::Crashed) };
    let failed = Exit { code: Some(1), ..Exit::of(ExitKind::Crashed) };
    let cases = [
        (Attach::Headless, true, Exit::of(ExitKind::Crashed), Headline::Ended),
        (Attach::Headless, false, Exit::of(ExitKind::Crashed), Headline::Crashed),
        (Attach::Headless, true, Exit::of(ExitKind::OomKilled), Headline::Crashed),
        (Attach::Headless, true, killed, Headline::Crashed),
        (Attach::Headless, true, failed, Headline::Crashed),
        (Attach::Interactive, true, Exit::of(ExitKind::Crashed), Headline::Crashed),
    ];
    for (attach, ends, exit, headline) in cases {
        let mut script = begin(attach);
        if ends {
            script.hook(stop("t1"));
        }
        script.said(Source::Process, Fact::Process(ProcessFact::Exited(exit)));
        assert_eq!(script.headline(), headline, "{attach:?} {ends} {exit:?}");
    }
    // A program that never leaves without a word has not left.
    let mut script = begin(Attach::Headless);
    script.seat.parts_with_a_word = true;
    script.hook(stop("t1"));
    script.said(Source::Process, died(ExitKind::Crashed));
    assert_eq!(script.headline(), Headline::Crashed);
    // It has not even had a turn.
    let mut script = Script::new();
    script.process = Some(process(5, 50));
    let how = SessionStart::Startup;
    script.hook(Fact::SessionStarted { how, attach: Some(Attach::Headless) });
    script.said(Source::Process, died(ExitKind::Crashed));
    assert_eq!(script.headline(), Headline::Crashed);
}

#[test]
fn a_resumed_process_that_was_suspended_is_found_by_its_discovery() {
    let mut script = Script::idle();
    script.said(Source::Process, Fact::Process(ProcessFact::Suspended));
    assert_eq!(script.headline(), Headline::Suspended);
    let running = ProcessFact::Running { attach: Attach::Interactive, restored: true };
    script.said(Source::Process, Fact::Process(running));
    assert_eq!(script.seat.incarnation, 2);
    assert_eq!(script.headline(), Headline::Unknown);
}

#[test]
fn a_turn_whose_end_only_the_log_has_told_was_not_aborted_by_the_exit_behind_it() {
    for (is_logged, outcome) in [(true, "completed"), (false, "aborted")] {
        let mut script = Script::new();
        script.process = Some(process(5, 50));
        let running = ProcessFact::Running { attach: Attach::Headless, restored: false };
        script.said(Source::Process, Fact::Process(running));
        script.registry(busy());
        script.tick(1_000);
        if is_logged {
            script.log(Fact::TurnEnded { background: Background::default(), turn_ref: None });
        }
        assert_eq!(script.headline(), Headline::Working);
        script.said(Source::Process, died(ExitKind::Clean));
        assert_eq!((script.headline(), script.outcome()), (Headline::Ended, Some(outcome)));
    }
}

#[test]
fn an_illegal_move_is_refused() {
    let mut script = Script::new();
    script.said(Source::Process, Fact::Process(ProcessFact::Stopping));
    script.refused(Rule::Illegal);
}

#[test]
fn a_goodbye_that_comes_after_the_death_makes_it_an_end() {
    let mut script = Script::idle();
    script.process = Some(process(5, 50));
    script.hook(prompt("t1"));
    script.said(Source::Process, died(ExitKind::Crashed));
    assert_eq!(script.headline(), Headline::Crashed);
    script.hook(exit());
    assert_eq!((script.headline(), script.outcome()), (Headline::Ended, Some("aborted")));
    assert_eq!(script.count("turn.completed"), 1);
    // A death that is explained by itself stays what it was.
    let mut script = Script::idle();
    script.process = Some(process(5, 50));
    script.hook(prompt("t1"));
    script.said(Source::Process, died(ExitKind::OomKilled));
    script.hook(exit());
    script.refused(Rule::G1);
    assert_eq!(script.headline(), Headline::Crashed);
}

#[test]
fn a_level_may_show_a_resumed_process_before_its_start_is_told() {
    let mut script = Script::working();
    script.process = Some(process(5, 50));
    script.hook(tool_of("t1", "c1"));
    script.said(Source::Process, died(ExitKind::Crashed));
    script.process = Some(process(8, 80));
    script.registry(at_rest());
    assert_eq!((script.headline(), script.seat.incarnation), (Headline::Idle, 2));
    script.hook(start(SessionStart::Resume));
    script.silent();
    assert_eq!((script.headline(), script.seat.incarnation), (Headline::Idle, 2));
    // A second one is another start.
    script.hook(prompt("t2"));
    script.hook(start(SessionStart::Resume));
    assert_eq!(script.seat.incarnation, 3);
}

fn exited(code: Option<i32>, signal: Option<i32>) -> Fact {
    Fact::Process(ProcessFact::Exited(Exit::from_wait(code, signal, false)))
}

#[test]
fn a_launched_process_ends_before_its_first_word() {
    for (code, headline) in [(0, Headline::Ended), (3, Headline::Crashed)] {
        let mut script = Script::new();
        script.said(Source::Process, Fact::Process(ProcessFact::Starting(StartPhase::Booting)));
        script.process = Some(process(5, 50));
        script.said(Source::Process, Fact::Process(ProcessFact::Starting(StartPhase::Booting)));
        assert_eq!(script.headline(), Headline::Starting);
        assert_eq!(script.seat.process.id, Some(process(5, 50)));
        script.said(Source::Process, exited(Some(code), None));
        assert_eq!(script.headline(), headline);
    }
}

#[test]
fn an_exit_code_that_is_told_after_the_goodbye_is_the_same_end() {
    let mut script = Script::idle();
    script.process = Some(process(5, 50));
    script.hook(exit());
    script.published.clear();
    script.said(Source::Process, exited(Some(1), None));
    assert_eq!(script.headline(), Headline::Ended, "it said goodbye");
    assert!(matches!(script.seat.process.state, Process::Exited(Exit { code: Some(1), .. })));
    assert_eq!(script.published, ["agent.updated"]);
    // Less is known by whoever only saw it go.
    script.said(Source::Process, died(ExitKind::Crashed));
    assert!(matches!(script.seat.process.state, Process::Exited(Exit { code: Some(1), .. })));
    script.said(Source::Process, exited(None, Some(9)));
    assert_eq!(script.headline(), Headline::Crashed, "a signal is sure");
}

#[test]
fn a_goodbye_that_comes_late_explains_a_code_but_no_signal() {
    for (code, signal, headline) in
        [(Some(1), None, Headline::Ended), (None, Some(9), Headline::Crashed)]
    {
        let mut script = Script::idle();
        script.process = Some(process(5, 50));
        script.said(Source::Process, exited(code, signal));
        assert_eq!(script.headline(), Headline::Crashed);
        script.hook(exit());
        assert_eq!(script.headline(), headline);
    }
}

#[test]
fn a_seat_that_is_taken_again_forgets_the_process_that_left_it() {
    let mut script = Script::working();
    script.hook(stop("t1"));
    assert_eq!(script.headline(), Headline::Done);
    script.process = Some(process(5, 50));
    script.hook(exit());
    script.process = None;
    script.said(Source::Process, Fact::Process(ProcessFact::Starting(StartPhase::Booting)));
    assert_eq!((script.headline(), script.seat.process.id.clone()), (Headline::Starting, None));
    script.session = Some("s2".into());
    script.hook(start(SessionStart::Startup));
    assert_eq!(script.headline(), Headline::Idle, "nothing is done yet");
}

#[test]
fn a_goodbye_that_may_be_a_new_conversation_is_an_end_once_the_process_is_gone() {
    let either = || Fact::SessionEnded { how: SessionEnd::Either };
    let mut script = Script::new();
    script.process = Some(process(1, 10));
    script.hook(start(SessionStart::Startup));
    script.hook(prompt("t1"));
    script.hook(stop("t1"));
    script.hook(either());
    assert!(script.seat.process.state.is_running());
    script.session = Some("s2".into());
    script.hook(start(SessionStart::Startup));
    assert_eq!(script.headline(), Headline::Done);
    script.hook(either());
    script.session = None;
    script.said(Source::Process, died(ExitKind::Crashed));
    assert_eq!(script.headline(), Headline::Ended);
    let left = script.seat.session.as_ref().map(|session| session.id.as_str());
    assert_eq!(left, Some("s2"), "it can be resumed");
    // Where nobody watches its process, it is the only word of an end.
    let mut script = Script::working();
    script.hook(either());
    assert_eq!(script.headline(), Headline::Ended);
}

/// As in a container that is paused: nothing ends, and what went on goes on afterwards.
#[test]
fn a_process_that_cannot_be_probed_is_unknown_and_its_turn_goes_on_later() {
    let mut script = Script::working();
    script.process = Some(process(5, 50));
    let seq = script.seat.turn.seq;
    let paused = || Fact::Process(ProcessFact::Unprobeable);
    script.said(Source::Container, paused());
    assert_eq!((script.headline(), script.seat.turn.open), (Headline::Unknown, true));
    script.said(Source::Container, Fact::Process(ProcessFact::Alive));
    assert_eq!((script.headline(), script.seat.turn.seq), (Headline::Working, seq));
    // Nobody need tell that it goes on: its own hook does.
    script.said(Source::Container, paused());
    script.hook(stop("t1"));
    assert_eq!((script.headline(), script.seat.turn.seq), (Headline::Done, seq));
    script.said(Source::Container, paused());
    script.said(Source::Container, died(ExitKind::Crashed));
    assert_eq!(script.headline(), Headline::Crashed);
}

/// Ctrl-Z: what works stands still, and what rests is what it was.
#[test]
fn a_process_that_a_person_stops_does_not_work() {
    let stops = || Fact::Process(ProcessFact::Unprobeable);
    let mut script = Script::working();
    script.process = Some(process(5, 50));
    script.said(Source::Process, stops());
    assert_eq!(script.headline(), Headline::Unknown);
    script.said(Source::Process, Fact::Process(ProcessFact::Alive));
    assert_eq!(script.headline(), Headline::Working);
    script.hook(stop("t1"));
    for fact in [stops(), Fact::Process(ProcessFact::Alive)] {
        script.said(Source::Process, fact);
        script.silent();
    }
    assert_eq!(script.headline(), Headline::Done);
}

/// Its terminal was closed, and the shell in it is gone, too.
#[test]
fn a_process_that_was_hung_up_has_ended_also_with_a_late_goodbye() {
    let mut script = Script::working();
    script.process = Some(process(5, 50));
    script.hook(stop("t1"));
    script.said(Source::Process, died(ExitKind::Killed));
    assert_eq!((script.headline(), script.outcome()), (Headline::Ended, Some("completed")));
    script.hook(exit());
    script.silent();
    assert_eq!(script.headline(), Headline::Ended);
}

#[test]
fn a_goodbye_in_mid_turn_waits_for_the_end_of_the_process() {
    let leaves = || {
        let mut script = Script::new();
        script.process = Some(process(1, 10));
        script.hook(start(SessionStart::Startup));
        script.hook(prompt("t1"));
        script.hook(Fact::SessionEnded { how: SessionEnd::Either });
        script.silent();
        script
    };
    let mut script = leaves();
    script.session = None;
    script.said(Source::Process, died(ExitKind::Killed));
    assert_eq!((script.headline(), script.outcome()), (Headline::Ended, Some("aborted")));
    let left = script.seat.session.as_ref().map(|session| session.id.as_str());
    assert_eq!(left, Some("s1"), "it can be resumed");
    // It goes on, and nobody knows in what.
    let mut script = leaves();
    script.tick(2_000);
    assert_eq!((script.headline(), script.outcome()), (Headline::Unknown, None));
}

#[test]
fn a_crash_is_unseen_until_a_person_looks_also_where_no_turn_was_begun() {
    let mut script = Script::idle();
    assert_eq!((script.outcome(), script.seat.seen()), (None, true));
    script.process = Some(process(5, 50));
    script.said(Source::Process, died(ExitKind::Crashed));
    assert_eq!((script.headline(), script.seat.seen()), (Headline::Crashed, false));
    assert!(script.seat.is_in_inbox() && script.seat.doc().is_in_inbox());
    let kept = serde_json::to_string(&script.seat).unwrap();
    assert!(!serde_json::from_str::<crate::seat::Seat>(&kept).unwrap().seen());
    let decision = crate::gate::mark_seen(&mut script.seat, script.now);
    assert!(decision.changed && script.seat.seen());
    assert!(!script.seat.is_in_inbox() && !script.seat.doc().is_in_inbox());
}

#[test]
fn a_program_that_ended_well_leaves_nothing_to_look_at() {
    let mut script = Script::idle();
    script.process = Some(process(5, 50));
    script.said(Source::Process, died(ExitKind::Clean));
    assert_eq!((script.headline(), script.seat.seen()), (Headline::Ended, true));
}

/// Told late, after the hub was away: a launcher's words come in any order behind what was heard meanwhile.
#[test]
fn a_process_that_has_ended_is_not_started_by_a_word_that_was_late() {
    let mut script = Script::new();
    script.process = Some(process(5, 50));
    let starting = || Fact::Process(ProcessFact::Starting(StartPhase::Booting));
    script.said(Source::Process, starting());
    script.said(Source::Process, died(ExitKind::Clean));
    script.said(Source::Process, starting());
    script.refused(Rule::G9);
    assert_eq!(script.headline(), Headline::Ended);
}

#[test]
fn a_conversation_that_goes_on_after_its_goodbye_was_not_left() {
    let said_goodbye = |how: SessionEnd| {
        let mut script = Script::new();
        script.process = Some(process(1, 10));
        script.hook(start(SessionStart::Startup));
        script.hook(prompt("t1"));
        script.hook(stop("t1"));
        script.hook(Fact::SessionEnded { how });
        script
    };
    for how in [SessionEnd::Either, SessionEnd::Exit] {
        // What is told at once was under way.
        let mut script = said_goodbye(how);
        script.hook(prompt("t2"));
        script.refused(Rule::G1);
        let mut script = said_goodbye(how);
        let incarnation = script.seat.incarnation;
        script.after(1_000).hook(prompt("t2"));
        assert_eq!((script.headline(), script.seat.incarnation), (Headline::Working, incarnation));
        script.hook(permission(&Actor::Main, 7));
        assert_eq!(script.headline(), Headline::Blocked);
        // Another process of that conversation is none of this one's.
        let mut script = said_goodbye(how);
        script.process = None;
        script.after(1_000).hook(prompt("t2"));
        script.refused(Rule::G1);
    }
}

#[test]
fn a_process_that_stays_after_its_goodbye_is_not_over() {
    let alive = || Fact::Process(ProcessFact::Alive);
    let mut script = Script::idle();
    script.process = Some(process(1, 10));
    script.hook(exit());
    assert_eq!(script.headline(), Headline::Ended);
    script.said(Source::Process, alive());
    assert_eq!((script.headline(), script.phrase()), (Headline::Idle, "idle(ready)".to_owned()));
    // Of its end a process tells surely.
    script.said(Source::Process, died(ExitKind::Clean));
    script.said(Source::Process, alive());
    assert_eq!(script.headline(), Headline::Ended);
}

#[test]
fn the_end_of_what_nobody_saw_start_is_its_end() {
    let mut script = Script::new();
    script.session = None;
    script.process = Some(process(1, 10));
    script.said(Source::Acp, died(ExitKind::Crashed));
    assert_eq!((script.headline(), script.seat.seen()), (Headline::Crashed, false));
    // Whose end it is has to be said.
    let mut script = Script::new();
    script.said(Source::Process, died(ExitKind::Crashed));
    script.refused(Rule::Illegal);
}

#[test]
fn a_goodbye_in_new_words_is_one_for_whoever_is_gone_in_a_moment() {
    let unclear = || Fact::SessionEnded { how: SessionEnd::Unclear };
    let mut script = Script::working();
    script.process = Some(process(1, 10));
    script.hook(unclear());
    assert_eq!(script.headline(), Headline::Working);
    script.said(Source::Process, died(ExitKind::Crashed));
    assert_eq!(script.headline(), Headline::Ended);
    // It was told after the death.
    let mut script = Script::idle();
    script.process = Some(process(1, 10));
    script.said(Source::Process, died(ExitKind::Crashed));
    script.hook(unclear());
    assert_eq!(script.headline(), Headline::Ended);
    // It went on.
    let mut script = Script::working();
    script.process = Some(process(1, 10));
    script.hook(unclear());
    script.tick(5_000);
    script.silent();
    script.said(Source::Process, died(ExitKind::Crashed));
    assert_eq!(script.headline(), Headline::Crashed);
}
