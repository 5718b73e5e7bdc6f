//! Prompts that are over, and the keys that prompts were opened under.
//!
//! A prompt that is over is kept as its event; here is only where that stands. So it is there as
//! long as the log has it.

use super::{Reader, Store, StoreError};
use headsup_core::event::{Event, EventBody};
use headsup_core::id::AgentId;
use headsup_core::wire::PromptDoc;
use rusqlite::{Connection, OptionalExtension as _, params};
use std::sync::PoisonError;

impl Store {
    /// The prompt that was opened under this key.
    pub(crate) fn prompt_of(&self, key: &str) -> Result<Option<String>, StoreError> {
        of_key(&self.connection, key)
    }

    /// The prompt of this id, if it is over.
    pub(crate) fn resolved(&self, id: &str) -> Result<Option<PromptDoc>, StoreError> {
        resolved(&self.connection, id)
    }

    /// The number of the last prompt of this agent that is over; 0 where none is known.
    pub(crate) fn last_prompt(&self, agent: &AgentId) -> Result<u64, StoreError> {
        // `q` follows `p`: what lies between are the ids of this agent, and of some whose ids begin like them.
        let sql = "SELECT id FROM prompts WHERE id > ?1 || '-p' AND id < ?1 || '-q' AND agent = ?1";
        let mut select = self.connection.prepare_cached(sql)?;
        let mut rows = select.query([agent.as_str()])?;
        let mut last = 0_u64;
        while let Some(row) = rows.next()? {
            let number = number_of(agent, row.get_ref(0)?.as_str().unwrap_or_default());
            last = last.max(number.unwrap_or(0));
        }
        Ok(last)
    }
}

/// Which of this agent's prompts has this id, counted from 1.
pub(crate) fn number_of(agent: &AgentId, id: &str) -> Option<u64> {
    id.strip_prefix(agent.as_str())?.strip_prefix("-p")?.parse().ok()
}

impl Reader {
    /// The prompt that was opened under this key.
    pub(crate) fn prompt_of(&self, key: &str) -> Result<Option<String>, StoreError> {
        of_key(&self.lock(), key)
    }

    /// The prompt of this id, if it is over.
    pub(crate) fn resolved(&self, id: &str) -> Result<Option<PromptDoc>, StoreError> {
        resolved(&self.lock(), id)
    }

