//! What leaves the machine.

use super::essence::essence;
use super::names::{Names, is_uuid};
use super::numbers;
use super::vocabulary as known;
use super::words;
use crate::text::{REDACTED, redact};
use serde_json::Value;
use std::collections::BTreeSet;

/// The home that everybody's becomes.
const HOME: &str = "/home/user";
/// Names in the system that are the programs' own words: they tell nothing of anybody.
const NOBODY: [&str; 12] = [
    "admin",
    "agent",
    "assistant",
    "main",
    "model",
    "root",
    "shell",
    "system",
    "task",
    "tool",
    "user",
    "work",
];
/// A shorter name is looked for as a word of its own alone: "dev" is no part of "developer".
const UNMISTAKABLE: usize = 5;

/// Puts placeholders into the rows of one bundle.
#[derive(Debug)]
pub struct Shroud {
    names: Names,
    /// What is hidden word by word, as it was said.
    reduced: BTreeSet<String>,
    /// The person's home folder.
    home: Option<String>,
    /// The person's name in the system, where it tells anybody anything.
    user: Option<String>,
    keeps_text: bool,
}

impl Shroud {
    /// `home` is the person's home folder. `keeps_text`: what agent and person have said stays, but
    /// for the home folder and its owner's name.
    pub fn new(home: Option<&str>, keeps_text: bool) -> Self {
        let home = home.map(|home| home.trim_end_matches('/')).filter(|home| home.len() > 1);
        let user = home.and_then(|home| home.rsplit('/').next());
        let user = user.filter(|user| user.len() > 2 && !NOBODY.contains(user)).map(str::to_owned);
        let (names, reduced) = (Names::default(), BTreeSet::new());
        Self { names, reduced, home: home.map(str::to_owned), user, keeps_text }
    }

    /// How many different texts have a placeholder.
    pub fn replaced(&self) -> usize {
        self.names.count() + self.reduced.len()
    }

    /// A payload, a status file or a line of a log.
    pub fn cover(&mut self, value: &mut Value) {
        // Logs lie in a folder that is named after the place of work: both must stay in step.
        if let Some(cwd) = value["cwd"].as_str().map(str::to_owned) {
            self.path(&cwd);
        }
        for member in ["session_id", "sessionId"] {
            if let Some(id) = value[member].as_str().map(str::to_owned) {
                self.names.id(&id);
            }
        }
        self.member("", value, false);
    }

    /// An id of a session, a call or an agent.
    pub fn id(&mut self, id: &str) -> String {
        match id.is_empty() {
            true => String::new(),
            false => self.names.id(id),
        }
    }

    /// A path of a log or a folder.
    pub fn path(&mut self, path: &str) -> String {
        let (start, rest) = match self.home.as_ref().and_then(|home| path.strip_prefix(home)) {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => (HOME, rest),
            _ => ("", path),
        };
        let parts = rest.split('/').map(|part| self.part(part)).collect::<Vec<_>>();
        let covered = format!("{start}{}", parts.join("/"));
        self.names.same_folder(dashed(path), dashed(&covered));
        covered
    }

    /// A variable of a hook's environment, as far as it says nothing of anybody.
    pub fn variable(&mut self, name: &str, value: &str) -> Option<String> {
        let number = value.strip_prefix('%').unwrap_or(value);
        let is_number = number.len() <= 10 && number.bytes().all(|byte| byte.is_ascii_digit());
        match name {
            _ if value.is_empty() => None,
            _ if name.ends_with("_SESSION_ID") => Some(self.names.id(value)),
            _ if is_number => Some(value.to_owned()),
            _ if words::is_known(value) && name.ends_with("_ENTRYPOINT") => Some(value.to_owned()),
            _ => None,
        }
    }

    /// The name of an event.
    pub fn event(&mut self, name: &str) -> String {
        if name.is_empty() { String::new() } else { self.value("event", name) }
    }

    /// A kind of agent, without a name that a person may have given it.
    pub fn kind(&self, kind: &str) -> String {
        let kind = words::kind(kind);
        let is_named = kind.starts_with("acp:") && self.names_the_person(&kind);
        if is_named { words::SOMEBODYS.to_owned() } else { kind }
    }

    /// The name of a process.
    pub fn process(&mut self, name: &str) -> String {
        let is_known = known::is_process(name);
        if is_known { name.to_owned() } else { "program".to_owned() }
    }

    /// What somebody has said, however long.
    pub(super) fn words(&mut self, text: &str) -> String {
        if text.is_empty() { String::new() } else { self.said(text) }
    }

    /// As little of a text as still says the same.
    pub(super) fn reduce(&mut self, text: &str, same: impl Fn(&str) -> bool) -> String {
        let left = essence(text, same);
        if left != text {
            self.reduced.insert(text.to_owned());
        }
        left
    }

    pub(super) fn shows_text(&self) -> bool {
        self.keeps_text
    }

    /// A name that people give: nothing of it stays.
    pub(super) fn name(&mut self, of: &str, name: &str) -> String {
        let id = self.id(name);
        format!("{of}-{}", id.rsplit(['_', '-']).next().unwrap_or_default())
    }

