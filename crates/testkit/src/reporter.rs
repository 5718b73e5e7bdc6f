//! Reporters with a ledger of their own, and what became of what they were promised.

use crate::home::Home;
use crate::http::Line;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Four reporters, as many as the promise names.
pub const REPORTERS: usize = 4;

/// What one reporter was promised.
#[derive(Debug, Default)]
pub struct Ledger {
    /// Ids of acknowledged reports, in order.
    pub acknowledged: Vec<String>,
    pub tried: usize,
}

/// Reports alternately working and completed until `stop`. After a lost connection it sends the
/// same report again under the same id, as a careful client does.
pub fn report(home: &Home, name: usize, stop: &AtomicBool, done: &AtomicUsize) -> Ledger {
    let mut ledger = Ledger::default();
    let target = format!("/api/v1/agents/reporter-{name}/reports");
    let mut line: Option<Line> = None;
    for number in 0_u64.. {
        let (turn, outcome) = match number % 2 {
            0 => ("working", None),
            _ => ("idle", Some("completed")),
        };
        let id = format!("{name}-{number}");
        let body = json!({"turn": turn, "outcome": outcome, "detail": id}).to_string();
        let headers = [("x-headsup-id", id.as_str())];
        loop {
            if stop.load(Ordering::Relaxed) {
                return ledger;
            }
            ledger.tried += 1;
            let open = line.take().map_or_else(|| Line::open(&home.socket()), Ok);
            let sent = open.and_then(|mut open| {
                let answer = open.post_with(&target, &headers, body.as_bytes())?;
                line = Some(open);
                Ok(answer)
            });
            if let Ok((200..=299, _)) = sent {
                break;
            }
            std::thread::yield_now();
        }
        done.fetch_add(1, Ordering::Relaxed);
        ledger.acknowledged.push(id);
    }
    ledger
}

/// Compares a ledger with the hub's events: how many acknowledged reports are lost, how many
/// were told more than once.
pub fn lost_and_doubled(name: usize, ledger: &Ledger, events: &[Value]) -> (usize, usize) {
    let agent = format!("reporter-{name}");
    let told: Vec<&str> = events
        .iter()
        .filter(|event| event["agent_id"] == *agent)
        .filter(|event| event["type"] == "agent.status_changed")
        .filter_map(|event| event["turn"]["detail"].as_str())
        .collect();
    let unique: HashSet<&str> = told.iter().copied().collect();
    let lost = ledger.acknowledged.iter().filter(|id| !unique.contains(id.as_str())).count();
    (lost, told.len() - unique.len())
}
