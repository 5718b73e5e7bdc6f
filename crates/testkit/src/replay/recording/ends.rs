//! When recorded processes end: where somebody ended them, else after their goodbye.

use super::rows::Stop;
use super::{Captured, How, ProcessKey, Row, What};
use std::collections::{BTreeMap, HashMap};

/// What was written before the end may be recorded after it.
const STRAGGLERS_MS: u64 = 2_000;
/// A truth that stands so near to an action speaks of it.
const NEAR_MS: u64 = 600;

/// A process was seen to end, with this code.
#[derive(Clone, Debug)]
pub(super) struct Exit {
    pub(super) t_ms: u64,
    pub(super) code: i32,
    /// What its run was called.
    pub(super) label: Option<String>,
}

#[derive(Debug, Default)]
struct Heard {
    first: u64,
    last: u64,
    goodbye: bool,
}

pub(super) fn find(
    rows: &[Row],
    mut stops: Vec<Stop>,
    sessions: &HashMap<String, Vec<ProcessKey>>,
) -> Vec<Row> {
    let mut living = heard(rows);
    let mut ends = Vec::new();
    let mut end = |process, t_ms, how| {
        ends.push(Row { t_ms, what: What::End { process, how } });
    };
    stops.sort_by_key(|stop| stop.t_ms);
    let mut done: Option<u64> = None;
    for stop in &stops {
        // An action and its truth tell one end, not two.
        let is_told = done.is_some_and(|at| stop.t_ms - at <= NEAR_MS);
        if is_told && stop.pid.is_none() && stop.session.is_none() {
            continue;
        }
        for process in ended_by(stop, &stops, &living, sessions) {
            let Some(heard) = living.remove(&process) else { continue };
            done = Some(stop.t_ms);
            match heard.goodbye && !stop.at_once {
                true => end(process, heard.last.max(stop.t_ms) + 1, How::ByItself),
                false => end(
                    process,
                    stop.t_ms,
                    How::Killed { signal: near(stop, &stops).find_map(|stop| stop.signal) },
                ),
            }
        }
    }
    for (process, heard) in living.iter().filter(|(_, heard)| heard.goodbye) {
        end(*process, heard.last + 1, How::ByItself);
    }
    ends
}

/// What tells the same end, itself first.
fn near<'a>(stop: &'a Stop, stops: &'a [Stop]) -> impl Iterator<Item = &'a Stop> {
    let near = |other: &&Stop| other.t_ms.abs_diff(stop.t_ms) <= NEAR_MS;
    std::iter::once(stop).chain(stops.iter().filter(near))
}

fn heard(rows: &[Row]) -> BTreeMap<ProcessKey, Heard> {
    let mut found: BTreeMap<ProcessKey, Heard> = BTreeMap::new();
    for row in rows {
        let (process, goodbye) = match &row.what {
            What::Hook { process, event, payload, .. } => (
                process,
                match event.as_str() {
                    // The process goes on where another conversation follows.
                    "SessionEnd" | "sessionEnd" => Some(
                        !["clear", "resume"]
                            .iter()
                            .any(|reason| payload.contains(&format!("\"reason\":\"{reason}\""))),
                    ),
                    "dispose" => Some(true),
                    "SessionStart" | "sessionStart" | "plugin.init" => Some(false),
                    _ => None,
                },
            ),
            What::Registry { process, record } => (process, Some(record.is_none())),
            What::Bus { process, .. } => (process, None),
            What::Plugin { process, row } => (process, Some(row["call"] == "dispose")),
            What::Captured(Captured::Launch { process, .. }) => (process, None),
            _ => continue,
        };
        let first = Heard { first: row.t_ms, ..Heard::default() };
        let known = found.entry(*process).or_insert(first);
        known.last = row.t_ms;
        known.goodbye = goodbye.unwrap_or(known.goodbye);
    }
    found
}

/// Whom an action has ended: somebody who is not heard of again.
fn ended_by(
    stop: &Stop,
    stops: &[Stop],
    living: &BTreeMap<ProcessKey, Heard>,
    sessions: &HashMap<String, Vec<ProcessKey>>,
) -> Vec<ProcessKey> {
    let silent = living
        .iter()
        .filter(|(_, heard)| heard.first <= stop.t_ms && heard.last <= stop.t_ms + STRAGGLERS_MS);
    let silent: Vec<(&ProcessKey, &Heard)> = silent.collect();
    let of = |wanted: &[ProcessKey]| {
        let found = silent.iter().map(|(process, _)| **process);
        found.filter(|process| wanted.contains(process)).collect()
    };
    if let Some(pid) = stop.pid.filter(|pid| living.contains_key(pid)) {
        return of(&[pid]);
    }
    let session = near(stop, stops).find_map(|stop| stop.session.as_ref());
    if let Some(processes) = session.and_then(|session| sessions.get(session)) {
        return of(processes);
    }
    if stop.all {
        return silent.iter().map(|(process, _)| **process).collect();
    }
    let last = silent.iter().max_by_key(|(_, heard)| heard.last);
    last.map(|(process, _)| **process).into_iter().collect()
}
