//! What Kanbanger's web hooks say: `{action, issue: {id, identifier, title, status}, comment?: {id, body,
//! author, created_at}}`. What else is in them is passed over.

use crate::caller::digest;
use crate::job::TaskThere;
use headsup_adapters::text;
use headsup_core::time::UnixMs;
use headsup_core::work::task::TaskStatus;
use serde::Deserialize;

/// The provider's name.
pub(crate) const NAME: &str = "kanbanger";

/// Ids and names, in characters.
const LONGEST_ID: usize = 200;

/// A delivery that was read.
#[derive(Debug)]
pub(crate) struct Delivery {
    pub(crate) action: String,
    /// When it says that it was sent.
    pub(crate) sent_at: Option<UnixMs>,
    pub(crate) task: TaskThere,
    pub(crate) comment: Option<Comment>,
}

#[derive(Debug)]
pub(crate) struct Comment {
    pub(crate) id: String,
    pub(crate) body: String,
    pub(crate) author: String,
    pub(crate) is_bot: bool,
    pub(crate) created_at: UnixMs,
    pub(crate) thread: Option<String>,
}

#[derive(Deserialize)]
struct Body {
    action: String,
    issue: Issue,
    comment: Option<RawComment>,
    /// Where a sender signs when it sent.
    timestamp: Option<Moment>,
}

#[derive(Deserialize)]
struct Issue {
    id: Id,
    identifier: String,
    title: String,
    status: String,
    updated_at: Option<Moment>,
}

#[derive(Deserialize)]
struct RawComment {
    id: Id,
    body: String,
    author: Author,
    created_at: Moment,
    #[serde(default)]
    is_bot: bool,
    thread_id: Option<Id>,
    parent_id: Option<Id>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Id {
    Text(String),
    Number(i64),
}

impl Id {
    fn text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Number(number) => number.to_string(),
        }
    }
}

/// A name or an id; or an account, whose id is what cannot be changed.
#[derive(Deserialize)]
#[serde(untagged)]
enum Author {
    Plain(Id),
    Account {
        id: Id,
        #[serde(default)]
        is_bot: bool,
        #[serde(rename = "type", default)]
        kind: String,
    },
}

/// RFC 3339, or milliseconds since the epoch.
#[derive(Deserialize)]
#[serde(untagged)]
enum Moment {
    Text(String),
    Ms(i64),
}

impl Moment {
    fn read(&self, field: &str) -> Result<UnixMs, String> {
        match self {
            Self::Ms(ms) => Ok(UnixMs(*ms)),
            Self::Text(text) => {
                UnixMs::parse(text).ok_or_else(|| format!("{field} is an RFC 3339 time"))
            }
        }
    }
}

/// Reads a body; a sentence where it is none of these.
pub(crate) fn read(body: &[u8]) -> Result<Delivery, String> {
    let raw: Body = serde_json::from_slice(body).map_err(|_| {
        "the body is {action, issue: {id, identifier, title, status}, comment?: {id, body, author, \
         created_at}}"
            .to_owned()
    })?;
    let at =
        |moment: Option<Moment>, field: &str| moment.map(|moment| moment.read(field)).transpose();
    let identifier = name("issue.identifier", raw.issue.identifier)?;
    let task = TaskThere {
        provider: NAME,
        id: name("issue.id", raw.issue.id.text())?,
        identifier,
        title: text::line(&raw.issue.title, text::TITLE),
        status: status(&raw.issue.status),
        version: at(raw.issue.updated_at, "issue.updated_at")?,
        digest: digest(&String::from_utf8_lossy(body)),
    };
    let comment = raw.comment.map(comment).transpose()?;
    let sent_at = at(raw.timestamp, "timestamp")?;
    Ok(Delivery { action: text::line(&raw.action, text::NAME), sent_at, task, comment })
}

fn comment(raw: RawComment) -> Result<Comment, String> {
    let (author, is_bot) = match raw.author {
        Author::Plain(id) => (id, false),
        Author::Account { id, is_bot, kind } => (id, is_bot || kind.eq_ignore_ascii_case("bot")),
    };
    let thread =
        raw.thread_id.or(raw.parent_id).map(|id| name("thread_id", id.text())).transpose()?;
    Ok(Comment {
        id: name("comment.id", raw.id.text())?,
        body: raw.body,
        author: name("comment.author", author.text())?,
        is_bot: is_bot || raw.is_bot,
        created_at: raw.created_at.read("comment.created_at")?,
        thread,
    })
}

/// A word that names something: short, and as it is shown.
fn name(field: &str, said: String) -> Result<String, String> {
    let fits = said.chars().count() <= LONGEST_ID && !said.trim().is_empty();
    let plain = !said.chars().any(|c| c.is_control() || headsup_core::words::text::is_hidden(c));
    if fits && plain {
        Ok(said)
    } else {
        Err(format!("{field} is 1 to {LONGEST_ID} characters that can be seen"))
    }
}

/// What a column's name means, however it is written.
pub(crate) fn status(word: &str) -> Option<TaskStatus> {
    let word: String = word.chars().filter(char::is_ascii_alphanumeric).collect();
    match word.to_ascii_lowercase().as_str() {
        "todo" | "open" | "new" | "backlog" | "unstarted" | "ready" => Some(TaskStatus::Todo),
        "inprogress" | "doing" | "started" | "working" | "active" => Some(TaskStatus::InProgress),
        "inreview" | "review" | "reviewing" | "awaitingreview" => Some(TaskStatus::InReview),
        "done" | "closed" | "completed" | "complete" | "resolved" | "finished" => {
            Some(TaskStatus::Done)
        }
        _ => None,
    }
}

#[cfg(test)]
#[path = "kanbanger/tests.rs"]
mod tests;
