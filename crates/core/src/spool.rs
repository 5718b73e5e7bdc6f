//! The spool: reports that a hook could not hand over, as bytes in a file.
//!
//! A frame is [`MAGIC`], the payload's length and CRC-32 (both little endian), the payload.
//! `0xFF`, the first byte of the magic, is escaped inside a payload: whatever is torn or
//! overwritten, the next magic is the start of a real record and never text out of a body.
//! Every version reads what every earlier one wrote: fields are tagged, unknown tags are skipped.

mod compact;
mod decode;
mod format;
#[cfg(test)]
mod tests;

pub use compact::{Compacted, compact};
pub use decode::{Corrupt, Damage, Decoder, Skipped};

use crate::time::UnixMs;
use format::{HEADER_LEN, IS_TRANSITION, REPORT, tag};

/// First bytes of every frame.
pub const MAGIC: [u8; 8] = format::MAGIC;

/// Bytes of the spool's file, at most.
pub const LIMIT: usize = format::LIMIT;

/// Bytes of an encoded [`Record::Dropped`], the same for every count: it can be rewritten in place.
pub const DROPPED_LEN: usize = format::DROPPED_LEN;

/// The kind of a [`Report`] that is no hook's: a launcher's word on the process of the agent that the report
/// names. Its body is that of `PUT /api/v1/agents/{id}/process`. No agent is of this kind.
pub const OF_A_PROCESS: &str = "headsup:process";

/// The kind of a [`Report`] that is no hook's: what a launcher has heard its agent say of itself to its terminal.
/// Its body is that of `POST /api/v1/agents/{id}/terminal`. No agent is of this kind.
pub const OF_A_TERMINAL: &str = "headsup:terminal";

/// The kind of a [`Report`] that is no hook's: a report in our own words on the agent that it names, by its id or
/// by its whole name. Its body is that of `POST /api/v1/agents/{id}/reports`. No agent is of this kind.
pub const OF_AN_AGENT: &str = "headsup:report";

/// A body is cut here; the hook client sends far less.
const MAX_BODY: usize = 16 << 20;
/// A greater length is damage. (It also keeps the magic's letters out of the length.)
const MAX_PAYLOAD: usize = 1 << 28;

const DROPPED: u8 = 2;

/// One entry of the spool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// A report as the hub would have received it.
    Report(Report),
    /// An overflow dropped this many reports here.
    Dropped { count: u64 },
}

/// A hook's report, with everything the request would have carried.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The agent's kind as the hook was given it, or [`OF_A_PROCESS`], [`OF_A_TERMINAL`] or [`OF_AN_AGENT`].
    pub kind: String,
    /// The event's name, if the command line had it; else it is in the body.
    pub event: Option<String>,
    /// The idempotency id of `X-Headsup-Id`: the hub may have stored the report already.
    pub id: String,
    /// When the hook ran, by the wall clock.
    pub reported_at: UnixMs,
    /// `X-Headsup-Agent`.
    pub agent: Option<String>,
    /// `X-Headsup-Agent-Token`.
    pub agent_token: Option<String>,
    /// `X-Headsup-Context`, the header's text.
    pub context: Option<String>,
    /// Whether the event changes a status; others are dropped first when the spool overflows.
    pub is_transition: bool,
    /// The payload, byte for byte.
    pub body: Vec<u8>,
}

/// The bytes to append for `record`.
#[must_use]
pub fn encode(record: &Record) -> Vec<u8> {
    match record {
        Record::Dropped { count } => {
            let mut payload = vec![DROPPED];
            payload.extend_from_slice(format!("{count:016x}").as_bytes());
            frame(&payload)
        }
        Record::Report(report) => {
            let body = &report.body[..report.body.len().min(MAX_BODY)];
            let mut payload = Vec::with_capacity(body.len() + 512);
            payload.push(REPORT);
            payload.push(if report.is_transition { IS_TRANSITION } else { 0 });
            payload.extend_from_slice(&report.reported_at.0.to_le_bytes());
            let mut field = |tag: u8, bytes: &[u8]| {
                let len = u32::try_from(bytes.len()).unwrap_or(0);
                payload.push(tag);
                payload.extend_from_slice(&len.to_le_bytes());
                payload.extend_from_slice(&bytes[..len as usize]);
            };
            field(tag::KIND, report.kind.as_bytes());
            field(tag::ID, report.id.as_bytes());
            let optional = [
                (tag::EVENT, &report.event),
                (tag::AGENT, &report.agent),
                (tag::AGENT_TOKEN, &report.agent_token),
                (tag::CONTEXT, &report.context),
            ];
            for (tag, value) in optional {
                if let Some(value) = value {
                    field(tag, value.as_bytes());
                }
            }
            field(tag::BODY, body);
            frame(&escape(payload))
        }
    }
}

fn frame(payload: &[u8]) -> Vec<u8> {
    let len = u32::try_from(payload.len()).unwrap_or(u32::MAX);
    let mut bytes = Vec::with_capacity(HEADER_LEN + payload.len());
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&len.to_le_bytes());
    bytes.extend_from_slice(&crc32fast::hash(payload).to_le_bytes());
    bytes.extend_from_slice(payload);
    bytes
}

/// Writes `0xFE` as `FE 00` and `0xFF` as `FE 01`. UTF-8 has neither, so a body rarely grows.
fn escape(payload: Vec<u8>) -> Vec<u8> {
    if !payload.iter().any(|&byte| byte >= 0xFE) {
        return payload;
    }
    let mut escaped = Vec::with_capacity(payload.len() + 16);
    for byte in payload {
        match byte {
            0xFE | 0xFF => escaped.extend_from_slice(&[0xFE, byte - 0xFE]),
            _ => escaped.push(byte),
        }
    }
    escaped
}
