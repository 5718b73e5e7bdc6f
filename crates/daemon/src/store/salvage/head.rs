//! A damaged head: the pages behind it are whole, and `SQLite` reads none of them (its file format, 1.3).

use crate::store::{beside, log_path, migrations};
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

const HEAD: usize = 100;
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// Bytes of a page, where nothing tells of another.
const PAGE: u64 = 4_096;
/// Written and read by means of a write-ahead log, and no bytes of a page are kept free.
const OF_A_LOG: [u8; 3] = [2, 2, 0];
/// Shares of a page that rows take. There are no others.
const SHARES: [u8; 3] = [64, 32, 32];
/// The last format of the schema.
const SCHEMA: u32 = 4;
/// How text is written.
const UTF_8: u32 = 1;
const MENDED: &str = "-mended";

/// A copy of a damaged database whose head is as ours have it. Taken away when it is dropped.
#[derive(Debug)]
pub(super) struct Mended(PathBuf);

impl Mended {
    /// `None` where nothing is wrong with the head.
    pub(super) fn of(path: &Path) -> io::Result<Option<Self>> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        let mut head = [0; HEAD];
        if length < HEAD as u64 {
            return Ok(None);
        }
        file.read_exact(&mut head)?;
        let Some(head) = mend(&head, length) else { return Ok(None) };
        let copy = Self(beside(path, MENDED));
        copy.remove();
        fs::copy(path, &copy.0)?;
        // What is left of the write-ahead log belongs to it, and may have the first page as well.
        let log = log_path(path);
        if log.exists() {
            fs::copy(log, beside(&copy.0, "-wal"))?;
        }
        File::options().write(true).open(&copy.0)?.write_all_at(&head, 0)?;
        tracing::warn!(at = %path.display(), "the database's head is damaged: it is read with another");
        Ok(Some(copy))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    fn remove(&self) {
        for part in ["-wal", "-shm", ""] {
            fs::remove_file(beside(&self.0, part)).ok();
        }
    }
}

impl Drop for Mended {
    fn drop(&mut self) {
        self.remove();
    }
}

/// The head as it must have been, if it is another one now.
fn mend(head: &[u8; HEAD], length: u64) -> Option<[u8; HEAD]> {
    let page = page_of(head, length);
    let pages = u32::try_from(length / page).ok()?;
    let mut new = *head;
    new[..16].copy_from_slice(MAGIC);
    // The longest does not fit, and is 1.
    new[16..18].copy_from_slice(&u16::try_from(page).unwrap_or(1).to_be_bytes());
    if head[18..21] != [1, 1, 0] {
        new[18..21].copy_from_slice(&OF_A_LOG);
    }
    new[21..24].copy_from_slice(&SHARES);
    // There may be less than it says: what is left is read.
    if word(head, 28) < pages && head[24..28] == head[92..96] {
        put(&mut new, 28, pages);
    }
    if !(1..=SCHEMA).contains(&word(head, 44)) {
        put(&mut new, 44, SCHEMA);
    }
    put(&mut new, 56, UTF_8);
    // Whether its pages are moved: whoever only reads needs to know nothing of that.
    put(&mut new, 52, 0);
    put(&mut new, 64, 0);
    if new == *head {
        return None;
    }
    // Nor is the number of our own format to be believed where it cannot be right.
    if !(1..=migrations::known()).contains(&word(head, 60)) {
        put(&mut new, 60, migrations::known());
    }
    Some(new)
}

/// How long a page is: as ours are, as the number of them says, or as it says itself.
fn page_of(head: &[u8; HEAD], length: u64) -> u64 {
    let is_one = |page: &u64| page.is_power_of_two() && (512..=65_536).contains(page);
    let told = match u16::from_be_bytes([head[16], head[17]]) {
        1 => 65_536,
        told => u64::from(told),
    };
    // All of ours are so long: one that says so as well is believed before the number of them, which may be harmed, or
    // ahead of a file that a hub was killed over.
    if told == PAGE {
        return PAGE;
    }
    let pages = u64::from(word(head, 28));
    let counted = (pages > 0 && length.is_multiple_of(pages)).then(|| length / pages);
    counted.filter(is_one).or(Some(told).filter(is_one)).unwrap_or(PAGE)
}

fn word(head: &[u8; HEAD], at: usize) -> u32 {
    u32::from_be_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]])
}

fn put(head: &mut [u8; HEAD], at: usize, word: u32) {
    head[at..at + 4].copy_from_slice(&word.to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;
    use headsup_core::time::UnixMs;

    #[test]
    fn a_head_is_mended_wherever_it_is_damaged_and_else_left_alone() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("headsup.db");
        drop(Store::open(&path, UnixMs(0)).unwrap());
        let bytes = fs::read(&path).unwrap();
        let (length, mut good) = (bytes.len() as u64, [0; HEAD]);
        good.copy_from_slice(&bytes[..HEAD]);
        assert_eq!(mend(&good, length), None);
        assert!(Mended::of(&path).unwrap().is_none());
        let harms = [
            (0, 0),
            (16, 0x20),
            (17, 3),
            (18, 9),
            (19, 9),
            (20, 200),
            (21, 0),
            (47, 9),
            (55, 1),
            (59, 2),
            (67, 1),
        ];
        for (at, value) in harms {
            let mut bad = good;
            bad[at] = value;
            assert_eq!(mend(&bad, length), Some(good), "{at}");
        }
        let mut fewer = good;
        put(&mut fewer, 28, 5);
        assert_eq!(mend(&fewer, length), Some(good));
        // All of it.
        let mended = mend(&[0xAA; HEAD], length).unwrap();
        assert_eq!((&mended[..16], word(&mended, 60)), (&MAGIC[..], migrations::known()));
    }
}
