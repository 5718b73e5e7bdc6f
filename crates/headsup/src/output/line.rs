//! One line of output: spans of text, each with its style, none with control characters.

use crate::output::text;
use anstyle::Style;
use std::fmt::Write as _;

/// What lines are filled up with.
const SPACES: &str = "                                ";

/// Text on its way to a terminal. What goes in passes [`text::line`]; there is no other way in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    text: String,
    /// The style at its beginning.
    first: Style,
    /// Where another span begins, and its style.
    others: Vec<(usize, Style)>,
    /// Columns in a terminal.
    width: usize,
    /// Nobody will see a style: none is kept.
    plain: bool,
}

/// A place in a line, between two of its letters.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct End {
    text: usize,
    spans: usize,
    width: usize,
}

impl End {
    /// Columns between a place before this one and this one.
    pub(crate) fn width_from(self, before: Self) -> usize {
        self.width - before.width
    }
}

impl Line {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// One that is never shown in colour.
    pub(crate) fn without_styles() -> Self {
        Self { plain: true, ..Self::default() }
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
        self.push(style, text.as_ref());
        self
    }

    /// Adds text in `style`.
    pub(crate) fn push(&mut self, style: Style, text: &str) {
        let (text, width) = text::line_and_width(text);
        self.put(style, &text, width);
    }

    /// Adds all of `other`.
    #[must_use]
    pub(crate) fn and(mut self, other: &Self) -> Self {
        self.push_part(other, End::default(), other.end());
        self
    }

    /// Where the next text will be.
    pub(crate) fn end(&self) -> End {
        End { text: self.text.len(), spans: self.others.len(), width: self.width }
    }

    /// Adds what stands between these places of another line.
    pub(crate) fn push_part(&mut self, other: &Self, from: End, to: End) {
        let begin = self.text.len();
        let Some(text) = other.text.get(from.text..to.text).filter(|text| !text.is_empty()) else {
            return;
        };
        let spans = &other.others[from.spans..to.spans];
        let begins_there = |(at, _): &&(usize, Style)| *at == from.text;
        let first = spans.first().filter(begins_there);
        // A span is only gone on with if it is plain.
        let before = if from.text == 0 { other.first } else { Style::new() };
        self.begin(first.map_or(before, |(_, style)| *style));
        if !self.plain {
            let rest = &spans[usize::from(first.is_some())..];
            self.others.extend(rest.iter().map(|(at, style)| (begin + at - from.text, *style)));
        }
        self.text.push_str(text);
        self.width += to.width - from.width;
    }

    /// Adds spaces until it is `columns` wide.
    #[must_use]
    pub(crate) fn pad(self, columns: usize) -> Self {
        let missing = columns.saturating_sub(self.width());
        self.spaces(missing)
    }

    /// Adds so many spaces.
    #[must_use]
    pub(crate) fn spaces(mut self, count: usize) -> Self {
        self.push_spaces(count);
        self
    }

    /// Adds so many spaces.
    pub(crate) fn push_spaces(&mut self, mut count: usize) {
        while count > 0 {
            let some = count.min(SPACES.len());
            self.put(Style::new(), &SPACES[..some], some);
            count -= some;
        }
    }

    fn put(&mut self, style: Style, text: &str, width: usize) {
        if text.is_empty() {
            return;
        }
        self.begin(style);
        self.text.push_str(text);
        self.width += width;
    }

    /// What comes next has this style.
    fn begin(&mut self, style: Style) {
        if self.plain {
            return;
        }
        let last = self.others.last().map_or(self.first, |(_, style)| *style);
        if self.text.is_empty() {
            self.first = style;
        } else if (last, style) != (Style::new(), Style::new()) {
            self.others.push((self.text.len(), style));
        }
    }

