//! Server-sent events, cut out of what comes.

use std::collections::VecDeque;

/// Of a line that is left out it is known by its first bytes whether it is empty.
const ENOUGH: usize = 2;

#[derive(Debug)]
pub(super) struct Reader {
    /// Bytes of a message at most.
    longest: usize,
    line: Vec<u8>,
    data: String,
    is_cut: bool,
    ready: VecDeque<String>,
}

impl Reader {
    pub(super) fn new(longest: usize) -> Self {
        let (line, data, ready) = (Vec::new(), String::new(), VecDeque::new());
        Self { longest, line, data, is_cut: false, ready }
    }

    pub(super) fn take(&mut self, piece: &[u8]) {
        let mut rest = piece;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            self.keep(&rest[..end]);
            rest = &rest[end + 1..];
            self.end_line();
        }
        self.keep(rest);
    }

    /// The data of the next message.
    pub(super) fn next(&mut self) -> Option<String> {
        self.ready.pop_front()
    }

    fn keep(&mut self, bytes: &[u8]) {
        self.is_cut |= self.line.len() + self.data.len() + bytes.len() > self.longest;
        let room = match self.is_cut {
            true => ENOUGH.saturating_sub(self.line.len()),
            false => bytes.len(),
        };
        self.line.extend_from_slice(&bytes[..room.min(bytes.len())]);
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        let line = line.strip_suffix('\r').unwrap_or(&line);
        if line.is_empty() {
            let data = std::mem::take(&mut self.data);
            if !std::mem::take(&mut self.is_cut) && !data.is_empty() {
                self.ready.push_back(data);
            }
        } else if self.is_cut {
            self.data = String::new();
        } else if let Some(data) = line.strip_prefix("data:") {
            if !self.data.is_empty() {
                self.data.push('\n');
            }
            self.data.push_str(data.strip_prefix(' ').unwrap_or(data));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(longest: usize, pieces: &[&str]) -> Vec<String> {
        let mut reader = Reader::new(longest);
        for piece in pieces {
            reader.take(piece.as_bytes());
        }
        std::iter::from_fn(|| reader.next()).collect()
    }

    #[test]
    fn messages_are_whole_however_they_come() {
        let text =
            ": hello\r\nevent: x\ndata: {\"a\":1}\r\n\r\n\n\ndata:one\ndata: two\n\ndata: cut";
        for size in [1, 2, 7, text.len()] {
            let mut reader = Reader::new(4_096);
            text.as_bytes().chunks(size).for_each(|piece| reader.take(piece));
            assert_eq!(reader.ready, ["{\"a\":1}", "one\ntwo"], "{size}");
        }
    }

    #[test]
    fn one_that_is_too_long_is_left_out_whole_and_the_next_is_there() {
        let (long, next) = ("x".repeat(64), "data: next\n\n");
        // It ends where it ends, also where a line of it that no room is left for comes at once.
        let message = format!("data: {long}\ndata: more\n\n");
        for pieces in
            [vec![&*message, next], vec!["data: ", &long, "\n", "data: more\n", "\r\n", next]]
        {
            assert_eq!(read(32, &pieces), ["next"], "{pieces:?}");
        }
        let two = format!("data: a\ndata: {long}\ndata: b\n\n");
        assert_eq!(read(32, &[&two, next]), ["next"]);
    }
}
