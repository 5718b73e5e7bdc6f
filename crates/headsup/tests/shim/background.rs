//! In the background of a shell the terminal is not ours.

use crate::rig::{QUERY, Rig};
use headsup_testkit::hub::Hub;
use headsup_testkit::pty::Pty;
use headsup_testkit::wait;
use rustix::termios::LocalModes;

/// A shell with job control that runs the script `agent` as the agent, and goes on with `then`.
fn shell(rig: &Rig, before: &str, agent: &str, then: &str) -> Pty {
    // From a file: a shell repeats the words of a job.
    std::fs::write(rig.file("agent"), agent).unwrap();
    rig.shell(&format!(
        "set -m; {before} \"$HEADSUP\" run --here --id api -- sh agent {then}; echo ended $?"
    ))
}

fn go(rig: &Rig) {
    std::fs::write(rig.file("go"), "").unwrap();
}

#[track_caller]
fn process_comes_to(rig: &Rig, state: &str) {
    wait::until(state, || {
        // It may not be there yet.
        let said = rig.home.run(["show", "api", "--json", "--no-start"]).stdout;
        let doc: serde_json::Value = serde_json::from_str(&said).ok()?;
        (doc["process"]["state"] == state).then_some(())
    });
}

fn is_as_before(pty: &Pty) -> bool {
    pty.modes().unwrap().local_modes.contains(LocalModes::ICANON | LocalModes::ECHO)
}

fn asks(pty: &Pty) -> bool {
    String::from_utf8_lossy(&pty.said).contains(QUERY)
}

#[test]
fn the_agent_runs_and_its_start_and_its_end_are_told() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let agent = "echo FIRST; until [ -e go ]; do sleep 0.02; done; echo LAST; exit 5";
    let mut pty = shell(&rig, "", agent, "& read line; echo \"got $line\"; wait $!");
    pty.shows("FIRST");
    process_comes_to(&rig, "running");
    pty.type_in(b"typed\n").unwrap();
    pty.shows("got typed");
    assert!(is_as_before(&pty));
    go(&rig);
    pty.shows("LAST");
    pty.shows("ended 5");
    assert!(pty.ended().success());
    assert!(!asks(&pty), "the answer would be the shell's");
    let doc = rig.doc();
    assert_eq!(doc["process"]["state"], "exited", "{doc}");
    assert_eq!(doc["process"]["code"], 5, "{doc}");
}

/// Both terminals would end its lines.
#[test]
fn a_line_of_the_agents_is_ended_once() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let mut pty = shell(&rig, "", "echo FIRST; echo SECOND", "& wait $!");
    pty.shows("ended 0");
    assert!(pty.ended().success());
    let said = String::from_utf8_lossy(&pty.said).into_owned();
    assert!(said.contains("FIRST\r\nSECOND\r\n") && !said.contains("\r\r"), "{said:?}");
}

#[test]
fn an_agent_that_was_stopped_goes_on() {
    // It stops itself, or somebody stops us.
    for stop in ["kill -TSTP $$", "kill -STOP $(ps -o ppid= -p $PPID)"] {
        let rig = Rig::new();
        let _hub = Hub::start(&rig.home);
        let agent = format!(
            "echo FIRST; {stop}; echo SECOND; until [ -e go ]; do sleep 0.02; done; exit 5"
        );
        let mut pty = shell(&rig, "", &agent, "; echo stopped $?; bg >/dev/null; wait %1");
        pty.shows("FIRST");
        pty.shows("stopped 1");
        pty.shows("SECOND");
        pty.type_in(b"for the shell\n").unwrap();
        go(&rig);
        pty.shows("ended 5");
        assert!(pty.ended().success(), "{stop}");
        process_comes_to(&rig, "exited");
    }
}

#[test]
fn an_agent_that_is_brought_to_the_front_while_it_runs_gets_the_terminal() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let agent = "echo READY; read line; echo \"<$line>\"; exit 6";
    let then = "& until [ -e go ]; do sleep 0.02; done; fg >/dev/null";
    let mut pty = shell(&rig, "", agent, then);
    pty.shows("READY");
    assert!(!asks(&pty));
    assert!(is_as_before(&pty));
    go(&rig);
    pty.shows(QUERY);
    assert!(!is_as_before(&pty));
    pty.type_in(b"hello\n").unwrap();
    pty.shows("<hello>");
    pty.shows("ended 6");
    assert!(pty.ended().success());
    assert!(is_as_before(&pty));
}

#[test]
fn where_a_write_stops_who_is_in_the_background_the_end_is_told_all_the_same() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let then = "& until [ -e go ]; do sleep 0.02; done; fg >/dev/null";
    let mut pty = shell(&rig, "stty tostop;", "echo FIRST; exit 5", then);
    process_comes_to(&rig, "exited");
    assert_eq!(rig.doc()["process"]["code"], 5);
    go(&rig);
    pty.shows("FIRST");
    pty.shows("ended 5");
    assert!(pty.ended().success());
}
