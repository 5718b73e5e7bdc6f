//! Every byte goes through unchanged and at once, whatever it is.

use crate::rig::Rig;
use headsup_testkit::wait;
use serde_json::json;
use std::io::Write as _;
use std::os::unix::process::ExitStatusExt as _;

/// As many messages as a busy hour has.
const HOUR: u32 = 200_000;

/// The same for the same seed.
struct Random(u64);

impl Random {
    fn next(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below
    }
}

/// Messages, and what is none: blank lines, broken JSON, bytes that are no text, long lines.
fn traffic(count: u32) -> Vec<u8> {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut bytes = Vec::new();
    for number in 0..count {
        let text = "word é ".repeat(usize::try_from(random.next(12)).unwrap());
        let session = format!("s{}", random.next(4));
        let update = |update: &str| {
            let update = json!({"sessionUpdate": update, "content": {"text": text}});
            let params = json!({"sessionId": session, "update": update});
            json!({"jsonrpc": "2.0", "method": "session/update", "params": params}).to_string()
        };
        let line = match random.next(1_000) {
            0 => "x".repeat(300_000),
            1 => format!("{{\"a\":\"{}\"}}", "\\\"".repeat(60_000)),
            2..20 => String::new(),
            20..40 => "{\"jsonrpc\":\"2.0\",".to_owned(),
            40..60 => format!("{}\r", update("plan")),
            60..80 => {
                bytes.extend_from_slice(&[0xff, 0, 0xfe, b'"', b'{', 0x80]);
                String::new()
            }
            80..120 => json!({"id": number, "result": {"stopReason": "end_turn"}}).to_string(),
            120..160 => {
                let params = json!({"sessionId": session, "prompt": [{"text": text}]});
                json!({"id": number, "method": "session/prompt", "params": params}).to_string()
            }
            160..200 => {
                let params = json!({"sessionId": session, "options": []});
                json!({"id": number, "method": "session/request_permission", "params": params})
                    .to_string()
            }
            200..300 => update("tool_call"),
            _ => update("agent_message_chunk"),
        };
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
    }
    bytes.extend_from_slice(b"{\"no\":\"end\"");
    bytes
}

#[test]
fn an_hour_of_traffic_goes_through_unchanged_both_ways() {
    let rig = Rig::new();
    let mut talk = rig.talk("exec cat");
    let sent = traffic(HOUR);
    let mut input = talk.input.take().unwrap();
    let (writes, mut random) = (sent.clone(), Random(7));
    let writer = std::thread::spawn(move || {
        let mut rest = &writes[..];
        while !rest.is_empty() {
            let length = usize::try_from(random.next(20_000) + 1).unwrap().min(rest.len());
            input.write_all(&rest[..length]).unwrap();
            rest = &rest[length..];
        }
    });
    let came = talk.rest();
    writer.join().unwrap();
    let same = came.iter().zip(&sent).take_while(|(a, b)| a == b).count();
    assert!(came == sent, "{same} bytes came right, {} of {}", came.len(), sent.len());
    assert_eq!(talk.ends().code(), Some(0));
}

#[test]
fn what_is_written_arrives_at_once_and_not_by_lines() {
    let rig = Rig::new();
    let mut talk = rig.talk("exec cat");
    let mut length = 0;
    for piece in ["{\"a\"", ":", "1", "}", "\n", "\n", "x"] {
        talk.write(piece.as_bytes()).unwrap();
        length += piece.len();
        assert!(talk.reads(length).ends_with(piece.as_bytes()));
    }
}

#[test]
fn a_client_that_says_no_more_still_hears_the_agent() {
    let rig = Rig::new();
    let mut talk = rig.talk("cat >/dev/null; printf bye; exit 7");
    talk.write(b"{}\n").unwrap();
    talk.closes();
    assert_eq!(talk.rest(), b"bye");
    assert_eq!(talk.ends().code(), Some(7));
}

#[test]
fn an_agent_that_says_no_more_still_hears_the_client() {
    let rig = Rig::new();
    let mut talk = rig.talk("printf done; exec 1>&-; read -r word; exit \"$word\"");
    assert_eq!(talk.rest(), b"done");
    assert!(talk.child.try_wait().unwrap().is_none());
    talk.write(b"9\n").unwrap();
    assert_eq!(talk.ends().code(), Some(9));
}

#[test]
fn a_client_whose_agent_hears_no_more_learns_of_it() {
    let rig = Rig::new();
    let mut talk = rig.talk("exec 0<&-; printf deaf; exec sleep 600");
    talk.reads(4);
    wait::until("the pipe to break", || talk.write(b"{}\n").is_err().then_some(()));
}

#[test]
fn an_agent_that_nobody_hears_ends_as_it_would_without_us() {
    let rig = Rig::new();
    let mut talk = rig.talk("trap - PIPE; while :; do echo x; done 2>/dev/null");
    talk.reads(10);
    talk.stops_listening();
    let status = talk.ends();
    // A shell may be told by an error instead, and leave with a code.
    assert!(status.signal() == Some(13) || status.code().is_some_and(|code| code > 0), "{status}");
}

#[test]
fn what_an_agent_said_before_its_end_arrives_though_others_hold_its_output() {
    let rig = Rig::new();
    let mut talk = rig.talk("sleep 600 2>/dev/null & head -c 300000 /dev/zero; exit 4");
    assert_eq!(talk.rest().len(), 300_000);
    assert_eq!(talk.ends().code(), Some(4));
}
