//! A write-ahead log that a killed hub has left, before `SQLite` looks at it.
//!
//! `SQLite` reads it up to the first frame that is not right, and takes that for the end. It is one where the hub was
//! killed while it wrote. Where a whole commit stands behind it, what stood before was damaged.

use std::fs::{self, File, Metadata};
use std::io::{self, BufReader, ErrorKind, Read as _};
use std::path::Path;

/// Bytes of the log's header.
const HEADER: usize = 32;
/// Bytes before the page of a frame.
const FRAME: usize = 24;
/// What is read at once.
const BUFFER: usize = 256 << 10;

/// Two sums that go on from frame to frame.
type Sums = (u32, u32);

/// What is read of the header (<https://sqlite.org/fileformat2.html#walformat>).
struct Header {
    is_big_endian: bool,
    page: usize,
    /// Frames of an older log have others.
    salts: [u8; 8],
    sums: Sums,
}

/// Whether something in it was damaged. Reads it once; nothing of one that holds no frame.
pub(super) fn is_damaged(log: &Path) -> io::Result<bool> {
    // Whatever else may be wrong with it is said where it is opened.
    let holds_frames = |file: Metadata| file.is_file() && file.len() > HEADER as u64;
    if !fs::metadata(log).is_ok_and(holds_frames) {
        return Ok(false);
    }
    let mut file = BufReader::with_capacity(BUFFER, File::open(log)?);
    let mut bytes = [0; HEADER];
    file.read_exact(&mut bytes)?;
    let Some(header) = Header::read(&bytes) else { return Ok(true) };
    let mut frame = vec![0; FRAME + header.page];
    let (mut sums, mut is_broken) = (header.sums, false);
    loop {
        match file.read_exact(&mut frame) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(false),
            other => other?,
        }
        let (head, page) = frame.split_at(FRAME);
        let stored = (word(head, 16), word(head, 20));
        let is_good =
            head[8..16] == header.salts && header.sum(page, header.sum(&head[..8], sums)) == stored;
        // What was begun and taken back has left frames, too, but no end of a commit.
        if is_good && is_broken && word(head, 4) != 0 {
            return Ok(true);
        }
        is_broken |= !is_good;
        sums = stored;
    }
}

impl Header {
    fn read(bytes: &[u8; HEADER]) -> Option<Self> {
        let is_big_endian = match word(bytes, 0) {
            0x377f_0682 => false,
            0x377f_0683 => true,
            _ => return None,
        };
        let page = usize::try_from(word(bytes, 8)).ok()?;
        let mut salts = [0; 8];
        salts.copy_from_slice(&bytes[16..24]);
        let mut header = Self { is_big_endian, page, salts, sums: (0, 0) };
        header.sums = header.sum(&bytes[..24], (0, 0));
        let is_good = header.sums == (word(bytes, 24), word(bytes, 28));
        (is_good && page.is_power_of_two() && (512..=65_536).contains(&page)).then_some(header)
    }

    fn sum(&self, bytes: &[u8], before: Sums) -> Sums {
        match self.is_big_endian {
            true => sum(bytes, before, u32::from_be_bytes),
            false => sum(bytes, before, u32::from_le_bytes),
        }
    }
}

fn sum(bytes: &[u8], (mut one, mut other): Sums, read: impl Fn([u8; 4]) -> u32) -> Sums {
    let (words, _) = bytes.as_chunks::<4>();
    for pair in words.chunks_exact(2) {
        one = one.wrapping_add(read(pair[0])).wrapping_add(other);
        other = other.wrapping_add(read(pair[1])).wrapping_add(one);
    }
    (one, other)
}

fn word(bytes: &[u8], at: usize) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[at..at + 4]);
    u32::from_be_bytes(word)
}
