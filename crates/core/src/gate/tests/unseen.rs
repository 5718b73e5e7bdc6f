//! What nobody has seen of an agent that has ended, and how it is known that nobody could.

use super::script::{Script, exit, fail, prompt, start, stop};
use crate::gate::{self, Description};
use crate::id::ProcessId;
use crate::observation::{Fact, Level, ProcessFact, SessionEnd, SessionStart};
use crate::seat::Seat;
use crate::source::Source;
use crate::status::{Attach, Exit, ExitKind, Headline, Process, Returns, StartPhase};
use crate::words;

/// At work in its first turn.
fn began(attach: Attach) -> Script {
    let mut script = Script::new();
    script.process = Some(ProcessId::new(5, 50));
    script.seat.returns = Returns::OneIfKilled;
    let attach = Some(attach);
    script.hook(Fact::SessionStarted { how: SessionStart::Startup, attach });
    script.hook(prompt("t1"));
    script
}

fn returned() -> Fact {
    let exit = Exit { code: Some(0), ..Exit::of(ExitKind::Clean) };
    Fact::Process(ProcessFact::Exited(exit))
}

fn is_in_inbox(seat: &Seat) -> bool {
    let doc = seat.doc();
    assert_eq!(doc.is_in_inbox(), seat.is_in_inbox());
    doc.is_in_inbox()
}

#[test]
fn a_start_that_is_told_after_what_followed_it_says_that_nobody_can_type_to_it() {
    let how = SessionStart::Startup;
    for is_known in [false, true] {
        let mut script = Script::new();
        script.process = Some(ProcessId::new(5, 50));
        if is_known {
            script.hook(start(how));
        }
        script.hook(prompt("t1"));
        assert!(!script.seat.process.headless);
        // Another one that does not say it changes nothing of that.
        for attach in [Some(Attach::Headless), None] {
            script.hook(Fact::SessionStarted { how, attach });
            let told = (script.headline(), script.count("turn.started"));
            assert_eq!(told, (Headline::Working, 1), "{is_known} {attach:?}");
            assert!(script.seat.process.headless, "{is_known} {attach:?}");
        }
    }
}

/// It is `done` no more before it has begun what it was told: whoever waits for that would take the last turn for it.
#[test]
fn whoever_takes_an_agent_up_with_words_has_seen_what_it_did_last() {
    for (with_words, headline) in [(true, Headline::Idle), (false, Headline::Done)] {
        let mut script = began(Attach::Interactive);
        script.hook(stop("t1"));
        gate::suspend(&mut script.seat, script.now).unwrap();
        let ended = Exit::from_wait(None, Some(15), false);
        script.said(Source::Process, Fact::Process(ProcessFact::Exited(ended)));
        assert_eq!(script.headline(), Headline::Suspended);
        let take_up = if with_words { gate::resume_with_words } else { gate::resume };
        take_up(&mut script.seat, "a digest", script.now).unwrap();
        assert_eq!(script.seat.seen(), with_words);
        script.process = Some(ProcessId::new(8, 80));
        script.hook(start(SessionStart::Resume));
        assert_eq!(script.headline(), headline);
    }
}

#[test]
fn an_end_keeps_a_failure_in_the_inbox_and_what_was_done_where_nobody_could_type() {
    use Attach::{Headless, Interactive};
    for (attach, turn, expected, brief) in [
        (Interactive, Some(stop("t1")), false, "left by itself"),
        (Interactive, Some(fail("t1", "overloaded")), true, "failed (overloaded); left by itself"),
        (Headless, Some(stop("t1")), true, "done; left by itself"),
        (Headless, Some(fail("t1", "overloaded")), true, "failed (overloaded); left by itself"),
        (Headless, None, false, "left by itself"),
    ] {
        for (source, end) in [(Source::Hook, exit()), (Source::Process, returned())] {
            let mut script = began(attach);
            if let Some(turn) = turn.clone() {
                script.hook(turn);
            }
            script.said(source, end);
            assert_eq!(script.headline(), Headline::Ended);
            let said = format!("{attach:?} {brief}");
            assert_eq!(is_in_inbox(&script.seat), expected, "{said}");
            assert_eq!(words::brief(&script.seat.doc()).as_deref(), Some(brief));
            let kept = serde_json::to_string(&script.seat).unwrap();
            let kept: Seat = serde_json::from_str(&kept).unwrap();
            assert_eq!(is_in_inbox(&kept), expected, "{said}");
            // A person has seen it; how it ended is no other status.
            let decision = gate::mark_seen(&mut script.seat, script.now);
            assert!(decision.events.iter().all(|event| event.kind() == "agent.updated"), "{said}");
            assert_eq!((script.headline(), is_in_inbox(&script.seat)), (Headline::Ended, false));
            assert_eq!(words::brief(&script.seat.doc()).as_deref(), Some("left by itself"));
        }
    }
}

