//! Processes that go on without their terminal.

use super::script::{Script, start, tool_of};
use crate::gate::{Description, describe};
use crate::id::ProcessId;
use crate::observation::{Fact, ProcessFact, SessionStart};
use crate::source::Source;
use crate::status::Headline;
use crate::words::location;

#[test]
fn an_orphan_is_what_it_was_and_nowhere_any_more() {
    let mut script = Script::working();
    script.process = Some(ProcessId::new(5, 50));
    script.hook(tool_of("t1", "c1"));
    let pane = |script: &mut Script| {
        let (tmux, tmux_server) = (Some("%7".to_owned()), Some("work".to_owned()));
        let about = Description { tmux, tmux_server, ..Description::default() };
        drop(describe(&mut script.seat, &about, script.now));
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
    let location = &script.seat.about.location;
    assert_eq!((&location.tmux, &location.tmux_server), (&None, &None));
    // Its hooks find the variable that it was started with.
    assert_eq!(pane(&mut script), None);
    script.process = Some(ProcessId::new(8, 80));
    script.hook(start(SessionStart::Resume));
    assert_eq!(notes(&script), "", "another process");
    assert_eq!(pane(&mut script).as_deref(), Some("%7"));
}

#[test]
fn a_pane_is_told_with_its_server_where_that_is_not_the_usual_one() {
    let mut script = Script::working();
    let place = |script: &mut Script, pane: &str, server: Option<&str>| {
        let (tmux, tmux_server) = (Some(pane.to_owned()), server.map(str::to_owned));
        let about = Description { tmux, tmux_server, ..Description::default() };
        let events = describe(&mut script.seat, &about, script.now).events.len();
        (events, location(&script.seat.doc(), None).into_owned())
    };
    for (pane, server, events, told) in [
        ("%7", Some("work"), 1, "tmux %7 on work"),
        ("%7", Some("work"), 0, "tmux %7 on work"),
        // Whoever knows the pane alone says nothing of its server.
        ("%7", None, 0, "tmux %7 on work"),
        ("%7", Some(""), 1, "tmux %7"),
        ("%7", Some("work"), 1, "tmux %7 on work"),
        ("%8", None, 1, "tmux %8"),
    ] {
        let (count, place) = place(&mut script, pane, server);
        assert_eq!((count, place.as_str()), (events, told), "{pane} {server:?}");
    }
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
