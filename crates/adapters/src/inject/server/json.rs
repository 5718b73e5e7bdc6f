//! A server as a member of a JSON object; everything else stays as it is.

use super::super::Unchanged;
use super::super::comments::{is_among, take_out};
use super::super::entries::{one, parse, shape};
use super::super::one_line::parse_to_add;
use super::{Form, NAME, home_of, is_a_choice, is_current, is_of, is_program, theirs, wished};
use jsonc_parser::cst::{CstInputValue, CstNode, CstObject, CstObjectProp};
use serde_json::{Map, Value};

pub(super) fn append(form: &Form, text: &str, launcher: &str) -> Result<String, Unchanged> {
    let (bom, root, lent) = parse_to_add(text)?;
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
    let Some(prop) = one(&servers, NAME)? else {
        servers.append(NAME, input(&wished));
        return Ok(lent.whole(bom, &root));
    };
    let there = value(&prop).ok_or(Unchanged::Foreign)?;
    if is_current(&there, &wished) {
        return Ok(text.to_owned());
    }
    // One that is not as it should be is put right where it stands.
    match (prop.object_value(), wished) {
        (Some(server), Value::Object(wished)) if is_program(&there) => {
            update(&server, &wished)?;
        }
        _ => return Err(Unchanged::Foreign),
    }
    Ok(lent.whole(bom, &root))
}

/// Our members as they should be; what others have put beside them stays, as do comments.
fn update(server: &CstObject, wished: &Map<String, Value>) -> Result<(), Unchanged> {
    for (name, wanted) in wished {
        let Some(prop) = one(server, name)? else {
            server.append(name, input(wanted));
            continue;
        };
        if is_a_choice(name) || value(&prop).is_some_and(|now| is_current(&now, wanted)) {
            continue;
        }
        match (prop.object_value(), wanted) {
            (Some(now), Value::Object(wanted)) => update(&now, wanted)?,
            _ => prop.set_value(input(wanted)),
        }
    }
    Ok(())
}

pub(super) fn remove(
    form: &Form,
    text: &str,
    launcher: &str,
    original: Option<&str>,
) -> Result<String, Unchanged> {
    let (bom, root) = parse(text)?;
    let before = original.and_then(|text| parse(text).ok());
    let before = before.and_then(|(_, root)| root.object_value());
    let was_there = before.is_some_and(|top| top.get(form.within).is_some());
    // What is not clear is said.
    let there = ours(form, root.object_value().as_ref(), launcher)?;
    if let (Some((_, _, prop)), Some(theirs)) = (there, theirs(form, original, launcher)) {
        prop.set_value(input(&theirs));
        return Ok(format!("{bom}{root}"));
    }
    let find = |top: Option<&CstObject>| {
        let Ok(Some((holder, servers, ours))) = ours(form, top, launcher) else {
            return Vec::new();
        };
        let is_alone = servers.properties().len() == 1 && !is_among(&servers.children());
        let is_whole = is_alone && !was_there && !is_among(&holder.children());
        vec![CstNode::from(if is_whole { holder } else { ours })]
    };
    let (root, has_found) = take_out(root, find)?;
    Ok(if has_found { format!("{bom}{root}") } else { text.to_owned() })
}

/// The property of the servers, their object, and in it the property that is ours.
fn ours(
    form: &Form,
    top: Option<&CstObject>,
    launcher: &str,
) -> Result<Option<(CstObjectProp, CstObject, CstObjectProp)>, Unchanged> {
    let Some((holder, servers)) = holder(form, top)? else { return Ok(None) };
    let ours = one(&servers, NAME)?;
    let ours = ours.filter(|prop| value(prop).is_some_and(|it| is_of(&it, launcher)));
    Ok(ours.map(|ours| (holder, servers, ours)))
}

/// The server of our name.
pub(super) fn server(form: &Form, text: &str) -> Result<Option<Value>, Unchanged> {
    let (_, root) = parse(text)?;
    let Some((_, servers)) = holder(form, root.object_value().as_ref())? else { return Ok(None) };
    Ok(one(&servers, NAME)?.as_ref().and_then(value))
}

/// All servers.
pub(super) fn servers(form: &Form, text: &str) -> Result<Option<Value>, Unchanged> {
    let (_, root) = parse(text)?;
    let holder = holder(form, root.object_value().as_ref())?;
    Ok(holder.and_then(|(prop, _)| value(&prop)))
}

pub(super) fn is_all_ours(form: &Form, text: &str) -> bool {
    let top = parse(text).ok().and_then(|(_, root)| root.object_value());
    let Some(top) = top else { return false };
    let alone = |object: &CstObject| object.properties().len() == 1;
    let holder = holder(form, Some(&top)).ok().flatten();
    let Some((_, servers)) = holder.filter(|_| alone(&top)) else { return false };
    let ours = one(&servers, NAME).ok().flatten();
    let ours = ours.as_ref().and_then(value).and_then(|server| home_of(&server));
    alone(&servers) && ours.is_some()
}

type Holder = Option<(CstObjectProp, CstObject)>;

fn holder(form: &Form, top: Option<&CstObject>) -> Result<Holder, Unchanged> {
    let prop = top.map(|top| one(top, form.within)).transpose()?.flatten();
    Ok(prop.and_then(|prop| prop.object_value().map(|servers| (prop, servers))))
}

/// What it holds, whatever comments and trailing commas are in there.
fn value(prop: &CstObjectProp) -> Option<Value> {
    plain(&prop.value()?)
}

fn plain(node: &CstNode) -> Option<Value> {
    if let Some(object) = node.as_object() {
        let members = object.properties().into_iter();
        let members = members.map(|prop| Some((prop.decoded_name()?, value(&prop)?)));
        return members.collect::<Option<Map<_, _>>>().map(Value::Object);
    }
    if let Some(list) = node.as_array() {
        let elements = list.elements();
        return elements.iter().map(plain).collect::<Option<Vec<_>>>().map(Value::Array);
    }
    serde_json::from_str(&node.to_string()).ok()
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
