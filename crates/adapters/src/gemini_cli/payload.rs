//! What is wanted of a hook's payload; all else in it is skipped unread.

use crate::calls::{call, tool_name};
use crate::json::{Raw, skim};
use headsup_core::prompt::ToolRef;
use headsup_core::time::UnixMs;

skim! {
    /// One payload, of any event. The schema is open and every member may be missing.
    Payload {
        hook_event_name: "hook_event_name",
        session_id: "session_id",
        timestamp: "timestamp",
        transcript_path: "transcript_path",
        cwd: "cwd",
        source: "source",
        reason: "reason",
        trigger: "trigger",
        prompt: "prompt",
        prompt_response: "prompt_response",
        tool_name: "tool_name",
        tool_input: "tool_input",
        notification_type: "notification_type",
        message: "message",
        details: "details",
    }
}

skim! {
    /// The `details` of a `Notification`.
    Details {
        kind: "type",
        title: "title",
    }
}

impl Payload<'_> {
    /// RFC 3339 with milliseconds (measured).
    pub(crate) fn made_at(&self) -> Option<UnixMs> {
        self.timestamp.text().and_then(|text| UnixMs::parse(&text))
    }

    pub(crate) fn tool(&self) -> Option<String> {
        tool_name(self.tool_name)
    }

    /// The call that it is about; it has no id (measured).
    pub(crate) fn call(&self) -> ToolRef {
        call(self.tool(), Raw::default(), self.tool_input)
    }
}