#[test]
fn how_a_person_reached_it_is_known_until_the_next_one_sits_there() {
    let mut script = began(Attach::Headless);
    script.hook(stop("t1"));
    // As an older version stored it, and out of sight before its end.
    script.seat.process.headless = false;
    script.said(Source::Container, Fact::Process(ProcessFact::Unprobeable));
    assert_eq!(script.headline(), Headline::Unknown);
    script.said(Source::Process, returned());
    assert!(is_in_inbox(&script.seat));
    let attach = script.seat.doc().process.attach;
    assert_eq!((script.headline(), attach), (Headline::Ended, Some(Attach::Headless)));
    script.process = Some(ProcessId::new(8, 80));
    script.hook(prompt("t2"));
    let interactive = Process::Running { attach: Attach::Interactive };
    assert_eq!(script.seat.process.state, interactive);
    script.hook(stop("t2"));
    script.said(Source::Process, returned());
    assert_eq!((script.headline(), is_in_inbox(&script.seat)), (Headline::Ended, false));
    assert_eq!(script.seat.doc().process.attach, None);
}

/// Of a run that writes line by line what it does nobody else says that.
#[test]
fn one_that_was_launched_where_nobody_can_type_is_so_from_its_first_word() {
    let starting = || Fact::Process(ProcessFact::Starting(StartPhase::Booting));
    let about = Description { headless: true, ..Description::default() };
    let mut script = Script::new();
    script.said(Source::Process, starting());
    let decision = gate::describe(&mut script.seat, &about, script.now);
    assert!(decision.changed && decision.events.is_empty());
    script.process = Some(ProcessId::new(5, 50));
    script.said(Source::Process, starting());
    script.said(Source::EventStream, prompt("t1"));
    let headless = Process::Running { attach: Attach::Headless };
    assert_eq!(script.seat.process.state, headless);
    // It is there: what its launcher has said says nothing new.
    assert!(!gate::describe(&mut script.seat, &about, script.now).changed);
    script.said(Source::EventStream, stop("t1"));
    script.said(Source::Process, returned());
    assert_eq!((script.headline(), is_in_inbox(&script.seat)), (Headline::Ended, true));
}

/// A run whose session has begun, and that takes its prompt at once.
fn started_with_its_prompt(how: SessionStart) -> Script {
    let about = Description { headless: true, ..Description::default() };
    let mut script = Script::new();
    (script.session, script.process) = (None, Some(ProcessId::new(5, 50)));
    script.said(Source::Process, Fact::Process(ProcessFact::Starting(StartPhase::Booting)));
    gate::describe(&mut script.seat, &about, script.now);
    script.session = Some("s1".into());
    script.after(300).hook(start(how));
    script
}

#[test]
fn a_run_that_was_started_with_its_prompt_is_never_ready_for_one() {
    for how in [SessionStart::Startup, SessionStart::Resume] {
        let mut script = started_with_its_prompt(how);
        assert_eq!(script.headline(), Headline::Starting, "{how:?}");
        script.after(4_000).hook(prompt("t1"));
        assert_eq!(script.headline(), Headline::Working, "{how:?}");
        let headless = Process::Running { attach: Attach::Headless };
        assert_eq!((script.seat.process.state, script.seat.incarnation), (headless, 1), "{how:?}");
        script.hook(stop("t1"));
        assert_eq!(script.headline(), Headline::Done, "{how:?}");
    }
}

