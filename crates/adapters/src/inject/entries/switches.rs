//! What keeps hooks from firing: switches in the settings, and settings that are skipped whole.

use super::{BOM, Form, is_true, named, parse, string};
use crate::inject::Found;
use jsonc_parser::cst::{CstNode, CstObject, CstObjectProp};

/// A member of the settings by which hooks are switched off.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Switch {
    /// All of them, while it is true.
    Off(&'static str),
    /// All of them, while this member of it is false.
    On(&'static str, &'static str),
    /// Those whose name is in the list that this member of it is.
    Without(&'static str, &'static str),
}

/// What keeps hooks from firing: a file that is not strict JSON is skipped whole by most, and
/// switches turn hooks off.
pub(super) fn note_problems(form: &Form, found: &mut Found, text: &str, top: Option<&CstObject>) {
    let switches = form.switches.iter().filter_map(|switch| thrown(form, *switch, top));
    found.problems.extend(switches);
    found.is_off = !found.problems.is_empty();
    let plain = text.strip_prefix(BOM).unwrap_or(text);
    let strict = serde_json::from_str::<serde::de::IgnoredAny>(plain);
    if let (Err(error), Some(so), false) = (strict, form.not_strict, plain.trim().is_empty()) {
        found.is_ignored = true;
        found
            .problems
            .push(format!("with comments or trailing commas it is not JSON, so {so} ({error})"));
    }
}

/// What a switch does that is thrown.
fn thrown(form: &Form, switch: Switch, top: Option<&CstObject>) -> Option<String> {
    let below = |outer: &str, inner: &str| -> Vec<CstObjectProp> {
        let objects = named(top, outer).filter_map(|prop| prop.object_value());
        objects.flat_map(|object| named(Some(&object), inner).collect::<Vec<_>>()).collect()
    };
    match switch {
        Switch::Off(name) => named(top, name)
            .any(|prop| prop.value().is_some_and(|value| is_true(&value)))
            .then(|| format!("{name} is true: no hook of yours fires")),
        Switch::On(outer, inner) => below(outer, inner)
            .iter()
            .any(|prop| prop.value().is_some_and(|value| is_false(&value)))
            .then(|| format!("{outer}.{inner} is false: no hook of yours fires")),
        Switch::Without(outer, inner) => {
            let name = form.name?;
            let lists = below(outer, inner).into_iter().filter_map(|prop| prop.array_value());
            let mut names = lists.flat_map(|list| list.elements()).filter_map(|name| string(&name));
            let why = || format!("{outer}.{inner} names {name}: no hook of that name fires");
            names.any(|one| one == name).then(why)
        }
    }
}

/// What the settings say of a switch, with comments in them or not. `None`: nothing, or nobody can read it.
pub(crate) fn flag(text: &str, name: &str) -> Option<bool> {
    let (_, root) = parse(text).ok()?;
    let top = root.object_value();
    let said = named(top.as_ref(), name).filter_map(|prop| prop.value());
    said.filter_map(|value| Some(value.as_boolean_lit()?.value())).last()
}

/// Can this be read as JSON, with comments and trailing commas or without?
pub(crate) fn is_json(text: &str) -> bool {
    parse(text).is_ok()
}

fn is_false(value: &CstNode) -> bool {
    value.as_boolean_lit().is_some_and(|value| !value.value())
}
