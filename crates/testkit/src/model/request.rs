//! A request as the script sees it: who asks, what was said last, what the tools gave.
//!
//! Shapes: Anthropic Messages API, `anthropic-version: 2023-06-01`, and what `view` makes of the other
//! protocols.

use super::asker;
use super::protocol::Protocol;
use super::view;
use serde_json::Value;
use std::sync::OnceLock;

/// How Claude Code notes an interruption.
const INTERRUPTED: &str = "[Request interrupted by user";

/// What programs put into messages of the person's.
const ADDED: [&str; 6] = [
    "system-reminder",
    // Codex 0.169.0
    "environment_context",
    "turn_aborted",
    // Gemini CLI 0.61.0
    "session_context",
    // Copilot CLI 1.0.102
    "current_datetime",
    "system_notification",
];

/// One request, whether it was understood or not.
#[derive(Clone, Debug)]
pub struct Request {
    /// From 0, in the order of arrival; marks carry the same number.
    pub number: usize,
    pub method: String,
    /// With the query.
    pub path: String,
    pub headers: Vec<(String, String)>,
    /// `Null` if there was none or it was no JSON.
    pub body: Value,
    /// The protocol, if a model is asked.
    pub(super) protocol: Option<Protocol>,
    /// It begins with a prompt that the script has given to a sub-agent.
    pub(super) helps: bool,
    /// The body in the form of the Messages API, if it is of another one.
    view: Option<Value>,
    /// Told once: who waits for a request asks each of them again and again.
    asker: OnceLock<Asker>,
}

/// Who asks for what.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Asker {
    /// The agent that the person talks to.
    Main,
    /// An agent that the main one started.
    Helper,
    /// A summary for a compaction, asked by `/compact` or by the agent itself.
    Compaction,
    /// A title, a probe, a suggestion: nothing that a script should see.
    Side,
}

impl Request {
    /// One that has just come; its number is the server's to give.
    pub(super) fn new(
        method: &str,
        path: &str,
        headers: Vec<(String, String)>,
        body: Value,
    ) -> Self {
        let protocol = Protocol::of(path.split('?').next().unwrap_or_default());
        let view = view::of(protocol, &body);
        let (method, path) = (method.to_owned(), path.to_owned());
        Self {
            number: 0,
            method,
            path,
            headers,
            body,
            protocol,
            helps: false,
            view,
            asker: OnceLock::new(),
        }
    }

    /// The body in the form of the Messages API.
    fn view(&self) -> &Value {
        self.view.as_ref().unwrap_or(&self.body)
    }

