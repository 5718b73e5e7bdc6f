//! What `crates/front` has done by the time that the program starts, if it was there at all.

use super::args;
use rustix::time::{ClockId, clock_gettime};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::time::{Duration, Instant};

/// The word before the one that says it.
const MARK: &str = "--after";
/// Time, pid and chance, in hexadecimal digits.
const ID: usize = 40;
/// What stands for a zero byte, which no word has, with 1 behind it, and for itself, with 2.
const ESCAPE: u8 = 1;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Before {
    pub(super) started: Option<Instant>,
    /// When standard input was read to its end; `None`: there may be more of it.
    pub(super) read_at: Option<Instant>,
    pub(super) body: Vec<u8>,
    pub(super) id: Option<String>,
    /// The hub was asked, and may have the report: it is not asked again.
    pub(super) is_tried: bool,
}

pub(super) fn left(args: impl Iterator<Item = OsString>) -> Before {
    let mut words = args.skip(args::WORDS);
    let word = words.next().filter(|word| word == MARK).and_then(|_| words.next());
    word.and_then(|word| read(word.as_bytes())).unwrap_or_default()
}

/// `START:READ:ID:TRIED:BODY`: two moments on the monotonic clock in nanoseconds, and what was read. Whoever
/// writes such a word reports what they could report anyway, under an id of their own, and makes us wait for no longer.
fn read(word: &[u8]) -> Option<Before> {
    let mut parts = word.splitn(5, |byte| *byte == b':');
    let mut part = || parts.next();
    let [started, read, id, tried] = [part()?, part()?, part()?, part()?].map(str::from_utf8);
    let (read, id): (u64, _) = (read.ok()?.parse().ok()?, id.ok()?);
    (id.len() == ID && id.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(())?;
    Some(Before {
        started: moment(started.ok()?.parse().ok()?),
        read_at: Some(read).filter(|read| *read > 0).and_then(moment),
        body: with_zeros(part()?)?,
        id: Some(id.to_owned()),
        is_tried: tried == Ok("1"),
    })
}

fn with_zeros(word: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::with_capacity(word.len());
    let mut bytes = word.iter();
    while let Some(&byte) = bytes.next() {
        body.push(match byte {
            ESCAPE => match bytes.next()? {
                1 => 0,
                2 => ESCAPE,
                _ => return None,
            },
            plain => plain,
        });
    }
    Some(body)
}

/// Never later than it was, wherever we are interrupted here, and never in the future.
fn moment(nanoseconds: u64) -> Option<Instant> {
    let here = Instant::now();
    let now = clock_gettime(ClockId::Monotonic);
    let seconds = Duration::from_secs(u64::try_from(now.tv_sec).ok()?);
    let now = seconds + Duration::from_nanos(u64::try_from(now.tv_nsec).ok()?);
    here.checked_sub(now.saturating_sub(Duration::from_nanos(nanoseconds)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> impl Iterator<Item = OsString> {
        line.split(' ').map(OsString::from)
    }

    #[test]
    fn what_was_done_is_taken_over() {
        let id = "0123456789abcdef".repeat(3);
        let id = &id[..ID];
        let now = clock_gettime(ClockId::Monotonic);
        let now = now.tv_sec * 1_000_000_000 + now.tv_nsec;
        let line =
            format!("headsup hook amp Stop --after {now}:0:{id}:1:{{\"a\":\u{1}\u{1}\u{1}\u{2}");
        let before = left(words(&line));
        assert_eq!(before.body, b"{\"a\":\0\x01");
        assert_eq!((before.id.as_deref(), before.is_tried, before.read_at), (Some(id), true, None));
        assert!(before.started.unwrap().elapsed() < Duration::from_mins(1));
        let whole = left(words(&line.replace(":0:", &format!(":{now}:"))));
        assert!(whole.read_at.is_some());
    }

    #[test]
    fn other_words_say_nothing() {
        let id = "a".repeat(ID);
        for line in [
            "headsup hook amp Stop".to_owned(),
            "headsup hook amp Stop --after".to_owned(),
            "headsup hook amp Stop --after 1:2:3".to_owned(),
            format!("headsup hook amp Stop --after 1:1:{id}:1"),
            format!("headsup hook amp Stop --after 1:1:{id}:1:\u{1}"),
            format!("headsup hook amp Stop --after 1:1:{id}:1:\u{1}\u{3}"),
            format!("headsup hook amp Stop more 1:1:{id}:1:{{}}"),
            "headsup hook amp Stop --after 1:1:x:1:{}".to_owned(),
        ] {
            assert_eq!(left(words(&line)), Before::default(), "{line}");
        }
    }
}
