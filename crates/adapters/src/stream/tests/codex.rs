//! A server of threads, and the words with which it is started.

use super::{levels, seen};
use crate::stream::{Stream, is_asked_for};
use headsup_core::observation::Fact;
use serde_json::json;
use std::ffi::OsString;

fn status(thread: &str, kind: &str) -> String {
    let params = json!({"threadId": thread, "status": {"type": kind, "activeFlags": []}});
    json!({"method": "thread/status/changed", "params": params}).to_string()
}

fn over(thread: &str) -> String {
    let turn = json!({"id": "t", "status": "completed"});
    json!({"method": "turn/completed", "params": {"threadId": thread, "turn": turn}}).to_string()
}

fn fails(thread: &str) -> String {
    let turn = json!({"id": "t", "status": "failed", "error": {"message": "it broke"}});
    json!({"method": "turn/completed", "params": {"threadId": thread, "turn": turn}}).to_string()
}

fn asks(thread: &str) -> String {
    let params = json!({"threadId": thread});
    json!({"id": 7, "method": "item/fileChange/requestApproval", "params": params}).to_string()
}

fn closed(thread: &str) -> String {
    json!({"method": "thread/closed", "params": {"threadId": thread}}).to_string()
}

fn level(body: &[u8]) -> &'static str {
    match seen("codex", body).fact {
        Fact::Level(level) => level.word(),
        other => panic!("{other:?}"),
    }
}

fn fed(stream: &mut Stream, line: &str) -> Vec<&'static str> {
    let mut told = Vec::new();
    stream.feed(format!("{line}\n").as_bytes(), |body| told.push(level(&body)));
    told
}

fn settled(stream: &mut Stream) -> Vec<&'static str> {
    let mut told = Vec::new();
    stream.settle(|body| told.push(level(&body)));
    assert!(!stream.is_unsettled());
    told
}

#[test]
fn a_server_is_found_behind_the_options_of_its_program() {
    let asked = |words: &[&str]| {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        is_asked_for("codex", &words)
    };
    for words in [
        &["app-server"][..],
        &["-c", "model=\"x\"", "app-server"],
        &["--config=model=x", "-cmodel=x", "app-server"],
        &["--enable", "foo", "--disable", "bar", "app-server", "--listen", "stdio://"],
        &["-m", "exec", "--oss", "--brand-new", "app-server"],
    ] {
        assert!(asked(words), "{words:?}");
    }
    for words in [
        &["-c", "app-server"][..],
        &["--", "app-server"],
        &["--json"],
        &["--enable", "foo", "look", "app-server"],
        &["-c", "model=x", "app-server", "--listen", "unix://"],
    ] {
        assert!(!asked(words), "{words:?}");
    }
}

