//! The short form: seeds, and seeds that chance has changed, through every door. The long one is
//! `.ci/fuzz`.

#![expect(clippy::unwrap_used, reason = "a test may fail")]

use headsup_core::spool::{Record, Report, encode};
use headsup_fuzz::DOORS;
use headsup_testkit::flood::chance;
use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

/// How often each seed is changed, for each door.
const ROUNDS: u64 = 6;

/// Hand-made beginnings, then what agents really wrote.
fn seeds() -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = [
        "",
        "{}",
        "{\"turn\":\"blocked\",\"reason\":\"question\",\"detail\":\"which?\"}",
        "{\"model\": \"opus\", // mine\n \"hooks\": {\"Stop\": [{\"hooks\": []}], }\n}\n",
        "HTTP/1.1 202 Accepted\r\ncontent-length: 7\r\n\r\n",
        "id: 7\nevent: turn.started\ndata: {\"a\":1}\n\n: still here\n\n",
        "4:memory:/docker/0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9\n0::/x:y\n",
        "1h30m",
        "blocked,done,attention",
        "18446744073709551615",
        "since=0&agent=a%2Fb&type=turn.started&follow=false",
        "agent=api&agent=web&type=agent.registered",
        "agent=api-2",
        "status=blocked,absent&label=team=core&all=true",
        "unix:/run/headsup.sock",
        "http://127.0.0.1:7717/",
        "https://[::1]:8443",
        "{\"t_ms\":18446744073709551615,\"src\":\"hook\",\"payload\":{\"hook_event_name\":\"SessionEnd\"}}\n",
        "{\"t_ms\":7,\"src\":\"registry\",\"file\":\"7.json\",\"record\":{\"updatedAt\":-9223372036854775808}}\n",
        "colour = \"never\"\n[retention]\ndays = 7\n",
        "2026-11-21T21:29:57.200Z",
        ">{\"id\":1,\"method\":\"session/prompt\",\"params\":{\"sessionId\":\"s\"}}\n{\"id\":2,\"method\":\"session/request_permission\",\"params\":{\"sessionId\":\"s\",\"options\":[{\"optionId\":\"y\"}]}}\n>{\"id\":2,\"result\":{\"outcome\":{\"optionId\":\"y\"}}}\n{\"id\":1,\"result\":{\"stopReason\":\"end_turn\"}}\n",
        "{\"type\":\"turn.started\"}\n{\"type\":\"result\",\"is_error\":true,\"subtype\":\"x\"}\n{\"type\":\"step_finish\",\"part\":{\"reason\":\"stop\"}}\n",
        "state=blocked:kind=permission:msg=Z28/",
        "\u{1b}]7501;?\u{1b}\\\u{1b}]0;\u{2733} x\u{7}\u{1b}]9;4;1;50\u{7}\u{1b}]7501;state=idle\u{1b}\\",
        "\u{1b}]7501;?:states=idle,done\u{7}y",
        "{\"method\":\"turn/started\",\"params\":{\"threadId\":\"t\",\"turn\":{\"id\":\"u\"}}}",
        "{\"headsup_capture\":1}\n{\"src\":\"transcript\",\"file\":\"/l\",\"t_ms\":1,\"line\":{}}\n",
        "{\"headsup_capture\":1}\n[1]\n",
        "{\"headsup_capture\":1}\n{\"src\":\"transcript\",\"file\":\"/l\",\"line\":\"x\"}\n",
        "{\"cwd\":\"/home/zebediah/src\",\"session_id\":\"s\",\"prompt\":\"I am zebediah\"}",
        "7 (a) b) S 1 7 7 0 -1 4194560 1 0 0 0 5 6 0 0 20 0 1 0 4242 1 1",
        "GET /x HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhiGET / HTTP/1.1\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n",
        "GET /open?code=x\nhost: 127.0.0.1:7717\n",
        "POST /api/v1/agents\nhost: localhost:7717\nauthorization: Bearer 0123456789abcdef\ncontent-type: application/json\norigin: http://localhost:7717\nsec-fetch-site: same-origin\n",
        "GET /\nhost: localhost\nx-headsup-id: 1\nx-headsup-agent: a\nx-headsup-spooled-at: 2026-11-21T21:29:57.200Z\ncookie: headsup_7717=1.x\n",
        "localhost:7717",
        "[::1]:0",
        "hub.example.net:443",
        "event:turn.started",
        "{\"pid\":4242,\"sessionId\":\"s\",\"status\":\"busy\",\"cwd\":\"/x\",\"startedAt\":1}",
        "{\"env\":{\"TMUX_PANE\":\"%5\"},\"parents\":[{\"pid\":1,\"start\":2,\"comm\":\"sh\"}]}",
    ]
    .map(|text| text.as_bytes().to_vec())
    .into();
    let report =
        Report { kind: "k".into(), id: "1".into(), body: b"{}".into(), ..Report::default() };
    seeds.push([encode(&Record::Report(report)), encode(&Record::Dropped { count: 3 })].concat());
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../adapters/fixtures");
    seeds.extend(timelines(&fixtures));
    gather(&fixtures, &mut seeds);
    seeds
}

