//! The only door to tmux: arguments, never a shell line; exact targets; no text of an agent in a
//! place that tmux reads as a format.

use crate::client::resolve::OF_AN_AGENT;
use crate::error::{CommandError, Kind};
use headsup_adapters::inject::quote;
use headsup_adapters::{is_pane, tmux_server, tmux_words};
use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A tmux server: the user's, or the one that `HEADSUP_TMUX_SOCKET` names.
#[derive(Clone, Debug)]
pub(crate) struct Tmux {
    socket: Option<OsString>,
}

/// A session that was made.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    pub(crate) name: String,
    pub(crate) pane: String,
    /// The name of its server; empty for the usual one.
    pub(crate) server: String,
    /// What a person types to see it.
    pub(crate) attach: String,
}

impl Tmux {
    pub(crate) fn here() -> Self {
        let socket = std::env::var_os("HEADSUP_TMUX_SOCKET").filter(|name| !name.is_empty());
        Self { socket }
    }

    /// The server of this socket's name.
    pub(crate) fn on(socket: Option<&str>) -> Self {
        socket.map_or_else(Self::here, |socket| Self { socket: Some(OsString::from(socket)) })
    }

    /// What `tmux -V` says; `None` where there is no tmux.
    pub(crate) fn version() -> Option<String> {
        let output = Command::new("tmux").arg("-V").output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    }

    /// Whether this runs inside of tmux.
    pub(crate) fn is_around() -> bool {
        std::env::var_os("TMUX").is_some_and(|tmux| !tmux.is_empty())
    }

    /// The pane that this runs in.
    pub(crate) fn own_pane() -> Option<String> {
        std::env::var("TMUX_PANE").ok().filter(|pane| is_pane(pane))
    }

    /// The name of the server that this runs in; empty for the usual one, and outside of tmux.
    pub(crate) fn own_server() -> String {
        own_socket().map(|(socket, _)| tmux_server(&socket)).unwrap_or_default()
    }

    /// Whether it is the server of this name; where none was told it may be.
    pub(crate) fn may_be(&self, server: Option<&str>) -> bool {
        let own = self.socket_name().unwrap_or_else(Self::own_server);
        server.is_none_or(|server| server == own)
    }

    /// Brings a pane to the front of the client that this runs in. False where that cannot be.
    pub(crate) fn go_to(&self, pane: &str) -> bool {
        let output = self.command().args(["switch-client", "-t", pane]).output();
        output.is_ok_and(|output| output.status.success())
    }

    /// Takes the pipe away that a pane of the server at this socket has.
    pub(crate) fn unpipe(socket: &Path, pane: &str) {
        let mut command = Command::new("tmux");
        command.arg("-S").arg(socket).args(["pipe-pane", "-t", pane]);
        command.stdin(Stdio::null()).output().ok();
    }

    fn command(&self) -> Command {
        let mut command = Command::new("tmux");
        if let Some(socket) = &self.socket {
            // A server of its own has nobody's configuration.
            command.arg("-L").arg(socket).args(["-f", "/dev/null"]);
        }
        // It may start the server, and whatever it starts it with is in every window from then on.
        for name in OF_AN_AGENT {
            command.env_remove(name);
        }
        command
    }

