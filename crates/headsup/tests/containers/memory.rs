//! A real want of memory in a control group of its own, as a container has one.

use crate::rig::{
    Agent, ID, SHORT, engine_socket, home, hub, may_contain, until_headline, witness,
};
use headsup_testkit::wait;
use std::fs;
use std::path::PathBuf;

/// A control group that is named as Docker names a container's.
struct Group(PathBuf);

impl Group {
    /// `None` where we may not make one, or where memory is not limited by them.
    fn new(limit: u64) -> Option<Self> {
        let v1 = PathBuf::from("/sys/fs/cgroup/memory");
        let (root, limits) = match v1.is_dir() {
            true => (v1, ["memory.limit_in_bytes", "memory.memsw.limit_in_bytes"]),
            false => (PathBuf::from("/sys/fs/cgroup"), ["memory.max", "memory.swap.max"]),
        };
        let outer = root.join(format!("headsup-test-{}", std::process::id()));
        let group = Self(outer.join("docker").join(ID));
        let made = fs::create_dir_all(&group.0).and_then(|()| {
            if root.ends_with("cgroup") {
                fs::write(outer.join("cgroup.subtree_control"), "+memory")?;
                fs::write(outer.join("docker/cgroup.subtree_control"), "+memory")?;
            }
            fs::write(group.0.join(limits[0]), limit.to_string())
        });
        if let Err(error) = made {
            eprintln!("SKIPPED: this machine allows no control groups of our own: {error}");
            return None;
        }
        // Without swap there is nothing to limit.
        let swap = if limits[1].ends_with("swap.max") { 0 } else { limit };
        fs::write(group.0.join(limits[1]), swap.to_string()).ok();
        Some(group)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let folders = self.0.ancestors().take(3);
        for folder in folders {
            // Whoever was in it may not be gone yet.
            wait::until("an empty group", || match fs::remove_dir(folder) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => None,
                _ => Some(()),
            });
        }
    }
}

#[test]
fn an_agent_in_a_container_that_ran_out_of_memory_was_killed_for_that() {
    if !may_contain() {
        return;
    }
    let Some(group) = Group::new(48 << 20) else { return };
    let home = home();
    let hub = hub(&home, &engine_socket(&home));
    // Its host's name says nothing: the group names the container.
    let mut agent = Agent::start(&home, "s1", "api");
    fs::write(group.0.join("cgroup.procs"), agent.pid.to_string()).unwrap();
    agent.works();
    let seat = until_headline(&home, "s1", "working");
    assert_eq!(seat["location"]["container"], SHORT, "{seat}");
    // A child that dies of it is not the agent.
    agent.order("eat");
    let fed = agent.answer();
    assert!(fed.starts_with("fed ") && fed != "fed 0", "{fed}");
    until_headline(&home, "s1", "working");
    agent.starves();
    let seat = until_headline(&home, "s1", "crashed");
    assert_eq!(seat["process"]["kind"], "oom_killed", "{seat}");
    assert_eq!(witness(&home, &seat), "process");
    drop(hub);
    drop(agent);
}