/// The beginnings of whole recordings.
fn timelines(fixtures: &Path) -> Vec<Vec<u8>> {
    let cases = ["interrupt", "resume_after_kill", "exit_ways"];
    let read = |case: &str| {
        let file = fixtures.join("claude-code/2.1.330").join(case).join("timeline.jsonl");
        let text = fs::read_to_string(file).unwrap();
        let lines = text.lines().filter(|line| line.len() < 1_200).take(48);
        lines.collect::<Vec<_>>().join("\n").into_bytes()
    };
    cases.map(read).into()
}

/// A few lines of each recording.
fn gather(folder: &Path, seeds: &mut Vec<Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            gather(&path, seeds);
        } else if path.extension().is_some_and(|ending| ending == "jsonl") {
            let text = fs::read(&path).unwrap();
            let lines = text.split(|byte| *byte == b'\n').filter(|line| line.len() < 4_000);
            for line in lines.step_by(9).take(4) {
                let row: serde_json::Value = serde_json::from_slice(line).unwrap_or_default();
                let payload = &row["payload"];
                seeds.push(if payload.is_object() {
                    payload.to_string().into()
                } else {
                    line.into()
                });
            }
        }
    }
}

/// Cuts, flips, repeats, and mixes in what parsers stumble over.
fn change(seed: &[u8], chance: &mut impl Iterator<Item = u64>) -> Vec<u8> {
    const TROUBLE: [&[u8]; 12] = [
        b"\"",
        b"\\",
        b"{",
        b"]",
        b"\0",
        b"\xff",
        b"\r\n\r\n",
        b"\\ud800",
        b"1e999",
        b"\xe2\x80\xae",
        b"\x1b[31m",
        b"18446744073709551616",
    ];
    let mut bytes = seed.to_vec();
    let mut number = |most: usize| {
        usize::try_from(chance.next().unwrap_or(0) % (most.max(1) as u64)).unwrap_or(0)
    };
    for _ in 0..=number(4) {
        let at = number(bytes.len() + 1);
        match number(5) {
            0 => bytes.truncate(at),
            1 if at < bytes.len() => bytes[at] ^= 1 << number(8),
            2 => drop(bytes.splice(at..at, TROUBLE[number(TROUBLE.len())].iter().copied())),
            3 => {
                let end = at + number(bytes.len() + 1 - at);
                drop(bytes.drain(at..end));
            }
            _ => {
                let end = at + number(bytes.len() + 1 - at);
                let again = bytes[at..end].to_vec();
                bytes.splice(at..at, again);
            }
        }
    }
    bytes
}

#[test]
fn no_parser_breaks_a_promise() {
    let seeds = seeds();
    assert!(seeds.len() > 100, "{}", seeds.len());
    let mut broken = Vec::new();
    for (name, door) in DOORS {
        let mut chance = chance(DOORS.len() as u64);
        for seed in &seeds {
            for round in 0..=ROUNDS {
                let input = if round == 0 { seed.clone() } else { change(seed, &mut chance) };
                if catch_unwind(|| door(&input)).is_err() {
                    broken.push(format!("{name}: {:?}", String::from_utf8_lossy(&input)));
                    break;
                }
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
