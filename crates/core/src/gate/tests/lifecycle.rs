//! Put away, taken up again, ended: what people do with an agent's process.

use super::script::{
    Script, at_rest, busy, exit, permission, prompt, start, stop, stop_with, sub, tool_of,
};
use crate::gate::{self, Rule, Unfit};
use crate::id::ProcessId;
use crate::observation::{Fact, ProcessFact, SessionEnd, SessionStart};
use crate::prompt::Actor;
use crate::source::Source;
use crate::status::{Attach, Exit, ExitKind, Headline, Process, StartPhase};

/// A seat whose process is known, at rest behind its first turn.
fn at_ease() -> Script {
    let mut script = Script::new();
    script.process = Some(ProcessId::new(5, 50));
    script.hook(start(SessionStart::Startup));
    script.hook(prompt("t1"));
    script.hook(stop("t1"));
    script.published.clear();
    script
}

const TOKEN: &str = "a digest";

fn gone(code: Option<i32>, signal: Option<i32>) -> Fact {
    Fact::Process(ProcessFact::Exited(Exit::from_wait(code, signal, false)))
}

fn suspended() -> Script {
    let mut script = at_ease();
    gate::suspend(&mut script.seat, script.now).unwrap();
    script.said(Source::Process, gone(None, Some(15)));
    assert_eq!(script.headline(), Headline::Suspended);
    script.published.clear();
    script
}

#[test]
fn whoever_starts_is_waited_for() {
    let mut script = Script::new();
    script.session = None;
    script.said(Source::Process, Fact::Process(ProcessFact::Starting(StartPhase::Booting)));
    let why = gate::may_suspend(&script.seat).unwrap_err();
    assert!(why.hint().starts_with("wait for it"), "{why}: {}", why.hint());
}

#[test]
fn an_agent_that_rests_is_put_away_once_its_process_is_gone() {
    let mut script = at_ease();
    let decision = gate::suspend(&mut script.seat, script.now).unwrap();
    assert_eq!((script.headline(), script.phrase().as_str()), (Headline::Stopping, "none"));
    assert_eq!(decision.events.len(), 1);
    // What it says on its way out is none of its states.
    script.hook(exit());
    script.refused(Rule::G9);
    script.registry(busy());
    script.refused(Rule::G9);
    script.hook(start(SessionStart::Clear));
    script.refused(Rule::G9);
    assert_eq!(script.headline(), Headline::Stopping);
    script.said(Source::Process, gone(Some(143), None));
    assert_eq!((script.headline(), script.seat.incarnation), (Headline::Suspended, 1));
    assert_eq!(script.seat.about.suspended_at, Some(script.now));
    let session = script.seat.session.as_ref().map(|session| session.id.as_str());
    assert_eq!(session, Some("s1"), "it can be come back to");
    // Its launcher tells the same end a second time, and its hooks come late.
    script.published.clear();
    script.said(Source::Process, gone(None, Some(9)));
    script.hook(exit());
    assert_eq!((script.headline(), script.published.len()), (Headline::Suspended, 0));
}

#[test]
fn nobody_is_put_away_who_does_something_or_cannot_be_come_back_to() {
    let why = |script: &mut Script| {
        let before = script.seat.clone();
        let why = gate::suspend(&mut script.seat, script.now).unwrap_err();
        assert_eq!(script.seat, before, "{why}");
        why
    };
    let mut script = at_ease();
    script.hook(prompt("t2"));
    assert_eq!(why(&mut script), Unfit::InTurn("working"));
    script.hook(tool_of("t2", "c1"));
    script.hook(permission(&Actor::Main, 0));
    assert_eq!(why(&mut script), Unfit::OpenPrompt);
    let mut script = at_ease();
    script.hook(prompt("t2"));
    script.hook(stop_with("t2", &[], 2));
    assert_eq!(why(&mut script), Unfit::Background { subagents: 0, shells: 2 });
    let mut script = at_ease();
    script.hook(permission(&sub("h1"), 0));
    assert_eq!(why(&mut script), Unfit::OpenPrompt);
    let mut script = at_ease();
    script.seat.session = None;
    assert_eq!(why(&mut script), Unfit::NoSession);
    let mut script = at_ease();
    script.seat.process.id = None;
    assert_eq!(why(&mut script), Unfit::NoProcess);
    let mut script = at_ease();
    script.seat.turn.evidence =
        script.seat.turn.evidence.clone().at_most(crate::source::Confidence::Weak);
    assert_eq!(why(&mut script), Unfit::Unsure);
    let mut script = at_ease();
    script.said(Source::Process, gone(Some(0), None));
    assert_eq!(why(&mut script), Unfit::NotRunning("exited"));
    assert_eq!(why(&mut suspended()), Unfit::NotRunning("suspended"));
    assert_eq!(why(&mut Script::new()), Unfit::NotRunning("absent"));
}

