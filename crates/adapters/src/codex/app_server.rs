//! What the app-server tells its clients of its threads.
//!
//! Codex 0.169.0. Each terminal's background process serves a socket, and whoever has said
//! `initialize` and `initialized` there hears of the threads of all terminals (measured). A thread
//! is a session of the hooks, a helper's, or the hidden one that finds titles. All that a client
//! has to say may be said at once, before the first answer (measured).
//!
//! | message | fact |
//! |---|---|
//! | the answers to `thread/list`, a page each | the status of each, where it is loaded; all others are somebody else's or the past (measured; that there are pages: read) |
//! | `thread/status/changed`, `active` | working; blocked with `waitingOnApproval` (measured) and `waitingOnUserInput` (read) |
//! | the same, `idle`, `systemError` | idle, failed (measured) |
//! | `active` of a helper's thread behind `waitingOnApproval` | what the helper asked was answered (measured: no hook tells before its call has ended); the hub's source tells that, and nothing else of such a thread |
//! | the same, `notLoaded`, and `thread/closed` | session ended, a minute after its terminal has left (measured) |
//! | `turn/completed` | turn ended, failed or interrupted; only whoever runs the thread hears it (measured) |
//! | `thread/status/changed` with a status that nobody knows, or with flags of which nobody knows any | not understood |
//! | all others | nothing; what no version has said that is known is counted ([`strange`]) |

use super::methods::METHODS;
use super::transcript::code;
use crate::app_server::{ServedSocket, ThreadFact};
use crate::json::{self, Raw, Skim, skim};
use crate::terminal::blocked;
use crate::{FactExt, payload, text};
use headsup_core::observation::{Background, Fact, Level, SessionEnd};
use headsup_core::status::BlockedReason;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Below its home. The socket itself lies elsewhere, and this is a link to it (0.169.0, measured).
const SOCKET: &str = "app-server-control/app-server-control.sock";
/// The request for all threads: no other answer lists any with their statuses.
const LIST: &str = "thread/list";
/// The id of the request for its first page; those for the others have the ids behind it.
const FIRST_PAGE: u32 = 2;
/// More conversations than these are not looked through, the latest first.
const PAGES: u32 = 40;
/// Threads on a page: as without a word (read). Each has its first prompt with it, and a page that is too long ends the
/// connection.
const ON_A_PAGE: u32 = 25;
/// For a failure whose cause this message does not tell.
const FAILED: &str = "system_error";

skim! {
    Message {
        id: "id",
        method: "method",
        params: "params",
        result: "result",
    }
}

skim! {
    Listed {
        data: "data",
        next: "nextCursor",
    }
}

skim! {
    Thread {
        id: "id",
        status: "status",
    }
}

skim! {
    Params {
        thread: "threadId",
        status: "status",
        turn: "turn",
    }
}

skim! {
    Status {
        kind: "type",
        flags: "activeFlags",
    }
}

skim! {
    Turn {
        id: "id",
        status: "status",
        error: "error",
    }
}

skim! {
    Failure {
        message: "message",
        info: "codexErrorInfo",
    }
}

/// The names of all members that are read of what tells of one thread: see [`Lines`](crate::acp::lines::Lines).
pub(crate) const WANTED: &[&[&str]] =
    &[Message::NAMES, Params::NAMES, Status::NAMES, Turn::NAMES, Failure::NAMES];

/// `HOME/sessions/YEAR/MONTH/DAY/rollout-….jsonl`.
pub(crate) fn socket_of_log(log: &Path) -> Option<ServedSocket> {
    let sessions = log.ancestors().nth(4).filter(|path| path.ends_with("sessions"))?;
    let home = sessions.parent().filter(|home| home.is_absolute())?;
    Some(ServedSocket { kind: super::KIND, path: home.join(SOCKET) })
}

/// A word with which it is started to share no process (0.169.0, measured).
const ALONE: &str = "--no-daemon";

