//! L: what may become of the log that an agent writes. A hub that follows it hears the next good
//! line all the same, and nothing of what came before.

use crate::rig::{Call, Rig};
use headsup_core::time::UnixMs;
use headsup_testkit::home::Home;
use headsup_testkit::hub::Hub;
use headsup_testkit::wait;
use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::json;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

const SKIPPED: &str = "headsup_log_lines_skipped_total";

/// What happens to the log of a working agent.
type Happens = fn(&Path);

struct Row {
    sort: &'static str,
    case: &'static str,
    happens: Happens,
    /// Lines that are counted as none.
    skipped: u64,
    /// The log is no log any more; it is put back before anything else is said.
    lost: bool,
}

const fn row(sort: &'static str, case: &'static str, happens: Happens, skipped: u64) -> Row {
    Row { sort, case, happens, skipped, lost: false }
}

const fn lost(sort: &'static str, case: &'static str, happens: Happens) -> Row {
    Row { sort, case, happens, skipped: 0, lost: true }
}

pub(crate) fn append(log: &Path, bytes: &[u8]) {
    OpenOptions::new().append(true).create(true).open(log).unwrap().write_all(bytes).unwrap();
}

/// What a log says when a person interrupts: long ago.
fn interruption(session: &str) -> String {
    interruption_at(session, UnixMs(1_795_296_597_200))
}

pub(crate) fn interruption_now(session: &str) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
    interruption_at(session, UnixMs(i64::try_from(now).unwrap()))
}

fn interruption_at(session: &str, at: UnixMs) -> String {
    json!({
        "type": "user", "sessionId": session, "isSidechain": false, "promptId": "p1",
        "message": {"role": "user", "content": [
            {"type": "text", "text": "[Request interrupted by user]"}]},
        "timestamp": at.to_string(),
    })
    .to_string()
}

const ROWS: &[Row] = &[
    row(
        "4 not UTF-8",
        "bytes that are not UTF-8",
        |log| append(log, b"{\"type\":\"\xff\xfe\"}\n"),
        0,
    ),
    row(
        "5 control characters",
        "control characters",
        |log| append(log, b"{\"type\":\"\\u0000\\u001b[2J\"}\n"),
        0,
    ),
    row(
        "24 half a line",
        "half a line that never ends well",
        |log| append(log, b"{\"type\":\"us\n"),
        1,
    ),
    row(
        "25 endless line",
        "a line of a hundred megabytes",
        |log| {
            append(log, b"{\"type\":\"");
            // Zeros that take no room on the disk.
            let file = OpenOptions::new().write(true).open(log).unwrap();
            file.set_len(file.metadata().unwrap().len() + 100_000_000).unwrap();
            append(log, b"\"}\n");
        },
        1,
    ),
    row(
        "26 cut to nothing",
        "cut to nothing, the past written again",
        |log| fs::write(log, format!("{}\n", interruption("session"))).unwrap(),
        0,
    ),
    row(
        "27 rotated",
        "moved away, another in its place",
        |log| {
            fs::rename(log, log.with_extension("old")).unwrap();
            fs::write(log, format!("{}\n", interruption("session"))).unwrap();
        },
        0,
    ),
    lost("28 link", "a link in its place", |log| {
        fs::rename(log, log.with_extension("target")).unwrap();
        symlink(log.with_extension("target"), log).unwrap();
    }),
    lost("28 folder", "a folder in its place", |log| {
        fs::remove_file(log).unwrap();
        fs::create_dir(log).unwrap();
    }),
    lost("28 pipe", "a pipe in its place", |log| {
        fs::remove_file(log).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, log, rustix::fs::Mode::RWXU).unwrap();
    }),
    lost("29 gone and back", "gone", |log| fs::remove_file(log).unwrap()),
    row("30 garbage", "garbage", |log| append(log, &(0..=255_u8).collect::<Vec<_>>()), 1),
    row(
        "30 line ends",
        "line ends of two kinds",
        |log| append(log, b"\r\n{\"type\":\"x\"}\r\n\r\n"),
        2,
    ),
    row(
        "30 another version",
        "another version's lines",
        |log| append(log, b"{\"kind\":9}\n[1]\n\"x\"\n7\n"),
        4,
    ),
    row(
        "8 nested without end",
        "nesting without end",
        |log| append(log, &[&[b'['; 100_000][..], b"\n"].concat()),
        1,
    ),
    row(
        "10 member twice",
        "a member twice",
        |log| append(log, b"{\"type\":\"user\",\"type\":\"x\"}\n"),
        0,
    ),
    row(
        "7 byte order mark",
        "a mark before a line",
        |log| append(log, b"\xef\xbb\xbf{\"type\":\"x\"}\n"),
        0,
    ),
    row(
        "6 hidden characters",
        "a title that turns and hides text",
        |log| {
            let title =
                "{\"type\":\"ai-title\",\"aiTitle\":\"\u{202e}\u{200b}\u{e0041}t\u{9b}\"}\n";
            append(log, title.as_bytes());
        },
        0,
    ),
    row(
        "15 illegal id",
        "a line of a session whose name is a path",
        |log| append(log, format!("{}\n", interruption_now("../../session")).as_bytes()),
        0,
    ),
    row(
        "24 half a line",
        "a line that comes in two pieces",
        |log| {
            append(log, b"{\"type\":");
            append(log, b"\"x\"}\n");
        },
        0,
    ),
    row(
        "27 inode again",
        "removed, another with its number in its place",
        |log| {
            fs::remove_file(log).unwrap();
            fs::write(log, format!("{}\n", interruption("session"))).unwrap();
        },
        0,
    ),
];

