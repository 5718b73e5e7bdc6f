//! Was the truth told?

use super::listener::Told;
use super::recording::Witness;
use super::silences::{self, About};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

/// How far around a span's middle the truth may hold. Milliseconds.
const SLACK: u64 = 700;
/// How long the hub is listened to after the last row.
pub(super) const REST_MS: u64 = 1_500;
/// So long at most where it is known that nothing more came for longer.
pub(super) const LONG_REST_MS: u64 = 3_000;
/// The words for an agent whose process has ended.
const OVER: [&str; 5] = ["ended", "crashed", "absent", "suspended", "gone"];

/// From here on this was true.
#[derive(Clone, Debug)]
pub(super) struct Truth {
    /// When the recording says so.
    pub(super) recorded_ms: u64,
    /// When it was played.
    pub(super) t_ms: u64,
    pub(super) status: String,
    pub(super) why: String,
    pub(super) session: Option<String>,
    /// When its process ended, as far as it has no next truth: nobody says what is true then.
    pub(super) gone_ms: Option<u64>,
}

impl Truth {
    /// Nothing but another start changes it.
    pub(super) fn is_an_end(&self) -> bool {
        OVER.contains(&self.status.as_str())
    }
}

/// One span of the truth, and what the hub said in its middle.
#[derive(Clone, Debug, Serialize)]
pub struct Span {
    pub schema: u32,
    pub case: String,
    pub t_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    pub truth: String,
    pub headlines: BTreeMap<String, String>,
    /// The headlines of those agents that it is about, each once.
    #[serde(skip)]
    pub told: Vec<String>,
    pub right: bool,
    /// No witness of the program tells it, and nothing was told but that nobody knows.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub silent: bool,
    pub why: String,
    /// Why it is not told as it was, where that is known: no witness tells it, or the recorder was wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
}

impl Span {
    /// Nothing better can be told.
    pub fn is_accepted(&self) -> bool {
        self.right || self.silent
    }
}

/// One recording, judged.
#[derive(Clone, Debug)]
pub struct Verdict {
    pub case: String,
    pub spans: Vec<Span>,
    /// What the hub told of each agent, one headline after the other.
    pub told: BTreeMap<String, Vec<String>>,
    /// By how much the machine's stalls have put the end off.
    pub delay: Duration,
}

/// What was heard while it was played, and what is known of the recording.
#[derive(Clone, Copy, Debug)]
pub(super) struct Watched<'a> {
    pub(super) told: &'a [Told],
    pub(super) kind: &'a str,
    /// What is not played of it.
    pub(super) without: &'a [Witness],
    pub(super) has_log: bool,
    /// The real processes of each recorded session.
    pub(super) pids: &'a HashMap<String, Vec<u32>>,
    /// When the recorder had waited in vain for what it then wrote down: what it took to be so is no
    /// truth, and until when the one before held is not known. Recorded milliseconds.
    pub(super) in_vain: &'a [u64],
    /// How long the last truth is known to have held behind the last row. Milliseconds.
    pub(super) rest: Option<u64>,
}

impl Verdict {
    pub fn right(&self) -> usize {
        self.spans.iter().filter(|span| span.right).count()
    }

    pub fn silent(&self) -> usize {
        self.spans.iter().filter(|span| span.silent).count()
    }

