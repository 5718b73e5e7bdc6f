//! Where a stream begins.

use crate::board::Board;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// With a snapshot: no cursor, or one that means nothing here.
    Snapshot,
    /// With the first event behind this one.
    Behind(u64),
    /// What came behind it is not kept any more.
    Expired(u64),
}

impl Start {
    /// Cursors are places in the log; `0` is before the oldest event kept, `now` before the next.
    pub(super) fn parse(text: Option<&str>, board: &Board) -> Self {
        let (oldest, head) = (board.oldest(), board.head());
        match text {
            None => Self::Snapshot,
            Some("now") => Self::Behind(head),
            Some("0") => Self::Behind(oldest.saturating_sub(1)),
            Some(text) => match text.parse::<u64>() {
                Ok(seq) if seq > head => Self::Snapshot,
                Ok(seq) if seq.saturating_add(1) < oldest => Self::Expired(seq),
                Ok(seq) => Self::Behind(seq),
                Err(_) => Self::Snapshot,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_kept_expired_or_meaningless() {
        let board = Board::new(Vec::new(), 20, 10);
        let start = |text| Start::parse(Some(text), &board);
        assert_eq!(Start::parse(None, &board), Start::Snapshot);
        assert_eq!(start("now"), Start::Behind(20));
        assert_eq!(start("0"), Start::Behind(9));
        assert_eq!(start("9"), Start::Behind(9));
        assert_eq!(start("20"), Start::Behind(20));
        assert_eq!(start("8"), Start::Expired(8));
        for text in ["21", "18446744073709551615", "99999999999999999999", "-1", "soon", " 9", ""] {
            assert_eq!(start(text), Start::Snapshot, "{text}");
        }
        let empty = Board::new(Vec::new(), 0, 1);
        assert_eq!(Start::parse(Some("0"), &empty), Start::Behind(0));
    }
}
