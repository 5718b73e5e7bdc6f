//! Finding the hub, and starting it where nobody has.

use crate::client::address::{Address, NoConnection};
use crate::client::resolve::OF_AN_AGENT;
use crate::client::{CONNECTION_LOST, CallError, Client};
use crate::error::{CommandError, Kind};
use crate::place::Place;
use headsup_daemon::Damaged;
use serde::Deserialize;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep, timeout_at};

/// A cold start takes milliseconds; this is for a store that must be recovered first.
const UP_WITHIN: Duration = Duration::from_secs(10);
/// A hub that says that it cannot go on yet may be back in a moment; else whoever asks is told.
const ON_AGAIN_WITHIN: Duration = Duration::from_secs(2);
const BETWEEN_TRIES: Duration = Duration::from_millis(5);
/// Between two looks whether the hub that there seemed to be is gone.
const BETWEEN_STARTS: Duration = Duration::from_millis(50);
/// How much of the log tells why a hub did not start.
const LOG_TAIL: u64 = 2048;
/// How a line of it begins that says what to do.
const HINT: &str = "hint: ";
/// A longer log is put aside, when a hub is started and while it runs.
const LOG_KEPT: u64 = 1 << 20;

/// What a hub says about itself.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Health {
    pub(crate) pid: u32,
    pub(crate) cursor: String,
    /// Nothing in a hub that is older than this field.
    #[serde(default)]
    pub(crate) version: String,
}

/// A hub that answers.
#[derive(Debug)]
pub(crate) struct Hub {
    pub(crate) client: Client,
    pub(crate) health: Health,
    /// It was not there before.
    pub(crate) started: bool,
}

/// Where the hub's log is.
pub(crate) fn log_path(home: &Path) -> PathBuf {
    home.join("hub.log")
}

/// The error of an environment that names no place for the hub's state.
pub(crate) fn no_home() -> CommandError {
    let is_set = std::env::var_os("HOME").is_some_and(|home| !home.is_empty());
    let why = if is_set { "HOME is no whole path" } else { "HOME is not set" };
    CommandError::usage(format!("there is no place for headsup's state: {why}"))
        .hint("set HEADSUP_HOME to a folder of your own")
}

/// A client for the hub of `place`, which need not be there.
pub(crate) fn client(place: &Place) -> Result<Client, CommandError> {
    client_with(place, std::env::var("HEADSUP_TOKEN").ok().filter(|token| !token.is_empty()))
}

/// The same with another token than the environment's.
pub(crate) fn client_with(place: &Place, token: Option<String>) -> Result<Client, CommandError> {
    let url = place.url.as_ref().ok_or_else(no_home)?;
    Ok(Client::new(Address::of(url)?, token))
}

/// A client that is connected to a hub that somebody has started.
pub(crate) async fn connected(place: &Place) -> Result<Client, CommandError> {
    let client = client(place)?;
    client.connect().await.map_err(|error| error.at(client.address()))?;
    Ok(client)
}

/// Would a hub that is missing be ours to start? Not one that `HEADSUP_URL` names elsewhere.
pub(crate) fn is_to_be_started(place: &Place) -> Result<bool, CommandError> {
    Ok(is_ours(place, client(place)?.address()))
}

/// Is it the hub of this home?
pub(crate) fn is_ours(place: &Place, address: &Address) -> bool {
    let socket = place.home.as_ref().map(|home| home.join("headsup.sock"));
    socket.is_some_and(|socket| address.socket() == Some(&socket))
}

/// Makes sure that the hub of `place` runs.
pub(crate) async fn start(place: &Place) -> Result<Hub, CommandError> {
    start_telling(place, |_| {}).await
}

