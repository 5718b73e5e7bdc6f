//! Was the truth told, in order, once each, and how fast?

mod order;

use super::programs::{Program, Tells};
use super::record::Row;
use super::truth::{Class, Seat, Truth};
use super::watcher::Told;
use headsup_adapters::{Shown, screen};
use serde::Serialize;
use serde_json::Value;
use std::time::{Duration, Instant};

/// A key's moment is noted when tmux has returned: what it did may have been told just before.
const NOTED: Duration = Duration::from_millis(30);

/// One span of the truth.
#[derive(Clone, Debug, Serialize)]
pub struct Span {
    /// Since the play began.
    pub t_ms: f64,
    pub seat: String,
    pub truth: &'static str,
    pub why: String,
    pub class: Class,
    /// What the hub said at its end.
    pub told: Option<String>,
    pub right: bool,
    /// The witness that decided it, where it was a change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// From the mark to the event.
    pub latency_ms: Option<f64>,
    /// From its being on the screen to the event, where that is known; negative if it was told
    /// first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since_shown_ms: Option<f64>,
    /// What the rules for screens read off its terminal alone at the span's end, where they read anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_screen: Option<&'static str>,
    /// From the program's own signal to the event; known in recorded plays, where that signal decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_ms: Option<f64>,
}

impl Span {
    /// How late the change was told. It is so from the key or the model's last byte on; a dialog is open from its
    /// being on the screen: before that the program works on, and nobody can answer.
    pub(super) fn late_ms(&self) -> Option<f64> {
        let shown = self.since_shown_ms.filter(|_| self.truth == "blocked");
        shown.map(|since| since.max(0.0)).or(self.latency_ms)
    }
}

/// One play, judged.
#[derive(Clone, Debug, Serialize)]
pub struct Verdict {
    pub case: String,
    pub spans: Vec<Span>,
    /// What is wrong with the order of events, if anything.
    pub disorder: Vec<String>,
    /// Everything that was told, in a few words.
    #[serde(skip)]
    pub events: Vec<String>,
}

impl Verdict {
    pub fn right(&self) -> usize {
        self.spans.iter().filter(|span| span.right).count()
    }

    /// How many spans its screen alone would have told.
    pub fn right_on_screen(&self) -> usize {
        self.spans.iter().filter(|span| span.on_screen == Some(span.truth)).count()
    }

    pub fn is_right(&self) -> bool {
        self.disorder.is_empty() && self.right() == self.spans.len()
    }

    /// A play that could not be brought to its end.
    pub fn broken(case: &str, why: String) -> Self {
        Self { disorder: vec![why], ..Self::empty(case) }
    }

    fn empty(case: &str) -> Self {
        let (case, spans, disorder) = (case.to_owned(), Vec::new(), Vec::new());
        Self { case, spans, disorder, events: Vec::new() }
    }

    pub(super) fn new(case: &str, truth: &Truth, told: &[Told], start: Instant) -> Self {
        let mut verdict = Self::empty(case);
        verdict.events = told.iter().filter_map(|told| in_words(told, start)).collect();
        let mut ids = Vec::new();
        for seat in 0..truth.seats.len() {
            let id = id_of(&truth.seats, seat, told);
            verdict.seat(truth, seat, id.as_deref(), told, start);
            ids.extend(id);
        }
        for told in told {
            let id = told.event["agent_id"].as_str().unwrap_or_default();
            if told.event["type"] == "agent.registered" && !ids.iter().any(|known| known == id) {
                verdict.disorder.push(format!("{id} was registered, and nobody started it"));
            }
        }
        verdict
    }

    /// Notes how long a change was to be seen on the screen when it was told, and what the screen alone
    /// tells.
    pub(super) fn look(&mut self, truth: &Truth, program: &Program) {
        let ends = |seat| {
            let marks = truth.of(seat);
            let next = marks.iter().skip(1).map(|next| Some(next.at)).chain([truth.end]);
            marks.clone().into_iter().zip(next.collect::<Vec<_>>())
        };
        let marks = (0..truth.seats.len()).flat_map(ends);
        for (span, (mark, end)) in self.spans.iter_mut().zip(marks) {
            let shown = span.latency_ms.zip(mark.shown_at());
            span.since_shown_ms = shown.map(|(told, shown)| told - between(mark.at, shown));
            let last = end.and_then(|end| end.checked_sub(NOTED)).unwrap_or(mark.at).max(mark.at);
            let text = truth.screen(mark.seat, last);
            let read = text.and_then(|text| screen(program.kind, Some(program.version), &text));
            span.on_screen = read.map(|shown| match shown {
                Shown::Dialog { .. } => "blocked",
                Shown::Prompt => "idle",
            });
        }
    }

