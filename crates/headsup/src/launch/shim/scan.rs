//! What a program says to its terminal beside what it draws: a scanner that is pure, bounded, and
//! finds the same however the bytes are cut.
//!
//! It takes out of the stream exactly one thing, the query of OSC 7501 in its literal form,
//! `ESC ] 7501 ; ? ST` with ST as `ESC \` or `BEL`: we answer it ourselves, and a terminal that
//! answered as well would answer twice. Every other byte goes on unchanged. At a cut within what
//! may become a query, its bytes are held back until the next one decides: at most nine, which
//! show nothing until they are complete.
//!
//! It follows the parser of xterm: an `ESC` within a string ends it, unless it ends as `ESC \`;
//! CAN and SUB abort. Eight-bit controls are none, as in UTF-8. A doubled `ESC` within a string of
//! another kind (DCS, APC) stays in it, as tmux wraps what is meant for the terminal around it.

use std::mem::take;

const ESC: u8 = 0x1b;
const BEL: u8 = 0x07;
const QUERY: &[u8] = b"\x1b]7501;?";
/// Longer sequences are passed on and not read: OSC 7501 allows 4,096 bytes in all.
const LONGEST: usize = 4_096;

/// One thing that a program has told its terminal. The bytes are its own: raw, and of at most
/// 4,096.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Finding {
    /// It asks whether its status is understood. Taken out of the stream.
    Query,
    /// The body of a status report, OSC 7501.
    Status(Vec<u8>),
    /// A title, OSC 0 or 2.
    Title(Vec<u8>),
    /// Progress, the body of OSC 9 from `4;` on.
    Progress(Vec<u8>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Ground,
    Escape,
    /// `ESC` and intermediates, up to the final byte.
    Intermediate,
    Csi,
    Osc,
    OscEscape,
    /// DCS, SOS, PM or APC.
    Other,
    OtherEscape,
    OtherDoubled,
}

/// The scanner, between two pieces of a stream.
#[derive(Debug)]
pub(crate) struct Scanner {
    state: State,
    /// How many bytes of a query are held back: of [`QUERY`], then one `ESC`.
    held: usize,
    /// The string so far; one byte more than [`LONGEST`] where it is too long.
    body: Vec<u8>,
    /// The last bytes that were passed on: a character may not be complete.
    last: [u8; 3],
}

impl Scanner {
    pub(crate) fn new() -> Self {
        let body = Vec::with_capacity(LONGEST + 1);
        Self { state: State::Ground, held: 0, body, last: [0; 3] }
    }

    /// Takes the next piece in, appends what goes on to `out`, and tells what it has found.
    pub(crate) fn feed(
        &mut self,
        mut input: &[u8],
        out: &mut Vec<u8>,
        mut found: impl FnMut(Finding),
    ) {
        while let [byte, rest @ ..] = input {
            if self.state == State::Ground && *byte != ESC {
                let plain = input.iter().position(|byte| *byte == ESC).unwrap_or(input.len());
                self.pass(&input[..plain], out);
                input = &input[plain..];
            } else {
                self.step(*byte, out, &mut found);
                input = rest;
            }
        }
    }

    /// The end of the stream: what was held back goes on.
    pub(crate) fn finish(&mut self, out: &mut Vec<u8>) {
        self.release(out);
    }

    /// Whether nothing is under way: neither a sequence nor a character of several bytes. Here
    /// something else may be said to the terminal.
    pub(crate) fn is_at_rest(&self) -> bool {
        self.state == State::Ground && !is_cut(self.last)
    }

    fn step(&mut self, byte: u8, out: &mut Vec<u8>, found: &mut impl FnMut(Finding)) {
        let before = self.state;
        let is_end = matches!((before, byte), (State::Osc, BEL) | (State::OscEscape, b'\\'));
        self.state = if is_end { State::Ground } else { self.after(byte) };
        if is_end && self.held == QUERY.len() + usize::from(byte != BEL) {
            self.held = 0;
            found(Finding::Query);
            return;
        }
        self.hold_or_pass(before, byte, out);
        match (before, byte) {
            _ if is_end && self.body.len() <= LONGEST => {
                read(&self.body).into_iter().for_each(found);
            }
            (State::Osc, 0x20..) if self.body.len() <= LONGEST => self.body.push(byte),
            _ => {}
        }
    }

