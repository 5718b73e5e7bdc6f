//! What is to be done at other systems.

use super::{Reader, Store, StoreError};
use crate::effects::{Effect, Standing};
use headsup_core::time::UnixMs;
use headsup_core::work::effect::{EffectKind, EffectState};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

/// An effect to be written, new or over the old one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EffectRow {
    /// Counts in the order in which they were made; 0 of one that is not stored yet.
    pub(crate) number: i64,
    pub(crate) effect: Effect,
    pub(crate) made_at: UnixMs,
    pub(crate) tries: u32,
    pub(crate) standing: Standing,
}

/// Targets that are looked at in one go.
const TARGETS: u32 = 256;
/// Of one target at most.
const OF_TARGET: u32 = 20;

pub(super) fn write(connection: &Connection, effects: &[EffectRow]) -> Result<(), StoreError> {
    for EffectRow { effect, made_at, tries, standing, .. } in effects {
        let sql = "INSERT INTO effects (key, provider, target, kind, body, made_at, tries, state)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
                   ON CONFLICT (key) DO UPDATE SET tries = excluded.tries, state = excluded.state";
        let Effect { provider, target, kind, body, key } = effect;
        let state = serde_json::to_string(standing)?;
        let row = params![key, provider, target, kind.word(), body, made_at.0, tries, state];
        connection.prepare_cached(sql)?.execute(row)?;
    }
    Ok(())
}

const COLUMNS: &str = "number, key, provider, target, kind, body, made_at, tries, state";

/// The effect of this key.
pub(crate) fn effect(connection: &Connection, key: &str) -> Result<Option<EffectRow>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM effects WHERE key = ?1");
    let mut select = connection.prepare_cached(&sql)?;
    select.query_row([key], parts).optional()?.map(whole).transpose()
}

impl Store {
    /// Drops what is over and older than this.
    pub(super) fn prune_effects(&self, older_than: UnixMs) -> Result<(), StoreError> {
        let sql = "DELETE FROM effects WHERE made_at < ?1 AND state ->> '$.state' <> 'queued'";
        self.connection.execute(sql, [older_than.0])?;
        Ok(())
    }
}

impl Reader {
    /// The effect of this key.
    pub(crate) fn effect(&self, key: &str) -> Result<Option<EffectRow>, StoreError> {
        self.with(|connection| effect(connection, key))
    }

    /// The number of the last one that was made; 0 where there was none.
    pub(crate) fn last_effect(&self) -> Result<i64, StoreError> {
        self.with(|connection| {
            let sql = "SELECT COALESCE(MAX(number), 0) FROM effects";
            Ok(connection.query_row(sql, [], |row| row.get(0))?)
        })
    }

    /// The next one of each target.
    pub(crate) fn next_effects(&self) -> Result<Vec<EffectRow>, StoreError> {
        // Beside MIN the other columns are of its row.
        let columns = COLUMNS.replacen("number", "MIN(number)", 1);
        let which = format!(
            "SELECT {columns} FROM effects WHERE state ->> '$.state' = 'queued'
             GROUP BY provider, target ORDER BY 1 LIMIT {TARGETS}"
        );
        self.with(|connection| rows(connection, &which, params![]))
    }

    /// Those in this state, or all; oldest first, and the last ones if there are more.
    pub(crate) fn effects(
        &self,
        state: Option<EffectState>,
        most: u32,
    ) -> Result<Vec<EffectRow>, StoreError> {
        let which = format!(
            "SELECT * FROM (SELECT {COLUMNS} FROM effects
             WHERE ?1 IS NULL OR state ->> '$.state' = ?1 ORDER BY number DESC LIMIT ?2)
             ORDER BY number"
        );
        let state = state.map(EffectState::word);
        self.with(|connection| rows(connection, &which, params![state, most]))
    }

    /// The last ones of a target that are not done, oldest first.
    pub(crate) fn undone(
        &self,
        provider: &str,
        target: &str,
    ) -> Result<Vec<EffectRow>, StoreError> {
        let which = format!(
            "SELECT * FROM (SELECT {COLUMNS} FROM effects
             WHERE provider = ?1 AND target = ?2 AND state ->> '$.state' <> 'done'
             ORDER BY number DESC LIMIT {OF_TARGET}) ORDER BY number"
        );
        self.with(|connection| rows(connection, &which, params![provider, target]))
    }
}

