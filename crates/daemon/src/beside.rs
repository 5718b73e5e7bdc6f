//! What a program has started beside a hook, or may start: other hooks of the same moment.

use crate::process::Stat;
use crate::sighting::{HookReport, Unclear};
use headsup_adapters::{answers_itself, has_other_request_hooks, has_other_stop_hooks};
use headsup_core::observation::Fact;
use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::mpsc;
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;

/// Whoever was started so shortly before a hook may be a hook of the same event. Clock ticks.
const SHORTLY: u64 = 5;

/// Whether a program has started something else with its child `hook`, or since, that still runs. Where the kernel
/// does not list children nothing is seen.
pub(crate) fn runs(program: u32, hook: u32) -> bool {
    let Some(since) = Stat::read(hook).map(|stat| stat.start_ticks.saturating_sub(SHORTLY)) else {
        return false;
    };
    children(program).into_iter().filter(|child| *child != hook).any(|child| {
        let stat = Stat::read(child);
        stat.is_some_and(|stat| !stat.has_ended && stat.start_ticks >= since)
    })
}

/// A look at its files takes less, unless they are on a mount that does not answer; the hook waits for it.
const PATIENCE: Duration = Duration::from_millis(20);

/// For what has waited in the spool no hook waits, but whatever is behind it: so long for all that is read in one go.
const LONGER: Duration = Duration::from_millis(100);

/// How long one reading of the spool still waits for mounts that do not answer, or not soon.
#[derive(Debug)]
pub(crate) struct Patience(Duration);

impl Default for Patience {
    fn default() -> Self {
        Self(LONGER)
    }
}

impl Patience {
    /// What comes meanwhile. Looks that take no longer than usual cost none of it.
    fn wait<T>(&mut self, answered: &mpsc::Receiver<T>) -> Option<T> {
        let since = Instant::now();
        let found = answered.recv_timeout(self.0).ok();
        let took = since.elapsed();
        if found.is_none() || took > PATIENCE {
            self.0 = self.0.saturating_sub(took);
        }
        found
    }
}

/// Looks that wait for such a mount. Where so many do there is no further one.
static LOOKS: Semaphore = Semaphore::const_new(4);

/// So long a request settles that another hook of it may answer. Milliseconds.
const ANSWERS_MS: u32 = 1_000;

/// What the agent's files tell of a hook of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Nothing,
    /// Other hooks of the same moment are listed, which may be over already or still to be started.
    Others,
    /// A model of its own answers what it asks.
    Model,
}

/// Asks the agent's files what is unclear of its hook: whether a model of its own answers a request, which then is
/// nothing, or whether others are listed where it reads its configuration. What is not known in time is not so.
pub(crate) async fn look(report: &mut HookReport) {
    let Some(work) = question(report) else { return };
    let found = in_time(&LOOKS, work).await;
    note(report, found.unwrap_or(Found::Nothing));
}

/// The same where nothing can be awaited.
pub(crate) fn look_at_once(report: &mut HookReport, patience: &mut Patience) {
    let Some(work) = question(report) else { return };
    let found = at_once(&LOOKS, patience, work);
    note(report, found.unwrap_or(Found::Nothing));
}

/// How that is found out, if anything is unclear.
fn question(report: &HookReport) -> Option<impl FnOnce() -> Found + Send + use<>> {
    let HookReport { kind, sighting, unclear, .. } = report;
    let (kind, unclear) = (kind.clone(), (*unclear)?);
    let log = sighting.log_path.clone().or_else(|| sighting.helper_log.clone());
    let folder = sighting.cwd.clone();
    Some(move || {
        let (log, folder) = (log.as_deref(), folder.as_deref());
        let is_model = || answers_itself(&kind, |length| end(Path::new(log?), length));
        let are_listed = match unclear {
            Unclear::Request if is_model() => return Found::Model,
            Unclear::Request => has_other_request_hooks(&kind, log, folder, text),
            Unclear::Stop => has_other_stop_hooks(&kind, log, folder, text),
        };
        if are_listed { Found::Others } else { Found::Nothing }
    })
}

fn note(report: &mut HookReport, found: Found) {
    match (found, &mut report.sighting.fact) {
        (Found::Others, Fact::TurnEnded { background, .. }) => background.unsettled = true,
        (Found::Others, Fact::PromptOpened { settle_ms, .. }) => {
            *settle_ms = ANSWERS_MS.max(*settle_ms);
        }
        (Found::Model, fact) => *fact = Fact::Nothing,
        _ => {}
    }
}

