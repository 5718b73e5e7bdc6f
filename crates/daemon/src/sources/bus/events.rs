//! Server-sent events: the data of each, whole.

use super::client::Failed;
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use std::collections::VecDeque;

/// A longer message is left out: it is a conversation's text, and no status.
const LONGEST: usize = 4 << 20;

#[derive(Debug, Default)]
struct Reader {
    line: Vec<u8>,
    data: String,
    is_cut: bool,
    ready: VecDeque<String>,
}

#[derive(Debug)]
pub(super) struct Events {
    body: Incoming,
    reader: Reader,
}

impl Events {
    pub(super) fn new(body: Incoming) -> Self {
        Self { body, reader: Reader::default() }
    }

    /// The next message; an error at the stream's end. Nothing is lost if it is given up.
    pub(super) async fn next(&mut self) -> Result<String, Failed> {
        loop {
            if let Some(ready) = self.reader.ready.pop_front() {
                return Ok(ready);
            }
            let Some(Ok(frame)) = self.body.frame().await else { return Err(Failed::Silent) };
            if let Ok(piece) = frame.into_data() {
                self.reader.take(&piece);
            }
        }
    }
}

impl Reader {
    fn take(&mut self, piece: &[u8]) {
        let mut rest = piece;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            self.keep(&rest[..end]);
            rest = &rest[end + 1..];
            self.end_line();
        }
        self.keep(rest);
    }

    fn keep(&mut self, bytes: &[u8]) {
        match self.line.len() + self.data.len() + bytes.len() > LONGEST {
            true => self.is_cut = true,
            false => self.line.extend_from_slice(bytes),
        }
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

    #[test]
    fn messages_are_whole_however_they_come() {
        let text =
            ": hello\r\nevent: x\ndata: {\"a\":1}\r\n\r\n\n\ndata:one\ndata: two\n\ndata: cut";
        for size in [1, 2, 7, text.len()] {
            let mut reader = Reader::default();
            text.as_bytes().chunks(size).for_each(|piece| reader.take(piece));
            assert_eq!(reader.ready, ["{\"a\":1}", "one\ntwo"], "{size}");
        }
    }

    #[test]
    fn one_that_is_too_long_is_left_out_and_the_next_is_there() {
        let mut reader = Reader::default();
        reader.take(b"data: ");
        for _ in 0..=LONGEST / 1_024 {
            reader.take(&[b'x'; 1_024]);
        }
        reader.take(b"\n\ndata: next\n\n");
        assert_eq!(reader.ready, ["next"]);
    }
}
