//! The logs of conversations that sit in seats: their ends are read as they grow.
//!
//! Nothing is opened before it changes: a thousand long logs cost a hub's start a look at each.

use super::inotify::Change;
use super::lookout::{UNWATCHED, Watcher};
use super::tail::{Grown, Tail};
use crate::filesystem;
use crate::inbox::Inbox;
use crate::job::{Sight, Witnessed, Work};
use crate::metrics::Metrics;
use headsup_adapters::evidence::taken;
use headsup_adapters::{LogLine, log_line, strange_line};
use headsup_core::id::AgentId;
use headsup_core::observation::{Fact, History};
use headsup_core::seat::Seat;
use headsup_core::source::Source;
use headsup_core::time::UnixMs;
use headsup_core::word::Word;
use serde_json::json;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::Instant;

/// Within this time a program writes down what has happened. Milliseconds.
const WRITTEN_MS: i64 = 1_000;

struct Logs {
    watcher: Watcher,
    inbox: Inbox,
    metrics: Arc<Metrics>,
    /// Boxed: a table of ten thousand has room for six thousand more.
    followed: HashMap<AgentId, Box<Log>>,
}

struct Log {
    kind: Word,
    tail: Tail,
    watch: Option<i32>,
    /// The kernel may not tell of its changes, watched or not.
    is_mute: bool,
    /// It began anew then: lines are the past until one was written later.
    past_until: Option<UnixMs>,
    /// It was not there yet when its agent was: what was written after that is news, whenever the
    /// file is found.
    awaited_since: Option<UnixMs>,
    /// It is followed since then, and no line that was written later has come: the log of a forked conversation
    /// begins with copies of the old lines, however many pieces they come in.
    copied_until: Option<UnixMs>,
}

impl Log {
    /// Whether somebody has to look.
    fn is_unwatched(&self) -> bool {
        self.watch.is_none() || self.is_mute
    }

