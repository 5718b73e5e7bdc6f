//! Hooks alone, through the real gate: what it tells, moment by moment.

use crate::common::{Recorded, context};
use headsup_adapters::{HookContext, Sighting, hook};
use headsup_core::gate;
use headsup_core::observation::{Delivery, Fact, Observation};
use headsup_core::roster::{Caller, Place, Roster};
use headsup_core::seat::Seat;
use headsup_core::source::Source;
use headsup_core::status::{Headline, OutcomeKind};
use headsup_core::time::UnixMs;
use serde_json::{Value, json};
use std::collections::HashMap;

/// How far around a span's middle the truth may hold. Milliseconds.
const SLACK: i64 = 700;

/// From this moment on this headline was told, with the outcome that it had.
pub(crate) type Told = (i64, Headline, Option<OutcomeKind>);

/// What was told.
#[derive(Clone, Debug)]
pub(crate) struct Track {
    /// The headline of whoever was spoken of, over time.
    told: Vec<Told>,
    /// Those that were another one than before in their own seat.
    pub(crate) news: Vec<Told>,
}

/// One hook as it was called.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) at: i64,
    /// As the command line names it.
    pub(crate) event: Option<String>,
    pub(crate) payload: Value,
    context: HookContext,
}

/// Something that is true from here until there.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    pub(crate) from: i64,
    pub(crate) to: i64,
    pub(crate) status: String,
    pub(crate) why: String,
}

/// What was recorded of one situation, as far as hooks and the truth are concerned.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    kind: &'static str,
    pub(crate) calls: Vec<Call>,
    starts: Vec<i64>,
    pub(crate) spans: Vec<Span>,
}

impl Script {
    pub(crate) fn of(agent: &Recorded, case: &str) -> Self {
        let rows = agent.rows(case);
        let at = |row: &Value| row["t_ms"].as_i64().unwrap_or_default();
        let is = |row: &&Value, what: &str| row["src"] == what || row["kind"] == what;
        let calls = rows.iter().filter(|row| is(row, "hook")).map(|row| Call {
            at: at(row),
            event: row["arg"][0].as_str().map(str::to_owned),
            payload: row["payload"].clone(),
            context: match row["parents"].is_array() {
                true => context(row),
                false => HookContext::parse(&json!({ "env": row["env"], "parents": [{ "pid": 42, "start": 8, "comm": "node" }] }).to_string()),
            },
        });
        let starts = rows.iter().filter(|row| is(row, "action") && row["do"] == "start").map(at);
        let truths: Vec<&Value> = rows.iter().filter(|row| is(row, "truth")).collect();
        let end = rows.last().map(at).unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let spans = truths.iter().enumerate().map(|(index, truth)| Span {
            from: at(truth),
            to: truths.get(index + 1).map_or(end, |next| at(next)),
            status: text(&truth["status"]),
            why: text(&truth["why"]),
        });
        let (calls, starts, spans) = (calls.collect(), starts.collect(), spans.collect());
        Self { kind: agent.kind, calls, starts, spans }
    }

    /// How many of its calls are not understood, or not all of what they say.
    pub(crate) fn counted(&self) -> usize {
        let seen = self.calls.iter().map(|call| self.read(call));
        let is_counted = |seen: &Sighting| {
            matches!(seen.fact, Fact::NotUnderstood { .. }) || seen.strange.is_some()
        };
        seen.filter(is_counted).count()
    }

    fn read(&self, call: &Call) -> Sighting {
        let body = call.payload.to_string();
        hook(self.kind, call.event.as_deref(), body.as_bytes(), &call.context).unwrap()
    }

