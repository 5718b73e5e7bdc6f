//! The conversations of a seat: the one that it is in, and those that it has left.

use super::Seat;
use crate::time::{UnixMs, stored};
use serde::{Deserialize, Serialize};
use thin_vec::ThinVec;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    pub id: String,
    #[serde(with = "stored")]
    pub since: UnixMs,
    /// Its start was witnessed, not only inferred from a later fact.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub start_seen: bool,
    /// It was told before the prompt box was open.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_early: bool,
    /// The program's own status file has named it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_filed: bool,
    /// The name of the last prompt that a hook has told of and that a person has sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompted: Option<Box<str>>,
    /// Conversations that a person has begun beside it, newest last.
    #[serde(default, skip_serializing_if = "ThinVec::is_empty")]
    pub sides: ThinVec<String>,
    /// The log of it that has been read since the hub started: what is written there is heard.
    #[serde(skip)]
    pub logged: Option<Box<str>>,
}

impl Session {
    pub fn new(id: String, since: UnixMs, start_seen: bool) -> Self {
        let (is_early, is_filed) = (false, false);
        let (prompted, sides, logged) = (None, ThinVec::new(), None);
        Self { id, since, start_seen, is_early, is_filed, prompted, sides, logged }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftSession {
    pub id: String,
    #[serde(with = "stored")]
    pub at: UnixMs,
    /// The program may have meant that it leaves.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_goodbye: bool,
    /// Its turn has ended with it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_closed: bool,
}

/// A turn of a conversation that a person has left for another one, and that goes on behind that.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Beside {
    pub session: String,
    /// The vendor's id of the turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    pub turn_seq: u64,
}

const LEFT_SESSIONS: usize = 8;

impl Seat {
    pub(crate) fn leave_session(&mut self, at: UnixMs) {
        let Some(session) = self.session.take() else {
            return;
        };
        self.left_sessions.retain(|left| left.id != session.id);
        if self.left_sessions.len() == LEFT_SESSIONS {
            self.left_sessions.remove(0);
        }
        let (id, is_goodbye, is_closed) = (session.id, false, false);
        self.left_sessions.push(LeftSession { id, at, is_goodbye, is_closed });
    }
}
