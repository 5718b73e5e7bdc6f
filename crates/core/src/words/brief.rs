//! One agent in few words.

use crate::status::{ExitKind, Headline, Outcome, OutcomeKind};
use crate::timeline::Entry;
use crate::wire::{AgentDoc, LocationDoc, ProcessDoc, PromptDoc};
use std::borrow::Cow;

/// Where to find it: its pane, its container, its process, or its folder.
pub fn location<'a>(agent: &'a AgentDoc<'_>, home: Option<&str>) -> Cow<'a, str> {
    match (spot(agent), &agent.cwd) {
        (Some(spot), _) => spot.into(),
        (None, Some(cwd)) => tilde(cwd, home),
        (None, None) => Cow::Borrowed("-"),
    }
}

/// The same without its folder, where that is all that is known. A process that has ended is nowhere to be found,
/// and its number may be another's; its pane may still show its last words.
pub fn spot(agent: &AgentDoc) -> Option<String> {
    if let Some(pane) = pane(&agent.location) {
        return Some(format!("tmux {pane}"));
    }
    if let Some(container) = &agent.location.container {
        return Some(format!("in {container}"));
    }
    let is_over = matches!(&*agent.process.state, "exited" | "suspended");
    let pid = agent.location.pid.filter(|_| !is_over)?;
    Some(format!("pid {pid}"))
}

/// Its pane of tmux, with the server where that is not the usual one: `%5 on work`.
pub fn pane(location: &LocationDoc) -> Option<Cow<'_, str>> {
    let pane = location.tmux.as_deref()?;
    Some(match &location.tmux_server {
        None => pane.into(),
        Some(server) => format!("{pane} on {server}").into(),
    })
}

/// A path with the home folder as `~`.
pub fn tilde<'a>(path: &'a str, home: Option<&str>) -> Cow<'a, str> {
    let rest = home.and_then(|home| path.strip_prefix(home));
    match rest {
        Some("") => Cow::Borrowed("~"),
        Some(rest) if rest.starts_with('/') => format!("~{rest}").into(),
        _ => Cow::Borrowed(path),
    }
}

/// What is true beside the headline: `stale`, `still working`, `+1 prompt`, `+2 agents`.
pub fn marks(agent: &AgentDoc) -> Vec<String> {
    let mut marks = Vec::new();
    if agent.stale {
        marks.push("stale".to_owned());
    }
    if agent.headline == Headline::Blocked && agent.turn.state == "working" {
        marks.push("still working".to_owned());
    }
    marks.extend(count(agent.prompts.len().saturating_sub(1), "prompt"));
    marks.extend(count(agent.background.subagents, "agent"));
    marks.extend(count(agent.background.shells, "shell"));
    marks
}

fn count<N: TryInto<u64>>(count: N, noun: &str) -> Option<String> {
    match count.try_into().unwrap_or(u64::MAX) {
        0 => None,
        1 => Some(format!("+1 {noun}")),
        more => Some(format!("+{more} {noun}s")),
    }
}

/// What the agent is about, in its own words.
pub fn brief<'a>(agent: &'a AgentDoc<'_>) -> Option<Cow<'a, str>> {
    let detail = agent.turn.detail.as_deref().map(Cow::Borrowed);
    match agent.headline {
        Headline::Blocked => blocked_on(agent).or(detail),
        Headline::Crashed | Headline::Ended => {
            let asked = agent.prompts.first().map(question);
            let parts = [left(agent), Some(ending(&agent.process)), asked];
            Some(parts.into_iter().flatten().collect::<Vec<_>>().join("; ").into())
        }
        Headline::Failed => failure(agent).or(detail),
        Headline::Review => stage_message(agent),
        // Of its turns nobody knows: what it says of its work itself is all there is.
        Headline::Unknown => {
            reported(agent).map(Cow::Owned).or(detail).or_else(|| last_activity(agent))
        }
        Headline::Working => {
            let reason = || agent.turn.reason.as_deref().map(Cow::Borrowed);
            doing(agent).or(detail).or_else(reason)
        }
        _ => detail.or_else(|| last_activity(agent)),
    }
}

/// Where its workflow stands, and what was said with that.
fn reported(agent: &AgentDoc) -> Option<String> {
    let status = agent.stage.as_ref()?;
    let stage = status.stage.word().replace('_', " ");
    Some(match &status.message {
        Some(message) => format!("{stage}: {message}"),
        None => stage,
    })
}