fn rows(
    connection: &Connection,
    sql: &str,
    values: &[&dyn rusqlite::ToSql],
) -> Result<Vec<EffectRow>, StoreError> {
    let mut select = connection.prepare_cached(sql)?;
    let found = select.query_map(values, parts)?;
    found.map(|row| whole(row?)).collect()
}

type Parts = (EffectRow, String, String);

/// All that is not JSON or a word.
fn parts(row: &Row<'_>) -> rusqlite::Result<Parts> {
    let effect = Effect {
        key: row.get(1)?,
        provider: row.get(2)?,
        target: row.get(3)?,
        kind: EffectKind::Comment,
        body: row.get(5)?,
    };
    let standing = Standing::Queued { why: None };
    let made_at = UnixMs(row.get(6)?);
    let row_of = EffectRow { number: row.get(0)?, effect, made_at, tries: row.get(7)?, standing };
    Ok((row_of, row.get(4)?, row.get(8)?))
}

fn whole((mut row, kind, state): Parts) -> Result<EffectRow, StoreError> {
    row.effect.kind = serde_json::from_value(serde_json::Value::String(kind))?;
    row.standing = serde_json::from_str(&state)?;
    Ok(row)
}

#[cfg(test)]
mod tests {
    use super::super::Changes;
    use super::*;

    fn row(target: &str, key: &str, standing: Standing) -> EffectRow {
        let (provider, target, key) = ("github".to_owned(), target.to_owned(), key.to_owned());
        let effect =
            Effect { provider, target, kind: EffectKind::TaskStatus, body: "done".into(), key };
        EffectRow { number: 0, effect, made_at: UnixMs(5), tries: 0, standing }
    }

    #[test]
    fn the_oldest_of_each_target_is_next_and_what_is_over_goes_with_its_time() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("headsup.db");
        let mut store = Store::open(&path, UnixMs(0)).unwrap().store;
        let queued = || Standing::Queued { why: None };
        let rows = [row("a", "1", queued()), row("a", "2", queued()), row("b", "3", queued())];
        store.commit(&Changes { effects: &rows, ..Changes::default() }).unwrap();
        let reader = Reader::open(&path).unwrap();
        let next = || {
            let next = reader.next_effects().unwrap();
            next.into_iter().map(|row| row.effect.key).collect::<Vec<_>>()
        };
        assert_eq!(next(), ["1", "3"]);
        assert_eq!(reader.last_effect().unwrap(), 3);
        let over = Standing::Done { id: "9".to_owned(), url: None };
        let rows = [EffectRow { tries: 1, ..row("a", "1", over.clone()) }];
        store.commit(&Changes { effects: &rows, ..Changes::default() }).unwrap();
        assert_eq!(next(), ["2", "3"]);
        let done = reader.effect("1").unwrap().unwrap();
        assert_eq!((done.number, done.tries, done.standing), (1, 1, over));
        assert_eq!(done.effect.kind, EffectKind::TaskStatus);
        let keys =
            |rows: Vec<EffectRow>| rows.into_iter().map(|row| row.effect.key).collect::<Vec<_>>();
        assert_eq!(keys(reader.effects(None, 2).unwrap()), ["2", "3"]);
        assert_eq!(keys(reader.effects(Some(EffectState::Done), 9).unwrap()), ["1"]);
        assert_eq!(keys(reader.undone("github", "a").unwrap()), ["2"]);
        store.prune_effects(UnixMs(5)).unwrap();
        assert_eq!(reader.effects(None, 9).unwrap().len(), 3);
        store.prune_effects(UnixMs(6)).unwrap();
        assert_eq!(keys(reader.effects(None, 9).unwrap()), ["2", "3"]);
    }
}
