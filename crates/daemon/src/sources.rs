//! The hub's own eyes: processes, status files, transcripts, servers, terminals.
//!
//! Each source is a task that emits raw facts and decides nothing. They learn from the writer which
//! seats there are, and hand it what they see as [`Work::Witnessed`](crate::job::Work).

mod bus;
mod container;
mod followed;
mod goodbyes;
mod helper_log;
mod inotify;
mod last_words;
mod lookout;
mod pane;
mod pipe;
mod process;
pub(crate) mod ready;
mod registry;
mod screen;
mod server;
mod spool;
mod tail;
mod thread;
mod title;
mod transcript;

use crate::board::Board;
use crate::inbox::Inbox;
use crate::job::{Sight, Witnessed, Work};
use crate::limits::Open;
use crate::metrics::Metrics;
use crate::namespaces::Namespaces;
use crate::oom::Ooms;
use crate::samples::Samples;
use container::Containers;
use goodbyes::Goodbyes;
use headsup_adapters::{WatchedFolder, registry_of_log};
use headsup_core::gate::has_spoken;
use headsup_core::id::ProcessId;
use headsup_core::seat::Seat;
use last_words::LastWords;
use lookout::Lookout;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use transcript::Mention;

pub(crate) use pipe::Ears;
pub use pipe::{PaneReports, READ_PANE, ReaderOrder};
pub(crate) use process::{ends_meanwhile, pidfd};
pub(crate) use screen::OBSERVABLE;
pub use screen::ScreenRules;

/// How the writer tells which seats have another process, log or helpers than before.
pub(crate) type Moved = UnboundedSender<Arc<Seat>>;

/// The way from the writer to the sources.
pub(crate) fn channel() -> (Moved, UnboundedReceiver<Arc<Seat>>) {
    unbounded_channel()
}

fn folder_of(seat: &Seat) -> Option<WatchedFolder> {
    registry_of_log(&seat.kind, seat.about.log_path.as_deref()?)
}

fn session_of(seat: &Seat) -> Option<&str> {
    seat.session.as_ref().map(|session| session.id.as_str())
}

/// Which process it is, and where it is seen.
fn process_of(seat: &Seat) -> Option<(&ProcessId, Option<u32>)> {
    seat.process.id.as_ref().map(|process| (process, process.pid_here()))
}

/// Does a source look at a seat in another way than before?
pub(crate) fn concerns(before: Option<&Seat>, now: &Seat) -> bool {
    before.is_none_or(|before| {
        process_of(before) != process_of(now)
            || before.process.outer() != now.process.outer()
            || before.about.location.container != now.about.location.container
            || before.process.state.is_over() != now.process.state.is_over()
            || before.about.log_path != now.about.log_path
            || session_of(before) != session_of(now)
            || before.subagents != now.subagents
            || has_spoken(before) != has_spoken(now)
            || asking_helpers(before) != asking_helpers(now)
    })
}

fn asking_helpers(seat: &Seat) -> usize {
    seat.prompts.iter().filter(|open| !open.actor.is_main()).count()
}

/// Where to look, and whether.
#[derive(Debug)]
pub(crate) struct Eyes {
    /// Folders with status files.
    pub(crate) folders: Vec<WatchedFolder>,
    pub(crate) screen_rules: ScreenRules,
    pub(crate) ears: Ears,
    pub(crate) spool: PathBuf,
    pub(crate) ooms: Arc<Ooms>,
    pub(crate) samples: Arc<Samples>,
    pub(crate) inotify: Open,
    /// Sockets of container engines.
    pub(crate) engines: Vec<PathBuf>,
}

/// The ways to those sources that keep a list of seats of their own. One that is not there does not
/// listen.
struct Told {
    screens: Moved,
    titles: Moved,
    served: Moved,
    contained: Moved,
    buses: Moved,
    logs: UnboundedSender<Mention>,
    pipes: Moved,
    threads: Moved,
}

impl Told {
    /// It is another than before: each source looks what that means for it.
    fn of(&self, seat: &Arc<Seat>) {
        let Self { screens, titles, served, contained, buses, logs, pipes, threads } = self;
        logs.send(Mention::Moved(Arc::clone(seat))).ok();
        for way in [screens, titles, served, contained, buses, pipes, threads] {
            way.send(Arc::clone(seat)).ok();
        }
    }

    /// Comes back when what was written into their logs while no hub was here has been told.
    async fn logs_read(&self, seats: &[Arc<Seat>]) {
        let has_one =
            |seat: &&Arc<Seat>| seat.about.log_path.is_some() && !seat.process.state.is_over();
        for seat in seats.iter().filter(has_one) {
            tokio::task::coop::consume_budget().await;
            self.logs.send(Mention::Stored(Arc::clone(seat))).ok();
        }
        let (done, read) = oneshot::channel();
        self.logs.send(Mention::Read(done)).ok();
        // It is dropped, and nothing said.
        read.await.ok();
    }

