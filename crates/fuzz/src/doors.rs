//! What the hub, its clients and people write.

use crate::answer::Answer;
use crate::board::Board;
use crate::skimmed::Skimmed;
use crate::sse::Parser;
use crate::{config as settings, cursor as place, duration as time, query as parameters, until};
use headsup_core::compat::boocode::{AgentStatusReport, Meaning, seat_id};
use headsup_core::compat::panopticon::{HeartbeatBody, ReportStatusBody};
use headsup_core::event::Event;
use headsup_core::id::AgentId;
use headsup_core::seat::Seat;
use headsup_core::select::HeadlineSet;
use headsup_core::source::Source;
use headsup_core::spool::{Decoder, Record, encode};
use headsup_core::time::UnixMs;
use headsup_core::wire::{ReportBody, VerdictBody};
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};

/// Every byte is read or said to be damage, and what is read is what was written.
pub(crate) fn spool(bytes: &[u8]) {
    let mut decoder = Decoder::new(bytes);
    let mut records = Vec::new();
    for item in decoder.by_ref() {
        match item {
            Ok(record) => records.push(record),
            Err(corrupt) => {
                assert!(corrupt.bytes > 0 && corrupt.offset + corrupt.bytes <= bytes.len());
            }
        }
    }
    assert!(decoder.skipped().bytes <= bytes.len());
    for record in records {
        let again: Vec<Record> = Decoder::new(&encode(&record)).flatten().collect();
        assert_eq!(again, [record]);
    }
}

/// A head is whole or not; more bytes do not change what stood there.
pub(crate) fn answer(bytes: &[u8]) {
    let whole = Answer::parse(bytes);
    if let Answer::Head { length, status, .. } = whole {
        assert!(length <= bytes.len() && status <= 999);
        assert_eq!(Answer::parse(&bytes[..length]), whole);
        let cut = length.checked_sub(1).and_then(|cut| bytes.get(..cut));
        assert!(!cut.is_some_and(|cut| matches!(Answer::parse(cut), Answer::Head { .. })));
    }
}

/// Messages and comments do not depend on the pieces in which they come.
pub(crate) fn sse(bytes: &[u8]) {
    let read = |size: usize| {
        let (mut parser, mut ready) = (Parser::default(), VecDeque::new());
        for piece in bytes.chunks(size) {
            parser.feed(piece, &mut ready);
        }
        (ready, parser.take_comment())
    };
    assert_eq!(read(1), read(bytes.len().max(1)));
}

/// What is JSON stays JSON, and fits.
pub(crate) fn shrink(bytes: &[u8]) {
    for limit in [64, 1_024] {
        let Some(short) = crate::shrink::shrink(bytes, limit) else { continue };
        assert!(short.len() <= limit);
        let is_json = |text: &[u8]| serde_json::from_slice::<serde::de::IgnoredAny>(text).is_ok();
        assert!(!is_json(bytes) || is_json(&short), "{}", String::from_utf8_lossy(&short));
    }
}

/// What comes in pieces is kept as what comes at once. Of a JSON object every member stays: as it was, or as a sign of
/// how long it was. A tilde stands for a long text.
pub(crate) fn skimmed(bytes: &[u8]) {
    static LONG: [u8; 17 << 10] = [b'~'; 17 << 10];
    let mut long = 0..2;
    let text: Vec<u8> = bytes
        .split_inclusive(|&byte| byte == b'~' && long.next().is_some())
        .flat_map(|piece| match piece.split_last() {
            Some((b'~', before)) => [before, &LONG],
            _ => [piece, &[]],
        })
        .flatten()
        .copied()
        .collect();
    let kept = crate::skimmed::skimmed(&text);
    for size in [1, 7] {
        let mut skimmed = Skimmed::default();
        let mut pieces = text.chunks(size);
        while pieces.next().is_some_and(|piece| skimmed.take(piece)) {}
        assert_eq!(skimmed.end(), kept);
    }
    let Ok(all) = serde_json::from_slice::<BTreeMap<String, Value>>(&text) else { return };
    let kept: BTreeMap<String, Value> =
        serde_json::from_slice(&kept.unwrap_or_default()).unwrap_or_default();
    assert!(all.keys().eq(kept.keys()));
    for (name, value) in &kept {
        assert!(*value == all[name] || value["truncated"] == true, "{name}: {value}");
    }
}

pub(crate) fn duration(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    if let Ok(duration) = time::parse(text) {
        assert_eq!(time::parse(&time::text(duration)), Ok(duration));
    }
}

pub(crate) fn selector(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    HeadlineSet::parse(text).ok();
    until::Until::parse(text).ok();
}

pub(crate) fn cursor(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    for (oldest, head) in [(1, 0), (10, 20), (u64::MAX, u64::MAX)] {
        let board = Board { head, oldest };
        if let place::Start::Behind(seq) = place::Start::parse(Some(text), &board) {
            assert!(seq <= head && seq.saturating_add(1) >= oldest, "{text:?}: {seq}");
        }
    }
}

pub(crate) fn query(bytes: &[u8]) {
    let text = str::from_utf8(bytes).ok();
    let names = ["since", "agent", "type", "follow", "all"];
    if let Ok(query) = parameters::Query::parse(text, &names) {
        for name in names {
            let count = query.all(name).count();
            assert_eq!(query.one(name).is_ok(), count <= 1);
            query.flag(name, true).ok();
        }
    }
}

pub(crate) fn config(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    settings::Config::parse(text, "/c.toml").ok();
}

/// Ids and times, as they come in headers and addresses.
pub(crate) fn names(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    assert!(AgentId::new(AgentId::slug(&text).as_str()).is_ok(), "{text:?}");
    if let Ok(id) = AgentId::new(text.as_ref()) {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        assert!(id.as_str().chars().all(is_plain) && ![".", ".."].contains(&id.as_str()));
    }
    if let Some(at) = UnixMs::parse(&text) {
        assert_eq!(UnixMs::parse(&at.to_string()), Some(at), "{text:?}");
    }
}

pub(crate) fn report(bytes: &[u8]) {
    if let Ok(report) = serde_json::from_slice::<ReportBody>(bytes) {
        report.parse().ok();
    }
    serde_json::from_slice::<VerdictBody>(bytes).ok();
    serde_json::from_slice::<HeartbeatBody>(bytes).ok();
    serde_json::from_slice::<ReportStatusBody>(bytes).ok();
    if let Ok(said) = serde_json::from_slice::<AgentStatusReport>(bytes) {
        let meaning = Meaning::of(&said.event_type, said.notification_type.as_deref());
        let id = seat_id(&said.chat_id, &said.agent);
        assert!(AgentId::new(id.as_str()).is_ok(), "{id}");
        let seat = Seat::new(id, "custom", Source::Hook, UnixMs(0));
        drop(meaning.and_then(|meaning| meaning.of_seat(&seat)));
    }
}

/// What is in the database is read again as it was written.
pub(crate) fn stored(bytes: &[u8]) {
    if let Ok(event) = serde_json::from_slice::<Event>(bytes) {
        let text = serde_json::to_vec(&event).unwrap_or_default();
        assert!(serde_json::from_slice::<Event>(&text).is_ok_and(|again| again == event));
    }
    if let Ok(seat) = serde_json::from_slice::<Seat>(bytes) {
        let text = serde_json::to_vec(&seat).unwrap_or_default();
        assert!(serde_json::from_slice::<Seat>(&text).is_ok_and(|again| again == seat));
    }
}
