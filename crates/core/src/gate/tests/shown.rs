//! Dialogs and work that are none of the agent's: once they are over, all is as it was.

use super::script::{
    Script, at_rest, busy, fail, permission, prompt, start, stop, tool, tool_end, waiting,
};
use crate::gate;
use crate::observation::{Fact, Level, SessionEnd, SessionStart, Submitter};
use crate::prompt::Actor;
use crate::source::Source;
use crate::status::{BlockedReason, Headline};

/// As the status file of Claude Code shows what `/model` opens.
fn dialog() -> Level {
    Level::Blocked { reason: BlockedReason::Other, detail: Some("dialog open".to_owned()) }
}

fn title(script: &mut Script, level: Level) {
    script.said(Source::Title, Fact::Level(level));
}

/// Its title has shown the first turn, which is done.
fn done() -> Script {
    let mut script = Script::working();
    title(&mut script, busy());
    script.hook(stop("t1"));
    title(&mut script, at_rest());
    assert_eq!(script.headline(), Headline::Done);
    script.after(60_000);
    script.published.clear();
    script
}

#[test]
fn a_dialog_that_a_person_opens_at_rest_leaves_the_outcome_as_it_was() {
    let ends = [
        (stop("t1"), Headline::Done, "completed"),
        (fail("t1", "overloaded"), Headline::Failed, "failed"),
        (Fact::TurnInterrupted { turn_ref: None }, Headline::Idle, "interrupted"),
    ];
    for (end, headline, outcome) in ends {
        let mut script = Script::working();
        script.registry(busy());
        script.hook(end);
        script.registry(at_rest());
        script.after(5_000);
        script.published.clear();
        script.registry(dialog());
        script.tick(300);
        assert_eq!(script.headline(), Headline::Blocked);
        script.registry(at_rest());
        script.tick(300);
        assert_eq!((script.headline(), script.outcome()), (headline, Some(outcome)));
        assert!(!script.seat.seen());
        let opened = ["prompt.opened", "agent.status_changed"];
        let left = ["prompt.resolved", "agent.status_changed"];
        assert_eq!(script.published, [opened, left].concat());
    }
}

/// Claude Code 2.1.330: `/context`, where that takes long. Of a turn its hooks would have told.
#[test]
fn a_command_of_which_the_log_tells_leaves_all_as_it_was_whatever_the_status_file_has_shown() {
    for (seen, log_first) in [(false, false), (false, true), (true, false), (true, true)] {
        let mut script = Script::working();
        script.registry(busy());
        script.hook(stop("t1"));
        script.registry(at_rest());
        if seen {
            gate::mark_seen(&mut script.seat, script.now);
        }
        let before = script.headline();
        script.after(60_000).registry(busy());
        script.tick(gate::SETTLE_MS);
        assert_eq!(script.phrase(), "working(model)");
        if log_first {
            script.log(Fact::CommandRan);
        }
        script.registry(at_rest());
        if !log_first {
            script.log(Fact::CommandRan);
        }
        script.tick(gate::SETTLE_MS);
        assert_eq!((script.headline(), script.outcome()), (before, Some("completed")), "{seen}");
        assert_eq!(script.seat.seen(), seen);
        assert_eq!((script.count("turn.started"), script.count("turn.completed")), (1, 2));
    }
    // In mid-turn it says nothing of that.
    let mut script = Script::working();
    script.registry(busy());
    script.log(Fact::CommandRan);
    script.silent();
    assert_eq!(script.headline(), Headline::Working);
}