    /// Splits the latencies: what came after the program's own signals was ours. `tells`: by which hooks
    /// it tells of what.
    pub(super) fn split(&mut self, signals: &[Row], tells: Tells) {
        for span in &mut self.spans {
            let Some(latency) = span.latency_ms else { continue };
            let told = span.t_ms + latency;
            let own = signals.iter().filter_map(|row| signal(row, span, tells));
            let last = own.filter(|at| *at <= told).fold(f64::MIN, f64::max);
            span.own_ms = (last > span.t_ms - 1_000.0).then_some(told - last);
        }
    }

    fn seat(
        &mut self,
        truth: &Truth,
        seat: usize,
        id: Option<&str>,
        told: &[Told],
        start: Instant,
    ) {
        let mine: Vec<&Told> =
            told.iter().filter(|told| told.event["agent_id"].as_str() == id).collect();
        let mine = if id.is_some() { mine } else { Vec::new() };
        let changes = order::changes(&mine);
        let marks = truth.of(seat);
        let name = id.map_or_else(|| format!("seat {seat}"), str::to_owned);
        let got: Vec<&str> = changes.iter().map(|change| change.headline.as_str()).collect();
        let seen = order::told_as(&marks, &got);
        let mut expected: Vec<&str> = seen.iter().copied().flatten().collect();
        expected.dedup();
        let in_order = expected == got;
        if !in_order {
            let (expected, got) = (expected.join(" "), got.join(" "));
            self.disorder.push(format!("{name}: expected {expected}; told {got}"));
        }
        let faults = order::faults(&mine, truth.beside);
        self.disorder.extend(faults.into_iter().map(|fault| format!("{name}: {fault}")));
        let mut change = 0;
        let mut before = None;
        for (index, mark) in marks.iter().enumerate() {
            let next = marks.get(index + 1);
            let end = next.map(|next| next.at).or(truth.end);
            let by = |at: Instant| end.is_none_or(|end| at + NOTED < end);
            let told = changes.iter().rev().find(|told| by(told.at));
            let told = told.map(|told| told.headline.clone());
            // A span that is over before it must be told, or whose end is seen late, is right if
            // it was told in its turn.
            let lasts = end.is_none_or(|end| end.duration_since(mark.at) >= mark.class.patience());
            let seen_late =
                next.is_some_and(|next| matches!(next.class, Class::Unmeasured | Class::Passing));
            let in_turn = in_order && (seen_late || !lasts);
            let right = match mark.class {
                Class::Silent => {
                    let end = end.unwrap_or_else(Instant::now);
                    order::is_silent(mark, told.as_deref(), &mine, end)
                }
                _ => told.as_deref() == Some(mark.headline) || in_turn || seen[index].is_none(),
            };
            let is_change = seen[index].is_some() && before != seen[index];
            before = seen[index].or(before);
            change += usize::from(is_change);
            let measured = is_change && in_order && mark.class.limit().is_some();
            let latency = measured.then(|| between(mark.at, changes[change - 1].at));
            let decided = changes.get(change.wrapping_sub(1)).filter(|_| is_change && in_order);
            self.spans.push(Span {
                t_ms: between(start, mark.at),
                seat: name.clone(),
                truth: mark.headline,
                why: mark.why.clone(),
                class: mark.class,
                right,
                told,
                by: decided.and_then(|change| change.by.clone()),
                latency_ms: latency,
                since_shown_ms: None,
                on_screen: None,
                own_ms: None,
            });
        }
    }
}

/// When a signal was given, if it is one of those that tell of such a change. Where another witness told
/// of it, and perhaps first, the time since then is nobody's.
fn signal(row: &Row, span: &Span, tells: Tells) -> Option<f64> {
    let Row { t_ms, row } = row;
    let by = span.by.as_deref()?;
    let is_told = match span.class {
        Class::Hooked => {
            let event = row["payload"]["hook_event_name"].as_str()?;
            let mut events = tells.iter().filter(|(headline, _)| *headline == span.truth);
            by == "hook" && events.any(|(_, events)| events.contains(&event))
        }
        Class::Unhooked => {
            let status = match span.truth {
                "working" => "busy",
                "idle" => "idle",
                "blocked" => "waiting",
                _ => return None,
            };
            by == "registry" && row["record"]["status"] == status
        }
        Class::Kill | Class::Unmeasured | Class::Passing | Class::Silent => false,
    };
    is_told.then_some(*t_ms)
}

/// Milliseconds; negative if `to` was first.
fn between(from: Instant, to: Instant) -> f64 {
    let forth = to.saturating_duration_since(from).as_secs_f64();
    let back = from.saturating_duration_since(to).as_secs_f64();
    (forth - back) * 1_000.0
}

