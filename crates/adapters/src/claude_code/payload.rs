//! What is wanted of a hook's payload; all else in it is skipped unread.

use super::event::Event;
use crate::json::skim;
use crate::{calls, payload, text};
use headsup_core::prompt::Actor;
use std::borrow::Cow;

skim! {
    /// One payload, of any event. The schema is open and every member may be missing.
    Payload {
        hook_event_name: "hook_event_name",
        session_id: "session_id",
        transcript_path: "transcript_path",
        cwd: "cwd",
        new_cwd: "new_cwd",
        session_title: "session_title",
        prompt_id: "prompt_id",
        agent_id: "agent_id",
        agent_type: "agent_type",
        source: "source",
        reason: "reason",
        model: "model",
        to_model: "to_model",
        prompt: "prompt",
        tool_name: "tool_name",
        tool_input: "tool_input",
        tool_use_id: "tool_use_id",
        tool_calls: "tool_calls",
        is_interrupt: "is_interrupt",
        error: "error",
        last_assistant_message: "last_assistant_message",
        background_tasks: "background_tasks",
        notification_type: "notification_type",
        trigger: "trigger",
        mcp_server_name: "mcp_server_name",
        message: "message",
        elicitation_id: "elicitation_id",
        action: "action",
    }
}

impl<'a> Payload<'a> {
    /// The conversation's turn.
    pub(crate) fn turn_ref(&self) -> Option<String> {
        self.prompt_id.text().and_then(|id| text::id(&id))
    }

    /// A member of another type than known, where an end must not be taken for granted: whose
    /// end it is, and what goes on behind it.
    pub(crate) fn unreadable_end(&self) -> Option<String> {
        let texts = [("session_id", self.session_id), ("prompt_id", self.prompt_id)];
        payload::unreadable_end(&texts, &[("background_tasks", self.background_tasks)])
    }

    /// Whose event it is: `agent_id` stands in a helper's events alone (measured).
    pub(crate) fn actor(&self) -> Actor {
        payload::actor(self.agent_id)
    }

    pub(crate) fn is_helpers(&self) -> bool {
        !self.actor().is_main()
    }

    /// The tool's name, so that it can be shown.
    pub(crate) fn tool(&self) -> Option<String> {
        calls::tool_name(self.tool_name)
    }

    /// The session's folder. `CwdChanged` names the new one apart (read).
    pub(crate) fn folder(&self, event: Option<Event>) -> Option<Cow<'a, str>> {
        let changed = event.filter(|event| *event == Event::CwdChanged);
        changed.and_then(|_| self.new_cwd.text()).or_else(|| self.cwd.text())
    }

    /// The main agent's model, where the event tells it: at its start and at its change. A
    /// model in any other event may be a helper's.
    pub(crate) fn model(&self, event: Option<Event>) -> Option<Cow<'a, str>> {
        match event? {
            Event::SessionStart if !self.is_helpers() => self.model.text(),
            Event::PostModelSwitch => self.to_model.text(),
            _ => None,
        }
    }
}

skim! {
    /// One call of a `PostToolBatch`; its `tool_response` is skipped.
    Call {
        name: "tool_name",
        input: "tool_input",
        id: "tool_use_id",
    }
}
