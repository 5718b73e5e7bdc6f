//! A hub from its start to its end.

use crate::access::Access;
use crate::api::{self, App};
use crate::board::Board;
use crate::bus::Bus;
use crate::clock::{Clock, System};
use crate::effects::{self, Courier, Effects};
use crate::evidence::Evidence;
use crate::filesystem;
use crate::flusher::Flusher;
use crate::forge::{self, ForgeSettings, Forges, Pulls};
use crate::github::GitHub;
use crate::home::{Home, Lost};
use crate::inbox::{self, Inbox};
use crate::integrity::Check;
use crate::job::Work;
use crate::kanbanger::Kanbanger;
use crate::launches::Launches;
use crate::lifecycle;
use crate::limits::{self, Limits};
use crate::listener::{self, Desk, Memory};
use crate::metrics::Metrics;
use crate::namespaces::Namespaces;
use crate::person;
use crate::providers::{ProviderSettings, Providers};
use crate::samples::Samples;
use crate::serve::{self, Server};
use crate::sources::{self, Sources};
use crate::spool::Spool;
use crate::store::{Opened, Reader, Store};
use crate::tracker::{Local, TrackerSettings, Trackers};
use crate::webhooks::WebhookSettings;
use crate::writer::{Parts, Pen, Writer};
use crate::{Config, RunError};
use headsup_core::observation::BackgroundShells;
use headsup_core::roster::Roster;
use headsup_core::seat::Seat;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use tokio::runtime::Handle;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::{oneshot, watch};

/// For fewer seats another thread is not worth its start.
const MANY: usize = 1_000;

/// A running hub. End it with [`Hub::stop`]; dropping it lets its tasks run on.
#[derive(Debug)]
pub struct Hub {
    home: Home,
    app: Arc<App>,
    inbox: Inbox,
    bus: Arc<Bus>,
    server: Server,
    sources: Sources,
    writer: JoinHandle<()>,
    /// Comes to its end with the writer.
    writer_ended: oneshot::Receiver<()>,
    check: Check,
    /// Merges what people agree to.
    approvals: tokio::task::JoinHandle<()>,
    /// Takes up who was put away with a question that is answered.
    answers: tokio::task::JoinHandle<()>,
    /// Has done elsewhere what is to be done there.
    outbox: tokio::task::JoinHandle<()>,
}

impl Hub {
    /// Starts a hub on the system's clock. When this returns, clients can connect.
    pub async fn start(config: Config) -> Result<Self, RunError> {
        let limits = Limits::of(config.retention);
        Self::start_with(config, Arc::new(System::new()), limits).await
    }

    /// Starts a hub on a clock of the caller's, to play back what was recorded.
    pub async fn start_at(config: Config, clock: Arc<dyn Clock>) -> Result<Self, RunError> {
        let limits = Limits::of(config.retention);
        Self::start_with(config, clock, limits).await
    }

    pub(crate) async fn start_with(
        config: Config,
        clock: Arc<dyn Clock>,
        limits: Limits,
    ) -> Result<Self, RunError> {
        Self::start_carried(config, clock, limits, Vec::new()).await
    }

    /// The same with more couriers than the settings name.
    pub(crate) async fn start_carried(
        config: Config,
        clock: Arc<dyn Clock>,
        limits: Limits,
        couriers: Vec<Arc<dyn Courier>>,
    ) -> Result<Self, RunError> {
        let Config { home, folders, listen, must_listen, screen_rules, engines, .. } = config;
        let when = config.pane_reports.where_it_runs(config.launcher.as_deref(), screen_rules);
        let (launcher, beside) = (config.launcher, config.beside);
        let work = (config.tracker, config.forge, config.providers, config.webhooks);
        let background_shells = config.background_shells;
        let inotify = limits.inotify;
        // Here and on no other thread: there is nothing else to do yet, and ten thousand seats are made
        // in half the time by the thread whose memory grows in long stretches.
        let prepared =
            Prepared::new(&home, clock, limits, background_shells, work, couriers, launcher)?;
        let Prepared { home, pen, app, bus, inbox, outbox, moved, orders } = prepared;
        // Behind it nothing fails for want of a disk, and nothing runs yet. Whoever calls is served below.
        let listener = home.listen()?;

        let (ending, writer_ended) = oneshot::channel();
        let thread = std::thread::Builder::new().name("headsup-writer".into());
        let run = move || {
            pen.run(outbox);
            drop::<oneshot::Sender<()>>(ending);
        };
        let writer = thread.spawn(run).map_err(RunError::Thread)?;

        let (board, namespaces) = (Arc::clone(&app.board), Arc::clone(&app.namespaces));
        let (database, metrics) = (home.database(), Arc::clone(&app.metrics));
        let counted = Arc::clone(&metrics);
        let (spool, ooms, samples) =
            (home.spool(), Arc::clone(&app.ooms), Arc::clone(&app.samples));
        let ears =
            sources::Ears { when, pipes: Arc::clone(&app.pipes), home: home.path().to_owned() };
        let eyes =
            sources::Eyes { folders, screen_rules, ears, spool, ooms, samples, inotify, engines };
        let sources = {
            let _there = beside.lookout.as_ref().map(Handle::enter);
            Sources::start(eyes, &board, moved, inbox.clone(), counted, namespaces)
        };
        lifecycle::go_on(&app.board);
        // Before anybody can connect, so that whatever is ordered comes after it.
        let listen = listen.or_else(|| Memory::new(home.path()).recall());
        if listen.is_none()
            && let Err(error) = app.access.ready()
        {
            tracing::warn!(%error, "nobody can be let in over TCP");
            app.listener.note(error.to_string());
        }
        let opening = match listen {
            Some(listen) => Some(app.listener.begin(listen).await?),
            None => None,
        };
        let router = api::on_socket(Arc::clone(&app));
        let server = serve::start(listener, router, Arc::clone(&metrics), beside.crowd);
        let server = server.map_err(|source| RunError::Bind { path: home.socket(), source })?;
        let door = server.door(api::on_tcp(Arc::clone(&app)), Arc::clone(&metrics));
        let desk = Desk::new(Arc::clone(&app.access), Memory::new(home.path()), door);
        tokio::spawn(desk.run(orders));
        let check = Check::start(database, metrics, home.medium()).map_err(RunError::Thread)?;
        let approvals = tokio::spawn(forge::follow(Arc::clone(&app)));
        let answers = tokio::spawn(lifecycle::follow(Arc::clone(&app)));
        let outbox = tokio::spawn(effects::run(Arc::clone(&app.effects)));
        let hub = Self {
            home,
            app,
            inbox,
            bus,
            server,
            sources,
            writer,
            writer_ended,
            check,
            approvals,
            answers,
            outbox,
        };
        let listening = match opening {
            Some(opening) => opening.done().await.map(drop),
            None => Ok(()),
        };
        match listening {
            Err(error) if must_listen => {
                hub.stop().await;
                return Err(error.into());
            }
            // Agents report all the same.
            Err(error) => tracing::warn!(%error, "not listening on TCP"),
            Ok(()) => {}
        }
        tracing::info!(home = %hub.home.path().display(), "the hub is up");
        Ok(hub)
    }

