//! The roster as a table, in the order the hub gave it: who wants you most comes first.

use crate::output::line::Line;
use crate::output::table::{self, Table};
use crate::output::{Output, age, theme};
use headsup_core::status::Headline;
use headsup_core::time::UnixMs;
use headsup_core::wire::RowDoc;
use headsup_core::words;

const AGENT: usize = 2;
const KIND: usize = 3;
const WHERE: usize = 4;
/// What an agent is about needs this many columns at least.
const LEAST_WHAT: usize = 24;
const LEAST_NAME: usize = 8;
/// For a name that is longer than this no other column makes room.
const LONGEST_NAME: usize = 32;
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
pub(crate) fn table(agents: &[RowDoc], view: &View) -> Vec<Line> {
    let header = ["  STATUS", "AGE", "AGENT", "KIND", "WHERE", "WHAT"];
    let mut rows = vec![header.map(|text| Line::new().styled(theme::DIM, text))];
    rows.extend(agents.iter().map(|agent| {
        let place = tail(&words::tilde(&agent.place, view.home.as_deref()), LONGEST_PLACE);
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
    let widest = |column: usize| {
        let widest = rows.iter().map(|row| row[column].width()).max().unwrap_or(0);
        if column == AGENT { widest.min(LONGEST_NAME) } else { widest }
    };
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
    width.saturating_sub(others + table::GAP + LEAST_WHAT).max(LEAST_NAME)
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
    Line::new().styled(style, headline.glyph()).then(" ").styled(style, headline.word())
}

/// The id, with the name beside it where a person gave one.
fn name(agent: &RowDoc) -> Line {
    let id = Line::new().styled(theme::STRONG, agent.id.as_str());
    match &agent.name {
        None => id,
        Some(name) => id.styled(theme::DIM, format!(" ({name})")),
    }
}

/// Marks first, so that a long text never pushes them out of sight; then what it is about.
fn what(agent: &RowDoc) -> Line {
    let marks = Line::new().styled(theme::DIM, agent.marks.join(" "));
    match &agent.brief {
        None => marks,
        Some(subject) if marks.is_empty() => Line::plain(subject),
        Some(subject) => marks.styled(theme::DIM, " · ").then(subject),
    }
}

#[cfg(test)]
mod tests;
