//! What a hub is made of, before anything of it runs.

use crate::RunError;
use crate::access::Access;
use crate::api::App;
use crate::board::Board;
use crate::bus::Bus;
use crate::clock::Clock;
use crate::effects::{Courier, Effects};
use crate::evidence::Evidence;
use crate::filesystem;
use crate::flusher::Flusher;
use crate::forge::{self, ForgeSettings, Forges, Pulls};
use crate::github::GitHub;
use crate::home::Home;
use crate::inbox::{self, Inbox};
use crate::kanbanger::Kanbanger;
use crate::launches::Launches;
use crate::lifecycle;
use crate::limits::{self, Limits};
use crate::listener;
use crate::metrics::Metrics;
use crate::namespaces::Namespaces;
use crate::person;
use crate::providers::{ProviderSettings, Providers};
use crate::samples::Samples;
use crate::sources;
use crate::spool::Spool;
use crate::store::{Opened, Reader, Store};
use crate::tracker::{Local, TrackerSettings, Trackers};
use crate::webhooks::WebhookSettings;
use crate::writer::{Parts, Pen, Writer};
use headsup_core::observation::BackgroundShells;
use headsup_core::roster::Roster;
use headsup_core::seat::Seat;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::watch;

/// For fewer seats another thread is not worth its start.
const MANY: usize = 1_000;

/// Everything that blocks: database, seats, spool.
pub(super) struct Prepared {
    pub(super) home: Home,
    pub(super) pen: Pen,
    pub(super) app: Arc<App>,
    pub(super) bus: Arc<Bus>,
    pub(super) inbox: Inbox,
    pub(super) outbox: inbox::Outbox,
    pub(super) moved: UnboundedReceiver<Arc<Seat>>,
    pub(super) orders: listener::Orders,
}

impl Prepared {
    pub(super) fn new(
        home: Home,
        clock: Arc<dyn Clock>,
        limits: Limits,
        background_shells: BackgroundShells,
        work: (TrackerSettings, ForgeSettings, ProviderSettings, WebhookSettings),
        mut couriers: Vec<Arc<dyn Courier>>,
        launcher: Option<PathBuf>,
    ) -> Result<Self, RunError> {
        if let Some(on) = filesystem::remote(home.path()) {
            let at = home.path().display();
            tracing::warn!(%at, on, "the state folder is on another machine, where a database is not safe");
        }
        let database = home.database();
        let fail = |error| RunError::store(database.clone(), error);
        let now = clock.wall();
        let Opened { store, loaded, quarantined, .. } =
            Store::open(&database, now).map_err(fail)?;
        home.keep(store.log());
        let metrics = Arc::new(Metrics::new());
        metrics.quarantines.inc_by(u64::from(quarantined.is_some()));
        metrics.damage.inc_by(loaded.unreadable as u64);
        let ((board, access, reader, flusher), roster) = side_by_side(&loaded.seats, |seats| {
            let board = Arc::new(Board::new(seats.to_vec(), loaded.head, loaded.oldest));
            let access = Access::new(home.path(), Arc::clone(&clock), Arc::clone(&board));
            let reader = Reader::telling(&database, metrics.unreadable.clone()).map_err(fail)?;
            let flusher = Flusher::start(&store).map_err(RunError::Thread)?;
            Ok::<_, RunError>((board, Arc::new(access), Arc::new(reader), flusher))
        })?;
        let bus = Arc::new(Bus::new(limits.bus));
        let namespaces = Arc::new(Namespaces::new());
        let (sources, moved) = sources::channel();
        let (news, changes) = watch::channel(0);
        let evidence = Arc::<Evidence>::default();
        let launches = Arc::new(Launches::new(home.path()));
        let mut writer = Writer::new(Parts {
            store,
            roster,
            evidence: Arc::clone(&evidence),
            board: Arc::clone(&board),
            bus: Arc::clone(&bus),
            metrics: Arc::clone(&metrics),
            flusher,
            spool: Spool::new(home.spool()),
            clock: Arc::clone(&clock),
            limits,
            background_shells,
            last_at: loaded.last_at,
            last_id: loaded.last_id,
            namespaces: Arc::clone(&namespaces),
            sources,
            effects: news,
            launches: Arc::clone(&launches),
        });
        // What was said while no hub was here comes before anything that is said now.
        writer.catch_up();
        let pen = Pen::new(writer);
        let (inbox, outbox) = inbox::pair(pen.clone(), evidence);
        let (listener, orders) = listener::channel();
        let person = std::env::var("HOME").ok().filter(|home| !home.is_empty());
        let desks = home.path().join("forge");
        let forge = forge::Local::new(desks, person.as_ref().map(PathBuf::from));
        let (tracker_settings, forge_settings, providers, webhooks) = work;
        let github = providers.github.clone().map(GitHub::new);
        couriers.extend(github.clone().map(|github| Arc::new(github) as Arc<dyn Courier>));
        let kanbanger = providers.kanbanger.clone().map(Kanbanger::new);
        couriers.extend(kanbanger.clone().map(|there| Arc::new(there) as Arc<dyn Courier>));
        let (inbox_of, reader_of) = (inbox.clone(), Arc::clone(&reader));
        let effects = Effects::new(inbox_of, reader_of, couriers, changes, limits.effects);
        let effects = Arc::new(effects);
        let samples = Samples::new(Arc::clone(&board), Arc::clone(&clock), home.path(), &limits);
        let providers =
            Arc::new(Providers::new(providers, github, kanbanger, Arc::clone(&effects)));
        let forges = Forges::new(forge, Arc::clone(&providers));
        let local = Local::new(inbox.clone(), Arc::clone(&reader));
        let tracker = Trackers::new(local, providers, Arc::clone(&reader));
        let app = App {
            attendance: Arc::default(),
            pipes: Arc::default(),
            starter: lifecycle::Starter::new(launcher, home.path()),
            launches,
            effects,
            samples: Arc::new(samples),
            board,
            bus: Arc::clone(&bus),
            inbox: inbox.clone(),
            tracker,
            tracker_settings,
            pulls: Pulls::new(inbox.clone(), Arc::clone(&reader), forges),
            forge_settings,
            webhooks,
            reader,
            metrics,
            started_ms: clock.monotonic_ms(),
            clock,
            home: home.path().to_owned(),
            person,
            name: person::name(),
            namespaces,
            most_subscribers: limits::subscribers(),
            access,
            listener,
            ooms: Arc::default(),
            answered_within: limits.answer,
        };
        Ok(Self { home, pen, app: Arc::new(app), bus, inbox, outbox, moved, orders })
    }
}

