//! Signals, ends and errors are the agent's own.

use crate::rig::Rig;
use rustix::process::{Pid, Signal, kill_process};
use std::os::unix::process::ExitStatusExt as _;

#[test]
fn a_signal_is_passed_on_and_the_agent_answers_it() {
    for (name, signal) in [
        ("TERM", Signal::TERM),
        ("INT", Signal::INT),
        ("HUP", Signal::HUP),
        ("QUIT", Signal::QUIT),
        ("USR1", Signal::USR1),
    ] {
        let script = format!(
            "trap 'echo got; exit 5' {name}; echo ready; while :; do read -r word || sleep 0.01; done"
        );
        let rig = Rig::new();
        let mut talk = rig.talk(&script);
        talk.reads(6);
        let pid = i32::try_from(talk.child.id()).unwrap();
        kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
        // What a shell waits for ends first.
        talk.write(b"\n").unwrap();
        assert_eq!(talk.rest(), b"ready\ngot\n", "{name}");
        assert_eq!(talk.ends().code(), Some(5), "{name}");
    }
}

#[test]
fn whoever_starts_us_sees_the_agents_own_end() {
    for code in [0, 1, 3, 126, 255] {
        let rig = Rig::new();
        let mut talk = rig.talk(&format!("exit {code}"));
        assert_eq!(talk.ends().code(), Some(code));
    }
    for (name, signal) in [("KILL", 9), ("TERM", 15), ("SEGV", 11), ("INT", 2), ("ABRT", 6)] {
        let rig = Rig::new();
        let mut talk = rig.talk(&format!("ulimit -c 0; kill -{name} $$"));
        assert_eq!(talk.ends().signal(), Some(signal), "{name}");
    }
}

#[test]
fn what_the_agent_writes_to_its_errors_is_all_that_is_there() {
    let rig = Rig::new();
    let mut talk = rig.talk("printf oops >&2");
    talk.ends();
    assert_eq!(talk.stderr(), "oops");
}

#[test]
fn a_program_that_is_not_there_is_a_usage_error() {
    let rig = Rig::new();
    let mut talk = rig.run(&["acp"], &["/no/such/agent"]);
    assert_eq!(talk.ends().code(), Some(2));
    let said = talk.stderr();
    assert!(said.contains("/no/such/agent"), "{said}");
    assert!(!rig.home.socket().exists(), "nothing was started");
    let mut talk = rig.run(&["acp", "--name", "a b"], &["true"]);
    assert_eq!(talk.ends().code(), Some(2));
}
