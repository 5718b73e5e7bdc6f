//! An agent that has handed in its work is not missed.

use super::script::{Script, prompt, start, stop};
use crate::gate::{self, Said};
use crate::id::ProcessId;
use crate::observation::{Fact, ProcessFact, SessionStart};
use crate::source::Source;
use crate::status::{Attach, Exit, ExitKind, Headline, Process};
use crate::words;
use crate::workflow::{By, Stage};

/// It speaks by its tools alone: of its turns nobody knows.
fn by_tools() -> Script {
    let mut script = Script::new();
    (script.session, script.process) = (None, Some(ProcessId::new(5, 50)));
    let running = ProcessFact::Running { attach: Attach::Interactive, restored: false };
    script.said(Source::Process, Fact::Process(running));
    assert_eq!(script.headline(), Headline::Unknown);
    script
}

/// By its hooks, as well.
fn in_turn() -> Script {
    let mut script = Script::new();
    script.process = Some(ProcessId::new(5, 50));
    script.hook(start(SessionStart::Startup));
    script.hook(prompt("t1"));
    script
}

fn hand_in(script: &mut Script, stage: Stage) {
    let said = Said { message: Some("all of it"), ..Said::default() };
    gate::set_stage(&mut script.seat, stage, By::Agent, &said, script.now).unwrap();
}

fn ends(script: &mut Script, exit: Exit) -> Headline {
    script.said(Source::Process, Fact::Process(ProcessFact::Exited(exit)));
    script.headline()
}

const GONE: Exit = Exit { kind: ExitKind::Crashed, code: None, signal: None };

#[test]
fn whoever_has_handed_in_its_work_and_is_gone_has_ended() {
    let mut script = by_tools();
    hand_in(&mut script, Stage::Completed);
    assert_eq!(ends(&mut script, GONE), Headline::Ended);
    let unspecified = Process::Exited(Exit::of(ExitKind::Unspecified));
    assert_eq!(script.seat.process.state, unspecified);
    assert_eq!(words::brief(&script.seat.doc()).as_deref(), Some("ended"));
    // Told once more it is the same end, and what is known of it later counts.
    assert_eq!(ends(&mut script, GONE), Headline::Ended);
    script.silent();
    assert_eq!(ends(&mut script, Exit { code: Some(3), ..GONE }), Headline::Crashed);

    let mut script = in_turn();
    hand_in(&mut script, Stage::Completed);
    script.hook(stop("t1"));
    assert_eq!(ends(&mut script, GONE), Headline::Ended);
}

#[test]
fn what_is_known_to_have_ended_badly_has_crashed_whatever_it_has_handed_in() {
    for bad in [
        Exit { code: Some(1), ..GONE },
        Exit { signal: Some(9), ..GONE },
        Exit::of(ExitKind::OomKilled),
        Exit::of(ExitKind::Lost),
    ] {
        let mut script = by_tools();
        hand_in(&mut script, Stage::Completed);
        assert_eq!(ends(&mut script, bad), Headline::Crashed, "{bad:?}");
        assert_eq!(ends(&mut script, GONE), Headline::Crashed, "{bad:?}");
    }
    for stage in [Stage::Working, Stage::Blocked, Stage::AwaitingReview] {
        let mut script = by_tools();
        hand_in(&mut script, stage);
        assert_eq!(ends(&mut script, GONE), Headline::Crashed, "{stage:?}");
    }
    // In mid-turn, also where that is told again.
    let mut script = in_turn();
    hand_in(&mut script, Stage::Completed);
    assert_eq!(ends(&mut script, GONE), Headline::Crashed);
    assert_eq!(ends(&mut script, GONE), Headline::Crashed);
    // Its program never leaves without a word, where anybody hears that.
    let mut heard = in_turn();
    heard.hook(stop("t1"));
    for (mut script, headline) in [(heard, Headline::Crashed), (by_tools(), Headline::Ended)] {
        script.seat.parts_with_a_word = true;
        hand_in(&mut script, Stage::Completed);
        assert_eq!(ends(&mut script, GONE), headline);
    }
}