    pub(super) fn speaks_gemini(&self) -> bool {
        self.protocol == Some(Protocol::Gemini)
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// The path without the query.
    pub fn route(&self) -> &str {
        self.path.split('?').next().unwrap_or_default()
    }

    pub fn streams(&self) -> bool {
        self.body["stream"] == Value::Bool(true) || self.route().ends_with(":streamGenerateContent")
    }

    /// Gemini's stands in the path.
    pub fn model(&self) -> &str {
        let in_path = || Some(self.route().rsplit_once('/')?.1.split_once(':')?.0);
        self.body["model"].as_str().or_else(in_path).unwrap_or_default()
    }

    /// All text of the system prompt.
    pub fn system(&self) -> String {
        let first = self.messages().first().filter(|first| first["role"] == "system");
        first.map_or_else(|| text(&self.body["system"]), |first| text(&first["content"]))
    }

    pub(super) fn tools(&self) -> &[Value] {
        self.view()["tools"].as_array().map_or(&[], Vec::as_slice)
    }

    fn offered(&self, name: &str) -> Option<&Value> {
        self.tools().iter().find(|tool| tool["name"] == name)
    }

    /// The first of `names` that the request offers as a tool.
    pub fn tool(&self, names: &[&str]) -> Option<String> {
        let found = names.iter().find(|name| self.offered(name).is_some());
        found.map(|name| (*name).to_owned())
    }

    /// Whether this tool takes this member.
    pub(super) fn offers(&self, tool: &str, member: &str) -> bool {
        let schema = self.offered(tool).map(|tool| &tool["input_schema"]["properties"][member]);
        schema.is_some_and(Value::is_object)
    }

    /// The group that this tool is in.
    pub(super) fn namespace(&self, tool: &str) -> Option<String> {
        self.offered(tool)?["namespace"].as_str().map(str::to_owned)
    }

    pub(super) fn messages(&self) -> &[Value] {
        self.view()["messages"].as_array().map_or(&[], Vec::as_slice)
    }

    /// Where the turn begins: the last message in which a person, or the agent program in their
    /// place, says something. Reminders that the program adds by itself do not count.
    fn beginning(&self) -> Option<usize> {
        let says = |message: &Value| message["role"] == "user" && !said(message).is_empty();
        self.messages().iter().rposition(says)
    }

    /// What was said last by the person (or the agent program in their place).
    pub fn prompt(&self) -> String {
        let at = self.beginning().and_then(|at| self.messages().get(at));
        at.map(said).unwrap_or_default()
    }

    /// How many answers the turn has had: 0 for the first request after a prompt.
    pub fn step(&self) -> usize {
        let rest = self.messages().iter().skip(self.beginning().unwrap_or_default());
        rest.filter(|message| message["role"] == "assistant").count()
    }

    /// The results of the tools that were called last, as text, in their order.
    pub fn results(&self) -> Vec<String> {
        let last = self.messages().iter().rfind(|message| message["role"] == "user");
        let blocks = last.and_then(|message| message["content"].as_array());
        let results = blocks.into_iter().flatten().filter(|b| b["type"] == "tool_result");
        results.map(|block| own(&text(&block["content"]))).collect()
    }

    /// Where Claude Code (2.1.330) wants the plan to be written, once it is in plan mode: a path that
    /// ends in `/plans/NAME.md`.
    pub fn plan_file(&self) -> Option<String> {
        let messages = self.body["messages"].to_string();
        let (before, after) = messages.rsplit_once("/plans/")?;
        let start = before.rfind(|c: char| c.is_whitespace()).map_or(0, |at| at + 1);
        let (name, _) = after.split_once(".md")?;
        Some(format!("{}/plans/{name}.md", &before[start..]))
    }

    /// Whether a person interrupted the turn that came last.
    pub fn interrupted(&self) -> bool {
        let last = self.messages().iter().rfind(|message| message["role"] == "user");
        last.is_some_and(|message| text(&message["content"]).contains(INTERRUPTED))
    }

    /// The conversation this request belongs to. A program that never names one is known by its
    /// first prompt.
    pub fn session(&self) -> String {
        let unnamed = || match self.protocol {
            Some(Protocol::Messages) => String::new(),
            _ => self.first_prompt(),
        };
        asker::session(self).map_or_else(unnamed, str::to_owned)
    }

    pub(super) fn first_prompt(&self) -> String {
        let users = self.messages().iter().filter(|message| message["role"] == "user");
        users.map(said).find(|said| !said.is_empty()).unwrap_or_default()
    }

    /// Which sub-agent asks, if one does.
    pub fn agent(&self) -> Option<&str> {
        asker::agent(self)
    }

    /// Whether it is sent because something in the background has ended, not because of a prompt.
    pub fn notified(&self) -> bool {
        let last = self.messages().last();
        last.is_some_and(|message| text(&message["content"]).contains("<task-notification>"))
    }

    /// What the person, or the agent program in their place, has just said, if anything.
    pub(super) fn last_said(&self) -> String {
        let last = self.messages().iter().rfind(|message| message["role"] == "user");
        last.map(said).unwrap_or_default()
    }

    /// Not to be asked before it is known whether it helps.
    pub fn asker(&self) -> Asker {
        self.asker.get_or_init(|| asker::of(self)).clone()
    }
}

/// The text of a string, or of all text blocks of a list.
fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts: Vec<_> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
            texts.join("\n")
        }
        _ => String::new(),
    }
}