    /// Whether a line that has just come belongs to the past that was written again.
    fn is_past(&mut self, line: &LogLine) -> bool {
        let written = line.written_at.as_deref().and_then(UnixMs::parse);
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

pub(super) async fn watch(
    mut seats: UnboundedReceiver<Arc<Seat>>,
    watcher: Watcher,
    inbox: Inbox,
    metrics: Arc<Metrics>,
) {
    let mut logs = Logs { watcher, inbox, metrics, followed: HashMap::new() };
    // However much the others move.
    let mut next_look = Instant::now() + UNWATCHED;
    loop {
        let unwatched = logs.followed.values().any(|log| log.is_unwatched());
        tokio::select! {
            seat = seats.recv() => match seat {
                Some(seat) => logs.look_at(&seat),
                None => return,
            },
            changes = logs.watcher.next() => logs.changed(changes).await,
            () = tokio::time::sleep_until(next_look), if unwatched => {
                logs.look_at_unwatched().await;
                next_look = Instant::now() + UNWATCHED;
            }
        }
    }
}

impl Logs {
    /// Follows the log of whoever sits in the seat now.
    fn look_at(&mut self, seat: &Seat) {
        let path = seat.about.log_path.as_deref().map(Path::new);
        let path = path.filter(|path| path.is_absolute() && !seat.process.state.is_over());
        let known = self.followed.get(&seat.id).map(|log| log.tail.path());
        if known == path {
            return;
        }
        if let Some(old) = self.followed.remove(&seat.id) {
            self.unwatch(&old);
        }
        let Some(path) = path else { return };
        let tail = Tail::new(path);
        let watch = if tail.is_there() { self.watcher.add_file(path) } else { None };
        let (kind, is_mute) = (seat.kind.clone(), filesystem::may_be_mute(path));
        let now = self.inbox.evidence().now().at;
        let awaited_since = (!tail.is_there()).then_some(now);
        // What has just happened may not be written down yet.
        let (past_until, copied_until) = (None, Some(now.plus(-WRITTEN_MS)));
        let log = Log { kind, tail, watch, is_mute, past_until, awaited_since, copied_until };
        self.followed.insert(seat.id.clone(), Box::new(log));
    }

    fn unwatch(&self, log: &Log) {
        let shared = self.followed.values().any(|other| other.watch == log.watch);
        if let (Some(watch), false) = (log.watch, shared) {
            self.watcher.remove(watch);
        }
    }

    async fn changed(&mut self, changes: Vec<Change>) {
        let mut touched: HashSet<i32> = HashSet::new();
        for change in changes {
            touched.insert(change.watch);
            for log in self.followed.values_mut() {
                if change.is_of_everything() || (change.is_over && log.watch == Some(change.watch))
                {
                    log.watch = None;
                }
            }
        }
        let grown =
            self.followed.iter().filter(|(_, log)| log.watch.is_none_or(|w| touched.contains(&w)));
        let grown: Vec<AgentId> = grown.map(|(id, _)| id.clone()).collect();
        for id in grown {
            self.read(&id).await;
        }
    }

    /// Looks at logs that were not there yet, or that nobody watches.
    async fn look_at_unwatched(&mut self) {
        let missing = self.followed.iter().filter(|(_, log)| log.is_unwatched());
        let missing: Vec<AgentId> = missing.map(|(id, _)| id.clone()).collect();
        for id in missing {
            self.read(&id).await;
        }
    }

    async fn read(&mut self, id: &AgentId) {
        loop {
            let Some(log) = self.followed.get_mut(id) else { return };
            if log.watch.is_none() {
                // Watched before it is read, so that nothing falls between.
                log.watch = self.watcher.add_file(log.tail.path());
            }
            let Ok(grown) = log.tail.look() else { return };
            let Grown { lines, past, skipped, begun_anew, more } = grown;
            log.past_until = begun_anew.or(log.past_until);
            self.metrics.log_lines_skipped.inc_by(skipped);
            let kind = log.kind.clone();
            if !past.is_empty() {
                let since = log.awaited_since.take();
                self.tell_past(id, &kind, &past).await;
                if let Some(since) = since {
                    self.tell_since(id, &kind, &past, since).await;
                }
            }
            for line in lines {
                let Some(read) = log_line(&kind, &line) else {
                    self.metrics.log_lines_skipped.inc();
                    continue;
                };
                if !self.followed.get_mut(id).is_some_and(|log| log.is_past(&read)) {
                    self.count(&kind, &line);
                    if read.fact.is_some() {
                        self.keep(id, &line);
                    }
                    self.tell(id, read).await;
                }
            }
            if !more {
                return;
            }
            tokio::task::yield_now().await;
        }
    }

    /// What says something that no version has said that is known is counted, whether or not it matters.
    fn count(&self, kind: &str, line: &[u8]) {
        if let Some(member) = strange_line(kind, line) {
            self.metrics.not_understood(kind, &format!("transcript.{member}"));
        }
    }

    /// Only lines that say something of the status are evidence.
    fn keep(&self, id: &AgentId, line: &[u8]) {
        let (Some(log), Some(line)) = (self.followed.get(id), taken(line)) else { return };
        let evidence = self.inbox.evidence();
        let row = json!({"src": "transcript", "file": log.tail.path(), "line": line});
        evidence.keep(id, evidence.now(), &row);
    }

    async fn tell(&self, id: &AgentId, line: LogLine) {
        if let Some(fact) = line.fact {
            self.submit(id, line.name, line.session, fact, false).await;
        }
    }

    /// What stood there before is metadata, whatever it says.
    async fn tell_past(&self, id: &AgentId, kind: &str, lines: &[Vec<u8>]) {
        let lines = lines.iter().filter_map(|line| log_line(kind, line));
        let mut history = History::default();
        let mut session = None;
        for line in lines {
            history.prompts += u64::from(line.is_prompt);
            history.model = line.model.or(history.model);
            history.title = line.title.or(history.title);
            session = line.session.or(session);
        }
        if history != History::default() {
            self.submit(id, "history".to_owned(), session, Fact::History(history), true).await;
        }
    }

    /// What was written while the file was awaited is no past.
    async fn tell_since(&self, id: &AgentId, kind: &str, lines: &[Vec<u8>], since: UnixMs) {
        for line in lines {
            let read = log_line(kind, line).filter(|read| {
                let written = read.written_at.as_deref().and_then(UnixMs::parse);
                written.is_some_and(|at| at > since)
            });
            let Some(read) = read else { continue };
            self.count(kind, line);
            if read.fact.is_some() {
                self.keep(id, line);
                self.tell(id, read).await;
            }
        }
    }

    async fn submit(
        &self,
        id: &AgentId,
        name: String,
        session: Option<String>,
        fact: Fact,
        is_history: bool,
    ) {
        let sight = Sight {
            agent: id.clone(),
            source: Source::Transcript,
            name,
            session,
            process: None,
            is_history,
            fact,
        };
        self.inbox.submit(Work::Witnessed(Witnessed::Seat(Box::new(sight))), None).await.ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inbox;
    use crate::sources::lookout::Lookout;
    use headsup_core::status::Process;
    use rustix::io::Errno;
    use std::fs::{self, OpenOptions};
    use std::io::Write as _;
    use std::time::Duration;
    use tokio::sync::mpsc::unbounded_channel;

    const INTERRUPTED: &[u8] = br#"{"type":"user","sessionId":"s1","message":{"content":[{"type":"text","text":"[Request interrupted by user]"}]}}"#;

    fn seat(id: &str, log: Option<&Path>) -> Arc<Seat> {
        let mut seat = Seat::new(AgentId::new(id).unwrap(), "claude-code", Source::Hook, UnixMs(0));
        seat.process.state = Process::Unknown;
        seat.about.log_path = log.map(|path| path.to_str().unwrap().into());
        Arc::new(seat)
    }

    #[tokio::test(start_paused = true)]
    async fn unwatched_logs_are_looked_at_every_second_whatever_else_moves() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log.jsonl");
        fs::write(&log, "").unwrap();
        let metrics = Arc::new(Metrics::new());
        let lookout = Lookout::new(|| Err(Errno::MFILE), Arc::clone(&metrics));
        let (inbox, outbox) = inbox::pair(crate::writer::Pen::default(), Arc::default());
        let (seats, with_logs) = unbounded_channel();
        tokio::spawn(watch(with_logs, lookout.watcher(), inbox, metrics));
        seats.send(seat("api", Some(&log))).unwrap();
        tokio::time::sleep(UNWATCHED * 3 / 2).await;
        let mut file = OpenOptions::new().append(true).open(&log).unwrap();
        file.write_all(&[INTERRUPTED, b"\n"].concat()).unwrap();
        let told = || outbox.take(Duration::ZERO, 1).unwrap();
        assert!(told().is_empty(), "nobody has looked since");
        for _ in 0..10 {
            seats.send(seat("other", None)).unwrap();
            tokio::time::sleep(UNWATCHED / 10).await;
        }
        let told = told();
        let Work::Witnessed(Witnessed::Seat(sight)) = &told[0].work else { panic!() };
        assert_eq!((sight.agent.as_str(), sight.source), ("api", Source::Transcript));
    }

    fn written(at: UnixMs) -> String {
        let line = String::from_utf8(INTERRUPTED.to_vec()).unwrap();
        line.replacen('{', &format!("{{\"timestamp\":\"{at}\","), 1) + "\n"
    }

    #[tokio::test(start_paused = true)]
    async fn copies_of_old_lines_are_no_news_however_many_pieces_they_come_in() {
        let lookout = Lookout::new(|| Err(Errno::MFILE), Arc::new(Metrics::new()));
        let (inbox, outbox) = inbox::pair(crate::writer::Pen::default(), Arc::default());
        let now = inbox.evidence().now().at;
        let (old, new) = (now.plus(-60_000), now.plus(60_000));
        let (seats, with_logs) = unbounded_channel();
        tokio::spawn(watch(with_logs, lookout.watcher(), inbox, Arc::new(Metrics::new())));
        let folder = tempfile::tempdir().unwrap();
        for is_there in [true, false] {
            let log = folder.path().join(format!("{is_there}.jsonl"));
            if is_there {
                fs::write(&log, written(old)).unwrap();
            }
            seats.send(seat("api", Some(&log))).unwrap();
            tokio::task::yield_now().await;
            let append = async |lines: &str| {
                let mut file = OpenOptions::new().append(true).create(true).open(&log).unwrap();
                file.write_all(lines.as_bytes()).unwrap();
                tokio::time::sleep(UNWATCHED * 3 / 2).await;
                outbox.take(Duration::ZERO, 9).unwrap().len()
            };
            for _ in 0..3 {
                assert_eq!(append(&written(old)).await, 0, "{is_there}");
            }
            assert_eq!(append(&written(new)).await, 1, "{is_there}");
            // From now on the order of the lines is the order, whatever a clock that was set back says.
            assert_eq!(append(&written(old)).await, 1, "{is_there}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_written_before_a_log_was_found_is_news_and_what_was_copied_into_it_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log.jsonl");
        let lookout = Lookout::new(|| Err(Errno::MFILE), Arc::new(Metrics::new()));
        let (inbox, outbox) = inbox::pair(crate::writer::Pen::default(), Arc::default());
        let (seats, with_logs) = unbounded_channel();
        tokio::spawn(watch(with_logs, lookout.watcher(), inbox, Arc::new(Metrics::new())));
        seats.send(seat("api", Some(&log))).unwrap();
        tokio::task::yield_now().await;
        let line = |at: &str| {
            String::from_utf8(INTERRUPTED.to_vec()).unwrap().replacen(
                '{',
                &format!("{{\"timestamp\":\"{at}\","),
                1,
            )
        };
        let (old, new) = (line("2020-01-01T00:00:00.000Z"), line("2999-01-01T00:00:00.000Z"));
        fs::write(&log, format!("{old}\n{new}\n{old}\n")).unwrap();
        tokio::time::sleep(UNWATCHED * 3 / 2).await;
        let told = outbox.take(Duration::ZERO, 9).unwrap();
        assert_eq!(told.len(), 1, "{told:?}");
        let Work::Witnessed(Witnessed::Seat(sight)) = &told[0].work else { panic!() };
        assert_eq!((sight.agent.as_str(), sight.is_history), ("api", false));
    }

    #[tokio::test(start_paused = true)]
    async fn what_a_line_says_anew_is_counted_and_the_past_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let metrics = Arc::new(Metrics::new());
        let lookout = Lookout::new(|| Err(Errno::MFILE), Arc::clone(&metrics));
        let (inbox, outbox) = inbox::pair(crate::writer::Pen::default(), Arc::default());
        let (seats, with_logs) = unbounded_channel();
        tokio::spawn(watch(with_logs, lookout.watcher(), inbox, Arc::clone(&metrics)));
        let news = r#"{"timestamp":"2999-01-01T00:00:00.000Z","type":"hologram"}"#;
        let bored = r#"{"type":"assistant","message":{"stop_reason":"bored","content":[]}}"#;
        let counted = |what: &str| metrics.counted("claude-code", what);
        for (is_there, times) in [(true, 1), (false, 2)] {
            let log = folder.path().join(format!("{is_there}.jsonl"));
            let append = |lines: &str| {
                let mut file = OpenOptions::new().append(true).create(true).open(&log).unwrap();
                file.write_all(lines.as_bytes()).unwrap();
            };
            if is_there {
                append(&format!("{news}\n{bored}\n"));
            }
            seats.send(seat("api", Some(&log))).unwrap();
            tokio::task::yield_now().await;
            append(&format!("{news}\n"));
            tokio::time::sleep(UNWATCHED * 3 / 2).await;
            append(&format!("{bored}\n{{\"type\":\"mode\",\"mode\":\"plan\"}}\n"));
            tokio::time::sleep(UNWATCHED * 3 / 2).await;
            let read = [counted("transcript.type"), counted("transcript.stop_reason")];
            assert_eq!(read, [times; 2], "{is_there}");
        }
        assert!(outbox.take(Duration::ZERO, 9).unwrap().is_empty(), "nothing of it is a fact");
    }
}
