//! Agents in panes that nobody has told of: their programs report unasked, so they are worth to be listened to. Where a
//! person has asked for it, panes of all of the user's tmux servers are looked through.

use super::super::pane;
use crate::board::Board;
use crate::inbox::Inbox;
use crate::job::{Found, Witnessed, Work};
use crate::{peer, process};
use headsup_adapters::{SERVER_VARIABLES, server_of_start, terminal};
use headsup_core::id::ProcessId;
use rustix::fs::Mode;
use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fs::Metadata;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::time::Instant;

/// Between two looks.
const EVERY: Duration = Duration::from_secs(3);
/// More servers than anybody runs.
const MOST: usize = 16;

pub(super) struct Finder {
    next: Instant,
    /// Pid and start of those that were there at the last look. Whoever has just come may yet start a process that it
    /// shares.
    seen: HashSet<(u32, u64)>,
    served: Served,
}

/// Pid and start of those whose conversations go on in another process. Also while that one is away: they wait for it,
/// and once it is back its hooks and its server tell of them again.
#[derive(Default)]
struct Served(HashSet<(u32, u64)>);

impl Served {
    /// Whether this is one, of whom others would listen at this socket.
    fn holds(&mut self, place: (u32, u64), socket: Option<&Path>) -> bool {
        // What was started in its place without any is on its own.
        let Some(socket) = socket else {
            self.0.remove(&place);
            return false;
        };
        if is_listened_at(socket) {
            self.0.insert(place);
        }
        self.0.contains(&place)
    }
}

impl Finder {
    pub(super) fn new() -> Self {
        Self { next: Instant::now(), seen: HashSet::new(), served: Served::default() }
    }

    pub(super) fn next(&self) -> Instant {
        self.next
    }

    /// Tells of whoever is there and has no seat.
    pub(super) async fn look(&mut self, board: &Board, inbox: &Inbox) {
        if Instant::now() < self.next {
            return;
        }
        let mut terminals = HashMap::new();
        for socket in servers(std::env::var_os("TMUX_TMPDIR")) {
            let panes = pane::panes(&socket).await.unwrap_or_default();
            let at = |pane: pane::Pane| Some((pane.terminal?, pane.place.name().to_owned()));
            terminals.extend(panes.into_iter().filter_map(at));
        }
        if !terminals.is_empty() {
            let look = move || process::at_terminals(&terminals);
            let there = tokio::task::spawn_blocking(look).await.unwrap_or_default();
            let here = there.iter().map(|(process, _)| (process.pid, process.start_ticks));
            let seen = std::mem::replace(&mut self.seen, here.collect());
            self.served.0.retain(|place| self.seen.contains(place));
            let served = &mut self.served;
            let there = there.into_iter();
            for found in there.filter_map(|(process, pane)| found(process, pane, served)) {
                let place = (found.process.pid, found.process.start_ticks);
                if !seen.contains(&place) || is_known(board, &found) {
                    continue;
                }
                let work = Work::Witnessed(Witnessed::Found(Box::new(found)));
                // A hub that stops has no use for it.
                inbox.submit(work, None).await.ok();
            }
        }
        self.next = Instant::now() + EVERY;
    }
}

/// Whoever runs below an agent, or is one, is told of by that one's own witnesses.
fn is_known(board: &Board, found: &Found) -> bool {
    let own = (found.process.pid, found.process.start_ticks);
    let snapshot = board.read();
    let mut line = found.ancestors.iter().copied().chain([own]);
    line.any(|place| !snapshot.places.of_process(place).is_empty())
}

fn found(process: ProcessId, pane: String, served: &mut Served) -> Option<Found> {
    let program = process::program(process.pid)?;
    let words = process::command_line(process.pid)?;
    let kind = terminal::unasked_reporter(program.file_name()?.to_str()?, &words)?;
    let variables = process::variables(process.pid, SERVER_VARIABLES);
    let server = server_of_start(kind, variables.each_ref().map(Option::as_deref), &words);
    let place = (process.pid, process.start_ticks);
    if served.holds(place, server.as_ref().map(|server| &*server.path)) {
        // Its conversation goes on in another process, whose hooks and whose server tell of it.
        return None;
    }
    Some(Found {
        kind,
        cwd: process::folder(process.pid),
        claimed: process::claimed_seat(process.pid),
        ancestors: process::ancestors(process.pid),
        process,
        pane,
    })
}

