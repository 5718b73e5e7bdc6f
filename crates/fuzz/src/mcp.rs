//! What clients of the tools send, with the same places inside.

#[path = "../../daemon/src/mcp/accept.rs"]
mod accept;
#[path = "../../daemon/src/mcp/frame.rs"]
mod frame;
#[path = "../../daemon/src/mcp/line.rs"]
mod line;

use axum::http::HeaderMap;
use axum::http::header::ACCEPT;
use frame::Bad;
use line::Line;
use serde_json::Value;

/// What is taken is a message; what is not gets one line of an answer, to its own id.
pub(crate) fn message(bytes: &[u8]) {
    let checked = frame::check(bytes);
    assert!(frame::check_whole(bytes).is_err() || checked == Ok(()));
    let read = serde_json::from_slice::<Value>(bytes);
    if checked == Ok(()) {
        assert!(bytes.trim_ascii_start().starts_with(b"{"));
        assert!(read.as_ref().map_or(true, |message| message["jsonrpc"] == "2.0"));
    }
    let spread = [b" \n", bytes, b"\t"].concat();
    assert_eq!(frame::check(&spread), checked);
    let id = frame::id(bytes);
    assert!(id.is_null() || id.is_string() || id.is_number());
    let all = [
        Bad::TooLong,
        Bad::NotJson,
        Bad::Batch,
        Bad::NoObject,
        Bad::Id,
        Bad::IdInUse,
        Bad::Version,
        Bad::Initialize,
        Bad::NoMessage,
    ];
    for bad in all.into_iter().filter(|bad| checked.is_ok() || checked == Err(*bad)) {
        let answer = bad.answer(&id);
        assert!(!answer.contains(&b'\n'));
        let is_to_it = String::from_utf8_lossy(&answer).contains(&format!("\"id\":{id}"));
        let answer = serde_json::from_slice::<Value>(&answer).unwrap_or_default();
        assert!(is_to_it && answer["error"]["code"].is_i64(), "{answer}");
    }
}

/// Lines do not depend on the pieces in which they come; those that are too long, and no others, are left out.
pub(crate) fn lines(bytes: &[u8]) {
    for longest in [4, 64, frame::LONGEST] {
        let read = |size: usize| {
            let (mut line, mut lines) = (Line::new(longest), Vec::new());
            for mut piece in bytes.chunks(size) {
                while !piece.is_empty() {
                    let (taken, whole) = line.take(piece);
                    assert!(taken > 0, "it stands still");
                    piece = &piece[taken..];
                    lines.extend(whole);
                }
            }
            lines
        };
        let lines = bytes.split_inclusive(|byte| *byte == b'\n');
        let lines = lines.filter_map(|line| {
            let text = line.strip_suffix(b"\n")?;
            Some(if line.len() > longest { Err(Bad::TooLong) } else { Ok(text.to_vec()) })
        });
        let lines: Vec<_> = lines.collect();
        for size in [1, 3, bytes.len().max(1)] {
            assert_eq!(read(size), lines, "in pieces of {size}");
        }
    }
}

/// What a client takes is spelled out once; who does not take what we answer is left as it is.
pub(crate) fn accepted(headers: &HeaderMap) {
    let mut once = headers.clone();
    accept::spell_out(&mut once);
    let mut twice = once.clone();
    accept::spell_out(&mut twice);
    assert_eq!(twice, once);
    let said = |headers: &HeaderMap| headers.get_all(ACCEPT).iter().cloned().collect::<Vec<_>>();
    let is_spelled = said(&once) == ["application/json, text/event-stream"];
    assert!(is_spelled || said(&once) == said(headers));
    assert!(is_spelled || !said(headers).is_empty());
}
