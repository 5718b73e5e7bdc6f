//! The spool's numbers. This file needs nothing but `core`: it is also read where there is nothing else
//! (`crates/front`).

pub(crate) const MAGIC: [u8; 8] = *b"\xFFheadsup";

/// Magic, length, checksum.
pub(crate) const HEADER_LEN: usize = MAGIC.len() + 8;

/// Bytes of the spool's file, at most.
pub(crate) const LIMIT: usize = 8 << 20;

/// Bytes of the record of how many reports were dropped.
pub(crate) const DROPPED_LEN: usize = HEADER_LEN + 17;

/// First byte of a report's payload; its flags follow.
pub(crate) const REPORT: u8 = 1;

/// The one flag.
pub(crate) const IS_TRANSITION: u8 = 1;

/// What stands before each field of a report, and before its length.
pub(crate) mod tag {
    pub(crate) const KIND: u8 = 1;
    pub(crate) const EVENT: u8 = 2;
    pub(crate) const ID: u8 = 3;
    pub(crate) const AGENT: u8 = 4;
    pub(crate) const CONTEXT: u8 = 5;
    pub(crate) const BODY: u8 = 6;
    pub(crate) const AGENT_TOKEN: u8 = 7;
}
