//! What a page shows, in pieces that are replaced one by one.

use super::sink;
use maud::Markup;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap, HashSet};
use xxhash_rust::xxh3::xxh3_64;

/// Pieces of a page: elements by their id, lists of such elements, and what stands in the tab.
#[derive(Debug, Default, PartialEq, Serialize)]
pub(super) struct Parts {
    /// Element id to its HTML. The element has that id.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) elements: BTreeMap<String, String>,
    /// Id of a list to the ids in it, in order.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) lists: BTreeMap<&'static str, Vec<String>>,
    pub(super) title: String,
    /// How many agents want a person.
    pub(super) wanted: usize,
    /// Changes worth saying aloud.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) said: Vec<String>,
}

impl Parts {
    pub(super) fn put(&mut self, id: impl Into<String>, markup: Markup) {
        self.elements.insert(id.into(), sink::html(markup));
    }
}

/// What a browser has been sent.
#[derive(Debug, Default)]
pub(super) struct Sent {
    elements: HashMap<String, u64>,
    lists: BTreeMap<&'static str, Vec<String>>,
    title: String,
}

impl Sent {
    /// Leaves in `parts` what the browser does not have yet. `None` if that is nothing.
    pub(super) fn news(&mut self, mut parts: Parts) -> Option<Parts> {
        self.forget_the_gone(&parts.lists);
        parts.elements.retain(|id, html| {
            let digest = xxh3_64(html.as_bytes());
            self.elements.insert(id.clone(), digest) != Some(digest)
        });
        parts.lists.retain(|id, list| {
            let is_new = self.lists.get(id) != Some(list);
            if is_new {
                self.lists.insert(id, list.clone());
            }
            is_new
        });
        let same_title = self.title == parts.title;
        self.title.clone_from(&parts.title);
        let nothing = parts.elements.is_empty() && parts.lists.is_empty() && same_title;
        (!nothing).then_some(parts)
    }

    /// What has left its list is no longer in the browser, and may come back as it was.
    fn forget_the_gone(&mut self, lists: &BTreeMap<&'static str, Vec<String>>) {
        let here: HashSet<&String> = lists.values().flatten().collect();
        for id in self.lists.values().flatten().filter(|id| !here.contains(id)) {
            self.elements.remove(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use maud::html;

    fn parts(row: &str, order: &[&str]) -> Parts {
        let mut parts = Parts { title: "t".into(), ..Parts::default() };
        parts.put("row", html! { li #row { (row) } });
        parts.put("same", html! { li #same {} });
        parts.lists.insert("list", order.iter().map(|&id| id.to_owned()).collect());
        parts
    }

    #[test]
    fn only_news_are_sent() {
        let mut sent = Sent::default();
        let first = sent.news(parts("a", &["row", "same"])).unwrap();
        assert_eq!((first.elements.len(), first.lists.len()), (2, 1));
        assert_eq!(sent.news(parts("a", &["row", "same"])), None);
        let changed = sent.news(parts("b", &["row", "same"])).unwrap();
        assert_eq!(changed.elements.keys().collect::<Vec<_>>(), ["row"]);
        assert!(changed.lists.is_empty());
        let moved = sent.news(parts("b", &["same", "row"])).unwrap();
        assert!(moved.elements.is_empty() && moved.lists["list"] == ["same", "row"]);
        let mut gone = parts("b", &["same"]);
        gone.elements.remove("row");
        sent.news(gone).unwrap();
        let back = sent.news(parts("b", &["same", "row"])).unwrap();
        assert_eq!(back.elements.keys().collect::<Vec<_>>(), ["row"]);
    }
}