/// What a person says in a message: its last text. After an interruption the results of the tools,
/// a note about it and the next prompt stand in one message.
fn said(message: &Value) -> String {
    let content = &message["content"];
    let blocks = content.as_array().map_or(std::slice::from_ref(content), Vec::as_slice);
    let texts = blocks.iter().filter(|block| block.is_string() || block["type"] == "text");
    let mut texts = texts.map(|block| own(block.as_str().or(block["text"].as_str()).unwrap_or("")));
    let spoken = |text: &String| !text.is_empty() && !text.starts_with(INTERRUPTED);
    texts.rfind(spoken).unwrap_or_default()
}

/// A text without what the program added in tags of its own.
fn own(text: &str) -> String {
    let mut rest = text.to_owned();
    for tag in ADDED {
        let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
        while let Some(start) = rest.find(&open) {
            let end = rest[start..].find(&close);
            let end = end.map_or(rest.len(), |at| start + at + close.len());
            rest.replace_range(start..end, "");
        }
    }
    rest.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn request(messages: Value) -> Request {
        let body = json!({"messages": messages, "tools": [{"name": "Agent"}, {"name": "Bash"}]});
        let headers = vec![("X-Claude-Code-Session-Id".to_owned(), "s1".to_owned())];
        Request::new("POST", "/v1/messages", headers, body)
    }

    fn after_a_tool(more: &str) -> Request {
        request(json!([
            {"role": "user", "content": "<system-reminder>a b</system-reminder> go "},
            {"role": "system", "content": [{"type": "text", "text": "Environment"}]},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "Bash"}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "t",
                 "content": [{"type": "text", "text": "out <system-reminder>x</system-reminder>"}]},
                {"type": "text", "text": more},
            ]},
        ]))
    }

    #[test]
    fn the_result_of_a_tool_is_not_a_prompt() {
        let request = after_a_tool("<system-reminder>tokens left</system-reminder>");
        assert_eq!((request.prompt().as_str(), request.step()), ("go", 1));
        assert_eq!(request.results(), ["out"]);
        assert!(!request.interrupted());
    }

    #[test]
    fn a_prompt_after_an_interruption_shares_its_message_with_results() {
        let mut request = after_a_tool("[Request interrupted by user for tool use]\n");
        assert_eq!((request.prompt().as_str(), request.step()), ("go", 1));
        assert!(request.interrupted());
        let content = request.body["messages"][3]["content"].as_array_mut().expect("a list");
        content.push(json!({"type": "text", "text": "go on"}));
        assert_eq!((request.prompt().as_str(), request.step()), ("go on", 0));
    }

    #[test]
    fn who_asks_is_seen_in_headers_and_words() {
        let mut request = request(json!([{"role": "user", "content": "go"}]));
        assert_eq!((asker::of(&request), request.session().as_str()), (Asker::Main, "s1"));
        request.headers.push(("x-claude-code-agent-id".to_owned(), "a1".to_owned()));
        assert_eq!((asker::of(&request), request.agent()), (Asker::Helper, Some("a1")));
        let summary = "Your task is to create a detailed summary of the conversation so far";
        request.body["messages"][0]["content"] = json!(summary);
        assert_eq!(asker::of(&request), Asker::Compaction);
        request.body = json!({"messages": [{"role": "user", "content": "Write the title"}]});
        assert_eq!(asker::of(&request), Asker::Side);
    }

    #[test]
    fn the_plan_file_is_where_the_agent_says() {
        let words = "create your plan at /home/dev/.claude/plans/calm-sea.md using the Write tool";
        let request = request(json!([{"role": "user", "content": words}]));
        assert_eq!(request.plan_file().as_deref(), Some("/home/dev/.claude/plans/calm-sea.md"));
        assert_eq!(after_a_tool("").plan_file(), None);
    }

    #[test]
    fn the_first_offered_name_of_a_tool_is_taken() {
        let request = request(json!([]));
        assert_eq!(request.tool(&["Task", "Agent"]).as_deref(), Some("Agent"));
        assert_eq!(request.tool(&["TodoWrite"]), None);
    }
}
