//! When a comment of a tracker or a forge answers a prompt.
//!
//! Anybody may comment, and an agent reads what its person answers: so a comment answers only if it
//! says so in a fixed grammar, comes from somebody who is listed, is newer than the prompt and was not
//! written by us. Everything else is no answer, with the reason why.

mod code;
mod html;
mod plain;

use crate::status::turn::words;
use crate::time::UnixMs;

/// Every comment of ours carries it, where no reader sees it.
pub const MARKER: &str = "<!-- headsup:";

/// The mark of a comment of ours.
pub fn mark(key: &str) -> String {
    format!("{MARKER}{key} -->")
}

/// A text of ours with the mark of its key, and with no other: whoever wrote it may have put one there.
pub fn marked(body: &str, key: &str) -> String {
    // What is left of one begins no other, whatever stands behind it.
    let body = body.replace(MARKER, "<!-- :");
    format!("{}\n\n{}", body.trim_end(), mark(key))
}

/// The text as people see it.
pub fn without_mark(body: &str) -> &str {
    match body.rfind(MARKER) {
        Some(at) if body.trim_end().ends_with("-->") => body[..at].trim_end(),
        _ => body,
    }
}

/// What the judgement of a comment is remembered by: each is judged once.
pub fn judged_as(id: &str) -> String {
    format!("comment {id}")
}

/// What a comment says to a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// The prompt's id, where one was named.
    pub prompt: Option<String>,
    pub answer: Answer,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The option of this number, from 1.
    Option(u32),
    /// Words, or an option's value.
    Text(String),
}

/// Why a comment answers nothing. Each goes into the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoAnswer {
    #[error("it is our own comment")]
    Ours,
    #[error("it was not just written: only `created` counts")]
    NotNew,
    #[error("its author is not listed in the settings")]
    NotListed,
    #[error("its author is a program")]
    Bot,
    #[error("it is older than the prompt")]
    TooOld,
    #[error("it says that it was written in the future")]
    FromFuture,
    #[error(
        "it says nothing to a prompt: `/answer ID VALUE` or `@headsup VALUE` on a line of its own"
    )]
    NotAddressed,
    #[error("it answers twice")]
    Twice,
    #[error("the answer is empty or too long")]
    BadValue,
    #[error("no open prompt of this task has such an id")]
    UnknownPrompt,
    #[error("several prompts are open: say which, `/answer ID VALUE`")]
    WhichPrompt,
    #[error("the prompt was resolved before")]
    AlreadyResolved,
    #[error("the prompt has no such option")]
    NoSuchOption,
}

words!(NoAnswer {
    Ours = "ours", NotNew = "not_new", NotListed = "not_listed", Bot = "bot", TooOld = "too_old",
    FromFuture = "from_future", NotAddressed = "not_addressed", Twice = "twice",
    BadValue = "bad_value", UnknownPrompt = "unknown_prompt", WhichPrompt = "which_prompt",
    AlreadyResolved = "already_resolved", NoSuchOption = "no_such_option",
});

/// A comment as a webhook tells of it.
#[derive(Clone, Copy, Debug)]
pub struct Comment<'a> {
    /// What has happened to it: `created`, `edited`, `deleted`.
    pub action: &'a str,
    pub body: &'a str,
    /// The author's id or name, whichever the tracker vouches for.
    pub author: &'a str,
    pub is_bot: bool,
    pub created_at: UnixMs,
}

/// An open prompt that the comment may be about.
#[derive(Clone, Debug)]
pub struct Open<'a> {
    pub id: &'a str,
    pub opened_at: UnixMs,
    /// Values in the order in which they are counted; none: free text.
    pub options: &'a [String],
}

/// What holds for comments, by the settings.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules<'a> {
    /// Who may answer. Nobody, where nothing is set.
    pub authors: &'a [String],
}

/// Characters of an answer at most.
const LONGEST: usize = 4_000;

