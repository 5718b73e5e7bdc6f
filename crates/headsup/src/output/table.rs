//! Columns.

use crate::output::line::{End, Line};

/// Spaces between two columns.
pub(crate) const GAP: usize = 2;

/// Rows of cells, in `N` columns. The text of all of them lies in one piece, and a line is put
/// together when it is wanted: ten thousand agents are sixty thousand cells.
#[derive(Debug)]
pub(crate) struct Table<const N: usize> {
    text: Line,
    /// Where each cell ends, row by row.
    ends: Vec<End>,
    columns: [Column; N],
}

#[derive(Clone, Copy, Debug)]
struct Column {
    widest: usize,
    /// What is longer is cut.
    most: usize,
    hidden: bool,
}

impl<const N: usize> Table<N> {
    /// `colour`: its styles will be seen.
    pub(crate) fn new(colour: bool) -> Self {
        let column = Column { widest: 0, most: usize::MAX, hidden: false };
        let text = if colour { Line::new() } else { Line::without_styles() };
        Self { text, ends: Vec::new(), columns: [column; N] }
    }

    /// Adds the next cell: what `write` adds to the line.
    pub(crate) fn cell(&mut self, write: impl FnOnce(&mut Line)) {
        let before = self.text.end();
        write(&mut self.text);
        let end = self.text.end();
        let column = &mut self.columns[self.ends.len() % N];
        column.widest = column.widest.max(end.width_from(before));
        self.ends.push(end);
    }

    /// Columns that the widest cell of this column takes.
    pub(crate) fn widest(&self, column: usize) -> usize {
        self.columns[column].widest
    }

    pub(crate) fn is_hidden(&self, column: usize) -> bool {
        self.columns[column].hidden
    }

    pub(crate) fn hide(&mut self, column: usize) {
        self.columns[column].hidden = true;
    }

    /// Cuts the cells of this column to `most` columns.
    pub(crate) fn limit(&mut self, column: usize, most: usize) {
        self.columns[column].most = most;
    }

    /// Hands over line after line, each at most `width` wide.
    pub(crate) fn each_line(&self, width: Option<usize>, mut to: impl FnMut(&Line)) {
        let last = self.columns.iter().rposition(|column| !column.hidden);
        let mut begin = End::default();
        let mut line = Line::new();
        for row in self.ends.chunks_exact(N) {
            line.clear();
            for (index, (column, end)) in self.columns.iter().zip(row).enumerate() {
                let start = std::mem::replace(&mut begin, *end);
                if column.hidden {
                    continue;
                }
                let mut taken = end.width_from(start);
                if taken > column.most {
                    let mut cell = Line::new();
                    cell.push_part(&self.text, start, *end);
                    let cell = cell.cut(column.most);
                    taken = cell.width();
                    line.push_part(&cell, End::default(), cell.end());
                } else {
                    line.push_part(&self.text, start, *end);
                }
                if last != Some(index) {
                    line.push_spaces(column.widest.min(column.most) + GAP - taken);
                }
            }
            match width.filter(|width| line.width() > *width) {
                Some(width) => to(&line.clone().cut(width)),
                None => to(&line),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anstyle::Style;

    const BOLD: Style = Style::new().bold();

    fn table() -> Table<3> {
        let mut table = Table::new(true);
        let rows = [["a", "long", "and the rest"], ["日本", "", "x"]];
        for text in rows.into_iter().flatten() {
            table.cell(|cell| cell.push(Style::new(), text));
        }
        table
    }

    fn lines(table: &Table<3>, width: Option<usize>, colour: bool) -> Vec<String> {
        let mut lines = Vec::new();
        table.each_line(width, |line| lines.push(line.render(colour)));
        lines
    }

    #[test]
    fn cells_stand_under_each_other_and_the_last_one_is_cut() {
        assert_eq!(lines(&table(), Some(16), false), ["a     long  and…", "日本        x"]);
        assert_eq!(table().widest(0), 4);
    }

    #[test]
    fn a_column_is_hidden_or_cut_and_the_others_move_up() {
        let mut table = table();
        table.hide(1);
        table.limit(0, 3);
        assert_eq!(lines(&table, None, false), ["a    and the rest", "日…  x"]);
        table.hide(2);
        assert_eq!(lines(&table, None, false), ["a", "日…"]);
    }

    #[test]
    fn a_cell_keeps_its_colours_and_lends_them_to_nobody() {
        let mut table = Table::<3>::new(true);
        table.cell(|cell| cell.push(BOLD, "a"));
        table.cell(|cell| cell.push(BOLD, "b"));
        table.cell(|cell| {
            cell.push(Style::new(), "c");
            cell.push(BOLD, "d");
        });
        let bold = |text: &str| format!("{BOLD}{text}{BOLD:#}");
        let line = format!("{}  {}  c{}", bold("a"), bold("b"), bold("d"));
        assert_eq!(lines(&table, None, true), [line]);
    }
}
