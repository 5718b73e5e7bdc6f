//! Was the truth told?

use super::listener::Told;
use super::recording::{Recording, What};
use serde::Serialize;
use std::collections::BTreeMap;

/// How far around a span's middle the truth may hold. Milliseconds.
const SLACK: u64 = 700;

/// One span of the truth, and what the hub said in its middle.
#[derive(Clone, Debug, Serialize)]
pub struct Span {
    pub t_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    pub truth: String,
    pub headlines: BTreeMap<String, String>,
    pub right: bool,
    #[serde(skip)]
    pub why: String,
}

/// One recording, judged.
#[derive(Clone, Debug, Serialize)]
pub struct Verdict {
    pub case: String,
    pub spans: Vec<Span>,
}

impl Verdict {
    pub fn right(&self) -> usize {
        self.spans.iter().filter(|span| span.right).count()
    }

    pub(super) fn new(recording: &Recording, told: &[Told]) -> Self {
        let mut truths = Vec::new();
        for row in &recording.rows {
            if let What::Truth { status, why, session } = &row.what {
                truths.push((row.t_ms, status, why, session));
            }
        }
        let end = recording.rows.last().map_or(0, |row| row.t_ms);
        let spans = truths.iter().enumerate().map(|(index, &(from, status, why, session))| {
            // With sessions side by side, each has its own truths.
            let next = truths[index + 1..].iter().find(|next| next.3 == session);
            let middle = u64::midpoint(from, next.map_or(end, |next| next.0));
            let mine: Vec<&Told> = match session {
                Some(session) => of_session(told, session),
                None => told.iter().collect(),
            };
            Span {
                t_ms: from,
                session: session.clone(),
                truth: status.clone(),
                headlines: headlines(told, middle),
                right: near(&mine, middle).any(|told| holds(status, told)),
                why: why.clone(),
            }
        });
        Self { case: recording.name.clone(), spans: spans.collect() }
    }
}

/// Everything told of the agent that was ever in this session.
fn of_session<'a>(told: &'a [Told], session: &str) -> Vec<&'a Told> {
    let known = told.iter().find(|told| told.session.as_deref() == Some(session));
    let Some(agent) = known.map(|told| &told.agent) else { return Vec::new() };
    told.iter().filter(|told| told.agent == *agent).collect()
}

fn headlines(told: &[Told], at_ms: u64) -> BTreeMap<String, String> {
    let before = told.iter().filter(|told| told.at_ms <= at_ms);
    before.map(|told| (told.agent.clone(), told.headline.clone())).collect()
}

/// What was said at some moment around the middle.
fn near<'a>(told: &'a [&Told], middle: u64) -> impl Iterator<Item = &'a Told> {
    told.iter().enumerate().filter_map(move |(index, said)| {
        let until = told.get(index + 1).map_or(u64::MAX, |next| next.at_ms);
        let overlaps = said.at_ms <= middle + SLACK && until.saturating_add(SLACK) >= middle;
        overlaps.then_some(*said)
    })
}

fn holds(truth: &str, told: &Told) -> bool {
    let failed = told.outcome.as_deref() == Some("failed");
    match (truth, told.headline.as_str()) {
        ("idle", "idle" | "done")
        | ("working", "working")
        | ("blocked", "blocked")
        | ("error", "failed" | "crashed")
        | ("ended", "ended")
        | ("crashed", "crashed")
        | ("starting", "starting" | "idle" | "unknown") => true,
        ("error", "ended") => failed,
        _ => false,
    }
}
