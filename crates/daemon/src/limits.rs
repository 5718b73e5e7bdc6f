//! How much of everything.

use crate::Retention;
use crate::effects::Pauses;
use crate::outgoing::ANSWERED_WITHIN;
use rustix::fs::inotify::{self, CreateFlags};
use std::os::fd::OwnedFd;
use std::time::Duration;

/// Asks the system for an inotify instance. A user has few of them.
pub(crate) type Open = fn() -> rustix::io::Result<OwnedFd>;

/// What is kept and handled at once; tests make them small.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Events kept in the log.
    pub(crate) events: u64,
    /// How long an event is kept. Milliseconds.
    pub(crate) event_age_ms: i64,
    /// Events that a watcher may fall behind before it is told that it lags.
    pub(crate) bus: usize,
    /// How often an idle hub looks into the spool by itself, and does small chores.
    pub(crate) idle_look: Duration,
    pub(crate) inotify: Open,
    /// How soon what was not done elsewhere is tried again, and how often.
    pub(crate) effects: Pauses,
    /// Web hooks without a right signature that are kept one by one in an hour.
    pub(crate) unsigned: u32,
    /// How long a route that asks other systems may take for its answer.
    pub(crate) answer: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self::of(Retention::default())
    }
}

impl Limits {
    pub(crate) fn of(retention: Retention) -> Self {
        let event_age_ms = i64::from(retention.days) * 24 * 3_600_000;
        let inotify = || inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC);
        let events = retention.events;
        let effects = Pauses { first: Duration::from_secs(1), tries: 300 };
        let (idle_look, unsigned, answer) = (IDLE_LOOK, 10_000, ANSWERED_WITHIN);
        Self { events, event_age_ms, bus: 4_096, idle_look, inotify, effects, unsigned, answer }
    }
}

/// Jobs that wait for the writer; more reporters than that wait for their turn.
pub(crate) const INBOX: usize = 1_024;
/// Jobs in one commit.
pub(crate) const BATCH_JOBS: usize = 512;
/// Events in one commit, about: fewer than the bus holds, so that a watcher who reads is not
/// overrun by one burst.
pub(crate) const BATCH_EVENTS: usize = 512;
/// Questions to people that are open at once.
pub(crate) const PROMPTS: usize = 1_000;
/// How long after its deadline a question times out: answers that came before it are on their way.
/// Milliseconds.
pub(crate) const DEADLINE_GRACE_MS: i64 = 50;
/// Ids of reports that changed nothing, which only memory remembers.
pub(crate) const RECENT_IDS: usize = 4_096;
/// Files of a hub that nobody talks to: its database, runtimes, watches, log and socket, with some room.
const OWN_FILES: u64 = 32;
/// With fewer files it would start, and serve nobody.
pub const LEAST_FILES: u64 = OWN_FILES + 8;
/// Event streams at once, where the system allows so many files.
const SUBSCRIBERS: u64 = 4_096;
/// Address space of a hub to whom only reporters speak, with some room. Bytes, measured: up to 59 MiB with 300 agents.
const OWN_SPACE: u64 = 64 << 20;
/// With less of it the hub would start, and end at one of the first requests, for which it gets no thread.
pub const LEAST_SPACE: u64 = OWN_SPACE;
/// What an event stream takes of it at worst, measured: 0.7 MiB.
const SPACE_OF_A_STREAM: u64 = 1 << 20;
/// Connections of one TCP address at once, where the system allows so many files.
const TCP_CONNECTIONS: u64 = 256;

/// Processes that are waited for at once, where the system allows so many files.
const PROCESSES: usize = 4_096;

/// A hook's payload, with room for what wraps it.
pub(crate) const HOOK_BODY: usize = (1 << 20) + (64 << 10);
/// Any other request body.
pub(crate) const BODY: usize = 256 << 10;

