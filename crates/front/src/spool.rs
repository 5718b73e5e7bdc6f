//! Leaving a report for the hub to fetch, as `headsup/src/hook/queue.rs` does it: where the spool is there and ours,
//! has room, and nobody keeps us out. What has to be made, waited for or made room for is the program's.

use crate::format::{DROPPED_LEN, HEADER_LEN, IS_TRANSITION, LIMIT, MAGIC, REPORT, tag};
use crate::report::ID;
use crate::surroundings::Surroundings;
use crate::system::{self, Fd, Kind, Lock, MONOTONIC, REALTIME};
use crate::text::Text;

const QUEUE: &[u8] = b"queue\0";

pub(crate) struct Report<'a> {
    pub(crate) around: &'a Surroundings,
    pub(crate) id: &'a [u8; ID],
    /// Whether its event changes a status.
    pub(crate) is_transition: bool,
    pub(crate) context: &'a [u8],
    pub(crate) body: &'a [u8],
}

/// Encodes the report and appends it, whole or not at all. `None`: it is not in the spool.
/// `read_at`: when its body was read, on the monotonic clock.
pub(crate) fn keep(report: &Report<'_>, read_at: u64, room: &mut [u8]) -> Option<()> {
    let Report { around, id, is_transition, context, body } = *report;
    let ago = system::now(MONOTONIC)?.saturating_sub(read_at);
    let reported_at = system::now(REALTIME)?.saturating_sub(ago) / 1_000_000;

    let header = room.get(..HEADER_LEN)?.len();
    let mut payload = Text::new(room.get_mut(header..)?);
    payload.push(&[REPORT, if is_transition { IS_TRANSITION } else { 0 }]);
    payload.escaped(&reported_at.to_le_bytes());
    let fields: [(u8, Option<&[u8]>); 7] = [
        (tag::KIND, Some(around.kind)),
        (tag::ID, Some(id)),
        (tag::EVENT, Some(around.event)),
        (tag::AGENT, around.agent),
        (tag::AGENT_TOKEN, around.token),
        (tag::CONTEXT, Some(context)),
        (tag::BODY, Some(body)),
    ];
    for (tag, value) in fields {
        let Some(value) = value else { continue };
        payload.push(&[tag]);
        payload.escaped(&u32::try_from(value.len()).ok()?.to_le_bytes());
        payload.escaped(value);
    }
    let payload = payload.done()?;
    let (length, sum) = (payload.len(), crc32(payload));

    let mut head = Text::new(room.get_mut(..header)?);
    head.push(&MAGIC);
    head.push(&u32::try_from(length).ok()?.to_le_bytes());
    head.push(&sum.to_le_bytes());
    head.done()?;
    append(&around.spool, room.get(..header + length)?)
}

fn append(folder: &[u8], record: &[u8]) -> Option<()> {
    let folder = system::open_folder(folder)?;
    // Not into a stranger's folder, and not as root into a user's.
    let is_ours = folder.status().is_some_and(|status| Some(status.owner) == system::own_user());
    let queue = is_ours.then(|| folder.open_to_append(QUEUE)).flatten();
    let done = queue.and_then(|queue| write(folder, queue, record));
    // What the program takes from here on it may not have but for these, nor past our lock.
    for fd in [Some(folder), queue].into_iter().flatten() {
        fd.close();
    }
    done
}

fn write(folder: Fd, queue: Fd, record: &[u8]) -> Option<()> {
    let opened = queue.status()?;
    (opened.kind() == Kind::File && queue.lock(Lock::Shared)).then_some(())?;
    // The hub takes the file away under its lock: ours counts while the file has its name.
    let named = folder.status_of(QUEUE).filter(|named| named.is_same(&opened))?;
    let length = u64::try_from(record.len()).ok()?;
    let end = named.size.checked_add(length)?;
    // There is room for one marker of what was dropped.
    let most = u64::try_from(LIMIT - DROPPED_LEN).ok()?.min(system::longest_file());
    (end <= most).then_some(())?;
    let written = u64::try_from(queue.write(record)).ok()?;
    if written < length {
        take_back(queue, written);
        return None;
    }
    Some(())
}

/// A part of a record goes, unless somebody has written behind it or is about to: the reader gets over it there.
fn take_back(queue: Fd, written: u64) {
    if queue.lock(Lock::Exclusive)
        && let (Some(end), Some(status)) = (queue.position(), queue.status())
        && status.size == end
    {
        queue.cut(end.saturating_sub(written));
    }
}

/// The remainders of all bytes, for the polynomial of IEEE 802.3, lowest bit first.
const REMAINDERS: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0_u32;
    while byte < 256 {
        let mut rest = byte;
        let mut bit = 0;
        while bit < 8 {
            rest = if rest & 1 == 1 { rest >> 1 ^ 0xEDB8_8320 } else { rest >> 1 };
            bit += 1;
        }
        table[byte as usize] = rest;
        byte += 1;
    }
    table
};

fn crc32(bytes: &[u8]) -> u32 {
    let add = |sum: u32, byte: &u8| {
        let [low, ..] = sum.to_le_bytes();
        REMAINDERS[usize::from(low ^ byte)] ^ sum >> 8
    };
    !bytes.iter().fold(!0, add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_the_catalogues() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(crc32(b""), 0);
    }
}
