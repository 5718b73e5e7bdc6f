//! The only door of the hub to tmux: it reads what panes show, and gives a pane that has none a pipe.

mod lines;
mod told;

use self::lines::shortened;
use self::told::{ended, living, shown};
use crate::process::{self, Stat};
use headsup_core::id::ProcessId;
use std::collections::{HashMap, HashSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;

/// A server that does not answer is not waited for.
const PATIENCE: Duration = Duration::from_secs(1);
/// What a terminal can show at most, of all panes of a server together.
const MOST_BYTES: usize = 1 << 20;
/// Of a title, in columns: tmux keeps one of a megabyte, and no other pane would find room beside it.
const LONGEST_TITLE: usize = 1_000;
/// What is read of a line of a list, in bytes: signs without width are no columns, and a title may be all of such.
const LONGEST_LINE: usize = 8 << 10;

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

/// What servers have answered of their panes: a text, or that there is no such pane. Of a pane whose server has not
/// answered there is nothing.
#[derive(Debug, Default)]
pub(super) struct Answers(HashMap<Place, Option<Said>>);

/// Of whom that is which is said of a pane where a process was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    /// Of the process, as far as can be seen.
    Its,
    /// Of another job, which is in front of it.
    InFront,
    /// Another terminal controls the process, or none.
    Anothers,
}

/// What is said of a pane.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    /// Its title, or what it shows.
    pub(super) text: String,
    /// Its terminal, by the number that the kernel has for it ([`process::terminal`]).
    terminal: Option<i64>,
}

impl Said {
    /// `terminal`: what the pane's terminal is called.
    fn new(text: &str, terminal: &str) -> Self {
        let terminal = process::number_of_terminal(Path::new(terminal));
        Self { text: text.to_owned(), terminal }
    }

    /// Is it of this process? What its environment says may be of what that was started from: a terminal around its
    /// own, or beside it.
    pub(super) fn whose(&self, process: &ProcessId) -> Whose {
        whose(self.terminal, process::living(process).as_ref())
    }
}

impl Answers {
    /// What was answered of this one. `missed` counts how often it was not there, one after another.
    pub(super) fn of(&self, place: Option<&Place>, missed: &mut u8) -> Option<&Said> {
        let Some(place) = place else {
            *missed += 1;
            return None;
        };
        let answer = self.0.get(place)?;
        *missed = if answer.is_some() { 0 } else { *missed + 1 };
        answer.as_ref()
    }
}

