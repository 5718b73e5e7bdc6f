//! What a killed hub has left of its write-ahead log.

use crate::wal::frames;

/// Bytes of a page.
const PAGE: usize = 512;
const SALTS: [u8; 8] = *b"saltsalt";

/// Any bytes; and a log whose frames these bytes tell of, where what is right and what is damaged is known.
pub(crate) fn log(bytes: &[u8]) {
    if let Ok(walked) = frames(bytes) {
        assert!(u64::from(walked.frames) * 512 <= bytes.len() as u64);
    }
    let Some((&first, rest)) = bytes.split_first() else { return };
    let rest = &rest[..rest.len().min(12)];
    let log = Log { is_big_endian: first & 1 == 1 }.of(rest.iter().copied().map(Frame));
    let good = rest.iter().take_while(|frame| Frame(**frame).is_good()).count();
    let behind = rest[good..].iter().map(|frame| Frame(*frame));
    let is_damaged = behind.into_iter().any(|frame| frame.is_good() && frame.is_commit());
    for end in [log.len(), log.len().saturating_sub(usize::from(first >> 1))] {
        let Ok(walked) = frames(&log[..end]) else {
            assert!(end < 32, "a log is read up to its end");
            continue;
        };
        if end == log.len() {
            assert_eq!((walked.frames as usize, walked.is_damaged), (good, is_damaged));
        } else {
            assert!(walked.frames as usize <= good && walked.is_damaged <= is_damaged);
        }
    }
}

/// What one byte tells of a frame.
#[derive(Clone, Copy)]
struct Frame(u8);

impl Frame {
    fn is_commit(self) -> bool {
        self.0 & 1 == 1
    }

    fn is_foreign(self) -> bool {
        self.0 & 0b110 == 0b110
    }

    fn is_flipped(self) -> bool {
        self.0 & 0b1_1000 == 0b1_1000
    }

    fn is_good(self) -> bool {
        !self.is_foreign() && !self.is_flipped()
    }
}

struct Log {
    is_big_endian: bool,
}

impl Log {
    /// As <https://sqlite.org/fileformat2.html#walformat> has it.
    fn of(&self, frames: impl Iterator<Item = Frame>) -> Vec<u8> {
        let magic = 0x377f_0682_u32 | u32::from(self.is_big_endian);
        let mut log: Vec<u8> = [magic, 3_007_000, 512, 0].map(u32::to_be_bytes).concat();
        log.extend(SALTS);
        let mut sums = self.sum(&log, [0; 2]);
        log.extend(sums.map(u32::to_be_bytes).concat());
        for (number, frame) in (1_u32..).zip(frames) {
            let commit = u32::from(frame.is_commit()) * number;
            let mut head = [number, commit].map(u32::to_be_bytes).concat();
            let mut page = [frame.0; PAGE];
            sums = self.sum(&page, self.sum(&head, sums));
            head.extend(if frame.is_foreign() { *b"foreign!" } else { SALTS });
            head.extend(sums.map(u32::to_be_bytes).concat());
            page[usize::from(frame.0)] ^= u8::from(frame.is_flipped());
            log.extend(head);
            log.extend(page);
        }
        log
    }

    fn sum(&self, bytes: &[u8], mut sums: [u32; 2]) -> [u32; 2] {
        let (words, _) = bytes.as_chunks::<4>();
        let read = if self.is_big_endian { u32::from_be_bytes } else { u32::from_le_bytes };
        for (at, word) in words.iter().enumerate() {
            let (own, other) = (at % 2, (at + 1) % 2);
            sums[own] = sums[own].wrapping_add(read(*word)).wrapping_add(sums[other]);
        }
        sums
    }
}
