//! Text that is written into room of a fixed size.

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

/// Digits alone.
pub(crate) fn number(digits: &[u8]) -> Option<u64> {
    let add = |sum: u64, digit: &u8| {
        let digit = digit.is_ascii_digit().then(|| u64::from(digit - b'0'))?;
        sum.checked_mul(10)?.checked_add(digit)
    };
    if digits.is_empty() { None } else { digits.iter().try_fold(0, add) }
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
            assert_eq!(number(n.to_string().as_bytes()), Some(n));
        }
        for bad in ["", "x", "-1", "+1", "18446744073709551616"] {
            assert_eq!(number(bad.as_bytes()), None, "{bad}");
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
    fn only_plain_text_becomes_a_string() {
        let json = |text: &mut Text<'_>| text.json(br#"a"\ b"#).unwrap();
        assert_eq!(written(json), Some(r#""a\"\\ b""#.to_owned()));
        for odd in ["\n", "é", "\u{7f}"] {
            assert!(Text::new(&mut [0; 24]).json(odd.as_bytes()).is_none(), "{odd:?}");
        }
    }
}
