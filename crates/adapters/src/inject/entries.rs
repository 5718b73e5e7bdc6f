//! The entries as an edit of JSON text that keeps everything else as it is.

mod going;
mod switches;
#[cfg(test)]
mod tests;

use super::command::{command, event_of, home_of, is_other, is_stray};
use super::comments::take_out;
use super::one_line::parse_to_add;
use super::versions::Versions;
use super::{Found, Unchanged, halves, strict};
use going::{Emptied, going};
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode};
use switches::note_problems;
pub(crate) use switches::{Switch, flag, is_json};

pub(crate) const BOM: char = '\u{feff}';
const HOOKS: &str = "hooks";
const ASYNC: &str = "async";
const NAME: &str = "name";
const VERSION: &str = "version";
const MATCHER: &str = "matcher";

/// How a program wants its entries.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    pub(crate) kind: &'static str,
    /// The events that have an entry.
    pub(crate) events: &'static [&'static str],
    /// Those that may have one as well.
    pub(crate) optional: &'static [&'static str],
    /// What not every version of the program knows.
    pub(crate) versions: Option<&'static Versions>,
    /// The events of which an entry is wanted for one cause alone, with its name. Groups have it.
    pub(crate) matchers: &'static [(&'static str, &'static str)],
    /// The member that holds the command.
    pub(crate) command: &'static str,
    /// The member that holds the time-out, and the time-out in the program's own unit.
    pub(crate) timeout: (&'static str, u32),
    /// What an entry is called, where entries have names.
    pub(crate) name: Option<&'static str>,
    /// The member that holds all events; none if they are the file itself.
    pub(crate) within: Option<&'static str>,
    /// An entry says that it is a command.
    pub(crate) is_typed: bool,
    /// The member that names an entry's event, where all entries stand in one list.
    pub(crate) event: &'static str,
    /// The program may run a command without a shell: it brings one.
    pub(crate) is_wrapped: bool,
    /// Each event has a list of groups, which hold the entries.
    pub(crate) is_grouped: bool,
    /// The file says of which version it is.
    pub(crate) version: Option<u32>,
    /// The event whose hook the program does not wait for.
    pub(crate) unawaited: Option<&'static str>,
    /// What in the settings keeps hooks from firing.
    pub(crate) switches: &'static [Switch],
    /// What becomes of a file with comments, unless it is read all the same.
    pub(crate) not_strict: Option<&'static str>,
}

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

pub(crate) fn append(form: &Form, text: &str, launcher: &str) -> Result<String, Unchanged> {
    let (bom, root, lent) = parse_to_add(text)?;
    if root.value().is_none() {
        // Empty, or nothing but comments.
        root.set_value(CstInputValue::Object(Vec::new()));
    }
    let top = root.object_value().ok_or_else(|| shape("the file", "an object"))?;
    let hooks = match form.within {
        None => top.clone(),
        Some(name) => match one(&top, name)? {
            Some(prop) => {
                prop.object_value().ok_or_else(|| shape(&format!("{name:?}"), "an object"))?
            }
            None => top.object_value_or_set(name),
        },
    };
    let mut edited = false;
    if let Some(version) = form.version.filter(|_| top.get(VERSION).is_none()) {
        top.insert(0, VERSION, CstInputValue::from(version));
        edited = true;
    }
    for event in form.events {
        let groups = match one(&hooks, event)? {
            Some(prop) => {
                prop.array_value().ok_or_else(|| shape(&format!("\"hooks.{event}\""), "a list"))?
            }
            None => hooks.array_value_or_set(event),
        };
        if entries(form, &groups).iter().any(|entry| is_current(form, entry, event, launcher)) {
            continue;
        }
        groups.append(group(form, event, &command(form.kind, launcher, event)));
        edited = true;
    }
    // One that is not as it should be has its successor by now, and of two that are one goes.
    let is_stale = |event: &str, all: &[Entry], at: usize| {
        is_ours(form, &all[at].1, launcher) && !counts(form, event, all, at, launcher)
    };
    let (root, has_taken) = take_out(root, |top| going(form, top, Emptied::Stays, &is_stale))?;
    edited |= has_taken;
    if edited { Ok(lent.whole(bom, &root)) } else { Ok(text.to_owned()) }
}