/// The socket of the process that a start like this may share.
pub(crate) fn socket_of_start(
    [home, moved]: [Option<&str>; 2],
    words: &[String],
) -> Option<ServedSocket> {
    let moved = moved.filter(|moved| !moved.is_empty());
    let home = moved.map(PathBuf::from).or_else(|| Some(Path::new(home?).join(".codex")));
    let home = home.filter(|home| home.is_absolute() && !words.iter().any(|word| word == ALONE));
    Some(ServedSocket { kind: super::KIND, path: home?.join(SOCKET) })
}

pub(crate) fn greeting() -> Vec<String> {
    let client =
        json!({"name": "headsup", "title": "headsup", "version": env!("CARGO_PKG_VERSION")});
    [
        json!({"id": 1, "method": "initialize", "params": {"clientInfo": client}}),
        json!({"method": "initialized"}),
        json!({"id": FIRST_PAGE, "method": LIST, "params": {"limit": ON_A_PAGE}}),
    ]
    .map(|message| message.to_string())
    .into()
}

/// The request for the page behind this one, where the message is one and there is another.
pub(crate) fn next_page(message: &str) -> Option<String> {
    let message: Message<'_> = json::payload(message).ok()?;
    let page: u32 = message.id.json()?.parse().ok()?;
    let is_asked_for = message.method.json().is_none() && page >= FIRST_PAGE;
    let id = page.checked_add(1).filter(|id| is_asked_for && *id < FIRST_PAGE + PAGES)?;
    let cursor = message.result.object::<Listed<'_>>().next.text()?;
    let params = json!({"limit": ON_A_PAGE, "cursor": cursor});
    Some(json!({"id": id, "method": LIST, "params": params}).to_string())
}

pub(crate) fn read(message: &str) -> Vec<ThreadFact> {
    let Ok(message) = json::payload::<Message<'_>>(message) else { return Vec::new() };
    let mut facts = listed(message.result);
    facts.extend(changed(message));
    facts
}

/// The past, and what another program runs, is listed as well, as not loaded: nobody has ended there.
fn listed(result: Raw<'_>) -> Vec<ThreadFact> {
    let listed: Listed<'_> = result.object();
    let threads = listed.data.items().into_iter().filter_map(|thread| {
        let thread: Thread<'_> = thread.object();
        let fact = status(&thread.status.object());
        let fact = Some(fact).filter(|fact| matches!(fact, Fact::Level(_)))?;
        let id = thread.id.text().and_then(|id| text::id(&id))?;
        Some(ThreadFact { thread: id, name: LIST.to_owned(), fact })
    });
    threads.collect()
}

/// What of a message is about one thread: others may be other people's work.
pub(crate) fn evidence(message: &Value, thread: &str) -> Option<Value> {
    let only = |of: &Value, members: &[&str]| -> Value {
        let of =
            members.iter().filter_map(|name| Some(((*name).to_owned(), of.get(name)?.clone())));
        Value::Object(of.collect())
    };
    if let Some(threads) = message["result"]["data"].as_array() {
        let listed = threads.iter().find(|listed| listed["id"] == thread)?;
        return Some(json!({"result": {"data": [only(listed, &["id", "status"])]}}));
    }
    let mut params = only(&message["params"], &["threadId", "status", "turn"]);
    if let Some(turn) = params.get_mut("turn") {
        *turn = only(turn, &["id", "status", "error"]);
    }
    Some(json!({"method": message["method"], "params": params}))
}

/// What a thread at work waits for (`waitingOnUserInput` read).
const FLAGS: &[&str] = &["waitingOnApproval", "waitingOnUserInput"];

/// What ends a turn says how (`inProgress` read).
const ENDS: &[&str] = &["completed", "failed", "inProgress", "interrupted"];