#[test]
fn a_resumed_seat_is_one_life_further_and_goes_on_in_its_session() {
    let mut script = suspended();
    script.after(60_000);
    let token = "t".repeat(64);
    gate::resume(&mut script.seat, &token, script.now).unwrap();
    let restoring = Process::Starting { phase: StartPhase::Restoring };
    assert_eq!((script.seat.process.state, script.seat.incarnation), (restoring, 2));
    assert_eq!(script.seat.about.resumed_at, Some(script.now));
    assert_eq!(script.seat.about.token, Some(token.into()));
    assert_eq!(script.headline(), Headline::Starting);
    // Its launcher tells which process it is; then it speaks for itself.
    script.process = Some(ProcessId::new(8, 80));
    let session = script.session.take();
    script.said(Source::Process, Fact::Process(ProcessFact::Starting(StartPhase::Booting)));
    assert_eq!(script.seat.process.state, restoring);
    script.session = session;
    script.hook(start(SessionStart::Resume));
    assert_eq!((script.headline(), script.seat.incarnation), (Headline::Done, 2));
    assert_eq!(script.seat.process.id, Some(ProcessId::new(8, 80)));
    // What was wanted of the life before is not wanted of this one.
    script.said(Source::Process, gone(None, Some(9)));
    assert_eq!(script.headline(), Headline::Crashed);
}

/// Its status file goes with it, which of whoever has spoken is a goodbye.
#[test]
fn whoever_is_gone_before_it_has_taken_its_conversation_up_has_crashed() {
    for (code, headline) in [(1, Headline::Crashed), (0, Headline::Ended)] {
        let mut script = suspended();
        gate::resume(&mut script.seat, TOKEN, script.now).unwrap();
        script.process = Some(ProcessId::new(8, 80));
        script.session = None;
        script.said(Source::Process, Fact::Process(ProcessFact::Starting(StartPhase::Booting)));
        let parted = Fact::Process(ProcessFact::Exited(Exit::of(ExitKind::Clean)));
        script.said(Source::Process, parted);
        assert_eq!((script.headline(), script.seat.process.unseen), (Headline::Crashed, true));
        // Its launcher knows how.
        script.said(Source::Process, gone(Some(code), None));
        assert_eq!(script.headline(), headline);
    }
}

#[test]
fn a_resumed_seat_is_one_life_further_whoever_tells_of_it_first() {
    for told in [true, false] {
        let mut script = suspended();
        gate::resume(&mut script.seat, TOKEN, script.now).unwrap();
        script.process = Some(ProcessId::new(8, 80));
        if told {
            script.registry(at_rest());
            script.hook(start(SessionStart::Resume));
        } else {
            // Some go on under another id.
            script.session = Some("s2".into());
            script.hook(start(SessionStart::Resume));
            script.hook(start(SessionStart::Resume));
            script.hook(prompt("t2"));
            assert_eq!(script.seat.session.as_ref().unwrap().id, "s2");
        }
        assert_eq!(script.seat.incarnation, 2, "{told}");
        assert!(script.seat.process.state.is_running());
    }
}

#[test]
fn only_what_is_suspended_is_resumed_and_the_refusal_names_the_state() {
    let mut script = at_ease();
    let why = gate::resume(&mut script.seat, TOKEN, script.now).unwrap_err();
    assert_eq!(
        (why.code(), why.to_string().as_str()),
        ("not_suspended", "it is done, not suspended")
    );
    let mut script = suspended();
    gate::resume(&mut script.seat, TOKEN, script.now).unwrap();
    let why = gate::resume(&mut script.seat, TOKEN, script.now).unwrap_err();
    assert_eq!(why, Unfit::NotSuspended("starting"));
}

/// It will not tell its session any more, as one that runs does.
#[test]
fn whoever_was_put_away_without_a_session_can_only_be_forgotten() {
    let mut script = suspended();
    script.seat.session = None;
    let why = gate::resume(&mut script.seat, TOKEN, script.now).unwrap_err();
    assert_eq!((why, why.code()), (Unfit::NothingToResume, "no_session"));
    assert!(why.hint().contains("headsup forget"), "{}", why.hint());
    assert_eq!(script.headline(), Headline::Suspended);
}

