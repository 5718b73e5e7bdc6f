//! The roster as a table, in the order the hub gave it: who wants you most comes first.

use crate::output::line::Line;
use crate::output::table::{self, Table};
use crate::output::{Output, age, theme};
use headsup_core::status::{ExitKind, Headline};
use headsup_core::time::UnixMs;
use headsup_core::wire::{AgentDoc, ProcessDoc};

const AGENT: usize = 2;
const KIND: usize = 3;
const WHERE: usize = 4;
/// What an agent is about needs this many columns at least.
const LEAST_WHAT: usize = 24;
const LEAST_NAME: usize = 8;
/// A folder is no wider than this.
const LONGEST_PLACE: usize = 32;

/// What the table needs to know beside the roster.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub(crate) now: UnixMs,
    /// The person's home folder, shown as `~`.
    pub(crate) home: Option<String>,
    pub(crate) width: Option<usize>,
}

impl View {
    /// The view of this moment, on this terminal.
    pub(crate) fn here() -> Self {
        let home = std::env::var("HOME").ok().filter(|home| !home.is_empty());
        Self { now: age::now(), home, width: Output::width() }
    }
}

/// A header and one line per agent.
pub(crate) fn table(agents: &[AgentDoc], view: &View) -> Vec<Line> {
    let header = ["  STATUS", "AGE", "AGENT", "KIND", "WHERE", "WHAT"];
    let mut rows = vec![header.map(|text| Line::new().styled(theme::DIM, text))];
    rows.extend(agents.iter().map(|agent| {
        let place = tail(&location(agent, view.home.as_deref()), LONGEST_PLACE);
        [
            status(agent.headline),
            Line::plain(age::since(agent.since, view.now)),
            name(agent),
            Line::new().styled(theme::DIM, &agent.kind),
            Line::new().styled(theme::DIM, place),
            what(agent),
        ]
    }));
    let shown = columns(&rows, view.width);
    let mut table = Table::new();
    let longest = longest_name(&rows, shown, view.width);
    for mut row in rows {
        row[AGENT] = std::mem::take(&mut row[AGENT]).cut(longest);
        let cells = row.into_iter().zip(shown).filter(|(_, shown)| *shown);
        table.row(cells.map(|(cell, _)| cell).collect());
    }
    table.lines(view.width)
}

/// On a narrow terminal, what an agent is about comes before where it is and of which kind.
fn columns<const N: usize>(rows: &[[Line; N]], width: Option<usize>) -> [bool; N] {
    let mut shown = [true; N];
    let widest = |column: usize| rows.iter().map(|row| row[column].width()).max().unwrap_or(0);
    for column in [WHERE, KIND] {
        let taken = (0..N - 1).filter(|at| shown[*at]).map(|at| widest(at) + table::GAP);
        let taken: usize = taken.sum();
        shown[column] = width.is_none_or(|width| taken + LEAST_WHAT <= width);
    }
    shown
}

/// How much of a name there is room for, so that something is left for what it is about.
fn longest_name<const N: usize>(
    rows: &[[Line; N]],
    shown: [bool; N],
    width: Option<usize>,
) -> usize {
    let Some(width) = width else { return usize::MAX };
    let widest = |column: usize| rows.iter().map(|row| row[column].width()).max().unwrap_or(0);
    let others = (0..N - 1).filter(|at| shown[*at] && *at != AGENT);
    let others: usize = others.map(|at| widest(at) + table::GAP).sum();
    width.saturating_sub(others + table::GAP + LEAST_WHAT / 2).max(LEAST_NAME)
}

/// The end of a text that is longer than `most`: of a path it tells more than its beginning.
fn tail(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    let end: String = text.chars().skip(length + 1 - most).collect();
    format!("…{end}")
}

/// Glyph and word.
pub(crate) fn status(headline: Headline) -> Line {
    let style = theme::style(headline);
    Line::new().styled(style, theme::glyph(headline)).then(" ").styled(style, headline.word())
}

/// The id, with the name beside it where a person gave one.
fn name(agent: &AgentDoc) -> Line {
    let id = Line::new().styled(theme::STRONG, agent.id.as_str());
    if agent.name == agent.id.as_str() || agent.name.is_empty() {
        return id;
    }
    id.styled(theme::DIM, format!(" ({})", agent.name))
}

/// Where to find it: its pane, its process, or its folder.
pub(crate) fn location(agent: &AgentDoc, home: Option<&str>) -> String {
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
pub(crate) fn tilde(path: &str, home: Option<&str>) -> String {
    let rest = home.and_then(|home| path.strip_prefix(home));
    match rest {
        Some("") => "~".to_owned(),
        Some(rest) if rest.starts_with('/') => format!("~{rest}"),
        _ => path.to_owned(),
    }
}

/// Marks first, so that a long text never pushes them out of sight; then what it is about.
fn what(agent: &AgentDoc) -> Line {
    let marks = Line::new().styled(theme::DIM, marks(agent).join(" "));
    match subject(agent) {
        None => marks,
        Some(subject) if marks.is_empty() => Line::plain(subject),
        Some(subject) => marks.styled(theme::DIM, " · ").then(subject),
    }
}

/// What is true beside the headline: `stale`, `still working`, `+1 prompt`, `+2 agents`.
pub(crate) fn marks(agent: &AgentDoc) -> Vec<String> {
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
fn subject(agent: &AgentDoc) -> Option<String> {
    let detail = agent.turn.detail.clone();
    match agent.headline {
        Headline::Blocked => blocked_on(agent).or(detail),
        Headline::Crashed | Headline::Ended => Some(ending(&agent.process)),
        Headline::Failed => failure(agent).or(detail),
        Headline::Review => agent.stage.as_ref().and_then(|stage| stage.message.clone()),
        Headline::Working => {
            detail.or_else(|| activity(agent)).or_else(|| agent.turn.reason.clone())
        }
        _ => detail.or_else(|| activity(agent)),
    }
}

/// The oldest open prompt; else what the turn or the stage says.
fn blocked_on(agent: &AgentDoc) -> Option<String> {
    let Some(prompt) = agent.prompts.first() else {
        let message = agent.stage.as_ref().and_then(|stage| stage.message.clone());
        return match (&agent.turn.reason, &agent.turn.detail) {
            (Some(reason), Some(detail)) if agent.turn.state == "blocked" => {
                Some(format!("{reason}: {detail}"))
            }
            (Some(reason), None) if agent.turn.state == "blocked" => Some(reason.clone()),
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
pub(crate) fn ending(process: &ProcessDoc) -> String {
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

fn activity(agent: &AgentDoc) -> Option<String> {
    let entry = agent.last_activity.as_ref()?;
    match (&entry.tool, &entry.action) {
        (Some(tool), Some(action)) => Some(format!("{tool}: {action}")),
        (Some(text), None) | (None, Some(text)) => Some(text.clone()),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests;
