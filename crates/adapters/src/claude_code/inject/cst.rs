//! The entries as an edit of JSON text that keeps everything else as it is.

use super::{EVENTS, TIMEOUT, UNAWAITED, command, event_of, home_of, is_other};
use crate::inject::{Found, Unchanged};
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode};

const BOM: char = '\u{feff}';
const HOOKS: &str = "hooks";
const ASYNC: &str = "async";

/// Comments and trailing commas are kept; whatever else is not JSON is not touched.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: true,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

pub(super) fn append(text: &str, launcher: &str) -> Result<String, Unchanged> {
    let (bom, root) = parse(text)?;
    if root.value().is_none() {
        // Empty, or nothing but comments.
        root.set_value(CstInputValue::Object(Vec::new()));
    }
    let top = root.object_value().ok_or_else(|| shape("the file", "an object"))?;
    let hooks = match one(&top, HOOKS)? {
        Some(prop) => prop.object_value().ok_or_else(|| shape("\"hooks\"", "an object"))?,
        None => top.object_value_or_set(HOOKS),
    };
    let mut edited = false;
    for event in EVENTS {
        let groups = match one(&hooks, event)? {
            Some(prop) => {
                prop.array_value().ok_or_else(|| shape(&format!("\"hooks.{event}\""), "a list"))?
            }
            None => hooks.array_value_or_set(event),
        };
        let ours = |entry: &CstNode| is_current(entry, event, launcher);
        if entries(&groups).iter().any(|(_, entry)| ours(entry)) {
            continue;
        }
        groups.append(group(event, &command(launcher, event)));
        edited = true;
    }
    // One that is not as it should be has its successor by now.
    for prop in hooks.properties() {
        let name = prop.decoded_name().unwrap_or_default();
        let stale =
            |entry: &CstNode| is_ours(entry, launcher) && !is_current(entry, &name, launcher);
        edited |= clear(&prop, stale);
    }
    if edited { Ok(format!("{bom}{root}")) } else { Ok(text.to_owned()) }
}

pub(super) fn remove(
    text: &str,
    launcher: &str,
    original: Option<&str>,
) -> Result<String, Unchanged> {
    let (bom, root) = parse(text)?;
    let before = original.and_then(|text| parse(text).ok()).and_then(|(_, r)| r.object_value());
    // What another state folder of ours had put there is no more anybody's than what we have.
    let before_hooks = before.and_then(|top| top.get(HOOKS)).filter(|hooks| !is_made(hooks));
    let mut edited = false;
    let top = root.object_value();
    for hooks in named(top.as_ref(), HOOKS) {
        let Some(events) = hooks.object_value() else { continue };
        let had = before_hooks.as_ref().and_then(CstObjectProp::object_value);
        let mut emptied = false;
        for prop in events.properties() {
            let name = prop.decoded_name().unwrap_or_default();
            if !clear(&prop, |entry| is_ours(entry, launcher)) {
                continue;
            }
            edited = true;
            let is_empty = prop.array_value().is_some_and(|groups| groups.elements().is_empty());
            let had = had.as_ref().and_then(|had| had.get(&name));
            if is_empty && had.is_none_or(|list| is_made_list(&list)) {
                prop.remove();
                emptied = true;
            }
        }
        if emptied && events.properties().is_empty() && before_hooks.is_none() {
            hooks.remove();
        }
    }
    if edited { Ok(format!("{bom}{root}")) } else { Ok(text.to_owned()) }
}

pub(super) fn inspect(text: &str, launcher: &str) -> Result<Found, Unchanged> {
    let (_, root) = parse(text)?;
    let mut found = Found::default();
    let top = root.object_value();
    for hooks in named(top.as_ref(), HOOKS) {
        let events = hooks.object_value().map(|events| events.properties()).unwrap_or_default();
        for prop in events {
            let event = prop.decoded_name().unwrap_or_default();
            let Some(groups) = prop.array_value() else { continue };
            for (_, entry) in entries(&groups) {
                let Some(command) = text_of(&entry, "command") else { continue };
                if is_current(&entry, &event, launcher) {
                    found.entries.push((event.clone(), command));
                } else if is_ours(&entry, launcher) {
                    found.outdated += 1;
                } else if is_other(&command, launcher) {
                    found.others += 1;
                    match home_of(&command) {
                        None => found.pasted += 1,
                        Some(home) if found.elsewhere.contains(&home) => {}
                        Some(home) => found.elsewhere.push(home),
                    }
                }
            }
        }
    }
    let has = |event: &&str| found.entries.iter().any(|(of, _)| of == event);
    found.missing = EVENTS.iter().copied().filter(|event| !has(event)).collect();
    note_problems(&mut found, text, top.as_ref());
    Ok(found)
}

/// What keeps hooks from firing: a file that is not strict JSON is skipped whole, and two
/// switches turn hooks off (measured with 2.1.330).
fn note_problems(found: &mut Found, text: &str, top: Option<&CstObject>) {
    for switch in ["disableAllHooks", "allowManagedHooksOnly"] {
        let on = named(top, switch).any(|prop| prop.value().is_some_and(|value| is_true(&value)));
        if on {
            found.is_off = true;
            found.problems.push(format!("{switch} is true: no hook of yours fires"));
        }
    }
    let plain = text.strip_prefix(BOM).unwrap_or(text);
    let strict = serde_json::from_str::<serde::de::IgnoredAny>(plain);
    if let (Err(error), false) = (strict, plain.trim().is_empty()) {
        found.is_ignored = true;
        found.problems.push(format!(
            "with comments or trailing commas it is not JSON, so the whole file is ignored: hooks in it never fire, those of a plugin folder do ({error})"
        ));
    }
}

