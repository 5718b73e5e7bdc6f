//! The roster in rows, as it comes: the hub writes a line for each, and while one stretch of them is
//! read it writes the next.

use super::answer;
use crate::error::CommandError;
use headsup_core::wire::{RosterRowsDoc, RowDoc};
use memchr::memchr;

/// What stands behind the last row.
const END: &[u8] = b"]}";

/// What has come of a line that is not whole.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    rest: Vec<u8>,
    /// The line before the first row has come.
    began: bool,
}

impl Rows {
    /// Hands over the rows that are whole with the next piece of the answer to `path`.
    pub(crate) fn next(
        &mut self,
        path: &str,
        piece: &[u8],
        mut to: impl FnMut(&RowDoc<'_>),
    ) -> Result<(), CommandError> {
        self.rest.extend_from_slice(piece);
        let mut begin = 0;
        while let Some(length) = memchr(b'\n', &self.rest[begin..]) {
            let line = &self.rest[begin..begin + length];
            begin += length + 1;
            if !self.began {
                self.began = true;
            } else if !line.is_empty() {
                to(&answer::doc(path, line.strip_suffix(b",").unwrap_or(line))?);
            }
        }
        self.rest.drain(..begin);
        Ok(())
    }

    /// Behind the last piece. A hub that runs since before an update writes all of it on one line.
    pub(crate) fn end(
        self,
        path: &str,
        mut to: impl FnMut(&RowDoc<'_>),
    ) -> Result<(), CommandError> {
        if self.began && self.rest == END {
            return Ok(());
        }
        // What has no end is no document either, and its reader says so.
        let roster: RosterRowsDoc<'_> = answer::doc(path, &self.rest)?;
        for row in &roster.rows {
            to(row);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn row(id: &str) -> String {
        let since = "2026-11-21T21:29:57.200Z";
        let row = json!({
            "id": id, "kind": "custom", "headline": "idle", "since": since, "place": "a\nb",
        });
        row.to_string()
    }

    fn read(pieces: &[&[u8]]) -> Result<Vec<String>, CommandError> {
        let (mut rows, mut ids) = (Rows::default(), Vec::new());
        for piece in pieces {
            rows.next("/", piece, |row| ids.push(row.id.to_string()))?;
        }
        rows.end("/", |row| ids.push(row.id.to_string()))?;
        Ok(ids)
    }

    #[test]
    fn wherever_it_is_cut_the_rows_are_the_same() {
        let whole = format!("{HEAD}\n{},\n{}\n]}}", row("a"), row("b"));
        for size in 1..=whole.len() {
            let pieces: Vec<_> = whole.as_bytes().chunks(size).collect();
            assert_eq!(read(&pieces).unwrap(), ["a", "b"], "pieces of {size}");
        }
        let none = format!("{HEAD}\n\n]}}");
        assert!(read(&[none.as_bytes()]).unwrap().is_empty());
    }

    #[test]
    fn one_line_is_read_as_well() {
        let whole = format!("{HEAD}{},{}]}}", row("a"), row("b"));
        assert_eq!(read(&[whole.as_bytes()]).unwrap(), ["a", "b"]);
    }

    #[test]
    fn what_breaks_off_is_no_roster() {
        let whole = format!("{HEAD}\n{},\n{}\n]}}", row("a"), row("b"));
        for length in 0..whole.len() {
            assert!(read(&[&whole.as_bytes()[..length]]).is_err(), "{length} bytes");
        }
        assert!(read(&[format!("{whole}x").as_bytes()]).is_err());
    }

    const HEAD: &str = r#"{"schema":1,"cursor":"7","rows":["#;
}
