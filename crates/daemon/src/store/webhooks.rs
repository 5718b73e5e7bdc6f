//! What web hooks have told, and what of it is not judged again.

use super::{Reader, StoreError};
use headsup_core::time::UnixMs;
use headsup_core::wire::{HeardDoc, TaskDoc};
use rusqlite::{Connection, OptionalExtension as _, params};
use std::collections::BTreeMap;

/// Deliveries kept of either sort: with a right signature, and without.
const KEPT: i64 = 20_000;
/// How often the old ones are looked for: once in so many.
const PRUNED_EVERY: i64 = 256;
/// How long it is known what was judged. A comment that is older than this is older than any open prompt.
const JUDGED_MS: i64 = 7 * 24 * 3_600_000;
const MINUTE_MS: i64 = 60_000;

/// What one commit writes of web hooks.
#[derive(Debug, Default)]
pub(crate) struct Told {
    pub(crate) deliveries: Vec<Delivery>,
    pub(crate) judged: BTreeMap<String, UnixMs>,
    pub(crate) tasks: BTreeMap<String, HeardTask>,
    /// How many came that are not kept one by one, by minute and reason, and the last of them.
    alike: BTreeMap<(i64, String), (u64, HeardDoc)>,
}

/// One delivery, and whether its signature was right.
#[derive(Debug)]
pub(crate) struct Delivery {
    pub(crate) signed: bool,
    pub(crate) doc: HeardDoc,
}

/// A task of another tracker as it was told last.
#[derive(Clone, Debug)]
pub(crate) struct HeardTask {
    /// The tracker's own moment of it.
    pub(crate) version: UnixMs,
    pub(crate) doc: TaskDoc,
}

impl Told {
    pub(crate) fn is_empty(&self) -> bool {
        self.deliveries.is_empty()
            && self.judged.is_empty()
            && self.tasks.is_empty()
            && self.alike.is_empty()
    }

    /// One that is only counted.
    pub(crate) fn count(&mut self, doc: HeardDoc) {
        let of = (minute(doc.at), doc.reason.clone().unwrap_or_default());
        let (count, last) = self.alike.entry(of).or_insert_with(|| (0, doc.clone()));
        *count += 1;
        *last = doc;
    }
}

pub(super) fn write(connection: &Connection, told: &Told) -> Result<(), StoreError> {
    for Delivery { signed, doc } in &told.deliveries {
        let sql = "INSERT INTO webhooks (signed, doc) VALUES (?1, ?2)";
        let json = serde_json::to_string(doc)?;
        connection.prepare_cached(sql)?.execute(params![signed, json])?;
        if connection.last_insert_rowid() % PRUNED_EVERY == 0 {
            prune(connection, doc.at)?;
        }
    }
    for ((minute, reason), (count, doc)) in &told.alike {
        write_alike(connection, (*minute, reason), *count, doc)?;
    }
    for (key, at) in &told.judged {
        let sql = "INSERT OR IGNORE INTO webhooks_judged (key, at) VALUES (?1, ?2)";
        connection.prepare_cached(sql)?.execute(params![key, at.0])?;
    }
    for (identifier, HeardTask { version, doc }) in &told.tasks {
        let sql =
            "INSERT OR REPLACE INTO heard_tasks (identifier, version, doc) VALUES (?1, ?2, ?3)";
        let json = serde_json::to_string(doc)?;
        connection.prepare_cached(sql)?.execute(params![identifier, version.0, json])?;
    }
    Ok(())
}

fn minute(at: UnixMs) -> i64 {
    at.0.div_euclid(MINUTE_MS)
}

