//! Pull requests.

use super::unreadable::{json, name};
use super::{Reader, StoreError, Unreadable};
use crate::forge::Approval;
use headsup_core::id::AgentId;
use headsup_core::wire::PullDoc;
use headsup_core::work::pull::PullState;
use headsup_core::work::review::Review;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A pull request to be written, new or over the old one.
#[derive(Clone, Debug)]
pub(crate) struct PullRow {
    /// The request that made it.
    pub(crate) request: Option<String>,
    /// What a merge that is under way, or broke off, leads to.
    pub(crate) intended: Option<String>,
    /// What people were asked of it, the last one last.
    pub(crate) approvals: Vec<Approval>,
    /// What was said of it through the hub, the last one last.
    pub(crate) reviews: Vec<Review>,
    /// Whom the hub has blocked over it; until it is over.
    pub(crate) blocks: Vec<Block>,
    pub(crate) doc: PullDoc,
}

/// A block that the hub has set: of an agent, in these words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Block {
    pub(crate) agent: AgentId,
    pub(crate) message: String,
}

pub(super) fn write(connection: &Connection, pulls: &[&PullRow]) -> Result<(), StoreError> {
    for PullRow { request, intended, approvals, reviews, blocks, doc } in pulls {
        let sql =
            "INSERT INTO pulls (id, updated_at, request, intended, approvals, reviews, blocks, doc)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
                   ON CONFLICT (id) DO UPDATE SET updated_at = excluded.updated_at,
                       intended = excluded.intended, approvals = excluded.approvals,
                       reviews = excluded.reviews, blocks = excluded.blocks, doc = excluded.doc";
        let json = serde_json::to_string(doc)?;
        let (asked, said, blocks) = (list(approvals)?, list(reviews)?, list(blocks)?);
        let row = params![doc.id, doc.updated_at.0, request, intended, asked, said, blocks, json];
        connection.prepare_cached(sql)?.execute(row)?;
    }
    Ok(())
}

/// Nothing where there is none.
fn list<T: serde::Serialize>(of: &[T]) -> Result<Option<String>, StoreError> {
    Ok((!of.is_empty()).then(|| serde_json::to_string(of)).transpose()?)
}

const COLUMNS: &str = "SELECT id, request, intended, approvals, reviews, blocks, doc FROM pulls";

/// A member of the document; nothing of one that is no JSON, into which a look ends the whole statement.
fn member(name: &str) -> String {
    format!("CASE WHEN json_valid(doc) THEN doc ->> '$.{name}' END")
}

pub(crate) fn pull(connection: &Connection, id: &str) -> Result<Option<PullRow>, StoreError> {
    one(connection, "id = ?1", id)
}

/// The one with this number at another system; of ours the open one of these branches.
pub(crate) fn same(connection: &Connection, doc: &PullDoc) -> Result<Option<String>, StoreError> {
    let PullDoc { repo, head_branch, base_branch, provider, remote, number, .. } = doc;
    if let Some(number) = number {
        let sql = format!(
            "SELECT id FROM pulls WHERE {} = ?1 AND {} = ?2 AND {} = ?3",
            member("provider"),
            member("remote"),
            member("number")
        );
        let mut select = connection.prepare_cached(&sql)?;
        let which = params![provider, remote, number.cast_signed()];
        return Ok(select.query_row(which, |row| row.get(0)).optional()?);
    }
    let sql = format!(
        "SELECT id FROM pulls WHERE {} = 'open' AND {} = ?1 AND {} = ?2 AND {} = ?3 AND {} IS NULL",
        member("state"),
        member("repo"),
        member("head_branch"),
        member("base_branch"),
        member("number")
    );
    let mut select = connection.prepare_cached(&sql)?;
    Ok(select.query_row([repo, head_branch, base_branch], |row| row.get(0)).optional()?)
}

/// Meets what cannot be read of them.
pub(super) fn look_through(
    connection: &Connection,
    unreadable: &Unreadable,
) -> Result<(), StoreError> {
    let mut select = connection.prepare(COLUMNS)?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        unreadable.leave_out(whole(row))?;
    }
    Ok(())
}

impl Reader {
    pub(crate) fn pull(&self, id: &str) -> Result<Option<PullRow>, StoreError> {
        self.with(|connection| pull(connection, id))
    }

    /// The pull request that a request has made.
    pub(crate) fn pull_of(&self, request: &str) -> Result<Option<PullRow>, StoreError> {
        self.with(|connection| one(connection, "request = ?1", request))
    }

    /// The pull request at this address.
    pub(crate) fn pull_at(&self, url: &str) -> Result<Option<PullRow>, StoreError> {
        let which = format!("{} = ?1", member("url"));
        self.with(|connection| one(connection, &which, url))
    }

