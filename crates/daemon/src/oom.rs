//! Was a process killed for want of memory? Its control group counts such kills.

use headsup_core::id::ProcessId;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Where control groups are.
const ROOT: &str = "/sys/fs/cgroup";
/// The line of the file that holds the number of kills: version 2 and version 1 agree on it.
const KILLS: &str = "oom_kill ";

/// The control groups of living processes, each with what it had counted when it was last looked at.
#[derive(Debug, Default)]
pub(crate) struct Ooms {
    known: Mutex<HashMap<ProcessId, Counter>>,
}

/// The count of one control group.
#[derive(Debug)]
struct Counter {
    file: PathBuf,
    kills: u64,
    /// What it was a look earlier: who is struck may take a while to end, and whoever waits for it, too.
    before: u64,
}

impl Ooms {
    /// Looks at the group of a living process; called again and again, so that what befalls others
    /// in the same group is not taken for its end, and a process that is moved is followed.
    pub(crate) fn look(&self, process: &ProcessId) {
        let Some(pid) = process.pid_here() else { return };
        let groups = std::fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap_or_default();
        self.note(process, Counter::of(Path::new(ROOT), &groups));
    }

    fn note(&self, process: &ProcessId, counter: Option<Counter>) {
        // One that has just ended has no group.
        let Some(mut counter) = counter else { return };
        let mut known = self.lock();
        if let Some(last) = known.get(process).filter(|last| last.file == counter.file) {
            counter.before = last.kills;
        }
        known.insert(process.clone(), counter);
    }

    /// Has its group counted a kill since the look before the last one?
    pub(crate) fn has_struck(&self, process: &ProcessId) -> bool {
        let known = self.lock();
        let counter = known.get(process);
        counter.is_some_and(|counter| kills(&counter.file).is_some_and(|now| now > counter.before))
    }

    pub(crate) fn forget(&self, process: &ProcessId) {
        self.lock().remove(process);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ProcessId, Counter>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counter {
    /// `groups`: what `/proc/PID/cgroup` says, `ID:CONTROLLERS:PATH` a line.
    fn of(root: &Path, groups: &str) -> Option<Self> {
        let mut found = groups.lines().filter_map(|line| {
            let (_, line) = line.split_once(':')?;
            let (controllers, path) = line.split_once(':')?;
            let file = match controllers {
                "" => within(root, path, "memory.events"),
                _ if controllers.split(',').any(|name| name == "memory") => {
                    within(&root.join("memory"), path, "memory.oom_control")
                }
                _ => None,
            }?;
            let kills = kills(&file)?;
            Some(Self { file, kills, before: kills })
        });
        found.next()
    }
}

/// The group's file. In a container the path may begin further up than what is mounted here.
fn within(root: &Path, path: &str, name: &str) -> Option<PathBuf> {
    let parts: Vec<&str> =
        path.split('/').filter(|part| !part.is_empty() && *part != "..").collect();
    let files = (0..=parts.len()).map(|skipped| {
        let group: PathBuf = parts[skipped..].iter().collect();
        root.join(group).join(name)
    });
    files.into_iter().find(|file| file.is_file())
}

fn kills(file: &Path) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    text.lines().find_map(|line| line.strip_prefix(KILLS))?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn counted(root: &Path, file: &str, groups: &str) -> Ooms {
        let file = root.join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "oom 3\noom_kill 4\noom_group_kill 0\n").unwrap();
        let ooms = Ooms::default();
        let counter = Counter::of(root, groups).unwrap();
        assert_eq!((&counter.file, counter.kills), (&file, 4));
        ooms.note(&process(), Some(counter));
        ooms
    }

    fn process() -> ProcessId {
        ProcessId::new(7, 70)
    }

    #[test]
    fn a_kill_in_the_processs_group_is_told_by_both_versions() {
        let cases = [
            ("user.slice/agent/memory.events", "0::/user.slice/agent\n"),
            ("memory/agents/a/memory.oom_control", "3:cpu,cpuacct:/x\n4:memory:/agents/a\n0::/\n"),
            // What is mounted is the container's own part of it.
            ("memory.events", "0::/docker/0a1b\n"),
        ];
        for (file, groups) in cases {
            let temp = tempfile::tempdir().unwrap();
            let ooms = counted(temp.path(), file, groups);
            assert!(!ooms.has_struck(&process()));
            fs::write(temp.path().join(file), "oom 3\noom_kill 5\n").unwrap();
            assert!(ooms.has_struck(&process()), "{file}");
            // It was looked at while what it had started was being killed.
            ooms.note(&process(), Counter::of(temp.path(), groups));
            assert!(ooms.has_struck(&process()), "{file}");
            // It lives on: another one was struck.
            ooms.note(&process(), Counter::of(temp.path(), groups));
            assert!(!ooms.has_struck(&process()));
            fs::write(temp.path().join(file), "oom 3\noom_kill 6\n").unwrap();
            ooms.forget(&process());
            assert!(!ooms.has_struck(&process()));
        }
    }

    #[test]
    fn without_a_count_nothing_is_told() {
        let temp = tempfile::tempdir().unwrap();
        for groups in ["", "0::/a\n", "no lines", "4:memory:/a\n"] {
            assert!(Counter::of(temp.path(), groups).is_none(), "{groups}");
        }
        fs::write(temp.path().join("memory.events"), "low 0\n").unwrap();
        assert!(Counter::of(temp.path(), "0::/\n").is_none());
    }
}
