//! What an agent leaves running on its terminal.

use crate::rig::{Rig, has_ended};
use headsup_testkit::hub::Hub;
use headsup_testkit::pty::Pty;
use headsup_testkit::wait;

/// A shell that runs the script `agent` as the agent, and stays until there is a file `over`.
fn shell(rig: &Rig, agent: &str) -> Pty {
    std::fs::write(rig.file("agent"), agent).unwrap();
    rig.shell(
        "\"$HEADSUP\" run --here --id api -- sh agent; echo ended $?; \
         until [ -e over ]; do sleep 0.02; done",
    )
}

#[test]
fn it_goes_on_and_is_heard_and_nobody_waits_for_it() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let agent = "echo $PPID > pid.new; mv pid.new pid; \
        (until [ -e go ]; do sleep 0.02; done; echo late; echo $? > said.new; mv said.new said) & \
        exit 3";
    let mut pty = shell(&rig, agent);
    pty.shows("ended 3");
    let keeper = rig.lines("pid", 1)[0].parse().unwrap();
    assert_eq!(rig.doc()["process"]["code"], 3);
    assert!(!has_ended(keeper), "somebody has the terminal");
    rig.touch("go");
    pty.shows("late\r\n");
    assert_eq!(rig.lines("said", 1), ["0"]);
    // The last one has closed it.
    wait::until("the keeper's end", || has_ended(keeper).then_some(()));
    rig.touch("over");
    assert!(pty.ended().success());
}

#[test]
fn it_is_hung_up_with_our_terminal() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let agent = "(trap 'echo hung up > end.new; mv end.new end; exit' HUP; echo READY; \
        while :; do sleep 0.02; done) & exit 0";
    let mut pty = shell(&rig, agent);
    pty.shows("READY");
    pty.shows("ended 0");
    assert!(!rig.file("end").exists());
    pty.hang_up().unwrap();
    assert_eq!(rig.lines("end", 1), ["hung up"]);
}

#[test]
fn where_nothing_is_left_nobody_stays() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let mut pty = rig.agent("echo $PPID > pid.new; mv pid.new pid; exit 4");
    assert_eq!(pty.ended().code(), Some(4));
    let keeper = rig.lines("pid", 1)[0].parse().unwrap();
    wait::until("the keeper's end", || has_ended(keeper).then_some(()));
}

/// It has closed what it had of its terminal, and that is still there.
#[test]
fn an_agent_that_fails_on_a_terminal_that_is_there_has_crashed() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let mut pty = rig.agent("echo READY; exec <&- >&- 2>&-; exit 1");
    assert_eq!(pty.ended().code(), Some(1));
    wait::until("its end", || (rig.doc()["process"]["state"] == "exited").then_some(()));
    assert_eq!(rig.doc()["headline"], "crashed");
}