pub(crate) fn sorts() -> Vec<&'static str> {
    ROWS.iter().map(|row| row.sort).collect()
}

/// Comes back when the hub has read what was appended by then: it begins to follow a log behind its first hook.
#[track_caller]
pub(crate) fn is_followed(rig: &Rig, log: &Path, case: &str) {
    wait::until(&format!("{case}: the log to be followed"), || {
        let before = rig.counter(SKIPPED);
        append(log, b"\nno line\n");
        let end = Instant::now() + Duration::from_secs(1);
        while Instant::now() < end {
            if rig.counter(SKIPPED) > before {
                return Some(());
            }
        }
        None
    });
}

#[test]
fn whatever_becomes_of_a_log_the_next_good_line_is_heard_and_nothing_else() {
    for Row { sort, case, happens, skipped, lost } in ROWS {
        let case = format!("{sort}: {case}");
        let rig = Rig::new();
        let log = rig.home.path().join("log.jsonl");
        fs::write(&log, "{\"type\":\"summary\"}\n").unwrap();
        let hook = |event: &str, session: &str, log: &Path| {
            let payload = json!({
                "hook_event_name": event, "session_id": session, "prompt_id": "p1", "prompt": "go",
                "cwd": format!("/home/dev/{session}"), "transcript_path": log,
            });
            let payload = payload.to_string();
            rig.hook(&case, &Call { payload: payload.as_bytes(), ..Call::default() });
        };
        hook("UserPromptSubmit", "session", &log);
        is_followed(&rig, &log, &case);
        let before = rig.counter(SKIPPED);
        happens(&log);
        wait::until(&format!("{case}: {skipped} lines that are none"), || {
            (rig.counter(SKIPPED) >= before + skipped).then_some(())
        });
        let noted = || rig.noted("claude-code-session");
        if *lost {
            wait::until(&format!("{case}: a word on the log that is lost"), || {
                (noted() == ["source_lost"]).then_some(())
            });
            match fs::remove_file(&log) {
                Err(_) if log.is_dir() => fs::remove_dir(&log).unwrap(),
                _ => {}
            }
            fs::write(&log, "{\"type\":\"summary\"}\n").unwrap();
        }
        // The hub has seen what there is to see when it counts what comes behind it.
        is_followed(&rig, &log, &case);
        rig.stands(&case);
        let flaw = if *sort == "4 not UTF-8" { &["lossy"][..] } else { &[] };
        assert_eq!(noted(), flaw, "{case}: what is there again is not lost");
        assert_eq!(rig.flaws("lossy"), u64::from(!flaw.is_empty()), "{case}");
        assert_eq!(rig.roster()["claude-code-session"], "working", "{case}: what is no edge");
        append(&log, format!("{}\n", interruption_now("session")).as_bytes());
        wait::until(&format!("{case}: the interruption"), || {
            (rig.roster()["claude-code-session"] == "idle").then_some(())
        });
        rig.stands(&case);
    }
}