    /// Takes everything out.
    pub(crate) fn clear(&mut self) {
        (self.first, self.width) = (Style::new(), 0);
        self.text.clear();
        self.others.clear();
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
                kept.put(style, span, width);
                continue;
            }
            kept.push(style, &text::cut(&format!("{span}  "), left));
            break;
        }
        kept
    }

    /// In lines of at most `columns`, broken at spaces where there are any; those behind the first one are indented.
    /// What `most` lines have no room for is cut.
    pub(crate) fn folded(self, columns: usize, indent: usize, most: usize) -> Vec<Self> {
        // A terminal that is hardly wider has no room for it.
        let indent = if columns > 2 * indent { indent } else { 0 };
        let lead = self.text.len() - self.text.trim_start_matches(' ').len();
        let rest = match lead < columns {
            true => self,
            // Nothing of it would be seen beside what it is indented by.
            false => Self::new().spaces(indent).and(&self.part(lead, self.text.len())),
        };
        let (mut lines, mut rest) = (Vec::new(), rest);
        while rest.width() > columns && lines.len() + 1 < most {
            let end = rest.break_within(columns);
            let behind = &rest.text[end..];
            let begin = rest.text.len() - behind.trim_start_matches(' ').len();
            lines.push(rest.part(0, end));
            if begin == rest.text.len() {
                return lines;
            }
            rest = Self::new().spaces(indent).and(&rest.part(begin, rest.text.len()));
        }
        lines.push(rest.cut(columns));
        lines
    }

    /// Where its text is broken so that what stands before takes at most `columns`: at its last space, but for those
    /// that it begins with; within a word that is longer than that. One letter stands before in any case.
    fn break_within(&self, columns: usize) -> usize {
        let lead = self.text.len() - self.text.trim_start_matches(' ').len();
        let (mut taken, mut space) = (0, None);
        for (at, c) in self.text.char_indices() {
            taken += text::char_width(c);
            let is_space = c == ' ' && at > lead;
            if is_space {
                space = Some(at);
            }
            if taken > columns && at > lead {
                return space.unwrap_or(at);
            }
        }
        self.text.len()
    }

    /// What stands between two places of its text, in its styles.
    fn part(&self, from: usize, to: usize) -> Self {
        let mut part = Self { plain: self.plain, ..Self::default() };
        let mut begin = 0;
        for (style, span) in self.spans() {
            let end = begin + span.len();
            let (first, last) = (from.max(begin), to.min(end));
            if first < last {
                let text = &self.text[first..last];
                part.put(style, text, text::width(text));
            }
            begin = end;
        }
        part
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
    fn a_line_that_nobody_sees_in_colour_keeps_no_style() {
        let mut plain = Line::without_styles();
        plain.push(BOLD, "a");
        plain.push(Style::new(), " ");
        let styled = Line::plain("b").styled(BOLD, "c");
        plain.push_part(&styled, End::default(), styled.end());
        assert_eq!((plain.render(true).as_str(), plain.width()), ("a bc", 4));
        assert!(plain.others.is_empty());
    }

    #[test]
    fn a_line_is_cut_across_its_spans() {
        let line = Line::plain("abc").styled(BOLD, "def").then("ghi");
        assert_eq!(line.clone().cut(9).render(false), "abcdefghi");
        assert_eq!(line.clone().cut(7).render(false), "abcdef…");
        assert_eq!(line.clone().cut(6).render(false), "abcde…");
        assert_eq!(line.cut(2).render(false), "a…");
    }

    fn folded(line: &Line, columns: usize, most: usize) -> Vec<String> {
        let lines = line.clone().folded(columns, 2, most);
        assert!(lines.iter().all(|line| line.width() <= columns), "{lines:?}");
        lines.iter().map(|line| line.render(false)).collect()
    }

    #[test]
    fn a_line_is_folded_at_its_spaces_and_loses_nothing() {
        let line = Line::plain("drop the ").styled(BOLD, "whole database").then(" now");
        assert_eq!(folded(&line, 40, 9), ["drop the whole database now"]);
        assert_eq!(folded(&line, 27, 9), ["drop the whole database now"]);
        assert_eq!(folded(&line, 26, 9), ["drop the whole database", "  now"]);
        assert_eq!(folded(&line, 14, 9), ["drop the whole", "  database now"]);
        assert_eq!(folded(&line, 7, 9), ["drop", "  the", "  whole", "  datab", "  ase", "  now"]);
        assert_eq!(folded(&line, 7, 2), ["drop", "  the …"]);
        assert_eq!(folded(&Line::plain("drop the whole   "), 14, 9), ["drop the whole"]);
        let coloured = line.folded(14, 2, 9);
        assert_eq!(coloured[1].render(true), format!("  {BOLD}database{BOLD:#} now"));
    }

    #[test]
    fn a_line_is_folded_in_as_many_pieces_as_it_takes_on_any_terminal() {
        assert_eq!(folded(&Line::plain("   日本"), 7, 9), ["   日本"]);
        assert_eq!(folded(&Line::plain("日本語"), 5, 9), ["日本", "  語"]);
        // Where there is no room for a letter each has a line all the same.
        assert_eq!(Line::plain("  日本").folded(1, 2, 3).len(), 2);
        assert_eq!(folded(&Line::plain("          return x;"), 9, 9), ["  return", "  x;"]);
        assert_eq!(Line::plain("ab").folded(0, 2, 9).len(), 2);
    }
}
