//! Pull requests.

use super::{Reader, StoreError};
use crate::forge::Approval;
use headsup_core::id::AgentId;
use headsup_core::wire::PullDoc;
use headsup_core::work::pull::PullState;
use headsup_core::work::review::Review;
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

const COLUMNS: &str = "SELECT request, intended, approvals, reviews, blocks, doc FROM pulls";

pub(crate) fn pull(connection: &Connection, id: &str) -> Result<Option<PullRow>, StoreError> {
    one(connection, "id = ?1", id)
}

/// The one with this number at another system; of ours the open one of these branches.
pub(crate) fn same(connection: &Connection, doc: &PullDoc) -> Result<Option<String>, StoreError> {
    let PullDoc { repo, head_branch, base_branch, provider, remote, number, .. } = doc;
    if let Some(number) = number {
        let sql = "SELECT id FROM pulls WHERE doc ->> '$.provider' = ?1
                   AND doc ->> '$.remote' = ?2 AND doc ->> '$.number' = ?3";
        let mut select = connection.prepare_cached(sql)?;
        let which = params![provider, remote, number.cast_signed()];
        return Ok(select.query_row(which, |row| row.get(0)).optional()?);
    }
    let sql = "SELECT id FROM pulls WHERE doc ->> '$.state' = 'open' AND doc ->> '$.repo' = ?1
               AND doc ->> '$.head_branch' = ?2 AND doc ->> '$.base_branch' = ?3
               AND doc ->> '$.number' IS NULL";
    let mut select = connection.prepare_cached(sql)?;
    Ok(select.query_row([repo, head_branch, base_branch], |row| row.get(0)).optional()?)
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
        self.with(|connection| one(connection, "doc ->> '$.url' = ?1", url))
    }

    /// Open ones that a person was asked about.
    pub(crate) fn asked_pulls(&self) -> Result<Vec<PullRow>, StoreError> {
        self.with(|connection| {
            let sql = format!(
                "{COLUMNS} WHERE approvals IS NOT NULL AND doc ->> '$.state' = 'open'
                 ORDER BY updated_at, id"
            );
            let mut select = connection.prepare_cached(&sql)?;
            let rows = select.query_map([], parts)?;
            rows.map(|row| whole(row?)).collect()
        })
    }

    /// The last changed first; of an agent those that it has opened, and these.
    pub(crate) fn pulls(
        &self,
        state: Option<PullState>,
        agent: Option<(&str, &[String])>,
        most: u32,
    ) -> Result<Vec<PullDoc>, StoreError> {
        self.with(|connection| {
            let sql = format!(
                "{COLUMNS} WHERE (?1 IS NULL OR doc ->> '$.state' = ?1)
                 AND (?2 IS NULL OR doc ->> '$.agent_id' = ?2
                      OR id IN (SELECT value FROM json_each(?4)))
                 ORDER BY updated_at DESC, id DESC LIMIT ?3"
            );
            let mut select = connection.prepare_cached(&sql)?;
            let (agent, linked) = agent.unzip();
            let linked = serde_json::to_string(linked.unwrap_or_default())?;
            let values = params![state.map(PullState::word), agent, most, linked];
            let rows = select.query_map(values, parts)?;
            rows.map(|row| Ok(whole(row?)?.doc)).collect()
        })
    }
}

fn one(connection: &Connection, which: &str, value: &str) -> Result<Option<PullRow>, StoreError> {
    let mut select = connection.prepare_cached(&format!("{COLUMNS} WHERE {which}"))?;
    select.query_row([value], parts).optional()?.map(whole).transpose()
}

type Parts = (Option<String>, Option<String>, [Option<String>; 3], String);

fn parts(row: &Row<'_>) -> rusqlite::Result<Parts> {
    Ok((row.get(0)?, row.get(1)?, [row.get(2)?, row.get(3)?, row.get(4)?], row.get(5)?))
}

fn whole((request, intended, [asked, said, blocks], doc): Parts) -> Result<PullRow, StoreError> {
    let (approvals, reviews) = (listed(asked.as_deref())?, listed(said.as_deref())?);
    let (blocks, doc) = (listed(blocks.as_deref())?, serde_json::from_str(&doc)?);
    Ok(PullRow { request, intended, approvals, reviews, blocks, doc })
}

fn listed<T: DeserializeOwned>(json: Option<&str>) -> Result<Vec<T>, StoreError> {
    Ok(json.map(serde_json::from_str).transpose()?.unwrap_or_default())
}