    /// `truths` in the order of time; the last one holds until `end`, the last row, and through the
    /// rest behind it if that is known, or is an end.
    pub(super) fn new(
        case: &str,
        delay: Duration,
        truths: &[Truth],
        end: u64,
        watched: &Watched<'_>,
    ) -> Self {
        let Watched { told, kind, without, has_log, pids, in_vain, rest } = *watched;
        let is_known = |truth: &Truth| !in_vain.contains(&truth.recorded_ms);
        let known = truths.iter().enumerate().filter(|(_, truth)| is_known(truth));
        let spans = known.map(|(index, truth)| {
            // With sessions side by side, each has its own truths.
            let next = truths[index + 1..].iter().find(|next| next.session == truth.session);
            let last = || match (truth.is_an_end(), truth.gone_ms) {
                (true, _) => end + rest.unwrap_or(REST_MS),
                (false, gone) => gone.unwrap_or(end + rest.unwrap_or_default()),
            };
            let until = next.map_or_else(last, |next| next.t_ms);
            let middle = u64::midpoint(truth.t_ms, until);
            let agents = match &truth.session {
                Some(session) => of_session(told, session, pids),
                None => living(told, truth.t_ms, until),
            };
            // Somewhere before the recorder gave up.
            let slack = match next.is_some_and(|next| !is_known(next)) {
                true => until.saturating_sub(middle),
                false => SLACK,
            };
            let said = agents.iter().flat_map(|&agent| around(told, agent, middle, slack));
            let said: Vec<&Told> = said.collect();
            let before = truths[..index].iter().rfind(|before| before.session == truth.session);
            let before = before.map(|before| &*before.status);
            let silence = silences::silence(About {
                kind,
                truth: &truth.status,
                said: &truth.why,
                before,
                without,
                has_log,
            });
            let right = said.iter().any(|told| holds(&truth.status, told));
            let knows_nothing = !said.is_empty() && said.iter().all(|told| says_nothing(told));
            let reason = silence.or_else(|| silences::flaw(case, truth.recorded_ms));
            let headlines = headlines(told, middle);
            let its: BTreeSet<&String> =
                agents.iter().filter_map(|agent| headlines.get(*agent)).collect();
            Span {
                schema: 1,
                case: case.to_owned(),
                t_ms: truth.recorded_ms,
                session: truth.session.clone(),
                truth: truth.status.clone(),
                told: its.into_iter().cloned().collect(),
                right,
                silent: !right && silence.is_some() && knows_nothing,
                headlines,
                why: truth.why.clone(),
                reason: reason.filter(|_| !right),
            }
        });
        Self { case: case.to_owned(), spans: spans.collect(), told: changes(told), delay }
    }
}

fn changes(told: &[Told]) -> BTreeMap<String, Vec<String>> {
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for Told { agent, headline, .. } in told {
        let said = all.entry(agent.clone()).or_default();
        if said.last() != Some(headline) {
            said.push(headline.clone());
        }
    }
    all
}

/// Whoever was ever in this session, or is a process that was.
fn of_session<'a>(
    told: &'a [Told],
    session: &str,
    pids: &HashMap<String, Vec<u32>>,
) -> Vec<&'a str> {
    let pids = pids.get(session).map_or(&[][..], Vec::as_slice);
    let known = told.iter().filter(|told| {
        told.session.as_deref() == Some(session) || told.pid.is_some_and(|pid| pids.contains(&pid))
    });
    distinct(known)
}

/// Whoever lived at some moment of the span: a truth without a session does not speak of those that
/// had ended before. If nobody did, it speaks of who ended last.
fn living(told: &[Told], from: u64, until: u64) -> Vec<&str> {
    let agents = distinct(told.iter());
    let lived: Vec<&str> = agents
        .into_iter()
        .filter(|agent| {
            let mut said = said_by(told, agent);
            said.any(|(at, next, told)| {
                let in_span = at <= until + SLACK && next.saturating_add(SLACK) >= from;
                in_span && !OVER.contains(&told.headline.as_str())
            })
        })
        .collect();
    if !lived.is_empty() {
        return lived;
    }
    let last = told.iter().rfind(|told| told.at_ms <= until + SLACK);
    last.map(|told| told.agent.as_str()).into_iter().collect()
}

fn distinct<'a>(told: impl Iterator<Item = &'a Told>) -> Vec<&'a str> {
    let mut agents: Vec<&str> = told.map(|told| told.agent.as_str()).collect();
    agents.sort_unstable();
    agents.dedup();
    agents
}

/// What was said of an agent: from when, until when, what.
fn said_by<'a>(told: &'a [Told], agent: &'a str) -> impl Iterator<Item = (u64, u64, &'a Told)> {
    let own: Vec<&Told> = told.iter().filter(|told| told.agent == agent).collect();
    let next: Vec<u64> = own.iter().skip(1).map(|told| told.at_ms).chain([u64::MAX]).collect();
    own.into_iter().zip(next).map(|(told, next)| (told.at_ms, next, told))
}

fn headlines(told: &[Told], at_ms: u64) -> BTreeMap<String, String> {
    let before = told.iter().filter(|told| told.at_ms <= at_ms);
    before.map(|told| (told.agent.clone(), told.headline.clone())).collect()
}