    /// A fresh link that lets one browser in; `None` where the hub is not on TCP.
    pub async fn link(&self) -> Option<String> {
        api::link(&self.app).await.ok().map(|(url, _)| url)
    }

    /// The socket that clients connect to.
    pub fn socket(&self) -> PathBuf {
        self.home.socket()
    }

    /// The state folder.
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// Comes back when everything reported or due before is stored, published and flushed. With a
    /// clock of the caller's this is how time that has passed is noticed.
    pub async fn settle(&self) {
        // A hub that stops has settled.
        self.inbox.submit(Work::Settle, None).await.ok();
    }

    /// Comes back when the state folder, the database or the socket is not there any more.
    pub(crate) fn lost(&self) -> impl Future<Output = Lost> + use<> {
        self.home.lost()
    }

    /// Whether somebody has cut the write-ahead log: what looks like damage may be no more than that.
    pub(crate) fn is_log_cut(&self) -> bool {
        self.home.is_log_cut()
    }

    /// Comes back when damage was found in the database.
    pub(crate) fn damaged(&self) -> impl Future<Output = ()> + use<> {
        let metrics = Arc::clone(&self.app.metrics);
        async move { metrics.damaged.notified().await }
    }

    /// Makes the socket anew. As long as the folder is ours nobody else has one there.
    pub(crate) fn listen_again(&self) -> Result<(), RunError> {
        let taken = self.server.listen(self.home.listen()?);
        taken.map_err(|source| RunError::Bind { path: self.home.socket(), source })
    }

    /// Comes back only if the writer has died of a defect.
    pub(crate) async fn failed(&mut self) {
        (&mut self.writer_ended).await.ok();
    }

    /// How many events there are, and were.
    pub(crate) fn head(&self) -> u64 {
        self.app.board.head()
    }

    #[cfg(test)]
    pub(crate) fn tracker(&self) -> &dyn crate::tracker::Tracker {
        &self.app.tracker
    }

    #[cfg(test)]
    pub(crate) fn app(&self) -> &App {
        &self.app
    }

    #[cfg(test)]
    pub(crate) fn effects(&self) -> &Effects {
        &self.app.effects
    }

    /// The way to the writer.
    pub(crate) fn inbox(&self) -> &Inbox {
        &self.inbox
    }

    /// Takes no more connections, finishes what has begun, stores it and removes the socket.
    pub async fn stop(self) {
        let Self { home, app, inbox, bus, server, sources, writer, check, .. } = self;
        home.unlisten();
        bus.close();
        server.stop().await;
        sources.stop().await;
        // What breaks off is recognised at the next start.
        for task in [self.approvals, self.answers, self.outbox] {
            task.abort();
            task.await.ok();
        }
        // The writer's connection is the last one: only its close moves the log into the database.
        drop(app);
        tokio::task::spawn_blocking(move || drop(check)).await.ok();
        inbox.submit(Work::Shutdown, None).await.ok();
        let join = move || {
            if writer.join().is_err() {
                tracing::error!("the writer ended by a defect");
            }
            drop(home);
        };
        tokio::task::spawn_blocking(join).await.ok();
        tracing::info!("the hub is down");
    }
}

/// Everything that blocks: folder, lock, database, seats, spool.
struct Prepared {
    home: Home,
    pen: Pen,
    app: Arc<App>,
    bus: Arc<Bus>,
    inbox: Inbox,
    outbox: inbox::Outbox,
    moved: UnboundedReceiver<Arc<Seat>>,
    orders: listener::Orders,
}

impl Prepared {
    fn new(
        home: &Path,
        clock: Arc<dyn Clock>,
        limits: Limits,
        background_shells: BackgroundShells,
        work: (TrackerSettings, ForgeSettings, ProviderSettings, WebhookSettings),
        mut couriers: Vec<Arc<dyn Courier>>,
        launcher: Option<PathBuf>,
    ) -> Result<Self, RunError> {
        let home = Home::claim(home)?;
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
            let reader = Reader::open(&database).map_err(fail)?;
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
    use crate::job::{OwnReport, Refusal, Reply};
    use futures_util::FutureExt as _;
    use headsup_core::id::AgentId;
    use headsup_core::wire::ReportBody;
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
