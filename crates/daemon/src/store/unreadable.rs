//! Rows whose text no version has written: each is left out where all are asked for, and told of once.

use super::{StoreError, pulls, tasks};
use prometheus_client::metrics::counter::Counter;
use rusqlite::{Connection, Row};
use serde::de::DeserializeOwned;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// So many are told of.
const MOST: usize = 1_000;

/// Those that were met since the hub's start, by what is kept in them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unreadable {
    met: Arc<Mutex<BTreeSet<String>>>,
    pub(crate) counted: Counter,
}

impl Unreadable {
    /// What was read; nothing of a row that cannot be.
    pub(crate) fn leave_out<T>(
        &self,
        read: Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        match read {
            Err(StoreError::Row { what, why }) => {
                self.meet(what, &why);
                Ok(None)
            }
            read => read.map(Some),
        }
    }

    fn meet(&self, what: String, why: &serde_json::Error) {
        let mut met = self.met.lock().unwrap_or_else(PoisonError::into_inner);
        if met.len() < MOST && !met.contains(&what) {
            tracing::error!(what, %why, "a row of the database cannot be read: it is left out of lists");
            self.counted.inc();
            met.insert(what);
        }
    }
}

/// Meets each of them before anybody asks for it.
pub(crate) fn look_through(
    connection: &Connection,
    unreadable: &Unreadable,
) -> Result<(), StoreError> {
    tasks::look_through(connection, unreadable)?;
    pulls::look_through(connection, unreadable)
}

/// The JSON in this column; `what` is kept in the row.
pub(super) fn json<T: DeserializeOwned>(
    row: &Row<'_>,
    column: usize,
    what: impl FnOnce() -> String,
) -> Result<T, StoreError> {
    // The tables are strict: it is text, and may still not be UTF-8.
    let text = row.get_ref(column)?.as_bytes().unwrap_or_default();
    serde_json::from_slice(text).map_err(|why| StoreError::Row { what: what(), why })
}

/// The key of a row, which need be no text either.
pub(super) fn name(row: &Row<'_>) -> Result<String, StoreError> {
    let name = row.get_ref(0)?.as_bytes().unwrap_or_default();
    Ok(String::from_utf8_lossy(name).into_owned())
}