/// What was said at some moment around the middle.
fn around<'a>(
    told: &'a [Told],
    agent: &'a str,
    middle: u64,
    slack: u64,
) -> impl Iterator<Item = &'a Told> {
    said_by(told, agent).filter_map(move |(at, next, told)| {
        let overlaps = at <= middle + slack && next.saturating_add(slack) >= middle;
        overlaps.then_some(told)
    })
}

/// Was it told that nobody knows, or of what was so before that nobody has confirmed it?
fn says_nothing(told: &Told) -> bool {
    told.headline == "unknown" || told.stale
}

fn holds(truth: &str, told: &Told) -> bool {
    let failed = told.outcome.as_deref() == Some("failed");
    match (truth, told.headline.as_str()) {
        ("idle", "idle" | "done")
        | ("working", "working")
        | ("blocked", "blocked")
        | ("error", "failed" | "crashed")
        | ("ended", "ended")
        // Nobody recorded how.
        | ("gone", "ended" | "crashed")
        | ("crashed", "crashed")
        | ("unknown", "unknown")
        | ("starting", "starting" | "idle" | "unknown") => true,
        ("error", "ended") => failed,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::bundle::STATUSES;
    use super::*;

    #[test]
    fn whatever_may_be_said_to_be_true_some_headline_says() {
        let headlines = ["idle", "working", "blocked", "failed", "ended", "crashed", "unknown"];
        for status in STATUSES {
            let is_said = |headline: &&str| holds(status, &told(0, "a", headline));
            assert!(headlines.iter().any(is_said), "{status}");
        }
    }

    fn told(at_ms: u64, agent: &str, headline: &str) -> Told {
        Told {
            at_ms,
            agent: agent.to_owned(),
            session: Some(format!("session-{agent}")),
            pid: None,
            headline: headline.to_owned(),
            outcome: None,
            stale: false,
        }
    }

    fn truth(t_ms: u64, status: &str, session: Option<&str>) -> Truth {
        let session = session.map(str::to_owned);
        Truth {
            recorded_ms: t_ms,
            t_ms,
            status: status.to_owned(),
            why: String::new(),
            session,
            gone_ms: None,
        }
    }

    fn watched<'a>(told: &'a [Told], pids: &'a HashMap<String, Vec<u32>>) -> Watched<'a> {
        let (kind, without, in_vain) = ("custom", &[], &[]);
        Watched { told, kind, without, has_log: false, pids, in_vain, rest: None }
    }

    fn judged(truths: &[Truth], told: &[Told], rest: Option<u64>) -> Vec<Span> {
        let none = HashMap::new();
        let watched = Watched { rest, ..watched(told, &none) };
        Verdict::new("case", Duration::ZERO, truths, 20_000, &watched).spans
    }

    fn right(truths: &[Truth], told: &[Told]) -> Vec<bool> {
        judged(truths, told, None).iter().map(|span| span.right).collect()
    }

    #[test]
    fn how_a_capture_ends_is_judged_behind_its_last_row() {
        let told = [told(0, "a", "blocked"), told(20_005, "a", "done")];
        let ends = |status: &str, rest: Option<u64>| {
            let truths = [truth(0, "blocked", None), truth(20_000, status, None)];
            judged(&truths, &told, rest).remove(1)
        };
        for rest in [REST_MS, LONG_REST_MS] {
            let right = ends("idle", Some(rest));
            assert!(right.right && right.headlines["a"] == "done", "{right:?}");
            assert!(!ends("blocked", Some(rest)).right, "it says so no more");
        }
        // Where nobody knows for how long it held, all around the last row counts.
        assert!(ends("idle", None).right && ends("blocked", None).right);
    }

    #[test]
    fn what_one_agent_says_does_not_end_what_another_said() {
        let told = [told(0, "a", "working"), told(100, "b", "idle"), told(9_000, "a", "idle")];
        let truths =
            [truth(0, "working", Some("session-a")), truth(9_000, "idle", Some("session-a"))];
        assert_eq!(right(&truths, &told), [true, true]);
        let of_the_other = [truth(0, "working", Some("session-b"))];
        assert_eq!(right(&of_the_other, &told), [false]);
        let told_of = judged(&of_the_other, &told, None).remove(0).told;
        assert_eq!(told_of, ["idle"], "and of nobody else");
    }

    #[test]
    fn an_agent_that_ended_long_before_makes_no_truth_of_now_right() {
        let told = [told(0, "a", "idle"), told(1_000, "a", "ended"), told(5_000, "b", "idle")];
        let truths = [truth(0, "ended", None), truth(6_000, "ended", None)];
        assert_eq!(right(&truths, &told), [true, false]);
        assert_eq!(right(&[truth(900, "ended", None)], &told[..2]), [true]);
    }

    #[test]
    fn a_session_is_also_known_by_its_process() {
        let mut one = told(0, "a", "working");
        (one.session, one.pid) = (None, Some(7));
        let pids = [("s".to_owned(), vec![7])].into();
        let truths = [truth(0, "working", Some("s"))];
        let told = [one];
        let watched = watched(&told, &pids);
        let verdict = Verdict::new("case", Duration::ZERO, &truths, 2_000, &watched);
        assert_eq!(verdict.right(), 1);
    }

    #[test]
    fn what_a_recorder_waited_for_in_vain_is_no_truth() {
        let told = [told(0, "a", "working"), told(1_000, "a", "idle")];
        let truths = [truth(500, "working", None), truth(9_000, "blocked", None)];
        let none = HashMap::new();
        let judged = |in_vain: &[u64]| {
            let watched = Watched { in_vain, ..watched(&told, &none) };
            let verdict = Verdict::new("case", Duration::ZERO, &truths, 20_000, &watched);
            verdict.spans.iter().map(|span| span.right).collect::<Vec<_>>()
        };
        assert_eq!(judged(&[]), [false, false]);
        assert_eq!(judged(&[9_000]), [true]);
    }

    #[test]
    fn a_silence_is_silent_where_nothing_is_told_of_it() {
        let mut truths = [truth(0, "working", None), truth(5_000, "error", None)];
        truths[1].why = "API answered 400".to_owned();
        let none = HashMap::new();
        let judged = |kind: &str, headline: &str, stale: bool, has_log: bool| {
            let told = [told(0, "a", "working"), Told { stale, ..told(5_000, "a", headline) }];
            let watched = Watched { kind, has_log, ..watched(&told, &none) };
            let mut verdict = Verdict::new("case", Duration::ZERO, &truths, 20_000, &watched);
            let silent = verdict.silent();
            let span = verdict.spans.remove(1);
            assert_eq!(span.is_accepted(), span.right || silent == 1);
            let json = serde_json::to_value(&span).unwrap();
            assert_eq!(json.get("silent").is_some(), silent == 1, "{json}");
            (span.right, span.reason.is_some(), silent)
        };
        assert_eq!(judged("gemini-cli", "unknown", false, false), (false, true, 1));
        assert_eq!(judged("gemini-cli", "working", true, false), (false, true, 1));
        // What is known of it is told.
        assert_eq!(judged("gemini-cli", "failed", false, false), (true, false, 0));
        // A guess is wrong, and there is a reason.
        assert_eq!(judged("gemini-cli", "idle", false, false), (false, true, 0));
        // Its log tells, and so do the witnesses of another program.
        assert_eq!(judged("gemini-cli", "unknown", false, true), (false, false, 0));
        assert_eq!(judged("qwen-code", "unknown", false, false), (false, false, 0));
    }

    #[test]
    fn a_guess_beside_it_is_no_silence() {
        let mut truths = [truth(0, "working", None), truth(5_000, "error", None)];
        truths[1].why = "API answered 400".to_owned();
        let none = HashMap::new();
        let silent = |told: &[Told]| {
            let watched = Watched { kind: "gemini-cli", ..watched(told, &none) };
            let verdict = Verdict::new("case", Duration::ZERO, &truths, 20_000, &watched);
            assert!(!verdict.spans[1].right && verdict.spans[1].reason.is_some());
            verdict.spans[1].silent
        };
        // The middle is at 12,500.
        let (working, unknown) = (told(0, "a", "working"), told(5_000, "a", "unknown"));
        let (guess, again) = (told(12_300, "a", "idle"), told(12_800, "a", "unknown"));
        assert!(silent(&[working.clone(), unknown.clone(), again.clone()]));
        assert!(!silent(&[working, unknown, guess, again]), "half a second of idle");
        assert!(!silent(&[]), "nothing at all was told");
    }

    #[test]
    fn a_truth_that_comes_too_late_is_wrong() {
        let told = [told(0, "a", "working"), told(2_701, "a", "idle")];
        let truths = [truth(1_000, "idle", None), truth(3_000, "idle", None)];
        assert_eq!(right(&truths, &told), [false, true]);
    }
}
