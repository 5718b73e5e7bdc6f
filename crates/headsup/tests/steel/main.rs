//! What a machine can do to a hub: a full disk, one that fails, a clock that jumps, no files and
//! no memory left, floods, clients that do not read. The real program, in short forms; the long
//! ones are `measure` (see docs/reliability.md).

#![expect(clippy::unwrap_used, reason = "a test may fail")]
#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]

mod clock;
mod damage;
mod disk;
mod flood;
mod full;
mod limits;
mod power;
mod rig;
mod slow;
