//! What a terminal shows.

use super::script::{Script, at_rest, busy, prompt, start, stop, waiting};
use crate::gate::{Rule, may_ask_unheard};
use crate::id::ProcessId;
use crate::observation::{Fact, Level, ProcessFact, SessionEnd, SessionStart};
use crate::source::{Confidence, Source};
use crate::status::{Attach, BlockedReason, Exit, Headline, StartPhase, Turn};

fn trust(first: bool) -> Fact {
    let (reason, detail) = (BlockedReason::Trust, Some("Trust?".to_owned()));
    Fact::ScreenDialog { reason, detail, first, opening: true }
}

/// A launched agent that has said nothing yet.
fn starting() -> Script {
    let mut script = Script::new();
    script.session = None;
    script.process = Some(ProcessId::new(5, 50));
    script.said(Source::Report, Fact::Process(ProcessFact::Starting(StartPhase::Booting)));
    assert_eq!(script.headline(), Headline::Starting);
    script.published.clear();
    script
}

#[test]
fn a_dialog_before_the_first_event_blocks_and_its_end_goes_on_starting() {
    let mut script = starting();
    script.said(Source::Screen, trust(true));
    assert_eq!(script.headline(), Headline::Blocked);
    assert_eq!(script.seat.turn.evidence.confidence, Confidence::Weak);
    assert_eq!(script.seat.turn.evidence.source, Source::Screen);
    script.said(Source::Screen, Fact::ScreenCleared);
    assert_eq!(script.headline(), Headline::Starting);
    let told = ["prompt.opened", "agent.status_changed", "prompt.resolved", "agent.status_changed"];
    assert_eq!(script.published, told);
    script.said(Source::Screen, Fact::ScreenCleared);
    script.silent();
}

#[test]
fn the_first_event_ends_a_dialog_that_came_before_it() {
    let mut script = starting();
    script.said(Source::Screen, trust(true));
    script.session = Some("s1".into());
    script.hook(start(SessionStart::Startup));
    assert_eq!((script.headline(), script.count("prompt.resolved")), (Headline::Idle, 1));
    // What was seen before it and is told after it is late.
    script.said(Source::Screen, trust(true));
    script.refused(Rule::Rank);
    script.said(Source::Screen, Fact::ScreenCleared);
    assert_eq!(script.headline(), Headline::Idle);
    assert_eq!(script.count("turn.started"), 0);
}

#[test]
fn a_dialog_that_follows_another_is_another_prompt() {
    let mut script = starting();
    script.said(Source::Screen, trust(true));
    script.published.clear();
    let (reason, detail) = (BlockedReason::Auth, Some("Key?".to_owned()));
    let key = Fact::ScreenDialog { reason, detail, first: true, opening: true };
    script.said(Source::Screen, key);
    let told = ["prompt.resolved", "prompt.opened", "agent.status_changed"];
    assert_eq!((script.headline(), &script.published[..]), (Headline::Blocked, &told[..]));
    let open: Vec<&str> = script.seat.prompts.iter().map(|open| &open.ask.title[..]).collect();
    assert_eq!(open, ["Key?"]);
}

#[test]
fn a_dialog_that_the_program_takes_back_may_be_followed_by_another() {
    let asks = |reason, detail: &str| {
        Fact::Level(Level::Blocked { reason, detail: Some(detail.to_owned()) })
    };
    let key = || {
        let (reason, detail) = (BlockedReason::Auth, Some("Key?".to_owned()));
        Fact::ScreenDialog { reason, detail, first: true, opening: true }
    };
    let mut script = starting();
    script.said(Source::ProgramStatus, asks(BlockedReason::Trust, "trust this folder"));
    script.tick(1_000);
    script.said(Source::Screen, key());
    assert_eq!(script.seat.turn(), Turn::Blocked(BlockedReason::Trust), "its own word is better");
    script.said(Source::ProgramStatus, Fact::Withdrawn);
    assert_eq!(script.seat.turn(), Turn::Blocked(BlockedReason::Trust), "it may be about to leave");
    script.said(Source::Screen, key());
    assert_eq!(script.seat.turn(), Turn::Blocked(BlockedReason::Auth));
    assert_eq!((script.count("prompt.opened"), script.count("prompt.resolved")), (2, 1));
    script.said(Source::Screen, Fact::ScreenCleared);
    assert_eq!(script.headline(), Headline::Starting);
    // Whoever says no takes it back, too, and leaves.
    let mut script = starting();
    script.said(Source::ProgramStatus, asks(BlockedReason::Trust, "trust this folder"));
    script.tick(1_000);
    script.said(Source::ProgramStatus, Fact::Withdrawn);
    let left = ProcessFact::Exited(Exit::from_wait(Some(1), None, false));
    script.said(Source::Report, Fact::Process(left));
    assert_eq!(script.headline(), Headline::Ended);
    // What was taken back before it was believed is not believed.
    let mut script = starting();
    script.said(Source::ProgramStatus, asks(BlockedReason::Trust, "trust this folder"));
    script.said(Source::ProgramStatus, Fact::Withdrawn);
    script.tick(1_000);
    assert_eq!(script.headline(), Headline::Starting);
    // In a session its hooks tell what is over.
    let mut script = Script::blocked();
    script.said(Source::ProgramStatus, Fact::Withdrawn);
    assert_eq!(script.headline(), Headline::Blocked);
}

