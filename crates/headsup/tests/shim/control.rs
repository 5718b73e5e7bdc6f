//! Size, signals, stops and ends.

use crate::rig::{QUERY, Rig, has_ended};
use headsup_testkit::pty::{Pty, SIZE};
use headsup_testkit::{hub::Hub, wait};
use rustix::process::{Pid, Signal, kill_process};
use rustix::termios::{LocalModes, Winsize};
use serde_json::json;
use std::os::unix::process::ExitStatusExt as _;

fn signal(pid: u32, signal: Signal) {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).unwrap();
    kill_process(pid, signal).unwrap();
}

#[test]
fn the_agent_sits_in_a_terminal_of_its_own_like_ours_and_is_the_seats_process() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let script = "stty size; stty -a | tr ';' '\\n' | grep intr; echo pid $$; \
        ps -o pid=,pgid=,tpgid= -p $$; \
        until grep -q '\"running\"' doc; do \"$HEADSUP\" show . --json > doc; done 2>/dev/null; exit 0";
    let mut pty = rig.agent(script);
    assert!(pty.ended().success());
    let said = String::from_utf8_lossy(&pty.said).into_owned();
    assert!(said.contains("30 100\r\n"), "{said:?}");
    assert!(said.contains("intr = ^C"), "{said:?}");
    let pid = said.split("pid ").nth(1).unwrap().lines().next().unwrap();
    let groups: Vec<&str> = said.lines().last().unwrap().split_whitespace().collect();
    assert_eq!(groups, [pid, pid, pid], "it leads the foreground: {said:?}");
    let doc: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(rig.file("doc")).unwrap()).unwrap();
    assert_eq!(doc["process"]["pid"].as_u64(), pid.parse().ok());
    assert_eq!(doc["process"]["attach"], "interactive");
}

#[test]
fn a_window_that_changes_its_size_tells_the_agent() {
    let rig = Rig::new();
    let script = "trap 'stty size' WINCH; echo READY; while :; do read line; done";
    let mut pty = rig.agent(script);
    pty.shows("READY");
    pty.resize(Winsize { ws_row: 41, ws_col: 123, ws_xpixel: 1_230, ws_ypixel: 820 }).unwrap();
    pty.shows("41 123");
    pty.resize(SIZE).unwrap();
    pty.shows("30 100");
}

#[test]
fn the_end_of_the_agent_is_our_end_and_the_terminal_is_as_before() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    for (end, code, process) in [
        ("exit 0", 0, json!([0, null])),
        ("exit 3", 3, json!([3, null])),
        ("kill -TERM $$", 143, json!([null, 15])),
        ("kill -KILL $$", 137, json!([null, 9])),
    ] {
        let mut pty = rig.agent(&format!("printf READY; head -c 1 > got; echo last; {end}"));
        pty.shows("READY");
        let during = pty.modes().unwrap();
        assert!(!during.local_modes.contains(LocalModes::ICANON), "{end}");
        pty.type_in(b"x\n").unwrap();
        let status = pty.ended();
        assert_eq!(status.code(), Some(code), "{end}");
        let after = pty.modes().unwrap();
        assert!(after.local_modes.contains(LocalModes::ICANON | LocalModes::ECHO), "{end}");
        assert!(pty.said.ends_with(b"last\r\n"), "{end}");
        let doc = rig.doc();
        assert_eq!(json!([doc["process"]["code"], doc["process"]["signal"]]), process, "{end}");
    }
}

#[test]
fn a_program_that_cannot_be_run_leaves_the_terminal_as_it_was() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    std::fs::write(rig.file("broken"), "#!/no/such/interpreter\n").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(rig.file("broken"), mode).unwrap();
    let mut pty = rig.run(&["./broken"]);
    assert_eq!(pty.ended().code(), Some(1));
    let said = String::from_utf8_lossy(&pty.said).into_owned();
    assert!(said.contains("cannot run") && said.contains("No such file"), "{said:?}");
    assert!(pty.modes().unwrap().local_modes.contains(LocalModes::ICANON));
    assert_eq!(rig.home.run(["show", "api"]).code, 4, "it never was there");
}

