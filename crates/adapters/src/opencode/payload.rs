//! What is wanted of what the plugin tells; all else in it is skipped unread.

use crate::calls::{call, tool_name};
use crate::json::skim;
use crate::{payload, text};
use headsup_core::prompt::{Actor, ToolRef};

skim! {
    /// One report, of any event. Every member may be missing.
    Payload {
        hook_event_name: "hook_event_name",
        session_id: "session_id",
        agent_id: "agent_id",
        turn_id: "turn_id",
        is_shared: "is_shared",
        cwd: "cwd",
        model: "model",
        title: "title",
        mode: "mode",
        source: "source",
        status: "status",
        prompt: "prompt",
        prompt_id: "prompt_id",
        reply: "reply",
        tool_name: "tool_name",
        tool_use_id: "tool_use_id",
        tool_input: "tool_input",
        background_tasks: "background_tasks",
        error: "error",
        message: "message",
        not_understood: "not_understood",
    }
}

impl Payload<'_> {
    /// Whose event it is: the plugin gives that of any other session than the seat's own its id.
    pub(crate) fn actor(&self) -> Actor {
        payload::actor(self.agent_id)
    }

    pub(crate) fn turn_ref(&self) -> Option<String> {
        self.turn_id.text().and_then(|id| text::id(&id))
    }

    pub(crate) fn key(&self) -> Option<String> {
        self.prompt_id.text().and_then(|id| text::id(&id))
    }

    pub(crate) fn tool(&self) -> Option<String> {
        tool_name(self.tool_name)
    }

    pub(crate) fn call(&self) -> ToolRef {
        call(self.tool(), self.tool_use_id, self.tool_input)
    }
}