    fn part(&mut self, part: &str) -> String {
        if part.is_empty() || part == "." || part == ".." || known::is_folder(part) {
            return part.to_owned();
        }
        // What follows may show that a word of the path is an id as well: the path stays the same.
        if let Some(there) = self.names.known_folder(part) {
            return there.to_owned();
        }
        let (stem, ending) = part.split_once('.').unwrap_or((part, ""));
        if is_uuid(stem) {
            self.names.id(stem);
        }
        if let Some(id) = self.names.known_id(stem) {
            return if ending.is_empty() { id.to_owned() } else { format!("{id}.jsonl") };
        }
        self.names.folder(part)
    }

    fn member(&mut self, name: &str, value: &mut Value, free: bool) {
        match value {
            Value::String(text) => *text = self.string(name, text, free),
            Value::Array(items) => {
                for item in items {
                    self.member(name, item, free);
                }
            }
            Value::Object(members) => {
                for (name, mut member) in std::mem::take(members) {
                    let within = free || known::is_free(&name, member.is_array());
                    self.member(&name, &mut member, within);
                    let stays = if free { known::is_of_calls(&name) } else { is_plain(&name) };
                    let stays = stays && !self.names_the_person(&name);
                    let name = if stays { name } else { self.names.text(&name) };
                    members.insert(name, member);
                }
            }
            Value::Number(number) if !numbers::stays(name, number, free) => {
                *value = self.names.number(number.to_string()).into();
            }
            Value::Number(_) | Value::Bool(_) | Value::Null => {}
        }
    }

    fn string(&mut self, name: &str, text: &str, free: bool) -> String {
        if text.is_empty() || text == REDACTED {
            return text.to_owned();
        }
        if free {
            return self.said(text);
        }
        match name {
            // Of the machine's own number nothing is left, nor of a session's name.
            "pidDomain" => "linux:0:pid:[0]".to_owned(),
            "tmux" => text.rsplit_once('%').map_or(String::new(), |(_, pane)| {
                format!(
                    "tmux:@0.%{}",
                    pane.chars().filter(char::is_ascii_digit).collect::<String>()
                )
            }),
            "tool_name" if text.starts_with("mcp__") => format!("mcp__{}", self.names.id(text)),
            _ if known::is_path(name) && text.starts_with('/') => self.path(text),
            _ if known::is_id(name) => self.names.id(text),
            _ if known::is_word(name) => self.value(name, text),
            _ => self.said(text),
        }
    }

    /// What a member says that holds a program's words: one that is not known stays unknown.
    fn value(&mut self, name: &str, text: &str) -> String {
        if words::says(name, text) && !self.names_the_person(text) {
            return text.to_owned();
        }
        // Of a tool that has failed it is the output.
        if self.keeps_text && name != "error" {
            return self.said(text);
        }
        match words::family(text).filter(|begins| !self.names_the_person(begins)) {
            Some(begins) => format!("{begins}{}", self.names.text(text)),
            None => self.hidden(text),
        }
    }

    /// What a person, an agent or a tool has said.
    fn said(&mut self, text: &str) -> String {
        if self.keeps_text && known::sentence(text).is_none() {
            return self.without_home(&redact(text));
        }
        self.hidden(text)
    }

    /// What stands for a text that is not to be seen.
    fn hidden(&mut self, text: &str) -> String {
        if let Some(sentence) = known::sentence(text) {
            return sentence.to_owned();
        }
        if text.starts_with('/') && !text.contains(char::is_whitespace) {
            return self.path(text);
        }
        let beginning = known::beginning(text).unwrap_or_default();
        format!("{beginning}{}", self.names.text(text))
    }

    /// Does a word that would stand hold the person's name in the system?
    pub(super) fn names_the_person(&self, word: &str) -> bool {
        let Some(user) = self.user.as_ref().map(|user| user.to_ascii_lowercase()) else {
            return false;
        };
        let word = word.to_ascii_lowercase();
        let mut parts = word.split(|c: char| !c.is_alphanumeric());
        parts.any(|part| part == user) || (user.len() >= UNMISTAKABLE && word.contains(&user))
    }

    fn without_home(&self, text: &str) -> String {
        let text = match &self.home {
            Some(home) => text.replace(home.as_str(), HOME),
            None => text.to_owned(),
        };
        match &self.user {
            Some(user) => replaced(&text, user, "user"),
            None => text,
        }
    }
}

/// `text` with another word for each `word`, in whichever case it is written.
fn replaced(text: &str, word: &str, by: &str) -> String {
    // Letters outside ASCII keep their length so.
    let (low, word) = (text.to_ascii_lowercase(), word.to_ascii_lowercase());
    let (mut out, mut done) = (String::with_capacity(text.len()), 0);
    for (at, found) in low.match_indices(&word) {
        out.push_str(&text[done..at]);
        out.push_str(by);
        done = at + found.len();
    }
    out.push_str(&text[done..]);
    out
}

/// A member that a program has named.
fn is_plain(name: &str) -> bool {
    name.len() <= 32 && name.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_')
}

/// A path as the name of a folder of logs (Claude Code 2.1.330, measured).
fn dashed(path: &str) -> String {
    let plain = |unit: u16| u8::try_from(unit).ok().filter(u8::is_ascii_alphanumeric);
    path.encode_utf16().map(|unit| plain(unit).map_or('-', char::from)).collect()
}