    /// Open ones that a person was asked about, and that can be read.
    pub(crate) fn asked_pulls(&self) -> Result<Vec<PullRow>, StoreError> {
        self.with(|connection| {
            let sql = format!(
                "{COLUMNS} WHERE approvals IS NOT NULL AND {} = 'open' ORDER BY updated_at, id",
                member("state")
            );
            let mut select = connection.prepare_cached(&sql)?;
            let (mut rows, mut asked) = (select.query([])?, Vec::new());
            while let Some(row) = rows.next()? {
                asked.extend(self.unreadable.leave_out(whole(row))?);
            }
            Ok(asked)
        })
    }

    /// The last changed first, as far as they can be read; of an agent those that it has opened, and these.
    pub(crate) fn pulls(
        &self,
        state: Option<PullState>,
        agent: Option<(&str, &[String])>,
        most: u32,
    ) -> Result<Vec<PullDoc>, StoreError> {
        self.with(|connection| {
            let sql = format!(
                "{COLUMNS} WHERE (?1 IS NULL OR NOT json_valid(doc) OR {} = ?1)
                 AND (?2 IS NULL OR NOT json_valid(doc) OR {} = ?2
                      OR id IN (SELECT value FROM json_each(?3)))
                 ORDER BY updated_at DESC, id DESC",
                member("state"),
                member("agent_id")
            );
            let mut select = connection.prepare_cached(&sql)?;
            let (agent, linked) = agent.unzip();
            let linked = serde_json::to_string(linked.unwrap_or_default())?;
            let mut rows = select.query(params![state.map(PullState::word), agent, linked])?;
            let mut pulls = Vec::new();
            while pulls.len() < most as usize
                && let Some(row) = rows.next()?
            {
                pulls.extend(self.unreadable.leave_out(whole(row))?.map(|row| row.doc));
            }
            Ok(pulls)
        })
    }
}

fn one(connection: &Connection, which: &str, value: &str) -> Result<Option<PullRow>, StoreError> {
    let mut select = connection.prepare_cached(&format!("{COLUMNS} WHERE {which}"))?;
    let mut rows = select.query([value])?;
    rows.next()?.map(whole).transpose()
}

fn whole(row: &Row<'_>) -> Result<PullRow, StoreError> {
    let id = name(row)?;
    let what = || format!("pull request {id}");
    // What is no text is nobody's.
    let text = |column| -> Result<Option<String>, StoreError> {
        let text = row.get_ref(column)?.as_bytes_or_null().unwrap_or_default();
        Ok(text.map(|text| String::from_utf8_lossy(text).into_owned()))
    };
    Ok(PullRow {
        request: text(1)?,
        intended: text(2)?,
        approvals: listed(row, 3, what)?,
        reviews: listed(row, 4, what)?,
        blocks: listed(row, 5, what)?,
        doc: json(row, 6, what)?,
    })
}

/// Nothing stands for none.
fn listed<T: DeserializeOwned>(
    row: &Row<'_>,
    column: usize,
    what: impl FnOnce() -> String,
) -> Result<Vec<T>, StoreError> {
    match row.get_ref(column)? {
        ValueRef::Null => Ok(Vec::new()),
        _ => json(row, column, what),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Store;
    use super::*;
    use headsup_core::time::UnixMs;

    #[test]
    fn one_that_cannot_be_read_is_left_out_and_keeps_no_other_from_being_found() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("headsup.db");
        drop(Store::open(&path, UnixMs(0)).unwrap());
        let database = Connection::open(&path).unwrap();
        let spoiled = "INSERT INTO pulls (id, updated_at, approvals, doc) VALUES
                       ('cut', 1, '[]', '{\"state\":'), ('odd', 2, '[]', '{\"state\":\"open\"}')";
        database.execute_batch(spoiled).unwrap();
        let no_text = "INSERT INTO pulls (id, updated_at, request, approvals, doc) VALUES
                       ('blob', 3, CAST(x'ff' AS TEXT), '[]', '{\"state\":\"open\"}'),
                       (CAST(x'ff' AS TEXT), 4, NULL, '[]', '{}')";
        database.execute_batch(no_text).unwrap();
        let unreadable = Unreadable::default();
        let reader = Reader::telling(&path, unreadable.clone()).unwrap();
        let (open, linked) = (Some(PullState::Open), ["cut".to_owned()]);
        assert!(reader.pulls(None, None, 9).unwrap().is_empty());
        assert!(reader.pulls(open, Some(("api", &linked)), 9).unwrap().is_empty());
        assert!(reader.asked_pulls().unwrap().is_empty());
        assert!(reader.pull_at("https://forge.example/a/b/pull/1").unwrap().is_none());
        assert!(matches!(reader.pull("cut"), Err(StoreError::Row { .. })));
        assert_eq!(unreadable.counted.get(), 4, "each is told of once");
    }
}
