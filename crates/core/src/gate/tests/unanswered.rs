//! Turns that are over without an answer.

use super::script::{Script, at_rest, busy, exit, fail, prompt, stop};
use crate::id::ProcessId;
use crate::observation::{Fact, Level, ProcessFact, SessionStart};
use crate::source::Source;
use crate::status::{Attach, BlockedReason, Exit, Headline, OutcomeKind, Returns, Turn};

fn title(script: &mut Script, level: Level) {
    script.said(Source::Title, Fact::Level(level));
}

fn fails() -> Fact {
    Fact::TurnFailed { code: "x".into(), detail: None, turn_ref: None }
}

/// Its end is told, and nobody has said how within the time that a log has.
fn untold() -> Script {
    let mut script = Script::working();
    title(&mut script, busy());
    script.hook(Fact::TurnUnanswered);
    script.silent();
    script.tick(300);
    let told = (script.headline(), script.outcome(), script.seat.turn.open);
    assert_eq!(told, (Headline::Unknown, None, false));
    assert_eq!(script.published, ["turn.completed", "agent.status_changed"]);
    script.published.clear();
    script
}

#[test]
fn that_it_rests_is_not_how_it_has_ended() {
    let mut script = untold();
    for _ in 0..3 {
        title(&mut script, at_rest());
        script.silent();
        script.tick(15_000);
        assert_eq!(script.headline(), Headline::Unknown);
    }
    script.hook(prompt("t2"));
    assert_eq!(script.headline(), Headline::Working);
    script.hook(stop("t2"));
    assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Done, 1));
    // Its title has told of the rest a moment before, and the one that waits or has been believed counts no more.
    for wait in [0, 300] {
        let mut script = Script::working();
        title(&mut script, busy());
        title(&mut script, at_rest());
        script.tick(wait);
        script.hook(Fact::TurnUnanswered);
        for _ in 0..3 {
            script.tick(300);
        }
        assert_eq!((script.headline(), script.outcome()), (Headline::Unknown, None), "{wait}");
        assert_eq!(script.count("turn.completed"), 1);
    }
}

#[test]
fn the_log_tells_how_it_has_ended_in_time_and_late() {
    let stopped = Fact::TurnInterrupted { turn_ref: None };
    for (said, kind, headline) in [
        (fails(), OutcomeKind::Failed, Headline::Failed),
        (stopped, OutcomeKind::Interrupted, Headline::Idle),
    ] {
        let mut before = Script::working();
        before.log(said.clone());
        before.hook(Fact::TurnUnanswered);
        let mut in_time = Script::working();
        in_time.hook(Fact::TurnUnanswered);
        in_time.log(said.clone());
        let mut late = untold();
        late.after(5_000).log(said);
        for mut script in [before, in_time, late] {
            script.tick(300);
            assert_eq!((script.headline(), script.outcome()), (headline, Some(kind.word())));
            assert_eq!(script.seat.turn.seq, 1, "no turn of its own");
            title(&mut script, at_rest());
            script.tick(300);
            assert_eq!(script.headline(), headline);
        }
    }
}

/// The title was drawn first, and the log was read late: it tells the same, and of it all is known.
#[test]
fn what_the_log_tells_of_an_end_that_was_drawn_before_counts() {
    let stopped = || Fact::TurnInterrupted { turn_ref: None };
    for is_before in [true, false] {
        let mut script = Script::working();
        title(&mut script, busy());
        title(&mut script, at_rest());
        script.tick(300);
        assert_eq!(script.outcome(), Some("interrupted"));
        if is_before {
            script.log(stopped());
        }
        script.hook(Fact::TurnUnanswered);
        if !is_before {
            script.log(stopped());
        }
        for _ in 0..3 {
            script.tick(300);
        }
        let told = (script.headline(), script.outcome(), script.count("turn.completed"));
        assert_eq!(told, (Headline::Idle, Some("interrupted"), 1), "{is_before}");
    }
    // However long it waited: that it rests is not how it came to it.
    let mut script = Script::working();
    title(&mut script, busy());
    title(&mut script, at_rest());
    script.tick(300);
    script.after(1_000).hook(Fact::TurnUnanswered);
    script.tick(600);
    assert_eq!((script.headline(), script.outcome()), (Headline::Unknown, None));
}

