//! What a program says that could tell a status and that nobody knows: it changes nothing, and is handed out once for each
//! kind of it, to be counted. Which names could tell one, and which of them do not, the plugin knows as well (`plugin.js`).

use super::{ABORTED, Follower, Info, Named, Said, matters, written};
use crate::json::Raw;
use crate::{payload, text};
use std::collections::BTreeSet;

/// Kinds that are handed out of one program.
const MOST: usize = 64;

/// What a message is called whose name cannot be read.
pub(super) const UNNAMED: &str = "unknown";

/// Names that tell no status, of those that could.
const SILENT: [&str; 3] = ["session.compacted", "session.diff", "session.drained"];

/// The answers to a request.
const REPLIES: &[&str] = &["always", "once", "reject"];

/// What the name of another error of a stop may say, and the name of an event that tells how a turn ends.
const STOPS: [&str; 3] = ["abort", "cancel", "interrupt"];
const ENDS: [&str; 5] = ["error", "fail", "abort", "cancel", "interrupt"];

/// The words of a status.
pub(super) const STATUSES: &[&str] = &["busy", "idle", "offline", "retry"];

#[derive(Debug, Default)]
pub(super) struct Anew {
    known: BTreeSet<String>,
    unsaid: Vec<String>,
}

impl Anew {
    /// `of`: the event, or the list; `member`: by which it says what nobody knows.
    pub(super) fn note(&mut self, of: &str, member: &str) {
        let name = format!("{}.{member}", text::line(of, text::EVENT));
        if self.known.len() < MOST && self.known.insert(name.clone()) {
            self.unsaid.push(name);
        }
    }
}

impl Follower {
    /// What of all that was said since this was asked last nobody knows: names to count it by, each of them once.
    pub fn news(&mut self) -> Vec<String> {
        std::mem::take(&mut self.anew.unsaid)
    }
}

/// Can a message tell anything, by the words that it has? Most are pieces of what is said, and are read no further.
pub(super) fn may_say(message: &str) -> bool {
    const NAMES: [&str; 6] =
        ["session.", "permission.", "question.", ".asked", ".requested", "message.updated"];
    NAMES.into_iter().chain([written::STOPPED_BY]).any(|words| message.contains(words))
}

/// Is it a name by which a status could be told?
pub(super) fn may_tell(event: &str) -> bool {
    let ends = || [".asked", ".requested"].into_iter().any(|end| event.ends_with(end));
    event == UNNAMED || matters(event) || ends()
}

/// May an error of this name be that of a turn that was stopped, in a word that nobody knows?
pub(super) fn may_stop(error: &str) -> bool {
    error != ABORTED && says(error, &STOPS)
}

/// May an event of this name, which nobody knows, have told how a turn ends?
pub(super) fn may_end(event: &str) -> bool {
    says(event, &ENDS)
}

fn says(name: &str, words: &[&str]) -> bool {
    let name = name.to_ascii_lowercase();
    words.iter().any(|word| name.contains(word))
}

fn is_silent(event: &str) -> bool {
    let last = event.rsplit_once('.').map(|(_, last)| last).filter(|last| !last.is_empty());
    let is_numbered = last.is_some_and(|last| last.bytes().all(|byte| byte.is_ascii_digit()));
    let of_those = ["session.next.", "session.network."];
    is_numbered || of_those.iter().any(|of| event.starts_with(of)) || SILENT.contains(&event)
}

/// The member by which an answer does not say what it is.
pub(super) fn reply(event: &str, said: &Said<'_>) -> Option<&'static str> {
    let reply = (event == "permission.replied").then_some(("reply", said.reply, REPLIES));
    reply.and_then(payload::strange)
}

/// The member by which an event says what nobody knows.
pub(super) fn member(event: &str, said: &Said<'_>) -> Option<&'static str> {
    let lacks = |member: Raw<'_>, name: &'static str| member.text().is_none().then_some(name);
    let of_session = || lacks(said.session, "sessionID");
    match event {
        "session.created" | "session.updated" | "session.deleted" => {
            lacks(said.info.object::<Info<'_>>().id, "info")
        }
        // Without a session it is the program's.
        "session.error" => match said.session.text() {
            Some(_) => {
                let name = said.error.object::<Named<'_>>().name;
                let is_new = name.text().is_some_and(|name| may_stop(&name));
                lacks(name, "error").or(is_new.then_some("error"))
            }
            None => said.session.is_other_than('"').then_some("sessionID"),
        },
        "session.idle"
        | "session.turn.open"
        | "session.turn.close"
        | "session.drain.interrupted" => of_session(),
        "session.status" => of_session().or_else(|| {
            let status: Named<'_> = said.status.object();
            payload::strange(("status", status.kind, STATUSES))
        }),
        "permission.asked" | "question.asked" => of_session().or_else(|| lacks(said.id, "id")),
        "permission.replied" | "question.replied" | "question.rejected" => {
            let is_named = said.request.text().is_some();
            let request = if is_named { said.request } else { said.permission };
            of_session().or_else(|| lacks(request, "requestID")).or_else(|| reply(event, said))
        }
        other => (may_tell(other) && !is_silent(other)).then_some("type"),
    }
}
