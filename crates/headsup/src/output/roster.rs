//! The roster as a table, in the order the hub gave it: who wants you most comes first.

use crate::output::line::Line;
use crate::output::table::Table;
use crate::output::{Output, age, theme};
use headsup_core::status::Headline;
use headsup_core::time::UnixMs;
use headsup_core::wire::AgentDoc;
use headsup_core::words;

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
    let mut table = Table::new();
    let header = ["  STATUS", "AGE", "AGENT", "KIND", "WHERE", "WHAT"];
    table.row(header.iter().map(|text| Line::new().styled(theme::DIM, text)).collect());
    for agent in agents {
        table.row(vec![
            status(agent.headline),
            Line::plain(age::since(agent.since, view.now)),
            name(agent),
            Line::new().styled(theme::DIM, &agent.kind),
            Line::new().styled(theme::DIM, words::location(agent, view.home.as_deref())),
            what(agent),
        ]);
    }
    table.lines(view.width)
}

/// Glyph and word.
pub(crate) fn status(headline: Headline) -> Line {
    let style = theme::style(headline);
    Line::new().styled(style, headline.glyph()).then(" ").styled(style, headline.word())
}

/// The id, with the name beside it where a person gave one.
fn name(agent: &AgentDoc) -> Line {
    let id = Line::new().styled(theme::STRONG, agent.id.as_str());
    if agent.name == agent.id.as_str() || agent.name.is_empty() {
        return id;
    }
    id.styled(theme::DIM, format!(" ({})", agent.name))
}

/// Marks first, so that a long text never pushes them out of sight; then what it is about.
fn what(agent: &AgentDoc) -> Line {
    let marks = Line::new().styled(theme::DIM, words::marks(agent).join(" "));
    match words::brief(agent) {
        None => marks,
        Some(subject) if marks.is_empty() => Line::plain(subject),
        Some(subject) => marks.styled(theme::DIM, " · ").then(subject),
    }
}

#[cfg(test)]
mod tests;
