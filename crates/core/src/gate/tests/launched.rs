//! What was launched starts the agent and waits for it.

mod together;

use super::script::{Script, busy, exit, prompt, start, stop, tool_of};
use crate::event::EventBody;
use crate::gate::{self, Rule, whose_end};
use crate::id::ProcessId;
use crate::observation::{Fact, Level, ProcessFact, SessionEnd, SessionStart};
use crate::seat::{Launch, LaunchWords, Seat};
use crate::source::Source;
use crate::status::{Attach, Exit, ExitKind, Headline, OutcomeKind, Process, Returns, StartPhase};

/// What was launched, and what it has started.
const OUTER: u32 = 5;
const INNER: u32 = 6;

fn process(pid: u32) -> ProcessId {
    ProcessId::new(pid, u64::from(pid) * 10)
}

fn starting() -> Fact {
    Fact::Process(ProcessFact::Starting(StartPhase::Booting))
}

/// A word on a process, which names no conversation.
fn of_process(script: &mut Script, pid: u32, fact: Fact) {
    let session = script.session.take();
    script.process = Some(process(pid));
    script.said(Source::Process, fact);
    script.session = session;
}

/// A launcher tells how what it has launched has ended.
fn returns(script: &mut Script, code: Option<i32>, signal: Option<i32>, agent_lives: bool) {
    let whose = whose_end(&script.seat, &process(OUTER), script.now, |_| agent_lives);
    let exit = Exit::from_wait(code, signal, false);
    of_process(script, whose.pid, Fact::Process(ProcessFact::Exited(exit)));
}

/// The agent is seen to be gone.
fn is_gone(script: &mut Script, kind: ExitKind) {
    of_process(script, INNER, Fact::Process(ProcessFact::Exited(Exit::of(kind))));
}

/// A launcher reads along.
fn streams(script: &mut Script, level: Level) {
    script.process = Some(process(OUTER));
    script.said(Source::EventStream, Fact::Level(level));
}

fn hook(script: &mut Script, pid: u32, fact: Fact) {
    script.process = Some(process(pid));
    script.hook(fact);
}

fn launched() -> Script {
    let mut script = Script::new();
    of_process(&mut script, OUTER, starting());
    assert_eq!(script.headline(), Headline::Starting);
    script
}

/// In its first turn. Its hook or its stream has told of it first.
fn at_work(is_read_first: bool) -> Script {
    let mut script = launched();
    if is_read_first {
        streams(&mut script, busy());
    }
    hook(&mut script, INNER, prompt("t1"));
    streams(&mut script, busy());
    script.silent();
    assert_eq!((script.headline(), script.seat.incarnation), (Headline::Working, 1));
    assert_eq!(script.seat.process.id, Some(process(INNER)));
    assert_eq!(script.seat.process.outer(), Some(&process(OUTER)));
    script
}

/// Behind it.
fn at_rest(is_read_first: bool) -> Script {
    let mut script = at_work(is_read_first);
    hook(&mut script, INNER, stop("t1"));
    streams(&mut script, Level::Done);
    assert_eq!((script.headline(), script.seat.incarnation), (Headline::Done, 1));
    script
}

