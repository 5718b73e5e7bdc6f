//! A configuration that a variable holds: what is in there stays, and ours is added.

use super::entries::{parse, shape};
use super::{Unchanged, halves};
use jsonc_parser::cst::CstInputValue;
use std::fmt::Write as _;

/// The configuration `given` (nothing, if it is empty) with `file` in the list `member`.
pub(crate) fn with_file(given: &str, member: &str, file: &str) -> Result<String, Unchanged> {
    halves::kept(given, |given| add(given, member, file))
}

fn add(given: &str, member: &str, file: &str) -> Result<String, Unchanged> {
    let (_, root) = parse(given)?;
    if root.value().is_none() {
        root.set_value(CstInputValue::Object(Vec::new()));
    }
    let top = root.object_value().ok_or_else(|| shape("it", "an object"))?;
    let list = match top.get(member) {
        Some(prop) => prop.array_value().ok_or_else(|| shape(&format!("{member:?}"), "a list"))?,
        None => top.array_value_or_set(member),
    };
    list.append(CstInputValue::String(format!("file://{}", encoded(file))));
    Ok(root.to_string())
}

/// A path as a part of an address.
fn encoded(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(byte.into());
            }
            _ => drop(write!(out, "%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn what_was_there_stays_and_ours_comes_last() {
        let added = |given: &str| -> Value {
            serde_json::from_str(&with_file(given, "plugin", "/a b/é.js").unwrap()).unwrap()
        };
        let ours = "file:///a%20b/%C3%A9.js";
        assert_eq!(added(""), json!({ "plugin": [ours] }));
        assert_eq!(added(r#"{"model":"x"}"#), json!({ "model": "x", "plugin": [ours] }));
        let theirs = added(r#"{"plugin":["theirs",["other",{"a":1}]]}"#);
        assert_eq!(theirs, json!({ "plugin": ["theirs", ["other", { "a": 1 }], ours] }));
        let half = with_file(r#"{"a":"\ud800"}"#, "plugin", "/a.js").unwrap();
        assert!(half.contains(r#""a":"\ud800""#), "{half}");
    }

    #[test]
    fn what_is_not_clear_is_refused() {
        for given in ["[", "[]", "7", r#"{"plugin":"theirs"}"#, r#"{"plugin":{}}"#] {
            assert!(with_file(given, "plugin", "/a.js").is_err(), "{given}");
        }
    }
}