/// Claude Code 2.1.330 on a busy machine: its status file shows work while `/exit` or `/clear` runs, and no hook tells of
/// the command.
#[test]
fn a_command_that_ends_the_conversation_leaves_the_outcome_as_it_was() {
    let shows_work = |end: Fact| {
        let mut script = Script::working();
        script.registry(busy());
        script.hook(end);
        script.registry(at_rest());
        script.after(60_000).registry(busy());
        script.tick(gate::SETTLE_MS);
        assert_eq!(script.phrase(), "working(model)");
        script
    };
    for how in [SessionEnd::Exit, SessionEnd::Clear] {
        for (end, outcome) in [(stop("t1"), "completed"), (fail("t1", "overloaded"), "failed")] {
            let mut script = shows_work(end);
            script.after(2_000).hook(Fact::SessionEnded { how });
            assert_eq!(script.outcome(), Some(outcome), "{how:?}");
            assert_eq!((script.count("turn.started"), script.count("turn.completed")), (1, 2));
        }
    }
    // What has gone on for long may be a turn whose hook was lost, and one that a hook has told of is one.
    let mut script = shows_work(stop("t1"));
    script.after(60_000).hook(Fact::SessionEnded { how: SessionEnd::Exit });
    assert_eq!(script.outcome(), Some("aborted"));
    let mut script = shows_work(stop("t1"));
    script.hook(prompt("t2"));
    script.hook(Fact::SessionEnded { how: SessionEnd::Exit });
    assert_eq!(script.outcome(), Some("aborted"));
    // Nobody can have typed a command there.
    let mut script = shows_work(stop("t1"));
    script.seat.process.headless = true;
    script.hook(Fact::SessionEnded { how: SessionEnd::Exit });
    assert_eq!(script.outcome(), Some("aborted"));
}

/// Claude Code 2.1.330, `claude "do it"`: its status file, and what it tells its terminal, show rest until the prompt is
/// told.
#[test]
fn whoever_was_started_with_a_prompt_does_not_rest_before_it_unless_it_does_not_come() {
    for source in [Source::Registry, Source::ProgramStatus] {
        let started = || {
            let mut script = Script::new();
            script.hook(start(SessionStart::Asked));
            script.after(1_000).said(source, Fact::Level(at_rest()));
            script.tick(2_000);
            assert_eq!(script.headline(), Headline::Unknown, "{source:?}");
            script
        };
        let mut script = started();
        script.hook(prompt("t1"));
        assert_eq!(script.headline(), Headline::Working);
        // It is stopped at once, of which no hook tells.
        script.said(source, Fact::Level(busy()));
        script.said(source, Fact::Level(at_rest()));
        script.tick(gate::SETTLE_MS);
        assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
        let mut script = started();
        script.tick(5_000);
        assert_eq!((script.headline(), script.outcome()), (Headline::Idle, None), "{source:?}");
    }
    // Where nothing but hooks tells, nobody knows.
    let mut script = Script::new();
    script.hook(start(SessionStart::Asked));
    script.tick(60_000);
    assert_eq!(script.headline(), Headline::Unknown);
    script.hook(prompt("t1"));
    script.hook(stop("t1"));
    assert_eq!(script.headline(), Headline::Done);
}

#[test]
fn a_dialog_before_the_first_turn_is_no_turn() {
    let mut script = Script::idle();
    script.registry(at_rest());
    script.registry(dialog());
    script.tick(300);
    assert_eq!(script.headline(), Headline::Blocked);
    script.registry(at_rest());
    script.tick(300);
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, None));
    assert_eq!(script.count("turn.started"), 0);
}

#[test]
fn work_behind_a_dialog_that_was_opened_at_rest_is_a_turn_if_it_stands() {
    let mut script = Script::idle();
    script.registry(at_rest());
    script.registry(dialog());
    script.tick(300);
    // It is drawn anew as it is left.
    script.registry(busy());
    script.silent();
    script.registry(at_rest());
    script.tick(300);
    assert_eq!((script.headline(), script.count("turn.started")), (Headline::Idle, 0));
    script.registry(dialog());
    script.tick(300);
    script.registry(busy());
    script.tick(300);
    assert_eq!((script.headline(), script.count("turn.started")), (Headline::Working, 1));
}

#[test]
fn a_dialog_within_a_turn_is_the_turns_and_work_goes_on_behind_it_at_once() {
    let mut script = Script::working();
    script.registry(busy());
    script.registry(dialog());
    script.tick(300);
    assert_eq!(script.headline(), Headline::Blocked);
    script.registry(busy());
    assert_eq!(script.headline(), Headline::Working);
    script.hook(stop("t1"));
    assert_eq!(script.headline(), Headline::Done);
}