/// The method of a message that says what no version has said that is known, and the member by which it does.
pub(crate) fn strange(message: &str) -> Option<(String, &'static str)> {
    let message: Message<'_> = json::payload(message).ok()?;
    let Some(method) = message.method.text() else { return strange_list(message.result) };
    let of_turn = || {
        let turn: Turn<'_> = message.params.object::<Params<'_>>().turn.object();
        payload::strange(("status", turn.status, ENDS))
    };
    // Where no flag is known, all of it is not understood.
    let of_status = || {
        let status: Status<'_> = message.params.object::<Params<'_>>().status.object();
        let is_new = |flag| payload::strange(("activeFlags", flag, FLAGS)).is_some();
        let is_understood = matches!(active(status.flags), Some(Level::Blocked { .. }));
        let is_active = status.kind.text().as_deref() == Some("active");
        let has_new = is_active && is_understood && status.flags.items().into_iter().any(is_new);
        has_new.then_some("activeFlags")
    };
    // What does not say whose it is tells of nobody.
    let of_nobody = || {
        let params: Params<'_> = message.params.object();
        params.thread.text().is_none().then_some("threadId")
    };
    let member = match &*method {
        "turn/completed" => of_turn().or_else(of_nobody)?,
        "thread/status/changed" => of_status().or_else(of_nobody)?,
        "thread/closed" => of_nobody()?,
        known if METHODS.contains(&known) => return None,
        _ => "method",
    };
    Some((text::line(&method, text::EVENT), member))
}

/// A list is told of thread by thread, and of one whose status nobody knows nothing is.
fn strange_list(result: Raw<'_>) -> Option<(String, &'static str)> {
    let listed: Listed<'_> = result.object();
    let is_new = |thread: Raw<'_>| {
        let thread: Thread<'_> = thread.object();
        let fact = status(&thread.status.object());
        thread.id.text().is_some() && matches!(fact, Fact::NotUnderstood { .. })
    };
    listed.data.items().into_iter().any(is_new).then(|| (LIST.to_owned(), "status"))
}

fn changed(message: Message<'_>) -> Option<ThreadFact> {
    let params: Params<'_> = message.params.object();
    let name = message.method.text()?;
    let gone = || Some(Fact::SessionEnded { how: SessionEnd::Exit });
    let fact = match &*name {
        "thread/status/changed" => Some(status(&params.status.object())),
        "thread/closed" => gone(),
        "turn/completed" => turn(&params.turn.object()),
        _ => None,
    }?;
    let thread = params.thread.text().and_then(|id| text::id(&id))?;
    Some(ThreadFact { thread, name: text::line(&name, text::EVENT), fact })
}

/// What is not known changes nothing.
fn status(status: &Status<'_>) -> Fact {
    let level = match status.kind.text().as_deref().unwrap_or_default() {
        "active" => {
            let Some(level) = active(status.flags) else {
                return Fact::not_understood("unknown activeFlags");
            };
            level
        }
        "idle" => Level::Idle { shells: 0 },
        "systemError" => Level::Failed { code: FAILED.to_owned() },
        "notLoaded" => return Fact::SessionEnded { how: SessionEnd::Exit },
        _ => return Fact::not_understood("unknown status"),
    };
    Fact::Level(level)
}

/// What is active works, where its list of flags is empty. One that is known tells what it waits for, and one that
/// waits for something new is a wait; `None`: nobody knows any of them, or there is no list.
fn active(flags: Raw<'_>) -> Option<Level> {
    if !flags.is_list() {
        return None;
    }
    let flags = flags.items();
    let words: Vec<_> = flags.iter().filter_map(|flag| flag.text()).collect();
    let has = |known: &str| words.iter().any(|word| *word == known);
    let reason = match () {
        () if has("waitingOnApproval") => BlockedReason::Permission,
        () if has("waitingOnUserInput") => BlockedReason::Question,
        () if words.iter().any(|word| word.starts_with("waitingOn")) => BlockedReason::Other,
        () => return flags.is_empty().then_some(Level::Working { reason: None }),
    };
    Some(blocked(reason, ""))
}

fn turn(turn: &Turn<'_>) -> Option<Fact> {
    let turn_ref = turn.id.text().and_then(|id| text::id(&id));
    Some(match &*turn.status.text()? {
        "completed" => Fact::TurnEnded { background: Background::unlisted(), turn_ref },
        "interrupted" => Fact::TurnInterrupted { turn_ref },
        "failed" => {
            let failure: Failure<'_> = turn.error.object();
            let detail = failure.message.text().map(|text| text::line(&text, text::DETAIL));
            Fact::TurnFailed { code: code(failure.info), detail, turn_ref }
        }
        _ => return None,
    })
}