fn in_words(told: &Told, start: Instant) -> Option<String> {
    let Told { at, event } = told;
    let word = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let kind = event["type"].as_str()?;
    let words = match kind {
        "agent.status_changed" => {
            let (from, to) = (word(&event["from"]), word(&event["to"]));
            let (turn, reason) = (word(&event["turn"]["state"]), word(&event["turn"]["reason"]));
            let (outcome, by) = (&event["outcome"]["kind"], &event["evidence"]["source"]);
            format!("{from} > {to}  {turn}({reason}) {} by {by}", word(outcome))
        }
        "prompt.opened" | "prompt.resolved" => word(&event["prompt"]["title"]),
        "agent.registered" | "agent.updated" => word(&event["agent"]["headline"]),
        _ => String::new(),
    };
    let (at, agent) = (between(start, *at), word(&event["agent_id"]));
    let place = event["cursor"].as_str()?;
    Some(format!("{at:>7.0} {place:>4} {agent} {kind} {words}"))
}

pub(super) fn id_of(seats: &[Seat], seat: usize, told: &[Told]) -> Option<String> {
    match seats.get(seat)? {
        Seat::ChildOf(parent) => Some(format!("{}.1", id_of(seats, *parent, told)?)),
        Seat::Named(id) => Some(id.clone()),
        Seat::Processes(pids) => {
            let is_mine = |told: &&Told| {
                pid_of(&told.event).is_some_and(|pid| pids.iter().any(|own| u64::from(*own) == pid))
            };
            let mine = told.iter().find(is_mine)?;
            mine.event["agent_id"].as_str().map(str::to_owned)
        }
    }
}

fn pid_of(event: &Value) -> Option<u64> {
    let told = [&event["process"]["pid"], &event["agent"]["location"]["pid"]];
    told.iter().find_map(|pid| pid.as_u64())
}

#[cfg(test)]
mod tests {
    use super::super::programs;
    use super::super::truth::Mark;
    use super::*;
    use serde_json::json;

    /// A change at 2 s that was told 50 ms later.
    fn span(truth: &'static str, class: Class, by: &str) -> Span {
        Span {
            t_ms: 2_000.0,
            seat: "a".to_owned(),
            truth,
            why: String::new(),
            class,
            told: Some(truth.to_owned()),
            right: true,
            by: Some(by.to_owned()),
            latency_ms: Some(50.0),
            since_shown_ms: None,
            on_screen: None,
            own_ms: None,
        }
    }

    #[test]
    fn a_dialog_is_late_from_its_being_on_the_screen_and_all_else_from_its_cause() {
        let shown = |truth, since| Span {
            since_shown_ms: Some(since),
            ..span(truth, Class::Hooked, "hook")
        };
        let late = [shown("blocked", 20.0), shown("blocked", -30.0), shown("working", 20.0)];
        assert_eq!(late.map(|span| span.late_ms()), [Some(20.0), Some(0.0), Some(50.0)]);
        assert_eq!(span("blocked", Class::Hooked, "hook").late_ms(), Some(50.0));
    }

    fn called(t_ms: f64, event: &str) -> Row {
        Row { t_ms, row: json!({ "src": "hook", "payload": { "hook_event_name": event } }) }
    }

    fn own(kind: &str, span: Span, signals: &[Row]) -> Option<f64> {
        let mut verdict = Verdict { spans: vec![span], ..Verdict::empty("case") };
        verdict.split(signals, programs::of_kind(kind).unwrap().tells);
        verdict.spans[0].own_ms
    }

    #[test]
    fn headsups_own_time_begins_with_the_hook_that_tells_of_the_change() {
        for (kind, truth, event) in [
            ("claude-code", "ended", "SessionEnd"),
            ("codex", "working", "UserPromptSubmit"),
            ("codex", "blocked", "PreToolUse"),
            ("opencode", "failed", "session.status/idle"),
            ("gemini-cli", "blocked", "Notification"),
            ("qwen-code", "failed", "StopFailure"),
            ("copilot-cli", "done", "agentStop"),
        ] {
            // Long before, the last one before it was told, another one, and one that came later.
            let signals = [
                called(900.0, event),
                called(2_020.0, event),
                called(2_030.0, event),
                called(2_040.0, "SessionStart"),
                called(2_060.0, event),
            ];
            let span = span(truth, Class::Hooked, "hook");
            assert_eq!(own(kind, span, &signals), Some(20.0), "{kind} {truth}");
        }
        let before = [called(900.0, "Stop")];
        assert_eq!(own("codex", span("done", Class::Hooked, "hook"), &before), None);
    }

