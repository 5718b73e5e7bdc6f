//! What goes through `headsup run` to a terminal and back.

use crate::panes::{ended, living, shown};
use crate::reply::Reply;
use crate::scan::{Finding, Scanner};
use std::time::Instant;

/// A program's bytes come out the same however they are cut, but for the queries that were found;
/// so does what was found.
pub(crate) fn scan(bytes: &[u8]) {
    let read = |size: usize| {
        let (mut scanner, mut out, mut found) = (Scanner::new(), Vec::new(), Vec::new());
        bytes.chunks(size).for_each(|piece| scanner.feed(piece, &mut out, |it| found.push(it)));
        scanner.finish(&mut out);
        (out, found)
    };
    let (out, found) = read(bytes.len().max(1));
    for size in [1, 3] {
        assert_eq!(read(size), (out.clone(), found.clone()), "in pieces of {size}");
    }
    let queries = found.iter().filter(|it| **it == Finding::Query).count();
    // A query is nine bytes with BEL at its end, ten with ST.
    let gone = bytes.len() - out.len();
    assert!((9 * queries..=10 * queries).contains(&gone), "{gone} bytes of {queries} queries");
    let is_short = |body: &Vec<u8>| body.len() <= 4_096;
    for it in found {
        match it {
            Finding::Query => {}
            Finding::Status(body) | Finding::Title(body) => assert!(is_short(&body)),
            Finding::Progress(body) => assert!(is_short(&body) && body.starts_with(b"4;")),
        }
    }
}

/// Of what is typed one stretch is taken out at most, in whatever pieces it comes.
pub(crate) fn reply(bytes: &[u8]) {
    let now = Instant::now();
    for size in [bytes.len().max(1), 9, 64] {
        let (mut reply, mut out, mut understood) = (Reply::asked(now), Vec::new(), false);
        for piece in bytes.chunks(size) {
            understood |= reply.take(piece, &mut out, now);
        }
        reply.give_up(&mut out);
        let same = bytes.iter().zip(&out).take_while(|(one, other)| one == other).count();
        let after = bytes.iter().rev().zip(out.iter().rev()).take_while(|(a, b)| a == b).count();
        assert!(same + after >= out.len(), "more than one stretch is gone");
        assert!(out.len() < bytes.len() || (out == bytes && !understood));
    }
}

/// What a title or a screen says makes no pane of its own: as many come out as went in.
pub(crate) fn panes(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for ((server, pane), title) in living(&text) {
        let line = format!("{server} 0 {pane} {title}");
        assert!(text.lines().any(|listed| listed == line), "{line}");
        ended(&text, [server, pane, title]);
    }
    let mark = "headsup0123456789abcdef";
    if text.contains(mark) {
        return;
    }
    let screens = format!("{text}{mark} 41 /dev/pts/1\n{text}\n{mark} 41 \n{mark} 4");
    let both = format!("{text}\n");
    let told = [("41", "/dev/pts/1", &*text), ("41", "", &*both)];
    assert_eq!(shown(&screens, mark), told);
}