    /// The last prompts that are over, newest first.
    pub(crate) fn last_resolved(
        &self,
        agent: Option<&AgentId>,
        limit: u32,
    ) -> Result<Vec<PromptDoc>, StoreError> {
        let connection = self.lock();
        let mut select = connection.prepare_cached(
            "SELECT body FROM prompts JOIN events USING (seq)
             WHERE ?1 IS NULL OR prompts.agent = ?1 ORDER BY prompts.seq DESC LIMIT ?2",
        )?;
        let mut rows = select.query(params![agent.map(AgentId::as_str), limit])?;
        let mut prompts = Vec::new();
        while let Some(row) = rows.next()? {
            prompts.extend(prompt(row.get_ref(0)?.as_str().unwrap_or_default()));
        }
        Ok(prompts)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn of_key(connection: &Connection, key: &str) -> Result<Option<String>, StoreError> {
    let sql = "SELECT prompt FROM prompt_keys WHERE key = ?1";
    Ok(connection.prepare_cached(sql)?.query_row([key], |row| row.get(0)).optional()?)
}

fn resolved(connection: &Connection, id: &str) -> Result<Option<PromptDoc>, StoreError> {
    let sql = "SELECT body FROM prompts JOIN events USING (seq) WHERE prompts.id = ?1";
    let mut select = connection.prepare_cached(sql)?;
    let body: Option<String> = select.query_row([id], |row| row.get(0)).optional()?;
    Ok(body.and_then(|body| prompt(&body)))
}

fn prompt(event: &str) -> Option<PromptDoc> {
    match serde_json::from_str::<Event>(event).ok()?.body {
        EventBody::PromptResolved { prompt } => Some(*prompt),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Frame;
    use crate::store::{Changes, Opened, PromptKey};
    use headsup_core::prompt::{Actor, NewPrompt, OpenPrompt, Resolution};
    use headsup_core::source::Source;
    use headsup_core::status::BlockedReason;
    use headsup_core::time::UnixMs;
    use std::path::Path;
    use std::sync::Arc;

    fn open(path: &Path) -> Store {
        let Opened { store, .. } = Store::open(path, UnixMs(0)).unwrap();
        store
    }

    /// The event of a prompt that has ended.
    fn ended(seq: u64, agent: &str) -> Arc<Frame> {
        let agent_id = AgentId::new(agent).unwrap();
        let open = OpenPrompt {
            id: format!("{agent}-p{seq}"),
            actor: Actor::Main,
            opened_at: UnixMs(1),
            source: Source::Hook,
            ask: NewPrompt::plain(BlockedReason::Permission, Some("Bash: make")),
            input: None,
            by_notice: false,
            logged: None,
        };
        let doc = PromptDoc::new(&agent_id, &open, Some(Resolution::elsewhere(UnixMs(2))));
        let event = Event {
            schema: 1,
            cursor: seq.to_string(),
            at: UnixMs(2),
            agent_id,
            spooled: false,
            reported_at: None,
            body: EventBody::PromptResolved { prompt: Box::new(doc) },
        };
        Arc::new(Frame::new(seq, &event).unwrap())
    }

    #[test]
    fn what_is_over_is_found_by_its_id_and_by_its_agent_as_long_as_the_log_has_it() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("headsup.db");
        let mut store = open(&path);
        let frames: Vec<_> =
            (1..=6).map(|seq| ended(seq, if seq % 2 == 0 { "web" } else { "api" })).collect();
        let prompt_keys = vec![PromptKey { key: "d api 1 db", prompt: "api-p1", seq: 1 }];
        store.commit(&Changes { frames: &frames, prompt_keys, ..Changes::default() }).unwrap();
        let reader = Reader::open(&path).unwrap();
        let ids = |agent: Option<&str>, limit| {
            let agent = agent.map(|agent| AgentId::new(agent).unwrap());
            let last = reader.last_resolved(agent.as_ref(), limit).unwrap();
            last.into_iter().map(|prompt| prompt.id).collect::<Vec<_>>()
        };
        assert_eq!(ids(None, 2), ["web-p6", "api-p5"]);
        assert_eq!(ids(Some("web"), 9), ["web-p6", "web-p4", "web-p2"]);
        assert_eq!(store.resolved("api-p3").unwrap().unwrap().title, "Bash: make");
        assert_eq!(reader.resolved("api-p9").unwrap(), None);
        let last = |agent| store.last_prompt(&AgentId::new(agent).unwrap()).unwrap();
        assert_eq!([last("api"), last("web"), last("ap"), last("api-p1")], [5, 6, 0, 0]);
        assert_eq!(store.prompt_of("d api 1 db").unwrap().as_deref(), Some("api-p1"));
        store.prune(1, 6, 4, UnixMs(0)).unwrap();
        assert_eq!(ids(None, 9), ["web-p6", "api-p5", "web-p4"]);
        assert_eq!(reader.prompt_of("d api 1 db").unwrap(), None);
    }

    #[test]
    fn what_an_older_hub_has_told_of_prompts_is_found_as_well() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("headsup.db");
        let mut store = open(&path);
        store.commit(&Changes { frames: &[ended(1, "api")], ..Changes::default() }).unwrap();
        let later = [
            "prompts",
            "prompt_keys",
            "tasks",
            "task_comments",
            "pulls",
            "effects",
            "webhooks",
            "webhooks_judged",
            "webhooks_alike",
            "heard_tasks",
            "histories",
        ];
        let before = later.map(|table| format!("DROP TABLE {table};")).concat();
        let format = "ALTER TABLE seats ADD COLUMN history TEXT; PRAGMA user_version = 3";
        store.connection().execute_batch(&(before + format)).unwrap();
        drop(store);
        assert!(open(&path).resolved("api-p1").unwrap().is_some());
    }
}
