//! Lines out of a stream of any size, each cut down to what may matter of it.
//!
//! A message may hold a picture or a file of many megabytes, and what decides may stand behind it.
//! So long strings, long lists and deep nesting are left out while the bytes go by. Of a message that is long
//! even so only those members are kept that somebody reads: how many others there are, and where they stand,
//! makes no difference. What is kept of a line is JSON as before, and small.

use super::message;
use crate::{claude_code, codex, gemini_cli, opencode};
use memchr::{memchr, memchr2};

/// Bytes of a string that are kept.
pub(crate) const STRING: usize = 2_048;
/// Elements of a list that are kept, but for the messages of a batch.
const ITEMS: usize = 64;
/// Objects and lists within each other that are kept.
const DEEPEST: usize = 8;
/// Bytes of a message that are kept; a line with one that is longer even so is not whole.
const LONGEST: usize = 128 << 10;
/// Bytes of a line that are kept, where it is a batch.
const BATCH: usize = 4 << 20;
/// From here on a message is thrifty: what says what it is still fits, however much stands before.
const THRIFTY: usize = LONGEST / 2;
/// Then lists are kept that are no further in than this: one in what a message's parameters tell.
const SHALLOW: usize = 4;
/// Then bytes of a string that are kept, but of an id.
const SHORT: usize = 256;

/// What an answer and a session are known by.
const IDS: [&str; 4] = ["id", "requestId", "request_id", "sessionId"];

/// The names of all members that somebody reads.
const WANTED: [&[&[&str]]; 6] = [
    message::WANTED,
    claude_code::stream::WANTED,
    codex::stream::WANTED,
    codex::app_server::WANTED,
    gemini_cli::stream::WANTED,
    opencode::stream::WANTED,
];

/// A line, cut down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    pub(crate) text: &'a [u8],
    /// It has an end that is not kept.
    pub(crate) is_cut: bool,
}

/// Where a stream stands.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines {
    kept: Vec<u8>,
    is_cut: bool,
    at: At,
    depth: usize,
    /// 1 in a batch: there a message is an element of a list.
    base: usize,
    /// Where the message begins that we are in: behind those before it in a batch.
    from: usize,
    /// Elements so far of each list that we are in; of an object nothing.
    items: [Option<usize>; DEEPEST + 1],
    /// Where the member of an object begins that we are in.
    member: Option<usize>,
    /// The outermost value that we are in and nobody reads: its depth, and where it begins.
    aside: Option<(usize, usize)>,
    /// Nothing is kept until what is open at this depth is closed.
    skips: Option<usize>,
    /// Nothing is kept until the next member of the object at this depth.
    passes: Option<usize>,
    /// Bytes of the string that we are in which are kept.
    room: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum At {
    #[default]
    Between,
    /// In a string, of which so many bytes are kept.
    String { length: usize },
    /// Behind a backslash.
    Escape { length: usize },
    /// Among the digits of an escape.
    Digits { length: usize, left: u8 },
}