#[test]
fn a_dialog_of_a_program_found_running_begins_no_turn() {
    let mut script = Script::new();
    script.session = None;
    script.said(Source::Screen, trust(true));
    assert_eq!((script.headline(), script.count("turn.started")), (Headline::Blocked, 0));
    script.said(Source::Screen, Fact::ScreenCleared);
    assert_eq!((script.headline(), script.seat.turn()), (Headline::Unknown, Turn::Unknown));
}

#[test]
fn a_cleared_screen_ends_no_prompt_that_somebody_else_told_of() {
    let mut script = Script::blocked();
    script.said(Source::Screen, Fact::ScreenCleared);
    assert_eq!(script.headline(), Headline::Blocked);
}

/// A program may ask something of which it draws nothing in its title.
#[test]
fn a_title_that_goes_on_showing_work_answers_no_dialog_that_the_screen_shows() {
    let (reason, detail) = (BlockedReason::RateLimit, Some("Go on?".to_owned()));
    let asks = Fact::ScreenDialog { reason, detail, first: false, opening: false };
    let mut script = Script::working();
    script.said(Source::Title, Fact::Level(busy()));
    script.tick(1_000);
    script.said(Source::Screen, asks);
    for _ in 0..3 {
        assert_eq!(script.seat.turn(), Turn::Blocked(BlockedReason::RateLimit));
        script.after(10_000).said(Source::Title, Fact::Level(busy()));
        script.tick(1_000);
    }
    assert_eq!((script.headline(), script.count("prompt.resolved")), (Headline::Blocked, 0));
    script.said(Source::Screen, Fact::ScreenCleared);
    assert_eq!(script.headline(), Headline::Working);
}

#[test]
fn whoever_refuses_at_the_first_dialog_crashes_nothing() {
    let left =
        |code, signal| Fact::Process(ProcessFact::Exited(Exit::from_wait(code, signal, false)));
    let mut script = starting();
    script.said(Source::Screen, trust(true));
    script.said(Source::Report, left(Some(1), None));
    assert_eq!(script.headline(), Headline::Ended);
    // The program itself said that it waits.
    let mut script = starting();
    let waits = Level::Blocked { reason: BlockedReason::Trust, detail: None };
    script.said(Source::ProgramStatus, Fact::Level(waits));
    script.tick(1_000);
    assert_eq!(script.headline(), Headline::Blocked);
    script.said(Source::Report, left(Some(1), None));
    assert_eq!(script.headline(), Headline::Ended);
    let mut script = starting();
    script.said(Source::Screen, trust(true));
    script.said(Source::Report, left(None, Some(9)));
    assert_eq!(script.headline(), Headline::Crashed);
    let mut script = starting();
    script.said(Source::Report, left(Some(1), None));
    assert_eq!(script.headline(), Headline::Crashed);
    let mut script = Script::idle();
    script.hook(prompt("t1"));
    script.said(Source::Screen, trust(false));
    script.said(Source::Report, left(Some(1), None));
    assert_eq!(script.headline(), Headline::Crashed);
}

/// An agent of which its launcher knows no more than that it runs: its own status tells the rest.
fn running() -> Script {
    let mut script = Script::new();
    script.session = None;
    script.process = Some(ProcessId::new(5, 50));
    let running = ProcessFact::Running { attach: Attach::Interactive, restored: false };
    script.said(Source::Process, Fact::Process(running));
    assert_eq!(script.headline(), Headline::Unknown);
    script.published.clear();
    script
}

