//! What is wanted of a hook's payload; all else in it is skipped unread.

use super::event::Event;
use crate::json::skim;
use crate::{calls, payload, text};
use headsup_core::prompt::Actor;
use std::borrow::Cow;

skim! {
    /// One payload, of any event. Every member may be missing.
    Payload {
        hook_event_name: "hook_event_name",
        session_id: "session_id",
        turn_id: "turn_id",
        transcript_path: "transcript_path",
        cwd: "cwd",
        model: "model",
        agent_id: "agent_id",
        agent_type: "agent_type",
        source: "source",
        reason: "reason",
        prompt: "prompt",
        tool_name: "tool_name",
        tool_input: "tool_input",
        tool_use_id: "tool_use_id",
        last_assistant_message: "last_assistant_message",
        trigger: "trigger",
    }
}

impl<'a> Payload<'a> {
    /// The conversation's turn; a helper's events name a turn of its own (measured).
    pub(crate) fn turn_ref(&self) -> Option<String> {
        self.turn_id.text().and_then(|id| text::id(&id))
    }

    /// A member of another type than known, where an end must not be taken for granted: whose end
    /// it is.
    pub(crate) fn unreadable_end(&self) -> Option<String> {
        let texts = [("session_id", self.session_id), ("turn_id", self.turn_id)];
        payload::unreadable_end(&texts, &[])
    }

    /// Whose event it is: `agent_id` stands in a helper's events alone, whose `session_id` is that
    /// of the main agent (measured).
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

    /// Has it lost the helper's id? `agent_type` stands in all events with `agent_id`, and in no others (measured).
    pub(crate) fn is_nameless(&self) -> bool {
        payload::is_nameless(self.agent_id, self.agent_type)
    }

    /// The tool's name, so that it can be shown.
    pub(crate) fn tool(&self) -> Option<String> {
        calls::tool_name(self.tool_name)
    }

    /// The main agent's log: most of a helper's events name its own (measured).
    pub(crate) fn log(&self) -> Option<Cow<'a, str>> {
        if self.is_helpers() { None } else { self.transcript_path.text() }
    }

    /// What a helper's event names in its place.
    pub(crate) fn helper_log(&self) -> Option<Cow<'a, str>> {
        if self.is_helpers() { self.transcript_path.text() } else { None }
    }

    /// The main agent's model, which can be another one in each turn.
    pub(crate) fn model(&self, event: Option<Event>) -> Option<Cow<'a, str>> {
        let tells = matches!(event?, Event::SessionStart | Event::UserPromptSubmit);
        if tells && !self.is_helpers() { self.model.text() } else { None }
    }
}
