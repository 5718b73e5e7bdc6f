//! What runs before the runtime tells the hub the same, byte for byte, as the program would. A further word on
//! the command line, which changes nothing else, is left to the program.

use crate::hub::{self, Manner, Request};
use crate::rig::{Hook, Rig, STOP, eventually};
use std::sync::mpsc;

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

/// The hub takes the first report and does not say so in time: it is kept under the same id, and so told once.
#[test]
fn what_the_hub_may_have_is_kept_under_its_id() {
    for manner in [Manner::Silent, Manner::Answers("HTTP/1.1 503 Later\r\n\r\n")] {
        let rig = Rig::new();
        let requests = hub::unix(&rig.socket(), manner);
        let kept = rig.until_kept("untold", || rig.hook("Stop"));
        // It reads when it can; what was sent stays to be read.
        let mut sent = || requests.try_iter().find(|r| r.header("X-Headsup-Id") == Some(&kept.id));
        eventually("the hub was asked", &mut sent);
        assert!(sent().is_none(), "it was asked once");
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

#[test]
fn closed_descriptors_are_harmless() {
    let rig = Rig::new();
    let answer = "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n{\"ok\":true}\n";
    let _requests = hub::unix(&rig.socket(), Manner::Answers(answer));
    for closed in [">&-", "2>&-", ">&- 2>&-", "<&-", "<&- >&- 2>&-"] {
        let script = format!("exec \"$0\" hook custom Stop {closed}");
        rig.shell_hook(&script).run().assert_harmless(closed);
    }
}
