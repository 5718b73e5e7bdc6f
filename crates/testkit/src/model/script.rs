//! Which answer a request gets.
//!
//! In this order: what follows an earlier answer of the same turn (a turn's requests are its retries,
//! those with the results of its tools, and those after a compaction in its middle), the test's
//! function, the test's queue, the directives in the prompt, and a plain answer.

use super::directive;
use super::reply::{Part, Reply, Tool};
use super::request::{Asker, Request};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet, VecDeque};

type Answer = Box<dyn FnMut(&Request) -> Option<Reply> + Send>;

/// An agent's turn.
#[derive(Default)]
struct Turn {
    prompt: String,
    next: Option<Reply>,
    /// The last answer makes the agent ask again: it called tools, or it failed.
    goes_on: bool,
    failed: bool,
    compacted: bool,
}

#[derive(Default)]
pub(super) struct Script {
    pub(super) main: VecDeque<Reply>,
    pub(super) helper: VecDeque<Reply>,
    pub(super) compaction: VecDeque<Reply>,
    pub(super) answer: Option<Answer>,
    /// The prompts that sub-agents were given.
    given: HashSet<String>,
    /// By session and sub-agent.
    turns: HashMap<(String, Option<String>), Turn>,
}

impl Script {
    pub(super) fn reply(&mut self, request: &Request) -> Reply {
        let asker = request.asker();
        if asker == Asker::Side {
            return side(request);
        }
        let agent = request.agent().map(str::to_owned);
        let key = (request.session(), agent);
        let mut turn = self.turns.remove(&key).unwrap_or_default();
        let reply = if asker == Asker::Compaction {
            turn.compacted = true;
            turn.goes_on &= !request.interrupted();
            self.fresh(request, &asker)
        } else {
            let prompt = request.prompt();
            let same = turn.prompt == prompt && (turn.failed || request.step() > 0);
            let goes_on = turn.goes_on && (same || turn.compacted);
            let next = turn.next.take().filter(|_| goes_on);
            let reply = next.unwrap_or_else(|| self.fresh(request, &asker));
            let failed = reply.fails();
            turn = Turn {
                prompt,
                next: reply.follows(),
                goes_on: failed || reply.calls_tools(),
                failed,
                compacted: false,
            };
            reply
        };
        self.turns.insert(key, turn);
        let helpers = reply.parts.iter().filter_map(|part| match part {
            Part::Tool(Tool::Helper { prompt, .. }) => Some(prompt.clone()),
            _ => None,
        });
        self.given.extend(helpers);
        reply
    }

    /// Whether this conversation is that of a sub-agent which the script has started.
    pub(super) fn is_helpers(&self, request: &Request) -> bool {
        self.given.contains(&request.first_prompt())
    }

    fn fresh(&mut self, request: &Request, asker: &Asker) -> Reply {
        if let Some(reply) = self.answer.as_mut().and_then(|answer| answer(request)) {
            return reply;
        }
        let queue = match asker {
            Asker::Helper => &mut self.helper,
            Asker::Compaction => &mut self.compaction,
            Asker::Main | Asker::Side => &mut self.main,
        };
        if let Some(reply) = queue.pop_front() {
            return reply;
        }
        if *asker == Asker::Compaction {
            return Reply::text("<summary>What was said so far.</summary>");
        }
        if request.step() > 0 {
            return Reply::text("Done.");
        }
        let prompt = request.prompt();
        directive::read(&prompt).unwrap_or_else(|| Reply::text(&format!("You said: {prompt}")))
    }
}

