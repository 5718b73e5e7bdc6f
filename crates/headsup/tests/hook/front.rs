//! What runs before the runtime tells the hub the same, byte for byte, as the program would. A further word on
//! the command line, which changes nothing else, is left to the program.

use crate::hub::{self, Manner, Request};
use crate::rig::{HANG, Hook, Rig, STOP, eventually};
use headsup_core::spool::{Record, Report, encode};
use headsup_core::time::UnixMs;
use rustix::process::Signal;
use std::any::Any;
use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixListener;
use std::sync::mpsc;
use std::time::UNIX_EPOCH;

const STORED: Manner = Manner::Answers("HTTP/1.1 202 Accepted\r\nContent-Length: 7\r\n\r\nno talk");

/// What arrives, with a placeholder for what differs in every report.
fn told(
    rig: &Rig,
    requests: &mpsc::Receiver<Request>,
    hook: impl Fn() -> Hook,
) -> (String, Vec<u8>) {
    rig.until_delivered("front", hook).assert_silent("front");
    let request = requests.try_iter().last().unwrap();
    let id = request.header("X-Headsup-Id").unwrap();
    assert!(id.len() == 40 && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
    (request.head.replace(id, "ID"), request.body)
}

fn assert_alike(words: [&str; 2], variables: &[(&str, &str)], payload: &[u8]) {
    let rig = Rig::new();
    let requests = hub::unix(&rig.socket(), STORED);
    let hook = |words: &[&str]| {
        let hook = rig.bare_hook(words).stdin(payload).env("HEADSUP_HOME", rig.home());
        variables.iter().fold(hook, |hook, (name, value)| hook.env(name, *value))
    };
    let by_front = told(&rig, &requests, || hook(&words));
    let by_program = told(&rig, &requests, || hook(&[words[0], words[1], "more"]));
    assert_eq!(by_front, by_program, "{words:?} {variables:?}");
    assert_eq!(by_front.1, payload);
}

#[test]
fn every_kind_tells_the_same() {
    for kind in ["claude-code", "codex", "copilot-cli", "gemini-cli", "qwen-code", "droid", "x"] {
        let own = std::process::id().to_string();
        let variables = [
            ("CLAUDE_PID", own.as_str()),
            ("CLAUDE_CODE_ENTRYPOINT", "cli"),
            ("CLAUDE_CODE_MESSAGING_TOKEN", "secret"),
            ("CLAUDE_CODE_SESSION_ID", ""),
            ("QWEN_CODE_LAUNCHER_PID", "1"),
            ("QWEN_CODE_SESSION_ID", "s"),
            ("GEMINI_SESSION_ID", "g"),
            ("COPILOT_HOME", "/tmp/c"),
            ("HOME", "/home/ada"),
            ("TMUX", "/tmp/tmux-0/default,1,0"),
            ("TMUX_PANE", "%3"),
        ];
        for event in ["Stop", "SessionStart", "sessionStart"] {
            assert_alike([kind, event], &variables, STOP);
        }
    }
}

#[test]
fn odd_surroundings_are_told_the_same() {
    let long = "\\\"".repeat(200);
    let cases: [&[(&str, &str)]; 12] = [
        &[],
        &[("TMUX", &long)],
        &[("TMUX", "é\n\u{1b}"), ("TMUX_PANE", "%3")],
        &[("CLAUDE_PID", "no number")],
        &[("CLAUDE_PID", "+7")],
        &[("CLAUDE_PID", "4294967295")],
        &[("CLAUDE_PID", "99999999999999999999999")],
        &[("HEADSUP_AGENT_ID", "api-2"), ("HEADSUP_AGENT_TOKEN", "t0ken"), ("HEADSUP_TOKEN", "x")],
        &[("HEADSUP_AGENT_ID", ""), ("PANOPTICON_AGENT_ID", "pan.1")],
        &[("HEADSUP_AGENT_ID", "../etc"), ("PANOPTICON_AGENT_ID", "pan")],
        &[("HEADSUP_AGENT_ID", "a\r\nX: y"), ("HEADSUP_AGENT_TOKEN", "a b")],
        &[("HEADSUP_URL", ""), ("XDG_STATE_HOME", "/elsewhere")],
    ];
    for variables in cases {
        assert_alike(["claude-code", "PreToolUse"], variables, STOP);
    }
    for words in [["claude-code", "é"], ["acp:x", "a b"], ["--x", "Stop"], ["x", "--help"]] {
        assert_alike(words, &[], STOP);
    }
}

#[test]
fn a_payload_of_any_size_is_told_the_same() {
    for size in [1, 4095, 8192, 8193, 65_536, 65_537, (256 << 10) - 1, 256 << 10] {
        assert_alike(["claude-code", "Stop"], &[], &vec![b'x'; size]);
    }
    // Shrunk: by the program in both cases.
    let rig = Rig::new();
    let requests = hub::unix(&rig.socket(), STORED);
    let long = format!(r#"{{"long":"{}","session_id":"s"}}"#, "x".repeat(300_000));
    let hook = || rig.hook("Stop").stdin(long.as_bytes());
    let (_, body) = told(&rig, &requests, hook);
    assert!(body.len() < 200 && body.ends_with(br#""session_id":"s"}"#), "{}", body.len());
}

#[test]
fn each_home_has_its_socket() {
    for (name, value, state) in [
        ("HEADSUP_HOME", "hub", "hub"),
        ("HEADSUP_HOME", "hub/", "hub"),
        ("XDG_STATE_HOME", "xdg", "xdg/headsup"),
        ("HOME", "home", "home/.local/state/headsup"),
    ] {
        let rig = Rig::new();
        let state = rig.path(state);
        std::fs::create_dir_all(&state).unwrap();
        let requests = hub::unix(&state.join("headsup.sock"), STORED);
        let hook = |words: &[&str]| rig.bare_hook(words).env(name, rig.path(value));
        let by_front = told(&rig, &requests, || hook(&["claude-code", "Stop"]));
        assert_eq!(by_front, told(&rig, &requests, || hook(&["claude-code", "Stop", "more"])));
    }
}

/// The hub takes the first report and does not say so in time: it is kept under the same id, and so told once. Its
/// time is that of the event: what the hub hears while we wait for it is newer.
#[test]
fn what_the_hub_may_have_is_kept_under_its_id_and_its_time() {
    for manner in [Manner::Silent, Manner::Answers("HTTP/1.1 503 Later\r\n\r\n")] {
        let rig = Rig::new();
        let requests = hub::unix(&rig.socket(), manner);
        let kept = rig.until_kept("untold", || rig.hook("Stop"));
        let asked: Vec<_> = hub::heard(&rig.socket(), &requests)
            .into_iter()
            .filter(|request| request.header("X-Headsup-Id") == Some(&kept.id))
            .collect();
        let [request] = &asked[..] else { panic!("it was asked once: {asked:?}") };
        let at = request.at.duration_since(UNIX_EPOCH).unwrap().as_millis();
        let reported = u128::try_from(kept.reported_at.0).unwrap();
        assert!(reported <= at, "{} ms later", reported - at);
        assert!(at - reported < HANG.as_millis());
        assert!(kept.context.unwrap().contains("parents"));
    }
}

#[test]
fn what_was_read_before_the_time_was_over_is_kept() {
    let rig = Rig::new();
    let requests = hub::unix(&rig.socket(), STORED);
    let hook = || rig.hook("Stop").unclosed_stdin(STOP);
    rig.until_delivered("unclosed", hook).assert_silent("unclosed");
    assert_eq!(requests.try_iter().last().unwrap().body, STOP);
}

/// It is asleep, and has a connection to take: that costs nobody time while the agent still writes.
#[test]
fn the_hub_is_reached_before_the_payload_is_there() {
    let rig = Rig::new();
    let listener = UnixListener::bind(rig.socket()).unwrap();
    listener.set_nonblocking(true).unwrap();
    for _ in 0..100 {
        let (input, mut payload) = std::io::pipe().unwrap();
        let hook = rig.hook("Stop").stdin_from(input).spawn();
        let (mut hub, _) = eventually("a connection", || listener.accept().ok());
        payload.write_all(STOP).ok();
        drop(payload);
        hub.set_nonblocking(false).unwrap();
        let (mut told, mut piece) = (Vec::new(), [0; 4096]);
        while !told.ends_with(STOP)
            && let more @ 1.. = hub.read(&mut piece).unwrap()
        {
            told.extend_from_slice(&piece[..more]);
        }
        // One that was too late is tried again.
        let is_told = told.ends_with(STOP);
        hub.write_all(b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n").ok();
        hook.wait().assert_silent("reached");
        if is_told {
            return;
        }
    }
    panic!("the hub is never told");
}

#[test]
fn closed_descriptors_are_harmless() {
    let answer = "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n{\"ok\":true}\n";
    let cases = [
        (">&-", "", true),
        ("2>&-", "{\"ok\":true}\n", true),
        (">&- 2>&-", "", true),
        ("<&-", "", false),
        ("<&- >&- 2>&-", "", false),
    ];
    for (closed, printed, is_told) in cases {
        let rig = Rig::new();
        let requests = hub::unix(&rig.socket(), Manner::Answers(answer));
        let script = format!("exec \"$0\" hook custom Stop {closed}");
        let seen = rig.until_delivered(closed, || rig.shell_hook(&script));
        assert_eq!(seen.stdout, printed.as_bytes(), "{closed}");
        let bodies: Vec<_> = requests.try_iter().map(|request| request.body).collect();
        // One that was too late is tried again.
        assert_eq!(!bodies.is_empty(), is_told, "{closed}");
        assert!(bodies.iter().all(|body| body == STOP), "{closed}: {bodies:?}");
    }
}

/// A report as it lies in the spool, with placeholders for what differs in every one: written by whoever it was,
/// it is the same to the byte.
fn kept(rig: &Rig, case: &str, hook: impl Fn() -> Hook) -> Report {
    let report = rig.until_kept(case, hook);
    let bytes = fs::read(rig.queue()).unwrap();
    assert!(bytes == encode(&Record::Report(report.clone())), "{case}");
    fs::remove_file(rig.queue()).unwrap();
    assert!(report.reported_at.0 > 1_700_000_000_000, "{case}");
    assert!(report.id.len() == 40 && report.id.bytes().all(|byte| byte.is_ascii_hexdigit()));
    Report { id: String::new(), reported_at: UnixMs(0), ..report }
}

fn assert_kept_alike(rig: &Rig, words: [&str; 2], variables: &[(&str, &str)], payload: &[u8]) {
    let hook = |words: &[&str]| {
        let hook = rig.bare_hook(words).stdin(payload).env("HEADSUP_HOME", rig.home());
        variables.iter().fold(hook, |hook, (name, value)| hook.env(name, *value))
    };
    let case = format!("{words:?} {variables:?} {}", payload.len());
    let by_front = kept(rig, &case, || hook(&words));
    let by_program = kept(rig, &case, || hook(&[words[0], words[1], "more"]));
    assert_eq!(by_front, by_program, "{case}");
    assert!(by_front.body == payload, "{case}");
}

/// Whether there is no socket, or nobody behind it, or one that says nothing.
fn without_a_hub(case: usize) -> (Rig, Box<dyn Any>) {
    let rig = Rig::new();
    fs::create_dir(rig.home().join("spool")).unwrap();
    let hub: Box<dyn Any> = match case {
        0 => Box::new(()),
        1 => {
            drop(UnixListener::bind(rig.socket()).unwrap());
            Box::new(())
        }
        _ => Box::new(hub::unix(&rig.socket(), Manner::Answers("HTTP/1.1 503 Later\r\n\r\n"))),
    };
    (rig, hub)
}

#[test]
fn what_the_hub_has_not_got_is_kept_the_same() {
    for case in 0..3 {
        let (rig, _hub) = without_a_hub(case);
        for kind in ["claude-code", "codex", "copilot-cli", "gemini-cli", "qwen-code", "opencode"] {
            for event in ["Stop", "Notification", "AfterAgent", "agentStop", "session.updated"] {
                assert_kept_alike(&rig, [kind, event], &[("TMUX_PANE", "%3")], STOP);
            }
        }
        for words in [["droid", "Stop"], ["x", "Stop"], ["acp:x", "update"]] {
            assert_kept_alike(&rig, words, &[], STOP);
        }
    }
}

#[test]
fn every_byte_is_kept_the_same() {
    let (rig, _hub) = without_a_hub(0);
    let bytes: Vec<u8> = (0..=255).cycle().take(256 << 10).collect();
    for payload in [&bytes, &vec![0xFF; 256 << 10], &vec![0xFE; 255], &b"\xFFheadsup".to_vec()] {
        let named = [("HEADSUP_AGENT_ID", "api"), ("HEADSUP_AGENT_TOKEN", "t0ken")];
        assert_kept_alike(&rig, ["claude-code", "Stop"], &named, payload);
    }
    // Lengths that are themselves what is escaped.
    for length in [0xFD, 0xFE, 0xFF, 0xFEFE, 0xFFFF] {
        assert_kept_alike(&rig, ["claude-code", "Stop"], &[], &vec![b'x'; length]);
    }
}

/// It is asked, too, if it was not there when the hook began to wait for its input.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn a_hub_that_comes_while_the_input_is_read_is_told() {
    use std::io::Write as _;
    const POLL: &str = "271 ";

    // A hook on a busy machine may be too late, and keeps its report.
    let told = (0..100).any(|_| {
        let (rig, _) = without_a_hub(0);
        let (input, mut writer) = std::io::pipe().unwrap();
        let hook = rig.bare_hook(&["claude-code", "Stop"]).env("HEADSUP_HOME", rig.home());
        let mut hook = hook.stdin_from(input).spawn();
        eventually("the hook waits for its input, or has given up", || {
            let call = fs::read_to_string(format!("/proc/{}/syscall", hook.child.id()));
            let waits = call.is_ok_and(|call| call.starts_with(POLL));
            (waits || hook.child.try_wait().unwrap().is_some()).then_some(())
        });
        let requests = hub::unix(&rig.socket(), STORED);
        // It may be gone.
        writer.write_all(STOP).ok();
        drop(writer);
        hook.wait().assert_silent("a late hub");
        let bodies: Vec<_> = requests.try_iter().map(|request| request.body).collect();
        assert!(bodies.iter().all(|body| body == STOP), "{bodies:?}");
        !bodies.is_empty()
    });
    assert!(told);
}

fn ignores_broken_pipes(status: &str) -> bool {
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    let ignored = u64::from_str_radix(ignored.trim(), 16).unwrap();
    ignored >> (Signal::PIPE.as_raw() - 1) & 1 == 1
}

/// Of a hook that has ended: its last word on what it ignored.
#[cfg(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]
#[cfg(not(target_feature = "crt-static"))]
#[test]
fn the_usual_hook_needs_no_runtime_to_keep_its_report_and_an_unusual_one_does() {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

    for case in 0..3 {
        let usual: &[&str] = &["claude-code", "Stop"];
        for (words, has_runtime) in [(usual, false), (&["claude-code", "Stop", "more"], true)] {
            let (rig, _hub) = without_a_hub(case);
            let hook = || rig.bare_hook(words).env("HEADSUP_HOME", rig.home());
            let status = (0..100).find_map(|_| {
                let running = hook().spawn();
                let pid = Pid::from_child(&running.child);
                let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
                waitid(WaitId::Pid(pid), ended).unwrap();
                let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
                running.wait().assert_silent("in use");
                // One that was too late is tried again.
                (!rig.reports().is_empty()).then_some(status)
            });
            assert_eq!(ignores_broken_pipes(&status.unwrap()), has_runtime, "{case} {words:?}");
        }
    }
}

/// The runtime of the program ignores broken pipes before anything else: a hook for which they are not ignored
/// while it waits for the hub is one that it has no part in.
#[cfg(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]
#[cfg(not(target_feature = "crt-static"))]
#[test]
fn the_usual_hook_has_no_runtime_and_an_unusual_one_has() {
    use rustix::net::sockopt::socket_peercred;
    use std::fs::File;
    use std::io::Write as _;
    use std::os::fd::OwnedFd;

    for (words, has_runtime) in [(vec!["x", "Stop"], false), (vec!["x", "Stop", "more"], true)] {
        let rig = Rig::new();
        let hub = UnixListener::bind(rig.socket()).unwrap();
        let (send, ignored) = mpsc::channel();
        std::thread::spawn(move || {
            while let Ok((stream, _)) = hub.accept() {
                let pid = socket_peercred(&stream).unwrap().pid;
                let mut stream = File::from(OwnedFd::from(stream));
                hub::read(&mut stream);
                send.send(std::fs::read_to_string(format!("/proc/{pid}/status"))).unwrap();
                stream.write_all(b"HTTP/1.1 202 Accepted\r\n\r\n").ok();
            }
        });
        let hook = || rig.bare_hook(&words).env("HEADSUP_HOME", rig.home());
        rig.until_delivered("in use", hook).assert_silent("in use");
        let status = ignored.try_iter().last().unwrap().unwrap();
        assert_eq!(ignores_broken_pipes(&status), has_runtime, "{words:?}");
    }
}