pub(crate) fn remove(
    form: &Form,
    text: &str,
    launcher: &str,
    original: Option<&str>,
) -> Result<String, Unchanged> {
    let (bom, root) = parse(text)?;
    let before = original.and_then(|text| parse(text).ok()).and_then(|(_, r)| r.object_value());
    // What another state folder of ours had put there is no more anybody's than what we have.
    let had = before.as_ref().and_then(|top| holders(form, Some(top)).into_iter().next());
    let had = had.filter(|(_, events)| !is_made(form, events)).map(|(_, events)| events);
    let emptied = Emptied::Goes(had.as_ref());
    let is_one = |_: &str, all: &[Entry], at: usize| is_ours(form, &all[at].1, launcher);
    let (root, edited) = take_out(root, |top| going(form, top, emptied, &is_one))?;
    if !edited {
        return Ok(text.to_owned());
    }
    // The version that we have written goes with the last of what it is about.
    let find = |top: Option<&CstObject>| -> Vec<CstNode> {
        let version = match (top, original) {
            (Some(top), Some(_)) => own_version(form, top, before.as_ref()),
            (Some(top), None) if is_version_alone(form, top) => top.properties(),
            _ => Vec::new(),
        };
        version.into_iter().map(CstNode::from).collect()
    };
    let (root, _) = take_out(root, find)?;
    Ok(format!("{bom}{root}"))
}

/// The version, where nothing needs it any more and it was not there before us.
fn own_version(form: &Form, top: &CstObject, before: Option<&CstObject>) -> Vec<CstObjectProp> {
    let had_one = before.is_some_and(|before| before.get(VERSION).is_some());
    let Some(version) = form.version.filter(|_| !had_one && !needs_version(form, top, before))
    else {
        return Vec::new();
    };
    let is_it = |value: CstNode| value.to_string() == version.to_string();
    let prop = top.get(VERSION).filter(|prop| prop.value().is_some_and(is_it));
    prop.into_iter().collect()
}

/// Are there entries that were never without a version: another state folder's, or some where there were none?
fn needs_version(form: &Form, top: &CstObject, before: Option<&CstObject>) -> bool {
    let had_none = all_entries(form, before).is_empty();
    all_entries(form, Some(top)).iter().any(|entry| had_none || is_any(form, entry))
}

fn all_entries(form: &Form, top: Option<&CstObject>) -> Vec<CstNode> {
    let events = holders(form, top).into_iter().flat_map(|(_, events)| events.properties());
    let lists = events.filter_map(|event| event.array_value());
    lists.flat_map(|groups| entries(form, &groups)).map(|(_, entry)| entry).collect()
}

/// Is this an object with nothing in it?
pub(super) fn is_bare(text: &str) -> bool {
    let top = parse(text).ok().and_then(|(_, root)| root.object_value());
    top.is_some_and(|top| top.properties().is_empty())
}

/// Is nothing left in there but the version that we have written?
fn is_version_alone(form: &Form, top: &CstObject) -> bool {
    let is_version = |prop: &CstObjectProp| prop.decoded_name().as_deref() == Some(VERSION);
    form.version.is_some() && top.properties().iter().all(is_version)
}

pub(crate) fn inspect(form: &Form, text: &str, launcher: &str) -> Result<Found, Unchanged> {
    let (_, root) = parse(text)?;
    let mut found = Found::default();
    let mut beyond = Vec::new();
    let top = root.object_value();
    for (_, events) in holders(form, top.as_ref()) {
        for prop in events.properties() {
            let event = prop.decoded_name().unwrap_or_default();
            let Some(groups) = prop.array_value() else { continue };
            let all = entries(form, &groups);
            for (at, (_, entry)) in all.iter().enumerate() {
                let Some(command) = text_of(entry, form.command) else { continue };
                if counts(form, &event, &all, at, launcher) {
                    found.entries.push((event.clone(), command));
                } else if is_ours(form, entry, launcher) {
                    found.outdated += 1;
                    beyond.extend(form.is_beyond(&event).then(|| event.clone()));
                } else if is_other(form.kind, &command, launcher) {
                    found.others += 1;
                    match home_of(form.kind, &command) {
                        None => found.pasted += 1,
                        Some(home) if found.elsewhere.contains(&home) => {}
                        Some(home) => found.elsewhere.push(home),
                    }
                }
            }
        }
    }
    let has = |event: &&str| found.entries.iter().any(|(of, _)| of == event);
    found.missing = form.events.iter().copied().filter(|event| !has(event)).collect();
    note_problems(form, &mut found, text, top.as_ref());
    found.note_beyond(&beyond);
    Ok(found)
}