#[test]
fn signals_for_us_are_the_agents() {
    let rig = Rig::new();
    for (name, number) in
        [("TERM", Signal::TERM), ("INT", Signal::INT), ("HUP", Signal::HUP), ("USR1", Signal::USR1)]
    {
        let script = format!(
            "trap 'echo got {name}; exit 9' {name}; echo READY; while :; do sleep 0.02; done"
        );
        let mut pty = rig.agent(&script);
        pty.shows("READY");
        signal(pty.pid(), number);
        assert_eq!(pty.ended().code(), Some(9), "{name}");
        let said = String::from_utf8_lossy(&pty.said).into_owned();
        assert!(said.contains(&format!("got {name}")), "{said:?}");
        assert!(pty.modes().unwrap().local_modes.contains(LocalModes::ICANON), "{name}");
    }
}

#[test]
fn a_signal_that_is_ignored_is_ignored_by_the_agent_too() {
    let rig = Rig::new();
    let mut pty = rig.shell(
        "trap '' HUP QUIT USR1; \
         exec \"$HEADSUP\" run --here --id api -- grep SigIgn /proc/self/status",
    );
    holds(&mut pty, "SigIgn", &[Signal::HUP, Signal::QUIT, Signal::USR1]);
}

/// The agent has said that it has these signals in this set of its own.
fn holds(pty: &mut Pty, set: &str, signals: &[Signal]) {
    assert!(pty.ended().success());
    let said = String::from_utf8_lossy(&pty.said).into_owned();
    let mask = said.split(&format!("{set}:")).nth(1).and_then(|rest| rest.lines().next()).unwrap();
    let mask = u64::from_str_radix(mask.trim(), 16).unwrap();
    for signal in signals {
        assert_eq!((mask >> (signal.as_raw() - 1)) & 1, 1, "{signal:?}: {said:?}");
    }
}

/// What is blocked is the end of a child, a window's new size, and the signal to end.
#[test]
fn what_is_blocked_where_we_are_started_comes_to_us() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let agent = "echo READY; until [ \"$(stty size)\" = '41 123' ]; do sleep 0.02; done; \
        echo CHANGED; until grep -q 'ShdPnd:.*4...$' /proc/$$/status; do sleep 0.02; done; exit 4";
    std::fs::write(rig.file("agent"), agent).unwrap();
    let mut pty = rig.shell(
        "exec env --block-signal=CHLD,TERM,WINCH \"$HEADSUP\" run --here --id api -- bash agent",
    );
    pty.shows("READY");
    pty.resize(Winsize { ws_row: 41, ws_col: 123, ..SIZE }).unwrap();
    pty.shows("CHANGED");
    // It waits until the agent lets it through.
    signal(pty.pid(), Signal::TERM);
    assert_eq!(pty.ended().code(), Some(4));
    // Without a terminal as well.
    let agent = "echo READY; until [ -e go ]; do sleep 0.02; done; exit 5";
    std::fs::write(rig.file("agent"), agent).unwrap();
    let mut pty = rig.shell(
        "exec env --block-signal=CHLD \"$HEADSUP\" run --here --id api -- sh agent < /dev/null",
    );
    pty.shows("READY");
    rig.touch("go");
    assert_eq!(pty.ended().code(), Some(5));
}

#[test]
fn what_is_blocked_where_we_are_started_is_blocked_for_the_agent() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let mut pty = rig.shell(
        "exec env --block-signal=CHLD,TERM,WINCH \"$HEADSUP\" run --here --id api -- \
         grep SigBlk /proc/self/status",
    );
    holds(&mut pty, "SigBlk", &[Signal::CHILD, Signal::TERM, Signal::WINCH]);
}

