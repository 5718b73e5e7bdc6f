//! What is wanted of a hook's payload; all else in it is skipped unread.

use crate::calls::{call, tool_name};
use crate::json::{Raw, skim};
use headsup_core::prompt::ToolRef;
use headsup_core::time::UnixMs;

/// What the names of the tools of MCP servers begin with (0.61.0, read).
const OF_A_SERVER: &str = "mcp_";

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
        command: "command",
    }
}

skim! {
    /// A call's `tool_input`, as far as the notice of its dialog repeats it.
    Repeated {
        command: "command",
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

    /// The call that it is about; it has no id (measured). One that runs a command is known by that alone: the
    /// notice of its dialog repeats it, and nothing else of its input (0.61.0, measured). Tools of MCP servers may have a
    /// member of that name as well, by which calls are not told apart.
    pub(crate) fn call(&self) -> ToolRef {
        let tool = self.tool();
        let command = self.tool_input.object::<Repeated<'_>>().command;
        let is_a_servers = tool.as_deref().is_some_and(|tool| tool.starts_with(OF_A_SERVER));
        let is_command = !is_a_servers && command.text().is_some();
        let input = if is_command { command } else { self.tool_input };
        call(tool, Raw::default(), input)
    }
}
