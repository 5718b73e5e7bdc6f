//! The head of the hub's answer. `headsup/src/hook.rs` reads it by this file, too.

use super::number::number;

/// A longer head is not the hub's.
const MAX_HEAD: usize = 16 << 10;
const PROTOCOL: &[u8] = b"HTTP/1.";

/// What the bytes received so far are.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// The beginning of a head.
    Partial,
    /// Nothing that the hub would say.
    Garbage,
    /// A whole head of `length` bytes.
    Head { status: u64, length: usize, body: Option<usize> },
}

impl Answer {
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        if !bytes.iter().zip(PROTOCOL).all(|(found, wanted)| found == wanted) {
            return Self::Garbage;
        }
        let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else {
            return if bytes.len() > MAX_HEAD { Self::Garbage } else { Self::Partial };
        };
        match bytes.get(..end).and_then(head) {
            Some((status, body)) => Self::Head { status, length: end + 4, body },
            None => Self::Garbage,
        }
    }
}

/// `HTTP/1.1 202 Accepted`, and among the lines behind it one length, if there is one at all.
fn head(head: &[u8]) -> Option<(u64, Option<usize>)> {
    let mut lines = head.split(|byte| *byte == b'\n');
    let mut words = lines.next()?.trim_ascii_end().split(|byte| *byte == b' ');
    words.next().filter(|version| version.len() == 8)?;
    let status = words.next().filter(|word| word.len() == 3)?;
    let mut lengths = lines.filter_map(|line| {
        let colon = line.iter().position(|byte| *byte == b':')?;
        let name = line.get(..colon)?;
        let value = line.get(colon + 1..)?.trim_ascii();
        name.eq_ignore_ascii_case(b"content-length").then(|| number(value))
    });
    let body = lengths.next().flatten().filter(|_| lengths.next().is_none());
    Some((number(status)?, body.and_then(|body| usize::try_from(body).ok())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_once_it_is_whole() {
        let text =
            b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nCONTENT-LENGTH:  5 \r\n\r\nhello";
        let length = text.len() - 5;
        for end in 0..length {
            assert_eq!(Answer::parse(&text[..end]), Answer::Partial, "at {end}");
        }
        assert_eq!(Answer::parse(text), Answer::Head { status: 200, length, body: Some(5) });
        let bare = b"HTTP/1.0 202\r\n\r\n";
        assert_eq!(Answer::parse(bare), Answer::Head { status: 202, length: 16, body: None });
    }

    #[test]
    fn a_length_that_is_given_twice_or_not_a_number_is_none() {
        for headers in ["Content-Length: 1\r\nContent-Length: 1", "Content-Length: -1", "X: 1"] {
            let text = format!("HTTP/1.1 200 OK\r\n{headers}\r\n\r\n");
            let Answer::Head { body, .. } = Answer::parse(text.as_bytes()) else {
                panic!("{text}")
            };
            assert_eq!(body, None, "{headers}");
        }
    }

    #[test]
    fn anything_else_is_garbage() {
        let words = ["SSH-2.0", "", "HTTP/2 200", "HTTP/1.1 20 OK", "HTTP/1.1 +20", "HTTP/1.1"];
        for text in words.map(|word| format!("{word}\r\n\r\n")) {
            assert_eq!(Answer::parse(text.as_bytes()), Answer::Garbage, "{text}");
        }
        let endless = [b"HTTP/1.1 200 OK\r\n".as_slice(), &[b'x'; MAX_HEAD]].concat();
        assert_eq!(Answer::parse(&endless), Answer::Garbage);
    }
}
