//! The database's format. A step that was released never changes; new ones are added behind it.

use super::{StoreError, arguments};
use headsup_core::time::UnixMs;
use rusqlite::Connection;
use std::path::Path;

const STEPS: &[&str] = &[
    include_str!("migrations/0001_log_and_seats.sql"),
    include_str!("migrations/0002_history_beside_the_seat.sql"),
    include_str!("migrations/0003_moments_as_numbers.sql"),
    include_str!("migrations/0004_prompts.sql"),
    include_str!("migrations/0005_tasks.sql"),
    include_str!("migrations/0006_pull_requests.sql"),
    include_str!("migrations/0007_outbox.sql"),
    include_str!("migrations/0008_webhooks.sql"),
    include_str!("migrations/0009_reviews.sql"),
    include_str!("migrations/0010_webhooks_alike.sql"),
    include_str!("migrations/0011_blocks_of_merges.sql"),
    include_str!("migrations/0012_histories_apart.sql"),
    include_str!("migrations/0013_arguments_apart.sql"),
];
/// The first format without the arguments of launches in it.
const ARGUMENTS_APART: u32 = 13;

pub(super) fn known() -> u32 {
    u32::try_from(STEPS.len()).unwrap_or(u32::MAX)
}

/// The format of the file. One that is newer than we are must not be touched.
pub(super) fn check(connection: &Connection) -> Result<u32, StoreError> {
    let found = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if found > known() { Err(StoreError::Newer { found, known: known() }) } else { Ok(found) }
}

/// Brings the file at `path` up to our format, each step whole or not at all.
pub(super) fn run(connection: &mut Connection, path: &Path, now: UnixMs) -> Result<(), StoreError> {
    let found = check(connection)?;
    for (step, version) in STEPS.iter().zip(1_u32..).skip(found as usize) {
        if version == ARGUMENTS_APART && found > 0 {
            arguments::move_out(connection, path, now)?;
        }
        let transaction = connection.transaction()?;
        transaction.execute_batch(step)?;
        transaction.pragma_update(None, "user_version", version)?;
        transaction.commit()?;
    }
    Ok(())
}