/// What `work` finds, elsewhere: nobody but its own report waits for it.
async fn in_time<T: Send + 'static>(
    looks: &'static Semaphore,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let look = looks.try_acquire().ok()?;
    let work = move || {
        let _look = look;
        work()
    };
    tokio::time::timeout(PATIENCE, tokio::task::spawn_blocking(work)).await.ok()?.ok()
}

/// The same for whoever cannot await it, and has no patience without end.
fn at_once<T: Send + 'static>(
    looks: &'static Semaphore,
    patience: &mut Patience,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    if patience.0.is_zero() {
        return None;
    }
    let look = looks.try_acquire().ok()?;
    let (answer, answered) = mpsc::channel();
    let work = move || {
        let found = work();
        drop(look);
        answer.send(found).ok();
    };
    std::thread::Builder::new().name("headsup-look".into()).spawn(work).ok()?;
    patience.wait(&answered)
}

/// No configuration is longer. Bytes.
const LONGEST: u64 = 1 << 20;

/// What a regular file says.
fn text(path: &Path) -> Option<String> {
    let mut text = String::new();
    regular(path).ok()?.take(LONGEST).read_to_string(&mut text).ok()?;
    Some(text)
}

/// So many bytes of the end of what it says; a character that is cut is none.
fn end(path: &Path, length: u64) -> Option<String> {
    let mut file = regular(path).ok()?;
    let whole = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(whole.saturating_sub(length))).ok()?;
    let mut bytes = Vec::new();
    file.take(length).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Nothing is waited for: a project may have put anything in its place.
pub(crate) fn regular(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    Ok(file)
}

