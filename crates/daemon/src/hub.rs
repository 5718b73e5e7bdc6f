//! A hub from its start to its end.

use crate::api::{self, App};
use crate::bus::Bus;
use crate::clock::{Clock, System};
use crate::effects::{self, Courier};
use crate::forge;
use crate::home::{Held, Home, Lost};
use crate::inbox::Inbox;
use crate::integrity::Check;
use crate::job::Work;
use crate::lifecycle;
use crate::limits::Limits;
use crate::listener::{Desk, Memory};
use crate::serve::{self, Server};
use crate::sources::{self, Sources};
use crate::{Config, RunError};
use prepared::Prepared;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

mod prepared;

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

    /// Starts one in a folder that this process has already.
    pub(crate) async fn start_in(home: Home, config: Config) -> Result<Self, RunError> {
        let limits = Limits::of(config.retention);
        Self::start_claimed(home, config, Arc::new(System::new()), limits, Vec::new()).await
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
        let home = Home::claim(&config.home)?;
        Self::start_claimed(home, config, clock, limits, couriers).await
    }

    async fn start_claimed(
        home: Home,
        config: Config,
        clock: Arc<dyn Clock>,
        limits: Limits,
        couriers: Vec<Arc<dyn Courier>>,
    ) -> Result<Self, RunError> {
        let Config { folders, listen, must_listen, screen_rules, engines, .. } = config;
        let when = config.pane_reports.where_it_runs(config.launcher.as_deref(), screen_rules);
        let (launcher, beside) = (config.launcher, config.beside);
        let work = (config.tracker, config.forge, config.providers, config.webhooks);
        let background_shells = config.background_shells;
        let inotify = limits.inotify;
        // Here and on no other thread: there is nothing else to do yet, and ten thousand seats are made
        // in half the time by the thread whose memory grows in long stretches.
        let prepared =
            Prepared::new(home, clock, limits, background_shells, work, couriers, launcher)?;
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
    pub(crate) fn effects(&self) -> &effects::Effects {
        &self.app.effects
    }

    /// The way to the writer.
    pub(crate) fn inbox(&self) -> &Inbox {
        &self.inbox
    }

    /// Takes no more connections, finishes what has begun, stores it and removes the socket.
    pub async fn stop(self) {
        self.end().await;
    }

    /// The same; the folder is kept for the next hub of this process. `None`: the runtime ends as well.
    pub(crate) async fn end(self) -> Option<Held> {
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
            home.held()
        };
        let held = tokio::task::spawn_blocking(join).await.ok();
        tracing::info!("the hub is down");
        held
    }
}
