//! Placeholders: the same for the same text, and of its shape.

use std::collections::HashMap;

/// Nobody needs a longer text to see that it was long.
const LONGEST: usize = 400;

#[derive(Debug, Default)]
pub(super) struct Names {
    texts: HashMap<String, String>,
    ids: HashMap<String, String>,
    folders: HashMap<String, String>,
}

impl Names {
    /// As long as the text was, if it was not shorter than its number.
    pub(super) fn text(&mut self, text: &str) -> String {
        let number = self.texts.len() + 1;
        let make = || {
            let length = text.chars().count().min(LONGEST);
            format!("{:x<length$}", format!("text{number}"))
        };
        self.texts.entry(text.to_owned()).or_insert_with(make).clone()
    }

    /// A UUID becomes a UUID; another id keeps its letters up to the first `_`, as `toolu_…` has.
    pub(super) fn id(&mut self, id: &str) -> String {
        let number = self.ids.len() + 1;
        let make = || {
            let is_uuid = id.len() == 36 && id.split('-').map(str::len).eq([8, 4, 4, 4, 12]);
            if is_uuid {
                return format!("00000000-0000-4000-8000-{number:012}");
            }
            let plain = |prefix: &&str| {
                prefix.len() <= 8 && prefix.bytes().all(|byte| byte.is_ascii_lowercase())
            };
            let prefix = id.split_once('_').map(|(prefix, _)| prefix).filter(plain);
            format!("{}_{number:04}", prefix.unwrap_or("id"))
        };
        self.ids.entry(id.to_owned()).or_insert_with(make).clone()
    }

    /// The placeholder of an id that stands in other texts as well, as in the name of a log.
    pub(super) fn known_id(&self, text: &str) -> Option<&str> {
        self.ids.get(text).map(String::as_str)
    }

    /// One part of a path; a short ending stays.
    pub(super) fn folder(&mut self, name: &str) -> String {
        let number = self.folders.len() + 1;
        let make = || {
            let ending = name.rsplit_once('.').map(|(_, ending)| ending);
            let known = ["jsonl", "json", "md", "rs", "py", "ts", "js", "txt", "sh", "toml", "key"];
            match ending.filter(|ending| known.contains(ending)) {
                Some(ending) => format!("f{number}.{ending}"),
                None => format!("f{number}"),
            }
        };
        self.folders.entry(name.to_owned()).or_insert_with(make).clone()
    }

    /// A path as the name of a folder stands for another one from now on.
    pub(super) fn same_folder(&mut self, name: String, stands_for: String) {
        self.folders.entry(name).or_insert(stands_for);
    }

    /// Different texts that were replaced.
    pub(super) fn count(&self) -> usize {
        self.texts.len()
    }
}
