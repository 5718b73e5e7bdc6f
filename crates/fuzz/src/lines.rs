//! What comes in pieces, and lists.

use crate::body::check_depth;
use crate::client::Rows;
use crate::{depth, engine, files, front, reader, release, tail, version};
use headsup_core::wire::RowDoc;
use serde::de::IgnoredAny;

/// A log: what is read of it does not depend on how it has grown, and no line is longer than it may be.
pub(crate) fn log(bytes: &[u8]) {
    for longest in [4, 64, 8 << 20] {
        let read = |begun: usize, size: usize| {
            let (mut lines, mut found, mut skipped) = (tail::Lines::new(longest), Vec::new(), 0);
            lines.begin_with(bytes[..begun].to_vec());
            for piece in bytes[begun..].chunks(size) {
                skipped += lines.take(piece, |line| found.push(line));
            }
            skipped += lines.take(b"", |line| found.push(line));
            (found, skipped)
        };
        let is_long = |line: &[u8]| line.len() as u64 > longest;
        let all = || bytes.split(|byte| *byte == b'\n');
        let skipped = all().filter(|line| is_long(line)).count() as u64;
        let whole = all().count() - 1;
        let lines = all().take(whole).filter(|line| !line.is_empty() && !is_long(line));
        let expected = (lines.map(<[u8]>::to_vec).collect::<Vec<_>>(), skipped);
        let first = all().next().map_or(0, <[u8]>::len);
        for (begun, size) in [(0, 1), (0, 7), (0, bytes.len().max(1)), (first, bytes.len().max(1))]
        {
            assert_eq!(read(begun, size), expected, "{begun} and pieces of {size}");
        }
    }
}

/// Messages of an agent's own server do not depend on the pieces in which they come, and have an end.
pub(crate) fn events(bytes: &[u8]) {
    for longest in [8, 64, 4 << 20] {
        let read = |size: usize| {
            let mut reader = reader::Reader::new(longest);
            bytes.chunks(size).for_each(|piece| reader.take(piece));
            std::iter::from_fn(|| reader.next()).collect::<Vec<_>>()
        };
        let whole = read(bytes.len().max(1));
        // A byte that is no text is three of it.
        assert!(whole.iter().all(|data| !data.is_empty() && data.len() <= 3 * longest + 1));
        for size in [1, 3] {
            assert_eq!(read(size), whole, "in pieces of {size}, at most {longest}");
        }
    }
}

/// A container engine: its events do not depend on the pieces in which they come.
pub(crate) fn engine(bytes: &[u8]) {
    let read = |size: usize| {
        let (mut lines, mut events) = (engine::Lines::new(bytes.len()), Vec::new());
        for piece in bytes.chunks(size) {
            lines.take(piece);
            events.extend(std::iter::from_fn(|| lines.next()));
            assert!(!lines.is_too_long());
        }
        events
    };
    let whole = read(bytes.len().max(1));
    assert_eq!(read(1), whole);
    for event in whole {
        assert!(event.is_of("") && event.at_ms().is_none_or(|at| at.abs() <= i64::MAX / 1_000_000));
        event.number("exitCode");
    }
    let mut lines = engine::Lines::new(8);
    lines.take(bytes);
    while lines.next().is_some() {}
    let rest = bytes.split(|byte| *byte == b'\n').next_back().map_or(0, <[u8]>::len);
    assert_eq!(lines.is_too_long(), rest > 8);
    if let Ok(state) = engine::State::read(bytes) {
        assert!(
            engine::State::read(&[b" ", bytes, b"\n"].concat()).is_ok_and(|again| again == state)
        );
    }
}

/// Lists of files, as git writes them: whatever a file is called, it is found under its name.
pub(crate) fn files(bytes: &[u8]) {
    assert!(files::numstat(bytes).len() <= bytes.split(|byte| *byte == 0).count());
    let text = String::from_utf8_lossy(bytes);
    let names: Vec<&str> = text.split('\0').filter(|name| !name.is_empty()).collect();
    assert!(files::names(text.as_bytes()).eq(names.iter().copied()));
    let row = |(count, name): (usize, &&str)| format!("{count}\t-\t{name}\0");
    let told: Vec<String> = names.iter().enumerate().map(row).collect();
    let moved = |name: &&str| format!("1\t2\t\0old\0{name}\0");
    let moved: Vec<String> = names.iter().map(moved).collect();
    let told = files::numstat(told.concat().as_bytes());
    assert!(told.iter().map(|file| &*file.path).eq(names.iter().copied()), "{names:?}");
    assert!(
        told.iter().zip(0..).all(|(file, count)| file.additions == count && file.deletions == 0)
    );
    let moved = files::numstat(moved.concat().as_bytes());
    assert!(moved.iter().map(|file| &*file.path).eq(names.iter().copied()), "{names:?}");
}

/// Of every text it is said as a real parser says it whether it is one JSON object, and how deep it is nested.
pub(crate) fn object(bytes: &[u8]) {
    let (is_object, is_deep) = (front::is_object(bytes), depth::is_too_deep(bytes));
    assert_eq!(check_depth(bytes).is_err(), is_deep);
    let Ok(text) = str::from_utf8(bytes) else { return };
    let begins = text.trim_start_matches([' ', '\t', '\n', '\r']).starts_with('{');
    let is_json = begins && serde_json::from_str::<IgnoredAny>(text).is_ok();
    assert_eq!(is_object, is_json && !is_deep, "{text:?}");
}

/// The roster in rows: they do not depend on the pieces in which they come.
pub(crate) fn rows(bytes: &[u8]) {
    let read = |size: usize| {
        let (mut rows, mut ids) = (Rows::default(), Vec::new());
        let mut keep = |row: &RowDoc<'_>| ids.push((row.id.to_string(), row.headline));
        for piece in bytes.chunks(size) {
            rows.next("/", piece, &mut keep).ok()?;
        }
        rows.end("/", &mut keep).ok()?;
        Some(ids)
    };
    let whole = read(bytes.len().max(1));
    for size in [1, 9] {
        assert_eq!(read(size), whole, "in pieces of {size}");
    }
}

/// Versions of programs: what is read of one is written and read again; of two, one at most is older.
pub(crate) fn version(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Some(read) = version::parsed(&text) {
        let (major, minor, patch) = read;
        assert_eq!(version::parsed(&format!("{major}.{minor}.{patch}")), Some(read));
    }
    let (one, other) = text.split_once(' ').unwrap_or((&text, "0.1.0"));
    assert!(!(release::is_older(one, other) && release::is_older(other, one)));
    assert!(!release::is_older(one, one));
}