#[test]
fn what_was_not_started_after_all_is_taken_up_again() {
    // It could not be run: its launcher says so.
    let mut script = suspended();
    gate::resume(&mut script.seat, TOKEN, script.now).unwrap();
    script.process = Some(ProcessId::new(9, 90));
    script.said(Source::Process, gone(Some(gate::CANNOT_RUN), None));
    assert_eq!(script.headline(), Headline::Crashed);
    gate::resume(&mut script.seat, TOKEN, script.now).unwrap();
    assert_eq!((script.headline(), script.seat.incarnation), (Headline::Starting, 3));
    // Its launcher was interrupted, and nobody says anything.
    script.after(15_000);
    assert!(gate::may_resume(&script.seat, script.now).is_err(), "it may be on its way");
    script.after(1);
    gate::resume(&mut script.seat, TOKEN, script.now).unwrap();
    // Once it runs, it is as any other.
    script.process = Some(ProcessId::new(8, 80));
    script.hook(start(SessionStart::Resume));
    script.said(Source::Process, gone(Some(gate::CANNOT_RUN), None));
    let why = gate::resume(&mut script.seat, TOKEN, script.now).unwrap_err();
    assert_eq!(why, Unfit::NotSuspended("crashed"));
}

/// A launch that was to go on in its conversation has taken its seat.
#[test]
fn what_was_put_away_is_taken_up_where_nothing_has_come_of_a_launch_in_its_seat() {
    let taken = || {
        let mut script = suspended();
        (script.session, script.process) = (None, None);
        script.said(Source::Process, Fact::Process(ProcessFact::Starting(StartPhase::Booting)));
        assert_eq!((script.headline(), script.seat.incarnation), (Headline::Starting, 2));
        script
    };
    let mut script = taken();
    script.after(15_000);
    let why = gate::may_resume(&script.seat, script.now).unwrap_err();
    assert_eq!(why, Unfit::NotSuspended("starting"), "it may be on its way");
    script.after(1);
    gate::resume(&mut script.seat, TOKEN, script.now).unwrap();
    assert_eq!((script.headline(), script.seat.incarnation), (Headline::Starting, 3));
    // It could not be run: its launcher says so.
    let mut script = taken();
    script.process = Some(ProcessId::new(9, 90));
    script.said(Source::Process, gone(Some(gate::CANNOT_RUN), None));
    assert_eq!(script.headline(), Headline::Crashed);
    assert_eq!(gate::may_resume(&script.seat, script.now), Ok(()));
}

#[test]
fn what_a_person_ends_was_killed_however_it_went() {
    for (code, signal) in [(Some(0), None), (Some(1), None), (None, Some(9)), (None, Some(15))] {
        let mut script = at_ease();
        script.hook(prompt("t2"));
        gate::stop(&mut script.seat, script.now).unwrap();
        assert_eq!((script.headline(), script.outcome()), (Headline::Stopping, Some("aborted")));
        script.hook(exit());
        script.refused(Rule::G9);
        // Whoever saw it go knows less than its launcher.
        script.said(Source::Process, gone(None, None));
        script.said(Source::Process, gone(code, signal));
        let killed = Exit { kind: ExitKind::Killed, code, signal };
        assert_eq!(script.seat.process.state, Process::Exited(killed));
        assert_eq!(script.headline(), Headline::Ended);
        let why = gate::stop(&mut script.seat, script.now).unwrap_err();
        assert_eq!(why, Unfit::NotRunning("exited"));
    }
}

#[test]
fn one_that_only_starts_is_ended_too() {
    let mut script = Script::new();
    let session = script.session.take();
    script.said(Source::Process, Fact::Process(ProcessFact::Starting(StartPhase::Booting)));
    assert_eq!(gate::stop(&mut script.seat, script.now).unwrap_err(), Unfit::NoProcess);
    script.process = Some(ProcessId::new(5, 50));
    script.said(Source::Process, Fact::Process(ProcessFact::Starting(StartPhase::Booting)));
    gate::stop(&mut script.seat, script.now).unwrap();
    assert_eq!(script.headline(), Headline::Starting);
    // It has a word left.
    script.session = session;
    script.hook(start(SessionStart::Startup));
    script.said(Source::Process, gone(None, Some(9)));
    assert_eq!(script.headline(), Headline::Ended);
    // Whoever sits here next is nobody's to be ended.
    script.process = Some(ProcessId::new(8, 80));
    script.hook(start(SessionStart::Startup));
    script.said(Source::Process, gone(None, Some(9)));
    assert_eq!(script.headline(), Headline::Crashed);
}