    /// A new session in the background, in the place of one that only shows the last words of an agent of this hub,
    /// whose state folder is `home`. Several words after `--` are run as they are; a single one would go through a shell, so
    /// there must be more.
    pub(crate) fn start(
        &self,
        id: &str,
        home: &Path,
        folder: &Path,
        words: &[&OsStr],
    ) -> Result<Session, CommandError> {
        debug_assert!(words.len() > 1, "tmux gives a single word to a shell");
        let name = session_name(id);
        if self.is_dead(&name) {
            if let Some(other) = self.other_owner(&name, home) {
                let why = format!(
                    "{name} shows the last words of an agent of another hub ({})",
                    other.display()
                );
                return Err(cannot(&why).hint(ANOTHER_ID));
            }
            self.command().args(["kill-session", "-t", &format!("={name}")]).output().ok();
        }
        let mut tries = 0;
        let output = loop {
            let mut command = self.command();
            command.args(["new-session", "-d", "-s", &name, "-P", "-F", MADE, "-c"]);
            // A format as well; what would be one is doubled.
            command.arg(literal(folder)).arg("--");
            let output =
                command.args(words).output().map_err(|error| cannot(&error.to_string()))?;
            tries += 1;
            // A server whose last session has just ended is on its way out: the next one serves us.
            let was_leaving = output.stderr.starts_with(b"server exited");
            if !was_leaving || tries == TRIES {
                break output;
            }
        };
        let made = String::from_utf8_lossy(&output.stdout);
        let mut words = made.trim().splitn(3, ' ');
        let [pane, pid, socket] = [(); 3].map(|()| words.next().unwrap_or_default());
        // Where its server cannot be started, as with a `TMUX` of one that is gone, it fails with 0 (3.3a).
        if !output.status.success() || !pane.starts_with('%') {
            let error = cannot(String::from_utf8_lossy(&output.stderr).trim());
            return Err(match self.has(&name) {
                true => {
                    let error =
                        error.hint(format!("it is there already: {}", self.attach_line(&name)));
                    match self.other_owner(&name, home) {
                        Some(_) => error.hint(ANOTHER_ID),
                        None => error,
                    }
                }
                false if self.socket.is_none() && is_gone() => error.hint(
                    "TMUX names a server that is gone; without it: `env -u TMUX headsup run …`",
                ),
                false => error,
            });
        }
        self.mark(pane, home);
        let attach = match own_socket() {
            // Another one has its socket now, in which nobody is.
            Some((_, own)) if self.socket.is_none() && !pid.is_empty() && own != pid => {
                format!("env -u TMUX tmux -S {} attach -t '={name}'", quote(socket))
            }
            _ => self.attach_line(&name),
        };
        Ok(Session { name, pane: pane.to_owned(), server: tmux_server(socket), attach })
    }

    /// The same for an agent that was in a session before, which may still be on its way out. Where
    /// somebody uses that for something else, or another hub, the new one has another name.
    pub(crate) async fn start_again(
        &self,
        id: &str,
        home: &Path,
        folder: &Path,
        words: &[&OsStr],
    ) -> Result<Session, CommandError> {
        let leaves = self.leaves(id, LEAVES_WITHIN).await;
        if !leaves || self.other_owner(&session_name(id), home).is_some() {
            let free = (2..MOST_NAMES).map(|number| format!("{id}-{number}"));
            let free = free.into_iter().find(|name| !self.has(&session_name(name)));
            return self.start(free.as_deref().unwrap_or(id), home, folder, words);
        }
        self.start(id, home, folder, words)
    }

    /// Whether there is no living session of an agent any more, or none after a while: the one whose end was told just
    /// now may still be on its way out.
    pub(crate) async fn leaves(&self, id: &str, within: Duration) -> bool {
        let (name, deadline) = (session_name(id), Instant::now() + within);
        while self.has(&name) && !self.is_dead(&name) {
            if Instant::now() > deadline {
                return false;
            }
            tokio::time::sleep(BETWEEN_LOOKS).await;
        }
        true
    }

    /// Whether there is a session of this name.
    fn has(&self, name: &str) -> bool {
        let mut command = self.command();
        let output = command.args(["has-session", "-t", &format!("={name}")]).output();
        output.is_ok_and(|output| output.status.success())
    }

    /// Whether there is such a session, and no process in any of its panes.
    fn is_dead(&self, name: &str) -> bool {
        let mut command = self.command();
        command.args(["list-panes", "-s", "-F", "#{pane_dead}", "-t", &format!("={name}")]);
        command.output().is_ok_and(|output| {
            output.status.success()
                && !output.stdout.is_empty()
                && output.stdout.split(|&byte| byte == b'\n').all(|line| matches!(line, b"1" | b""))
        })
    }

    /// Notes on a pane's session of which hub it is.
    fn mark(&self, pane: &str, home: &Path) {
        let mut command = self.command();
        command.args(["set-option", "-t", pane, OWNER]).arg(folder_of(home));
        command.output().ok();
    }

