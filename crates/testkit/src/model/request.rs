//! A request as the script sees it: who asks, what was said last, what the tools gave.
//!
//! Shapes: Anthropic Messages API, `anthropic-version: 2023-06-01`; what Claude Code 2.1.330 sends.

use serde_json::Value;

/// How Claude Code notes an interruption.
const INTERRUPTED: &str = "[Request interrupted by user";

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
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// The path without the query.
    pub fn route(&self) -> &str {
        self.path.split('?').next().unwrap_or_default()
    }

    pub fn streams(&self) -> bool {
        self.body["stream"] == Value::Bool(true)
    }

    pub fn model(&self) -> &str {
        self.body["model"].as_str().unwrap_or_default()
    }

    /// All text of the system prompt.
    pub fn system(&self) -> String {
        text(&self.body["system"])
    }

    /// The first of `names` that the request offers as a tool.
    pub fn tool(&self, names: &[&str]) -> Option<String> {
        let tools = self.body["tools"].as_array()?;
        let offered = |name: &&&str| tools.iter().any(|tool| tool["name"] == ***name);
        names.iter().find(offered).map(|name| (*name).to_owned())
    }

    fn messages(&self) -> &[Value] {
        self.body["messages"].as_array().map_or(&[], Vec::as_slice)
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

    /// The conversation this request belongs to.
    pub fn session(&self) -> &str {
        self.header("x-claude-code-session-id").unwrap_or_default()
    }

    /// Which sub-agent asks, if one does (a header of Claude Code 2.1.330).
    pub fn agent(&self) -> Option<&str> {
        self.header("x-claude-code-agent-id")
    }

    /// Whether it is sent because something in the background has ended, not because of a prompt.
    pub fn notified(&self) -> bool {
        let last = self.messages().last();
        last.is_some_and(|message| text(&message["content"]).contains("<task-notification>"))
    }

    pub fn asker(&self) -> Asker {
        let last = self.messages().iter().rfind(|m| m["role"] == "user").map(said);
        let last = last.unwrap_or_default();
        if last.contains("create a detailed summary of") {
            return Asker::Compaction;
        }
        let tools = self.body["tools"].as_array().map_or(0, Vec::len);
        if tools == 0 || self.body["max_tokens"] == 1 {
            return Asker::Side;
        }
        match self.agent() {
            Some(_) => Asker::Helper,
            None => Asker::Main,
        }
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

/// A text without what the program added in `<system-reminder>`.
fn own(text: &str) -> String {
    let mut rest = text.to_owned();
    while let Some(start) = rest.find("<system-reminder>") {
        let end = rest[start..].find("</system-reminder>");
        let end = end.map_or(rest.len(), |at| start + at + "</system-reminder>".len());
        rest.replace_range(start..end, "");
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
        Request { number: 0, method: "POST".into(), path: "/v1/messages".into(), headers, body }
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
        assert_eq!((request.asker(), request.session()), (Asker::Main, "s1"));
        request.headers.push(("x-claude-code-agent-id".to_owned(), "a1".to_owned()));
        assert_eq!((request.asker(), request.agent()), (Asker::Helper, Some("a1")));
        let summary = "Your task is to create a detailed summary of the conversation so far";
        request.body["messages"][0]["content"] = json!(summary);
        assert_eq!(request.asker(), Asker::Compaction);
        request.body = json!({"messages": [{"role": "user", "content": "Write the title"}]});
        assert_eq!(request.asker(), Asker::Side);
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