/// The roster of these seats, and what else somebody waits for: of many each on its own thread.
fn side_by_side<T, E>(
    seats: &[Arc<Seat>],
    rest: impl FnOnce(&[Arc<Seat>]) -> Result<T, E>,
) -> Result<(T, Roster), E> {
    let roster = || {
        let mut roster = Roster::with_capacity(seats.len());
        for seat in seats {
            roster.upsert(seat);
        }
        roster
    };
    if seats.len() < MANY {
        return Ok((rest(seats)?, roster()));
    }
    std::thread::scope(|scope| {
        let roster = scope.spawn(roster);
        let rest = rest(seats)?;
        let roster = roster.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        Ok((rest, roster))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::System;
    use crate::job::{OwnReport, Refusal, Reply, Work};
    use futures_util::FutureExt as _;
    use headsup_core::id::AgentId;
    use headsup_core::wire::ReportBody;
    use std::path::Path;
    use std::time::Duration;

    fn report(agent: &str) -> Work {
        let body = ReportBody { turn: Some("working".to_owned()), ..ReportBody::default() };
        let (agent, reported) = (AgentId::new(agent).unwrap(), body.parse().unwrap());
        Work::Report(OwnReport { agent, of_launch: false, reported, spooled: None })
    }

    /// The writer's thread is not there yet.
    fn prepared(home: &Path) -> Prepared {
        let (clock, limits) = (Arc::new(System::new()), Limits::default());
        let (shells, work) = (BackgroundShells::Idle, Default::default());
        let home = Home::claim(home).unwrap();
        Prepared::new(home, clock, limits, shells, work, Vec::new(), None).unwrap()
    }

    #[tokio::test]
    async fn a_lone_report_is_written_by_whoever_brings_it_and_an_act_is_not() {
        let temp = tempfile::tempdir().unwrap();
        let Prepared { app, inbox, outbox, pen, .. } = prepared(&temp.path().join("home"));
        for agent in ["a", "b", "a"] {
            let answer = inbox.submit(report(agent), None).now_or_never();
            assert!(matches!(answer, Some(Ok(Reply::Done { .. }))), "{agent}: {answer:?}");
        }
        assert_eq!(app.board.all().0.len(), 2);
        let act = inbox.submit(Work::Seen { agents: Vec::new() }, None).now_or_never();
        assert_eq!(act, None, "it waits for a flush");
        // Behind the act that waits nothing is alone.
        assert_eq!(inbox.submit(report("c"), None).now_or_never(), None);
        let thread = std::thread::spawn(move || pen.run(outbox));
        inbox.submit(Work::Shutdown, None).await.unwrap();
        thread.join().unwrap();
        assert_eq!(app.board.all().0.len(), 3);
        assert_eq!(inbox.submit(report("d"), None).await, Err(Refusal::Stopping));
    }

    #[tokio::test]
    async fn what_waits_in_the_spool_comes_before_a_lone_report() {
        let temp = tempfile::tempdir().unwrap();
        let Prepared { inbox, home, outbox, .. } = prepared(&temp.path().join("home"));
        std::fs::write(home.spool().join("queue"), "x").unwrap();
        assert_eq!(inbox.submit(report("a"), None).now_or_never(), None);
        drop(outbox);
    }

    #[tokio::test]
    async fn a_lone_report_wakes_the_thread_once_there_are_chores() {
        let temp = tempfile::tempdir().unwrap();
        let Prepared { inbox, outbox, .. } = prepared(&temp.path().join("home"));
        let wakes = || !outbox.take(Duration::ZERO, 1).unwrap_or_default().is_empty();
        let mut reports = 0;
        while !wakes() {
            inbox.submit(report("a"), None).await.unwrap();
            reports += 1;
            assert!(reports <= 64, "nobody sees to the chores");
        }
        assert!(reports > 1, "each report wakes the thread");
    }
}