/// Why nothing is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Silence {
    /// It may answer yet.
    Now,
    /// There is no tmux that could ask.
    ForGood,
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

    /// Where a process runs, as its environment says; of one that we do not see nobody knows it.
    pub(super) fn of(process: &ProcessId) -> Option<Self> {
        let [server, pane] = process::variables(process.pid_here()?, [b"TMUX=", b"TMUX_PANE="]);
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

/// What each of these shows now; one of another server at that socket is gone.
pub(super) async fn capture(places: &[Place]) -> Answers {
    let mut found = HashMap::new();
    let servers: HashSet<&PathBuf> = places.iter().map(|place| &place.socket).collect();
    for socket in servers {
        let panes: Vec<&Place> = places.iter().filter(|place| place.socket == *socket).collect();
        found.extend(capture_of(socket, &panes).await);
    }
    Answers(found)
}

/// One call for all panes of a server. Where one is gone tmux stops there: the others are asked for
/// again without it.
async fn capture_of(socket: &Path, panes: &[&Place]) -> Vec<(Place, Option<Said>)> {
    let mut found = Vec::new();
    let mut rest = panes;
    while !rest.is_empty() {
        let shown = match call(socket, rest).await {
            Ok(shown) => shown,
            Err(Silence::Now) => return found,
            Err(Silence::ForGood) => {
                found.extend(rest.iter().map(|place| ((*place).clone(), None)));
                return found;
            }
        };
        let told = shown.len();
        for (place, (server, said)) in rest.iter().zip(shown) {
            found.push(((*place).clone(), (server == place.server).then_some(said)));
        }
        found.extend(rest.get(told).map(|gone| ((*gone).clone(), None)));
        rest = rest.get(told + 1..).unwrap_or_default();
    }
    found
}

/// `terminal`: the pane's, where that is known.
fn whose(terminal: Option<i64>, process: Option<&Stat>) -> Whose {
    match terminal.zip(process) {
        Some((terminal, process)) if !process.is_at(terminal) => Whose::Anothers,
        Some((_, process)) if process.is_in_background() => Whose::InFront,
        _ => Whose::Its,
    }
}

/// The title of each of these; a pane whose program is gone is gone as well. One call for all panes of a server.
pub(super) async fn titles(places: &[Place]) -> Answers {
    let mut found = HashMap::new();
    let servers: HashSet<&PathBuf> = places.iter().map(|place| &place.socket).collect();
    for socket in servers {
        let format = titled("#{pane_tty} ");
        let text = match list_as(socket, &format).await {
            Ok(text) => text,
            Err(Silence::Now) => continue,
            Err(Silence::ForGood) => String::new(),
        };
        let told: HashMap<(&str, &str), &str> = living(&text).collect();
        let own = places.iter().filter(|place| place.socket == *socket);
        let title = |place: &Place| {
            let title = told.get(&(&*place.server, &*place.pane));
            let said = title.and_then(|title| title.split_once(' '));
            (place.clone(), said.map(|(terminal, title)| Said::new(title, terminal)))
        };
        found.extend(own.map(title));
    }
    Answers(found)
}

/// The panes of this one's server, as tmux calls them (`%5`), with their titles. `None`: it does not answer.
pub(super) async fn titles_beside(place: &Place) -> Option<Vec<(String, String)>> {
    let text = list(&place.socket).await.ok()?;
    let own = living(&text).filter(|((server, _), _)| *server == place.server);
    Some(own.map(|((_, pane), title)| (pane.to_owned(), title.to_owned())).collect())
}

/// Whether a pane is there, with its program in it. `None`: its server does not answer.
pub(super) async fn is_there(place: &Place) -> Option<bool> {
    let text = list(&place.socket).await.ok()?;
    Some(living(&text).any(|(pane, _)| pane == (&*place.server, &*place.pane)))
}

/// How the program of a pane has ended; `pid`: by which it was known. A dead pane stays where it is told to
/// (`remain-on-exit`), and is told of its program's signal a moment after its end.
pub(super) async fn end_of(place: &Place, pid: u32) -> End {
    let format = "#{pid} #{pane_id} #{pane_pid} #{pane_dead_status} #{pane_dead_signal}";
    let Ok(text) = list_as(&place.socket, format).await else { return End::Untold };
    end_in(&text, place, pid)
}

fn end_in(list: &str, place: &Place, pid: u32) -> End {
    match ended(list, [&place.server, &place.pane, &pid.to_string()]) {
        None => End::Untold,
        Some([None, None]) => End::ToCome,
        Some([code, signal]) => End::Told { code, signal },
    }
}

async fn list(socket: &Path) -> Result<String, Silence> {
    list_as(socket, &titled("")).await
}

/// What is asked of a pane with its title; `more`: what stands before that.
fn titled(more: &str) -> String {
    format!("#{{pid}} #{{pane_dead}} #{{pane_id}} {more}#{{={LONGEST_TITLE}:pane_title}}")
}

async fn list_as(socket: &Path, format: &str) -> Result<String, Silence> {
    let said = answer(socket, &["list-panes", "-a", "-F", format].map(str::to_owned)).await?;
    Ok(text(&shortened(&said, LONGEST_LINE)))
}

/// All panes of a server. `None`: it does not answer.
pub(super) async fn panes(socket: &Path) -> Option<Vec<Pane>> {
    let format = "#{pid} #{pane_dead} #{pane_id} #{pane_pipe} #{pane_tty}";
    let text = list_as(socket, format).await.ok()?;
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
    ask(socket, &args).await.is_ok_and(|said| said.trim_end() == "1")
}

/// Which server has answered for each of these, up to one that is gone, and what the pane shows.
async fn call(socket: &Path, panes: &[&Place]) -> Result<Vec<(String, Said)>, Silence> {
    // Nothing that a screen shows is this.
    let mut random = [0_u8; 16];
    getrandom::fill(&mut random).map_err(|_| Silence::Now)?;
    let mark = format!("headsup{:032x}", u128::from_ne_bytes(random));
    let mut args = Vec::new();
    for place in panes {
        args.extend(["capture-pane", "-p", "-t", &place.pane, ";"].map(str::to_owned));
        let word = format!("{mark} #{{pid}} #{{pane_tty}}");
        args.extend(["display-message", "-p", "-t", &place.pane, &word, ";"].map(str::to_owned));
    }
    ask(socket, &args).await.map(|text| said_in(&text, &mark))
}

fn said_in(text: &str, mark: &str) -> Vec<(String, Said)> {
    let said =
        |(server, terminal, text): (&str, _, _)| (server.to_owned(), Said::new(text, terminal));
    shown(text, mark).into_iter().map(said).collect()
}

async fn ask(socket: &Path, args: &[String]) -> Result<String, Silence> {
    Ok(text(&answer(socket, args).await?))
}

fn text(said: &[u8]) -> String {
    String::from_utf8_lossy(&said[..said.len().min(MOST_BYTES)]).into_owned()
}

/// What a server answers.
async fn answer(socket: &Path, args: &[String]) -> Result<Vec<u8>, Silence> {
    let mut command = Command::new("tmux");
    command.env_clear().env("LANG", "C.UTF-8");
    command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    command.arg("-u").arg("-S").arg(socket).args(args);
    command.stdin(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    let output = tokio::time::timeout(PATIENCE, command.output()).await;
    let output = output.map_err(|_| Silence::Now)?.map_err(|error| match error.kind() {
        ErrorKind::NotFound => Silence::ForGood,
        _ => Silence::Now,
    })?;
    Ok(output.stdout)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read as _, Write as _};

    #[test]
    fn a_pane_counts_while_its_program_lives_and_as_one_of_its_server() {
        let list = "41 0 %0 \u{2726} Working\n41 1 %1 left\n41 0 %2 \nno server\n";
        let panes: Vec<_> = living(list).collect();
        assert_eq!(panes, [(("41", "%0"), "\u{2726} Working"), (("41", "%2"), "")]);
    }

    #[test]
    fn a_process_of_another_namespace_is_looked_for_where_we_see_it() {
        let mut command = std::process::Command::new("cat");
        command.env("TMUX", "/s,41,0").env("TMUX_PANE", "%5");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        // Its environment is there once it runs.
        child.stdin.as_mut().unwrap().write_all(b".").unwrap();
        child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        let inside = ProcessId { pid_namespace: Some(1), ..ProcessId::new(child.id(), 1) };
        let host_pid = std::num::NonZeroU32::new(child.id());
        let seen = ProcessId { pid: 7, host_pid, ..inside.clone() };
        let places = [Place::of(&inside), Place::of(&seen)];
        child.kill().unwrap();
        child.wait().unwrap();
        let place = Place { socket: "/s".into(), server: "41".into(), pane: "%5".into() };
        assert_eq!(places, [None, Some(place)]);
    }

    #[test]
    fn a_pane_is_missed_only_where_its_server_says_so() {
        let place = |pane: &str| Place {
            socket: "/s".into(),
            server: "41".to_owned(),
            pane: pane.to_owned(),
        };
        let ready = Said::new("Ready", "/nowhere");
        let there = (place("%0"), Some(ready.clone()));
        let answers = Answers([there, (place("%1"), None)].into_iter().collect());
        let mut missed = 2;
        let mut of = |pane: Option<Place>| (answers.of(pane.as_ref(), &mut missed), missed);
        assert_eq!(of(Some(place("%2"))), (None, 2), "its server has not answered");
        assert_eq!(of(Some(place("%1"))), (None, 3));
        assert_eq!(of(None), (None, 4), "it has no pane");
        assert_eq!(of(Some(place("%0"))), (Some(&ready), 0));
    }

    #[test]
    fn what_a_pane_shows_is_of_the_process_that_is_in_front_there() {
        let stat = |fields: &str| {
            let rest = "0 0 0 0 0 1 1 0 0 20 0 1 0 777 0";
            Stat::parse(format!("50 (agent) S 49 {fields} {rest}").as_bytes()).unwrap()
        };
        let at = |fields: &str| whose(Some(34_816), Some(&stat(fields)));
        assert_eq!(at("50 40 34816 50"), Whose::Its);
        assert_eq!(at("50 40 34816 60"), Whose::InFront);
        assert_eq!(at("50 40 34817 50"), Whose::Anothers, "a terminal within it");
        assert_eq!(at("50 40 0 -1"), Whose::Anothers, "it has none");
        assert_eq!(whose(None, Some(&stat("50 40 34816 60"))), Whose::Its, "nobody knows");
        assert_eq!(whose(Some(34_816), None), Whose::Its);
    }

    /// The time that it is given passes at once.
    #[tokio::test(start_paused = true)]
    async fn of_a_server_that_does_not_answer_nothing_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("tmux");
        let _server = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        if std::process::Command::new("tmux").arg("-V").output().is_err() {
            eprintln!("SKIPPED: there is no tmux");
            return;
        }
        let place = Place { socket, server: "41".to_owned(), pane: "%0".to_owned() };
        let places = [place.clone()];
        let mut missed = 0;
        for answers in [titles(&places).await, capture(&places).await] {
            assert_eq!(answers.of(Some(&place), &mut missed), None);
        }
        assert_eq!(missed, 0);
    }

    #[test]
    fn what_a_pane_shows_is_told_with_the_server_that_has_it() {
        let shown = said_in("one\n\nM 41 /dev/null\nM 41\nthree\nM 4", "M");
        let told = |text: &str, terminal: &str| ("41".to_owned(), Said::new(text, terminal));
        let two = [told("one\n\n", "/dev/null"), told("", "/nowhere")];
        assert_eq!(shown, two, "the last one is cut");
        assert!(shown[0].1.terminal.is_some() && shown[1].1.terminal.is_none());
        assert!(said_in("no server\n", "M").is_empty());
    }

    #[tokio::test]
    async fn a_long_title_takes_no_room_of_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("tmux");
        let tmux = |args: &[&str]| {
            let mut command = std::process::Command::new("tmux");
            command.arg("-S").arg(&socket).args(["-f", "/dev/null"]).args(args).output().ok()
        };
        let begin = ["new-session", "-d", "-P", "-F", "#{pid} #{pane_id}", "cat"];
        let said = tmux(&begin).map(|done| String::from_utf8(done.stdout).unwrap());
        let said = said.unwrap_or_default();
        let Some((server, pane)) = said.trim_end().split_once(' ') else {
            eprintln!("SKIPPED: there is no tmux");
            return;
        };
        let (server, pane) = (server.to_owned(), pane.to_owned());
        let place = Place { socket: socket.clone(), server, pane };
        let long = format!("\u{2726} {}", "x".repeat(5_000));
        tmux(&["-u", "select-pane", "-t", &place.pane, "-T", &long]);
        let shown = titles(std::slice::from_ref(&place)).await;
        let beside = titles_beside(&place).await;
        tmux(&["-u", "select-pane", "-t", &place.pane, "-T", &"\u{300}".repeat(6_000)]);
        let without_width = titles_beside(&place).await;
        tmux(&["kill-server"]);
        assert!((1..LONGEST_LINE).contains(&without_width.unwrap()[0].1.len()));
        let mut missed = 0;
        let text = &shown.of(Some(&place), &mut missed).unwrap().text;
        assert_eq!(text.chars().count(), LONGEST_TITLE);
        assert!(long.starts_with(text.as_str()));
        assert_eq!(beside, Some(vec![(place.pane.clone(), text.clone())]));
    }

    /// A stand-in is no tmux: this one is asked itself, where there is one.
    #[tokio::test]
    async fn the_next_server_at_a_socket_shows_nothing_of_the_panes_of_the_one_before() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("tmux");
        let tmux = |args: &[&str]| {
            let mut command = std::process::Command::new("tmux");
            command.arg("-S").arg(&socket).args(["-f", "/dev/null"]).args(args).output().ok()
        };
        let begin = ["new-session", "-d", "-P", "-F", "#{pid} #{pane_id}", "echo SHOWN; cat"];
        let said = tmux(&begin).map(|done| String::from_utf8(done.stdout).unwrap());
        let said = said.unwrap_or_default();
        let Some((server, pane)) = said.trim_end().split_once(' ') else {
            eprintln!("SKIPPED: there is no tmux");
            return;
        };
        let own =
            Place { socket: socket.clone(), server: server.to_owned(), pane: pane.to_owned() };
        let before = Place { server: "1".to_owned(), ..own.clone() };
        let shown = capture(&[own.clone(), before.clone()]).await;
        tmux(&["kill-server"]);
        let mut missed = 0;
        assert!(shown.of(Some(&own), &mut missed).is_some());
        assert_eq!(shown.of(Some(&before), &mut missed), None, "the server before had the pane");
        assert_eq!(missed, 1);
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
