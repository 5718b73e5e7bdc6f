//! The head of the hub's answer.

/// A longer head is not the hub's.
const MAX_HEAD: usize = 16 << 10;

/// What the bytes received so far are.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// The beginning of a head.
    Partial,
    /// Nothing that the hub would say.
    Garbage,
    /// A whole head of `len` bytes; `body` is what its one `Content-Length` says.
    Head { status: u16, len: usize, body: Option<usize> },
}

impl Answer {
    pub(super) fn parse(bytes: &[u8]) -> Self {
        const PROTOCOL: &[u8] = b"HTTP/1.";
        let known = bytes.len().min(PROTOCOL.len());
        if bytes[..known] != PROTOCOL[..known] {
            return Self::Garbage;
        }
        let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else {
            return if bytes.len() > MAX_HEAD { Self::Garbage } else { Self::Partial };
        };
        match head(&bytes[..end]) {
            Some((status, body)) => Self::Head { status, len: end + 4, body },
            None => Self::Garbage,
        }
    }
}

fn head(bytes: &[u8]) -> Option<(u16, Option<usize>)> {
    let mut lines = str::from_utf8(bytes).ok()?.split("\r\n");
    let mut words = lines.next()?.splitn(3, ' ');
    words.next().filter(|version| version.len() == "HTTP/1.1".len())?;
    let status = words.next().filter(|word| word.len() == 3 && !word.starts_with('+'))?;
    let status = status.parse().ok()?;
    let mut lengths = lines.filter_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())
    });
    let body = lengths.next().flatten().filter(|_| lengths.next().is_none());
    Some((status, body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_once_it_is_whole() {
        let text =
            b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nCONTENT-LENGTH:  5 \r\n\r\nhello";
        let len = text.len() - 5;
        for end in 0..len {
            assert_eq!(Answer::parse(&text[..end]), Answer::Partial, "at {end}");
        }
        assert_eq!(Answer::parse(text), Answer::Head { status: 200, len, body: Some(5) });
        let bare = b"HTTP/1.0 202\r\n\r\n";
        assert_eq!(Answer::parse(bare), Answer::Head { status: 202, len: 16, body: None });
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
