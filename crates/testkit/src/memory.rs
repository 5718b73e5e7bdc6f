//! A control group with too little memory, where the machine lets us make one.

#![expect(clippy::expect_used, reason = "a test that cannot go on says why")]

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Memory control groups of version 1; only an administrator can make one.
const ROOT: &str = "/sys/fs/cgroup/memory";

/// Bytes that are no room for any program.
const LEAST: u64 = 1 << 20;

/// How many this process has made: it may play several cases at once.
static MADE: AtomicU64 = AtomicU64::new(0);

/// It is removed when it goes out of scope, once it is empty.
#[derive(Debug)]
pub struct MemoryGroup {
    folder: PathBuf,
}

impl MemoryGroup {
    /// `None` where the machine does not let us.
    pub fn new() -> Option<Self> {
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("headsup-{}-{number}", std::process::id());
        let folder = PathBuf::from(ROOT).join(name);
        fs::create_dir(&folder).ok()?;
        folder.join("memory.oom_control").is_file().then_some(Self { folder })
    }

    /// # Panics
    /// If it cannot be taken in.
    pub fn take_in(&self, pid: u32) {
        self.set("cgroup.procs", u64::from(pid));
    }

    /// Its processes get no more than so many bytes.
    ///
    /// # Panics
    /// If the system does not take the limit.
    pub fn limit(&self, bytes: u64) {
        self.set("memory.limit_in_bytes", bytes);
    }

    /// The file that takes in whatever process writes `0` into it.
    pub fn door(&self) -> PathBuf {
        self.folder.join("cgroup.procs")
    }

    /// How many of its processes the system has killed.
    pub fn killed(&self) -> Option<u64> {
        let counted = fs::read_to_string(self.folder.join("memory.oom_control")).ok()?;
        let killed = counted.lines().find_map(|line| line.strip_prefix("oom_kill "));
        killed?.trim().parse().ok()
    }

    fn set(&self, name: &str, value: u64) {
        self.try_to_set(name, value).expect("a control group");
    }

    fn try_to_set(&self, name: &str, value: u64) -> io::Result<()> {
        fs::write(self.folder.join(name), value.to_string())
    }

    /// Leaves its processes hardly any room and waits until the system kills one; says when.
    ///
    /// # Panics
    /// If the system does not take the limit, or kills none.
    pub fn starve(&self) -> Instant {
        // What they held before they came is counted elsewhere: they soon want more than this.
        let held = fs::read_to_string(self.folder.join("memory.usage_in_bytes"));
        let mut room: u64 = held.ok().and_then(|held| held.trim().parse().ok()).unwrap_or_default();
        self.set("memory.limit_in_bytes", room.max(LEAST));
        // What the system can take away from them is no room either.
        while room > LEAST && self.try_to_set("memory.limit_in_bytes", room / 8 * 7).is_ok() {
            room = room / 8 * 7;
        }
        crate::wait::until("the system to kill it", || {
            self.killed().filter(|killed| *killed > 0).map(|_| Instant::now())
        })
    }
}

impl Drop for MemoryGroup {
    fn drop(&mut self) {
        // What still dies in it is waited for by the system.
        fs::remove_dir(&self.folder).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_plays_at_once_have_groups_of_their_own() {
        let Some(one) = MemoryGroup::new() else { return };
        let other = MemoryGroup::new().unwrap();
        assert_ne!(one.folder, other.folder);
        let folder = one.folder.clone();
        drop(one);
        assert!(!folder.exists() && other.folder.exists());
    }
}
