//! The only door of the hub to tmux: it reads what panes show, and gives a pane that has none a pipe.

use crate::process;
use headsup_core::id::ProcessId;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;

/// A server that does not answer is not waited for.
const PATIENCE: Duration = Duration::from_secs(1);
/// What a terminal can show at most, of all panes of a server together.
const MOST_BYTES: usize = 1 << 20;

/// A pane of a tmux server.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Place {
    socket: PathBuf,
    /// The server's pid: the next one at that socket counts its panes anew.
    server: String,
    /// `%5`.
    pane: String,
}

/// What a pane knows of how its program has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Told {
        code: Option<i32>,
        signal: Option<i32>,
    },
    /// It has not noticed yet.
    ToCome,
    /// Nothing: the pane is gone, or was another program's.
    Untold,
}

/// A pane with a living program, as its server lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pane {
    pub(super) place: Place,
    /// Its terminal, by the number that the kernel has for it ([`process::terminal`]).
    pub(super) terminal: Option<i64>,
    /// Somebody hears what is said there.
    pub(super) is_piped: bool,
}

impl Place {
    pub(super) fn socket(&self) -> &Path {
        &self.socket
    }

    /// `%5`.
    pub(super) fn name(&self) -> &str {
        &self.pane
    }

    /// Its server's pid; 0 where that is none.
    pub(super) fn server(&self) -> u32 {
        self.server.parse().unwrap_or_default()
    }

    /// Where a process runs, as its environment says.
    pub(super) fn of(process: &ProcessId) -> Option<Self> {
        let [server, pane] = process::variables(process.pid, [b"TMUX=", b"TMUX_PANE="]);
        let (server, pane) = (server?, pane?);
        // SOCKET,PID,SESSION.
        let mut parts = server.split(',');
        let socket = PathBuf::from(parts.next()?);
        let server = parts.next()?.to_owned();
        let number = pane.strip_prefix('%')?;
        let is_pane = (1..=9).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit());
        (is_pane && socket.is_absolute()).then_some(Self { socket, server, pane })
    }
}

/// What each of these shows now; a pane that is gone is left out.
pub(super) async fn capture(places: &[Place]) -> HashMap<Place, String> {
    let mut found = HashMap::new();
    let servers: HashSet<&PathBuf> = places.iter().map(|place| &place.socket).collect();
    for socket in servers {
        let panes: Vec<&Place> = places.iter().filter(|place| place.socket == *socket).collect();
        found.extend(capture_of(socket, &panes).await);
    }
    found
}

/// One call for all panes of a server. Where one is gone tmux stops there: the others are asked for
/// again without it.
async fn capture_of(socket: &Path, panes: &[&Place]) -> Vec<(Place, String)> {
    let mut found = Vec::new();
    let mut rest = panes;
    while !rest.is_empty() {
        let Some(texts) = call(socket, rest).await else { return found };
        let told = texts.len();
        found.extend(rest.iter().zip(texts).map(|(place, text)| ((*place).clone(), text)));
        rest = rest.get(told + 1..).unwrap_or_default();
    }
    found
}

/// The title of each of these; a pane that is gone, or whose program is, is left out. One call for all panes of
/// a server.
pub(super) async fn titles(places: &[Place]) -> HashMap<Place, String> {
    let mut found = HashMap::new();
    let servers: HashSet<&PathBuf> = places.iter().map(|place| &place.socket).collect();
    for socket in servers {
        let Some(text) = list(socket).await else { continue };
        let told: HashMap<(&str, &str), &str> = living(&text).collect();
        let own = places.iter().filter(|place| place.socket == *socket);
        let title = |place: &Place| {
            let title = told.get(&(&*place.server, &*place.pane))?;
            Some((place.clone(), (*title).to_owned()))
        };
        found.extend(own.filter_map(title));
    }
    found
}

/// The panes of this one's server, as tmux calls them (`%5`), with their titles. `None`: it does not answer.
pub(super) async fn titles_beside(place: &Place) -> Option<Vec<(String, String)>> {
    let text = list(&place.socket).await?;
    let own = living(&text).filter(|((server, _), _)| *server == place.server);
    Some(own.map(|((_, pane), title)| (pane.to_owned(), title.to_owned())).collect())
}

/// Whether a pane is there, with its program in it. `None`: its server does not answer.
pub(super) async fn is_there(place: &Place) -> Option<bool> {
    let text = list(&place.socket).await?;
    Some(living(&text).any(|(pane, _)| pane == (&*place.server, &*place.pane)))
}

/// How the program of a pane has ended; `pid`: by which it was known. A dead pane stays where it is told to
/// (`remain-on-exit`), and is told of its program's signal a moment after its end.
pub(super) async fn end_of(place: &Place, pid: u32) -> End {
    let format = "#{pid} #{pane_id} #{pane_pid} #{pane_dead_status} #{pane_dead_signal}";
    let Some(text) = list_as(&place.socket, format).await else { return End::Untold };
    end_in(&text, place, pid)
}

fn end_in(list: &str, place: &Place, pid: u32) -> End {
    let pid = pid.to_string();
    let own = [&*place.server, &*place.pane, &*pid];
    let mut fields = list.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    let Some(pane) = fields.find(|fields| fields.starts_with(&own)) else { return End::Untold };
    let number = |at: usize| pane.get(at).and_then(|text| text.parse::<i32>().ok());
    match (number(3), number(4)) {
        (None, None) => End::ToCome,
        (code, signal) => End::Told { code, signal },
    }
}

