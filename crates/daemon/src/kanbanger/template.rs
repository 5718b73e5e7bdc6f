//! Calls as the settings write them: a method, a path and a JSON body, with places for values.
//!
//! A place is `{name}`. In a path a value is escaped, so that it can be no other path; in a body a text that is
//! nothing but a place becomes the value itself, and its member is left out where there is no value.

use crate::outgoing::encode;
use hyper::Method;
use serde_json::{Map, Value};

/// One call.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Call {
    method: Method,
    path: String,
    body: Option<Value>,
}

/// What stands in the places of one call.
pub(super) type Values<'a> = &'a [(&'static str, Option<&'a str>)];

impl Call {
    /// `places` are those that this call may have.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub(super) fn new(
        method: &str,
        path: &str,
        body: Option<Value>,
        places: &[&str],
    ) -> Result<Self, String> {
        let known = ["GET", "POST", "PUT", "PATCH", "DELETE"];
        if !known.contains(&method) {
            return Err(format!("method is one of {}", known.join(", ")));
        }
        let method = Method::from_bytes(method.as_bytes()).map_err(|error| error.to_string())?;
        let plain = path.bytes().all(|byte| byte.is_ascii_graphic());
        if !path.starts_with('/') || path.starts_with("//") || !plain || path.contains('#') {
            return Err("path begins with one slash and has no spaces in it".to_owned());
        }
        check(path, places)?;
        if let Some(body) = &body {
            check_body(body, places)?;
        }
        Ok(Self { method, path: path.to_owned(), body })
    }

    pub(super) fn method(&self) -> Method {
        self.method.clone()
    }

    pub(super) fn path(&self, values: Values<'_>) -> String {
        filled(&self.path, values, encode)
    }

    /// The body, if the call has one.
    pub(super) fn body(&self, values: Values<'_>) -> Option<Value> {
        self.body.as_ref().and_then(|body| fill(body, values))
    }
}

/// The text with values in its places.
pub(super) fn filled(text: &str, values: Values<'_>, escape: impl Fn(&str) -> String) -> String {
    let mut out = String::with_capacity(text.len());
    for piece in pieces(text) {
        match piece {
            Ok(plain) => out.push_str(plain),
            Err(name) => out.push_str(&escape(value(values, name).unwrap_or_default())),
        }
    }
    out
}

fn value<'a>(values: Values<'a>, name: &str) -> Option<&'a str> {
    values.iter().find(|(of, _)| *of == name).and_then(|(_, value)| *value)
}

/// `None`: there is no value for it.
fn fill(body: &Value, values: Values<'_>) -> Option<Value> {
    match body {
        Value::String(text) => match place(text) {
            Some(name) => value(values, name).map(|value| Value::String(value.to_owned())),
            None => Some(Value::String(filled(text, values, str::to_owned))),
        },
        Value::Array(items) => {
            Some(Value::Array(items.iter().filter_map(|item| fill(item, values)).collect()))
        }
        Value::Object(members) => {
            let filled = members.iter().filter_map(|(name, member)| {
                fill(member, values).map(|member| (name.clone(), member))
            });
            Some(Value::Object(filled.collect::<Map<_, _>>()))
        }
        other => Some(other.clone()),
    }
}

/// The name, where the text is nothing but a place.
fn place(text: &str) -> Option<&str> {
    let name = text.strip_prefix('{')?.strip_suffix('}')?;
    is_name(name).then_some(name)
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

/// The text in order: what stands there, or the name of a place.
fn pieces(text: &str) -> Vec<Result<&str, &str>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('{') {
        let Some((name, after)) = behind.split_once('}').filter(|(name, _)| is_name(name)) else {
            let end = before.len() + 1;
            pieces.push(Ok(&rest[..end]));
            rest = &rest[end..];
            continue;
        };
        pieces.extend((!before.is_empty()).then_some(Ok(before)));
        pieces.push(Err(name));
        rest = after;
    }
    pieces.extend((!rest.is_empty()).then_some(Ok(rest)));
    pieces
}

/// Refuses a place that there is none of.
pub(super) fn check(text: &str, places: &[&str]) -> Result<(), String> {
    let unknown = pieces(text).into_iter().filter_map(Result::err).find(|of| !places.contains(of));
    match unknown {
        None => Ok(()),
        Some(name) => {
            let places: Vec<String> = places.iter().map(|place| format!("{{{place}}}")).collect();
            Err(format!("{{{name}}} stands for nothing here; there are: {}", places.join(", ")))
        }
    }
}

fn check_body(body: &Value, places: &[&str]) -> Result<(), String> {
    match body {
        Value::String(text) => check(text, places),
        Value::Array(items) => items.iter().try_for_each(|item| check_body(item, places)),
        Value::Object(members) => {
            members.values().try_for_each(|member| check_body(member, places))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const PLACES: &[&str] = &["task", "body", "status"];

    fn call(path: &str, body: Value) -> Call {
        Call::new("POST", path, Some(body), PLACES).unwrap()
    }

    #[test]
    fn a_value_in_a_path_is_escaped() {
        let call = call("/issues/{task}/comments?of={task}", json!({}));
        for (task, path) in [
            ("KAN-1", "/issues/KAN-1/comments?of=KAN-1"),
            ("a/../b", "/issues/a%2F..%2Fb/comments?of=a%2F..%2Fb"),
            ("x?y#z {body}", "/issues/x%3Fy%23z%20%7Bbody%7D/comments?of=x%3Fy%23z%20%7Bbody%7D"),
        ] {
            assert_eq!(call.path(&[("task", Some(task))]), path);
        }
    }

    #[test]
    fn a_value_in_a_body_is_a_text_and_stays_one() {
        let body = json!({"a": "{body}", "b": ["say {body}!", "{status}"], "c": {"d": "{status}"}, "e": 1, "f": "{x y}"});
        let call = call("/x", body);
        let nasty = "\"}, {\"admin\": true}\n{task}";
        let values: Values<'_> = &[("body", Some(nasty)), ("task", Some("t")), ("status", None)];
        let filled = call.body(values).unwrap();
        let expected =
            json!({"a": nasty, "b": [format!("say {nasty}!")], "c": {}, "e": 1, "f": "{x y}"});
        assert_eq!(filled, expected);
    }

    #[test]
    fn what_is_no_call_is_named() {
        for (method, path, body, says) in [
            ("get", "/x", json!({}), "method is one of"),
            ("GET", "x", json!({}), "path begins"),
            ("GET", "//evil.example/x", json!({}), "path begins"),
            ("GET", "/x y", json!({}), "path begins"),
            ("GET", "/x#y", json!({}), "path begins"),
            ("GET", "/{key}", json!({}), "{key} stands for nothing here; there are: {task}"),
            ("GET", "/x", json!({"a": ["{key}"]}), "{key} stands for nothing"),
        ] {
            let why = Call::new(method, path, Some(body), PLACES).unwrap_err();
            assert!(why.starts_with(says), "{path}: {why}");
        }
    }
}
