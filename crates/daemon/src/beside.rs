//! What a program has started beside a hook, or may start: other hooks of the same moment.

use crate::process::Stat;
use headsup_adapters::{Sighting, has_other_stop_hooks};
use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

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

/// Whether others are listed where the agent of a stop reads its configuration: they may be over already, or still to be
/// started.
pub(crate) fn are_configured(kind: &str, stop: &Sighting) -> bool {
    has_other_stop_hooks(kind, stop.log_path.as_deref(), stop.cwd.as_deref(), text)
}

/// No configuration is longer. Bytes.
const LONGEST: u64 = 1 << 20;

/// What a regular file says. Nothing is waited for: a project may have put anything in its place.
fn text(path: &Path) -> Option<String> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty()).ok()?);
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    file.take(LONGEST).read_to_string(&mut text).ok()?;
    Some(text)
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

    #[test]
    fn hooks_are_read_of_files_alone() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("projects/-api/s-1.jsonl").display().to_string();
        let body = serde_json::json!({
            "hook_event_name": "Stop", "session_id": "s-1", "transcript_path": log,
        });
        let context = headsup_adapters::HookContext::default();
        let kind = "claude-code";
        let body = body.to_string();
        let stop = headsup_adapters::hook(kind, None, body.as_bytes(), &context).unwrap();
        assert!(!are_configured(kind, &stop), "there are none");
        let settings = folder.path().join("settings.json");
        let listed = r#"{"hooks": {"Stop": [{"hooks": [{"command": "check.sh"}]}]}}"#;
        std::fs::write(&settings, listed).unwrap();
        assert!(are_configured(kind, &stop));
        std::fs::remove_file(&settings).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, &settings, Mode::RUSR | Mode::WUSR).unwrap();
        assert!(!are_configured(kind, &stop), "nobody waits for whoever writes into it");
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
