//! Where Kanbanger is, how it is called and what its answers say. Its API is not public: what is the default
//! here can be written otherwise in the settings file, and in no other place.

use super::template::{Call, check};
use crate::outgoing::{Base, Secret};
use headsup_core::work::task::TaskStatus;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Where it is, if nothing says otherwise. Nobody is called there without a key.
pub(super) const USUAL_URL: &str = "https://tasks.gmac.io/api";

/// The calls that there are, with the places that each may have.
pub(super) const CALLS: [(&str, &[&str]); 6] = [
    ("get", &["task"]),
    ("list", &["limit", "status"]),
    ("create", &["title", "body", "status"]),
    ("change", &["task", "title", "body", "status"]),
    ("comment", &["task", "body"]),
    ("comments", &["task"]),
];

/// Members of answers, as JSON pointers. `task` and `comment` are from the whole of an answer to the document,
/// `tasks` and `comments` to the list, and all others from there.
const FIELDS: [(&str, &str); 15] = [
    ("task", ""),
    ("tasks", ""),
    ("id", "/id"),
    ("identifier", "/identifier"),
    ("title", "/title"),
    ("status", "/status"),
    ("body", "/description"),
    ("url", "/url"),
    ("created_at", "/created_at"),
    ("updated_at", "/updated_at"),
    ("comment", ""),
    ("comments", ""),
    ("comment_id", "/id"),
    ("comment_body", "/body"),
    ("comment_author", "/author"),
];

/// A call as a person writes it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WrittenCall {
    pub method: String,
    pub path: String,
    pub body: Option<Value>,
}

/// All that a person may write of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Written {
    pub url: Option<String>,
    pub headers: Option<BTreeMap<String, String>>,
    pub calls: BTreeMap<String, WrittenCall>,
    pub fields: BTreeMap<String, String>,
    /// What each status is called there.
    pub statuses: BTreeMap<String, String>,
}

/// How it is spoken to.
#[derive(Clone, Debug, PartialEq)]
pub struct KanbangerSettings {
    pub(super) base: Base,
    /// Without it nobody is called.
    pub(super) key: Option<Secret>,
    /// Names and values, with `{key}` where the key stands.
    pub(super) headers: Vec<(String, String)>,
    calls: BTreeMap<&'static str, Call>,
    fields: BTreeMap<&'static str, String>,
    statuses: Vec<(TaskStatus, String)>,
}

impl KanbangerSettings {
    /// # Errors
    /// What is wrong with it, with the name of the key.
    pub fn new(written: Written, key: Option<Secret>) -> Result<Self, String> {
        let url = written.url.as_deref().unwrap_or(USUAL_URL);
        let base = Base::parse(url).map_err(|why| format!("url: {why}"))?;
        let usual = || BTreeMap::from([("Authorization".to_owned(), "Bearer {key}".to_owned())]);
        let headers = written.headers.unwrap_or_else(usual);
        for (name, value) in &headers {
            let in_key = |why: String| format!("headers.{name}: {why}");
            check(value, &["key"]).map_err(in_key)?;
            let token = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
            if name.is_empty() || !name.bytes().all(token) {
                return Err(format!("headers.{name}: a name is letters, digits, - and _"));
            }
            if !value.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
                return Err(format!("headers.{name}: a value is printable ASCII"));
            }
        }
        Ok(Self {
            base,
            key,
            headers: headers.into_iter().collect(),
            calls: calls(&written.calls)?,
            fields: fields(&written.fields)?,
            statuses: statuses(&written.statuses)?,
        })
    }

    /// Where it is.
    pub fn url(&self) -> String {
        self.base.to_string()
    }

    /// Without a key nobody is called.
    pub fn has_key(&self) -> bool {
        self.key.is_some()
    }

    pub(super) fn call(&self, name: &'static str) -> Option<&Call> {
        self.calls.get(name)
    }

    /// What stands at this field of a document.
    pub(super) fn field<'a>(&self, name: &'static str, of: &'a Value) -> Option<&'a Value> {
        of.pointer(self.fields.get(name)?).filter(|value| !value.is_null())
    }

    pub(super) fn word(&self, status: TaskStatus) -> &str {
        let known = self.statuses.iter().find(|(of, _)| *of == status);
        known.map_or_else(|| status.word(), |(_, word)| word.as_str())
    }

    /// What a word of theirs means; `None`: nothing here.
    pub(super) fn status(&self, word: &str) -> Option<TaskStatus> {
        let own = self.statuses.iter().find(|(_, of)| of.eq_ignore_ascii_case(word));
        own.map(|(status, _)| *status).or_else(|| crate::webhooks::kanbanger::status(word))
    }
}

fn usual_call(name: &str) -> WrittenCall {
    let task = json!({"title": "{title}", "description": "{body}", "status": "{status}"});
    let (method, path, body) = match name {
        "get" => ("GET", "/issues/{task}", None),
        "list" => ("GET", "/issues?limit={limit}", None),
        "create" => ("POST", "/issues", Some(task)),
        "change" => ("PATCH", "/issues/{task}", Some(task)),
        "comment" => ("POST", "/issues/{task}/comments", Some(json!({"body": "{body}"}))),
        _ => ("GET", "/issues/{task}/comments", None),
    };
    WrittenCall { method: method.to_owned(), path: path.to_owned(), body }
}

