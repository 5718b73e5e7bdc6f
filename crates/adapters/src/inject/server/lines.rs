//! A server as a table at the end of a TOML file; everything before it stays as it is.

use super::super::Unchanged;
use super::{Form, NAME, home_of, is_of, wished};
use serde_json::Value;
use toml::Table;

pub(super) fn append(form: &Form, text: &str, launcher: &str) -> Result<String, Unchanged> {
    let there = server(form, text)?;
    if there.as_ref() == Some(&wished(form.style, launcher)) {
        return Ok(text.to_owned());
    }
    let mut out = match there {
        Some(server) if home_of(&server).is_none() => return Err(Unchanged::Foreign),
        // One that is not as it should be goes, and comes again.
        Some(_) => without(form, text),
        None => text.to_owned(),
    };
    if !out.is_empty() {
        out.push_str(if out.ends_with('\n') { "\n" } else { "\n\n" });
    }
    out.push_str(&table(form, launcher));
    // Servers that are written in another way cannot be continued like this.
    match server(form, &out) {
        Ok(Some(server)) if server == wished(form.style, launcher) => Ok(out),
        _ => Err(Unchanged::Shape(format!("{:?}", form.within), "a table of tables")),
    }
}

pub(super) fn remove(form: &Form, text: &str, launcher: &str) -> Result<String, Unchanged> {
    match server(form, text)? {
        Some(server) if is_of(&server, launcher) => Ok(without(form, text)),
        _ => Ok(text.to_owned()),
    }
}

/// The server of our name.
pub(super) fn server(form: &Form, text: &str) -> Result<Option<Value>, Unchanged> {
    let file: Table = toml::from_str(text)
        .map_err(|error| Unchanged::NotToml(error.message().replace('\n', " ")))?;
    let server = file.get(form.within).and_then(|servers| servers.get(NAME));
    Ok(server.and_then(|server| serde_json::to_value(server).ok()))
}

pub(super) fn is_all_ours(form: &Form, text: &str) -> bool {
    let ours = server(form, text).ok().flatten().and_then(|server| home_of(&server));
    ours.is_some() && without(form, text).trim().is_empty()
}

/// The text without our table and those below it, and without the empty line that parts it from what is
/// before.
fn without(form: &Form, text: &str) -> String {
    let own = format!("[{}.{NAME}]", form.within);
    let below = format!("[{}.{NAME}.", form.within);
    let mut out = String::with_capacity(text.len());
    let mut is_ours = false;
    for line in text.split_inclusive('\n') {
        let bare = line.trim();
        if bare.starts_with('[') {
            let was_ours = is_ours;
            is_ours = bare.starts_with(&own) || bare.starts_with(&below);
            if is_ours && !was_ours && out.ends_with("\n\n") {
                out.pop();
            }
        }
        if !is_ours {
            out.push_str(line);
        }
    }
    if out == "\n" { String::new() } else { out }
}

fn table(form: &Form, launcher: &str) -> String {
    let mut lines = format!("[{}.{NAME}]\n", form.within);
    for (name, value) in wished(form.style, launcher).as_object().into_iter().flatten() {
        lines += &[name, " = ", &inline(value), "\n"].concat();
    }
    lines
}

/// A text and a list of JSON are those of TOML; an object has another sign.
pub(super) fn inline(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| format!("{name} = {}", inline(value)));
            format!("{{ {} }}", members.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}
