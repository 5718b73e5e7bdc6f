//! Where the recorded person's home was, and how what lay there comes to lie in another one.

use super::super::program::Program;
use serde_json::Value;
use std::path::Path;

#[derive(Debug)]
pub(crate) struct RecordedHome {
    /// Recorded folders and what stands for them below the player's home, the longest first.
    places: Vec<(String, &'static str)>,
    /// The folder of transcripts, and how those of the home's projects begin in it: named after the
    /// project's path.
    projects: Option<(String, String)>,
}

impl RecordedHome {
    /// As the paths of the recording show it.
    pub(super) fn of(program: &Program, timeline: &[Value]) -> Self {
        let inner = format!("/{}/", program.transcripts);
        let logs = timeline.iter().filter_map(|row| row["payload"]["transcript_path"].as_str());
        let mut logs = logs.filter_map(|path| path.split_once(&inner)).map(|(folder, _)| folder);
        let config = logs.find(|folder| folder.starts_with('/'));
        let own = config.and_then(|folder| folder.strip_suffix(program.config));
        let own = own.and_then(|folder| folder.strip_suffix('/'));
        let home = own.map(str::to_owned).or_else(|| recorded_home(timeline));
        let mut places: Vec<(String, &'static str)> = Vec::new();
        let named = home.as_ref().map(|home| (inner.clone(), dashed(home)));
        places.extend(config.map(|folder| (folder.to_owned(), program.config)));
        places.extend(home.filter(|home| home.len() > 1).map(|home| (home, "")));
        places.sort_by_key(|(from, _)| std::cmp::Reverse(from.len()));
        Self { places, projects: named }
    }

    /// The text with every recorded path in `home` instead.
    pub(crate) fn moved(&self, text: &str, home: &Path) -> String {
        let mut text = text.to_owned();
        for (from, to) in &self.places {
            let to = home.join(to);
            text = replace(&text, from, to.to_string_lossy().trim_end_matches('/'));
        }
        if let Some((folder, from)) = &self.projects {
            let to = dashed(&home.to_string_lossy());
            text = text.replace(&format!("{folder}{from}-"), &format!("{folder}{to}-"));
        }
        text
    }

    /// The same for a file below the folder of transcripts.
    pub(crate) fn moved_log(&self, file: &str, home: &Path) -> String {
        let Some((folder, _)) = &self.projects else { return file.to_owned() };
        let moved = self.moved(&format!("{folder}{file}"), home);
        moved.strip_prefix(folder).unwrap_or(file).to_owned()
    }
}

/// Where no transcript shows it: the variable, or the first two parts of a folder.
fn recorded_home(timeline: &[Value]) -> Option<String> {
    let set = timeline.iter().find_map(|row| row["env"]["HOME"].as_str());
    let folders = ["payload", "record"];
    let cwd = || {
        timeline.iter().find_map(|row| folders.iter().find_map(|part| row[*part]["cwd"].as_str()))
    };
    set.map(str::to_owned).or_else(|| {
        let mut parts = cwd()?.split('/').skip(1).filter(|part| !part.is_empty());
        match (parts.next()?, parts.next()) {
            ("root", _) => Some("/root".to_owned()),
            (first, Some(second)) => Some(format!("/{first}/{second}")),
            _ => None,
        }
    })
}

/// A path as the name of a folder.
pub(super) fn dashed(path: &str) -> String {
    path.encode_utf16()
        .map(|unit| {
            u8::try_from(unit).ok().filter(u8::is_ascii_alphanumeric).map_or('-', char::from)
        })
        .collect()
}

/// Whole folders alone: `/home/dev` is not in `/home/developer`.
fn replace(text: &str, from: &str, to: &str) -> String {
    let mut moved = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(from) {
        let (before, after) = (&rest[..at], &rest[at + from.len()..]);
        let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        let is_whole = !after.starts_with(goes_on) && !before.ends_with(goes_on);
        moved.push_str(before);
        moved.push_str(if is_whole { to } else { from });
        rest = after;
    }
    moved.push_str(rest);
    moved
}
