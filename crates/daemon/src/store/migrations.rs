//! The database's format. A step that was released never changes; new ones are added behind it.

use super::{StoreError, arguments};
use headsup_core::time::UnixMs;
use rusqlite::{Connection, Error, ErrorCode};
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

/// Every table, and the order in which its rows lie in the file. The log may be long, and comes last.
pub(super) const TABLES: [(&str, &[&str]); 16] = [
    ("meta", &["key"]),
    ("seats", &["rowid"]),
    ("histories", &["rowid"]),
    ("tasks", &["id"]),
    ("task_comments", &["task", "number"]),
    ("pulls", &["id"]),
    ("effects", &["number"]),
    ("prompts", &["id"]),
    ("prompt_keys", &["key"]),
    ("webhooks", &["seq"]),
    ("webhooks_judged", &["key"]),
    ("webhooks_alike", &["minute", "reason"]),
    ("heard_tasks", &["identifier"]),
    ("activity", &["agent", "seq"]),
    ("report_ids", &["id"]),
    ("events", &["seq"]),
];

pub(super) fn known() -> u32 {
    u32::try_from(STEPS.len()).unwrap_or(u32::MAX)
}

/// The format of the file. One that is newer than we are must not be touched.
pub(super) fn check(connection: &Connection) -> Result<u32, StoreError> {
    let found: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let Ok(found) = u32::try_from(found) else {
        return Err(StoreError::Unlike(format!("it says that its format is {found}")));
    };
    if found > known() { Err(StoreError::Newer { found, known: known() }) } else { Ok(found) }
}

/// Brings the file at `path` up to our format, each step whole or not at all.
pub(super) fn run(connection: &mut Connection, path: &Path, now: UnixMs) -> Result<(), StoreError> {
    let found = check(connection)?;
    if found == 0 && !tables(connection)?.is_empty() {
        let why = "it says that its format is 0, that of an empty one, and it is not empty";
        return Err(StoreError::Unlike(why.to_owned()));
    }
    for (step, version) in STEPS.iter().zip(1_u32..).skip(found as usize) {
        if version == ARGUMENTS_APART && found > 0 {
            arguments::move_out(connection, path, now)?;
        }
        let transaction = connection.transaction()?;
        transaction.execute_batch(step)?;
        transaction.pragma_update(None, "user_version", version)?;
        transaction.commit()?;
    }
    let there = tables(connection)?;
    match TABLES.iter().find(|(name, _)| !there.iter().any(|table| table == name)) {
        Some((name, _)) => Err(StoreError::Unlike(format!("its table {name} is missing"))),
        None => Ok(()),
    }
}

fn tables(connection: &Connection) -> Result<Vec<String>, StoreError> {
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
    let mut select = connection.prepare(sql)?;
    let names = select.query_map([], |row| row.get(0))?;
    Ok(names.collect::<Result<_, _>>()?)
}

/// The error of a statement that does not fit what is in the file, in words.
pub(super) fn in_words(error: StoreError) -> StoreError {
    match error {
        StoreError::Sqlite(Error::SqlInputError { msg, .. }) => unlike(&msg),
        StoreError::Sqlite(Error::SqliteFailure(error, Some(msg)))
            if error.code == ErrorCode::Unknown =>
        {
            unlike(&msg)
        }
        other => other,
    }
}

fn unlike(msg: &str) -> StoreError {
    StoreError::Unlike(format!("what is in it is not what its format has ({msg})"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;

    #[test]
    fn every_table_is_listed_in_the_order_in_which_it_lies_in_the_file() {
        let temp = tempfile::tempdir().unwrap();
        let store = Store::open(&temp.path().join("headsup.db"), UnixMs(0)).unwrap().store;
        let connection = store.connection();
        let mut there = tables(connection).unwrap();
        let mut listed = TABLES.map(|(name, _)| name.to_owned());
        there.sort();
        listed.sort();
        assert_eq!(there, listed);
        for (name, order) in TABLES {
            let order: Vec<String> = order.iter().map(|column| format!("{column} DESC")).collect();
            let order = order.join(", ");
            let sql = format!("EXPLAIN QUERY PLAN SELECT * FROM {name} ORDER BY {order}");
            let plan: Vec<String> = {
                let mut select = connection.prepare(&sql).unwrap();
                let rows = select.query_map([], |row| row.get(3)).unwrap();
                rows.map(Result::unwrap).collect()
            };
            assert!(!plan.iter().any(|step| step.contains("TEMP B-TREE")), "{name}: {plan:?}");
        }
    }
}
