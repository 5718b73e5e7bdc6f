//! One line of output: spans of text, each with its style, none with control characters.

use crate::output::text;
use anstyle::Style;
use std::fmt::Write as _;

/// What lines are filled up with.
const SPACES: &str = "                                ";

/// Text on its way to a terminal. What goes in passes [`text::line`]; there is no other way in.
/// All of it lies in one piece: a table of ten thousand agents is made of sixty thousand of these.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    text: String,
    /// The style at its beginning.
    first: Style,
    /// Where another span begins, and its style.
    others: Vec<(usize, Style)>,
    /// Columns in a terminal.
    width: usize,
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
        self.push(style, &text::line(text.as_ref()));
        self
    }

    /// Adds all of `other`.
    #[must_use]
    pub(crate) fn and(mut self, other: Self) -> Self {
        for (style, text) in other.spans() {
            self.push(style, text);
        }
        self
    }

    /// Adds spaces until it is `columns` wide.
    #[must_use]
    pub(crate) fn pad(self, columns: usize) -> Self {
        let missing = columns.saturating_sub(self.width());
        self.spaces(missing)
    }

    /// Adds so many spaces.
    #[must_use]
    pub(crate) fn spaces(mut self, mut count: usize) -> Self {
        while count > 0 {
            let some = count.min(SPACES.len());
            self.push(Style::new(), &SPACES[..some]);
            count -= some;
        }
        self
    }

    fn push(&mut self, style: Style, text: &str) {
        if text.is_empty() {
            return;
        }
        let last = self.others.last().map_or(self.first, |(_, style)| *style);
        if self.text.is_empty() {
            self.first = style;
        } else if (last, style) != (Style::new(), Style::new()) {
            self.others.push((self.text.len(), style));
        }
        self.text.push_str(text);
        self.width += text::width(text);
    }

    /// Makes room for text of so many bytes in so many spans.
    pub(crate) fn reserve(&mut self, bytes: usize, spans: usize) {
        self.text.reserve(bytes);
        self.others.reserve(spans);
    }

    /// The text in stretches of one style; none is empty.
    fn spans(&self) -> impl Iterator<Item = (Style, &str)> {
        let begins = std::iter::once((0, self.first)).chain(self.others.iter().copied());
        let ends = self.others.iter().map(|(begin, _)| *begin).chain([self.text.len()]);
        let spans = begins.zip(ends).map(|((begin, style), end)| (style, &self.text[begin..end]));
        spans.filter(|(_, text)| !text.is_empty())
    }

    /// Columns in a terminal.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// At most `columns` wide, ending in `…` where something was cut.
    #[must_use]
    pub(crate) fn cut(self, columns: usize) -> Self {
        if self.width() <= columns {
            return self;
        }
        let mut left = columns;
        let mut kept = Self::new();
        for (style, span) in self.spans() {
            let width = text::width(span);
            // The span that fills the line to the brim is cut too: something follows it.
            if width < left {
                left -= width;
                kept.push(style, span);
                continue;
            }
            kept.push(style, &text::cut(&format!("{span}  "), left));
            break;
        }
        kept
    }

    /// The bytes for a terminal with colours, or without.
    pub(crate) fn render(&self, colour: bool) -> String {
        let mut out = String::new();
        self.write_to(&mut out, colour);
        out
    }

    /// The same, behind what is there already.
    pub(crate) fn write_to(&self, out: &mut String, colour: bool) {
        if !colour {
            out.push_str(self.text.trim_end_matches(' '));
            return;
        }
        let begin = out.len();
        for (style, text) in self.spans() {
            if style == Style::new() {
                out.push_str(text);
            } else {
                let _ = write!(out, "{style}{text}{style:#}");
            }
        }
        let length = out[begin..].trim_end_matches(' ').len();
        out.truncate(begin + length);
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
