//! Other pid namespaces, as containers have them: which of the processes that we see is the one
//! that speaks from there.

use crate::cgroup;
use crate::home;
use crate::process::{self, Stat};
use headsup_adapters::{Ancestor, HookContext};
use headsup_core::gate::Container;
use headsup_core::id::ProcessId;
use std::collections::HashMap;
use std::fs;
use std::num::NonZeroU32;
use std::os::unix::fs::MetadataExt as _;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// More are not remembered at a time.
const MOST: usize = 4_096;

/// So long a caller that was seen in our own namespace is taken for the same one: the kernel gives a number anew only once it has
/// gone through all others.
const SEEN_FOR: Duration = Duration::from_secs(1);

/// So far up a hook and what is above it are looked at.
const MOST_ABOVE: usize = 9;

/// Whoever is at the other end of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Peer {
    /// A process of this machine that we do not see, or whoever has spooled something.
    #[default]
    Unseen,
    /// A process, by our own pid.
    Process(u32),
    /// It may be on another machine.
    Remote,
}

#[derive(Debug)]
pub(crate) struct Namespaces {
    own: Option<u64>,
    known: Mutex<HashMap<ProcessId, Found>>,
    /// Who called last and says nothing of a namespace, and was in ours. To look there takes longer than to read what it says.
    neighbour: Mutex<Option<(u32, Instant)>>,
}

/// What is found of a process in another namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Found {
    host_pid: Option<NonZeroU32>,
    container: Option<String>,
}

impl Namespaces {
    pub(crate) fn new() -> Self {
        Self { own: home::pid_namespace(), known: Mutex::default(), neighbour: Mutex::default() }
    }

    /// A namespace that is not ours.
    pub(crate) fn foreign(&self, inode: Option<u64>) -> Option<u64> {
        inode.filter(|inode| Some(*inode) != self.own)
    }

    /// The namespace of a caller, if that is not ours.
    fn foreign_of(&self, pid: u32) -> Option<u64> {
        let mut neighbour = self.neighbour.lock().unwrap_or_else(PoisonError::into_inner);
        if neighbour.is_some_and(|(known, at)| known == pid && at.elapsed() < SEEN_FOR) {
            return None;
        }
        let namespace = namespace(pid);
        *neighbour = namespace.filter(|_| namespace == self.own).map(|_| (pid, Instant::now()));
        self.foreign(namespace)
    }

    /// A hook reads in `/proc` who is above it. Where that is not of its own namespace, as in one that was made without
    /// mounting another, or is not there at all, it has read of others, or of nobody: then we look ourselves.
    pub(crate) fn put_right(&self, context: &mut HookContext, peer: Peer) {
        if context.pidns.is_some() && context.pidns == self.own {
            return;
        }
        let Peer::Process(pid) = peer else { return };
        let Some(inode) = self.foreign_of(pid) else { return };
        // Else it is a relay that connects for somebody in another one.
        if context.pidns.is_some_and(|said| said != inode) {
            return;
        }
        let inside = process::upwards(pid).take_while(|(at, _)| namespace(*at) == Some(inode));
        let seen = inside.filter_map(|(at, start)| within(at, start));
        let seen: Vec<Ancestor> = seen.take(MOST_ABOVE).collect();
        let is_it =
            |said: &Ancestor| seen.iter().any(|it| (it.pid, it.start) == (said.pid, said.start));
        if seen.len() < 2 || context.parents.iter().any(is_it) {
            return;
        }
        context.pidns = Some(inode);
        context.parents = seen.into_iter().skip(1).collect();
        // The command line was another one's, too.
        (context.attach, context.prompted, context.asked) = (None, false, false);
    }