/// A request's head must be there after this time, and its body after that.
pub(crate) const HEAD_TIME: Duration = Duration::from_secs(5);
pub(crate) const BODY_TIME: Duration = Duration::from_secs(10);
/// The same of the head where files are short.
pub(crate) const HEAD_TIME_WHERE_SHORT: Duration = Duration::from_millis(250);
/// How long running requests may go on once the hub stops. All of that takes 2 s at most.
pub(crate) const DRAIN_TIME: Duration = Duration::from_millis(1_700);
/// Silence on an event stream before it is proved alive.
pub(crate) const KEEP_ALIVE: Duration = Duration::from_secs(15);
const IDLE_LOOK: Duration = Duration::from_secs(1);

/// How many files this process may open, where that is too few for a hub.
pub fn too_few_files() -> Option<u64> {
    let files = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    files.filter(|files| *files < LEAST_FILES)
}

/// How much address space this process may have, where that is too little for a hub.
pub fn too_little_space() -> Option<u64> {
    short_of_space(rustix::process::getrlimit(rustix::process::Resource::As).current)
}

/// Whether this process may not take all the address space there is.
pub fn is_space_limited() -> bool {
    rustix::process::getrlimit(rustix::process::Resource::As).current.is_some()
}

fn short_of_space(space: Option<u64>) -> Option<u64> {
    space.filter(|space| *space < LEAST_SPACE)
}

/// How many event streams may be open: where files or memory are short, reporters must still get in.
pub(crate) fn subscribers() -> u64 {
    let space = rustix::process::getrlimit(rustix::process::Resource::As).current;
    part_of_files(2).min(space.map_or(u64::MAX, streams_within)).min(SUBSCRIBERS)
}

/// How many event streams fit into so much address space. A process that gets no more of it ends on the spot.
fn streams_within(space: u64) -> u64 {
    (space.saturating_sub(OWN_SPACE) / SPACE_OF_A_STREAM).max(1)
}

/// How many TCP connections one address may have: reporters come by the unix socket.
pub(crate) fn tcp_connections() -> usize {
    usize::try_from(part_of_files(8).min(TCP_CONNECTIONS)).unwrap_or(1)
}

/// From this file on they are short: whoever connects and says nothing keeps others out.
pub(crate) fn short_from() -> u64 {
    let files = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    files.map_or(u64::MAX, second_half)
}

/// How many processes may take a file each, to be waited for.
pub(crate) fn processes() -> usize {
    usize::try_from(part_of_files(4)).unwrap_or(PROCESSES).min(PROCESSES)
}

fn part_of_files(part: u64) -> u64 {
    let files = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    files.map_or(u64::MAX, |files| share(files, part))
}

/// One in `part` of the files that are left for others.
fn share(files: u64, part: u64) -> u64 {
    (files.saturating_sub(OWN_FILES) / part).max(1)
}

/// Where the second half of the files that are left for others begins.
fn second_half(files: u64) -> u64 {
    files.saturating_sub(share(files, 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_stays_leaves_files_for_reporters() {
        for files in [LEAST_FILES, 48, 64, 256, 1_024, 1 << 20] {
            // Streams, connections by TCP, processes.
            let stay = share(files, 2) + share(files, 8) + share(files, 4);
            assert!(OWN_FILES + stay < files, "{files}: {stay}");
        }
        assert_eq!(share(16, 2), 1);
        assert_eq!([LEAST_FILES, 64, 256].map(second_half), [36, 48, 144]);
    }

    #[test]
    fn where_memory_is_limited_few_streams_are_open() {
        let mib = [0, 64, 72, 128, 1_024, 8_192].map(|mib| streams_within(mib << 20));
        assert_eq!(mib, [1, 1, 8, 64, 960, 8_128]);
    }

    #[test]
    fn with_less_memory_than_a_hub_takes_none_begins() {
        let spaces = [None, Some(60 << 20), Some(64 << 20)];
        assert_eq!(spaces.map(short_of_space), [None, Some(60 << 20), None]);
    }
}
