//! The one transaction through which everything is written.

use super::effects::{self, EffectRow};
use super::pulls::{self, PullRow};
use super::tasks::{self, CommentRow, TaskRow};
use super::webhooks;
use super::{Store, StoreError};
use crate::frame::Frame;
use crate::job::Key;
use headsup_core::id::AgentId;
use headsup_core::seat::Seat;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension as _, ToSql, params, params_from_iter};
use std::sync::Arc;

/// What one commit writes.
#[derive(Debug, Default)]
pub(crate) struct Changes<'a> {
    pub(crate) frames: &'a [Arc<Frame>],
    /// `None` removes a seat.
    pub(crate) seats: Vec<(&'a AgentId, Option<&'a Seat>)>,
    pub(crate) ids: Vec<StoredId<'a>>,
    pub(crate) prompt_keys: Vec<PromptKey<'a>>,
    pub(crate) tasks: Vec<&'a TaskRow>,
    pub(crate) comments: &'a [CommentRow],
    pub(crate) pulls: Vec<&'a PullRow>,
    pub(crate) webhooks: Option<&'a webhooks::Told>,
    pub(crate) effects: &'a [EffectRow],
}

/// What a prompt was opened under.
#[derive(Debug)]
pub(crate) struct PromptKey<'a> {
    pub(crate) key: &'a str,
    pub(crate) prompt: &'a str,
    pub(crate) seq: u64,
}

/// A request that has had its effect.
#[derive(Debug)]
pub(crate) struct StoredId<'a> {
    pub(crate) key: &'a Key,
    pub(crate) seq: u64,
}

impl Changes<'_> {
    pub(crate) fn is_empty(&self) -> bool {
        self.frames.is_empty()
            && self.seats.is_empty()
            && self.ids.is_empty()
            && self.prompt_keys.is_empty()
            && self.tasks.is_empty()
            && self.comments.is_empty()
            && self.pulls.is_empty()
            && self.webhooks.is_none()
            && self.effects.is_empty()
    }
}

/// JSON bytes as `SQLite` text, without a look at every byte: a serializer wrote them.
struct Text<'a>(&'a [u8]);

impl<'a> From<Text<'a>> for ToSqlOutput<'a> {
    fn from(text: Text<'a>) -> Self {
        ToSqlOutput::Borrowed(ValueRef::Text(text.0))
    }
}

impl ToSql for Text<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(ValueRef::Text(self.0)))
    }
}

/// Rows that go into a table with one statement: to begin and to end one costs about as much as a row.
const TOGETHER: usize = 8;

/// A transaction whose words are not parsed anew for every commit. Dropped, it takes all back.
struct Begun<'a> {
    connection: &'a Connection,
    is_over: bool,
}

impl<'a> Begun<'a> {
    fn new(connection: &'a Connection) -> Result<Self, StoreError> {
        connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        Ok(Self { connection, is_over: false })
    }

    fn commit(mut self) -> Result<(), StoreError> {
        self.connection.prepare_cached("COMMIT")?.execute([])?;
        self.is_over = true;
        Ok(())
    }
}

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        // The disk may have taken it back already.
        if !self.is_over && !self.connection.is_autocommit() {
            self.connection.execute_batch("ROLLBACK").ok();
        }
    }
}

impl Store {
    /// Writes all of it or nothing. When this returns it survives the end of the process.
    pub(crate) fn commit(&mut self, changes: &Changes<'_>) -> Result<(), StoreError> {
        let transaction = Begun::new(&self.connection)?;
        let connection = transaction.connection;
        append(connection, changes.frames)?;
        write_seats(connection, &changes.seats)?;
        for (id, _) in changes.seats.iter().filter(|(_, seat)| seat.is_none()) {
            for sql in ["DELETE FROM seats WHERE id = ?1", "DELETE FROM histories WHERE id = ?1"] {
                connection.execute(sql, [id.as_str()])?;
            }
        }
        tasks::write(connection, &changes.tasks, changes.comments)?;
        pulls::write(connection, &changes.pulls)?;
        if let Some(told) = changes.webhooks {
            webhooks::write(connection, told)?;
        }
        effects::write(connection, changes.effects)?;
        // An id that is there already came by the spool as well.
        let into = "INSERT OR IGNORE INTO report_ids (id, seq, digest)";
        insert(connection, into, &changes.ids, |StoredId { key, seq }| {
            let (seq, digest) = (seq.cast_signed(), key.digest.cast_signed());
            [key.id.as_str().into(), seq.into(), digest.into()]
        })?;
        for PromptKey { key, prompt, seq } in &changes.prompt_keys {
            let sql = "INSERT OR REPLACE INTO prompt_keys (key, prompt, seq) VALUES (?1, ?2, ?3)";
            connection.prepare_cached(sql)?.execute(params![key, prompt, seq.cast_signed()])?;
        }
        transaction.commit()
    }