/// The kernel collects the ended children of whoever ignores their ends, and says of none how it was.
#[test]
fn where_ends_are_ignored_the_agents_is_known() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let mut pty = rig.shell(
        "for try in 1 2 3 4 5 6 7 8; do TERM=dumb env --ignore-signal=CHLD \
         \"$HEADSUP\" run --here --id api -- sh -c 'exit 9'; echo code $?; done",
    );
    assert!(pty.ended().success());
    let said = String::from_utf8_lossy(&pty.said).into_owned();
    assert_eq!(said.matches("code 9\r\n").count(), 8, "{said:?}");
}

#[test]
fn an_interrupt_that_ends_the_agent_ends_the_loop_around_us() {
    let rig = Rig::new();
    let mut pty = rig.shell(
        "for try in 1 2; do \"$HEADSUP\" run --here --id api -- \
         sh -c 'echo READY; while :; do sleep 0.02; done'; echo again; done",
    );
    pty.shows("READY");
    pty.type_in(b"\x03").unwrap();
    assert_eq!(pty.ended().signal(), Some(Signal::INT.as_raw()));
    assert!(!String::from_utf8_lossy(&pty.said).contains("again"));
    assert!(pty.modes().unwrap().local_modes.contains(LocalModes::ICANON));
}

#[test]
fn whoever_interrupts_us_alone_interrupts_nobody_around_us() {
    let rig = Rig::new();
    // From a file: a shell that says by what a job ended repeats its words.
    let agent = "echo $(ps -o ppid= -p $PPID) > pid.new; mv pid.new pid; \
        while :; do sleep 0.02; done";
    std::fs::write(rig.file("agent"), agent).unwrap();
    let mut pty = rig.shell("\"$HEADSUP\" run --here --id api -- sh agent; echo went on with $?");
    let shim = rig.lines("pid", 1)[0].trim().parse().unwrap();
    signal(shim, Signal::INT);
    pty.shows("went on with 130");
    assert!(pty.ended().success());
}

#[test]
fn typed_control_characters_are_for_the_agents_terminal() {
    let rig = Rig::new();
    let mut pty =
        rig.agent("trap 'echo interrupted; exit 4' INT; echo READY; while :; do sleep 0.02; done");
    pty.shows("READY");
    pty.type_in(b"\x03").unwrap();
    assert_eq!(pty.ended().code(), Some(4));
    assert!(String::from_utf8_lossy(&pty.said).contains("interrupted"));
    // In raw mode they are bytes.
    let mut pty = rig.agent("stty raw -echo; printf READY; head -c 3 | od -An -c");
    pty.shows("READY");
    pty.type_in(b"\x03\x1a\x1c").unwrap();
    assert!(pty.ended().success());
    assert!(String::from_utf8_lossy(&pty.said).contains("003 032 034"));
}

#[test]
fn an_agent_that_stops_itself_stops_us_until_we_are_continued() {
    let rig = Rig::new();
    for stop in ["TSTP", "STOP"] {
        let agent = format!("stty raw -echo; printf FIRST; kill -{stop} $$; printf SECOND; exit 5");
        let script = format!(
            "set -m; \"$HEADSUP\" run --here --id api -- sh -c '{agent}'; \
             code=$?; echo; echo stopped $code; stty -a | grep -o -- '-*icanon'; fg >/dev/null; \
             code=$?; echo; echo ended $code; stty -a | grep -o -- '-*icanon'"
        );
        let mut pty = rig.shell(&script);
        assert!(pty.ended().success(), "{stop}");
        let said = String::from_utf8_lossy(&pty.said).replace('\r', "");
        let at = |text: &str| said.find(text).unwrap_or_else(|| panic!("{stop}: {text}: {said:?}"));
        assert!(at("FIRST") < at("stopped 1"), "{said:?}");
        assert!(at("stopped 1") < at("\nSECOND"), "{said:?}");
        assert!(at("\nSECOND") < at("ended 5"), "{said:?}");
        assert_eq!(said.matches("\nicanon").count(), 2, "{said:?}");
    }
}