/// Nobody but its own start has told of it: no launcher has.
#[test]
fn a_run_that_a_person_has_started_with_its_prompt_is_never_ready_for_one() {
    let begins = |script: &mut Script, pid: u32, session: &str| {
        script.process = Some(ProcessId::new(pid, 50));
        script.session = Some(session.to_owned());
        let attach = Some(Attach::Headless);
        script.hook(Fact::SessionStarted { how: SessionStart::Prompted, attach });
    };
    let headless = Process::Running { attach: Attach::Headless };
    let mut script = Script::new();
    for (pid, session) in [(5, "s1"), (8, "s2")] {
        begins(&mut script, pid, session);
        assert_eq!((script.headline(), script.outcome()), (Headline::Starting, None), "{pid}");
        script.after(500).hook(prompt("t1"));
        assert_eq!((script.headline(), script.seat.process.state), (Headline::Working, headless));
        script.hook(stop("t1"));
        assert_eq!(script.headline(), Headline::Done, "{pid}");
        script.said(Source::Process, returned());
        assert_eq!((script.headline(), is_in_inbox(&script.seat)), (Headline::Ended, true));
    }
    // Its prompt is told first.
    let mut script = Script::new();
    script.process = Some(ProcessId::new(5, 50));
    script.hook(prompt("t1"));
    begins(&mut script, 5, "s1");
    assert_eq!((script.headline(), script.seat.process.state), (Headline::Working, headless));
    // It is gone before.
    let mut script = Script::new();
    begins(&mut script, 5, "s1");
    script.said(Source::Process, returned());
    assert_eq!(script.headline(), Headline::Ended);
}

/// `claude -p --resume ID "do it"`, whose hooks of its start may take long. The life before has ended, or was killed and
/// nobody has told of that.
#[test]
fn a_run_that_takes_a_conversation_up_with_its_prompt_is_never_ready_for_one() {
    for has_ended in [true, false] {
        let mut script = began(Attach::Headless);
        script.hook(stop("t1"));
        if has_ended {
            script.hook(Fact::SessionEnded { how: SessionEnd::Exit });
            script.said(Source::Process, returned());
        }
        script.process = Some(ProcessId::new(8, 80));
        let (how, attach) = (SessionStart::PromptedResume, Some(Attach::Headless));
        script.after(500).hook(Fact::SessionStarted { how, attach });
        assert_eq!(script.headline(), Headline::Starting, "{has_ended}");
        script.after(4_000).hook(prompt("t2"));
        let headless = Process::Running { attach: Attach::Headless };
        assert_eq!((script.headline(), script.seat.process.state), (Headline::Working, headless));
        assert_eq!(script.seat.incarnation, 2, "{has_ended}");
        script.hook(stop("t2"));
        assert_eq!(script.headline(), Headline::Done, "{has_ended}");
    }
}

#[test]
fn a_run_that_was_started_with_its_prompt_and_hangs_before_it_is_unknown_at_last() {
    let mut script = started_with_its_prompt(SessionStart::Startup);
    script.tick(60_000);
    assert_eq!((script.headline(), script.seat.stale), (Headline::Starting, true));
    script.tick(60_000);
    assert_eq!(script.headline(), Headline::Unknown);
    script.hook(prompt("t1"));
    assert_eq!((script.headline(), script.seat.incarnation), (Headline::Working, 1));
}

/// In a container of which the hub sees no process.
#[test]
fn a_goodbye_of_a_process_that_nobody_sees_is_one() {
    let mut script = Script::working();
    let unseen = ProcessId { pid_namespace: Some(7), ..ProcessId::new(5, 50) };
    script.seat.process.id = Some(unseen.clone());
    script.process = Some(unseen);
    script.hook(stop("t1"));
    script.hook(Fact::SessionEnded { how: SessionEnd::Either });
    assert_eq!(script.headline(), Headline::Ended);
}

