//! What may be wrong around a hook. In each case it ends well and says nothing.

use crate::hub::{self, Manner};
use crate::rig::{KIND, Rig, STOP};
use headsup_testkit::hook;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};
use std::any::Any;
use std::ffi::OsString;
use std::fs::{self, File};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;

/// Prepares a condition; what it returns lives until the hook has ended.
type Prepare = fn(&Rig) -> Box<dyn Any>;

fn nothing() -> Box<dyn Any> {
    Box::new(())
}

fn done(result: std::io::Result<()>) -> Box<dyn Any> {
    result.unwrap();
    nothing()
}

fn hub_that(rig: &Rig, manner: Manner) -> Box<dyn Any> {
    Box::new(hub::unix(&rig.socket(), manner))
}

#[test]
fn a_hub_in_any_condition_costs_the_agent_nothing_and_the_report_is_kept() {
    let conditions: &[(&str, Prepare)] = &[
        ("absent", |_| nothing()),
        ("a regular file", |rig| done(fs::write(rig.socket(), "not a socket"))),
        ("a folder", |rig| done(fs::create_dir(rig.socket()))),
        ("a dangling link", |rig| done(symlink("/nowhere", rig.socket()))),
        ("a link to itself", |rig| done(symlink("headsup.sock", rig.socket()))),
        ("refusing", |rig| done(UnixListener::bind(rig.socket()).map(drop))),
        ("never accepting", |rig| Box::new(UnixListener::bind(rig.socket()).unwrap())),
        ("with a full backlog", full_backlog),
        ("silent", |rig| hub_that(rig, Manner::Silent)),
        ("hanging up", |rig| hub_that(rig, Manner::HangsUp)),
        ("saying nothing", |rig| hub_that(rig, Manner::Answers(""))),
        ("talking garbage", |rig| hub_that(rig, Manner::Answers("\0\u{1b}[31mSSH-2.0\r\n\r\n"))),
        ("half a head", |rig| hub_that(rig, Manner::Answers("HTTP/1.1 202 Accepted\r\nA: b"))),
        ("failing", |rig| hub_that(rig, Manner::Answers("HTTP/1.1 500 No\r\n\r\nprint me"))),
        ("full", |rig| hub_that(rig, Manner::Answers("HTTP/1.1 507 Full\r\n\r\n"))),
        ("busy", |rig| hub_that(rig, Manner::Answers("HTTP/1.1 429 Later\r\n\r\n"))),
        ("elsewhere", |rig| hub_that(rig, Manner::Answers("HTTP/1.1 302 Moved\r\n\r\n"))),
        ("slow", |rig| {
            hub_that(
                rig,
                Manner::AnswersSlowly("HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"),
            )
        }),
    ];
    for (case, prepare) in conditions {
        let rig = Rig::new();
        let condition = prepare(&rig);
        let report = rig.until_kept(case, || rig.hook("Stop"));
        drop(condition);
        assert_eq!(report.body, STOP, "{case}");
        assert_eq!(report.event.as_deref(), Some("Stop"), "{case}");
        assert!(report.is_transition, "{case}");
    }
}

fn full_backlog(rig: &Rig) -> Box<dyn Any> {
    let socket = || {
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None).unwrap()
    };
    let address = SocketAddrUnix::new(rig.socket()).unwrap();
    let listener = socket();
    rustix::net::bind(&listener, &address).unwrap();
    rustix::net::listen(&listener, 0).unwrap();
    let mut waiting = vec![listener];
    loop {
        let client = socket();
        let result = rustix::net::connect(&client, &address);
        waiting.push(client);
        if result.is_err() {
            assert_eq!(result, Err(rustix::io::Errno::AGAIN));
            return Box::new(waiting);
        }
    }
}

#[test]
fn an_address_that_leads_nowhere_is_no_hub() {
    let closed = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let urls = [
        format!("http://127.0.0.1:{closed}"),
        "http://hub.invalid:7717".into(),
        "https://127.0.0.1:1".into(),
        "https://hub.invalid".into(),
        format!("https://{}", silent.local_addr().unwrap()),
        "unix:/dev/null".into(),
        format!("unix:/{}", "long/".repeat(100)),
        "unix:".into(),
        "\u{1b}]0;nonsense".into(),
    ];
    for url in urls {
        let rig = Rig::new();
        rig.until_kept(&url, || rig.hook("Stop").env("HEADSUP_URL", url.as_str()));
    }
}

#[test]
fn where_nothing_can_be_kept_the_report_is_dropped() {
    let rig = Rig::new();
    let cases: &[&[(&str, &str)]] = &[
        &[],
        &[("HOME", "")],
        &[("HOME", ""), ("HEADSUP_HOME", ""), ("XDG_STATE_HOME", "")],
        &[("XDG_STATE_HOME", "relative")],
        &[("HEADSUP_HOME", "relative")],
        &[("HOME", "/nonexistent/home")],
        &[("HEADSUP_HOME", "/dev/null/x")],
        &[("HEADSUP_HOME", "/dev/null")],
        &[("HEADSUP_HOME", "/proc/x/y")],
        &[("HEADSUP_HOME", "/sys")],
    ];
    for vars in cases {
        let hook = rig.bare_hook(&[KIND, "Stop"]);
        let hook = vars.iter().fold(hook, |hook, (name, value)| hook.env(name, *value));
        hook.run().assert_silent(&format!("{vars:?}"));
    }
    let names: Vec<_> =
        fs::read_dir(rig.path("")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["state"], "nothing is written to the working folder");
    assert!(!fs::exists("/nonexistent").unwrap());
}

