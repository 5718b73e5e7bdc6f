//! What the app-server tells its clients of its threads.
//!
//! Codex 0.169.0. Each terminal's background process serves a socket, and whoever has said
//! `initialize` and `initialized` there hears of the threads of all terminals (measured). A thread
//! is a session of the hooks, a helper's, or the hidden one that finds titles.
//!
//! | message | fact |
//! |---|---|
//! | `thread/status/changed`, `active` | working; blocked with `waitingOnApproval` (measured) and `waitingOnUserInput` (read) |
//! | the same, `idle`, `systemError` | idle, failed (measured) |
//! | the same, `notLoaded`, and `thread/closed` | session ended, a minute after its terminal has left (measured) |
//! | `turn/completed` | turn ended, failed or interrupted; only whoever runs the thread hears it (measured) |
//! | all others | nothing |

use super::transcript::code;
use crate::app_server::ThreadFact;
use crate::json::{self, Raw, skim};
use crate::terminal::blocked;
use crate::text;
use headsup_core::observation::{Background, Fact, Level, SessionEnd};
use headsup_core::status::BlockedReason;

/// For a failure whose cause this message does not tell.
const FAILED: &str = "system_error";

skim! {
    Message {
        method: "method",
        params: "params",
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

pub(crate) fn read(message: &str) -> Option<ThreadFact> {
    let message: Message<'_> = json::payload(message).ok()?;
    let params: Params<'_> = message.params.object();
    let name = message.method.text()?;
    let gone = || Some(Fact::SessionEnded { how: SessionEnd::Exit });
    let fact = match &*name {
        "thread/status/changed" => status(&params.status.object()),
        "thread/closed" => gone(),
        "turn/completed" => turn(&params.turn.object()),
        _ => None,
    }?;
    let thread = params.thread.text().and_then(|id| text::id(&id))?;
    Some(ThreadFact { thread, name: text::line(&name, text::EVENT), fact })
}

/// What is not known changes nothing; but a flag that waits for something new is a wait.
fn status(status: &Status<'_>) -> Option<Fact> {
    let level = match &*status.kind.text()? {
        "active" => {
            let flags: Vec<_> = status.flags.items().into_iter().filter_map(Raw::text).collect();
            let mut waits = flags.iter().filter(|flag| flag.starts_with("waitingOn"));
            match waits.next().map(|flag| &**flag) {
                Some("waitingOnApproval") => blocked(BlockedReason::Permission, ""),
                Some("waitingOnUserInput") => blocked(BlockedReason::Question, ""),
                Some(_) => blocked(BlockedReason::Other, ""),
                None => Level::Working { reason: None },
            }
        }
        "idle" => Level::Idle { shells: 0 },
        "systemError" => Level::Failed { code: FAILED.to_owned() },
        "notLoaded" => return Some(Fact::SessionEnded { how: SessionEnd::Exit }),
        _ => return None,
    };
    Some(Fact::Level(level))
}

fn turn(turn: &Turn<'_>) -> Option<Fact> {
    let turn_ref = turn.id.text().and_then(|id| text::id(&id));
    Some(match &*turn.status.text()? {
        "completed" => Fact::TurnEnded { background: Background::default(), turn_ref },
        "interrupted" => Fact::TurnInterrupted { turn_ref },
        "failed" => {
            let failure: Failure<'_> = turn.error.object();
            let detail = failure.message.text().map(|text| text::line(&text, text::DETAIL));
            Fact::TurnFailed { code: code(failure.info), detail, turn_ref }
        }
        _ => return None,
    })
}
