//! What the model answers to one request.

use serde_json::{Value, json};
use std::time::Duration;

/// One answer, built up in the order in which it is sent.
///
/// ```
/// use headsup_testkit::model::Reply;
/// let reply = Reply::text("Looking.").bash("ls").hold("go").end_with("Done.");
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    pub(super) head: Head,
    /// Holds before the status line.
    pub(super) before: Vec<String>,
    pub(super) parts: Vec<Part>,
    /// Tokens that the message says it took in; much of it provokes a compaction.
    pub(super) taken: Option<u64>,
    /// Why the message ends; by itself `tool_use` or `end_turn`.
    pub(super) stop: Option<String>,
    /// How often it fails in a turn, if not always.
    pub(super) times: Option<usize>,
    /// Said when the tools of this reply have come back.
    pub(super) then: Option<Box<Reply>>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Head {
    #[default]
    Message,
    Failure {
        status: u16,
        message: String,
        retry_after: Option<u64>,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    Text(String),
    Thinking(String),
    Tool(Tool),
    /// A number of words, each after a delay.
    Slow(u32, Duration),
    Hold(String),
    Ping,
    Error(String),
    Cut,
}

/// A call of a tool. The name is looked up in the request, as it differs between versions.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Tool {
    Named(String, Value),
    Shell {
        command: String,
        background: bool,
    },
    Ask {
        question: String,
        options: Vec<String>,
    },
    Helper {
        description: String,
        prompt: String,
        background: bool,
    },
    Todo(String),
    /// Writes the plan that [`Reply::plan`] asks about.
    PlanFile(String),
}

impl Reply {
    /// An empty answer to build upon.
    pub fn new() -> Self {
        Self::default()
    }

    pub fn text(text: &str) -> Self {
        Self::new().and_text(text)
    }

    /// An HTTP status other than 200 with the protocol's error document.
    pub fn status(status: u16) -> Self {
        Self::new().failing(status, &format!("The script says {status}."))
    }

    /// The failure upon which Claude Code (2.1.330) compacts in mid-turn and tries again.
    pub fn too_long() -> Self {
        Self::new().failing(400, "prompt is too long: 210000 tokens > 200000 maximum").times(1)
    }

    pub(super) fn failing(mut self, status: u16, message: &str) -> Self {
        self.head = Head::Failure { status, message: message.to_owned(), retry_after: None };
        self
    }

    /// Seconds in the `retry-after` header of a failure.
    #[must_use]
    pub fn retry_after(mut self, seconds: u64) -> Self {
        if let Head::Failure { retry_after, .. } = &mut self.head {
            *retry_after = Some(seconds);
        }
        self
    }

    fn with(mut self, part: Part) -> Self {
        self.parts.push(part);
        self
    }

    #[must_use]
    pub fn and_text(self, text: &str) -> Self {
        self.with(Part::Text(text.to_owned()))
    }

    #[must_use]
    pub fn thinking(self, text: &str) -> Self {
        self.with(Part::Thinking(text.to_owned()))
    }

    /// `words` words of text, each after `delay`.
    #[must_use]
    pub fn slow(self, words: u32, delay: Duration) -> Self {
        self.with(Part::Slow(words, delay))
    }

    /// Sends nothing more until [`super::Model::release`] with this name.
    #[must_use]
    pub fn hold(self, name: &str) -> Self {
        self.with(Part::Hold(name.to_owned()))
    }

    /// Sends nothing at all, not even the status line, until [`super::Model::release`].
    #[must_use]
    pub fn stall(mut self, name: &str) -> Self {
        self.before.push(name.to_owned());
        self
    }

    #[must_use]
    pub fn ping(self) -> Self {
        self.with(Part::Ping)
    }

    /// An `event: error` of this type (`overloaded_error`) in mid-stream; nothing follows it.
    #[must_use]
    pub fn error(self, kind: &str) -> Self {
        self.with(Part::Error(kind.to_owned()))
    }

    /// Cuts the connection in mid-stream.
    #[must_use]
    pub fn cut(self) -> Self {
        self.with(Part::Cut)
    }

