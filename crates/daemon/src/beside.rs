//! What a program has started beside a hook, or may start: other hooks of the same moment.

use crate::process::Stat;
use crate::sighting::{HookReport, Unclear};
use headsup_adapters::{answers_itself, has_other_stop_hooks};
use headsup_core::observation::Fact;
use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::time::Duration;
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

/// Looks that wait for such a mount. Where so many do there is no further one.
static LOOKS: Semaphore = Semaphore::const_new(4);

/// Asks the agent's files what is unclear of its hook: whether other hooks of a stop are listed where it reads its
/// configuration, which may be over already or still to be started; or whether a model of its own answers a request,
/// which then is nothing. What is not known in time is not so.
pub(crate) async fn look(report: &mut HookReport) {
    let HookReport { kind, sighting, unclear: Some(unclear), .. } = report else { return };
    let (kind, unclear) = (kind.clone(), *unclear);
    let (log, folder) = (sighting.log_path.clone(), sighting.cwd.clone());
    let work = move || {
        let log = log.as_deref();
        match unclear {
            Unclear::Stop => has_other_stop_hooks(&kind, log, folder.as_deref(), text),
            Unclear::Request => answers_itself(&kind, || end(Path::new(log?))),
        }
    };
    let is_so = in_time(&LOOKS, work).await.unwrap_or_default();
    match (unclear, &mut sighting.fact) {
        (Unclear::Stop, Fact::TurnEnded { background, .. }) => background.unsettled = is_so,
        (Unclear::Request, fact) if is_so => *fact = Fact::Nothing,
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

/// No configuration is longer. Bytes.
const LONGEST: u64 = 1 << 20;

/// What a regular file says.
fn text(path: &Path) -> Option<String> {
    let mut text = String::new();
    regular(path)?.take(LONGEST).read_to_string(&mut text).ok()?;
    Some(text)
}

/// The end of what it says; a character that is cut is none.
fn end(path: &Path) -> Option<String> {
    let mut file = regular(path)?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(LONGEST))).ok()?;
    let mut bytes = Vec::new();
    file.take(LONGEST).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Nothing is waited for: a project may have put anything in its place.
fn regular(path: &Path) -> Option<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty()).ok()?);
    file.metadata().ok()?.is_file().then_some(file)
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

    #[test]
    fn a_hook_alone_is_alone() {
        let mut child = start();
        assert!(!runs(child.id(), child.id()));
        drop(child.stdin.take());
        child.wait().unwrap();
        assert!(!runs(std::process::id(), child.id()), "it is gone");
    }
}
