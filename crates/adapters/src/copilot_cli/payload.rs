//! What is wanted of a hook's payload; all else in it is skipped unread.

use crate::calls::{call, tool_name};
use crate::json::{Raw, skim};
use crate::{payload, text};
use headsup_core::prompt::{Actor, ToolRef};
use headsup_core::time::UnixMs;

skim! {
    /// One payload, of any event. The schema is open and every member may be missing.
    Payload {
        hook_name: "hookName",
        hook_event_name: "hook_event_name",
        session_id: "sessionId",
        timestamp: "timestamp",
        transcript_path: "transcriptPath",
        cwd: "cwd",
        agent_id: "agentId",
        parent_agent_id: "parentAgentId",
        reason: "reason",
        stop_reason: "stopReason",
        prompt: "prompt",
        tool_name: "toolName",
        tool_args: "toolArgs",
        notification_type: "notification_type",
        message: "message",
        error: "error",
        error_context: "errorContext",
        recoverable: "recoverable",
    }
}

skim! {
    /// The `error` of an `errorOccurred`.
    Failure {
        name: "name",
        message: "message",
    }
}

skim! {
    /// The input of the call that asks a person: `message` is what its dialog says (measured).
    Asked {
        message: "message",
        question: "question",
    }
}

impl Payload<'_> {
    /// Whose event it is: all events of a helper have its `agentId`, and so have its start and its
    /// end, which are the main agent's (measured).
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

    /// Has it lost the helper's id? `parentAgentId`, the main agent's conversation, stands in all events with
    /// `agentId`, and in no others (measured). The main agent may have an `agentType`, too.
    pub(crate) fn is_nameless(&self) -> bool {
        payload::is_nameless(self.agent_id, self.parent_agent_id)
    }

    /// The conversation; a helper has one of its own, with its id, in the same process (measured).
    pub(crate) fn session(&self) -> Option<String> {
        let told = self.session_id.text()?;
        let is = |id: Raw<'_>| id.text().is_some_and(|id| id == told);
        let is_helpers = is(self.agent_id) || self.is_nameless() && !is(self.parent_agent_id);
        if is_helpers { None } else { text::session(&told) }
    }

    /// Milliseconds; reports may come in another order (measured: by 27 ms).
    pub(crate) fn made_at(&self) -> Option<UnixMs> {
        self.timestamp.json().and_then(|ms| ms.parse().ok()).map(UnixMs)
    }

    pub(crate) fn tool(&self) -> Option<String> {
        tool_name(self.tool_name)
    }

    /// The call that it is about; it has no id (measured).
    pub(crate) fn call(&self) -> ToolRef {
        call(self.tool(), Raw::default(), self.tool_args)
    }
}
