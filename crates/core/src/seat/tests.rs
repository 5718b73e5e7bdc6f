use super::*;
use serde_json::json;

fn seat() -> Seat {
    Seat::new(AgentId::new("api").unwrap(), "custom", Source::Report, UnixMs(1_795_296_597_200))
}

/// As the first versions wrote it: every field, and statements as objects.
#[test]
fn a_seat_that_was_stored_whole_is_read() {
    let mut seat = seat();
    let said = Statement {
        source: Source::Hook,
        event: "PreToolUse".into(),
        value: "working(tool)".into(),
        at: UnixMs(1_795_296_597_200),
        lost: Some("superseded by the later Stop".into()),
    };
    let refused = Rejection {
        at: UnixMs(1_795_296_597_200),
        source: Source::Hook,
        event: "Stop".into(),
        rule: "G1".into(),
        why: "of another session".into(),
    };
    seat.remember(Statement { lost: None, ..said.clone() });
    seat.remember(said);
    seat.reject(refused);
    let mut stored = serde_json::to_value(&seat).unwrap();
    assert!(stored.get("session").is_none() && stored["turn"].get("queued").is_none());
    let at = "2026-11-21T21:29:57.200Z";
    let told = |lost: Option<&str>| json!({"source": "hook", "event": "PreToolUse", "value": "working(tool)", "at": at, "lost": lost});
    stored["trail"] = json!([told(None), told(Some("superseded by the later Stop"))]);
    stored["rejected"] = json!([
        {"at": at, "source": "hook", "event": "Stop", "rule": "G1", "why": "of another session"}
    ]);
    for absent in ["session", "outcome", "stage", "last_status_at", "last_activity"] {
        stored[absent] = json!(null);
    }
    for empty in ["left_sessions", "verdicts", "prompts", "open_tools", "claims", "held"] {
        stored[empty] = json!([]);
    }
    stored["turn"]["queued"] = json!([]);
    stored["turn"]["compacting"] = json!(false);
    stored["about"]["labels"] = json!({});
    let read: Seat = serde_json::from_value(stored).unwrap();
    // Where a stored seat ages from is not stored.
    seat.ageing_from = read.ageing_from;
    assert_eq!(read, seat);
}

#[test]
fn what_is_written_is_read() {
    let mut seat = seat();
    seat.remember(Statement {
        source: Source::Report,
        event: "report".into(),
        value: "idle".into(),
        at: UnixMs(5),
        lost: None,
    });
    seat.ageing_from = UnixMs::default();
    let stored = serde_json::to_string(&seat).unwrap();
    assert!(stored.contains(r#"[["report","report","idle","1970-01-01T00:00:00.005Z",null]]"#));
    assert_eq!(serde_json::from_str::<Seat>(&stored).unwrap(), seat);
}