#[test]
fn whoever_stops_us_stops_the_agent_and_our_terminal_is_as_before() {
    let rig = Rig::new();
    // From a file: a shell repeats the words of a job. It starts nothing while it waits: a shell waits in the kernel
    // until what it starts runs, and is never seen to stop where that is stopped before.
    let agent = "stty raw -echo; mkfifo go; exec 3<>go; echo $(ps -o ppid= -p $PPID) $$ > pids.new; \
        mv pids.new pids; read word <&3; printf SECOND; exit 5";
    std::fs::write(rig.file("agent"), agent).unwrap();
    let script = "set -m; \"$HEADSUP\" run --here --id api -- sh agent; code=$?; echo; \
        echo stopped $code; stty -a | grep -o -- '-*icanon'; read shim agent < pids; \
        until [ \"$(ps -o state= -p $agent)\" = T ]; do sleep 0.02; done; echo state T; echo > go; \
        fg >/dev/null; code=$?; echo; echo ended $code";
    let mut pty = rig.shell(script);
    let pids = rig.lines("pids", 1);
    let shim = pids[0].split_whitespace().next().unwrap().parse().unwrap();
    // It knows by now that the agent runs.
    wait::until("a raw terminal", || {
        (!pty.modes().unwrap().local_modes.contains(LocalModes::ISIG)).then_some(())
    });
    signal(shim, Signal::TSTP);
    pty.shows("ended 5");
    assert!(pty.ended().success());
    let said = String::from_utf8_lossy(&pty.said).replace('\r', "");
    let at = |text: &str| said.find(text).unwrap_or_else(|| panic!("{text}: {said:?}"));
    assert!(at("stopped 148\n") < at("\nicanon\n"), "{said:?}");
    assert!(at("\nicanon\n") < at("\nstate T\n"), "{said:?}");
    assert!(at("\nstate T\n") < at("SECOND"), "{said:?}");
}

#[test]
fn whoever_is_continued_at_once_goes_on() {
    let rig = Rig::new();
    let mut pty = rig.agent("echo READY; until [ -e go ]; do sleep 0.02; done; exit 5");
    pty.shows("READY");
    signal(pty.pid(), Signal::TSTP);
    signal(pty.pid(), Signal::CONT);
    rig.touch("go");
    assert_eq!(pty.ended().code(), Some(5));
}

#[test]
fn a_terminal_that_goes_away_hangs_the_agent_up() {
    let rig = Rig::new();
    let script = "trap 'echo hung up > end.new; mv end.new end; exit 1' HUP; echo READY; \
        while :; do sleep 0.02; done";
    let mut pty = rig.agent(script);
    pty.shows("READY");
    pty.hang_up().unwrap();
    assert_eq!(rig.lines("end", 1), ["hung up"]);
}

#[test]
fn a_terminal_that_goes_away_is_at_its_end_for_whoever_ignores_that() {
    // One reads, the other one writes.
    for script in ["cat", "while echo x; do sleep 0.02; done"] {
        let rig = Rig::new();
        let _hub = Hub::start(&rig.home);
        let script =
            format!("trap '' HUP; echo READY; {script}; echo over > o.new; mv o.new over; exit 5");
        let mut pty = rig.agent(&script);
        pty.shows("READY");
        pty.hang_up().unwrap();
        assert_eq!(rig.lines("over", 1), ["over"], "{script}");
        wait::until("its end", || (rig.doc()["process"]["state"] == "exited").then_some(()));
        let doc = rig.doc();
        assert_eq!(doc["process"]["code"], 5, "{script}");
        assert_eq!(doc["headline"], "ended", "nobody meant it to go on: {script}");
    }
}

