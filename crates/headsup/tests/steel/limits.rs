//! Not enough files, not enough memory: subscribers go first, reporters last.

use crate::rig::{Client, Rig};
use headsup_testkit::flood::{self, Flood};
use headsup_testkit::home::Home;
use headsup_testkit::hook;
use headsup_testkit::hub::Hub;
use headsup_testkit::memory::MemoryGroup;
use headsup_testkit::{http, wait};
use rustix::process::Signal;
use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::process::Command;

/// What a hub may take at worst.
const MOST_KIB: u64 = 64 << 10;
/// Address space that it may take at worst where that is limited.
const MOST_RESERVED_KIB: u64 = 192 << 10;

/// A hub that a shell has put under a limit.
fn limited(home: &Home, limit: &str) -> Hub {
    behind(home, &format!("ulimit {limit}"))
}

/// A hub before which a shell has done this.
fn behind(home: &Home, first: &str) -> Hub {
    told(home, &format!("{first} && exec \"$0\" up --foreground"))
}

/// A hub that a shell starts so; `$0` is its program.
fn told(home: &Home, words: &str) -> Hub {
    let own = home.command([""; 0]);
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", words]);
    shell.arg(own.get_program()).env_clear().current_dir(home.path());
    shell.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
    Hub::start_as(shell, &home.socket())
}

fn streams(client: &Client, count: usize) -> Vec<UnixStream> {
    let open = |_| {
        let mut stream = UnixStream::connect(&client.0).ok()?;
        let request = "GET /api/v1/events?since=now HTTP/1.1\r\nHost: localhost\r\n\r\n";
        stream.write_all(request.as_bytes()).ok()?;
        Some(stream)
    };
    (0..count).filter_map(open).collect()
}

fn hook(home: &Home, session: &str) {
    let payload = serde_json::json!({
        "hook_event_name": "UserPromptSubmit", "session_id": session, "prompt": "go",
        "cwd": format!("/home/dev/{session}"),
    });
    let done = home.hook("claude-code", &payload.to_string(), &[]);
    assert_eq!((done.code, &*done.stdout, &*done.stderr), (0, "", ""));
}

#[test]
fn a_limit_of_files_sizes_is_a_disk_that_takes_no_more() {
    let rig = Rig::new();
    // Blocks of 512 bytes, or of 1024: less than the database would have after so many reports.
    let mut hub = limited(&rig.home, "-f 1024");
    let client = rig.client();
    let detail = "x".repeat(900);
    let body = |n: usize| serde_json::json!({"turn": "blocked", "reason": "question", "detail": format!("{n} {detail}")});
    let mut reports = (0..2_000).map(|n| {
        client.send("POST", &format!("/api/v1/agents/a{n}/reports"), &body(n).to_string())
    });
    let refused = reports.find(|reply| reply.status != 202).unwrap();
    assert_eq!((refused.status, refused.body["retryable"] == true), (507, true));
    assert!(!hub.has_ended());
    assert!(!client.roster().is_empty(), "reads go on");
}

#[test]
fn with_few_files_subscribers_are_refused_and_reporters_get_in() {
    let rig = Rig::new();
    let _hub = limited(&rig.home, "-n 64");
    let client = rig.client();
    let mut open = streams(&client, 15);
    wait::until("the streams", || (client.metric("headsup_subscribers") == 15).then_some(()));
    open.extend(streams(&client, 1));
    wait::until("one more", || (client.metric("headsup_subscribers") == 16).then_some(()));
    let refused = client.get("/api/v1/events");
    assert_eq!((refused.status, refused.code()), (503, "too_many_subscribers"));
    assert_eq!(client.report("a", "working").status, 202);
    hook(&rig.home, "s1");
    client.until_headline("claude-code-s1", "working");
    drop(open);
    wait::until("room", || (client.get("/api/v1/events?follow=false").status == 200).then_some(()));
}

#[test]
fn subscribers_that_are_refused_and_stay_keep_no_reporter_out() {
    let rig = Rig::new();
    let _hub = limited(&rig.home, "-n 64");
    let client = rig.client();
    let mut open = streams(&client, 16);
    wait::until("the streams", || (client.metric("headsup_subscribers") == 16).then_some(()));
    for mut refused in streams(&client, 64) {
        let mut answer = String::new();
        // To its end, which is the hub's doing.
        refused.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
        assert!(answer.contains("connection: close\r\n"), "{answer}");
        open.push(refused);
    }
    for n in 0..20 {
        assert_eq!(client.report(&format!("a{n}"), "working").status, 202);
    }
    assert_eq!(client.metric("headsup_subscribers"), 16);
}

