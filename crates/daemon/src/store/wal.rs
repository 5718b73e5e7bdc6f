//! A write-ahead log that a killed hub has left, before `SQLite` looks at it.
//!
//! `SQLite` reads it up to the first frame that is not right, and takes that for the end. It is one where the hub was
//! killed while it wrote; zeros behind it are room that nobody has used. Where a whole commit stands behind it, what
//! stood before was damaged; and where the log's index knows of more, the end was cut off. A power cut may look like
//! damage, too: what was not flushed is on the disk in no order, and nobody's act is among it.

use std::fs::{self, File, Metadata};
use std::io::{self, BufReader, ErrorKind, Read};
use std::path::Path;

/// Bytes of the log's header.
const HEADER: usize = 32;
/// Bytes before the page of a frame.
const FRAME: usize = 24;
/// What is read of its index.
const INDEX: usize = 100;
const INDEX_VERSION: u32 = 3_007_000;
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

/// What the log's index says of it, which a killed hub leaves beside it
/// (<https://sqlite.org/walformat.html#the_wal_index_file_format>).
struct Index {
    /// How many frames there are.
    frames: u32,
    /// How many of them are in the database.
    copied: u32,
    salts: [u8; 8],
}

/// What a look at the log has shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Looked {
    /// Something in it was damaged.
    pub(super) is_damaged: bool,
    /// Its end is missing, and is not in the database either.
    pub(super) is_short: bool,
    /// All that is left of it is in the database, with what came later: it would take that back.
    pub(super) is_older: bool,
}

/// What was found from its beginning on.
#[derive(Debug, Default)]
pub(super) struct Walked {
    pub(super) is_damaged: bool,
    salts: Option<[u8; 8]>,
    /// How many are right before one that is not.
    pub(super) frames: u32,
}

/// Looks at the log, of which `index` is the index. Reads it once; nothing of one that holds no frame.
pub(super) fn look(log: &Path, index: &Path) -> io::Result<Looked> {
    // Before the log: that may have grown meanwhile, and not become shorter.
    let index = Index::read(index);
    let Walked { is_damaged, salts, frames } = walk(log)?;
    let index = index.filter(|index| salts.is_none_or(|salts| salts == index.salts));
    let (told, copied) = index.map_or((0, 0), |index| (index.frames, index.copied));
    let is_short = frames < told && copied < told;
    Ok(Looked { is_damaged, is_short, is_older: frames > 0 && frames < copied })
}

fn walk(log: &Path) -> io::Result<Walked> {
    // Whatever else may be wrong with it is said where it is opened.
    let holds_frames = |file: Metadata| file.is_file() && file.len() > HEADER as u64;
    if !fs::metadata(log).is_ok_and(holds_frames) {
        return Ok(Walked::default());
    }
    frames(BufReader::with_capacity(BUFFER, File::open(log)?))
}

/// Goes through a log's frames, up to its end or what is wrong in it.
pub(super) fn frames(mut file: impl Read) -> io::Result<Walked> {
    let mut bytes = [0; HEADER];
    file.read_exact(&mut bytes)?;
    let Some(header) = Header::read(&bytes) else {
        return Ok(Walked { is_damaged: true, ..Walked::default() });
    };
    let mut walked = Walked { salts: Some(header.salts), ..Walked::default() };
    let mut frame = vec![0; FRAME + header.page];
    let (mut sums, mut is_broken) = (header.sums, false);
    loop {
        match file.read_exact(&mut frame) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(walked),
            other => other?,
        }
        let (head, page) = frame.split_at(FRAME);
        let stored = (word(head, 16), word(head, 20));
        let is_good =
            head[8..16] == header.salts && header.sum(page, header.sum(&head[..8], sums)) == stored;
        // What was begun and taken back has left frames, too, but no end of a commit.
        if is_good && is_broken && word(head, 4) != 0 {
            walked.is_damaged = true;
            return Ok(walked);
        }
        is_broken |= !is_good;
        walked.frames += u32::from(!is_broken);
        sums = stored;
    }
}

impl Index {
    /// `None` where there is none, or none that is whole.
    fn read(path: &Path) -> Option<Self> {
        let mut bytes = [0; INDEX];
        fs::metadata(path).ok().filter(Metadata::is_file)?;
        File::open(path).and_then(|mut file| file.read_exact(&mut bytes)).ok()?;
        // As the machine has them, other than in the log.
        let native = |at: usize| {
            let mut word = [0; 4];
            word.copy_from_slice(&bytes[at..at + 4]);
            u32::from_ne_bytes(word)
        };
        // It is there twice, so that whoever is killed while he writes leaves two that differ.
        let is_whole = bytes[..48] == bytes[48..96]
            && native(0) == INDEX_VERSION
            && bytes[12] == 1
            && sum(&bytes[..40], (0, 0), u32::from_ne_bytes) == (native(40), native(44));
        let mut salts = [0; 8];
        salts.copy_from_slice(&bytes[32..40]);
        is_whole.then(|| Self { frames: native(16), copied: native(96), salts })
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