fn stage_message<'a>(agent: &'a AgentDoc<'_>) -> Option<Cow<'a, str>> {
    agent.stage.as_ref()?.message.as_deref().map(Cow::Borrowed)
}

/// What it did last, where nothing newer is known than that.
fn doing<'a>(agent: &'a AgentDoc<'_>) -> Option<Cow<'a, str>> {
    let entry = agent.last_activity.as_ref()?;
    let detail = agent.turn.detail.as_ref();
    let same = detail.is_none_or(|detail| entry.tool.as_deref() == Some(detail));
    if same { activity(entry).map(shortened) } else { None }
}

/// Characters of an action that stand in a list: its log has the whole, which may be a summary of thousands.
const LISTED: usize = 200;

fn shortened(text: Cow<'_, str>) -> Cow<'_, str> {
    match text.char_indices().nth(LISTED) {
        None => text,
        Some(_) => text.chars().take(LISTED - 1).chain(['…']).collect::<String>().into(),
    }
}

/// The oldest open prompt; else what the turn or the stage says.
fn blocked_on<'a>(agent: &'a AgentDoc<'_>) -> Option<Cow<'a, str>> {
    let Some(prompt) = agent.prompts.first() else {
        return match (&agent.turn.reason, &agent.turn.detail) {
            (Some(reason), Some(detail)) if agent.turn.state == "blocked" => {
                Some(format!("{reason}: {detail}").into())
            }
            (Some(reason), None) if agent.turn.state == "blocked" => Some(Cow::Borrowed(reason)),
            _ => stage_message(agent),
        };
    };
    Some(question(prompt).into())
}

fn question(prompt: &PromptDoc) -> String {
    let helper = if prompt.subagent.is_some() { " [a helper asks]" } else { "" };
    format!("{}: {}{helper}", prompt.kind.word(), prompt.title)
}

fn failure<'a>(agent: &'a AgentDoc<'_>) -> Option<Cow<'a, str>> {
    let code = agent.outcome.as_ref()?.code.as_deref()?;
    Some(match &agent.turn.detail {
        Some(detail) if code != detail => format!("{code}: {detail}").into(),
        _ => Cow::Borrowed(code),
    })
}

/// How the last turn of one ended that has ended itself, where its person has still to hear of that.
fn left(agent: &AgentDoc) -> Option<String> {
    let kind = agent.left_unseen()?;
    match kind {
        OutcomeKind::Completed => Some(Headline::Done.word().to_owned()),
        _ => agent.outcome.as_ref().map(outcome),
    }
}

/// How a process ended, in words.
pub fn ending(process: &ProcessDoc) -> String {
    let kind = process.kind.map_or("ended", |kind| match kind {
        ExitKind::Clean => "left by itself",
        ExitKind::Crashed => "crashed",
        ExitKind::OomKilled => "killed for want of memory",
        ExitKind::Killed => "stopped",
        ExitKind::Lost => "lost",
        ExitKind::Unspecified => "ended",
    });
    match (process.signal, process.code) {
        (Some(signal), _) => format!("{kind} (signal {signal})"),
        (None, Some(code)) if code != 0 => format!("{kind} (exit code {code})"),
        _ => kind.to_owned(),
    }
}

/// What it did, in one line.
pub fn activity(entry: &Entry) -> Option<Cow<'_, str>> {
    match (&entry.tool, &entry.action) {
        (Some(tool), Some(action)) => Some(format!("{tool}: {action}").into()),
        (Some(tool), None) => Some(Cow::Borrowed(tool)),
        (None, Some(action)) => Some(Cow::Borrowed(action)),
        (None, None) => None,
    }
}

fn last_activity<'a>(agent: &'a AgentDoc<'_>) -> Option<Cow<'a, str>> {
    activity(agent.last_activity.as_ref()?).map(shortened)
}

/// How a turn ended.
pub fn outcome(outcome: &Outcome) -> String {
    match &outcome.code {
        Some(code) => format!("{} ({code})", outcome.kind.word()),
        None => outcome.kind.word().to_owned(),
    }
}

