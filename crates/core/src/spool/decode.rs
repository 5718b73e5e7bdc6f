//! Reading a spool back, whatever has happened to the file.

use super::{
    DROPPED, HEADER_LEN, IS_TRANSITION, MAGIC, MAX_PAYLOAD, REPORT, Record, Report, UnixMs, tag,
};
use std::borrow::Cow;

/// A stretch of a spool that holds no readable record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{bytes} bytes of the spool at offset {offset} {damage}")]
pub struct Corrupt {
    /// Where the stretch starts.
    pub offset: usize,
    /// How long it is; reading goes on behind it.
    pub bytes: usize,
    pub damage: Damage,
}

/// What is wrong with a stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    #[error("belong to no record")]
    Foreign,
    #[error("are a record that was not written to its end")]
    Torn,
    #[error("do not match their checksum")]
    Checksum,
    #[error("are a record of an unknown shape")]
    Malformed,
}

/// How much a [`Decoder`] has passed over so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    pub stretches: usize,
    pub bytes: usize,
}

/// Reads records in file order. After damage it goes on at the next record.
#[derive(Clone, Debug)]
pub struct Decoder<'a> {
    frames: Frames<'a>,
    skipped: Skipped,
}

impl<'a> Decoder<'a> {
    pub fn new(spool: &'a [u8]) -> Self {
        Self { frames: Frames::new(spool), skipped: Skipped::default() }
    }

    /// What has been skipped until now; the whole file's damage once the iterator is at its end.
    pub fn skipped(&self) -> Skipped {
        self.skipped
    }
}

impl Iterator for Decoder<'_> {
    type Item = Result<Record, Corrupt>;

    fn next(&mut self) -> Option<Self::Item> {
        let frame = self.frames.next()?;
        let (offset, bytes) = (frame.offset, frame.bytes.len());
        let item = frame.payload.and_then(|payload| record(payload).ok_or(Damage::Malformed));
        Some(item.map_err(|damage| {
            self.skipped.stretches += 1;
            self.skipped.bytes += bytes;
            Corrupt { offset, bytes, damage }
        }))
    }
}

/// One frame, or one stretch of damage.
pub(super) struct Frame<'a> {
    pub(super) offset: usize,
    pub(super) bytes: &'a [u8],
    /// Still escaped.
    pub(super) payload: Result<&'a [u8], Damage>,
}

#[derive(Clone, Debug)]
pub(super) struct Frames<'a> {
    spool: &'a [u8],
    at: usize,
}

impl<'a> Frames<'a> {
    pub(super) fn new(spool: &'a [u8]) -> Self {
        Self { spool, at: 0 }
    }
}

impl<'a> Iterator for Frames<'a> {
    type Item = Frame<'a>;

    fn next(&mut self) -> Option<Frame<'a>> {
        let offset = self.at;
        let rest = self.spool.get(offset..).filter(|rest| !rest.is_empty())?;
        let payload = payload(rest);
        let len = match payload {
            Ok(payload) => HEADER_LEN + payload.len(),
            Err(_) => next_magic(rest),
        };
        self.at = offset + len;
        Some(Frame { offset, bytes: &rest[..len], payload })
    }
}

/// The payload of the frame at the start of `bytes`.
fn payload(bytes: &[u8]) -> Result<&[u8], Damage> {
    let Some(after) = bytes.strip_prefix(&MAGIC) else {
        return Err(if MAGIC.starts_with(bytes) { Damage::Torn } else { Damage::Foreign });
    };
    let (len, after) = take_u32(after).ok_or(Damage::Torn)?;
    let (crc, after) = take_u32(after).ok_or(Damage::Torn)?;
    let len = len as usize;
    if len > MAX_PAYLOAD {
        return Err(Damage::Checksum);
    }
    let payload = after.get(..len).ok_or(Damage::Torn)?;
    if crc32fast::hash(payload) == crc { Ok(payload) } else { Err(Damage::Checksum) }
}

/// Where the next magic starts behind the first byte of `bytes`, or its end.
fn next_magic(bytes: &[u8]) -> usize {
    let mut from = 1;
    while let Some(found) = bytes.get(from..).and_then(|rest| rest.iter().position(|&b| b == 0xFF))
    {
        let at = from + found;
        if bytes[at..].starts_with(&MAGIC) {
            return at;
        }
        from = at + 1;
    }
    bytes.len()
}

fn record(payload: &[u8]) -> Option<Record> {
    let payload = unescape(payload)?;
    match payload.split_first()? {
        (&REPORT, rest) => report(rest).map(Record::Report),
        (&DROPPED, digits) => {
            let digits = str::from_utf8(digits).ok()?;
            let count = u64::from_str_radix(digits, 16).ok()?;
            Some(Record::Dropped { count })
        }
        _ => None,
    }
}

fn report(bytes: &[u8]) -> Option<Report> {
    let (flags, rest) = bytes.split_first()?;
    let (at, mut rest) = rest.split_first_chunk::<8>()?;
    let mut report = Report {
        is_transition: flags & IS_TRANSITION != 0,
        reported_at: UnixMs(i64::from_le_bytes(*at)),
        ..Report::default()
    };
    let text = |value: &[u8]| String::from_utf8(value.to_vec()).ok();
    while let Some((tag, after)) = rest.split_first() {
        let (len, after) = take_u32(after)?;
        let value = after.get(..len as usize)?;
        rest = &after[len as usize..];
        match *tag {
            tag::KIND => report.kind = text(value)?,
            tag::EVENT => report.event = Some(text(value)?),
            tag::ID => report.id = text(value)?,
            tag::AGENT => report.agent = Some(text(value)?),
            tag::AGENT_TOKEN => report.agent_token = Some(text(value)?),
            tag::CONTEXT => report.context = Some(text(value)?),
            tag::BODY => report.body = value.to_vec(),
            _ => {}
        }
    }
    Some(report)
}

fn take_u32(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (head, rest) = bytes.split_first_chunk::<4>()?;
    Some((u32::from_le_bytes(*head), rest))
}

fn unescape(payload: &[u8]) -> Option<Cow<'_, [u8]>> {
    if !payload.contains(&0xFE) {
        return Some(Cow::Borrowed(payload));
    }
    let mut plain = Vec::with_capacity(payload.len());
    let mut bytes = payload.iter();
    while let Some(&byte) = bytes.next() {
        match byte {
            0xFE => plain.push(0xFE + bytes.next().filter(|&&low| low < 2)?),
            _ => plain.push(byte),
        }
    }
    Some(Cow::Owned(plain))
}
