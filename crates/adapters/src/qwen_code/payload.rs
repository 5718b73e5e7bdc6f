//! What is wanted of a hook's payload; all else in it is skipped unread.

use crate::calls::{call, tool_name};
use crate::json::{Raw, skim};
use crate::{payload, text};
use headsup_core::prompt::{Actor, ToolRef};

skim! {
    /// One payload, of any event. The schema is open and every member may be missing.
    Payload {
        hook_event_name: "hook_event_name",
        session_id: "session_id",
        cwd: "cwd",
        prompt_id: "prompt_id",
        agent_id: "agent_id",
        agent_type: "agent_type",
        source: "source",
        reason: "reason",
        model: "model",
        prompt: "prompt",
        submitted_prompt: "submitted_prompt",
        tool_name: "tool_name",
        tool_input: "tool_input",
        tool_use_id: "tool_use_id",
        tool_call_id: "tool_call_id",
        tool_calls: "tool_calls",
        is_interrupt: "is_interrupt",
        error: "error",
        last_assistant_message: "last_assistant_message",
        background_tasks: "background_tasks",
        notification_type: "notification_type",
        trigger: "trigger",
    }
}

skim! {
    /// One call of a `PostToolBatch`.
    Call {
        name: "tool_name",
        input: "tool_input",
        id: "tool_call_id",
        status: "status",
    }
}

/// How a call ends (measured).
const ENDS: &[&str] = &["success", "error", "cancelled"];

impl Payload<'_> {
    /// The conversation's turn: `SESSION########N`.
    pub(crate) fn turn_ref(&self) -> Option<String> {
        self.prompt_id.text().and_then(|id| text::id(&id))
    }

    /// The program's own prompt after a step of tools, which does not say of which turn.
    pub(crate) fn goes_on_unnamed(&self) -> bool {
        let is_empty = self.prompt.json() == Some("\"\"");
        is_empty && self.submitted_prompt.json().is_none() && self.prompt_id.json().is_none()
    }

    /// A member of another type than known, where an end must not be taken for granted.
    pub(crate) fn unreadable_end(&self) -> Option<String> {
        let texts = [("session_id", self.session_id), ("prompt_id", self.prompt_id)];
        payload::unreadable_end(&texts, &[("background_tasks", self.background_tasks)])
    }

    /// Whose event it is: all events of a helper have its `agent_id` (measured: of its start and end, its requests and
    /// its tools).
    pub(crate) fn actor(&self) -> Actor {
        match self.is_nameless() {
            true => Actor::Sub(payload::UNNAMED.to_owned()),
            false => payload::actor(self.agent_id),
        }
    }

    pub(crate) fn is_helpers(&self) -> bool {
        !self.actor().is_main()
    }

    /// Is it a helper's whose id cannot be read?
    pub(crate) fn is_unread_helpers(&self) -> bool {
        self.is_helpers() && self.agent_id.text().is_none()
    }

    /// Has it lost the helper's id? `agent_type` stands in a helper's events alone, mostly in its start and its end
    /// (measured).
    pub(crate) fn is_nameless(&self) -> bool {
        payload::is_nameless(self.agent_id, self.agent_type)
    }

    pub(crate) fn tool(&self) -> Option<String> {
        tool_name(self.tool_name)
    }

    /// The call that it is about, by the id that the model gave it: `tool_use_id` is another one at
    /// the end of a batch than at the call's start (measured).
    pub(crate) fn call(&self) -> ToolRef {
        let id = [self.tool_call_id, self.tool_use_id].into_iter().find(|id| id.text().is_some());
        call(self.tool(), id.unwrap_or_default(), self.tool_input)
    }

    /// Whether a person has cancelled all calls of the step: then no answer follows. Where one of them has a result
    /// the turn goes on with that (both measured).
    pub(crate) fn is_cancelled(&self) -> bool {
        let cancelled = |one: &Raw<'_>| {
            let one: Call<'_> = one.object();
            one.status.text().as_deref() == Some("cancelled")
        };
        let calls = self.tool_calls.items();
        !calls.is_empty() && calls.iter().all(cancelled)
    }

    /// Is the end of one of the step's calls told by a word that nobody knows, or by none? It may be that of a cancelled
    /// one.
    pub(crate) fn ends_strangely(&self) -> bool {
        let is_strange = |one: Raw<'_>| {
            let one: Call<'_> = one.object();
            payload::strange(("status", one.status, ENDS)).is_some()
        };
        self.tool_calls.items().into_iter().any(is_strange)
    }

    /// All calls of a step (`PostToolBatch`).
    pub(crate) fn batch(&self) -> Vec<ToolRef> {
        let read = |one: Raw<'_>| {
            let one: Call<'_> = one.object();
            call(tool_name(one.name), one.id, one.input)
        };
        self.tool_calls.items().into_iter().map(read).collect()
    }
}
