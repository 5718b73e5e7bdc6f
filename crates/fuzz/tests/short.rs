//! The short form: seeds, and seeds that chance has changed, through every door. The long one is
//! `.ci/fuzz`.

#![expect(clippy::unwrap_used, reason = "a test may fail")]

use headsup_core::spool::{Record, Report, encode};
use headsup_fuzz::DOORS;
use headsup_testkit::flood::chance;
use std::collections::BTreeSet;
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
        "{\"headsup_capture\":1,\"kind\":\"codex\"}\n{\"src\":\"transcript\",\"file\":\"/l\",\"t_ms\":1,\"line\":{}}\n",
        "{\"headsup_capture\":1,\"kind\":\"codex\"}\n[1]\n",
        "{\"headsup_capture\":1,\"kind\":\"codex\"}\n{\"src\":\"transcript\",\"file\":\"/l\",\"line\":\"x\"}\n",
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
        "{\"action\":\"created\",\"issue\":{\"id\":7,\"identifier\":\"KAN-7\",\"title\":\"t\",\"status\":\"Doing\"},\"comment\":{\"id\":\"c\",\"body\":\"/answer yes\",\"author\":{\"id\":1,\"type\":\"Bot\"},\"created_at\":\"2026-11-21T21:29:57Z\"},\"timestamp\":1795296597200}",
        "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843\0{}",
        "thanks\n\n/answer api-p1 yes\n\n> @headsup 2\nand so on\n\n```\n/answer 1\n```\n",
        "<!-- headsup:headsup:api-p1-opened -->",
        "https://github.com/ada/my.app/pull/12/files#x",
        "ada/app#12",
        "APP-12",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n",
        "[{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}]",
        "POST /mcp\naccept: text/html, application/*;q=0.5\naccept: application/json;q=0\n",
        "  0: 0100007F:1000 0100007F:C001 0A 0:0 00:0 0 1000 0 4711 1 0 100 0\n  1: 00000000000000000000000001000000:1E25 00000000000000000000000000000000:0000 0A 0:0 00:0 0 0 0 7 1\n",
        "{\"Type\":\"container\",\"Action\":\"die\",\"Actor\":{\"ID\":\"0a1b2c3d4e5f60\",\"Attributes\":{\"exitCode\":\"137\"}},\"timeNano\":1795296597200000000}\n{\"Action\":1}\n",
        "{\"State\":{\"Running\":false,\"OOMKilled\":true,\"ExitCode\":137,\"StartedAt\":\"2026-11-21T21:29:57.2Z\"},\"Name\":\"/api\"}",
        "data: one\ndata:\ndata: a line that leaves no room\r\ndata: more\r\n\r\ndata: next\n\n",
        "{\"payload\":{\"type\":\"session.status\",\"properties\":{\"sessionID\":\"ses_1\",\"status\":{\"type\":\"busy\"}}}}\n{\"payload\":{\"type\":\"permission.asked\",\"properties\":{\"sessionID\":\"ses_1\",\"id\":\"per_1\",\"permission\":\"bash\"}}}\n",
        "--model\nopus\n--port=4096\n--resume\nx\n--\nsay it\n",
        "3\t1\ta b\0-\t-\tx.png\x001\t0\t\0old\0new\0",
        "{\"schema\":1,\"cursor\":\"7\",\"rows\":[\n{\"id\":\"a\",\"kind\":\"custom\",\"headline\":\"idle\",\"since\":\"2026-11-21T21:29:57.200Z\"},\n{\"id\":\"b\",\"kind\":\"custom\",\"headline\":\"done\",\"since\":\"2026-11-21T21:29:57.200Z\"}\n]}",
        "0.162.3-alpha.1 0.10.0",
        "1:2:0123456789abcdef0123456789abcdef01234567:1:{\"a\":\u{1}\u{1}\u{1}\u{2}",
        "{\"message\":\"Validation Failed\",\"errors\":[{\"field\":\"head\",\"code\":\"invalid\"},\"x\"]}",
        "{\"number\":1,\"state\":\"open\",\"labels\":[\"bug\",{\"name\":\"in review\"}],\"created_at\":\"2026-01-02T03:04:05Z\",\"updated_at\":\"2026-01-02T03:04:05Z\"}",
        "{\"items\":[{\"id\":1,\"title\":\"a\",\"status\":\"QA\",\"body\":\"b\",\"author\":{\"name\":\"ada\"},\"created_at\":\"2026-11-21T22:00:00Z\"},5]}",
        "/issues/{task}/comments?of={body}",
        "41 0 %0 \u{2726} Working\n41 1 %1 left\n41 0 %2 \n",
        "{\"a\":\"~\",\"b\":[{\"c\":\"~\"}],\"d\":1}",
        "\u{1}\0\u{1}\u{1}\u{18}\0\u{1}\u{6}\u{1}",
    ]
    .map(|text| text.as_bytes().to_vec())
    .into();
    let report =
        Report { kind: "k".into(), id: "1".into(), body: b"{}".into(), ..Report::default() };
    seeds.push([encode(&Record::Report(report)), encode(&Record::Dropped { count: 3 })].concat());
    seeds.extend(netlink());
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../adapters/fixtures");
    seeds.extend(timelines(&fixtures));
    gather(&fixtures, &mut seeds);
    seeds
}

