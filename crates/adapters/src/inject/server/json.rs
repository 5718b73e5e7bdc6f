//! A server as a member of a JSON object; everything else stays as it is.

use super::super::Unchanged;
use super::super::entries::{one, parse, shape};
use super::{Form, NAME, home_of, is_of, wished};
use jsonc_parser::cst::{CstInputValue, CstObject, CstObjectProp};
use serde_json::Value;

pub(super) fn append(form: &Form, text: &str, launcher: &str) -> Result<String, Unchanged> {
    let (bom, root) = parse(text)?;
    if root.value().is_none() {
        // Empty, or nothing but comments.
        root.set_value(CstInputValue::Object(Vec::new()));
    }
    let top = root.object_value().ok_or_else(|| shape("the file", "an object"))?;
    let servers = match one(&top, form.within)? {
        Some(prop) => {
            prop.object_value().ok_or_else(|| shape(&format!("{:?}", form.within), "an object"))?
        }
        None => top.object_value_or_set(form.within),
    };
    let wished = wished(form.style, launcher);
    match one(&servers, NAME)? {
        Some(prop) if value(&prop).as_ref() == Some(&wished) => return Ok(text.to_owned()),
        Some(prop) if value(&prop).is_some_and(|server| home_of(&server).is_some()) => {
            prop.set_value(input(&wished));
        }
        Some(_) => return Err(Unchanged::Foreign),
        None => drop(servers.append(NAME, input(&wished))),
    }
    Ok(format!("{bom}{root}"))
}

pub(super) fn remove(
    form: &Form,
    text: &str,
    launcher: &str,
    original: Option<&str>,
) -> Result<String, Unchanged> {
    let (bom, root) = parse(text)?;
    let Some((holder, servers)) = root.object_value().and_then(|top| holder(form, &top)) else {
        return Ok(text.to_owned());
    };
    let ours = one(&servers, NAME)?;
    let Some(ours) = ours.filter(|prop| value(prop).is_some_and(|it| is_of(&it, launcher))) else {
        return Ok(text.to_owned());
    };
    ours.remove();
    let before = original.and_then(|text| parse(text).ok());
    let before = before.and_then(|(_, root)| root.object_value());
    let was_there = before.is_some_and(|top| top.get(form.within).is_some());
    if servers.properties().is_empty() && !was_there {
        holder.remove();
    }
    Ok(format!("{bom}{root}"))
}

/// The server of our name.
pub(super) fn server(form: &Form, text: &str) -> Result<Option<Value>, Unchanged> {
    let (_, root) = parse(text)?;
    let Some((_, servers)) = root.object_value().and_then(|top| holder(form, &top)) else {
        return Ok(None);
    };
    Ok(one(&servers, NAME)?.as_ref().and_then(value))
}

pub(super) fn is_all_ours(form: &Form, text: &str) -> bool {
    let top = parse(text).ok().and_then(|(_, root)| root.object_value());
    let Some(top) = top else { return false };
    let alone = |object: &CstObject| object.properties().len() == 1;
    let Some((_, servers)) = holder(form, &top).filter(|_| alone(&top)) else { return false };
    let ours = one(&servers, NAME).ok().flatten();
    let ours = ours.as_ref().and_then(value).and_then(|server| home_of(&server));
    alone(&servers) && ours.is_some()
}

fn holder(form: &Form, top: &CstObject) -> Option<(CstObjectProp, CstObject)> {
    let prop = top.get(form.within)?;
    let servers = prop.object_value()?;
    Some((prop, servers))
}

/// One with comments in it is somebody else's by now.
fn value(prop: &CstObjectProp) -> Option<Value> {
    serde_json::from_str(&prop.value()?.to_string()).ok()
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(flag) => CstInputValue::Bool(*flag),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(list) => CstInputValue::Array(list.iter().map(input).collect()),
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| (name.clone(), input(value)));
            CstInputValue::Object(members.collect())
        }
    }
}
