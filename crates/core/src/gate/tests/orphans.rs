//! Processes that go on without their terminal.

use super::script::{Script, start, tool_of};
use crate::gate::{Description, describe};
use crate::id::ProcessId;
use crate::observation::{Fact, ProcessFact, SessionStart};
use crate::source::Source;
use crate::status::Headline;

#[test]
fn an_orphan_is_what_it_was_and_nowhere_any_more() {
    let mut script = Script::working();
    script.process = Some(ProcessId::new(5, 50));
    script.hook(tool_of("t1", "c1"));
    let pane = |script: &mut Script| {
        let tmux = Some("%7".to_owned());
        drop(describe(
            &mut script.seat,
            &Description { tmux, ..Description::default() },
            script.now,
        ));
        script.seat.about.location.tmux.clone()
    };
    assert_eq!(pane(&mut script).as_deref(), Some("%7"));
    script.published.clear();
    script.said(Source::Process, Fact::Process(ProcessFact::Orphaned));
    assert_eq!(
        (script.headline(), &*script.published),
        (Headline::Working, &["agent.updated"][..])
    );
    let notes = |script: &Script| {
        let explained = script.explained();
        explained.dimensions["process"].winner.as_ref().unwrap().notes.join("; ")
    };
    assert_eq!(notes(&script), "orphaned: its terminal is gone, and it goes on without one");
    assert_eq!(script.seat.about.location.tmux, None);
    // Its hooks find the variable that it was started with.
    assert_eq!(pane(&mut script), None);
    script.process = Some(ProcessId::new(8, 80));
    script.hook(start(SessionStart::Resume));
    assert_eq!(notes(&script), "", "another process");
    assert_eq!(pane(&mut script).as_deref(), Some("%7"));
}

/// Nobody has heard of what it does.
#[test]
fn that_its_terminal_is_gone_confirms_no_work() {
    let mut script = Script::working();
    script.process = Some(ProcessId::new(5, 50));
    script.hook(tool_of("t1", "c1"));
    script.tick(60_000);
    script.said(Source::Process, Fact::Process(ProcessFact::Orphaned));
    assert!(script.seat.stale);
    script.tick(60_000);
    assert_eq!(script.headline(), Headline::Unknown);
}
