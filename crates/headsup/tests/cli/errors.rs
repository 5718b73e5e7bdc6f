//! Exit codes, and errors as JSON.

use crate::hub::{Hub, Reply};
use crate::rig::{Rig, agent, answer, run};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;

fn rig_with_two() -> (Rig, Hub) {
    let rig = Rig::new();
    let agents = [agent("api-1", "idle"), agent("api-2", "idle"), agent("web", "working")];
    let hub = rig.hub(move |request| answer(&agents, request));
    (rig, hub)
}

#[test]
fn every_failure_has_its_exit_code() {
    let (rig, _hub) = rig_with_two();
    let table: [(&[&str], i32, &str); 27] = [
        (&["show", "web"], 0, ""),
        (&["--version"], 0, ""),
        (&["ls", "--help"], 0, ""),
        (&[], 2, "usage"),
        (&["lsx"], 2, "usage"),
        (&["ls", "--status", "finished"], 2, "usage"),
        (&["ls", "--label", "team"], 2, "usage"),
        (&["ls", "--label", "=a"], 2, "usage"),
        (&["wait", "web"], 2, "usage"),
        (&["wait", "nobody", "--until", "done"], 4, "no_such_agent"),
        (&["wait", "web", "--until", "done", "--timeout", "5"], 2, "usage"),
        (&["watch", "--since", "bogus", "--no-follow"], 2, "usage"),
        (&["statusline", "--template", "{bogus}"], 2, "usage"),
        (&["watch", "--until", "delivery:bogus"], 2, "usage"),
        (&["log", "web", "-n", "0"], 2, "usage"),
        (&["log", "web", "-n", "101"], 2, "usage"),
        (&["show", ""], 2, "usage"),
        (&["report", "working"], 2, "usage"),
        (&["report", "working", "--agent", "."], 4, "no_such_agent"),
        (&["forget", "we", "--force"], 4, "no_such_agent"),
        (&["report", "working", "--agent", "a/b"], 2, "usage"),
        (&["report", "working", "--agent", "full"], 1, "storage_full"),
        (&["show", "nobody"], 4, "no_such_agent"),
        (&["show", "api"], 6, "ambiguous"),
        (&["stop", "api"], 6, "ambiguous"),
        (&["forget", "web"], 7, "agent_running"),
        (&["report", "working", "--agent", "odd"], 7, "illegal"),
    ];
    for (args, code, word) in table {
        let seen = rig.run(args);
        assert_eq!(seen.code, code, "{args:?}: {seen:?}");
        if code == 0 {
            assert_eq!(seen.stderr, "", "{args:?}");
            continue;
        }
        assert_eq!(seen.stdout, "", "{args:?}");
        let json = rig.run(&[&["--json"], args].concat());
        assert_eq!(json.code, code, "{args:?}: {json:?}");
        assert_eq!(json.stdout, "", "{args:?}");
        assert_eq!(json.error()["code"], word, "{args:?}: {json:?}");
        assert_eq!(json.error()["retryable"], word == "storage_full", "{args:?}");
    }
}

#[test]
fn whoever_is_called_by_more_than_an_address_holds_is_nobody() {
    let (rig, _hub) = rig_with_two();
    let long = "é".repeat(50_000);
    let shown = rig.run(&["--json", "show", long.as_str()]);
    assert_eq!((shown.code, &shown.error()["code"]), (4, &"no_such_agent".into()));
    let told = rig.run(&["--json", "report", "working", "--agent", long.as_str()]);
    assert_eq!((told.code, &told.error()["code"]), (2, &"usage".into()));
}

