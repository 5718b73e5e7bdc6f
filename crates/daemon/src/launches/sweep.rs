//! What launches have left behind goes: arguments that nobody comes back to, and orders and settings of agents that
//! are over. Both may hold secrets.
//!
//! The writer does it: no seat changes meanwhile, and a launcher writes only once its seat is taken. Who has
//! processes takes a while to find out: a thread of its own does that, and it counts at the next look.

use super::{Launches, YOUNG_MS, file_of, is_there, is_wanted, remove};
use crate::board::Board;
use crate::process;
use headsup_core::id::AgentId;
use headsup_core::seat::Seat;
use headsup_core::status::Process;
use headsup_core::time::UnixMs;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::SystemTime;

/// Between two looks. Milliseconds.
const LOOK_MS: i64 = 60_000;
/// The ending of a folder that a launch brings.
const PLUGIN: &str = "plugin";

/// When it was looked, and what was found. All of it on the clock that never jumps, in milliseconds.
#[derive(Debug)]
pub(crate) struct Sweep {
    looked_at: i64,
    has_looked: bool,
    /// Files that nobody needs, and since when that is known.
    unneeded: HashMap<Found, i64>,
    asked: Option<Asked>,
}

/// A file as it was found: one that is written again is another one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Found {
    path: PathBuf,
    written: Option<SystemTime>,
}

/// A file that no seat needs.
struct Leftover {
    found: Found,
    /// Agents whose it may be all the same: they may be another hub's, also under the id of a seat.
    perhaps_of: Vec<AgentId>,
}

/// Who has processes, and when that was asked.
#[derive(Debug)]
struct Asked {
    at_ms: i64,
    living: JoinHandle<HashSet<AgentId>>,
}

impl Sweep {
    pub(crate) fn new(at_ms: i64) -> Self {
        Self { looked_at: at_ms, has_looked: false, unneeded: HashMap::new(), asked: None }
    }

    /// Whether it is time for a look. The first one comes as soon as there is time for it.
    pub(crate) fn is_due(&self, is_idle: bool, at_ms: i64) -> bool {
        let is_first = is_idle && !self.has_looked;
        is_first || at_ms.saturating_sub(self.looked_at) >= LOOK_MS
    }

    /// Removes what nobody has needed for a while.
    pub(crate) fn look(&mut self, launches: &Launches, board: &Board, now: UnixMs, at_ms: i64) {
        (self.looked_at, self.has_looked) = (at_ms, true);
        let leftovers = leftovers(launches, &board.read().seats, now);
        let before = std::mem::take(&mut self.unneeded);
        let told = self.asked.take_if(|asked| asked.living.is_finished());
        let told = told.and_then(|Asked { at_ms, living }| Some((at_ms, living.join().ok()?)));
        let mut asks = false;
        for Leftover { found, perhaps_of } in leftovers {
            let since = before.get(&found).copied().unwrap_or(at_ms);
            let is_old = |at_ms: i64| at_ms.saturating_sub(since) >= YOUNG_MS;
            // Whoever it was written for has had a process by then.
            let living = told.as_ref().filter(|(asked_at, _)| is_old(*asked_at));
            let lives = living.map(|(_, living)| perhaps_of.iter().any(|id| living.contains(id)));
            let since = match lives {
                _ if !is_old(at_ms) => since,
                Some(true) => at_ms,
                None if !perhaps_of.is_empty() => {
                    asks = true;
                    since
                }
                _ => {
                    remove(&found.path);
                    continue;
                }
            };
            self.unneeded.insert(found, since);
        }
        if asks && self.asked.is_none() {
            // Where no thread can be had, it is asked at the next look.
            let living = Builder::new().name("headsup-sweep".to_owned()).spawn(claimed).ok();
            self.asked = living.map(|living| Asked { at_ms, living });
        }
    }

    /// Comes back once it has been found out who has processes.
    #[cfg(test)]
    pub(super) fn settle(&self) {
        let is_known = || self.asked.as_ref().is_none_or(|asked| asked.living.is_finished());
        headsup_testkit::wait::until("who has processes", || is_known().then_some(()));
    }
}

fn leftovers(
    launches: &Launches,
    seats: &HashMap<AgentId, Arc<Seat>>,
    now: UnixMs,
) -> Vec<Leftover> {
    let mut found = Vec::new();
    let kept = names(&launches.folder);
    if !kept.is_empty() {
        let wanted = seats.values().filter(|seat| is_wanted(seat, now));
        let wanted: HashSet<&str> = wanted.filter_map(|seat| file_of(seat)).collect();
        let unwanted = kept.iter().filter(|name| !wanted.contains(name.as_str()));
        let paths = unwanted.filter_map(|name| launches.place(name));
        found.extend(paths.map(|path| Leftover { found: as_it_is(path), perhaps_of: Vec::new() }));
    }
    for name in names(&launches.handed_over) {
        if let Some(perhaps_of) = unneeded(&name, seats, now) {
            found.push(Leftover { found: as_it_is(launches.handed_over.join(name)), perhaps_of });
        }
    }
    found
}

fn as_it_is(path: PathBuf) -> Found {
    let written = fs::symlink_metadata(&path).and_then(|file| file.modified()).ok();
    Found { path, written }
}

/// Agents whose this file of a launcher's may be, though no seat needs it; `None`: it stays.
fn unneeded(name: &str, seats: &HashMap<AgentId, Arc<Seat>>, now: UnixMs) -> Option<Vec<AgentId>> {
    let (stem, ending) = name.rsplit_once('.')?;
    let is_order = match ending {
        "order" => true,
        // Settings, plugin files and plugin folders.
        "json" | "js" | "ts" | PLUGIN => false,
        _ => return None,
    };
    // An id may end like the name of a file.
    let ids = [Some(stem), stem.strip_suffix(".mcp")].into_iter().flatten();
    let ids: Vec<AgentId> = ids.filter_map(|id| AgentId::new(id).ok()).collect();
    let known: Vec<&Arc<Seat>> = ids.iter().filter_map(|id| seats.get(id)).collect();
    let needs = |seat: &&Arc<Seat>| match is_order {
        true => awaits_its_order(seat, now),
        false => is_there(seat, now),
    };
    if known.iter().any(needs) {
        return None;
    }
    // Whoever lives has taken its order.
    Some(if is_order { Vec::new() } else { ids })
}

/// Whether its order may still be taken by the process that becomes the agent.
fn awaits_its_order(seat: &Seat, now: UnixMs) -> bool {
    let starts = matches!(seat.process.state, Process::Starting { .. });
    starts && seat.process.id.is_none() && now.since(seat.process.since) < YOUNG_MS
}

/// The agents for which processes were started that are there now.
fn claimed() -> HashSet<AgentId> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter_map(process::claimed_seat).collect()
}

/// Of the files in a folder, and of what launches bring as folders; none of one that is not there.
fn names(folder: &Path) -> Vec<String> {
    let is_brought = |path: &Path| path.extension().is_some_and(|ending| ending == PLUGIN);
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.filter(|entry| {
        let kind = entry.file_type();
        kind.is_ok_and(|kind| kind.is_file() || kind.is_dir() && is_brought(&entry.path()))
    });
    files.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}
