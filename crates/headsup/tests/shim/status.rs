//! What the agent says to its terminal reaches the hub, and ours is told.

use crate::rig::{QUERY, Rig};
use headsup_testkit::hub::Hub;
use headsup_testkit::wait;
use rustix::process::Signal;
use serde_json::Value;

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

/// How many turns have been told to be complete, and how many of them out of the spool.
fn turns(rig: &Rig) -> (usize, usize) {
    let log = rig.home.run(["watch", "--since", "0", "--no-follow", "--json"]);
    let events = log.ok().stdout.lines().map(|line| serde_json::from_str(line).unwrap());
    let ended: Vec<Value> =
        events.filter(|event: &Value| event["type"] == "turn.completed").collect();
    (ended.len(), ended.iter().filter(|event| event["spooled"] == true).count())
}

#[test]
fn what_is_said_before_the_end_is_known_though_the_hub_was_away_or_hung() {
    for hangs in [false, true] {
        let rig = Rig::new();
        let hub = Hub::start(&rig.home);
        let mut pty = rig.agent(SPEAKER);
        pty.shows("READY");
        for said in ["idle", "working"] {
            pty.type_in(format!("{said}\n").as_bytes()).unwrap();
            rig.comes_to(said);
        }
        let hung = if hangs {
            hub.signal(Signal::STOP);
            Some(hub)
        } else {
            hub.kill();
            None
        };
        // Two turns come to their end meanwhile.
        for said in ["done", "working", "blocked", "working", "done:app=x"] {
            pty.type_in(format!("{said}\n").as_bytes()).unwrap();
        }
        pty.shows("state=done:app=x");
        pty.type_in(b"\x04").unwrap();
        assert!(pty.ended().success());
        let _hub = match hung {
            Some(hub) => {
                hub.signal(Signal::CONT);
                hub
            }
            None => Hub::start(&rig.home),
        };
        rig.comes_to("ended");
        let doc = rig.doc();
        assert_eq!(doc["outcome"]["kind"], "completed", "{doc}");
        let (all, spooled) = turns(&rig);
        assert_eq!(all, 2, "{hangs}");
        // What a hub that goes on has still found on its line it has heard live.
        assert!(spooled == 2 || hangs, "{spooled}");
    }
}

#[test]
fn what_is_said_in_the_last_moment_is_known() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let mut pty = rig.agent(
        "stty -echo; echo READY; read line; printf '\\033]7501;state=working\\007'; \
         read line; printf '\\033]7501;state=done\\007'; exit 0",
    );
    pty.shows("READY");
    pty.type_in(b"\n").unwrap();
    rig.comes_to("working");
    pty.type_in(b"\n").unwrap();
    assert!(pty.ended().success());
    rig.comes_to("ended");
    let doc = rig.doc();
    assert_eq!(doc["outcome"]["kind"], "completed", "{doc}");
}

#[test]
fn an_end_is_told_at_once_though_nobody_reads_what_was_said_before_it() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let script = "stty -echo; echo READY; read line; head -c 20000 /dev/zero | tr '\\0' x; exit 0";
    let mut pty = rig.agent(script);
    pty.shows("READY");
    pty.type_in(b"\n").unwrap();
    rig.comes_to("ended");
    let log = rig.home.run(["watch", "--since", "0", "--no-follow", "--json"]);
    assert!(!log.ok().stdout.contains("\"crashed\""), "{}", log.stdout);
    assert!(pty.ended().success());
    assert_eq!(pty.said.iter().map(|byte| usize::from(*byte == b'x')).sum::<usize>(), 20_000);
}

/// As an agent that was itself started by `run` says it to the terminal of another one.
#[test]
fn what_a_program_takes_back_does_not_stand() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let mut pty = rig.agent(SPEAKER);
    pty.shows("READY");
    for said in ["blocked:kind=question:app=custom:msg=aGVsbG8=", "working"] {
        pty.type_in(format!("{said}\n").as_bytes()).unwrap();
        rig.comes_to(said.split(':').next().unwrap());
        pty.type_in(b"clear\n").unwrap();
        rig.comes_to("unknown");
    }
    for said in ["done", "clear"] {
        pty.type_in(format!("{said}\n").as_bytes()).unwrap();
    }
    pty.type_in(b"\x04").unwrap();
    pty.ended();
    rig.comes_to("ended");
    assert_eq!(rig.doc()["outcome"]["kind"], "completed");
}

#[test]
fn a_terminal_that_would_show_a_question_is_asked_none() {
    for term in ["dumb", ""] {
        let rig = Rig::new();
        let mut pty = rig.run_on(term, &["echo", "LAST"]);
        assert!(pty.ended().success());
        assert_eq!(String::from_utf8_lossy(&pty.said), "LAST\r\n", "{term:?}");
    }
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

/// As the terminal of another agent does, in which it was started: that one asks nothing any more.
#[test]
fn what_a_program_has_said_is_taken_back_behind_its_end() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let mut pty = rig.agent(SPEAKER);
    pty.shows("READY");
    pty.type_in(b"\x1b]7501;?:states=idle,working,done,blocked,error\x1b\\").unwrap();
    for said in ["working", "blocked:kind=permission"] {
        pty.type_in(format!("{said}\n").as_bytes()).unwrap();
        rig.comes_to(said.split(':').next().unwrap());
    }
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
