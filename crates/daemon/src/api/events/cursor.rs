//! Where a stream begins.

use crate::board::Board;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// With a snapshot: no cursor was given.
    Snapshot,
    /// With the first event behind this one.
    Behind(u64),
    /// What came behind it is not kept any more, or never was here: the log may be another one.
    Expired(String),
}

impl Start {
    /// Cursors are places in the log; `0` is before the oldest event kept, `now` before the next.
    pub(super) fn parse(text: Option<&str>, board: &Board) -> Self {
        let Some(text) = text else { return Self::Snapshot };
        let (oldest, head) = (board.oldest(), board.head());
        let is_kept = |seq: &u64| *seq <= head && seq.saturating_add(1) >= oldest;
        match text {
            "now" => Self::Behind(head),
            "0" => Self::Behind(oldest.saturating_sub(1)),
            _ => match text.parse::<u64>().ok().filter(|_| is_one(text)).filter(is_kept) {
                Some(seq) => Self::Behind(seq),
                None => Self::Expired(text.to_owned()),
            },
        }
    }
}

/// Whether it reads like a cursor at all.
pub(super) fn is_one(text: &str) -> bool {
    text == "now" || !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_kept_or_has_expired() {
        let board = Board::new(Vec::new(), 20, 10);
        let start = |text| Start::parse(Some(text), &board);
        assert_eq!(Start::parse(None, &board), Start::Snapshot);
        assert_eq!(start("now"), Start::Behind(20));
        assert_eq!(start("0"), Start::Behind(9));
        assert_eq!(start("9"), Start::Behind(9));
        assert_eq!(start("20"), Start::Behind(20));
        // Too old, of a log that went further than this one, or of something else.
        for text in ["8", "21", "18446744073709551615", "99999999999999999999", "-1", "+12", "soon"]
        {
            assert_eq!(start(text), Start::Expired(text.to_owned()), "{text}");
        }
        let empty = Board::new(Vec::new(), 0, 1);
        assert_eq!(Start::parse(Some("0"), &empty), Start::Behind(0));
    }

    #[test]
    fn what_reads_like_no_cursor_is_none() {
        for text in ["now", "0", "21", "99999999999999999999"] {
            assert!(is_one(text), "{text}");
        }
        for text in ["", "soon", "-1", "+1", " 9", "1.0", "0x1", "NOW"] {
            assert!(!is_one(text), "{text}");
        }
    }
}