/// What is asked, and by which helper.
pub fn prompt(prompt: &PromptDoc) -> String {
    let helper = prompt.subagent.as_deref().map(|id| format!(" [helper {id} asks]"));
    format!("{}: {}{}", prompt.kind.word(), prompt.title, helper.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::{self, Said};
    use crate::id::AgentId;
    use crate::observation::{Delivery, Fact, Observation, ProcessFact, Reported, ReportedTurn};
    use crate::seat::Seat;
    use crate::source::Source;
    use crate::status::{Attach, WorkingReason};
    use crate::time::UnixMs;
    use crate::workflow::{By, Stage};

    fn told(seat: &mut Seat, fact: Fact, at: UnixMs) {
        let observation = Observation {
            at,
            delivery: Delivery::Live,
            source: Source::Report,
            session: None,
            process: None,
            made_at: None,
            name: "report".to_owned(),
            fact,
        };
        gate::admit(seat, &observation);
    }

    #[test]
    fn what_it_did_is_shown_short_enough_for_a_line() {
        let whole = "é".repeat(LISTED);
        assert_eq!(shortened(Cow::Borrowed(&whole)), whole);
        let mut seat = Seat::new(AgentId::new("p").unwrap(), "custom", Source::Report, UnixMs(0));
        let action = Some("é".repeat(4_000));
        let entry = Entry { ts: UnixMs(0), tool: None, action, state: "idle".into() };
        for turn in [ReportedTurn::Working(WorkingReason::Model), ReportedTurn::Idle] {
            let reported =
                Reported { turn: Some(turn), detail: None, outcome: None, process: None };
            told(&mut seat, Fact::Reported(reported), UnixMs(1));
            seat.last_activity = Some(entry.clone());
            let brief = brief(&seat.doc()).unwrap().into_owned();
            assert_eq!(brief, "é".repeat(LISTED - 1) + "…");
        }
    }

    #[test]
    fn a_process_that_has_ended_is_no_place_to_find_anything() {
        let seat = Seat::new(AgentId::new("p").unwrap(), "custom", Source::Report, UnixMs(0));
        let mut agent = seat.doc();
        agent.cwd = Some("/home/ada/shop".into());
        agent.location.pid = Some(4_242);
        for (state, tmux, place) in [
            ("running", None, "pid 4242"),
            ("exited", None, "~/shop"),
            ("suspended", None, "~/shop"),
            ("exited", Some("%5"), "tmux %5"),
        ] {
            agent.process.state = state.into();
            agent.location.tmux = tmux.map(Into::into);
            assert_eq!(location(&agent, Some("/home/ada")), place, "{state}");
        }
        (agent.cwd, agent.location.tmux) = (None, None);
        assert_eq!((location(&agent, None), spot(&agent)), ("-".into(), None));
    }

    /// As one that speaks by its tools alone.
    #[test]
    fn of_whose_turns_nobody_knows_its_own_word_is_shown() {
        let now = UnixMs(1_000);
        let mut seat = Seat::new(AgentId::new("mz").unwrap(), "custom", Source::Report, now);
        let running = ProcessFact::Running { attach: Attach::Interactive, restored: false };
        told(&mut seat, Fact::Process(running), now);
        assert_eq!((seat.headline(), brief(&seat.doc())), (Headline::Unknown, None));
        for (stage, message, expected) in [
            (Stage::Started, None, "started"),
            (Stage::Working, Some("Writing it"), "working: Writing it"),
            (Stage::AwaitingReview, Some("Look"), "awaiting review: Look"),
            (Stage::Completed, Some("All of it"), "completed: All of it"),
        ] {
            let said = Said { message, ..Said::default() };
            gate::set_stage(&mut seat, stage, By::Agent, &said, now).unwrap();
            assert_eq!(seat.headline(), Headline::Unknown);
            assert_eq!(brief(&seat.doc()).as_deref(), Some(expected));
        }
        // What is observed comes first as soon as there is anything.
        let turn = Some(ReportedTurn::Working(WorkingReason::Tool));
        let detail = Some("Bash".to_owned());
        let reported = Reported { turn, detail, outcome: None, process: None };
        told(&mut seat, Fact::Reported(reported), now);
        assert_eq!(
            (seat.headline(), brief(&seat.doc()).as_deref()),
            (Headline::Working, Some("Bash"))
        );
    }
}
