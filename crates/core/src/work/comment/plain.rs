//! The lines of a Markdown text that are its author's own words: no quote, no code, and nothing hidden.
//!
//! What a line is, is decided as `CommonMark` does, but for what would take a whole reader of it: where it is in doubt,
//! the line is none of them.

use super::code::Paragraph;
use super::html::Html;

/// Columns from which on a line is code, or a part of what stands before it.
const CODE: usize = 4;

/// In their order, without the white space around them.
pub(super) fn lines(body: &str) -> Vec<&str> {
    let mut reader = Reader::default();
    for line in body.lines() {
        let line = line.trim_end_matches('\r');
        // Some readers end a line there, too.
        if line.contains('\r') || !reader.read(line) {
            break;
        }
    }
    reader.end_paragraph();
    reader.plain
}

#[derive(Default)]
struct Reader<'a> {
    plain: Vec<&'a str>,
    paragraph: Paragraph<'a>,
    fence: Option<Fence>,
    html: Html,
    /// A quote goes on until an empty line, also without its sign (`CommonMark` calls them lazy).
    is_quoted: bool,
    /// There was a list: what is indented behind it may be in one of its items.
    is_listed: bool,
}

impl<'a> Reader<'a> {
    /// False: nobody knows what the rest is.
    fn read(&mut self, line: &'a str) -> bool {
        let (indent, text) = indented(0, line);
        if let Some(fence) = &self.fence {
            // An item that is left takes its fence along.
            if indent < fence.floor && !text.is_empty() {
                return false;
            }
            if fence.is_closed_by(indent, text) {
                self.fence = None;
            }
            return true;
        }
        if text.is_empty() {
            self.end_paragraph();
            self.is_quoted = false;
            return true;
        }
        let (inner, rest) = if self.may_begin_an_item(indent, text) {
            behind_items(indent, text)
        } else {
            (indent, text)
        };
        self.is_listed |= inner > indent;
        if indent < CODE || self.is_listed {
            let floor = if self.is_listed { inner } else { 0 };
            if let Some(fence) = Fence::opened(rest, floor) {
                self.end_paragraph();
                self.fence = Some(fence);
                return true;
            }
        }
        self.is_quoted |= rest.starts_with('>');
        let is_code = indent >= CODE && self.paragraph.is_empty();
        if self.is_quoted || is_code {
            return true;
        }
        let is_plain = indent < CODE && !self.html.is_open();
        self.html.read(text);
        self.paragraph.push(text, is_plain);
        true
    }

    /// In the middle of a text only a list that begins with 1 begins.
    fn may_begin_an_item(&self, indent: usize, text: &str) -> bool {
        let is_number = text.starts_with(|c: char| c.is_ascii_digit());
        let is_first = text.starts_with("1.") || text.starts_with("1)");
        let begins = !is_number || is_first || self.paragraph.is_empty();
        self.is_listed || (indent < CODE && begins)
    }

    fn end_paragraph(&mut self) {
        self.plain.extend(std::mem::take(&mut self.paragraph).plain());
    }
}

/// Code between two lines of marks.
struct Fence {
    mark: char,
    length: usize,
    /// The column where the text of its item begins. What is nearer to the edge is not in the item.
    floor: usize,
}

impl Fence {
    fn opened(text: &str, floor: usize) -> Option<Self> {
        let mark = text.chars().next().filter(|mark| ['`', '~'].contains(mark))?;
        let length = text.chars().take_while(|c| *c == mark).count();
        // With more of them behind it is code within the line.
        let is_within = mark == '`' && text[length..].contains('`');
        (length >= 3 && !is_within).then_some(Self { mark, length, floor })
    }

    fn is_closed_by(&self, indent: usize, text: &str) -> bool {
        let is_mark = text.len() >= self.length && text.chars().all(|c| c == self.mark);
        is_mark && indent < self.floor + CODE
    }
}

/// The column in which the text begins, and the text. `column`: where the line begins.
fn indented(mut column: usize, line: &str) -> (usize, &str) {
    let text = line.trim_start_matches([' ', '\t']);
    for byte in line[..line.len() - text.len()].bytes() {
        column = if byte == b'\t' { column / 4 * 4 + 4 } else { column + 1 };
    }
    (column, text.trim_end_matches([' ', '\t']))
}

/// The same of what stands behind the signs of items of lists; as it is where there is none.
fn behind_items(mut column: usize, mut text: &str) -> (usize, &str) {
    while let Some(sign) = sign(text) {
        let begin = column + sign;
        (column, text) = indented(begin, &text[sign..]);
        // Farther away it is code.
        if text.is_empty() || column > begin + CODE {
            return (begin + 1, "");
        }
    }
    (column, text)
}

/// The length of the sign of an item: `-`, `+`, `*`, `1.` or `1)`.
fn sign(text: &str) -> Option<usize> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let length = match text.as_bytes().get(digits)? {
        b'-' | b'+' | b'*' if digits == 0 => 1,
        b'.' | b')' if (1..=9).contains(&digits) => digits + 1,
        _ => return None,
    };
    let behind = text[length..].chars().next();
    behind.is_none_or(|next| matches!(next, ' ' | '\t')).then_some(length)
}
