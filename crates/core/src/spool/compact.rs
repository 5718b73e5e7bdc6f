//! Making room in a full spool.

use super::decode::{Frame, Frames};
use super::{DROPPED, DROPPED_LEN, IS_TRANSITION, REPORT, Record, encode};

/// What [`compact`] kept and what it cost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compacted {
    /// The new spool: at most one [`Record::Dropped`], then the kept reports in their order.
    pub bytes: Vec<u8>,
    /// Reports that change a status and were dropped now.
    pub transitions: u64,
    /// Other reports that were dropped now.
    pub others: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Transition,
    Other,
}

/// Shrinks `spool` below three quarters of `limit`: the oldest non-transitions go first, then, if
/// that is not enough, the oldest transitions. Order is kept. Damaged stretches go too, each
/// counted as one report, and earlier drop counts are merged into one record at the front.
pub fn compact(spool: &[u8], limit: usize) -> Compacted {
    let mut earlier = 0_u64;
    let mut reports = Vec::new();
    for frame in Frames::new(spool) {
        match class(&frame) {
            Some(class) => reports.push((class, frame.bytes)),
            None => earlier = earlier.saturating_add(dropped_by(&frame)),
        }
    }

    let room = (limit / 4 * 3).saturating_sub(DROPPED_LEN);
    let mut size: usize = reports.iter().map(|(_, bytes)| bytes.len()).sum();
    let mut result = Compacted::default();
    for class in [Class::Other, Class::Transition] {
        reports.retain(|(of, bytes)| {
            let drop = *of == class && size >= room;
            if drop {
                size -= bytes.len();
                match class {
                    Class::Other => result.others += 1,
                    Class::Transition => result.transitions += 1,
                }
            }
            !drop
        });
    }

    let count = earlier.saturating_add(result.others + result.transitions);
    result.bytes.reserve(size + DROPPED_LEN);
    if count > 0 {
        result.bytes.extend_from_slice(&encode(&Record::Dropped { count }));
    }
    for (_, bytes) in reports {
        result.bytes.extend_from_slice(bytes);
    }
    result
}

/// The flags stand before any byte that may be escaped, so they can be read in place.
fn class(frame: &Frame<'_>) -> Option<Class> {
    match frame.payload {
        Ok([REPORT, flags, ..]) if flags & IS_TRANSITION != 0 => Some(Class::Transition),
        Ok([REPORT, ..]) => Some(Class::Other),
        _ => None,
    }
}

fn dropped_by(frame: &Frame<'_>) -> u64 {
    let Ok([DROPPED, digits @ ..]) = frame.payload else {
        return 1;
    };
    let digits = str::from_utf8(digits).ok();
    digits.and_then(|digits| u64::from_str_radix(digits, 16).ok()).unwrap_or(1)
}
