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
                "" => {
                    let name = "memory.events";
                    file_of(root, &parts(path), name)
                        .or_else(|| above(root, path, name))
                        .or_else(|| within(root, path, name))
                }
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

fn parts(path: &str) -> Vec<&str> {
    path.split('/').filter(|part| !part.is_empty() && *part != "..").collect()
}

/// The file of exactly this group, where it has one.
fn file_of(root: &Path, group: &[&str], name: &str) -> Option<PathBuf> {
    let group: PathBuf = group.iter().collect();
    let file = root.join(group).join(name);
    file.is_file().then_some(file)
}

/// The group's file. In a container the path may begin further up than what is mounted here.
fn within(root: &Path, path: &str, name: &str) -> Option<PathBuf> {
    let parts = parts(path);
    (0..=parts.len()).find_map(|skipped| file_of(root, &parts[skipped..], name))
}

/// The file of the nearest group above, but for the root: the memory controller of version 2 may end there, and what is
/// below has no count of its own. This one counts the kills in all that is below it, so that whoever gets KILL from
/// somebody else just as a sibling is struck seems to be struck as well.
fn above(root: &Path, path: &str, name: &str) -> Option<PathBuf> {
    // It begins outside of what is mounted here.
    if path.split('/').any(|part| part == "..") {
        return None;
    }
    let parts = parts(path);
    (1..parts.len()).rev().find_map(|length| file_of(root, &parts[..length], name))
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
            // The memory controller ends above it.
            ("agents/memory.events", "0::/agents/a\n"),
            ("agents/memory.events", "0::/agents/a/b/c\n"),
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
    fn a_group_above_counts_only_where_no_nearer_one_does() {
        let temp = tempfile::tempdir().unwrap();
        let put = |file: &str| {
            let file = temp.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, "oom_kill 1\n").unwrap();
            file
        };
        let found = |groups: &str| Counter::of(temp.path(), groups).map(|counter| counter.file);
        let far = put("agents/memory.events");
        assert_eq!(found("0::/agents/a/b\n"), Some(far.clone()));
        let near = put("agents/a/memory.events");
        assert_eq!(found("0::/agents/a/b\n"), Some(near.clone()));
        assert_eq!(found("0::/agents/b\n"), Some(far.clone()));
        let own = put("agents/a/b/memory.events");
        assert_eq!(found("0::/agents/a/b\n"), Some(own.clone()));
        // Another group of that name, and a process outside of what is mounted here.
        assert_eq!(found("0::/agents-2/a\n"), None);
        assert_eq!(found("0::/../agents/c\n"), None);
        // Version 1 has a count for each group.
        put("memory/agents/memory.oom_control");
        assert_eq!(found("4:memory:/agents/a\n"), None);
        // What is mounted here may count as a whole: the container's own group of version 2.
        let all = put("memory.events");
        assert_eq!(found("0::/agents/b\n"), Some(far));
        assert_eq!(found("0::/agents/a/c\n"), Some(near));
        assert_eq!(found("0::/agents/a/b\n"), Some(own));
        for elsewhere in ["0::/agents-2/a\n", "0::/../agents/c\n", "0::/docker/0a1b\n", "0::/\n"] {
            assert_eq!(found(elsewhere), Some(all.clone()), "{elsewhere}");
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
