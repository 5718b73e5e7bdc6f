//! What launches have left behind goes: arguments that nobody comes back to, and orders and settings of agents that
//! are over. Both may hold secrets.
//!
//! The writer does it: no seat changes meanwhile, and a launcher writes only once its seat is taken.

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

/// Between two looks. Milliseconds.
const LOOK_MS: i64 = 60_000;

/// When it was looked, and what was found. All of it on the clock that never jumps, in milliseconds.
#[derive(Debug)]
pub(crate) struct Sweep {
    looked_at: i64,
    has_looked: bool,
    /// Files that nobody needs, and since when that is known.
    unneeded: HashMap<PathBuf, i64>,
}

/// A file that no seat needs.
struct Leftover {
    path: PathBuf,
    /// Agents without a seat whose it may be: they may be another hub's.
    perhaps_of: Vec<AgentId>,
}

impl Sweep {
    pub(crate) fn new(at_ms: i64) -> Self {
        Self { looked_at: at_ms, has_looked: false, unneeded: HashMap::new() }
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
        let mut living = None;
        for Leftover { path, perhaps_of } in leftovers {
            let since = before.get(&path).copied().unwrap_or(at_ms);
            if at_ms.saturating_sub(since) < YOUNG_MS {
                self.unneeded.insert(path, since);
                continue;
            }
            let lives = |agent: &AgentId| living.get_or_insert_with(claimed).contains(agent);
            if perhaps_of.iter().any(lives) {
                self.unneeded.insert(path, at_ms);
            } else {
                remove(&path);
            }
        }
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
        found.extend(paths.map(|path| Leftover { path, perhaps_of: Vec::new() }));
    }
    for name in names(&launches.handed_over) {
        if let Some(perhaps_of) = unneeded(&name, seats, now) {
            found.push(Leftover { path: launches.handed_over.join(name), perhaps_of });
        }
    }
    found
}

/// Agents without a seat whose this file of a launcher's may be; `None`: it stays.
fn unneeded(name: &str, seats: &HashMap<AgentId, Arc<Seat>>, now: UnixMs) -> Option<Vec<AgentId>> {
    let (stem, ending) = name.rsplit_once('.')?;
    let is_order = match ending {
        "order" => true,
        "json" => false,
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
    let is_nobodys = known.is_empty() && !is_order;
    Some(if is_nobodys { ids } else { Vec::new() })
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

/// Of the files in a folder; none of one that is not there.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    files.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}