fn own(script: &mut Script, level: Level) {
    script.said(Source::ProgramStatus, Fact::Level(level));
}

fn leaves(script: &mut Script, code: i32) {
    let exit = Exit::from_wait(Some(code), None, false);
    script.said(Source::Process, Fact::Process(ProcessFact::Exited(exit)));
}

#[test]
fn whoever_dies_at_a_dialog_behind_its_first_turns_beginning_has_crashed() {
    for turns in [0_u64, 3] {
        let mut script = running();
        own(&mut script, at_rest());
        script.after(1_000);
        for _ in 0..turns {
            own(&mut script, busy());
            own(&mut script, Level::Done);
        }
        own(&mut script, busy());
        own(&mut script, waiting());
        assert_eq!((script.headline(), script.seat.turn.seq), (Headline::Blocked, turns + 1));
        leaves(&mut script, 6);
        assert_eq!((script.headline(), script.outcome()), (Headline::Crashed, Some("aborted")));
        assert!(script.seat.is_in_inbox());
    }
    // A part of it asks behind a turn.
    let mut script = running();
    own(&mut script, at_rest());
    own(&mut script, Level::Done);
    let level = Some(waiting());
    script.said(Source::ProgramStatus, Fact::PartStatus { id: "one".into(), level });
    assert_eq!(script.headline(), Headline::Blocked);
    leaves(&mut script, 6);
    assert_eq!((script.headline(), script.outcome()), (Headline::Crashed, Some("completed")));
    // It has rested, and what it asks is of no turn.
    let mut script = running();
    own(&mut script, at_rest());
    own(&mut script, Level::Blocked { reason: BlockedReason::Other, detail: None });
    script.tick(1_000);
    assert_eq!((script.headline(), script.seat.turn.seq), (Headline::Blocked, 0));
    leaves(&mut script, 3);
    assert_eq!(script.headline(), Headline::Crashed);
}

#[test]
fn what_a_program_asks_before_all_else_belongs_to_no_turn() {
    let asking = || {
        let mut script = running();
        own(&mut script, waiting());
        assert_eq!((script.headline(), script.count("turn.started")), (Headline::Blocked, 0));
        script
    };
    let mut script = asking();
    own(&mut script, at_rest());
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, None));
    let mut script = asking();
    own(&mut script, busy());
    assert_eq!((script.headline(), script.count("turn.started")), (Headline::Working, 1));
    // A person has refused.
    let mut script = asking();
    leaves(&mut script, 1);
    assert_eq!(script.headline(), Headline::Ended);
}

#[test]
fn work_that_is_taken_back_before_it_is_believed_is_none() {
    let mut script = running();
    own(&mut script, at_rest());
    own(&mut script, busy());
    script.silent();
    script.said(Source::ProgramStatus, Fact::Withdrawn);
    script.tick(300);
    assert_eq!((script.headline(), script.count("turn.started")), (Headline::Idle, 0));
}

fn ready() -> Fact {
    Fact::Level(Level::Idle { shells: 0 })
}

/// Some programs call themselves ready in their title while they ask whether to trust the folder.
#[test]
fn a_title_that_calls_it_ready_waits_for_the_dialog_before_its_first_event() {
    let mut script = Script::new();
    script.session = None;
    script.process =
        Some(ProcessId { pid: 5, start_ticks: 50, pid_namespace: None, host_pid: None });
    script.said(Source::Process, Fact::Process(ProcessFact::Starting(StartPhase::Booting)));
    script.said(Source::Title, ready());
    script.silent();
    script.said(Source::Screen, trust(true));
    assert_eq!(script.headline(), Headline::Blocked);
    script.tick(3_000);
    assert_eq!(script.headline(), Headline::Blocked);
    script.said(Source::Title, ready());
    script.refused(Rule::Rank);
    script.said(Source::Screen, Fact::ScreenCleared);
    script.said(Source::Title, ready());
    script.tick(3_000);
    assert_eq!(script.headline(), Headline::Idle);
    // Its title is no event of its own: the next dialog is seen as well.
    script.said(Source::Screen, trust(true));
    assert_eq!(script.headline(), Headline::Blocked);
    script.session = Some("s1".into());
    script.hook(start(SessionStart::Startup));
    assert_eq!(script.headline(), Headline::Idle);
}