    /// It was there at the start: only sources that it may concern hear of it.
    fn of_one_stored(&self, seat: &Arc<Seat>) {
        let Self { screens, titles, served, contained, buses, logs: _, pipes, threads } = self;
        if seat.process.state.is_over() {
            return;
        }
        let (process, log) = (seat.process.id.is_some(), seat.about.log_path.is_some());
        let in_container = seat.about.location.container.is_some();
        let ways = [
            (screens, process),
            (titles, process),
            (buses, process),
            (pipes, process),
            (threads, process),
            (contained, in_container),
            (served, log),
        ];
        for (way, _) in ways.into_iter().filter(|(_, concerned)| *concerned) {
            way.send(Arc::clone(seat)).ok();
        }
    }
}

/// Running sources. Dropping it ends them.
#[derive(Debug)]
pub(crate) struct Sources {
    tasks: JoinSet<()>,
    samples: Arc<Samples>,
}

impl Sources {
    /// Looks at the seats on the board, and then at whatever moves.
    pub(crate) fn start(
        eyes: Eyes,
        board: &Arc<Board>,
        mut moved: UnboundedReceiver<Arc<Seat>>,
        inbox: Inbox,
        metrics: Arc<Metrics>,
        namespaces: Arc<Namespaces>,
    ) -> Self {
        let Eyes { folders, screen_rules, ears, spool, ooms, samples, inotify, engines } = eyes;
        let lookout = Lookout::new(inotify, Arc::clone(&metrics));
        let goodbyes = Arc::new(Goodbyes::default());
        let mut tasks = JoinSet::new();
        tasks.spawn(spool::watch(spool, lookout.watcher(), inbox.clone()));
        let (logs, with_logs) = unbounded_channel();
        let [bus_metrics, file_metrics, server_metrics] = [(); 3].map(|()| Arc::clone(&metrics));
        tasks.spawn(transcript::watch(with_logs, lookout.watcher(), inbox.clone(), metrics));
        let (served, with_servers) = unbounded_channel();
        let server_board = Arc::clone(board);
        tasks.spawn(server::watch(server_board, with_servers, inbox.clone(), server_metrics));
        let last_words = Arc::<LastWords>::default();
        let (contained, with_containers) = unbounded_channel();
        let containers = Containers::new(engines, inbox.clone(), Arc::clone(&last_words));
        tasks.spawn(containers.watch(with_containers));
        let (buses, with_buses) = unbounded_channel();
        tasks.spawn(bus::watch(with_buses, inbox.clone(), bus_metrics, Arc::clone(&namespaces)));
        let (screens, with_screens) = unbounded_channel();
        let (titles, with_titles) = unbounded_channel();
        let (threads, with_threads) = unbounded_channel();
        if screen_rules != ScreenRules::Never {
            let own = Arc::clone(board);
            tasks.spawn(screen::watch(screen_rules, own, with_screens, inbox.clone()));
            tasks.spawn(title::watch(Arc::clone(board), with_titles, inbox.clone()));
            tasks.spawn(thread::watch(Arc::clone(board), with_threads, inbox.clone()));
        }
        let (pipes, in_panes) = unbounded_channel();
        let (own, counted) = (Arc::clone(board), Arc::clone(&file_metrics));
        tasks.spawn(pipe::watch(ears, own, in_panes, inbox.clone(), counted));
        let told = Told { screens, titles, served, contained, buses, logs, pipes, threads };
        let (seats, _) = board.all();
        let (ours, said) = (inbox.clone(), Arc::clone(&goodbyes));
        tasks.spawn(Arc::clone(&samples).keep());
        let sampled = Arc::clone(&samples);
        let own = Arc::clone(board);
        let mut processes = process::Processes::new(ours, own, said, ooms, sampled, last_words);
        let files = lookout.watcher();
        let mut registries =
            registry::Registries::new(folders, files, inbox, goodbyes, namespaces, file_metrics);
        tasks.spawn(lookout.run());
        tasks.spawn(async move {
            // What status files say comes first: it tells a clean end from a crash.
            for seat in seats.iter().filter(|seat| !seat.process.state.is_over()) {
                if let Some(folder) = folder_of(seat) {
                    registries.add(folder);
                }
            }
            registries.scan(true).await;
            // Before their ends: how a turn has ended is written down before its program goes.
            told.logs_read(&seats).await;
            for seat in seats {
                // There may be ten thousand of them, and somebody who waits for a first answer.
                tokio::task::coop::consume_budget().await;
                processes.look_at(&seat, true);
                told.of_one_stored(&seat);
            }
            let (folders, more) = unbounded_channel();
            let follow = async {
                while let Some(seat) = moved.recv().await {
                    processes.look_at(&seat, false);
                    if let Some(folder) = folder_of(&seat) {
                        folders.send(folder).ok();
                    }
                    told.of(&seat);
                }
            };
            tokio::join!(follow, registries.watch(more));
        });
        Self { tasks, samples }
    }

    pub(crate) async fn stop(mut self) {
        self.tasks.shutdown().await;
        // Those of the last minute.
        self.samples.write().await;
    }
}

/// How soon what a disk has refused is told again.
const AGAIN: Duration = Duration::from_secs(2);

/// Tells what is seen only once, until it is stored: a disk that refuses it may take it later.
async fn tell(inbox: &Inbox, sight: &Sight) {
    loop {
        let work = Work::Witnessed(Witnessed::Seat(Box::new(sight.clone())));
        match inbox.submit(work, None).await {
            Err(refusal) if refusal.is_of_the_disk() => tokio::time::sleep(AGAIN).await,
            // A hub that stops has no use for it.
            _ => return,
        }
    }
}
