//! Placeholders: the same for the same text, and of its shape.

use std::collections::HashMap;

/// Nobody needs a longer text to see that it was long.
const LONGEST: usize = 400;
/// No number that stays as it is has as many digits, but for moments and processes.
const NUMBERS: u64 = 1_000_000;

#[derive(Debug, Default)]
pub(super) struct Names {
    texts: HashMap<String, String>,
    ids: HashMap<String, String>,
    folders: HashMap<String, String>,
    numbers: HashMap<String, u64>,
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

    /// What stands for a number that may be somebody's.
    pub(super) fn number(&mut self, number: String) -> u64 {
        let next = NUMBERS + self.numbers.len() as u64 + 1;
        *self.numbers.entry(number).or_insert(next)
    }

    /// A UUID becomes a UUID; another id keeps its letters up to the first `_`, as `toolu_…` has.
    /// One that was a part of a path before stays what that has become.
    pub(super) fn id(&mut self, id: &str) -> String {
        let number = self.ids.len() + 1;
        let folder = self.folders.get(id);
        let make = || {
            if is_uuid(id) {
                return format!("00000000-0000-4000-8000-{number:012}");
            }
            let plain = |prefix: &&str| {
                prefix.len() <= 8 && prefix.bytes().all(|byte| byte.is_ascii_lowercase())
            };
            let prefix = id.split_once('_').map(|(prefix, _)| prefix).filter(plain);
            match (prefix, folder) {
                (Some(prefix), _) => format!("{prefix}_{number:04}"),
                (None, Some(folder)) => folder.clone(),
                (None, None) => format!("id_{number:04}"),
            }
        };
        self.ids.entry(id.to_owned()).or_insert_with(make).clone()
    }

    /// The placeholder of an id that stands in other texts as well, as in the name of a log.
    pub(super) fn known_id(&self, text: &str) -> Option<&str> {
        self.ids.get(text).map(String::as_str)
    }

    /// The placeholder of a part of a path that has one.
    pub(super) fn known_folder(&self, name: &str) -> Option<&str> {
        self.folders.get(name).map(String::as_str)
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

pub(super) fn is_uuid(text: &str) -> bool {
    text.len() == 36 && text.split('-').map(str::len).eq([8, 4, 4, 4, 12])
}