/// The events with an entry that runs this launcher, and not as ours do.
pub(crate) fn strays(form: &Form, text: &str, launcher: &str) -> Vec<String> {
    let Ok((_, root)) = parse(text) else { return Vec::new() };
    let mut found = Vec::new();
    for (_, events) in holders(form, root.object_value().as_ref()) {
        for prop in events.properties() {
            let Some(groups) = prop.array_value() else { continue };
            let is_one = |(_, entry): &Entry| {
                text_of(entry, form.command).is_some_and(|c| is_stray(form.kind, &c, launcher))
            };
            if entries(form, &groups).iter().any(is_one) {
                let event = prop.decoded_name().unwrap_or_default();
                found.push(form.within.map_or(event.clone(), |within| format!("{within}.{event}")));
            }
        }
    }
    found
}

fn is_true(value: &CstNode) -> bool {
    value.as_boolean_lit().is_some_and(|value| value.value())
}

pub(super) fn parse(text: &str) -> Result<(&str, CstRootNode), Unchanged> {
    let plain = text.strip_prefix(BOM).unwrap_or(text);
    let hidden = halves::hidden(plain);
    let whole = hidden.as_ref().map_or(plain, |(_, whole)| whole.as_str());
    let root = CstRootNode::parse(whole, &OPTIONS)
        .map_err(|error| Unchanged::NotJson(error.to_string().replace('\n', " ")))?;
    strict::check(plain)?;
    Ok((&text[..text.len() - plain.len()], root))
}

pub(super) fn shape(what: &str, expected: &'static str) -> Unchanged {
    Unchanged::Shape(what.to_owned(), expected)
}

