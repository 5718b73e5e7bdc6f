//! What the hub says by itself on the task that an agent works on.
//!
//! Agents' words stand in quotes: they are theirs, and no line of a quote answers anything.

use crate::event::EventBody;
use crate::id::AgentId;
use crate::prompt::{OnTimeout, PromptKind, ResolvedBy};
use crate::wire::PromptDoc;
use crate::workflow::{Stage, StageStatus};
use std::fmt::Write as _;

/// A comment that is to be posted, once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Post {
    /// It names this comment and no other of this hub.
    pub key: String,
    /// Markdown, without the marker.
    pub body: String,
}

/// Behind a prompt's id: the comment that tells of it.
const OPENED: &str = "-opened";

/// The prompt that the comment of this key tells of; `None`: it tells of something else.
pub fn prompt_of(key: &str) -> Option<&str> {
    key.strip_suffix(OPENED).filter(|id| crate::prompt::agent_of(id).is_some())
}

/// What the seat was like before the events.
#[derive(Clone, Copy, Debug)]
pub struct Before<'a> {
    pub agent: &'a AgentId,
    pub stage: Option<&'a StageStatus>,
}

/// What is told of an event that comes at `place` of the log. `before` is the seat's stage ahead of it.
pub fn post(before: Before<'_>, event: &EventBody, place: u64) -> Option<Post> {
    let agent = before.agent;
    let (key, body) = match event {
        EventBody::PromptOpened { prompt } if prompt.kind == PromptKind::Input => {
            (format!("{}{OPENED}", prompt.id), opened(agent, prompt))
        }
        EventBody::PromptResolved { prompt } => {
            (format!("{}-timeout", prompt.id), timed_out(agent, prompt)?)
        }
        EventBody::StageChanged { stage } => {
            (format!("{agent}-{place}-{}", stage.stage.word()), moved(agent, before.stage, stage)?)
        }
        _ => return None,
    };
    Some(Post { key, body: quiet(&body) })
}

fn opened(agent: &AgentId, prompt: &PromptDoc) -> String {
    let question = prompt.body.as_deref().unwrap_or(&prompt.title);
    let mut text =
        format!("**{agent} waits for an answer** (`{}`)\n\n{}", prompt.id, quote(question));
    for (place, option) in (1..).zip(&prompt.options) {
        let described = option.description.as_deref().map(|more| format!(": {more}"));
        let line = format!("{place}. {}{}", option.label, described.unwrap_or_default());
        // Writing to a string cannot fail.
        write!(text, "\n{}", quote(&line)).ok();
    }
    if let (Some(until), Some(default)) = (prompt.expires_at, &prompt.default_action) {
        let without = match prompt.on_timeout {
            Some(OnTimeout::Block) => "the work is blocked".to_owned(),
            Some(OnTimeout::Fail) => "the agent is told that it got none".to_owned(),
            _ => format!("this is done:\n\n{}", quote(default)),
        };
        write!(text, "\n\nWithout an answer by {until} {without}").ok();
    }
    text
}

/// A deadline that nobody met. One that blocks is told by the stage that comes of it.
fn timed_out(agent: &AgentId, prompt: &PromptDoc) -> Option<String> {
    let resolution = prompt.resolution.as_ref()?;
    if resolution.by != ResolvedBy::Timeout || prompt.on_timeout == Some(OnTimeout::Block) {
        return None;
    }
    let next = match &resolution.value {
        Some(value) => format!("{agent} does what it had said:\n\n{}", quote(value)),
        None => format!("{agent} is told that it got no answer"),
    };
    Some(format!("**Nobody has answered `{}` in time**; {next}", prompt.id))
}

fn moved(agent: &AgentId, before: Option<&StageStatus>, stage: &StageStatus) -> Option<String> {
    let stays = before.is_some_and(|before| before.stage == stage.stage);
    let same = before
        .is_some_and(|before| before.message == stage.message && before.blockers == stage.blockers);
    let says = match stage.stage {
        // What stands in the way may be another thing now.
        Stage::Blocked if !stays || !same => "is blocked",
        Stage::AwaitingReview if !stays => "waits for a review",
        Stage::Completed if !stays => "has completed its work",
        Stage::AwaitingInput if !stays => "waits for a person",
        _ => return None,
    };
    let mut text = format!("**{agent} {says}**");
    for words in stage.message.iter().chain(&stage.blockers) {
        write!(text, "\n\n{}", quote(words)).ok();
    }
    Some(text)
}

/// The text as somebody else's words.
fn quote(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("> {line}")).collect();
    lines.join("\n")
}

/// Nobody is called by it: a name behind an `@` is no mention any more.
pub fn quiet(text: &str) -> String {
    let mut quiet = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        quiet.push(c);
        if c == '@' && chars.peek().is_some_and(|next| next.is_alphanumeric() || *next == '_') {
            quiet.push('\u{200b}');
        }
    }
    quiet
}

#[cfg(test)]
mod tests;
