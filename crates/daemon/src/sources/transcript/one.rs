//! One log that is followed, and what of it is past.

use crate::filesystem;
use crate::sources::lookout::Watcher;
use crate::sources::tail::Tail;
use headsup_adapters::LogLine;
use headsup_core::time::UnixMs;
use headsup_core::word::Word;
use std::path::Path;

/// Within this time a program writes down what has happened. Milliseconds.
pub(super) const WRITTEN_MS: i64 = 1_000;

pub(super) struct Log {
    pub(super) kind: Word,
    pub(super) tail: Tail,
    pub(super) watch: Option<i32>,
    /// The folder that it was in as the watch was set.
    pub(super) folder: Identity,
    /// The kernel may not tell of its changes, watched or not.
    is_mute: bool,
    /// It began anew since then: lines are the past until one was written later.
    past_until: Option<UnixMs>,
    /// It was not there then: what was written after that is news, whenever the file is found.
    awaited_since: Option<UnixMs>,
    /// It was there at a look then.
    seen_at: UnixMs,
    /// It was there, and is not any more, or something else is in its place.
    pub(super) is_lost: bool,
    /// It could not be read at the last look. What was in the way may go without a change of the file.
    pub(super) is_unread: bool,
    /// It is followed since then, and no line that was written later has come: the log of a forked conversation
    /// begins with copies of the old lines, however many pieces they come in.
    copied_until: Option<UnixMs>,
}

impl Log {
    /// The one at this path, watched if it is there. Also when that was changed last.
    pub(super) fn new(
        kind: &Word,
        path: &Path,
        watcher: &Watcher,
        now: UnixMs,
    ) -> (Self, Option<UnixMs>) {
        let (tail, changed_at) = Tail::new(path);
        let is_there = tail.is_there();
        let log = Self {
            kind: kind.clone(),
            tail,
            watch: if is_there { watcher.add_file(path) } else { None },
            folder: folder_of(path),
            is_mute: filesystem::may_be_mute(path),
            past_until: None,
            awaited_since: (!is_there).then_some(now),
            seen_at: now,
            is_lost: false,
            is_unread: false,
            // What has just happened may not be written down yet.
            copied_until: Some(now.plus(-WRITTEN_MS)),
        };
        (log, changed_at)
    }

    /// Whether somebody has to look.
    pub(super) fn is_unwatched(&self) -> bool {
        self.watch.is_none() || self.is_mute || self.is_unread
    }

    /// Notes what a look has shown. Returns since when what stands in the file already is news all the same.
    pub(super) fn note(&mut self, now: UnixMs, begun_anew: bool) -> Option<UnixMs> {
        // What is still to come was by a clock that has been set back since.
        let moments = [&mut self.awaited_since, &mut self.past_until, &mut self.copied_until];
        let moments = moments.into_iter().flatten().chain([&mut self.seen_at]);
        for moment in moments.filter(|moment| **moment > now) {
            *moment = now.plus(-WRITTEN_MS);
        }
        // Until the look before, the file before was told of; and it is not gone or replaced unnoticed for long. What
        // a program dates before that, it may write down only then.
        let since = self.seen_at.max(now.plus(-WRITTEN_MS));
        if !self.tail.is_there() {
            self.awaited_since.get_or_insert(since);
            return None;
        }
        if begun_anew {
            self.past_until = Some(*self.awaited_since.get_or_insert(since));
        }
        self.seen_at = now;
        self.awaited_since.take()
    }

    /// Whether a line that has just come belongs to the past that was written again.
    pub(super) fn is_past(&mut self, line: &LogLine) -> bool {
        let written = written(line);
        let is_past = self.past_until.is_some_and(|until| written.is_none_or(|at| at <= until));
        let is_copied = self.copied_until.zip(written).is_some_and(|(until, at)| at <= until);
        if !is_past {
            self.past_until = None;
        }
        if !is_copied && written.is_some() {
            self.copied_until = None;
        }
        is_past || is_copied
    }
}

/// When it was written, where it says so.
pub(super) fn written(line: &LogLine) -> Option<UnixMs> {
    line.written_at.as_deref().and_then(UnixMs::parse)
}

/// Device and inode, in one; 0 where there is none.
pub(super) type Identity = u64;

/// The folder that a path leads to now.
pub(super) fn folder_of(path: &Path) -> Identity {
    let stat = path.parent().and_then(|parent| rustix::fs::stat(parent).ok());
    stat.map_or(0, |stat| stat.st_dev.rotate_left(32) ^ stat.st_ino)
}

#[cfg(test)]
mod tests {
    use super::*;
    use headsup_adapters::log_line;

    fn line_of(at: UnixMs) -> LogLine {
        let line = format!(
            r#"{{"type":"user","sessionId":"s1","timestamp":"{at}","message":{{"content":[{{"type":"text","text":"[Request interrupted by user]"}}]}}}}"#
        );
        log_line("claude-code", line.as_bytes()).unwrap()
    }

    /// Of which all is of that moment, and nobody watches it.
    fn log_at(path: &Path, moment: UnixMs) -> Log {
        Log {
            kind: "claude-code".into(),
            tail: Tail::new(path).0,
            watch: None,
            folder: 0,
            is_mute: false,
            past_until: Some(moment),
            awaited_since: Some(moment),
            seen_at: moment,
            is_lost: false,
            is_unread: false,
            copied_until: Some(moment),
        }
    }

    #[test]
    fn what_is_written_behind_a_clock_that_was_set_back_is_no_copy() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.jsonl");
        std::fs::write(&path, "").unwrap();
        let now = UnixMs(1_795_296_597_200);
        let (later, over) = (now.plus(3_600_000), now.plus(-WRITTEN_MS));
        let mut log = log_at(&path, later);
        assert_eq!(log.note(now, false), Some(over));
        assert_eq!((log.past_until, log.copied_until), (Some(over), Some(over)));
        assert!(log.is_past(&line_of(over)), "a copy");
        assert!(!log.is_past(&line_of(now)));
        log.seen_at = later;
        assert_eq!(log.note(now, true), Some(over), "another file in its place");
    }

    #[test]
    fn what_is_dated_just_before_its_log_was_gone_is_news_when_that_is_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.jsonl");
        let now = UnixMs(1_795_296_597_200);
        for (seen, news) in [(now.plus(-5), now.plus(-5)), (UnixMs(0), now.plus(-WRITTEN_MS))] {
            std::fs::write(&path, "{}\n").unwrap();
            let mut log = log_at(&path, seen);
            log.awaited_since = None;
            std::fs::remove_file(&path).unwrap();
            log.tail.look().unwrap();
            assert_eq!(log.note(now, false), None);
            std::fs::write(&path, "{}\n").unwrap();
            let begun_anew = log.tail.look().unwrap().begun_anew;
            assert_eq!(log.note(now.plus(10), begun_anew), Some(news));
            assert!(log.is_past(&line_of(news)), "it was told of");
            assert!(!log.is_past(&line_of(news.plus(1))));
        }
    }
}