/// The same. What whoever waits should know of the start is told.
pub(crate) async fn start_telling(
    place: &Place,
    mut tell: impl FnMut(&str),
) -> Result<Hub, CommandError> {
    let client = client(place)?;
    match health(&client).await {
        Ok(health) => {
            return Ok(Hub { client, health, started: false });
        }
        Err(CallError::NoConnection(NoConnection::Absent)) => {}
        Err(error) => {
            let error = error.at(client.address());
            if error.code != CONNECTION_LOST {
                return Err(error);
            }
        }
    }
    if !is_ours(place, client.address()) {
        return Err(NoConnection::Absent.at(client.address()));
    }
    let home = place.home.as_deref().ok_or_else(no_home)?;
    if let Some(why) = headsup_daemon::refusal(home) {
        // A log would be left behind in a folder that is somebody else's.
        return Err(CommandError::new(Kind::Refused, why)
            .code("home_refused")
            .hint("HEADSUP_HOME sets where headsup keeps its state"));
    }
    let log = open_log(home)?;
    let said_before = log.metadata().map_or(0, |meta| meta.len());
    let before = headsup_daemon::damaged(home);
    let mut child = spawn(home, log)?;
    let mut deadline = Instant::now() + UP_WITHIN;
    let mut told = None;
    let mut watching = true;
    let (mut failed, mut was_killed) = (false, false);
    let mut again_at = deadline;
    loop {
        let answer = timeout_at(deadline, health(&client)).await;
        if let Ok(Ok(health)) = answer {
            let started = child.id().is_some_and(|pid| pid == health.pid);
            for damaged in headsup_daemon::damaged(home) {
                if !before.iter().any(|known| known.path == damaged.path) {
                    tell(&was_damaged(&damaged));
                }
            }
            return Ok(Hub { client, health, started });
        }
        if failed {
            return Err(did_not_start(home, said_before));
        }
        if Instant::now() >= deadline {
            // It is waited for as long as it lives and says what it is at.
            let Some(at) = headsup_daemon::busy_with(home) else {
                let error = if watching { too_slow } else { silent };
                return Err(headsup_daemon::waits_for(home).map_or_else(|| error(home), waits));
            };
            if told.as_ref() != Some(&at) {
                tell(&format!("the hub is not up yet: {at}"));
            }
            told = Some(at);
            deadline = Instant::now() + UP_WITHIN;
        }
        tokio::select! {
            status = child.wait(), if watching => {
                watching = false;
                // Refused: another command is starting one at this very moment, or one that was
                // killed is not gone yet.
                let code = status.map_or(Some(1), |status| status.code());
                failed = is_failure(code, &mut was_killed);
                again_at = Instant::now() + BETWEEN_STARTS;
            }
            () = sleep(BETWEEN_TRIES) => {}
        }
        if !watching && !failed && Instant::now() >= again_at {
            // Whoever has the folder is starting, about to be gone, or makes its socket again: no other could run.
            if headsup_daemon::is_held(home) {
                if let Some(error) = in_the_way(home) {
                    return Err(error);
                }
                if let Some(what) = headsup_daemon::waits_for(home)
                    && told.is_none()
                {
                    tell(&format!("the hub is not up yet, and waits: {what}"));
                    told = Some(what);
                    deadline = deadline.min(Instant::now() + ON_AGAIN_WITHIN);
                }
                again_at = Instant::now() + BETWEEN_STARTS;
            } else {
                (child, watching) = (spawn(home, open_log(home)?)?, true);
            }
        }
    }
}

/// Whether a hub of ours that has ended with this code before it answered will not do better at the next try. One
/// that somebody has killed may, once.
fn is_failure(code: Option<i32>, was_killed: &mut bool) -> bool {
    match code {
        Some(code) => code != i32::from(Kind::Refused.exit_code()),
        None => std::mem::replace(was_killed, true),
    }
}

/// What the hub says about itself.
pub(crate) async fn health(client: &Client) -> Result<Health, CallError> {
    client.connect().await?;
    let health = client.get_doc("/healthz").await.map_err(CallError::Answer)?;
    Ok(health)
}