#[test]
fn a_seat_of_whose_start_nothing_has_come_is_free_after_a_while() {
    let starts = |script: &mut Script| {
        script.session = None;
        script.process = None;
        script.said(Source::Process, Fact::Process(ProcessFact::Starting(StartPhase::Booting)));
        assert_eq!(script.headline(), Headline::Starting);
    };
    let is_free = |script: &Script| gate::is_free(&script.seat, script.now);
    let mut ended = at_ease();
    assert!(!is_free(&ended));
    ended.said(Source::Process, gone(Some(0), None));
    assert!(is_free(&ended));
    // Whatever was known of the one that sat there before says nothing of this one.
    for mut script in [Script::new(), ended] {
        starts(&mut script);
        script.after(15_000);
        assert!(!is_free(&script));
        script.after(1);
        assert!(is_free(&script));
        gate::start_over(&mut script.seat, script.now);
        assert!(!is_free(&script), "the next one has as long");
        script.after(15_001);
        assert!(is_free(&script));
        script.process = Some(ProcessId::new(8, 80));
        script.said(Source::Process, Fact::Process(ProcessFact::Starting(StartPhase::Booting)));
        script.after(60_000);
        assert!(!is_free(&script), "its process is known");
    }
    let mut script = Script::new();
    starts(&mut script);
    script.session = Some("s1".into());
    script.hook(start(SessionStart::Startup));
    script.after(60_000);
    assert!(!is_free(&script), "it has spoken");
}

/// A hub may go between the wish and the end.
#[test]
fn what_is_wanted_of_a_process_and_how_it_was_launched_outlive_a_restart() {
    let mut script = at_ease();
    let launch = crate::seat::Launch {
        program: "/bin/agent".into(),
        name: "agent".into(),
        folder: "/srv".into(),
        here: false,
        server: None,
        no_tools: false,
        words: crate::seat::LaunchWords::In("its-own-file".into()),
    };
    let about = gate::Description { launch: Some(Box::new(launch)), ..Default::default() };
    let told = gate::describe(&mut script.seat, &about, script.now);
    let shown = serde_json::to_string(&told.events).unwrap();
    assert!(told.changed && !shown.contains("its-own-file"), "{shown}");
    gate::suspend(&mut script.seat, script.now).unwrap();
    let kept = serde_json::to_string(&script.seat).unwrap();
    let process = script.process.clone();
    let mut script = Script { seat: serde_json::from_str(&kept).unwrap(), ..script };
    script.process = process;
    script.said(Source::Process, gone(None, None));
    assert_eq!(script.headline(), Headline::Suspended);
    assert_eq!(script.seat.launch, about.launch);
    // Of whoever takes it up by hand it is not known.
    script.process = Some(ProcessId::new(8, 80));
    script.hook(start(SessionStart::Resume));
    assert_eq!((script.headline(), &script.seat.launch), (Headline::Done, &None));
}

/// A program that starts itself a second time for more memory is two processes, and both may speak.
#[test]
fn the_process_behind_the_one_that_was_put_away_does_not_take_its_seat() {
    let mut script = suspended();
    script.process = Some(ProcessId::new(4, 40));
    for late in [exit(), Fact::TurnOver, Fact::IdleNotice { turn_ref: None }] {
        script.hook(late);
        script.refused(Rule::G1);
    }
    assert_eq!(script.headline(), Headline::Suspended);
    // A later one says no goodbye before it has said anything else.
    script.process = Some(ProcessId::new(6, 60));
    script.hook(exit());
    script.refused(Rule::G1);
    // One that does something has been started by hand.
    script.hook(prompt("t2"));
    assert_eq!(script.headline(), Headline::Working);
}

#[test]
fn a_goodbye_that_comes_after_the_agent_was_taken_up_again_is_of_the_life_before() {
    for process in [None, Some(ProcessId::new(5, 50))] {
        let mut script = suspended();
        gate::resume(&mut script.seat, TOKEN, script.now).unwrap();
        script.process = process;
        script.hook(exit());
        script.refused(Rule::G1);
        script.process = Some(ProcessId::new(6, 60));
        script.hook(start(SessionStart::Resume));
        assert_eq!((script.headline(), script.seat.incarnation), (Headline::Done, 2));
    }
}

