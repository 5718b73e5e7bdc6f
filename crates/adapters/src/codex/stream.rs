//! What `exec --json` writes, and `app-server` to its client.
//!
//! Codex 0.169.0 (measured: `fixtures/codex/0.169.0/exec_mode`, `app_server`). An `app-server` may run
//! several threads for its client, each with levels of its own.
//!
//! | line | shows |
//! |---|---|
//! | `thread.started` | nothing but its session |
//! | the answer to `initialize` | nothing but that the server has come up: no thread of another one goes on in it |
//! | `turn.started`; `item.started`, `item.updated`, `item.completed` | working |
//! | `turn.completed`, `turn.failed` | done, failed |
//! | `error` | nothing: it tries again, or `turn.failed` follows |
//! | `thread/started` | idle |
//! | `thread/status/changed` of `active` | working, blocked: as with other clients of a server, and nothing with flags that nobody knows |
//! | the same, of `idle` and `systemError` | nothing if `turn/completed` follows, which says how; else idle, failed: nothing else is told of a thread whose client has left it (`thread/unsubscribe`) in mid-turn |
//! | a request of approval, input or elicitation | blocked, also where the status has flags that nobody knows |
//! | `turn/completed` | done, failed; idle where it was interrupted |
//! | `thread/closed` | its thread is gone, and with it what it did |
//! | all others | nothing; what no version has said that is known is counted |

use super::app_server;
use crate::app_server::ThreadFact;
use crate::json::{self, Skim, skim};
use crate::stream::{self, Shown, name};
use crate::text;
use headsup_core::observation::{Fact, Level};
use headsup_core::status::BlockedReason;

skim! {
    Row {
        kind: "type",
        thread: "thread_id",
        method: "method",
        params: "params",
        id: "id",
        result: "result",
    }
}

skim! {
    /// The answer to `initialize`.
    Server { home: "codexHome" }
}

skim! {
    Params { thread: "thread", thread_id: "threadId" }
}

skim! {
    Thread { id: "id", cwd: "cwd" }
}

/// The names of all members that are read: see [`Lines`](crate::acp::lines::Lines).
pub(crate) const WANTED: &[&[&str]] = &[Row::NAMES, Params::NAMES, Thread::NAMES, Server::NAMES];

pub(crate) fn read(line: &str) -> Option<Shown> {
    let row: Row<'_> = json::payload(json::trim(line)).ok()?;
    if let Some(method) = row.method.text() {
        return served(line, &method, &row);
    }
    let Some(kind) = row.kind.text() else {
        // An answer of the server has an id, also `null`.
        if !row.id.is_there() {
            return Some(stream::nameless());
        }
        let comes_up = row.result.object::<Server<'_>>().home.json().is_some();
        let name = name("initialize", None);
        return comes_up.then(|| Shown { name, comes_up, ..Shown::default() });
    };
    let mut strange = None;
    let level = match &*kind {
        "turn.completed" => Some(Level::Done),
        "turn.failed" => Some(Level::Failed { code: "error".to_owned() }),
        "turn.started" | "item.started" | "item.updated" | "item.completed" => {
            Some(Level::Working { reason: None })
        }
        "thread.started" | "error" => None,
        _ => {
            strange = Some("type");
            None
        }
    };
    let session = row.thread.text().and_then(|id| text::id(&id));
    Some(Shown { name: name(&kind, None), session, level, strange, ..Shown::default() })
}

/// What a client is told of one of its threads.
fn served(line: &str, method: &str, row: &Row<'_>) -> Option<Shown> {
    if method == "thread/started" {
        let thread: Thread<'_> = row.params.object::<Params<'_>>().thread.object();
        let session = thread.id.text().and_then(|id| text::id(&id));
        let cwd = thread.cwd.text().and_then(|path| text::folder(&path));
        let level = Some(Level::Idle { shells: 0 });
        let (name, is_one_of_many) = (name(method, None), true);
        return Some(Shown { name, session, cwd, is_one_of_many, level, ..Shown::default() });
    }
    if let Some(reason) = asks(method, row) {
        let params: Params<'_> = row.params.object();
        let session = params.thread_id.text().and_then(|id| text::id(&id))?;
        let level = Some(Level::Blocked { reason, detail: None });
        let (name, session, is_one_of_many) = (name(method, None), Some(session), true);
        return Some(Shown { name, session, is_one_of_many, level, ..Shown::default() });
    }
    let strange = app_server::strange(line);
    let Some(ThreadFact { thread, name, fact }) = app_server::read(line).into_iter().next() else {
        let (name, member) = strange?;
        return Some(Shown { name, strange: Some(member), ..Shown::default() });
    };
    let is_unexplained = matches!(&fact, Fact::Level(Level::Idle { .. } | Level::Failed { .. }));
    let level = match fact {
        Fact::Level(level) => Some(level),
        Fact::TurnEnded { .. } => Some(Level::Done),
        Fact::TurnInterrupted { .. } => Some(Level::Idle { shells: 0 }),
        Fact::TurnFailed { code, .. } => Some(Level::Failed { code }),
        Fact::SessionEnded { .. } => None,
        Fact::NotUnderstood { .. } => {
            return Some(Shown { name, strange: Some("status"), ..Shown::default() });
        }
        _ => return None,
    };
    let (session, is_one_of_many) = (Some(thread), true);
    let (strange, more) = (strange.map(|(_, member)| member), Shown::default());
    Some(Shown { name, session, is_one_of_many, is_unexplained, level, strange, ..more })
}

/// What the server waits for its client to answer (`requestApproval` measured, the others read).
fn asks(method: &str, row: &Row<'_>) -> Option<BlockedReason> {
    row.id.json()?;
    match method.rsplit('/').next()? {
        "requestApproval" => Some(BlockedReason::Permission),
        "requestUserInput" => Some(BlockedReason::Question),
        "request" if method == "mcpServer/elicitation/request" => Some(BlockedReason::Elicitation),
        _ => None,
    }
}