fn open_log(home: &Path) -> Result<File, CommandError> {
    let failed = |what: &Path, error: std::io::Error| {
        CommandError::internal(format!("cannot open {}: {error}", what.display()))
            .hint("HEADSUP_HOME sets where headsup keeps its state")
    };
    let made = DirBuilder::new().recursive(true).mode(0o700).create(home);
    made.map_err(|error| failed(home, error))?;
    let path = log_path(home);
    log_at(&path).map_err(|error| failed(&path, error))
}

/// The hub's log, to be written on; one that has grown long is put aside.
pub(crate) fn log_at(path: &Path) -> std::io::Result<File> {
    if std::fs::metadata(path).is_ok_and(|meta| is_long(meta.len())) {
        // One old log is enough to look back; a failure only leaves a longer one.
        std::fs::rename(path, path.with_extension("log.old")).ok();
    }
    OpenOptions::new().create(true).append(true).read(true).mode(0o600).open(path)
}

/// Whether a log of so many bytes is put aside.
pub(crate) fn is_long(bytes: u64) -> bool {
    bytes > LOG_KEPT
}

fn spawn(home: &Path, log: File) -> Result<Child, CommandError> {
    let failed =
        |error: std::io::Error| CommandError::internal(format!("cannot start the hub: {error}"));
    let program = std::env::current_exe().map_err(failed)?;
    let again = log.try_clone().map_err(failed)?;
    let mut command = Command::new(program);
    command
        .args(["up", "--foreground", "--detach"])
        .env("HEADSUP_HOME", home)
        .env_remove("HEADSUP_URL")
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(log)
        .stderr(again);
    // It works elsewhere.
    if let Some(Ok(config)) = std::env::var_os("HEADSUP_CONFIG").map(std::path::absolute) {
        command.env("HEADSUP_CONFIG", config);
    }
    // The hub belongs to no agent, even where an agent's command is the first to need it.
    for name in OF_AN_AGENT {
        command.env_remove(name);
    }
    command.spawn().map_err(failed)
}

fn did_not_start(home: &Path, said_before: u64) -> CommandError {
    let path = log_path(home);
    let (said, hints) = apart(tail(&path, said_before));
    let message = match said.is_empty() {
        false => format!("the hub did not start; it said: {}", said.join(" / ")),
        true => in_silence(home, blocks_left(home)),
    };
    let error = CommandError::internal(message).code("hub_did_not_start");
    hints
        .into_iter()
        .fold(error, CommandError::hint)
        .hint(format!("its log is {}", path.display()))
        .hint("watch it try: `headsup up --foreground`")
}

/// Of a hub that has not said why it ended: its log may be on a disk that takes no word more.
fn in_silence(home: &Path, blocks_left: Option<u64>) -> String {
    match blocks_left {
        Some(0) => format!(
            "the hub did not start: the disk that {} is on is full; make room there, and run the command again",
            home.display()
        ),
        _ => "the hub did not start and said nothing".to_owned(),
    }
}

fn blocks_left(home: &Path) -> Option<u64> {
    rustix::fs::statvfs(home).ok().map(|disk| disk.f_bavail)
}

fn was_damaged(damaged: &Damaged) -> String {
    let at = damaged.path.display();
    if damaged.is_log() {
        return format!(
            "the write-ahead log of a hub that was killed was damaged and is kept as {at}; what stood behind the \
             damage is lost"
        );
    }
    let saved = damaged.saved.as_deref().unwrap_or("nothing of it could be read");
    format!("the database was damaged and is kept aside as {at}; {saved}")
}

/// Why the hub that has this home cannot be reached, where something else has taken its socket's place: it takes
/// nobody's file away.
fn in_the_way(home: &Path) -> Option<CommandError> {
    let socket = home.join("headsup.sock");
    let meta = std::fs::symlink_metadata(&socket).ok()?;
    if meta.file_type().is_socket() {
        return None;
    }
    let at = socket.display();
    let message = format!("the hub runs, and cannot listen: {at} is in the way of its socket");
    Some(
        CommandError::new(Kind::HubUnreachable, message)
            .hint("move that away: the hub makes its socket again by itself"),
    )
}