#[test]
fn the_agent_hears_once_that_the_terminal_is_gone() {
    let rig = Rig::new();
    let script = "trap 'echo hup >> heard' HUP; \
        trap 'echo end >> heard; mv heard all; exit 0' USR1; echo READY; \
        while read line; do :; done; echo eof > eof.new; mv eof.new eof; \
        while :; do sleep 0.02; done";
    let mut pty = rig.agent(script);
    pty.shows("READY");
    pty.hang_up().unwrap();
    assert_eq!(rig.lines("eof", 1), ["eof"]);
    // A shell that is hung up tells its jobs, too.
    signal(pty.pid(), Signal::HUP);
    signal(pty.pid(), Signal::USR1);
    assert_eq!(rig.lines("all", 2), ["hup", "end"]);
}

/// Says more than the terminals keep, and ends. Comes back when we wait for ours to take the rest of it.
fn waits_for_its_terminal(rig: &Rig) -> Pty {
    comes_to_wait(rig.agent("seq 1 4000; exit 3"))
}

fn comes_to_wait(pty: Pty) -> Pty {
    let modes = || pty.modes().unwrap().local_modes;
    // As at the beginning keys are signals then, but no lines.
    let waits =
        |modes: LocalModes| modes.contains(LocalModes::ISIG) && !modes.contains(LocalModes::ICANON);
    wait::until("keys to be heard", || waits(modes()).then_some(()));
    pty
}

#[test]
fn the_last_words_wait_for_a_terminal_that_is_not_read() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let mut pty = waits_for_its_terminal(&rig);
    // The hub does not wait for it.
    wait::until("its code", || (rig.doc()["process"]["code"] == 3).then_some(()));
    assert_eq!(pty.ended().code(), Some(3));
    let lines: Vec<String> = (1..=4_000).map(|number| format!("{number}\r\n")).collect();
    let lines = lines.concat();
    let said = String::from_utf8_lossy(&pty.said).into_owned();
    let last = said.lines().last().unwrap_or_default();
    assert!(said == format!("{QUERY}{lines}"), "{} bytes, the last line {last:?}", said.len());
    assert!(pty.modes().unwrap().local_modes.contains(LocalModes::ICANON));
}

#[test]
fn a_key_that_ends_a_program_ends_the_wait_for_a_terminal_that_is_not_read() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let mut pty = waits_for_its_terminal(&rig);
    // Typed so that nothing is read meanwhile.
    rustix::io::write(pty.master(), b"\x03").unwrap();
    wait::until("our end", || has_ended(pty.pid()).then_some(()));
    assert_eq!(pty.ended().code(), Some(3), "it is the agent's");
}

/// As for whoever is another user in the same terminal.
#[test]
fn a_terminal_that_cannot_be_opened_again_keeps_nobody_from_leaving() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let mut pty = comes_to_wait(rig.shell(
        "chmod 000 \"$(tty)\"; exec \"$HEADSUP\" run --here --id api -- sh -c 'seq 1 4000; exit 3'",
    ));
    rustix::io::write(pty.master(), b"\x03").unwrap();
    wait::until("our end", || has_ended(pty.pid()).then_some(()));
    assert_eq!(pty.ended().code(), Some(3));
}

#[test]
fn the_agent_knows_its_folder_by_the_name_that_the_shell_has_for_it() {
    let rig = Rig::new();
    let mut pty = rig.shell(
        "mkdir real; ln -s real link; cd link; \"$HEADSUP\" run --here --id api -- bash -c pwd",
    );
    assert!(pty.ended().success());
    let said = String::from_utf8_lossy(&pty.said).into_owned();
    let link = rig.home.path().canonicalize().unwrap().join("link");
    assert!(said.contains(&format!("{}\r\n", link.display())), "{said:?}");
}