/// Gemini CLI and Qwen Code, `!sleep 4`: no hook tells of it but, with Qwen Code, that the program rests again.
#[test]
fn a_persons_command_that_a_title_alone_shows_leaves_the_outcome_as_it_was() {
    for with_notice in [false, true] {
        let mut script = done();
        title(&mut script, busy());
        script.tick(300);
        assert_eq!((script.headline(), script.outcome()), (Headline::Working, None));
        script.after(4_000);
        title(&mut script, at_rest());
        if with_notice {
            script.hook(Fact::TurnOver);
        }
        script.tick(300);
        assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
        let began = ["turn.started", "agent.status_changed"];
        let ended = ["turn.completed", "agent.status_changed"];
        assert_eq!(script.published, [began, ended].concat());
    }
}

#[test]
fn what_a_person_has_seen_before_a_command_of_their_own_is_not_new_after_it() {
    let mut script = done();
    gate::mark_seen(&mut script.seat, script.now);
    title(&mut script, busy());
    script.tick(300);
    script.after(4_000);
    title(&mut script, at_rest());
    script.tick(300);
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("completed")));
    assert!(script.seat.seen());
}

#[test]
fn a_turn_of_a_prompt_that_ends_in_silence_was_interrupted_whoever_showed_it_first() {
    for title_first in [false, true] {
        let mut script = done();
        if title_first {
            title(&mut script, busy());
            script.tick(300);
        }
        script.hook(Fact::PromptSubmitted { by: Submitter::Person, turn_ref: None });
        title(&mut script, busy());
        script.after(1_000);
        title(&mut script, at_rest());
        script.tick(300);
        assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
    }
    let mut script = done();
    script.hook(prompt("t2"));
    title(&mut script, busy());
    title(&mut script, at_rest());
    script.tick(300);
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
}

/// As the title of Gemini CLI shows it, at a dialog and after 30 s without output.
fn hand() -> Level {
    Level::Blocked { reason: BlockedReason::Other, detail: None }
}

/// A long call, of which hooks have told.
fn at_a_call() -> Script {
    let mut script = Script::working();
    script.seat.silent_title_ms = Some(25_000);
    title(&mut script, busy());
    script.hook(tool(&Actor::Main, "c1", 7));
    assert_eq!(script.headline(), Headline::Working);
    script.published.clear();
    script
}

#[test]
fn a_title_that_asks_because_nothing_is_written_is_work_where_hooks_tell_what_is_asked() {
    let mut script = at_a_call();
    script.after(30_000);
    for _ in 0..3 {
        title(&mut script, hand());
        script.silent();
        script.tick(300);
        script.silent();
        assert_eq!(script.headline(), Headline::Working);
        script.after(15_000);
    }
    assert!(gate::is_silent(&script.seat));
    title(&mut script, busy());
    script.tick(300);
    assert!(!gate::is_silent(&script.seat));
    script.hook(tool_end(&Actor::Main, "c1", 7));
    script.hook(stop("t1"));
    assert_eq!((script.headline(), script.count("prompt.opened")), (Headline::Done, 0));
}

#[test]
fn what_hooks_tell_after_a_long_silence_is_asked_and_its_title_tells_the_answer() {
    // The hook comes first, but for one that had to wait.
    for is_late in [false, true] {
        let mut script = at_a_call();
        script.after(30_000);
        let asked = permission(&Actor::Main, 7);
        let is_asked = |script: &Script| script.headline() == Headline::Blocked;
        if is_late {
            title(&mut script, hand());
            assert!(!is_asked(&script));
            script.hook(asked);
        } else {
            script.hook(asked);
            title(&mut script, hand());
        }
        script.tick(300);
        assert!(is_asked(&script), "{is_late}");
        script.after(5_000);
        title(&mut script, busy());
        script.tick(300);
        assert_eq!(script.headline(), Headline::Working, "{is_late}");
        let told = ["prompt.opened", "prompt.resolved"].map(|event| script.count(event));
        assert_eq!(told, [1, 1], "{is_late}");
    }
}