/// The error of a hub that cannot go on yet, and does so by itself.
pub(crate) fn waits(what: String) -> CommandError {
    CommandError::new(Kind::HubUnreachable, format!("the hub cannot go on yet: {what}"))
        .code("hub_waits")
        .hint("it goes on by itself once that is over; meanwhile hooks keep what agents report")
}

/// The error of a hub of somebody else's start that has this home.
fn silent(home: &Path) -> CommandError {
    let seconds = UP_WITHIN.as_secs();
    let message = format!("a hub has {} and does not answer within {seconds} s", home.display());
    CommandError::new(Kind::HubUnreachable, message)
        .hint(format!("its log is {}", log_path(home).display()))
        .hint("restart it: `headsup down`, then `headsup up`")
}

fn too_slow(home: &Path) -> CommandError {
    let seconds = UP_WITHIN.as_secs();
    CommandError::internal(format!("the hub does not answer within {seconds} s of its start"))
        .code("hub_did_not_start")
        .hint(format!("its log is {}", log_path(home).display()))
}

/// The lines at the end of what was written to `path` after `from`.
fn tail(path: &Path, from: u64) -> Vec<String> {
    let read = || {
        let mut file = File::open(path)?;
        let end = file.metadata()?.len();
        file.seek(SeekFrom::Start(from.max(end.saturating_sub(LOG_TAIL))))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map(|_| bytes)
    };
    let bytes: Vec<u8> = read().unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
}

/// What was said, and what was said to be done about it.
fn apart(lines: Vec<String>) -> (Vec<String>, Vec<String>) {
    let (hints, mut said): (Vec<_>, Vec<_>) =
        lines.into_iter().partition(|line| line.starts_with(HINT));
    said.drain(..said.len().saturating_sub(4));
    (said, hints.iter().map(|hint| hint[HINT.len()..].to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_hub_said_is_told_apart_from_its_hints() {
        let lines = ["error: no", "hint: do this", "hint: or that"].map(str::to_owned);
        let (said, hints) = apart(lines.to_vec());
        assert_eq!(
            (said, hints),
            (vec!["error: no".to_owned()], vec!["do this".to_owned(), "or that".to_owned()])
        );
    }

    #[test]
    fn a_log_that_has_grown_long_is_put_aside_once_it_is_opened() {
        let temp = tempfile::tempdir().unwrap();
        let path = log_path(temp.path());
        for length in [LOG_KEPT, LOG_KEPT + 1] {
            File::create(&path).unwrap().set_len(length).unwrap();
            let begun = log_at(&path).unwrap().metadata().unwrap().len() == 0;
            assert_eq!(begun, is_long(length), "{length}");
            let old = std::fs::metadata(temp.path().join("hub.log.old"));
            assert_eq!(old.ok().map(|old| old.len()), begun.then_some(length));
        }
    }

    #[test]
    fn a_hub_that_could_not_say_that_its_disk_is_full_has_it_said_for_it() {
        let said = |left| in_silence(Path::new("/home/dev/state"), left);
        let full = said(Some(0));
        assert!(full.contains("the disk that /home/dev/state is on is full"), "{full}");
        for left in [None, Some(1)] {
            assert!(said(left).ends_with("said nothing"), "{left:?}");
        }
    }

    #[test]
    fn whoever_is_refused_or_killed_is_started_again() {
        let mut was_killed = false;
        for (code, failed) in
            [(Some(7), false), (Some(1), true), (None, false), (Some(7), false), (None, true)]
        {
            assert_eq!(is_failure(code, &mut was_killed), failed, "{code:?}");
        }
    }
}
