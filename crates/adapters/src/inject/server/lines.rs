//! A server as a table at the end of a TOML file; everything before it stays as it is.

use super::super::entries::shape;
use super::super::{Unchanged, statements};
use super::{
    Form, NAME, home_of, is_a_choice, is_current, is_of, is_program, merge, theirs, wished,
};
use serde_json::{Map, Value, json};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What takes the place of a piece of the text.
type Edit = (Range<usize>, String);

pub(super) fn append(form: &Form, text: &str, launcher: &str) -> Result<String, Unchanged> {
    let wished = wished(form.style, launcher);
    let out = match server(form, text)? {
        Some(server) if is_current(&server, &wished) => return Ok(text.to_owned()),
        Some(server) if !is_program(&server) => return Err(Unchanged::Foreign),
        // One that is not as it should be is put right where it stands.
        Some(server) => updated(form, text, &server, &wished).ok_or_else(|| tables(form))?,
        None => appended(form, text, &wished),
    };
    let mut expected = file(text)?;
    merge(&mut expected, &json!({ form.within: { NAME: wished } }));
    // Servers that are written in another way cannot be continued like this.
    match file(&out) {
        Ok(now) if now == expected => Ok(out),
        _ => Err(tables(form)),
    }
}

fn appended(form: &Form, text: &str, server: &Value) -> String {
    let gap = match text {
        "" => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    [text, gap, &table(form, server)].concat()
}

pub(super) fn remove(
    form: &Form,
    text: &str,
    launcher: &str,
    original: Option<&str>,
) -> Result<String, Unchanged> {
    let Some(ours) = server(form, text)?.filter(|server| is_of(server, launcher)) else {
        return Ok(text.to_owned());
    };
    match theirs(form, original, launcher) {
        Some(theirs) => with_theirs(form, text, &ours, &theirs),
        None => without(form, text),
    }
}

/// The text with their server in the place of ours, or at its end where ours is written in a way that this does
/// not know.
fn with_theirs(form: &Form, text: &str, ours: &Value, theirs: &Value) -> Result<String, Unchanged> {
    let mut expected = file(text)?;
    expected[form.within][NAME] = theirs.clone();
    let is_it = |out: &String| file(out).is_ok_and(|now| now == expected);
    if let Some(out) = replaced(form, text, ours, theirs).filter(is_it) {
        return Ok(out);
    }
    let rest = without(form, text)?;
    let out = appended(form, &rest, theirs);
    // A server without its like in TOML's plain words is no reason to keep ours.
    Ok(Some(out).filter(is_it).unwrap_or(rest))
}

fn replaced(form: &Form, text: &str, ours: &Value, theirs: &Value) -> Option<String> {
    // What an update would leave as it is.
    let goes = |name: &str| {
        let wanted = theirs.get(name);
        wanted != ours.get(name) && (is_a_choice(name) || wanted.is_none_or(Value::is_object))
    };
    let is_own = |of: &str, name: &str| of == form.within && name == NAME;
    let is_going =
        |path: &[String]| matches!(path, [of, own, name, ..] if is_own(of, own) && goes(name));
    let rest = statements::without(text, is_going).ok()?;
    let left = server(form, &rest).ok()??;
    updated(form, &rest, &left, theirs)
}

/// The server of our name.
pub(super) fn server(form: &Form, text: &str) -> Result<Option<Value>, Unchanged> {
    Ok(servers(form, text)?.and_then(|servers| servers.get(NAME).cloned()))
}

/// All servers.
pub(super) fn servers(form: &Form, text: &str) -> Result<Option<Value>, Unchanged> {
    Ok(file(text)?.get(form.within).cloned())
}

pub(super) fn is_all_ours(form: &Form, text: &str) -> bool {
    let ours = server(form, text).ok().flatten().and_then(|server| home_of(&server));
    ours.is_some() && without(form, text).is_ok_and(|rest| rest.trim().is_empty())
}

fn file(text: &str) -> Result<Value, Unchanged> {
    serde_json::to_value(statements::read(text)?)
        .map_err(|error| Unchanged::NotToml(error.to_string()))
}

fn tables(form: &Form) -> Unchanged {
    shape(&format!("{:?}", form.within), "a table of tables")
}

/// The text without our server, however it is written, and without the empty line that parts its table from
/// what is before. Where something else would go with it, it is left as it is.
fn without(form: &Form, text: &str) -> Result<String, Unchanged> {
    let is_ours =
        |path: &[String]| matches!(path, [of, name, ..] if of == form.within && name == NAME);
    let out = statements::without(text, is_ours)?;
    let stays = rest(form, text)?;
    match (server(form, &out), rest(form, &out)) {
        (Ok(None), Ok(left)) if left == stays => Ok(if out == "\n" { String::new() } else { out }),
        _ => Err(tables(form)),
    }
}

/// All that is not our server.
fn rest(form: &Form, text: &str) -> Result<Value, Unchanged> {
    let mut file = file(text)?;
    if let Some(top) = file.as_object_mut()
        && let Some(servers) = top.get_mut(form.within).and_then(Value::as_object_mut)
    {
        servers.remove(NAME);
        if servers.is_empty() {
            top.remove(form.within);
        }
    }
    Ok(file)
}

fn table(form: &Form, wished: &Value) -> String {
    let mut lines = format!("[{}.{NAME}]\n", form.within);
    for (name, value) in wished.as_object().into_iter().flatten() {
        lines += &[name, " = ", &inline(value), "\n"].concat();
    }
    lines
}

/// The text with our members of the server as they should be. What others have put beside them stays, as do
/// all comments. `None`: it is written in a way that this does not know.
fn updated(form: &Form, text: &str, now: &Value, wished: &Value) -> Option<String> {
    let top = statements::parse(text).ok()?;
    let servers = member(&top, form.within)?.get_ref().as_table()?;
    let mut edits = Vec::new();
    edits_of(text, member(servers, NAME)?, (now.as_object()?, wished.as_object()?), &mut edits)?;
    edits.sort_by_key(|(at, _)| at.start);
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for (at, new) in edits {
        out.push_str(&text[done..at.start]);
        out.push_str(&new);
        done = at.end;
    }
    out.push_str(&text[done..]);
    Some(out)
}

fn member<'a, 'i>(table: &'a DeTable<'i>, name: &str) -> Option<&'a Spanned<DeValue<'i>>> {
    table.iter().find(|(key, _)| key.get_ref() == name).map(|(_, value)| value)
}

fn edits_of(
    text: &str,
    at: &Spanned<DeValue<'_>>,
    (now, wished): (&Map<String, Value>, &Map<String, Value>),
    edits: &mut Vec<Edit>,
) -> Option<()> {
    let table = at.get_ref().as_table()?;
    for (name, wanted) in wished {
        let (Some(there), Some(is)) = (member(table, name), now.get(name)) else {
            edits.push(added(text, at, name, wanted)?);
            continue;
        };
        if is_a_choice(name) || is_current(is, wanted) {
            continue;
        }
        match (is, wanted) {
            (Value::Object(is), Value::Object(wanted)) => {
                edits_of(text, there, (is, wanted), edits)?;
            }
            _ => edits.push((there.span(), inline(wanted))),
        }
    }
    Some(())
}

/// A member more: behind the header of its table, or behind the brace.
fn added(text: &str, table: &Spanned<DeValue<'_>>, name: &str, value: &Value) -> Option<Edit> {
    let value = inline(value);
    if statements::has_header(text, table) {
        let end = statements::lines(text, &table.span()).end;
        return Some((end..end, format!("{name} = {value}\n")));
    }
    let behind = table.span().start + 1;
    let is_empty = table.get_ref().as_table()?.is_empty();
    let end = if is_empty { " " } else { "," };
    let is_braced = statements::begins_with(text, table, '{');
    is_braced.then(|| (behind..behind, format!(" {name} = {value}{end}")))
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