/// Programs ask for titles and the like with a JSON schema, and probe with one token.
fn side(request: &Request) -> Reply {
    let schemas = [
        "/output_config/format/schema",
        "/text/format/schema",
        "/response_format/json_schema/schema",
        "/generationConfig/responseJsonSchema",
    ];
    let schema = schemas.iter().find_map(|place| request.body.pointer(place));
    let Some(properties) = schema.and_then(|schema| schema["properties"].as_object()) else {
        return Reply::text("Scripted model");
    };
    let value = |schema: &Value| match schema["type"].as_str().map(str::to_lowercase).as_deref() {
        Some("integer" | "number") => json!(1),
        Some("boolean") => json!(false),
        Some("array") => json!([]),
        Some("object") => json!({}),
        _ => json!("Scripted"),
    };
    let fields = properties.iter().map(|(name, schema)| (name.clone(), value(schema)));
    Reply::text(&Value::Object(fields.collect()).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(messages: Value) -> Request {
        let body = json!({"messages": messages, "tools": [{"name": "Bash"}]});
        Request::new("POST", "/v1/messages", vec![], body)
    }

    fn prompt(text: &str) -> Request {
        ask(json!([{"role": "user", "content": text}]))
    }

    fn with_result(text: &str) -> Request {
        ask(json!([
            {"role": "user", "content": text},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "Bash"}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t"}]},
        ]))
    }

    fn summary(note: &str) -> Request {
        let words = "Your task is to create a detailed summary of this conversation.";
        ask(json!([{"role": "user", "content": format!("{note}{words}")}]))
    }

    #[test]
    fn a_turn_ends_after_its_tool() {
        let mut script = Script::default();
        let words = "[[bash ls]] [[text Seen.]]";
        assert!(script.reply(&prompt(words)).calls_tools());
        assert_eq!(script.reply(&with_result(words)), Reply::text("Seen."));
        assert_eq!(script.reply(&with_result(words)), Reply::text("Done."));
    }

    #[test]
    fn the_same_prompt_begins_a_new_turn() {
        let mut script = Script::default();
        let words = "[[bash ls]] [[text Seen.]]";
        assert!(script.reply(&prompt(words)).calls_tools());
        assert!(script.reply(&prompt(words)).calls_tools(), "the first turn was given up");
    }

    #[test]
    fn a_failure_lasts_for_its_turn_or_so_many_times() {
        let mut script = Script::default();
        for _ in 0..3 {
            assert_eq!(script.reply(&prompt("[[status 401]]")), Reply::status(401));
        }
        script.main.push_back(Reply::status(529).times(2).end_with("Well."));
        let heads = [(); 3].map(|()| script.reply(&prompt("go")));
        assert!(heads[0].fails() && heads[1].fails(), "{heads:?}");
        assert_eq!(heads[2], Reply::text("Well."));
    }

    #[test]
    fn a_compaction_in_its_middle_does_not_end_a_turn() {
        let mut script = Script::default();
        script.reply(&prompt("[[bash ls]] [[text Seen.]]"));
        script.reply(&summary(""));
        assert_eq!(script.reply(&prompt("This session is continued")), Reply::text("Seen."));
    }

    #[test]
    fn a_compaction_after_an_interruption_begins_anew() {
        let mut script = Script::default();
        script.reply(&prompt("[[bash ls]] [[text Seen.]]"));
        script.reply(&summary("[Request interrupted by user]"));
        assert_eq!(script.reply(&prompt("[[text Other.]]")), Reply::text("Other."));
    }

    #[test]
    fn helpers_and_summaries_have_queues_of_their_own() {
        let mut script = Script::default();
        script.main.push_back(Reply::text("main"));
        script.helper.push_back(Reply::text("helper"));
        script.compaction.push_back(Reply::text("summary"));
        let mut helper = prompt("go");
        helper.headers.push(("x-claude-code-agent-id".to_owned(), "a".to_owned()));
        assert_eq!(script.reply(&summary("")), Reply::text("summary"));
        assert_eq!(script.reply(&helper), Reply::text("helper"));
        assert_eq!(script.reply(&prompt("go")), Reply::text("main"));
        assert_eq!(script.reply(&prompt("go")), Reply::text("You said: go"));
    }

    #[test]
    fn the_function_is_asked_first_and_titles_are_never_scripted() {
        let mut script = Script::default();
        script.main.push_back(Reply::text("queue"));
        script.answer = Some(Box::new(|r| (r.prompt() == "f").then(|| Reply::text("function"))));
        let mut title = prompt("f");
        title.body["tools"] = json!([]);
        title.body["output_config"]["format"]["schema"]["properties"] = json!({"title": {}});
        assert_eq!(script.reply(&title), Reply::text("{\"title\":\"Scripted\"}"));
        assert_eq!(script.reply(&prompt("f")), Reply::text("function"));
        assert_eq!(script.reply(&prompt("g")), Reply::text("queue"));
    }
}
