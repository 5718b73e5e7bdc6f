//! One message a line, cut out of what comes.

use super::frame::Bad;

/// As much of a line as has come: a read may be given up at any time.
#[derive(Debug)]
pub(super) struct Line {
    /// Bytes of a line at most, with its end.
    longest: usize,
    begun: Vec<u8>,
    is_too_long: bool,
}

impl Line {
    pub(super) fn new(longest: usize) -> Self {
        Self { longest, begun: Vec::new(), is_too_long: false }
    }

    /// Takes the next bytes up to the end of the line; how many, and the line where it is whole. What is too long
    /// is not kept.
    pub(super) fn take(&mut self, piece: &[u8]) -> (usize, Option<Result<Vec<u8>, Bad>>) {
        let end = piece.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(piece.len(), |end| end + 1);
        self.is_too_long |= self.begun.len() + taken > self.longest;
        if self.is_too_long {
            self.begun.clear();
        } else {
            self.begun.extend_from_slice(&piece[..end.unwrap_or(taken)]);
        }
        let line = end.map(|_| {
            let line = std::mem::take(&mut self.begun);
            if std::mem::take(&mut self.is_too_long) { Err(Bad::TooLong) } else { Ok(line) }
        });
        (taken, line)
    }
}