    /// Brings what a process says of itself to how we know processes: one in our own namespace has
    /// none, one in another has the pid under which we see it. Returns the container it is in.
    pub(crate) fn settle(&self, process: &mut ProcessId, peer: Peer) -> Container {
        let Some(inode) = process.pid_namespace else { return Container::Outside };
        if Some(inode) == self.own {
            // The first namespace has the same inode on every machine.
            let own = ProcessId::new(process.pid, process.start_ticks);
            if peer == Peer::Remote && !process::is_alive(&own) {
                return Container::Unsaid;
            }
            *process = own;
            return Container::Outside;
        }
        let Found { host_pid, container } = self.find(process, peer);
        process.host_pid = host_pid;
        match container {
            Some(id) => Container::Inside(id),
            None if host_pid.is_some() => Container::Outside,
            None => Container::Unsaid,
        }
    }

    /// The container of whoever speaks, where it does not say which process it is.
    pub(crate) fn container_of(peer: Peer) -> Container {
        let Peer::Process(pid) = peer else { return Container::Unsaid };
        container(pid).map_or(Container::Unsaid, Container::Inside)
    }

    /// A process is looked for once: it is there when it speaks for the first time, or never seen.
    fn find(&self, process: &ProcessId, peer: Peer) -> Found {
        if let Some(found) = self.known().get(process) {
            return found.clone();
        }
        let host_pid = search(process, peer);
        let found = Found {
            host_pid: host_pid.and_then(NonZeroU32::new),
            container: host_pid.and_then(container),
        };
        let mut known = self.known();
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(process.clone(), found.clone());
        found
    }

    fn known(&self) -> MutexGuard<'_, HashMap<ProcessId, Found>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn container(pid: u32) -> Option<String> {
    cgroup::container(&fs::read_to_string(format!("/proc/{pid}/cgroup")).ok()?)
}

/// Where we may look.
fn namespace(pid: u32) -> Option<u64> {
    fs::metadata(format!("/proc/{pid}/ns/pid")).ok().map(|namespace| namespace.ino())
}

/// One of our processes as it is seen in its own namespace.
fn within(pid: u32, start: u64) -> Option<Ancestor> {
    let name = fs::read_to_string(format!("/proc/{pid}/comm")).ok()?;
    Some(Ancestor { pid: inner_pid(pid)?, start, comm: name.trim_end().to_owned() })
}

/// Above the peer first, then among all.
fn search(process: &ProcessId, peer: Peer) -> Option<u32> {
    let is_it = |pid: &u32| is_seen_as(process, *pid);
    if let Peer::Process(pid) = peer {
        let above = process::ancestors(pid).into_iter().map(|(pid, _)| pid);
        if let Some(found) = std::iter::once(pid).chain(above).find(is_it) {
            return Some(found);
        }
    }
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut pids = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.find(is_it)
}

/// The start is the same in every namespace; the pid in its own is the last that the kernel lists.
fn is_seen_as(process: &ProcessId, pid: u32) -> bool {
    let begun = Stat::read(pid).is_some_and(|stat| stat.start_ticks == process.start_ticks);
    begun && inner_pid(pid) == Some(process.pid) && {
        // Where we may not look, pid and start must do.
        namespace(pid).is_none_or(|inode| Some(inode) == process.pid_namespace)
    }
}

/// The pid of one of our processes in its own namespace, if that is another one.
fn inner_pid(pid: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let pids = status.lines().find_map(|line| line.strip_prefix("NSpid:"))?;
    let pids = pids.split_ascii_whitespace().skip(1);
    pids.last()?.parse().ok()
}

/// Was it put into its namespace from outside, as `docker exec` does? Then the namespace's first
/// process is not above it, and how that one ends says nothing of it. Of one that is gone nobody can tell.
pub(crate) fn has_joined(process: &ProcessId) -> bool {
    let Some(pid) = process.pid_here().filter(|_| process.pid_namespace.is_some()) else {
        return false;
    };
    let own = std::iter::once(pid).chain(process::ancestors(pid).into_iter().map(|(pid, _)| pid));
    // Beyond the namespace there is nobody who is first in it.
    let is_below = own.map_while(inner_pid).any(|pid| pid == 1);
    // It may have gone meanwhile.
    !is_below && process::is_alive(process)
}

#[cfg(test)]
mod tests;
