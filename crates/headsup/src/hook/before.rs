//! What `crates/front` has done by the time that the program starts, if it was there at all.

use super::args;
use rustix::time::{ClockId, clock_gettime};
use std::ffi::OsString;
use std::time::{Duration, Instant};

/// The word before the one that says it.
const MARK: &str = "--after";
/// Time, pid and chance, in hexadecimal digits.
const ID: usize = 40;

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
    word.and_then(|word| read(word.to_str()?)).unwrap_or_default()
}

/// `FD:START:READ:ID:TRIED`: a file in memory, two moments on the monotonic clock in nanoseconds.
fn read(word: &str) -> Option<Before> {
    let parts: Vec<&str> = word.split(':').collect();
    let [file, started, read, id, tried] = parts[..] else { return None };
    let file: u32 = file.parse().ok()?;
    (id.len() == ID && id.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(())?;
    Some(Before {
        started: moment(started.parse().ok()?),
        read_at: Some(read.parse().ok()?).filter(|read| *read > 0).and_then(moment),
        body: std::fs::read(format!("/proc/self/fd/{file}")).ok()?,
        id: Some(id.to_owned()),
        is_tried: tried == "1",
    })
}

fn moment(nanoseconds: u64) -> Option<Instant> {
    let now = clock_gettime(ClockId::Monotonic);
    let seconds = Duration::from_secs(u64::try_from(now.tv_sec).ok()?);
    let now = seconds + Duration::from_nanos(u64::try_from(now.tv_nsec).ok()?);
    Instant::now().checked_sub(now.saturating_sub(Duration::from_nanos(nanoseconds)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;
    use std::os::fd::AsRawFd as _;

    fn words(line: &str) -> impl Iterator<Item = OsString> {
        line.split(' ').map(OsString::from)
    }

    #[test]
    fn what_was_done_is_taken_over() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"{\"a\"").unwrap();
        let (id, file) = ("0123456789abcdef".repeat(3), file.as_raw_fd());
        let id = &id[..ID];
        let now = clock_gettime(ClockId::Monotonic);
        let now = now.tv_sec * 1_000_000_000 + now.tv_nsec;
        let line = format!("headsup hook amp Stop --after {file}:{now}:0:{id}:1");
        let before = left(words(&line));
        assert_eq!(before.body, b"{\"a\"");
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
            format!("headsup hook amp Stop --after 4711:1:1:{id}:1"),
            format!("headsup hook amp Stop more 0:1:1:{id}:1"),
            "headsup hook amp Stop --after 0:1:1:x:1".to_owned(),
        ] {
            assert_eq!(left(words(&line)), Before::default(), "{line}");
        }
    }
}
