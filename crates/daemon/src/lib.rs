//! The hub: it owns the roster, the log and the bus of one machine.
//!
//! Reports come in over HTTP (`serve`, `guard`, `api`) on a unix socket and, where it is asked for,
//! on TCP (`listener`, `access`), or out of the spool. They pass the single writer (`writer`), are stored (`store`) and only then published (`bus`) and shown
//! (`board`). Every decision about a status is made in `headsup_core`; nothing here makes one.

mod access;
mod api;
mod attendance;
mod beside;
mod board;
mod body;
mod bus;
mod caller;
mod cgroup;
pub mod clock;
mod effects;
pub mod elsewhere;
mod ends;
pub mod engine;
mod error;
mod evidence;
mod filesystem;
mod flaws;
mod flusher;
mod forge;
mod frame;
mod github;
mod guard;
mod healing;
mod home;
mod hub;
mod inbox;
mod integrity;
mod job;
mod kanbanger;
mod launched;
mod launches;
mod lifecycle;
mod limits;
pub mod listener;
pub mod mcp;
#[doc(hidden)]
pub mod measure;
mod metrics;
mod namespaces;
mod oom;
pub mod outgoing;
mod own_word;
mod peer;
mod person;
mod pipes;
mod process;
mod providers;
mod repository;
mod samples;
mod serve;
mod service;
mod sighting;
mod sources;
mod spoken;
mod spool;
mod store;
#[cfg(test)]
mod tests;
mod tracker;
mod web;
mod webhooks;
mod writer;

pub use ends::is_kept_ignored;
pub use error::RunError;
pub use filesystem::remote;
pub use forge::ForgeSettings;
pub use github::GitHubSettings;
pub use headsup_core::observation::BackgroundShells;
pub use home::{holder, is_held, refusal};
pub use hub::Hub;
pub use kanbanger::{KanbangerSettings, Written as WrittenKanbanger, WrittenCall};
pub use limits::{LEAST_FILES, LEAST_SPACE, is_space_limited, too_few_files, too_little_space};
pub use listener::{Listen, ListenError};
pub use providers::{Provider, ProviderSettings, RepositoryProviders};
pub use sources::{PaneReports, READ_PANE, ReaderOrder, ScreenRules};
pub use store::{Damaged, busy_with, damaged, waits_for};
pub use tracker::{RepositorySettings, TrackerSettings};
pub use webhooks::{SharedSecret, WebhookSettings};

use ends::Ends;
use headsup_adapters::WatchedFolder;
use healing::Healing;
use home::{DATABASE, Lost};
use rustix::process::Signal;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tokio::signal::unix::{SignalKind, signal};

/// What a hub needs to be told.
#[derive(Clone, Debug)]
pub struct Config {
    /// The state folder (`HEADSUP_HOME`). It is made, for us alone, if it is not there.
    pub home: PathBuf,
    /// Folders in which agent programs keep status files about themselves.
    pub folders: Vec<WatchedFolder>,
    /// How much of the log is kept.
    pub retention: Retention,
    /// Sockets of container engines ([`engine::sockets`]); looked at only while an agent is in a
    /// container.
    pub engines: Vec<PathBuf>,
    /// What shells in the background say of a turn.
    pub background_shells: BackgroundShells,
    /// When the terminals of agents may be looked at.
    pub screen_rules: ScreenRules,
    /// When status reports are heard through pipes of tmux panes. Never where there is no `launcher`, or where terminals
    /// may not be looked at.
    pub pane_reports: PaneReports,
    /// Where to listen on TCP. Without it, where the last hub of this folder did.
    pub listen: Option<Listen>,
    /// The hub does not start where it cannot listen there; else agents report all the same.
    pub must_listen: bool,
    /// Who keeps tasks, and what they are called.
    pub tracker: TrackerSettings,
    /// Who decides of merges.
    pub forge: ForgeSettings,
    /// Who is listened to without a token, and whose comments answer.
    pub webhooks: WebhookSettings,
    /// Who keeps tasks and pull requests, and where.
    pub providers: ProviderSettings,
    /// `headsup` itself, which starts agents again. Without it the hub starts none.
    pub launcher: Option<PathBuf>,
    /// Who works beside the runtime that the hub is started on.
    pub beside: Beside,
}

