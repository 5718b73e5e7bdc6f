//! Code within lines: between two runs of as many backticks, also over several lines.

use std::collections::HashMap;
use std::ops::Range;

/// Backticks side by side.
struct Ticks {
    line: usize,
    at: usize,
    length: usize,
    /// So many can open code: behind a backslash the first one is a letter.
    opens: usize,
}

/// Lines that stand together.
#[derive(Default)]
pub(super) struct Paragraph<'a> {
    /// Nothing: it is nobody's word.
    lines: Vec<Option<&'a str>>,
    ticks: Vec<Ticks>,
}

impl<'a> Paragraph<'a> {
    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    pub(super) fn push(&mut self, text: &'a str, is_plain: bool) {
        self.ticks.extend(ticks(self.lines.len(), text));
        self.lines.push(is_plain.then_some(text));
    }

    /// The lines that begin in no code.
    pub(super) fn plain(self) -> Vec<&'a str> {
        let in_code = self.in_code();
        let lines = self.lines.into_iter().zip(in_code);
        lines.filter(|(_, in_code)| !in_code).filter_map(|(line, _)| line).collect()
    }

    /// Of each line whether it begins in code. Any line may be the first one of an item or of a heading, with
    /// which the search for code begins anew.
    fn in_code(&self) -> Vec<bool> {
        let ends = ends(&self.ticks);
        let mut in_code = vec![false; self.lines.len()];
        let mut opens = vec![false; self.ticks.len() + 1];
        let (mut line_before, mut marked) = (None, 0);
        for (at, ticks) in self.ticks.iter().enumerate() {
            let is_first = line_before != Some(ticks.line);
            line_before = Some(ticks.line);
            if !is_first && !opens[at] {
                continue;
            }
            let Some(end) = ends[at] else {
                opens[at + 1] = true;
                continue;
            };
            opens[end + 1] = true;
            let last = self.ticks[end].line;
            if let Some(lines) = in_code.get_mut(marked.max(ticks.line + 1)..=last) {
                lines.fill(true);
            }
            marked = marked.max(last + 1);
        }
        in_code
    }
}

/// Code that begins and ends in one line: the bytes of it.
pub(super) fn spans(text: &str) -> Vec<Range<usize>> {
    let ticks = ticks(0, text);
    let ends = ends(&ticks);
    let (mut spans, mut next) = (Vec::new(), 0);
    while let Some(first) = ticks.get(next) {
        if let Some(end) = ends[next] {
            let last = &ticks[end];
            spans.push(first.at..last.at + last.length);
            next = end;
        }
        next += 1;
    }
    spans
}

fn ticks(line: usize, text: &str) -> Vec<Ticks> {
    let mut found: Vec<Ticks> = Vec::new();
    for (at, _) in text.match_indices('`') {
        match found.last_mut() {
            Some(last) if last.at + last.length == at => {
                last.length += 1;
                last.opens += 1;
            }
            _ => {
                let escapes = text[..at].bytes().rev().take_while(|byte| *byte == b'\\').count();
                found.push(Ticks { line, at, length: 1, opens: 1 - escapes % 2 });
            }
        }
    }
    found
}

/// Which of these ends the code that begins with each.
fn ends(ticks: &[Ticks]) -> Vec<Option<usize>> {
    let mut next: HashMap<usize, usize> = HashMap::new();
    let mut ends = vec![None; ticks.len()];
    for (at, ticks) in ticks.iter().enumerate().rev() {
        ends[at] = next.get(&ticks.opens).copied();
        next.insert(ticks.length, at);
    }
    ends
}