    /// The state folder of the hub whose session of this name that is, where it is not ours. One that no hub has
    /// marked is an agent's of before they did.
    fn other_owner(&self, name: &str, home: &Path) -> Option<PathBuf> {
        let mut command = self.command();
        // Without `-u` it may print `_` for what is not ASCII (3.3a).
        command.args(["-u", "show-options", "-qv", "-t", &format!("={name}:"), OWNER]);
        let told = command.output().ok()?.stdout;
        let told = told.strip_suffix(b"\n").filter(|told| !told.is_empty())?;
        let owner = PathBuf::from(OsStr::from_bytes(told));
        (owner != folder_of(home)).then_some(owner)
    }

    /// From now on the pane that this process is in stays when its process ends, with what stands
    /// in it: an agent that cannot start says why, and nobody has seen it yet. Whoever attaches
    /// reads it; the next start under this name clears it away.
    pub(crate) fn keep_own_pane() {
        let Some(pane) = std::env::var_os("TMUX_PANE") else { return };
        // The server is the one that `TMUX` names.
        let mut command = Command::new("tmux");
        command.args(["set-option", "-p", "-t"]).arg(&pane).args(["remain-on-exit", "on", ";"]);
        command.args(["display-message", "-p", "-t"]).arg(&pane);
        command.arg("#{e|<:#{cursor_y},#{e|-:#{pane_height},1}}");
        let has_room = command.output().is_ok_and(|output| output.stdout == b"1\n");
        if has_room {
            // tmux scrolls by a line for its own word on the end (3.3a): a first line that says all
            // would be gone. A line is put in above it.
            let mut out = std::io::stdout();
            out.write_all(b"\x1b[H\x1b[L").and_then(|()| out.flush()).ok();
        }
    }

    /// What a person types to see the session.
    fn attach_line(&self, name: &str) -> String {
        let server = self.socket.as_ref().map(|socket| format!(" -L {}", socket.display()));
        let server = server.unwrap_or_default();
        let inside = std::env::var_os("TMUX").is_some() && self.socket.is_none();
        let verb = if inside { "switch-client" } else { "attach" };
        format!("tmux{server} {verb} -t '={name}'")
    }

    pub(crate) fn socket_name(&self) -> Option<String> {
        self.socket.as_ref().map(|socket| socket.to_string_lossy().into_owned())
    }
}

/// What tmux says of a session that it has made.
const MADE: &str = "#{pane_id} #{pid} #{socket_path}";
/// An option of a session: the state folder of its hub. Several hubs may share a server.
const OWNER: &str = "@headsup_home";
const ANOTHER_ID: &str = "that is another hub's: give this agent another id, as with --id";
/// How often a server on its way out is tried again.
const TRIES: u32 = 5;
/// A session whose agent has ended is gone by then.
const LEAVES_WITHIN: Duration = Duration::from_secs(2);
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);
/// So many names are tried.
const MOST_NAMES: u32 = 100;

/// The socket that `TMUX` names, and the pid of the server that it was then.
fn own_socket() -> Option<(String, String)> {
    let tmux = std::env::var("TMUX").ok()?;
    let (socket, pid) = tmux_words(&tmux)?;
    Some((socket.to_owned(), pid.to_owned()))
}

/// A state folder, by whatever name it was reached.
fn folder_of(home: &Path) -> PathBuf {
    home.canonicalize().unwrap_or_else(|_| home.to_owned())
}

/// Whether nobody listens there.
fn is_gone() -> bool {
    own_socket().is_some_and(|(socket, _)| UnixStream::connect(socket).is_err())
}

/// tmux knows no `.` in a name. An id's other characters are harmless to it.
pub(crate) fn session_name(id: &str) -> String {
    format!("headsup-{}", id.replace('.', "_"))
}

fn literal(path: &Path) -> OsString {
    let bytes = path.as_os_str().as_bytes();
    let doubled =
        bytes.iter().flat_map(|&byte| std::iter::repeat_n(byte, 1 + usize::from(byte == b'#')));
    OsString::from_vec(doubled.collect())
}

fn cannot(why: &str) -> CommandError {
    CommandError::new(Kind::Refused, format!("tmux did not start the session: {why}"))
        .code("tmux_failed")
        .hint("run it in this terminal instead: --here")
}
