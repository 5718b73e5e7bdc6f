//! Signals, ends and errors are the agent's own.

use crate::rig::{BINARY, Rig};
use headsup_testkit::hub::Hub;
use headsup_testkit::wait;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::io::Read as _;
use std::os::unix::process::CommandExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Output, Stdio};

/// The letter of its state; none once it is gone.
fn state(pid: i32) -> Option<char> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.chars().next()
}

#[test]
fn an_agent_that_is_stopped_and_continued_goes_on_with_its_client() {
    for options in [&["acp"][..], &["run", "--here"]] {
        let rig = Rig::new();
        let _hub = Hub::start(&rig.home);
        let mut talk = rig.run(options, &["sh", "-c", "echo $$; exec cat"]);
        wait::until("its pid", || talk.reads(2).ends_with(b"\n").then_some(()));
        let text = String::from_utf8(talk.reads(2).to_vec()).unwrap();
        let agent: i32 = text.trim().parse().unwrap();
        let mut length = text.len();
        for _ in 0..8 {
            kill_process(Pid::from_raw(agent).unwrap(), Signal::STOP).unwrap();
            wait::until("the stop", || (state(agent) == Some('T')).then_some(()));
            talk.write(b"still there?\n").unwrap();
            kill_process(Pid::from_raw(agent).unwrap(), Signal::CONT).unwrap();
            length += 13;
            talk.reads(length);
        }
        talk.closes();
        assert_eq!(talk.ends().code(), Some(0));
    }
}

#[test]
fn an_agent_does_not_outlive_its_proxy() {
    for script in ["echo $$; exec sleep 600", "trap '' TERM; echo $$; while :; do sleep 0.1; done"]
    {
        let rig = Rig::new();
        let mut talk = rig.talk(script);
        talk.reads(2);
        let agent: i32 = String::from_utf8(talk.reads(2).to_vec()).unwrap().trim().parse().unwrap();
        talk.child.kill().unwrap();
        wait::until("its end", || matches!(state(agent), None | Some('Z')).then_some(()));
    }
}

/// As it does when the whole process group gets a signal.
#[test]
fn the_last_words_of_an_agent_arrive_though_a_signal_came_to_us_as_well() {
    let script = "trap 'head -c 50000 /dev/zero; exit 7' TERM; echo ready; \
        while :; do read -r word || sleep 0.01; done";
    for _ in 0..12 {
        let rig = Rig::new();
        let mut command = rig.home.command(["acp", "--no-start", "--", "sh", "-c", script]);
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut output = child.stdout.take().unwrap();
        output.read_exact(&mut [0; 6]).unwrap();
        let group = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
        kill_process_group(group, Signal::TERM).unwrap();
        let mut rest = Vec::new();
        output.read_to_end(&mut rest).unwrap();
        assert!(rest.len() >= 50_000, "{}", rest.len());
        assert_eq!(child.wait().unwrap().code(), Some(7));
    }
}

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
        // It may have ended by itself already.
        talk.write(b"\n").ok();
        assert_eq!(talk.rest(), b"ready\ngot\n", "{name}");
        assert_eq!(talk.ends().code(), Some(5), "{name}");
    }
}

/// A launcher of an agent that has our own input and output, too.
#[test]
fn a_signal_for_a_run_without_a_terminal_is_its_agents() {
    let signals = [("INT", Signal::INT), ("QUIT", Signal::QUIT), ("USR2", Signal::USR2)];
    for (name, signal) in signals {
        let script = format!(
            "trap 'echo got; exit 5' {name}; echo ready; while :; do read -r word || sleep 0.01; done"
        );
        let rig = Rig::new();
        let _hub = Hub::start(&rig.home);
        let mut talk = rig.run(&["run", "--here", "--id", "api"], &["sh", "-c", &script]);
        talk.reads(6);
        let pid = i32::try_from(talk.child.id()).unwrap();
        kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
        talk.write(b"\n").ok();
        assert_eq!(talk.rest(), b"ready\ngot\n", "{name}");
        assert_eq!(talk.ends().code(), Some(5), "{name}");
    }
}

/// Runs `headsup` where some signals are ignored.
fn ignoring(rig: &Rig, words: &[&str]) -> Output {
    let ours = rig.home.command(words);
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' HUP QUIT USR1; exec \"$0\" \"$@\""]).arg(BINARY).args(words);
    command.env_clear().envs(ours.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.current_dir(rig.home.path()).stdin(Stdio::null()).output().unwrap()
}

#[test]
fn an_agent_that_dies_of_a_signal_that_we_ignore_has_the_code_of_that() {
    let rig = Rig::new();
    let agent = ["env", "--default-signal=USR1", "sh", "-c", "kill -USR1 $$"];
    let words = [&["acp", "--no-start", "--"][..], &agent].concat();
    let code = ignoring(&rig, &words).status.code();
    assert_eq!(code, Some(128 + Signal::USR1.as_raw()));
}

#[test]
fn a_signal_that_is_ignored_is_ignored_by_the_agent_too() {
    // By all the ways without a terminal; the last one has its output read along.
    let stream = ["run", "--here", "--", "codex", "exec", "--json", "x"];
    for words in [&["acp", "--no-start", "--", "codex"][..], &stream[..4], &stream] {
        let rig = Rig::new();
        let codex = rig.file("bin/codex");
        std::fs::create_dir_all(rig.file("bin")).unwrap();
        std::fs::write(&codex, "#!/bin/sh\nexec grep SigIgn /proc/self/status\n").unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&codex, mode).unwrap();
        let said = String::from_utf8(ignoring(&rig, words).stdout).unwrap();
        let mask = said.strip_prefix("SigIgn:").unwrap();
        let mask = u64::from_str_radix(mask.trim(), 16).unwrap();
        for ignored in [Signal::HUP, Signal::QUIT, Signal::USR1] {
            assert_eq!((mask >> (ignored.as_raw() - 1)) & 1, 1, "{ignored:?} {words:?}: {said:?}");
        }
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