/// One whose title says no more than that its prompt box is open.
fn titled() -> Script {
    let mut script = Script::new();
    script.session = None;
    script.process = Some(ProcessId::new(5, 50));
    script.seat.titles_its_start = true;
    script.said(Source::Process, Fact::Process(ProcessFact::Starting(StartPhase::Booting)));
    script.said(Source::Title, ready());
    script
}

#[test]
fn a_title_of_the_start_alone_says_nothing_once_anything_else_is_told() {
    let mut script = titled();
    script.tick(3_000);
    assert_eq!(script.headline(), Headline::Idle);
    script.session = Some("s1".into());
    script.hook(prompt("t1"));
    // As it is shown again behind a new conversation.
    for _ in 0..3 {
        script.said(Source::Title, ready());
        script.refused(Rule::Rank);
        script.tick(3_000);
        assert_eq!(script.headline(), Headline::Working);
    }
    // It is started with its prompt, and that is told before the title is believed.
    let mut script = titled();
    script.session = Some("s1".into());
    script.hook(start(SessionStart::Startup));
    script.hook(prompt("t1"));
    script.tick(3_000);
    assert_eq!(script.headline(), Headline::Working);
}

#[test]
fn a_title_of_the_start_alone_waits_for_the_dialogs_before_it_and_stands_behind_them() {
    let mut script = titled();
    script.said(Source::Screen, trust(true));
    script.tick(3_000);
    assert_eq!(script.headline(), Headline::Blocked);
    script.said(Source::Screen, Fact::ScreenCleared);
    assert_eq!(script.headline(), Headline::Starting);
    script.tick(3_000);
    assert_eq!(script.headline(), Headline::Idle);
}

/// Whoever has looked at how it was started says so with the title.
#[test]
fn a_title_of_the_start_alone_is_not_believed_of_one_that_may_be_unready() {
    let doubted = || Fact::Level(Level::MayBeUnready { why: "its servers are still out".into() });
    let mut script = Script::new();
    script.session = None;
    script.seat.titles_its_start = true;
    script.said(Source::Process, Fact::Process(ProcessFact::Starting(StartPhase::Booting)));
    script.said(Source::Title, doubted());
    script.refused(Rule::Rank);
    script.tick(10_000);
    assert_eq!(script.headline(), Headline::Starting);
    let explained = script.explained();
    let why: Vec<_> = explained.rejected.iter().map(|rejected| &*rejected.why).collect();
    assert_eq!(why, ["its servers are still out"]);
    // Nothing stands in its way any more.
    script.said(Source::Title, ready());
    script.tick(3_000);
    assert_eq!(script.headline(), Headline::Idle);
    // Once anything else is told neither counts.
    script.session = Some("s1".into());
    script.hook(prompt("t1"));
    script.said(Source::Title, doubted());
    script.refused(Rule::Rank);
    assert_eq!(script.last.refused.as_ref().unwrap().why, "its title tells of its start alone");
    assert_eq!(script.headline(), Headline::Working);
}

/// Without hooks nobody tells what it does with its first prompt.
#[test]
fn a_title_of_the_start_alone_that_is_taken_back_leaves_nothing_known() {
    let mut script = titled();
    script.tick(3_000);
    script.said(Source::Title, Fact::Withdrawn);
    script.tick(1_000);
    assert_eq!(script.headline(), Headline::Unknown);
    // It was not believed yet.
    let mut script = titled();
    script.said(Source::Title, Fact::Withdrawn);
    script.tick(3_000);
    assert_eq!(script.headline(), Headline::Starting);
    // Hooks tell.
    let mut script = titled();
    script.tick(3_000);
    script.session = Some("s1".into());
    script.hook(prompt("t1"));
    let confirmed_at = script.seat.turn.evidence.confirmed_at;
    script.after(10_000).said(Source::Title, Fact::Withdrawn);
    script.refused(Rule::Rank);
    script.tick(1_000);
    assert_eq!(script.headline(), Headline::Working);
    // That it is shown still is no sign of work.
    assert_eq!(script.seat.turn.evidence.confirmed_at, confirmed_at);
}

/// A seat whose program has told its start while its screen asks something.
fn asking() -> Script {
    asking_at(SessionStart::Early)
}