    /// The state after a byte.
    fn after(&mut self, byte: u8) -> State {
        use State::{Csi, Escape, Ground, Intermediate, Osc, OscEscape, Other};
        use State::{OtherDoubled, OtherEscape};
        match (self.state, byte) {
            (OtherDoubled, _) => Other,
            (_, 0x18 | 0x1a) => Ground,
            (Osc, ESC) => OscEscape,
            (Other, ESC) => OtherEscape,
            (OtherEscape, ESC) => OtherDoubled,
            (OtherEscape, b'\\') => Ground,
            (_, ESC) => Escape,
            (Osc | Other, _) => self.state,
            // The `ESC` of a string that it has ended begins another sequence.
            (Escape | OscEscape | OtherEscape, _) => self.after_escape(byte),
            (Intermediate, ..=0x2f) | (Csi, ..=0x3f) => self.state,
            (Ground | Intermediate | Csi, _) => Ground,
        }
    }

    fn after_escape(&mut self, byte: u8) -> State {
        match byte {
            b']' => {
                self.body.clear();
                State::Osc
            }
            b'[' => State::Csi,
            b'P' | b'X' | b'^' | b'_' => State::Other,
            0x20..=0x2f => State::Intermediate,
            ..=0x1f => State::Escape,
            _ => State::Ground,
        }
    }

    /// Passes a byte on, unless it may be the next one of a query.
    fn hold_or_pass(&mut self, before: State, byte: u8, out: &mut Vec<u8>) {
        if byte == ESC {
            // It ends the query, or else begins something, unless it is there twice.
            if before == State::Osc && self.held == QUERY.len() {
                self.held += 1;
                return;
            }
            self.release(out);
            match self.state {
                State::OtherDoubled | State::Other => self.pass(&[ESC], out),
                _ => self.held = 1,
            }
            return;
        }
        if self.held > QUERY.len() {
            self.pass(QUERY, out);
            self.held = 1;
        }
        if self.held > 0 && QUERY.get(self.held) == Some(&byte) {
            self.held += 1;
            return;
        }
        self.release(out);
        self.pass(&[byte], out);
    }

    fn release(&mut self, out: &mut Vec<u8>) {
        let held = take(&mut self.held);
        self.pass(&QUERY[..held.min(QUERY.len())], out);
        if held > QUERY.len() {
            self.pass(&[ESC], out);
        }
    }

    fn pass(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(bytes);
        for byte in bytes.iter().skip(bytes.len().saturating_sub(3)) {
            self.last.rotate_left(1);
            self.last[2] = *byte;
        }
    }
}

fn read(body: &[u8]) -> Option<Finding> {
    let at = body.iter().position(|byte| *byte == b';')?;
    let (number, rest) = (&body[..at], &body[at + 1..]);
    match number {
        b"7501" => Some(Finding::Status(rest.to_vec())),
        b"0" | b"2" => Some(Finding::Title(rest.to_vec())),
        b"9" if rest.starts_with(b"4;") => Some(Finding::Progress(rest.to_vec())),
        _ => None,
    }
}

/// Whether a stream that ends like this ends within a character of UTF-8.
fn is_cut(last: [u8; 3]) -> bool {
    for (after, byte) in last.iter().rev().enumerate() {
        match byte {
            0x80..=0xbf => {}
            0xc0..=0xdf => return after < 1,
            0xe0..=0xef => return after < 2,
            0xf0..=0xff => return after < 3,
            _ => return false,
        }
    }
    false
}

#[cfg(test)]
#[path = "scan/tests.rs"]
mod tests;
