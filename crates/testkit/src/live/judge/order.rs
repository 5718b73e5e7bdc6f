//! What was told of one seat, in its order: which marks it answers, and what no sequence may have.

use crate::live::truth::{Class, Mark};
use crate::live::watcher::Told;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// Told where nobody knows what is so.
const UNKNOWN: &str = "unknown";
const ONE_BY_ONE: &str = "turns are not told one after the other";

/// As which headline each mark was told, if each was told in its turn: what may pass unseen was where it does not
/// come next, and of what no witness tells nothing was, or that nobody knows.
pub(super) fn told_as<'a>(marks: &[&'a Mark], got: &[&'a str]) -> Vec<Option<&'a str>> {
    let (mut left, mut before) = (got.iter().copied().peekable(), None);
    let told = |mark: &&'a Mark| {
        let headline = mark.headline;
        let is_its =
            |next: &str| next == headline || (mark.class == Class::Silent && next == UNKNOWN);
        if before == Some(headline) {
            return before;
        }
        let must = !matches!(mark.class, Class::Passing | Class::Silent);
        let told = left.next_if(|next| is_its(next)).or(must.then_some(headline));
        before = told.or(before);
        told
    };
    marks.iter().map(told).collect()
}

/// Is what was told last until then right of a state that no witness tells? It is that state, or known to be old, or
/// nothing is known.
pub(super) fn is_silent(mark: &Mark, told: Option<&str>, mine: &[&Told], end: Instant) -> bool {
    told == Some(mark.headline) || told == Some(UNKNOWN) || is_stale(mine, end)
}

fn is_stale(mine: &[&Told], end: Instant) -> bool {
    let until = mine.iter().filter(|told| told.at < end).rev();
    let mut marks = until.filter_map(|told| match told.event["type"].as_str()? {
        "agent.status_changed" => Some(false),
        "agent.updated" | "agent.registered" => Some(told.event["agent"]["stale"] == true),
        _ => None,
    });
    marks.next() == Some(true)
}

/// A headline that was told.
pub(super) struct Change {
    pub(super) at: Instant,
    pub(super) headline: String,
    /// The witness.
    pub(super) by: Option<String>,
}

/// The headlines, each with the moment from which on it was told.
pub(super) fn changes(mine: &[&Told]) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    for told in mine {
        let headline = match told.event["type"].as_str() {
            Some("agent.status_changed") => &told.event["to"],
            Some("agent.registered") => &told.event["agent"]["headline"],
            _ => continue,
        };
        let Some(headline) = headline.as_str() else { continue };
        // A seat that is made for what comes next says nothing yet.
        if changes.is_empty() && matches!(headline, "absent" | "unknown") {
            continue;
        }
        if changes.last().is_none_or(|last| last.headline != headline) {
            let by = told.event["evidence"]["source"].as_str().map(str::to_owned);
            changes.push(Change { at: told.at, headline: headline.to_owned(), by });
        }
    }
    changes
}

/// What no sequence of events may have, whatever happened. `beside`: turns go on side by side.
pub(super) fn faults(mine: &[&Told], beside: bool) -> Vec<String> {
    let mut faults = Vec::new();
    let mut last = None;
    let mut turns = BTreeSet::new();
    let mut prompts: BTreeMap<String, i64> = BTreeMap::new();
    for Told { event, .. } in mine {
        match event["type"].as_str().unwrap_or_default() {
            "agent.status_changed" => {
                let said = (
                    event["to"].clone(),
                    event["process"].clone(),
                    [&event["turn"]["state"], &event["turn"]["reason"]].map(Value::clone),
                    [&event["outcome"]["kind"], &event["outcome"]["code"]].map(Value::clone),
                );
                if last.as_ref() == Some(&said) {
                    faults.push(format!("{} was told twice", said.0));
                }
                last = Some(said);
            }
            // It was found in mid-turn.
            "agent.registered" if event["agent"]["turn"]["state"] == "working" => {
                turns.insert(event["agent"]["turn"]["turn_seq"].as_u64());
            }
            "turn.started" => {
                let is_new = turns.insert(event["turn_seq"].as_u64());
                let is_alone = turns.len() == 1 || beside;
                if !is_new || !is_alone {
                    faults.push(ONE_BY_ONE.to_owned());
                }
            }
            "turn.completed" if !turns.remove(&event["turn_seq"].as_u64()) => {
                faults.push(ONE_BY_ONE.to_owned());
            }
            "prompt.opened" => {
                *prompts.entry(event["prompt"]["id"].to_string()).or_default() += 1;
            }
            "prompt.resolved" => {
                *prompts.entry(event["prompt"]["id"].to_string()).or_default() -= 1;
            }
            _ => {}
        }
    }
    let torn = prompts.iter().filter(|(_, count)| **count != 0);
    faults.extend(torn.map(|(id, _)| format!("the prompt {id} was not both opened and resolved")));
    faults
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn told(events: &[(&str, u64)]) -> Vec<Told> {
        let told = |(kind, turn_seq): &(&str, u64)| Told {
            at: Instant::now(),
            event: json!({ "type": kind, "turn_seq": turn_seq }),
        };
        events.iter().map(told).collect()
    }

    #[test]
    fn turns_are_one_by_one_or_side_by_side_and_each_begins_and_ends_once() {
        const STARTED: &str = "turn.started";
        const COMPLETED: &str = "turn.completed";
        let faults = |events: &[(&str, u64)], beside| {
            let told = told(events);
            faults(&told.iter().collect::<Vec<_>>(), beside).len()
        };
        let in_a_row = [(STARTED, 1), (COMPLETED, 1), (STARTED, 2), (COMPLETED, 2)];
        let crossed = [(STARTED, 1), (STARTED, 2), (COMPLETED, 1), (COMPLETED, 2)];
        for beside in [false, true] {
            assert_eq!(faults(&in_a_row, beside), 0);
            assert_eq!(faults(&[(STARTED, 1), (STARTED, 1)], beside), 1);
            assert_eq!(faults(&[(COMPLETED, 1)], beside), 1);
        }
        assert_eq!((faults(&crossed, true), faults(&crossed, false)), (0, 1));
    }
}