#[test]
fn where_there_are_too_few_files_that_is_said_first_and_in_words() {
    for (files, words, said) in [
        (6, "up", "error: cannot start the runtime: "),
        (6, "up --foreground", "error: the hub may open 6 files and needs "),
        (
            24,
            "up",
            "error: the hub did not start; it said: error: the hub may open 24 files and needs ",
        ),
        (24, "up --foreground", "error: the hub may open 24 files and needs "),
    ] {
        let rig = Rig::new();
        let own = rig.home.command([""; 0]);
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", &format!("ulimit -n {files}; exec \"$0\" {words}")]);
        shell.arg(own.get_program()).env_clear().current_dir(rig.home.path());
        shell.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let done = shell.output().unwrap();
        let stderr = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(1), "{files} {words}: {stderr}");
        assert!(stderr.starts_with(said), "{files} {words}: {stderr}");
        assert!(!stderr.contains("panicked"), "{files} {words}: {stderr}");
    }
}

#[test]
fn when_no_file_is_left_reports_wait_in_the_spool_and_arrive() {
    let rig = Rig::new();
    let _hub = limited(&rig.home, "-n 48");
    let client = rig.client();
    // Whoever connects and says nothing costs a file as well, until its time is up.
    let idle: Vec<_> = (0..100).filter_map(|_| UnixStream::connect(&client.0).ok()).collect();
    assert!(idle.len() > 48);
    let session = |n: &u32| format!("s{n}");
    let late: Vec<_> =
        (0..8).filter(|n| hook::times(|| hook(&rig.home, &session(n))) > 1).collect();
    drop(idle);
    rig.home.is_told();
    // One that ran out of its time may have kept nothing; every other one arrives.
    for n in late {
        let is_known = || client.headline(&format!("claude-code-s{n}")).is_some();
        if !is_known() {
            hook::until(
                "a late one",
                || hook(&rig.home, &session(&n)),
                || {
                    rig.home.is_told();
                    is_known().then_some(())
                },
            );
        }
    }
    for n in 0..8 {
        client.until_headline(&format!("claude-code-s{n}"), "working");
    }
    let started = client.log(0).iter().filter(|e| e["type"] == "turn.started").count();
    assert_eq!(started, 8, "each once");
    assert_eq!(client.metric("headsup_panics_total"), 0);
}

#[test]
fn large_reports_from_everywhere_fit_into_little_memory() {
    let rig = Rig::new();
    let group = MemoryGroup::new();
    // Address space: far more than it needs.
    let limit = "ulimit -v 1048576";
    let hub = if let Some(group) = &group {
        // It also counts what is no memory of the hub's own: files of a tmpfs, and what lies in sockets.
        group.limit((2 * MOST_KIB) << 10);
        behind(&rig.home, &format!("echo 0 > {} && {limit}", group.door().display()))
    } else {
        eprintln!("no control group can be made here: the system does not hold the hub to it");
        behind(&rig.home, limit)
    };
    let client = rig.client();
    let body = serde_json::json!({
        "hook_event_name": "PostToolUse", "session_id": "s", "tool_name": "Bash",
        "tool_use_id": "t", "tool_response": "x".repeat(1 << 20),
    })
    .to_string();
    let (client, body) = (&client, &body);
    std::thread::scope(|scope| {
        for _ in 0..32 {
            scope.spawn(move || {
                for _ in 0..4 {
                    let target = "/api/v1/hooks/claude-code";
                    let (status, _) = http::post(&client.0, target, body.as_bytes()).unwrap();
                    assert_eq!(status, 202);
                }
            });
        }
    });
    assert_eq!(client.report("a", "working").status, 202);
    assert!(client.is_ok());
    // And it has not taken more than that at any moment.
    let status = fs::read_to_string(format!("/proc/{}/status", hub.pid())).unwrap();
    let most = |name: &str| -> u64 {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.split_whitespace().next().unwrap().parse().unwrap()
    };
    let kib = most("VmHWM:");
    assert!(kib <= MOST_KIB, "{kib} KiB");
    // Nor reserved, as each thread would do for itself: between them they would use up a limit.
    let kib = most("VmPeak:");
    assert!(kib <= MOST_RESERVED_KIB, "{kib} KiB");
    drop(hub);
    if let Some(group) = group {
        assert_eq!(group.killed(), Some(0));
    }
}

