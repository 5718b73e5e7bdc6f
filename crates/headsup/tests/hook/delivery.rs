//! A hub that listens: what it is told, and what the agent gets to see.

use crate::hub::{self, Manner};
use crate::rig::{Hook, KIND, Rig, STOP};
use headsup_testkit::tls::{Authority, Certificate, Front};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

const STORED: Manner = Manner::Answers("HTTP/1.1 202 Accepted\r\nContent-Length: 7\r\n\r\nno talk");

#[test]
fn a_stored_report_is_neither_printed_nor_kept() {
    let rig = Rig::new();
    let requests = hub::unix(&rig.socket(), STORED);
    rig.until_delivered("202", || rig.hook("Stop")).assert_silent("202");

    let request = requests.recv().unwrap();
    let mut lines = request.head.lines();
    assert_eq!(lines.next(), Some("POST /api/v1/hooks/claude-code?event=Stop HTTP/1.1"));
    assert_eq!(request.header("Host"), Some("localhost"));
    assert_eq!(request.header("Content-Type"), Some("application/json"));
    assert_eq!(request.header("Connection"), Some("close"));
    assert!((1..=128).contains(&request.header("X-Headsup-Id").unwrap().len()));
    for absent in ["Authorization", "X-Headsup-Agent", "X-Headsup-Agent-Token", "Origin"] {
        assert_eq!(request.header(absent), None);
    }
    assert_eq!(request.body, STOP);
}

