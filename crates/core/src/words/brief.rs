//! One agent in few words.

use crate::status::{ExitKind, Headline, Outcome};
use crate::timeline::Entry;
use crate::wire::{AgentDoc, ProcessDoc, PromptDoc};

/// Where to find it: its pane, its process, or its folder.
pub fn location(agent: &AgentDoc, home: Option<&str>) -> String {
    if let Some(pane) = &agent.location.tmux {
        return format!("tmux {pane}");
    }
    if let Some(container) = &agent.location.container {
        return format!("in {container}");
    }
    if let Some(pid) = agent.location.pid {
        return format!("pid {pid}");
    }
    agent.cwd.as_deref().map_or_else(|| "-".to_owned(), |cwd| tilde(cwd, home))
}

/// A path with the home folder as `~`.
pub fn tilde(path: &str, home: Option<&str>) -> String {
    let rest = home.and_then(|home| path.strip_prefix(home));
    match rest {
        Some("") => "~".to_owned(),
        Some(rest) if rest.starts_with('/') => format!("~{rest}"),
        _ => path.to_owned(),
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
pub fn brief(agent: &AgentDoc) -> Option<String> {
    let detail = agent.turn.detail.clone();
    match agent.headline {
        Headline::Blocked => blocked_on(agent).or(detail),
        Headline::Crashed | Headline::Ended => Some(ending(&agent.process)),
        Headline::Failed => failure(agent).or(detail),
        Headline::Review => agent.stage.as_ref().and_then(|stage| stage.message.clone()),
        Headline::Working => {
            doing(agent).or(detail).or_else(|| agent.turn.reason.as_deref().map(str::to_owned))
        }
        _ => detail.or_else(|| last_activity(agent)),
    }
}

/// What it did last, where nothing newer is known than that.
fn doing(agent: &AgentDoc) -> Option<String> {
    let entry = agent.last_activity.as_ref()?;
    let detail = agent.turn.detail.as_ref();
    let same = detail.is_none_or(|detail| entry.tool.as_deref() == Some(detail));
    if same { activity(entry) } else { None }
}

/// The oldest open prompt; else what the turn or the stage says.
fn blocked_on(agent: &AgentDoc) -> Option<String> {
    let Some(prompt) = agent.prompts.first() else {
        let message = agent.stage.as_ref().and_then(|stage| stage.message.clone());
        return match (&agent.turn.reason, &agent.turn.detail) {
            (Some(reason), Some(detail)) if agent.turn.state == "blocked" => {
                Some(format!("{reason}: {detail}"))
            }
            (Some(reason), None) if agent.turn.state == "blocked" => Some(reason.to_string()),
            _ => message,
        };
    };
    let mut text = format!("{}: {}", prompt.kind.word(), prompt.title);
    if prompt.subagent.is_some() {
        text.push_str(" [a helper asks]");
    }
    Some(text)
}

fn failure(agent: &AgentDoc) -> Option<String> {
    let code = agent.outcome.as_ref().and_then(|outcome| outcome.code.clone());
    match (code, agent.turn.detail.clone()) {
        (Some(code), Some(detail)) if code != detail => Some(format!("{code}: {detail}")),
        (Some(code), _) => Some(code),
        (None, _) => None,
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
pub fn activity(entry: &Entry) -> Option<String> {
    match (&entry.tool, &entry.action) {
        (Some(tool), Some(action)) => Some(format!("{tool}: {action}")),
        (Some(tool), None) => Some(tool.to_string()),
        (None, Some(action)) => Some(action.clone()),
        (None, None) => None,
    }
}

fn last_activity(agent: &AgentDoc) -> Option<String> {
    activity(agent.last_activity.as_ref()?)
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