/// A prompt of a session that calls this its log.
fn prompt(rig: &Rig, session: &str, log: &Path) {
    let payload = json!({
        "hook_event_name": "UserPromptSubmit", "session_id": session, "prompt": "go",
        "cwd": format!("/home/dev/{session}"), "transcript_path": log,
    });
    let payload = payload.to_string();
    rig.hook("28", &Call { payload: payload.as_bytes(), ..Call::default() });
}

/// Comes back when every log that nobody watches has been looked at: those that are not there are looked for in the
/// same round.
fn two_rounds(rig: &Rig, hook: impl Fn(&str, &Path)) {
    for round in ["one", "two"] {
        let log = rig.home.path().join(round);
        hook(round, &log);
        let before = rig.counter(SKIPPED);
        fs::write(&log, "").unwrap();
        wait::until("a round", || {
            append(&log, b"no line\n");
            (rig.counter(SKIPPED) > before).then_some(())
        });
    }
}

/// 28: what a hook calls its log is a terminal. A hub in the background leads a session: one that it opens and that
/// nobody has may become its own, and it would end with it.
#[test]
fn a_terminal_is_no_log() {
    let home = Home::new(env!("CARGO_BIN_EXE_headsup"));
    let up = home.command(["up", "--foreground"]);
    let mut leader = Command::new("setsid");
    leader.arg(up.get_program()).args(up.get_args()).env_clear();
    leader.envs(up.get_envs().filter_map(|(name, value)| Some((name, value?))));
    leader.current_dir(home.path()).stdin(Stdio::null());
    let hub = Hub::start_as(leader, &home.socket());
    let rig = Rig::of(home, hub);
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let master = openpt(flags).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    // Whoever has it is in no session of its own.
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let open = rustix::fs::open(&*name, flags, Mode::empty()).unwrap();
    let hook = |session: &str, log: &Path| prompt(&rig, session, log);
    hook("terminal", Path::new(name.to_str().unwrap()));
    two_rounds(&rig, hook);
    let stat = fs::read_to_string(format!("/proc/{}/stat", rig.pid())).unwrap();
    let (_, fields) = stat.rsplit_once(')').unwrap();
    let fields: Vec<&str> = fields.split_whitespace().collect();
    assert_eq!(fields[3], rig.pid().to_string(), "it leads a session");
    assert_eq!(fields[4], "0", "it has no terminal");
    drop((open, master));
    rig.stands("28");
}

/// 28: what a hook calls its log is a device, which has no end.
#[test]
fn a_device_is_no_log() {
    let rig = Rig::new();
    let hook = |session: &str, log: &Path| prompt(&rig, session, log);
    hook("zero", Path::new("/dev/zero"));
    hook("random", Path::new("/dev/urandom"));
    two_rounds(&rig, hook);
    rig.stands("28");
    let headlines: Vec<String> = rig.roster().into_values().collect();
    assert_eq!(headlines, ["working"; 4]);
    let status = fs::read_to_string(format!("/proc/{}/status", rig.pid())).unwrap();
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    let kib: u64 = resident.split_whitespace().next().unwrap().parse().unwrap();
    assert!(kib < 256 << 10, "{kib} KiB");
}
