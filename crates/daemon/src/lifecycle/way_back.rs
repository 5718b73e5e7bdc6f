//! How a seat's agent would be started again.

use crate::api::Refused;
use crate::process;
use headsup_adapters::resume;
use headsup_core::seat::{Launch, Seat};
use std::path::{Path, PathBuf};

/// How it was started: as its launcher has said, else as its process shows.
pub(super) fn of(seat: &Seat) -> Result<Launch, Refused> {
    seat.launch.as_deref().cloned().or_else(|| shown(seat)).ok_or_else(|| {
        let detail = "nobody knows how it was started, so it could not be taken up again as it was";
        Refused::new(409, "launch_unknown", detail).hint("`headsup run` keeps that")
    })
}

/// By its command line and its folder. A program that has written over its command line tells nothing.
fn shown(seat: &Seat) -> Option<Launch> {
    let id = seat.process.id.as_ref()?;
    let pid = id.pid_here().filter(|pid| process::is_beside_us(*pid))?;
    let words = process::command_line(pid)?;
    let folder = std::fs::read_link(format!("/proc/{pid}/cwd")).ok()?;
    let (_, [name, arguments @ ..]) = words.split_at(resume::place_of(&seat.kind, &words)?) else {
        return None;
    };
    let program = file(pid, name, &folder)?;
    // It was this very process that all of it was read of.
    process::is_alive(id).then_some(Launch {
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
    launch: &Launch,
    said: Option<&str>,
) -> Result<Vec<String>, Refused> {
    let session = seat.session.as_ref().map(|session| session.id.as_str()).unwrap_or_default();
    resume::arguments(&seat.kind, &launch.arguments, session, said).map_err(|why| {
        Refused::new(409, "no_way_back", why.to_string())
            .hint("its own program may know a way; `headsup stop` ends it for good")
    })
}
