//! Text that is written into room of a fixed size.

/// A byte that no JSON has as it is.
const ESCAPE: u8 = 1;

/// What does not fit is not written, and makes it full.
pub(crate) struct Text<'a> {
    room: &'a mut [u8],
    length: usize,
    is_full: bool,
}

impl<'a> Text<'a> {
    pub(crate) fn new(room: &'a mut [u8]) -> Self {
        Self { room, length: 0, is_full: false }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let end = self.length.saturating_add(bytes.len());
        match self.room.get_mut(self.length..end).filter(|_| !self.is_full) {
            Some(room) => {
                for (to, from) in room.iter_mut().zip(bytes) {
                    *to = *from;
                }
                self.length = end;
            }
            None => self.is_full = true,
        }
    }

    pub(crate) fn number(&mut self, number: u64) {
        let mut digits = [0; 20];
        let mut left = number;
        let mut at = digits.len();
        for digit in digits.iter_mut().rev() {
            *digit = b'0' + u8::try_from(left % 10).unwrap_or(0);
            left /= 10;
            at -= 1;
            if left == 0 {
                break;
            }
        }
        self.push(digits.get(at..).unwrap_or_default());
    }

    /// With zeros before it, in so many digits.
    pub(crate) fn hex(&mut self, number: u64, digits: u32) {
        for digit in (0..digits).rev() {
            let digit = u8::try_from(number >> (4 * digit) & 15).unwrap_or(0);
            self.push(&[if digit < 10 { b'0' + digit } else { b'a' + digit - 10 }]);
        }
    }

    /// A zero byte would end a word on a command line: it and the byte that stands for it are two bytes each.
    pub(crate) fn without_zeros(&mut self, bytes: &[u8]) {
        for byte in bytes {
            match *byte {
                0 => self.push(&[ESCAPE, 1]),
                ESCAPE => self.push(&[ESCAPE, 2]),
                plain => self.push(&[plain]),
            }
        }
    }

    /// As in a spool, in which a record begins with `FF` and nothing else has it.
    pub(crate) fn escaped(&mut self, bytes: &[u8]) {
        if bytes.iter().all(|byte| *byte < 0xFE) {
            return self.push(bytes);
        }
        for byte in bytes {
            match byte {
                0xFE | 0xFF => self.push(&[0xFE, byte - 0xFE]),
                plain => self.push(&[*plain]),
            }
        }
    }

    /// A JSON string. `None`: it is not of printable ASCII alone, and for somebody else to write.
    pub(crate) fn json(&mut self, text: &[u8]) -> Option<()> {
        self.push(b"\"");
        for byte in text {
            match byte {
                b'"' | b'\\' => self.push(&[b'\\', *byte]),
                b' '..=b'~' => self.push(&[*byte]),
                _ => return None,
            }
        }
        self.push(b"\"");
        Some(())
    }

    pub(crate) fn ends_with(&self, byte: u8) -> bool {
        self.room.get(..self.length).and_then(<[u8]>::last) == Some(&byte)
    }

    /// `None` if it did not fit.
    pub(crate) fn done(self) -> Option<&'a [u8]> {
        let Self { room, length, is_full } = self;
        if is_full { None } else { room.get(..length) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl Fn(&mut Text<'_>)) -> Option<String> {
        let mut room = [0; 24];
        let mut text = Text::new(&mut room);
        write(&mut text);
        text.done().map(|bytes| String::from_utf8(bytes.to_vec()).unwrap())
    }

    #[test]
    fn numbers_are_written_as_everywhere() {
        for n in [0, 7, 10, 4096, u64::MAX] {
            assert_eq!(written(|text| text.number(n)), Some(n.to_string()));
            assert_eq!(written(|text| text.hex(n, 16)), Some(format!("{n:016x}")));
        }
    }

    #[test]
    fn what_does_not_fit_is_told() {
        assert_eq!(written(|text| text.push(&[b'x'; 24])).map(|text| text.len()), Some(24));
        assert_eq!(written(|text| text.push(&[b'x'; 25])), None);
        let full = |text: &mut Text<'_>| {
            text.push(&[b'x'; 25]);
            text.push(b"y");
        };
        assert_eq!(written(full), None);
    }

    #[test]
    fn a_word_has_no_zero_byte() {
        let word = |text: &mut Text<'_>| text.without_zeros(b"a\0\x01\x02");
        assert_eq!(written(word), Some("a\u{1}\u{1}\u{1}\u{2}\u{2}".to_owned()));
    }

    #[test]
    fn only_plain_text_becomes_a_string() {
        let json = |text: &mut Text<'_>| text.json(br#"a"\ b"#).unwrap();
        assert_eq!(written(json), Some(r#""a\"\\ b""#.to_owned()));
        for odd in ["\n", "é", "\u{7f}"] {
            assert!(Text::new(&mut [0; 24]).json(odd.as_bytes()).is_none(), "{odd:?}");
        }
    }
}