impl Lines {
    /// Takes the next piece of the stream, and gives out every line that ends in it.
    pub(crate) fn feed(&mut self, piece: &[u8], mut line: impl FnMut(Line<'_>)) {
        let mut rest = piece;
        while let Some(end) = memchr(b'\n', rest) {
            self.take(&rest[..end]);
            self.finish(&mut line);
            rest = &rest[end + 1..];
        }
        self.take(rest);
    }

    /// What the stream has ended with is a line too.
    pub(crate) fn finish(&mut self, mut line: impl FnMut(Line<'_>)) {
        let text = self.kept.trim_ascii();
        if !text.is_empty() {
            line(Line { text, is_cut: self.is_cut });
        }
        let mut kept = std::mem::take(&mut self.kept);
        kept.clear();
        kept.shrink_to(LONGEST);
        *self = Self { kept, ..Self::default() };
    }

    fn take(&mut self, mut bytes: &[u8]) {
        while let Some(&byte) = bytes.first() {
            let taken = match self.at {
                // A file that was cut short, by somebody who writes on where it was, begins with a hole.
                At::Between if byte == 0 && self.kept.is_empty() => {
                    bytes.iter().position(|byte| *byte != 0).unwrap_or(bytes.len())
                }
                At::Between => {
                    self.between(byte);
                    1
                }
                At::String { length } => self.string(length, bytes),
                At::Escape { length } => {
                    self.keep_of_string(length, byte);
                    self.at = match byte {
                        b'u' => At::Digits { length, left: 4 },
                        _ => At::String { length: length + 2 },
                    };
                    1
                }
                At::Digits { length, left } => {
                    self.keep_of_string(length, byte);
                    self.at = match left {
                        2.. => At::Digits { length, left: left - 1 },
                        _ => At::String { length: length + 6 },
                    };
                    1
                }
            };
            bytes = &bytes[taken..];
        }
    }

    /// Up to the next byte of the string that means something.
    fn string(&mut self, length: usize, bytes: &[u8]) -> usize {
        let run = memchr2(b'"', b'\\', bytes).unwrap_or(bytes.len());
        if run > 0 {
            let room = self.room.saturating_sub(length).min(run);
            self.keep(&bytes[..room]);
            self.at = At::String { length: length + room };
            return run;
        }
        if bytes[0] == b'"' {
            self.keep(b"\"");
            self.at = At::Between;
        } else {
            // An escape is kept whole or not at all.
            self.keep_of_string(length, b'\\');
            self.at = At::Escape { length };
        }
        1
    }

    fn keep_of_string(&mut self, length: usize, byte: u8) {
        if length < self.room {
            self.keep(&[byte]);
        }
    }

    fn between(&mut self, byte: u8) {
        match byte {
            b'"' => {
                self.at = At::String { length: 0 };
                self.room = if self.is_thrifty() && !self.is_id() { SHORT } else { STRING };
                self.keep(b"\"");
            }
            b'{' | b'[' => {
                self.keep(&[byte]);
                self.depth += 1;
                if !self.is_hidden() {
                    self.opens(byte == b'[');
                }
            }
            b'}' | b']' => {
                self.closes();
                self.keep(&[byte]);
            }
            b',' => self.goes_on(),
            b':' if self.is_unread() => {}
            _ => self.keep(&[byte]),
        }
    }

    /// In a new object or list.
    fn opens(&mut self, is_list: bool) {
        if self.depth == 1 {
            self.base = usize::from(is_list);
        }
        let begins = self.kept.len();
        let member = if is_list { None } else { Some(begins) };
        let of = std::mem::replace(&mut self.member, member);
        if self.aside.is_none() && of.is_some_and(|of| !is_wanted(&self.kept[of..])) {
            self.aside = Some((self.depth, begins));
        }
        match self.items.get_mut(self.depth) {
            Some(items) => *items = is_list.then_some(1),
            None => self.skips = Some(self.depth),
        }
        let is_far_in = is_list && self.depth > self.base + SHALLOW;
        if !self.leaves_aside() && is_far_in && self.is_thrifty() {
            self.skips = Some(self.depth);
        }
    }

    fn closes(&mut self) {
        let is_here = |depth: Option<usize>| depth == Some(self.depth);
        let (skips, passes) = (is_here(self.skips), is_here(self.passes));
        let aside = is_here(self.aside.map(|(depth, _)| depth));
        self.skips = self.skips.filter(|_| !skips);
        self.passes = self.passes.filter(|_| !passes);
        self.aside = self.aside.filter(|_| !aside);
        self.member = None;
        self.depth = self.depth.saturating_sub(1);
    }

    /// At a comma: what comes now is another element or member.
    fn goes_on(&mut self) {
        if self.passes == Some(self.depth) {
            self.passes = None;
        }
        if self.is_hidden() || self.leaves_aside() {
            return;
        }
        match self.items.get_mut(self.depth) {
            Some(Some(_)) if self.depth == self.base => {
                self.keep(b",");
                self.from = self.kept.len();
            }
            Some(Some(items)) if *items >= ITEMS => self.skips = Some(self.depth),
            Some(Some(items)) => {
                *items += 1;
                self.keep(b",");
            }
            _ => {
                self.member = (self.depth > 0).then_some(self.kept.len());
                // All that was before may be passed over.
                if self.kept.last() != Some(&b'{') {
                    self.keep(b",");
                }
            }
        }
    }

    /// At a colon: is the member one that is passed over, because the message is long and nobody reads it?
    fn is_unread(&mut self) -> bool {
        if self.is_hidden() || !self.is_thrifty() || self.leaves_aside() {
            return self.is_hidden();
        }
        let unread = self.member.filter(|member| !is_wanted(&self.kept[*member..]));
        if let Some(member) = unread {
            self.kept.truncate(member);
            self.passes = Some(self.depth);
        }
        unread.is_some()
    }

    /// A message that has become too long loses what it has of a value that nobody reads, and gets no more of
    /// it. True if there is one.
    fn leaves_aside(&mut self) -> bool {
        let aside = self.aside.filter(|_| self.is_thrifty());
        if let Some((depth, begins)) = aside {
            self.kept.truncate(begins);
            self.skips = Some(depth);
        }
        aside.is_some()
    }

    /// Are we in an id, or before it?
    fn is_id(&self) -> bool {
        let name = self.member.map(|member| name(&self.kept[member..]));
        name.is_some_and(|name| IDS.iter().any(|id| id.as_bytes() == name))
    }

    fn is_thrifty(&self) -> bool {
        self.kept.len().saturating_sub(self.from) > THRIFTY
    }

    fn is_hidden(&self) -> bool {
        self.skips.is_some() || self.passes.is_some()
    }

    fn keep(&mut self, bytes: &[u8]) {
        if self.is_hidden() {
            return;
        }
        let most = (self.from + LONGEST).min(BATCH);
        let room = most.saturating_sub(self.kept.len()).min(bytes.len());
        self.kept.extend_from_slice(&bytes[..room]);
        self.is_cut |= room < bytes.len();
    }
}

/// The name of the member that begins there, as it is written.
fn name(member: &[u8]) -> &[u8] {
    member.split(|byte| *byte == b'"').nth(1).unwrap_or_default()
}

fn is_wanted(member: &[u8]) -> bool {
    let name = name(member);
    let mut wanted = WANTED.iter().copied().flatten().copied().flatten();
    wanted.any(|wanted| wanted.as_bytes() == name)
}

#[cfg(test)]
mod tests;