/// It was put away, and its next process has spoken.
fn taken_up() -> Script {
    let mut script = suspended();
    gate::resume(&mut script.seat, TOKEN, script.now).unwrap();
    script.process = Some(ProcessId::new(6, 60));
    script.hook(start(SessionStart::Resume));
    script
}

#[test]
fn a_goodbye_of_nobody_soon_after_an_agent_was_taken_up_is_one_once_its_process_is_gone() {
    for how in [SessionEnd::Exit, SessionEnd::Either] {
        let said_by_nobody = |mut script: Script| {
            script.process = None;
            script.hook(Fact::SessionEnded { how });
            script.process = Some(ProcessId::new(6, 60));
            script
        };
        let mut script = said_by_nobody(taken_up());
        script.silent();
        assert_eq!(script.headline(), Headline::Done);
        script.said(Source::Process, gone(None, None));
        assert_eq!(script.headline(), Headline::Ended);
        // The life before has said it.
        let mut script = said_by_nobody(taken_up());
        script.tick(5_000);
        script.silent();
        assert!(script.seat.session.is_some());
        script.hook(prompt("t2"));
        assert_eq!((script.headline(), script.seat.incarnation), (Headline::Working, 2));
    }
    // That one's would have come by now.
    let mut script = taken_up();
    script.process = None;
    script.after(30_000).hook(exit());
    assert_eq!(script.headline(), Headline::Ended);
    // It says whose it is.
    let mut script = taken_up();
    script.hook(exit());
    assert_eq!(script.headline(), Headline::Ended);
}

/// Where hooks name no process, the same goodbye is said whether a program leaves or begins anew.
#[test]
fn the_process_that_was_taken_up_is_known_beyond_a_new_conversation_in_it() {
    for said in [true, false] {
        let mut script = taken_up();
        gate::mark_seen(&mut script.seat, script.now);
        script.process = None;
        if said {
            script.hook(Fact::SessionEnded { how: SessionEnd::Either });
        }
        script.session = Some("s2".into());
        script.hook(start(SessionStart::Startup));
        assert_eq!((script.headline(), script.seat.incarnation), (Headline::Idle, 3), "{said}");
        assert_eq!(gate::may_suspend(&script.seat), Ok(()), "{said}");
        script.process = Some(ProcessId::new(6, 60));
        script.said(Source::Process, gone(None, Some(9)));
        assert_eq!(script.headline(), Headline::Crashed, "{said}");
        // Whoever sits here next without a name is in no process that has ended.
        script.process = None;
        script.session = Some("s3".into());
        script.hook(start(SessionStart::Startup));
        assert_eq!((script.headline(), &script.seat.process.id), (Headline::Idle, &None));
    }
}

/// A later life in the same seat was not taken up.
#[test]
fn only_the_life_that_was_taken_up_may_hear_the_goodbye_of_the_one_before() {
    let mut script = taken_up();
    script.after(60_000);
    script.session = Some("s2".into());
    script.hook(start(SessionStart::Startup));
    script.process = None;
    script.hook(exit());
    assert_eq!(script.headline(), Headline::Ended);
    // Whoever takes it up by hand does so as well.
    let mut script = suspended();
    script.process = Some(ProcessId::new(6, 60));
    script.hook(start(SessionStart::Resume));
    script.process = None;
    script.hook(exit());
    assert_eq!(script.headline(), Headline::Done);
}

/// Its container was paused, or a person stopped it: nobody can type to it afterwards either.
#[test]
fn a_headless_run_is_one_also_when_it_was_out_of_sight() {
    for alive in [Some(Fact::Process(ProcessFact::Alive)), None] {
        let mut script = Script::new();
        script.process = Some(ProcessId::new(5, 50));
        let attach = Some(Attach::Headless);
        script.hook(Fact::SessionStarted { how: SessionStart::Startup, attach });
        script.hook(prompt("t1"));
        script.said(Source::Container, Fact::Process(ProcessFact::Unprobeable));
        assert_eq!(script.headline(), Headline::Unknown);
        if let Some(alive) = alive {
            script.said(Source::Container, alive);
        }
        script.hook(stop("t1"));
        let headless = Process::Running { attach: Attach::Headless };
        assert_eq!(script.seat.process.state, headless);
        script
            .said(Source::Process, Fact::Process(ProcessFact::Exited(Exit::of(ExitKind::Crashed))));
        assert_eq!(script.headline(), Headline::Ended);
    }
}