#[test]
fn a_killed_shim_hangs_the_agent_up() {
    let rig = Rig::new();
    let script = "trap 'echo hung up > end.new; mv end.new end; exit 1' HUP; echo READY; \
        while :; do sleep 0.02; done";
    let mut pty = rig.agent(script);
    pty.shows("READY");
    signal(pty.pid(), Signal::KILL);
    assert_eq!(rig.lines("end", 1), ["hung up"]);
}

#[test]
fn an_agent_that_outlives_its_keeper_has_not_ended() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let script = "trap '' HUP; echo $PPID > pids.new; echo $$ >> pids.new; mv pids.new pids; \
        while [ -e pids ]; do sleep 0.02; done";
    let mut pty = rig.agent(script);
    let pids = rig.lines("pids", 2);
    let [keeper, agent] = [0, 1].map(|at| pids[at].parse::<u32>().unwrap());
    wait::until("its process", || (rig.doc()["process"]["pid"] == agent).then_some(()));
    signal(keeper, Signal::KILL);
    assert_eq!(pty.ended().code(), Some(1));
    let doc = rig.doc();
    assert_eq!(doc["process"]["state"], "running", "{doc}");
    // The hub sees its end by itself.
    std::fs::remove_file(rig.file("pids")).unwrap();
    wait::until("its end", || (rig.doc()["process"]["state"] == "exited").then_some(()));
}

#[test]
fn an_agent_that_ends_of_its_keepers_end_has_crashed() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let mut pty = rig.agent("echo $PPID > pid.new; mv pid.new pid; while :; do sleep 0.02; done");
    signal(rig.lines("pid", 1)[0].parse().unwrap(), Signal::KILL);
    assert_eq!(pty.ended().code(), Some(1));
    rig.comes_to("crashed");
}

#[test]
fn what_is_said_after_the_agents_end_and_before_ours_is_shown() {
    let rig = Rig::new();
    let hub = Hub::start(&rig.home);
    let mut pty = rig.agent(
        "(trap '' HUP; while kill -0 $$ 2>/dev/null; do :; done; echo late) & \
         echo READY; head -c 1 > got; exit 3",
    );
    pty.shows("READY");
    // It is waited for when it is told the end.
    hub.signal(Signal::STOP);
    pty.type_in(b"x\n").unwrap();
    let code = pty.ended().code();
    hub.signal(Signal::CONT);
    assert_eq!(code, Some(3));
    assert!(pty.said.ends_with(b"late\r\n"), "{:?}", String::from_utf8_lossy(&pty.said));
}

#[test]
fn a_hub_that_dies_or_hangs_in_the_middle_is_not_missed() {
    let rig = Rig::new();
    let hub = Hub::start(&rig.home);
    let report = "printf '\\033]7501;state=working\\007'";
    let script = format!(
        "stty -echo; echo READY; while read line; do {report}; echo \"<$line>\"; done; exit 6"
    );
    let mut pty = rig.agent(&script);
    pty.shows("READY");
    pty.type_in(b"one\n").unwrap();
    pty.shows("<one>");
    hub.signal(Signal::STOP);
    pty.type_in(b"two\n").unwrap();
    pty.shows("<two>");
    hub.signal(Signal::CONT);
    hub.kill();
    pty.type_in(b"three\n").unwrap();
    pty.shows("<three>");
    let _hub = Hub::start(&rig.home);
    rig.comes_to("working");
    pty.type_in(b"\x04").unwrap();
    assert_eq!(pty.ended().code(), Some(6));
    wait::until("the end to be known", || {
        (rig.doc()["process"]["state"] == "exited").then_some(())
    });
}

#[test]
fn an_agent_that_interrupts_itself_interrupts_nobody_around_us() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    std::fs::write(rig.file("agent"), "kill -INT $$").unwrap();
    let line = "\"$HEADSUP\" run --here --id api -- sh agent; echo went on with $?";
    let mut pty = rig.shell(line);
    pty.shows("went on with 130");
    assert!(pty.ended().success());
}