/// The kernel's answer of one socket, and its refusals.
fn netlink() -> [Vec<u8>; 3] {
    let answer = |kind: u16, rest: &[u8]| {
        let mut answer = vec![0; 88];
        answer[4..6].copy_from_slice(&kind.to_ne_bytes());
        answer[16..16 + rest.len()].copy_from_slice(rest);
        answer
    };
    let mut told = answer(20, &[2, 1, 0, 0, 0xC0, 1, 0x1E, 0x25]);
    told[84..].copy_from_slice(&4_711_u32.to_ne_bytes());
    [told, answer(2, &(-2_i32).to_ne_bytes()), answer(2, &[0; 4])]
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

/// `.ci/fuzz` takes the doors from where they are written, and builds with the versions that are locked.
#[test]
fn the_long_form_knows_every_door_and_what_it_is_built_of() {
    let script = include_str!("../../../.ci/fuzz");
    assert!(script.contains(r#"'s/^    ("\([a-z]*\)", .*/\1/p' crates/fuzz/src/lib.rs"#));
    let is_name = |name: &&str| name.bytes().all(|byte| byte.is_ascii_lowercase());
    let door = |line: &'static str| line.strip_prefix("    (\"")?.split_once("\", ");
    let written = include_str!("../src/lib.rs").lines().filter_map(door);
    let written: Vec<&str> = written.map(|(name, _)| name).filter(is_name).collect();
    let doors: Vec<&str> = DOORS.iter().map(|(name, _)| *name).collect();
    assert_eq!(written, doors);
    let names: BTreeSet<&str> = doors.iter().copied().collect();
    assert_eq!(names.len(), doors.len(), "two doors have one name");

    let between = |text: &'static str, begins: &str, ends: &str| {
        let (_, behind) = text.split_once(begins).unwrap();
        behind.split_once(ends).unwrap().0
    };
    let manifest = between(include_str!("../Cargo.toml"), "[dependencies]\n", "\n\n");
    let manifest: BTreeSet<&str> =
        manifest.lines().map(|line| line.split(['.', ' ']).next().unwrap()).collect();
    let lock = include_str!("../../../fuzz/Cargo.lock");
    let lock = between(lock, "name = \"headsup-fuzz\"\n", "\n]\n");
    let lock = lock.lines().filter_map(|line| line.strip_prefix(" \"")?.split(['"', ' ']).next());
    let lock: BTreeSet<&str> = lock.collect();
    assert_eq!(
        lock, manifest,
        "fuzz/Cargo.lock: cargo update --workspace --manifest-path fuzz/Cargo.toml"
    );
}
