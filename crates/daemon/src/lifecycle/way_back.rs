//! How a seat's agent would be started again.

use crate::api::{App, Refused};
use crate::launches::Unknown;
use crate::process;
use headsup_adapters::resume::{self, NoWayBack};
use headsup_core::id::ProcessId;
use headsup_core::seat::{Launch, LaunchWords, Seat};
use headsup_core::wire::LaunchDoc;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::time::timeout;

/// A file system that does not answer is not waited for.
const LOOK_WITHIN: Duration = Duration::from_millis(200);

/// How a seat's agent was started.
pub(super) struct WayBack {
    pub(super) launch: LaunchDoc,
    /// Its seat has all of it.
    pub(super) is_kept: bool,
}

/// How it was started: as its launcher has said, else as its process shows.
pub(super) async fn of(app: &App, seat: &Seat) -> Result<WayBack, Refused> {
    if let Some(launch) = seat.launch.as_deref() {
        return with_its_words(app, seat, launch).await;
    }
    let launch = shown(seat).ok_or_else(|| {
        let detail = "nobody knows how it was started, so it could not be taken up again as it was";
        Refused::new(409, "launch_unknown", detail).hint("`headsup run` keeps that")
    })?;
    Ok(WayBack { launch, is_kept: false })
}

/// What was kept of a launch, with what was kept apart from it.
async fn with_its_words(app: &App, seat: &Seat, launch: &Launch) -> Result<WayBack, Refused> {
    // What was launched is another program, which has started it.
    if !resume::is_known(&seat.kind) || seat.kind_told {
        return Err(no_way(&NoWayBack::Program));
    }
    let (arguments, is_kept) = match app.launches.read(&launch.words).await {
        Ok(arguments) => (arguments, true),
        // As long as it runs, its process may show them.
        Err(why) => (typed(app, seat).ok_or_else(|| unknown(&why))?, false),
    };
    let Launch { program, name, folder, here, server, no_tools, .. } = launch.clone();
    let launch = LaunchDoc { program, name, arguments, folder, here, server, no_tools };
    Ok(WayBack { launch, is_kept })
}

fn typed(app: &App, seat: &Seat) -> Option<Vec<String>> {
    resume::typed(&shown(seat)?.arguments, &app.launches.brought(&seat.id))
}

/// The same, to be kept: an agent is not put away without it.
pub(super) async fn kept(app: &App, seat: &Seat, launch: LaunchDoc) -> Result<Launch, Refused> {
    match app.launches.keep(&seat.kind, launch).await {
        Launch { words: LaunchWords::Unkept, .. } => Err(unknown(&Unknown::Unkept)),
        launch => Ok(launch),
    }
}

fn unknown(why: &Unknown) -> Refused {
    let detail = format!("nobody knows with which arguments it was started: {why}");
    Refused::new(409, "launch_unknown", detail)
        .hint("`headsup run` starts an agent anew; its own program may know a way to its session")
}

/// By its command line and its folder. A program that has written over its command line tells nothing.
fn shown(seat: &Seat) -> Option<LaunchDoc> {
    let id = seat.process.id.as_ref()?;
    let pid = id.pid_here().filter(|pid| process::is_beside_us(*pid))?;
    let words = process::command_line(pid)?;
    let folder = std::fs::read_link(format!("/proc/{pid}/cwd")).ok()?;
    let (_, [name, arguments @ ..]) = words.split_at(resume::place_of(&seat.kind, &words)?) else {
        return None;
    };
    let program = file(pid, name, &folder)?;
    // It was this very process that all of it was read of.
    process::is_alive(id).then_some(LaunchDoc {
        program: program.to_str()?.to_owned(),
        name: name.clone(),
        arguments: arguments.to_vec(),
        folder: folder.to_str()?.to_owned(),
        here: seat.about.location.tmux.is_none(),
        server: None,
        // Whoever started it has not asked for them.
        no_tools: true,
    })
}

/// The file that a process was started by under this name.
fn file(pid: u32, name: &str, folder: &Path) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(folder.join(name)).filter(|path| path.is_file());
    }
    let [path] = process::variables(pid, [b"PATH="]);
    let path = path?;
    path.split(':').map(|place| folder.join(place).join(name)).find(|path| path.is_file())
}

/// The arguments with which it goes on in its session.
pub(super) fn arguments(
    seat: &Seat,
    launch: &LaunchDoc,
    said: Option<&str>,
) -> Result<Vec<String>, Refused> {
    let session = seat.session.as_ref().map(|session| session.id.as_str()).unwrap_or_default();
    resume::arguments(&seat.kind, &launch.arguments, session, said).map_err(|why| no_way(&why))
}

/// A program that writes its session down keeps it from the first prompt on: without one, and without that file, its
/// session would not be found again.
///
/// # Errors
/// There is neither.
pub(super) async fn is_written(seat: &Seat) -> Result<(), Refused> {
    let since = seat.session.as_ref().map(|session| session.since);
    let had_a_turn = seat.turn.ended.as_ref().is_some_and(|ended| Some(ended.at) >= since);
    let is_here = || {
        let pid = seat.process.id.as_ref().and_then(ProcessId::pid_here);
        pid.is_some_and(process::is_beside_us)
    };
    let log = seat.about.log_path.as_deref().map(PathBuf::from);
    let Some(log) = log.filter(|_| !had_a_turn && is_here()) else { return Ok(()) };
    let look = tokio::task::spawn_blocking(move || log.try_exists());
    // Whatever else it may be is no reason.
    let Ok(Ok(Ok(false))) = timeout(LOOK_WITHIN, look).await else { return Ok(()) };
    let detail = "nothing has been said in its session, so nothing could take it up again";
    Err(Refused::new(409, "nothing_said", detail)
        .hint("its program keeps a session from the first prompt on; `headsup stop` ends it"))
}

fn no_way(why: &NoWayBack) -> Refused {
    Refused::new(409, "no_way_back", why.to_string())
        .hint("its own program may know a way; `headsup stop` ends it for good")
}
