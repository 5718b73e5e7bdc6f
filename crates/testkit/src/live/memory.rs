//! A control group with too little memory, where the machine lets us make one.

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

/// Memory control groups of version 1; only an administrator can make one.
const ROOT: &str = "/sys/fs/cgroup/memory";

/// It is removed when it goes out of scope, once it is empty.
#[derive(Debug)]
pub(super) struct MemoryGroup {
    folder: PathBuf,
}

impl MemoryGroup {
    pub(super) fn new() -> Option<Self> {
        let folder = PathBuf::from(ROOT).join(format!("headsup-{}", std::process::id()));
        fs::create_dir(&folder).ok()?;
        folder.join("memory.oom_control").is_file().then_some(Self { folder })
    }

    pub(super) fn take_in(&self, pid: u32) {
        self.set("cgroup.procs", u64::from(pid));
    }

    fn set(&self, name: &str, value: u64) {
        fs::write(self.folder.join(name), value.to_string()).expect("a control group");
    }

    /// Leaves its processes hardly any room and waits until the system kills one; says when.
    pub(super) fn starve(&self) -> Instant {
        // What they held before they came is counted elsewhere: they soon want more than this.
        let held = fs::read_to_string(self.folder.join("memory.usage_in_bytes"));
        let held: u64 = held.ok().and_then(|held| held.trim().parse().ok()).unwrap_or_default();
        self.set("memory.limit_in_bytes", held.max(1 << 20));
        crate::wait::until("the system to kill it", || {
            let counted = fs::read_to_string(self.folder.join("memory.oom_control")).ok()?;
            counted.lines().any(|line| line == "oom_kill 1").then(Instant::now)
        })
    }
}

impl Drop for MemoryGroup {
    fn drop(&mut self) {
        // What still dies in it is waited for by the system.
        fs::remove_dir(&self.folder).ok();
    }
}