/// As `gemini -p` does, which says goodbye where it writes text alone.
#[test]
fn a_run_that_nobody_can_type_to_and_that_returns_an_error_in_mid_turn_has_failed() {
    use Attach::{Headless, Interactive};
    use Headline::{Crashed, Ended};
    for (attach, says_goodbye, code, signal, headline, outcome) in [
        (Headless, true, Some(1), None, Ended, "failed"),
        (Headless, false, Some(1), None, Crashed, "failed"),
        (Headless, false, Some(144), None, Crashed, "failed"),
        // It was stopped, or killed.
        (Headless, true, Some(0), None, Ended, "aborted"),
        (Headless, true, Some(130), None, Ended, "aborted"),
        (Headless, true, None, Some(15), Ended, "aborted"),
        (Headless, false, None, Some(9), Crashed, "aborted"),
        (Headless, false, Some(137), None, Crashed, "aborted"),
        // Somebody has seen it.
        (Interactive, true, Some(1), None, Ended, "aborted"),
        (Interactive, false, Some(1), None, Crashed, "aborted"),
    ] {
        let mut script = began(attach);
        if says_goodbye {
            script.hook(exit());
        }
        let gone = Exit::from_wait(code, signal, false);
        script.said(Source::Process, Fact::Process(ProcessFact::Exited(gone)));
        let case = format!("{attach:?} {says_goodbye} {code:?} {signal:?}");
        assert_eq!((script.headline(), script.outcome()), (headline, Some(outcome)), "{case}");
        assert_eq!(script.count("turn.completed"), 1, "{case}");
        let waits = headline == Crashed || outcome == "failed";
        assert_eq!(is_in_inbox(&script.seat), waits, "{case}");
    }
    // Of a program that nobody knows any code may be returned where it dies.
    let mut script = began(Headless);
    script.seat.returns = Returns::Anything;
    script.said(
        Source::Process,
        Fact::Process(ProcessFact::Exited(Exit::from_wait(Some(7), None, false))),
    );
    assert_eq!((script.headline(), script.outcome()), (Crashed, Some("aborted")));
    // A turn that was over is what it was.
    let mut script = began(Headless);
    script.hook(stop("t1"));
    let gone = Exit::from_wait(Some(1), None, false);
    script.said(Source::Process, Fact::Process(ProcessFact::Exited(gone)));
    assert_eq!(script.outcome(), Some("completed"));
}

/// As `gemini -p -o stream-json` does, which says no goodbye then.
#[test]
fn a_run_that_has_told_of_its_failure_and_returns_an_error_has_ended() {
    use Attach::{Headless, Interactive};
    use Headline::{Crashed, Ended};
    for (attach, fails, code, signal, headline) in [
        (Headless, true, Some(1), None, Ended),
        (Headless, true, Some(144), None, Ended),
        // It was killed behind it.
        (Headless, true, Some(137), None, Crashed),
        (Headless, true, None, Some(9), Crashed),
        (Headless, true, None, None, Crashed),
        (Interactive, true, Some(1), None, Crashed),
        // It fails otherwise than its turn did.
        (Headless, false, Some(1), None, Crashed),
    ] {
        for is_seen_first in [false, true] {
            let mut script = began(attach);
            script.seat.parts_with_a_word = true;
            script.said(Source::EventStream, Fact::Level(Level::Working { reason: None }));
            let level = match fails {
                true => Level::Failed { code: "quota".to_owned() },
                false => Level::Done,
            };
            script.said(Source::EventStream, Fact::Level(level));
            let mut gone = |exit| {
                script.said(Source::Process, Fact::Process(ProcessFact::Exited(exit)));
            };
            if is_seen_first {
                gone(Exit::of(ExitKind::Crashed));
            }
            gone(Exit::from_wait(code, signal, false));
            let case = format!("{attach:?} {fails} {code:?} {signal:?} {is_seen_first}");
            assert_eq!(script.headline(), headline, "{case}");
            let outcome = if fails { "failed" } else { "completed" };
            assert_eq!(script.outcome(), Some(outcome), "{case}");
            assert_eq!(script.seat.doc().process.code, code, "{case}");
            assert_eq!(script.count("turn.completed"), 1, "{case}");
        }
    }
}