fn environment(hub: &Hub) -> Vec<String> {
    let words = fs::read_to_string(format!("/proc/{}/environ", hub.pid())).unwrap();
    words.split('\0').map(str::to_owned).collect()
}

#[test]
fn under_a_limit_of_space_a_hub_begins_anew_once_and_as_somebody_has_said_before() {
    const SHARED: &str = "MALLOC_ARENA_MAX=1";
    let is_in = |word: &str, hub: &Hub| environment(hub).iter().any(|own| own == word);
    let rig = Rig::new();
    let hub = limited(&rig.home, "-v 1048576");
    assert!(is_in(SHARED, &hub) && is_in("HEADSUP_BEGUN_ANEW=1", &hub));
    drop(hub);
    // From a program that has more rights than its user the C library may take its own word away again.
    let taken = "ulimit -v 1048576 && export HEADSUP_BEGUN_ANEW=1";
    assert!(!is_in(SHARED, &behind(&rig.home, taken)));
    let hub = behind(&rig.home, "ulimit -v 1048576 && export MALLOC_ARENA_MAX=2");
    assert!(is_in("MALLOC_ARENA_MAX=2", &hub) && !is_in(SHARED, &hub));
}

#[test]
fn a_hub_that_cannot_begin_anew_outlives_its_clients() {
    let rig = Rig::new();
    // Its program is deleted before it runs.
    let hub = told(
        &rig.home,
        "ulimit -v 1048576 && cp \"$0\" gone && exec 3<gone && rm gone \
         && exec /proc/self/fd/3 up --foreground",
    );
    assert!(!environment(&hub).iter().any(|word| word.starts_with("MALLOC_ARENA_MAX=")));
    let status = fs::read_to_string(format!("/proc/{}/status", hub.pid())).unwrap();
    let is_seen_to = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        let signals = u64::from_str_radix(line.trim(), 16).unwrap();
        (signals >> (Signal::PIPE.as_raw() - 1)) & 1 == 1
    };
    assert!(is_seen_to("SigIgn:") || is_seen_to("SigCgt:"), "whoever hangs up ends it");
}

/// Everything runs by turns where there is one processor: a thread that never waits would stop all.
#[test]
fn on_one_processor_a_crowd_holds_up_no_reporter() {
    let rig = Rig::new();
    let own = rig.home.command(["up", "--foreground"]);
    let mut alone = Command::new("taskset");
    alone.args(["--cpu-list", "0"]).arg(own.get_program()).args(own.get_args()).env_clear();
    alone.current_dir(rig.home.path());
    alone.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let _hub = Hub::start_as(alone, &rig.home.socket());
    let client = rig.client();
    let open = streams(&client, 100);
    wait::until("the streams", || (client.metric("headsup_subscribers") == 100).then_some(()));
    let flood = Flood { connections: 16, each: 20 };
    assert_eq!(flood::agents(&client.0, flood).unwrap(), [(202, 320)].into());
    hook(&rig.home, "s1");
    client.until_headline("claude-code-s1", "working");
    drop(open);
    assert!(client.is_ok());
}

#[test]
fn whoever_says_nothing_leaves_sooner_where_files_are_short() {
    let rig = Rig::new();
    let _hub = limited(&rig.home, "-n 64");
    let client = rig.client();
    let idle: Vec<_> = (0..100).filter_map(|_| UnixStream::connect(&client.0).ok()).collect();
    // One that came in when most others had, and the first of them, which has the usual time.
    let (mut first, mut late) = (&idle[0], &idle[45]);
    late.read_to_end(&mut Vec::new()).unwrap();
    first.set_nonblocking(true).unwrap();
    let still_open = first.read(&mut [0]).unwrap_err();
    assert_eq!(still_open.kind(), std::io::ErrorKind::WouldBlock);
    assert_eq!(client.report("a", "working").status, 202);
}