/// Runtimes whose work keeps no report waiting. What has none runs on the one that serves.
#[derive(Clone, Debug, Default)]
pub struct Beside {
    /// Of the sources: many logs take long to look at.
    pub lookout: Option<tokio::runtime::Handle>,
    /// Of about half of the connections where there are many event streams.
    pub crowd: Option<tokio::runtime::Handle>,
}

/// Events beyond either are dropped, oldest first. Seats are never touched by it.
#[derive(Clone, Copy, Debug)]
pub struct Retention {
    pub events: u64,
    pub days: u32,
}

impl Default for Retention {
    fn default() -> Self {
        Self { events: 1_000_000, days: 90 }
    }
}

/// Runs a hub until it is told to stop (TERM, INT, HUP or QUIT): then it takes no more connections, finishes
/// what it has begun and removes its socket. One that has found damage starts again, and waits for a disk that does not
/// let it.
///
/// # Errors
/// [`RunError::AlreadyRunning`] if another hub has the folder; the others say what the folder, the
/// store or the socket would not do.
pub async fn run(mut config: Config, ready: impl AsyncFnOnce(&Hub)) -> Result<(), RunError> {
    // Installed first: a stop that comes while we start must not kill us half-way.
    let mut ends = Ends::new().map_err(RunError::Signals)?;
    // A limit of a file's size is a disk that takes no more. Who is started has the signal as it always was.
    let too_long = SignalKind::from_raw(Signal::XFSZ.as_raw());
    let _too_long = signal(too_long).map_err(RunError::Signals)?;
    // Whoever hangs up fails what is written to it, and ends nothing. The program begins with this signal ignored, but
    // an `exec` that was tried and has failed leaves it as it kills.
    let _broken_pipe = signal(SignalKind::pipe()).map_err(RunError::Signals)?;
    let mut hub = Hub::start(config.clone()).await?;
    ready(&hub).await;
    // It listens where it did, also where the system has chosen that.
    (config.listen, config.must_listen) = (None, false);
    let database = config.home.join(DATABASE);
    store::waits_no_more(&database);
    let (mut is_said, mut healing) = (false, Healing::default());
    let failed = loop {
        let (lost, damaged) = (hub.lost(), hub.damaged());
        tokio::select! {
            () = ends.recv() => break false,
            lost = lost => match lost {
                Lost::Folder => {
                    tracing::error!("the state folder was removed or replaced: this hub ends");
                    break false;
                }
                Lost::Database => {
                    tracing::error!(
                        "the database or its write-ahead log was removed or replaced: this hub ends, so that nothing \
                         more is stored where no other finds it"
                    );
                    break false;
                }
                Lost::Log => {
                    note_cut(&database);
                    let again = healing::restart(hub, &config, async || ends.recv().await).await?;
                    let Some(again) = again else { return Ok(()) };
                    hub = again;
                }
                Lost::Socket => is_said = listens_again(&hub, is_said),
            },
            () = damaged => {
                let is_cut = hub.is_log_cut();
                if is_cut {
                    note_cut(&database);
                }
                if is_cut || healing.begins(&database, Instant::now()) {
                    tracing::warn!("this hub starts again, to go on with what can be read of its database");
                    let again = healing::restart(hub, &config, async || ends.recv().await).await?;
                    let Some(again) = again else { return Ok(()) };
                    hub = again;
                }
            }
            () = hub.failed() => break true,
        }
    };
    hub.stop().await;
    if failed { Err(RunError::WriterDied) } else { Ok(()) }
}

/// The next start leaves the places of what is lost free.
fn note_cut(database: &Path) {
    tracing::error!("the write-ahead log was cut: what was reported last is lost");
    if let Err(error) = store::note_cut(database) {
        tracing::error!(%error, "that cannot be noted for the next start");
    }
}

/// Makes the socket that was removed or replaced again; returns whether it was said that this cannot be.
fn listens_again(hub: &Hub, is_said: bool) -> bool {
    let made = hub.listen_again();
    match &made {
        Ok(()) => tracing::warn!("the socket was removed or replaced: it is made again"),
        Err(error) if !is_said => tracing::error!(%error, "the socket is gone"),
        Err(_) => {}
    }
    made.is_err()
}