    /// Of a seat that is `a`, in a play of 9 s. All times in milliseconds.
    fn judged(marks: &[(u64, &'static str, Class)], told: &[(u64, &str)]) -> Verdict {
        let start = Instant::now();
        let after = |ms: u64| start + Duration::from_millis(ms);
        let mark = |(ms, headline, class): &(u64, &'static str, Class)| {
            let (at, headline, class) = (after(*ms), *headline, *class);
            Mark { at, seat: 0, headline, class, why: String::new(), sight: None }
        };
        let (seats, marks) = (vec![Seat::Named("a".to_owned())], marks.iter().map(mark).collect());
        let truth = Truth { seats, marks, end: Some(after(9_000)), ..Truth::default() };
        let said = |(ms, headline): &(u64, &str)| Told {
            at: after(*ms),
            event: match *headline {
                "stale" => {
                    json!({"type": "agent.updated", "agent_id": "a", "agent": {"stale": true}})
                }
                to => json!({"type": "agent.status_changed", "agent_id": "a", "to": to}),
            },
        };
        let told: Vec<Told> = told.iter().map(said).collect();
        Verdict::new("case", &truth, &told, start)
    }

    #[test]
    fn what_may_pass_unseen_is_right_where_it_was_not_told() {
        let judged = |first: Class, told: &[(u64, &str)]| {
            let verdict = judged(&[(0, "idle", first), (100, "done", Class::Hooked)], told);
            (verdict.is_right(), verdict.spans[1].latency_ms)
        };
        let (both, one) = ([(50, "idle"), (150, "done")], [(150, "done")]);
        assert_eq!(judged(Class::Passing, &both), (true, Some(50.0)));
        assert_eq!(judged(Class::Passing, &one), (true, Some(50.0)));
        assert!(!judged(Class::Passing, &[(50, "idle"), (60, "working")]).0);
        assert!(!judged(Class::Unmeasured, &one).0);
    }

    #[test]
    fn what_no_witness_tells_is_right_where_that_is_said() {
        let marks = [(0, "working", Class::Unmeasured), (1_000, "idle", Class::Silent)];
        let with = |more: &[(u64, &'static str)]| {
            judged(&marks, &[&[(10, "working")], more].concat()).is_right()
        };
        for told in ["stale", "unknown", "idle"] {
            assert!(with(&[(5_000, told)]), "{told}");
        }
        assert!(with(&[(5_000, "stale"), (7_000, "unknown")]));
        for told in [&[][..], &[(5_000, "done")], &[(5_000, "stale"), (6_000, "done")]] {
            assert!(!with(told), "{told:?}");
        }
        let next = [&marks[..], &[(6_000, "working", Class::Hooked)]].concat();
        let told = [(10, "working"), (4_000, "stale"), (5_000, "unknown"), (6_020, "working")];
        let verdict = judged(&next, &told);
        assert_eq!((verdict.is_right(), verdict.spans[2].latency_ms), (true, Some(20.0)));
        // Nothing has changed by the word of the hub.
        assert!(judged(&next, &told[..2]).is_right());
    }

    #[test]
    fn what_was_told_before_may_pass_unseen_later() {
        let marks = [
            (0, "idle", Class::Unmeasured),
            (1_000, "working", Class::Hooked),
            (2_000, "idle", Class::Passing),
            (2_100, "working", Class::Unhooked),
            (4_000, "done", Class::Hooked),
        ];
        let with = |more: &[(u64, &'static str)]| {
            let verdict = judged(&marks, &[&[(10, "idle"), (1_020, "working")], more].concat());
            (verdict.is_right(), verdict.spans[3].latency_ms, verdict.spans[4].latency_ms)
        };
        let seen = [(2_050, "idle"), (2_300, "working"), (4_030, "done")];
        assert_eq!(with(&seen), (true, Some(200.0), Some(30.0)));
        assert_eq!(with(&[(4_030, "done")]), (true, None, Some(30.0)));
        assert!(!with(&[(2_050, "idle"), (4_030, "done")]).0, "work was never told");
        assert!(!with(&[(2_050, "blocked"), (2_300, "working"), (4_030, "done")]).0);
    }

    #[test]
    fn what_another_witness_told_has_no_time_of_its_own() {
        let signals = [called(2_030.0, "UserPromptSubmit")];
        for by in ["program_status", "process", "transcript", "registry"] {
            let span = span("working", Class::Hooked, by);
            assert_eq!(own("codex", span, &signals), None, "{by}");
        }
        let nobody = Span { by: None, ..span("working", Class::Hooked, "") };
        assert_eq!(own("codex", nobody, &signals), None);
        let unmeasured = Span { latency_ms: None, ..span("working", Class::Hooked, "hook") };
        assert_eq!(own("codex", unmeasured, &signals), None);
        let unhooked = span("working", Class::Unhooked, "hook");
        assert_eq!(own("codex", unhooked, &signals), None);
        // So it is with status files.
        let row = json!({ "src": "registry", "record": { "status": "busy" } });
        let signals = [Row { t_ms: 2_030.0, row }];
        let span = |by| span("working", Class::Unhooked, by);
        assert_eq!(own("claude-code", span("registry"), &signals), Some(20.0));
        assert_eq!(own("claude-code", span("transcript"), &signals), None);
    }
}
