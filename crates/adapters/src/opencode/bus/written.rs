//! How a turn ends, where that is written into its conversation and told by nothing else.
//!
//! OpenCode 1.18.33 (measured): a turn that is stopped before the model was asked ends without a `session.error`: its
//! `MessageAbortedError` stands in the answer alone, or, in a moment before that and in Kilo 7.7.7, there is not even an
//! answer. So does the error of an answer without the structure that was asked for (read). All others come behind the
//! end of their turn, and perhaps in the next one. A command that a person runs with `!` and stops is complete: that it
//! was stopped stands in its output.

use super::{Follower, Named, Said, anew};
use crate::json::skim;
use crate::text;

/// How the output of a command ends that a person has stopped.
const STOPPED: &str = "<metadata>\nUser aborted the command\n</metadata>";
/// The words of that, as a message has them: no other part of an answer tells anything.
pub(super) const STOPPED_BY: &str = "User aborted the command";

skim! {
    Spoken {
        id: "id",
        session: "sessionID",
        role: "role",
        error: "error",
        time: "time",
        summary: "summary",
    }
}

skim! {
    Time { completed: "completed" }
}

skim! {
    Part { kind: "type", session: "sessionID", state: "state" }
}

skim! {
    State { status: "status", output: "output" }
}

/// Is it the name of an event by which the conversation itself is written?
pub(super) fn is_of_one(event: &str) -> bool {
    matches!(event, "message.updated" | "message.part.updated")
}

impl Follower {
    pub(super) fn take_written(&mut self, said: &Said<'_>) {
        self.take_spoken(&said.info.object());
        self.take_part(&said.part.object());
    }

    fn take_spoken(&mut self, spoken: &Spoken<'_>) {
        let Some(id) = spoken.id.text().and_then(|id| text::id(&id)) else { return };
        let Some(of) = spoken.session.text() else { return };
        let Some(session) = self.sessions.get_mut(&*of) else { return };
        match spoken.role.text().as_deref() {
            // Its summary comes later.
            Some("user") => {
                session.is_unanswered |= spoken.summary.json().is_none();
                return;
            }
            Some("assistant") if session.is_busy => {}
            _ => return,
        }
        if spoken.error.json().is_none() {
            session.is_unanswered = false;
            let time: Time<'_> = spoken.time.object();
            if time.completed.json().is_none() {
                session.written = Some(id);
            }
            return;
        }
        if session.written != Some(id) || session.error.is_some() {
            return;
        }
        let name = spoken.error.object::<Named<'_>>().name.text();
        let name = name.map(|name| text::line(&name, text::NAME));
        let is_unread = name.as_deref().is_none_or(anew::may_stop);
        session.is_unclear |= is_unread;
        session.is_doubted |= is_unread;
        session.error = name;
        if is_unread {
            self.anew.note("message.updated", "error");
        }
    }

    fn take_part(&mut self, part: &Part<'_>) {
        if part.kind.text().as_deref() != Some("tool") {
            return;
        }
        let Some(of) = part.session.text() else { return };
        let Some(session) = self.sessions.get_mut(&*of).filter(|of| of.is_busy) else { return };
        let state: State<'_> = part.state.object();
        let is_complete = state.status.text().as_deref() == Some("completed");
        let is_stopped = || state.output.text().is_some_and(|output| output.ends_with(STOPPED));
        session.is_refused |= is_complete && is_stopped();
    }
}
