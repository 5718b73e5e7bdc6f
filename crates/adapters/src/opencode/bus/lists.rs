//! The lists of a folder, as they are after each connection. What cannot be read in them changes nothing.

use super::anew::STATUSES;
use super::{Follower, IDLE, Session, waits};
use crate::text;
use headsup_core::status::BlockedReason;
use serde_json::Value;
use std::collections::BTreeSet;

const LISTS: [&str; 3] = ["/session/status", "/permission", "/question"];
const QUESTION: BlockedReason = BlockedReason::Question;

impl Follower {
    /// The lists of one folder: of statuses, permissions and questions.
    pub fn lists(&self) -> [&'static str; 3] {
        LISTS
    }

    /// The lists of one folder, as they were after the stream was opened; `known`: sessions that
    /// somebody has told of before, and which are here if nobody knows of which folder they are. Hands out
    /// what is to be told.
    pub fn snapshot(&mut self, folder: &str, lists: [&str; 3], known: &[String]) -> Vec<Vec<u8>> {
        let Ok(Value::Object(statuses)) = serde_json::from_str(lists[0]) else {
            self.anew.note(LISTS[0], "list");
            return Vec::new();
        };
        let is_read = |id: &String| statuses.get(id).is_none_or(|status| word(status).is_some());
        let is_odd = statuses.keys().any(|id| !is_read(id));
        if is_odd {
            self.anew.note(LISTS[0], "type");
            for (id, session) in &mut self.sessions {
                session.is_doubted |= !is_read(id);
            }
        }
        let mut ids: BTreeSet<String> = statuses.keys().filter_map(|id| text::id(id)).collect();
        let is_here =
            |session: &Session| session.directory.as_deref().is_none_or(|at| at == folder);
        ids.extend(self.sessions.iter().filter(|(_, of)| is_here(of)).map(|(id, _)| id.clone()));
        ids.extend(known.iter().filter(|id| !self.sessions.contains_key(*id)).cloned());
        // What is not in these lists may be in others.
        let is_placed = |id: &String| statuses.contains_key(id) || !self.unplaced.contains(id);
        ids.retain(|id| !self.gone.has(id) && is_read(id) && is_placed(id));
        let is_any_unplaced = self.unplaced.iter().any(|id| !statuses.contains_key(id));
        let shown = self.current.clone();
        for id in &ids {
            let kind = statuses.get(id).and_then(word);
            let is_busy = kind.is_some_and(|kind| kind != "idle");
            let session = self.session(id);
            if !is_busy {
                session.open.clear();
            }
            if session.is_busy && !is_busy {
                // How it ended nobody says any more.
                session.rest = Some(IDLE);
            }
            session.is_unclear &= session.is_busy || !is_busy;
            session.is_doubted = false;
            session.is_late = false;
            session.is_busy = is_busy;
            session.waits = kind.is_some_and(waits);
            if is_busy && self.root(id) == *id {
                self.current = Some(id.clone());
            }
        }
        if let Some(shown) = shown.filter(|shown| self.is_at_work(shown)) {
            self.current = Some(shown);
        }
        self.take_asked(&ids, lists[1], false);
        self.take_asked(&ids, lists[2], true);
        // Of what is known these lists say nothing: it is in other folders.
        let is_elsewhere = ids.is_empty() && (!self.sessions.is_empty() || is_any_unplaced);
        let is_unsure = is_odd || is_any_unplaced;
        match self.is_shared {
            _ if is_elsewhere => Vec::new(),
            true if ids.is_empty() && is_odd => Vec::new(),
            // It is there, and waits for whoever comes.
            true if ids.is_empty() => vec![self.body("server.connected", None, IDLE)],
            true => {
                let roots: BTreeSet<String> = ids.iter().map(|id| self.root(id)).collect();
                roots.iter().filter_map(|root| self.tell(root, "server.connected")).collect()
            }
            // What cannot be read may be at work.
            false if is_unsure && !self.sessions.values().any(|of| of.is_busy) => Vec::new(),
            false => self.tell_of_terminal("server.connected").into_iter().collect(),
        }
    }

    /// What waits for an answer, in one of the two lists. What was open and is not there is over, where all of the
    /// list can be read.
    fn take_asked(&mut self, ids: &BTreeSet<String>, list: &str, is_question: bool) {
        let path = LISTS[1 + usize::from(is_question)];
        let Ok(Value::Array(asked)) = serde_json::from_str(list) else {
            self.anew.note(path, "list");
            return;
        };
        let lacks = |name: &str| asked.iter().any(|ask| member(ask, name).is_none());
        if let Some(lacking) = ["id", "sessionID"].into_iter().find(|&name| lacks(name)) {
            self.anew.note(path, lacking);
        } else {
            for id in ids {
                let Some(session) = self.sessions.get_mut(id) else { continue };
                session.open.retain(|_, (reason, _)| is_question != (*reason == QUESTION));
            }
        }
        for ask in &asked {
            let named = (member(ask, "id"), member(ask, "sessionID"));
            let (Some(id), Some(session)) = named else { continue };
            let Some(session) = self.sessions.get_mut(session) else { continue };
            if session.is_busy {
                let ask = asks(is_question, member(ask, "permission"));
                session.open.insert(id.to_owned(), ask);
            }
        }
    }
}

pub(super) fn asks(is_question: bool, tool: Option<&str>) -> (BlockedReason, Option<String>) {
    match is_question {
        true => (BlockedReason::Question, None),
        false => (BlockedReason::Permission, tool.map(|tool| text::line(tool, text::NAME))),
    }
}

/// The word of a status; `None`: nobody knows it.
fn word(status: &Value) -> Option<&str> {
    member(status, "type").filter(|word| STATUSES.contains(word))
}

fn member<'a>(of: &'a Value, name: &str) -> Option<&'a str> {
    of.get(name).and_then(Value::as_str)
}