    /// The digest that came with this id, if it was stored.
    pub(crate) fn digest_of(&self, id: &str) -> Result<Option<u64>, StoreError> {
        let sql = "SELECT digest FROM report_ids WHERE id = ?1";
        let mut select = self.connection.prepare_cached(sql)?;
        let digest = select.query_row([id], |row| row.get::<_, i64>(0)).optional()?;
        Ok(digest.map(i64::cast_unsigned))
    }
}

fn write_seats(
    connection: &Connection,
    seats: &[(&AgentId, Option<&Seat>)],
) -> Result<(), StoreError> {
    let (mut state, mut history) = (Vec::with_capacity(2_048), Vec::with_capacity(2_048));
    for (id, seat) in seats {
        let Some(seat) = seat else { continue };
        state.clear();
        serde_json::to_writer(&mut state, seat)?;
        put(connection, &STATE, id, &state)?;
        // One that is not here, or to which nothing was added, is as it was stored.
        if let Some(said) = seat.history.as_deref().filter(|said| said.unsaved) {
            history.clear();
            serde_json::to_writer(&mut history, said)?;
            put(connection, &HISTORY, id, &history)?;
        }
    }
    Ok(())
}

/// A row that an agent has in a table. Nearly every one is there already: one statement for both cases would
/// cost half as much again.
struct Row {
    update: &'static str,
    insert: &'static str,
}

const STATE: Row = Row {
    update: "UPDATE seats SET state = ?2 WHERE id = ?1",
    insert: "INSERT INTO seats (id, state) VALUES (?1, ?2)",
};
const HISTORY: Row = Row {
    update: "UPDATE histories SET history = ?2 WHERE id = ?1",
    insert: "INSERT INTO histories (id, history) VALUES (?1, ?2)",
};

fn put(connection: &Connection, row: &Row, id: &AgentId, json: &[u8]) -> Result<(), StoreError> {
    let values = params![id.as_str(), Text(json)];
    if connection.prepare_cached(row.update)?.execute(values)? == 0 {
        connection.prepare_cached(row.insert)?.execute(values)?;
    }
    Ok(())
}

fn append(connection: &Connection, frames: &[Arc<Frame>]) -> Result<(), StoreError> {
    let into = "INSERT INTO events (seq, at, agent, type, body)";
    insert(connection, into, frames, |frame| {
        let (seq, at) = (frame.seq.cast_signed().into(), frame.at.0.into());
        [seq, at, frame.agent.as_str().into(), frame.kind.into(), Text(frame.json()).into()]
    })?;
    for frame in frames {
        let Some(prompt) = &frame.resolved else { continue };
        // An agent that was forgotten and came back may have had one of this id before.
        let sql = "INSERT OR REPLACE INTO prompts (id, agent, seq) VALUES (?1, ?2, ?3)";
        let row = params![prompt, frame.agent.as_str(), frame.seq.cast_signed()];
        connection.prepare_cached(sql)?.execute(row)?;
    }
    Ok(())
}

/// `into` says how and into which columns, `row` what of each.
fn insert<'a, T, const COLUMNS: usize>(
    connection: &Connection,
    into: &str,
    all: &'a [T],
    row: impl Fn(&'a T) -> [ToSqlOutput<'a>; COLUMNS],
) -> Result<(), StoreError> {
    let (together, rest) = all.as_chunks::<TOGETHER>();
    let values = format!("({})", ["?"; COLUMNS].join(","));
    if !together.is_empty() {
        let sql = format!("{into} VALUES {}", [values.as_str(); TOGETHER].join(","));
        let mut statement = connection.prepare_cached(&sql)?;
        for rows in together {
            statement.execute(params_from_iter(rows.iter().flat_map(&row)))?;
        }
    }
    if !rest.is_empty() {
        let mut statement = connection.prepare_cached(&format!("{into} VALUES {values}"))?;
        for one in rest {
            statement.execute(params_from_iter(row(one)))?;
        }
    }
    Ok(())
}
