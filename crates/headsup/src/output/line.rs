//! One line of output: spans of text, each with its style, none with control characters.

use crate::output::text;
use anstyle::Style;
use std::fmt::Write as _;

/// Text on its way to a terminal. What goes in passes [`text::line`]; there is no other way in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    spans: Vec<(Style, String)>,
}

impl Line {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// A line of plain text.
    pub(crate) fn plain(text: impl AsRef<str>) -> Self {
        Self::new().then(text)
    }

    /// Adds plain text.
    #[must_use]
    pub(crate) fn then(self, text: impl AsRef<str>) -> Self {
        self.styled(Style::new(), text)
    }

    /// Adds text in `style`.
    #[must_use]
    pub(crate) fn styled(mut self, style: Style, text: impl AsRef<str>) -> Self {
        let text = text::line(text.as_ref());
        if !text.is_empty() {
            self.spans.push((style, text.into_owned()));
        }
        self
    }

    /// Adds all of `other`.
    #[must_use]
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.spans.extend(other.spans);
        self
    }

    /// Adds spaces until it is `columns` wide.
    #[must_use]
    pub(crate) fn pad(self, columns: usize) -> Self {
        let missing = columns.saturating_sub(self.width());
        self.then(" ".repeat(missing))
    }

    /// Columns in a terminal.
    pub(crate) fn width(&self) -> usize {
        self.spans.iter().map(|(_, text)| text::width(text)).sum()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// At most `columns` wide, ending in `…` where something was cut.
    #[must_use]
    pub(crate) fn cut(self, columns: usize) -> Self {
        if self.width() <= columns {
            return self;
        }
        let mut left = columns;
        let mut spans = Vec::new();
        for (style, span) in self.spans {
            let width = text::width(&span);
            // The span that fills the line to the brim is cut too: something follows it.
            if width < left {
                left -= width;
                spans.push((style, span));
                continue;
            }
            let cut = text::cut(&format!("{span}  "), left).into_owned();
            spans.push((style, cut));
            break;
        }
        Self { spans }
    }

    /// The bytes for a terminal with colours, or without.
    pub(crate) fn render(&self, colour: bool) -> String {
        let mut out = String::new();
        for (style, text) in &self.spans {
            if colour && *style != Style::new() {
                let _ = write!(out, "{style}{text}{style:#}");
            } else {
                out.push_str(text);
            }
        }
        out.truncate(out.trim_end_matches(' ').len());
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOLD: Style = Style::new().bold();

    #[test]
    fn colour_is_an_extra_and_text_cannot_bring_its_own() {
        let line = Line::plain("a ").styled(BOLD, "\u{1b}[31mb");
        assert_eq!(line.render(false), "a [31mb");
        assert_eq!(line.render(true), "a \u{1b}[1m[31mb\u{1b}[0m");
    }

    #[test]
    fn a_line_is_cut_across_its_spans() {
        let line = Line::plain("abc").styled(BOLD, "def").then("ghi");
        assert_eq!(line.clone().cut(9).render(false), "abcdefghi");
        assert_eq!(line.clone().cut(7).render(false), "abcdef…");
        assert_eq!(line.clone().cut(6).render(false), "abcde…");
        assert_eq!(line.cut(2).render(false), "a…");
    }
}