#[test]
fn a_run_whose_code_is_told_behind_its_goodbye_has_failed_and_does_nothing_more() {
    let mut script = Script::new();
    script.process = Some(ProcessId::new(5, 50));
    script.seat.returns = Returns::OneIfKilled;
    let (how, attach) = (SessionStart::Startup, Some(Attach::Headless));
    script.hook(Fact::SessionStarted { how, attach });
    script.hook(prompt("t1"));
    script.hook(Fact::TurnUnanswered);
    script.tick(300);
    assert_eq!(script.headline(), Headline::Unknown);
    script.hook(exit());
    let gone = Exit::from_wait(Some(41), None, false);
    script.said(Source::Process, Fact::Process(ProcessFact::Exited(gone)));
    assert_eq!((script.headline(), script.outcome()), (Headline::Ended, Some("failed")));
    assert_eq!(script.seat.turn.base, Turn::None);
}

#[test]
fn what_comes_meanwhile_is_told() {
    let mut script = Script::working();
    script.hook(Fact::TurnUnanswered);
    script.hook(prompt("t2"));
    script.tick(300);
    assert_eq!(script.headline(), Headline::Working);
    // At rest it is no end of anything.
    let mut script = Script::idle();
    script.hook(Fact::TurnUnanswered);
    script.tick(300);
    assert_eq!(script.headline(), Headline::Idle);
    assert!(script.published.is_empty(), "{:?}", script.published);
    // Helpers go on behind it.
    let mut script = Script::working();
    script.hook(Fact::SubagentStarted { id: "h".into() });
    script.hook(Fact::TurnUnanswered);
    script.tick(300);
    assert_eq!(script.phrase(), "working(background)");
}

/// A seat is loaded from the store as it was written.
#[test]
fn it_survives_a_restart() {
    let mut script = untold();
    let stored = serde_json::to_string(&script.seat).unwrap();
    script.seat = serde_json::from_str(&stored).unwrap();
    script.log(fails());
    assert_eq!(script.headline(), Headline::Failed);
}

fn on_screen() -> Fact {
    let (reason, detail) = (BlockedReason::Question, Some("Go on?".to_owned()));
    Fact::ScreenDialog { reason, detail, first: false, opening: false }
}

/// Gemini CLI 0.61.0 stops at a loop that it finds, and asks what to do about it: its log alone tells the answer.
#[test]
fn what_the_screen_shows_is_asked_behind_an_end_without_an_answer() {
    for (before, wait) in [(true, 300), (false, 0)] {
        let mut script = Script::working();
        script.hook(Fact::TurnUnanswered);
        script.tick(if before { 0 } else { 300 });
        script.said(Source::Screen, on_screen());
        script.tick(wait);
        let told = (script.headline(), script.seat.turn.open, script.seat.turn.seq);
        assert_eq!(told, (Headline::Blocked, false, 1), "{before}");
        script.said(Source::Screen, Fact::ScreenCleared);
        assert_eq!(script.headline(), Headline::Unknown, "{before}");
        script.log(Fact::TurnInterrupted { turn_ref: None });
        assert_eq!(script.headline(), Headline::Idle, "{before}");
    }
}

/// Qwen Code 0.24.4 tells by its hook that such a turn has failed. A person may also open something at rest.
#[test]
fn what_the_screen_shows_at_rest_begins_no_turn() {
    for (end, headline) in
        [(fail("t1", "loop_detected"), Headline::Failed), (stop("t1"), Headline::Done)]
    {
        let mut script = Script::working();
        script.hook(end);
        script.said(Source::Screen, on_screen());
        assert_eq!((script.headline(), script.seat.turn.seq), (Headline::Blocked, 1));
        script.said(Source::Screen, Fact::ScreenCleared);
        assert_eq!((script.headline(), script.count("turn.completed")), (headline, 1));
    }
}
