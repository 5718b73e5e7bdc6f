//! Columns.

use crate::output::line::Line;

pub(crate) const GAP: usize = 2;

/// Rows whose cells stand under each other. The last column takes what is left of the line.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Vec<Line>>,
}

impl Table {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn row(&mut self, cells: Vec<Line>) {
        self.rows.push(cells);
    }

    /// The lines, none wider than `width` columns where a width is given.
    pub(crate) fn lines(self, width: Option<usize>) -> Vec<Line> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut widths = vec![0; columns];
        for row in &self.rows {
            for (cell, widest) in row.iter().zip(&mut widths) {
                *widest = cell.width().max(*widest);
            }
        }
        let compose = |row: Vec<Line>| {
            let last = row.len().saturating_sub(1);
            let mut line = Line::new();
            // A cell and its gap are two spans, about.
            let before: usize = widths.iter().take(last).map(|width| width + GAP).sum();
            line.reserve(before + row.last().map_or(0, Line::width), 2 * columns + 2);
            for (i, cell) in row.into_iter().enumerate() {
                let rest = if i == last { 0 } else { widths[i] + GAP - cell.width() };
                line = line.and(cell).spaces(rest);
            }
            match width {
                Some(width) => line.cut(width),
                None => line,
            }
        };
        self.rows.into_iter().map(compose).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_stand_under_each_other_and_the_last_one_is_cut() {
        let mut table = Table::new();
        table.row(vec![Line::plain("a"), Line::plain("long"), Line::plain("and the rest")]);
        table.row(vec![Line::plain("日本"), Line::new(), Line::plain("x")]);
        let lines: Vec<String> =
            table.lines(Some(16)).iter().map(|line| line.render(false)).collect();
        assert_eq!(lines, ["a     long  and…", "日本        x"]);
    }
}
