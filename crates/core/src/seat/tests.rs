use super::*;
use serde_json::json;

fn seat() -> Seat {
    Seat::new(AgentId::new("api").unwrap(), "custom", Source::Report, UnixMs(1_795_296_597_200))
}

/// As it comes out of the store.
fn stored(seat: &Seat) -> Seat {
    Seat { history: None, ageing_from: UnixMs::default(), ..seat.clone() }
}

/// As the first versions wrote it: every field.
#[test]
fn a_seat_that_was_stored_whole_is_read() {
    let seat = seat();
    let mut written = serde_json::to_value(&seat).unwrap();
    assert!(written.get("session").is_none() && written["turn"].get("queued").is_none());
    for absent in ["session", "outcome", "stage", "last_status_at", "last_activity"] {
        written[absent] = json!(null);
    }
    for empty in ["left_sessions", "verdicts", "prompts", "open_tools", "claims", "held"] {
        written[empty] = json!([]);
    }
    written["turn"]["queued"] = json!([]);
    written["turn"]["compacting"] = json!(false);
    written["about"]["labels"] = json!({});
    let read: Seat = serde_json::from_value(written).unwrap();
    assert_eq!(read, stored(&seat));
}

#[test]
fn what_is_written_is_read() {
    let seat = seat();
    let written = serde_json::to_string(&seat).unwrap();
    assert_eq!(serde_json::from_str::<Seat>(&written).unwrap(), stored(&seat));
}
