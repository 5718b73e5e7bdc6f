//! How far hooks alone get, through the real gate, on moments whose truth is known. What stays
//! wrong is what hooks do not tell; other witnesses must. The golden file names each miss.

use crate::common::{CLAUDE_CODE, CODEX, Recorded, context};
use headsup_adapters::hook;
use headsup_core::gate;
use headsup_core::observation::{Delivery, Observation};
use headsup_core::roster::{Caller, Place, Roster};
use headsup_core::seat::Seat;
use headsup_core::source::Source;
use headsup_core::status::{Headline, OutcomeKind};
use headsup_core::time::UnixMs;
use serde_json::Value;
use std::collections::HashMap;
use std::fmt::Write;

/// How far around a span's middle the truth may hold. Milliseconds.
const SLACK: i64 = 700;

/// Headline over time: (since, headline, its outcome).
type Track = Vec<(i64, Headline, Option<OutcomeKind>)>;

fn holds(truth: &str, headline: Headline, outcome: Option<OutcomeKind>) -> bool {
    use Headline as H;
    match truth {
        "idle" => matches!(headline, H::Idle | H::Done),
        "working" => headline == H::Working,
        "blocked" => headline == H::Blocked,
        "error" => {
            let failed = outcome == Some(OutcomeKind::Failed);
            matches!(headline, H::Failed | H::Crashed) || (headline == H::Ended && failed)
        }
        "ended" => headline == H::Ended,
        "crashed" => headline == H::Crashed,
        "starting" => matches!(headline, H::Starting | H::Idle | H::Unknown),
        other => panic!("an unknown truth: {other}"),
    }
}

/// Plays the hook rows of a recording into the gate.
fn play(agent: &Recorded, timeline: &[Value]) -> Track {
    let mut roster = Roster::default();
    let mut seats: HashMap<_, Seat> = HashMap::new();
    let mut track: Track = vec![(0, Headline::Starting, None)];
    for row in timeline {
        let at = row["t_ms"].as_i64().unwrap();
        if row["src"] == "action" && row["do"] == "start" {
            track.push((at, Headline::Starting, None));
        }
        let Some(payload) = row.get("payload").filter(|_| row["src"] == "hook") else { continue };
        let body = payload.to_string();
        let seen = hook(agent.kind, None, body.as_bytes(), &context(row)).unwrap();
        let caller = Caller {
            kind: agent.kind,
            claimed: None,
            session: seen.session.as_deref(),
            process: seen.process.as_ref(),
            shares_process: seen.shares_process,
            ancestors: &[],
            namespace: None,
            cwd: seen.cwd.as_deref(),
            starts_session: false,
            starts_up: false,
        };
        let id = match roster.place(&caller, |_| false) {
            Place::Seat(id) | Place::New { id, .. } => id,
        };
        let now = UnixMs(at);
        let seat =
            seats.entry(id.clone()).or_insert_with(|| Seat::new(id, agent.kind, Source::Hook, now));
        while let Some(due) = gate::next_deadline(seat).filter(|due| due.0 < at) {
            gate::tick(seat, due);
            track.push((due.0, seat.headline(), None));
        }
        let observation = Observation {
            at: now,
            delivery: Delivery::Live,
            source: Source::Hook,
            session: seen.session,
            process: seen.process,
            name: seen.event,
            fact: seen.fact,
        };
        gate::admit(seat, &observation);
        roster.upsert(seat);
        let outcome = seat.outcome.as_ref().map(|outcome| outcome.kind);
        track.push((at, seat.headline(), outcome));
    }
    track
}

#[test]
fn hooks_alone_are_right_wherever_they_speak() {
    let without_a_terminal = ["trust_dialog", "print_mode", "sdk_stream_json"];
    insta::assert_snapshot!("hooks_alone", misses(&CLAUDE_CODE, &without_a_terminal));
    let without_hooks = ["app_server"];
    insta::assert_snapshot!("codex_hooks_alone", misses(&CODEX, &without_hooks));
}

fn misses(agent: &Recorded, but: &[&str]) -> String {
    let mut golden = String::new();
    let (mut right, mut all) = (0, 0);
    for case in agent.cases() {
        if but.contains(&&*case) {
            continue;
        }
        let timeline = agent.rows(&case);
        let track = play(agent, &timeline);
        let truths: Vec<&Value> = timeline.iter().filter(|row| row["src"] == "truth").collect();
        let end = timeline.last().unwrap()["t_ms"].as_i64().unwrap();
        for (index, truth) in truths.iter().enumerate() {
            let from = truth["t_ms"].as_i64().unwrap();
            let to = truths.get(index + 1).map_or(end, |next| next["t_ms"].as_i64().unwrap());
            let middle = i64::midpoint(from, to);
            let status = truth["status"].as_str().unwrap();
            let near: Vec<_> = track
                .iter()
                .enumerate()
                .filter(|(at, (since, ..))| {
                    let until = track.get(at + 1).map_or(i64::MAX, |next| next.0);
                    *since <= middle + SLACK && until >= middle - SLACK
                })
                .map(|(_, told)| told)
                .collect();
            all += 1;
            if near.iter().any(|(_, headline, outcome)| holds(status, *headline, *outcome)) {
                right += 1;
                continue;
            }
            let said = near.last().unwrap().1.word();
            let why = truth["why"].as_str().unwrap_or_default();
            writeln!(golden, "{case}: {status} ({why}), hooks say {said}").unwrap();
        }
    }
    format!("right {right} of {all}\n\n{golden}")
}
