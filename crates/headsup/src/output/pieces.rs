//! JSON text on its way to a terminal, as it comes: in pieces that may end in the middle of a letter.

use super::text;
use crate::error::CommandError;
use bytes::Bytes;

/// What has come of a letter that is not whole.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    rest: Vec<u8>,
}

/// It is no text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NoText;

impl From<NoText> for CommandError {
    fn from(_: NoText) -> Self {
        Self::internal("cannot read the hub's answer: it is not UTF-8")
            .hint("the hub may be of another version: `headsup down`, then `headsup up`")
    }
}

impl Pieces {
    /// The next piece, harmless as [`text::json`] makes it.
    pub(crate) fn next(&mut self, piece: Bytes) -> Result<Bytes, NoText> {
        if self.rest.is_empty() && text::is_plain(&piece) {
            return Ok(piece);
        }
        self.rest.extend_from_slice(&piece);
        let whole = match str::from_utf8(&self.rest) {
            Ok(text) => text,
            Err(error) if error.error_len().is_some() => return Err(NoText),
            Err(error) => str::from_utf8(&self.rest[..error.valid_up_to()]).map_err(|_| NoText)?,
        };
        let (length, clean) = (whole.len(), text::json(whole).into_owned());
        self.rest.drain(..length);
        Ok(clean.into())
    }

    /// Behind the last piece.
    pub(crate) fn end(self) -> Result<(), NoText> {
        if self.rest.is_empty() { Ok(()) } else { Err(NoText) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wherever_it_is_cut_the_text_is_the_same() {
        let hostile = "{\"a\":\"na\u{ef}ve \u{1f680} \u{202e}\u{9b}31m\u{2028}\"}";
        let whole = text::json(hostile).into_owned();
        for size in 1..=hostile.len() {
            let mut pieces = Pieces::default();
            let cut = hostile.as_bytes().chunks(size).map(Bytes::from_static);
            let clean: Vec<u8> = cut.flat_map(|piece| pieces.next(piece).unwrap()).collect();
            assert_eq!(str::from_utf8(&clean).unwrap(), whole, "pieces of {size}");
            assert_eq!(pieces.end(), Ok(()));
        }
    }

    #[test]
    fn what_is_no_text_is_not_passed_on() {
        assert_eq!(Pieces::default().next(Bytes::from_static(b"a\xffb")), Err(NoText));
        let mut cut = Pieces::default();
        let begun = "\u{1f680}".as_bytes().split_last().unwrap().1;
        assert_eq!(cut.next(Bytes::from_static(begun)), Ok(Bytes::new()));
        assert_eq!(cut.end(), Err(NoText));
    }
}