fn is_true(value: &CstNode) -> bool {
    value.as_boolean_lit().is_some_and(|value| value.value())
}

fn parse(text: &str) -> Result<(&str, CstRootNode), Unchanged> {
    let plain = text.strip_prefix(BOM).unwrap_or(text);
    let root = CstRootNode::parse(plain, &OPTIONS)
        .map_err(|error| Unchanged::NotJson(error.to_string().replace('\n', " ")))?;
    Ok((&text[..text.len() - plain.len()], root))
}

fn shape(what: &str, expected: &'static str) -> Unchanged {
    Unchanged::Shape(what.to_owned(), expected)
}

/// The property of this name; twice the same leaves open which one the program reads.
fn one(object: &CstObject, name: &str) -> Result<Option<CstObjectProp>, Unchanged> {
    let mut found = named(Some(object), name);
    let first = found.next();
    if found.next().is_some() {
        return Err(Unchanged::Twice(name.to_owned()));
    }
    Ok(first)
}

fn named(object: Option<&CstObject>, name: &str) -> impl Iterator<Item = CstObjectProp> {
    let properties = object.map(CstObject::properties).unwrap_or_default();
    let name = name.to_owned();
    properties.into_iter().filter(move |prop| prop.decoded_name().as_deref() == Some(&name))
}

fn group(event: &str, command: &str) -> CstInputValue {
    let text = |text: &str| CstInputValue::String(text.to_owned());
    let mut entry = vec![
        ("type".to_owned(), text("command")),
        ("command".to_owned(), text(command)),
        ("timeout".to_owned(), CstInputValue::from(TIMEOUT)),
    ];
    if event == UNAWAITED {
        entry.push((ASYNC.to_owned(), CstInputValue::Bool(true)));
    }
    let entries = CstInputValue::Array(vec![CstInputValue::Object(entry)]);
    CstInputValue::Object(vec![(HOOKS.to_owned(), entries)])
}

/// Each entry of an event, with the group it stands in. Other shapes are nobody's business.
fn entries(groups: &CstArray) -> Vec<(CstObject, CstNode)> {
    let groups = groups.elements().into_iter().filter_map(|group| group.as_object());
    groups
        .flat_map(|group| {
            let entries = group.array_value(HOOKS).map(|list| list.elements()).unwrap_or_default();
            entries.into_iter().map(move |entry| (group.clone(), entry))
        })
        .collect()
}

/// Takes the entries out that `is_wanted` names, and the groups that hold nothing more.
fn clear(event: &CstObjectProp, is_wanted: impl Fn(&CstNode) -> bool) -> bool {
    let Some(groups) = event.array_value() else { return false };
    let mut edited = false;
    for (group, entry) in entries(&groups) {
        if !is_wanted(&entry) {
            continue;
        }
        entry.remove();
        edited = true;
        if group.array_value(HOOKS).is_some_and(|list| list.elements().is_empty()) {
            group.remove();
        }
    }
    edited
}

pub(super) fn is_all_ours(text: &str) -> bool {
    let top = parse(text).ok().and_then(|(_, root)| root.object_value());
    let all = top.map(|top| top.properties()).unwrap_or_default();
    let is_hooks = |prop: &CstObjectProp| prop.decoded_name().as_deref() == Some(HOOKS);
    matches!(all.as_slice(), [only] if is_hooks(only) && is_made(only))
}

/// Is there nothing in this object of lists but entries of ours, of whatever state folder?
fn is_made(hooks: &CstObjectProp) -> bool {
    let events = hooks.object_value().map(|events| events.properties()).unwrap_or_default();
    !events.is_empty() && events.iter().all(is_made_list)
}

fn is_made_list(event: &CstObjectProp) -> bool {
    let Some(groups) = event.array_value() else { return false };
    let entries = entries(&groups);
    let is_any = |entry: &CstNode| text_of(entry, "command").is_some_and(|c| home_of(&c).is_some());
    !entries.is_empty()
        && entries.len() == groups.elements().len()
        && entries.iter().all(|(_, entry)| is_any(entry))
}

fn text_of(entry: &CstNode, name: &str) -> Option<String> {
    let value = entry.as_object()?.get(name)?.value()?;
    value.as_string_lit()?.decoded_value().ok()
}

fn is_ours(entry: &CstNode, launcher: &str) -> bool {
    text_of(entry, "command").is_some_and(|command| event_of(&command, launcher).is_some())
}

/// Ours, under its own event, with nothing changed that matters.
fn is_current(entry: &CstNode, event: &str, launcher: &str) -> bool {
    let Some(object) = entry.as_object() else { return false };
    let Some(text) = text_of(entry, "command") else { return false };
    let number = object.get("timeout").and_then(|prop| prop.value());
    let timeout = number.is_some_and(|value| value.to_string() == TIMEOUT.to_string());
    let unawaited = object.get(ASYNC).map(|prop| prop.value().is_some_and(|value| is_true(&value)));
    EVENTS.contains(&event)
        && text == command(launcher, event)
        && text_of(entry, "type").as_deref() == Some("command")
        && timeout
        && unawaited == (event == UNAWAITED).then_some(true)
}