/// A run without a terminal whose hooks nobody has trusted.
#[test]
fn a_run_of_which_its_launcher_alone_tells_has_failed_with_the_error_that_it_returns() {
    use Headline::{Crashed, Ended};
    for (returns, headless, code, signal, headline, outcome) in [
        (Returns::ItsOwn, true, Some(1), None, Ended, Some("failed")),
        (Returns::ItsOwn, true, Some(0), None, Ended, None),
        (Returns::ItsOwn, true, Some(137), None, Crashed, None),
        (Returns::ItsOwn, true, None, Some(11), Crashed, None),
        // Somebody has seen it.
        (Returns::ItsOwn, false, Some(1), None, Crashed, None),
        // It may have been killed.
        (Returns::OneIfKilled, true, Some(1), None, Crashed, None),
    ] {
        let about = Description { headless, ..Description::default() };
        let mut script = Script::new();
        script.seat.returns = returns;
        (script.session, script.process) = (None, Some(ProcessId::new(5, 50)));
        script.said(Source::Process, Fact::Process(ProcessFact::Starting(StartPhase::Booting)));
        gate::describe(&mut script.seat, &about, script.now);
        let gone = Exit::from_wait(code, signal, false);
        script.said(Source::Process, Fact::Process(ProcessFact::Exited(gone)));
        let case = format!("{returns:?} {headless} {code:?} {signal:?}");
        assert_eq!((script.headline(), script.outcome()), (headline, outcome), "{case}");
        let turns = usize::from(outcome.is_some());
        assert_eq!(script.count("turn.started"), turns, "{case}");
        assert_eq!(script.count("turn.completed"), turns, "{case}");
        let waits = headline == Crashed || outcome.is_some();
        assert_eq!(is_in_inbox(&script.seat), waits, "{case}");
        assert_eq!(script.seat.doc().process.code, code, "{case}");
    }
    // What it writes has told of the turn, which is counted once.
    for level in [Level::Working { reason: None }, Level::Failed { code: "error".to_owned() }] {
        let about = Description { headless: true, ..Description::default() };
        let mut script = Script::new();
        script.seat.returns = Returns::ItsOwn;
        (script.session, script.process) = (None, Some(ProcessId::new(5, 50)));
        script.said(Source::Process, Fact::Process(ProcessFact::Starting(StartPhase::Booting)));
        gate::describe(&mut script.seat, &about, script.now);
        script.said(Source::EventStream, Fact::Level(Level::Working { reason: None }));
        script.said(Source::EventStream, Fact::Level(level));
        let gone = Exit::from_wait(Some(1), None, false);
        script.said(Source::Process, Fact::Process(ProcessFact::Exited(gone)));
        assert_eq!((script.headline(), script.outcome()), (Ended, Some("failed")));
        assert_eq!((script.count("turn.started"), script.count("turn.completed")), (1, 1));
        assert!(is_in_inbox(&script.seat));
    }
}

#[test]
fn a_script_that_returns_an_error_for_a_run_that_was_killed_makes_no_failure_of_it() {
    let mut script = Script::new();
    (script.seat.returns, script.seat.parts_with_a_word) = (Returns::ItsOwn, true);
    let session = script.session.take();
    script.process = Some(ProcessId::new(4, 40));
    script.said(Source::Process, Fact::Process(ProcessFact::Starting(StartPhase::Booting)));
    let about = Description { headless: true, ..Description::default() };
    gate::describe(&mut script.seat, &about, script.now);
    (script.session, script.process) = (session, Some(ProcessId::new(5, 50)));
    let attach = Some(Attach::Headless);
    script.hook(Fact::SessionStarted { how: SessionStart::Startup, attach });
    script.hook(prompt("t1"));
    for gone in [Exit::of(ExitKind::Crashed), Exit::from_wait(Some(1), None, false)] {
        script.said(Source::Process, Fact::Process(ProcessFact::Exited(gone)));
        assert_eq!((script.headline(), script.outcome()), (Headline::Crashed, Some("aborted")));
    }
}
