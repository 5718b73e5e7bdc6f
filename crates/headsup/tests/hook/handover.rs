//! What the program is handed that starts after all: every byte, whatever the process may not have.

use crate::hub::{self, Manner};
use crate::rig::{Hook, Rig, STOP};
use std::os::unix::net::UnixListener;

const STORED: Manner = Manner::Answers("HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
const LATER: Manner = Manner::Answers("HTTP/1.1 503 Later\r\n\r\n");

fn limited(rig: &Rig, limit: &str) -> Hook {
    rig.shell_hook(&format!("ulimit {limit}; exec \"$0\" hook custom Stop"))
}

/// Longer than what is sent: it is the program that shrinks it.
fn long() -> Vec<u8> {
    format!(r#"{{"long":"{}","session_id":"s"}}"#, "x".repeat(300_000)).into_bytes()
}

#[test]
fn a_limit_on_files_does_not_kill_what_was_read() {
    let refusing = |rig: &Rig| drop(UnixListener::bind(rig.socket()).unwrap());
    let failing = |rig: &Rig| drop(hub::unix(&rig.socket(), LATER));
    let silent = |rig: &Rig| drop(hub::unix(&rig.socket(), Manner::Silent));
    for condition in [refusing as fn(&Rig), failing, silent] {
        let rig = Rig::new();
        condition(&rig);
        for payload in [STOP.to_vec(), vec![b'x'; 100_000], long()] {
            let hook = limited(&rig, "-f 0").stdin(&payload);
            hook.run().assert_silent("no file may grow");
        }
        assert_eq!(rig.spooled(), []);
        // Blocks of 512 bytes: the report fits, what it was read from would not.
        let report = rig.until_kept("room", || limited(&rig, "-f 16").stdin(&long()));
        assert!(report.body.ends_with(br#""session_id":"s"}"#));
    }
}

#[test]
fn a_limit_on_files_keeps_nothing_from_the_hub() {
    let rig = Rig::new();
    let requests = hub::unix(&rig.socket(), STORED);
    let told = |hook: &dyn Fn() -> Hook| {
        rig.until_delivered("limited", hook).assert_silent("limited");
        requests.try_iter().last().unwrap().body
    };
    let body = told(&|| limited(&rig, "-f 0").stdin(&long()));
    assert!(body.ends_with(br#""session_id":"s"}"#));
    assert_eq!(told(&|| limited(&rig, "-f 0").unclosed_stdin(STOP)), STOP);
}

#[test]
fn two_free_descriptors_are_enough() {
    for limit in 5..8 {
        let rig = Rig::new();
        let _requests = hub::unix(&rig.socket(), LATER);
        let report = rig.until_kept("few", || limited(&rig, &format!("-n {limit}")));
        assert_eq!(report.body, STOP, "{limit}");
    }
}

#[test]
fn every_byte_arrives() {
    let bytes: Vec<u8> = (0..=255).cycle().take(256 << 10).collect();
    for payload in [&bytes, &vec![0; 256 << 10], &vec![1; 256 << 10], &b"\x01".to_vec()] {
        let rig = Rig::new();
        let _requests = hub::unix(&rig.socket(), LATER);
        let report = rig.until_kept("bytes", || rig.hook("Stop").stdin(payload));
        assert!(report.body == *payload, "{:?}", &payload[..1]);
    }
}

#[test]
fn words_that_somebody_else_has_written_hold_nobody_up() {
    let id = "a".repeat(40);
    let most = u64::MAX;
    let words = [
        // A descriptor that is never at its end.
        format!("0:1:0:{id}:0"),
        format!("1:0:{id}:0:"),
        format!("{most}:0:{id}:1:{{"),
        format!("{most}:{most}:{id}:0:"),
        format!("1:1:{id}:1:{{}}"),
        format!("0:0:{id}:1:\u{1}"),
        String::new(),
    ];
    for word in &words {
        let rig = Rig::new();
        let _requests = hub::unix(&rig.socket(), Manner::Silent);
        let hook = rig.bare_hook(&["custom", "Stop", "--after", word]).unclosed_stdin(STOP);
        hook.env("HEADSUP_HOME", rig.home()).run().assert_silent(word);
    }
    let rig = Rig::new();
    let hook = || rig.bare_hook(&["custom", "Stop", "--after", &words[0]]);
    let report = rig.until_kept("no handover", || hook().env("HEADSUP_HOME", rig.home()));
    assert_eq!(report.body, STOP);
}