/// A notice of another type than known may be the one of a dialog.
#[test]
fn a_title_that_asks_behind_a_hook_that_nobody_can_read_is_no_silence() {
    let unread = || Fact::NotUnderstood { why: "unknown type".into() };
    let is_asked = |script: &mut Script, case: &str| {
        title(script, hand());
        script.tick(300);
        assert_eq!(script.headline(), Headline::Blocked, "{case}");
        // Its title tells the answer.
        title(script, busy());
        script.tick(300);
        assert_eq!(script.headline(), Headline::Working, "{case}");
    };
    let at_the_next_call = || {
        let mut script = at_a_call();
        script.after(30_000).hook(tool_end(&Actor::Main, "c1", 7));
        script.hook(tool(&Actor::Main, "c2", 8));
        script
    };
    let mut script = at_the_next_call();
    script.hook(unread());
    script.refused(gate::Rule::G11);
    assert_eq!(script.headline(), Headline::Working);
    is_asked(&mut script, "at once");
    // Its title is read once more before it asks.
    let mut script = at_the_next_call();
    script.hook(unread());
    title(&mut script, busy());
    script.tick(300);
    assert_eq!(script.headline(), Headline::Working);
    is_asked(&mut script, "a moment later");
    // The title was read first.
    let mut script = at_the_next_call();
    title(&mut script, hand());
    script.silent();
    script.hook(unread());
    is_asked(&mut script, "before");
}

/// What nobody can read is no answer to what is asked, and no end of what has been silent for long.
#[test]
fn a_hook_that_nobody_can_read_changes_nothing_by_itself() {
    let unread = || Fact::NotUnderstood { why: "unknown type".into() };
    let mut script = at_a_call();
    script.hook(permission(&Actor::Main, 7));
    script.hook(unread());
    title(&mut script, busy());
    script.tick(300);
    assert_eq!(script.headline(), Headline::Blocked);
    let mut script = at_a_call();
    script.after(30_000);
    title(&mut script, hand());
    script.after(15_000).hook(unread());
    title(&mut script, hand());
    script.tick(300);
    assert_eq!(script.headline(), Headline::Working);
    assert!(gate::is_silent(&script.seat));
}

/// A newer version has another name for the end of a turn, or says something else in its midst.
#[test]
fn a_title_that_rests_behind_a_hook_that_nobody_can_read_tells_the_end() {
    let mut script = at_a_call();
    script.hook(tool_end(&Actor::Main, "c1", 7));
    script.hook(Fact::NotUnderstood { why: "unknown event".into() });
    assert_eq!(script.headline(), Headline::Working);
    script.after(1_000);
    title(&mut script, at_rest());
    script.tick(300);
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
}

#[test]
fn a_title_that_asks_is_believed_where_it_cannot_be_silence_alone_or_no_hooks_tell() {
    let is_asked = |mut script: Script, after: i64, case: &str| {
        script.after(after);
        title(&mut script, hand());
        script.tick(300);
        assert_eq!(script.headline(), Headline::Blocked, "{case}");
        assert!(!gate::is_silent(&script.seat), "{case}");
    };
    is_asked(at_a_call(), 20_000, "too soon");
    let mut script = at_a_call();
    script.seat.silent_title_ms = None;
    is_asked(script, 30_000, "its title shows dialogs alone");
    // A dialog of a person's own, and a command of theirs.
    let at_rest = || {
        let mut script = done();
        script.seat.silent_title_ms = Some(25_000);
        script
    };
    is_asked(at_rest(), 30_000, "at rest");
    let mut script = at_rest();
    title(&mut script, busy());
    script.tick(300);
    assert_eq!(script.headline(), Headline::Working);
    is_asked(script, 30_000, "a person's command");
    let mut script = Script::new();
    script.session = None;
    script.seat.silent_title_ms = Some(25_000);
    title(&mut script, busy());
    script.tick(300);
    assert_eq!(script.headline(), Headline::Working);
    is_asked(script, 30_000, "no hooks");
}

/// The hook of a prompt was lost, and others come that say nothing of the turn.
#[test]
fn a_hook_that_says_nothing_takes_no_news_from_a_title_that_waits() {
    for (shows, headline) in [(busy(), Headline::Working), (waiting(), Headline::Blocked)] {
        let mut script = Script::idle();
        title(&mut script, at_rest());
        script.after(2_000);
        title(&mut script, shows);
        script.hook(Fact::Nothing);
        script.hook(Fact::Nothing);
        assert_eq!(script.headline(), Headline::Idle);
        script.tick(300);
        assert_eq!(script.headline(), headline);
    }
}
