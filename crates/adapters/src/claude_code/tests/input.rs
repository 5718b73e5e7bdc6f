//! Payloads that are not what they should be.

use super::{context, hook};
use headsup_core::observation::Fact;

fn read(body: &[u8]) -> Fact {
    hook(Some("Stop"), body, &context(&[])).fact
}

fn not_understood(why: &str) -> Fact {
    Fact::NotUnderstood { why: why.to_owned() }
}

#[test]
fn nothing_is_not_understood() {
    for body in [&b""[..], b" \r\n\t", b"\xef\xbb\xbf", b"\xef\xbb\xbf \n"] {
        assert_eq!(read(body), not_understood("empty payload"));
    }
}

#[test]
fn what_is_not_json_is_not_understood() {
    for body in [&b"Stop"[..], b"{", b"{}{}", b"{\"a\":}", b"\xff\xfe\x00", b"{\"a\":1,}", b"\0"] {
        assert_eq!(read(body), not_understood("not JSON"), "{body:?}");
    }
}

#[test]
fn what_is_not_an_object_is_not_understood() {
    for body in [&b"null"[..], b"[]", b"1", b"\"Stop\"", b"true"] {
        assert_eq!(read(body), not_understood("not a JSON object"), "{body:?}");
    }
}

#[test]
fn without_a_name_from_anywhere_an_event_is_unknown() {
    let seen = hook(None, b"{}", &context(&[]));
    assert_eq!(seen.event, "unknown");
    assert_eq!(seen.fact, not_understood("unknown event unknown"));
}

#[test]
fn a_byte_order_mark_is_no_content() {
    assert!(matches!(read(b"\xef\xbb\xbf{}\n"), Fact::TurnEnded { .. }));
}

#[test]
fn bytes_that_are_not_utf_8_are_replaced() {
    let body = b"{\"session_id\":\"s-1\",\"last_assistant_message\":\"caf\xe9\"}";
    let seen = hook(Some("Stop"), body, &context(&[]));
    assert_eq!(seen.session.as_deref(), Some("s-1"));
    assert!(matches!(seen.fact, Fact::TurnEnded { .. }));
}

#[test]
fn of_two_members_of_a_name_the_last_wins() {
    let body = br#"{"session_id":"s-1","hook_event_name":"Stop","session_id":"s-2",
        "hook_event_name":"PreCompact"}"#;
    let seen = hook(None, body, &context(&[]));
    assert_eq!(seen.session.as_deref(), Some("s-2"));
    assert_eq!(seen.fact, Fact::CompactionStarted);
}

#[test]
fn nesting_without_end_is_safe() {
    let deep = format!("{}{}", "{\"a\":[".repeat(100_000), "]}".repeat(100_000));
    for member in ["tool_response", "tool_input", "tool_calls", "background_tasks", "agent_id"] {
        let body = format!(r#"{{"{member}":{deep},"session_id":"s-1","tool_name":"Bash"}}"#);
        for event in ["Stop", "PreToolUse", "PostToolBatch", "PermissionRequest"] {
            let seen = hook(Some(event), body.as_bytes(), &context(&[]));
            assert_eq!(seen.session.as_deref(), Some("s-1"), "{member} {event}");
        }
    }
}

#[test]
fn a_megabyte_of_output_is_skipped() {
    let output = "line of output\\n".repeat(70_000);
    let body = format!(
        r#"{{"tool_response":{{"stdout":"{output}"}},"tool_name":"Bash","session_id":"s-1"}}"#
    );
    let seen = hook(Some("PostToolUse"), body.as_bytes(), &context(&[]));
    assert_eq!(seen.session.as_deref(), Some("s-1"));
    assert!(matches!(seen.fact, Fact::ToolsEnded { .. }));
}

#[test]
fn half_a_character_in_a_message_does_not_cost_the_event() {
    let body = br#"{"session_id":"s-1","last_assistant_message":"cut \ud83d"}"#;
    let seen = hook(Some("StopFailure"), body, &context(&[]));
    assert!(matches!(seen.fact, Fact::TurnFailed { detail: Some(_), .. }));
}
