//! Server-sent events, as far as the hub uses them. Bytes in, messages out.

use std::collections::VecDeque;

/// One message of the stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Frame {
    /// The cursor, where the message moved it.
    pub(crate) id: Option<String>,
    pub(crate) event: String,
    pub(crate) data: String,
}

/// Puts messages together from whatever pieces the connection brings.
#[derive(Debug, Default)]
pub(crate) struct Parser {
    rest: Vec<u8>,
    frame: Frame,
    has_data: bool,
    commented: bool,
}

impl Parser {
    /// Reads `bytes`; whole messages go to `ready`.
    pub(crate) fn feed(&mut self, bytes: &[u8], ready: &mut VecDeque<Frame>) {
        let mut bytes = bytes;
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            self.rest.extend_from_slice(&bytes[..end]);
            bytes = &bytes[end + 1..];
            let line = std::mem::take(&mut self.rest);
            let line = String::from_utf8_lossy(&line);
            self.line(line.strip_suffix('\r').unwrap_or(&line), ready);
        }
        self.rest.extend_from_slice(bytes);
    }

    /// Has a comment come since this was last asked?
    pub(crate) fn take_comment(&mut self) -> bool {
        std::mem::take(&mut self.commented)
    }

    fn line(&mut self, line: &str, ready: &mut VecDeque<Frame>) {
        if line.is_empty() {
            let frame = std::mem::take(&mut self.frame);
            if std::mem::take(&mut self.has_data) {
                ready.push_back(frame);
            }
            return;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "id" => self.frame.id = Some(value.to_owned()),
            "event" => value.clone_into(&mut self.frame.event),
            "data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.frame.data.push('\n');
                }
                self.frame.data.push_str(value);
            }
            "" => self.commented = true,
            // Other fields are not ours.
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &str = ": keep-alive\n\nid: 7\nevent: turn.started\ndata: {\"a\":\"é\"}\n\n\
        retry: 10\n\ndata:one\r\ndata: two\r\n\r\nid: 9\nevent: half";

    #[test]
    fn messages_are_whole_whatever_the_pieces() {
        let first = Frame {
            id: Some("7".into()),
            event: "turn.started".into(),
            data: "{\"a\":\"é\"}".into(),
        };
        let second = Frame { id: None, event: String::new(), data: "one\ntwo".into() };
        for size in 1..STREAM.len() {
            let mut ready = VecDeque::new();
            let mut parser = Parser::default();
            for piece in STREAM.as_bytes().chunks(size) {
                parser.feed(piece, &mut ready);
            }
            assert_eq!(ready, [first.clone(), second.clone()], "pieces of {size}");
            assert!(parser.take_comment(), "pieces of {size}");
            assert!(!parser.take_comment(), "pieces of {size}");
        }
    }
}
