//! HTML within Markdown: what is a quote there, code, or seen by nobody.

use super::code;

/// Elements whose text is that. What only folds it (`details`) is none.
const ELEMENTS: [&str; 11] = [
    "blockquote",
    "q",
    "pre",
    "code",
    "samp",
    "kbd",
    "tt",
    "script",
    "style",
    "textarea",
    "template",
];

/// What is no element, and what ends it.
const UNSEEN: [(&str, &str); 3] = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")];

/// What is open of all that.
#[derive(Default)]
pub(super) struct Html {
    /// How many of each element.
    elements: [usize; ELEMENTS.len()],
    /// What ends what nobody sees.
    until: Option<&'static str>,
}

impl Html {
    pub(super) fn is_open(&self) -> bool {
        self.until.is_some() || self.elements.iter().any(|open| *open > 0)
    }

    /// Reads on: one line.
    pub(super) fn read(&mut self, text: &str) {
        let mut code = code::spans(text).into_iter().peekable();
        let mut at = 0;
        loop {
            if let Some(end) = self.until {
                let Some(found) = text[at..].find(end) else { return };
                at += found + end.len();
                self.until = None;
            }
            let Some(found) = text[at..].find('<') else { return };
            at += found;
            while code.next_if(|span| span.end <= at).is_some() {}
            if let Some(span) = code.peek()
                && span.start <= at
            {
                at = span.end;
                continue;
            }
            let tag = &text[at..];
            let begins = |(begin, _): &&(&str, &str)| tag.starts_with(*begin);
            self.until = UNSEEN.iter().find(begins).map(|(_, end)| *end);
            if self.until.is_none() {
                self.tag(tag);
            }
            // `<!-->` is whole.
            at += if self.until.is_some() { 2 } else { 1 };
        }
    }

    /// What begins with `<`.
    fn tag(&mut self, tag: &str) {
        let is_end = tag.starts_with("</");
        let name = &tag[if is_end { 2 } else { 1 }..];
        let length = name.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let (name, behind) = name.split_at(length);
        let is_whole = match behind.chars().next() {
            Some('>') | None => true,
            Some(next) if is_end => next.is_whitespace() && behind.trim_start().starts_with('>'),
            Some(next) => next.is_whitespace() || next == '/',
        };
        let element = ELEMENTS.iter().position(|element| element.eq_ignore_ascii_case(name));
        if let Some(element) = element.filter(|_| is_whole) {
            let open = &mut self.elements[element];
            *open = if is_end { open.saturating_sub(1) } else { *open + 1 };
        }
    }
}
