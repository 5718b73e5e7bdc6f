//! The logs of conversations that sit in seats: their ends are read as they grow.
//!
//! Nothing is opened before it changes: a thousand long logs cost a hub's start a look at each.

use super::inotify::{Change, Inotify};
use super::tail::{Grown, Tail};
use crate::inbox::Inbox;
use crate::job::{Sight, Witnessed, Work};
use crate::metrics::Metrics;
use headsup_adapters::evidence::taken;
use headsup_adapters::{LogLine, log_line};
use headsup_core::id::AgentId;
use headsup_core::observation::{Fact, History};
use headsup_core::seat::Seat;
use headsup_core::source::Source;
use headsup_core::time::UnixMs;
use serde_json::json;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedReceiver;

/// How often logs that are not there yet are looked for.
const MISSING: Duration = Duration::from_secs(2);

struct Logs {
    inotify: Option<Inotify>,
    inbox: Inbox,
    metrics: Arc<Metrics>,
    followed: HashMap<AgentId, Log>,
}

struct Log {
    kind: String,
    tail: Tail,
    watch: Option<i32>,
    /// It began anew then: lines are the past until one was written later.
    past_until: Option<UnixMs>,
}

impl Log {
    /// Whether a line that has just come belongs to the past that was written again.
    fn is_past(&mut self, line: &LogLine) -> bool {
        let Some(until) = self.past_until else { return false };
        let written = line.written_at.as_deref().and_then(UnixMs::parse);
        let is_past = written.is_none_or(|at| at <= until);
        if !is_past {
            self.past_until = None;
        }
        is_past
    }
}

pub(super) async fn watch(
    mut seats: UnboundedReceiver<Arc<Seat>>,
    inbox: Inbox,
    metrics: Arc<Metrics>,
) {
    let mut logs = Logs { inotify: Inotify::new(), inbox, metrics, followed: HashMap::new() };
    loop {
        let missing = logs.followed.values().any(|log| log.watch.is_none());
        let again = async {
            match missing {
                true => tokio::time::sleep(MISSING).await,
                false => std::future::pending().await,
            }
        };
        let changes = async {
            match &logs.inotify {
                Some(inotify) => inotify.next().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            seat = seats.recv() => match seat {
                Some(seat) => logs.look_at(&seat),
                None => return,
            },
            changes = changes => logs.changed(changes).await,
            () = again => logs.look_for_missing().await,
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
        let watch = self.inotify.as_ref().filter(|_| tail.is_there());
        let watch = watch.and_then(|inotify| inotify.add_file(path));
        self.followed.insert(
            seat.id.clone(),
            Log { kind: seat.kind.clone(), tail, watch, past_until: None },
        );
    }

    fn unwatch(&self, log: &Log) {
        let shared = self.followed.values().any(|other| other.watch == log.watch);
        if let (Some(watch), Some(inotify), false) = (log.watch, &self.inotify, shared) {
            inotify.remove(watch);
        }
    }

    async fn changed(&mut self, changes: Vec<Change>) {
        if changes.is_empty() {
            self.inotify = None;
        }
        let mut touched: HashSet<i32> = HashSet::new();
        for change in changes {
            touched.insert(change.watch);
            for log in self.followed.values_mut() {
                // An overflow has no watch: everything is looked at again.
                if change.is_over && (change.watch < 0 || log.watch == Some(change.watch)) {
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

    async fn look_for_missing(&mut self) {
        let missing = self.followed.iter().filter(|(_, log)| log.watch.is_none());
        let missing: Vec<AgentId> = missing.map(|(id, _)| id.clone()).collect();
        for id in missing {
            self.read(&id).await;
        }
    }

    async fn read(&mut self, id: &AgentId) {
        loop {
            let Some(log) = self.followed.get_mut(id) else { return };
            if log.watch.is_none()
                && let Some(inotify) = &self.inotify
            {
                // Watched before it is read, so that nothing falls between.
                log.watch = inotify.add_file(log.tail.path());
            }
            let Ok(grown) = log.tail.look() else { return };
            let Grown { lines, past, skipped, begun_anew, more } = grown;
            log.past_until = begun_anew.or(log.past_until);
            self.metrics.log_lines_skipped.inc_by(skipped);
            let kind = log.kind.clone();
            if !past.is_empty() {
                self.tell_past(id, &kind, &past).await;
            }
            for line in lines {
                let Some(read) = log_line(&kind, &line) else {
                    self.metrics.log_lines_skipped.inc();
                    continue;
                };
                if !self.followed.get_mut(id).is_some_and(|log| log.is_past(&read)) {
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