/// The property of this name; twice the same leaves open which one the program reads.
pub(super) fn one(object: &CstObject, name: &str) -> Result<Option<CstObjectProp>, Unchanged> {
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

fn group(form: &Form, event: &str, command: &str) -> CstInputValue {
    let text = |text: &str| CstInputValue::String(text.to_owned());
    let (timeout, length) = form.timeout;
    let mut entry = Vec::new();
    entry.extend(form.is_typed.then(|| ("type".to_owned(), text("command"))));
    entry.extend(form.name.map(|name| (NAME.to_owned(), text(name))));
    entry.push((form.command.to_owned(), text(command)));
    entry.push((timeout.to_owned(), CstInputValue::from(length)));
    if form.unawaited == Some(event) {
        entry.push((ASYNC.to_owned(), CstInputValue::Bool(true)));
    }
    let entry = CstInputValue::Object(entry);
    if !form.is_grouped {
        return entry;
    }
    let matcher = form.matchers.iter().find(|(of, _)| *of == event);
    let matcher = matcher.map(|(_, cause)| (MATCHER.to_owned(), text(cause)));
    let entries = (HOOKS.to_owned(), CstInputValue::Array(vec![entry]));
    CstInputValue::Object(matcher.into_iter().chain([entries]).collect())
}

/// An entry, and the group that it stands in, or itself where there are no groups.
type Entry = (CstObject, CstNode);

/// Each entry of an event. Other shapes are nobody's business.
fn entries(form: &Form, groups: &CstArray) -> Vec<Entry> {
    let all = groups.elements().into_iter();
    if !form.is_grouped {
        return all.filter_map(|entry| Some((entry.as_object()?, entry))).collect();
    }
    all.filter_map(|group| group.as_object())
        .flat_map(|group| {
            let entries = group.array_value(HOOKS).map(|list| list.elements()).unwrap_or_default();
            entries.into_iter().map(move |entry| (group.clone(), entry))
        })
        .collect()
}

pub(crate) fn is_all_ours(form: &Form, text: &str) -> bool {
    let top = parse(text).ok().and_then(|(_, root)| root.object_value());
    let Some(top) = top else { return false };
    let is_hooks = |prop: &CstObjectProp| {
        form.within.is_none_or(|name| prop.decoded_name().as_deref() == Some(name))
    };
    let is_version = |prop: &CstObjectProp| prop.decoded_name().as_deref() == Some(VERSION);
    let all = top.properties();
    let mut rest = all.iter().filter(|prop| form.version.is_none() || !is_version(prop));
    let holders = holders(form, Some(&top));
    rest.all(is_hooks) && holders.len() == 1 && holders.iter().all(|(_, one)| is_made(form, one))
}

/// The objects whose members are events, each with the property that holds it.
fn holders(form: &Form, top: Option<&CstObject>) -> Vec<(Option<CstObjectProp>, CstObject)> {
    match form.within {
        None => top.cloned().map(|top| (None, top)).into_iter().collect(),
        Some(name) => named(top, name)
            .filter_map(|prop| prop.object_value().map(|events| (Some(prop), events)))
            .collect(),
    }
}

/// Is there nothing in this object of lists but entries of ours, of whatever state folder?
fn is_made(form: &Form, events: &CstObject) -> bool {
    let events = events.properties();
    !events.is_empty() && events.iter().all(|event| is_made_list(form, event))
}

fn is_made_list(form: &Form, event: &CstObjectProp) -> bool {
    let Some(groups) = event.array_value() else { return false };
    let entries = entries(form, &groups);
    !entries.is_empty()
        && entries.len() == groups.elements().len()
        && entries.iter().all(|(_, entry)| is_any(form, entry))
}

/// Is it an entry of ours, of whatever state folder?
fn is_any(form: &Form, entry: &CstNode) -> bool {
    text_of(entry, form.command).is_some_and(|command| home_of(form.kind, &command).is_some())
}

fn text_of(entry: &CstNode, name: &str) -> Option<String> {
    string(&entry.as_object()?.get(name)?.value()?)
}

fn string(value: &CstNode) -> Option<String> {
    value.as_string_lit()?.decoded_value().ok()
}

fn is_ours(form: &Form, entry: &CstNode, launcher: &str) -> bool {
    text_of(entry, form.command)
        .is_some_and(|command| event_of(form.kind, &command, launcher).is_some())
}

/// Is it as it should be, and the first one that is? The program would run a second one as well.
fn counts(form: &Form, event: &str, all: &[Entry], at: usize, launcher: &str) -> bool {
    let is_one = |entry: &Entry| is_current(form, entry, event, launcher);
    is_one(&all[at]) && !all[..at].iter().any(is_one)
}

/// Ours, under its own event, with nothing changed that matters.
fn is_current(form: &Form, (group, entry): &Entry, event: &str, launcher: &str) -> bool {
    let Some(object) = entry.as_object() else { return false };
    let Some(text) = text_of(entry, form.command) else { return false };
    let (name, length) = form.timeout;
    let number = object.get(name).and_then(|prop| prop.value());
    let timeout = number.is_some_and(|value| value.to_string() == length.to_string());
    let unawaited = object.get(ASYNC).map(|prop| prop.value().is_some_and(|value| is_true(&value)));
    form.takes(event)
        && text == command(form.kind, launcher, event)
        && (!form.is_typed || text_of(entry, "type").as_deref() == Some("command"))
        && form.name.is_none_or(|name| text_of(entry, NAME).as_deref() == Some(name))
        && timeout
        && unawaited == (form.unawaited == Some(event)).then_some(true)
        && is_wide(form, event, group)
}

/// Is it called for each cause of its event, or for the one alone that is wanted? A person may have narrowed
/// it. What stands for all is what programs write themselves.
fn is_wide(form: &Form, event: &str, group: &CstObject) -> bool {
    let wanted = form.matchers.iter().find(|(of, _)| *of == event).map(|(_, cause)| *cause);
    let Some(matcher) = group.get(MATCHER) else { return wanted.is_none() };
    let cause = matcher.value().and_then(|value| string(&value));
    match wanted {
        Some(_) => cause.as_deref() == wanted,
        None => cause.is_some_and(|cause| ["", "*", ".*"].contains(&cause.as_str())),
    }
}
