//! `headsup run --here` at the far end of an SSH connection.

use crate::bytes::{both_ways_of, random};
use crate::rig::{QUERY, Rig};
use crate::sshd::Sshd;
use headsup_testkit::hub::Hub;
use headsup_testkit::pty::SIZE;
use headsup_testkit::traffic::{for_the_program, for_the_terminal, made_up, recorded};
use headsup_testkit::wait;
use rustix::process::{Pid, Signal, kill_process};
use rustix::termios::Winsize;
use serde_json::json;

#[test]
fn over_ssh_every_byte_goes_through_both_ways() {
    let rig = Rig::new();
    let Some(sshd) = Sshd::start(&rig) else { return };
    let start = |script: &str| sshd.agent(script);
    both_ways_of(&rig, start, &random(300_000), &random(300_000));
    let bytes = made_up(300_000);
    both_ways_of(&rig, start, &bytes, &for_the_program(bytes.clone()));
    for recording in recorded().unwrap() {
        let heard = for_the_terminal(&recording.said);
        both_ways_of(&rig, start, &heard, &for_the_program(recording.typed));
    }
}

#[test]
fn over_ssh_a_window_that_changes_its_size_tells_the_agent() {
    let rig = Rig::new();
    let Some(sshd) = Sshd::start(&rig) else { return };
    let script = "stty size; trap 'stty size' WINCH; echo READY; while :; do read line; done";
    let mut pty = sshd.agent(script);
    pty.shows("READY");
    assert!(String::from_utf8_lossy(&pty.said).contains("30 100\r\n"));
    pty.resize(Winsize { ws_row: 41, ws_col: 123, ws_xpixel: 1_230, ws_ypixel: 820 }).unwrap();
    pty.shows("41 123\r\n");
    pty.said.clear();
    pty.resize(SIZE).unwrap();
    // A shell that is about to read runs its trap behind that.
    pty.type_in(b"\n").unwrap();
    pty.shows("30 100\r\n");
}

#[test]
fn over_ssh_the_agents_status_and_its_end_are_told() {
    let rig = Rig::new();
    let Some(sshd) = Sshd::start(&rig) else { return };
    let _hub = Hub::start(&rig.home);
    for (end, code, process) in [
        ("exit 0", 0, json!([0, null])),
        ("exit 3", 3, json!([3, null])),
        ("kill -TERM $$", 143, json!([null, 15])),
        ("kill -KILL $$", 137, json!([null, 9])),
    ] {
        let script = format!(
            "stty -echo; echo \"pid $$ on $(tty)\"; [ \"$SSH_TTY\" != \"$(tty)\" ] && echo READY; \
             while read line; do printf '\\033]7501;state=%s\\033\\\\' \"$line\"; done; {end}"
        );
        let mut pty = sshd.agent(&script);
        pty.shows("READY");
        let said = String::from_utf8_lossy(&pty.said).into_owned();
        assert!(said.starts_with(QUERY), "{said:?}");
        let pid = said.split("pid ").nth(1).unwrap().split(' ').next().unwrap();
        for headline in ["working", "blocked", "working", "done"] {
            pty.type_in(format!("{headline}\n").as_bytes()).unwrap();
            rig.comes_to(headline);
            pty.shows(&format!("\x1b]7501;state={headline}\x1b\\"));
        }
        let doc = rig.doc();
        assert_eq!(doc["process"]["pid"].as_u64(), pid.parse().ok(), "{doc}");
        assert_eq!(doc["process"]["attach"], "interactive", "{doc}");
        pty.type_in(b"\x04").unwrap();
        assert_eq!(pty.ended().code(), Some(code), "{end}");
        let doc = rig.doc();
        assert_eq!(json!([doc["process"]["code"], doc["process"]["signal"]]), process, "{end}");
    }
}

#[test]
fn over_ssh_a_terminal_that_understands_is_told_the_headline() {
    let rig = Rig::new();
    let Some(sshd) = Sshd::start(&rig) else { return };
    let _hub = Hub::start(&rig.home);
    let script = "stty -echo; echo READY; while read line; do \"$HEADSUP\" report $line; done";
    let mut pty = sshd.agent(script);
    pty.shows("READY");
    pty.type_in(b"\x1b]7501;?:states=idle,working,done,blocked,error\x1b\\").unwrap();
    pty.type_in(b"working\n").unwrap();
    pty.shows("\x1b]7501;state=working:app=custom\x1b\\");
    pty.type_in(b"\x04").unwrap();
    assert!(pty.ended().success());
    assert!(pty.said.ends_with(b"\x1b]7501;state=clear\x1b\\"), "{:?}", pty.said);
}

#[test]
fn an_ssh_connection_that_breaks_off_hangs_the_agent_up() {
    let rig = Rig::new();
    let Some(sshd) = Sshd::start(&rig) else { return };
    let _hub = Hub::start(&rig.home);
    let script = "trap 'echo hung up > end.new; mv end.new end; exit 5' HUP; echo READY; \
        while :; do sleep 0.02; done";
    let mut pty = sshd.agent(script);
    pty.shows("READY");
    let client = i32::try_from(pty.pid()).ok().and_then(Pid::from_raw).unwrap();
    kill_process(client, Signal::KILL).unwrap();
    assert_eq!(rig.lines("end", 1), ["hung up"]);
    wait::until("its end", || (rig.doc()["process"]["state"] == "exited").then_some(()));
    assert_eq!(rig.doc()["process"]["code"], 5);
}