/// Whether somebody listens at a socket, as the kernel lists those of the machine: number, references, protocol, flags
/// (of one that listens, `SO_ACCEPTCON`), type, state, inode, path.
fn is_listened_at(path: &Path) -> bool {
    let Ok(path) = path.canonicalize() else { return false };
    let all = std::fs::read("/proc/net/unix").unwrap_or_default();
    let all = String::from_utf8_lossy(&all);
    all.lines().any(|line| {
        let mut fields = line.split_ascii_whitespace();
        fields.nth(3) == Some("00010000") && fields.nth(3).is_some_and(|at| Path::new(at) == path)
    })
}

/// The sockets in the folder in which tmux has those of this user. Like tmux itself, none of one that is another's, or in
/// which everybody may look: whoever can put a socket there speaks to our tmux.
fn servers(folder: Option<OsString>) -> Vec<PathBuf> {
    let folder = folder.filter(|folder| !folder.is_empty()).unwrap_or_else(|| "/tmp".into());
    let folder = PathBuf::from(folder).join(format!("tmux-{}", peer::own_uid()));
    let is_open = |about: &Metadata| Mode::from_raw_mode(about.mode()).intersects(Mode::RWXO);
    let is_own =
        |about: &Metadata| about.is_dir() && about.uid() == peer::own_uid() && !is_open(about);
    if !folder.symlink_metadata().is_ok_and(|about| is_own(&about)) {
        return Vec::new();
    }
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let sockets = files.filter(|file| file.file_type().is_ok_and(|kind| kind.is_socket()));
    sockets.map(|file| file.path()).take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::net::UnixListener;

    #[test]
    fn a_socket_at_which_somebody_listens_is_told_from_one_that_was_left() {
        let folder = tempfile::tempdir().unwrap();
        let (socket, link) = (folder.path().join("own"), folder.path().join("link"));
        std::os::unix::fs::symlink(&socket, &link).unwrap();
        assert!(!is_listened_at(&link));
        let listener = UnixListener::bind(&socket).unwrap();
        assert!(is_listened_at(&socket) && is_listened_at(&link));
        drop(listener);
        assert!(!is_listened_at(&link));
    }

    #[test]
    fn whose_server_is_away_for_a_while_waits_for_it() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("own");
        let mut served = Served::default();
        assert!(!served.holds((7, 1), Some(&socket)) && !served.holds((7, 1), None));
        let listener = UnixListener::bind(&socket).unwrap();
        assert!(served.holds((7, 1), Some(&socket)));
        drop(listener);
        assert!(served.holds((7, 1), Some(&socket)));
        // Another one, also by the same pid, never had any.
        assert!(!served.holds((7, 2), Some(&socket)));
        assert!(!served.holds((7, 1), None) && !served.holds((7, 1), Some(&socket)));
    }

    #[test]
    fn servers_are_looked_for_where_this_users_are() {
        let folder = tempfile::tempdir().unwrap();
        let named = || servers(Some(folder.path().into()));
        assert!(named().is_empty());
        let own = folder.path().join(format!("tmux-{}", peer::own_uid()));
        std::fs::create_dir(&own).unwrap();
        let _listener = UnixListener::bind(own.join("default")).unwrap();
        std::fs::write(own.join("note"), "").unwrap();
        let open_to = |mode| std::fs::set_permissions(&own, Permissions::from_mode(mode)).unwrap();
        open_to(0o700);
        assert_eq!(named(), [own.join("default")]);
        // Somebody else may have put it there.
        open_to(0o755);
        assert!(named().is_empty());
        let moved = folder.path().join("moved");
        std::fs::rename(&own, &moved).unwrap();
        std::os::unix::fs::symlink(&moved, &own).unwrap();
        open_to(0o700);
        assert!(named().is_empty());
    }
}