/// The prompt that the comment answers, and with which value.
pub fn answers<'a>(
    comment: Comment<'_>,
    open: &[Open<'a>],
    rules: Rules<'_>,
) -> Result<(&'a str, String), NoAnswer> {
    if comment.body.contains(MARKER) {
        return Err(NoAnswer::Ours);
    }
    if comment.action != "created" {
        return Err(NoAnswer::NotNew);
    }
    if comment.is_bot {
        return Err(NoAnswer::Bot);
    }
    if !rules.authors.iter().any(|author| !author.is_empty() && author == comment.author) {
        return Err(NoAnswer::NotListed);
    }
    let said = read(comment.body)?;
    let prompt = which(said.prompt.as_deref(), open)?;
    if comment.created_at <= prompt.opened_at {
        return Err(NoAnswer::TooOld);
    }
    Ok((prompt.id, value(&said.answer, prompt.options)?))
}

/// Reads a comment: `/answer [ID] VALUE` or `@headsup VALUE` on a line of its own, once. What is quoted, is
/// code or is seen by nobody says nothing: whoever quotes another's answer does not answer.
pub fn read(body: &str) -> Result<Said, NoAnswer> {
    let mut found = None;
    for line in plain::lines(body) {
        let Some(said) = addressed(line.trim()) else { continue };
        if found.replace(said?).is_some() {
            return Err(NoAnswer::Twice);
        }
    }
    found.ok_or(NoAnswer::NotAddressed)
}

/// One line; `None`: it is not for us.
fn addressed(line: &str) -> Option<Result<Said, NoAnswer>> {
    let rest = |word: &str| {
        let rest = line.strip_prefix(word)?;
        (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| rest.trim())
    };
    let (prompt, value) = match (rest("/answer"), rest("@headsup")) {
        (Some(rest), _) => match rest.split_once(char::is_whitespace) {
            Some((id, value)) if is_id(id) => (Some(id.to_owned()), value.trim()),
            None if is_id(rest) => return Some(Err(NoAnswer::BadValue)),
            _ => (None, rest),
        },
        (_, Some(rest)) => (None, rest),
        _ => return None,
    };
    let hidden = |c: char| c.is_control() || crate::words::text::is_hidden(c);
    if value.is_empty() || value.chars().count() > LONGEST || value.chars().any(hidden) {
        return Some(Err(NoAnswer::BadValue));
    }
    let number = value.bytes().all(|b| b.is_ascii_digit()).then(|| value.parse().ok()).flatten();
    let answer = number.map_or_else(|| Answer::Text(value.to_owned()), Answer::Option);
    Some(Ok(Said { prompt, answer }))
}

/// `AGENT-pNUMBER`: no word of an answer is taken for one.
fn is_id(word: &str) -> bool {
    let Some((agent, number)) = word.rsplit_once("-p") else { return false };
    let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    is_number && crate::id::AgentId::new(agent).is_ok()
}

fn which<'o, 'a>(named: Option<&str>, open: &'o [Open<'a>]) -> Result<&'o Open<'a>, NoAnswer> {
    let fits = |prompt: &&Open<'_>| named.is_none_or(|named| prompt.id == named);
    let mut fitting = open.iter().filter(fits);
    match (fitting.next(), fitting.next()) {
        (Some(prompt), None) => Ok(prompt),
        (Some(_), Some(_)) => Err(NoAnswer::WhichPrompt),
        (None, _) => Err(NoAnswer::UnknownPrompt),
    }
}

/// A number means the option; where there are options, words have to be one of them.
fn value(answer: &Answer, options: &[String]) -> Result<String, NoAnswer> {
    match answer {
        Answer::Option(number) if options.is_empty() => Ok(number.to_string()),
        Answer::Option(number) => {
            let index = usize::try_from(*number).ok().and_then(|number| number.checked_sub(1));
            index.and_then(|index| options.get(index)).cloned().ok_or(NoAnswer::NoSuchOption)
        }
        Answer::Text(text) if options.is_empty() => Ok(text.clone()),
        Answer::Text(text) => {
            let known = options.iter().find(|option| *option == text);
            known.cloned().ok_or(NoAnswer::NoSuchOption)
        }
    }
}

#[cfg(test)]
mod tests;
