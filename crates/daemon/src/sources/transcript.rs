//! The logs of conversations that sit in seats: their ends are read as they grow.
//!
//! Nothing is opened before it changes: a thousand long logs cost a hub's start a look at each.

mod one;

use super::followed::{Followed, Owner};
use super::helper_log;
use super::inotify::Change;
use super::lookout::{UNWATCHED, Watcher};
use super::tail::Grown;
use crate::flaws::{self, Flaw};
use crate::inbox::Inbox;
use crate::job::{Sight, Witnessed, Work};
use crate::metrics::Metrics;
use headsup_adapters::evidence::taken;
use headsup_adapters::{
    LogLine, begins_by_log, helper_line, log_line, replaced_log, strange_line, terminal,
};
use headsup_core::id::AgentId;
use headsup_core::observation::{Delivery, Fact, History, Submitter};
use headsup_core::seat::Seat;
use headsup_core::source::Source;
use headsup_core::time::UnixMs;
use headsup_core::word::Word;
use one::{Identity, Log, WRITTEN_MS, folder_of, written};
use serde_json::json;
use std::collections::{HashMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::oneshot;
use tokio::time::Instant;

/// Within this time a hook tells where the log is of a turn that has begun. Milliseconds.
const BEGUN_MS: i64 = 2_000;
/// So far a file's time may be behind the clock. Milliseconds.
const FILE_TICK_MS: i64 = 10;

struct Logs {
    watcher: Watcher,
    inbox: Inbox,
    metrics: Arc<Metrics>,
    followed: Followed<Log>,
    /// Those of whom a log is followed.
    helpers: HashMap<AgentId, Vec<String>>,
    /// Those whose log is to be looked at once more: there is more in it than one turn reads, or it is another one.
    behind: VecDeque<Owner>,
}

/// A seat whose log may have to be followed.
#[derive(Debug)]
pub(super) enum Mention {
    /// It was there when the hub started: what was written into its log since anything was heard of it is read.
    Stored(Arc<Seat>),
    /// It is another than before.
    Moved(Arc<Seat>),
    /// All that were there have been named. Dropped once their logs have been read.
    Read(oneshot::Sender<()>),
}

pub(super) async fn watch(
    mut seats: UnboundedReceiver<Mention>,
    watcher: Watcher,
    inbox: Inbox,
    metrics: Arc<Metrics>,
) {
    let (followed, helpers, behind) = (Followed::new(), HashMap::new(), VecDeque::new());
    let mut logs = Logs { watcher, inbox, metrics, followed, helpers, behind };
    // However much the others move.
    let mut next_look = Instant::now() + UNWATCHED;
    loop {
        let (is_any, is_behind) = (!logs.followed.is_empty(), !logs.behind.is_empty());
        tokio::select! {
            seat = seats.recv() => match seat {
                Some(Mention::Moved(seat)) => logs.take_up(&seat).await,
                Some(Mention::Stored(seat)) => logs.catch_up(&seat).await,
                Some(Mention::Read(done)) => drop(done),
                None => return,
            },
            changes = logs.watcher.next() => logs.changed(&changes).await,
            () = std::future::ready(()), if is_behind => logs.go_on().await,
            () = tokio::time::sleep_until(next_look), if is_any => {
                logs.let_go_of_moved();
                logs.look_at_unwatched().await;
                next_look = Instant::now() + UNWATCHED;
            }
        }
    }
}

impl Logs {
    /// Follows the log of whoever sits in the seat now, and those of its helpers that are there. Returns whose logs
    /// have grown since then.
    fn look_at(&mut self, seat: &Seat, since: Option<UnixMs>) -> Vec<Owner> {
        let has_grown = |changed_at: Option<UnixMs>| {
            // The clock of files may be behind by a tick.
            changed_at.zip(since).is_some_and(|(at, since)| at > since.plus(-FILE_TICK_MS))
        };
        let mut grown = Vec::new();
        let path = seat.about.log_path.as_deref().map(Path::new);
        let path = path.filter(|path| path.is_absolute() && !seat.process.state.is_over());
        let runs = |helper: &String| path.is_some() && seat.subagents.contains(helper);
        for helper in self.helpers.remove(&seat.id).unwrap_or_default() {
            if !runs(&helper) {
                self.follow((seat.id.clone(), Some(helper)), seat, None);
            }
        }
        let owner = (seat.id.clone(), None);
        if has_grown(self.follow(owner.clone(), seat, path.map(Path::to_owned))) {
            grown.push(owner);
        }
        let (mut known, mut missing) = (Vec::new(), Vec::new());
        for helper in &seat.subagents {
            let owner = (seat.id.clone(), Some(helper.clone()));
            if self.followed.get(&owner).is_some() {
                known.push(helper.clone());
            } else {
                missing.push(helper.as_str());
            }
        }
        let found = path.map(|log| helper_log::find(&seat.kind, log, &missing));
        for (helper, log) in found.unwrap_or_default() {
            known.push(helper.to_owned());
            let owner = (seat.id.clone(), Some(helper.to_owned()));
            if has_grown(self.follow(owner.clone(), seat, Some(log))) {
                grown.push(owner);
            }
        }
        if !known.is_empty() {
            self.helpers.insert(seat.id.clone(), known);
        }
        grown
    }

    /// Follows its log. A turn that has just begun stands there already.
    async fn take_up(&mut self, seat: &Seat) {
        let since = self.inbox.evidence().now().at.plus(-BEGUN_MS);
        let (owner, kind) = ((seat.id.clone(), None), &seat.kind);
        if !self.look_at(seat, Some(since)).contains(&owner) || !begins_by_log(kind) {
            return;
        }
        let lines = self.unread(&owner, kind, since);
        let Some(first) = begins_at(&owner, kind, &lines, since) else { return };
        self.tell_since(&owner, kind, &lines[first..], since, |_| Delivery::Live).await;
    }

    /// What stood in its log when it was first followed, from some line well before `since` on: lines that were made
    /// at about the same time may be in another order.
    fn unread(&self, owner: &Owner, kind: &str, since: UnixMs) -> Vec<Vec<u8>> {
        let is_read = |line: &[u8]| {
            let at = line_of(owner, kind, line).and_then(|line| written(&line));
            at.is_some_and(|at| at.plus(WRITTEN_MS) <= since)
        };
        // One that cannot be read now is looked at when it changes.
        let log = self.followed.get(owner);
        log.and_then(|log| log.tail.unread(is_read).ok()).unwrap_or_default()
    }

    /// Follows its log, and reads of it what was written since anything was heard of the seat: no hub was here to read it.
    async fn catch_up(&mut self, seat: &Seat) {
        let waited = Some(seat.spooled_until).filter(|at| *at != UnixMs::default());
        let heard_at = seat.last_live_at.max(waited);
        // The hook of an end was told first, and says less of how that came about.
        let unheard = seat.ended_unheard().map(|(begun, _)| begun);
        let since = unheard.map_or(heard_at, |begun| heard_at.min(Some(begun)));
        let grown = self.look_at(seat, since);
        let (Some(heard_at), Some(since)) = (heard_at, since) else { return };
        for owner in grown {
            let lines = self.unread(&owner, &seat.kind, since);
            if owner.1.is_none() {
                self.tell_end(&owner, &seat.kind, &lines, (since, heard_at)).await;
            }
            let spooled = |reported_at| Delivery::Spooled { reported_at };
            self.tell_since(&owner, &seat.kind, &lines, heard_at, spooled).await;
        }
    }

    /// How a turn has ended that no hub has heard: what was written between these times of a failure, or of Esc.
    async fn tell_end(
        &self,
        owner: &Owner,
        kind: &str,
        lines: &[Vec<u8>],
        (since, until): (UnixMs, UnixMs),
    ) {
        for line in lines {
            let Some(read) = line_of(owner, kind, line) else { continue };
            let is_end =
                matches!(read.fact, Some(Fact::TurnInterrupted { .. } | Fact::TurnFailed { .. }));
            let at = written(&read).filter(|at| is_end && since < *at && *at <= until);
            if let Some(reported_at) = at {
                self.keep(owner, line);
                self.tell(&owner.0, read, Delivery::Spooled { reported_at }).await;
            }
        }
    }

    /// Returns when the log was changed last that is followed from now on.
    fn follow(&mut self, owner: Owner, seat: &Seat, path: Option<PathBuf>) -> Option<UnixMs> {
        let known = self.followed.get(&owner).map(|log| log.tail.path());
        if known == path.as_deref() {
            return None;
        }
        if let Some(old) = self.followed.remove(&owner) {
            self.remove(old.watch);
            if old.is_lost {
                self.metrics.flaws.mend(&owner.0, Flaw::SourceLost);
            }
        }
        let path = path?;
        let now = self.inbox.evidence().now().at;
        let (log, changed_at) = Log::new(&seat.kind, &path, &self.watcher, now);
        self.followed.insert(owner, log);
        changed_at
    }

    /// Unless another log has it, too.
    fn remove(&self, watch: Option<i32>) {
        let shared = self.followed.all().any(|other| other.watch == watch);
        if let (Some(watch), false) = (watch, shared) {
            self.watcher.remove(watch);
        }
    }

    /// Reads those of which something is told. Who else is not watched has a turn of its own.
    async fn changed(&mut self, changes: &[Change]) {
        let is_of_all = changes.iter().any(Change::is_of_everything);
        let of = |which: fn(&Change) -> bool| -> HashSet<i32> {
            changes.iter().filter(|change| which(change)).map(|change| change.watch).collect()
        };
        let (touched, over) = (of(|_| true), of(|change| change.is_over));
        let is_among = |log: &Log, told: &HashSet<i32>| {
            is_of_all || log.watch.is_some_and(|watch| told.contains(&watch))
        };
        let told = self.followed.those(|log| is_among(log, &touched));
        for log in self.followed.all_mut() {
            if is_among(log, &over) {
                log.watch = None;
            }
        }
        for id in told {
            self.read(&id).await;
        }
    }

    /// Whoever has waited longest for another turn has it.
    async fn go_on(&mut self) {
        if let Some(id) = self.behind.pop_front() {
            self.read(&id).await;
        }
        tokio::task::yield_now().await;
    }

    /// A folder that was moved away has taken its files along, and the watches on them: nothing tells of what
    /// stands in its place. One look at each folder.
    fn let_go_of_moved(&mut self) {
        let mut folders: HashMap<PathBuf, Identity> = HashMap::new();
        let moved = self.followed.those(|log| {
            if log.watch.is_none() {
                return false;
            }
            let path = log.tail.path();
            let Some(parent) = path.parent() else { return false };
            let known = folders.get(parent).copied();
            let folder = known.unwrap_or_else(|| {
                let folder = folder_of(path);
                folders.insert(parent.to_owned(), folder);
                folder
            });
            folder != log.folder
        });
        for id in moved {
            let watch = self.followed.get_mut(&id).and_then(|log| log.watch.take());
            self.remove(watch);
        }
    }

    /// Looks at logs that were not there yet, or that nobody watches.
    async fn look_at_unwatched(&mut self) {
        for id in self.followed.those(Log::is_unwatched) {
            self.read(&id).await;
        }
    }

    /// Looks into it, watched. Returns of which kind it is, since when the past in it is news, and what has come;
    /// `None`: it cannot be read.
    fn look_into(&mut self, owner: &Owner) -> Option<(Word, Option<UnixMs>, Grown)> {
        let log = self.followed.get_mut(owner)?;
        if log.watch.is_none() {
            // Watched before it is read, so that nothing falls between.
            log.watch = self.watcher.add_file(log.tail.path());
            log.folder = folder_of(log.tail.path());
        }
        let (was_there, known) = (log.tail.is_there(), log.tail.identity());
        let looked = log.tail.look();
        let was_unread = std::mem::replace(&mut log.is_unread, looked.is_err());
        let is_away = looked.is_err() || !log.tail.is_there();
        let is_lost = is_away && (log.is_lost || was_there) && owner.1.is_none();
        if std::mem::replace(&mut log.is_lost, is_lost) != is_lost {
            match is_lost {
                true => self.metrics.flaws.note(Some(&owner.0), &[Flaw::SourceLost]),
                false => self.metrics.flaws.mend(&owner.0, Flaw::SourceLost),
            }
        }
        let now = self.inbox.evidence().now().at;
        let kind = log.kind.clone();
        let found = looked.ok().map(|grown| (kind, log.note(now, grown.begun_anew), grown));
        let is_there = log.tail.is_there();
        // While somebody holds open what was there before, the kernel does not say that its watch is over. That may
        // have been no log, with the one that was read before in its place again.
        let is_another = log.tail.identity() != known || was_unread || !is_there;
        let is_stale = is_another && !log.is_unread;
        let stale = log.watch.take_if(|_| is_stale);
        let has_more = found.as_ref().is_some_and(|(_, _, grown)| grown.more);
        if stale.is_some() {
            self.remove(stale);
        }
        // What falls between is seen as it is watched anew.
        if (has_more || stale.is_some() && is_there) && !self.behind.contains(owner) {
            self.behind.push_back(owner.clone());
        }
        found
    }

    /// Reads what one turn reads.
    async fn read(&mut self, owner: &Owner) {
        let Some((kind, since, grown)) = self.look_into(owner) else { return };
        self.metrics.log_lines_skipped.inc_by(grown.skipped);
        if !grown.past.is_empty() {
            self.tell_past(owner, &kind, &grown.past).await;
            if let Some(since) = since {
                self.tell_since(owner, &kind, &grown.past, since, |_| Delivery::Live).await;
            }
            let is_replaced = grown.begun_anew && owner.1.is_none();
            let told = is_replaced.then(|| replaced_log(&kind, &grown.past)).flatten();
            if let Some(read) = told {
                self.tell(&owner.0, read, Delivery::Live).await;
            }
        }
        for line in grown.lines {
            let Some(read) = line_of(owner, &kind, &line) else {
                self.metrics.log_lines_skipped.inc();
                continue;
            };
            if !self.followed.get_mut(owner).is_some_and(|log| log.is_past(&read)) {
                if flaws::is_lossy(&line) {
                    self.metrics.flaws.note(Some(&owner.0), &[Flaw::Lossy]);
                }
                self.count(&kind, &line);
                if read.fact.is_some() {
                    self.keep(owner, &line);
                }
                self.tell(&owner.0, read, Delivery::Live).await;
            }
        }
    }

    /// What says something that no version has said that is known is counted, whether or not it matters.
    fn count(&self, kind: &str, line: &[u8]) {
        if let Some(member) = strange_line(kind, line) {
            self.metrics.not_understood(kind, &format!("transcript.{member}"));
        }
    }

    /// Only lines that say something of the status are evidence.
    fn keep(&self, owner: &Owner, line: &[u8]) {
        let (Some(log), Some(line)) = (self.followed.get(owner), taken(line)) else { return };
        let evidence = self.inbox.evidence();
        let row = json!({"src": "transcript", "file": log.tail.path(), "line": line});
        evidence.keep(&owner.0, evidence.now(), &row);
    }

    async fn tell(&self, id: &AgentId, line: LogLine, delivery: Delivery) {
        let written = written(&line);
        if let Some(fact) = line.fact {
            self.submit(id, line.name, line.session, written, fact, delivery).await;
        }
    }

    /// What stood there before is metadata, whatever it says.
    async fn tell_past(&self, owner: &Owner, kind: &str, lines: &[Vec<u8>]) {
        let lines = lines.iter().filter_map(|line| line_of(owner, kind, line));
        let mut history = History::default();
        let mut session = None;
        for line in lines {
            history.prompts += u64::from(line.is_prompt);
            history.model = line.model.or(history.model);
            history.title = line.title.or(history.title);
            session = line.session.or(session);
        }
        // Of some that it is read at all says what its silence means.
        let counts = owner.1.is_none() && terminal::shows_one(kind);
        if counts || history != History::default() {
            let (name, fact) = ("history".to_owned(), Fact::History(history));
            self.submit(&owner.0, name, session, None, fact, Delivery::Replayed).await;
        }
    }

    /// What was written while the file was awaited, or while no hub was here, is no past.
    async fn tell_since(
        &self,
        owner: &Owner,
        kind: &str,
        lines: &[Vec<u8>],
        since: UnixMs,
        delivery: impl Fn(UnixMs) -> Delivery,
    ) {
        for line in lines {
            let Some(read) = line_of(owner, kind, line) else { continue };
            let Some(at) = written(&read).filter(|at| *at > since) else { continue };
            self.count(kind, line);
            if read.fact.is_some() {
                self.keep(owner, line);
                self.tell(&owner.0, read, delivery(at)).await;
            }
        }
    }

    async fn submit(
        &self,
        id: &AgentId,
        name: String,
        session: Option<String>,
        made_at: Option<UnixMs>,
        fact: Fact,
        delivery: Delivery,
    ) {
        let sight = Sight {
            agent: id.clone(),
            source: Source::Transcript,
            name,
            session,
            process: None,
            made_at,
            delivery,
            fact,
        };
        self.inbox.submit(Work::Witnessed(Witnessed::Seat(Box::new(sight))), None).await.ok();
    }
}

fn line_of(owner: &Owner, kind: &str, line: &[u8]) -> Option<LogLine> {
    match &owner.1 {
        None => log_line(kind, line),
        Some(helper) => helper_line(kind, helper, line),
    }
}

/// The line with which the turn begins that has begun since then. Nothing else tells of one towards a goal; of a person's
/// prompt a hook does as well, unless it was lost. Turns that are over by now hooks have told: the log of a forked
/// conversation begins with copies of such.
fn begins_at(owner: &Owner, kind: &str, lines: &[Vec<u8>], since: UnixMs) -> Option<usize> {
    let (mut goal, mut open) = (None, None);
    for (at, line) in lines.iter().enumerate() {
        let Some(read) = line_of(owner, kind, line) else { continue };
        if written(&read).is_none_or(|written| written <= since) {
            continue;
        }
        let Some(fact) = read.fact else { continue };
        match fact {
            Fact::PromptSubmitted { by: Submitter::Goal, .. } => goal = goal.or(Some(at)),
            Fact::PromptSubmitted { by: Submitter::Person, .. } => open = Some(at),
            Fact::TurnEnded { .. } | Fact::TurnFailed { .. } | Fact::TurnInterrupted { .. } => {
                open = None;
            }
            _ => {}
        }
    }
    goal.or(open)
}

#[cfg(test)]
mod tests;
