//! What an edit takes out: the outermost nodes that hold nothing else, nor a comment of a person's.

use super::{Entry, Form, HOOKS, entries, holders, is_made_list};
use crate::inject::comments::is_among;
use jsonc_parser::cst::{CstNode, CstObject, CstObjectProp};

/// Does this entry go? Of an event all its entries are given, and which one of them it is.
pub(super) type Wanted<'a> = &'a dyn Fn(&str, &[Entry], usize) -> bool;

/// What becomes of a list that is left with nothing in it, and of the object around all of them.
#[derive(Clone, Copy)]
pub(super) enum Emptied<'a> {
    Stays,
    /// It goes, unless it was among these events before us.
    Goes(Option<&'a CstObject>),
}

pub(super) fn going(
    form: &Form,
    top: Option<&CstObject>,
    emptied: Emptied<'_>,
    is_wanted: Wanted<'_>,
) -> Vec<CstNode> {
    let mut all = Vec::new();
    for (holder, events) in holders(form, top) {
        let props = events.properties();
        let mut lists = 0;
        let mut here: Vec<CstNode> = Vec::new();
        for prop in &props {
            let (parts, is_emptied) = of_event(form, prop, is_wanted);
            if is_emptied && goes(form, prop, emptied) {
                lists += 1;
                here.push(prop.clone().into());
            } else {
                here.extend(parts);
            }
        }
        let is_whole = lists > 0 && lists == props.len() && !is_among(&events.children());
        match holder.filter(|holder| is_whole && !is_among(&holder.children())) {
            Some(holder) if matches!(emptied, Emptied::Goes(None)) => all.push(holder.into()),
            _ => all.extend(here),
        }
    }
    all
}

/// Does the list of an event go once it is empty?
fn goes(form: &Form, event: &CstObjectProp, emptied: Emptied<'_>) -> bool {
    let name = event.decoded_name().unwrap_or_default();
    let had = match emptied {
        Emptied::Goes(had) => had,
        // Its name alone is what the program does not know.
        Emptied::Stays if form.is_beyond(&name) => None,
        Emptied::Stays => return false,
    };
    let had_list = had.and_then(|had| had.get(&name));
    let has_comment = event.array_value().is_some_and(|list| is_among(&list.children()));
    had_list.is_none_or(|list| is_made_list(form, &list))
        && !has_comment
        && !is_among(&event.children())
}

/// The entries that go, whole groups of them as such, and whether nothing else is in the list.
fn of_event(form: &Form, event: &CstObjectProp, is_wanted: Wanted<'_>) -> (Vec<CstNode>, bool) {
    let Some(list) = event.array_value() else { return (Vec::new(), false) };
    let name = event.decoded_name().unwrap_or_default();
    let all = entries(form, &list);
    let mut parts: Vec<CstNode> = Vec::new();
    let (mut done, mut whole) = (0, 0);
    for group in all.chunk_by(|(one, _), (next, _)| one.child_index() == next.child_index()) {
        let ours = group.iter().enumerate().filter(|(at, _)| is_wanted(&name, &all, done + at));
        let ours: Vec<CstNode> = ours.map(|(_, (_, entry))| entry.clone()).collect();
        done += group.len();
        match group.first() {
            Some((object, _)) if ours.len() == group.len() && !has_comment(form, object) => {
                whole += 1;
                parts.push(object.clone().into());
            }
            _ => parts.extend(ours),
        }
    }
    let is_emptied = whole > 0 && whole == list.elements().len();
    (parts, is_emptied)
}

/// Is there a comment in this group, beside its entries?
fn has_comment(form: &Form, group: &CstObject) -> bool {
    let list = group.get(HOOKS).filter(|_| form.is_grouped);
    let inner = list.as_ref().and_then(CstObjectProp::array_value);
    form.is_grouped
        && (is_among(&group.children())
            || list.is_some_and(|list| is_among(&list.children()))
            || inner.is_some_and(|inner| is_among(&inner.children())))
}