fn asking_at(how: SessionStart) -> Script {
    let mut script = starting();
    script.said(Source::Screen, trust(true));
    script.session = Some("s1".into());
    script.hook(start(how));
    script
}

#[test]
fn an_early_start_answers_no_dialog() {
    for how in [SessionStart::Early, SessionStart::EarlyResume] {
        let mut script = asking_at(how);
        assert_eq!((script.headline(), script.count("prompt.resolved")), (Headline::Blocked, 0));
        assert!(may_ask_unheard(&script.seat, script.now.plus(60_000)), "until it is gone");
        script.said(Source::Screen, Fact::ScreenCleared);
        assert_eq!((script.headline(), script.count("turn.started")), (Headline::Idle, 0));
    }
    // Whoever is at work has been let.
    let mut script = asking();
    script.hook(prompt("t1"));
    assert_eq!((script.headline(), script.count("prompt.resolved")), (Headline::Working, 1));
}

#[test]
fn a_dialog_is_looked_for_a_while_behind_an_early_start() {
    // It is launched by hand, and takes a conversation up again.
    let mut script = Script::new();
    script.process = Some(ProcessId::new(5, 50));
    script.hook(start(SessionStart::EarlyResume));
    assert_eq!(script.headline(), Headline::Idle);
    assert!(may_ask_unheard(&script.seat, script.now.plus(1_000)));
    let mut script = starting();
    script.session = Some("s1".into());
    script.hook(start(SessionStart::Early));
    assert_eq!(script.headline(), Headline::Idle);
    assert!(may_ask_unheard(&script.seat, script.now.plus(1_000)));
    assert!(!may_ask_unheard(&script.seat, script.now.plus(10_000)));
    script.said(Source::Screen, trust(false));
    assert_eq!((script.headline(), script.count("turn.started")), (Headline::Blocked, 0));
    script.said(Source::Screen, Fact::ScreenCleared);
    assert_eq!(script.headline(), Headline::Idle);
    // It was seen before that start, and is told behind it.
    script.said(Source::Screen, trust(true));
    assert_eq!(script.headline(), Headline::Blocked);
    script.said(Source::Screen, Fact::ScreenCleared);
    script.hook(prompt("t1"));
    script.hook(stop("t1"));
    assert!(!may_ask_unheard(&script.seat, script.now));
    // Other programs tell their start behind what they ask.
    let mut script = starting();
    script.session = Some("s1".into());
    script.hook(start(SessionStart::Startup));
    assert!(!may_ask_unheard(&script.seat, script.now));
}

#[test]
fn what_opens_a_program_cannot_come_behind_its_first_prompt() {
    // Before that it may, also where the start was told.
    let mut script = Script::idle();
    script.said(Source::Screen, trust(false));
    assert_eq!(script.headline(), Headline::Blocked);
    let mut script = Script::working();
    script.said(Source::Screen, trust(false));
    script.refused(Rule::Rank);
    assert_eq!(script.headline(), Headline::Working);
    script.hook(stop("t1"));
    script.said(Source::Screen, trust(false));
    script.refused(Rule::Rank);
    assert_eq!(script.headline(), Headline::Done);
    // Whoever starts it anew may be asked anew.
    let left = ProcessFact::Exited(Exit::from_wait(Some(0), None, false));
    script.said(Source::Process, Fact::Process(left));
    script.session = None;
    script.said(Source::Process, Fact::Process(ProcessFact::Starting(StartPhase::Booting)));
    script.said(Source::Screen, trust(true));
    assert_eq!(script.headline(), Headline::Blocked);
}

#[test]
fn a_goodbye_at_a_dialog_waits_for_the_process() {
    let bye = || Fact::SessionEnded { how: SessionEnd::Either };
    let mut script = asking();
    script.hook(bye());
    script.said(Source::Screen, Fact::ScreenCleared);
    assert_eq!(script.headline(), Headline::Blocked);
    script.published.clear();
    script.session = None;
    let gone = ProcessFact::Exited(Exit::from_wait(Some(0), None, false));
    script.said(Source::Process, Fact::Process(gone));
    assert_eq!((script.headline(), script.count("agent.status_changed")), (Headline::Ended, 1));
    // Trusted, it begins anew.
    let mut script = asking();
    script.hook(bye());
    script.session = Some("s2".into());
    script.hook(start(SessionStart::Early));
    assert_eq!((script.headline(), script.count("prompt.resolved")), (Headline::Idle, 1));
}