/// By whichever of its threads they were started.
fn children(program: u32) -> Vec<u32> {
    let threads = std::fs::read_dir(format!("/proc/{program}/task")).into_iter().flatten();
    let lists = threads
        .flatten()
        .filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    let lists: Vec<String> = lists.collect();
    lists.iter().flat_map(|list| list.split_ascii_whitespace()).flat_map(str::parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::namespaces::Namespaces;
    use crate::sighting::{self, Envelope};
    use std::process::{Child, Command, Stdio};

    /// It lives until its input ends.
    fn start() -> Child {
        Command::new("cat").stdin(Stdio::piped()).spawn().unwrap()
    }

    /// It tells the pids of its two children, which end with its input.
    const TWO: &str = "exec 3<&0; cat <&3 & one=$!; cat <&3 & echo $one $!; wait";

    #[test]
    fn what_else_was_started_in_the_same_moment_is_seen_while_it_runs() {
        use std::io::{BufRead as _, BufReader};
        let mut program = Command::new("sh");
        program.args(["-c", TWO]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut program = program.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(program.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let pids: Vec<u32> = line.split_whitespace().flat_map(str::parse).collect();
        let [one, other] = pids[..] else { panic!("{line:?}") };
        assert!(runs(program.id(), one) && runs(program.id(), other));
        drop(program.stdin.take());
        program.wait().unwrap();
        assert!(!runs(program.id(), one));
    }

    #[tokio::test]
    async fn hooks_are_read_of_files_alone() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("projects/-api/s-1.jsonl").display().to_string();
        let body = serde_json::json!({
            "hook_event_name": "Stop", "session_id": "s-1", "transcript_path": log,
        });
        let body = body.to_string();
        let is_unsettled = async || {
            let envelope = Envelope { kind: "claude-code", ..Envelope::default() };
            let mut stop = sighting::read(envelope, body.as_bytes(), &Namespaces::new()).unwrap();
            stop.unclear = Some(Unclear::Stop);
            look(&mut stop).await;
            let Fact::TurnEnded { background, .. } = stop.sighting.fact else { panic!("{stop:?}") };
            background.unsettled
        };
        assert!(!is_unsettled().await, "there are none");
        let settings = folder.path().join("settings.json");
        let listed = r#"{"hooks": {"Stop": [{"hooks": [{"command": "check.sh"}]}]}}"#;
        std::fs::write(&settings, listed).unwrap();
        assert!(is_unsettled().await);
        std::fs::remove_file(&settings).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, &settings, Mode::RUSR | Mode::WUSR).unwrap();
        assert!(!is_unsettled().await, "nobody waits for whoever writes into it");
    }

    #[tokio::test]
    async fn a_mount_that_does_not_answer_keeps_no_stop_waiting() {
        static ONE: Semaphore = Semaphore::const_new(1);
        let (answer, mount) = std::sync::mpsc::channel::<()>();
        assert_eq!(in_time(&ONE, move || mount.recv()).await, None);
        assert_eq!(in_time(&ONE, || ()).await, None, "the first look still waits");
        drop(answer);
        let _free = ONE.acquire().await.unwrap();
    }

    /// Thousands of requests may have waited in the spool, all with their files on one such mount.
    #[test]
    fn a_mount_that_does_not_answer_holds_up_the_spool_once() {
        static MANY: Semaphore = Semaphore::const_new(9);
        let mut patience = Patience::default();
        let (answer, mount) = mpsc::channel::<()>();
        assert_eq!(at_once(&MANY, &mut patience, move || mount.recv().is_ok()), None);
        assert_eq!(at_once(&MANY, &mut patience, || true), None, "nobody waits any more");
        drop(answer);
        assert_eq!(at_once(&MANY, &mut Patience::default(), || true), Some(true), "the next time");
    }

    #[tokio::test]
    async fn a_request_that_a_model_answers_is_told_by_the_log() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("rollout-1.jsonl");
        let body = serde_json::json!({
            "hook_event_name": "PermissionRequest", "session_id": "s-1", "transcript_path": log,
        });
        let body = body.to_string();
        let is_told = async |kind| {
            let envelope = Envelope { kind, ..Envelope::default() };
            let mut request =
                sighting::read(envelope, body.as_bytes(), &Namespaces::new()).unwrap();
            request.unclear = Some(Unclear::Request);
            look(&mut request).await;
            request.sighting.fact != Fact::Nothing
        };
        assert!(is_told("codex").await, "there is no log");
        for (reviewer, expected) in [("auto_review", false), ("user", true)] {
            let payload = serde_json::json!({"approvals_reviewer": reviewer});
            let line = serde_json::json!({"type": "turn_context", "payload": payload});
            std::fs::write(&log, format!("{line}\n")).unwrap();
            assert_eq!(is_told("codex").await, expected, "{reviewer}");
            assert!(is_told("qwen-code").await);
        }
    }

    /// What another of them grants is asked of nobody; a dialog that is there still a moment later is.
    #[tokio::test]
    async fn a_request_that_another_hook_may_answer_settles() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("sessions/2026/11/21/rollout-1.jsonl");
        let body = serde_json::json!({
            "hook_event_name": "PermissionRequest", "session_id": "s-1", "transcript_path": log,
        });
        let body = body.to_string();
        let settles = async || {
            let envelope = Envelope { kind: "codex", ..Envelope::default() };
            let mut request =
                sighting::read(envelope, body.as_bytes(), &Namespaces::new()).unwrap();
            request.unclear = Some(Unclear::Request);
            look(&mut request).await;
            let Fact::PromptOpened { settle_ms, .. } = request.sighting.fact else {
                panic!("{request:?}")
            };
            settle_ms
        };
        assert_eq!(settles().await, 0, "there are none");
        for (event, expected) in [("Stop", 0), ("PermissionRequest", ANSWERS_MS)] {
            let group = serde_json::json!({"hooks": [{"command": "allow.sh"}]});
            let listed = serde_json::json!({"hooks": {event: [group]}});
            std::fs::write(folder.path().join("hooks.json"), listed.to_string()).unwrap();
            assert_eq!(settles().await, expected, "{event}");
        }
    }

    /// Its own log tells who answers it, and no runtime is there where the spool is read.
    #[test]
    fn a_helpers_request_that_a_model_answers_is_told_by_the_log_of_the_helper() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("rollout-2.jsonl");
        let body = serde_json::json!({
            "hook_event_name": "PermissionRequest", "session_id": "s-1", "agent_id": "a-1",
            "transcript_path": log,
        });
        let body = body.to_string();
        for (reviewer, expected) in [("auto_review", false), ("user", true)] {
            let payload = serde_json::json!({"approvals_reviewer": reviewer});
            let line = serde_json::json!({"type": "turn_context", "payload": payload});
            std::fs::write(&log, format!("{line}\n")).unwrap();
            let envelope = Envelope { kind: "codex", ..Envelope::default() };
            let mut request =
                sighting::read(envelope, body.as_bytes(), &Namespaces::new()).unwrap();
            request.unclear = Some(Unclear::Request);
            look_at_once(&mut request, &mut Patience::default());
            assert_eq!(request.sighting.fact != Fact::Nothing, expected, "{reviewer}");
        }
    }

    #[test]
    fn a_hook_alone_is_alone() {
        let mut child = start();
        assert!(!runs(child.id(), child.id()));
        drop(child.stdin.take());
        child.wait().unwrap();
        assert!(!runs(std::process::id(), child.id()), "it is gone");
    }
}
