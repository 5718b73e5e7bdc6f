//! At which ports of this machine a program listens, as the kernel shows it.

use super::listener::listener;
use crate::process;
use headsup_adapters::bus::{self, Served};
use headsup_core::id::ProcessId;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fs;
use std::net::SocketAddr;

/// A program may be started by another one of its name, which waits for it.
const CHILDREN: usize = 16;

/// Where a program may be heard.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) address: SocketAddr,
    pub(super) served: Served,
    /// In which it was started.
    pub(super) folder: Option<String>,
    /// The process that listens, and those above it, as a hook's context has them.
    pub(super) parents: Vec<Value>,
}

/// All places of a process in a seat, or of what it has started.
pub(super) fn of(kind: &str, process: &ProcessId) -> Vec<Place> {
    if !process::is_alive(process) {
        return Vec::new();
    }
    let sockets = listening();
    let mut pids = vec![process.pid];
    pids.extend(children(process.pid).into_iter().take(CHILDREN));
    let mut found = Vec::new();
    for pid in pids {
        let Some(served) = bus::served(kind, &words(pid)) else { continue };
        let own = sockets_of(pid);
        for (inode, address) in &sockets {
            let is_named = served.port.is_none_or(|port| port == address.port());
            if is_named && own.contains(inode) {
                let folder = fs::read_link(format!("/proc/{pid}/cwd")).ok();
                let folder = folder.and_then(|path| path.to_str().map(str::to_owned));
                found.push(Place { address: *address, served, folder, parents: parents(pid) });
            }
        }
    }
    found
}

fn words(pid: u32) -> Vec<String> {
    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let words = line.split(|byte| *byte == 0).skip(1);
    words.map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

fn children(pid: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let lists =
        threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let lists: Vec<String> = lists.collect();
    lists.iter().flat_map(|list| list.split_ascii_whitespace()).flat_map(str::parse).collect()
}

fn parents(pid: u32) -> Vec<Value> {
    let mut chain = process::identity(pid).into_iter().collect::<Vec<_>>();
    chain.extend(process::ancestors(pid));
    let name = |pid: u32| {
        let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        name.trim_end().to_owned()
    };
    chain
        .into_iter()
        .map(|(pid, start)| json!({"pid": pid, "start": start, "comm": name(pid)}))
        .collect()
}

/// The sockets that a process holds, by their inodes.
fn sockets_of(pid: u32) -> HashSet<u64> {
    let entries = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    let targets = entries.filter_map(|entry| fs::read_link(entry.path()).ok());
    let inode = |target: std::path::PathBuf| {
        target.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok()
    };
    targets.filter_map(inode).collect()
}

/// All sockets that listen on this machine's own addresses.
fn listening() -> Vec<(u64, SocketAddr)> {
    let table = |name: &str| fs::read_to_string(name).unwrap_or_default();
    let (four, six) = (table("/proc/net/tcp"), table("/proc/net/tcp6"));
    four.lines().chain(six.lines()).filter_map(listener).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_of_our_own_is_found() {
        let open = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = open.local_addr().unwrap().port();
        let own = sockets_of(std::process::id());
        let found = listening().into_iter().find(|(_, at)| at.port() == port).unwrap();
        assert!(own.contains(&found.0));
    }
}