#[test]
fn missing_folders_are_made_for_us_alone() {
    let rig = Rig::new();
    let places = [
        ("HEADSUP_HOME", "hub", "hub/spool/queue"),
        ("XDG_STATE_HOME", "xdg", "xdg/headsup/spool/queue"),
        ("HOME", "state", "state/.local/state/headsup/spool/queue"),
    ];
    for (name, value, queue) in places {
        let queue = rig.path(queue);
        let fire = || {
            let hook = rig.bare_hook(&[KIND, "Stop"]).env(name, rig.path(value));
            hook.run().assert_silent(name);
        };
        hook::until(name, fire, || (crate::rig::read_spool(&queue).len() == 1).then_some(()));
        let mode =
            |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let spool = queue.parent().unwrap();
        assert_eq!(
            (mode(spool.parent().unwrap()), mode(spool), mode(&queue)),
            (0o700, 0o700, 0o600)
        );
    }
}

#[test]
fn a_home_without_rights_is_left_alone() {
    let rig = Rig::new();
    fs::set_permissions(rig.home(), fs::Permissions::from_mode(0o500)).unwrap();
    // Root may write there all the same.
    rig.hook("Stop").run().assert_silent("a home without rights");
}

#[test]
fn a_payload_of_any_size_is_harmless() {
    for size in [1 << 10, 64 << 10, (64 << 10) + 1, 1 << 20, 3 << 20, (4 << 20) + 1, 5 << 20] {
        let rig = Rig::new();
        let long = "x".repeat(size - 36);
        let payload = format!(r#"{{"long":"{long}","session_id":"the one"}}"#);
        let body = rig.until_kept("size", || rig.hook("Stop").stdin(payload.as_bytes())).body;
        if size <= 256 << 10 {
            assert_eq!(body, payload.as_bytes());
        } else {
            let marker = r#"{"truncated":true,"bytes":"#;
            let expected = format!(r#"{{"long":{marker}{}}},"session_id":"the one"}}"#, size - 34);
            assert_eq!(String::from_utf8(body).unwrap(), expected);
        }
    }
}

#[test]
fn a_long_payload_that_is_no_object_is_cut() {
    let rig = Rig::new();
    let hook = || rig.hook("Stop").stdin(&vec![b'['; 3 << 20]);
    assert_eq!(rig.until_kept("no object", hook).body.len(), 256 << 10);
}

#[test]
fn a_stdin_that_is_never_closed_is_not_waited_for() {
    let rig = Rig::new();
    let hook = || rig.hook("Stop").unclosed_stdin(STOP);
    assert_eq!(rig.until_kept("unclosed", hook).body, STOP);

    let rig = Rig::new();
    rig.hook("Stop").unclosed_stdin(b"").run().assert_silent("unclosed and empty");
    assert_eq!(rig.spooled(), []);
}

#[test]
fn without_a_payload_there_is_nothing_to_report() {
    let rig = Rig::new();
    for payload in [b"".as_slice(), b" \r\n\t "] {
        rig.hook("Stop").stdin(payload).run().assert_silent("empty");
    }
    for path in ["/dev/null", "/"] {
        rig.hook("Stop").stdin_from(File::open(path).unwrap()).run().assert_silent(path);
    }
    rig.shell_hook("exec \"$0\" hook custom Stop <&-").run().assert_silent("closed");
    assert_eq!(rig.spooled(), []);
}

#[test]
fn a_stdin_without_end_ends() {
    let rig = Rig::new();
    let zero = File::open("/dev/zero").unwrap();
    rig.hook("Stop").stdin_from(zero).run().assert_silent("/dev/zero");
}

#[test]
fn an_odd_command_line_is_harmless() {
    let rig = Rig::new();
    rig.bare_hook::<&str>(&[]).run().assert_silent("no kind");
    let home = rig.home();
    let odd: [&[OsString]; 5] = [
        &["".into()],
        &[OsString::from_vec(vec![0xFF, 0xFE])],
        &["../../etc".into(), "\r\nX: y".into(), "--more".into()],
        &["x".repeat(100_000).into()],
        &["custom".into(), "x".repeat(100_000).into()],
    ];
    let expected = [
        ("\u{FFFD}\u{FFFD}".to_owned(), None),
        ("../../etc".to_owned(), Some("\r\nX: y".to_owned())),
        ("custom".to_owned(), None),
    ];
    // Of the first and of the fourth nothing comes.
    for (args, comes) in odd.into_iter().zip([0, 1, 2, 2, 3]) {
        let fire = || rig.bare_hook(args).env("HEADSUP_HOME", &home).run().assert_silent("odd");
        let reported =
            || -> Vec<_> { rig.reports().into_iter().map(|r| (r.kind, r.event)).collect() };
        hook::until("odd", fire, || (reported() == expected[..comes]).then_some(()));
    }
}

#[test]
fn a_limit_on_files_does_not_kill_it() {
    let rig = Rig::new();
    let script = "ulimit -f 0; exec \"$0\" hook custom Stop";
    rig.shell_hook(script).run().assert_silent("no file may grow");
    assert_eq!(rig.spooled(), []);
}