fn calls(written: &BTreeMap<String, WrittenCall>) -> Result<BTreeMap<&'static str, Call>, String> {
    only("calls", written.keys(), CALLS.iter().map(|(name, _)| *name))?;
    let mut calls = BTreeMap::new();
    for (name, places) in CALLS {
        let WrittenCall { method, path, body } =
            written.get(name).cloned().unwrap_or_else(|| usual_call(name));
        let call = Call::new(&method, &path, body, places)
            .map_err(|why| format!("calls.{name}: {why}"))?;
        calls.insert(name, call);
    }
    Ok(calls)
}

fn fields(written: &BTreeMap<String, String>) -> Result<BTreeMap<&'static str, String>, String> {
    only("fields", written.keys(), FIELDS.iter().map(|(name, _)| *name))?;
    let mut fields = BTreeMap::new();
    for (name, usual) in FIELDS {
        let pointer = written.get(name).map_or(usual, String::as_str);
        if !(pointer.is_empty() || pointer.starts_with('/')) {
            return Err(format!("fields.{name}: a JSON pointer is empty or begins with a slash"));
        }
        fields.insert(name, pointer.to_owned());
    }
    Ok(fields)
}

fn statuses(written: &BTreeMap<String, String>) -> Result<Vec<(TaskStatus, String)>, String> {
    only("statuses", written.keys(), TaskStatus::ALL.iter().map(|status| status.word()))?;
    let known =
        written.iter().filter_map(|(word, of)| Some((TaskStatus::parse(word)?, of.clone())));
    Ok(known.collect())
}

/// Refuses a name that there is none of.
fn only<'a>(
    table: &str,
    names: impl Iterator<Item = &'a String>,
    known: impl Iterator<Item = &'static str> + Clone,
) -> Result<(), String> {
    for name in names {
        if !known.clone().any(|known| known == name) {
            let known: Vec<_> = known.collect();
            return Err(format!("{table}.{name} is unknown; there are: {}", known.join(", ")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(change: impl FnOnce(&mut Written)) -> Result<KanbangerSettings, String> {
        let mut written = Written::default();
        change(&mut written);
        KanbangerSettings::new(written, None)
    }

    fn call(method: &str, path: &str) -> WrittenCall {
        WrittenCall { method: method.to_owned(), path: path.to_owned(), body: None }
    }

    #[test]
    fn everything_has_a_default_and_can_be_written_otherwise() {
        let usual = written(|_| {}).unwrap();
        assert_eq!(usual.base.to_string(), USUAL_URL);
        assert!(CALLS.iter().all(|(name, _)| usual.call(name).is_some()));
        assert_eq!(usual.word(TaskStatus::InReview), "in_review");
        assert_eq!(usual.status("In Progress"), Some(TaskStatus::InProgress));
        let own = written(|written| {
            written.url = Some("https://tasks.example/v2".to_owned());
            written.statuses.insert("in_review".to_owned(), "QA".to_owned());
            written.fields.insert("title".to_owned(), "/fields/name".to_owned());
            written.calls.insert("get".to_owned(), call("POST", "/find?q={task}"));
        })
        .unwrap();
        assert_eq!(own.word(TaskStatus::InReview), "QA");
        assert_eq!(own.status("qa"), Some(TaskStatus::InReview));
        let doc = json!({"fields": {"name": "t"}, "url": null});
        assert_eq!(own.field("title", &doc), Some(&json!("t")));
        assert_eq!(own.field("url", &doc), None);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let insert = |table: &mut BTreeMap<String, String>, name: &str, value: &str| {
            table.insert(name.to_owned(), value.to_owned());
        };
        let wrong: [(Result<_, String>, &str); 9] = [
            (written(|w| w.url = Some("http://tasks.example".to_owned())), "url: the address"),
            (
                written(|w| drop(w.calls.insert("merge".to_owned(), call("GET", "/")))),
                "calls.merge is",
            ),
            (
                written(|w| drop(w.calls.insert("get".to_owned(), call("GET", "/{key}")))),
                "calls.get: {key}",
            ),
            (written(|w| insert(&mut w.fields, "name", "/n")), "fields.name is unknown"),
            (written(|w| insert(&mut w.fields, "title", "name")), "fields.title: a JSON pointer"),
            (written(|w| insert(&mut w.statuses, "closed", "x")), "statuses.closed is unknown"),
            (
                written(|w| insert(w.headers.get_or_insert_default(), "X-Key", "{secret}")),
                "headers.X-Key: {secret} stands for nothing",
            ),
            (
                written(|w| insert(w.headers.get_or_insert_default(), "X Key", "x")),
                "headers.X Key: a name",
            ),
            (
                written(|w| insert(w.headers.get_or_insert_default(), "X", "a\nb")),
                "headers.X: a value",
            ),
        ];
        for (settings, says) in wrong {
            let why = settings.unwrap_err();
            assert!(why.starts_with(says), "{why}");
        }
    }
}