    /// Plays it into the gate.
    pub(crate) fn play(&self) -> Track {
        let mut roster = Roster::default();
        let mut seats: HashMap<_, Seat> = HashMap::new();
        let (mut told, mut news): (Vec<Told>, Vec<Told>) =
            (vec![(0, Headline::Starting, None)], Vec::new());
        let mut last = None;
        let mut starts = self.starts.iter().copied().peekable();
        for call in &self.calls {
            while let Some(start) = starts.next_if(|start| *start <= call.at) {
                told.push((start, Headline::Starting, None));
            }
            let seen = self.read(call);
            let caller = Caller {
                kind: self.kind,
                claimed: None,
                session: seen.session.as_deref(),
                process: seen.process.as_ref(),
                shares_process: seen.shares_process,
                ancestors: &[],
                namespace: None,
                asked_by: None,
                cwd: seen.cwd.as_deref(),
                starts_session: false,
                starts_up: false,
                is_left: false,
            };
            let id = match roster.place(&caller, |_| false) {
                Place::Seat(id) | Place::New { id, .. } => id,
            };
            let now = UnixMs(call.at);
            let fresh = || Seat::new(id.clone(), self.kind, Source::Hook, now);
            let seat = seats.entry(id.clone()).or_insert_with(fresh);
            let mut before = seat.headline();
            let mut say = |seat: &Seat, at| {
                let outcome = seat.outcome.as_ref().map(|outcome| outcome.kind);
                let now = (at, seat.headline(), outcome);
                news.extend((now.1 != before).then_some(now));
                before = now.1;
                told.push(now);
            };
            while let Some(due) = gate::next_deadline(seat).filter(|due| due.0 < call.at) {
                gate::tick(seat, due);
                say(seat, due.0);
            }
            let observation = Observation {
                at: now,
                delivery: Delivery::Live,
                source: Source::Hook,
                session: seen.session,
                process: seen.process,
                made_at: seen.made_at,
                name: seen.event,
                fact: seen.fact,
            };
            gate::admit(seat, &observation);
            roster.upsert(seat);
            say(seat, call.at);
            last = Some(id);
        }
        let end = self.spans.last().map_or(0, |span| span.to);
        // Nobody is spoken of after the last one.
        if let Some(seat) = last.and_then(|last| seats.get_mut(&last)) {
            while let Some(due) = gate::next_deadline(seat).filter(|due| due.0 < end) {
                gate::tick(seat, due);
                let outcome = seat.outcome.as_ref().map(|outcome| outcome.kind);
                told.push((due.0, seat.headline(), outcome));
            }
        }
        Track { told, news }
    }
}

impl Span {
    fn middle(&self) -> i64 {
        i64::midpoint(self.from, self.to)
    }

    /// What was told around its middle.
    pub(crate) fn near<'a>(&self, track: &'a Track) -> Vec<&'a Told> {
        around(track, self.middle())
    }

    pub(crate) fn is_told(&self, track: &Track) -> bool {
        self.near(track).into_iter().any(|told| self.holds(told))
    }

    pub(crate) fn holds(&self, (_, headline, outcome): &Told) -> bool {
        use Headline as H;
        match self.status.as_str() {
            "idle" => matches!(headline, H::Idle | H::Done),
            "working" => *headline == H::Working,
            "blocked" => *headline == H::Blocked,
            "error" => {
                let failed = *outcome == Some(OutcomeKind::Failed);
                matches!(headline, H::Failed | H::Crashed) || (*headline == H::Ended && failed)
            }
            "ended" => *headline == H::Ended,
            "crashed" => *headline == H::Crashed,
            "gone" => matches!(headline, H::Ended | H::Crashed),
            "starting" => matches!(headline, H::Starting | H::Idle | H::Unknown),
            other => panic!("an unknown truth: {other}"),
        }
    }
}

/// What was told around a moment.
pub(crate) fn around(track: &Track, at: i64) -> Vec<&Told> {
    let told = track.told.iter().enumerate().filter(|(index, (since, ..))| {
        let until = track.told.get(index + 1).map_or(i64::MAX, |next| next.0);
        *since <= at + SLACK && until >= at - SLACK
    });
    told.map(|(_, told)| told).collect()
}