/// After `thread/unsubscribe` (0.169.0, measured).
#[test]
fn a_rest_that_nothing_explains_is_told_once_that_has_had_its_time() {
    for (kind, rest, beside) in [("idle", "idle", "done"), ("systemError", "failed", "failed")] {
        let mut stream = Stream::new("codex");
        assert!(fed(&mut stream, &status("a", kind)).is_empty());
        assert!(!stream.is_unsettled(), "it was none");
        assert_eq!(fed(&mut stream, &status("a", "active")), ["working"]);
        assert!(fed(&mut stream, &status("a", kind)).is_empty());
        assert!(stream.is_unsettled() && stream.stands().is_some());
        assert!(fed(&mut stream, r#"{"method":"account/rateLimits/updated"}"#).is_empty());
        assert_eq!(settled(&mut stream), [rest]);
        assert!(settled(&mut stream).is_empty() && stream.stands().is_none());
        // It is explained, or was none.
        assert_eq!(fed(&mut stream, &status("a", "active")), ["working"]);
        fed(&mut stream, &status("a", kind));
        assert_eq!(fed(&mut stream, &over("a")), ["done"]);
        assert!(!stream.is_unsettled());
        assert_eq!(fed(&mut stream, &status("a", "active")), ["working"]);
        fed(&mut stream, &status("a", kind));
        assert!(fed(&mut stream, &status("a", "active")).is_empty() && !stream.is_unsettled());
        // Others go on.
        fed(&mut stream, &status("b", "active"));
        fed(&mut stream, &status("a", kind));
        assert!(settled(&mut stream).is_empty());
        assert_eq!(fed(&mut stream, &over("b")), [beside]);
    }
    let lines = [status("a", "active"), status("a", "idle")];
    assert_eq!(levels("codex", &lines), ["working", "idle"], "nothing more comes");
}

/// As where the file that is read begins anew.
#[test]
fn nothing_of_a_stream_that_has_ended_goes_on_in_the_next_one() {
    let mut stream = Stream::new("codex");
    assert_eq!(fed(&mut stream, &status("a", "active")), ["working"]);
    stream.finish(|body| panic!("{}", String::from_utf8_lossy(&body)));
    assert_eq!(fed(&mut stream, &status("b", "active")), ["working"]);
    assert_eq!(fed(&mut stream, &over("b")), ["done"]);
}

/// Who writes to the file may be the same server, or a new one.
#[test]
fn a_thread_goes_on_in_a_file_that_begins_anew_until_a_server_comes_up_there() {
    let begun = || {
        let mut stream = Stream::new("codex");
        fed(&mut stream, &status("a", "active"));
        assert_eq!(fed(&mut stream, &asks("b")), ["blocked"]);
        stream.begin_anew(|body| panic!("{}", String::from_utf8_lossy(&body)));
        stream
    };
    let mut stream = begun();
    assert!(fed(&mut stream, &over("a")).is_empty(), "the other one still asks");
    assert_eq!(fed(&mut stream, &over("b")), ["done"]);
    let mut stream = begun();
    let answer = json!({"id": 1, "result": {"userAgent": "demo", "codexHome": "/home/dev/.codex"}});
    assert!(fed(&mut stream, &answer.to_string()).is_empty());
    assert_eq!(fed(&mut stream, &status("c", "active")), ["working"]);
    assert_eq!(fed(&mut stream, &over("c")), ["done"]);
}

#[test]
fn a_thread_that_is_closed_stops_what_it_did() {
    let active = status("a", "active");
    for (lines, shown) in [
        (vec![active.clone(), closed("a")], &["working", "idle"][..]),
        (vec![active.clone(), asks("a"), closed("a")], &["working", "blocked", "idle"]),
        (vec![active.clone(), status("a", "idle"), closed("a")], &["working", "idle"]),
        (vec![active.clone(), status("a", "systemError"), closed("a")], &["working", "failed"]),
        (vec![active.clone(), over("a"), closed("a")], &["working", "done"]),
        (vec![active.clone(), status("b", "active"), closed("a")], &["working"]),
        (
            vec![active, status("b", "active"), asks("b"), closed("b")],
            &["working", "blocked", "working"],
        ),
    ] {
        assert_eq!(levels("codex", &lines), shown, "{lines:?}");
    }
}

#[test]
fn a_thread_that_has_failed_is_not_hidden_by_one_that_goes_on() {
    let both = [status("a", "active"), status("b", "active")];
    let shown = |more: &[String]| levels("codex", &[&both[..], more].concat());
    assert_eq!(shown(&[fails("a"), over("b")]), ["working", "failed"]);
    assert_eq!(shown(&[over("b"), fails("a")]), ["working", "failed"]);
    // Said once more it is no other end.
    assert_eq!(shown(&[fails("a"), over("b"), over("b")]), ["working", "failed"]);
    // It has done it after all.
    let again = [fails("a"), status("a", "active"), over("a"), over("b")];
    assert_eq!(shown(&again), ["working", "done"]);
    let late = [fails("a"), over("b"), status("a", "active"), over("a")];
    assert_eq!(shown(&late), ["working", "failed", "working", "done"]);
    // It is no failure of what begins once all have rested.
    let next = [fails("a"), over("b"), status("b", "active"), over("b")];
    assert_eq!(shown(&next), ["working", "failed", "working", "done"]);
    // One that is gone has failed all the same.
    assert_eq!(shown(&[fails("a"), closed("a"), over("b")]), ["working", "failed"]);
    let breaks = [status("a", "systemError"), closed("a"), over("b")];
    assert_eq!(shown(&breaks), ["working", "failed"]);
    // Who stops the last one knows of it.
    let stops = [fails("a"), status("b", "idle"), closed("b")];
    assert_eq!(shown(&stops), ["working", "idle"]);
}