#[test]
fn an_error_says_what_to_do_next() {
    let (rig, _hub) = rig_with_two();
    insta::assert_snapshot!(rig.run(&["show", "api"]).stderr, @r#"
    error: "api" may be api-1, api-2
    hint: type more of the id
    "#);
    insta::assert_snapshot!(rig.run(&["show", "nobody"]).stderr, @r#"
    error: no agent is called "nobody"
    hint: see them all: `headsup ls --all`
    "#);
    insta::assert_snapshot!(rig.run(&["ls", "--status", "finished"]).stderr, @r#"
    error: invalid value 'finished' for '--status <S,…>': "finished" is not a status; use attention or any of blocked, crashed, failed, review, done, working, starting, stopping, unknown, idle, suspended, ended, absent

    For more information, try '--help'.
    "#);
    insta::assert_snapshot!(rig.run(&["ls", "--label", "team"]).stderr, @"
    error: invalid value 'team' for '--label <K=V>': a label is KEY=VALUE

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(rig.run(&["forget", "web"]).stderr, @"
    error: the hub says agent_running
    hint: end it first, or use --force: it comes back with its next event
    ");
    insta::assert_snapshot!(rig.run(&["show", "nobody", "--json"]).stderr, @r#"
    {"schema":1,"error":{"code":"no_such_agent","message":"no agent is called \"nobody\"","hint":"see them all: `headsup ls --all`","retryable":false}}
    "#);
    insta::assert_snapshot!(rig.run(&["show", "."]).stderr, @"
    error: `.` is the agent that a command runs in, and this is none
    hint: HEADSUP_AGENT_ID is not set; name the agent instead
    ");
    insta::assert_snapshot!(rig.run(&["report", "wrking", "--json"]).stderr, @r#"
    {"schema":1,"error":{"code":"usage","message":"invalid value 'wrking' for '<STATE>' [possible values: idle, working, blocked, done, failed]","hint":"a similar value exists: 'working'; try `headsup --help`","retryable":false}}
    "#);
}

#[test]
fn no_hub_is_exit_5() {
    let rig = Rig::new();
    let seen = rig.run(&["ls", "--no-start"]);
    assert_eq!(seen.code, 5);
    assert!(seen.stderr.contains("hint: start it with `headsup up`"), "{}", seen.stderr);
    let seen = rig.run(&["ls", "--no-start", "--json"]);
    let error = seen.error();
    assert_eq!((seen.code, &error["code"]), (5, &"hub_unreachable".into()));
    assert_eq!(error["retryable"], true);
}

#[test]
fn a_hub_elsewhere_is_never_started() {
    let rig = Rig::new();
    let url = format!("unix:{}.other", rig.socket().display());
    for args in [&["ls"][..], &["up"], &["report", "working", "--agent", "x"], &["watch"]] {
        let seen = run(rig.command(args).env("HEADSUP_URL", &url));
        assert_eq!(seen.code, 5, "{seen:?}");
        let hint = "hint: HEADSUP_URL names it; a hub is only started in HEADSUP_HOME\n";
        assert!(seen.stderr.ends_with(hint) && !seen.stderr.contains("start it"), "{seen:?}");
    }
    let own = format!("unix:{}", rig.socket().display());
    let seen = run(rig.command(&["ls", "--no-start"]).env("HEADSUP_URL", own));
    assert!(seen.stderr.ends_with("hint: start it with `headsup up`\n"), "{seen:?}");
    for (url, code) in [("https://127.0.0.1:1", 5), ("https://hub..example", 2), ("ftp://hub", 2)] {
        let seen = run(rig.command(&["ls"]).env("HEADSUP_URL", url));
        assert_eq!(seen.code, code, "{url}: {seen:?}");
    }
    assert!(!rig.socket().exists());
}

#[test]
fn what_is_no_hub_is_exit_5() {
    let rig = Rig::new();
    let _hub = rig.hub(|_| Reply::Garbage);
    let seen = rig.run(&["ls"]);
    assert_eq!(seen.code, 5, "{seen:?}");
}

#[test]
fn a_hub_that_is_up_is_no_error_and_one_that_is_not_need_not_be_stopped() {
    let rig = Rig::new();
    let seen = rig.run(&["down"]);
    assert_eq!((seen.ok(), seen.stderr.as_str()), ("", "headsup: no hub is running\n"));
    let json = rig.run(&["down", "--json"]);
    assert_eq!(json.ok(), "{\"schema\":1,\"pid\":null,\"stopped\":false}\n");
    assert_eq!(json.stderr, "", "whoever reads it as JSON finds errors alone");

    let _hub = rig.hub(|request| answer(&[], request));
    let seen = rig.run(&["up"]);
    assert_eq!(seen.ok(), "");
    assert!(seen.stderr.starts_with("headsup: hub is already up (pid "), "{}", seen.stderr);
    let seen = rig.run(&["up", "--json"]);
    let json: serde_json::Value = serde_json::from_str(seen.ok()).unwrap();
    assert_eq!((&json["schema"], &json["started"]), (&1.into(), &false.into()));
    assert_eq!(seen.stderr, "", "whoever reads it as JSON finds errors alone");
}

#[test]
fn a_folder_whose_name_is_no_text_is_told_as_well_as_can_be() {
    let rig = Rig::new();
    let home = rig.socket().with_file_name(OsStr::from_bytes(b"h\xff"));
    std::fs::create_dir(&home).unwrap();
    let _hub = Hub::listen(&home.join("headsup.sock"), |request| answer(&[], request));
    let seen = run(rig.command(&["up", "--json"]).env("HEADSUP_HOME", &home));
    let doc: serde_json::Value = serde_json::from_str(seen.ok()).unwrap();
    assert_eq!(doc["home"], home.to_string_lossy().into_owned(), "{doc}");
    assert!(doc["socket"].as_str().unwrap().ends_with("h\u{fffd}/headsup.sock"), "{doc}");
}

#[test]
fn a_hub_that_an_update_left_behind_is_told_in_one_line() {
    for (version, warned) in
        [("0.0.9", true), (env!("CARGO_PKG_VERSION"), false), ("99.0.0", false)]
    {
        let rig = Rig::new();
        let _hub = rig.hub(move |request| match (answer(&[], request), request.path.as_str()) {
            (Reply::Json(status, mut body), "/healthz") => {
                body["version"] = version.into();
                Reply::Json(status, body)
            }
            (reply, _) => reply,
        });
        for command in ["ls", "up"] {
            let seen = rig.run(&[command]);
            seen.ok();
            let lines: Vec<&str> =
                seen.stderr.lines().filter(|line| line.contains("the hub is still")).collect();
            assert_eq!(lines.len(), usize::from(warned), "{version}: {seen:?}");
            if let [line] = lines[..] {
                assert!(line.contains("0.0.9"), "{line}");
                assert!(line.ends_with("headsup down && headsup up"), "{line}");
            }
            assert!(!rig.run(&[command, "--json"]).stderr.contains("still"));
        }
    }
}

/// Neither what is asked nor by which token is for whoever listens in the hub's place.
#[test]
fn a_socket_of_another_user_is_asked_nothing() {
    let (rig, hub) = rig_with_two();
    let socket = rig.socket();
    for path in [socket.parent().unwrap(), socket.as_path()] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
    }
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_headsup"));
    command.env_clear().env("HOME", "/home/ada").env("HEADSUP_AGENT_TOKEN", "t0ken");
    command.env("HEADSUP_URL", format!("unix:{}", socket.display()));
    let Ok(output) = command.arg("ls").uid(65_534).current_dir("/").output() else {
        eprintln!("skipped: only root can be somebody else, and others must see the program");
        return;
    };
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(5), "{said}");
    assert!(said.contains("another user listens there"), "{said}");
    assert!(hub.seen().is_empty(), "{:?}", hub.seen());
}