/// How it has ended.
fn end(script: &Script) -> (ExitKind, Option<i32>, Option<i32>) {
    match script.seat.process.state {
        Process::Exited(exit) => (exit.kind, exit.code, exit.signal),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_a_launcher_tells_is_told_of_the_agent_that_its_program_has_started() {
    for is_read_first in [true, false] {
        for (code, kind, headline) in
            [(0, ExitKind::Clean, Headline::Ended), (3, ExitKind::Crashed, Headline::Crashed)]
        {
            let mut script = at_rest(is_read_first);
            returns(&mut script, Some(code), None, false);
            // Whoever only saw it go knows less.
            is_gone(&mut script, ExitKind::Crashed);
            script.silent();
            assert_eq!((script.headline(), script.outcome()), (headline, Some("completed")));
            assert_eq!(end(&script), (kind, Some(code), None));
            let turns = ["turn.started", "turn.completed"].map(|event| script.count(event));
            assert_eq!(turns, [1, 1], "{is_read_first}");
            // Starting, working, done, over; and at work first for no reason, then with a prompt.
            let changes = 4 + usize::from(is_read_first);
            assert_eq!(script.count("agent.status_changed"), changes);
        }
    }
}

#[test]
fn an_end_that_was_seen_first_is_explained_by_what_has_started_the_agent() {
    for (code, signal, headline) in [
        (Some(0), None, Headline::Ended),
        (Some(137), None, Headline::Crashed),
        (None, Some(9), Headline::Crashed),
        (None, Some(15), Headline::Ended),
    ] {
        for (after, is_heard) in [(0, true), (30_000, false)] {
            let mut script = at_rest(false);
            is_gone(&mut script, ExitKind::Crashed);
            assert_eq!(end(&script), (ExitKind::Crashed, None, None));
            script.after(after);
            returns(&mut script, code, signal, false);
            if is_heard {
                assert_eq!(script.headline(), headline, "{code:?} {signal:?}");
                let (_, known, by) = end(&script);
                assert_eq!((known, by), (code, signal));
            } else {
                script.refused(Rule::G9);
            }
        }
    }
    // It said goodbye.
    let mut script = at_rest(false);
    hook(&mut script, INNER, exit());
    returns(&mut script, Some(3), None, false);
    assert_eq!(end(&script), (ExitKind::Clean, Some(3), None));
}

/// `run -- sh -c 'agent; exec bash'`: a person leaves the shell later, or closes its terminal.
#[test]
fn what_a_shell_around_the_agent_returns_later_is_not_how_that_has_ended() {
    for (code, signal) in [(Some(0), None), (Some(1), None), (None, Some(1))] {
        for is_seen_at_work in [true, false] {
            let mut script = if is_seen_at_work { at_work(false) } else { at_rest(false) };
            is_gone(&mut script, ExitKind::Crashed);
            script.after(4_000);
            returns(&mut script, code, signal, false);
            script.refused(Rule::G9);
            assert_eq!(end(&script), (ExitKind::Crashed, None, None), "{code:?} {signal:?}");
            assert_eq!(script.headline(), Headline::Crashed);
        }
    }
    // It has said goodbye, and took its time.
    let mut script = at_rest(false);
    hook(&mut script, INNER, exit());
    script.after(4_000);
    returns(&mut script, Some(3), None, false);
    assert_eq!(end(&script), (ExitKind::Clean, Some(3), None));
}

#[test]
fn an_agent_outlives_what_has_started_it() {
    let mut script = at_work(false);
    returns(&mut script, None, Some(9), true);
    script.silent();
    assert_eq!(script.headline(), Headline::Working);
    let kept = serde_json::to_string(&script.seat).unwrap();
    let kept: Seat = serde_json::from_str(&kept).unwrap();
    assert!(kept.process.launched.as_ref().is_some_and(|launched| launched.end.is_some()));
    assert_eq!(kept.process.launched, script.seat.process.launched);
    hook(&mut script, INNER, stop("t1"));
    assert_eq!(script.headline(), Headline::Done);
    // Its own end is its own.
    script.after(10_000);
    is_gone(&mut script, ExitKind::Clean);
    assert_eq!(end(&script), (ExitKind::Clean, None, None));
}

/// Its launcher has looked a moment too early.
#[test]
fn who_ends_together_ends_in_the_same_way() {
    for (code, signal, seen, kind) in [
        (Some(0), None, ExitKind::Crashed, ExitKind::Clean),
        (Some(3), None, ExitKind::Crashed, ExitKind::Crashed),
        (None, Some(9), ExitKind::Crashed, ExitKind::Crashed),
        (None, Some(15), ExitKind::Crashed, ExitKind::Killed),
        // Why, its launcher does not know.
        (Some(1), None, ExitKind::OomKilled, ExitKind::OomKilled),
    ] {
        let mut script = at_rest(false);
        returns(&mut script, code, signal, true);
        assert_eq!(script.headline(), Headline::Done);
        is_gone(&mut script, seen);
        assert_eq!(end(&script), (kind, code, signal));
    }
}

#[test]
fn a_launcher_may_tell_of_what_it_has_launched_after_that_has_started_the_agent() {
    let running = ProcessFact::Running { attach: Attach::Headless, restored: false };
    for word in [starting(), Fact::Process(running)] {
        let mut script = Script::new();
        hook(&mut script, INNER, start(SessionStart::Startup));
        hook(&mut script, INNER, prompt("t1"));
        of_process(&mut script, OUTER, word);
        assert_eq!((script.headline(), script.seat.incarnation), (Headline::Working, 1));
        assert_eq!(script.seat.process.id, Some(process(INNER)));
        streams(&mut script, busy());
        script.silent();
        returns(&mut script, Some(0), None, false);
        assert_eq!(end(&script), (ExitKind::Clean, Some(0), None));
    }
}

#[test]
fn a_program_that_speaks_for_itself_has_started_nobody() {
    let mut script = launched();
    hook(&mut script, OUTER, prompt("t1"));
    assert_eq!(script.seat.process.launched, None);
    // Somebody else has taken its seat.
    hook(&mut script, INNER, prompt("t2"));
    assert_eq!(script.seat.process.id, Some(process(INNER)));
    assert_eq!(script.seat.incarnation, 2);
    returns(&mut script, Some(0), None, false);
    script.refused(Rule::G9);
}

#[test]
fn what_a_launcher_tells_of_the_life_before_ends_no_later_one() {
    let mut script = at_rest(false);
    gate::suspend(&mut script.seat, script.now).unwrap();
    is_gone(&mut script, ExitKind::Crashed);
    assert_eq!(script.headline(), Headline::Suspended);
    returns(&mut script, None, Some(15), false);
    script.silent();
    gate::resume(&mut script.seat, "a digest", script.now).unwrap();
    returns(&mut script, None, Some(15), false);
    script.refused(Rule::G9);
    assert_eq!(script.headline(), Headline::Starting);
    of_process(&mut script, 8, starting());
    hook(&mut script, 9, start(SessionStart::Resume));
    assert_eq!((script.headline(), script.seat.incarnation), (Headline::Done, 2));
    assert_eq!(script.seat.process.outer(), Some(&process(8)));
    returns(&mut script, None, Some(15), false);
    script.refused(Rule::G9);
}

#[test]
fn a_program_that_starts_itself_anew_is_over_with_the_last_of_its_processes() {
    let goodbye = || Fact::SessionEnded { how: SessionEnd::Either };
    for is_last in [true, false] {
        let mut script = Script::new();
        hook(&mut script, OUTER, prompt("t1"));
        hook(&mut script, OUTER, stop("t1"));
        hook(&mut script, OUTER, goodbye());
        script.after(60_000);
        hook(&mut script, INNER, start(SessionStart::Startup));
        hook(&mut script, INNER, prompt("t2"));
        let gone = Fact::Process(ProcessFact::Exited(Exit::of(ExitKind::Crashed)));
        if !is_last {
            of_process(&mut script, OUTER, gone.clone());
            script.silent();
            assert_eq!(script.headline(), Headline::Working);
        }
        hook(&mut script, INNER, stop("t2"));
        hook(&mut script, INNER, goodbye());
        is_gone(&mut script, ExitKind::Crashed);
        assert_eq!(script.headline(), Headline::Ended, "{is_last}");
        of_process(&mut script, OUTER, gone);
        assert_eq!(script.headline(), Headline::Ended, "{is_last}");
    }
}

/// A pipe's code is that of its last command, and `|| true` is one, too.
#[test]
fn what_a_script_around_the_agent_returns_hides_no_death_in_mid_turn() {
    let at_work = || {
        let mut script = launched();
        script.seat.parts_with_a_word = true;
        hook(&mut script, INNER, start(SessionStart::Startup));
        hook(&mut script, INNER, prompt("t1"));
        assert_eq!(script.headline(), Headline::Working);
        script
    };
    let (crashed, clean) = (ExitKind::Crashed, ExitKind::Clean);
    for is_seen_first in [false, true] {
        let mut script = at_work();
        if is_seen_first {
            is_gone(&mut script, crashed);
            script.after(1_500);
        }
        returns(&mut script, Some(0), None, false);
        assert_eq!((script.headline(), script.outcome()), (Headline::Crashed, Some("aborted")));
        assert_eq!(end(&script), (crashed, Some(0), None));
        // Its goodbye is on its way.
        hook(&mut script, INNER, exit());
        assert_eq!(end(&script), (clean, Some(0), None));
    }
    // The script was seen to end first.
    let mut script = at_work();
    returns(&mut script, Some(0), None, true);
    is_gone(&mut script, crashed);
    assert_eq!(end(&script), (crashed, Some(0), None));
    // It has said goodbye, by a hook or its status file.
    for by_hook in [true, false] {
        let mut script = at_work();
        if by_hook {
            hook(&mut script, INNER, exit());
        } else {
            is_gone(&mut script, clean);
        }
        returns(&mut script, Some(0), None, false);
        assert_eq!(end(&script), (clean, Some(0), None), "{by_hook}");
    }
    // At rest it has left, as before.
    let mut script = at_work();
    hook(&mut script, INNER, stop("t1"));
    returns(&mut script, Some(0), None, false);
    assert_eq!(end(&script), (clean, Some(0), None));
}

/// At rest two goodbyes are missed of one that keeps a status file: its hook's, and that it takes the file away.
#[test]
fn what_a_script_returns_hides_no_death_at_rest_of_an_agent_that_keeps_a_status_file() {
    let at_rest = |is_headless: bool| {
        let mut script = launched();
        script.seat.parts_with_a_word = true;
        hook(&mut script, INNER, start(SessionStart::Startup));
        script.registry(Level::Idle { shells: 0 });
        hook(&mut script, INNER, prompt("t1"));
        hook(&mut script, INNER, stop("t1"));
        script.seat.process.headless = is_headless;
        assert_eq!(script.headline(), Headline::Done);
        script
    };
    for is_seen_first in [false, true] {
        let mut script = at_rest(false);
        if is_seen_first {
            is_gone(&mut script, ExitKind::Crashed);
            script.after(1_500);
        }
        returns(&mut script, Some(0), None, false);
        assert_eq!((script.headline(), script.outcome()), (Headline::Crashed, Some("completed")));
        assert_eq!(end(&script), (ExitKind::Crashed, Some(0), None));
        // Its goodbye is on its way.
        hook(&mut script, INNER, exit());
        assert_eq!(end(&script), (ExitKind::Clean, Some(0), None));
    }
    // It has said goodbye, by a hook or its status file; and a run that nobody can type to is over with its turn.
    let mut script = at_rest(false);
    hook(&mut script, INNER, exit());
    returns(&mut script, Some(0), None, false);
    assert_eq!(end(&script), (ExitKind::Clean, Some(0), None));
    let mut script = at_rest(false);
    is_gone(&mut script, ExitKind::Clean);
    returns(&mut script, Some(0), None, false);
    assert_eq!(end(&script), (ExitKind::Clean, Some(0), None));
    let mut script = at_rest(true);
    returns(&mut script, Some(0), None, false);
    assert_eq!(end(&script), (ExitKind::Clean, Some(0), None));
}

/// `run -- sh -c 'agent; exit 0'`, where the kernel has told of the agent itself before the script has ended.
#[test]
fn what_a_script_around_the_agent_returns_hides_no_signal_that_was_seen() {
    for (signal, kind) in [(9, ExitKind::Crashed), (11, ExitKind::Crashed), (15, ExitKind::Killed)]
    {
        for code in [0, 7] {
            for is_seen_at_work in [true, false] {
                let mut script = if is_seen_at_work { at_work(false) } else { at_rest(false) };
                let own = Exit::from_wait(None, Some(signal), false);
                of_process(&mut script, INNER, Fact::Process(ProcessFact::Exited(own)));
                script.after(1_500);
                returns(&mut script, Some(code), None, false);
                script.silent();
                assert_eq!(end(&script), (kind, None, Some(signal)), "{code} {is_seen_at_work}");
            }
        }
    }
}

/// `gemini` waits for itself, and returns 1 also where that was killed.
#[test]
fn what_waits_for_a_run_tells_that_it_has_failed_and_not_of_one_that_was_killed() {
    let at_work = || {
        let mut script = launched();
        script.seat.returns = Returns::OneIfKilled;
        let (how, attach) = (SessionStart::Startup, Some(Attach::Headless));
        hook(&mut script, INNER, Fact::SessionStarted { how, attach });
        hook(&mut script, INNER, prompt("t1"));
        script
    };
    for (code, says_goodbye, outcome) in [
        (1, true, "failed"),
        (144, false, "failed"),
        (1, false, "aborted"),
        (137, false, "aborted"),
        (0, true, "aborted"),
    ] {
        for is_seen_first in [false, true] {
            let mut script = at_work();
            if says_goodbye {
                hook(&mut script, INNER, exit());
            }
            if is_seen_first {
                is_gone(&mut script, ExitKind::Crashed);
            }
            returns(&mut script, Some(code), None, false);
            assert_eq!(script.outcome(), Some(outcome), "{code} {is_seen_first}");
            assert_eq!(script.count("turn.completed"), 1, "{code} {is_seen_first}");
        }
    }
    // `qwen` waits for itself as well, and ends by the signal that has ended that.
    for (code, signal, outcome) in [(Some(1), None, "failed"), (None, Some(9), "aborted")] {
        let mut script = at_work();
        script.seat.returns = Returns::ItsOwn;
        is_gone(&mut script, ExitKind::Crashed);
        returns(&mut script, code, signal, false);
        assert_eq!(script.outcome(), Some(outcome), "{code:?} {signal:?}");
    }
    // Its goodbye was on its way.
    let mut script = at_work();
    is_gone(&mut script, ExitKind::Crashed);
    returns(&mut script, Some(1), None, false);
    assert_eq!((script.headline(), script.outcome()), (Headline::Crashed, Some("aborted")));
    hook(&mut script, INNER, exit());
    assert_eq!((script.headline(), script.outcome()), (Headline::Ended, Some("failed")));
}

fn launch() -> Launch {
    Launch {
        program: "/bin/agent".into(),
        name: "agent".into(),
        folder: "/".into(),
        here: false,
        server: None,
        no_tools: false,
        words: LaunchWords::None,
    }
}

/// `claude -p --max-turns 1` tells no end of its turn but by its code, behind its goodbye.
#[test]
fn a_run_that_says_goodbye_in_mid_turn_ends_that_once_and_as_it_returns() {
    let parts = || {
        let mut script = launched();
        script.seat.launch = Some(Box::new(launch()));
        script.seat.returns = Returns::OneIfKilled;
        let (how, attach) = (SessionStart::Startup, Some(Attach::Headless));
        hook(&mut script, OUTER, Fact::SessionStarted { how, attach });
        script.hook(prompt("t1"));
        script.published.clear();
        script.hook(exit());
        script.silent();
        script
    };
    let ended = |script: &Script, outcome: &str| {
        let told = script.last.events.iter().find_map(|event| match event {
            EventBody::TurnCompleted { outcome, .. } => Some(outcome.as_ref().unwrap().kind),
            _ => None,
        });
        assert_eq!(told.map(OutcomeKind::word), Some(outcome));
        assert_eq!((script.headline(), script.outcome()), (Headline::Ended, Some(outcome)));
        assert_eq!(script.count("turn.completed"), 1);
    };
    for (code, outcome) in [(1, "failed"), (0, "aborted"), (143, "aborted")] {
        let mut script = parts();
        returns(&mut script, Some(code), None, false);
        ended(&script, outcome);
    }
    // Nobody tells it: it has said goodbye.
    let mut script = parts();
    script.tick(2_000);
    ended(&script, "aborted");
    let mut script = parts();
    of_process(&mut script, OUTER, Fact::Process(ProcessFact::Exited(Exit::of(ExitKind::Crashed))));
    ended(&script, "aborted");
    // That was no goodbye.
    for goes_on in [tool_of("t1", "c1"), prompt("t2")] {
        let mut script = parts();
        script.hook(goes_on);
        script.tick(5_000);
        assert_eq!(script.headline(), Headline::Working);
    }
    // What nobody waits for has ended with its word.
    let mut script = parts();
    script.hook(prompt("t2"));
    script.seat.launch = None;
    script.hook(exit());
    ended(&script, "aborted");
}