#[test]
fn the_answer_to_the_agent_is_printed_if_it_is_whole() {
    let rig = Rig::new();
    let answer = "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n{\"ok\":true}\n and what follows";
    let _requests = hub::unix(&rig.socket(), Manner::Answers(answer));
    let seen = rig.until_delivered("200", || rig.hook("Stop"));
    assert_eq!(seen.stdout, b"{\"ok\":true}\n");

    for answer in [
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n{\"ok\":true}\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 9999999\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        "HTTP/1.1 204 Empty\r\nContent-Length: 2\r\n\r\n{}",
    ] {
        let rig = Rig::new();
        let _requests = hub::unix(&rig.socket(), Manner::Answers(answer));
        rig.until_delivered(answer, || rig.hook("Stop")).assert_silent(answer);
    }
}

/// It may be anybody's server that listens there.
#[test]
fn what_no_agent_could_read_is_not_printed() {
    for body in ["not json!", "<html></html>", "[1]", "{\"ok\":tru}", "{\"a\":1}{}", "{\"a\":[}"] {
        let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        let answer: &str = Box::leak(answer.into_boxed_str());
        for words in [&["claude-code", "Stop"][..], &["claude-code", "Stop", "more"]] {
            let rig = Rig::new();
            let _requests = hub::unix(&rig.socket(), Manner::Answers(answer));
            let hook = || rig.bare_hook(words).stdin(STOP).env("HEADSUP_HOME", rig.home());
            rig.until_delivered(body, hook).assert_silent(body);
        }
    }
}

#[test]
fn a_final_refusal_is_not_repeated() {
    for answer in [
        "HTTP/1.1 400 Bad Request\r\nContent-Length: 3\r\n\r\nbad",
        "HTTP/1.1 401 Unauthorized\r\n\r\n",
        "HTTP/1.1 403 Forbidden\r\n\r\n",
        "HTTP/1.1 413 Too Large\r\n\r\n",
    ] {
        let rig = Rig::new();
        let _requests = hub::unix(&rig.socket(), Manner::Answers(answer));
        rig.until_delivered(answer, || rig.hook("Stop")).assert_silent(answer);
    }
}

#[test]
fn a_refusal_that_interrupts_a_long_payload_is_heard() {
    let rig = Rig::new();
    let members: Vec<_> = (0..20).map(|n| format!(r#""m{n}":"{}""#, "x".repeat(12_000))).collect();
    let payload = format!("{{{}}}", members.join(","));
    let refusal = "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n";
    let _requests = hub::unix(&rig.socket(), Manner::Interrupts(refusal));
    let hook = || rig.hook("Stop").stdin(payload.as_bytes());
    rig.until_delivered("interrupted", hook).assert_silent("interrupted");
}

#[test]
fn an_agent_that_does_not_read_is_harmless() {
    let rig = Rig::new();
    let answer: &str = Box::leak(
        format!(
            "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{{\"a\":\"{}\"}}",
            1 << 20,
            "x".repeat((1 << 20) - 8)
        )
        .into_boxed_str(),
    );
    let _requests = hub::unix(&rig.socket(), Manner::Answers(answer));
    let (reader, writer) = std::io::pipe().unwrap();
    let mut hook = rig.hook("Stop");
    hook.command.stdout(writer).stderr(Stdio::piped());
    hook.spawn_with_own_output().wait().assert_silent("an unread pipe");

    drop(reader);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut hook = rig.hook("Stop");
    hook.command.stdout(writer).stderr(Stdio::piped());
    hook.spawn_with_own_output().wait().assert_silent("a broken pipe");

    let script = "exec \"$0\" hook custom Stop >&- 2>&-";
    rig.shell_hook(script).run().assert_silent("a closed stdout");
}

/// Beyond its limit the kernel would end us with a signal.
#[test]
fn an_answer_that_a_file_has_no_room_for_is_not_printed() {
    let answer = "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n{\"ok\":true}\n";
    // Blocks of 512 bytes. What is there already ends five bytes before the first ends.
    let cases = [
        ("0", ">", ""),
        ("1", ">", "{\"ok\":true}\n"),
        ("1", ">>", ""),
        ("2", ">>", "{\"ok\":true}\n"),
    ];
    for ((limit, into, printed), words) in
        cases.into_iter().flat_map(|case| ["", " more"].map(|words| (case, words)))
    {
        let rig = Rig::new();
        let file = rig.path("out");
        let _requests = hub::unix(&rig.socket(), Manner::Answers(answer));
        let script =
            format!("ulimit -f {limit}; exec \"$0\" hook custom Stop{words} {into}\"$OUT\"");
        let before = if into == ">>" { "x".repeat(507) } else { String::new() };
        let hook = || {
            fs::write(&file, &before).unwrap();
            rig.shell_hook(&script).env("OUT", &file)
        };
        rig.until_delivered(&script, hook);
        assert_eq!(fs::read_to_string(&file).unwrap(), format!("{before}{printed}"), "{script}");
    }
}

#[test]
fn over_tcp_the_token_goes_along_and_on_the_socket_it_does_not() {
    for address in ["127.0.0.1", "localhost"] {
        let rig = Rig::new();
        let (port, requests) = hub::tcp("127.0.0.1", STORED);
        let url = format!("http://{address}:{port}");
        let with = |hook: Hook| hook.env("HEADSUP_TOKEN", "t0ken");
        let hook = || with(rig.hook("Stop")).env("HEADSUP_URL", url.as_str());
        rig.until_delivered(&url, hook).assert_silent(&url);
        let request = requests.recv().unwrap();
        assert_eq!(request.header("Authorization"), Some("Bearer t0ken"));
        assert_eq!(request.header("Host"), Some(format!("{address}:{port}").as_str()));

        let requests = hub::unix(&rig.socket(), STORED);
        rig.until_delivered("unix", || with(rig.hook("Stop")));
        assert_eq!(requests.recv().unwrap().header("Authorization"), None);
    }
}

#[test]
fn behind_tls_the_hub_is_told_the_same_and_its_answer_is_printed() {
    let rig = Rig::new();
    let authority = Authority::new("ours");
    let trusted = authority.write(&rig.path(""));
    let answer = "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n{\"ok\":true}\n";
    let (port, requests) = hub::tcp("127.0.0.1", Manner::Answers(answer));
    let to = format!("127.0.0.1:{port}");
    let front = Front::start(&authority, &["localhost"], Certificate::Good, &to);
    let hook = || {
        let hook =
            rig.hook("Stop").env("HEADSUP_URL", format!("https://localhost:{}", front.port()));
        hook.env("SSL_CERT_FILE", &trusted).env("HEADSUP_TOKEN", "t0ken")
    };
    let seen = rig.until_delivered("tls", hook);
    assert_eq!(seen.stdout, b"{\"ok\":true}\n");
    let request = requests.try_iter().last().unwrap();
    assert_eq!(request.header("Authorization"), Some("Bearer t0ken"));
    assert_eq!(request.header("Host"), Some(format!("localhost:{}", front.port()).as_str()));
    assert!(request.header("X-Headsup-Id").is_some() && request.body == STOP);
}

#[test]
fn the_seat_is_named_if_its_name_is_legal() {
    let rig = Rig::new();
    let requests = hub::unix(&rig.socket(), STORED);
    let cases = [
        ("api-1.x_Y", "", Some("api-1.x_Y")),
        ("a", "b", Some("a")),
        ("", "b", Some("b")),
        ("../x", "b", None),
        ("a\r\nX: y", "", None),
    ];
    for (id, alias, expected) in cases {
        let hook = || {
            let hook = rig.hook("Stop").env("HEADSUP_AGENT_TOKEN", "secret");
            hook.env("HEADSUP_AGENT_ID", id).env("PANOPTICON_AGENT_ID", alias)
        };
        rig.until_delivered("seat", hook);
        let request = requests.try_iter().last().unwrap();
        assert_eq!(request.header("X-Headsup-Agent"), expected, "{id:?}");
        assert_eq!(request.header("X-Headsup-Agent-Token"), Some("secret"));
    }
}

#[test]
fn the_context_names_the_process_chain_and_no_secret() {
    let rig = Rig::new();
    let me = std::process::id();
    let hook = || {
        rig.hook("Stop")
            .env("TMUX_PANE", "%7")
            .env("TMUX", "/tmp/tmux-1/default,1,0\r\nInjected: yes é")
            .env("CLAUDE_PID", "1")
            .env("CLAUDE_CODE_ENTRYPOINT", "cli")
            .env("CLAUDE_CODE_MESSAGING_TOKEN", "hunter2")
            .env("AWS_SECRET_ACCESS_KEY", "hunter2")
    };
    let context = rig.until_kept("context", hook).context.unwrap();
    assert!(context.is_ascii() && !context.contains("hunter2") && !context.contains('\n'));
    assert!(context.len() <= 4096);
    let context: Value = serde_json::from_str(&context).unwrap();
    let names: Vec<_> = context["env"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["CLAUDE_CODE_ENTRYPOINT", "CLAUDE_PID", "TMUX", "TMUX_PANE"]);
    assert_eq!(context["env"]["TMUX"], "/tmp/tmux-1/default,1,0\r\nInjected: yes é");
    let namespace = fs::metadata("/proc/self/ns/pid").unwrap().ino();
    assert_eq!(context["pidns"], namespace);

    let parents = context["parents"].as_array().unwrap();
    assert_eq!(parents[0]["pid"], me);
    let comm = fs::read_to_string("/proc/self/comm").unwrap();
    assert_eq!(parents[0]["comm"], comm.trim_end());
    assert!(parents[0]["start"].as_u64().unwrap() > 0);
    // The vendor's process is there once, whether or not it is an ancestor.
    assert_eq!(parents.iter().filter(|parent| parent["pid"] == 1).count(), 1);
}

#[test]
fn another_kind_reports_its_pane_alone() {
    let rig = Rig::new();
    let hook = || {
        let hook = rig.bare_hook(&["acp:some agent", "Stop"]).env("HEADSUP_HOME", rig.home());
        hook.env("TMUX_PANE", "%7").env("CLAUDE_PID", "1")
    };
    let report = rig.until_kept("another kind", hook);
    assert_eq!(report.kind, "acp:some agent");
    assert!(!report.is_transition);
    let context: Value = serde_json::from_str(&report.context.unwrap()).unwrap();
    assert_eq!(context["env"], serde_json::json!({ "TMUX_PANE": "%7" }));
}

#[test]
fn the_event_is_found_in_the_payload_where_the_command_line_lacks_it() {
    for (name, is_transition) in [("Stop", true), ("Notification", false)] {
        let rig = Rig::new();
        let payload = format!(r#"{{"session_id":"s", "hook_event_name" : "{name}"}}"#);
        let hook = || rig.bare_hook(&[KIND]).env("HEADSUP_HOME", rig.home());
        let report = rig.until_kept(name, || hook().stdin(payload.as_bytes()));
        assert_eq!((report.event, report.is_transition), (None, is_transition));
    }
}

/// What an agent says, and the token by which it speaks, is nothing for whoever has put a socket of theirs in the
/// hub's place.
#[test]
fn a_socket_of_another_user_is_told_nothing_and_the_report_is_kept() {
    const STRANGER: u32 = 65_534;
    let rig = Rig::new();
    let mut trial = Command::new(env!("CARGO_BIN_EXE_headsup"));
    trial.arg("--version").stdout(Stdio::null()).uid(STRANGER).current_dir("/");
    if trial.status().is_err() || chown(rig.home(), Some(STRANGER), Some(STRANGER)).is_err() {
        eprintln!("skipped: only root can be somebody else, and others must see the program");
        return;
    }
    let requests = hub::unix(&rig.socket(), Manner::Answers("HTTP/1.1 202 Accepted\r\n\r\n"));
    for (path, mode) in [(rig.path(""), 0o755), (rig.home(), 0o755), (rig.socket(), 0o666)] {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
    // The first one is the front's, the second one the program's.
    for words in [&[KIND, "Stop"][..], &[KIND, "Stop", "more"]] {
        let hook = || {
            let hook = rig.bare_hook(words).env("HEADSUP_HOME", rig.home());
            let mut hook = hook.env("HEADSUP_AGENT_TOKEN", "t0ken");
            hook.command.uid(STRANGER).current_dir("/");
            hook
        };
        let kept = rig.until_kept("another user's", hook);
        assert_eq!((kept.body, kept.agent_token.as_deref()), (STOP.to_vec(), Some("t0ken")));
        fs::remove_file(rig.queue()).unwrap();
    }
    assert!(hub::heard(&rig.socket(), &requests).is_empty());
}
