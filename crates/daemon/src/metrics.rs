//! What the hub counts about itself.

use crate::board::Board;
use crate::flaws::Flaws;
use crate::store::Unreadable;
use headsup_core::id::ProcessId;
use headsup_core::status::Headline;
use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};
use tokio::sync::Notify;

/// How many events of one kind are told apart: all others of that kind count as one.
const EVENTS: usize = 64;
/// How many kinds that no list has (`acp:NAME`) are told apart: whoever makes names up counts as one.
const KINDS: usize = 64;
const OTHERS: &str = "others";

macro_rules! label {
    ($name:ident { $field:ident }) => {
        #[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
        struct $name {
            $field: &'static str,
        }
    };
}

label!(ByHeadline { headline });
label!(ByType { r#type });
label!(ByResult { result });
label!(ByCode { code });
label!(ByWhere { place });
label!(ByWhat { what });

/// An event that an adapter could not make anything of.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ByEvent {
    kind: String,
    event: String,
}

/// A program whose server is locked.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ByKind {
    kind: String,
}

/// What the system has too little of for us, to be told of changes of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Short {
    Instances,
    Watches,
}

impl Short {
    /// Behind `fs.inotify.max_user_`.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Instances => "instances",
            Self::Watches => "watches",
        }
    }
}

/// All counters, registered once.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    agents: Family<ByHeadline, Gauge>,
    events: Family<ByType, Counter>,
    reports: Family<ByResult, Counter>,
    not_understood: Family<ByEvent, Counter>,
    /// The events of each kind.
    told_apart: Mutex<HashMap<String, HashSet<String>>>,
    refusals: Family<ByCode, Counter>,
    webhooks: Family<ByResult, Counter>,
    panics: Family<ByWhere, Counter>,
    short: Family<ByWhat, Gauge>,
    locked: Family<ByKind, Gauge>,
    /// Whose servers want a password.
    lockers: Mutex<HashMap<ProcessId, String>>,
    pub(crate) spool_drained: Counter,
    pub(crate) spool_corrupt: Counter,
    pub(crate) spool_dropped: Counter,
    pub(crate) spool_refused: Counter,
    pub(crate) batch: Histogram,
    pub(crate) commit: Histogram,
    pub(crate) commit_failures: Counter,
    pub(crate) subscribers: Gauge,
    pub(crate) pane_pipes: Gauge,
    pub(crate) lagged: Counter,
    pub(crate) quarantines: Counter,
    pub(crate) damage: Counter,
    /// What looked like damage, and was a disk that did not give all of the database.
    pub(crate) unread: Counter,
    pub(crate) unreadable: Unreadable,
    /// Rings once damage is counted, and noted for the next start.
    pub(crate) damaged: Notify,
    pub(crate) pruned: Counter,
    pub(crate) log_lines_skipped: Counter,
    pub(crate) flaws: Flaws,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let mut metrics = Self {
            registry: Registry::with_prefix("headsup"),
            agents: Family::default(),
            events: Family::default(),
            reports: Family::default(),
            not_understood: Family::default(),
            told_apart: Mutex::default(),
            refusals: Family::default(),
            webhooks: Family::default(),
            panics: Family::default(),
            short: Family::default(),
            locked: Family::default(),
            lockers: Mutex::default(),
            spool_drained: Counter::default(),
            spool_corrupt: Counter::default(),
            spool_dropped: Counter::default(),
            spool_refused: Counter::default(),
            batch: Histogram::new(exponential_buckets(1.0, 2.0, 11)),
            commit: Histogram::new(exponential_buckets(0.000_02, 2.0, 16)),
            commit_failures: Counter::default(),
            subscribers: Gauge::default(),
            pane_pipes: Gauge::default(),
            lagged: Counter::default(),
            quarantines: Counter::default(),
            damage: Counter::default(),
            unread: Counter::default(),
            unreadable: Unreadable::default(),
            damaged: Notify::new(),
            pruned: Counter::default(),
            log_lines_skipped: Counter::default(),
            flaws: Flaws::default(),
        };
        metrics.register();
        metrics
    }

    fn register(&mut self) {
        let registry = &mut self.registry;
        registry.register("agents", "Seats by headline", self.agents.clone());
        registry.register("events", "Events stored, by type", self.events.clone());
        registry.register("reports", "Reports taken, by what came of them", self.reports.clone());
        let help = "What changed nothing because it was not understood, by kind and event";
        registry.register("not_understood", help, self.not_understood.clone());
        self.flaws.register(registry);
        registry.register("refusals", "Requests refused, by code", self.refusals.clone());
        let help = "Deliveries of web hooks, by what came of them";
        registry.register("webhooks", help, self.webhooks.clone());
        registry.register("panics", "Defects that were survived", self.panics.clone());
        let help = "What the system has none left of, so that files are looked at every second";
        registry.register("inotify_short", help, self.short.clone());
        let help = "Programs whose own server wants a password, so that it is not followed";
        registry.register("servers_locked", help, self.locked.clone());
        let counters = [
            ("spool_drained", "Spooled reports taken over", &self.spool_drained),
            ("spool_corrupt", "Unreadable stretches of the spool", &self.spool_corrupt),
            ("spool_dropped", "Reports that a full spool dropped", &self.spool_dropped),
            (
                "spool_refused",
                "Spooled reports of an unknown kind, or too deep",
                &self.spool_refused,
            ),
            ("commit_failures", "Commits that the disk refused", &self.commit_failures),
            ("lagged", "Times that a watcher fell behind", &self.lagged),
            ("store_quarantines", "Databases put aside as damaged", &self.quarantines),
            ("store_damage", "Damage found in the database", &self.damage),
            ("store_unread", "Times that the disk did not give the database", &self.unread),
            ("store_unreadable", "Rows that cannot be read", &self.unreadable.counted),
            (
                "log_lines_skipped",
                "Lines of logs that are too long, or none",
                &self.log_lines_skipped,
            ),
            ("events_pruned", "Events dropped for their age or number", &self.pruned),
        ];
        for (name, help, counter) in counters {
            registry.register(name, help, counter.clone());
        }
        registry.register("writer_batch_jobs", "Jobs in one commit", self.batch.clone());
        registry.register("commit_seconds", "Time of one commit", self.commit.clone());
        registry.register("subscribers", "Open event streams", self.subscribers.clone());
        let help = "Agents whose status reports are heard through pipes of their panes";
        registry.register("pane_pipes", help, self.pane_pipes.clone());
    }

    pub(crate) fn event(&self, kind: &'static str) {
        self.events.get_or_create(&ByType { r#type: kind }).inc();
    }

    pub(crate) fn report(&self, result: &'static str) {
        self.reports.get_or_create(&ByResult { result }).inc();
    }

    /// An event of this kind was not understood: of a hook, a status file, a status report, a log.
    pub(crate) fn not_understood(&self, kind: &str, event: &str) {
        let mut told_apart = self.told_apart.lock().unwrap_or_else(PoisonError::into_inner);
        let is_listed = |kind: &str| headsup_adapters::kinds().contains(&kind);
        let is_told = told_apart.contains_key(kind)
            || is_listed(kind)
            || told_apart.keys().filter(|kind| !is_listed(kind)).count() < KINDS;
        let kind = if is_told { kind } else { OTHERS };
        let events = told_apart.entry(kind.to_owned()).or_default();
        if is_told && events.len() < EVENTS {
            events.insert(event.to_owned());
        }
        let event = if events.contains(event) { event } else { OTHERS };
        let by = ByEvent { kind: kind.to_owned(), event: event.to_owned() };
        self.not_understood.get_or_create(&by).inc();
    }

    #[cfg(test)]
    pub(crate) fn counted(&self, kind: &str, event: &str) -> u64 {
        let by = ByEvent { kind: kind.to_owned(), event: event.to_owned() };
        self.not_understood.get_or_create(&by).get()
    }

    pub(crate) fn refusal(&self, code: &'static str) {
        self.refusals.get_or_create(&ByCode { code }).inc();
    }

    pub(crate) fn webhook(&self, result: &'static str) {
        self.webhooks.get_or_create(&ByResult { result }).inc();
    }

    pub(crate) fn panic(&self, place: &'static str) {
        self.panics.get_or_create(&ByWhere { place }).inc();
    }

    pub(crate) fn short_of(&self, what: Short, is_short: bool) {
        self.short.get_or_create(&ByWhat { what: what.word() }).set(is_short.into());
    }

    /// The server of this program, of this kind, wants a password; `None`: it does not.
    pub(crate) fn server_refuses(&self, process: &ProcessId, kind: Option<&str>) {
        let mut lockers = self.lockers.lock().unwrap_or_else(PoisonError::into_inner);
        let before = match kind {
            Some(kind) => lockers.insert(process.clone(), kind.to_owned()),
            None => lockers.remove(process),
        };
        for kind in before.as_deref().into_iter().chain(kind) {
            let count = lockers.values().filter(|of| *of == kind).count();
            let gauge = self.locked.get_or_create(&ByKind { kind: kind.to_owned() });
            gauge.set(i64::try_from(count).unwrap_or(i64::MAX));
        }
    }

    /// The `OpenMetrics` text.
    pub(crate) fn encode(&self, board: &Board) -> String {
        let (seats, _) = board.all();
        let now: Vec<Headline> = seats.iter().map(|seat| seat.headline()).collect();
        for headline in Headline::ALL {
            let count = now.iter().filter(|of| *of == headline).count();
            let gauge = self.agents.get_or_create(&ByHeadline { headline: headline.word() });
            gauge.set(i64::try_from(count).unwrap_or(i64::MAX));
        }
        let mut encoded = String::new();
        // Writing to a string cannot fail.
        text::encode(&mut encoded, &self.registry).ok();
        sorted(&encoded)
    }
}

/// The rows of each family in order: the library keeps them in a map, and of two answers nobody could see what
/// is new. The parts of a histogram have an order of their own.
fn sorted(encoded: &str) -> String {
    let is_labelled = |line: &str| !line.starts_with('#') && line.contains('{');
    let is_bucket = |line: &str| line.contains("_bucket{");
    let mut lines: Vec<&str> = encoded.lines().collect();
    for rows in lines.chunk_by_mut(|one, other| is_labelled(one) && is_labelled(other)) {
        if !rows.iter().any(|row| is_bucket(row)) {
            rows.sort_unstable();
        }
    }
    let mut sorted = String::with_capacity(encoded.len());
    for line in lines {
        sorted.push_str(line);
        sorted.push('\n');
    }
    sorted
}

#[cfg(test)]
mod tests {
    use super::sorted;

    #[test]
    fn rows_of_a_family_stand_in_order_and_nothing_else_moves() {
        let encoded = "# HELP b B.\n# TYPE b gauge\nb{x=\"2\"} 1\nb{x=\"10\"} 2\nb{x=\"1\"} 3\n\
            # HELP a A.\n# TYPE a histogram\na_sum 1\na_count 1\na_bucket{le=\"2.0\"} 1\n\
            a_bucket{le=\"16.0\"} 1\na_bucket{le=\"+Inf\"} 1\n# EOF\n";
        let from = "b{x=\"2\"} 1\nb{x=\"10\"} 2\nb{x=\"1\"} 3\n";
        let to = "b{x=\"1\"} 3\nb{x=\"10\"} 2\nb{x=\"2\"} 1\n";
        assert_eq!(sorted(encoded), encoded.replace(from, to));
    }
}
