//! The only door of the hub to tmux: it reads what panes show and asks for nothing else.

use crate::process;
use headsup_core::id::ProcessId;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
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

impl Place {
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
async fn capture_of(socket: &PathBuf, panes: &[&Place]) -> Vec<(Place, String)> {
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

/// Whether a pane is there, with its program in it. `None`: its server does not answer.
pub(super) async fn is_there(place: &Place) -> Option<bool> {
    let text = list(&place.socket).await?;
    Some(living(&text).any(|(pane, _)| pane == (&*place.server, &*place.pane)))
}

async fn list(socket: &PathBuf) -> Option<String> {
    let args = ["list-panes", "-a", "-F", "#{pid} #{pane_dead} #{pane_id} #{pane_title}"];
    ask(socket, &args.map(str::to_owned)).await
}

/// Server, pane and title of each pane that is not dead.
fn living(list: &str) -> impl Iterator<Item = ((&str, &str), &str)> {
    list.lines().filter_map(|line| {
        let (server, rest) = line.split_once(' ')?;
        let (pane, title) = rest.strip_prefix("0 ")?.split_once(' ')?;
        Some(((server, pane), title))
    })
}

async fn call(socket: &PathBuf, panes: &[&Place]) -> Option<Vec<String>> {
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
async fn ask(socket: &PathBuf, args: &[String]) -> Option<String> {
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
}
