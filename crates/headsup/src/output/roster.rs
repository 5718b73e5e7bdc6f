//! The roster as a table, in the order the hub gave it: who wants you most comes first.

use crate::output::line::Line;
use crate::output::{Output, age, table, text, theme};
use anstyle::Style;
use headsup_core::status::Headline;
use headsup_core::time::UnixMs;
use headsup_core::wire::RowDoc;
use headsup_core::words;

/// In another system's words, where they were asked for.
const VOCABULARY: usize = 1;
const AGENT: usize = 3;
const KIND: usize = 4;
const WHERE: usize = 5;
const WHAT: usize = 6;
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
    pub(crate) colour: bool,
}

impl View {
    /// The view of this moment, on this terminal.
    pub(crate) fn here(output: Output) -> Self {
        let home = std::env::var("HOME").ok().filter(|home| !home.is_empty());
        let colour = output.is_coloured();
        Self { now: age::now(), home, width: Output::width(), colour }
    }
}

/// A header and one line per agent.
pub(crate) struct Table {
    cells: table::Table<7>,
    view: View,
    is_empty: bool,
}

impl Table {
    pub(crate) fn new(view: View) -> Self {
        Self { cells: table::Table::new(view.colour), view, is_empty: true }
    }

    /// Adds the next agent. The first one tells whether there is a column in another system's words.
    pub(crate) fn add(&mut self, agent: &RowDoc<'_>) {
        if self.is_empty {
            let vocabulary = agent.vocabulary.as_ref();
            self.head(vocabulary.map(|said| said.name.to_uppercase()).as_deref());
            self.is_empty = false;
        }
        row(&mut self.cells, agent, &self.view);
    }

    fn head(&mut self, named: Option<&str>) {
        let title = named.unwrap_or_default();
        for title in ["  STATUS", title, "AGE", "AGENT", "KIND", "WHERE", "WHAT"] {
            self.cells.cell(|cell| cell.push(theme::DIM, title));
        }
        if named.is_none() {
            self.cells.hide(VOCABULARY);
        }
    }

    /// Whether no agent was added.
    pub(crate) fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// Hands over line after line, once every agent is there.
    pub(crate) fn each_line(mut self, to: impl FnMut(&Line)) {
        if self.is_empty {
            self.head(None);
        }
        self.make_room();
        self.cells.each_line(self.view.width, to);
    }

    /// On a narrow terminal, what an agent is about comes before where it is and of which kind; and
    /// a name leaves some room for it.
    fn make_room(&mut self) {
        let Some(width) = self.view.width else { return };
        for column in [WHERE, KIND] {
            let name = self.cells.widest(AGENT).min(LONGEST_NAME);
            let taken = self.others() + name + table::GAP;
            if taken + LEAST_WHAT > width {
                self.cells.hide(column);
            }
        }
        let left = width.saturating_sub(self.others() + table::GAP + LEAST_WHAT);
        self.cells.limit(AGENT, left.max(LEAST_NAME));
    }

    /// What all columns but the names and the last one take, with their gaps.
    fn others(&self) -> usize {
        let others = (0..WHAT).filter(|at| !self.cells.is_hidden(*at) && *at != AGENT);
        others.map(|at| self.cells.widest(at) + table::GAP).sum()
    }
}

fn row(table: &mut table::Table<7>, agent: &RowDoc<'_>, view: &View) {
    table.cell(|cell| push_status(cell, agent.headline));
    let said = agent.vocabulary.as_ref().map(|said| said.phrase()).unwrap_or_default();
    table.cell(|cell| cell.push(Style::new(), &said));
    table.cell(|cell| cell.push(Style::new(), &age::since(agent.since, view.now)));
    table.cell(|cell| push_name(cell, agent));
    table.cell(|cell| cell.push(theme::DIM, &agent.kind));
    let place = words::tilde(&agent.place, view.home.as_deref());
    table.cell(|cell| cell.push(theme::DIM, &text::tail(&place, LONGEST_PLACE)));
    table.cell(|cell| push_what(cell, agent));
}

/// Glyph and word.
pub(crate) fn status(headline: Headline) -> Line {
    let mut line = Line::new();
    push_status(&mut line, headline);
    line
}

fn push_status(line: &mut Line, headline: Headline) {
    let style = theme::style(headline);
    line.push(style, headline.glyph());
    line.push(Style::new(), " ");
    line.push(style, headline.word());
}

/// The id, with the name beside it where a person gave one.
fn push_name(line: &mut Line, agent: &RowDoc<'_>) {
    line.push(theme::STRONG, &agent.id);
    if let Some(name) = &agent.name {
        line.push(theme::DIM, &format!(" ({name})"));
    }
}

/// Marks first, so that a long text never pushes them out of sight; then what it is about.
fn push_what(line: &mut Line, agent: &RowDoc<'_>) {
    let marks = agent.marks.join(" ");
    line.push(theme::DIM, &marks);
    if let Some(subject) = &agent.brief {
        if !marks.is_empty() {
            line.push(theme::DIM, " · ");
        }
        line.push(Style::new(), subject);
    }
}

#[cfg(test)]
mod tests;
