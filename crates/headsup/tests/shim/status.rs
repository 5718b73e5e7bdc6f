//! What the agent says to its terminal reaches the hub, and ours is told.

use crate::rig::{QUERY, Rig};
use headsup_testkit::hub::Hub;
use headsup_testkit::wait;

/// Says `state=` and each line that it is told.
const SPEAKER: &str = "stty -echo; echo READY; \
    while read line; do printf '\\033]7501;state=%s\\033\\\\' \"$line\"; done";

#[test]
fn what_a_program_says_of_itself_is_its_status() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let mut pty = rig.agent(SPEAKER);
    pty.shows("READY");
    for (said, headline) in [
        ("idle", "idle"),
        ("working:app=x", "working"),
        ("blocked:kind=permission:msg=cnVuIGl0Pw==", "blocked"),
        ("working", "working"),
        ("blocked:id=helper", "blocked"),
        ("working:id=helper", "working"),
        ("done", "done"),
        ("working", "working"),
        ("error", "failed"),
    ] {
        pty.type_in(format!("{said}\n").as_bytes()).unwrap();
        rig.comes_to(headline);
    }
    let explained = rig.home.run(["explain", "api", "--json"]).json();
    let winner = &explained["dimensions"]["turn"]["winner"];
    assert_eq!(winner["source"], "program_status", "{explained}");
    assert_eq!(winner["confidence"], "authoritative");
    pty.type_in(b"blocked:kind=permission:msg=cnVuIGl0Pw==\n").unwrap();
    rig.comes_to("blocked");
    let doc = rig.doc();
    assert_eq!(doc["turn"]["reason"], "permission");
    assert_eq!(doc["prompts"][0]["title"], "run it?", "{doc}");
    pty.type_in(b"\x04").unwrap();
    pty.ended();
    // Its reports went on to our terminal, and nothing was added.
    let said = String::from_utf8_lossy(&pty.said).into_owned();
    assert_eq!(said.matches("\x1b]7501;state=").count(), 10, "{said:?}");
    assert_eq!(rig.doc()["headline"], "ended");
}

#[test]
fn a_terminal_that_understands_is_told_the_headline() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let script = "stty -echo; echo READY; while read line; do \"$HEADSUP\" report $line; done";
    let mut pty = rig.agent(script);
    pty.shows("READY");
    assert!(pty.said.starts_with(QUERY.as_bytes()));
    pty.type_in(b"\x1b]7501;?:states=idle,working,done,blocked,error\x1b\\").unwrap();
    pty.type_in(b"working\n").unwrap();
    pty.shows("\x1b]7501;state=working:app=custom\x1b\\");
    pty.type_in(b"blocked --reason permission\n").unwrap();
    pty.shows("\x1b]7501;state=blocked:kind=permission:app=custom");
    pty.type_in(b"done\n").unwrap();
    pty.shows("\x1b]7501;state=done:app=custom\x1b\\");
    pty.type_in(b"\x04").unwrap();
    pty.ended();
    assert!(pty.said.ends_with(b"\x1b]7501;state=clear\x1b\\"), "{:?}", pty.said);
}

#[test]
fn a_terminal_that_says_nothing_is_told_nothing() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let script = "\"$HEADSUP\" report working; \"$HEADSUP\" report done; echo LAST";
    let mut pty = rig.agent(script);
    pty.ended();
    assert_eq!(String::from_utf8_lossy(&pty.said), format!("{QUERY}LAST\r\n"));
    wait::until("the end", || (rig.doc()["headline"] == "ended").then_some(()));
}