async fn list(socket: &Path) -> Option<String> {
    list_as(socket, "#{pid} #{pane_dead} #{pane_id} #{pane_title}").await
}

async fn list_as(socket: &Path, format: &str) -> Option<String> {
    ask(socket, &["list-panes", "-a", "-F", format].map(str::to_owned)).await
}

/// All panes of a server. `None`: it does not answer.
pub(super) async fn panes(socket: &Path) -> Option<Vec<Pane>> {
    let format = "#{pid} #{pane_dead} #{pane_id} #{pane_pipe} #{pane_tty}";
    let text = list_as(socket, format).await?;
    let pane = |((server, pane), rest): ((&str, &str), &str)| {
        let (pipe, terminal) = rest.split_once(' ')?;
        let (server, pane) = (server.to_owned(), pane.to_owned());
        let place = Place { socket: socket.to_owned(), server, pane };
        let terminal = process::number_of_terminal(Path::new(terminal));
        Some(Pane { place, terminal, is_piped: pipe != "0" })
    };
    Some(living(&text).filter_map(pane).collect())
}

/// Has tmux give what is said in this pane to a command, unless somebody hears it already, also by now. `command` is
/// for a shell, and without signs that tmux reads. False where tmux does not do it.
pub(super) async fn pipe(place: &Place, command: &str) -> bool {
    let Place { socket, server, pane } = place;
    debug_assert!(!command.contains(['\'', '"', '\\', '$', '#', '%', ';']), "{command}");
    let is_free = format!("#{{&&:#{{==:#{{pid}},{server}}},#{{?pane_pipe,0,1}}}}");
    let pipe = format!("pipe-pane -o -O -t {pane} \"{command}\"");
    let ways = ["if-shell", "-F", "-t", pane, &is_free, &pipe];
    let then = [";", "display-message", "-p", "-t", pane, "#{pane_pipe}"];
    let args: Vec<String> = ways.into_iter().chain(then).map(str::to_owned).collect();
    ask(socket, &args).await.is_some_and(|said| said.trim_end() == "1")
}

/// Server, pane and what else is listed (a title) of each pane that is not dead.
fn living(list: &str) -> impl Iterator<Item = ((&str, &str), &str)> {
    list.lines().filter_map(|line| {
        let (server, rest) = line.split_once(' ')?;
        let (pane, title) = rest.strip_prefix("0 ")?.split_once(' ')?;
        Some(((server, pane), title))
    })
}

async fn call(socket: &Path, panes: &[&Place]) -> Option<Vec<String>> {
    // Nothing that a screen shows is this.
    let mut random = [0_u8; 16];
    getrandom::fill(&mut random).ok()?;
    let mark = format!("headsup{:032x}", u128::from_ne_bytes(random));
    let mut args = Vec::new();
    for place in panes {
        args.extend(["capture-pane", "-p", "-t", &place.pane, ";"].map(str::to_owned));
        args.extend(["display-message", "-p", "-t", &place.pane, &mark, ";"].map(str::to_owned));
    }
    let text = ask(socket, &args).await?;
    let mut texts: Vec<String> = text.split(&format!("{mark}\n")).map(str::to_owned).collect();
    // What follows the last mark is nothing, or cut.
    texts.pop();
    Some(texts)
}

/// What a server answers.
async fn ask(socket: &Path, args: &[String]) -> Option<String> {
    let mut command = Command::new("tmux");
    command.env_clear().env("LANG", "C.UTF-8");
    command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    command.arg("-u").arg("-S").arg(socket).args(args);
    command.stdin(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    let output = tokio::time::timeout(PATIENCE, command.output()).await.ok()?.ok()?;
    let shown = &output.stdout[..output.stdout.len().min(MOST_BYTES)];
    Some(String::from_utf8_lossy(shown).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pane_counts_while_its_program_lives_and_as_one_of_its_server() {
        let list = "41 0 %0 \u{2726} Working\n41 1 %1 left\n41 0 %2 \nno server\n";
        let panes: Vec<_> = living(list).collect();
        assert_eq!(panes, [(("41", "%0"), "\u{2726} Working"), (("41", "%2"), "")]);
    }

    #[test]
    fn a_dead_pane_tells_how_its_own_program_has_ended() {
        let list = "41 %0 7 3 \n41 %1 8  9\n41 %2 9  \n41 %4\nno server\n";
        let end = |server: &str, pane: &str, pid| {
            let (server, pane) = (server.to_owned(), pane.to_owned());
            end_in(list, &Place { socket: "/s".into(), server, pane }, pid)
        };
        assert_eq!(end("41", "%0", 7), End::Told { code: Some(3), signal: None });
        assert_eq!(end("41", "%1", 8), End::Told { code: None, signal: Some(9) });
        assert_eq!(end("41", "%2", 9), End::ToCome, "tmux has not noticed yet");
        assert_eq!(end("41", "%0", 8), End::Untold, "another program is in it");
        assert_eq!(end("40", "%0", 7), End::Untold, "the server before");
        assert_eq!(end("41", "%3", 7), End::Untold, "the pane is gone");
        assert_eq!(end("41", "%4", 7), End::Untold);
    }
}