    /// Calls a tool. Several calls in one reply are parallel.
    #[must_use]
    pub fn tool(self, name: &str, input: Value) -> Self {
        self.with(Part::Tool(Tool::Named(name.to_owned(), input)))
    }

    #[must_use]
    pub fn bash(self, command: &str) -> Self {
        self.shell(command, false)
    }

    #[must_use]
    pub fn bash_in_background(self, command: &str) -> Self {
        self.shell(command, true)
    }

    fn shell(self, command: &str, background: bool) -> Self {
        self.with(Part::Tool(Tool::Shell { command: command.to_owned(), background }))
    }

    /// Starts a sub-agent that the main one waits for. Its prompt may hold directives.
    #[must_use]
    pub fn helper(self, prompt: &str) -> Self {
        self.start(prompt, false)
    }

    /// Starts a sub-agent that works on while the main one ends its turn.
    #[must_use]
    pub fn helper_in_background(self, prompt: &str) -> Self {
        self.start(prompt, true)
    }

    fn start(self, prompt: &str, background: bool) -> Self {
        let (description, prompt) = ("Help out".to_owned(), prompt.to_owned());
        self.with(Part::Tool(Tool::Helper { description, prompt, background }))
    }

    /// Asks the person a question with these options.
    #[must_use]
    pub fn ask(self, question: &str, options: &[&str]) -> Self {
        let options = options.iter().map(|&option| option.to_owned()).collect();
        self.with(Part::Tool(Tool::Ask { question: question.to_owned(), options }))
    }

    /// Goes into plan mode.
    #[must_use]
    pub fn enter_plan(self) -> Self {
        self.tool("EnterPlanMode", json!({}))
    }

    /// Asks for the approval of a plan. Works in plan mode only, and so not in one reply with
    /// [`Self::enter_plan`].
    #[must_use]
    pub fn plan(self, plan: &str) -> Self {
        self.with(Part::Tool(Tool::PlanFile(plan.to_owned()))).tool("ExitPlanMode", json!({}))
    }

    /// Puts one entry on the to-do list.
    #[must_use]
    pub fn todo(self, subject: &str) -> Self {
        self.with(Part::Tool(Tool::Todo(subject.to_owned())))
    }

    /// The tokens that this message says it took in.
    #[must_use]
    pub fn taken(mut self, tokens: u64) -> Self {
        self.taken = Some(tokens);
        self
    }

    /// Another `stop_reason`, such as `max_tokens`.
    #[must_use]
    pub fn stop(mut self, reason: &str) -> Self {
        self.stop = Some(reason.to_owned());
        self
    }

    /// What follows when the tools of this reply have come back, instead of "Done.".
    #[must_use]
    pub fn then(mut self, next: Self) -> Self {
        match &mut self.then {
            Some(then) => **then = std::mem::take(&mut **then).then(next),
            None => self.then = Some(Box::new(next)),
        }
        self
    }

    /// [`Self::then`] with a text.
    #[must_use]
    pub fn end_with(self, text: &str) -> Self {
        self.then(Self::text(text))
    }

    /// Fails only so many times in a turn; without this, each retry fails as well.
    #[must_use]
    pub fn times(mut self, times: usize) -> Self {
        self.times = Some(times);
        self
    }

    /// What the next request of the same turn gets.
    pub(super) fn follows(&self) -> Option<Self> {
        match (self.fails(), self.times) {
            (true, None) => Some(self.clone()),
            (true, Some(times)) if times > 1 => Some(self.clone().times(times - 1)),
            (true, Some(_)) => {
                Some(self.then.as_deref().cloned().unwrap_or_else(|| Self::text("Recovered.")))
            }
            (false, _) => self.then.as_deref().cloned(),
        }
    }

    pub(super) fn fails(&self) -> bool {
        let broken = |part: &Part| matches!(part, Part::Error(_) | Part::Cut);
        self.head != Head::Message || self.parts.iter().any(broken)
    }

    pub(super) fn calls_tools(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Tool(_)))
    }
}