fn write_alike(
    connection: &Connection,
    (minute, reason): (i64, &str),
    count: u64,
    doc: &HeardDoc,
) -> Result<(), StoreError> {
    let sql = "INSERT INTO webhooks_alike (minute, reason, count, doc) VALUES (?1, ?2, ?3, ?4)
               ON CONFLICT DO UPDATE SET count = count + excluded.count, doc = excluded.doc";
    let row = params![minute, reason, count.cast_signed(), serde_json::to_string(doc)?];
    connection.prepare_cached(sql)?.execute(row)?;
    let oldest = minute - JUDGED_MS / MINUTE_MS;
    let sql = "DELETE FROM webhooks_alike WHERE minute < ?1";
    connection.prepare_cached(sql)?.execute([oldest])?;
    Ok(())
}

fn prune(connection: &Connection, now: UnixMs) -> Result<(), StoreError> {
    for signed in [false, true] {
        let sql = "DELETE FROM webhooks WHERE signed = ?1 AND seq <=
                   (SELECT seq FROM webhooks WHERE signed = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ?2)";
        connection.prepare_cached(sql)?.execute(params![signed, KEPT])?;
    }
    let sql = "DELETE FROM webhooks_judged WHERE at < ?1";
    connection.prepare_cached(sql)?.execute([now.plus(-JUDGED_MS).0])?;
    Ok(())
}

/// Whether this was judged before.
pub(crate) fn is_judged(connection: &Connection, key: &str) -> Result<bool, StoreError> {
    let sql = "SELECT 1 FROM webhooks_judged WHERE key = ?1";
    Ok(connection.prepare_cached(sql)?.exists([key])?)
}

/// A task of another tracker as it was told last.
pub(crate) fn heard_task(
    connection: &Connection,
    identifier: &str,
) -> Result<Option<HeardTask>, StoreError> {
    let sql = "SELECT version, doc FROM heard_tasks WHERE identifier = ?1";
    let mut select = connection.prepare_cached(sql)?;
    let found: Option<(i64, String)> =
        select.query_row([identifier], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    let read = |(version, doc): (i64, String)| {
        Ok(HeardTask { version: UnixMs(version), doc: serde_json::from_str(&doc)? })
    };
    found.map(read).transpose()
}

/// What is only counted, the last minute first.
fn alike(connection: &Connection, most: u32) -> Result<Vec<HeardDoc>, StoreError> {
    let sql = "SELECT count, doc FROM webhooks_alike ORDER BY minute DESC, reason LIMIT ?1";
    let mut select = connection.prepare_cached(sql)?;
    let rows = select.query_map([most], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.map(|row| {
        let (count, doc): (i64, String) = row?;
        let doc: HeardDoc = serde_json::from_str(&doc)?;
        Ok(HeardDoc { count: Some(count.cast_unsigned()), ..doc })
    })
    .collect()
}

impl Reader {
    /// The last deliveries, the last first. `signed`: with a right signature, or without one.
    pub(crate) fn webhooks(
        &self,
        signed: Option<bool>,
        most: u32,
    ) -> Result<Vec<HeardDoc>, StoreError> {
        self.with(|connection| {
            let sql = "SELECT doc FROM webhooks WHERE ?1 IS NULL OR signed = ?1
                       ORDER BY seq DESC LIMIT ?2";
            let mut select = connection.prepare_cached(sql)?;
            let rows = select.query_map(params![signed, most], |row| row.get::<_, String>(0))?;
            let rows = rows.map(|doc| Ok(serde_json::from_str(&doc?)?));
            let mut docs = rows.collect::<Result<Vec<HeardDoc>, StoreError>>()?;
            if signed != Some(true) {
                docs.extend(alike(connection, most)?);
                docs.sort_by_key(|doc| std::cmp::Reverse(doc.at));
                docs.truncate(most as usize);
            }
            Ok(docs)
        })
    }

    /// Whether this was judged before.
    pub(crate) fn is_judged(&self, key: &str) -> Result<bool, StoreError> {
        self.with(|connection| is_judged(connection, key))
    }

    /// A task of another tracker as it was told last.
    pub(crate) fn heard_task(&self, identifier: &str) -> Result<Option<TaskDoc>, StoreError> {
        self.with(|connection| Ok(heard_task(connection, identifier)?.map(|task| task.doc)))
    }
}
